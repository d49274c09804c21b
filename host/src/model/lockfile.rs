//! `skillset.lock`: what the last build wrote, why, and who owns it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::id::Sha256;
use super::item::{Item, Party, Role, TargetState};
use super::path::RelPath;
use super::renderer::TargetKind;
use super::selector::Selector;

/// The name of a lock in its generated root, and of the one at the workspace root.
pub const LOCK_NAME: &str = "skillset.lock";
/// The schema that this version writes.
pub const LOCK_SCHEMA: u64 = 1;

/// One lock.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LockFile {
    /// Always [`LOCK_SCHEMA`] after reading.
    pub schema: u64,
    /// In the order of directory, owner and selector.
    pub items: Vec<LockItem>,
    /// Root lock only: generated roots that no default names, so that one dropped from the configuration is still found.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub generated_roots: Vec<RelPath>,
    /// Root lock only: pins of third-party renderers, by id.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub renderers: BTreeMap<String, RendererPin>,
    /// Over the text without this field.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    provenance_hash: Option<Sha256>,
}

/// A third-party renderer, exactly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RendererPin {
    /// Where it was asked for.
    pub source: String,
    /// `SemVer`.
    pub version: String,
    /// Of the component.
    pub digest: Sha256,
}

/// The files of one owner in one placement of one unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LockItem {
    /// The unit.
    #[serde(deserialize_with = "read_selector")]
    pub selector: Selector,
    /// The generated root.
    pub root: RelPath,
    /// The placement.
    pub directory: RelPath,
    /// The name there.
    pub effective_name: String,
    /// Why it exists.
    pub role: Role,
    /// Who owns the files.
    pub owner: LockOwner,
    /// At most one baseline, then deltas.
    pub consumers: Vec<LockConsumer>,
    /// `id@version`, with a digest for third parties.
    pub renderer: String,
    /// The document of the unit.
    pub source: RelPath,
    /// Of the unit's files.
    pub source_hash: Sha256,
    /// In path order.
    pub outputs: Vec<LockOutput>,
    /// `SemVer`.
    pub version: String,
    /// Which setting decided the version.
    pub version_authority: String,
    /// SPDX id or file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub licence: Option<String>,
    /// Copied shared files.
    pub resources: Vec<RelPath>,
    /// What preprocessing read.
    pub dependencies: BTreeMap<String, Sha256>,
    /// Whether metadata is generated.
    pub metadata: bool,
    /// How features reached the owner.
    pub realizations: Vec<Json>,
    /// The unit's state for each target.
    pub targets: Vec<TargetState>,
    /// For drafts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub draft_origin: Option<String>,
    /// For drafts.
    #[serde(
        skip_serializing_if = "Option::is_none",
        default,
        deserialize_with = "read_optional_selector"
    )]
    pub shipped_sibling: Option<Selector>,
    /// For drafts and project use.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub selection_rule: Option<String>,
}

/// `{"standardProfile": id}` or `{"target": id}`
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LockOwner {
    /// A standard.
    StandardProfile(String),
    /// A provider.
    Target(String),
}

/// Reads as `{"phase": "baseline", "standardProfile": id}` or `{"phase": "delta", "target": id}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "phase", rename_all = "lowercase", deny_unknown_fields)]
pub enum LockConsumer {
    /// The standard that everybody builds on.
    #[serde(rename_all = "camelCase")]
    Baseline {
        /// Its id.
        standard_profile: String,
    },
    /// A provider.
    Delta {
        /// Its id.
        target: String,
    },
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockOutput {
    /// Relative to the workspace.
    pub path: RelPath,
    /// Of the bytes.
    pub hash: Sha256,
    /// `0644` or `0755`.
    pub mode: String,
}

impl LockOutput {
    /// Whether it may be run.
    #[must_use]
    pub fn executable(&self) -> bool {
        self.mode == EXECUTABLE
    }
}

const EXECUTABLE: &str = "0755";
const PLAIN: &str = "0644";

/// Why a text is not a lock.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LockFault {
    /// Git could not merge it.
    #[error("the lock holds merge conflict markers")]
    Conflict,
    /// Written by a later version.
    #[error("the lock has schema {0}, and this version knows schema {LOCK_SCHEMA}")]
    TooNew(u64),
    /// Not the text that a build wrote.
    #[error("the lock cannot be trusted: {0}")]
    Damaged(String),
}

impl LockFile {
    /// Reads a lock and verifies its provenance hash.
    ///
    /// # Errors
    /// See [`LockFault`].
    pub fn parse(bytes: &[u8]) -> Result<Self, LockFault> {
        let damaged = |reason: &dyn std::fmt::Display| LockFault::Damaged(reason.to_string());
        let text = std::str::from_utf8(bytes).map_err(|e| damaged(&e))?;
        if has_conflict_markers(text) {
            return Err(LockFault::Conflict);
        }
        let json: Json = serde_json::from_str(text).map_err(|e| damaged(&e))?;
        match json.get("schema").and_then(Json::as_u64) {
            Some(LOCK_SCHEMA) => {}
            Some(newer) if newer > LOCK_SCHEMA => return Err(LockFault::TooNew(newer)),
            _ => return Err(damaged(&"it has no known schema")),
        }
        let mut lock: Self = serde_json::from_value(json).map_err(|e| damaged(&e))?;
        let claimed = lock.provenance_hash.take();
        let actual = Sha256::of(canonical(&lock).as_bytes());
        if claimed != Some(actual) {
            return Err(damaged(&"its provenance hash does not match its content"));
        }
        Ok(lock)
    }

