//! One walk over `.skillset/`; then every file is read once, in parallel.
#![expect(clippy::disallowed_types, reason = "this door reads the source")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read as _};
use std::sync::Arc;

use cap_std::fs::{Dir, File, Metadata, PermissionsExt as _};
use rayon::prelude::*;
use sha2::Digest as _;

use super::text;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::model::id::Sha256;
use crate::model::path::RelPath;
use crate::model::tree::{SourceFile, SourceTree};

/// The most levels below `.skillset/`.
pub const MAX_DEPTH: usize = 64;
/// The most bytes of a file that is kept as text.
pub const MAX_TEXT: u64 = 1 << 20;

/// Everything that was read.
#[derive(Debug, Default)]
pub struct Walked {
    /// What is there.
    pub tree: SourceTree,
    /// The text of small UTF-8 files.
    pub texts: BTreeMap<RelPath, Arc<str>>,
    /// What was wrong.
    pub findings: Vec<Diagnostic>,
}

/// Walks `.skillset/` and reads `extra` too.
#[must_use]
pub fn walk(root: &Dir, extra: &RelPath) -> Walked {
    let mut walker = Walker {
        root,
        walked: Walked::default(),
        files: Vec::new(),
    };
    if root.is_file(extra.as_str()) {
        walker.files.push(extra.clone());
    }
    if let Ok(top) = RelPath::new(".skillset")
        && let Ok(metadata) = root.symlink_metadata(top.as_str())
    {
        if metadata.is_symlink() {
            walker.link(&top, &mut Vec::new());
        } else if metadata.is_dir() {
            walker.directory(&top, &mut vec![top.as_str().to_owned()]);
        }
    }
    let Walker {
        mut walked, files, ..
    } = walker;
    let read: Vec<_> = files
        .par_iter()
        .map(|path| (path, read(root, path)))
        .collect();
    for (path, result) in read {
        match result {
            Ok((file, text)) => {
                walked.tree.insert_file(path.clone(), file);
                match text {
                    Some(Ok(text)) => {
                        walked.texts.insert(path.clone(), text);
                    }
                    Some(Err(finding)) => walked.findings.push(*finding),
                    None => {}
                }
            }
            Err(error) => walked.findings.push(unreadable(path, &error)),
        }
    }
    walked
}

fn unreadable(path: &RelPath, error: &io::Error) -> Diagnostic {
    Diagnostic::new(
        Code::SOURCE_UNREADABLE,
        format!("`{path}` cannot be read: {error}"),
    )
    .at(Span::whole(path))
    .help("check its permissions")
}

type Text = Option<Result<Arc<str>, Box<Diagnostic>>>;

fn read(root: &Dir, path: &RelPath) -> io::Result<(SourceFile, Text)> {
    let mut file = root.open(path.as_str())?;
    let metadata = file.metadata()?;
    let executable = executable_mode(&metadata) & 0o111 != 0;
    let must = matches!(path.name(), "SKILL.md" | "skillset.yaml");
    let limit = if must { 16 * MAX_TEXT } else { MAX_TEXT };
    if metadata.len() > limit {
        let (hash, size) = digest(file)?;
        let text = must.then(|| {
            let message = format!("`{path}` has {size} bytes; the limit is {limit}");
            let finding = Diagnostic::new(Code::YAML_TOO_BIG, message);
            Err(Box::new(finding.at(Span::whole(path))))
        });
        let file = SourceFile {
            size,
            executable,
            hash,
        };
        return Ok((file, text));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let text = text::decode(path, &bytes);
    let text = (must || text.is_ok()).then_some(text);
    let file = SourceFile {
        size: bytes.len() as u64,
        executable,
        hash: Sha256::of(&bytes),
    };
    Ok((file, text))
}

/// The hash and size of a stream.
pub(super) fn digest(mut file: File) -> io::Result<(Sha256, u64)> {
    let mut hasher = sha2::Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    let mut size = 0;
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            return Ok((Sha256(hasher.finalize().into()), size));
        }
        hasher.update(&buffer[..count]);
        size += count as u64;
    }
}

/// The permission bits.
pub(super) fn executable_mode(metadata: &Metadata) -> u32 {
    metadata.permissions().mode() & 0o777
}

struct Walker<'a> {
    root: &'a Dir,
    walked: Walked,
    files: Vec<RelPath>,
}

