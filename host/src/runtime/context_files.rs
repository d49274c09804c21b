//! Instruction files of the working directory, its ancestors and the user.

use std::path::Path;

use super::scan::read_exactly;
use super::settings::Settings;
use super::skill::Level;
use super::walk::{Home, Project, find_project, real_path};
use super::warning::{Warning, show};
use crate::diagnostic::Code;

const MAX_DIRECTORIES: usize = 20;

/// One file that counts.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ContextFile {
    /// Absolute.
    pub path: String,
    /// 0 is the working directory; the user's file has none.
    pub depth: Option<usize>,
    /// User or project.
    pub level: Level,
    /// Its file name.
    pub name: String,
    /// What it says.
    #[serde(skip)]
    pub text: String,
}

/// A file that another one in the same directory stands for.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ShadowedContext {
    /// The file that does not count.
    pub path: String,
    /// The one that does.
    pub by: String,
}

/// The files nearest first, the user's last.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct ContextFiles {
    /// Those that count.
    pub files: Vec<ContextFile>,
    /// Those that another file of the same directory hides.
    pub shadowed: Vec<ShadowedContext>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

impl ContextFiles {
    /// The order for an agent: the user's first, then farthest to nearest, so that the nearest has the last word.
    pub fn merge_order(&self) -> impl Iterator<Item = &ContextFile> {
        self.files.iter().rev()
    }
}

/// Looks in at most 20 directories, not above the repository and never in home itself.
#[must_use]
pub fn find_context_files(settings: &Settings) -> ContextFiles {
    let project = find_project(&settings.cwd, &settings.home);
    let home = Home::new(&settings.home);
    let mut found = ContextFiles::default();
    for (depth, directory) in project.cwd.ancestors().take(MAX_DIRECTORIES).enumerate() {
        if home.is(directory) {
            if project.repository.is_none() {
                break;
            }
        } else if !is_hidden(directory, &project, &home) {
            let native = directory.join(&settings.native_dir);
            add(&mut found, &[&native, directory], settings, Some(depth));
        }
        if project.repository.as_deref() == Some(directory) {
            break;
        }
    }
    let user = settings.home.join(&settings.native_dir).join("agent");
    add(&mut found, &[&user], settings, None);
    let mut seen: Vec<String> = Vec::new();
    found.files.retain(|file| {
        let is_new = !seen.contains(&file.text);
        if is_new {
            seen.push(file.text.clone());
        }
        is_new
    });
    found
}

/// A hidden segment below the repository's root; without one, below home; else the directory's own name.
fn is_hidden(directory: &Path, project: &Project, home: &Home) -> bool {
    let top = project.repository.clone().or_else(|| {
        directory
            .ancestors()
            .find(|above| home.is(above))
            .map(Path::to_path_buf)
    });
    let hidden = |name: &std::ffi::OsStr| name.as_encoded_bytes().starts_with(b".");
    match top {
        Some(top) => directory
            .strip_prefix(&top)
            .is_ok_and(|below| below.iter().any(hidden)),
        None => directory.file_name().is_some_and(hidden),
    }
}

/// Of all names in all these folders, in this order, the first that is there counts.
fn add(found: &mut ContextFiles, folders: &[&Path], settings: &Settings, depth: Option<usize>) {
    let mut winner: Option<String> = None;
    for folder in folders {
        for name in &settings.context_files {
            let path = folder.join(name);
            if !path.metadata().is_ok_and(|m| m.is_file()) {
                continue;
            }
            if let Some(by) = &winner {
                found.shadowed.push(ShadowedContext {
                    path: show(&path),
                    by: by.clone(),
                });
                continue;
            }
            match read_text(&path) {
                Ok(text) => {
                    winner = Some(show(&path));
                    found.files.push(ContextFile {
                        path: show(&path),
                        depth,
                        level: if depth.is_some() {
                            Level::Project
                        } else {
                            Level::User
                        },
                        name: name.clone(),
                        text,
                    });
                }
                Err(reason) => found.warnings.push(
                    Warning::new(
                        Code::DISCOVERY_CONTEXT_UNREADABLE,
                        format!("the context file `{}` {reason}", show(&path)),
                    )
                    .at(&path),
                ),
            }
        }
    }
}

fn read_text(path: &Path) -> Result<String, String> {
    let bytes =
        read_exactly(&real_path(path)).map_err(|error| format!("cannot be read: {error}"))?;
    String::from_utf8(bytes).map_err(|_| "is not UTF-8".to_owned())
}
