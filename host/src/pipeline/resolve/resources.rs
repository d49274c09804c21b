//! Shared files that a skill declares in `resources`, with their places in the skill (`spec/01`).

use std::collections::BTreeMap;

use crate::diagnostic::{Code, Diagnostic, Found, Span};
use crate::model::id::Sha256;
use crate::model::node::{Node, Value};
use crate::model::path::RelPath;
use crate::model::selector::Container;
use crate::model::tree::SourceTree;
use crate::model::unit::UnitFile;

/// The groups of `resources`.
const GROUPS: [&str; 4] = ["references", "scripts", "assets", "templates"];

/// Files that a build writes itself, which no resource may replace.
const CONTROL: [&str; 3] = ["SKILL.md", "agents/openai.yaml", ".skillset.tools.yaml"];

/// One file that is copied into the skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceCopy {
    /// Relative to the workspace.
    pub source: RelPath,
    /// Relative to the unit's directory.
    pub dest: RelPath,
    /// In bytes.
    pub size: u64,
    /// Becomes mode 0755.
    pub executable: bool,
    /// Of the bytes.
    pub hash: Sha256,
}

/// What a skill declares.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resources {
    /// As declared: `shared:references/a.md` and its place. A directory stands for all below it.
    pub declared: Vec<(String, RelPath)>,
    /// Every file, in order of destination.
    pub copies: Vec<ResourceCopy>,
}

/// Reads `resources` of a skill that owns the files `own`.
#[must_use]
pub fn resources(
    node: &Node,
    path: &RelPath,
    container: &Container,
    own: &[UnitFile],
    tree: &SourceTree,
) -> Found<Resources> {
    let mut reader = Reader {
        path,
        container,
        tree,
        taken: own
            .iter()
            .map(|file| (file.path.fold(), file.source.to_string()))
            .collect(),
        found: Found::default(),
    };
    let grouped = node.is_map() && node.get("from").is_none();
    if grouped {
        for member in node.members() {
            if GROUPS.contains(&member.key.as_str()) {
                reader.entries(&member.node, Some(&member.key));
            } else {
                let span = Span::new(path, member.key_span.clone());
                reader.found.findings.push(
                    Diagnostic::new(
                        Code::RESOURCE_INVALID,
                        format!("`{}` is not a group of resources", member.key),
                    )
                    .at(span)
                    .help(format!("the groups are {}", GROUPS.join(", "))),
                );
            }
        }
    } else {
        reader.entries(node, None);
    }
    reader
        .found
        .value
        .copies
        .sort_by(|a, b| a.dest.cmp(&b.dest));
    reader.found
}

struct Reader<'a> {
    path: &'a RelPath,
    container: &'a Container,
    tree: &'a SourceTree,
    /// Destinations by their folded form, with what lies there.
    taken: BTreeMap<String, String>,
    found: Found<Resources>,
}