    /// The text of the lock: sorted keys, two spaces, a final newline.
    #[must_use]
    pub fn print(&self) -> String {
        let mut lock = self.clone();
        lock.schema = LOCK_SCHEMA;
        lock.provenance_hash = None;
        lock.items.sort_by(|a, b| a.order().cmp(&b.order()));
        lock.provenance_hash = Some(Sha256::of(canonical(&lock).as_bytes()));
        canonical(&lock)
    }

    /// Whether it has nothing to say, and so is not written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty() && self.generated_roots.is_empty() && self.renderers.is_empty()
    }
}

impl LockItem {
    /// What a build writes for an item.
    #[must_use]
    pub fn of(item: &Item) -> Self {
        let from = &item.provenance;
        Self {
            selector: item.selector.clone(),
            root: item.root.clone(),
            directory: item.directory.clone(),
            effective_name: item.effective_name.clone(),
            role: item.role,
            owner: LockOwner::of(&item.owner),
            consumers: item.consumers.iter().map(LockConsumer::of).collect(),
            renderer: item.renderer.clone(),
            source: from.source.clone(),
            source_hash: from.source_hash,
            outputs: item
                .files
                .iter()
                .map(|file| LockOutput {
                    path: file.path.clone(),
                    hash: file.hash,
                    mode: if file.executable { EXECUTABLE } else { PLAIN }.into(),
                })
                .collect(),
            version: from.version.clone(),
            version_authority: from.version_authority.into(),
            licence: from.licence.clone(),
            resources: from.resources.clone(),
            dependencies: from.dependencies.iter().cloned().collect(),
            metadata: from.metadata,
            realizations: item.realizations.iter().map(to_json).collect(),
            targets: from.target_states.clone(),
            draft_origin: from
                .draft_origin
                .and_then(|origin| to_json(&origin).as_str().map(Into::into)),
            shipped_sibling: from.shipped_sibling.clone(),
            selection_rule: item.selection_rule.clone(),
        }
    }

    /// Locks list items in this order.
    #[must_use]
    pub fn order(&self) -> (&RelPath, &LockOwner, &Selector, Role) {
        (&self.directory, &self.owner, &self.selector, self.role)
    }

    /// The lock that holds it: the one of its root, or the workspace's when a file lies elsewhere.
    #[must_use]
    pub fn lock_path(&self) -> Option<RelPath> {
        let nearby = self.outputs.iter().all(|o| o.path.starts_with(&self.root));
        if nearby {
            self.root.join(LOCK_NAME).ok()
        } else {
            RelPath::new(LOCK_NAME).ok()
        }
    }
}

impl LockOwner {
    fn of(party: &Party) -> Self {
        match party.kind {
            TargetKind::Standard => Self::StandardProfile(party.id.to_string()),
            TargetKind::Provider => Self::Target(party.id.to_string()),
        }
    }
}

impl LockConsumer {
    fn of(party: &Party) -> Self {
        match party.kind {
            TargetKind::Standard => Self::Baseline {
                standard_profile: party.id.to_string(),
            },
            TargetKind::Provider => Self::Delta {
                target: party.id.to_string(),
            },
        }
    }
}

/// Whether git left its marks in a text.
#[must_use]
pub fn has_conflict_markers(text: &str) -> bool {
    text.lines()
        .any(|line| line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> "))
}

fn to_json(value: &impl Serialize) -> Json {
    serde_json::to_value(value).unwrap_or(Json::Null)
}

fn canonical(lock: &LockFile) -> String {
    format!("{:#}\n", sorted(to_json(lock)))
}

fn sorted(value: Json) -> Json {
    match value {
        Json::Array(items) => items.into_iter().map(sorted).collect(),
        Json::Object(map) => {
            let ordered: BTreeMap<_, _> = map.into_iter().collect();
            Json::Object(ordered.into_iter().map(|(k, v)| (k, sorted(v))).collect())
        }
        plain => plain,
    }
}

fn read_selector<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Selector, D::Error> {
    let text = String::deserialize(from)?;
    Selector::parse(&text)
        .ok_or_else(|| serde::de::Error::custom(format!("`{text}` is not a selector")))
}

fn read_optional_selector<'de, D: serde::Deserializer<'de>>(
    from: D,
) -> Result<Option<Selector>, D::Error> {
    read_selector(from).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_back_what_it_prints_and_notices_any_edit() {
        let lock = LockFile {
            schema: LOCK_SCHEMA,
            generated_roots: vec![RelPath::new("out/skills").unwrap()],
            ..LockFile::default()
        };
        let text = lock.print();
        assert!(text.starts_with("{\n  \"generatedRoots\": [\n    \"out/skills\"\n  ],\n  \"items\": [],\n  \"provenanceHash\": \"sha256:"), "{text}");
        assert!(text.ends_with("\n  \"schema\": 1\n}\n"), "{text}");
        assert_eq!(LockFile::parse(text.as_bytes()), Ok(lock));
        let edited = text.replace("out/skills", "out/other");
        assert!(matches!(
            LockFile::parse(edited.as_bytes()),
            Err(LockFault::Damaged(_))
        ));
    }

    #[test]
    fn refuses_conflicts_newer_schemas_and_rubbish() {
        let conflict = b"{\n<<<<<<< HEAD\n}\n=======\n>>>>>>> b\n";
        assert_eq!(LockFile::parse(conflict), Err(LockFault::Conflict));
        assert_eq!(
            LockFile::parse(b"{\"schema\": 2, \"more\": 1}"),
            Err(LockFault::TooNew(2))
        );
        for rubbish in [&b"{"[..], b"{}", b"\xff", b"{\"schema\":0}"] {
            assert!(matches!(
                LockFile::parse(rubbish),
                Err(LockFault::Damaged(_))
            ));
        }
    }
}
