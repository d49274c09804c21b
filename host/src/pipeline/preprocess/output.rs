//! The growing result: text, where each part came from, and where prompt arguments stand in it.

use std::ops::Range;

use serde_json::Value as Json;

use crate::diagnostic::Span;
use crate::model::path::RelPath;
use crate::model::renderer::{Argument, Segment};

/// A replacement of some bytes of the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

/// Where a stretch of the output came from.
struct Origin {
    start: usize,
    path: RelPath,
    offset: usize,
    /// Copied byte for byte; else the whole stretch belongs to one place.
    verbatim: bool,
}

/// The expanded body before links are rewritten. Prompt arguments stand in it by their literals.
#[derive(Default)]
pub(super) struct Output {
    text: String,
    marks: Vec<(Range<usize>, Argument)>,
    origins: Vec<Origin>,
    fences: Fences,
    /// A fenced block was just written; what follows on its line goes to a line of its own, behind this prefix.
    pending: Option<String>,
}

impl Output {
    /// Everything so far.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Copies source text, with every line ending turned into a line feed.
    pub(super) fn push_source(&mut self, path: &RelPath, offset: usize, text: &str) {
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            let line = rest.find('\r').unwrap_or(rest.len());
            self.push(path, offset + at, &rest[..line], true);
            at += line;
            if line < rest.len() {
                self.push(path, offset + at, "\n", true);
                at += if rest[line..].starts_with("\r\n") {
                    2
                } else {
                    1
                };
            }
        }
    }

    /// Adds a value that stands for the expression at a place.
    pub(super) fn push_value(&mut self, path: &RelPath, offset: usize, text: &str) {
        if text.contains('\r') {
            self.push(
                path,
                offset,
                &text.replace("\r\n", "\n").replace('\r', "\n"),
                false,
            );
        } else {
            self.push(path, offset, text, false);
        }
    }

    fn push(&mut self, path: &RelPath, offset: usize, text: &str, verbatim: bool) {
        let mut text = text;
        let mut offset = offset;
        if let Some(prefix) = self.pending.take() {
            let rest = text.trim_start_matches([' ', '\t']);
            offset += if verbatim { text.len() - rest.len() } else { 0 };
            text = rest;
            if text.is_empty() {
                self.pending = Some(prefix);
            } else if !text.starts_with('\n') {
                self.break_line(&prefix);
            }
        }
        if !text.is_empty() {
            self.origins.push(Origin {
                start: self.text.len(),
                path: path.clone(),
                offset,
                verbatim,
            });
            self.text.push_str(text);
        }
    }

    /// An empty line and the beginning of another, inside the same quote or list item.
    fn break_line(&mut self, prefix: &str) {
        self.text.push('\n');
        self.text.push_str(prefix.trim_end());
        self.text.push('\n');
        self.text.push_str(prefix);
    }

    /// Adds a prompt argument.
    pub(super) fn push_marker(
        &mut self,
        path: &RelPath,
        offset: usize,
        argument: Argument,
        literal: &str,
    ) {
        self.push(path, offset, literal, false);
        self.marks
            .push((self.text.len() - literal.len()..self.text.len(), argument));
    }

    /// Adds a list or mapping in the form that its surroundings need.
    pub(super) fn push_structure(&mut self, path: &RelPath, offset: usize, value: &Json) {
        if let Some(prefix) = self.pending.take() {
            self.break_line(&prefix);
        }
        let pretty = format!("{value:#}");
        let compact = value.to_string();
        let fenced = self.fences.open_at_end(&self.text);
        let line_start = self.text.rfind('\n').map_or(0, |at| at + 1);
        let line = &self.text[line_start..];
        let prefix = container_prefix(line, !fenced);
        let content = line[prefix.len()..].to_owned();
        let separator = format!("\n{prefix}");
        if fenced {
            self.push(path, offset, &pretty.replace('\n', &separator), false);
        } else if content.matches('`').count() % 2 == 1 {
            self.push(path, offset, &compact, false);
        } else if content.starts_with(['|', '#']) {
            self.push(path, offset, &format!("`{compact}`"), false);
        } else {
            if !content.trim().is_empty() {
                self.text
                    .truncate(self.text.trim_end_matches([' ', '\t']).len());
                self.break_line(&prefix);
            }
            let block = format!("```json\n{pretty}\n```").replace('\n', &separator);
            self.push(path, offset, &block, false);
            self.pending = Some(prefix);
        }
    }

    /// Where a byte of the output came from.
    pub(super) fn span(&self, range: Range<usize>) -> Option<Span> {
        let index = self
            .origins
            .partition_point(|origin| origin.start <= range.start)
            .checked_sub(1)?;
        let origin = &self.origins[index];
        let start = origin.offset
            + if origin.verbatim {
                range.start - origin.start
            } else {
                0
            };
        let end = start + if origin.verbatim { range.len() } else { 0 };
        Some(Span::new(
            &origin.path,
            u32::try_from(start).ok()?..u32::try_from(end).ok()?,
        ))
    }

    /// Applies edits (in order, apart from each other), trims the body and cuts it at the prompt arguments.
    pub(super) fn finish(&self, edits: &[Edit]) -> Vec<Segment> {
        let end = self.text.trim_end().len();
        let content = self.text.len() - self.text.trim_start().len();
        let start = self.text[..content.min(end)]
            .rfind('\n')
            .map_or(0, |at| at + 1);
        if start >= end {
            return Vec::new();
        }
        let mut segments = Vec::new();
        let mut edits = edits.iter().peekable();
        let mut text = String::new();
        let mut at = start;
        let stops = self.marks.iter().map(Some).chain([None]);
        for mark in stops {
            let stop = mark.map_or(end, |(range, _)| range.start);
            while let Some(edit) = edits.next_if(|edit| edit.range.start < stop) {
                if edit.range.start >= at && edit.range.end <= stop {
                    text.push_str(&self.text[at..edit.range.start]);
                    text.push_str(&edit.text);
                    at = edit.range.end;
                }
            }
            text.push_str(&self.text[at..stop]);
            if let Some((range, argument)) = mark {
                if !text.is_empty() {
                    segments.push(Segment::Text(std::mem::take(&mut text)));
                }
                segments.push(Segment::Marker {
                    argument: argument.clone(),
                    literal: self.text[range.clone()].to_owned(),
                });
                at = range.end;
            }
        }
        text.push('\n');
        segments.push(Segment::Text(text));
        segments
    }
}

