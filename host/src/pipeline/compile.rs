//! Strings the stages together: from a workspace directory to what a build would write.
#![expect(
    clippy::disallowed_types,
    reason = "hands the workspace's handle from door to door"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cap_std::fs::Dir;
use rayon::prelude::*;

use super::load::{self, LoadError, Loaded};
use super::preprocess::{self, Body, Preprocessed};
use super::render::{self, Job, RenderPolicy, Unit};
use super::resolve::{self, Context, Released, Resolved, ResolvedSkill};
use super::{check, discover};
use crate::diagnostic::{Code, Diagnostic, Found, Severity, Span};
use crate::model::config::Config;
use crate::model::id::TargetId;
use crate::model::item::Item;
use crate::model::renderer::{Description, Renderer, TargetKind};
use crate::model::selector::Selector;
use crate::model::source::Sources;
use crate::model::unit::{BrokenUnit, Units};

/// Every renderer by target.
pub type Renderers = BTreeMap<TargetId, Arc<dyn Renderer>>;

/// Source that is loaded, discovered and settled, before any body is looked at.
pub struct Settled {
    /// The configuration.
    pub config: Config,
    /// What discovery found.
    pub units: Units,
    /// What each target will be asked.
    pub resolved: Resolved,
    loaded: Loaded,
}

/// Everything that a build would write.
pub struct Compiled {
    /// The configuration.
    pub config: Config,
    /// In path order.
    pub items: Vec<Item>,
    /// What discovery found.
    pub units: Units,
    /// Units that have errors and are left out.
    pub broken: Vec<BrokenUnit>,
}

/// A stage's result, with every finding so far and the texts that findings point into.
pub struct Report<T> {
    /// `None` when the workspace's configuration cannot be used.
    pub value: Option<T>,
    /// Of all stages that ran.
    pub findings: Vec<Diagnostic>,
    /// For excerpts.
    pub sources: Sources,
}

/// Loads, discovers and resolves.
///
/// # Errors
/// When the workspace cannot be read at all.
pub fn settle(
    root: &Dir,
    renderers: &Renderers,
    released: Released,
) -> Result<Report<Settled>, LoadError> {
    let known: BTreeSet<TargetId> = renderers.keys().cloned().collect();
    let Found {
        value: loaded,
        mut findings,
    } = load::load(root, &known)?;
    let Some(loaded) = loaded.loaded else {
        return Ok(Report {
            value: None,
            findings,
            sources: loaded.sources,
        });
    };
    let discovered = discover::discover(&loaded);
    findings.extend(discovered.findings);
    let context = Context {
        config: &loaded.config,
        tree: &loaded.tree,
        sources: &loaded.sources,
        targets: ordered(renderers),
        released,
    };
    let resolved = resolve::resolve(&discovered.value, &context);
    findings.extend(resolved.findings);
    findings.extend(not_yet(&loaded.config));
    let sources = loaded.sources.clone();
    let config = loaded.config.clone();
    let settled = Settled {
        config,
        units: discovered.value,
        resolved: resolved.value,
        loaded,
    };
    Ok(Report {
        value: Some(settled),
        findings,
        sources,
    })
}

/// What can be configured but is not acted on yet. Silence would look like success.
fn not_yet(config: &Config) -> Vec<Diagnostic> {
    let mut findings: Vec<Diagnostic> = config
        .renderers
        .iter()
        .map(|(id, declared)| {
            let message = format!(
                "renderer `{id}` is declared, but this version loads built-in renderers only"
            );
            Diagnostic::new(Code::RENDERER_REFUSED, message)
                .at(declared.span.clone())
                .help("remove the declaration until a version that loads it")
        })
        .collect();
    let used = &config.internal_use;
    if used.plugins.is_some() || !used.skills.is_empty() || !used.drafts.is_empty() {
        let message = "`plugins.internal_use` is understood, but this version renders no project-use copies of plugin skills";
        findings.push(
            Diagnostic::new(Code::FEATURE_UNSUPPORTED, message)
                .at(Span::whole(&config.path))
                .severity(Severity::Warning),
        );
    }
    findings
}

/// Standards first, then by id, so that a baseline is always the first writer.
fn ordered(renderers: &Renderers) -> Vec<(TargetId, Description)> {
    let mut targets: Vec<(TargetId, Description)> = renderers
        .iter()
        .map(|(id, renderer)| (id.clone(), renderer.description().clone()))
        .collect();
    targets.sort_by_key(|(id, description)| (description.kind == TargetKind::Provider, id.clone()));
    targets
}

