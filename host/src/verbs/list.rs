//! `list`: units with their groups, drafts, targets and places. No renderer runs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::workspace::{Environment, Fault};
use super::{Exit, Outcome};
use crate::model::selector::Selector;
use crate::model::unit::SkillUnit;
use crate::pipeline::compile::{self, Settled};

/// A rough number of bytes for one token of English text.
const BYTES_PER_TOKEN: usize = 4;

/// Lists every unit.
///
/// # Errors
/// When the workspace cannot be read.
pub fn run(environment: &Environment) -> Result<Outcome, Fault> {
    let root = environment.open()?;
    let renderers = environment.builtin_renderers()?;
    let report = compile::settle(&root, &renderers, BTreeMap::new())?;
    let Some(settled) = report.value else {
        let outcome =
            Outcome::new("list", json!({"units": []}), String::new()).at_least(Exit::Findings);
        return Ok(outcome.with_findings(report.findings, report.sources));
    };
    let mut rows = Vec::new();
    let mut human = String::new();
    for skill in &settled.units.skills {
        let (targets, outputs) = skill_places(&settled, &skill.selector);
        human.push_str(&skill_line(skill, &targets));
        let built = !targets.is_empty();
        rows.push(json!({
            "selector": skill.selector,
            "kind": "skill",
            "path": skill.directory,
            "group": skill.groups,
            "draft": draft_json(skill),
            "targets": targets,
            "outputs": outputs,
            "built": built,
            "bytes": skill.files.iter().map(|file| file.file.size).sum::<u64>(),
            "tokens": tokens(skill),
        }));
    }
    for plugin in &settled.units.plugins {
        let selector = Selector::Plugin(plugin.id.clone());
        let found = settled
            .resolved
            .plugins
            .iter()
            .find(|resolved| resolved.unit.id == plugin.id);
        let targets: BTreeSet<String> = found
            .iter()
            .flat_map(|p| &p.jobs)
            .map(|job| job.target.to_string())
            .collect();
        let outputs: BTreeSet<String> = found
            .iter()
            .flat_map(|p| &p.jobs)
            .map(|job| job.place.directory.to_string())
            .collect();
        let _ = writeln!(
            human,
            "{:<40}  {}",
            selector.to_string(),
            targets.iter().cloned().collect::<Vec<_>>().join(" ")
        );
        let built = !targets.is_empty();
        rows.push(json!({
            "selector": selector, "kind": "plugin", "path": plugin.config.directory, "group": [], "draft": null,
            "targets": targets, "outputs": outputs, "built": built,
        }));
    }
    let broken = settled.resolved.broken.len();
    let _ = write!(human, "{} units, {broken} skipped", rows.len());
    if let Some(skipped) = compile::skipped(&settled.resolved.broken) {
        let _ = write!(human, " ({})", skipped.message);
    }
    Ok(Outcome::new("list", json!({ "units": rows }), human)
        .with_findings(report.findings, report.sources))
}

fn skill_places(settled: &Settled, selector: &Selector) -> (BTreeSet<String>, BTreeSet<String>) {
    let jobs = settled
        .resolved
        .skills
        .iter()
        .filter(|skill| skill.unit.selector == *selector)
        .flat_map(|skill| &skill.jobs);
    jobs.map(|job| (job.target.to_string(), job.place.directory.to_string()))
        .unzip()
}

fn draft_json(skill: &SkillUnit) -> Json {
    match skill.draft {
        None => Json::Null,
        Some(origin) => match &skill.shipped_sibling {
            Some(sibling) => json!({"origin": origin, "shippedSibling": sibling}),
            None => json!({"origin": origin}),
        },
    }
}

/// An estimate for the description, which every session loads, and for the body, which is read on demand.
fn tokens(skill: &SkillUnit) -> Json {
    let description = skill
        .document
        .frontmatter
        .get("description")
        .and_then(|node| node.scalar())
        .unwrap_or_default();
    json!({"description": description.len().div_ceil(BYTES_PER_TOKEN), "body": skill.document.body().len().div_ceil(BYTES_PER_TOKEN)})
}

fn skill_line(skill: &SkillUnit, targets: &BTreeSet<String>) -> String {
    let body = skill.document.body().len().div_ceil(BYTES_PER_TOKEN);
    let mut line = format!(
        "{:<40}  {}",
        skill.selector.to_string(),
        targets.iter().cloned().collect::<Vec<_>>().join(" ")
    );
    if !skill.groups.is_empty() {
        let _ = write!(line, "  group {}", skill.groups.join("/"));
    }
    if skill.draft.is_some() {
        line.push_str("  draft");
    }
    let _ = writeln!(line, "  ~{body} tokens");
    line
}
