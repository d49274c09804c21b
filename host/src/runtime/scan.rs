//! A door: one root, exactly one level. Everything is opened through the handle of its directory, so that a link
//! which appears between looking and reading is not followed by accident.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the scan is one of the runtime's doors"
)]

use std::ffi::OsStr;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt as _};
use rayon::prelude::*;
use serde_json::Value;

use super::skill::{self, Level, Problem, Skill, Skipped};
use super::walk::real_path;
use super::warning::{Warning, show};
use crate::diagnostic::Code;

/// Larger files are no skills.
pub(super) const MAX_FILE_BYTES: u64 = 16 << 20;
const SKILL_FILE: &str = "SKILL.md";
/// How far below a directory without `SKILL.md` one is looked for, only to tell the user.
const MAX_HINT_DEPTH: u32 = 3;
const MAX_HINT_ENTRIES: usize = 200;

/// One directory that may hold skills.
#[derive(Debug, Clone)]
pub(super) struct ProviderRoot {
    pub(super) provider: &'static str,
    pub(super) level: Level,
    pub(super) path: PathBuf,
    pub(super) needs_description: bool,
    pub(super) plugin: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct Scanned {
    pub(super) skills: Vec<Skill>,
    pub(super) warnings: Vec<Warning>,
    pub(super) skipped: Vec<Skipped>,
}

impl Scanned {
    pub(super) fn append(&mut self, mut other: Self) {
        self.skills.append(&mut other.skills);
        self.warnings.append(&mut other.warnings);
        self.skipped.append(&mut other.skipped);
    }

    fn skip(&mut self, path: &Path, reason: impl Into<String>) {
        self.skipped.push(Skipped {
            path: show(path),
            reason: reason.into(),
        });
    }

    fn warn(&mut self, code: Code, path: &Path, message: String) {
        self.warnings.push(Warning::new(code, message).at(path));
    }

    /// Not loaded, and the user should know.
    fn lose(&mut self, code: Code, path: &Path, reason: String) {
        self.warn(code, path, format!("`{}` {reason}", show(path)));
        self.skip(path, reason);
    }
}

/// The skills of a root in byte order of their directories' names.
pub(super) fn scan(root: &ProviderRoot) -> Scanned {
    let mut scanned = Scanned::default();
    let real = real_path(&root.path);
    let mut names = match list(&real) {
        Ok(names) => names,
        Err(error) if error.kind() == io::ErrorKind::NotFound && !is_link(&root.path) => {
            if root.level == Level::Custom {
                let message = format!("the custom directory `{}` does not exist", show(&root.path));
                scanned.warn(Code::DISCOVERY_CUSTOM_MISSING, &root.path, message);
            }
            return scanned;
        }
        // `.claude` itself may be a file.
        Err(error)
            if error.kind() == io::ErrorKind::NotADirectory
                && root.path.symlink_metadata().is_err() =>
        {
            return scanned;
        }
        Err(error) => {
            let message = format!(
                "the skills directory `{}` cannot be read: {error}",
                show(&root.path)
            );
            scanned.warn(Code::DISCOVERY_ROOT_UNREADABLE, &root.path, message);
            return scanned;
        }
    };
    names.sort();
    if root.level == Level::Custom && names.iter().any(|name| name == SKILL_FILE) {
        let message = format!(
            "`{}` is itself a skill; name the directory above it, since skills are looked for one level below",
            show(&root.path)
        );
        scanned.warn(Code::DISCOVERY_ROOT_IS_SKILL, &root.path, message);
    }
    let Ok(handle) = Dir::open_ambient_dir(&real, ambient_authority()) else {
        return scanned;
    };
    let parts: Vec<Scanned> = names
        .par_iter()
        .filter(|name| !name.as_encoded_bytes().starts_with(b"."))
        .map(|name| scan_entry(root, &handle, &real, name))
        .collect();
    parts.into_iter().for_each(|part| scanned.append(part));
    scanned
}

fn list(directory: &Path) -> io::Result<Vec<std::ffi::OsString>> {
    std::fs::read_dir(directory)?
        .map(|entry| entry.map(|entry| entry.file_name()))
        .collect()
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|m| m.is_symlink())
}

