//! The advisory lock of a workspace: two writing commands take turns.

use cap_std::fs::{Dir, File, OpenOptions};
use rustix::fs::{FlockOperation, flock};

use super::{ApplyError, STATE};

/// Held while a command writes. Dropping it lets the next one in.
#[must_use = "the workspace is only locked while this lives"]
pub(super) struct Guard(#[expect(dead_code, reason = "closing the file releases the lock")] File);

/// Takes the lock, or says that another command has it.
pub(super) fn lock(root: &Dir) -> Result<Guard, ApplyError> {
    root.create_dir_all(STATE)
        .map_err(|error| ApplyError::write(STATE, error))?;
    // The state is never committed.
    let ignore = format!("{STATE}/.gitignore");
    root.write(&ignore, "*\n")
        .map_err(|error| ApplyError::write(&ignore, error))?;
    let path = format!("{STATE}/lock");
    let file = root
        .open_with(
            &path,
            OpenOptions::new().create(true).truncate(false).write(true),
        )
        .map_err(|error| ApplyError::write(&path, error))?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Guard(file)),
        Err(rustix::io::Errno::WOULDBLOCK) => wait(file, &path),
        Err(error) => Err(ApplyError::write(path, error.into())),
    }
}

/// Builds serialize: the second waits for the first.
fn wait(file: File, path: &str) -> Result<Guard, ApplyError> {
    flock(&file, FlockOperation::LockExclusive)
        .map_err(|error| ApplyError::write(path, error.into()))?;
    Ok(Guard(file))
}
