//! Skills of one container: groups, drafts, leaves.

use std::collections::BTreeSet;

use crate::diagnostic::{Code, Diagnostic, Found, Severity, Span};
use crate::model::id::{Leaf, MAX_ID_CHARS};
use crate::model::path::RelPath;
use crate::model::selector::{Container, Selector};
use crate::model::unit::{BrokenUnit, Document, DraftOrigin, SkillUnit, UnitFile, Units};
use crate::pipeline::load::Loaded;

/// The directory of unpublished counterparts.
const DRAFTS: &str = "_drafts";

/// Adds every skill below `base`.
pub(super) fn skills(
    loaded: &Loaded,
    container: &Container,
    base: &RelPath,
    found: &mut Found<Units>,
) {
    let mut directories = BTreeSet::new();
    for path in loaded.documents.keys().chain(&loaded.broken) {
        if path.name() == "SKILL.md"
            && let Some(directory) = path.parent()
            && directory.starts_with(base)
        {
            directories.insert(directory);
        }
    }
    let outer: BTreeSet<RelPath> = directories
        .iter()
        .filter(|d| !has_ancestor(d, &directories))
        .cloned()
        .collect();
    refuse_reserved(loaded, base, &outer, found);
    for directory in outer {
        let whole = !loaded
            .broken
            .iter()
            .any(|path| path.starts_with(&directory));
        let document = directory
            .join("SKILL.md")
            .ok()
            .and_then(|path| loaded.documents.get(&path))
            .filter(|_| whole);
        let Some(document) = document else {
            found.value.broken.push(BrokenUnit {
                selector: selector(container, base, &directory),
                directory,
            });
            continue;
        };
        match skill(
            loaded,
            container,
            base,
            &directory,
            document,
            &mut found.findings,
        ) {
            Some(unit) => found.value.skills.push(unit),
            None => found.value.broken.push(BrokenUnit {
                selector: selector(container, base, &directory),
                directory,
            }),
        }
    }
}

fn has_ancestor(directory: &RelPath, all: &BTreeSet<RelPath>) -> bool {
    std::iter::successors(directory.parent(), RelPath::parent)
        .any(|ancestor| all.contains(&ancestor))
}

/// What the unit would be called, for a summary of broken units.
fn selector(container: &Container, base: &RelPath, directory: &RelPath) -> Option<Selector> {
    let draft = directory
        .strip_prefix(base)
        .is_some_and(|rest| rest.components().any(|part| part == DRAFTS));
    Some(Selector::Skill {
        container: container.clone(),
        leaf: Leaf::new(directory.name())?,
        draft,
    })
}

/// Directories that begin with an underscore are reserved between `skills/` and a skill.
fn refuse_reserved(
    loaded: &Loaded,
    base: &RelPath,
    skills: &BTreeSet<RelPath>,
    found: &mut Found<Units>,
) {
    for directory in loaded.tree.directories_below(base) {
        let inside = skills.contains(directory) || has_ancestor(directory, skills);
        if !inside && directory.name().starts_with('_') && directory.name() != DRAFTS {
            found.findings.push(reserved(directory));
        }
    }
}

fn reserved(directory: &RelPath) -> Diagnostic {
    Diagnostic::new(
        Code::SKILL_RESERVED_DIRECTORY,
        format!(
            "`{}` begins with an underscore, and only `{DRAFTS}` has a meaning below `skills`",
            directory.name()
        ),
    )
    .at(Span::whole(directory))
    .help(format!(
        "rename it to `{}`, or to `{DRAFTS}`",
        directory.name().trim_start_matches('_')
    ))
}

