//! Rewrites `shared:` and `plugin:` link destinations; every other byte stays.

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use super::Context;
use super::output::{Edit, Output};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::path::RelPath;

/// A destination as written: where it stands and whether angle brackets enclose it.
struct Destination {
    start: usize,
    end: usize,
    angled: bool,
}

/// The edits of an expanded body, in order.
pub(super) fn edits(
    context: Context<'_>,
    output: &Output,
    findings: &mut Vec<Diagnostic>,
) -> Vec<Edit> {
    let text = output.text();
    let mut edits = Vec::new();
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
    let parser = Parser::new_ext(text, options);
    let mut found: Vec<(Destination, Option<std::ops::Range<usize>>)> = parser
        .reference_definitions()
        .iter()
        .filter_map(|(_, definition)| {
            let start = definition_destination(text, definition.span.clone())?;
            Some((destination(text, start, definition.span.end)?, None))
        })
        .collect();
    // The end of the last child of each open link: the destination stands after it.
    let mut open: Vec<usize> = Vec::new();
    for (event, range) in parser.into_offset_iter() {
        match event {
            Event::Start(Tag::Link { link_type, .. } | Tag::Image { link_type, .. }) => {
                open.push(range.start + 1);
                if link_type == LinkType::Autolink {
                    let inner = Destination {
                        start: range.start + 1,
                        end: range.end.saturating_sub(1),
                        angled: true,
                    };
                    found.push((inner, Some(range)));
                }
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                let after = open.pop().unwrap_or(range.start);
                let inline = text
                    .get(after..range.end)
                    .and_then(|rest| rest.find("](").map(|at| after + at + 2));
                if let Some(inline) = inline.filter(|_| text[..range.end].ends_with(')'))
                    && let Some(destination) = destination(text, inline, range.end)
                {
                    found.push((destination, None));
                }
                if let Some(last) = open.last_mut() {
                    *last = (*last).max(range.end);
                }
            }
            _ => {
                if let Some(last) = open.last_mut() {
                    *last = (*last).max(range.end);
                }
            }
        }
    }
    found.sort_by_key(|(destination, _)| destination.start);
    for (destination, auto) in found {
        let raw = &text[destination.start..destination.end];
        match rewritten(context, raw) {
            Ok(None) => {}
            Ok(Some(new)) => {
                let written = if destination.angled || !new.contains([' ', '(', ')', '<', '>']) {
                    new
                } else {
                    format!("<{new}>")
                };
                edits.push(match auto {
                    // A path is no autolink: it needs the long form.
                    Some(range) => Edit {
                        range,
                        text: format!("[{written}](<{written}>)"),
                    },
                    None => Edit {
                        range: destination.start..destination.end,
                        text: written,
                    },
                });
            }
            Err(finding) => {
                let span = output.span(destination.start..destination.end);
                findings.push(match span {
                    Some(span) => finding.at(span),
                    None => finding,
                });
            }
        }
    }
    edits
}

/// Where the destination of `[label]: destination` begins.
fn definition_destination(text: &str, span: std::ops::Range<usize>) -> Option<usize> {
    let slice = text.get(span.clone())?;
    let mut escaped = false;
    for (at, c) in slice.char_indices() {
        if !escaped && c == ']' && slice[at + 1..].starts_with(':') {
            return Some(span.start + at + 2);
        }
        escaped = c == '\\' && !escaped;
    }
    None
}

/// Reads the destination that begins at or after `start`, as CommonMark does.
fn destination(text: &str, start: usize, end: usize) -> Option<Destination> {
    let rest = text.get(start..end)?;
    // A definition in a block quote may continue on the next line behind `>`.
    let trimmed = rest.trim_start_matches([' ', '\t', '\n', '>']);
    let start = start + (rest.len() - trimmed.len());
    let (angled, start, rest) = match trimmed.strip_prefix('<') {
        Some(inner) => (true, start + 1, inner),
        None => (false, start, trimmed),
    };
    let (mut escaped, mut depth) = (false, 0_u32);
    let length = rest.char_indices().find_map(|(at, c)| {
        let stop = !escaped
            && match c {
                '>' if angled => true,
                '\n' => true,
                '(' if !angled => {
                    depth += 1;
                    false
                }
                ')' if !angled => {
                    let closes = depth == 0;
                    depth = depth.saturating_sub(1);
                    closes
                }
                _ => !angled && c.is_whitespace(),
            };
        escaped = c == '\\' && !escaped;
        stop.then_some(at)
    });
    let end = start + length.unwrap_or(rest.len());
    Some(Destination { start, end, angled })
}

