//! Names of drafts beside live skills: `draft-<leaf>`, or `draft-<leaf>-2` where a live skill owns that name (`spec/04`).

use std::collections::{BTreeMap, BTreeSet};

use crate::model::selector::{Container, Selector};
use crate::model::unit::Units;

/// The effective name of every workspace draft. Live names come first, so the result does not depend on order.
pub(super) fn names(units: &Units) -> BTreeMap<Selector, String> {
    let workspace = || {
        units
            .skills
            .iter()
            .filter(|skill| skill.container == Container::Workspace)
    };
    let mut taken: BTreeSet<String> = workspace()
        .filter(|s| s.draft.is_none())
        .map(|s| s.leaf.to_string())
        .collect();
    let mut names = BTreeMap::new();
    for skill in workspace().filter(|skill| skill.draft.is_some()) {
        let base = format!("draft-{}", skill.leaf);
        let name = std::iter::once(base.clone())
            .chain((2..).map(|n| format!("{base}-{n}")))
            .find(|name| !taken.contains(name))
            .unwrap_or(base);
        taken.insert(name.clone());
        names.insert(skill.selector.clone(), name);
    }
    names
}
