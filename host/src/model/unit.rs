//! Source units: what discovery finds.

use std::sync::Arc;

use super::config::PluginConfig;
use super::id::{Leaf, PluginId};
use super::node::Node;
use super::path::RelPath;
use super::selector::{Container, Selector};
use super::tree::SourceFile;

/// A Markdown file with frontmatter, split and parsed.
#[derive(Debug, Clone)]
pub struct Document {
    /// Its path.
    pub path: RelPath,
    /// A mapping. Spans are offsets in the whole file.
    pub frontmatter: Node,
    /// The whole file without a byte order mark.
    pub text: Arc<str>,
    /// Where the body begins in `text`.
    pub body_start: u32,
}

impl Document {
    /// The body as the author wrote it.
    #[must_use]
    pub fn body(&self) -> &str {
        &self.text[self.body_start as usize..]
    }
}

/// Why a skill is a draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub enum DraftOrigin {
    /// It lies under `_drafts/`.
    #[serde(rename = "_drafts")]
    Directory,
    /// `status: draft`
    #[serde(rename = "status")]
    Status,
}

/// A file of a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitFile {
    /// Relative to the unit's directory.
    pub path: RelPath,
    /// Relative to the workspace.
    pub source: RelPath,
    /// Size, mode and hash.
    pub file: SourceFile,
}

/// One skill.
#[derive(Debug, Clone)]
pub struct SkillUnit {
    /// Its identity.
    pub selector: Selector,
    /// What owns it.
    pub container: Container,
    /// Its directory name.
    pub leaf: Leaf,
    /// The crossed groups, outermost first, as spelled: `(engineering)`.
    pub groups: Vec<String>,
    /// Why it is a draft, when it is one.
    pub draft: Option<DraftOrigin>,
    /// The live skill of the same container and leaf, for a draft.
    pub shipped_sibling: Option<Selector>,
    /// Its directory.
    pub directory: RelPath,
    /// `SKILL.md`
    pub document: Document,
    /// Everything in its directory, `SKILL.md` first, in path order.
    pub files: Vec<UnitFile>,
}

/// One plugin.
#[derive(Debug, Clone)]
pub struct PluginUnit {
    /// Its identity.
    pub id: PluginId,
    /// Its configuration.
    pub config: PluginConfig,
    /// Its companions: every file but `skillset.yaml` and what lies in `skills`, `shared` and `partials`.
    pub files: Vec<UnitFile>,
}

/// Everything discovered, in selector order.
#[derive(Debug, Clone, Default)]
pub struct Units {
    /// Skills of all containers, drafts among them.
    pub skills: Vec<SkillUnit>,
    /// Plugins.
    pub plugins: Vec<PluginUnit>,
    /// Units that have errors and were left out, with their directories.
    pub broken: Vec<BrokenUnit>,
}

/// A unit that cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BrokenUnit {
    /// Its identity, as far as it has one.
    pub selector: Option<Selector>,
    /// Its directory.
    pub directory: RelPath,
}
