//! Who owns what lies in the way, and what may therefore happen to it (`spec/06`).

use std::collections::BTreeMap;

use crate::diagnostic::{Code, Diagnostic, Span};
use crate::model::id::Sha256;
use crate::model::item::{Existing, Item, Listing, OutputFile};
use crate::model::lockfile::{LockItem, LockOutput};
use crate::model::path::RelPath;
use crate::pipeline::lock::{PreviousLocks, next_locks};

use super::PlanOptions;
use super::effect::{Effect, EffectKind, Op, is_executable};

type Owned<'a> = BTreeMap<&'a RelPath, (&'a LockItem, &'a LockOutput)>;

pub(super) fn decide(
    items: &[Item],
    previous: &PreviousLocks,
    listing: &Listing,
    options: &PlanOptions,
) -> (Vec<Effect>, usize, Vec<Diagnostic>) {
    let mut findings = Vec::new();
    if previous.untrusted {
        return (Vec::new(), 0, findings);
    }
    let owned = previous.outputs();
    let mut built: Vec<Item> = Vec::new();
    let mut wanted: BTreeMap<&RelPath, (&Item, &OutputFile)> = BTreeMap::new();
    for item in items.iter().filter(|item| options.builds(item)) {
        built.push(item.clone());
        wanted.extend(item.files.iter().map(|file| (&file.path, (item, file))));
    }
    let kept: Vec<LockItem> = previous
        .items()
        .filter(|item| options.keeps_item(item))
        .cloned()
        .collect();

    let mut effects = Vec::new();
    let mut unchanged = 0;
    for (item, file) in wanted.values() {
        match write(item, file, &owned, listing, &mut findings) {
            Some(effect) => effects.push(effect),
            None => unchanged += 1,
        }
    }
    let stale = owned
        .iter()
        .filter(|(path, (item, _))| !wanted.contains_key(**path) && !options.keeps_item(item));
    for (path, (item, output)) in stale {
        effects.extend(delete(path, item, output, listing, &mut findings));
    }
    locks(
        &built,
        &kept,
        previous,
        listing,
        options,
        &mut effects,
        &mut findings,
    );
    (effects, unchanged, findings)
}

/// `None` when the file is already as it should be.
fn write(
    item: &Item,
    file: &OutputFile,
    owned: &Owned<'_>,
    listing: &Listing,
    findings: &mut Vec<Diagnostic>,
) -> Option<Effect> {
    let path = &file.path;
    let mut effect = Effect {
        kind: EffectKind::Generated,
        op: Op::Create,
        path: path.clone(),
        reason: format!("{} for {}", item.selector, item.owner.id),
        target: Some(item.owner.id.to_string()),
        before: None,
        after: Some(file.hash),
        bytes: Some(file.bytes.clone()),
        executable: file.executable,
        snapshot: false,
    };
    match listing.files.get(path) {
        None => {}
        Some(Existing::Other(what)) => findings.push(blocked(path, what)),
        Some(Existing::File { hash, mode }) => {
            effect.before = Some((*hash, *mode));
            if *hash == file.hash {
                if is_executable(*mode) == file.executable {
                    return None;
                }
                effect.op = Op::Mode;
                effect.bytes = None;
                effect.reason = format!("mode of {}", item.selector);
            } else {
                effect.op = Op::Replace;
                effect.snapshot = warn_of_loss(path, hash, owned, findings);
            }
        }
    }
    Some(effect)
}

/// Says when bytes would be lost that no build wrote, so that they are kept.
fn warn_of_loss(
    path: &RelPath,
    hash: &Sha256,
    owned: &Owned<'_>,
    findings: &mut Vec<Diagnostic>,
) -> bool {
    let finding = match owned.get(path) {
        Some((_, output)) if output.hash == *hash => return false,
        Some((item, _)) => Diagnostic::new(
            Code::OUTPUT_EDITED_REPLACED,
            format!(
                "{path} of {} was edited; a snapshot keeps the edit",
                item.selector
            ),
        )
        .help(format!(
            "`skillset reconcile {path} --use output` takes the edit into the source"
        )),
        None => Diagnostic::new(
            Code::OUTPUT_UNMANAGED_REPLACED,
            format!("{path} lies where an output must go and is not ours; a snapshot keeps it"),
        )
        .help("`skillset restore --list` shows the snapshots"),
    };
    findings.push(finding.at(Span::whole(path)));
    true
}

fn delete(
    path: &RelPath,
    item: &LockItem,
    output: &LockOutput,
    listing: &Listing,
    findings: &mut Vec<Diagnostic>,
) -> Option<Effect> {
    let Some(Existing::File { hash, mode }) = listing.files.get(path) else {
        return None;
    };
    let reason = format!("{} no longer writes it", item.selector);
    let mut effect = Effect::delete(EffectKind::Generated, path.clone(), reason, (*hash, *mode));
    if *hash != output.hash {
        effect.snapshot = true;
        findings.push(
            Diagnostic::new(
                Code::OUTPUT_EDITED_REPLACED,
                format!("{path} is obsolete but was edited; a snapshot keeps the edit"),
            )
            .at(Span::whole(path)),
        );
    }
    Some(effect)
}

fn locks(
    built: &[Item],
    kept: &[LockItem],
    previous: &PreviousLocks,
    listing: &Listing,
    options: &PlanOptions,
    effects: &mut Vec<Effect>,
    findings: &mut Vec<Diagnostic>,
) {
    let next = next_locks(built, kept, &options.facts);
    for (path, bytes) in &next {
        let before = previous.locks.get(path).map(|l| (l.hash, l.mode));
        if let (None, Some(Existing::Other(what))) = (before, listing.files.get(path)) {
            findings.push(blocked(path, what));
        }
        if before.map(|(hash, _)| hash) != Some(Sha256::of(bytes)) {
            let reason = "provenance of its root";
            effects.push(Effect::write(
                EffectKind::Lock,
                path.clone(),
                reason,
                before,
                bytes.as_slice(),
            ));
        }
    }
    for (path, lock) in &previous.locks {
        if !next.contains_key(path) {
            let before = (lock.hash, lock.mode);
            effects.push(Effect::delete(
                EffectKind::Lock,
                path.clone(),
                "nothing left to own",
                before,
            ));
        }
    }
}

fn blocked(path: &RelPath, what: &str) -> Diagnostic {
    Diagnostic::new(
        Code::PLAN_BLOCKED,
        format!("{path} must be a file, but a {what} lies there"),
    )
    .at(Span::whole(path))
    .help("move it out of the way")
}
