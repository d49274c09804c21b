//! Findings about the author's input: values, many at once, with places.
//! In: what a stage noticed. Out: an ordered report. Depends on: model::path. Never: prints.

// reading order
mod codes;
mod nearest;

pub use codes::{Code, Severity};
pub use nearest::nearest;

use std::ops::Range;

use crate::model::path::RelPath;

/// A place in an authored file. Line and column are computed when it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The file.
    pub path: RelPath,
    /// Byte offsets; `None` means the file as a whole.
    pub bytes: Option<Range<u32>>,
}

impl Span {
    /// Some bytes of a file.
    #[must_use]
    pub fn new(path: &RelPath, bytes: Range<u32>) -> Self {
        Self {
            path: path.clone(),
            bytes: Some(bytes),
        }
    }

    /// A file or folder as a whole.
    #[must_use]
    pub fn whole(path: &RelPath) -> Self {
        Self {
            path: path.clone(),
            bytes: None,
        }
    }
}

/// Another place that belongs to a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// Where.
    pub span: Span,
    /// What stands there.
    pub message: String,
}

/// One finding. The message is one sentence without a full stop; help says how to mend it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable.
    pub code: Code,
    /// The code's own, unless a policy changed it.
    pub severity: Severity,
    /// What is wrong, with both places when two things clash.
    pub message: String,
    /// Where.
    pub span: Option<Span>,
    /// What to do.
    pub help: Option<String>,
    /// Other places.
    pub related: Vec<Related>,
}

impl Diagnostic {
    /// A finding with the severity of its code.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            message: message.into(),
            span: None,
            help: None,
            related: Vec::new(),
        }
    }

    /// Says where.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Names another place.
    #[must_use]
    pub fn related(mut self, span: Span, message: impl Into<String>) -> Self {
        self.related.push(Related {
            span,
            message: message.into(),
        });
        self
    }

    /// Changes the severity, as a policy may.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }
}

/// A value and what was noticed on the way to it.
#[derive(Debug, Clone, Default)]
pub struct Found<T> {
    /// What could be made of the input.
    pub value: T,
    /// What was noticed.
    pub findings: Vec<Diagnostic>,
}

impl<T> Found<T> {
    /// A value with nothing to say about it.
    pub fn clean(value: T) -> Self {
        Self {
            value,
            findings: Vec::new(),
        }
    }
}

/// Orders findings by path, place and code, and drops repetitions. The result never depends on threads.
pub fn sort(findings: &mut Vec<Diagnostic>) {
    findings.sort_by(|a, b| key(a).cmp(&key(b)));
    findings.dedup();
}

/// A finding without a place, such as a summary, comes last.
fn key(finding: &Diagnostic) -> (bool, Option<&RelPath>, u32, u32, &'static str, &str) {
    let span = finding.span.as_ref();
    let bytes = span.and_then(|s| s.bytes.clone()).unwrap_or(0..0);
    (
        span.is_none(),
        span.map(|s| &s.path),
        bytes.start,
        bytes.end,
        finding.code.name(),
        &finding.message,
    )
}
