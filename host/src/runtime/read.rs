//! A door: from `skill://` to bytes, through the handle of the skill's directory.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "reading a skill's file is one of the runtime's doors"
)]

use std::io;
use std::path::Path;

use cap_fs_ext::FollowSymlinks;
use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::discover::Discovered;
use super::scan::{read_below, read_exactly};
use super::skill::Skill;
use super::url::{SkillUrl, UrlError};
use super::warning::show;
use crate::diagnostic::{Code, Diagnostic, nearest};

/// A file as text.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadResult {
    /// As asked for.
    pub url: String,
    /// The file, absolute.
    pub path: String,
    /// `text/markdown` for `.md`, else `text/plain`.
    pub content_type: &'static str,
    /// In bytes.
    pub size: usize,
    /// All of it, frontmatter included.
    pub text: String,
}

/// Why nothing was read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The text is no URL of ours, or the guard refused it.
    #[error("`{url}` {}: {source}", if source.is_refusal() { "is refused" } else { "cannot be read" })]
    Url {
        /// As asked for.
        url: String,
        /// Why.
        source: UrlError,
    },
    /// No discovered skill has that name.
    #[error("no skill is named `{name}` (`{url}`)")]
    UnknownSkill {
        /// As asked for.
        url: String,
        /// The name.
        name: String,
        /// The names that there are.
        available: Vec<String>,
    },
    /// The skill has no such file; nothing else is searched.
    #[error("File not found: `{url}`")]
    NotFound {
        /// As asked for.
        url: String,
    },
    /// A directory has no text.
    #[error("`{url}` is a directory")]
    Directory {
        /// As asked for.
        url: String,
    },
    /// The real path lies outside the skill.
    #[error("`{url}` is refused: it leads out of the skill's directory")]
    Escape {
        /// As asked for.
        url: String,
    },
    /// The bytes are no text.
    #[error("`{url}` is not UTF-8 text")]
    NotText {
        /// As asked for.
        url: String,
    },
    /// The system refused.
    #[error("`{url}` cannot be read: {source}")]
    Io {
        /// As asked for.
        url: String,
        /// Why.
        source: io::Error,
    },
}

impl ReadError {
    /// Whether a guard refused, as against a file that is missing.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Url { source, .. } => source.is_refusal(),
            Self::Escape { .. } => true,
            _ => false,
        }
    }

    /// The same as a finding.
    #[must_use]
    pub fn to_diagnostic(&self) -> Diagnostic {
        let code = match self {
            _ if self.is_refusal() => Code::SKILL_URL_REFUSED,
            Self::Url { .. } => Code::SKILL_URL_INVALID,
            Self::UnknownSkill { .. } => Code::SKILL_UNKNOWN,
            _ => Code::SKILL_URL_NOT_FOUND,
        };
        let diagnostic = Diagnostic::new(code, self.to_string());
        match self {
            Self::UnknownSkill {
                name, available, ..
            } => diagnostic.help(help_with_names(name, available)),
            Self::NotText { .. } => diagnostic.help("ask for the raw bytes with `--raw`"),
            _ => diagnostic,
        }
    }
}

pub(super) fn help_with_names(name: &str, available: &[String]) -> String {
    match nearest(name, available.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None if available.is_empty() => "no skill is available".to_owned(),
        None => format!("available: {}", available.join(", ")),
    }
}

/// The text that a URL leads to.
///
/// # Errors
/// When the URL is malformed or refused, or leads to no text.
pub fn read(found: &Discovered, url: &str) -> Result<ReadResult, ReadError> {
    let (path, bytes) = read_bytes(found, url)?;
    let markdown = path
        .rsplit_once('.')
        .is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("md"));
    let size = bytes.len();
    let text = String::from_utf8(bytes).map_err(|_| ReadError::NotText {
        url: url.to_owned(),
    })?;
    Ok(ReadResult {
        url: url.to_owned(),
        path,
        content_type: if markdown {
            "text/markdown"
        } else {
            "text/plain"
        },
        size,
        text,
    })
}

/// The absolute path and the bytes that a URL leads to.
///
/// # Errors
/// When the URL is malformed or refused, or leads to no file.
pub fn read_bytes(found: &Discovered, url: &str) -> Result<(String, Vec<u8>), ReadError> {
    let parsed = SkillUrl::parse(url).map_err(|source| ReadError::Url {
        url: url.to_owned(),
        source,
    })?;
    let Some(skill) = find(found, &parsed.name) else {
        return Err(ReadError::UnknownSkill {
            url: url.to_owned(),
            name: parsed.name,
            available: found
                .skills
                .iter()
                .map(|skill| skill.name.clone())
                .collect(),
        });
    };
    match parsed.path.as_deref() {
        None | Some("SKILL.md") => {
            let bytes = read_skill_file(skill).map_err(|error| classify(error, url))?;
            Ok((skill.path.clone(), bytes))
        }
        Some(path) => {
            let bytes = read_in(&skill.base_real, path).map_err(|error| classify(error, url))?;
            Ok((show(&Path::new(&skill.base_dir).join(path)), bytes))
        }
    }
}

/// The exact name first; `<plugin>:<name>` also reaches a plugin's skill that another one shadows.
fn find<'a>(found: &'a Discovered, name: &str) -> Option<&'a Skill> {
    found
        .skills
        .iter()
        .find(|skill| skill.name == name)
        .or_else(|| {
            found.skills.iter().chain(&found.shadowed).find(|skill| {
                let plugin = skill.plugin.as_deref();
                plugin.is_some_and(|plugin| {
                    name.strip_prefix(plugin)
                        .and_then(|rest| rest.strip_prefix(':'))
                        == Some(skill.name.as_str())
                })
            })
        })
}

/// The file that discovery saw: not what a link may have put in its place since.
pub(super) fn read_skill_file(skill: &Skill) -> io::Result<Vec<u8>> {
    let real = std::fs::canonicalize(&skill.file_real)?;
    if real != skill.file_real {
        return Err(escape());
    }
    read_exactly(&real)
}

fn read_in(base_real: &Path, path: &str) -> io::Result<Vec<u8>> {
    if std::fs::canonicalize(base_real)? != base_real {
        return Err(escape());
    }
    let base = Dir::open_ambient_dir(base_real, ambient_authority())?;
    match read_below(&base, Path::new(path), FollowSymlinks::Yes) {
        // The handle refuses every absolute link, also one that stays inside; only its real path tells.
        Err(error) if is_escape(&error) => {
            let real = std::fs::canonicalize(base_real.join(path))?;
            let inside = real.strip_prefix(base_real).map_err(|_| escape())?;
            read_below(&base, inside, FollowSymlinks::No)
        }
        result => result,
    }
}

fn escape() -> io::Error {
    io::Error::new(
        io::ErrorKind::PermissionDenied,
        "it leads out of the skill's directory",
    )
}

/// The handle's refusal has no number of the system; a real lack of permission has.
fn is_escape(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none()
        || error.raw_os_error() == Some(rustix::io::Errno::XDEV.raw_os_error())
}

fn classify(error: io::Error, url: &str) -> ReadError {
    let url = url.to_owned();
    match error.kind() {
        _ if is_escape(&error) => ReadError::Escape { url },
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename => {
            ReadError::NotFound { url }
        }
        io::ErrorKind::IsADirectory => ReadError::Directory { url },
        _ => ReadError::Io { url, source: error },
    }
}