/// The new destination; `None` when the old one stays.
fn rewritten(context: Context<'_>, raw: &str) -> Result<Option<String>, Diagnostic> {
    let cut = raw.find(['#', '?']).unwrap_or(raw.len());
    let (path, tail) = raw.split_at(cut);
    let Some((scheme, rest)) = ["shared", "plugin"]
        .into_iter()
        .find_map(|s| Some((s, path.strip_prefix(s)?.strip_prefix(':')?)))
    else {
        return leaves(context, path);
    };
    let reference = format!("{scheme}:{}", tidy(rest));
    let plain = format!("{scheme}:{}", tidy(&decoded(rest)));
    let declared = context.body.declared;
    match mapped(declared, &reference).or_else(|| mapped(declared, &plain)) {
        Some(place) => Ok(Some(format!("{place}{tail}"))),
        None => Err(Diagnostic::new(
            Code::RESOURCE_UNDECLARED_LINK,
            format!("the link names `{reference}`, which is not declared in `resources`"),
        )
        .help(declaration(&reference))),
    }
}

/// A warning when a relative link leads out of the skill.
fn leaves(context: Context<'_>, path: &str) -> Result<Option<String>, Diagnostic> {
    let relative = !path.is_empty()
        && !path.starts_with(['/', '\\'])
        && !path.split('/').next().is_some_and(|p| p.contains(':'));
    if !relative || !path.split('/').any(|part| part == "..") {
        return Ok(None);
    }
    let mut parts: Vec<String> = Vec::new();
    let mut out = false;
    let mut above: Vec<String> = context
        .body
        .directory
        .components()
        .map(str::to_owned)
        .collect();
    for part in decoded(path).split('/') {
        match part {
            "" | "." => {}
            ".." if parts.pop().is_some() => {}
            ".." => {
                out = true;
                above.pop();
            }
            _ => parts.push(part.to_owned()),
        }
    }
    if !out {
        return Ok(None);
    }
    above.append(&mut parts);
    let target = above.join("/");
    let finding = Diagnostic::new(
        Code::LINK_LEAVES_SKILL,
        format!("the link `{path}` leaves the skill, which is copied without what it names"),
    );
    let own = context
        .body
        .container
        .plugin()
        .map(|id| format!(".skillset/plugins/{id}/shared/"));
    let reference = target
        .strip_prefix(".skillset/shared/")
        .map(|rest| format!("shared:{rest}"))
        .or_else(|| Some(format!("plugin:{}", target.strip_prefix(own?.as_str())?)));
    Err(match reference {
        Some(reference) => finding.help(format!("{} and link to `{reference}`", declaration(&reference))),
        None => finding.help("put the file below `.skillset/shared/`, declare it in `resources` and link to `shared:<path>`"),
    })
}

/// The place of a declared reference, or of a file below a declared directory.
pub(super) fn mapped(declared: &[(String, RelPath)], reference: &str) -> Option<String> {
    let reference = reference.trim_end_matches('/');
    declared
        .iter()
        .find(|(from, _)| from == reference)
        .map(|(_, to)| to.to_string())
        .or_else(|| {
            declared.iter().find_map(|(from, to)| {
                let rest = reference.strip_prefix(from.as_str())?.strip_prefix('/')?;
                to.join(rest).ok().map(|place| place.to_string())
            })
        })
}

/// The line that declares a resource.
pub(super) fn declaration(reference: &str) -> String {
    let name = reference.rsplit('/').next().unwrap_or(reference);
    let group = match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "sh" | "bash" | "zsh" | "py" | "rb" | "pl" | "js" | "ts" | "mjs" => "scripts",
        "png" | "jpg" | "jpeg" | "gif" | "svg" | "webp" | "pdf" => "assets",
        "md" => "references",
        _ => "templates",
    };
    format!("declare it: `resources: {{{group}: [\"{reference}\"]}}`")
}

/// A path without `.` and empty components.
fn tidy(path: &str) -> String {
    path.split('/')
        .filter(|part| !matches!(*part, "" | "."))
        .collect::<Vec<_>>()
        .join("/")
}

/// Percent escapes and backslash escapes undone, where they make text.
fn decoded(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let escape = path
            .get(at + 1..at + 3)
            .filter(|_| *byte == b'%')
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        let punctuation = bytes
            .get(at + 1)
            .filter(|next| *byte == b'\\' && next.is_ascii_punctuation());
        let (value, step) = match (escape, punctuation) {
            (Some(value), _) => (value, 3),
            (None, Some(next)) => (*next, 2),
            (None, None) => (*byte, 1),
        };
        plain.push(value);
        at += step;
    }
    String::from_utf8(plain).unwrap_or_else(|_| path.to_owned())
}
