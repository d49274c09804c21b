//! One change to one file.

use crate::model::id::Sha256;
use crate::model::item::Bytes;
use crate::model::path::RelPath;

/// What kind of file changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EffectKind {
    /// Authored.
    Source,
    /// An output.
    Generated,
    /// A `skillset.lock`.
    Lock,
    /// A change stream.
    Ledger,
}

/// How it changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// Nothing is there yet.
    Create,
    /// Other bytes.
    Replace,
    /// Gone, and directories that it leaves empty.
    Delete,
    /// Same bytes, other mode.
    Mode,
    /// More bytes at the end, whatever the file holds by then.
    Append,
}

/// One change to one file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Effect {
    /// What kind of file.
    pub kind: EffectKind,
    /// How.
    pub op: Op,
    /// Relative to the workspace.
    pub path: RelPath,
    /// Why, in a few words.
    pub reason: String,
    /// The target that owns it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Hash and mode of what must lie there; `None` when nothing may.
    #[serde(skip)]
    pub before: Option<(Sha256, u32)>,
    /// Hash of what will lie there; not known for `Append`.
    #[serde(skip)]
    pub after: Option<Sha256>,
    /// What to write; `None` for `Delete` and `Mode`.
    #[serde(skip)]
    pub bytes: Option<Bytes>,
    /// Mode 0755, else 0644.
    #[serde(skip)]
    pub executable: bool,
    /// Keep what lies there under `.skillset/snapshots/`.
    #[serde(skip)]
    pub snapshot: bool,
}

impl Effect {
    /// Writes bytes held in memory: `Create` when nothing lies there, else `Replace`.
    #[must_use]
    pub fn write(
        kind: EffectKind,
        path: RelPath,
        reason: impl Into<String>,
        before: Option<(Sha256, u32)>,
        bytes: impl Into<std::sync::Arc<[u8]>>,
    ) -> Self {
        let bytes = bytes.into();
        Self {
            kind,
            op: if before.is_some() {
                Op::Replace
            } else {
                Op::Create
            },
            path,
            reason: reason.into(),
            target: None,
            before,
            after: Some(Sha256::of(&bytes)),
            bytes: Some(Bytes::Owned(bytes)),
            executable: before.is_some_and(|(_, mode)| is_executable(mode)),
            snapshot: false,
        }
    }

    /// Adds bytes to the end of a file, which need not exist.
    #[must_use]
    pub fn append(
        path: RelPath,
        reason: impl Into<String>,
        bytes: impl Into<std::sync::Arc<[u8]>>,
    ) -> Self {
        Self {
            op: Op::Append,
            after: None,
            ..Self::write(EffectKind::Ledger, path, reason, None, bytes)
        }
    }

    /// Deletes a file.
    #[must_use]
    pub fn delete(
        kind: EffectKind,
        path: RelPath,
        reason: impl Into<String>,
        before: (Sha256, u32),
    ) -> Self {
        Self {
            kind,
            op: Op::Delete,
            path,
            reason: reason.into(),
            target: None,
            before: Some(before),
            after: None,
            bytes: None,
            executable: false,
            snapshot: false,
        }
    }
}

/// Whether the owner may run a file; other bits depend on the umask and do not count.
#[must_use]
pub(super) fn is_executable(mode: u32) -> bool {
    mode & 0o100 != 0
}

/// Counts of a plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Summary {
    /// New files.
    pub create: usize,
    /// Changed files, by bytes or mode.
    pub replace: usize,
    /// Deleted files.
    pub delete: usize,
    /// Outputs that are as they should be.
    pub unchanged: usize,
}

impl Summary {
    pub(super) fn of(effects: &[Effect], unchanged: usize) -> Self {
        let count = |ops: &[Op]| effects.iter().filter(|e| ops.contains(&e.op)).count();
        Self {
            create: count(&[Op::Create]),
            replace: count(&[Op::Replace, Op::Mode, Op::Append]),
            delete: count(&[Op::Delete]),
            unchanged,
        }
    }
}
