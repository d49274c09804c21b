//! Builds the five renderers, or checks that the committed ones are what their source gives.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a chore works on the repository itself and speaks to its user"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use skillset_componentize::{Toolchain, build_with, find_toolchain};

const IDS: [&str; 5] = ["agent-plugins", "agent-skills", "claude", "codex", "cursor"];

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Build twice in two folders and compare, also with the committed bytes when the toolchain is the recorded one.
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .context("xtask lies in the repository")?;
    let toolchain = find_toolchain(root)?;
    println!("{}", toolchain.version());
    if args.check {
        check(root, &toolchain)
    } else {
        write(root, &toolchain)
    }
}

fn write(root: &Path, toolchain: &Toolchain) -> Result<()> {
    let folder = root.join("renderers/embedded");
    let mut digests = BTreeMap::new();
    for (id, bytes) in build_all(root, &root.join("target/guests"), toolchain)? {
        let digest = digest(&bytes);
        println!("{id:14} {:7} bytes  {digest}", bytes.len());
        fs::write(folder.join(format!("{id}.wasm")), &bytes)?;
        digests.insert(id, digest);
    }
    let manifest = json!({"digests": digests, "toolchain": toolchain.version()});
    let text = format!("{}\n", serde_json::to_string_pretty(&manifest)?);
    fs::write(folder.join("manifest.json"), text)?;
    Ok(())
}

fn check(root: &Path, toolchain: &Toolchain) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let mut builds = Vec::new();
    // Names of different length: a path that got into the module would change its size.
    for name in ["a", "another-folder"] {
        let copy = scratch.path().join(name);
        copy_source(root, &copy)?;
        let target = copy.join("target");
        builds.push(build_all(&copy, &target, toolchain)?);
        fs::remove_dir_all(target)?;
    }
    ensure!(
        builds[0] == builds[1],
        "two folders gave different bytes: {}",
        differing(&builds[0], &builds[1])
    );
    println!("two folders gave the same bytes");

    let folder = root.join("renderers/embedded");
    let manifest: Value = serde_json::from_slice(&fs::read(folder.join("manifest.json"))?)?;
    if manifest["toolchain"] != toolchain.version() {
        println!(
            "the committed bytes were built by {} and are not compared",
            manifest["toolchain"]
        );
        return Ok(());
    }
    for (id, bytes) in &builds[0] {
        let committed = fs::read(folder.join(format!("{id}.wasm")))?;
        if committed != *bytes {
            bail!("{id}.wasm is not what its source gives: run `cargo xtask guests`");
        }
    }
    println!("the committed bytes are what their source gives");
    Ok(())
}

type Components = BTreeMap<String, Vec<u8>>;

fn build_all(root: &Path, target: &Path, toolchain: &Toolchain) -> Result<Components> {
    let mut components = Components::new();
    for id in IDS {
        let package = format!("skillset-renderer-{id}");
        let bytes = build_with(toolchain, root, &package, target)?;
        components.insert(id.to_owned(), bytes);
    }
    Ok(components)
}

fn differing(a: &Components, b: &Components) -> String {
    let ids: Vec<&str> = a
        .iter()
        .filter(|(id, bytes)| b.get(*id) != Some(bytes))
        .map(|(id, _)| id.as_str())
        .collect();
    ids.join(", ")
}

fn digest(bytes: &[u8]) -> String {
    let hex: String = Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("sha256:{hex}")
}

/// Every file that git knows or would know.
fn copy_source(root: &Path, to: &Path) -> Result<()> {
    let listing = Command::new("git")
        .current_dir(root)
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .output()
        .context("git lists the source")?;
    ensure!(listing.status.success(), "git could not list the source");
    for name in listing.stdout.split(|byte| *byte == 0) {
        if name.is_empty() {
            continue;
        }
        let name = PathBuf::from(String::from_utf8(name.to_vec())?);
        let from = root.join(&name);
        if !from.is_file() {
            continue;
        }
        let into = to.join(&name);
        if let Some(parent) = into.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::copy(from, into)?;
    }
    Ok(())
}
