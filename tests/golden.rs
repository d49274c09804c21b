//! Golden cases: what the closest existing compiler makes of a workspace, by value. `tests/golden-exceptions.toml` names the
//! cases where a sentence of ours decides otherwise.
#![expect(
    clippy::disallowed_methods,
    reason = "the harness prepares and compares trees on disk"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value as Json;

const PROVIDERS: [&str; 3] = ["claude", "codex", "cursor"];
const STANDARD: [&str; 6] = [
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
];
/// Values that the other compiler puts where the author said nothing.
const BRANDED: [&str; 5] = [
    "brandColor",
    "capabilities",
    "category",
    "developerName",
    "screenshots",
];

/// Oddities of the other compiler that show in bodies.
const BODY_ODDITIES: [&str; 4] = [
    "indented-code-not-code",
    "structure-breaks-line",
    "links-in-code-rewritten",
    "partial-frontmatter-inlined",
];

/// A case where a sentence of ours decides otherwise.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    /// The sentence.
    decides: String,
    /// Where the trees may differ.
    paths: Vec<String>,
}

fn main() {
    let arguments = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden");
    let mut trials = Vec::new();
    for entry in std::fs::read_dir(&folder)
        .expect("tests/golden exists")
        .flatten()
    {
        let path = entry.path();
        trials.push(Trial::test(
            entry.file_name().to_string_lossy().into_owned(),
            move || run(&path),
        ));
    }
    assert!(trials.len() >= 25, "golden cases are missing");
    libtest_mimic::run(&arguments, trials).exit();
}

type Tree = BTreeMap<String, Vec<u8>>;