fn scan_entry(root: &ProviderRoot, handle: &Dir, root_real: &Path, name: &OsStr) -> Scanned {
    let mut scanned = Scanned::default();
    let directory = root.path.join(name);
    let Ok(kind) = handle.symlink_metadata(name) else {
        return scanned;
    };
    let base_real = if kind.is_symlink() {
        match std::fs::canonicalize(&directory) {
            Ok(real) if real.is_dir() => real,
            Ok(_) => return scanned,
            Err(error) => {
                scanned.lose(
                    Code::DISCOVERY_LINK_BROKEN,
                    &directory,
                    format!("is a link that leads nowhere: {error}"),
                );
                return scanned;
            }
        }
    } else if kind.is_dir() {
        root_real.join(name)
    } else {
        return scanned;
    };
    let file = directory.join(SKILL_FILE);
    let Some(directory_name) = name.to_str() else {
        scanned.lose(
            Code::DISCOVERY_NAME_REFUSED,
            &file,
            "has a directory whose name is not UTF-8".to_owned(),
        );
        return scanned;
    };
    match open_skill(&base_real) {
        Ok((bytes, file_real)) => {
            let found = Candidate {
                root,
                directory: &directory,
                directory_name,
                file: &file,
                base_real,
                file_real,
            };
            found.read(bytes, &mut scanned);
        }
        Err(OpenError::Missing) => {
            hint_misplaced(&directory, &base_real, MAX_HINT_DEPTH, &mut scanned);
        }
        Err(OpenError::Other(reason)) => {
            scanned.lose(Code::DISCOVERY_SKILL_UNREADABLE, &file, reason);
        }
    }
    scanned
}

#[derive(Debug)]
enum OpenError {
    Missing,
    Other(String),
}

/// The bytes of `SKILL.md` and its real path; the file may be a link, which is how people share one.
fn open_skill(base_real: &Path) -> Result<(Vec<u8>, PathBuf), OpenError> {
    let mut real = base_real.join(SKILL_FILE);
    match real.symlink_metadata() {
        Ok(kind) if kind.is_symlink() => {
            real = std::fs::canonicalize(&real).map_err(|error| {
                OpenError::Other(format!("is a link that leads nowhere: {error}"))
            })?;
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(OpenError::Missing),
        Err(error) => return Err(OpenError::Other(format!("cannot be read: {error}"))),
    }
    match read_exactly(&real) {
        Ok(bytes) => Ok((bytes, real)),
        Err(error) => Err(OpenError::Other(format!("cannot be read: {error}"))),
    }
}

/// Reads a regular file that is not a link, whatever it was a moment ago.
pub(super) fn read_exactly(real: &Path) -> io::Result<Vec<u8>> {
    let (Some(directory), Some(name)) = (real.parent(), real.file_name()) else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it has no name",
        ));
    };
    let directory = Dir::open_ambient_dir(directory, ambient_authority())?;
    read_below(&directory, Path::new(name), FollowSymlinks::No)
}

/// Reads a regular file below a handle. Opening never waits for the other end of a FIFO.
pub(super) fn read_below(
    directory: &Dir,
    path: &Path,
    follow: FollowSymlinks,
) -> io::Result<Vec<u8>> {
    let mut options = OpenOptions::new();
    options
        .read(true)
        .follow(follow)
        .custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    let file = directory.open_with(path, &options)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::Error::new(
            io::ErrorKind::IsADirectory,
            "it is a directory",
        ));
    }
    if !metadata.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file",
        ));
    }
    let mut bytes =
        Vec::with_capacity(usize::try_from(metadata.len().min(MAX_FILE_BYTES)).unwrap_or_default());
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            "it is larger than 16 MiB",
        ));
    }
    Ok(bytes)
}

