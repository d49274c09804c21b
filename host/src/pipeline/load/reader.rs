//! Small questions to a configuration node; each wrong answer is a finding.

use crate::diagnostic::{Code, Diagnostic, Span, nearest};
use crate::model::config::Placed;
use crate::model::node::{Member, Node, Value};
use crate::model::path::RelPath;

pub(super) struct Reader<'a> {
    pub(super) path: &'a RelPath,
    pub(super) findings: Vec<Diagnostic>,
}

impl Reader<'_> {
    pub(super) fn span(&self, node: &Node) -> Span {
        Span::new(self.path, node.span.clone())
    }

    pub(super) fn placed<T>(&self, value: T, node: &Node) -> Placed<T> {
        Placed {
            value,
            span: self.span(node),
        }
    }

    pub(super) fn bad(&mut self, node: &Node, message: impl Into<String>, help: &str) {
        let finding = Diagnostic::new(Code::CONFIG_BAD_VALUE, message).at(self.span(node));
        self.findings.push(finding.help(help));
    }

    pub(super) fn wrong(&mut self, node: &Node, what: &str, wanted: &str) {
        let message = format!("`{what}` is {}; it must be {wanted}", node.kind());
        let finding = Diagnostic::new(Code::CONFIG_WRONG_TYPE, message);
        self.findings.push(finding.at(self.span(node)));
    }

    pub(super) fn unknown(&mut self, member: &Member, place: &str, known: &[&str]) {
        let key = &member.key;
        let mut finding = Diagnostic::new(
            Code::CONFIG_UNKNOWN_KEY,
            format!("the key `{key}` is not known in {place}"),
        )
        .at(Span::new(self.path, member.key_span.clone()));
        if key == "targets" && place == "`skillset.yaml`" {
            finding = finding.help("use `compile.targets`");
        } else if let Some(near) = nearest(key, known.iter().copied()) {
            finding = finding.help(format!("did you mean `{near}`?"));
        } else {
            finding = finding.help(format!("known keys: {}", known.join(", ")));
        }
        self.findings.push(finding);
    }

    /// Whether this is a mapping; unknown keys in it are reported.
    pub(super) fn closed(&mut self, node: &Node, place: &str, known: &[&str]) -> bool {
        if !node.is_map() {
            self.wrong(node, place.trim_matches('`'), "a mapping");
            return false;
        }
        for member in node.members() {
            if !known.contains(&member.key.as_str()) {
                self.unknown(member, place, known);
            }
        }
        true
    }

    /// Text in the author's spelling.
    pub(super) fn text(&mut self, parent: &Node, key: &str) -> Option<Placed<String>> {
        let node = parent.get(key)?;
        match node.scalar() {
            Some(text) => Some(self.placed(text.to_owned(), node)),
            None => {
                self.wrong(node, key, "text");
                None
            }
        }
    }

    pub(super) fn flag(&mut self, parent: &Node, key: &str) -> Option<bool> {
        let node = parent.get(key)?;
        if node.as_bool().is_none() {
            self.wrong(node, key, "true or false");
        }
        node.as_bool()
    }

    pub(super) fn map<'n>(&mut self, parent: &'n Node, key: &str) -> Option<&'n Node> {
        let node = parent.get(key)?;
        if !node.is_map() {
            self.wrong(node, key, "a mapping");
            return None;
        }
        Some(node)
    }

    pub(super) fn texts(&mut self, node: &Node, what: &str) -> Vec<Placed<String>> {
        if !matches!(node.value, Value::List(_)) {
            self.wrong(node, what, "a list of text");
        }
        let mut texts = Vec::new();
        for item in node.items() {
            match item.scalar() {
                Some(text) => texts.push(self.placed(text.to_owned(), item)),
                None => self.wrong(item, what, "a list of text"),
            }
        }
        texts
    }

    pub(super) fn one_of(&mut self, parent: &Node, key: &str, known: &[&str]) -> Option<usize> {
        let node = parent.get(key)?;
        let found = known.iter().position(|k| node.as_str() == Some(*k));
        if found.is_none() {
            let message = format!("`{key}` is `{}`", node.scalar().unwrap_or(node.kind()));
            self.bad(node, message, &format!("use one of: {}", known.join(", ")));
        }
        found
    }

    /// An output root: relative, inside the workspace, outside of source and of git's folder.
    pub(super) fn output_root(&mut self, node: &Node, what: &str) -> Option<Placed<RelPath>> {
        let Some(text) = node.as_str() else {
            self.wrong(node, what, "a path");
            return None;
        };
        let trimmed = text
            .strip_prefix("./")
            .unwrap_or(text)
            .trim_end_matches('/');
        let reason = match RelPath::new(trimmed).and_then(|p| p.check_portable().map(|()| p)) {
            Ok(path) if path.components().next() != Some(".skillset") => {
                return Some(self.placed(path, node));
            }
            Ok(_) => "it lies in the source".to_owned(),
            Err(_) if text.starts_with('/') && trimmed.is_empty() => "the path is absolute".into(),
            Err(error) => error.to_string(),
        };
        let message = format!("`{text}` cannot be an output root: {reason}");
        let finding = Diagnostic::new(Code::CONFIG_OUTPUT_ROOT_UNSAFE, message);
        self.findings.push(
            finding
                .at(self.span(node))
                .help("name a folder inside the workspace and outside `.skillset` and `.git`"),
        );
        None
    }
}
