//! Writes a confirmed plan: all of it or nothing.
//! In: a confirmed plan. Out: what was done, with the snapshots that were kept. Depends on: plan's types, model.
//! Never: decides what to write.
//!
//! Everything new is staged in `.skillset/.write/`, made durable by one sync, and named in a journal; then files are
//! renamed into place; then one last sync, and the journal goes. What an effect replaces or deletes is moved into the
//! same folder first, so that an interrupted write is rolled back by renames alone.
#![expect(
    clippy::disallowed_types,
    reason = "this is the door through which everything is written"
)]

// reading order
mod guard;
mod journal;
mod stage;
mod publish;
mod recover;

use std::io;

use cap_std::fs::Dir;

use super::plan::Confirmed;
use crate::model::path::RelPath;

pub use journal::Unfinished;
pub use recover::{pending, recover};

/// Where a write keeps its state, below the workspace.
const STATE: &str = ".skillset/.write";

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// A file system call failed; what had been done is undone.
    #[error("`{path}` cannot be written: {source}")]
    Write {
        /// Which file.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// The tree changed since the plan was made; what had been done is undone.
    #[error("`{path}` changed while the plan was being applied")]
    Stale {
        /// Which file.
        path: RelPath,
    },
    /// Another command writes to this workspace.
    #[error("another command is writing to this workspace")]
    Busy,
    /// An earlier write was interrupted and must be rolled back first.
    #[error("an earlier write was interrupted")]
    Unfinished,
    /// The journal of an interrupted write cannot be read.
    #[error("the journal of an interrupted write cannot be read: {0}")]
    Journal(String),
}

impl ApplyError {
    /// Whether the plan is refused, rather than the machine at fault.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Stale { .. } | Self::Busy | Self::Unfinished)
    }

    fn write(path: impl ToString, source: io::Error) -> Self {
        Self::Write {
            path: path.to_string(),
            source,
        }
    }
}

/// What a write did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Applied {
    /// Files written or deleted.
    pub changed: usize,
    /// The folder of snapshots below `.skillset/snapshots/`, when some were kept.
    pub snapshot: Option<String>,
}

/// Applies a plan. When anything fails, everything that was done is undone before the error is returned.
///
/// # Errors
/// When a file cannot be written, or the tree is not what the plan saw.
pub fn apply(root: &Dir, confirmed: Confirmed) -> Result<Applied, ApplyError> {
    let plan = confirmed.plan();
    if plan.effects.is_empty() {
        return Ok(Applied::default());
    }
    let _guard = guard::lock(root)?;
    if pending(root)?.is_some() {
        return Err(ApplyError::Unfinished);
    }
    // A write that was killed while it staged has left files and no journal.
    stage::clear(root);
    let staged = stage::stage(root, plan).inspect_err(|_| stage::clear(root))?;
    journal::begin(root, &staged).inspect_err(|_| stage::clear(root))?;
    match publish::publish(root, &staged) {
        Ok(applied) => {
            journal::end(root)?;
            stage::clear(root);
            Ok(applied)
        }
        Err(error) => {
            recover::roll_back(root, &staged.moves)?;
            journal::end(root)?;
            stage::clear(root);
            Err(error)
        }
    }
}

#[cfg(test)]
mod tests;
