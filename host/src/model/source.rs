//! The authored files that the host read, as text for parsing and for excerpts.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::path::RelPath;

/// Every text file of one run, by path. A byte order mark is dropped; line endings are as on disk.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    texts: BTreeMap<RelPath, Arc<str>>,
}

/// A place as people count it: from 1, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl Sources {
    /// Adds a file.
    pub fn insert(&mut self, path: RelPath, text: Arc<str>) {
        self.texts.insert(path, text);
    }

    /// The text of a file.
    #[must_use]
    pub fn get(&self, path: &RelPath) -> Option<&Arc<str>> {
        self.texts.get(path)
    }

    /// All files in path order.
    pub fn iter(&self) -> impl Iterator<Item = (&RelPath, &Arc<str>)> {
        self.texts.iter()
    }

    /// Adds all files of `other`.
    pub fn extend(&mut self, other: Self) {
        self.texts.extend(other.texts);
    }

    /// Where a byte offset of a file stands.
    #[must_use]
    pub fn position(&self, path: &RelPath, offset: u32) -> Option<Position> {
        self.get(path).map(|text| position(text, offset))
    }
}

/// Where a byte offset stands. An offset past the end is the end.
#[must_use]
pub fn position(text: &str, offset: u32) -> Position {
    let end = text.floor_char_boundary(offset as usize);
    let before = &text[..end];
    let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
    let column = before[before.rfind('\n').map_or(0, |i| i + 1)..]
        .chars()
        .count()
        + 1;
    Position {
        line: u32::try_from(line).unwrap_or(u32::MAX),
        column: u32::try_from(column).unwrap_or(u32::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        assert_eq!(
            position("a\n\u{1f600}x", 6),
            Position { line: 2, column: 2 }
        );
        assert_eq!(position("", 9), Position { line: 1, column: 1 });
    }
}
