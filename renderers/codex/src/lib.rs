//! Codex: a reader of `.agents/skills` with its own sidecars, and an extension of the shared plugin manifest.

mod plugin;
mod skill;

use serde_json::json;
use skillset_renderer::{
    Claim, Description, Layout, Placement, Plugin, Rendered, Renderer, Skill, Tier, UnitKind,
};

/// Renders for Codex.
pub struct Codex;

impl Renderer for Codex {
    fn describe() -> Description {
        let mut it = Description::provider("codex", "Codex", env!("CARGO_PKG_VERSION"))
            .claim(Claim::shared(
                UnitKind::Skill,
                Layout::Standalone,
                ".agents/skills",
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
                ".agents/skills",
            ))
            .claim(Claim::owned(
                UnitKind::PluginSkill,
                Layout::ProjectUse,
                ".agents/skills",
            ))
            .feature("skills", Tier::Native, "")
            .feature("plugins", Tier::Native, "")
            .feature("resources", Tier::PassThrough, "")
            .feature("licence", Tier::Native, "")
            .feature(
                "tools",
                Tier::MetadataOnly,
                "a sidecar that Codex does not enforce",
            )
            .feature("allowed-tools", Tier::Unsupported, "Codex ignores them")
            .feature(
                "prompt-arguments",
                Tier::Transformed,
                "markers below one line that explains them",
            )
            .feature(
                "implicit-invocation",
                Tier::Transformed,
                "agents/openai.yaml",
            )
            .feature(
                "mcp",
                Tier::PassThrough,
                "the package's mcp.json, or .mcp.json in a bundle",
            )
            .feature("hooks", Tier::PassThrough, "")
            .feature("commands", Tier::Unsupported, "plugins have no commands")
            .feature("agents", Tier::Unsupported, "plugins have no agents")
            .feature("rules", Tier::Unsupported, "plugins have no rules")
            .feature("bin", Tier::Unsupported, "plugins have no bin")
            .feature("listing", Tier::Native, "interface")
            .feature("dependencies", Tier::Unsupported, "not written yet");
        it.native_keys = json!({"type": "object", "properties": {}});
        it.block_schema = json!({
            "type": "object",
            "properties": {
                "color": {"type": "string", "description": "interface.brandColor"},
                "frontmatter": {"type": "object", "description": "Keys merged last into SKILL.md."},
                "interface": {"type": "object", "description": "Members merged last into interface."},
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

skillset_renderer::export!(Codex);
