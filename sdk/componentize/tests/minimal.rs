//! Builds the example as its author would.

use std::path::Path;

#[test]
#[ignore = "builds for WebAssembly: slow, and needs a toolchain that can"]
fn the_minimal_example_becomes_a_component() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/minimal");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("minimal");
    let component = skillset_componentize::build(&example, "minimal-renderer", &target)
        .unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(&component[..8], b"\0asm\x0d\0\x01\0");
}
