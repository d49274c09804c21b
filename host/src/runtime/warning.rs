//! What discovery noticed. Its paths are absolute, so a `Diagnostic` with a workspace place does not fit.

use std::path::Path;

use crate::diagnostic::{Code, Diagnostic};

/// One thing that the user should know; it never stops discovery.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Warning {
    /// The stable code.
    #[serde(serialize_with = "code_name")]
    pub code: Code,
    /// The skill that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Of two that clash, the file that counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
    /// Of two that clash, the file that does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped: Option<String>,
    /// The file or directory that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// One sentence without a full stop.
    pub message: String,
}

impl Warning {
    pub(super) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            name: None,
            kept: None,
            dropped: None,
            path: None,
            message: message.into(),
        }
    }

    pub(super) fn at(mut self, path: &Path) -> Self {
        self.path = Some(show(path));
        self
    }

    pub(super) fn name(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// The same as a finding; the message names the paths.
    #[must_use]
    pub fn to_diagnostic(&self) -> Diagnostic {
        let message = match &self.path {
            Some(path) if !self.message.contains(path.as_str()) => {
                format!("{path}: {}", self.message)
            }
            _ => self.message.clone(),
        };
        Diagnostic::new(self.code, message)
    }
}

/// A path as text. What is not UTF-8 shows as replacement characters.
pub(super) fn show(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn code_name<S: serde::Serializer>(code: &Code, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(code.name())
}
