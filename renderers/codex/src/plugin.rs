//! A plugin for Codex: an extension of the package's manifest, or `.codex-plugin/plugin.json` in a bundle.

use serde_json::{Value, json};
use skillset_renderer::manifest::{
    SUPPORT, common, copy_companions, copy_mcp, description, has, listing, merge, merge_overrides,
    missing_surfaces,
};
use skillset_renderer::mcp::normalize;
use skillset_renderer::{Diagnostic, Layout, Object, Placement, Plugin, Rendered, Severity, Tier};

const HOOKS: &str = "hooks/hooks.json";

pub(crate) fn render(plugin: &Plugin, at: &Placement) -> Rendered {
    let mut rendered = Rendered::default();
    if at.layout == Layout::Package {
        extend_package(plugin, at, &mut rendered);
    } else {
        write_bundle(plugin, at, &mut rendered);
    }
    copy_companions(plugin, at, &SUPPORT, &mut rendered);
    copy_companions(plugin, at, &["hooks/", ".app.json"], &mut rendered);
    if has(plugin, HOOKS) {
        rendered.realize("hooks", Tier::PassThrough, HOOKS, "");
    }
    if has(plugin, "rules/") {
        rendered.realize("rules", Tier::Unsupported, "", "");
    }
    missing_surfaces(plugin, &["hooks", "rules"], &mut rendered);
    rendered
}

/// Codex reads its data in the standard's manifest; a manifest of its own would not be read beside that one.
fn extend_package(plugin: &Plugin, at: &Placement, rendered: &mut Rendered) {
    let mut data = Object::new();
    data.insert("interface".to_owned(), Value::Object(interface(plugin)));
    wire_files(plugin, &mut data);
    rendered.json(
        at.path("plugin.json"),
        json!({"extensions": {"com.openai": data}}),
    );
    if let Some(mcp) = &plugin.mcp {
        normalize(mcp).report(rendered);
    }
    if plugin.block.contains_key("manifest") {
        rendered.diagnostics.push(
            Diagnostic::new(
                Severity::Warning,
                "manifest-override-unused",
                "`codex.manifest` has no manifest of its own to change in a package",
            )
            .help("set `codex.plugins.layout: bundle`, or use `codex.interface`"),
        );
    }
}

fn write_bundle(plugin: &Plugin, at: &Placement, rendered: &mut Rendered) {
    let mut manifest = common(plugin, &["name", "email", "url"], rendered);
    if !plugin.skills.is_empty() {
        manifest.insert("skills".to_owned(), "./skills/".into());
    }
    wire_files(plugin, &mut manifest);
    if copy_mcp(plugin, at.path(".mcp.json"), rendered) {
        manifest.insert("mcpServers".to_owned(), "./.mcp.json".into());
    }
    manifest.insert("interface".to_owned(), Value::Object(interface(plugin)));
    merge_overrides(&mut manifest, &plugin.block, rendered);
    rendered.json(
        at.path(".codex-plugin/plugin.json"),
        Value::Object(manifest),
    );
}

fn wire_files(plugin: &Plugin, manifest: &mut Object) {
    for (file, key) in [(HOOKS, "hooks"), (".app.json", "apps")] {
        if has(plugin, file) {
            manifest.insert(key.to_owned(), format!("./{file}").into());
        }
    }
}

/// What Codex shows about a plugin: authored values, and nothing invented but a name from the id.
fn interface(plugin: &Plugin) -> Object {
    let metadata = |key: &str| plugin.metadata.get(key).filter(|value| !value.is_null());
    let author_name = metadata("author").and_then(|author| match author {
        Value::String(_) => Some(author),
        other => other.get("name"),
    });
    let mut interface = Object::new();
    let mut set = |key: &str, value: Option<&Value>| {
        if let Some(value) = value {
            interface.insert(key.to_owned(), value.clone());
        }
    };
    let short = description(plugin);
    let title = Value::String(title(&plugin.id));
    set(
        "displayName",
        listing(plugin, "display_name").or(Some(&title)),
    );
    set("shortDescription", Some(&short));
    set(
        "longDescription",
        listing(plugin, "description")
            .or_else(|| metadata("description"))
            .or(Some(&short)),
    );
    set("developerName", author_name);
    set(
        "websiteURL",
        listing(plugin, "website_url")
            .or_else(|| metadata("homepage"))
            .or_else(|| metadata("repository")),
    );
    set(
        "brandColor",
        plugin
            .block
            .get("color")
            .or_else(|| listing(plugin, "color")),
    );
    for (key, source) in [
        ("category", "category"),
        ("capabilities", "capabilities"),
        ("privacyPolicyURL", "privacy_policy_url"),
        ("termsOfServiceURL", "terms_of_service_url"),
        ("defaultPrompt", "default_prompt"),
        ("composerIcon", "composer_icon"),
        ("logo", "logo"),
        ("screenshots", "screenshots"),
    ] {
        set(key, listing(plugin, source));
    }
    if let Some(over) = plugin.block.get("interface") {
        let mut value = Value::Object(interface);
        merge(&mut value, over);
        return match value {
            Value::Object(merged) => merged,
            _ => Object::new(),
        };
    }
    interface
}

