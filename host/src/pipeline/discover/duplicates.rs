//! Duplicate leaves of one container, and the pairing of drafts with their shipped siblings.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::{Code, Diagnostic, Found, Span};
use crate::model::selector::{Container, Selector};
use crate::model::unit::{BrokenUnit, DraftOrigin, SkillUnit, Units};

/// Refuses every leaf that two skills of a container share, except a live skill and its draft in the same group's
/// `_drafts`, and pairs those.
pub(super) fn refuse(found: &mut Found<Units>) {
    let mut by_leaf: BTreeMap<(Container, String), Vec<usize>> = BTreeMap::new();
    for (index, skill) in found.value.skills.iter().enumerate() {
        by_leaf
            .entry((skill.container.clone(), skill.leaf.to_string()))
            .or_default()
            .push(index);
    }
    let mut refused = BTreeSet::new();
    for indices in by_leaf.values().filter(|indices| indices.len() > 1) {
        let mut skills: Vec<&SkillUnit> = indices.iter().map(|i| &found.value.skills[*i]).collect();
        skills.sort_by_key(|skill| skill.draft.is_some());
        if let [live, draft] = skills[..]
            && live.draft.is_none()
            && draft.draft == Some(DraftOrigin::Directory)
            && live.groups == draft.groups
        {
            continue;
        }
        let first = skills[0].document.path.clone();
        for other in &skills[1..] {
            found.findings.push(
                Diagnostic::new(
                    Code::SKILL_LEAF_DUPLICATE,
                    format!("`{}` and `{first}` have the same leaf `{}`, so their outputs would collide", other.document.path, other.leaf),
                )
                .at(Span::whole(&other.document.path))
                .related(Span::whole(&first), "the other one")
                .help("rename one of the two directories"),
            );
        }
        refused.extend(indices.iter().copied());
    }
    for index in refused.into_iter().rev() {
        let skill = found.value.skills.remove(index);
        found.value.broken.push(BrokenUnit {
            selector: Some(skill.selector),
            directory: skill.directory,
        });
    }
    pair(&mut found.value.skills);
}

fn pair(skills: &mut [SkillUnit]) {
    let live: BTreeSet<Selector> = skills
        .iter()
        .filter(|s| s.draft.is_none())
        .map(|s| s.selector.clone())
        .collect();
    for skill in skills.iter_mut().filter(|s| s.draft.is_some()) {
        let sibling = Selector::Skill {
            container: skill.container.clone(),
            leaf: skill.leaf.clone(),
            draft: false,
        };
        skill.shipped_sibling = live.contains(&sibling).then_some(sibling);
    }
}
