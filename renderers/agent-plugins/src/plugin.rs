//! The package: `plugin.json` in its closed schema, `mcp.json`, and the support files.

use serde_json::Value;
use skillset_renderer::manifest::{SUPPORT, SURFACES, common, copy_companions, has};
use skillset_renderer::mcp::normalize;
use skillset_renderer::{Placement, Plugin, Rendered, Tier};

/// Identifies the pinned schema of `plugin.json`.
const SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";
const MAX_NAME_CHARACTERS: usize = 64;

pub(crate) fn render(plugin: &Plugin, at: &Placement) -> Rendered {
    let mut rendered = Rendered::default();
    if !is_package_name(&plugin.id) {
        let message = format!("`{}` is not a name that the standard accepts", plugin.id);
        rendered.unsupported("plugins", message);
        return rendered;
    }
    let mut manifest = common(plugin, &["name", "email", "url"], &mut rendered);
    manifest.insert("$schema".to_owned(), SCHEMA.into());
    // A package is found by its plugin's id, whatever name a provider shows.
    manifest.insert("name".to_owned(), plugin.id.clone().into());
    for key in ["description", "homepage", "repository", "license"] {
        if manifest.get(key).is_some_and(|value| !value.is_string()) {
            rendered.lossy("plugins", format!("`{key}` is left out: it is not text"));
            manifest.shift_remove(key);
        }
    }
    let is_text_list = |value: &Value| {
        value
            .as_array()
            .is_some_and(|items| items.iter().all(Value::is_string))
    };
    if manifest.get("keywords").is_some_and(|it| !is_text_list(it)) {
        rendered.lossy(
            "plugins",
            "`keywords` is left out: it is not a list of text",
        );
        manifest.shift_remove("keywords");
    }
    rendered.json(at.path("plugin.json"), Value::Object(manifest));

    if let Some(mcp) = &plugin.mcp {
        let normal = normalize(mcp);
        if let Some(document) = normal.document() {
            rendered.json(at.path("mcp.json"), document);
        }
        normal.report(&mut rendered);
        if uses_bin(&Value::Object(normal.servers)) {
            copy_companions(plugin, at, &["bin/"], &mut rendered);
        }
    }
    copy_companions(plugin, at, &SUPPORT, &mut rendered);
    copy_companions(plugin, at, &["CHANGELOG.md"], &mut rendered);

    for (feature, folder) in SURFACES {
        if has(plugin, folder) {
            rendered.realize(
                feature,
                Tier::Unsupported,
                "",
                "outside version 1 of the standard",
            );
        }
    }
    if plugin.metadata.get("listing").is_some() {
        rendered.realize("listing", Tier::Transformed, "description, keywords", "");
    }
    rendered
}

/// Whether any server names a file of `bin`.
fn uses_bin(value: &Value) -> bool {
    match value {
        Value::String(text) => text.starts_with("./bin/") || text.contains("${PLUGIN_ROOT}/bin/"),
        Value::Array(items) => items.iter().any(uses_bin),
        Value::Object(members) => members.values().any(uses_bin),
        _ => false,
    }
}

/// Lowercase letters, digits, `-` and `.`, alphanumeric at both ends, neither `--` nor `..`.
fn is_package_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = name.as_bytes();
    (1..=MAX_NAME_CHARACTERS).contains(&bytes.len())
        && bytes
            .iter()
            .all(|&byte| is_plain(byte) || byte == b'-' || byte == b'.')
        && bytes.first().is_some_and(|&byte| is_plain(byte))
        && bytes.last().is_some_and(|&byte| is_plain(byte))
        && !name.contains("--")
        && !name.contains("..")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use skillset_renderer::{Content, Layout, Placement, Plugin, Rendered, Resource, UnitKind};

    use super::{is_package_name, render};

    fn at() -> Placement {
        Placement {
            unit: UnitKind::Plugin,
            layout: Layout::Package,
            directory: "plugins/press-kit".to_owned(),
            effective_name: "press-kit".to_owned(),
            plugin: Some("press-kit".to_owned()),
            draft: false,
        }
    }

    fn resource(path: &str) -> Resource {
        Resource {
            id: format!("id:{path}"),
            path: path.to_owned(),
            size: 1,
            executable: false,
            hash: String::new(),
        }
    }

    fn paths(rendered: &Rendered) -> Vec<&str> {
        rendered.outputs.iter().map(|it| it.path.as_str()).collect()
    }

    fn value<'a>(rendered: &'a Rendered, path: &str) -> &'a Value {
        match &rendered
            .outputs
            .iter()
            .find(|it| it.path == path)
            .unwrap()
            .content
        {
            Content::Json(value) => value,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_manifest_has_only_members_of_the_closed_schema() {
        let plugin = Plugin {
            id: "press-kit".to_owned(),
            version: "1.0.0".to_owned(),
            metadata: serde_json::from_value(json!({
                "name": "shown", "description": "Tools.", "license": "Apache-2.0", "keywords": ["a"],
                "author": {"name": "Ada", "url": "https://example.org", "phone": "1"},
                "manifest": {"displayName": "x", "name": "other"},
                "listing": {"summary": "Set.", "logo": "assets/l.svg"},
            }))
            .unwrap(),
            resources: ["README.md", "assets/l.svg", "commands/a.md", "bin/x", "NOTES.md"].map(resource).to_vec(),
            ..Plugin::default()
        };
        let rendered = render(&plugin, &at());
        assert_eq!(
            value(&rendered, "plugins/press-kit/plugin.json"),
            &json!({
                "$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json",
                "name": "press-kit", "version": "1.0.0", "description": "Set.", "license": "Apache-2.0",
                "keywords": ["a"], "author": {"name": "Ada", "url": "https://example.org"},
            })
        );
        assert_eq!(
            paths(&rendered),
            [
                "plugins/press-kit/plugin.json",
                "plugins/press-kit/README.md",
                "plugins/press-kit/assets/l.svg"
            ]
        );
        assert!(rendered.shortfalls.is_empty());
    }

    #[test]
    fn servers_and_the_bin_that_they_run_travel() {
        let plugin = Plugin {
            id: "press-kit".to_owned(),
            mcp: Some(json!({"mcpServers": {
                "run": {"command": "./bin/run"},
                "odd": {"command": "x", "timeout": 1},
            }})),
            mcp_resource: Some("id:.mcp.json".to_owned()),
            resources: vec![resource("bin/run"), resource(".mcp.json")],
            ..Plugin::default()
        };
        let rendered = render(&plugin, &at());
        assert_eq!(
            value(&rendered, "plugins/press-kit/mcp.json")["mcpServers"],
            json!({"run": {"type": "stdio", "command": "./bin/run"}})
        );
        assert_eq!(paths(&rendered)[2..], ["plugins/press-kit/bin/run"]);
        assert_eq!(rendered.shortfalls[0].feature, "mcp");
        assert!(rendered.shortfalls[0].lossy);
    }

    #[test]
    fn package_names() {
        for good in ["a", "a.b-c", "9z"] {
            assert!(is_package_name(good), "{good}");
        }
        for bad in ["", "-a", "a.", "a--b", "a..b", "A", "a_b"] {
            assert!(!is_package_name(bad), "{bad}");
        }
    }
}
