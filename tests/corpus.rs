//! Real skills by other people: every one that obeys our rules is built for every target.
#![expect(
    clippy::disallowed_methods,
    reason = "the harness prepares trees on disk"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

fn shared() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    path.is_dir().then_some(path)
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder can be made");
    for entry in std::fs::read_dir(from)
        .expect("the corpus can be read")
        .flatten()
    {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("a file can be copied");
        }
    }
}

/// Every folder that holds a `skills` folder becomes a plugin.
fn containers(folder: &Path, found: &mut Vec<PathBuf>) {
    if folder.join("skills").is_dir() {
        found.push(folder.to_owned());
    }
    for entry in std::fs::read_dir(folder)
        .expect("the corpus can be read")
        .flatten()
    {
        if entry.path().is_dir() && entry.file_name() != "skills" {
            containers(&entry.path(), found);
        }
    }
}

#[test]
fn the_corpus_builds_for_every_target() {
    let Some(corpus) = shared() else {
        // Said in words, so that the continuous integration can count it.
        eprintln!("../shared is absent");
        return;
    };
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let root = scratch.path();
    copy(
        &corpus.join("superpowers/skills"),
        &root.join(".skillset/skills"),
    );
    let mut plugins = Vec::new();
    containers(&corpus.join("cursor-plugins"), &mut plugins);
    for plugin in &plugins {
        let id = plugin
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .to_lowercase();
        let target = root.join(".skillset/plugins").join(&id);
        copy(&plugin.join("skills"), &target.join("skills"));
        std::fs::write(
            target.join("skillset.yaml"),
            "skillset:\n  description: From the corpus.\n",
        )
        .expect("written");
    }
    std::fs::write(
        root.join("skillset.yaml"),
        "compile:\n  unsupportedDestination: warn\n",
    )
    .expect("written");
    let output = Command::new(env!("CARGO_BIN_EXE_skillset"))
        .env_clear()
        .env(
            "XDG_CACHE_HOME",
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"),
        )
        .current_dir(root)
        .args(["build", "--yes", "--keep-going", "--json"])
        .output()
        .expect("the binary runs");
    let document: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("one JSON document");
    let errors: Vec<String> = document["diagnostics"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|finding| finding["severity"] == "error")
        .map(|finding| {
            format!(
                "{} {}: {}",
                finding["code"], finding["path"], finding["message"]
            )
        })
        .collect();
    assert_eq!(output.status.code(), Some(1), "{errors:#?}");
    let count = |folder: &str| -> usize {
        let mut found = 0;
        let mut folders = vec![root.join(folder)];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                if entry.path().is_dir() {
                    folders.push(entry.path());
                } else if entry.file_name() == "SKILL.md" {
                    found += 1;
                }
            }
        }
        found
    };
    let counts: BTreeMap<&str, usize> = [
        ".claude/skills",
        ".agents/skills",
        ".cursor/skills",
        "plugins",
    ]
    .into_iter()
    .map(|folder| (folder, count(folder)))
    .collect();
    let expected = BTreeMap::from([
        (".claude/skills", 14),
        (".agents/skills", 14),
        (".cursor/skills", 14),
        ("plugins", 73),
    ]);
    assert_eq!(counts, expected, "{errors:#?}");
    assert_eq!(errors.len(), 2, "{errors:#?}");
}
