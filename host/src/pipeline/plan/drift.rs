//! How the disk differs from what a build would write: `check --only outputs`.

use std::collections::BTreeMap;

use crate::model::item::{Existing, Item, Listing, OutputFile};
use crate::model::path::RelPath;
use crate::model::selector::Selector;
use crate::pipeline::lock::PreviousLocks;

use super::effect::is_executable;

/// How one file differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DriftKind {
    /// It should be there.
    Missing,
    /// As an earlier build wrote it.
    Stale,
    /// As no build wrote it.
    Edited,
    /// Only the mode differs.
    Mode,
    /// Not ours.
    Unmanaged,
}

/// One file that differs.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct DriftEntry {
    /// How.
    pub kind: DriftKind,
    /// The file.
    pub path: RelPath,
    /// Whose it is.
    pub selector: Option<Selector>,
    /// The command that mends it.
    pub fix: String,
}

/// Compares in path order.
#[must_use]
pub fn drift(items: &[Item], previous: &PreviousLocks, listing: &Listing) -> Vec<DriftEntry> {
    let owned = previous.outputs();
    let wanted: BTreeMap<&RelPath, (&Selector, &OutputFile)> = items
        .iter()
        .flat_map(|item| item.files.iter().map(|f| (&f.path, (&item.selector, f))))
        .collect();
    let mut entries = Vec::new();
    for (path, (selector, file)) in &wanted {
        let written = owned.get(path).map(|(_, output)| output.hash);
        let kind = match listing.files.get(*path) {
            None => DriftKind::Missing,
            Some(Existing::Other(_)) => DriftKind::Unmanaged,
            Some(Existing::File { hash, .. }) if *hash != file.hash => match written {
                None => DriftKind::Unmanaged,
                Some(written) if written == *hash => DriftKind::Stale,
                Some(_) => DriftKind::Edited,
            },
            Some(Existing::File { mode, .. }) if is_executable(*mode) != file.executable => {
                DriftKind::Mode
            }
            Some(Existing::File { .. }) => continue,
        };
        entries.push(entry(kind, path, Some(selector)));
    }
    for (path, (item, output)) in &owned {
        if let (false, Some(Existing::File { hash, .. })) =
            (wanted.contains_key(*path), listing.files.get(*path))
        {
            let kind = if *hash == output.hash {
                DriftKind::Stale
            } else {
                DriftKind::Edited
            };
            entries.push(entry(kind, path, Some(&item.selector)));
        }
    }
    let foreign = listing.unmanaged.iter();
    entries.extend(foreign.map(|path| entry(DriftKind::Unmanaged, path, None)));
    entries.sort_by(|a, b| (&a.path, a.kind).cmp(&(&b.path, b.kind)));
    entries
}

fn entry(kind: DriftKind, path: &RelPath, selector: Option<&Selector>) -> DriftEntry {
    let fix = match (kind, selector) {
        (DriftKind::Edited, _) => format!("skillset reconcile {path} --use source|output"),
        (DriftKind::Unmanaged, None) => "move it, or leave it: no build touches it".into(),
        _ => "skillset build --yes".into(),
    };
    DriftEntry {
        kind,
        path: path.clone(),
        selector: selector.cloned(),
        fix,
    }
}
