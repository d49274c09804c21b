//! Which of the skills found count: switches, then filters, then names. A skill that is off shadows nothing.

use std::collections::BTreeMap;
use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

use super::providers::is_source_on;
use super::settings::SkillSettings;
use super::skill::{Skill, Skipped};
use super::warning::Warning;
use crate::diagnostic::Code;

/// One real file that was seen twice.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Duplicate {
    /// The name of the skill that counts.
    pub name: String,
    /// The path that counts.
    pub kept: String,
    /// The other one.
    pub dropped: String,
}

#[derive(Debug, Default)]
pub(super) struct Selected {
    pub(super) skills: Vec<Skill>,
    /// On, but a skill before it has the name.
    pub(super) shadowed: Vec<Skill>,
    pub(super) duplicates: Vec<Duplicate>,
    pub(super) skipped: Vec<Skipped>,
    pub(super) warnings: Vec<Warning>,
}

pub(super) fn select(found: Vec<Skill>, settings: &SkillSettings) -> Selected {
    let mut selected = Selected::default();
    let ignored = Patterns::new(
        "ignoredSkills",
        &settings.ignored_skills,
        &mut selected.warnings,
    );
    let included = Patterns::new(
        "includeSkills",
        &settings.include_skills,
        &mut selected.warnings,
    );
    let mut by_name: BTreeMap<String, usize> = BTreeMap::new();
    let mut by_file: BTreeMap<std::path::PathBuf, (String, String)> = BTreeMap::new();
    for skill in found {
        if let Some(reason) = reason_to_leave_out(&skill, settings, &ignored, &included) {
            selected.skipped.push(Skipped {
                path: skill.path,
                reason,
            });
            continue;
        }
        if let Some((name, kept)) = by_file.get(&skill.file_real) {
            if *kept != skill.path {
                selected.duplicates.push(Duplicate {
                    name: name.clone(),
                    kept: kept.clone(),
                    dropped: skill.path,
                });
            }
            continue;
        }
        by_file.insert(
            skill.file_real.clone(),
            (skill.name.clone(), skill.path.clone()),
        );
        if let Some(winner) = by_name
            .get(&skill.name)
            .and_then(|i| selected.skills.get(*i))
        {
            selected.warnings.push(collision(winner, &skill));
            selected.shadowed.push(skill);
            continue;
        }
        by_name.insert(skill.name.clone(), selected.skills.len());
        selected.skills.push(skill);
    }
    selected
}

fn collision(winner: &Skill, loser: &Skill) -> Warning {
    let message = format!(
        "the skill `{}` of `{}` ({}) is shadowed by `{}` ({})",
        loser.name,
        loser.path,
        loser.source(),
        winner.path,
        winner.source()
    );
    Warning {
        kept: Some(winner.path.clone()),
        dropped: Some(loser.path.clone()),
        ..Warning::new(Code::DISCOVERY_COLLISION, message)
    }
    .name(&loser.name)
    .at(Path::new(&loser.path))
}

fn reason_to_leave_out(
    skill: &Skill,
    settings: &SkillSettings,
    ignored: &Patterns,
    included: &Patterns,
) -> Option<String> {
    if !is_source_on(&skill.provider, skill.level, settings) {
        return Some(format!("the source `{}` is switched off", skill.source()));
    }
    if let Some(pattern) = ignored.find(&skill.name) {
        return Some(format!(
            "the name `{}` matches `{pattern}` of `ignoredSkills`",
            skill.name
        ));
    }
    if !settings.include_skills.is_empty() && included.find(&skill.name).is_none() {
        return Some(format!(
            "the name `{}` matches nothing in `includeSkills`",
            skill.name
        ));
    }
    None
}

struct Patterns<'a>(Vec<(&'a str, bool, GlobMatcher)>);

impl<'a> Patterns<'a> {
    fn new(setting: &str, patterns: &'a [String], warnings: &mut Vec<Warning>) -> Self {
        let mut compiled = Vec::new();
        for text in patterns {
            let bare = text.trim_start_matches('!');
            let negated = (text.len() - bare.len()) % 2 == 1;
            let glob = GlobBuilder::new(bare)
                .literal_separator(true)
                .backslash_escape(true)
                .empty_alternates(true)
                .build();
            match glob {
                Ok(glob) if !bare.is_empty() => {
                    compiled.push((text.as_str(), negated, glob.compile_matcher()));
                }
                Ok(_) => warnings.push(bad_pattern(setting, text, "it is empty")),
                Err(error) => warnings.push(bad_pattern(setting, text, &error.kind().to_string())),
            }
        }
        Self(compiled)
    }

    fn find(&self, name: &str) -> Option<&'a str> {
        self.0
            .iter()
            .find(|(_, negated, glob)| glob.is_match(name) != *negated)
            .map(|(text, ..)| *text)
    }
}

fn bad_pattern(setting: &str, pattern: &str, reason: &str) -> Warning {
    Warning::new(
        Code::DISCOVERY_PATTERN_INVALID,
        format!("the pattern `{pattern}` of `{setting}` matches nothing: {reason}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(patterns: &[&str], name: &str) -> bool {
        let patterns: Vec<String> = patterns.iter().map(|p| (*p).to_owned()).collect();
        Patterns::new("x", &patterns, &mut Vec::new())
            .find(name)
            .is_some()
    }

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name, expected) in [
            ("*", "abc", true),
            ("*", "a:b", true),
            ("p:*", "p:abc", true),
            ("*:abc", "p:abc", true),
            ("?", "e", true),
            ("?", "ab", false),
            ("[a-c]*", "bx", true),
            ("[!b]", "b", false),
            ("{a,b}", "b", true),
            ("{a,}", "", true),
            ("\\*", "*", true),
            ("\\*", "x", false),
            ("\\!x", "!x", true),
            ("!x", "y", true),
            ("!x", "x", false),
            ("!!x", "x", true),
            ("valid-*", "valid-", true),
            ("valid-*", "Valid-x", false),
            ("VALID-*", "valid-x", false),
            ("oo", "foo", false),
            ("[", "[", false),
            ("{a", "{a", false),
            ("", "", false),
            ("!", "x", false),
        ] {
            assert_eq!(matches(&[pattern], name), expected, "{pattern:?} {name:?}");
        }
        assert!(matches(&["foo-*", "!foo-a"], "foo-a"));
        assert!(matches(&["foo-*", "!foo-a"], "bar"));
    }

    #[test]
    fn a_bad_pattern_is_a_warning() {
        let mut warnings = Vec::new();
        Patterns::new(
            "ignoredSkills",
            &["[".to_owned(), "ok".to_owned()],
            &mut warnings,
        );
        assert_eq!(warnings.len(), 1);
        assert_eq!(warnings[0].code, Code::DISCOVERY_PATTERN_INVALID);
    }
}
