//! `/skill:<name> [args]`: the message that a user's command becomes.

use super::discover::Discovered;
use super::read::{help_with_names, read_skill_file};
use super::settings::Settings;
use super::skill::{Skill, body};
use crate::diagnostic::{Code, Diagnostic};

/// The composed message.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Invocation {
    /// False: no skill was meant, and `message` is the text as it came.
    pub matched: bool,
    /// The skill.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What the agent reads.
    pub message: String,
    /// What the message was made of.
    pub metadata: InvocationMetadata,
}

/// What a message was made of.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct InvocationMetadata {
    /// The path of `SKILL.md`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// The arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
}

/// Why a command cannot be carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InvokeError {
    /// The text does not begin with `/skill:<name>`.
    #[error("`{0}` is not `/skill:<name> [args]`")]
    NotACommand(String),
    /// `skills.enableSkillCommands` is false.
    #[error("skill commands are switched off by `skills.enableSkillCommands`")]
    Disabled,
    /// No discovered skill has that name.
    #[error("no skill is named `{name}`")]
    Unknown {
        /// The word after `/skill:`.
        name: String,
        /// The names that there are.
        available: Vec<String>,
    },
    /// The file is gone or unreadable.
    #[error("`{path}` cannot be read: {source}")]
    Io {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// The file is no longer text.
    #[error("`{path}` is not UTF-8 text")]
    NotText {
        /// The file.
        path: String,
    },
}

impl InvokeError {
    /// The same as a finding.
    #[must_use]
    pub fn to_diagnostic(&self) -> Diagnostic {
        match self {
            Self::Unknown { name, available } => {
                Diagnostic::new(Code::SKILL_UNKNOWN, self.to_string())
                    .help(help_with_names(name, available))
            }
            _ => Diagnostic::new(Code::SKILL_COMMAND_INVALID, self.to_string()),
        }
    }
}

impl Invocation {
    /// For callers that hand on what is no command of ours.
    #[must_use]
    pub fn unmatched(text: &str) -> Self {
        Self {
            matched: false,
            name: None,
            message: text.to_owned(),
            metadata: InvocationMetadata::default(),
        }
    }
}

/// Composes the message of a command.
///
/// # Errors
/// When the text is no command, commands are off, or the skill cannot be read.
pub fn invoke(
    found: &Discovered,
    settings: &Settings,
    text: &str,
) -> Result<Invocation, InvokeError> {
    let command = text
        .trim()
        .strip_prefix("/skill:")
        .filter(|command| !command.is_empty())
        .ok_or_else(|| InvokeError::NotACommand(text.trim().to_owned()))?;
    if !settings.skills.enable_skill_commands {
        return Err(InvokeError::Disabled);
    }
    let Some((skill, arguments)) = split(found, command) else {
        return Err(InvokeError::Unknown {
            name: command
                .split_whitespace()
                .next()
                .unwrap_or_default()
                .to_owned(),
            available: found
                .skills
                .iter()
                .map(|skill| skill.name.clone())
                .collect(),
        });
    };
    let bytes = read_skill_file(skill).map_err(|source| InvokeError::Io {
        path: skill.path.clone(),
        source,
    })?;
    let file = String::from_utf8(bytes).map_err(|_| InvokeError::NotText {
        path: skill.path.clone(),
    })?;
    Ok(compose(skill, &body(&file), arguments))
}

/// A name may hold spaces, so the longest one that fits counts.
fn split<'a, 't>(found: &'a Discovered, command: &'t str) -> Option<(&'a Skill, &'t str)> {
    found
        .skills
        .iter()
        .filter_map(|skill| {
            let rest = command.strip_prefix(skill.name.as_str())?;
            (rest.is_empty() || rest.starts_with(char::is_whitespace))
                .then_some((skill, rest.trim()))
        })
        .max_by_key(|(skill, _)| skill.name.len())
}

fn compose(skill: &Skill, body: &str, arguments: &str) -> Invocation {
    let mut message = String::new();
    if !body.is_empty() {
        message.push_str(body);
        message.push_str("\n\n");
    }
    message.push_str(&format!("---\n\nSkill: {}", skill.path));
    if !arguments.is_empty() {
        message.push_str(&format!("\nUser: {arguments}"));
    }
    Invocation {
        matched: true,
        name: Some(skill.name.clone()),
        message,
        metadata: InvocationMetadata {
            skill: Some(skill.path.clone()),
            user: (!arguments.is_empty()).then(|| arguments.to_owned()),
        },
    }
}
