//! From a core module to a component.

use std::path::Path;

use wit_component::ComponentEncoder;

use crate::BuildError;

/// Wraps a module built with the SDK into a component.
///
/// # Errors
/// When the module does not carry a renderer's world.
pub fn componentize(module: &[u8]) -> Result<Vec<u8>, BuildError> {
    let encode = || {
        ComponentEncoder::default()
            .module(module)?
            .validate(true)
            .encode()
    };
    encode().map_err(|fault| BuildError::Encode(format!("{fault:#}")))
}

#[expect(clippy::disallowed_methods, reason = "reads what cargo has just built")]
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, BuildError> {
    let module = std::fs::read(path).map_err(|source| BuildError::Module {
        path: path.to_owned(),
        source,
    })?;
    componentize(&module)
}

#[cfg(test)]
mod tests {
    use super::componentize;

    #[test]
    fn what_is_no_module_is_refused() {
        assert!(componentize(b"not wasm").is_err());
    }
}
