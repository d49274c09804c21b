//! YAML 1.2 with places and the author's spelling, within bounds.

use std::collections::BTreeMap;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, StrInput, Tag};

use crate::diagnostic::{Code, Diagnostic, Found, Span};
use crate::model::node::{Member, Node, Value};
use crate::model::path::RelPath;

/// The most bytes of one document.
pub const MAX_BYTES: usize = 1 << 20;
/// The most levels of nesting.
pub const MAX_DEPTH: usize = 64;
/// The most values after aliases are expanded.
pub const MAX_NODES: usize = 100_000;

/// Parses one document. `base` is where `text` begins in its file. An empty document is an empty mapping.
#[must_use]
pub fn parse(path: &RelPath, text: &str, base: u32) -> Found<Option<Node>> {
    let mut builder = Builder {
        path,
        base,
        offsets: Offsets::of(text),
        parser: Parser::new_from_str(text),
        anchors: BTreeMap::new(),
        nodes: 0,
        findings: Vec::new(),
    };
    let outcome = match check(path, text, base) {
        Some(finding) => Err(Stop::Finding(Box::new(finding))),
        None => builder.document(),
    };
    let value = match outcome {
        Ok(node) => Some(node),
        Err(Stop::Finding(finding)) => {
            builder.findings.push(*finding);
            None
        }
        Err(Stop::Scan(error)) => {
            let at = builder.offsets.byte(error.marker().index());
            builder.findings.push(explain(path, text, base, at, &error));
            None
        }
    };
    Found {
        value,
        findings: builder.findings,
    }
}

fn check(path: &RelPath, text: &str, base: u32) -> Option<Diagnostic> {
    if text.len() > MAX_BYTES {
        let message = format!(
            "the YAML has {} bytes; the limit is {MAX_BYTES}",
            text.len()
        );
        return Some(Diagnostic::new(Code::YAML_TOO_BIG, message).at(Span::whole(path)));
    }
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ") {
            let finding = Diagnostic::new(
                Code::YAML_MERGE_CONFLICT,
                "the file holds merge conflict markers",
            );
            return Some(
                finding
                    .at(Span::new(path, place(base, at..at + 7)))
                    .help("resolve the conflict and remove the markers"),
            );
        }
        at += line.len();
    }
    None
}

fn place(base: u32, range: Range<usize>) -> Range<u32> {
    let offset = |at: usize| base.saturating_add(u32::try_from(at).unwrap_or(u32::MAX));
    offset(range.start)..offset(range.end)
}

fn explain(path: &RelPath, text: &str, base: u32, at: usize, error: &ScanError) -> Diagnostic {
    let start = text[..at].rfind('\n').map_or(0, |i| i + 1);
    let end = text[start..].find('\n').map_or(text.len(), |i| start + i);
    let line = text[start..end].trim_end_matches('\r');
    let mut from = 0;
    for line in text[..end].split_inclusive('\n') {
        let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
        if let Some(tab) = line[..blank].find('\t') {
            let range = from + tab..from + tab + 1;
            return Diagnostic::new(Code::YAML_TAB, "a tab indents this line; YAML wants spaces")
                .at(Span::new(path, place(base, range)))
                .help("replace the tab with spaces");
        }
        from += line.len();
    }
    if let Some((key, value)) = line.split_once(": ") {
        let value = value.trim();
        let plain = !value.starts_with(['"', '\'', '[', '{', '|', '>', '&', '*', '!', '#']);
        if plain && (value.contains(": ") || value.ends_with(':')) {
            let value_at = start + line.len() - line[key.len() + 2..].trim_start().len();
            let quoted = value.replace('\\', "\\\\").replace('"', "\\\"");
            return Diagnostic::new(
                Code::YAML_UNQUOTED_COLON,
                format!(
                    "the value of `{}` holds a colon and must be quoted",
                    key.trim()
                ),
            )
            .at(Span::new(
                path,
                place(base, value_at..value_at + value.len()),
            ))
            .help(format!("write `{key}: \"{quoted}\"`"));
        }
    }
    Diagnostic::new(
        Code::YAML_SYNTAX,
        format!("the YAML cannot be parsed: {}", error.info()),
    )
    .at(Span::new(path, place(base, at..at)))
}

/// Character positions as byte positions.
struct Offsets(Option<Vec<usize>>, usize);

impl Offsets {
    fn of(text: &str) -> Self {
        let table = (!text.is_ascii() && text.len() <= MAX_BYTES)
            .then(|| text.char_indices().map(|(at, _)| at).collect());
        Self(table, text.len())
    }

    fn byte(&self, index: usize) -> usize {
        match &self.0 {
            None => index.min(self.1),
            Some(table) => table.get(index).copied().unwrap_or(self.1),
        }
    }
}

