//! Finds double and triple braces in a text.

use std::ops::Range;

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// Text between expressions.
    Text(&'a str),
    /// What stands between triple braces, trimmed: a literal with double braces.
    Literal(&'a str),
    /// What stands between double braces, trimmed.
    Expression(&'a str),
}

/// Splits a text into tokens with their places. The tokens cover the whole text in order.
pub(super) fn scan(text: &str) -> Vec<(Token<'_>, Range<usize>)> {
    let mut tokens = Vec::new();
    let (mut plain, mut at) = (0, 0);
    while let Some(found) = text[at..].find("{{") {
        let open = at + found;
        let token = braced(text, open, 3)
            .map(|(key, end)| (Token::Literal(key), end))
            .or_else(|| braced(text, open, 2).map(|(key, end)| (Token::Expression(key), end)));
        let Some((token, end)) = token else {
            at = open + 1;
            continue;
        };
        if plain < open {
            tokens.push((Token::Text(&text[plain..open]), plain..open));
        }
        tokens.push((token, open..end));
        (plain, at) = (end, end);
    }
    if plain < text.len() {
        tokens.push((Token::Text(&text[plain..]), plain..text.len()));
    }
    tokens
}

/// What stands between `count` braces on each side, without a brace in it, and where it ends.
fn braced(text: &str, open: usize, count: usize) -> Option<(&str, usize)> {
    let inner = text[open..].strip_prefix(&"{{{"[..count])?;
    let length = inner.find(['{', '}'])?;
    inner[length..]
        .starts_with(&"}}}"[..count])
        .then(|| (inner[..length].trim(), open + count + length + count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Token<'_>> {
        scan(text).into_iter().map(|(token, _)| token).collect()
    }

    #[test]
    fn braces_are_matched_from_the_outside_when_three_and_trimmed() {
        assert_eq!(
            kinds("a {{ x }} {{{ y }}}"),
            [
                Token::Text("a "),
                Token::Expression("x"),
                Token::Text(" "),
                Token::Literal("y")
            ]
        );
        assert_eq!(
            kinds("{{{{four}}}}"),
            [Token::Text("{"), Token::Literal("four"), Token::Text("}")]
        );
        assert_eq!(kinds("{{{a{b}c}}}"), [Token::Text("{{{a{b}c}}}")]);
        assert_eq!(kinds("{{\nx\n}}"), [Token::Expression("x")]);
    }

    #[test]
    fn places_are_byte_offsets() {
        assert_eq!(scan("\u{e9}{{x}}b")[1].1, 2..7);
    }
}
