//! The registry of open standards: adoption, pinned version, pinned schemas. Shown by `lookup standards`.

use std::sync::OnceLock;

use serde_json::Value as Json;

/// One adopted standard.
#[derive(Debug, Clone, Copy)]
pub struct Standard {
    /// The target that renders it.
    pub target: &'static str,
    /// The name in locks.
    pub profile: &'static str,
    /// The pinned version.
    pub version: &'static str,
    /// Schemas by file name inside a package.
    schemas: &'static [(&'static str, &'static str)],
}

/// Every adopted standard.
pub static STANDARDS: [Standard; 2] = [
    Standard {
        target: "agent-plugins",
        profile: "agent-plugins-1.0",
        version: "1.0.0",
        schemas: &PLUGIN_SCHEMAS,
    },
    Standard {
        target: "agent-skills",
        profile: "agent-skills",
        version: "2026-08",
        schemas: &[],
    },
];

static PLUGIN_SCHEMAS: [(&str, &str); 2] = [
    ("plugin.json", include_str!("schemas/plugin.schema.json")),
    ("mcp.json", include_str!("schemas/mcp.schema.json")),
];

/// The name of a standard in locks.
#[must_use]
pub fn profile(target: &str) -> Option<&'static str> {
    STANDARDS
        .iter()
        .find(|standard| standard.target == target)
        .map(|standard| standard.profile)
}

/// What is wrong with a JSON file of a standard; nothing when no schema governs it.
pub(super) fn validate(target: &str, file: &str, bytes: &[u8]) -> Vec<String> {
    static VALIDATORS: OnceLock<Vec<(&'static str, &'static str, jsonschema::Validator)>> =
        OnceLock::new();
    let validators = VALIDATORS.get_or_init(|| {
        let all = STANDARDS.iter().flat_map(|standard| {
            standard
                .schemas
                .iter()
                .map(|(name, text)| (standard.target, *name, *text))
        });
        all.filter_map(|(target, name, text)| {
            let schema: Json = serde_json::from_str(text).ok()?;
            Some((target, name, jsonschema::validator_for(&schema).ok()?))
        })
        .collect()
    });
    let Some((_, _, validator)) = validators
        .iter()
        .find(|(owner, name, _)| *owner == target && *name == file)
    else {
        return Vec::new();
    };
    match serde_json::from_slice::<Json>(bytes) {
        Ok(value) => validator
            .iter_errors(&value)
            .map(|error| format!("{error} at `{}`", error.instance_path()))
            .collect(),
        Err(error) => vec![error.to_string()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pinned_schema_compiles() {
        for (name, text) in PLUGIN_SCHEMAS {
            let schema: Json = serde_json::from_str(text).unwrap();
            assert!(jsonschema::validator_for(&schema).is_ok(), "{name}");
        }
    }

    #[test]
    fn a_manifest_without_a_name_is_refused() {
        assert!(!validate("agent-plugins", "plugin.json", b"{}").is_empty());
        assert!(validate("agent-plugins", "other.json", b"{}").is_empty());
    }
}
