//! The Agent Plugins standard 1.0: the package that every reader of a plugin shares.

mod plugin;

use serde_json::json;
use skillset_renderer::arguments::body_with_markers;
use skillset_renderer::document::standard_skill;
use skillset_renderer::{
    Claim, Description, Layout, Placement, Plugin, Rendered, Renderer, Skill, Tier, UnitKind,
};

/// Renders packages for clients of the Agent Plugins standard.
pub struct AgentPlugins;

impl Renderer for AgentPlugins {
    fn describe() -> Description {
        let mut it =
            Description::standard("agent-plugins", "Agent Plugins", env!("CARGO_PKG_VERSION"))
                .claim(Claim::owned(UnitKind::Plugin, Layout::Package, "plugins").open())
                .claim(Claim::owned(UnitKind::PluginSkill, Layout::Package, "plugins").open())
                .feature("skills", Tier::Native, "")
                .feature("plugins", Tier::Native, "")
                .feature(
                    "resources",
                    Tier::PassThrough,
                    "assets, scripts, src, README.md and licence",
                )
                .feature("licence", Tier::Native, "")
                .feature(
                    "mcp",
                    Tier::Transformed,
                    "entries in the standard's closed form",
                )
                .feature("allowed-tools", Tier::Native, "one space-separated string")
                .feature(
                    "prompt-arguments",
                    Tier::PassThrough,
                    "markers stay as they are",
                );
        for name in [
            "tools",
            "implicit-invocation",
            "commands",
            "agents",
            "hooks",
            "rules",
            "bin",
            "listing",
            "dependencies",
        ] {
            it = it.feature(name, Tier::Unsupported, "outside version 1 of the standard");
        }
        it.native_keys = json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "maxLength": 64},
                "description": {"type": "string", "maxLength": 1024},
                "license": {"type": "string"},
                "compatibility": {"type": "string", "maxLength": 500},
                "metadata": {"type": "object"},
                "allowed-tools": {"type": "string"},
            },
        });
        it.block_schema = json!({"type": "object", "additionalProperties": false});
        it
    }

    fn render_skill(skill: &Skill, at: &Placement) -> Rendered {
        standard_skill(skill, at, body_with_markers(&skill.body))
    }

    fn render_plugin(plugin: &Plugin, at: &Placement) -> Rendered {
        plugin::render(plugin, at)
    }
}

skillset_renderer::export!(AgentPlugins);
