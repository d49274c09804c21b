//! Moves staged files into place.

use std::collections::BTreeSet;
use std::io;

use cap_std::fs::Dir;
use rustix::fs::{RenameFlags, renameat_with};

use super::journal::Move;
use super::stage::Staged;
use super::{Applied, ApplyError};
use crate::model::id::Sha256;
use crate::model::path::RelPath;

/// Publishes every move. The caller rolls back when this fails.
pub(super) fn publish(root: &Dir, staged: &Staged) -> Result<Applied, ApplyError> {
    let mut made = BTreeSet::new();
    for (it, before) in staged.moves.iter().zip(&staged.before) {
        one(root, it, *before, &mut made)?;
    }
    remove_empty(root, &staged.deleted);
    Ok(Applied {
        changed: staged.moves.len(),
        snapshot: staged.snapshot.clone(),
    })
}

fn one(
    root: &Dir,
    it: &Move,
    before: Option<Sha256>,
    made: &mut BTreeSet<RelPath>,
) -> Result<(), ApplyError> {
    let failed = |error: io::Error| ApplyError::write(&it.path, error);
    if let Some(old) = &it.old {
        let bytes = root.read(it.path.as_str()).map_err(failed)?;
        if before.is_some_and(|hash| Sha256::of(&bytes) != hash) {
            return Err(ApplyError::Stale {
                path: it.path.clone(),
            });
        }
        if let Some(snapshot) = &it.snapshot {
            if let Some((folder, _)) = snapshot.rsplit_once('/') {
                root.create_dir_all(folder).map_err(failed)?;
            }
            // Snapshots are this checkout's own.
            root.write(".skillset/snapshots/.gitignore", "*\n")
                .map_err(failed)?;
            root.write(snapshot, &bytes).map_err(failed)?;
        }
        root.rename(it.path.as_str(), root, old).map_err(failed)?;
    }
    let Some(new) = &it.new else { return Ok(()) };
    if let Some(parent) = it.path.parent()
        && made.insert(parent.clone())
    {
        root.create_dir_all(parent.as_str()).map_err(failed)?;
    }
    // A file that appeared since the plan was made is never overwritten.
    match renameat_with(
        root,
        new.as_str(),
        root,
        it.path.as_str(),
        RenameFlags::NOREPLACE,
    ) {
        Ok(()) => Ok(()),
        Err(rustix::io::Errno::EXIST) => Err(ApplyError::Stale {
            path: it.path.clone(),
        }),
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => exclusive(root, new, &it.path),
        Err(error) => Err(failed(error.into())),
    }
}

/// For file systems that cannot rename without replacing: a link fails where something is.
fn exclusive(root: &Dir, new: &str, path: &RelPath) -> Result<(), ApplyError> {
    match root.hard_link(new, root, path.as_str()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(ApplyError::Stale { path: path.clone() })
        }
        Err(error) => Err(ApplyError::write(path, error)),
    }
}

/// Removes folders that a deletion left empty, and nothing else.
pub(super) fn remove_empty(root: &Dir, deleted: &[RelPath]) {
    for path in deleted {
        let mut folder = path.parent();
        while let Some(it) = folder {
            if it.components().count() < 2 || root.remove_dir(it.as_str()).is_err() {
                break;
            }
            folder = it.parent();
        }
    }
}
