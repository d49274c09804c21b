//! A skill for Claude Code: native frontmatter, native placeholders, native tool rules.

use serde_json::Value;
use skillset_renderer::arguments::{body_with_markers, has_markers};
use skillset_renderer::document::{copy_resources, frontmatter, merge_block};
use skillset_renderer::tools::{contradictions, patterns};
use skillset_renderer::{
    Argument, Diagnostic, Layout, Placement, Rendered, Segment, Severity, Skill, Tier, Tools,
};

pub(crate) fn render(skill: &Skill, at: &Placement) -> Rendered {
    let mut rendered = Rendered::default();
    let mut keys = frontmatter(skill, at);

    let mut allowed = skill.allowed_tools.clone();
    let mut disallowed = Vec::new();
    if let Some(tools) = &skill.tools {
        rendered.diagnostics.extend(contradictions(tools));
        expand(tools, &mut allowed, &mut disallowed);
        describe_tools(&mut rendered, tools, &allowed, &disallowed);
    } else if !allowed.is_empty() {
        let rule = format!("allowed-tools: {}", allowed.join(", "));
        rendered.realize("allowed-tools", Tier::Native, rule, "");
    }
    for (key, rules) in [("allowed-tools", allowed), ("disallowed-tools", disallowed)] {
        if !rules.is_empty() {
            keys.insert(key.to_owned(), rules.into());
        }
    }
    if let Some(implicit) = skill.implicit_invocation {
        keys.insert("disable-model-invocation".to_owned(), (!implicit).into());
        let rule = format!("disable-model-invocation: {}", !implicit);
        rendered.realize("implicit-invocation", Tier::Native, rule, "");
    }

    // Readers of a package share its bytes, and the marker is the one form that all of them can be told about.
    let body = if at.layout == Layout::Package {
        body_with_markers(&skill.body)
    } else {
        let escape = skill.block.get("escape_dollars") == Some(&Value::Bool(true));
        let (body, names) = native_body(&skill.body, escape, &mut rendered.diagnostics);
        if !names.is_empty() {
            keys.insert("arguments".to_owned(), names.into());
        }
        if has_markers(&skill.body) {
            rendered.realize("prompt-arguments", Tier::Transformed, "$ARGUMENTS", "");
        }
        body
    };
    merge_block(&mut keys, &skill.block);
    rendered.document(at.path("SKILL.md"), keys, body);
    copy_resources(&mut rendered, &skill.resources, at, |path| {
        path != "agents/openai.yaml"
    });
    rendered
}

/// The policy as Claude's rules, in the author's order, native rules last.
fn expand(tools: &Tools, allowed: &mut Vec<String>, disallowed: &mut Vec<String>) {
    for (key, value) in &tools.portable {
        let names: &[&str] = match key.as_str() {
            "read" => &["Read"],
            "search" => &["Grep", "Glob"],
            "write" => &["Write", "Edit"],
            "shell" => &["Bash"],
            "mcp" => {
                expand_mcp(value, allowed, disallowed);
                continue;
            }
            _ => continue,
        };
        match value {
            Value::Bool(true) => allowed.extend(names.iter().map(|&name| name.to_owned())),
            Value::Bool(false) => disallowed.extend(names.iter().map(|&name| name.to_owned())),
            listed => allowed.extend(patterns(listed).iter().map(|rule| format!("Bash({rule})"))),
        }
    }
    allowed.extend(tools.allow.iter().cloned());
    disallowed.extend(tools.deny.iter().cloned());
}

fn expand_mcp(value: &Value, allowed: &mut Vec<String>, disallowed: &mut Vec<String>) {
    if value == &Value::Bool(false) {
        disallowed.push("mcp__*".to_owned());
    }
    let Value::Object(servers) = value else {
        return;
    };
    for (server, rules) in servers {
        match rules {
            Value::Bool(true) => allowed.push(format!("mcp__{server}")),
            Value::Bool(false) => disallowed.push(format!("mcp__{server}")),
            globs => allowed.extend(
                patterns(globs)
                    .iter()
                    .map(|glob| format!("mcp__{server}__{glob}")),
            ),
        }
    }
}

