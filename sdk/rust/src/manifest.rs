//! Plugin manifests: the fields that several formats share, and the rules for overrides and companions.

use serde_json::{Value, json};

use crate::{Diagnostic, Object, Placement, Plugin, Rendered, Severity, Tier};

/// Members that the compiler alone decides. An override never touches them.
pub const WIRING: [&str; 16] = [
    "$schema",
    "agents",
    "apps",
    "commands",
    "dependencies",
    "experimental",
    "extensions",
    "hooks",
    "lspServers",
    "mcpServers",
    "name",
    "outputStyles",
    "rules",
    "skills",
    "version",
    "workflows",
];

/// Support files that every provider and the package take.
pub const SUPPORT: [&str; 5] = ["README.md", "LICENSE.txt", "assets/", "scripts/", "src/"];

/// One value of the plugin's listing, when it is set.
#[must_use]
pub fn listing<'a>(plugin: &'a Plugin, key: &str) -> Option<&'a Value> {
    set(plugin.metadata.get("listing")?.get(key))
}

/// One value of the portable `manifest` block, when it is set.
#[must_use]
pub fn portable<'a>(plugin: &'a Plugin, key: &str) -> Option<&'a Value> {
    set(plugin.metadata.get("manifest")?.get(key))
}

fn set(value: Option<&Value>) -> Option<&Value> {
    value.filter(|value| !value.is_null())
}

/// The line that a listing shows: summary, long text, description, or the id.
#[must_use]
pub fn description(plugin: &Plugin) -> Value {
    listing(plugin, "summary")
        .or_else(|| listing(plugin, "description"))
        .or_else(|| set(plugin.metadata.get("description")))
        .cloned()
        .unwrap_or_else(|| plugin.id.clone().into())
}

/// Name, version, description, author, homepage, repository, license and keywords, of which only the set ones.
pub fn common(plugin: &Plugin, author_fields: &[&str], rendered: &mut Rendered) -> Object {
    let mut manifest = Object::new();
    let name = portable(plugin, "name").cloned();
    manifest.insert(
        "name".to_owned(),
        name.unwrap_or_else(|| plugin.id.clone().into()),
    );
    manifest.insert("version".to_owned(), plugin.version.clone().into());
    manifest.insert("description".to_owned(), description(plugin));
    if let Some(author) = author(plugin, author_fields, rendered) {
        manifest.insert("author".to_owned(), Value::Object(author));
    }
    for key in ["homepage", "repository", "license"] {
        if let Some(value) = set(plugin.metadata.get(key)) {
            manifest.insert(key.to_owned(), value.clone());
        }
    }
    let keywords = listing(plugin, "keywords").or_else(|| set(plugin.metadata.get("keywords")));
    if let Some(keywords) = keywords {
        manifest.insert("keywords".to_owned(), keywords.clone());
    }
    manifest
}

fn author(plugin: &Plugin, fields: &[&str], rendered: &mut Rendered) -> Option<Object> {
    let authored = match plugin.metadata.get("author")? {
        Value::Object(author) => author.clone(),
        Value::String(name) => Object::from_iter([("name".to_owned(), json!(name))]),
        _ => return None,
    };
    let (kept, dropped): (Object, Object) = authored
        .into_iter()
        .partition(|(key, value)| fields.contains(&key.as_str()) && value.is_string());
    for key in dropped.keys() {
        rendered.diagnostics.push(Diagnostic::new(
            Severity::Info,
            "author-field-dropped",
            format!(
                "`author.{key}` is left out, this manifest knows {}",
                fields.join(", ")
            ),
        ));
    }
    (!kept.is_empty()).then_some(kept)
}

/// One lossy shortfall that names every listing value that the target leaves out. `carried` are those that it writes.
pub fn omitted_listing(plugin: &Plugin, carried: &[&str], rendered: &mut Rendered) {
    let Some(Value::Object(listing)) = plugin.metadata.get("listing") else {
        return;
    };
    let omitted: Vec<String> = listing
        .iter()
        .filter(|(key, value)| !carried.contains(&key.as_str()) && !value.is_null())
        .map(|(key, _)| format!("`listing.{key}`"))
        .collect();
    if !omitted.is_empty() {
        rendered.lossy(
            "listing",
            format!("the manifest has no place for {}", omitted.join(", ")),
        );
    }
}

/// Merges a target's `manifest` block over the manifest: objects deeply, lists replaced, wiring untouched.
pub fn merge_overrides(manifest: &mut Object, block: &Object, rendered: &mut Rendered) {
    let Some(Value::Object(overrides)) = block.get("manifest") else {
        return;
    };
    for (key, value) in overrides {
        if WIRING.contains(&key.as_str()) {
            rendered.diagnostics.push(
                Diagnostic::new(
                    Severity::Warning,
                    "manifest-wiring-kept",
                    format!("`manifest.{key}` is ignored: the compiler decides it"),
                )
                .help(format!("remove `manifest.{key}`")),
            );
        } else {
            let slot = manifest.entry(key.clone()).or_insert(Value::Null);
            merge(slot, value);
        }
    }
}

