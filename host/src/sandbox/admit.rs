//! Decides from the bytes alone whether a file can be a renderer, before anything is compiled or run.

use wasmparser::{Encoding, Parser, Payload, Validator};

use super::engine::ACCEPTED_FEATURES;
use super::text::{clip, sanitize};

/// Functions of all core modules. Minimal JavaScript and Python components have about 13,000.
const MAX_FUNCTIONS: u32 = 50_000;
/// One function's body, in bytes.
const MAX_BODY_BYTES: usize = 1 << 20;
/// Core modules. Python's components have 38.
const MAX_CORE_MODULES: u32 = 64;
/// Types, imports and exports of one section.
const MAX_SECTION_ENTRIES: u32 = 100_000;
/// Components inside components.
const MAX_NESTING: usize = 16;
/// How much of a foreign name a message shows.
const MAX_NAME_BYTES: usize = 200;

const EXPORT: &str = "skillset:renderer/renderer@";
const IMPORT: &str = "skillset:renderer/log@";

/// A version of the world `skillset:renderer`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct WorldVersion {
    /// Before the first dot.
    pub major: u32,
    /// Functions and types of one minor version fit each other.
    pub minor: u32,
}

/// The worlds that this host speaks, oldest first.
pub const KNOWN_WORLDS: &[WorldVersion] = &[WorldVersion { major: 0, minor: 1 }];

impl std::fmt::Display for WorldVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// What the names in a component say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Admitted {
    /// The world of its export.
    pub world: WorldVersion,
    /// All imports in order.
    pub imports: Vec<String>,
    /// All exports in order. Those beside the renderer are allowed and never called.
    pub exports: Vec<String>,
}

/// Why a file is not a renderer. Each message ends with what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AdmitError {
    /// No bytes.
    #[error("the file is empty")]
    Empty,
    /// More bytes than the limit.
    #[error(
        "the component has {bytes} bytes, more than the limit of {limit}: raise `limits.component_bytes` of the renderer"
    )]
    TooBig {
        /// Its size.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// A core module.
    #[error(
        "the file is a core WebAssembly module, not a component: make one of it with `skillset renderer build` or `wasm-tools component new`"
    )]
    CoreModule,
    /// Text.
    #[error("the file is text, not a component: assemble it with `wasm-tools parse`")]
    Text,
    /// Machine code.
    #[error("the file is compiled code, not a component: give the `.wasm` file it was made from")]
    Precompiled,
    /// Something else.
    #[error("the file is not a WebAssembly component")]
    Foreign,
    /// Ends too early.
    #[error("the component is cut off at byte {offset}: copy or download it again")]
    Truncated {
        /// Where.
        offset: u64,
    },
    /// Not valid, or of a proposal that is not accepted.
    #[error(
        "the component is not valid here at byte {offset}: {message}. Accepted are WebAssembly 2, extended constants and the component model"
    )]
    Malformed {
        /// Where.
        offset: u64,
        /// What the parser says.
        message: String,
    },
    /// More of something than is accepted.
    #[error("the component has more than {limit} {what}")]
    TooMany {
        /// `functions` and so on.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// An import that no host gives.
    #[error(
        "the component imports `{name}`, and a renderer may import nothing but `skillset:renderer/log`: {advice}"
    )]
    ForeignImport {
        /// The import.
        name: String,
        /// What to change in the tool that made it.
        advice: &'static str,
    },
    /// No export of ours.
    #[error(
        "the component does not export `skillset:renderer/renderer`: build it against the world `skillset:renderer`"
    )]
    NotARenderer,
    /// A newer or unreadable world.
    #[error("the component needs world {needs}, and this host knows {known}: update skillset")]
    WorldTooNew {
        /// What it needs.
        needs: String,
        /// What there is.
        known: WorldVersion,
    },
    /// A world that is no longer known.
    #[error(
        "the component was built for world {needs}, and this host knows {known}: get a newer version of the renderer"
    )]
    WorldTooOld {
        /// What it needs.
        needs: String,
        /// What there is.
        known: WorldVersion,
    },
}

