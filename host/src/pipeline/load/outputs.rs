//! What lies where a build would write. Links are never followed.
#![expect(clippy::disallowed_types, reason = "this door reads output roots")]

use std::collections::BTreeSet;
use std::io;

use cap_std::fs::Dir;
use rayon::prelude::*;

use super::LoadError;
use super::tree::{digest, executable_mode};
use crate::model::item::{Existing, Listing};
use crate::model::path::RelPath;

/// Looks at the asked paths and for other files in the managed directories.
///
/// # Errors
/// When a file is there but cannot be read.
pub fn list(
    root: &Dir,
    asked: &BTreeSet<RelPath>,
    managed_dirs: &BTreeSet<RelPath>,
) -> Result<Listing, LoadError> {
    let found: Vec<Option<(RelPath, Existing)>> = asked
        .par_iter()
        .map(|path| Ok(look(root, path)?.map(|existing| (path.clone(), existing))))
        .collect::<Result<_, LoadError>>()?;
    let mut unmanaged = BTreeSet::new();
    for directory in managed_dirs {
        if is_real_directory(root, directory)? {
            strangers(root, directory, asked, &mut unmanaged)?;
        }
    }
    Ok(Listing {
        files: found.into_iter().flatten().collect(),
        unmanaged: unmanaged.into_iter().collect(),
    })
}

/// The bytes of a file; `None` when there is none.
///
/// # Errors
/// When it is there but cannot be read, or is no regular file.
pub fn read_optional(root: &Dir, path: &RelPath) -> Result<Option<Vec<u8>>, LoadError> {
    match root.read(path.as_str()) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(LoadError::read(path, error)),
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Whether no component on the way to `path`, nor `path`, is a link or a file.
fn is_real_directory(root: &Dir, path: &RelPath) -> Result<bool, LoadError> {
    let mut step = String::new();
    for part in path.components() {
        if !step.is_empty() {
            step.push('/');
        }
        step.push_str(part);
        match root.symlink_metadata(&step) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => return Ok(false),
            Err(error) if is_absent(&error) => return Ok(false),
            Err(error) => return Err(LoadError::read(path, error)),
        }
    }
    Ok(true)
}

fn look(root: &Dir, path: &RelPath) -> Result<Option<Existing>, LoadError> {
    if let Some(parent) = path.parent()
        && !is_real_directory(root, &parent)?
    {
        return Ok(None);
    }
    let metadata = match root.symlink_metadata(path.as_str()) {
        Ok(metadata) => metadata,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(LoadError::read(path, error)),
    };
    Ok(Some(if metadata.is_symlink() {
        Existing::Other("a link")
    } else if metadata.is_dir() {
        Existing::Other("a directory")
    } else if metadata.is_file() {
        let file = root
            .open(path.as_str())
            .map_err(|error| LoadError::read(path, error))?;
        let (hash, _) = digest(file).map_err(|error| LoadError::read(path, error))?;
        Existing::File {
            hash,
            mode: executable_mode(&metadata),
        }
    } else {
        Existing::Other("a device")
    }))
}

fn strangers(
    root: &Dir,
    directory: &RelPath,
    asked: &BTreeSet<RelPath>,
    found: &mut BTreeSet<RelPath>,
) -> Result<(), LoadError> {
    let fault = |error| LoadError::read(directory, error);
    for entry in root.read_dir(directory.as_str()).map_err(fault)? {
        let entry = entry.map_err(fault)?;
        let name = entry.file_name();
        let Some(path) = name.to_str().and_then(|name| directory.join(name).ok()) else {
            continue;
        };
        if entry.file_type().map_err(fault)?.is_dir() {
            strangers(root, &path, asked, found)?;
        } else if !asked.contains(&path) {
            found.insert(path);
        }
    }
    Ok(())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare trees on disk")]
mod tests {
    use super::*;
    use crate::model::id::Sha256;

    #[test]
    fn asked_files_are_hashed_and_strangers_named() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(temp.path().join("out/a")).unwrap();
        std::fs::write(temp.path().join("out/a/x"), "abc").unwrap();
        std::fs::write(temp.path().join("out/a/y"), "").unwrap();
        std::os::unix::fs::symlink("x", temp.path().join("out/a/l")).unwrap();
        let root = super::super::open_root(temp.path()).unwrap();
        let path = |text| RelPath::new(text).unwrap();
        let asked = ["out/a/x", "out/a/l", "out/a/none"].map(path).into();
        let listing = list(&root, &asked, &[path("out")].into()).unwrap();
        assert_eq!(listing.unmanaged, [path("out/a/y")]);
        assert_eq!(listing.files[&path("out/a/l")], Existing::Other("a link"));
        assert!(!listing.files.contains_key(&path("out/a/none")));
        let Existing::File { hash, .. } = listing.files[&path("out/a/x")] else {
            panic!("a file");
        };
        assert_eq!(hash, Sha256::of(b"abc"));
        assert_eq!(read_optional(&root, &path("out/none")).unwrap(), None);
    }
}
