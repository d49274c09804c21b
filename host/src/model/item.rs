//! What a build would write: files, grouped into lock items.

use std::sync::Arc;

use super::id::{Sha256, TargetId};
use super::path::RelPath;
use super::renderer::{Realization, TargetKind};
use super::selector::Selector;
use super::unit::DraftOrigin;

/// The bytes of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bytes {
    /// In memory.
    Owned(Arc<[u8]>),
    /// Those of a source file, which the writer copies.
    CopyOf(RelPath),
}

/// One file that a build would write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputFile {
    /// Relative to the workspace.
    pub path: RelPath,
    /// Mode 0755, else 0644.
    pub executable: bool,
    /// In bytes.
    pub size: u64,
    /// Of the bytes.
    pub hash: Sha256,
    /// What to write.
    pub bytes: Bytes,
}

/// The host's word for why a placement exists.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// A standard owns the file.
    Standard,
    /// A provider's own file.
    Bundle,
    /// A draft, or a copy for the repository itself.
    ProjectUse,
}

/// A renderer as an owner or consumer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Party {
    /// Provider or standard.
    pub kind: TargetKind,
    /// The target's id.
    pub id: TargetId,
}

impl PartialOrd for TargetKind {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for TargetKind {
    /// Standards come before providers, as baselines come before deltas.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (*self == Self::Provider).cmp(&(*other == Self::Provider))
    }
}

/// What a unit is for one target.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetState {
    /// The target.
    pub target: String,
    /// `enabled`, `disabled`, `unsupported` or `held-back`.
    pub state: String,
    /// Why, when it is not enabled.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
}

/// The files of one owner in one placement of one unit, with their provenance: one item of a lock.
#[derive(Debug, Clone)]
pub struct Item {
    /// The unit.
    pub selector: Selector,
    /// The generated root whose lock holds this item: `.claude/skills`, `plugins`.
    pub root: RelPath,
    /// The placement's directory.
    pub directory: RelPath,
    /// The name there.
    pub effective_name: String,
    /// Why it exists.
    pub role: Role,
    /// Who owns the files.
    pub owner: Party,
    /// Who reads them: at most one baseline, then deltas.
    pub consumers: Vec<Party>,
    /// `id@version`, with the digest for third-party renderers.
    pub renderer: String,
    /// In path order.
    pub files: Vec<OutputFile>,
    /// What the host knows of the unit.
    pub provenance: Arc<Provenance>,
    /// How features reached the owner.
    pub realizations: Vec<Realization>,
    /// `plugins.internal_use.plugins: review-tools` or `workspace drafts: side-by-side`.
    pub selection_rule: Option<String>,
}

/// What a unit brings to every one of its items.
#[derive(Debug, Clone)]
pub struct Provenance {
    /// `SKILL.md` or the plugin's `skillset.yaml`.
    pub source: RelPath,
    /// Over selector, unit-relative paths, modes and file hashes (`spec/06`).
    pub source_hash: Sha256,
    /// SemVer.
    pub version: String,
    /// `release-state`, `skill`, `plugin`, `workspace` or `default`.
    pub version_authority: &'static str,
    /// An SPDX id, or the path of a licence file.
    pub licence: Option<String>,
    /// Source paths of copied shared files.
    pub resources: Vec<RelPath>,
    /// Files and `tree:<dir>:<depth>` that preprocessing read, with the hash of what it read.
    pub dependencies: Vec<(String, Sha256)>,
    /// `compile.skillset.metadata`
    pub metadata: bool,
    /// What the unit is for each target.
    pub target_states: Vec<TargetState>,
    /// For drafts.
    pub draft_origin: Option<DraftOrigin>,
    /// For drafts.
    pub shipped_sibling: Option<Selector>,
}

/// What lies at an output path now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Existing {
    /// A regular file.
    File {
        /// Of its bytes.
        hash: Sha256,
        /// The permission bits.
        mode: u32,
    },
    /// A directory, a link or a device.
    Other(&'static str),
}

/// What lies in the way of a build: only the asked paths, never the repository.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// Asked paths that exist.
    pub files: std::collections::BTreeMap<RelPath, Existing>,
    /// Files in managed directories that nobody asked about.
    pub unmanaged: Vec<RelPath>,
}
