//! The parts of `skillset.yaml` that stand by themselves: metadata, renderers, project use, distributions.

use super::reader::Reader;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::config::{
    Distribution, DraftMode, InternalUse, Metadata, Placed, RendererDeclaration, RendererOrigin,
    Selection,
};
use crate::model::node::{Node, Value};
use crate::model::path::RelPath;
use crate::model::selector::Selector;

const METADATA: [&str; 13] = [
    "schema",
    "name",
    "description",
    "version",
    "author",
    "owner",
    "homepage",
    "repository",
    "license",
    "keywords",
    "manifest",
    "listing",
    "preprocess",
];
const LISTING: [&str; 14] = [
    "display_name",
    "summary",
    "description",
    "category",
    "capabilities",
    "keywords",
    "color",
    "logo",
    "composer_icon",
    "screenshots",
    "default_prompt",
    "website_url",
    "privacy_policy_url",
    "terms_of_service_url",
];
/// The licence ids whose notice we can write.
pub const LICENCES: [&str; 7] = [
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "MIT",
    "MPL-2.0",
    "none",
];

impl Reader<'_> {
    pub(super) fn metadata(&mut self, document: &Node, is_root: bool) -> Metadata {
        let Some(node) = document.get("skillset") else {
            return Metadata::default();
        };
        if !self.closed(node, "`skillset`", &METADATA) {
            return Metadata::default();
        }
        if let Some(schema) = node.get("schema")
            && schema.scalar() != Some("1")
        {
            let message = format!(
                "the schema version `{}` is not supported",
                schema.scalar().unwrap_or(schema.kind())
            );
            let finding = Diagnostic::new(Code::CONFIG_SCHEMA_UNSUPPORTED, message);
            self.findings
                .push(finding.at(self.span(schema)).help("write `schema: 1`"));
        }
        let version = self.text(node, "version");
        if let (Some(version), Some(value)) = (&version, node.get("version")) {
            if semver::Version::parse(&version.value).is_err() {
                let message = format!("the version `{}` is not SemVer", version.value);
                self.bad(value, message, "write three numbers, as in `1.0.0`");
            } else if is_root {
                let message = "release state is the authority for versions, not `skillset.version`";
                let finding = Diagnostic::new(Code::CONFIG_VERSION_INLINE, message);
                self.findings.push(finding.at(self.span(value)));
            }
        }
        let licence = self.text(node, "license");
        if let (Some(licence), Some(value)) = (&licence, node.get("license"))
            && !LICENCES.contains(&licence.value.as_str())
        {
            let message = format!("the licence `{}` is not known", licence.value);
            let finding = Diagnostic::new(Code::LICENCE_UNKNOWN, message).at(self.span(value));
            self.findings
                .push(finding.help(format!("use one of: {}", LICENCES.join(", "))));
        }
        let listing = self.map(node, "listing").cloned();
        if let Some(listing) = &listing {
            self.closed(listing, "`skillset.listing`", &LISTING);
        }
        let keywords = node.get("keywords").map(|k| self.texts(k, "keywords"));
        Metadata {
            name: self.text(node, "name"),
            description: self.text(node, "description"),
            version,
            author: self.person(node, "author"),
            owner: self.person(node, "owner"),
            homepage: self.text(node, "homepage"),
            repository: self.text(node, "repository"),
            licence,
            keywords: keywords
                .unwrap_or_default()
                .into_iter()
                .map(|k| k.value)
                .collect(),
            manifest: self.map(node, "manifest").cloned(),
            listing,
            preprocess: self.flag(node, "preprocess"),
        }
    }

    /// A mapping; a plain text becomes its `name`.
    fn person(&mut self, parent: &Node, key: &str) -> Option<Node> {
        let member = parent.member(key)?;
        let mut node = member.node.clone();
        if node.as_str().is_some() {
            let mut name = member.clone();
            "name".clone_into(&mut name.key);
            node.value = Value::Map(vec![name]);
        } else if !node.is_map() {
            self.wrong(&node, key, "text or a mapping");
            return None;
        }
        for member in node.members() {
            if !matches!(member.key.as_str(), "name" | "email" | "url") {
                let message = format!("no standard knows `{key}.{}`", member.key);
                let finding = Diagnostic::new(Code::CONFIG_EXTRA_AUTHOR_KEY, message);
                self.findings.push(finding.at(self.span(&member.node)));
            } else if member.node.scalar().is_none() {
                self.wrong(&member.node, &format!("{key}.{}", member.key), "text");
            }
        }
        Some(node)
    }

    pub(super) fn renderer(&mut self, node: &Node) -> Option<RendererDeclaration> {
        let known = ["path", "oci", "marketplace", "roots", "limits", "options"];
        if !self.closed(node, "a renderer", &known) {
            return None;
        }
        let path = self.text(node, "path");
        let oci = self.text(node, "oci");
        let marketplace = self.text(node, "marketplace");
        let origin = match (path, oci, marketplace) {
            (Some(path), None, None) => {
                match RelPath::new(path.value.strip_prefix("./").unwrap_or(&path.value)) {
                    Ok(path) => RendererOrigin::Path(path),
                    Err(error) => {
                        let message = format!("`{}`: {error}", path.value);
                        self.bad(node.get("path")?, message, "name a file in the workspace");
                        return None;
                    }
                }
            }
            (None, Some(oci), None) => RendererOrigin::Oci(oci.value),
            (None, None, Some(name)) => RendererOrigin::Marketplace(name.value),
            _ => {
                let message = "a renderer has exactly one of `path`, `oci` and `marketplace`";
                self.bad(node, message, "keep one of them");
                return None;
            }
        };
        let mut roots = Vec::new();
        if let Some(list) = node.get("roots") {
            if !matches!(list.value, Value::List(_)) {
                self.wrong(list, "roots", "a list of paths");
            }
            for item in list.items() {
                roots.extend(self.output_root(item, "roots"));
            }
        }
        let empty = Node::detached(Value::Map(Vec::new()));
        let limits = self.map(node, "limits").unwrap_or(&empty);
        self.closed(limits, "`limits`", &["memory", "fuel", "component_bytes"]);
        Some(RendererDeclaration {
            span: self.span(node),
            origin,
            roots,
            memory: self.number(limits, "memory"),
            fuel: self.number(limits, "fuel"),
            component_bytes: self.number(limits, "component_bytes"),
            options: self.map(node, "options").cloned(),
        })
    }

    fn number(&mut self, parent: &Node, key: &str) -> Option<u64> {
        let node = parent.get(key)?;
        let number = match &node.value {
            Value::Number(text) => text.parse().ok().filter(|n| *n > 0),
            _ => None,
        };
        if number.is_none() {
            self.bad(
                node,
                format!("`{key}` is no positive whole number"),
                "write plain digits",
            );
        }
        number
    }

    fn selection(&mut self, node: &Node, what: &str) -> Option<Selection> {
        if let Some(all) = node.as_bool() {
            return Some(Selection::All(self.placed(all, node)));
        }
        if !matches!(node.value, Value::List(_)) {
            self.wrong(node, what, "true, false or a list");
            return None;
        }
        let (mut include, mut exclude) = (Vec::new(), Vec::new());
        for entry in self.texts(node, what) {
            match entry.value.strip_prefix('!') {
                Some(id) => exclude.push(Placed {
                    value: id.to_owned(),
                    span: entry.span,
                }),
                None => include.push(entry),
            }
        }
        Some(Selection::List {
            span: self.span(node),
            include,
            exclude,
        })
    }

    pub(super) fn internal_use(&mut self, node: &Node) -> InternalUse {
        let mut found = InternalUse::default();
        if node.as_bool().is_some() {
            found.plugins = self.selection(node, "internal_use");
            return found;
        }
        if !self.closed(
            node,
            "`plugins.internal_use`",
            &["plugins", "skills", "drafts"],
        ) {
            return found;
        }
        if let Some(plugins) = node.get("plugins") {
            found.plugins = self.selection(plugins, "plugins");
        }
        let key = |reader: &Self, member: &crate::model::node::Member| Placed {
            value: member.key.clone(),
            span: crate::diagnostic::Span::new(reader.path, member.key_span.clone()),
        };
        if let Some(skills) = self.map(node, "skills") {
            for member in skills.members() {
                if let Some(selection) = self.selection(&member.node, &member.key) {
                    found.skills.push((key(self, member), selection));
                }
            }
        }
        if let Some(drafts) = self.map(node, "drafts") {
            for member in drafts.members() {
                let mode = match member.node.as_str() {
                    Some("only") => Some(DraftMode::Only(self.span(&member.node))),
                    Some("override") => Some(DraftMode::Override(self.span(&member.node))),
                    Some(_) => {
                        let message =
                            format!("the mode of drafts of `{}` is not known", member.key);
                        let help = "use true, false, a list, `only` or `override`";
                        self.bad(&member.node, message, help);
                        None
                    }
                    None => self
                        .selection(&member.node, &member.key)
                        .map(DraftMode::Selection),
                };
                found
                    .drafts
                    .extend(mode.map(|mode| (key(self, member), mode)));
            }
        }
        found
    }

    pub(super) fn distribution(&mut self, id: Placed<String>, node: &Node) -> Option<Distribution> {
        if !self.closed(node, "a distribution", &["from", "to", "dryRun"]) {
            return None;
        }
        let (Some(from), Some(to)) = (self.map(node, "from"), self.map(node, "to")) else {
            self.bad(
                node,
                "a distribution has `from` and `to`",
                "write both mappings",
            );
            return None;
        };
        self.closed(from, "`from`", &["target", "selector", "runtime"]);
        self.closed(
            to,
            "`to`",
            &["kind", "path", "repo", "branch", "subdirectory"],
        );
        let Some(selector) = self.text(from, "selector") else {
            self.bad(from, "`from` has no selector", "write `selector: plugins`");
            return None;
        };
        if selector.value != "plugins" && Selector::parse(&selector.value).is_none() {
            let message = format!("`{}` is no selector", selector.value);
            let help = "use `plugins`, `plugin:<id>` or `skill:<id>`";
            self.bad(from.get("selector")?, message, help);
        }
        let needed = match self.one_of(to, "kind", &["local", "git"]) {
            Some(0) => "path",
            Some(_) => "repo",
            None => {
                if to.get("kind").is_none() {
                    self.bad(to, "`to` has no kind", "write `kind: local` or `kind: git`");
                }
                return None;
            }
        };
        if self.text(to, needed).is_none() {
            self.bad(
                to,
                format!("`to` has no `{needed}`"),
                &format!("write `{needed}: ...`"),
            );
        }
        Some(Distribution {
            id,
            target: self.text(from, "target"),
            selector,
            to: to.clone(),
        })
    }
}
