use std::collections::BTreeMap;

use super::*;
use crate::model::id::Sha256;
use crate::pipeline::plan::{Effect, EffectKind, Plan, confirm};

fn path(text: &str) -> RelPath {
    RelPath::new(text).unwrap()
}

fn open(folder: &std::path::Path) -> Dir {
    crate::pipeline::load::open_root(folder).unwrap()
}

fn create(at: &str, text: &str) -> Effect {
    Effect::write(
        EffectKind::Generated,
        path(at),
        "test",
        None,
        text.as_bytes().to_vec(),
    )
}

fn confirmed(effects: Vec<Effect>) -> Confirmed {
    confirm(Plan::of(effects, &[], 0, Vec::new()), None).unwrap()
}

/// Every file but the state of the writer.
fn tree(root: &Dir) -> BTreeMap<String, String> {
    fn walk(root: &Dir, folder: &str, found: &mut BTreeMap<String, String>) {
        for entry in root.read_dir(folder).unwrap().flatten() {
            let name = entry.file_name().into_string().unwrap();
            let inner = if folder == "." {
                name
            } else {
                format!("{folder}/{name}")
            };
            if inner == STATE {
                continue;
            }
            if entry.file_type().unwrap().is_dir() {
                walk(root, &inner, found);
            } else {
                found.insert(inner.clone(), root.read_to_string(&inner).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(root, ".", &mut found);
    found
}

#[test]
fn writes_replaces_and_deletes() {
    let scratch = tempfile::tempdir().unwrap();
    let root = open(scratch.path());
    apply(
        &root,
        confirmed(vec![create("a/b/one", "1"), create("a/two", "2")]),
    )
    .unwrap();
    let before = |text: &str| (Sha256::of(text.as_bytes()), 0o644);
    let replace = Effect::write(
        EffectKind::Generated,
        path("a/two"),
        "test",
        Some(before("2")),
        b"22".to_vec(),
    );
    let delete = Effect::delete(EffectKind::Generated, path("a/b/one"), "test", before("1"));
    let applied = apply(&root, confirmed(vec![replace, delete])).unwrap();
    assert_eq!(applied.changed, 2);
    assert_eq!(
        tree(&root),
        BTreeMap::from([("a/two".to_owned(), "22".to_owned())])
    );
    assert!(
        root.symlink_metadata("a/b").is_err(),
        "the empty folder is gone"
    );
}

#[test]
fn a_file_that_appeared_is_never_overwritten_and_everything_is_undone() {
    let scratch = tempfile::tempdir().unwrap();
    let root = open(scratch.path());
    root.write("z", "mine").unwrap();
    let error = apply(
        &root,
        confirmed(vec![create("a/one", "1"), create("z", "2")]),
    )
    .unwrap_err();
    assert!(matches!(error, ApplyError::Stale { .. }), "{error}");
    assert_eq!(
        tree(&root),
        BTreeMap::from([("z".to_owned(), "mine".to_owned())])
    );
    assert!(pending(&root).unwrap().is_none());
}

#[test]
fn an_edited_file_makes_the_plan_stale() {
    let scratch = tempfile::tempdir().unwrap();
    let root = open(scratch.path());
    root.write("a", "edited").unwrap();
    let before = Some((Sha256::of(b"planned"), 0o644));
    let replace = Effect::write(
        EffectKind::Generated,
        path("a"),
        "test",
        before,
        b"new".to_vec(),
    );
    let error = apply(&root, confirmed(vec![create("0", "x"), replace])).unwrap_err();
    assert!(error.is_refusal(), "{error}");
    assert_eq!(
        tree(&root),
        BTreeMap::from([("a".to_owned(), "edited".to_owned())])
    );
}

#[test]
fn a_snapshot_keeps_what_was_replaced() {
    let scratch = tempfile::tempdir().unwrap();
    let root = open(scratch.path());
    root.write("a", "mine").unwrap();
    let before = Some((Sha256::of(b"mine"), 0o644));
    let mut replace = Effect::write(
        EffectKind::Generated,
        path("a"),
        "test",
        before,
        b"new".to_vec(),
    );
    replace.snapshot = true;
    let id = apply(&root, confirmed(vec![replace]))
        .unwrap()
        .snapshot
        .unwrap();
    assert_eq!(
        root.read_to_string(format!(".skillset/snapshots/{id}/a"))
            .unwrap(),
        "mine"
    );
}

/// Stops a write after each of its moves, as a crash would, and recovers: the old tree is there again.
#[test]
fn every_interruption_is_rolled_back() {
    for stop in 0..=3 {
        let scratch = tempfile::tempdir().unwrap();
        let root = open(scratch.path());
        root.write("b", "old").unwrap();
        root.write("c", "gone").unwrap();
        let old = tree(&root);
        let before = |text: &str| (Sha256::of(text.as_bytes()), 0o644);
        let plan = Plan::of(
            vec![
                create("a/new", "new"),
                Effect::write(
                    EffectKind::Generated,
                    path("b"),
                    "test",
                    Some(before("old")),
                    b"fresh".to_vec(),
                ),
                Effect::delete(EffectKind::Generated, path("c"), "test", before("gone")),
            ],
            &[],
            0,
            Vec::new(),
        );
        root.create_dir_all(STATE).unwrap();
        let mut staged = stage::stage(&root, &plan).unwrap();
        journal::begin(&root, &staged).unwrap();
        staged.moves.truncate(stop);
        publish::publish(&root, &staged).unwrap();
        assert!(pending(&root).unwrap().is_some());
        recover(&root).unwrap();
        assert_eq!(tree(&root), old, "stopped after {stop} moves");
        assert!(pending(&root).unwrap().is_none());
    }
}

#[test]
fn what_a_killed_staging_left_is_cleared() {
    let scratch = tempfile::tempdir().unwrap();
    let root = open(scratch.path());
    root.create_dir_all(format!("{STATE}/new/0")).unwrap();
    root.write(format!("{STATE}/new/0/0"), "half").unwrap();
    apply(&root, confirmed(vec![create("a", "whole")])).unwrap();
    assert_eq!(
        tree(&root),
        BTreeMap::from([("a".to_owned(), "whole".to_owned())])
    );
}
