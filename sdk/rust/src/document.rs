//! `SKILL.md` frontmatter and the files beside it.

use serde_json::Value;

use crate::{Diagnostic, Object, Placement, Rendered, Resource, Severity, Skill, Tier};

/// Longest description of the Agent Skills standard, in characters.
pub const MAX_DESCRIPTION_CHARACTERS: usize = 1024;
/// Longest compatibility text of the standard, in characters.
pub const MAX_COMPATIBILITY_CHARACTERS: usize = 500;
/// Longest name of the standard.
pub const MAX_NAME_CHARACTERS: usize = 64;

/// The keys of the Agent Skills standard.
pub const STANDARD_KEYS: [&str; 6] = [
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
];

/// Frontmatter for a provider: every key that the host sent, the name, and the metadata as text.
#[must_use]
pub fn frontmatter(skill: &Skill, at: &Placement) -> Object {
    let mut keys = skill.frontmatter.clone();
    keys.insert("name".to_owned(), at.effective_name.clone().into());
    let metadata = metadata(skill);
    if metadata.is_empty() {
        keys.shift_remove("metadata");
    } else {
        keys.insert("metadata".to_owned(), Value::Object(metadata));
    }
    keys
}

/// The authored metadata with scalars as text, below what the host generates. `generated` is the host's own key.
#[must_use]
pub fn metadata(skill: &Skill) -> Object {
    let mut merged = Object::new();
    if let Some(Value::Object(authored)) = skill.frontmatter.get("metadata") {
        for (key, value) in authored {
            if key != "generated" {
                let text = scalar_text(value).map_or_else(|| value.clone(), Value::String);
                merged.insert(key.clone(), text);
            }
        }
    }
    for (key, value) in &skill.generated_metadata {
        merged.insert(key.clone(), value.clone());
    }
    merged
}

/// Adds the keys of a target's `frontmatter` block, which replace what stands there.
pub fn merge_block(keys: &mut Object, block: &Object) {
    if let Some(Value::Object(extra)) = block.get("frontmatter") {
        for (key, value) in extra {
            if key != "name" {
                keys.insert(key.clone(), value.clone());
            }
        }
    }
}

/// Frontmatter of the Agent Skills standard and nothing else, or why the standard cannot represent the skill.
///
/// # Errors
/// With one sentence when a rule of the standard is violated.
pub fn standard_frontmatter(
    skill: &Skill,
    at: &Placement,
) -> Result<(Object, Vec<Diagnostic>), String> {
    let mut keys = Object::new();
    let mut found = Vec::new();
    let name = at.effective_name.as_str();
    if !is_standard_name(name) {
        return Err(format!("`{name}` is not a name that the standard accepts"));
    }
    keys.insert("name".to_owned(), name.into());

    let description = text_of(skill, "description")?.unwrap_or_default();
    if description.trim().is_empty() {
        return Err("the standard needs a description".to_owned());
    }
    let length = description.chars().count();
    if length > MAX_DESCRIPTION_CHARACTERS {
        return Err(format!(
            "the description has {length} characters and the standard allows {MAX_DESCRIPTION_CHARACTERS}"
        ));
    }
    keys.insert("description".to_owned(), description.into());

    if let Some(license) = text_of(skill, "license")? {
        keys.insert("license".to_owned(), license.into());
    }
    if let Some(compatibility) = text_of(skill, "compatibility")? {
        let length = compatibility.chars().count();
        if length == 0 || length > MAX_COMPATIBILITY_CHARACTERS {
            return Err(format!(
                "`compatibility` has {length} characters and the standard allows 1 to {MAX_COMPATIBILITY_CHARACTERS}"
            ));
        }
        keys.insert("compatibility".to_owned(), compatibility.into());
    }

    match skill.frontmatter.get("metadata") {
        None => {}
        Some(Value::Object(authored)) => {
            for (key, value) in authored {
                match value {
                    Value::String(_) => {}
                    Value::Object(_) | Value::Array(_) => {
                        return Err(format!(
                            "`metadata.{key}` is nested and the standard knows only text there"
                        ));
                    }
                    _ if key == "generated" || skill.generated_metadata.contains_key(key) => {}
                    _ => found.push(Diagnostic::new(
                        Severity::Info,
                        "metadata-value-text",
                        format!("`metadata.{key}` is written as the text `{value}`"),
                    )),
                }
            }
        }
        Some(_) => return Err("`metadata` is not a mapping".to_owned()),
    }
    let metadata = metadata(skill);
    if !metadata.is_empty() {
        keys.insert("metadata".to_owned(), Value::Object(metadata));
    }
    if !skill.allowed_tools.is_empty() {
        keys.insert(
            "allowed-tools".to_owned(),
            skill.allowed_tools.join(" ").into(),
        );
    }
    Ok((keys, found))
}

