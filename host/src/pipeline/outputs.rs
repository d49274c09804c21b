//! From what a build would write to a plan: reads the previous locks and what lies in the way, and decides.
#![expect(
    clippy::disallowed_types,
    reason = "hands the workspace's handle from door to door"
)]

use std::collections::{BTreeMap, BTreeSet};

use cap_std::fs::Dir;

use super::compile::{Compiled, Renderers};
use super::load::{self, LoadError};
use super::lock::{PreviousLocks, RawLock, WorkspaceFacts};
use super::plan::{self, DriftEntry, Plan, PlanOptions};
use crate::diagnostic::Diagnostic;
use crate::model::config::Config;
use crate::model::item::{Existing, Listing};
use crate::model::lockfile::LOCK_NAME;
use crate::model::path::RelPath;

/// The previous state of the outputs.
pub struct Before {
    /// Every lock.
    pub locks: PreviousLocks,
    /// Owned and wanted paths, as they are now.
    pub listing: Listing,
    /// Damaged locks and the like.
    pub findings: Vec<Diagnostic>,
    facts: WorkspaceFacts,
}

/// Reads the locks of every known root, and the state of every owned or wanted path.
///
/// # Errors
/// When something cannot be read.
pub fn before(root: &Dir, compiled: &Compiled, renderers: &Renderers) -> Result<Before, LoadError> {
    let default_roots: BTreeSet<RelPath> = renderers
        .values()
        .flat_map(|renderer| {
            renderer
                .description()
                .claims
                .iter()
                .filter_map(|claim| RelPath::new(&claim.root).ok())
        })
        .collect();
    let mut roots = default_roots.clone();
    roots.extend(configured_roots(&compiled.config));
    roots.extend(compiled.items.iter().map(|item| item.root.clone()));
    let mut raw = BTreeMap::new();
    let own = RelPath::new(LOCK_NAME).ok();
    raw.extend(read_locks(root, own.into_iter())?);
    let recorded = PreviousLocks::read(&raw)
        .value
        .locks
        .into_values()
        .flat_map(|previous| previous.lock.generated_roots);
    roots.extend(recorded);
    raw.extend(read_locks(
        root,
        roots.iter().filter_map(|root| root.join(LOCK_NAME).ok()),
    )?);
    let read = PreviousLocks::read(&raw);
    let mut asked: BTreeSet<RelPath> = read.value.outputs().into_keys().cloned().collect();
    asked.extend(
        compiled
            .items
            .iter()
            .flat_map(|item| item.files.iter().map(|file| file.path.clone())),
    );
    let mut managed: BTreeSet<RelPath> = read
        .value
        .items()
        .map(|item| item.directory.clone())
        .collect();
    managed.extend(compiled.items.iter().map(|item| item.directory.clone()));
    let listing = load::list(root, &asked, &managed)?;
    let facts = WorkspaceFacts {
        default_roots,
        renderers: BTreeMap::new(),
    };
    Ok(Before {
        locks: read.value,
        listing,
        findings: read.findings,
        facts,
    })
}

fn configured_roots(config: &Config) -> impl Iterator<Item = RelPath> {
    config.targets.values().flat_map(|block| {
        [&block.skills.path, &block.plugins.path]
            .into_iter()
            .flatten()
            .map(|path| path.value.clone())
            .collect::<Vec<_>>()
    })
}

fn read_locks(
    root: &Dir,
    paths: impl Iterator<Item = RelPath>,
) -> Result<BTreeMap<RelPath, RawLock>, LoadError> {
    let paths: BTreeSet<RelPath> = paths.collect();
    let listing = load::list(root, &paths, &BTreeSet::new())?;
    let mut locks = BTreeMap::new();
    for path in paths {
        let Some(Existing::File { mode, .. }) = listing.files.get(&path) else {
            continue;
        };
        if let Some(bytes) = load::read_optional(root, &path)? {
            locks.insert(path, RawLock { bytes, mode: *mode });
        }
    }
    Ok(locks)
}

impl Before {
    /// Plans a build. Broken units keep their outputs.
    pub fn plan(&self, compiled: &Compiled) -> Plan {
        let options = PlanOptions {
            asked: vec!["build".to_owned()],
            keep_units: compiled
                .broken
                .iter()
                .filter_map(|unit| unit.selector.clone())
                .collect(),
            facts: self.facts.clone(),
            ..PlanOptions::default()
        };
        plan::plan(&compiled.items, &self.locks, &self.listing, &options)
    }

    /// How the outputs differ from what a build would write.
    #[must_use]
    pub fn drift(&self, compiled: &Compiled) -> Vec<DriftEntry> {
        let broken: BTreeSet<_> = compiled
            .broken
            .iter()
            .filter_map(|unit| unit.selector.as_ref())
            .collect();
        let entries = plan::drift(&compiled.items, &self.locks, &self.listing);
        entries
            .into_iter()
            .filter(|entry| {
                entry
                    .selector
                    .as_ref()
                    .is_none_or(|selector| !broken.contains(selector))
            })
            .collect()
    }
}
