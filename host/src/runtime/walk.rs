//! Which directories belong to the project, nearest first. A door: it looks for `.git`.

use std::path::{Component, Path, PathBuf};

/// The project as seen from a working directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Project {
    /// Absolute and normalized.
    pub(super) cwd: PathBuf,
    /// The nearest ancestor with an entry named `.git`.
    pub(super) repository: Option<PathBuf>,
    /// The directories that may hold project skills, nearest first; home is never among them.
    pub(super) directories: Vec<PathBuf>,
}

pub(super) fn find_project(cwd: &Path, home: &Path) -> Project {
    let cwd = normalize(cwd);
    let home = Home::new(home);
    let repository = cwd
        .ancestors()
        .find(|directory| std::fs::symlink_metadata(directory.join(".git")).is_ok())
        .map(Path::to_path_buf);
    let mut directories = Vec::new();
    match &repository {
        Some(root) => {
            for directory in cwd.ancestors() {
                if !home.is(directory) {
                    directories.push(directory.to_path_buf());
                }
                if directory == root {
                    break;
                }
            }
        }
        None if home.holds(&cwd) => {
            directories.extend(
                cwd.ancestors()
                    .take_while(|directory| !home.is(directory))
                    .map(Path::to_path_buf),
            );
        }
        None if home.is(&cwd) => {}
        None => directories.push(cwd.clone()),
    }
    Project {
        cwd,
        repository,
        directories,
    }
}

/// The home directory under both its names.
#[derive(Debug)]
pub(super) struct Home {
    spelled: PathBuf,
    real: PathBuf,
}

impl Home {
    pub(super) fn new(home: &Path) -> Self {
        let spelled = normalize(home);
        let real = real_path(&spelled);
        Self { spelled, real }
    }

    pub(super) fn is(&self, directory: &Path) -> bool {
        directory == self.spelled || directory == self.real || real_path(directory) == self.real
    }

    /// Whether the directory lies below home.
    pub(super) fn holds(&self, directory: &Path) -> bool {
        directory.ancestors().skip(1).any(|above| self.is(above))
    }
}

/// The real path, or the path itself when there is none.
pub(super) fn real_path(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

/// Without `.`, `..` and a slash at the end. A path with `..` is resolved, since its meaning depends on links.
pub(super) fn normalize(path: &Path) -> PathBuf {
    if path.components().any(|part| part == Component::ParentDir) {
        return real_path(path);
    }
    path.components()
        .filter(|part| *part != Component::CurDir)
        .collect()
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare trees on disk")]
mod tests {
    use super::*;

    fn names(root: &Path, project: &Project) -> Vec<String> {
        let relative = |p: &PathBuf| p.strip_prefix(root).unwrap().display().to_string();
        project.directories.iter().map(relative).collect()
    }

    #[test]
    fn walks_to_the_repository_and_never_into_home() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        for directory in [
            "repo/.git",
            "repo/a/b",
            "h/p/q",
            "h/repo/.git",
            "h/repo/x",
            "out/y",
            "tree/n",
        ] {
            std::fs::create_dir_all(root.join(directory)).unwrap();
        }
        std::fs::write(root.join("tree/.git"), "gitdir: x").unwrap();
        for (cwd, home, expected) in [
            ("repo/a/b", "h", vec!["repo/a/b", "repo/a", "repo"]),
            ("repo/a/b/", "h", vec!["repo/a/b", "repo/a", "repo"]),
            ("repo/a/../a", "h", vec!["repo/a", "repo"]),
            ("tree/n", "h", vec!["tree/n", "tree"]),
            ("h/p/q", "h", vec!["h/p/q", "h/p"]),
            ("h", "h", vec![]),
            ("h/repo/x", "h", vec!["h/repo/x", "h/repo"]),
            ("out/y", "h", vec!["out/y"]),
            ("repo/a/b", "repo", vec!["repo/a/b", "repo/a"]),
        ] {
            let project = find_project(&root.join(cwd), &root.join(home));
            let root = if cwd.contains("..") {
                real_path(root)
            } else {
                root.to_path_buf()
            };
            assert_eq!(names(&root, &project), expected, "{cwd}");
        }
    }

    #[test]
    fn a_linked_home_is_still_home() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        std::fs::create_dir_all(root.join("real/p")).unwrap();
        std::os::unix::fs::symlink(root.join("real"), root.join("link")).unwrap();
        let project = find_project(&root.join("real/p"), &root.join("link"));
        assert_eq!(names(root, &project), ["real/p"]);
    }
}
