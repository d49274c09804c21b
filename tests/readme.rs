//! The README shows what the commands print.
#![expect(clippy::disallowed_methods, reason = "these tests read the repository")]

use std::path::Path;
use std::process::Command;

#[test]
fn the_tour_shows_what_list_prints() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let readme =
        std::fs::read_to_string(repository.join("README.md")).expect("the README can be read");
    let output = Command::new(env!("CARGO_BIN_EXE_skillset"))
        .env_clear()
        .env(
            "XDG_CACHE_HOME",
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"),
        )
        .arg("--root")
        .arg(repository.join("docs/example"))
        .arg("list")
        .output()
        .expect("the binary runs");
    assert_eq!(output.status.code(), Some(0));
    let listed = String::from_utf8(output.stdout).expect("text");
    assert!(listed.contains("skill:plan-trip"), "{listed}");
    assert!(
        readme.contains(&listed),
        "the README does not show:\n{listed}"
    );
}