/// The whole answer of a standard for one skill.
#[must_use]
pub fn standard_skill(skill: &Skill, at: &Placement, body: String) -> Rendered {
    let mut rendered = Rendered::default();
    match standard_frontmatter(skill, at) {
        Err(reason) => rendered.unsupported("skills", reason),
        Ok((keys, found)) => {
            rendered.diagnostics = found;
            rendered.document(at.path("SKILL.md"), keys, body);
            copy_resources(&mut rendered, &skill.resources, at, |path| {
                path != "agents/openai.yaml"
            });
            if skill.tools.is_some() {
                rendered.realize("tools", Tier::Unsupported, "", "the policy is not written");
            }
            if skill.implicit_invocation.is_some() {
                rendered.realize("implicit-invocation", Tier::Unsupported, "", "");
            }
            if !skill.allowed_tools.is_empty() {
                let rule = format!("allowed-tools: {}", skill.allowed_tools.join(" "));
                rendered.realize("allowed-tools", Tier::Native, rule, "");
            }
        }
    }
    rendered
}

/// Copies every resource that `wanted` accepts to its own path.
pub fn copy_resources(
    rendered: &mut Rendered,
    resources: &[Resource],
    at: &Placement,
    wanted: impl Fn(&str) -> bool,
) {
    for resource in resources {
        if wanted(&resource.path) {
            rendered.copy(at.path(&resource.path), resource);
        }
    }
}

/// 1 to 64 lowercase letters or digits, separated by single hyphens.
#[must_use]
pub fn is_standard_name(name: &str) -> bool {
    (1..=MAX_NAME_CHARACTERS).contains(&name.len())
        && name.split('-').all(|part| {
            !part.is_empty()
                && part
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        })
}

/// The text of a scalar; nothing for text itself being wanted as it is, nested values and null.
fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) | Value::Null => Some(value.to_string()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

fn text_of(skill: &Skill, key: &str) -> Result<Option<String>, String> {
    match skill.frontmatter.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => scalar_text(value)
            .map(Some)
            .ok_or_else(|| format!("`{key}` is not text")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{frontmatter, is_standard_name, merge_block, standard_frontmatter};
    use crate::{Layout, Object, Placement, Skill, UnitKind};

    fn object(value: serde_json::Value) -> Object {
        match value {
            serde_json::Value::Object(object) => object,
            other => panic!("{other}"),
        }
    }

    fn at(name: &str) -> Placement {
        Placement {
            unit: UnitKind::Skill,
            layout: Layout::Standalone,
            directory: format!(".agents/skills/{name}"),
            effective_name: name.to_owned(),
            plugin: None,
            draft: false,
        }
    }

    #[test]
    fn standard_fields_only_with_metadata_as_text() {
        let skill = Skill {
            frontmatter: object(json!({
                "description": "Plan.", "color": "red", "license": "MIT",
                "metadata": {"count": 3, "version": "9.9.9", "generated": "x"},
            })),
            generated_metadata: object(json!({"version": "1.2.3", "internal": true})),
            allowed_tools: vec!["Read".to_owned(), "Bash(git *)".to_owned()],
            ..Skill::default()
        };
        let (keys, found) = standard_frontmatter(&skill, &at("plan")).unwrap();
        assert_eq!(
            serde_json::Value::Object(keys),
            json!({
                "name": "plan", "description": "Plan.", "license": "MIT",
                "metadata": {"count": "3", "version": "1.2.3", "internal": true},
                "allowed-tools": "Read Bash(git *)",
            })
        );
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].code, "metadata-value-text");
    }

    #[test]
    fn the_standard_refuses_what_it_cannot_hold() {
        let nested = Skill {
            frontmatter: object(json!({"description": "x", "metadata": {"tags": ["a"]}})),
            ..Skill::default()
        };
        assert!(standard_frontmatter(&nested, &at("a")).is_err());
        let long = Skill {
            frontmatter: object(json!({"description": "é".repeat(1025)})),
            ..Skill::default()
        };
        assert!(standard_frontmatter(&long, &at("a")).is_err());
        let fits = Skill {
            frontmatter: object(json!({"description": "é".repeat(1024)})),
            ..Skill::default()
        };
        assert!(standard_frontmatter(&fits, &at("a")).is_ok());
        assert!(standard_frontmatter(&fits, &at("a--b")).is_err());
    }

    #[test]
    fn a_block_replaces_keys_but_never_the_name() {
        let skill = Skill {
            frontmatter: object(json!({"description": "x", "model": "opus"})),
            ..Skill::default()
        };
        let mut keys = frontmatter(&skill, &at("a"));
        merge_block(
            &mut keys,
            &object(json!({"frontmatter": {"model": "sonnet", "name": "b"}})),
        );
        assert_eq!(keys["model"], "sonnet");
        assert_eq!(keys["name"], "a");
    }

    #[test]
    fn names_of_the_standard() {
        assert!(is_standard_name("a-1"));
        for bad in ["", "-a", "a-", "a--b", "A", "a_b", "é"] {
            assert!(!is_standard_name(bad), "{bad}");
        }
    }
}
