//! What a write would change, decided before anything is written.
//! In: items, earlier locks, what lies in the way. Out: effects with a hash, findings, drift.
//! Depends on: model, diagnostic, pipeline::lock. Never: touches the disk.

// reading order
mod effect;
mod ownership;
mod drift;
mod diff;
mod confirm;

use std::collections::BTreeSet;

use crate::diagnostic::Diagnostic;
use crate::model::id::Sha256;
use crate::model::item::{Item, Listing};
use crate::model::lockfile::LockItem;
use crate::model::path::RelPath;
use crate::model::selector::Selector;
use crate::pipeline::lock::{PreviousLocks, WorkspaceFacts};

pub use confirm::{Confirmed, confirm, plan_hash};
pub use diff::unified;
pub use drift::{DriftEntry, DriftKind, drift};
pub use effect::{Effect, EffectKind, Op, Summary};

/// What belongs to a plan beside items and locks.
#[derive(Debug, Clone, Default)]
pub struct PlanOptions {
    /// The verb as typed, and every option that changes what is written. Part of the hash.
    pub asked: Vec<String>,
    /// Units whose outputs stay as they are: broken ones under `--keep-going`, others under `--scope`.
    pub keep_units: BTreeSet<Selector>,
    /// Directories whose outputs stay as they are.
    pub keep_directories: Vec<RelPath>,
    /// Effects on source and ledger that come first.
    pub first: Vec<Effect>,
    /// For the workspace's lock.
    pub facts: WorkspaceFacts,
}

impl PlanOptions {
    fn keeps(&self, selector: &Selector, directory: &RelPath) -> bool {
        self.keep_units.contains(selector)
            || self
                .keep_directories
                .iter()
                .any(|kept| directory.starts_with(kept))
    }

    fn keeps_item(&self, item: &LockItem) -> bool {
        self.keeps(&item.selector, &item.directory)
    }

    fn builds(&self, item: &Item) -> bool {
        !self.keeps(&item.selector, &item.directory)
    }
}

/// Everything that a write would do.
#[derive(Debug, Clone)]
#[must_use = "a plan changes nothing until it is confirmed and applied"]
pub struct Plan {
    /// In the order of kind and path.
    pub effects: Vec<Effect>,
    /// The same for the same inputs.
    pub hash: Sha256,
    /// Counts.
    pub summary: Summary,
    /// What to say about it. An error forbids the write.
    pub findings: Vec<Diagnostic>,
}

/// Plans a build.
pub fn plan(
    items: &[Item],
    previous: &PreviousLocks,
    listing: &Listing,
    options: &PlanOptions,
) -> Plan {
    let (generated, unchanged, findings) = ownership::decide(items, previous, listing, options);
    let effects = options.first.iter().cloned().chain(generated).collect();
    Plan::of(effects, &options.asked, unchanged, findings)
}

impl Plan {
    /// A plan of exactly these effects.
    pub fn of(
        mut effects: Vec<Effect>,
        asked: &[String],
        unchanged: usize,
        findings: Vec<Diagnostic>,
    ) -> Self {
        effects.sort_by(|a, b| (a.kind, &a.path).cmp(&(b.kind, &b.path)));
        Self {
            hash: plan_hash(asked, &effects),
            summary: Summary::of(&effects, unchanged),
            effects,
            findings,
        }
    }
}