/// Reads a component's structure and names.
///
/// # Errors
/// When it is not a renderer that this host can run.
pub fn admit(bytes: &[u8], max_bytes: usize) -> Result<Admitted, AdmitError> {
    check_kind(bytes, max_bytes)?;
    let names = read_names(bytes)?;
    if let Some(name) = names.imports.iter().find(|name| !is_ours(name)) {
        return Err(AdmitError::ForeignImport {
            name: sanitize(clip(name, MAX_NAME_BYTES)),
            advice: advice(name),
        });
    }
    let export = names.exports.iter().find_map(|n| n.strip_prefix(EXPORT));
    let world = find_world(export.ok_or(AdmitError::NotARenderer)?)?;
    for log in names.imports.iter().filter_map(|n| n.strip_prefix(IMPORT)) {
        find_world(log)?;
    }
    // Last, because it costs most and because an unknown world explains an unknown feature better.
    Validator::new_with_features(ACCEPTED_FEATURES)
        .validate_all(bytes)
        .map_err(|error| malformed(&error))?;
    Ok(Admitted {
        world,
        imports: names.imports,
        exports: names.exports,
    })
}

fn check_kind(bytes: &[u8], max_bytes: usize) -> Result<(), AdmitError> {
    if bytes.is_empty() {
        return Err(AdmitError::Empty);
    }
    if bytes.len() > max_bytes {
        return Err(AdmitError::TooBig {
            bytes: bytes.len(),
            limit: max_bytes,
        });
    }
    if bytes.starts_with(b"\x7fELF") {
        return Err(AdmitError::Precompiled);
    }
    if bytes.starts_with(b"\0asm") {
        if bytes.len() < 8 {
            return Err(AdmitError::Truncated {
                offset: bytes.len() as u64,
            });
        }
        return match (Parser::is_component(bytes), Parser::is_core_wasm(bytes)) {
            (true, _) => Ok(()),
            (_, true) => Err(AdmitError::CoreModule),
            _ => Err(AdmitError::Foreign),
        };
    }
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Err(AdmitError::Text),
        _ => Err(AdmitError::Foreign),
    }
}

#[derive(Default)]
struct Names {
    imports: Vec<String>,
    exports: Vec<String>,
}

fn read_names(bytes: &[u8]) -> Result<Names, AdmitError> {
    let mut names = Names::default();
    let (mut depth, mut functions, mut modules) = (0_usize, 0_u32, 0_u32);
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.map_err(|error| malformed(&error))? {
            Payload::Version { encoding, .. } => {
                depth += 1;
                at_most("levels of components", depth, MAX_NESTING)?;
                if encoding == Encoding::Module {
                    modules += 1;
                    at_most("core modules", modules as usize, MAX_CORE_MODULES as usize)?;
                }
            }
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::FunctionSection(section) => {
                functions = functions.saturating_add(section.count());
                at_most("functions", functions as usize, MAX_FUNCTIONS as usize)?;
            }
            Payload::CodeSectionEntry(body) => {
                at_most("bytes in one function", body.range().len(), MAX_BODY_BYTES)?;
            }
            Payload::TypeSection(section) => check_section("types", section.count())?,
            Payload::ImportSection(section) => check_section("imports", section.count())?,
            Payload::ComponentTypeSection(section) => check_section("types", section.count())?,
            Payload::ComponentImportSection(section) => {
                check_section("imports", section.count())?;
                for import in section.into_iter().filter(|_| depth == 1) {
                    let import = import.map_err(|error| malformed(&error))?;
                    names.imports.push(import.name.name.to_owned());
                }
            }
            Payload::ComponentExportSection(section) => {
                check_section("exports", section.count())?;
                for export in section.into_iter().filter(|_| depth == 1) {
                    let export = export.map_err(|error| malformed(&error))?;
                    names.exports.push(export.name.name.to_owned());
                }
            }
            _ => {}
        }
    }
    Ok(names)
}

fn check_section(what: &'static str, count: u32) -> Result<(), AdmitError> {
    at_most(what, count as usize, MAX_SECTION_ENTRIES as usize)
}

const fn at_most(what: &'static str, count: usize, limit: usize) -> Result<(), AdmitError> {
    if count > limit {
        return Err(AdmitError::TooMany { what, limit });
    }
    Ok(())
}

fn malformed(error: &wasmparser::BinaryReaderError) -> AdmitError {
    let offset = error.offset() as u64;
    if error.message().contains("unexpected end") || error.message().contains("out of bounds") {
        return AdmitError::Truncated { offset };
    }
    AdmitError::Malformed {
        offset,
        message: sanitize(clip(error.message(), MAX_NAME_BYTES)),
    }
}

fn is_ours(import: &str) -> bool {
    import.starts_with(IMPORT)
}

