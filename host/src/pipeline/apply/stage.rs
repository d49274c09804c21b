//! Writes every new file beside its destination's file system, before anything is touched.

use std::io::{self, Read as _, Write as _};

use cap_std::fs::{Dir, File, OpenOptions, PermissionsExt as _};
use rayon::prelude::*;
use rustix::fs::{Mode, OFlags};
use sha2::Digest as _;

use super::journal::Move;
use super::{ApplyError, STATE};
use crate::model::id::Sha256;
use crate::model::item::Bytes;
use crate::model::path::RelPath;
use crate::pipeline::plan::{Effect, Op, Plan};

/// Files in one folder of the staging area: large folders are slow on some file systems.
const FILES_PER_FOLDER: usize = 1000;

/// A plan whose new files are all on disk.
pub(super) struct Staged {
    pub(super) moves: Vec<Move>,
    /// Hash and mode that each path must still have, in the order of `moves`.
    pub(super) before: Vec<Option<Sha256>>,
    /// The folder of snapshots, when some are kept.
    pub(super) snapshot: Option<String>,
    /// Paths that are only deleted, whose folders may become empty.
    pub(super) deleted: Vec<RelPath>,
}

/// Stages every effect.
pub(super) fn stage(root: &Dir, plan: &Plan) -> Result<Staged, ApplyError> {
    let folders = plan.effects.len().div_ceil(FILES_PER_FOLDER);
    for folder in 0..folders {
        for kind in ["new", "old"] {
            let path = format!("{STATE}/{kind}/{folder}");
            root.create_dir_all(&path)
                .map_err(|error| ApplyError::write(&path, error))?;
        }
    }
    let snapshot = plan
        .effects
        .iter()
        .any(|effect| effect.snapshot)
        .then(|| plan.hash.hex()[..16].to_owned());
    let moves: Result<Vec<Move>, ApplyError> = plan
        .effects
        .par_iter()
        .enumerate()
        .map(|(index, effect)| one(root, index, effect, snapshot.as_deref()))
        .collect();
    let staged = Staged {
        moves: moves?,
        before: plan
            .effects
            .iter()
            .map(|effect| effect.before.map(|(hash, _)| hash))
            .collect(),
        snapshot,
        deleted: plan
            .effects
            .iter()
            .filter(|effect| effect.op == Op::Delete)
            .map(|effect| effect.path.clone())
            .collect(),
    };
    sync(root)?;
    Ok(staged)
}

fn one(
    root: &Dir,
    index: usize,
    effect: &Effect,
    snapshot: Option<&str>,
) -> Result<Move, ApplyError> {
    let slot = |kind: &str| format!("{STATE}/{kind}/{}/{index}", index / FILES_PER_FOLDER);
    let new = match effect.op {
        Op::Delete => None,
        Op::Create | Op::Replace | Op::Mode | Op::Append => {
            let path = slot("new");
            write(root, &path, effect)?;
            Some(path)
        }
    };
    let appends_to_nothing =
        effect.op == Op::Append && root.symlink_metadata(effect.path.as_str()).is_err();
    let replaces = effect.before.is_some() || (effect.op == Op::Append && !appends_to_nothing);
    Ok(Move {
        path: effect.path.clone(),
        new,
        old: replaces.then(|| slot("old")),
        snapshot: snapshot
            .filter(|_| effect.snapshot)
            .map(|id| format!(".skillset/snapshots/{id}/{}", effect.path)),
    })
}

fn write(root: &Dir, at: &str, effect: &Effect) -> Result<(), ApplyError> {
    let failed = |error: io::Error| ApplyError::write(&effect.path, error);
    let mut file = root
        .open_with(at, OpenOptions::new().write(true).create_new(true))
        .map_err(failed)?;
    match (&effect.op, &effect.bytes) {
        (Op::Append, bytes) => {
            match root.read(effect.path.as_str()) {
                Ok(old) => file.write_all(&old).map_err(failed)?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(failed(error)),
            }
            if let Some(Bytes::Owned(bytes)) = bytes {
                file.write_all(bytes).map_err(failed)?;
            }
        }
        (_, Some(Bytes::Owned(bytes))) => file.write_all(bytes).map_err(failed)?,
        (_, Some(Bytes::CopyOf(source))) => copy(root, source, &mut file, effect)?,
        // Only the mode changes.
        (_, None) => copy(root, &effect.path, &mut file, effect)?,
    }
    let mode = if effect.executable { 0o755 } else { 0o644 };
    file.set_permissions(cap_std::fs::Permissions::from_mode(mode))
        .map_err(failed)
}

/// Copies bytes and proves that they are the planned ones.
fn copy(root: &Dir, source: &RelPath, file: &mut File, effect: &Effect) -> Result<(), ApplyError> {
    let failed = |error: io::Error| ApplyError::write(source, error);
    let mut from = root.open(source.as_str()).map_err(failed)?;
    let mut hasher = sha2::Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = from.read(&mut buffer).map_err(failed)?;
        if read == 0 {
            break;
        }
        hasher.update(&buffer[..read]);
        file.write_all(&buffer[..read]).map_err(failed)?;
    }
    match effect.after {
        Some(expected) if Sha256(hasher.finalize().into()) != expected => Err(ApplyError::Stale {
            path: source.clone(),
        }),
        _ => Ok(()),
    }
}

/// One sync of the whole file system: durable in a fraction of the time that a sync of each file takes.
pub(super) fn sync(root: &Dir) -> Result<(), ApplyError> {
    let failed = |error: rustix::io::Errno| ApplyError::write(STATE, error.into());
    // The handle of a directory may be a mere path, which cannot be synced.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = rustix::fs::openat(root, STATE, flags, Mode::empty()).map_err(failed)?;
    rustix::fs::syncfs(&folder).map_err(failed)
}

/// Removes the staging folders. What is left when that fails is removed by the next write.
pub(super) fn clear(root: &Dir) {
    for kind in ["new", "old"] {
        let _ = root.remove_dir_all(format!("{STATE}/{kind}"));
    }
}
