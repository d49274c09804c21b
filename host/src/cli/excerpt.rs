//! Findings for people: code, place, the line with a caret, help.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::diagnostic::{Diagnostic, Severity};
use crate::model::source::Sources;

/// A longer line is not shown.
const MAX_LINE_BYTES: usize = 400;

/// All findings, each followed by a blank line.
pub(super) fn render<'a>(
    findings: impl Iterator<Item = &'a Diagnostic>,
    sources: &Sources,
    color: bool,
) -> String {
    let renderer = if color {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let mut text = String::new();
    for finding in findings {
        text.push_str(&one(finding, sources, &renderer));
        text.push_str("\n\n");
    }
    text
}

fn one(finding: &Diagnostic, sources: &Sources, renderer: &Renderer) -> String {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    };
    let place = finding
        .span
        .as_ref()
        .map(|span| (span, sources.get(&span.path)));
    let mut message = finding.message.clone();
    let mut snippet = None;
    match place {
        Some((span, Some(source)))
            if span
                .bytes
                .as_ref()
                .is_some_and(|bytes| is_shown(source, bytes.start)) =>
        {
            let bytes = span.bytes.clone().unwrap_or(0..0);
            let start = source.floor_char_boundary(bytes.start as usize);
            // One line is enough: a caret below the end of a long value helps nobody.
            let line_end = source[start..]
                .find(['\n', '\r'])
                .map_or(source.len(), |index| start + index);
            let end = source
                .floor_char_boundary(bytes.end as usize)
                .clamp(start, line_end);
            snippet = Some(
                Snippet::source(source.as_ref())
                    .path(span.path.as_str())
                    .annotation(AnnotationKind::Primary.span(start..end)),
            );
        }
        Some((span, _)) if !message.contains(span.path.as_str()) => {
            message = format!("{}: {message}", span.path);
        }
        Some(_) => {}
        None => {}
    }
    let mut group = level
        .primary_title(message.as_str())
        .id(finding.code.name())
        .elements(snippet);
    for related in &finding.related {
        let line = related
            .span
            .bytes
            .as_ref()
            .and_then(|bytes| sources.position(&related.span.path, bytes.start));
        let place = line.map_or_else(
            || related.span.path.to_string(),
            |at| format!("{}:{}:{}", related.span.path, at.line, at.column),
        );
        group = group.element(Level::NOTE.message(format!("{place}: {}", related.message)));
    }
    if let Some(help) = &finding.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    renderer.render(&[group])
}

fn is_shown(source: &str, offset: u32) -> bool {
    let start = source.floor_char_boundary(offset as usize);
    let line_start = source[..start].rfind('\n').map_or(0, |index| index + 1);
    let line_end = source[start..]
        .find('\n')
        .map_or(source.len(), |index| start + index);
    line_end - line_start <= MAX_LINE_BYTES
}