impl Walker<'_> {
    fn report(&mut self, code: Code, path: &RelPath, message: String, help: &str) {
        let finding = Diagnostic::new(code, message).at(Span::whole(path));
        self.walked.findings.push(finding.help(help));
    }

    /// `chain` holds the real paths of the directories above, for loops.
    fn directory(&mut self, path: &RelPath, chain: &mut Vec<String>) {
        if chain.len() > MAX_DEPTH {
            let message = format!("`{path}` is nested deeper than {MAX_DEPTH} levels");
            return self.report(Code::TREE_TOO_DEEP, path, message, "flatten the tree");
        }
        self.walked.tree.insert_directory(path.clone());
        let mut names = BTreeSet::new();
        match self.root.read_dir(path.as_str()) {
            Err(error) => self.walked.findings.push(unreadable(path, &error)),
            Ok(entries) => {
                for entry in entries {
                    match entry.and_then(|e| Ok((e.file_name(), e.file_type()?))) {
                        Ok((name, kind)) => {
                            names.insert((name, kind.is_dir(), kind.is_symlink(), kind.is_file()));
                        }
                        Err(error) => self.walked.findings.push(unreadable(path, &error)),
                    }
                }
            }
        }
        let mut folded: BTreeMap<String, RelPath> = BTreeMap::new();
        for (name, is_dir, is_link, is_file) in names {
            let Some(name) = name.to_str() else {
                let message = format!("`{path}` holds a name that is not UTF-8: {name:?}");
                self.report(Code::PATH_NOT_UTF8, path, message, "rename it");
                continue;
            };
            if is_ignored(path, name) {
                continue;
            }
            let Some(child) = self.child(path, name, &mut folded) else {
                continue;
            };
            if is_link {
                self.link(&child, chain);
            } else if is_dir {
                let real = chain
                    .last()
                    .map_or_else(|| name.to_owned(), |c| format!("{c}/{name}"));
                self.enter(&child, real, chain);
            } else if is_file {
                self.files.push(child);
            } else {
                let message = format!("`{child}` is neither a file nor a directory");
                self.report(Code::SOURCE_UNREADABLE, &child, message, "remove it");
            }
        }
    }

    fn child(
        &mut self,
        path: &RelPath,
        name: &str,
        folded: &mut BTreeMap<String, RelPath>,
    ) -> Option<RelPath> {
        let child = match path.join(name) {
            Ok(child) => child,
            Err(error) => {
                let message = format!("{name:?} in `{path}`: {error}");
                self.report(Code::PATH_UNPORTABLE, path, message, "rename it");
                return None;
            }
        };
        if let Err(error) = child.check_portable() {
            let message = format!("`{child}`: {error}");
            self.report(Code::PATH_UNPORTABLE, &child, message, "rename it");
            return None;
        }
        if let Some(first) = folded.insert(child.fold(), child.clone()) {
            let message = format!("`{first}` and `{child}` differ only by case or Unicode form");
            self.report(
                Code::PATH_CASE_COLLISION,
                &child,
                message,
                "rename one of them",
            );
        }
        Some(child)
    }

    fn enter(&mut self, path: &RelPath, real: String, chain: &mut Vec<String>) {
        if path.name() == "SKILL.md" {
            let message = format!("`{path}` is a directory, but must be a file");
            return self.report(
                Code::ENTRY_WRONG_KIND,
                path,
                message,
                "rename the directory",
            );
        }
        chain.push(real);
        self.directory(path, chain);
        chain.pop();
    }

    fn link(&mut self, path: &RelPath, chain: &mut Vec<String>) {
        let target = self
            .root
            .read_link_contents(path.as_str())
            .map(|target| target.display().to_string())
            .unwrap_or_default();
        let real = match self.root.canonicalize(path.as_str()) {
            Ok(real) => real.to_string_lossy().into_owned(),
            Err(error) => {
                let (code, what) = match error.kind() {
                    io::ErrorKind::NotFound => (Code::SYMLINK_BROKEN, "leads nowhere"),
                    _ if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {
                        (Code::SYMLINK_LOOP, "leads back to itself")
                    }
                    _ => (Code::SYMLINK_ESCAPES, "leaves the workspace"),
                };
                let message = format!("the link `{path}` to `{target}` {what}");
                return self.report(code, path, message, "remove the link or copy the files");
            }
        };
        let is_above = |dir: &String| {
            real == "." || real.is_empty() || *dir == real || dir.starts_with(&format!("{real}/"))
        };
        match self.root.metadata(path.as_str()) {
            Err(error) => self.walked.findings.push(unreadable(path, &error)),
            Ok(metadata) if metadata.is_file() => self.files.push(path.clone()),
            Ok(metadata) if !metadata.is_dir() => {
                let message = format!("the link `{path}` leads to no file or directory");
                self.report(Code::SOURCE_UNREADABLE, path, message, "remove the link");
            }
            Ok(_) if chain.iter().any(is_above) => {
                let message = format!("the link `{path}` to `{target}` leads back to itself");
                self.report(Code::SYMLINK_LOOP, path, message, "remove the link");
            }
            Ok(_) => self.enter(path, real, chain),
        }
    }
}

