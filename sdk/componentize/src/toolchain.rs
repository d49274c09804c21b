//! Finds a Rust toolchain that can build for WebAssembly.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::{BuildError, TARGET};

/// A toolchain and what it needs to be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolchain {
    rustc: PathBuf,
    cargo: PathBuf,
    sysroot: PathBuf,
    version: String,
    /// The linker, when the standard library is built from source too.
    from_source: Option<PathBuf>,
}

impl Toolchain {
    /// `rustc 1.95.0 (59807616e 2026-04-14)`
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    pub(crate) fn sysroot(&self) -> &Path {
        &self.sysroot
    }

    pub(crate) fn linker(&self) -> Option<&Path> {
        self.from_source.as_deref()
    }

    /// Cargo in a folder, with this toolchain's settings.
    pub(crate) fn cargo(&self, folder: &Path) -> Command {
        let mut command = Command::new(&self.cargo);
        // Flags and wrappers of the caller would change the bytes.
        command
            .current_dir(folder)
            .env_remove("RUSTFLAGS")
            .env_remove("RUSTC_WRAPPER")
            .env_remove("CARGO_TARGET_DIR");
        if self.from_source.is_some() {
            command
                .env("RUSTC", &self.rustc)
                .env("RUSTC_BOOTSTRAP", "1")
                .env_remove("RUSTUP_TOOLCHAIN")
                .args(["-Z", "build-std=std,panic_abort"]);
        }
        command
    }
}

/// The installed target, else the one that rustup can add, else the distribution's source.
///
/// # Errors
/// When none of them is there.
pub fn find_toolchain(folder: &Path) -> Result<Toolchain, BuildError> {
    if let Some(found) = installed(folder) {
        return Ok(found);
    }
    let mut rustup = Command::new("rustup");
    rustup.current_dir(folder).args(["target", "add", TARGET]);
    if run(&mut rustup).is_ok_and(|output| output.status.success())
        && let Some(found) = installed(folder)
    {
        return Ok(found);
    }
    distribution().ok_or(BuildError::NoToolchain)
}

fn installed(folder: &Path) -> Option<Toolchain> {
    let rustc = Path::new("rustc");
    let libraries = ask(Command::new(rustc).current_dir(folder).args([
        "--print",
        "target-libdir",
        "--target",
        TARGET,
    ]))?;
    if !holds_core(Path::new(&libraries)) {
        return None;
    }
    Some(Toolchain {
        rustc: rustc.to_owned(),
        cargo: PathBuf::from("cargo"),
        sysroot: ask(Command::new(rustc)
            .current_dir(folder)
            .args(["--print", "sysroot"]))?
        .into(),
        version: ask(Command::new(rustc).current_dir(folder).arg("--version"))?,
        from_source: None,
    })
}

/// `/usr/bin/rustc` with the source of the standard library beside it.
fn distribution() -> Option<Toolchain> {
    let rustc = PathBuf::from("/usr/bin/rustc");
    let cargo = PathBuf::from("/usr/bin/cargo");
    let sysroot = PathBuf::from(ask(Command::new(&rustc).args(["--print", "sysroot"]))?);
    let version = ask(Command::new(&rustc).arg("--version"))?;
    let source = sysroot.join("lib/rustlib/src/rust/library/Cargo.toml");
    if !is_file(&source) || !is_file(&cargo) {
        return None;
    }
    let host = ask(Command::new(&rustc).args(["--print", "host-tuple"]))?;
    let mut roots = vec![sysroot.clone()];
    // A rustup toolchain beside it has a linker even where the distribution's package has none.
    roots.extend(ask(Command::new("rustc").args(["--print", "sysroot"])).map(PathBuf::from));
    let mut linkers = vec![PathBuf::from("/usr/bin/rust-lld")];
    linkers.extend(
        roots
            .iter()
            .map(|root| root.join("lib/rustlib").join(&host).join("bin/rust-lld")),
    );
    linkers.push(PathBuf::from("/usr/bin/wasm-ld"));
    let linker = linkers.into_iter().find(|path| is_file(path))?;
    Some(Toolchain {
        rustc,
        cargo,
        sysroot,
        version,
        from_source: Some(linker),
    })
}

/// The output of a tool that succeeds, without the last line break.
pub(crate) fn ask(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim_end().to_owned())
}

pub(crate) fn run(command: &mut Command) -> Result<Output, BuildError> {
    command
        .output()
        .map_err(|source: io::Error| BuildError::Spawn {
            tool: command.get_program().to_string_lossy().into_owned(),
            source,
        })
}

#[expect(
    clippy::disallowed_methods,
    reason = "looks at installed tools, not at a workspace"
)]
fn is_file(path: &Path) -> bool {
    path.is_file()
}

#[expect(
    clippy::disallowed_methods,
    reason = "looks at installed tools, not at a workspace"
)]
fn holds_core(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return false;
    };
    entries.flatten().any(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with("libcore-") && name.ends_with(".rlib")
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Toolchain, holds_core};

    #[test]
    fn a_folder_without_core_is_no_target() {
        assert!(!holds_core(Path::new("/no/such/folder")));
        assert!(!holds_core(Path::new(env!("CARGO_MANIFEST_DIR"))));
    }

    #[test]
    fn only_a_build_from_source_takes_the_bootstrap_switch() {
        let mut toolchain = Toolchain {
            rustc: "/usr/bin/rustc".into(),
            cargo: "/usr/bin/cargo".into(),
            sysroot: "/usr".into(),
            version: "rustc 1.96.0".to_owned(),
            from_source: None,
        };
        assert_eq!(toolchain.cargo(Path::new("/")).get_args().count(), 0);
        toolchain.from_source = Some("/usr/bin/rust-lld".into());
        let command = toolchain.cargo(Path::new("/"));
        assert!(
            command
                .get_args()
                .any(|arg| arg == "build-std=std,panic_abort")
        );
        assert!(
            command
                .get_envs()
                .any(|(key, value)| key == "RUSTC_BOOTSTRAP" && value.is_some())
        );
    }
}
