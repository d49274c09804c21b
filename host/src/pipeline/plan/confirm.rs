//! Same inputs, same hash; only a plan whose hash was seen is applied.

use sha2::Digest as _;

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::model::id::Sha256;

use super::Plan;
use super::effect::{Effect, Op};

/// A plan that may be applied.
#[derive(Debug)]
#[must_use = "nothing is written until it is applied"]
pub struct Confirmed(Plan);

impl Confirmed {
    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.0
    }
}

/// Lets a plan through when nothing forbids it and its hash is the expected one.
///
/// # Errors
/// The finding that says why it is refused.
pub fn confirm(plan: Plan, expected: Option<Sha256>) -> Result<Confirmed, Box<Diagnostic>> {
    if let Some(error) = plan.findings.iter().find(|f| f.severity == Severity::Error) {
        return Err(Box::new(error.clone()));
    }
    match expected {
        Some(expected) if expected != plan.hash => Err(Box::new(
            Diagnostic::new(
                Code::PLAN_STALE,
                format!("the plan is now {}, not {expected}", plan.hash),
            )
            .help("look at the new preview"),
        )),
        _ => Ok(Confirmed(plan)),
    }
}

/// The hash over what was asked and what would change.
///
/// | part | in the hash |
/// |---|---|
/// | verb and options | yes |
/// | kind, operation and path of each effect | yes |
/// | bytes and mode before and after | yes |
/// | bytes of ledger records | no: they hold times and ids, settled when they are written |
/// | reasons | no |
#[must_use]
pub fn plan_hash(asked: &[String], effects: &[Effect]) -> Sha256 {
    let mut hasher = sha2::Sha256::new();
    let mut field = |text: &str| {
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text);
    };
    field(&asked.len().to_string());
    asked.iter().for_each(|text| field(text));
    for effect in effects {
        field(&format!("{:?} {:?}", effect.kind, effect.op));
        field(effect.path.as_str());
        if effect.op != Op::Append {
            field(&format!("{:?}", effect.before));
            field(&format!("{:?} {}", effect.after, effect.executable));
        }
    }
    Sha256(hasher.finalize().into())
}
