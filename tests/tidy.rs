//! Rules about the source itself.
#![expect(clippy::disallowed_methods, reason = "these tests read the repository")]

use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder)
        .expect("a source folder can be read")
        .flatten()
    {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The code of a file without comments and without its tests.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("a source file can be read");
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// What differs per target lives in its component: the host has no target's name outside the table of built-in renderers,
/// the registry of standards, and the discovery runtime.
#[test]
fn the_host_knows_no_target_by_name() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    assert!(files.len() > 40, "the source was not found");
    let mut wrong = Vec::new();
    for path in files {
        let inner = path
            .strip_prefix(&root)
            .expect("below src")
            .to_string_lossy()
            .into_owned();
        let exempt = inner == "renderers/builtin.rs"
            || inner == "pipeline/check/standards.rs"
            || inner.starts_with("runtime/");
        if exempt || inner.ends_with("tests.rs") {
            continue;
        }
        let code = code(&path).to_lowercase();
        for id in ["claude", "codex", "cursor", "agent-skills", "agent-plugins"] {
            // A cursor is also a place in a text; only a name in quotes or in a path is a target.
            let named = [
                format!("\"{id}\""),
                format!(".{id}/"),
                format!(".{id}\""),
                format!("\"{id}-"),
                format!("`{id}`"),
            ];
            if named.iter().any(|name| code.contains(name)) {
                wrong.push(format!("{inner}: {id}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A file has one reason to exist.
#[test]
fn files_stay_small() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let long: Vec<String> = files
        .iter()
        .filter(|path| !path.ends_with("tests.rs"))
        .filter_map(|path| {
            let lines = code(path).lines().count();
            (lines > 500).then(|| format!("{}: {lines}", path.display()))
        })
        .collect();
    assert!(long.is_empty(), "{long:#?}");
}
