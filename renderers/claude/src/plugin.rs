//! A plugin for Claude Code: `.claude-plugin/plugin.json`, `.mcp.json` and the folders that Claude loads.

use serde_json::{Value, json};
use skillset_renderer::manifest::{
    SUPPORT, common, copy_companions, copy_mcp, has, listing, merge_overrides, omitted_listing,
};
use skillset_renderer::mcp::claude_spelling;
use skillset_renderer::{Layout, Placement, Plugin, Rendered, Tier};

const COMPANIONS: [&str; 8] = [
    "commands/",
    "agents/",
    "hooks/",
    ".lsp.json",
    "output-styles/",
    "themes/",
    "monitors/",
    "bin/",
];

/// Listing values that the manifest or a catalog entry has a place for.
const CARRIED: [&str; 5] = [
    "display_name",
    "summary",
    "description",
    "keywords",
    "category",
];

pub(crate) fn render(plugin: &Plugin, at: &Placement) -> Rendered {
    let mut rendered = Rendered::default();
    let mut manifest = common(plugin, &["name", "email", "url"], &mut rendered);
    if at.layout == Layout::Package
        && let Some(name) = listing(plugin, "display_name")
    {
        manifest.insert("displayName".to_owned(), name.clone());
    }
    let mut wire = |key: &str, value: Value| manifest.insert(key.to_owned(), value);
    if !plugin.skills.is_empty() {
        wire("skills", "./skills/".into());
    }
    // Claude loads `hooks/hooks.json` by itself; a plugin that names it too does not load.
    for (companion, key, path) in [
        ("commands/", "commands", "./commands"),
        ("agents/", "agents", "./agents"),
        (".lsp.json", "lspServers", "./.lsp.json"),
        ("output-styles/", "outputStyles", "./output-styles/"),
    ] {
        if has(plugin, companion) {
            wire(key, path.into());
        }
    }
    let mut experimental = json!({});
    if has(plugin, "themes/") {
        experimental["themes"] = "./themes/".into();
    }
    if has(plugin, "monitors/monitors.json") {
        experimental["monitors"] = "./monitors/monitors.json".into();
    }
    if experimental != json!({}) {
        wire("experimental", experimental);
    }
    if plugin.mcp.is_some() {
        wire("mcpServers", "./.mcp.json".into());
    }
    merge_overrides(&mut manifest, &plugin.block, &mut rendered);
    rendered.json(
        at.path(".claude-plugin/plugin.json"),
        Value::Object(manifest),
    );

    write_mcp(plugin, at, &mut rendered);
    copy_companions(plugin, at, &SUPPORT, &mut rendered);
    copy_companions(plugin, at, &COMPANIONS, &mut rendered);
    omitted_listing(plugin, &CARRIED, &mut rendered);
    for (feature, folder) in [
        ("commands", "commands/"),
        ("agents", "agents/"),
        ("hooks", "hooks/"),
        ("bin", "bin/"),
    ] {
        if has(plugin, folder) {
            rendered.realize(feature, Tier::PassThrough, folder, "");
        }
    }
    if has(plugin, "rules/") {
        rendered.realize("rules", Tier::Unsupported, "", "");
    }
    rendered
}

/// The author's bytes where they are Claude's spelling already.
fn write_mcp(plugin: &Plugin, at: &Placement, rendered: &mut Rendered) {
    let Some(mcp) = &plugin.mcp else { return };
    let path = at.path(".mcp.json");
    match claude_spelling(mcp) {
        None if copy_mcp(plugin, path.clone(), rendered) => {}
        native => {
            rendered.json(path, native.unwrap_or_else(|| mcp.clone()));
            rendered.realize("mcp", Tier::Transformed, ".mcp.json", "");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use skillset_renderer::{
        Content, Layout, Placement, Plugin, Rendered, Resource, SkillRef, UnitKind,
    };

    use super::render;

    fn at(layout: Layout) -> Placement {
        Placement {
            unit: UnitKind::Plugin,
            layout,
            directory: "plugins/full-kit/claude".to_owned(),
            effective_name: "full-kit".to_owned(),
            plugin: Some("full-kit".to_owned()),
            draft: false,
        }
    }

    fn plugin(paths: &[&str]) -> Plugin {
        Plugin {
            id: "full-kit".to_owned(),
            version: "0.1.0".to_owned(),
            metadata: serde_json::from_value(json!({"description": "Full."})).unwrap(),
            skills: vec![SkillRef {
                selector: "plugin.full-kit.skill:a".to_owned(),
                effective_name: "a".to_owned(),
                description: "A.".to_owned(),
            }],
            resources: paths
                .iter()
                .map(|path| Resource {
                    id: format!("id:{path}"),
                    path: (*path).to_owned(),
                    size: 1,
                    executable: false,
                    hash: String::new(),
                })
                .collect(),
            ..Plugin::default()
        }
    }

    fn manifest(rendered: &Rendered) -> &Value {
        match &rendered.outputs[0].content {
            Content::Json(value) => value,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn companions_are_wired_and_copied_but_hooks_are_not_named() {
        let it = plugin(&[
            ".lsp.json",
            "NOTES.md",
            "assets/a.txt",
            "commands/serve.md",
            "hooks/hooks.json",
            "output-styles/calm.md",
            "rules/r.mdc",
            "themes/dark.json",
        ]);
        let rendered = render(&it, &at(Layout::Bundle));
        assert_eq!(
            manifest(&rendered),
            &json!({
                "name": "full-kit", "version": "0.1.0", "description": "Full.", "skills": "./skills/",
                "commands": "./commands", "lspServers": "./.lsp.json", "outputStyles": "./output-styles/",
                "experimental": {"themes": "./themes/"},
            })
        );
        let mut paths: Vec<_> = rendered.outputs[1..]
            .iter()
            .map(|it| it.path.trim_start_matches("plugins/full-kit/claude/"))
            .collect();
        paths.sort_unstable();
        assert_eq!(
            paths,
            [
                ".lsp.json",
                "assets/a.txt",
                "commands/serve.md",
                "hooks/hooks.json",
                "output-styles/calm.md",
                "themes/dark.json"
            ]
        );
    }

    #[test]
    fn mcp_is_copied_or_respelled() {
        let mut it = plugin(&[]);
        it.mcp = Some(json!({"mcpServers": {"a": {"command": "x"}}}));
        it.mcp_resource = Some("id:mcp".to_owned());
        let rendered = render(&it, &at(Layout::Package));
        assert_eq!(manifest(&rendered)["mcpServers"], "./.mcp.json");
        assert_eq!(
            rendered.outputs[1].content,
            Content::Copy("id:mcp".to_owned())
        );
        it.mcp = Some(json!({"mcpServers": {"a": {"type": "streamable-http", "url": "u"}}}));
        let rendered = render(&it, &at(Layout::Package));
        assert_eq!(
            rendered.outputs[1].content,
            Content::Json(json!({"mcpServers": {"a": {"type": "http", "url": "u"}}}))
        );
    }

    #[test]
    fn listing_values_without_a_place_are_lossy() {
        let mut it = plugin(&[]);
        it.metadata = serde_json::from_value(
            json!({"listing": {"display_name": "Full Kit", "summary": "S.", "color": "#102030"}}),
        )
        .unwrap();
        let rendered = render(&it, &at(Layout::Package));
        assert_eq!(manifest(&rendered)["displayName"], "Full Kit");
        assert_eq!(rendered.shortfalls.len(), 1);
        assert!(
            manifest(&render(&it, &at(Layout::Bundle)))
                .get("displayName")
                .is_none()
        );
    }
}
