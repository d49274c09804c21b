//! `lookup`: finite facts about targets, standards and their features.

use serde_json::{Value as Json, json};

use super::workspace::{Environment, Fault};
use super::{Exit, Outcome};
use crate::pipeline::check::standards::STANDARDS;

/// Shows `targets`, `standards`, or the features and fields of one target.
///
/// # Errors
/// When a built-in renderer cannot be started.
pub fn run(environment: &Environment, topic: &str) -> Result<Outcome, Fault> {
    if topic == "standards" {
        let rows: Vec<Json> = STANDARDS
            .iter()
            .map(|standard| json!({"target": standard.target, "profile": standard.profile, "version": standard.version, "state": "adopted"}))
            .collect();
        let lines: Vec<String> = STANDARDS
            .iter()
            .map(|s| format!("{:<16} {:<20} {} (adopted)", s.target, s.profile, s.version))
            .collect();
        return Ok(Outcome::new(
            "lookup",
            json!({ "standards": rows }),
            lines.join("\n"),
        ));
    }
    let renderers = environment.builtin_renderers()?;
    if topic == "targets" {
        let mut lines = Vec::new();
        let mut rows = Vec::new();
        for renderer in renderers.values() {
            let it = renderer.description();
            let roots: Vec<&str> = it
                .claims
                .iter()
                .map(|claim| claim.root.as_str())
                .collect::<std::collections::BTreeSet<_>>()
                .into_iter()
                .collect();
            lines.push(format!(
                "{:<16} {:<10} {:<8} {}",
                it.id,
                format!("{:?}", it.kind).to_lowercase(),
                it.version,
                roots.join(", ")
            ));
            rows.push(json!({"id": it.id, "kind": it.kind, "version": it.version, "digest": renderer.digest(), "roots": roots}));
        }
        return Ok(Outcome::new(
            "lookup",
            json!({ "targets": rows }),
            lines.join("\n"),
        ));
    }
    let Some(renderer) = renderers
        .values()
        .find(|renderer| renderer.description().id == topic)
    else {
        let known: Vec<&str> = renderers
            .values()
            .map(|renderer| renderer.description().id.as_str())
            .collect();
        let human = format!(
            "there is nothing to look up under `{topic}`; known: targets, standards, {}",
            known.join(", ")
        );
        return Ok(Outcome::new("lookup", json!({}), human).at_least(Exit::Usage));
    };
    let it = renderer.description();
    let mut lines: Vec<String> = it
        .features
        .iter()
        .map(|feature| {
            let tier = serde_json::to_value(feature.tier)
                .ok()
                .and_then(|v| v.as_str().map(str::to_owned))
                .unwrap_or_default();
            format!(
                "{:<20} {:<14} {}",
                feature.name,
                tier,
                feature.note.as_deref().unwrap_or_default()
            )
            .trim_end()
            .to_owned()
        })
        .collect();
    if let Some(keys) = it.native_keys.get("properties").and_then(Json::as_object) {
        lines.push(format!(
            "\nfrontmatter keys: {}",
            keys.keys().cloned().collect::<Vec<_>>().join(", ")
        ));
    }
    Ok(Outcome::new(
        "lookup",
        json!({ "target": it }),
        lines.join("\n"),
    ))
}
