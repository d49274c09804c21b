//! Asks every renderer for every unit, in parallel, and joins the answers into lock items.
//! In: resolved units with preprocessed bodies, the renderers. Out: items. Depends on: resolve's and preprocess's outputs.
//! Never: touches the disk, knows a target by name.

// reading order
mod response;
mod policy;
mod coalesce;
pub mod emit;

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::diagnostic::{Code, Diagnostic, Found, Severity, Span};
use crate::model::id::TargetId;
use crate::model::item::{Item, Provenance, TargetState};
use crate::model::path::RelPath;
use crate::model::renderer::{Answer, Breach, Renderer, ResourceInfo};
use crate::model::selector::Selector;
use crate::model::tree::SourceTree;
use crate::model::unit::BrokenUnit;

use super::resolve::{GeneratedFiles, Place, PluginJob, SkillJob};
use policy::Policies;
use response::Checked;

pub use policy::RenderPolicy;

/// One unit with its jobs, ready to render.
pub struct Unit {
    /// The unit.
    pub selector: Selector,
    /// Its directory, for the list of broken units.
    pub directory: RelPath,
    /// For the locks.
    pub provenance: Provenance,
    /// Bytes that stand in no source file.
    pub generated: GeneratedFiles,
    /// What to ask.
    pub jobs: Vec<Job>,
}

/// One question to one renderer.
pub enum Job {
    /// A skill with its body.
    Skill(SkillJob),
    /// A plugin.
    Plugin(PluginJob),
}

impl Job {
    fn target(&self) -> &TargetId {
        match self {
            Self::Skill(job) => &job.target,
            Self::Plugin(job) => &job.target,
        }
    }

    fn place(&self) -> &Place {
        match self {
            Self::Skill(job) => &job.place,
            Self::Plugin(job) => &job.place,
        }
    }

    fn resources(&self) -> &[ResourceInfo] {
        match self {
            Self::Skill(job) => &job.request.resources,
            Self::Plugin(job) => &job.request.resources,
        }
    }

    fn ask(&self, renderer: &dyn Renderer) -> Result<Answer, Breach> {
        match self {
            Self::Skill(job) => renderer.render_skill(&job.request, &job.place.info),
            Self::Plugin(job) => renderer.render_plugin(&job.request, &job.place.info),
        }
    }
}

/// Everything rendered.
#[derive(Debug, Default)]
pub struct Rendered {
    /// In path order of their directories, then by owner.
    pub items: Vec<Item>,
    /// Units that have errors.
    pub broken: Vec<BrokenUnit>,
}

/// What one renderer made of one job, checked.
struct Part<'a> {
    renderer: &'a Arc<dyn Renderer>,
    target: &'a TargetId,
    place: &'a Place,
    outputs: Vec<Checked>,
    answer: Answer,
    resources: &'a [ResourceInfo],
}

/// Renders every unit. The order of items and findings never depends on threads.
#[must_use]
pub fn render(
    units: &[Unit],
    renderers: &BTreeMap<TargetId, Arc<dyn Renderer>>,
    tree: &SourceTree,
    policy: &RenderPolicy,
    pool: &rayon::ThreadPool,
) -> Found<Rendered> {
    let results: Vec<(Vec<Item>, Vec<Diagnostic>)> = pool.install(|| {
        units
            .par_iter()
            .map(|unit| render_unit(unit, renderers, tree, policy))
            .collect()
    });
    let mut found = Found::<Rendered>::default();
    for (unit, (items, findings)) in units.iter().zip(results) {
        let broken = findings
            .iter()
            .any(|finding| finding.severity == Severity::Error);
        found.findings.extend(findings);
        if broken {
            found.value.broken.push(BrokenUnit {
                selector: Some(unit.selector.clone()),
                directory: unit.directory.clone(),
            });
        } else {
            found.value.items.extend(items);
        }
    }
    found.value.items.sort_by(|a, b| {
        (&a.directory, &a.owner, &a.selector).cmp(&(&b.directory, &b.owner, &b.selector))
    });
    found
}

fn render_unit(
    unit: &Unit,
    renderers: &BTreeMap<TargetId, Arc<dyn Renderer>>,
    tree: &SourceTree,
    policy: &RenderPolicy,
) -> (Vec<Item>, Vec<Diagnostic>) {
    let mut findings = Vec::new();
    let mut policies = Policies::new(policy, &unit.provenance.source);
    let mut parts = Vec::with_capacity(unit.jobs.len());
    for job in &unit.jobs {
        let Some(renderer) = renderers.get(job.target()) else {
            continue;
        };
        let answer = match job.ask(renderer.as_ref()) {
            Ok(answer) => answer,
            Err(breach) => {
                findings.push(breached(&breach, job.target(), unit));
                continue;
            }
        };
        for message in &answer.messages {
            findings.push(response::message(
                message,
                job.target().as_str(),
                &unit.provenance.source,
                tree,
            ));
        }
        let usable = policies.judge(renderer.description(), &answer.shortfalls, &mut findings);
        let id = job.target().as_str();
        let selector = unit.selector.to_string();
        let outputs = response::outputs(
            &answer,
            &job.place().directory,
            job.resources(),
            id,
            &selector,
            &mut findings,
        );
        parts.push(Part {
            renderer,
            target: job.target(),
            place: job.place(),
            outputs: if usable { outputs } else { Vec::new() },
            answer,
            resources: job.resources(),
        });
    }
    let mut provenance = unit.provenance.clone();
    for (target, reason) in policies.unsupported() {
        provenance
            .target_states
            .retain(|state| state.target != target);
        provenance.target_states.push(TargetState {
            target,
            state: "unsupported".to_owned(),
            reason: Some(reason),
        });
    }
    provenance
        .target_states
        .sort_by(|a, b| a.target.cmp(&b.target));
    let items = coalesce::coalesce(
        unit,
        &Arc::new(provenance),
        &parts,
        policy.strict_package_keys,
        &mut findings,
    );
    (items, findings)
}

fn breached(breach: &Breach, target: &TargetId, unit: &Unit) -> Diagnostic {
    let message = format!(
        "renderer `{target}`, unit `{}`: {}",
        unit.selector,
        response::printable(&breach.message)
    );
    let finding = Diagnostic::new(breach.code, message).at(Span::whole(&unit.provenance.source));
    match &breach.help {
        Some(help) => finding.help(help.clone()),
        None => finding,
    }
}

/// Refuses two units that write one path, and paths that only differ by case or Unicode form.
#[must_use]
pub fn collisions(items: &[Item]) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    let mut seen: BTreeMap<String, (&RelPath, &Item)> = BTreeMap::new();
    for item in items {
        for file in &item.files {
            let Some((path, other)) = seen.insert(file.path.fold(), (&file.path, item)) else {
                continue;
            };
            let same = *path == file.path;
            let code = if same {
                Code::OUTPUT_COLLISION
            } else {
                Code::OUTPUT_CASE_COLLISION
            };
            let message = if same {
                format!(
                    "`{}` and `{}` both write `{}`",
                    other.selector, item.selector, file.path
                )
            } else {
                format!(
                    "`{path}` of `{}` and `{}` of `{}` are one file on some systems",
                    other.selector, file.path, item.selector
                )
            };
            findings.push(
                Diagnostic::new(code, message)
                    .at(Span::whole(&item.provenance.source))
                    .related(Span::whole(&other.provenance.source), "the other unit")
                    .help("rename one of the two"),
            );
        }
    }
    findings
}