fn run(folder: &Path) -> Result<(), Failed> {
    let case: Json = serde_json::from_slice(&std::fs::read(folder.join("case.json"))?)?;
    let scratch = tempfile::tempdir()?;
    let root = scratch.path().join("w");
    let source = tree(&folder.join("in"))?;
    for (path, bytes) in &source {
        put(&root.join(path), bytes)?;
    }
    for path in case["executable_in"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
    {
        set_executable(&root.join(path))?;
    }
    if source
        .keys()
        .any(|path| path.starts_with(".skillset/plugins/"))
        && case["ours"] != "error"
    {
        bundles(&root, &source)?;
    }
    let configured = tree(&root)?;
    let output = Command::new(env!("CARGO_BIN_EXE_skillset"))
        .env_clear()
        .env(
            "XDG_CACHE_HOME",
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"),
        )
        .current_dir(&root)
        .args(["build", "--yes"])
        .output()?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    let written: Tree = tree(&root)?
        .into_iter()
        .filter(|(path, bytes)| configured.get(path) != Some(bytes))
        .collect();
    if case["ours"] == "error" {
        return match (output.status.code(), written.is_empty()) {
            (Some(1), true) => Ok(()),
            (code, _) => Err(format!("exit {code:?}, wrote {:?}\n{stderr}", written.keys()).into()),
        };
    }
    if output.status.code() != Some(0) {
        return Err(format!("exit {:?}\n{stderr}", output.status.code()).into());
    }
    let expected = flatten(tree(&folder.join("out"))?);
    let odd: Vec<&str> = case["oddities"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
        .collect();
    let bodies = !odd.iter().any(|name| BODY_ODDITIES.contains(name));
    let exceptions = std::fs::read_to_string(folder.join("../../golden-exceptions.toml"))?;
    let exceptions: BTreeMap<String, Exception> = toml::from_str(&exceptions)?;
    let name = folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let mut wrong = differences(&expected, &written, &source, bodies);
    if let Some(exception) = exceptions.get(&name) {
        if exception.decides.is_empty() || wrong.is_empty() {
            return Err("the exception is not needed, or quotes no sentence".into());
        }
        wrong.retain(|line| !exception.paths.iter().any(|path| line.contains(path)));
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(format!("{}\n{stderr}", wrong.join("\n")).into())
    }
}

/// Gives each provider a bundle of its own, which is the layout of the golden trees.
fn bundles(root: &Path, source: &Tree) -> Result<(), Failed> {
    let mut text = source
        .get("skillset.yaml")
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .unwrap_or_default();
    let list = text
        .split("targets: [")
        .nth(1)
        .and_then(|rest| rest.split(']').next())
        .map(str::to_owned);
    for target in PROVIDERS {
        if list.as_ref().is_none_or(|list| list.contains(target)) {
            text.push_str(&format!("{target}:\n  plugins:\n    layout: bundle\n"));
        }
    }
    put(&root.join("skillset.yaml"), text.as_bytes())
}

fn differences(expected: &Tree, written: &Tree, source: &Tree, bodies: bool) -> Vec<String> {
    let mut wrong = Vec::new();
    let skipped = |path: &str| {
        path.ends_with("skillset.lock")
            || path.ends_with("marketplace.json")
            || path == "plugins/README.md"
            || path.starts_with(".skillset/")
    };
    for (path, bytes) in expected.iter().filter(|(path, _)| !skipped(path)) {
        match written.get(path) {
            None => wrong.push(format!("missing: {path}")),
            Some(found) => {
                if let Some(what) = difference(path, bytes, found, bodies) {
                    wrong.push(format!("{path}: {what}"));
                }
            }
        }
    }
    let roots: BTreeSet<&str> = expected
        .keys()
        .filter_map(|path| path.split("/skills/").next())
        .collect();
    let standard = |path: &str| {
        let package = path
            .strip_prefix("plugins/")
            .and_then(|rest| rest.split_once('/'))
            .is_some_and(|(_, rest)| {
                let first = rest.split('/').next().unwrap_or_default();
                [
                    "plugin.json",
                    "mcp.json",
                    "README.md",
                    "LICENSE.txt",
                    "skills",
                    "assets",
                    "scripts",
                    "src",
                ]
                .contains(&first)
            });
        package
            || (path.starts_with(".agents/skills/") && !roots.contains(".agents"))
            || path.starts_with(".agents/skills/")
    };
    for path in written.keys().filter(|path| {
        !skipped(path) && !expected.contains_key(*path) && !source.contains_key(*path)
    }) {
        if !standard(path) {
            wrong.push(format!("not expected: {path}"));
        }
    }
    wrong
}

/// What differs at one path, by value.
fn difference(path: &str, expected: &[u8], found: &[u8], bodies: bool) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match name {
        "SKILL.md" => {
            let ((mut ours, our_body), (mut theirs, their_body)) =
                (split(&text(found)), split(&text(expected)));
            if path.starts_with(".agents/skills/") {
                for value in [&mut ours, &mut theirs] {
                    if let Some(object) = value.as_object_mut() {
                        object.retain(|key, _| STANDARD.contains(&key.as_str()));
                    }
                }
            }
            let (ours, theirs) = (strings(ours), strings(theirs));
            if ours != theirs {
                return Some(format!("frontmatter is {ours}, expected {theirs}"));
            }
            (bodies && without_notice(&our_body) != without_notice(&their_body))
                .then(|| format!("body is {our_body:?}, expected {their_body:?}"))
        }
        "LICENSE.txt" => None,
        "plugin.json" => {
            let (ours, theirs) = (manifest(found), manifest(expected));
            (ours != theirs).then(|| format!("is {ours}, expected {theirs}"))
        }
        ".skillset.tools.yaml" | "openai.yaml" => {
            let value = |bytes: &[u8]| {
                let mut value: Json = serde_yaml::from_slice(bytes).unwrap_or_default();
                if let Some(object) = value.as_object_mut() {
                    object.remove("generated");
                }
                value
            };
            (value(found) != value(expected))
                .then(|| format!("is {}, expected {}", value(found), value(expected)))
        }
        _ => (found != expected).then(|| "other bytes".to_owned()),
    }
}

/// Scalars under `metadata` compare as text.
fn strings(mut value: Json) -> Json {
    if let Some(metadata) = value.get_mut("metadata").and_then(Json::as_object_mut) {
        for (_, inner) in metadata.iter_mut() {
            if inner.is_number() || inner.is_boolean() {
                *inner = Json::String(inner.to_string());
            }
        }
    }
    value
}

fn manifest(bytes: &[u8]) -> Json {
    let mut value: Json = serde_json::from_slice(bytes).unwrap_or_default();
    if let Some(interface) = value.get_mut("interface").and_then(Json::as_object_mut) {
        interface.retain(|key, _| !BRANDED.contains(&key.as_str()));
    }
    value
}

fn split(text: &str) -> (Json, String) {
    let rest = text.strip_prefix("---\n").unwrap_or(text);
    let (head, body) = rest.split_once("\n---\n").unwrap_or((rest, ""));
    (
        serde_yaml::from_str(head).unwrap_or_default(),
        body.trim_start_matches('\n').to_owned(),
    )
}

/// The line on prompt arguments has other words in ours.
fn without_notice(body: &str) -> String {
    let first = body.lines().next().unwrap_or_default();
    if first.contains("`{{$ARGUMENTS...}}`") {
        body[first.len()..].trim_start_matches('\n').to_owned()
    } else {
        body.to_owned()
    }
}

/// Groups are not part of a path in ours.
fn flatten(tree: Tree) -> Tree {
    let skills: BTreeSet<String> = tree
        .keys()
        .filter_map(|path| path.strip_suffix("/SKILL.md"))
        .map(str::to_owned)
        .collect();
    tree.into_iter()
        .map(|(path, bytes)| {
            let skill = skills
                .iter()
                .find(|skill| path.starts_with(&format!("{skill}/")));
            let flat = skill.and_then(|skill| {
                let (root, inner) = skill.split_once("/skills/")?;
                let leaf = inner.rsplit('/').next()?;
                Some(format!("{root}/skills/{leaf}{}", &path[skill.len()..]))
            });
            (flat.unwrap_or(path), bytes)
        })
        .collect()
}

fn tree(root: &Path) -> Result<Tree, Failed> {
    let mut files = Tree::new();
    let mut folders: Vec<PathBuf> = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else {
                files.insert(
                    path.strip_prefix(root)?.to_string_lossy().into_owned(),
                    std::fs::read(&path)?,
                );
            }
        }
    }
    Ok(files)
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), Failed> {
    std::fs::create_dir_all(path.parent().ok_or("a file has a folder")?)?;
    std::fs::write(path, bytes)?;
    Ok(())
}

fn set_executable(path: &Path) -> Result<(), Failed> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))?;
    Ok(())
}