enum Stop {
    Scan(ScanError),
    Finding(Box<Diagnostic>),
}

struct Builder<'a> {
    path: &'a RelPath,
    base: u32,
    offsets: Offsets,
    parser: Parser<'a, StrInput<'a>>,
    anchors: BTreeMap<usize, (Node, usize)>,
    nodes: usize,
    findings: Vec<Diagnostic>,
}

impl<'a> Builder<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Range<u32>), Stop> {
        match self.parser.next_event() {
            None => Ok((Event::StreamEnd, self.base..self.base)),
            Some(Err(error)) => Err(Stop::Scan(error)),
            Some(Ok((event, span))) => {
                let start = self.offsets.byte(span.start.index());
                let end = self.offsets.byte(span.end.index()).max(start);
                Ok((event, place(self.base, start..end)))
            }
        }
    }

    fn stop(&self, code: Code, message: impl Into<String>, span: Range<u32>) -> Stop {
        let finding = Diagnostic::new(code, message).at(Span::new(self.path, span));
        Stop::Finding(Box::new(finding))
    }

    fn document(&mut self) -> Result<Node, Stop> {
        let empty = Node {
            span: self.base..self.base,
            value: Value::Map(Vec::new()),
        };
        let mut root = None;
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamEnd => break,
                Event::Nothing | Event::StreamStart | Event::DocumentEnd => {}
                Event::DocumentStart(_) if root.is_some() => {
                    let message = "only one YAML document may stand here";
                    return Err(self.stop(Code::YAML_SYNTAX, message, span));
                }
                Event::DocumentStart(_) => {}
                event => root = Some(self.node(event, span, 0)?),
            }
        }
        Ok(match root {
            Some(node) if node.value != Value::Null => node,
            _ => empty,
        })
    }

    fn count(&mut self, more: usize, span: &Range<u32>) -> Result<(), Stop> {
        self.nodes = self.nodes.saturating_add(more);
        if self.nodes > MAX_NODES {
            let message = format!("the YAML has more than {MAX_NODES} values with its aliases");
            return Err(self.stop(Code::YAML_TOO_BIG, message, span.clone()));
        }
        Ok(())
    }

    fn node(&mut self, event: Event<'a>, mut span: Range<u32>, depth: usize) -> Result<Node, Stop> {
        if depth > MAX_DEPTH {
            let message = format!("the YAML is nested deeper than {MAX_DEPTH} levels");
            return Err(self.stop(Code::YAML_TOO_BIG, message, span));
        }
        let before = self.nodes;
        self.count(1, &span)?;
        let (value, anchor) = match event {
            Event::Alias(id) => {
                let Some((node, size)) = self.anchors.get(&id).cloned() else {
                    let message = "an alias stands inside its own anchor";
                    return Err(self.stop(Code::YAML_SYNTAX, message, span));
                };
                self.count(size, &span)?;
                (node.value, 0)
            }
            Event::Scalar(text, style, anchor, tag) => {
                (scalar(&text, style, tag.as_deref()), anchor)
            }
            Event::SequenceStart(anchor, _) => {
                let mut items = Vec::new();
                loop {
                    let (event, place) = self.next()?;
                    if matches!(event, Event::SequenceEnd) {
                        span.end = span.end.max(place.end);
                        break;
                    }
                    items.push(self.node(event, place, depth + 1)?);
                }
                (Value::List(items), anchor)
            }
            Event::MappingStart(anchor, _) => {
                let (members, end) = self.members(depth)?;
                span.end = span.end.max(end);
                (Value::Map(members), anchor)
            }
            _ => return Err(self.stop(Code::YAML_SYNTAX, "a value is missing", span)),
        };
        let node = Node { span, value };
        if anchor != 0 {
            let size = self.nodes - before;
            self.anchors.insert(anchor, (node.clone(), size));
        }
        Ok(node)
    }

    fn members(&mut self, depth: usize) -> Result<(Vec<Member>, u32), Stop> {
        let mut members: Vec<Member> = Vec::new();
        let mut places: BTreeMap<String, Range<u32>> = BTreeMap::new();
        loop {
            let (event, key_span) = self.next()?;
            if matches!(event, Event::MappingEnd) {
                return Ok((members, key_span.end));
            }
            let plain = match &event {
                Event::Scalar(text, ..) => Some(text.to_string()),
                _ => None,
            };
            let key_node = self.node(event, key_span.clone(), depth + 1)?;
            let Some(key) = plain.or_else(|| key_node.scalar().map(str::to_owned)) else {
                let message = format!("a key is {}; it must be text", key_node.kind());
                return Err(self.stop(Code::YAML_SYNTAX, message, key_span));
            };
            let (event, span) = self.next()?;
            let node = self.node(event, span, depth + 1)?;
            if let Some(first) = places.get(&key) {
                let message = format!("the key `{key}` stands here a second time");
                self.findings.push(
                    Diagnostic::new(Code::YAML_DUPLICATE_KEY, message)
                        .at(Span::new(self.path, key_span))
                        .related(Span::new(self.path, first.clone()), "it stands here first")
                        .help("keep one of them"),
                );
                continue;
            }
            places.insert(key.clone(), key_span.clone());
            members.push(Member {
                key,
                key_span,
                node,
            });
        }
    }
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Value {
    let is_text = style != ScalarStyle::Plain || tag.is_some();
    match text {
        _ if is_text => Value::String(text.to_owned()),
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ if is_number(text) => Value::Number(text.to_owned()),
        _ => Value::String(text.to_owned()),
    }
}

