//! The tools policy: contradictions, and the sidecar for targets that cannot enforce it.

use serde_json::{Value, json};

use crate::{Diagnostic, Layout, Object, Placement, Rendered, Severity, Skill, Tier, Tools};

/// The sidecar's name, beside `SKILL.md`.
pub const SIDECAR: &str = ".skillset.tools.yaml";

/// One error for every native grant that the portable policy denies.
#[must_use]
pub fn contradictions(tools: &Tools) -> Vec<Diagnostic> {
    tools
        .allow
        .iter()
        .filter_map(|rule| denied_by(rule, &tools.portable).map(|key| (rule, key)))
        .map(|(rule, key)| {
            Diagnostic::new(
                Severity::Error,
                "tools-contradiction",
                format!("`{rule}` is allowed while `{key}` is denied"),
            )
            .help(format!(
                "remove `{rule}` from `allow`, or the denial of `{key}`"
            ))
        })
        .collect()
}

/// The portable key that denies a native rule. Rules of unknown families are never denied.
fn denied_by(rule: &str, portable: &Object) -> Option<String> {
    let name = rule.split('(').next().unwrap_or(rule).trim();
    let key = match name {
        "Bash" => "shell",
        "Write" | "Edit" => "write",
        "Read" => "read",
        "Grep" | "Glob" => "search",
        _ => {
            let server = name.strip_prefix("mcp__")?;
            return match portable.get("mcp")? {
                Value::Bool(false) => Some("mcp".to_owned()),
                Value::Object(servers) => servers
                    .iter()
                    .find(|(id, value)| {
                        **value == Value::Bool(false)
                            && server
                                .strip_prefix(id.as_str())
                                .is_some_and(|rest| rest.is_empty() || rest.starts_with("__"))
                    })
                    .map(|(id, _)| format!("mcp.{id}")),
                _ => None,
            };
        }
    };
    (portable.get(key)? == &Value::Bool(false)).then(|| key.to_owned())
}

/// Text or a list of text, as a list.
#[must_use]
pub fn patterns(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items
            .iter()
            .filter_map(|item| item.as_str().map(str::to_owned))
            .collect(),
        _ => Vec::new(),
    }
}

/// What the sidecar says for one target; nothing when no rule is in effect.
#[must_use]
pub fn sidecar_entry(tools: &Tools) -> Option<Object> {
    let mut entry = Object::new();
    if !tools.portable.is_empty() {
        let normal: Object = tools
            .portable
            .iter()
            .map(|(key, value)| (key.clone(), normalize(value)))
            .collect();
        entry.insert("portable".to_owned(), Value::Object(normal));
    }
    let mut native = Object::new();
    for (key, rules) in [("allow", &tools.allow), ("deny", &tools.deny)] {
        if !rules.is_empty() {
            native.insert(key.to_owned(), rules.clone().into());
        }
    }
    if !native.is_empty() {
        entry.insert("target_native".to_owned(), Value::Object(native));
    }
    (!entry.is_empty()).then_some(entry)
}

fn normalize(value: &Value) -> Value {
    match value {
        Value::String(text) => json!([text]),
        Value::Object(servers) => servers
            .iter()
            .map(|(key, value)| (key.clone(), normalize(value)))
            .collect::<Object>()
            .into(),
        other => other.clone(),
    }
}

/// Writes the sidecar of `target`, which records the policy without enforcing it, and refuses contradictions and
/// `allowed_tools`. In a package the entries of several targets merge in one file.
pub fn write_sidecar(rendered: &mut Rendered, target: &str, skill: &Skill, at: &Placement) {
    if !skill.allowed_tools.is_empty() {
        rendered.diagnostics.push(
            Diagnostic::new(
                Severity::Error,
                "allowed-tools-unsupported",
                format!("{target} has no grants that a skill could carry in `allowed_tools`"),
            )
            .help(format!(
                "write `allowed_tools: {{{target}: false}}`, or use `tools`"
            )),
        );
    }
    let Some(tools) = &skill.tools else { return };
    rendered.diagnostics.extend(contradictions(tools));
    let Some(entry) = sidecar_entry(tools) else {
        return;
    };
    let mut value = json!({"generated": "skillset", "schema_version": 1});
    if at.layout == Layout::Package {
        value["targets"] = json!({ target: entry });
    } else {
        value["target"] = target.into();
        value["tools"] = Value::Object(entry);
    }
    rendered.json(at.path(SIDECAR), value);
    rendered.realize(
        "tools",
        Tier::MetadataOnly,
        SIDECAR,
        "the target does not enforce the policy",
    );
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{contradictions, sidecar_entry};
    use crate::Tools;

    fn tools(portable: Value, allow: &[&str]) -> Tools {
        Tools {
            portable: serde_json::from_value(portable).unwrap(),
            allow: allow.iter().map(|&rule| rule.to_owned()).collect(),
            deny: Vec::new(),
        }
    }

    #[test]
    fn a_native_grant_against_a_denial_is_an_error() {
        for (portable, rule) in [
            (json!({"shell": false}), "Bash(git status)"),
            (json!({"write": false}), "Edit"),
            (json!({"search": false}), "Glob"),
            (json!({"mcp": false}), "mcp__any__tool"),
            (json!({"mcp": {"my_server": false}}), "mcp__my_server__read"),
        ] {
            assert_eq!(contradictions(&tools(portable, &[rule])).len(), 1, "{rule}");
        }
    }

    #[test]
    fn unknown_rules_and_other_servers_pass() {
        let policy = json!({"shell": false, "mcp": {"my": false}});
        assert!(
            contradictions(&tools(
                policy,
                &["WebFetch", "mcp__my_server__read", "Read"]
            ))
            .is_empty()
        );
    }

    #[test]
    fn the_sidecar_lists_patterns() {
        let mut policy = tools(
            json!({"shell": "git *", "mcp": {"a": "get_*", "b": false}}),
            &["x"],
        );
        policy.deny.push("y".to_owned());
        assert_eq!(
            Value::Object(sidecar_entry(&policy).unwrap()),
            json!({
                "portable": {"shell": ["git *"], "mcp": {"a": ["get_*"], "b": false}},
                "target_native": {"allow": ["x"], "deny": ["y"]},
            })
        );
        assert_eq!(sidecar_entry(&Tools::default()), None);
    }
}
