//! Makes a renderer's words safe to show.

/// Without control characters (a line end becomes a blank) and without characters that reorder text.
/// A terminal or a report shows them as they stand, so that a renderer could forge what its user reads.
#[must_use]
pub(super) fn sanitize(text: &str) -> String {
    text.chars()
        .filter_map(|c| match c {
            '\n' | '\t' => Some(' '),
            c if c.is_control() || is_bidi(c) => None,
            c => Some(c),
        })
        .collect()
}

/// At most `max_bytes` of `text`, cut between characters.
pub(super) fn clip(text: &str, max_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(max_bytes)]
}

const fn is_bidi(c: char) -> bool {
    matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2028}' | '\u{2029}' | '\u{2066}'..='\u{2069}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_reordering_are_removed() {
        assert_eq!(sanitize("a\u{1b}[31mb\u{202e}c\nd\u{9b}e"), "a[31mbc de");
        assert_eq!(sanitize("schön 日本"), "schön 日本");
    }

    #[test]
    fn clip_keeps_characters_whole() {
        assert_eq!(clip("aé", 2), "a");
        assert_eq!(clip("aé", 9), "aé");
    }
}
