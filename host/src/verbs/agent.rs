//! What an agent sees: `discover`, `read`, `prompt`, `invoke`, `context`. They need no workspace.

use serde_json::json;

use super::{Exit, Outcome};
use crate::diagnostic::Diagnostic;
use crate::model::source::Sources;
use crate::runtime::{self, Discovered, Overrides, Places, Settings};

/// Where to look, and the options that count most.
#[derive(Debug, Clone)]
pub struct Request {
    /// Home, working directory and so on.
    pub places: Places,
    /// Toggles and filters.
    pub overrides: Overrides,
}

impl Request {
    fn discover(&self) -> (Settings, Discovered, Vec<Diagnostic>) {
        let (settings, warnings) = runtime::load_settings(&self.places, &self.overrides);
        let found = runtime::discover(&settings);
        let findings = warnings
            .iter()
            .chain(&found.warnings)
            .map(runtime::Warning::to_diagnostic)
            .collect();
        (settings, found, findings)
    }
}

/// Lists the skills that an agent is offered, in order.
#[must_use]
pub fn discover(request: &Request) -> Outcome {
    let (_, found, findings) = request.discover();
    let lines: Vec<String> = found
        .skills
        .iter()
        .map(|skill| {
            format!("{:<32} {}", skill.name, skill.description)
                .trim_end()
                .to_owned()
        })
        .collect();
    let data = serde_json::to_value(&found).unwrap_or_default();
    Outcome::new("discover", data, lines.join("\n")).with_findings(findings, Sources::default())
}

/// Reads a `skill://` URL; `raw` prints the bytes and nothing else.
#[must_use]
pub fn read(request: &Request, url: &str, raw: bool) -> Outcome {
    let (_, found, _) = request.discover();
    let result = if raw {
        runtime::read_bytes(&found, url).map(|(_, bytes)| {
            let mut outcome = Outcome::new("read", json!({}), String::new());
            outcome.raw = Some(bytes);
            outcome
        })
    } else {
        runtime::read(&found, url).map(|result| {
            let human = result.text.clone();
            Outcome::new(
                "read",
                serde_json::to_value(&result).unwrap_or_default(),
                human,
            )
        })
    };
    result.unwrap_or_else(|error| {
        let exit = if error.is_refusal() {
            Exit::Refused
        } else {
            Exit::Findings
        };
        Outcome::new("read", json!({}), String::new())
            .with_findings(vec![error.to_diagnostic()], Sources::default())
            .at_least(exit)
    })
}

/// The list of skills as the system prompt has it; empty without a read tool.
#[must_use]
pub fn prompt(request: &Request, has_read_tool: bool) -> Outcome {
    let (_, found, findings) = request.discover();
    let text = runtime::compose_prompt(&found.skills, has_read_tool);
    Outcome::new("prompt", json!({ "text": text }), text.clone())
        .with_findings(findings, Sources::default())
}

/// The message that `/skill:<name> [args]` puts into a conversation.
#[must_use]
pub fn invoke(request: &Request, text: &str) -> Outcome {
    let (settings, found, _) = request.discover();
    match runtime::invoke(&found, &settings, text) {
        Ok(invocation) => {
            let human = invocation.message.clone();
            Outcome::new(
                "invoke",
                serde_json::to_value(&invocation).unwrap_or_default(),
                human,
            )
        }
        Err(error) => {
            let unmatched = runtime::Invocation::unmatched(text);
            Outcome::new(
                "invoke",
                serde_json::to_value(&unmatched).unwrap_or_default(),
                String::new(),
            )
            .with_findings(vec![error.to_diagnostic()], Sources::default())
            .at_least(Exit::Findings)
        }
    }
}

/// The context files from the working directory upwards, nearest first.
#[must_use]
pub fn context(request: &Request) -> Outcome {
    let (settings, mut warnings) = runtime::load_settings(&request.places, &request.overrides);
    let found = runtime::find_context_files(&settings);
    warnings.extend(found.warnings.iter().cloned());
    let findings = warnings
        .iter()
        .map(runtime::Warning::to_diagnostic)
        .collect();
    let lines: Vec<&str> = found.files.iter().map(|file| file.path.as_str()).collect();
    let human = lines.join("\n");
    Outcome::new(
        "context",
        serde_json::to_value(&found).unwrap_or_default(),
        human,
    )
    .with_findings(findings, Sources::default())
}