/// Merges `over` into `slot`: objects deeply, anything else replaced.
pub fn merge(slot: &mut Value, over: &Value) {
    match (slot, over) {
        (Value::Object(under), Value::Object(over)) => {
            for (key, value) in over {
                merge(under.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (slot, over) => *slot = over.clone(),
    }
}

/// Whether the plugin has the file, or with a `/` at the end any file below that folder.
#[must_use]
pub fn has(plugin: &Plugin, companion: &str) -> bool {
    plugin
        .resources
        .iter()
        .any(|it| is_below(&it.path, companion))
}

/// Whether a path is the file, or lies below the folder that ends in `/`.
#[must_use]
pub fn is_below(path: &str, companion: &str) -> bool {
    if companion.ends_with('/') {
        path.starts_with(companion)
    } else {
        path == companion
    }
}

/// Copies the support files and `companions`.
pub fn copy_companions(
    plugin: &Plugin,
    at: &Placement,
    companions: &[&str],
    rendered: &mut Rendered,
) {
    for resource in &plugin.resources {
        if companions.iter().any(|it| is_below(&resource.path, it)) {
            rendered.copy(at.path(&resource.path), resource);
        }
    }
}

/// Copies the MCP configuration as it is.
pub fn copy_mcp(plugin: &Plugin, path: String, rendered: &mut Rendered) -> bool {
    let Some(id) = &plugin.mcp_resource else {
        return false;
    };
    rendered.outputs.push(crate::Output {
        path: path.clone(),
        executable: false,
        content: crate::Content::Copy(id.clone()),
    });
    rendered.realize("mcp", Tier::PassThrough, path, "");
    true
}

/// The features whose files lie in a plugin, with their folders.
pub const SURFACES: [(&str, &str); 5] = [
    ("commands", "commands/"),
    ("agents", "agents/"),
    ("hooks", "hooks/"),
    ("rules", "rules/"),
    ("bin", "bin/"),
];

/// A blocking shortfall for every surface of the plugin that the target does not have.
pub fn missing_surfaces(plugin: &Plugin, known: &[&str], rendered: &mut Rendered) {
    for (feature, folder) in SURFACES {
        if !known.contains(&feature) && has(plugin, folder) {
            let message = format!("`{folder}` of `{}` has no form here", plugin.id);
            rendered.lossy(feature, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{common, description, is_below, merge_overrides, omitted_listing};
    use crate::{Object, Plugin, Rendered, Severity};

    fn plugin(metadata: Value) -> Plugin {
        Plugin {
            id: "press-kit".to_owned(),
            version: "1.0.0".to_owned(),
            metadata: serde_json::from_value(metadata).unwrap(),
            ..Plugin::default()
        }
    }

    #[test]
    fn the_summary_wins_and_the_id_is_the_last_resort() {
        let full =
            plugin(json!({"description": "d", "listing": {"summary": "s", "description": "l"}}));
        assert_eq!(description(&full), "s");
        assert_eq!(description(&plugin(json!({"description": "d"}))), "d");
        assert_eq!(description(&plugin(json!({}))), "press-kit");
    }

    #[test]
    fn only_set_fields_and_known_author_fields() {
        let mut rendered = Rendered::default();
        let it = plugin(json!({
            "author": {"name": "Ada", "email": "a@example.org", "url": "https://example.org", "phone": "1"},
            "license": "MIT", "keywords": ["a"], "listing": {"keywords": ["b"]},
        }));
        assert_eq!(
            Value::Object(common(&it, &["name", "email"], &mut rendered)),
            json!({
                "name": "press-kit", "version": "1.0.0", "description": "press-kit",
                "author": {"name": "Ada", "email": "a@example.org"}, "license": "MIT", "keywords": ["b"],
            })
        );
        let codes: Vec<_> = rendered
            .diagnostics
            .iter()
            .map(|it| (it.severity, it.code.as_str()))
            .collect();
        assert_eq!(codes, [(Severity::Info, "author-field-dropped"); 2]);
    }

    #[test]
    fn overrides_merge_deeply_and_leave_wiring_alone() {
        let mut rendered = Rendered::default();
        let mut manifest: Object = serde_json::from_value(
            json!({"name": "a", "x": {"b": 1, "c": [1, 2]}, "skills": "./skills/"}),
        )
        .unwrap();
        let block = serde_json::from_value(
            json!({"manifest": {"name": "evil", "skills": "./", "x": {"c": [3], "d": 4}, "new": true}}),
        )
        .unwrap();
        merge_overrides(&mut manifest, &block, &mut rendered);
        assert_eq!(
            Value::Object(manifest),
            json!({"name": "a", "x": {"b": 1, "c": [3], "d": 4}, "skills": "./skills/", "new": true})
        );
        assert_eq!(rendered.diagnostics.len(), 2);
    }

    #[test]
    fn an_omitted_listing_value_is_lossy() {
        let mut rendered = Rendered::default();
        let it = plugin(json!({"listing": {"summary": "s", "color": "#102030"}}));
        omitted_listing(&it, &["summary"], &mut rendered);
        assert!(rendered.shortfalls[0].lossy);
        assert!(rendered.shortfalls[0].message.contains("`listing.color`"));
    }

    #[test]
    fn folders_and_files() {
        assert!(is_below("assets/a/b.svg", "assets/"));
        assert!(!is_below("assets2/a.svg", "assets/"));
        assert!(!is_below("README.md.bak", "README.md"));
    }
}
