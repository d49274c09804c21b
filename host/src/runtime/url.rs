//! The grammar of `skill://<name>[/<path>]` and its guard. Works on the raw text: a generic URL parser would
//! collapse `..` before anyone could refuse it.

/// A checked URL. Whether the skill and the file exist is another question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillUrl {
    /// The skill's name, decoded.
    pub name: String,
    /// The file below the skill's directory, decoded, without `.` and `..` segments; `None` is the skill itself.
    pub path: Option<String>,
}

/// Why a URL is not one of ours, or is dangerous.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// Another scheme, or none.
    #[error("does not begin with `skill://`")]
    Scheme,
    /// `skill://` alone.
    #[error("a skill's name is required after `skill://`")]
    NameRequired,
    /// `%` without two hexadecimal digits, or bytes that are not UTF-8.
    #[error("the percent-encoding is malformed")]
    Encoding,
    /// A NUL.
    #[error("a NUL character is not allowed")]
    Nul,
    /// `//etc`, `/%2Fetc`, `/C:/x`.
    #[error("absolute paths are not allowed")]
    Absolute,
    /// A `..` segment.
    #[error("path traversal (`..`) is not allowed")]
    Traversal,
    /// A backslash.
    #[error("a backslash is not allowed")]
    Backslash,
}

impl UrlError {
    /// Whether the guard refused it, as against text that makes no sense.
    #[must_use]
    pub fn is_refusal(self) -> bool {
        matches!(
            self,
            Self::Nul | Self::Absolute | Self::Traversal | Self::Backslash
        )
    }
}

impl SkillUrl {
    /// Parses and guards.
    ///
    /// # Errors
    /// When the text is no such URL, or could lead out of the skill's directory.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        const SCHEME: &str = "skill://";
        let rest = match (text.get(..SCHEME.len()), text.get(SCHEME.len()..)) {
            (Some(scheme), Some(rest)) if scheme.eq_ignore_ascii_case(SCHEME) => rest,
            _ => return Err(UrlError::Scheme),
        };
        let rest = rest.split(['?', '#']).next().unwrap_or_default();
        let (raw_name, raw_path) = rest.split_once('/').unwrap_or((rest, ""));
        let name = decode(raw_name)?;
        if name.is_empty() {
            return Err(UrlError::NameRequired);
        }
        guard(&name)?;
        if raw_path.is_empty() {
            return Ok(Self { name, path: None });
        }
        let path = decode(raw_path)?;
        guard(&path)?;
        let segments: Vec<&str> = path
            .split('/')
            .filter(|segment| !matches!(*segment, "" | "."))
            .collect();
        let path = if segments.is_empty() {
            ".".to_owned()
        } else {
            segments.join("/")
        };
        Ok(Self {
            name,
            path: Some(path),
        })
    }
}

fn guard(path: &str) -> Result<(), UrlError> {
    let bytes = path.as_bytes();
    let drive = bytes.len() >= 3
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && matches!(bytes[2], b'/' | b'\\');
    if path.contains('\0') {
        Err(UrlError::Nul)
    } else if drive || path.starts_with(['/', '\\']) {
        Err(UrlError::Absolute)
    } else if path.split(['/', '\\']).any(|segment| segment == "..") {
        Err(UrlError::Traversal)
    } else if path.contains('\\') {
        Err(UrlError::Backslash)
    } else {
        Ok(())
    }
}

