//! A discovered skill, and the lenient reading of its frontmatter.

use std::path::PathBuf;

use serde_json::{Map, Value};

/// Where a skill was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// In the user's home.
    User,
    /// In the project.
    Project,
    /// In a directory that the settings name.
    Custom,
}

impl Level {
    /// `user`, `project` or `custom`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Custom => "custom",
        }
    }
}

/// One skill as the agent sees it.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Skill {
    /// Exact and case-sensitive.
    pub name: String,
    /// Empty when there is none.
    pub description: String,
    /// `SKILL.md` as found, absolute.
    pub path: String,
    /// Its directory as found, absolute.
    pub base_dir: String,
    /// A row of the table of providers, or `custom`.
    pub provider: String,
    /// User, project or custom.
    pub level: Level,
    /// Every key, also unknown ones.
    pub frontmatter: Map<String, Value>,
    /// `globs`, when it is a list of text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub globs: Option<Vec<String>>,
    /// `alwaysApply`, when it is a boolean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub always_apply: Option<bool>,
    /// The installed plugin that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugin: Option<String>,
    /// Whether `disable-model-invocation` keeps it out of the prompt.
    #[serde(skip)]
    pub hidden_from_prompt: bool,
    #[serde(skip)]
    pub(super) file_real: PathBuf,
    #[serde(skip)]
    pub(super) base_real: PathBuf,
}

impl Skill {
    /// `provider:level`
    pub(super) fn source(&self) -> String {
        format!("{}:{}", self.provider, self.level.as_str())
    }
}

/// Something that looks like a skill and is none, or is switched off.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Skipped {
    /// Where.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// What the frontmatter says.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Frontmatter {
    pub(super) keys: Map<String, Value>,
    pub(super) problem: Option<Problem>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Problem {
    /// There is none.
    Missing,
    /// It is not YAML; the plain lines count.
    NotYaml(String),
}

/// Splits a file into frontmatter and body. A fence is a line of exactly `---`, with spaces after it at most.
pub(super) fn split(text: &str) -> (Option<&str>, &str) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_fence = |line: &str| {
        line.strip_prefix("---")
            .is_some_and(|rest| rest.trim_end_matches(['\n', '\r', ' ', '\t']).is_empty())
    };
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| is_fence(line)) else {
        return (None, text);
    };
    let mut offset = first.len();
    for line in lines {
        if is_fence(line) {
            return (
                Some(&text[first.len()..offset]),
                &text[offset + line.len()..],
            );
        }
        offset += line.len();
    }
    (None, text)
}

/// The body as a message: line feeds only, nothing around it.
pub(super) fn body(text: &str) -> String {
    let (_, body) = split(text);
    body.replace("\r\n", "\n")
        .replace('\r', "\n")
        .trim()
        .to_owned()
}

/// Reads what can be read; a skill is not lost for a slip in its YAML.
pub(super) fn parse(text: &str) -> Frontmatter {
    let (Some(yaml), _) = split(text) else {
        return Frontmatter {
            keys: Map::new(),
            problem: Some(Problem::Missing),
        };
    };
    let yaml = yaml.replace("\r\n", "\n");
    if let Some(keys) = plain_text_lines(&yaml) {
        return Frontmatter {
            keys,
            problem: None,
        };
    }
    let reason = match serde_yaml::from_str::<Value>(&yaml) {
        Ok(Value::Object(keys)) => {
            return Frontmatter {
                keys,
                problem: None,
            };
        }
        Ok(Value::Null) => return Frontmatter::default(),
        Ok(_) => "it is not a mapping".to_owned(),
        Err(error) => error.to_string(),
    };
    Frontmatter {
        keys: fallback(&yaml),
        problem: Some(Problem::NotYaml(reason)),
    }
}

/// The common case without a YAML parser: every line is `key: words`, and the words can mean nothing but text.
fn plain_text_lines(yaml: &str) -> Option<Map<String, Value>> {
    let mut keys = Map::new();
    for line in yaml.lines() {
        let (key, value) = line.split_once(": ")?;
        let simple_key = key.starts_with(|c: char| c.is_ascii_lowercase())
            && key.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-');
        let simple_value = value.starts_with(|c: char| c.is_ascii_alphabetic())
            && value
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b" .,-/()'".contains(&b))
            && !value.ends_with(' ')
            && (value.contains(' ') || matches!(key, "name" | "description") && value.len() > 5);
        if !simple_key || !simple_value || keys.contains_key(key) {
            return None;
        }
        keys.insert(key.to_owned(), Value::String(value.to_owned()));
    }
    (!keys.is_empty()).then_some(keys)
}

/// Each line `key: rest` at the left margin is text, `true` and `false` are booleans; other lines do not count.
fn fallback(yaml: &str) -> Map<String, Value> {
    let mut keys = Map::new();
    for line in yaml.lines() {
        let Some((key, value)) = line.split_once(':') else {
            continue;
        };
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        if key.is_empty() || !key.chars().all(is_word) {
            continue;
        }
        let value = match value.trim() {
            "true" | "True" | "TRUE" => Value::Bool(true),
            "false" | "False" | "FALSE" => Value::Bool(false),
            text => Value::String(text.to_owned()),
        };
        keys.insert(key.to_owned(), value);
    }
    keys
}

/// Whether a name may be shown and typed at all.
pub(super) fn check_name(name: &str) -> Result<(), &'static str> {
    if name.is_empty() {
        Err("is empty")
    } else if name.starts_with('.') {
        Err("begins with a dot")
    } else if name.contains(['/', '\\']) {
        Err("holds a slash or a backslash")
    } else if name.chars().any(char::is_control) {
        Err("holds a control character")
    } else {
        Ok(())
    }
}