/// `press-kit` as `Press Kit`.
fn title(id: &str) -> String {
    let words: Vec<String> = id
        .split('-')
        .map(|word| {
            let mut letters = word.chars();
            letters.next().map_or_else(String::new, |first| {
                first.to_uppercase().chain(letters).collect()
            })
        })
        .collect();
    words.join(" ")
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
            directory: "plugins/press-kit".to_owned(),
            effective_name: "press-kit".to_owned(),
            plugin: Some("press-kit".to_owned()),
            draft: false,
        }
    }

    fn plugin(metadata: Value) -> Plugin {
        Plugin {
            id: "press-kit".to_owned(),
            version: "1.0.0".to_owned(),
            metadata: serde_json::from_value(metadata).unwrap(),
            skills: vec![SkillRef {
                selector: "plugin.press-kit.skill:a".to_owned(),
                effective_name: "a".to_owned(),
                description: "A.".to_owned(),
            }],
            ..Plugin::default()
        }
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
    fn a_bundle_has_every_listing_value_in_its_interface() {
        let it = plugin(json!({
            "description": "Tools for a small press, in one line.",
            "author": {"name": "Ada", "url": "https://example.org/ada"},
            "homepage": "https://example.org/press",
            "listing": {
                "display_name": "Press Kit", "summary": "Set, proof, print.", "description": "A longer text.",
                "category": "Publishing", "capabilities": ["Read"], "keywords": ["proof"], "color": "#102030",
                "logo": "assets/logo.svg", "composer_icon": "assets/icon.svg", "screenshots": ["assets/one.png"],
                "default_prompt": ["Proof this page"], "website_url": "https://example.org/site",
                "privacy_policy_url": "https://example.org/privacy", "terms_of_service_url": "https://example.org/terms",
            },
        }));
        let rendered = render(&it, &at(Layout::Bundle));
        assert_eq!(
            value(&rendered, "plugins/press-kit/.codex-plugin/plugin.json"),
            &json!({
                "name": "press-kit", "version": "1.0.0", "description": "Set, proof, print.",
                "author": {"name": "Ada", "url": "https://example.org/ada"},
                "homepage": "https://example.org/press", "keywords": ["proof"], "skills": "./skills/",
                "interface": {
                    "brandColor": "#102030", "capabilities": ["Read"], "category": "Publishing",
                    "composerIcon": "assets/icon.svg", "defaultPrompt": ["Proof this page"], "developerName": "Ada",
                    "displayName": "Press Kit", "logo": "assets/logo.svg", "longDescription": "A longer text.",
                    "privacyPolicyURL": "https://example.org/privacy", "screenshots": ["assets/one.png"],
                    "shortDescription": "Set, proof, print.", "termsOfServiceURL": "https://example.org/terms",
                    "websiteURL": "https://example.org/site",
                },
            })
        );
    }

    #[test]
    fn a_package_gets_an_extension_without_invented_brands() {
        let rendered = render(
            &plugin(json!({"description": "Wires."})),
            &at(Layout::Package),
        );
        assert_eq!(
            value(&rendered, "plugins/press-kit/plugin.json"),
            &json!({"extensions": {"com.openai": {"interface": {
                "displayName": "Press Kit", "shortDescription": "Wires.", "longDescription": "Wires.",
            }}}})
        );
        assert_eq!(rendered.outputs.len(), 1);
    }

    #[test]
    fn agents_cannot_travel() {
        let mut it = plugin(json!({}));
        it.resources = vec![Resource {
            id: "r".to_owned(),
            path: "agents/cook.md".to_owned(),
            size: 1,
            executable: false,
            hash: String::new(),
        }];
        let rendered = render(&it, &at(Layout::Bundle));
        assert_eq!(rendered.outputs.len(), 1);
        assert_eq!(rendered.shortfalls[0].feature, "agents");
    }
}
