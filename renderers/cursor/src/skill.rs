//! A skill for Cursor: markers as they are, and the tools policy beside it.

use skillset_renderer::arguments::{body_with_markers, has_markers};
use skillset_renderer::document::{copy_resources, frontmatter, merge_block};
use skillset_renderer::tools::write_sidecar;
use skillset_renderer::{Diagnostic, Placement, Rendered, Severity, Skill, Tier};

pub(crate) fn render(skill: &Skill, at: &Placement) -> Rendered {
    let mut rendered = Rendered::default();
    let mut keys = frontmatter(skill, at);
    merge_block(&mut keys, &skill.block);
    rendered.document(at.path("SKILL.md"), keys, body_with_markers(&skill.body));
    if has_markers(&skill.body) {
        rendered.realize("prompt-arguments", Tier::PassThrough, "markers", "");
    }
    write_sidecar(&mut rendered, "cursor", skill, at);
    if skill.implicit_invocation.is_some() {
        rendered.diagnostics.push(
            Diagnostic::new(
                Severity::Info,
                "implicit-invocation-ignored",
                "`implicit_invocation` has no effect for cursor",
            )
            .help("set `cursor.frontmatter.disable-model-invocation`"),
        );
        rendered.realize("implicit-invocation", Tier::Unsupported, "", "");
    }
    copy_resources(&mut rendered, &skill.resources, at, |path| {
        path != "agents/openai.yaml"
    });
    rendered
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use skillset_renderer::{
        Argument, Content, Layout, Placement, Segment, Severity, Skill, UnitKind,
    };

    use super::render;

    #[test]
    fn the_marker_stays_without_a_line_and_the_block_adds_keys() {
        let skill = Skill {
            frontmatter: serde_json::from_value(json!({"description": "x"})).unwrap(),
            block: serde_json::from_value(json!({"frontmatter": {"globs": ["*.rs"]}})).unwrap(),
            body: vec![Segment::Marker {
                argument: Argument::Index(0),
                literal: "{{$ARGUMENTS[0]}}".to_owned(),
            }],
            implicit_invocation: Some(false),
            ..Skill::default()
        };
        let at = Placement {
            unit: UnitKind::Skill,
            layout: Layout::Standalone,
            directory: ".cursor/skills/a".to_owned(),
            effective_name: "a".to_owned(),
            plugin: None,
            draft: false,
        };
        let rendered = render(&skill, &at);
        let Content::Document { frontmatter, body } = &rendered.outputs[0].content else {
            panic!()
        };
        assert_eq!(rendered.outputs.len(), 1);
        assert_eq!(
            Value::Object(frontmatter.clone()),
            json!({"name": "a", "description": "x", "globs": ["*.rs"]})
        );
        assert_eq!(body, "{{$ARGUMENTS[0]}}");
        assert_eq!(rendered.diagnostics[0].severity, Severity::Info);
    }
}
