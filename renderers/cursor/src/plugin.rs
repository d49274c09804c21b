//! A plugin for Cursor: `.cursor-plugin/plugin.json` and the folders that Cursor loads.

use serde_json::Value;
use skillset_renderer::manifest::{
    SUPPORT, common, copy_companions, copy_mcp, has, listing, merge_overrides, missing_surfaces,
    omitted_listing, portable,
};
use skillset_renderer::mcp::normalize;
use skillset_renderer::{Layout, Placement, Plugin, Rendered, Tier};

/// Listing values that the manifest has a place for.
const CARRIED: [&str; 5] = ["display_name", "logo", "summary", "description", "keywords"];

pub(crate) fn render(plugin: &Plugin, at: &Placement) -> Rendered {
    let mut rendered = Rendered::default();
    let mut manifest = common(plugin, &["name", "email"], &mut rendered);
    for (key, source) in [("displayName", "display_name"), ("logo", "logo")] {
        if let Some(value) = portable(plugin, key).or_else(|| listing(plugin, source)) {
            manifest.insert(key.to_owned(), value.clone());
        }
    }
    if !plugin.skills.is_empty() {
        manifest.insert("skills".to_owned(), "./skills/".into());
    }
    for (companion, key, path) in [
        ("rules/", "rules", "./rules/"),
        ("commands/", "commands", "./commands/"),
        ("agents/", "agents", "./agents/"),
        ("hooks/hooks.json", "hooks", "./hooks/hooks.json"),
    ] {
        if has(plugin, companion) {
            manifest.insert(key.to_owned(), path.into());
            rendered.realize(key, Tier::PassThrough, path, "");
        }
    }
    // A package has the standard's `mcp.json`, which Cursor finds by itself, and only when a server remains.
    if at.layout == Layout::Package {
        if let Some(mcp) = &plugin.mcp {
            normalize(mcp).report(&mut rendered);
        }
    } else if copy_mcp(plugin, at.path("mcp.json"), &mut rendered) {
        manifest.insert("mcpServers".to_owned(), "./mcp.json".into());
    }
    merge_overrides(&mut manifest, &plugin.block, &mut rendered);
    rendered.json(
        at.path(".cursor-plugin/plugin.json"),
        Value::Object(manifest),
    );

    copy_companions(plugin, at, &SUPPORT, &mut rendered);
    copy_companions(
        plugin,
        at,
        &["rules/", "commands/", "agents/", "hooks/"],
        &mut rendered,
    );
    omitted_listing(plugin, &CARRIED, &mut rendered);
    missing_surfaces(
        plugin,
        &["rules", "commands", "agents", "hooks"],
        &mut rendered,
    );
    rendered
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use skillset_renderer::{Content, Layout, Placement, Plugin, Rendered, Resource, UnitKind};

    use super::render;

    fn at(layout: Layout) -> Placement {
        Placement {
            unit: UnitKind::Plugin,
            layout,
            directory: "plugins/show-kit".to_owned(),
            effective_name: "show-kit".to_owned(),
            plugin: Some("show-kit".to_owned()),
            draft: false,
        }
    }

    fn plugin() -> Plugin {
        Plugin {
            id: "show-kit".to_owned(),
            version: "0.1.0".to_owned(),
            metadata: serde_json::from_value(json!({
                "author": {"name": "Ada", "url": "https://example.org"},
                "manifest": {"displayName": "The Show Kit"},
                "listing": {"display_name": "Other", "logo": "assets/l.svg", "category": "Fun"},
            }))
            .unwrap(),
            resources: vec![Resource {
                id: "id:rules/r.mdc".to_owned(),
                path: "rules/r.mdc".to_owned(),
                size: 1,
                executable: false,
                hash: String::new(),
            }],
            mcp: Some(json!({"mcpServers": {"a": {"command": "x"}}})),
            mcp_resource: Some("id:mcp".to_owned()),
            ..Plugin::default()
        }
    }

    fn manifest(rendered: &Rendered) -> Value {
        let output = rendered
            .outputs
            .iter()
            .find(|it| it.path == "plugins/show-kit/.cursor-plugin/plugin.json")
            .unwrap();
        match &output.content {
            Content::Json(value) => value.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_portable_manifest_wins_over_the_listing() {
        let rendered = render(&plugin(), &at(Layout::Bundle));
        assert_eq!(
            manifest(&rendered),
            json!({
                "name": "show-kit", "version": "0.1.0", "description": "show-kit", "author": {"name": "Ada"},
                "displayName": "The Show Kit", "logo": "assets/l.svg", "rules": "./rules/",
                "mcpServers": "./mcp.json",
            })
        );
        assert!(
            rendered
                .outputs
                .iter()
                .any(|it| it.path == "plugins/show-kit/mcp.json")
        );
        assert!(
            rendered.shortfalls[0]
                .message
                .contains("`listing.category`")
        );
    }

    #[test]
    fn a_package_has_the_standard_servers() {
        let rendered = render(&plugin(), &at(Layout::Package));
        assert!(manifest(&rendered).get("mcpServers").is_none());
        assert!(
            !rendered
                .outputs
                .iter()
                .any(|it| it.path == "plugins/show-kit/mcp.json")
        );
    }
}
