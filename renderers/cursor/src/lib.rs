//! Cursor: skills below `.cursor/skills`, and its manifest in plugins.

mod plugin;
mod skill;

use serde_json::json;
use skillset_renderer::{
    Claim, Description, Layout, Placement, Plugin, Rendered, Renderer, Skill, Tier, UnitKind,
};

/// Renders for Cursor.
pub struct Cursor;

impl Renderer for Cursor {
    fn describe() -> Description {
        let mut it = Description::provider("cursor", "Cursor", env!("CARGO_PKG_VERSION"))
            .claim(Claim::owned(
                UnitKind::Skill,
                Layout::Standalone,
                ".cursor/skills",
            ))
            .claim(Claim::shared(UnitKind::Plugin, Layout::Package, "plugins").open())
            .claim(Claim::shared(UnitKind::PluginSkill, Layout::Package, "plugins").open())
            .claim(Claim::owned(UnitKind::Plugin, Layout::Bundle, "plugins"))
            .claim(Claim::owned(
                UnitKind::PluginSkill,
                Layout::Bundle,
                "plugins",
            ))
            .claim(Claim::owned(
                UnitKind::Skill,
                Layout::ProjectUse,
                ".cursor/skills",
            ))
            .claim(Claim::owned(
                UnitKind::PluginSkill,
                Layout::ProjectUse,
                ".cursor/skills",
            ))
            .feature("skills", Tier::Native, "")
            .feature("plugins", Tier::Native, "")
            .feature("resources", Tier::PassThrough, "")
            .feature("licence", Tier::Native, "")
            .feature(
                "tools",
                Tier::MetadataOnly,
                "a sidecar that Cursor does not enforce",
            )
            .feature("allowed-tools", Tier::Unsupported, "Cursor ignores them")
            .feature(
                "prompt-arguments",
                Tier::PassThrough,
                "markers stay as they are",
            )
            .feature("implicit-invocation", Tier::Unsupported, "")
            .feature("mcp", Tier::PassThrough, "mcp.json")
            .feature("commands", Tier::PassThrough, "")
            .feature("agents", Tier::PassThrough, "")
            .feature("rules", Tier::PassThrough, "")
            .feature("hooks", Tier::PassThrough, "")
            .feature("bin", Tier::Unsupported, "plugins have no bin")
            .feature(
                "listing",
                Tier::Transformed,
                "displayName, logo, description and keywords",
            )
            .feature("dependencies", Tier::Unsupported, "not written yet");
        let words = json!({"type": ["string", "array"]});
        it.native_keys = json!({
            "type": "object",
            "properties": {
                "paths": words,
                "globs": words,
                "disable-model-invocation": {"type": "boolean"},
                "icon": {"type": "string"},
                "color": {"enum": ["default", "green", "cyan", "blue", "purple", "magenta", "orange",
                    "yellow", "red", "brand"]},
            },
        });
        it.block_schema = json!({
            "type": "object",
            "properties": {
                "frontmatter": {"type": "object", "description": "Keys merged last into SKILL.md."},
                "manifest": {"type": "object", "description": "Members merged last into plugin.json."},
                "model": {"type": "string"},
            },
        });
        it
    }

    fn render_skill(skill: &Skill, at: &Placement) -> Rendered {
        skill::render(skill, at)
    }

    fn render_plugin(plugin: &Plugin, at: &Placement) -> Rendered {
        plugin::render(plugin, at)
    }
}

skillset_renderer::export!(Cursor);