/// What further lines of the same quote or list item begin with.
fn container_prefix(line: &str, lists: bool) -> String {
    let mut prefix = String::new();
    let mut rest = line;
    loop {
        let blank = rest.len() - rest.trim_start_matches([' ', '\t', '>']).len();
        prefix.push_str(&rest[..blank]);
        rest = &rest[blank..];
        let marker = if lists { list_marker(rest) } else { 0 };
        if marker == 0 {
            return prefix;
        }
        prefix.push_str(&" ".repeat(marker));
        rest = &rest[marker..];
    }
}

/// The length of a list marker with one blank, or 0.
fn list_marker(rest: &str) -> usize {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let sign = if (1..=9).contains(&digits) {
        rest[digits..].starts_with(['.', ')'])
    } else {
        digits == 0 && rest.starts_with(['-', '*', '+'])
    };
    if sign && rest[digits + 1..].starts_with(' ') {
        digits + 2
    } else {
        0
    }
}

/// Follows code fences line by line, so that each line is looked at once.
#[derive(Default)]
struct Fences {
    at: usize,
    open: Option<(char, usize)>,
}

impl Fences {
    fn open_at_end(&mut self, text: &str) -> bool {
        while let Some(length) = text.get(self.at..).and_then(|rest| rest.find('\n')) {
            self.line(&text[self.at..self.at + length]);
            self.at += length + 1;
        }
        self.open.is_some()
    }

    fn line(&mut self, line: &str) {
        let content = &line[container_prefix(line, self.open.is_none()).len()..];
        let Some(sign) = content.chars().next().filter(|c| matches!(c, '`' | '~')) else {
            return;
        };
        let run = content.chars().take_while(|c| *c == sign).count();
        let info = &content[run..];
        match self.open {
            None if run >= 3 && !(sign == '`' && info.contains('`')) => {
                self.open = Some((sign, run));
            }
            Some((open, length)) if open == sign && run >= length && info.trim().is_empty() => {
                self.open = None;
            }
            _ => {}
        }
    }
}