/// Runs every stage up to `check`.
///
/// # Errors
/// When the workspace cannot be read at all.
pub fn compile(
    root: &Dir,
    renderers: &Renderers,
    released: Released,
    pool: &rayon::ThreadPool,
) -> Result<Report<Compiled>, LoadError> {
    let report = settle(root, renderers, released)?;
    let mut findings = report.findings;
    let Some(settled) = report.value else {
        return Ok(Report {
            value: None,
            findings,
            sources: report.sources,
        });
    };
    let Settled {
        config,
        units,
        resolved,
        loaded,
        ..
    } = settled;
    let mut broken = resolved.broken.clone();
    let prepared = pool.install(|| prepare(resolved, &config, &loaded));
    findings.extend(prepared.findings);
    let (ready, failed) = prepared.value;
    broken.extend(failed);
    let policy = RenderPolicy {
        unsupported: config.compile.unsupported,
        authored: config.compile.unsupported_authored,
        strict_package_keys: config.strict_package_keys,
    };
    let rendered = render::render(&ready, renderers, &loaded.tree, &policy, pool);
    findings.extend(rendered.findings);
    broken.extend(rendered.value.broken);
    let mut items = rendered.value.items;
    let (problems, refused) = check::check(&items);
    findings.extend(problems);
    findings.extend(render::collisions(&items));
    leave_out(&mut items, &mut broken, &refused);
    broken.sort();
    broken.dedup();
    Ok(Report {
        value: Some(Compiled {
            config,
            items,
            units,
            broken,
        }),
        findings,
        sources: report.sources,
    })
}

/// Units whose standard file is not valid write nothing.
fn leave_out(items: &mut Vec<Item>, broken: &mut Vec<BrokenUnit>, refused: &BTreeSet<Selector>) {
    for item in items.iter().filter(|item| refused.contains(&item.selector)) {
        let directory = item
            .provenance
            .source
            .parent()
            .unwrap_or_else(|| item.provenance.source.clone());
        broken.push(BrokenUnit {
            selector: Some(item.selector.clone()),
            directory,
        });
    }
    items.retain(|item| !refused.contains(&item.selector));
}

/// Preprocesses every skill's body and makes render units of everything.
fn prepare(
    resolved: Resolved,
    config: &Config,
    loaded: &Loaded,
) -> Found<(Vec<Unit>, Vec<BrokenUnit>)> {
    let bodies: Vec<Found<Option<Preprocessed>>> = resolved
        .skills
        .par_iter()
        .map(|skill| body(skill, config, loaded))
        .collect();
    let mut found = Found::<(Vec<Unit>, Vec<BrokenUnit>)>::default();
    for (skill, body) in resolved.skills.into_iter().zip(bodies) {
        found.findings.extend(body.findings);
        match body.value {
            Some(body) => found.value.0.push(skill_unit(skill, body)),
            None => found.value.1.push(BrokenUnit {
                selector: Some(skill.unit.selector),
                directory: skill.unit.directory,
            }),
        }
    }
    for plugin in resolved.plugins {
        found.value.0.push(Unit {
            selector: Selector::Plugin(plugin.unit.id.clone()),
            directory: plugin.unit.config.directory.clone(),
            provenance: plugin.provenance,
            generated: plugin.generated,
            jobs: plugin.jobs.into_iter().map(Job::Plugin).collect(),
        });
    }
    found
}

fn body(skill: &ResolvedSkill, config: &Config, loaded: &Loaded) -> Found<Option<Preprocessed>> {
    let unit = &skill.unit;
    let off = unit
        .document
        .frontmatter
        .get("skillset")
        .and_then(|node| node.get("preprocess"))
        .and_then(|node| node.as_bool());
    let body = Body {
        document: &unit.document,
        container: &unit.container,
        directory: &unit.directory,
        declared: &skill.declared,
        prompt_arguments: config.compile.prompt_arguments,
        preprocess: off.unwrap_or(true),
    };
    preprocess::preprocess(body, &loaded.tree, &loaded.sources)
}

fn skill_unit(skill: ResolvedSkill, body: Preprocessed) -> Unit {
    let mut provenance = skill.provenance;
    provenance.dependencies = body.dependencies;
    let jobs = skill
        .jobs
        .into_iter()
        .map(|mut job| {
            job.request.body.clone_from(&body.segments);
            Job::Skill(job)
        })
        .collect();
    Unit {
        selector: skill.unit.selector,
        directory: skill.unit.directory,
        provenance,
        generated: skill.generated,
        jobs,
    }
}

/// A thread pool whose stacks hold a renderer's wasm stack.
///
/// # Errors
/// When threads cannot be started.
pub fn pool(
    threads: Option<usize>,
    stack_bytes: usize,
) -> Result<rayon::ThreadPool, rayon::ThreadPoolBuildError> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .stack_size(stack_bytes)
        .build()
}

/// The finding about units that were left out, so that a summary never gets shorter in silence.
#[must_use]
pub fn skipped(broken: &[BrokenUnit]) -> Option<Diagnostic> {
    if broken.is_empty() {
        return None;
    }
    let names: Vec<String> = broken
        .iter()
        .map(|unit| {
            unit.selector
                .as_ref()
                .map_or_else(|| unit.directory.to_string(), ToString::to_string)
        })
        .collect();
    Some(Diagnostic::new(
        Code::UNIT_SKIPPED,
        format!("{} left out: {}", names.len(), names.join(", ")),
    ))
}
