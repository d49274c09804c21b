//! Bytes become text, or a finding that names the encoding and the byte.

use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Span};
use crate::model::path::RelPath;

/// The text of a file without a byte order mark.
///
/// # Errors
/// A finding when the bytes are UTF-16, not UTF-8 or hold NUL.
pub fn decode(path: &RelPath, bytes: &[u8]) -> Result<Arc<str>, Box<Diagnostic>> {
    let refuse = |code, message: String| {
        Box::new(
            Diagnostic::new(code, message)
                .at(Span::whole(path))
                .help("save the file as UTF-8"),
        )
    };
    let utf16 = match bytes {
        [0xff, 0xfe, ..] | [1..=255, 0, ..] => Some("UTF-16 little-endian"),
        [0xfe, 0xff, ..] | [0, 1..=255, ..] => Some("UTF-16 big-endian"),
        _ => None,
    };
    if let Some(name) = utf16 {
        let message = format!("`{path}` is {name}, not UTF-8");
        return Err(refuse(Code::SOURCE_UTF16, message));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let message = format!("`{path}` is not UTF-8 at byte {}", error.valid_up_to());
        refuse(Code::SOURCE_NOT_UTF8, message)
    })?;
    if let Some(at) = text.find('\0') {
        let message = format!("`{path}` holds a NUL at byte {at}");
        return Err(refuse(Code::SOURCE_NOT_UTF8, message));
    }
    Ok(text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_named_and_a_mark_is_dropped() {
        let path = RelPath::new("SKILL.md").unwrap();
        assert_eq!(&*decode(&path, b"\xef\xbb\xbfa").unwrap(), "a");
        let code = |bytes: &[u8]| decode(&path, bytes).unwrap_err().code;
        assert_eq!(code(b"\xff\xfea\0"), Code::SOURCE_UTF16);
        assert_eq!(code(b"-\0-\0"), Code::SOURCE_UTF16);
        assert_eq!(code(b"abc\0"), Code::SOURCE_NOT_UTF8);
        let finding = decode(&path, b"ab\xff").unwrap_err();
        assert_eq!(finding.message, "`SKILL.md` is not UTF-8 at byte 2");
    }
}
