//! Validates what would be written: collisions, and the pinned schemas of the standards.
//! In: items. Out: findings. Depends on: model, diagnostic. Never: changes an item.

// reading order
pub mod standards;

use std::collections::BTreeSet;

use crate::diagnostic::{Code, Diagnostic, Span};
use crate::model::item::{Bytes, Item, Role};
use crate::model::selector::Selector;

/// Checks every file that a standard owns. Returns the units that must be left out with their findings.
#[must_use]
pub fn check(items: &[Item]) -> (Vec<Diagnostic>, BTreeSet<Selector>) {
    let mut findings = Vec::new();
    let mut broken = BTreeSet::new();
    for item in items.iter().filter(|item| item.role == Role::Standard) {
        for file in &item.files {
            let Bytes::Owned(bytes) = &file.bytes else {
                continue;
            };
            let Some(inner) = file.path.strip_prefix(&item.directory) else {
                continue;
            };
            for problem in standards::validate(item.owner.id.as_str(), inner.as_str(), bytes) {
                findings.push(
                    Diagnostic::new(
                        Code::STANDARD_SCHEMA,
                        format!("`{}` does not fit its standard: {problem}", file.path),
                    )
                    .at(Span::whole(&item.provenance.source)),
                );
                broken.insert(item.selector.clone());
            }
        }
    }
    (findings, broken)
}
