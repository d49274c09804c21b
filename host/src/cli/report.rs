//! Prints an outcome: data on standard output, findings on standard error, or one JSON document.

use std::io::Write as _;

use serde_json::{Value as Json, json};

use super::excerpt;
use crate::diagnostic::{Diagnostic, Severity, Span};
use crate::model::source::Sources;
use crate::verbs::{Exit, Fault, Outcome};

/// An outcome for a fault.
pub(super) fn fault(verb: &'static str, fault: &Fault) -> Outcome {
    let mut outcome = Outcome::new(verb, Json::Object(serde_json::Map::new()), String::new())
        .at_least(fault.exit());
    outcome.findings = vec![fault.diagnostic()];
    outcome
}

/// Prints everything.
pub(super) fn print(
    outcome: &Outcome,
    as_json: bool,
    verbose: bool,
    color: bool,
) -> std::io::Result<()> {
    if let Some(bytes) = &outcome.raw {
        let mut out = std::io::stdout().lock();
        out.write_all(bytes)?;
        return out.flush();
    }
    if as_json {
        let diagnostics: Vec<Json> = outcome
            .findings
            .iter()
            .map(|finding| to_json(finding, &outcome.sources))
            .collect();
        let document = json!({
            "schema": format!("skillset-{}@1", outcome.verb),
            "ok": outcome.exit == Exit::Ok,
            "diagnostics": diagnostics,
            "data": outcome.data,
        });
        let mut out = std::io::stdout().lock();
        writeln!(
            out,
            "{}",
            serde_json::to_string_pretty(&document).unwrap_or_default()
        )?;
        return out.flush();
    }
    let shown = outcome
        .findings
        .iter()
        .filter(|finding| verbose || finding.severity != Severity::Info);
    let text = excerpt::render(shown, &outcome.sources, color);
    std::io::stderr().write_all(text.as_bytes())?;
    let mut out = std::io::stdout().lock();
    if !outcome.human.is_empty() {
        out.write_all(outcome.human.as_bytes())?;
        if !outcome.human.ends_with('\n') {
            out.write_all(b"\n")?;
        }
    }
    out.flush()
}

fn to_json(finding: &Diagnostic, sources: &Sources) -> Json {
    let mut object = serde_json::Map::new();
    object.insert("code".to_owned(), json!(finding.code.name()));
    object.insert("severity".to_owned(), json!(finding.severity));
    object.insert("message".to_owned(), json!(finding.message));
    if let Some(help) = &finding.help {
        object.insert("help".to_owned(), json!(help));
    }
    if let Some(span) = &finding.span {
        object.insert("path".to_owned(), json!(span.path));
        if let Some(bytes) = &span.bytes
            && let (Some(start), Some(end)) = (
                sources.position(&span.path, bytes.start),
                sources.position(&span.path, bytes.end),
            )
        {
            object.insert("line".to_owned(), json!(start.line));
            object.insert("column".to_owned(), json!(start.column));
            object.insert("endLine".to_owned(), json!(end.line));
            object.insert("endColumn".to_owned(), json!(end.column));
        }
    }
    let related: Vec<Json> = finding
        .related
        .iter()
        .map(|related| related_json(&related.span, &related.message, sources))
        .collect();
    object.insert("related".to_owned(), Json::Array(related));
    Json::Object(object)
}

fn related_json(span: &Span, message: &str, sources: &Sources) -> Json {
    let line = span
        .bytes
        .as_ref()
        .and_then(|bytes| sources.position(&span.path, bytes.start))
        .map(|position| position.line);
    match line {
        Some(line) => json!({"path": span.path, "line": line, "message": message}),
        None => json!({"path": span.path, "message": message}),
    }
}