fn is_ignored(directory: &RelPath, name: &str) -> bool {
    let depth = directory.components().count();
    if name.starts_with('.') {
        let kept = matches!(name, ".mcp.json" | ".lsp.json" | ".app.json");
        return !(kept && depth == 3 && directory.as_str().starts_with(".skillset/plugins/"));
    }
    let junk = matches!(
        name,
        "Thumbs.db" | "desktop.ini" | "__pycache__" | "node_modules"
    );
    let backup = name.ends_with('~')
        || name.ends_with(".swp")
        || name.ends_with(".swo")
        || (name.len() > 1 && name.starts_with('#') && name.ends_with('#'));
    let private = depth == 1 && matches!(name, "changes" | "snapshots" | "cache");
    junk || backup || private
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare trees on disk")]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn workspace(files: &[&str]) -> tempfile::TempDir {
        let temp = tempfile::tempdir().unwrap();
        for file in files {
            let path = temp.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, *file).unwrap();
        }
        temp
    }

    fn read(temp: &tempfile::TempDir) -> Walked {
        let root = super::super::open_root(temp.path()).unwrap();
        walk(&root, &RelPath::new("skillset.yaml").unwrap())
    }

    fn paths(walked: &Walked) -> Vec<&str> {
        walked.tree.files().map(|(path, _)| path.as_str()).collect()
    }

    #[test]
    fn junk_is_no_source() {
        let temp = workspace(&[
            ".skillset/skills/a/SKILL.md",
            ".skillset/skills/a/.DS_Store",
            ".skillset/skills/a/x~",
            ".skillset/plugins/p/.mcp.json",
            ".skillset/plugins/p/skills/.mcp.json",
            ".skillset/changes/ledger.jsonl",
            "skillset.yaml",
        ]);
        let walked = read(&temp);
        assert_eq!(walked.findings, []);
        let want = [
            ".skillset/plugins/p/.mcp.json",
            ".skillset/skills/a/SKILL.md",
            "skillset.yaml",
        ];
        assert_eq!(paths(&walked), want);
    }

    #[test]
    fn links_are_judged_by_where_they_lead() {
        let temp = workspace(&[".skillset/skills/a/SKILL.md", "docs/x.md"]);
        let dir = temp.path().join(".skillset/skills/a");
        symlink("../../../docs", dir.join("docs")).unwrap();
        symlink("../..", dir.join("up")).unwrap();
        symlink("/etc/passwd", dir.join("out")).unwrap();
        symlink("nowhere", dir.join("void")).unwrap();
        symlink("self", dir.join("self")).unwrap();
        let walked = read(&temp);
        let want = [
            ".skillset/skills/a/SKILL.md",
            ".skillset/skills/a/docs/x.md",
        ];
        assert_eq!(paths(&walked), want);
        let codes: Vec<_> = walked.findings.iter().map(|f| f.code).collect();
        let want = [
            Code::SYMLINK_ESCAPES,
            Code::SYMLINK_LOOP,
            Code::SYMLINK_LOOP,
            Code::SYMLINK_BROKEN,
        ];
        assert_eq!(codes, want);
    }

    #[test]
    fn names_that_clash_elsewhere_are_errors() {
        let temp = workspace(&[".skillset/shared/A.md", ".skillset/shared/a.md"]);
        let walked = read(&temp);
        assert_eq!(walked.findings[0].code, Code::PATH_CASE_COLLISION);
        let temp = workspace(&[".skillset/skills/a/SKILL.md/x"]);
        assert_eq!(read(&temp).findings[0].code, Code::ENTRY_WRONG_KIND);
    }
}