/// How a name differs from the Agent Skills rule.
pub(super) fn name_deviation(name: &str, directory: &str) -> Option<&'static str> {
    let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    if name.chars().count() > 64 {
        Some("is longer than 64 characters")
    } else if !name.bytes().all(allowed) {
        Some("has characters other than a-z, 0-9 and `-`")
    } else if name.starts_with('-') || name.ends_with('-') || name.contains("--") {
        Some("has a hyphen at an end or two in a row")
    } else if name != directory {
        Some("differs from its directory's name")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fences_are_whole_lines() {
        for (text, frontmatter, body) in [
            ("---\na: 1\n---\nb\n", Some("a: 1\n"), "b\n"),
            ("---  \na: 1\n--- \nb", Some("a: 1\n"), "b"),
            ("\u{feff}---\r\na: 1\r\n---\r\nb", Some("a: 1\r\n"), "b"),
            ("---\n---\nb", Some(""), "b"),
            ("---\na: 1\n---", Some("a: 1\n"), ""),
            ("---\na: 1\n---\nx\n---\ny\n", Some("a: 1\n"), "x\n---\ny\n"),
            ("----\na: 1\n---\nb", None, "----\na: 1\n---\nb"),
            ("\n---\na: 1\n---\nb", None, "\n---\na: 1\n---\nb"),
            ("---\na: 1\n", None, "---\na: 1\n"),
            ("---\na: 1\n---foo\n", None, "---\na: 1\n---foo\n"),
            ("", None, ""),
        ] {
            assert_eq!(split(text), (frontmatter, body), "{text:?}");
        }
    }

    #[test]
    fn yaml_is_read_with_its_types() {
        for (yaml, expected) in [
            (
                "name: pdf\ndescription: Reads files",
                json!({"name": "pdf", "description": "Reads files"}),
            ),
            (
                "allowed-tools: Read\nmetadata: {my-key: 1}",
                json!({"allowed-tools": "Read", "metadata": {"my-key": 1}}),
            ),
            (
                "globs: ['*.pdf']\nalwaysApply: true",
                json!({"globs": ["*.pdf"], "alwaysApply": true}),
            ),
            ("name: 12", json!({"name": 12})),
            ("name: true", json!({"name": true})),
            ("enabled: false", json!({"enabled": false})),
            ("enabled: no", json!({"enabled": "no"})),
            ("name: null", json!({"name": null})),
            ("description: |\n  a\n  b", json!({"description": "a\nb\n"})),
            ("description: a #b", json!({"description": "a"})),
        ] {
            let read = parse(&format!("---\n{yaml}\n---\n"));
            assert_eq!(Value::Object(read.keys), expected, "{yaml}");
            assert_eq!(read.problem, None, "{yaml}");
        }
    }

    #[test]
    fn broken_yaml_falls_back_to_plain_lines() {
        let read = parse(
            "---\nname: x\ndescription: use when: pdf\nenabled: false\n  nested: y\nlist: [a\n---\n",
        );
        assert_eq!(
            Value::Object(read.keys),
            json!({"name": "x", "description": "use when: pdf", "enabled": false, "list": "[a"})
        );
        assert!(matches!(read.problem, Some(Problem::NotYaml(_))));
    }

    #[test]
    fn the_short_way_and_yaml_agree() {
        for yaml in [
            "name: pdf-tools\ndescription: Use when a PDF, or a form, is there.",
            "name: y\ndescription: Norway is no",
            "name: a b\nlicense: MIT or other",
        ] {
            if let Some(keys) = plain_text_lines(yaml) {
                let value: Value = serde_yaml::from_str(yaml).unwrap();
                assert_eq!(Value::Object(keys), value, "{yaml}");
            }
        }
        for yaml in [
            "description: use when: pdf",
            "description: a #b",
            "alwaysApply: true",
            "name: null",
            "a: b c\na: d e",
            "name: x\n  folded",
        ] {
            assert_eq!(plain_text_lines(yaml), None, "{yaml}");
        }
    }

    #[test]
    fn a_missing_frontmatter_is_a_problem_and_an_empty_one_is_not() {
        assert_eq!(parse("text").problem, Some(Problem::Missing));
        assert_eq!(parse("---\n---\n").problem, None);
    }

    #[test]
    fn the_body_keeps_its_own_rules_and_comments() {
        assert_eq!(
            body("---\r\nname: x\r\n---\r\n\r\na <!-- b -->\r\n\r\n---\r\n\r\nc\r\n"),
            "a <!-- b -->\n\n---\n\nc"
        );
    }

    #[test]
    fn names_that_could_mislead_are_refused() {
        for name in ["", ".x", "../../etc", "a/b", "a\\b", "a\nb", "a\0"] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
        for name in ["pdf", "Sp Ace", "p:x", "Invalid_Name", "a..b", "ünï"] {
            assert_eq!(check_name(name), Ok(()), "{name:?}");
        }
    }

    #[test]
    fn names_outside_the_rule_are_told() {
        let long = "a".repeat(65);
        for name in [long.as_str(), "Invalid_Name", "bad--name", "-a", "a-"] {
            assert!(name_deviation(name, name).is_some(), "{name}");
        }
        assert!(name_deviation("other", "x").is_some());
        assert_eq!(name_deviation("pdf-2", "pdf-2"), None);
    }
}
