//! What was begun: the moves of one write, committed before the first of them happens.

use cap_std::fs::Dir;

use super::stage::Staged;
use super::{ApplyError, STATE};
use crate::model::path::RelPath;

/// One file's way from the staging folder into place, and of what lay there out of the way.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Move {
    /// Where the file goes, or lay.
    pub(super) path: RelPath,
    /// The staged new file.
    pub(super) new: Option<String>,
    /// Where the old one is kept until the write is done.
    pub(super) old: Option<String>,
    /// Where the old one stays as a snapshot.
    pub(super) snapshot: Option<String>,
}

/// A write that was interrupted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    pub(super) moves: Vec<Move>,
}

impl std::fmt::Display for Unfinished {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} files were being written", self.moves.len())
    }
}

fn path() -> String {
    format!("{STATE}/journal.json")
}

/// Commits the journal: from here on an interruption is rolled back.
pub(super) fn begin(root: &Dir, staged: &Staged) -> Result<(), ApplyError> {
    let failed = |error| ApplyError::write(path(), error);
    let text = serde_json::to_vec(&staged.moves).map_err(|error| failed(error.into()))?;
    let fresh = format!("{STATE}/journal.new");
    root.write(&fresh, text).map_err(failed)?;
    super::stage::sync(root)?;
    root.rename(&fresh, root, path()).map_err(failed)
}

/// The write is done, or undone.
pub(super) fn end(root: &Dir) -> Result<(), ApplyError> {
    super::stage::sync(root)?;
    root.remove_file(path())
        .map_err(|error| ApplyError::write(path(), error))
}

/// What an earlier write left behind.
pub(super) fn read(root: &Dir) -> Result<Option<Unfinished>, ApplyError> {
    match root.read(path()) {
        Ok(bytes) => {
            let moves = serde_json::from_slice(&bytes)
                .map_err(|error| ApplyError::Journal(error.to_string()))?;
            Ok(Some(Unfinished { moves }))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ApplyError::write(path(), error)),
    }
}