fn describe_tools(
    rendered: &mut Rendered,
    tools: &Tools,
    allowed: &[String],
    disallowed: &[String],
) {
    let mut rules = Vec::new();
    if !allowed.is_empty() {
        rules.push(format!("allowed-tools: {}", allowed.join(", ")));
    }
    if !disallowed.is_empty() {
        rules.push(format!("disallowed-tools: {}", disallowed.join(", ")));
    }
    if rules.is_empty() {
        return;
    }
    let risk = match tools.portable.get("write") {
        Some(Value::Bool(false)) if tools.portable.get("shell") != Some(&Value::Bool(false)) => {
            "shell commands and MCP tools can still write"
        }
        _ => "",
    };
    let tier = if tools.portable.is_empty() {
        Tier::Native
    } else {
        Tier::Transformed
    };
    rendered.realize("tools", tier, rules.join("; "), risk);
}

/// The body with Claude's placeholders, and the named arguments in order of first use.
fn native_body(
    body: &[Segment],
    escape_dollars: bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> (String, Vec<String>) {
    let mut names: Vec<String> = Vec::new();
    let mut authored: Vec<&str> = Vec::new();
    let mut text = String::new();
    for (place, segment) in body.iter().enumerate() {
        let argument = match segment {
            Segment::Text(piece) if escape_dollars => {
                escape_positions(piece, &mut text);
                continue;
            }
            Segment::Text(piece) => {
                text.push_str(piece);
                continue;
            }
            Segment::Marker { argument, .. } => argument,
        };
        match argument {
            Argument::Whole => text.push_str("$ARGUMENTS"),
            Argument::Index(index) => text.push_str(&format!("$ARGUMENTS[{index}]")),
            Argument::Named(name) => {
                let native = name.replace('-', "_");
                let position = match names.iter().position(|known| *known == native) {
                    Some(position) => {
                        if authored[position] != name {
                            diagnostics.push(Diagnostic::new(
                                Severity::Warning,
                                "arguments-same-name",
                                format!(
                                    "`{}` and `{name}` are one argument for claude: both become `${native}`",
                                    authored[position]
                                ),
                            ));
                        }
                        position
                    }
                    None => {
                        names.push(native.clone());
                        authored.push(name);
                        names.len() - 1
                    }
                };
                // A word character right after `$topic` would become a part of the name.
                let glued = matches!(body.get(place + 1), Some(Segment::Text(next))
                    if next.starts_with(|c: char| c.is_alphanumeric() || c == '_'));
                if glued {
                    text.push_str(&format!("$ARGUMENTS[{position}]"));
                } else {
                    text.push('$');
                    text.push_str(&native);
                }
            }
        }
    }
    (text, names)
}

/// Writes `$1` as `\$1`, because Claude would put the second argument there.
fn escape_positions(piece: &str, into: &mut String) {
    let mut backslashes = 0;
    for (place, character) in piece.char_indices() {
        if character == '$' && backslashes != 1 {
            let rest = &piece[place + 1..];
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let word_follows =
                rest[digits..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
            if digits > 0 && !word_follows {
                into.push('\\');
            }
        }
        backslashes = if character == '\\' {
            backslashes + 1
        } else {
            0
        };
        into.push(character);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use skillset_renderer::{
        Argument, Content, Layout, Object, Placement, Rendered, Segment, Skill, Tools, UnitKind,
    };

    use super::{escape_positions, render};

    fn at(layout: Layout) -> Placement {
        Placement {
            unit: UnitKind::Skill,
            layout,
            directory: ".claude/skills/ode".to_owned(),
            effective_name: "ode".to_owned(),
            plugin: None,
            draft: false,
        }
    }

    fn object(value: Value) -> Object {
        serde_json::from_value(value).unwrap()
    }

    fn named(name: &str) -> Segment {
        Segment::Marker {
            argument: Argument::Named(name.to_owned()),
            literal: format!("{{{{$ARGUMENTS.{name}}}}}"),
        }
    }

    fn text(text: &str) -> Segment {
        Segment::Text(text.to_owned())
    }

    fn document(rendered: &Rendered) -> (Value, &str) {
        match &rendered.outputs[0].content {
            Content::Document { frontmatter, body } => (Value::Object(frontmatter.clone()), body),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn named_arguments_are_declared_in_order_of_first_use() {
        let skill = Skill {
            frontmatter: object(json!({"description": "Ode."})),
            body: vec![
                text("On "),
                named("the-mood"),
                text(", "),
                named("topic"),
                text(", "),
                named("the-mood"),
                text("."),
            ],
            ..Skill::default()
        };
        let rendered = render(&skill, &at(Layout::Standalone));
        let (keys, body) = document(&rendered);
        assert_eq!(
            keys,
            json!({"name": "ode", "description": "Ode.", "arguments": ["the_mood", "topic"]})
        );
        assert_eq!(body, "On $the_mood, $topic, $the_mood.");
    }

    #[test]
    fn an_argument_before_a_letter_is_written_by_its_position() {
        let skill = Skill {
            body: vec![named("a"), text(" "), named("thing"), text("s")],
            ..Skill::default()
        };
        let rendered = render(&skill, &at(Layout::Standalone));
        assert_eq!(document(&rendered).1, "$a $ARGUMENTS[1]s");
    }

    #[test]
    fn a_package_keeps_the_marker() {
        let skill = Skill {
            body: vec![named("topic")],
            ..Skill::default()
        };
        let rendered = render(&skill, &at(Layout::Package));
        let (keys, body) = document(&rendered);
        assert_eq!(keys, json!({"name": "ode"}));
        assert_eq!(body, "{{$ARGUMENTS.topic}}");
    }

    #[test]
    fn index_and_whole() {
        let skill = Skill {
            body: vec![
                Segment::Marker {
                    argument: Argument::Index(2),
                    literal: "{{$ARGUMENTS[2]}}".to_owned(),
                },
                text(" "),
                Segment::Marker {
                    argument: Argument::Whole,
                    literal: "{{$ARGUMENTS}}".to_owned(),
                },
            ],
            ..Skill::default()
        };
        assert_eq!(
            document(&render(&skill, &at(Layout::Bundle))).1,
            "$ARGUMENTS[2] $ARGUMENTS"
        );
    }

    #[test]
    fn tools_expand_in_the_order_of_the_author() {
        let skill = Skill {
            allowed_tools: vec!["WebFetch".to_owned()],
            tools: Some(Tools {
                portable: object(json!({
                    "shell": ["git *"], "search": true, "read": true, "write": false,
                    "mcp": {"tracker": ["get_*"], "calendar": true, "payroll": false, "wiki": "search_*"},
                })),
                allow: vec!["Task".to_owned()],
                deny: vec!["WebSearch".to_owned()],
            }),
            implicit_invocation: Some(false),
            ..Skill::default()
        };
        let rendered = render(&skill, &at(Layout::Standalone));
        assert_eq!(
            document(&rendered).0,
            json!({
                "name": "ode",
                "allowed-tools": ["WebFetch", "Bash(git *)", "Grep", "Glob", "Read", "mcp__tracker__get_*",
                    "mcp__calendar", "mcp__wiki__search_*", "Task"],
                "disallowed-tools": ["Write", "Edit", "mcp__payroll", "WebSearch"],
                "disable-model-invocation": true,
            })
        );
        assert!(rendered.realizations[0].residual_risk.is_some());
    }

    #[test]
    fn the_block_is_merged_last() {
        let skill = Skill {
            tools: Some(Tools {
                portable: object(json!({"search": true})),
                ..Tools::default()
            }),
            block: object(json!({"frontmatter": {"allowed-tools": ["Read"], "context": "fork"}})),
            ..Skill::default()
        };
        assert_eq!(
            document(&render(&skill, &at(Layout::Standalone))).0,
            json!({"name": "ode", "allowed-tools": ["Read"], "context": "fork"})
        );
    }

    #[test]
    fn dollars_are_escaped_only_where_claude_would_substitute() {
        let mut text = String::new();
        escape_positions(r"$5.00 \$1 $x $1a \\$2 $12", &mut text);
        assert_eq!(text, r"\$5.00 \$1 $x $1a \\\$2 \$12");
    }
}
