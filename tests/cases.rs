//! End-to-end cases: each folder of `tests/cases/` is a workspace before (`in/`), after (`out/`), and what runs between.
//! See `tests/README.md` for the format.
#![expect(
    clippy::disallowed_methods,
    reason = "the harness prepares and compares trees on disk"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::{Arguments, Failed, Trial};
use serde::Deserialize;

/// `case.toml`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// One sentence: the rule.
    about: String,
    /// Bytes that git cannot carry safely, by path in `in/`.
    #[serde(default)]
    bytes: BTreeMap<String, String>,
    /// Links: path in `in/` to target.
    #[serde(default)]
    links: BTreeMap<String, String>,
    /// Modes of files in `in/`, octal.
    #[serde(default)]
    modes: BTreeMap<String, String>,
    /// What runs.
    step: Vec<Step>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    /// The command line.
    run: String,
    /// The exit code.
    #[serde(default)]
    exit: i32,
    /// Codes of all findings in report order; informational ones are left out.
    #[serde(default)]
    codes: Vec<String>,
    /// Dotted paths into `data` and their values.
    #[serde(default)]
    json: BTreeMap<String, toml::Value>,
    /// Texts that the report must contain.
    #[serde(default)]
    says: Vec<String>,
    /// Files to write before the step, by path.
    #[serde(default)]
    write: BTreeMap<String, String>,
    /// Files to delete before the step.
    #[serde(default)]
    delete: Vec<String>,
}

fn main() {
    let arguments = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases");
    let mut trials = Vec::new();
    for entry in std::fs::read_dir(&folder)
        .expect("tests/cases exists")
        .flatten()
    {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        trials.push(Trial::test(name, move || run(&path)));
    }
    assert!(!trials.is_empty(), "no case was found");
    libtest_mimic::run(&arguments, trials).exit();
}

fn run(folder: &Path) -> Result<(), Failed> {
    let text =
        std::fs::read_to_string(folder.join("case.toml")).map_err(|e| format!("case.toml: {e}"))?;
    let case: Case = toml::from_str(&text).map_err(|e| format!("case.toml: {e}"))?;
    if case.about.is_empty() || case.step.is_empty() {
        return Err("a case says what it is about and has a step".into());
    }
    let scratch = tempfile::tempdir().map_err(|e| e.to_string())?;
    let root = scratch.path().join("workspace");
    copy(&folder.join("in"), &root)?;
    for (path, bytes) in &case.bytes {
        put(&root.join(path), &unescape(bytes))?;
    }
    for (path, target) in &case.links {
        let at = root.join(path);
        std::fs::create_dir_all(at.parent().unwrap_or(&root)).map_err(|e| e.to_string())?;
        std::os::unix::fs::symlink(target, at).map_err(|e| e.to_string())?;
    }
    for (path, mode) in &case.modes {
        set_mode(
            &root.join(path),
            u32::from_str_radix(mode, 8).map_err(|e| e.to_string())?,
        )?;
    }
    let before = tree(&root)?;
    let home = scratch.path().join("home");
    let mut wrote = false;
    for step in &case.step {
        for (path, text) in &step.write {
            put(&root.join(path), text.as_bytes())?;
        }
        for path in &step.delete {
            std::fs::remove_file(root.join(path)).map_err(|e| format!("{path}: {e}"))?;
        }
        let start = tree(&root)?;
        check_step(step, &root, &home)?;
        if step.run.contains("--yes") {
            wrote = true;
        } else if tree(&root)? != start {
            return Err(format!("`{}` changed the workspace without --yes", step.run).into());
        }
    }
    invariants(&case, &root, &home, wrote)?;
    let expected = folder.join("out");
    if expected.is_dir() {
        compare(&tree(&expected)?, &tree(&root)?, &before)?;
    }
    Ok(())
}

/// Runs one step and compares exit, codes and data.
fn check_step(step: &Step, root: &Path, home: &Path) -> Result<(), Failed> {
    let (code, document, stderr) = json(&step.run, root, home, None)?;
    let found: Vec<String> = document["diagnostics"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|finding| finding["severity"] != "info")
        .map(|finding| finding["code"].as_str().unwrap_or_default().to_owned())
        .collect();
    if code != step.exit || found != step.codes {
        return Err(format!(
            "`{}`: exit {code}, codes {found:?}; expected exit {}, codes {:?}\n{document:#}\n{stderr}",
            step.run, step.exit, step.codes
        )
        .into());
    }
    for (path, expected) in &step.json {
        let pointer = format!("/data/{}", path.replace('.', "/"));
        let expected = serde_json::to_value(expected).map_err(|e| e.to_string())?;
        let actual = document.pointer(&pointer).cloned().unwrap_or_default();
        if actual != expected {
            return Err(format!("`{}`: {path} is {actual}, expected {expected}", step.run).into());
        }
    }
    let report = document.to_string();
    for text in &step.says {
        if !report.contains(
            &serde_json::Value::from(text.as_str())
                .to_string()
                .trim_matches('"')
                .to_owned(),
        ) {
            return Err(format!(
                "`{}`: the report does not say {text:?}:\n{document:#}",
                step.run
            )
            .into());
        }
    }
    Ok(())
}

