//! The listing of skills in an agent's system prompt.

use super::skill::Skill;

const MAX_LINE_CHARS: usize = 1024;

/// One line a skill, sorted; nothing at all without a read tool or without skills, since a listing would be of no use.
#[must_use]
pub fn compose_prompt(skills: &[Skill], has_read_tool: bool) -> String {
    let mut listed: Vec<&Skill> = skills.iter().filter(|s| !s.hidden_from_prompt).collect();
    if !has_read_tool || listed.is_empty() {
        return String::new();
    }
    listed.sort_by_cached_key(|s| (s.name.to_lowercase(), s.name.clone(), s.path.clone()));
    let mut text = String::from("<skills>\n");
    for skill in listed {
        text.push_str(&line(&skill.name, &skill.description));
        text.push('\n');
    }
    text.push_str("</skills>\n");
    text
}

fn line(name: &str, description: &str) -> String {
    let description = description.split_whitespace().collect::<Vec<_>>().join(" ");
    let raw = if description.is_empty() {
        format!("- {name}")
    } else {
        format!("- {name}: {description}")
    };
    let pieces: Vec<String> = raw.chars().map(escape).collect();
    let length = |pieces: &[String]| pieces.iter().map(|p| p.chars().count()).sum::<usize>();
    if length(&pieces) <= MAX_LINE_CHARS {
        return pieces.concat();
    }
    let mut used = 0;
    let mut short = String::new();
    for piece in &pieces {
        used += piece.chars().count();
        if used >= MAX_LINE_CHARS {
            break;
        }
        short.push_str(piece);
    }
    short.push('…');
    short
}

fn escape(c: char) -> String {
    match c {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        '\'' => "&apos;".to_owned(),
        c if c.is_control() => " ".to_owned(),
        c => c.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::skill::Level;

    fn skill(name: &str, description: &str) -> Skill {
        Skill {
            name: name.to_owned(),
            description: description.to_owned(),
            path: format!("/{name}/SKILL.md"),
            base_dir: format!("/{name}"),
            provider: "agents".to_owned(),
            level: Level::Project,
            frontmatter: serde_json::Map::new(),
            globs: None,
            always_apply: None,
            plugin: None,
            hidden_from_prompt: false,
            file_real: "/x".into(),
            base_real: "/x".into(),
        }
    }

    #[test]
    fn lists_by_lower_case_name() {
        let skills = [skill("b", "second"), skill("C", ""), skill("a", "first")];
        assert_eq!(
            compose_prompt(&skills, true),
            "<skills>\n- a: first\n- b: second\n- C\n</skills>\n"
        );
    }

    #[test]
    fn is_empty_without_a_read_tool_or_skills() {
        assert_eq!(compose_prompt(&[skill("a", "d")], false), "");
        assert_eq!(compose_prompt(&[], true), "");
    }

    #[test]
    fn hides_what_the_model_may_not_invoke() {
        let mut hidden = skill("a", "d");
        hidden.hidden_from_prompt = true;
        assert_eq!(compose_prompt(&[hidden.clone()], true), "");
        assert_eq!(
            compose_prompt(&[hidden, skill("b", "d")], true),
            "<skills>\n- b: d\n</skills>\n"
        );
    }

    #[test]
    fn text_cannot_leave_its_line() {
        assert_eq!(
            line("x", "a <b>\n\n# \"x\"\t& y"),
            "- x: a &lt;b&gt; # &quot;x&quot; &amp; y"
        );
    }

    #[test]
    fn a_long_line_ends_in_an_ellipsis_and_never_inside_an_entity() {
        let text = line("x", &"<".repeat(2000));
        assert!(text.chars().count() <= 1024);
        assert!(text.ends_with("&lt;…"), "{text}");
        assert_eq!(line("x", &"a".repeat(1019)).chars().count(), 1024);
        assert!(!line("x", &"a".repeat(1019)).ends_with('…'));
        assert_eq!(line("x", &"a".repeat(1020)).chars().count(), 1024);
        assert!(line("x", &"a".repeat(1020)).ends_with('…'));
    }
}
