//! The result of a verb: data for programs, text for people, findings, an exit.

use serde_json::Value as Json;

use crate::diagnostic::{Diagnostic, Severity};
use crate::model::source::Sources;

/// How a command ends (`spec/08`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Fine.
    Ok,
    /// Source errors, drift, a failed check, something left out.
    Findings,
    /// Wrong usage, or no workspace.
    Usage,
    /// A stale or blocked plan, a damaged lock.
    Refused,
    /// Input, output, permissions, an unfinished write.
    Environment,
}

impl Exit {
    /// The number for the shell.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Findings => 1,
            Self::Usage => 2,
            Self::Refused => 3,
            Self::Environment => 4,
        }
    }
}

/// What a verb returns.
#[derive(Debug)]
pub struct Outcome {
    /// The verb, for the name of the JSON envelope.
    pub verb: &'static str,
    /// How the command ends.
    pub exit: Exit,
    /// `data` of the envelope.
    pub data: Json,
    /// What people read on standard output.
    pub human: String,
    /// In report order.
    pub findings: Vec<Diagnostic>,
    /// For excerpts.
    pub sources: Sources,
    /// Bytes that replace everything on standard output.
    pub raw: Option<Vec<u8>>,
}

impl Outcome {
    /// An outcome without findings.
    #[must_use]
    pub fn new(verb: &'static str, data: Json, human: String) -> Self {
        Self {
            verb,
            exit: Exit::Ok,
            data,
            human,
            findings: Vec::new(),
            sources: Sources::default(),
            raw: None,
        }
    }

    /// Adds findings in report order; an error among them makes the exit at least `Findings`.
    #[must_use]
    pub fn with_findings(mut self, mut findings: Vec<Diagnostic>, sources: Sources) -> Self {
        crate::diagnostic::sort(&mut findings);
        if findings
            .iter()
            .any(|finding| finding.severity == Severity::Error)
        {
            self.exit = self.exit.max(Exit::Findings);
        }
        self.findings = findings;
        self.sources = sources;
        self
    }

    /// Makes the exit at least this one.
    #[must_use]
    pub fn at_least(mut self, exit: Exit) -> Self {
        self.exit = self.exit.max(exit);
        self
    }
}