fn skill(
    loaded: &Loaded,
    container: &Container,
    base: &RelPath,
    directory: &RelPath,
    document: &Document,
    findings: &mut Vec<Diagnostic>,
) -> Option<SkillUnit> {
    let before = findings.len();
    let inner = directory.strip_prefix(base);
    let mut groups: Vec<String> = inner
        .iter()
        .flat_map(RelPath::components)
        .map(str::to_owned)
        .collect();
    groups.pop();
    let under_drafts = groups.last().is_some_and(|group| group == DRAFTS);
    if under_drafts {
        groups.pop();
    }
    if let Some(group) = groups.iter().find(|group| group.starts_with('_')) {
        let path = groups
            .iter()
            .take_while(|g| *g != group)
            .fold(base.clone(), |p, g| p.join(g).unwrap_or(p));
        findings.push(if group == DRAFTS {
            Diagnostic::new(
                Code::SKILL_RESERVED_DIRECTORY,
                format!("`{DRAFTS}` holds skills directly, not groups"),
            )
            .at(Span::whole(&document.path))
            .help(format!(
                "move the group above: `<group>/{DRAFTS}/{}`",
                directory.name()
            ))
        } else {
            reserved(&path.join(group).unwrap_or(path))
        });
    }
    let leaf = Leaf::new(directory.name());
    if leaf.is_none() {
        findings.push(invalid_leaf(directory, inner.is_none()));
    }
    let status = document
        .frontmatter
        .get("status")
        .and_then(|node| node.as_str())
        == Some("draft");
    let draft = if under_drafts {
        Some(DraftOrigin::Directory)
    } else {
        status.then_some(DraftOrigin::Status)
    };
    let files = unit_files(loaded, directory);
    nested(container, directory, &files, findings);
    if findings[before..]
        .iter()
        .any(|finding| finding.severity == Severity::Error)
    {
        return None;
    }
    let leaf = leaf?;
    Some(SkillUnit {
        selector: Selector::Skill {
            container: container.clone(),
            leaf: leaf.clone(),
            draft: draft.is_some(),
        },
        container: container.clone(),
        leaf,
        groups,
        draft,
        shipped_sibling: None,
        directory: directory.clone(),
        document: document.clone(),
        files,
    })
}

fn invalid_leaf(directory: &RelPath, is_base: bool) -> Diagnostic {
    if is_base {
        return Diagnostic::new(
            Code::SKILL_LEAF_INVALID,
            "`SKILL.md` lies directly in `skills`, without a directory of its own",
        )
        .at(Span::whole(directory))
        .help("move it to `skills/<id>/SKILL.md`");
    }
    let diagnostic = Diagnostic::new(
        Code::SKILL_LEAF_INVALID,
        format!("`{}` is not a skill id: 1 to {MAX_ID_CHARS} lowercase letters or digits, separated by single hyphens", directory.name()),
    )
    .at(Span::whole(directory));
    match mended_id(directory.name()) {
        Some(id) => diagnostic.help(format!("rename the directory to `{id}`")),
        None => diagnostic.help("rename the directory"),
    }
}

/// The nearest valid id, when there is one.
pub(super) fn mended_id(name: &str) -> Option<String> {
    let lower = name.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit()))
        .filter(|w| !w.is_empty())
        .collect();
    let id = words.join("-");
    Leaf::new(&id).map(|leaf| leaf.to_string())
}

fn unit_files(loaded: &Loaded, directory: &RelPath) -> Vec<UnitFile> {
    let mut files: Vec<UnitFile> = loaded
        .tree
        .files_below(directory)
        .filter_map(|(source, file)| {
            Some(UnitFile {
                path: source.strip_prefix(directory)?,
                source: source.clone(),
                file: file.clone(),
            })
        })
        .collect();
    files.sort_by_key(|file| file.path.as_str() != "SKILL.md");
    files
}

/// A `SKILL.md` inside a skill is content: some clients would load it as a second skill, and a package would hide it.
fn nested(
    container: &Container,
    directory: &RelPath,
    files: &[UnitFile],
    findings: &mut Vec<Diagnostic>,
) {
    for file in files
        .iter()
        .filter(|f| f.path.name() == "SKILL.md" && f.path.as_str() != "SKILL.md")
    {
        let (code, effect) = match container {
            Container::Workspace => (Code::SKILL_NESTED, "some clients load it as a second skill"),
            Container::Plugin(_) => (
                Code::PACKAGE_NESTED_SKILL,
                "the package format does not discover it",
            ),
        };
        let renamed = file.path.parent().map_or_else(
            || "skill-notes.md".to_owned(),
            |p| format!("{p}/skill-notes.md"),
        );
        findings.push(
            Diagnostic::new(
                code,
                format!(
                    "`{}` lies inside the skill `{}`, and {effect}",
                    file.path,
                    directory.name()
                ),
            )
            .at(Span::whole(&file.source))
            .help(format!(
                "rename it, for example to `{renamed}`, or move it to a directory of its own"
            )),
        );
    }
}
