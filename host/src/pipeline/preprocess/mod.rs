//! Expands the expressions of a body and rewrites its resource links, before any target.
//! In: a document, the tree, the texts. Out: segments and what they depend on. Depends on: model, diagnostic.
//! Never: reads the disk, touches frontmatter, scans a substituted value again.

// reading order
mod scan;
mod expand;
mod expression;
mod partials;
mod output;
mod links;

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, Found, Severity};
use crate::model::id::Sha256;
use crate::model::path::RelPath;
use crate::model::renderer::Segment;
use crate::model::selector::Container;
use crate::model::source::Sources;
use crate::model::tree::SourceTree;
use crate::model::unit::Document;

/// The most bytes that an expanded body may have.
pub const MAX_EXPANDED_BYTES: usize = 8 * 1024 * 1024;

/// The most partials that may lie inside each other.
pub const MAX_DEPTH: usize = 64;

/// The most files that one body may pull in, repetitions counted.
pub const MAX_INCLUSIONS: usize = 10_000;

/// A body and everything that decides what its expressions mean.
#[derive(Debug, Clone, Copy)]
pub struct Body<'a> {
    /// The file.
    pub document: &'a Document,
    /// What owns it; decides what `plugin:` means.
    pub container: &'a Container,
    /// The unit's directory.
    pub directory: &'a RelPath,
    /// Declared resources: `shared:references/a.md` and its place in the unit. A directory stands for all below it.
    pub declared: &'a [(String, RelPath)],
    /// `compile.features.promptArguments`
    pub prompt_arguments: bool,
    /// The file's own `skillset.preprocess`. Links are rewritten in any case.
    pub preprocess: bool,
}

/// A body with nothing left to expand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preprocessed {
    /// Text and prompt arguments.
    pub segments: Vec<Segment>,
    /// Every file and tree listing that was used, sorted: a path, or `tree:<dir>:<depth>`.
    pub dependencies: Vec<(String, Sha256)>,
}

/// The world of one expansion.
#[derive(Clone, Copy)]
struct Context<'a> {
    body: Body<'a>,
    tree: &'a SourceTree,
    sources: &'a Sources,
}

/// What gathers while a body is expanded.
#[derive(Default)]
struct Record {
    dependencies: BTreeMap<String, Sha256>,
    findings: Vec<Diagnostic>,
}

/// Expands a body. The value is `None` when an error was found.
#[must_use]
pub fn preprocess(
    body: Body<'_>,
    tree: &SourceTree,
    sources: &Sources,
) -> Found<Option<Preprocessed>> {
    let context = Context {
        body,
        tree,
        sources,
    };
    let mut record = Record::default();
    let mut output = output::Output::default();
    let start = body.document.body_start as usize;
    let text = body.document.text.get(start..).unwrap_or_default();
    if body.preprocess {
        expand::expand(context, text, start, &mut output, &mut record);
    } else {
        output.push_source(&body.document.path, start, text);
    }
    let edits = links::edits(context, &output, &mut record.findings);
    let segments = output.finish(&edits);
    let failed = record
        .findings
        .iter()
        .any(|finding| finding.severity == Severity::Error);
    let dependencies = record.dependencies.into_iter().collect();
    Found {
        value: (!failed).then_some(Preprocessed {
            segments,
            dependencies,
        }),
        findings: record.findings,
    }
}

#[cfg(test)]
mod tests;
