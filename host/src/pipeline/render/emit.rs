//! The one emitter of YAML and JSON, for all targets: sorted keys, no anchors, no surprises for YAML 1.1 or 1.2 readers.

use serde_json::Value as Json;

use crate::model::renderer::Object;

/// JSON with sorted keys, two spaces, a final newline.
#[must_use]
pub fn json(value: &Json) -> String {
    let mut text = serde_json::to_string_pretty(&sorted(value)).unwrap_or_default();
    text.push('\n');
    text
}

/// YAML with sorted keys in block style and a final newline.
#[must_use]
pub fn yaml(value: &Json) -> String {
    let mut text = String::new();
    match value {
        Json::Object(members) if !members.is_empty() => mapping(members, 0, &mut text),
        Json::Array(items) if !items.is_empty() => sequence(items, 0, &mut text),
        scalar => {
            inline(scalar, 0, &mut text);
            text.push('\n');
        }
    }
    text
}

/// A Markdown document with frontmatter. CRLF becomes LF, leading blank lines and trailing white space go.
#[must_use]
pub fn document(frontmatter: &Object, body: &str) -> String {
    let body = body.replace("\r\n", "\n").replace('\r', "\n");
    let lines_start = body.len() - body.trim_start_matches([' ', '\t', '\n', '\r']).len();
    let first_line = body[..lines_start].rfind('\n').map_or(0, |index| index + 1);
    let body = body[first_line..].trim_end();
    let mut text = String::with_capacity(body.len() + 256);
    text.push_str("---\n");
    text.push_str(&yaml(&Json::Object(frontmatter.clone())));
    text.push_str("---\n");
    if !body.is_empty() {
        text.push('\n');
        text.push_str(body);
        text.push('\n');
    }
    text
}

fn sorted(value: &Json) -> Json {
    match value {
        Json::Object(members) => {
            let mut keys: Vec<&String> = members.keys().collect();
            keys.sort();
            Json::Object(
                keys.into_iter()
                    .map(|key| (key.clone(), sorted(&members[key])))
                    .collect(),
            )
        }
        Json::Array(items) => Json::Array(items.iter().map(sorted).collect()),
        scalar => scalar.clone(),
    }
}

fn mapping(members: &Object, indent: usize, text: &mut String) {
    let mut keys: Vec<&String> = members.keys().collect();
    keys.sort();
    for key in keys {
        pad(indent, text);
        scalar_text(key, text);
        text.push(':');
        value_after_key(&members[key], indent, text);
    }
}

fn sequence(items: &[Json], indent: usize, text: &mut String) {
    for item in items {
        pad(indent, text);
        text.push('-');
        match item {
            Json::Object(members) if !members.is_empty() => {
                // The first member stands on the dash's line, two columns in, like the others.
                let mut inner = String::new();
                mapping(members, indent + 2, &mut inner);
                text.push(' ');
                text.push_str(inner.trim_start_matches(' '));
            }
            Json::Array(inner) if !inner.is_empty() => {
                text.push('\n');
                sequence(inner, indent + 2, text);
            }
            scalar => {
                text.push(' ');
                inline(scalar, indent + 2, text);
                text.push('\n');
            }
        }
    }
}

fn value_after_key(value: &Json, indent: usize, text: &mut String) {
    match value {
        Json::Object(members) if !members.is_empty() => {
            text.push('\n');
            mapping(members, indent + 2, text);
        }
        Json::Array(items) if !items.is_empty() => {
            text.push('\n');
            sequence(items, indent + 2, text);
        }
        scalar => {
            text.push(' ');
            inline(scalar, indent + 2, text);
            text.push('\n');
        }
    }
}

/// A scalar or an empty collection, without a final newline.
fn inline(value: &Json, indent: usize, text: &mut String) {
    match value {
        Json::Null => text.push_str("null"),
        Json::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        Json::Number(number) => text.push_str(&number.to_string()),
        Json::String(string) if is_block(string) => block(string, indent, text),
        Json::String(string) => scalar_text(string, text),
        Json::Array(_) => text.push_str("[]"),
        Json::Object(_) => text.push_str("{}"),
    }
}

fn pad(indent: usize, text: &mut String) {
    text.extend(std::iter::repeat_n(' ', indent));
}

/// Text of several lines that a literal block carries exactly.
fn is_block(string: &str) -> bool {
    string.trim_end_matches('\n').contains('\n')
        && !string.starts_with([' ', '\n', '\t'])
        && !string.ends_with("\n\n")
        && !string.contains("---")
        && string.lines().all(|line| !line.ends_with([' ', '\t']))
        && string.chars().all(|c| c == '\n' || is_printable(c))
}

fn block(string: &str, indent: usize, text: &mut String) {
    text.push_str(if string.ends_with('\n') { "|" } else { "|-" });
    for line in string.trim_end_matches('\n').split('\n') {
        text.push('\n');
        if !line.is_empty() {
            pad(indent, text);
            text.push_str(line);
        }
    }
}

fn scalar_text(string: &str, text: &mut String) {
    if is_plain(string) {
        text.push_str(string);
    } else {
        quoted(string, text);
    }
}