/// Tells where a `SKILL.md` lies that is not found, and why.
fn hint_misplaced(directory: &Path, real: &Path, depth: u32, scanned: &mut Scanned) {
    let Ok(mut names) = list(real) else {
        if depth == MAX_HINT_DEPTH {
            let reason = "cannot be read".to_owned();
            scanned.lose(Code::DISCOVERY_SKILL_UNREADABLE, directory, reason);
        }
        return;
    };
    names.sort();
    for name in names.iter().take(MAX_HINT_ENTRIES) {
        let path = directory.join(name);
        let below = real.join(name);
        let is_skill_file = name
            .to_str()
            .is_some_and(|name| name.eq_ignore_ascii_case(SKILL_FILE));
        if is_skill_file && depth < MAX_HINT_DEPTH && name == SKILL_FILE {
            scanned.skip(
                &path,
                "lies deeper than one level below the skills directory",
            );
        } else if is_skill_file && depth == MAX_HINT_DEPTH {
            scanned.skip(&path, "is not named `SKILL.md` in exactly this case");
        } else if depth > 0
            && !name.as_encoded_bytes().starts_with(b".")
            && below.symlink_metadata().is_ok_and(|m| m.is_dir())
        {
            hint_misplaced(&path, &below, depth - 1, scanned);
        }
    }
}

struct Candidate<'a> {
    root: &'a ProviderRoot,
    directory: &'a Path,
    directory_name: &'a str,
    file: &'a Path,
    base_real: PathBuf,
    file_real: PathBuf,
}

impl Candidate<'_> {
    fn read(self, bytes: Vec<u8>, scanned: &mut Scanned) {
        let file = self.file;
        if bytes.is_empty() {
            return scanned.skip(file, "is empty");
        }
        let text = match String::from_utf8(bytes) {
            Ok(text) if text.contains('\0') => {
                return scanned.lose(
                    Code::DISCOVERY_SKILL_UNREADABLE,
                    file,
                    "holds a NUL character".to_owned(),
                );
            }
            Ok(text) => text,
            Err(_) => {
                return scanned.lose(
                    Code::DISCOVERY_SKILL_UNREADABLE,
                    file,
                    "is not UTF-8".to_owned(),
                );
            }
        };
        let frontmatter = skill::parse(&text);
        let keys = frontmatter.keys;
        if keys.get("enabled") == Some(&Value::Bool(false)) {
            return scanned.skip(file, "`enabled: false` switches it off");
        }
        match frontmatter.problem {
            Some(Problem::Missing) => {
                let message = format!("`{}` has no frontmatter", show(file));
                scanned.warn(Code::DISCOVERY_FRONTMATTER_MISSING, file, message);
            }
            Some(Problem::NotYaml(reason)) => {
                let message = format!(
                    "the frontmatter of `{}` is not YAML, so its plain lines count: {reason}",
                    show(file)
                );
                scanned.warn(Code::DISCOVERY_FRONTMATTER_INVALID, file, message);
            }
            None => {}
        }
        let text_of = |key: &str| keys.get(key).and_then(Value::as_str);
        let name = text_of("name")
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .unwrap_or(self.directory_name)
            .to_owned();
        if let Err(fault) = skill::check_name(&name) {
            return scanned.lose(
                Code::DISCOVERY_NAME_REFUSED,
                file,
                format!("has the name `{}`, which {fault}", name.escape_debug()),
            );
        }
        let description = text_of("description").unwrap_or_default().to_owned();
        if self.root.needs_description && description.trim().is_empty() {
            return scanned.skip(
                file,
                format!(
                    "has no description, which `{}` requires",
                    self.root.provider
                ),
            );
        }
        if let Some(deviation) = skill::name_deviation(&name, self.directory_name) {
            let message = format!("the name `{name}` of `{}` {deviation}", show(file));
            scanned.warnings.push(
                Warning::new(Code::DISCOVERY_NAME_UNUSUAL, message)
                    .at(file)
                    .name(&name),
            );
        }
        let globs = keys
            .get("globs")
            .and_then(Value::as_array)
            .and_then(|globs| {
                globs
                    .iter()
                    .map(|glob| glob.as_str().map(str::to_owned))
                    .collect::<Option<Vec<_>>>()
            });
        scanned.skills.push(Skill {
            name,
            description,
            path: show(file),
            base_dir: show(self.directory),
            provider: self.root.provider.to_owned(),
            level: self.root.level,
            globs,
            always_apply: keys.get("alwaysApply").and_then(Value::as_bool),
            plugin: self.root.plugin.clone(),
            hidden_from_prompt: keys.get("disable-model-invocation") == Some(&Value::Bool(true)),
            frontmatter: keys,
            file_real: self.file_real,
            base_real: self.base_real,
        });
    }
}
