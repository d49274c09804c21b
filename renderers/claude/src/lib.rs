//! Claude Code: native skills below `.claude/skills`, and its manifest in plugins.

mod plugin;
mod skill;

use serde_json::json;
use skillset_renderer::{
    Claim, Description, Layout, Placement, Plugin, Rendered, Renderer, Skill, Tier, UnitKind,
};

/// Renders for Claude Code.
pub struct Claude;

impl Renderer for Claude {
    fn describe() -> Description {
        let mut it = Description::provider("claude", "Claude Code", env!("CARGO_PKG_VERSION"))
            .claim(Claim::owned(
                UnitKind::Skill,
                Layout::Standalone,
                ".claude/skills",
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
                ".claude/skills",
            ))
            .claim(Claim::owned(
                UnitKind::PluginSkill,
                Layout::ProjectUse,
                ".claude/skills",
            ))
            .feature("skills", Tier::Native, "")
            .feature("plugins", Tier::Native, "")
            .feature("resources", Tier::PassThrough, "")
            .feature("licence", Tier::Native, "")
            .feature(
                "tools",
                Tier::Transformed,
                "allowed-tools and disallowed-tools",
            )
            .feature("allowed-tools", Tier::Native, "")
            .feature(
                "prompt-arguments",
                Tier::Transformed,
                "$ARGUMENTS, $ARGUMENTS[n], $name",
            )
            .feature(
                "implicit-invocation",
                Tier::Native,
                "disable-model-invocation",
            )
            .feature("mcp", Tier::Native, ".mcp.json")
            .feature("commands", Tier::PassThrough, "")
            .feature("agents", Tier::PassThrough, "")
            .feature("hooks", Tier::PassThrough, "")
            .feature("bin", Tier::PassThrough, "")
            .feature("rules", Tier::Unsupported, "plugins have no rules")
            .feature("listing", Tier::Transformed, "description and keywords")
            .feature("dependencies", Tier::Unsupported, "not written yet");
        let words = json!({"type": ["string", "array"]});
        it.native_keys = json!({
            "type": "object",
            "properties": {
                "when_to_use": {"type": "string"},
                "argument-hint": {"type": "string"},
                "arguments": words,
                "disable-model-invocation": {"type": "boolean"},
                "user-invocable": {"type": "boolean"},
                "allowed-tools": words,
                "disallowed-tools": words,
                "model": {"type": "string"},
                "effort": {"enum": ["low", "medium", "high", "xhigh", "max"]},
                "context": {"enum": ["fork"]},
                "agent": {"type": "string"},
                "background": {"type": "boolean"},
                "hooks": {"type": "object"},
                "paths": words,
                "shell": {"enum": ["bash", "powershell"]},
                "display-name": {"type": "string"},
                "default-enabled": {"type": "boolean"},
                "fallback": {},
            },
        });
        it.block_schema = json!({
            "type": "object",
            "properties": {
                "escape_dollars": {"type": "boolean", "description": "Write `$1` in a body as `\\$1`."},
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

skillset_renderer::export!(Claude);
