//! `check`: validates the source, and compares the outputs with what a build would write.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::workspace::{Environment, Fault};
use super::{Exit, Outcome};
use crate::diagnostic::{Code, Diagnostic, Severity, Span};
use crate::pipeline::apply;
use crate::pipeline::compile;
use crate::pipeline::outputs;
use crate::pipeline::plan::{DriftEntry, DriftKind};

/// Checks source and outputs, or only outputs.
///
/// # Errors
/// When the workspace cannot be read.
pub fn run(environment: &Environment, only_outputs: bool) -> Result<Outcome, Fault> {
    let root = environment.open()?;
    if let Some(unfinished) = apply::pending(&root)? {
        return Err(Fault::Unfinished(unfinished.to_string()));
    }
    let renderers = environment.builtin_renderers()?;
    let pool = environment.pool()?;
    let report = compile::compile(&root, &renderers, BTreeMap::new(), &pool)?;
    let mut findings = report.findings;
    let Some(compiled) = report.value else {
        let outcome =
            Outcome::new("check", json!({"findings": []}), String::new()).at_least(Exit::Findings);
        return Ok(outcome.with_findings(findings, report.sources));
    };
    findings.extend(compile::skipped(&compiled.broken));
    if only_outputs {
        findings.retain(|finding| {
            finding.severity == Severity::Error || finding.code == Code::UNIT_SKIPPED
        });
    }
    let before = outputs::before(&root, &compiled, &renderers)?;
    let untrusted = before.locks.untrusted;
    let drift = if untrusted {
        Vec::new()
    } else {
        before.drift(&compiled)
    };
    let mut rows: Vec<Json> = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .map(source_row)
        .collect();
    rows.extend(
        drift
            .iter()
            .filter_map(|entry| serde_json::to_value(entry).ok()),
    );
    findings.extend(drift.iter().map(finding));
    findings.extend(before.findings);
    let mut human = String::new();
    for entry in &drift {
        let kind = serde_json::to_value(entry.kind)
            .ok()
            .and_then(|kind| kind.as_str().map(str::to_owned))
            .unwrap_or_default();
        let _ = writeln!(human, "{kind:<10} {}", entry.path);
    }
    let files: usize = compiled.items.iter().map(|item| item.files.len()).sum();
    let wrong = drift
        .iter()
        .filter(|entry| entry.kind != DriftKind::Unmanaged)
        .count();
    let _ = write!(human, "{files} outputs, {wrong} differ");
    let mut outcome = Outcome::new("check", json!({ "findings": rows }), human)
        .with_findings(findings, report.sources);
    if untrusted {
        outcome = outcome.at_least(Exit::Refused);
    }
    Ok(outcome)
}

fn source_row(finding: &Diagnostic) -> Json {
    json!({
        "kind": "source",
        "path": finding.span.as_ref().map(|span| span.path.to_string()).unwrap_or_default(),
        "code": finding.code.name(),
        "fix": finding.help.clone().unwrap_or_default(),
    })
}

fn finding(entry: &DriftEntry) -> Diagnostic {
    let (code, what) = match entry.kind {
        DriftKind::Missing => (Code::OUTPUT_MISSING, "is missing"),
        DriftKind::Stale => (Code::OUTPUT_STALE, "is out of date"),
        DriftKind::Edited => (Code::OUTPUT_EDITED, "was edited"),
        DriftKind::Mode => (Code::OUTPUT_MODE, "has another mode"),
        DriftKind::Unmanaged => (Code::OUTPUT_UNMANAGED, "is not ours"),
    };
    let owner = entry
        .selector
        .as_ref()
        .map_or_else(String::new, |selector| format!(" (`{selector}`)"));
    Diagnostic::new(code, format!("`{}` {what}{owner}", entry.path))
        .at(Span::whole(&entry.path))
        .help(entry.fix.clone())
}