/// Whether a text may stand without quotes for every reader.
fn is_plain(string: &str) -> bool {
    let Some(first) = string.chars().next() else {
        return false;
    };
    let starts_well = first.is_alphanumeric()
        || matches!(first, '_' | '/' | '(' | '$' | '+' | '^' | ';')
        || (matches!(first, '.') && string.len() > 1 && string.as_bytes()[1].is_ascii_alphabetic());
    starts_well
        && !string.ends_with([' ', ':'])
        && !string.contains(": ")
        && !string.contains(" #")
        && !string.contains("---")
        && string.chars().all(is_printable)
        && !looks_typed(string)
}

fn is_printable(c: char) -> bool {
    !c.is_control()
        && !matches!(
            c,
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        )
}

/// Texts that some YAML reader takes for a boolean, null, a number or a date.
fn looks_typed(string: &str) -> bool {
    const WORDS: [&str; 11] = [
        "true", "false", "yes", "no", "on", "off", "y", "n", "null", ".inf", ".nan",
    ];
    if WORDS.contains(&string.to_ascii_lowercase().as_str()) {
        return true;
    }
    let unsigned = string.trim_start_matches(['+', '-', '.']);
    let numeric = unsigned.chars().next().is_some_and(|c| c.is_ascii_digit());
    // A version such as 1.2.3 is text for every reader; anything else of digits and number signs may be typed.
    numeric
        && !is_dotted_version(string)
        && string.chars().all(|c| {
            c.is_ascii_hexdigit()
                || matches!(
                    c,
                    '.' | '+' | '-' | '_' | ':' | 'x' | 'o' | 'T' | 'Z' | ' ' | 't' | 'z'
                )
        })
}

fn is_dotted_version(string: &str) -> bool {
    let parts: Vec<&str> = string.split('.').collect();
    parts.len() == 3
        && parts
            .iter()
            .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
}

fn quoted(string: &str, out: &mut String) {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(string.len() + 2);
    text.push('"');
    for c in string.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            '\r' => text.push_str("\\r"),
            c if is_printable(c) => text.push(c),
            c if u32::from(c) <= 0xff => {
                let _ = write!(text, "\\x{:02X}", u32::from(c));
            }
            c if u32::from(c) <= 0xffff => {
                let _ = write!(text, "\\u{:04X}", u32::from(c));
            }
            c => {
                let _ = write!(text, "\\U{:08X}", u32::from(c));
            }
        }
    }
    text.push('"');
    hide_rules(&mut text);
    out.push_str(&text);
}

/// Breaks every run of three hyphens by an escape: some readers search for them to find the end of frontmatter.
fn hide_rules(text: &mut String) {
    while let Some(index) = text.rfind("---") {
        text.replace_range(index..=index, "\\x2D");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn quotes_what_some_reader_would_type() {
        for text in [
            "yes",
            "On",
            "null",
            "12:30",
            "2024-05-01",
            "2024-05",
            "1.0",
            "0x10",
            "1e3",
            "-1",
            "a: b",
            "a #b",
            "",
            "- x",
            "*x",
            "&x",
            "@x",
            "#x",
            "x:",
            " x",
            "x ",
        ] {
            let yaml = yaml(&json!({ "k": text }));
            assert!(yaml.starts_with("k: \""), "{text:?}: {yaml}");
        }
        for text in [
            "plain",
            "1.2.3",
            "a:b",
            "a#b",
            "it's",
            "Bash(git *)",
            "\u{e9}t\u{e9}",
            "1 apple",
        ] {
            assert_eq!(yaml(&json!({ "k": text })), format!("k: {text}\n"));
        }
    }

    #[test]
    fn every_text_reads_back() {
        for text in [
            "a\nb",
            "a\nb\n",
            "\na",
            "a ---\nb",
            "---",
            "x --- y",
            "tab\there",
            "\u{0}\u{7f}\u{85}",
            "quote\"\\",
            "a\n  indented\nb",
            "\u{1f600}",
            "trailing \nb",
        ] {
            let yaml = yaml(&json!({ "k": { "inner": [text, {"z": text, "a": 1}] } }));
            assert!(!yaml.contains("---"), "{yaml}");
            let back: Json = serde_yaml::from_str(&yaml).unwrap_or_else(|e| panic!("{e}: {yaml}"));
            assert_eq!(
                back,
                json!({ "k": { "inner": [text, {"a": 1, "z": text}] } }),
                "{yaml}"
            );
        }
    }

    #[test]
    fn lists_are_indented_below_their_key() {
        let value = json!({"b": ["w", "x"], "a": {"d": [], "c": {}}});
        assert_eq!(yaml(&value), "a:\n  c: {}\n  d: []\nb:\n  - w\n  - x\n");
    }

    #[test]
    fn a_document_ends_with_one_newline_and_keeps_inner_space() {
        let Json::Object(frontmatter) = json!({"name": "x"}) else {
            unreachable!()
        };
        assert_eq!(
            document(&frontmatter, "\r\n\n  a \r\nb\n\n"),
            "---\nname: x\n---\n\n  a \nb\n"
        );
        assert_eq!(document(&frontmatter, "\n"), "---\nname: x\n---\n");
    }
}