impl Reader<'_> {
    fn report(&mut self, code: Code, node: &Node, message: String) {
        self.found
            .findings
            .push(Diagnostic::new(code, message).at(Span::new(self.path, node.span.clone())));
    }

    fn entries(&mut self, node: &Node, group: Option<&str>) {
        match &node.value {
            Value::List(items) => items.iter().for_each(|item| self.entry(item, group)),
            _ => self.entry(node, group),
        }
    }

    fn entry(&mut self, node: &Node, group: Option<&str>) {
        let unknown = node
            .members()
            .iter()
            .find(|member| !matches!(member.key.as_str(), "from" | "to"));
        if let Some(member) = unknown {
            return self.report(
                Code::RESOURCE_INVALID,
                &member.node,
                format!("a resource has `from` and `to`, not `{}`", member.key),
            );
        }
        let from = if node.is_map() {
            node.get("from")
        } else {
            Some(node)
        };
        let Some(from) = from.and_then(Node::as_str) else {
            return self.report(
                Code::RESOURCE_INVALID,
                node,
                format!("a resource is text or `{{from, to}}`, not {}", node.kind()),
            );
        };
        let Some((scheme, rest)) = ["shared", "plugin"]
            .into_iter()
            .find_map(|s| Some((s, from.trim().strip_prefix(s)?.strip_prefix(':')?)))
        else {
            return self.report(
                Code::RESOURCE_INVALID,
                node,
                format!("`{from}` must begin with `shared:` or `plugin:`"),
            );
        };
        let base = match (scheme, self.container) {
            ("plugin", Container::Workspace) => {
                return self.report(
                    Code::RESOURCE_SCOPE,
                    node,
                    format!("`{from}` names a plugin's file, but this skill belongs to no plugin"),
                );
            }
            ("plugin", Container::Plugin(id)) => format!(".skillset/plugins/{id}/shared"),
            _ => ".skillset/shared".to_owned(),
        };
        let Some(place) = self.safe(node, rest) else {
            return;
        };
        let Ok(source) = RelPath::new(&format!("{base}/{place}")) else {
            return;
        };
        let dest = match node.get("to") {
            Some(to) => match to.as_str() {
                Some(text) => self.safe(to, text),
                None => {
                    return self.report(
                        Code::RESOURCE_INVALID,
                        to,
                        format!("`to` is text, not {}", to.kind()),
                    );
                }
            },
            None => match group.and_then(|group| RelPath::new(group).ok()) {
                Some(group) if !place.starts_with(&group) => Some(group.below(&place)),
                _ => Some(place.clone()),
            },
        };
        let Some(dest) = dest else { return };
        self.found
            .value
            .declared
            .push((format!("{scheme}:{place}"), dest.clone()));
        self.copy(node, &source, &dest);
    }

    /// A path with the author's harmless variants made plain.
    fn safe(&mut self, node: &Node, text: &str) -> Option<RelPath> {
        let slashed = text.trim().replace('\\', "/");
        let absolute = slashed.starts_with('/');
        let mut plain = slashed.as_str();
        while let Some(rest) = plain.strip_prefix("./") {
            plain = rest;
        }
        let joined = plain
            .split('/')
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("/");
        match RelPath::new(&joined).and_then(|path| path.check_portable().map(|()| path)) {
            Ok(path) if !absolute => Some(path),
            Ok(_) => {
                self.report(
                    Code::RESOURCE_PATH_UNSAFE,
                    node,
                    format!("`{text}` is an absolute path"),
                );
                None
            }
            Err(error) => {
                self.report(
                    Code::RESOURCE_PATH_UNSAFE,
                    node,
                    format!("`{text}` cannot be used: {error}"),
                );
                None
            }
        }
    }

    fn copy(&mut self, node: &Node, source: &RelPath, dest: &RelPath) {
        let tree = self.tree;
        if tree.file(source).is_some() {
            return self.file(node, source, dest);
        }
        if !tree.is_directory(source) {
            return self.report(
                Code::RESOURCE_MISSING,
                node,
                format!("the resource `{source}` does not exist"),
            );
        }
        for (path, _) in tree.files_below(source) {
            if let Some(rest) = path
                .strip_prefix(source)
                .filter(|rest| rest.name() != ".gitkeep")
            {
                self.file(node, path, &dest.below(&rest));
            }
        }
    }

    fn file(&mut self, node: &Node, source: &RelPath, dest: &RelPath) {
        let Some(file) = self.tree.file(source) else {
            return;
        };
        if CONTROL
            .iter()
            .any(|control| dest.as_str().eq_ignore_ascii_case(control))
        {
            return self.report(
                Code::RESOURCE_COLLISION,
                node,
                format!("`{source}` would replace `{dest}`, which the build writes"),
            );
        }
        let fold = dest.fold();
        let inside = format!("{fold}/");
        let other = self.taken.iter().find(|(taken, _)| {
            **taken == fold || taken.starts_with(&inside) || fold.starts_with(&format!("{taken}/"))
        });
        if let Some((_, other)) = other {
            let message = format!("`{source}` and `{other}` have one destination: `{dest}`");
            return self.report(Code::RESOURCE_COLLISION, node, message);
        }
        self.taken.insert(fold, source.to_string());
        let shell = [".sh", ".bash", ".zsh"]
            .iter()
            .any(|extension| dest.name().ends_with(extension));
        if !file.executable && (shell || dest.as_str().starts_with("scripts/")) {
            self.report(
                Code::RESOURCE_SCRIPT_NOT_EXECUTABLE,
                node,
                format!("the script `{source}` is not executable"),
            );
        }
        if dest.name().starts_with('_') {
            self.report(
                Code::RESOURCE_UNDERSCORE_NAME,
                node,
                format!("the copied file `{dest}` begins with an underscore"),
            );
        }
        let (size, executable, hash) = (file.size, file.executable, file.hash);
        self.found.value.copies.push(ResourceCopy {
            source: source.clone(),
            dest: dest.clone(),
            size,
            executable,
            hash,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::tree::SourceFile;

    fn run(from: &str) -> Found<Resources> {
        let mut tree = SourceTree::default();
        let file = SourceFile {
            size: 1,
            executable: false,
            hash: Sha256::of(b"a"),
        };
        tree.insert_directory(RelPath::new(".skillset/shared/references").unwrap());
        tree.insert_file(
            RelPath::new(".skillset/shared/references/a.md").unwrap(),
            file,
        );
        let node = Node::detached(Value::String(from.to_owned()));
        resources(
            &node,
            &RelPath::new("s/SKILL.md").unwrap(),
            &Container::Workspace,
            &[],
            &tree,
        )
    }

    #[test]
    fn a_file_and_a_directory_keep_their_path() {
        for (from, dest) in [
            ("shared:./references//a.md", "references/a.md"),
            ("shared:references", "references"),
        ] {
            let found = run(from);
            assert_eq!(found.value.declared[0].1.as_str(), dest);
            assert_eq!(found.value.copies[0].dest.as_str(), "references/a.md");
        }
    }

    #[test]
    fn unsafe_missing_and_foreign_resources_are_refused() {
        for (from, code) in [
            ("shared:../x", Code::RESOURCE_PATH_UNSAFE),
            ("shared:/x", Code::RESOURCE_PATH_UNSAFE),
            ("shared:x.md", Code::RESOURCE_MISSING),
            ("plugin:x.md", Code::RESOURCE_SCOPE),
            ("references/a.md", Code::RESOURCE_INVALID),
        ] {
            assert_eq!(run(from).findings[0].code, code, "{from}");
        }
    }
}
