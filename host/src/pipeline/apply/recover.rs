//! Rolls an interrupted write back to the state before it.

use std::io;

use cap_std::fs::Dir;

use super::journal::{self, Move, Unfinished};
use super::{ApplyError, guard, publish, stage};

/// A write that was interrupted, if there is one. Changes nothing.
///
/// # Errors
/// When the journal cannot be read.
pub fn pending(root: &Dir) -> Result<Option<Unfinished>, ApplyError> {
    journal::read(root)
}

/// Undoes an interrupted write, and says what it was.
///
/// # Errors
/// When a file cannot be moved back.
pub fn recover(root: &Dir) -> Result<String, ApplyError> {
    let _guard = guard::lock(root)?;
    let Some(unfinished) = journal::read(root)? else {
        return Ok("there was nothing to undo".to_owned());
    };
    roll_back(root, &unfinished.moves)?;
    journal::end(root)?;
    stage::clear(root);
    Ok(unfinished.to_string())
}

/// Moves every file back. May itself be interrupted and run again.
pub(super) fn roll_back(root: &Dir, moves: &[Move]) -> Result<(), ApplyError> {
    let mut removed = Vec::new();
    for it in moves.iter().rev() {
        let failed = |error: io::Error| ApplyError::write(&it.path, error);
        let published = it
            .new
            .as_ref()
            .is_some_and(|new| root.symlink_metadata(new).is_err());
        let kept = it
            .old
            .as_ref()
            .filter(|old| root.symlink_metadata(old.as_str()).is_ok());
        match (published, kept) {
            (_, Some(old)) => root.rename(old, root, it.path.as_str()).map_err(failed)?,
            (true, None) if it.old.is_none() => {
                match root.remove_file(it.path.as_str()) {
                    Ok(()) => {}
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(failed(error)),
                }
                removed.push(it.path.clone());
            }
            _ => {}
        }
    }
    publish::remove_empty(root, &removed);
    Ok(())
}
