//! The door through which source comes in: configuration, tree, documents, what lies in output roots.
//! In: the workspace directory. Out: `Loaded` and all findings. Depends on: model, diagnostic.
//! Never: writes, judges units, follows a link out of the workspace.
#![expect(
    clippy::disallowed_types,
    reason = "this is the door that reads the source"
)]

// reading order
mod root;
pub mod tree;
pub mod text;
pub mod yaml;
pub mod frontmatter;
mod reader;
pub mod config;
mod config_fields;
mod outputs;

pub use config_fields::LICENCES;
pub use outputs::{list, read_optional};
pub use root::{find_root, open_root, root_at};

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::fs::Dir;

use crate::diagnostic::{self, Code, Diagnostic, Found, Severity, Span};
use crate::model::config::{Config, McpSource, PluginConfig};
use crate::model::id::{PluginId, Sha256, TargetId};
use crate::model::path::{PathError, RelPath};
use crate::model::source::Sources;
use crate::model::tree::{SourceFile, SourceTree};
use crate::model::unit::Document;

/// A fault of the machine, not of the author's input.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// A directory cannot be opened.
    #[error("`{}` cannot be opened", path.display())]
    Open {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file cannot be read.
    #[error("`{path}` cannot be read")]
    Read {
        /// Which.
        path: RelPath,
        /// Why.
        source: io::Error,
    },
    /// A fixed path of ours is wrong.
    #[error(transparent)]
    Path(#[from] PathError),
}

impl LoadError {
    fn open(path: &Path, source: io::Error) -> Self {
        Self::Open {
            path: path.to_path_buf(),
            source,
        }
    }

    fn read(path: &RelPath, source: io::Error) -> Self {
        Self::Read {
            path: path.clone(),
            source,
        }
    }
}

/// Everything authored, read once.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The files.
    pub tree: SourceTree,
    /// Their text.
    pub sources: Sources,
    /// The root configuration.
    pub config: Config,
    /// The configuration of each plugin that has a usable one.
    pub plugins: BTreeMap<PluginId, PluginConfig>,
    /// Every `SKILL.md` below a `skills/` that is not inside another skill.
    pub documents: BTreeMap<RelPath, Document>,
    /// Files that have errors.
    pub broken: BTreeSet<RelPath>,
}

/// What loading gives in any case.
#[derive(Debug, Clone, Default)]
pub struct Loading {
    /// `None` only when the root configuration cannot be used.
    pub loaded: Option<Loaded>,
    /// The texts that findings point into.
    pub sources: Sources,
}

/// Reads the source.
///
/// # Errors
/// When the machine fails; what is wrong with the input is a finding.
pub fn load(root: &Dir, targets: &BTreeSet<TargetId>) -> Result<Found<Loading>, LoadError> {
    let config_path = RelPath::new("skillset.yaml")?;
    let plugins_path = RelPath::new(".skillset/plugins")?;
    let walked = tree::walk(root, &config_path);
    let mut findings = root::retired(root);
    findings.extend(walked.findings);
    let (mut tree, mut texts) = (walked.tree, walked.texts);

    let mut config = None;
    if let Some(text) = texts.get(&config_path) {
        let parsed = yaml::parse(&config_path, text, 0);
        findings.extend(parsed.findings);
        if let Some(node) = parsed.value {
            let found = config::root(&config_path, &node, targets);
            findings.extend(found.findings);
            config = node.is_map().then_some(found.value);
        }
    } else if tree.file(&config_path).is_none() {
        findings.push(
            Diagnostic::new(Code::WORKSPACE_MISSING, "there is no `skillset.yaml` here")
                .help("make one with `skillset init`"),
        );
    }
    let known = config.as_ref().map_or_else(
        || targets.clone(),
        |config| config::known_targets(&config.document, targets),
    );

    let mut plugins = BTreeMap::new();
    for directory in tree.directories_below(&plugins_path) {
        let Some(id) = directory
            .strip_prefix(&plugins_path)
            .and_then(|rest| PluginId::new(rest.as_str()))
        else {
            continue;
        };
        let path = directory.join("skillset.yaml")?;
        if let Some(text) = texts.get(&path) {
            let parsed = yaml::parse(&path, text, 0);
            findings.extend(parsed.findings);
            if let Some(node) = parsed.value {
                let found = config::plugin(&id, directory, &path, &node, &known);
                findings.extend(found.findings);
                plugins.insert(id, found.value);
            }
        }
    }

    for config in plugins.values() {
        if let McpSource::Path(placed) = &config.mcp
            && tree.file(&placed.value).is_none()
        {
            findings.extend(add_outside(root, &placed.value, &mut tree, &mut texts)?);
        }
    }

    let mut documents = BTreeMap::new();
    let mut templated = BTreeSet::new();
    let skill_files = skills(&tree, &mut findings);
    for path in &skill_files {
        if let Some(text) = texts.get(path) {
            if text.contains("{{") {
                templated.extend(path.parent());
            }
            let found = frontmatter::parse(path, text);
            findings.extend(found.findings);
            documents.extend(found.value.map(|document| (path.clone(), document)));
        }
    }
    let directories: BTreeSet<RelPath> = skill_files.iter().filter_map(RelPath::parent).collect();
    let mut sources = Sources::default();
    for (path, text) in texts {
        let skill = ancestors(&path).find(|dir| directories.contains(dir));
        let is_kept = match skill {
            None => true,
            Some(skill) => {
                matches!(path.name(), "SKILL.md" | "LICENSE.txt") || templated.contains(&skill)
            }
        };
        if is_kept {
            sources.insert(path, text);
        }
    }
    diagnostic::sort(&mut findings);
    let broken = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .filter_map(|finding| finding.span.as_ref().map(|span| span.path.clone()))
        .collect();
    let loaded = config.map(|config| Loaded {
        tree,
        sources: sources.clone(),
        config,
        plugins,
        documents,
        broken,
    });
    Ok(Found {
        value: Loading { loaded, sources },
        findings,
    })
}

