//! The Agent Skills standard: one `SKILL.md` with the standard's own fields and nothing else.

use serde_json::json;
use skillset_renderer::arguments::body_with_notice;
use skillset_renderer::document::standard_skill;
use skillset_renderer::{
    Claim, Description, Layout, Placement, Rendered, Renderer, Skill, Tier, UnitKind,
};

/// Renders for clients of the Agent Skills standard.
pub struct AgentSkills;

impl Renderer for AgentSkills {
    fn describe() -> Description {
        let mut it =
            Description::standard("agent-skills", "Agent Skills", env!("CARGO_PKG_VERSION"))
                .claim(Claim::owned(
                    UnitKind::Skill,
                    Layout::Standalone,
                    ".agents/skills",
                ))
                .feature("skills", Tier::Native, "")
                .feature("resources", Tier::PassThrough, "")
                .feature("licence", Tier::Native, "")
                .feature("allowed-tools", Tier::Native, "one space-separated string")
                .feature(
                    "prompt-arguments",
                    Tier::Transformed,
                    "markers below one line that explains them",
                )
                .feature("tools", Tier::Unsupported, "the standard has no policy")
                .feature(
                    "implicit-invocation",
                    Tier::Unsupported,
                    "the standard has no such switch",
                )
                .feature("plugins", Tier::Unsupported, "agent-plugins owns packages");
        it.native_keys = standard_keys();
        it.block_schema = json!({"type": "object", "additionalProperties": false});
        it
    }

    fn render_skill(skill: &Skill, at: &Placement) -> Rendered {
        standard_skill(skill, at, body_with_notice(&skill.body, at.layout))
    }
}

skillset_renderer::export!(AgentSkills);

fn standard_keys() -> serde_json::Value {
    json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "maxLength": 64},
            "description": {"type": "string", "maxLength": 1024},
            "license": {"type": "string"},
            "compatibility": {"type": "string", "maxLength": 500},
            "metadata": {"type": "object"},
            "allowed-tools": {"type": "string"},
        },
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use skillset_renderer::arguments::NOTICE;
    use skillset_renderer::{
        Argument, Content, Layout, Placement, Renderer, Resource, Segment, Skill, UnitKind,
    };

    use super::AgentSkills;

    fn at() -> Placement {
        Placement {
            unit: UnitKind::Skill,
            layout: Layout::Standalone,
            directory: ".agents/skills/greet".to_owned(),
            effective_name: "greet".to_owned(),
            plugin: None,
            draft: false,
        }
    }

    #[test]
    fn a_skill_has_the_fields_of_the_standard_the_notice_and_its_files() {
        let skill = Skill {
            frontmatter: serde_json::from_value(json!({"description": "Greet.", "model": "x"}))
                .unwrap(),
            body: vec![
                Segment::Text("\nSay ".to_owned()),
                Segment::Marker {
                    argument: Argument::Whole,
                    literal: "{{$ARGUMENTS}}".to_owned(),
                },
                Segment::Text(".\n".to_owned()),
            ],
            resources: vec![
                Resource {
                    id: "r1".to_owned(),
                    path: "scripts/a.sh".to_owned(),
                    size: 1,
                    executable: true,
                    hash: String::new(),
                },
                Resource {
                    id: "r2".to_owned(),
                    path: "agents/openai.yaml".to_owned(),
                    size: 1,
                    executable: false,
                    hash: String::new(),
                },
            ],
            ..Skill::default()
        };
        let rendered = AgentSkills::render_skill(&skill, &at());
        assert_eq!(rendered.outputs.len(), 2);
        let Content::Document { frontmatter, body } = &rendered.outputs[0].content else {
            panic!()
        };
        assert_eq!(rendered.outputs[0].path, ".agents/skills/greet/SKILL.md");
        assert_eq!(
            Value::Object(frontmatter.clone()),
            json!({"name": "greet", "description": "Greet."})
        );
        assert_eq!(body, &format!("{NOTICE}\n\nSay {{{{$ARGUMENTS}}}}.\n"));
        assert_eq!(
            rendered.outputs[1].path,
            ".agents/skills/greet/scripts/a.sh"
        );
        assert!(rendered.outputs[1].executable);
        assert_eq!(rendered.outputs[1].content, Content::Copy("r1".to_owned()));
    }

    #[test]
    fn what_the_standard_cannot_hold_gives_no_output() {
        let skill = Skill {
            frontmatter: serde_json::from_value(
                json!({"description": "x", "metadata": {"a": {"b": 1}}}),
            )
            .unwrap(),
            ..Skill::default()
        };
        let rendered = AgentSkills::render_skill(&skill, &at());
        assert!(rendered.outputs.is_empty());
        assert_eq!(rendered.shortfalls[0].feature, "skills");
        assert!(!rendered.shortfalls[0].lossy);
    }
}
