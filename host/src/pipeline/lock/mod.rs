//! What the next build needs to know of this one: the locks, as bytes.
//! In: items, and what earlier locks say of units left out. Out: lock paths with their text.
//! Depends on: model, diagnostic. Never: touches the disk; a lock is an effect of the same plan as its files.

// reading order
mod read;

use std::collections::{BTreeMap, BTreeSet};

use crate::model::item::Item;
use crate::model::lockfile::{LOCK_NAME, LOCK_SCHEMA, LockFile, LockItem, RendererPin};
use crate::model::path::RelPath;

pub use read::{PreviousLock, PreviousLocks, RawLock};

/// What only the workspace's own lock records.
#[derive(Debug, Clone, Default)]
pub struct WorkspaceFacts {
    /// Roots that need no mention, since every build looks there.
    pub default_roots: BTreeSet<RelPath>,
    /// Third-party renderers by id.
    pub renderers: BTreeMap<String, RendererPin>,
}

/// The locks after a build. A lock that would be empty is not among them.
#[must_use]
pub fn next_locks(
    items: &[Item],
    kept: &[LockItem],
    facts: &WorkspaceFacts,
) -> BTreeMap<RelPath, Vec<u8>> {
    let mut locks: BTreeMap<RelPath, LockFile> = BTreeMap::new();
    let mut roots = BTreeSet::new();
    for item in items.iter().map(LockItem::of).chain(kept.iter().cloned()) {
        let Some(path) = item.lock_path() else {
            continue;
        };
        if path.as_str() != LOCK_NAME && !facts.default_roots.contains(&item.root) {
            roots.insert(item.root.clone());
        }
        locks.entry(path).or_default().items.push(item);
    }
    if let Ok(path) = RelPath::new(LOCK_NAME) {
        let lock = locks.entry(path).or_default();
        lock.generated_roots = roots.into_iter().collect();
        lock.renderers.clone_from(&facts.renderers);
    }
    locks
        .into_iter()
        .filter(|(_, lock)| !lock.is_empty())
        .map(|(path, mut lock)| {
            lock.schema = LOCK_SCHEMA;
            (path, lock.print().into_bytes())
        })
        .collect()
}