/// Decodes once: `%252e` is the name `%2e`.
fn decode(text: &str) -> Result<String, UrlError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first == b'%' {
            let [high, low, tail @ ..] = rest else {
                return Err(UrlError::Encoding);
            };
            let digit = |byte: u8| char::from(byte).to_digit(16).ok_or(UrlError::Encoding);
            let value = digit(*high)? * 16 + digit(*low)?;
            bytes.push(u8::try_from(value).map_err(|_| UrlError::Encoding)?);
            rest = tail;
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).map_err(|_| UrlError::Encoding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_and_paths_are_read_as_written() {
        for (text, name, path) in [
            ("skill://pdf", "pdf", None),
            ("skill://pdf/", "pdf", None),
            ("SKILL://pdf", "pdf", None),
            ("skill://pdf?x=1", "pdf", None),
            ("skill://pdf#f", "pdf", None),
            ("skill://pdf?../../x", "pdf", None),
            ("skill://Pdf", "Pdf", None),
            ("skill://Sp%20Ace", "Sp Ace", None),
            ("skill://plug:greet", "plug:greet", None),
            ("skill://plug%3Agreet", "plug:greet", None),
            (
                "skill://pdf/references/tables.md",
                "pdf",
                Some("references/tables.md"),
            ),
            (
                "skill://pdf/references%2Ftables.md",
                "pdf",
                Some("references/tables.md"),
            ),
            (
                "skill://pdf/./references//tables.md",
                "pdf",
                Some("references/tables.md"),
            ),
            ("skill://pdf/a%20b.txt", "pdf", Some("a b.txt")),
            ("skill://pdf/a+b.md", "pdf", Some("a+b.md")),
            ("skill://pdf/ünï.md", "pdf", Some("ünï.md")),
            ("skill://pdf/q%3Fx.md", "pdf", Some("q?x.md")),
            ("skill://pdf/h%23x.md", "pdf", Some("h#x.md")),
            ("skill://pdf/%252e%252e/x", "pdf", Some("%2e%2e/x")),
            ("skill://pdf/..hidden.md", "pdf", Some("..hidden.md")),
            ("skill://pdf/sub/..x/f.md", "pdf", Some("sub/..x/f.md")),
            ("skill://pdf/a..b.md", "pdf", Some("a..b.md")),
            ("skill://pdf/.", "pdf", Some(".")),
        ] {
            let expected = SkillUrl {
                name: name.to_owned(),
                path: path.map(str::to_owned),
            };
            assert_eq!(SkillUrl::parse(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn the_guard_refuses_every_way_out() {
        for (text, error) in [
            ("pdf", UrlError::Scheme),
            ("skill:pdf", UrlError::Scheme),
            ("http://pdf", UrlError::Scheme),
            ("ski", UrlError::Scheme),
            ("skill:/é", UrlError::Scheme),
            ("skill://", UrlError::NameRequired),
            ("skill:///x", UrlError::NameRequired),
            ("skill://pdf/..", UrlError::Traversal),
            ("skill://pdf/../other/SKILL.md", UrlError::Traversal),
            ("skill://pdf/a/../b", UrlError::Traversal),
            ("skill://plug:greet/../x", UrlError::Traversal),
            ("skill://pdf/..%2fx", UrlError::Traversal),
            ("skill://pdf/%2e%2e%2fx", UrlError::Traversal),
            ("skill://pdf/%2E./x", UrlError::Traversal),
            ("skill://pdf/..%5Cx", UrlError::Traversal),
            ("skill://pdf/..\\x", UrlError::Traversal),
            ("skill://../x", UrlError::Traversal),
            ("skill://%2e%2e/x", UrlError::Traversal),
            ("skill://pdf//etc/passwd", UrlError::Absolute),
            ("skill://pdf//", UrlError::Absolute),
            ("skill://pdf/%2Fetc%2Fpasswd", UrlError::Absolute),
            ("skill://pdf/C:%5Cx", UrlError::Absolute),
            ("skill://pdf/c:/x", UrlError::Absolute),
            ("skill://pdf/%5C%5Chost", UrlError::Absolute),
            ("skill://pdf/a\\b", UrlError::Backslash),
            ("skill://pdf/%00", UrlError::Nul),
            ("skill://p%00df", UrlError::Nul),
            ("skill://pdf/%ZZ", UrlError::Encoding),
            ("skill://pdf/100%", UrlError::Encoding),
            ("skill://pdf/%ff", UrlError::Encoding),
            ("skill://pdf/%c0%ae%c0%ae/x", UrlError::Encoding),
        ] {
            assert_eq!(SkillUrl::parse(text), Err(error), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_parses_stays_below(path in "([a-z]|\\.|/|%2e|%2E|%2f|%5c|\\\\|%|%25|\\?|:|\u{e9}){0,24}") {
            if let Ok(SkillUrl { path: Some(path), .. }) = SkillUrl::parse(&format!("skill://x/{path}")) {
                prop_assert!(!path.starts_with('/') && !path.contains(['\\', '\0']));
                prop_assert!(path == "." || path.split('/').all(|s| !matches!(s, "" | "." | "..")));
            }
        }

        #[test]
        fn no_text_panics(text in ".{0,40}") {
            let _ = SkillUrl::parse(&text);
            let _ = SkillUrl::parse(&format!("skill://{text}"));
        }
    }
}
