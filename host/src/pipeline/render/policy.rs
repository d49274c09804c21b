//! What an unsupported or lossy result does: `compile.unsupportedDestination`, and the rule for standards.

use crate::diagnostic::{Code, Diagnostic, Severity, Span};
use crate::model::config::Policy;
use crate::model::path::RelPath;
use crate::model::renderer::{Description, Shortfall, TargetKind};

/// The parts of the configuration that decide about results.
#[derive(Debug, Clone, Copy)]
pub struct RenderPolicy {
    /// `compile.unsupportedDestination`
    pub unsupported: Policy,
    /// Whether the author wrote it himself.
    pub authored: bool,
    /// `plugins.package_keys: strict`
    pub strict_package_keys: bool,
}

/// Applies the policy to one unit's answers.
pub(super) struct Policies<'a> {
    policy: &'a RenderPolicy,
    source: &'a RelPath,
    unsupported: Vec<(String, String)>,
}

impl<'a> Policies<'a> {
    pub(super) fn new(policy: &'a RenderPolicy, source: &'a RelPath) -> Self {
        Self {
            policy,
            source,
            unsupported: Vec::new(),
        }
    }

    /// Reports the shortfalls of one answer. False when its outputs must not be used: a standard that cannot represent
    /// the unit leaves it out, and does not block unless the author asked for that.
    pub(super) fn judge(
        &mut self,
        description: &Description,
        shortfalls: &[Shortfall],
        findings: &mut Vec<Diagnostic>,
    ) -> bool {
        let mut usable = true;
        for shortfall in shortfalls {
            let id = &description.id;
            let message = super::response::printable(&shortfall.message);
            let standard = description.kind == TargetKind::Standard;
            let code = match (standard, shortfall.lossy) {
                (true, _) => Code::STANDARD_UNSUPPORTED,
                (false, true) => Code::FEATURE_LOSSY,
                (false, false) => Code::FEATURE_UNSUPPORTED,
            };
            if !shortfall.lossy {
                self.unsupported.push((id.clone(), message.clone()));
                usable &= !standard;
            }
            let Some(severity) = self.severity(standard) else {
                continue;
            };
            let finding = Diagnostic::new(code, format!("`{id}`: {message}"))
                .at(Span::whole(self.source))
                .severity(severity);
            findings.push(match &shortfall.help {
                Some(help) => finding.help(super::response::printable(help)),
                None if severity == Severity::Error => {
                    finding.help("change the source, switch the target off here, or set `compile.unsupportedDestination: warn`")
                }
                None => finding,
            });
        }
        usable
    }

    fn severity(&self, standard: bool) -> Option<Severity> {
        match self.policy.unsupported {
            Policy::Error if standard && !self.policy.authored => Some(Severity::Warning),
            Policy::Error => Some(Severity::Error),
            Policy::Warn | Policy::Force => Some(Severity::Warning),
            Policy::Skip => None,
        }
    }

    /// Targets that cannot represent the unit, with the reason.
    pub(super) fn unsupported(self) -> Vec<(String, String)> {
        self.unsupported
    }
}
