//! The authored files, as the disk has them: sorted, with size, mode and hash, without bytes.

use std::collections::{BTreeMap, BTreeSet};

use super::id::Sha256;
use super::path::RelPath;

/// One authored file. A link inside the workspace is the file that it leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// In bytes.
    pub size: u64,
    /// Whether any execute bit is set.
    pub executable: bool,
    /// Of the raw bytes.
    pub hash: Sha256,
}

/// Everything below `.skillset/` that can be source, and `skillset.yaml`. Junk and hidden entries are not in it
/// (`.mcp.json` and the like at a plugin's root are).
#[derive(Debug, Clone, Default)]
pub struct SourceTree {
    files: BTreeMap<RelPath, SourceFile>,
    directories: BTreeSet<RelPath>,
}

impl SourceTree {
    /// Adds a file.
    pub fn insert_file(&mut self, path: RelPath, file: SourceFile) {
        self.files.insert(path, file);
    }

    /// Adds a directory.
    pub fn insert_directory(&mut self, path: RelPath) {
        self.directories.insert(path);
    }

    /// Removes a file.
    pub fn remove_file(&mut self, path: &RelPath) {
        self.files.remove(path);
    }

    /// The file at a path.
    #[must_use]
    pub fn file(&self, path: &RelPath) -> Option<&SourceFile> {
        self.files.get(path)
    }

    /// Whether a directory is there.
    #[must_use]
    pub fn is_directory(&self, path: &RelPath) -> bool {
        self.directories.contains(path)
    }

    /// Every file below a directory, in path order.
    pub fn files_below<'a>(
        &'a self,
        directory: &'a RelPath,
    ) -> impl Iterator<Item = (&'a RelPath, &'a SourceFile)> {
        self.files
            .range(directory.clone()..)
            .take_while(|(path, _)| path.as_str().starts_with(directory.as_str()))
            .filter(|(path, _)| path.strip_prefix(directory).is_some())
    }

    /// Every directory below a directory, in path order.
    pub fn directories_below<'a>(
        &'a self,
        directory: &'a RelPath,
    ) -> impl Iterator<Item = &'a RelPath> {
        self.directories
            .range(directory.clone()..)
            .take_while(|path| path.as_str().starts_with(directory.as_str()))
            .filter(|path| path.strip_prefix(directory).is_some())
    }

    /// Every file in path order.
    pub fn files(&self) -> impl Iterator<Item = (&RelPath, &SourceFile)> {
        self.files.iter()
    }
}