fn is_number(text: &str) -> bool {
    let digits = |t: &str, f: fn(&u8) -> bool| !t.is_empty() && t.as_bytes().iter().all(f);
    if let Some(octal) = text.strip_prefix("0o") {
        return digits(octal, |b| matches!(b, b'0'..=b'7'));
    }
    if let Some(hex) = text.strip_prefix("0x") {
        return digits(hex, u8::is_ascii_hexdigit);
    }
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(text, ".inf" | ".Inf" | ".INF" | ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let (mantissa, exponent) = text
        .split_once(['e', 'E'])
        .map_or((text, None), |(m, e)| (m, Some(e)));
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
    (!whole.is_empty() || !part.is_empty())
        && all(whole)
        && all(part)
        && exponent
            .is_none_or(|e| digits(e.strip_prefix(['-', '+']).unwrap_or(e), u8::is_ascii_digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Found<Option<Node>> {
        parse(&RelPath::new("skillset.yaml").unwrap(), text, 0)
    }

    #[test]
    fn scalars_keep_their_spelling() {
        let node = read("a: 1.0\nb: on\nc: 2024-01-02\nd: 0x1F\ne: '1'\nf: ~\ng: TRUE\n");
        let node = node.value.unwrap();
        let value = |key| node.get(key).unwrap().value.clone();
        assert_eq!(value("a"), Value::Number("1.0".into()));
        assert_eq!(value("b"), Value::String("on".into()));
        assert_eq!(value("c"), Value::String("2024-01-02".into()));
        assert_eq!(value("d"), Value::Number("0x1F".into()));
        assert_eq!(value("e"), Value::String("1".into()));
        assert_eq!(value("f"), Value::Null);
        assert_eq!(value("g"), Value::Bool(true));
    }

    #[test]
    fn slips_are_explained() {
        let colon = read("name: a\ndescription: Use when: now\n")
            .findings
            .remove(0);
        assert_eq!(colon.code, Code::YAML_UNQUOTED_COLON);
        assert_eq!(colon.span.unwrap().bytes, Some(21..34));
        assert_eq!(
            colon.help.unwrap(),
            "write `description: \"Use when: now\"`"
        );
        assert_eq!(read("a:\n\tb: 1\n").findings[0].code, Code::YAML_TAB);
        let twice = read("a: 1\nb: 2\na: 3\n").findings.remove(0);
        assert_eq!(twice.code, Code::YAML_DUPLICATE_KEY);
        assert_eq!(twice.span.unwrap().bytes, Some(10..11));
        assert_eq!(twice.related[0].span.bytes, Some(0..1));
        assert_eq!(
            read("<<<<<<< HEAD\na: 1\n").findings[0].code,
            Code::YAML_MERGE_CONFLICT
        );
    }

    #[test]
    fn everything_is_bounded() {
        let deep = "[".repeat(200) + &"]".repeat(200);
        assert_eq!(read(&deep).findings[0].code, Code::YAML_TOO_BIG);
        assert_eq!(
            read(&" ".repeat(MAX_BYTES + 1)).findings[0].code,
            Code::YAML_TOO_BIG
        );
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for i in 1..9 {
            let list = vec![format!("*a{}", i - 1); 9].join(", ");
            bomb += &format!("a{i}: &a{i} [{list}]\n");
        }
        assert_eq!(read(&bomb).findings[0].code, Code::YAML_TOO_BIG);
        assert!(read("").value.unwrap().is_map());
        assert_eq!(
            read("a: 1\n---\nb: 2\n").findings[0].code,
            Code::YAML_SYNTAX
        );
    }

    #[test]
    fn spans_count_bytes() {
        let node = read("a: \u{e9}\u{e9}\nb: x\n").value.unwrap();
        assert_eq!(node.get("b").unwrap().span, 11..12);
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in "[-:\\[\\]{}&*!|>'\"#%@,a\u{e9} \t\r\n]{0,60}") {
            let _ = read(&text);
        }
    }
}
