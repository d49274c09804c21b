//! The five built-in renderers as component bytes, committed so that a build of the host needs no guest toolchain.
//! `cargo xtask guests` writes them; `manifest.json` holds the toolchain and the digests.

/// One built-in renderer.
#[derive(Debug, Clone, Copy)]
pub struct Embedded {
    /// The target's id.
    pub id: &'static str,
    /// The component.
    pub bytes: &'static [u8],
}

impl Embedded {
    /// `sha256:` and 64 hexadecimal digits, as `manifest.json` records it.
    #[must_use]
    pub fn digest(&self) -> Option<&'static str> {
        let start = MANIFEST.find(&format!("\"{}\": \"", self.id))? + self.id.len() + 5;
        MANIFEST.get(start..)?.split('"').next()
    }
}

/// What `cargo xtask guests` recorded: `{digests, toolchain}`.
pub const MANIFEST: &str = include_str!("../manifest.json");

/// In order of their ids.
pub static BUILTIN: &[Embedded] = &[
    Embedded {
        id: "agent-plugins",
        bytes: include_bytes!("../agent-plugins.wasm"),
    },
    Embedded {
        id: "agent-skills",
        bytes: include_bytes!("../agent-skills.wasm"),
    },
    Embedded {
        id: "claude",
        bytes: include_bytes!("../claude.wasm"),
    },
    Embedded {
        id: "codex",
        bytes: include_bytes!("../codex.wasm"),
    },
    Embedded {
        id: "cursor",
        bytes: include_bytes!("../cursor.wasm"),
    },
];

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};
    use wit_component::DecodedWasm;
    use wit_parser::{IndexMap, WorldItem, WorldKey};

    use super::{BUILTIN, MANIFEST};

    #[test]
    fn every_component_has_the_recorded_digest() {
        for it in BUILTIN {
            let hex: String = Sha256::digest(it.bytes)
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            assert_eq!(
                it.digest(),
                Some(format!("sha256:{hex}").as_str()),
                "{}",
                it.id
            );
        }
        assert_eq!(MANIFEST.matches("sha256:").count(), BUILTIN.len());
    }

    #[test]
    fn every_component_is_a_renderer_and_imports_at_most_the_log() {
        for it in BUILTIN {
            let Ok(DecodedWasm::Component(resolve, world)) = wit_component::decode(it.bytes) else {
                panic!("{} is no component", it.id);
            };
            let world = &resolve.worlds[world];
            let names = |items: &IndexMap<WorldKey, WorldItem>| -> Vec<String> {
                items
                    .keys()
                    .map(|key| resolve.name_world_key(key))
                    .collect()
            };
            let imports = names(&world.imports);
            assert!(
                imports
                    .iter()
                    .all(|name| name == "skillset:renderer/log@0.1.0"),
                "{}: {imports:?}",
                it.id
            );
            assert_eq!(
                names(&world.exports),
                ["skillset:renderer/renderer@0.1.0"],
                "{}",
                it.id
            );
        }
    }
}