/// Adds a file that configuration names outside `.skillset/`; a missing one is for the stage that needs it.
fn add_outside(
    root: &Dir,
    path: &RelPath,
    tree: &mut SourceTree,
    texts: &mut BTreeMap<RelPath, Arc<str>>,
) -> Result<Option<Diagnostic>, LoadError> {
    let Some(bytes) = read_optional(root, path)? else {
        return Ok(None);
    };
    let file = SourceFile {
        size: bytes.len() as u64,
        executable: false,
        hash: Sha256::of(&bytes),
    };
    match text::decode(path, &bytes) {
        Ok(text) => {
            texts.insert(path.clone(), text);
            tree.insert_file(path.clone(), file);
            Ok(None)
        }
        Err(finding) => Ok(Some(*finding)),
    }
}

fn ancestors(path: &RelPath) -> impl Iterator<Item = RelPath> {
    std::iter::successors(path.parent(), RelPath::parent)
}

/// The outermost `SKILL.md` of each branch below a `skills/`; a misspelled one is a finding.
fn skills(tree: &SourceTree, findings: &mut Vec<Diagnostic>) -> Vec<RelPath> {
    let is_below_skills = |path: &RelPath| {
        let parts: Vec<&str> = path.components().collect();
        matches!(parts.as_slice(), [".skillset", "skills", _, ..])
            || matches!(
                parts.as_slice(),
                [".skillset", "plugins", _, "skills", _, ..]
            )
    };
    let candidates = || {
        tree.files()
            .map(|(path, _)| path)
            .filter(|path| is_below_skills(path))
    };
    let directories: BTreeSet<RelPath> = candidates()
        .filter(|path| path.name() == "SKILL.md")
        .filter_map(RelPath::parent)
        .collect();
    let is_inside = |path: &RelPath| {
        ancestors(path)
            .any(|directory| is_below_skills(&directory) && directories.contains(&directory))
    };
    let mut found = Vec::new();
    for path in candidates() {
        let Some(directory) = path.parent() else {
            continue;
        };
        if path.name() == "SKILL.md" && !is_inside(&directory) {
            found.push(path.clone());
        } else if path.name().eq_ignore_ascii_case("SKILL.md") && !is_inside(path) {
            findings.push(
                Diagnostic::new(
                    Code::SKILL_FILE_NAME,
                    format!("`{path}` must be named `SKILL.md`"),
                )
                .at(Span::whole(path))
                .help(format!("rename it: `git mv {path} {directory}/SKILL.md`")),
            );
        }
    }
    found
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare trees on disk")]
mod tests {
    use super::*;

    fn read(files: &[(&str, &str)]) -> Found<Option<Loaded>> {
        let temp = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = temp.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let targets = [TargetId::new("claude").unwrap()].into();
        let found = load(&open_root(temp.path()).unwrap(), &targets).unwrap();
        Found {
            value: found.value.loaded,
            findings: found.findings,
        }
    }

    #[test]
    fn one_broken_unit_hides_no_other() {
        let found = read(&[
            ("skillset.yaml", "skillset: {schema: 1}\n"),
            (".skillset/skills/a/SKILL.md", "---\nname: a\n---\n{{x}}\n"),
            (".skillset/skills/a/in/SKILL.md", "no frontmatter"),
            (".skillset/skills/a/note.md", "x"),
            (".skillset/skills/b/SKILL.md", ""),
            (".skillset/skills/c/skill.md", "---\nname: c\n---\n"),
            (".skillset/plugins/p/skillset.yaml", "mcp: false\n"),
            (".skillset/plugins/q/skillset.yaml", "mpc: false\n"),
            (
                ".skillset/plugins/p/skills/d/SKILL.md",
                "---\nname: d\n---\n",
            ),
            (".skillset/plugins/p/skills/d/note.md", "x"),
        ]);
        let codes: Vec<_> = found.findings.iter().map(|f| f.code).collect();
        let want = [
            Code::CONFIG_UNKNOWN_KEY,
            Code::FRONTMATTER_MISSING,
            Code::SKILL_FILE_NAME,
        ];
        assert_eq!(codes, want);
        let loaded = found.value.unwrap();
        assert_eq!(loaded.plugins.len(), 2);
        let documents: Vec<_> = loaded.documents.keys().map(RelPath::as_str).collect();
        let want = [
            ".skillset/plugins/p/skills/d/SKILL.md",
            ".skillset/skills/a/SKILL.md",
        ];
        assert_eq!(documents, want);
        let kept = |text| loaded.sources.get(&RelPath::new(text).unwrap()).is_some();
        assert!(kept(".skillset/skills/a/note.md"));
        assert!(!kept(".skillset/plugins/p/skills/d/note.md"));
        assert_eq!(loaded.broken.len(), 3);
    }

    #[test]
    fn without_a_configuration_there_is_nothing() {
        let found = read(&[(".skillset/skills/a/SKILL.md", "")]);
        assert!(found.value.is_none());
        assert!(
            found
                .findings
                .iter()
                .any(|finding| finding.code == Code::WORKSPACE_MISSING)
        );
    }
}
