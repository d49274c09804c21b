//! Turns a core module into a component: `cargo run -p skillset-componentize --example componentize -- IN OUT`.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(input), Some(output)) = (arguments.next(), arguments.next()) else {
        return Err("give the module and the component".into());
    };
    #[expect(clippy::disallowed_methods, reason = "this is the whole tool")]
    std::fs::write(
        output,
        skillset_componentize::componentize(&std::fs::read(input)?)?,
    )?;
    Ok(())
}