fn advice(import: &str) -> &'static str {
    if import.starts_with("wasi:") {
        "build Rust for `wasm32-unknown-unknown`, JavaScript with every feature of componentize-js disabled, Python with `--stub-wasi`"
    } else if import.contains("wbindgen") {
        "leave out crates that call JavaScript, such as `getrandom` with its `js` feature"
    } else {
        "remove what needs it"
    }
}

fn find_world(version: &str) -> Result<WorldVersion, AdmitError> {
    let newest = KNOWN_WORLDS[KNOWN_WORLDS.len() - 1];
    let needs = sanitize(clip(version, MAX_NAME_BYTES));
    let mut parts = version.splitn(3, '.').map(str::parse::<u32>);
    let (Some(Ok(major)), Some(Ok(minor)), Some(Ok(_))) =
        (parts.next(), parts.next(), parts.next())
    else {
        return Err(AdmitError::WorldTooNew {
            needs,
            known: newest,
        });
    };
    let world = WorldVersion { major, minor };
    if KNOWN_WORLDS.contains(&world) {
        Ok(world)
    } else if world > newest {
        Err(AdmitError::WorldTooNew {
            needs,
            known: newest,
        })
    } else {
        Err(AdmitError::WorldTooOld {
            needs,
            known: newest,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX: usize = 1 << 20;

    fn claude() -> &'static [u8] {
        skillset_renderers_embedded::BUILTIN
            .iter()
            .find(|it| it.id == "claude")
            .map(|it| it.bytes)
            .unwrap()
    }

    /// An empty component with one import or export of an empty instance, written by hand.
    fn component_with(section: u8, name: &str) -> Vec<u8> {
        let mut bytes = b"\0asm\x0d\0\x01\0".to_vec();
        // one instance type without declarations
        bytes.extend([7, 3, 1, 0x42, 0]);
        let mut item = vec![1, 0, u8::try_from(name.len()).unwrap()];
        item.extend(name.as_bytes());
        item.extend([5, 0]);
        if section == 11 {
            item.push(0);
        }
        bytes.extend([section, u8::try_from(item.len()).unwrap()]);
        bytes.extend(item);
        bytes
    }

    #[test]
    fn a_built_in_is_admitted_with_its_world() {
        let admitted = admit(claude(), MAX).unwrap();
        assert_eq!(admitted.world.to_string(), "0.1");
        assert!(
            admitted
                .exports
                .contains(&"skillset:renderer/renderer@0.1.0".to_owned())
        );
    }

    #[test]
    fn each_wrong_file_has_its_own_answer() {
        assert_eq!(admit(b"", MAX), Err(AdmitError::Empty));
        assert_eq!(admit(b"(component)", MAX), Err(AdmitError::Text));
        assert_eq!(admit(b"\x7fELF....", MAX), Err(AdmitError::Precompiled));
        assert_eq!(admit(b"\xff\xd8\xff", MAX), Err(AdmitError::Foreign));
        assert_eq!(admit(b"\0asm\x01\0\0\0", MAX), Err(AdmitError::CoreModule));
        assert_eq!(
            admit(b"\0asm", MAX),
            Err(AdmitError::Truncated { offset: 4 })
        );
        assert_eq!(
            admit(claude(), 1000),
            Err(AdmitError::TooBig {
                bytes: claude().len(),
                limit: 1000
            })
        );
        assert!(matches!(
            admit(&claude()[..claude().len() / 2], MAX),
            Err(AdmitError::Truncated { .. })
        ));
        assert_eq!(
            admit(b"\0asm\x0d\0\x01\0", MAX),
            Err(AdmitError::NotARenderer)
        );
    }

    #[test]
    fn a_foreign_import_is_named_with_advice() {
        let error = admit(&component_with(10, "wasi:cli/environment@0.2.0"), MAX).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("`wasi:cli/environment@0.2.0`"), "{text}");
        assert!(text.contains("wasm32-unknown-unknown"), "{text}");
    }

    #[test]
    fn an_unknown_world_says_who_is_too_old() {
        let new = find_world("0.3.0").unwrap_err().to_string();
        assert_eq!(
            new,
            "the component needs world 0.3.0, and this host knows 0.1: update skillset"
        );
        let old = find_world("0.0.9").unwrap_err().to_string();
        assert!(
            old.ends_with("get a newer version of the renderer"),
            "{old}"
        );
        assert_eq!(find_world("0.1.7"), Ok(KNOWN_WORLDS[0]));
        let log = component_with(10, "skillset:renderer/log@0.1.0");
        assert_eq!(admit(&log, MAX), Err(AdmitError::NotARenderer));
    }
}
