//! `build`: shows what a build would write, or writes exactly that. `recover` rolls an interrupted write back.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::workspace::{Environment, Fault};
use super::{Exit, Outcome};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::model::id::Sha256;
use crate::pipeline::apply;
use crate::pipeline::compile::{self, Compiled};
use crate::pipeline::outputs;
use crate::pipeline::plan::{self, Effect, EffectKind, Plan};

/// What the user asked for.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Write.
    pub yes: bool,
    /// Leave broken units out.
    pub keep_going: bool,
    /// The previewed hash.
    pub plan_hash: Option<&'a str>,
}

/// Builds.
///
/// # Errors
/// When the workspace cannot be read or written.
pub fn run(environment: &Environment, request: &Request<'_>) -> Result<Outcome, Fault> {
    let root = environment.open()?;
    let mut findings = Vec::new();
    if let Some(unfinished) = apply::pending(&root)? {
        if !request.yes {
            return Err(Fault::Unfinished(unfinished.to_string()));
        }
        findings.push(recovered(&apply::recover(&root)?));
    }
    let renderers = environment.builtin_renderers()?;
    let pool = environment.pool()?;
    let report = compile::compile(&root, &renderers, BTreeMap::new(), &pool)?;
    findings.extend(report.findings);
    let Some(compiled) = report.value else {
        let outcome = Outcome::new("build", json!({}), String::new()).at_least(Exit::Findings);
        return Ok(outcome.with_findings(findings, report.sources));
    };
    findings.extend(compile::skipped(&compiled.broken));
    let before = outputs::before(&root, &compiled, &renderers)?;
    if before.locks.untrusted {
        findings.extend(before.findings);
        let outcome = Outcome::new(
            "build",
            json!({}),
            "nothing written: a lock cannot be trusted".to_owned(),
        )
        .at_least(Exit::Refused);
        return Ok(outcome.with_findings(findings, report.sources));
    }
    let plan = before.plan(&compiled);
    findings.extend(plan.findings.iter().cloned());
    let blocked = findings
        .iter()
        .any(|finding| finding.severity == Severity::Error)
        && !(request.keep_going && only_units(&findings));
    let (hash, summary, effects) = (plan.hash, plan.summary, plan.effects.clone());
    let mut applied = false;
    let mut human = human(&plan, &compiled);
    if blocked {
        human.push_str("nothing written: mend the errors, or build the rest with --keep-going");
    } else if !request.yes {
        human.push_str(if effects.is_empty() {
            "nothing to do"
        } else {
            "nothing written; add --yes to write"
        });
    } else {
        let expected = match request.plan_hash.map(|text| (text, Sha256::parse(text))) {
            Some((text, None)) => {
                return Ok(Outcome::new(
                    "build",
                    json!({}),
                    format!("`{text}` is not a plan hash"),
                )
                .at_least(Exit::Usage));
            }
            Some((_, hash)) => hash,
            None => None,
        };
        match plan::confirm(plan, expected) {
            Err(refused) => {
                findings.push(*refused);
                let outcome =
                    Outcome::new("build", plan_json(hash, false, &effects, summary), human)
                        .at_least(Exit::Refused);
                return Ok(outcome.with_findings(findings, report.sources));
            }
            Ok(confirmed) => {
                apply::apply(&root, confirmed)?;
                applied = true;
                human.push_str(if effects.is_empty() {
                    "nothing to do"
                } else {
                    "written"
                });
            }
        }
    }
    let outcome = Outcome::new("build", plan_json(hash, applied, &effects, summary), human);
    Ok(outcome.with_findings(findings, report.sources))
}

/// Whether every error belongs to a unit that is left out, so that the rest can be built.
fn only_units(findings: &[Diagnostic]) -> bool {
    const WHOLE: [Code; 4] = [
        Code::OUTPUT_COLLISION,
        Code::OUTPUT_CASE_COLLISION,
        Code::LOCK_DAMAGED,
        Code::LOCK_CONFLICT,
    ];
    let of_workspace = |finding: &Diagnostic| {
        finding
            .span
            .as_ref()
            .is_some_and(|span| span.path.as_str() == "skillset.yaml")
    };
    let errors = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error);
    !errors
        .into_iter()
        .any(|finding| WHOLE.contains(&finding.code) || of_workspace(finding))
}

fn recovered(what: &str) -> Diagnostic {
    Diagnostic::new(
        Code::WRITE_UNFINISHED,
        format!("an interrupted write was rolled back: {what}"),
    )
    .severity(Severity::Warning)
}

fn human(plan: &Plan, compiled: &Compiled) -> String {
    let mut text = String::new();
    for effect in plan
        .effects
        .iter()
        .filter(|effect| effect.kind != EffectKind::Lock)
    {
        let op = format!("{:?}", effect.op).to_lowercase();
        let _ = writeln!(text, "{op:<8} {}", effect.path);
    }
    let mut targets: BTreeMap<&str, usize> = BTreeMap::new();
    for item in &compiled.items {
        *targets.entry(item.owner.id.as_str()).or_default() += item.files.len();
    }
    for (target, files) in targets {
        let _ = writeln!(text, "{target}: {files} files");
    }
    let s = plan.summary;
    let _ = writeln!(
        text,
        "{} to create, {} to replace, {} to delete, {} unchanged",
        s.create, s.replace, s.delete, s.unchanged
    );
    let _ = writeln!(text, "plan {}", plan.hash);
    text
}

fn plan_json(hash: Sha256, applied: bool, effects: &[Effect], summary: plan::Summary) -> Json {
    json!({
        "plan": {"hash": hash, "applied": applied, "effects": effects},
        "summary": summary,
    })
}

/// Rolls an interrupted write back and does nothing else.
///
/// # Errors
/// When the workspace cannot be written.
pub fn recover(environment: &Environment) -> Result<Outcome, Fault> {
    let root = environment.open()?;
    let human = match apply::pending(&root)? {
        Some(_) => format!("rolled back: {}", apply::recover(&root)?),
        None => "there is nothing to recover".to_owned(),
    };
    Ok(Outcome::new("recover", json!({}), human))
}
