//! Paths that cannot be wrong: relative, normalized, UTF-8, with `/`.

use std::fmt;
use std::sync::Arc;

/// A path relative to the workspace root (or to a unit's directory, where a name says so).
///
/// It has at least one component; none is empty, `.` or `..`; there is no backslash, no NUL, no drive.
/// Order is byte order, which for valid UTF-8 is the order of code points.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelPath(Arc<str>);

/// Why a text is not a [`RelPath`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// Nothing between two slashes, or nothing at all.
    #[error("a path component is empty")]
    Empty,
    /// Begins with a slash or a drive.
    #[error("the path is absolute")]
    Absolute,
    /// A `.` or `..` component.
    #[error("`.` and `..` are not allowed in a path")]
    Traversal,
    /// A backslash, which is a separator on Windows and a character elsewhere.
    #[error("a path is written with `/`, not with a backslash")]
    Backslash,
    /// NUL or another control character.
    #[error("the path holds a control character")]
    Control,
    /// A component longer than 255 bytes, which no common file system stores.
    #[error("a path component is longer than 255 bytes")]
    TooLong,
    /// A name that Windows reserves or cannot store.
    #[error("the name cannot exist on Windows")]
    Windows,
    /// `.git` or one of its disguises.
    #[error("the path names git's own folder")]
    Git,
}

/// The most bytes that a path component may have on common file systems.
pub const MAX_COMPONENT_BYTES: usize = 255;

impl RelPath {
    /// Checks a text and makes a path of it.
    ///
    /// # Errors
    /// See [`PathError`]; `Windows` and `Git` are only found by [`RelPath::check_portable`].
    pub fn new(text: &str) -> Result<Self, PathError> {
        if text.starts_with('/') || has_drive(text) {
            return Err(PathError::Absolute);
        }
        for part in text.split('/') {
            check_component(part)?;
        }
        Ok(Self(text.into()))
    }

    /// The text with `/` between components.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// This path with `tail` below it.
    ///
    /// # Errors
    /// When `tail` alone is not a path.
    pub fn join(&self, tail: &str) -> Result<Self, PathError> {
        let tail = Self::new(tail)?;
        Ok(self.below(&tail))
    }

    /// This path with `tail` below it.
    #[must_use]
    pub fn below(&self, tail: &Self) -> Self {
        Self(format!("{}/{}", self.0, tail.0).into())
    }

    /// The last component.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// All but the last component; `None` at the top.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        self.0.rsplit_once('/').map(|(head, _)| Self(head.into()))
    }

    /// The rest below `base`; `None` when this path is not below it.
    #[must_use]
    pub fn strip_prefix(&self, base: &Self) -> Option<Self> {
        let rest = self.0.strip_prefix(base.as_str())?.strip_prefix('/')?;
        Some(Self(rest.into()))
    }

    /// Whether this path is `base` or below it.
    #[must_use]
    pub fn starts_with(&self, base: &Self) -> bool {
        self == base || self.strip_prefix(base).is_some()
    }

    /// The components in order.
    pub fn components(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }

    /// A key that is equal for paths which a case-insensitive or normalizing file system takes for one.
    #[must_use]
    pub fn fold(&self) -> String {
        use unicode_normalization::UnicodeNormalization as _;
        self.0
            .nfc()
            .flat_map(char::to_lowercase)
            .collect::<String>()
            .nfc()
            .collect()
    }

    /// Refuses what some system cannot store, or what would reach into git's folder.
    ///
    /// # Errors
    /// `Windows` or `Git`.
    pub fn check_portable(&self) -> Result<(), PathError> {
        self.components().try_for_each(check_portable_component)
    }
}

fn has_drive(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':'
}

fn check_component(part: &str) -> Result<(), PathError> {
    match part {
        "" => Err(PathError::Empty),
        "." | ".." => Err(PathError::Traversal),
        _ if part.contains('\\') => Err(PathError::Backslash),
        _ if part.chars().any(char::is_control) => Err(PathError::Control),
        _ if part.len() > MAX_COMPONENT_BYTES => Err(PathError::TooLong),
        _ => Ok(()),
    }
}

