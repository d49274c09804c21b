//! Builds a renderer crate into a WebAssembly component.
//! In: the folder of a crate that uses `skillset-renderer`. Out: the component's bytes, equal for equal source and toolchain.
//! Depends on: cargo, rustc. Never: part of a build of skills.

// reading order
mod toolchain;
mod reproducible;
mod component;

pub use component::componentize;
pub use toolchain::{Toolchain, find_toolchain};

use std::io;
use std::path::{Path, PathBuf};

/// The core module's target.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// Why a renderer could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A tool is absent or cannot be run.
    #[error("`{tool}` cannot be run")]
    Spawn {
        /// Its name.
        tool: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// No toolchain can build for WebAssembly.
    #[error(
        "no Rust toolchain can build for {TARGET}: run `rustup target add {TARGET}`, or install the standard \
         library's source and rust-lld from your distribution"
    )]
    NoToolchain,
    /// Cargo found something wrong.
    #[error("cargo could not build `{package}`:\n{output}")]
    Cargo {
        /// The package.
        package: String,
        /// What cargo said.
        output: String,
    },
    /// The module is not where cargo should have put it.
    #[error("`{path}` cannot be read: the crate needs `crate-type = [\"cdylib\"]`")]
    Module {
        /// The path.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The module is not a renderer.
    #[error("the module does not become a component: {0}")]
    Encode(String),
}

/// Builds `package`, found from `manifest_dir`, and makes a component of it. Intermediate files go to `target_dir`.
///
/// # Errors
/// When no toolchain is there, the crate does not compile, or the module is no renderer.
pub fn build(manifest_dir: &Path, package: &str, target_dir: &Path) -> Result<Vec<u8>, BuildError> {
    let toolchain = find_toolchain(manifest_dir)?;
    build_with(&toolchain, manifest_dir, package, target_dir)
}

/// As [`build`], with a toolchain that was found before.
///
/// # Errors
/// When the crate does not compile or the module is no renderer.
pub fn build_with(
    toolchain: &Toolchain,
    manifest_dir: &Path,
    package: &str,
    target_dir: &Path,
) -> Result<Vec<u8>, BuildError> {
    let mut cargo = toolchain.cargo(manifest_dir);
    cargo
        .args(["build", "--release", "--lib", "--quiet", "--target", TARGET])
        .args(["--package", package, "--target-dir"])
        .arg(target_dir);
    for setting in reproducible::PROFILE {
        cargo.args(["--config", setting]);
    }
    cargo.env(
        "CARGO_ENCODED_RUSTFLAGS",
        reproducible::flags(toolchain, manifest_dir)?,
    );
    let output = toolchain::run(&mut cargo)?;
    if !output.status.success() {
        return Err(BuildError::Cargo {
            package: package.to_owned(),
            output: String::from_utf8_lossy(&output.stderr).into_owned(),
        });
    }
    let file = format!("{}.wasm", package.replace('-', "_"));
    component::read(&target_dir.join(TARGET).join("release").join(file))
}
