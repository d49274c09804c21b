//! Where the workspace is.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "this is the door that opens the workspace"
)]

use std::path::{Path, PathBuf};

use cap_std::fs::Dir;

use super::LoadError;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::model::path::RelPath;

/// The nearest directory at or above `start` that holds `skillset.yaml`.
///
/// # Errors
/// When `start` cannot be resolved.
pub fn find_root(start: &Path) -> Result<Option<PathBuf>, LoadError> {
    let start = start
        .canonicalize()
        .map_err(|source| LoadError::open(start, source))?;
    Ok(start
        .ancestors()
        .find(|dir| dir.join("skillset.yaml").is_file())
        .map(Path::to_path_buf))
}

/// The directory itself, when it holds `skillset.yaml`.
///
/// # Errors
/// When it cannot be resolved.
pub fn root_at(directory: &Path) -> Result<Option<PathBuf>, LoadError> {
    let directory = directory
        .canonicalize()
        .map_err(|source| LoadError::open(directory, source))?;
    Ok(directory
        .join("skillset.yaml")
        .is_file()
        .then_some(directory))
}

/// Opens the workspace's directory.
///
/// # Errors
/// When it is not a directory that can be opened.
pub fn open_root(path: &Path) -> Result<Dir, LoadError> {
    Dir::open_ambient_dir(path, cap_std::ambient_authority())
        .map_err(|source| LoadError::open(path, source))
}

/// Places of older layouts with the move that mends each.
const RETIRED: [(&str, &str); 4] = [
    (
        ".skillset/config.yaml",
        "git mv .skillset/config.yaml skillset.yaml",
    ),
    (
        ".skillset/skillset.yaml",
        "git mv .skillset/skillset.yaml skillset.yaml",
    ),
    (".skillset/src", "git mv .skillset/src/* .skillset/"),
    ("skillset", "git mv skillset .skillset"),
];

/// Findings about source that lies where an older layout had it.
#[must_use]
pub(super) fn retired(root: &Dir) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for (place, mend) in RETIRED {
        let Ok(metadata) = root.symlink_metadata(place) else {
            continue;
        };
        // A folder or program that is merely called `skillset` is no layout.
        let is_layout = match place {
            "skillset" => ["skills", "plugins", "skillset.yaml"]
                .iter()
                .any(|name| metadata.is_dir() && root.exists(format!("skillset/{name}"))),
            ".skillset/src" => metadata.is_dir(),
            _ => metadata.is_file(),
        };
        if let (true, Ok(path)) = (is_layout, RelPath::new(place)) {
            findings.push(
                Diagnostic::new(
                    Code::LAYOUT_RETIRED,
                    format!("`{place}` lies where an older layout had it"),
                )
                .at(Span::whole(&path))
                .help(format!("move it: `{mend}`")),
            );
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_found_from_below() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        assert_eq!(find_root(&root.join("a/b")).unwrap(), None);
        std::fs::write(root.join("skillset.yaml"), "").unwrap();
        assert_eq!(find_root(&root.join("a/b")).unwrap(), Some(root));
    }

    #[test]
    fn an_older_layout_is_named_with_its_move() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(temp.path().join(".skillset/src")).unwrap();
        std::fs::create_dir_all(temp.path().join("skillset")).unwrap();
        let findings = retired(&open_root(temp.path()).unwrap());
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].code, Code::LAYOUT_RETIRED);
    }
}
