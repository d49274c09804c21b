//! `explain-code`: what a code means and how to mend it. The pages are `docs/codes/*.md`.

use serde_json::json;

use super::{Exit, Outcome};
use crate::diagnostic::{Code, Severity, nearest};

/// Explains one code, or lists all.
#[must_use]
pub fn run(code: Option<&str>) -> Outcome {
    let Some(name) = code else {
        let lines: Vec<String> = Code::all()
            .iter()
            .map(|code| format!("{:<36} {}", code.name(), code.title()))
            .collect();
        let codes: Vec<_> = Code::all()
            .iter()
            .map(|code| json!({"code": code.name(), "title": code.title()}))
            .collect();
        return Outcome::new("explain-code", json!({ "codes": codes }), lines.join("\n"));
    };
    match Code::find(name) {
        Some(code) => {
            let severity = match code.severity() {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info => "info",
            };
            let human = format!("{}: {severity}\n\n{}.", code.name(), code.title());
            Outcome::new(
                "explain-code",
                json!({"code": code.name(), "severity": severity, "title": code.title()}),
                human,
            )
        }
        None => {
            let near = nearest(name, Code::all().iter().map(|code| code.name()));
            let hint = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            Outcome::new(
                "explain-code",
                json!({}),
                format!("there is no code `{name}`{hint}"),
            )
            .at_least(Exit::Usage)
        }
    }
}