fn check_portable_component(part: &str) -> Result<(), PathError> {
    if is_git_disguise(part) {
        return Err(PathError::Git);
    }
    let stem = part
        .split('.')
        .next()
        .unwrap_or(part)
        .trim_end_matches(' ')
        .to_ascii_uppercase();
    let reserved = matches!(
        stem.as_str(),
        "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$"
    ) || ["COM", "LPT"].iter().any(|device| {
        let number = stem.strip_prefix(device).unwrap_or_default();
        matches!(
            number,
            "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "\u{b9}" | "\u{b2}" | "\u{b3}"
        )
    });
    let unstorable =
        part.ends_with(['.', ' ']) || part.contains(['<', '>', ':', '"', '|', '?', '*']);
    if reserved || unstorable {
        Err(PathError::Windows)
    } else {
        Ok(())
    }
}

/// HFS+ ignores some code points, NTFS knows a short name and streams, and both ignore case.
fn is_git_disguise(part: &str) -> bool {
    let visible: String = part
        .chars()
        .filter(|c| !matches!(*c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}'))
        .collect();
    let name = visible
        .split(':')
        .next()
        .unwrap_or_default()
        .trim_end_matches(['.', ' '])
        .to_ascii_lowercase();
    name == ".git" || name == "git~1"
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}

impl serde::Serialize for RelPath {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> serde::Deserialize<'de> for RelPath {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::new(&text).map_err(|error| serde::de::Error::custom(format!("`{text}`: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_is_not_a_plain_relative_path() {
        for (text, error) in [
            ("", PathError::Empty),
            ("a//b", PathError::Empty),
            ("a/", PathError::Empty),
            ("/etc", PathError::Absolute),
            ("C:/x", PathError::Absolute),
            ("../x", PathError::Traversal),
            ("a/./b", PathError::Traversal),
            ("a\\b", PathError::Backslash),
            ("a\0b", PathError::Control),
        ] {
            assert_eq!(RelPath::new(text), Err(error), "{text:?}");
        }
        assert_eq!(RelPath::new(&"x".repeat(256)), Err(PathError::TooLong));
        assert!(RelPath::new(&"x".repeat(255)).is_ok());
    }

    #[test]
    fn portable_check_knows_git_and_windows() {
        for (text, error) in [
            (".git/hooks/x", PathError::Git),
            ("a/.GIT", PathError::Git),
            (".g\u{200c}it/config", PathError::Git),
            ("git~1/config", PathError::Git),
            (".git::$INDEX_ALLOCATION/x", PathError::Git),
            (".git /x", PathError::Git),
            ("con", PathError::Windows),
            ("a/NUL.txt", PathError::Windows),
            ("com1.md", PathError::Windows),
            ("a/b.", PathError::Windows),
            ("a/b ", PathError::Windows),
            ("a/x:y", PathError::Windows),
            ("what?", PathError::Windows),
        ] {
            let path = RelPath::new(text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(path.check_portable(), Err(error), "{text:?}");
        }
        for text in [
            ".gitignore",
            "console",
            "a/com10",
            ".claude/skills/x/SKILL.md",
            "git~2",
        ] {
            assert_eq!(
                RelPath::new(text).unwrap().check_portable(),
                Ok(()),
                "{text:?}"
            );
        }
    }

    #[test]
    fn strip_prefix_respects_components() {
        let path = RelPath::new("ab/c").unwrap();
        assert_eq!(path.strip_prefix(&RelPath::new("a").unwrap()), None);
        assert_eq!(
            path.strip_prefix(&RelPath::new("ab").unwrap())
                .unwrap()
                .as_str(),
            "c"
        );
    }

    #[test]
    fn fold_joins_case_and_unicode_form() {
        assert_eq!(
            RelPath::new("A/\u{e9}").unwrap().fold(),
            RelPath::new("a/e\u{301}").unwrap().fold()
        );
    }
}