/// What holds after every case that wrote: a second build changes nothing, and one thread gives the same plan as eight.
fn invariants(case: &Case, root: &Path, home: &Path, wrote: bool) -> Result<(), Failed> {
    let builds = case
        .step
        .iter()
        .any(|step| step.run.starts_with("build") && step.run.contains("--yes") && step.exit == 0);
    if !wrote || !builds {
        return Ok(());
    }
    let settled = tree(root)?;
    let (_, one, _) = json("build", root, home, Some("1"))?;
    let (_, eight, _) = json("build", root, home, Some("8"))?;
    if one != eight {
        return Err("one thread and eight give different plans".into());
    }
    if case
        .step
        .last()
        .is_some_and(|step| step.run.starts_with("build") && step.exit == 0)
    {
        let (code, _, stderr) = json("build --yes", root, home, None)?;
        if code != 0 || tree(root)? != settled {
            return Err(format!("a second build is not a no-op (exit {code})\n{stderr}").into());
        }
    }
    Ok(())
}

fn json(
    run: &str,
    root: &Path,
    home: &Path,
    threads: Option<&str>,
) -> Result<(i32, serde_json::Value, String), Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_skillset"));
    command
        .env_clear()
        .env("HOME", home)
        .env("XDG_CACHE_HOME", cache())
        .current_dir(root)
        .args(run.split(' '))
        .arg("--json");
    if let Some(threads) = threads {
        command.args(["--threads", threads]);
    }
    let output = command.output().map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let document = serde_json::from_str(&text)
        .map_err(|e| format!("`{run}`: not one JSON document: {e}\n{text}\n{stderr}"))?;
    Ok((output.status.code().unwrap_or(-1), document, stderr))
}

/// Compiled renderers are shared between cases; they are keyed by digest.
fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache")
}

type Tree = BTreeMap<String, (Vec<u8>, u32)>;

/// Every file below a folder with its bytes and permission bits. Locks and our own state are left out.
fn tree(root: &Path) -> Result<Tree, Failed> {
    let mut files = Tree::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)
            .map_err(|e| format!("{}: {e}", folder.display()))?
            .flatten()
        {
            let path = entry.path();
            let kind = entry.file_type().map_err(|e| e.to_string())?;
            if entry.file_name() == ".gitkeep" {
                continue;
            }
            let name = path
                .strip_prefix(root)
                .unwrap_or(&path)
                .to_string_lossy()
                .into_owned();
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_symlink() {
                let target = std::fs::read_link(&path).map_err(|e| e.to_string())?;
                files.insert(
                    name,
                    (target.to_string_lossy().into_owned().into_bytes(), 0),
                );
            } else {
                let bytes = std::fs::read(&path).map_err(|e| format!("{name}: {e}"))?;
                let mode = std::os::unix::fs::PermissionsExt::mode(
                    &entry.metadata().map_err(|e| e.to_string())?.permissions(),
                );
                files.insert(name, (bytes, mode & 0o777));
            }
        }
    }
    Ok(files)
}

/// Compares what was written with `out/`, which leaves out source, locks and the tool's own folder.
fn compare(expected: &Tree, actual: &Tree, before: &Tree) -> Result<(), Failed> {
    let generated =
        |path: &str| !path.ends_with("skillset.lock") && !path.starts_with(".skillset/");
    let mut wrong = Vec::new();
    for (path, (bytes, mode)) in expected {
        match actual.get(path) {
            None => wrong.push(format!("missing: {path}")),
            Some((found, _)) if found != bytes => wrong.push(format!(
                "other bytes: {path}\n--- expected\n{}\n--- found\n{}",
                String::from_utf8_lossy(bytes),
                String::from_utf8_lossy(found)
            )),
            Some((_, found)) if (found & 0o100) != (mode & 0o100) => {
                wrong.push(format!("other mode: {path}: {found:o}"));
            }
            Some(_) => {}
        }
    }
    for path in actual.keys().filter(|path| {
        generated(path) && !before.contains_key(*path) && !expected.contains_key(*path)
    }) {
        wrong.push(format!("not expected: {path}"));
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n").into())
    }
}

fn copy(from: &Path, to: &Path) -> Result<(), Failed> {
    std::fs::create_dir_all(to).map_err(|e| e.to_string())?;
    if !from.is_dir() {
        return Ok(());
    }
    for (path, (bytes, mode)) in tree(from)? {
        put(&to.join(&path), &bytes)?;
        set_mode(
            &to.join(&path),
            if mode & 0o100 == 0 { 0o644 } else { 0o755 },
        )?;
    }
    Ok(())
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), Failed> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(|e| e.to_string())?;
    }
    std::fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()).into())
}

fn set_mode(path: &Path, mode: u32) -> Result<(), Failed> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
        .map_err(|e| format!("{}: {e}", path.display()).into())
}

/// `\xNN`, `\n`, `\r`, `\t` and `\\`.
fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            bytes.extend(c.to_string().as_bytes());
            continue;
        }
        match chars.next() {
            Some('x') => {
                let hex: String = chars.by_ref().take(2).collect();
                bytes.push(u8::from_str_radix(&hex, 16).expect("two hexadecimal digits after \\x"));
            }
            Some('n') => bytes.push(b'\n'),
            Some('r') => bytes.push(b'\r'),
            Some('t') => bytes.push(b'\t'),
            Some(other) => bytes.extend(other.to_string().as_bytes()),
            None => {}
        }
    }
    bytes
}
