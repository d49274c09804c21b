//! A skill for Codex: the standard's file, and its own policy beside it.

use serde_json::json;
use skillset_renderer::arguments::{body_with_notice, has_markers};
use skillset_renderer::document::{copy_resources, frontmatter, merge_block};
use skillset_renderer::tools::write_sidecar;
use skillset_renderer::{Diagnostic, Placement, Rendered, Severity, Skill, Tier};

const OPENAI: &str = "agents/openai.yaml";

pub(crate) fn render(skill: &Skill, at: &Placement) -> Rendered {
    let mut rendered = Rendered::default();
    let mut keys = frontmatter(skill, at);
    merge_block(&mut keys, &skill.block);
    rendered.document(
        at.path("SKILL.md"),
        keys,
        body_with_notice(&skill.body, at.layout),
    );
    if has_markers(&skill.body) {
        rendered.realize("prompt-arguments", Tier::Transformed, "markers", "");
    }
    write_sidecar(&mut rendered, "codex", skill, at);

    let authored = skill.resources.iter().any(|it| it.path == OPENAI);
    if let Some(implicit) = skill.implicit_invocation {
        if authored {
            rendered.diagnostics.push(
                Diagnostic::new(
                    Severity::Error,
                    "skill-implicit-invocation-conflict",
                    format!("`implicit_invocation` and `{OPENAI}` both set the policy"),
                )
                .help(format!(
                    "keep one of them: remove `implicit_invocation`, or `{OPENAI}`"
                )),
            );
        } else {
            let policy = json!({"policy": {"allow_implicit_invocation": implicit}});
            rendered.json(at.path(OPENAI), policy);
            let rule = format!("policy.allow_implicit_invocation: {implicit}");
            rendered.realize("implicit-invocation", Tier::Transformed, rule, "");
        }
    }
    copy_resources(&mut rendered, &skill.resources, at, |path| {
        path != OPENAI || skill.implicit_invocation.is_none()
    });
    rendered
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use skillset_renderer::{
        Content, Layout, Placement, Rendered, Resource, Skill, Tools, UnitKind,
    };

    use super::render;

    fn at(layout: Layout) -> Placement {
        Placement {
            unit: UnitKind::Skill,
            layout,
            directory: ".agents/skills/trip".to_owned(),
            effective_name: "trip".to_owned(),
            plugin: None,
            draft: false,
        }
    }

    fn skill() -> Skill {
        Skill {
            tools: Some(Tools {
                portable: serde_json::from_value(json!({"read": true, "shell": "date *"})).unwrap(),
                ..Tools::default()
            }),
            implicit_invocation: Some(true),
            ..Skill::default()
        }
    }

    fn value<'a>(rendered: &'a Rendered, path: &str) -> &'a Value {
        let output = rendered.outputs.iter().find(|it| it.path == path).unwrap();
        match &output.content {
            Content::Json(value) => value,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_policy_and_the_tools_stand_beside_the_skill() {
        let rendered = render(&skill(), &at(Layout::Standalone));
        assert_eq!(
            value(&rendered, ".agents/skills/trip/agents/openai.yaml"),
            &json!({"policy": {"allow_implicit_invocation": true}})
        );
        assert_eq!(
            value(&rendered, ".agents/skills/trip/.skillset.tools.yaml"),
            &json!({
                "generated": "skillset", "schema_version": 1, "target": "codex",
                "tools": {"portable": {"read": true, "shell": ["date *"]}},
            })
        );
    }

    #[test]
    fn in_a_package_the_sidecar_is_keyed_by_target() {
        let rendered = render(&skill(), &at(Layout::Package));
        assert_eq!(
            value(&rendered, ".agents/skills/trip/.skillset.tools.yaml"),
            &json!({
                "generated": "skillset", "schema_version": 1,
                "targets": {"codex": {"portable": {"read": true, "shell": ["date *"]}}},
            })
        );
    }

    #[test]
    fn an_authored_policy_file_is_copied_or_conflicts() {
        let mut skill = Skill {
            resources: vec![Resource {
                id: "r".to_owned(),
                path: "agents/openai.yaml".to_owned(),
                size: 1,
                executable: false,
                hash: String::new(),
            }],
            ..Skill::default()
        };
        let rendered = render(&skill, &at(Layout::Standalone));
        assert_eq!(rendered.outputs[1].content, Content::Copy("r".to_owned()));
        skill.implicit_invocation = Some(false);
        let rendered = render(&skill, &at(Layout::Standalone));
        assert_eq!(
            rendered.diagnostics[0].code,
            "skill-implicit-invocation-conflict"
        );
    }

    #[test]
    fn allowed_tools_are_refused() {
        let skill = Skill {
            allowed_tools: vec!["Read".to_owned()],
            ..Skill::default()
        };
        let rendered = render(&skill, &at(Layout::Standalone));
        assert_eq!(rendered.diagnostics[0].code, "allowed-tools-unsupported");
    }
}
