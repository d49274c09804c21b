//! What makes two builds give the same bytes: one profile, and no path of the machine in the module.

use std::path::{Path, PathBuf};

use crate::BuildError;
use crate::toolchain::{Toolchain, ask};

/// `strip = "debuginfo"` keeps the names that a backtrace needs.
pub(crate) const PROFILE: [&str; 6] = [
    "profile.release.opt-level=\"s\"",
    "profile.release.lto=true",
    "profile.release.codegen-units=1",
    "profile.release.panic=\"abort\"",
    "profile.release.strip=\"debuginfo\"",
    "profile.release.incremental=false",
];

/// The value of `CARGO_ENCODED_RUSTFLAGS`, which reaches dependencies too.
pub(crate) fn flags(toolchain: &Toolchain, manifest_dir: &Path) -> Result<String, BuildError> {
    let mut locate = toolchain.cargo(manifest_dir);
    locate.args(["locate-project", "--workspace", "--message-format", "plain"]);
    let workspace = ask(&mut locate)
        .and_then(|manifest| Path::new(&manifest).parent().map(Path::to_owned))
        .unwrap_or_else(|| manifest_dir.to_owned());
    let mut pairs = vec![(workspace, "/workspace".to_owned())];
    pairs.push((toolchain.sysroot().to_owned(), "/rust".to_owned()));
    if let Some(home) = cargo_home() {
        pairs.push((home.clone(), "/cargo".to_owned()));
        // The folder's name holds a hash of the registry's address, which a mirror changes.
        for registry in registries(&home) {
            pairs.push((registry, "/cargo/registry".to_owned()));
        }
    }
    Ok(encode(toolchain.linker(), &pairs))
}

/// The last matching prefix wins in rustc, so the longer ones stand last.
fn encode(linker: Option<&Path>, pairs: &[(PathBuf, String)]) -> String {
    let mut flags: Vec<String> = pairs
        .iter()
        .map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()))
        .collect();
    if let Some(linker) = linker {
        flags.push(format!("-Clinker={}", linker.display()));
    }
    flags.join("\u{1f}")
}

#[expect(
    clippy::disallowed_methods,
    reason = "cargo itself is found through the environment"
)]
fn cargo_home() -> Option<PathBuf> {
    std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
}

#[expect(clippy::disallowed_methods, reason = "looks at cargo's own cache")]
fn registries(home: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(home.join("registry").join("src")) else {
        return Vec::new();
    };
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::encode;

    #[test]
    fn flags_are_separated_as_cargo_wants_them() {
        let pairs = [
            ("/home/a".into(), "/cargo".to_owned()),
            ("/home/a/registry".into(), "/cargo/registry".to_owned()),
        ];
        assert_eq!(
            encode(Some(Path::new("/usr/bin/rust-lld")), &pairs),
            "--remap-path-prefix=/home/a=/cargo\u{1f}--remap-path-prefix=/home/a/registry=/cargo/registry\u{1f}-Clinker=/usr/bin/rust-lld"
        );
    }
}
