//! Builds a renderer crate into a component, reproducibly:
//! `cargo run -p skillset-componentize --example build -- FOLDER PACKAGE OUT`.

use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, package, output] = &arguments[..] else {
        return Err("give the crate's folder, its package and the component to write".into());
    };
    let target = std::env::temp_dir().join("skillset-build").join(package);
    let component = skillset_componentize::build(&PathBuf::from(folder), package, &target)?;
    #[expect(clippy::disallowed_methods, reason = "this is the whole tool")]
    std::fs::write(output, component)?;
    Ok(())
}
