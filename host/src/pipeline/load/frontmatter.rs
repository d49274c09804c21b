//! A Markdown file is split at its `---` lines; what stands between them is YAML.

use std::ops::Range;
use std::sync::Arc;

use super::yaml;
use crate::diagnostic::{Code, Diagnostic, Found, Span};
use crate::model::path::RelPath;
use crate::model::unit::Document;

/// Where the parts of a file lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Split {
    /// The first line is not `---`.
    Missing,
    /// There is no second `---`.
    Unclosed,
    /// Both parts.
    Parts {
        /// The YAML.
        yaml: Range<usize>,
        /// Where the body begins.
        body: usize,
    },
}

/// Finds the frontmatter. Blanks after `---`, CRLF and a lone CR are accepted.
#[must_use]
pub fn split(text: &str) -> Split {
    let mut start = None;
    let mut offset = 0;
    while offset < text.len() {
        let line = first_line(&text[offset..]);
        let end = offset + line.len();
        let fence = line.trim_end_matches([' ', '\t', '\r', '\n']) == "---";
        match start {
            None if fence => start = Some(end),
            None => return Split::Missing,
            Some(start) if fence => {
                return Split::Parts {
                    yaml: start..offset,
                    body: end,
                };
            }
            Some(_) => {}
        }
        offset = end;
    }
    start.map_or(Split::Missing, |_| Split::Unclosed)
}

/// The first line with its line break: LF, CRLF, or the lone CR of old systems.
fn first_line(text: &str) -> &str {
    match text.find(['\n', '\r']) {
        Some(at) if text[at..].starts_with("\r\n") => &text[..at + 2],
        Some(at) => &text[..=at],
        None => text,
    }
}

/// Splits and parses a document.
#[must_use]
pub fn parse(path: &RelPath, text: &Arc<str>) -> Found<Option<Document>> {
    let fail = |finding: Diagnostic| Found {
        value: None,
        findings: vec![finding],
    };
    let (range, body) = match split(text) {
        Split::Parts { yaml, body } => (yaml, body),
        Split::Missing => {
            let finding = Diagnostic::new(
                Code::FRONTMATTER_MISSING,
                format!("`{path}` has no frontmatter"),
            );
            return fail(finding.at(Span::new(path, 0..0)).help(
                "begin the file with a line `---`, a `description: ...` and another line `---`",
            ));
        }
        Split::Unclosed => {
            let finding = Diagnostic::new(
                Code::FRONTMATTER_UNCLOSED,
                format!("the frontmatter of `{path}` is not closed"),
            );
            return fail(
                finding
                    .at(Span::new(path, 0..3))
                    .help("end it with a line `---`"),
            );
        }
    };
    let (Ok(base), Ok(body_start)) = (u32::try_from(range.start), u32::try_from(body)) else {
        let finding = Diagnostic::new(Code::YAML_TOO_BIG, format!("`{path}` is too large"));
        return fail(finding.at(Span::whole(path)));
    };
    let parsed = yaml::parse(path, &text[range], base);
    let mut findings = parsed.findings;
    let value = parsed.value.and_then(|frontmatter| {
        if frontmatter.is_map() {
            return Some(Document {
                path: path.clone(),
                frontmatter,
                text: text.clone(),
                body_start,
            });
        }
        findings.push(
            Diagnostic::new(
                Code::FRONTMATTER_NOT_A_MAPPING,
                format!("the frontmatter is {}, not a mapping", frontmatter.kind()),
            )
            .at(Span::new(path, frontmatter.span)),
        );
        None
    });
    Found { value, findings }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Found<Option<Document>> {
        parse(&RelPath::new("SKILL.md").unwrap(), &text.into())
    }

    #[test]
    fn real_files_are_split() {
        for (text, key, body) in [
            ("---\nname: a\n---\nx\n---\ny\n", "a", "x\n---\ny\n"),
            ("---\r\nname: a\r\n--- \r\nx\r\n", "a", "x\r\n"),
            ("---  \nname: a\n---", "a", ""),
            ("---\rname: a\r---\rx\ry\r", "a", "x\ry\r"),
        ] {
            let found = read(text);
            assert_eq!(found.findings, [], "{text:?}");
            let document = found.value.unwrap();
            assert_eq!(
                document.frontmatter.get("name").unwrap().as_str(),
                Some(key)
            );
            assert_eq!(document.body(), body);
        }
    }

    #[test]
    fn spans_are_offsets_of_the_whole_file() {
        let document = read("---\nname: a\n---\n").value.unwrap();
        assert_eq!(document.frontmatter.get("name").unwrap().span, 10..11);
    }

    #[test]
    fn what_is_no_frontmatter_is_said() {
        let code = |text| read(text).findings[0].code;
        assert_eq!(code(""), Code::FRONTMATTER_MISSING);
        assert_eq!(code("# x\n"), Code::FRONTMATTER_MISSING);
        assert_eq!(code("---\nname: a\n"), Code::FRONTMATTER_UNCLOSED);
        assert_eq!(code("---\n- a\n---\n"), Code::FRONTMATTER_NOT_A_MAPPING);
        assert!(read("---\n---\n").value.unwrap().frontmatter.is_map());
    }

    proptest::proptest! {
        #[test]
        fn the_body_keeps_its_bytes(body in "\\PC*") {
            let text = format!("---\na: 1\n---\n{body}");
            proptest::prop_assert_eq!(split(&text), Split::Parts { yaml: 4..9, body: 13 });
        }
    }
}
