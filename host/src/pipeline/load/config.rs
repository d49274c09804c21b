//! `skillset.yaml` as typed data. Everything wrong in a file is said at once.

use std::collections::{BTreeMap, BTreeSet};

use super::reader::Reader;
use crate::diagnostic::{Code, Diagnostic, Found, Span};
use crate::model::config::{
    Compile, Config, InternalUse, McpSource, OutputOption, Placed, PluginConfig, Policy,
    TargetBlock,
};
use crate::model::id::{PluginId, TargetId};
use crate::model::node::{Member, Node, Value};
use crate::model::path::RelPath;
use crate::model::renderer::Layout;

const ROOT: [&str; 12] = [
    "skillset",
    "compile",
    "defaults",
    "renderers",
    "plugins",
    "internal_marker",
    "distributions",
    "discovery",
    "marketplaces",
    "supports",
    "dependencies",
    "changes",
];
const PLUGIN: [&str; 7] = [
    "skillset",
    "defaults",
    "mcp",
    "bin",
    "hooks",
    "supports",
    "dependencies",
];

/// The target ids that a workspace may name: the given ones and those of `renderers`.
#[must_use]
pub fn known_targets(document: &Node, targets: &BTreeSet<TargetId>) -> BTreeSet<TargetId> {
    let declared = document.get("renderers").map_or(&[][..], Node::members);
    let declared = declared.iter().filter_map(|m| TargetId::new(&m.key));
    targets.iter().cloned().chain(declared).collect()
}

/// Reads the root configuration.
#[must_use]
pub fn root(path: &RelPath, document: &Node, targets: &BTreeSet<TargetId>) -> Found<Config> {
    let mut reader = Reader {
        path,
        findings: Vec::new(),
    };
    let r = &mut reader;
    let targets = known_targets(document, targets);
    let keys = ROOT.into_iter().chain(targets.iter().map(TargetId::as_str));
    r.closed(document, "`skillset.yaml`", &keys.collect::<Vec<_>>());
    let mut renderers = BTreeMap::new();
    for member in r.map(document, "renderers").map_or(&[][..], Node::members) {
        match TargetId::new(&member.key) {
            Some(id) => {
                renderers.extend(r.renderer(&member.node).map(|found| (id, found)));
            }
            None => {
                let message = format!("`{}` is no valid renderer id", member.key);
                r.bad(
                    &member.node,
                    message,
                    "use lowercase letters, digits and hyphens",
                );
            }
        }
    }
    let mut internal_use = InternalUse::default();
    let mut strict_package_keys = false;
    if let Some(plugins) = r.map(document, "plugins") {
        r.closed(plugins, "`plugins`", &["internal_use", "package_keys"]);
        if let Some(node) = plugins.get("internal_use") {
            internal_use = r.internal_use(node);
        }
        strict_package_keys = r.one_of(plugins, "package_keys", &["shared", "strict"]) == Some(1);
    }
    let mut distributions = Vec::new();
    for member in r
        .map(document, "distributions")
        .map_or(&[][..], Node::members)
    {
        let id = Placed {
            value: member.key.clone(),
            span: Span::new(path, member.key_span.clone()),
        };
        distributions.extend(r.distribution(id, &member.node));
    }
    let config = Config {
        path: path.clone(),
        metadata: r.metadata(document, true),
        compile: r.compile(document, &targets),
        targets: r.blocks(document, &targets),
        renderers,
        internal_marker: r.flag(document, "internal_marker").unwrap_or(true),
        internal_use,
        strict_package_keys,
        distributions,
        document: document.clone(),
    };
    Found {
        value: config,
        findings: reader.findings,
    }
}

/// Reads a plugin's configuration.
#[must_use]
pub fn plugin(
    id: &PluginId,
    directory: &RelPath,
    path: &RelPath,
    document: &Node,
    targets: &BTreeSet<TargetId>,
) -> Found<PluginConfig> {
    let mut r = Reader {
        path,
        findings: Vec::new(),
    };
    let keys = PLUGIN
        .into_iter()
        .chain(targets.iter().map(TargetId::as_str));
    r.closed(
        document,
        "a plugin's `skillset.yaml`",
        &keys.collect::<Vec<_>>(),
    );
    let config = PluginConfig {
        id: id.clone(),
        directory: directory.clone(),
        path: path.clone(),
        metadata: r.metadata(document, false),
        targets: r.blocks(document, targets),
        mcp: r.mcp(document),
        document: document.clone(),
    };
    Found {
        value: config,
        findings: r.findings,
    }
}

impl Reader<'_> {
    fn compile(&mut self, document: &Node, known: &BTreeSet<TargetId>) -> Compile {
        let mut compile = Compile::default();
        let Some(node) = self.map(document, "compile") else {
            return compile;
        };
        let keys = [
            "targets",
            "build",
            "unsupportedDestination",
            "skillset",
            "features",
        ];
        self.closed(node, "`compile`", &keys);
        if let Some(list) = node.get("targets") {
            let names: Vec<_> = known.iter().map(TargetId::as_str).collect();
            let mut found = Vec::new();
            for name in self.texts(list, "compile.targets") {
                match known.iter().find(|id| id.as_str() == name.value) {
                    Some(id) => found.push(Placed {
                        value: id.clone(),
                        span: name.span,
                    }),
                    None => self.findings.push(
                        Diagnostic::new(
                            Code::CONFIG_UNKNOWN_TARGET,
                            format!("the target `{}` is not known", name.value),
                        )
                        .at(name.span)
                        .help(format!("known targets: {}", names.join(", "))),
                    ),
                }
            }
            if matches!(&list.value, Value::List(items) if items.is_empty()) {
                let finding =
                    Diagnostic::new(Code::CONFIG_NO_TARGETS, "`compile.targets` is empty");
                let span = self.span(list);
                self.findings
                    .push(finding.at(span).help("name a target, or remove the key"));
            }
            compile.targets = Some(found);
        }
        compile.build_all = self.one_of(node, "build", &["updated", "all"]) == Some(1);
        let policies = ["error", "warn", "skip", "force"];
        if let Some(policy) = self.one_of(node, "unsupportedDestination", &policies) {
            compile.unsupported_authored = true;
            compile.unsupported = match policy {
                0 => Policy::Error,
                1 => Policy::Warn,
                2 => Policy::Skip,
                _ => Policy::Force,
            };
        }
        if let Some(inner) = self.map(node, "skillset") {
            self.closed(inner, "`compile.skillset`", &["metadata"]);
            compile.metadata = self.flag(inner, "metadata").unwrap_or(true);
        }
        if let Some(inner) = self.map(node, "features") {
            self.closed(inner, "`compile.features`", &["promptArguments"]);
            compile.prompt_arguments = self.flag(inner, "promptArguments").unwrap_or(true);
        }
        compile
    }

    fn blocks(
        &mut self,
        document: &Node,
        known: &BTreeSet<TargetId>,
    ) -> BTreeMap<TargetId, TargetBlock> {
        let mut blocks = BTreeMap::new();
        let empty = Node::detached(Value::Map(Vec::new()));
        let shorthand = self.map(document, "defaults").unwrap_or(&empty);
        let names: Vec<_> = known.iter().map(TargetId::as_str).collect();
        self.closed(shorthand, "`defaults`", &names);
        for id in known {
            let own = document.get(id.as_str());
            let short = self.map(shorthand, id.as_str());
            let Some(node) = own.or(short) else {
                continue;
            };
            let own = own.unwrap_or(&empty);
            if !own.is_map() && own.as_bool().is_none() {
                self.wrong(own, id.as_str(), "true, false or a mapping");
                continue;
            }
            let mut defaults = BTreeMap::new();
            let long = self.map(own, "defaults");
            for member in short.into_iter().chain(long).flat_map(Node::members) {
                if !member.node.is_map() {
                    self.wrong(&member.node, &member.key, "a mapping");
                    continue;
                }
                let merged = match defaults.remove(&member.key) {
                    Some(under) => overlay(under, &member.node),
                    None => member.node.clone(),
                };
                defaults.insert(member.key.clone(), merged);
            }
            let block = TargetBlock {
                span: self.span(node),
                enabled: own.as_bool().or_else(|| self.flag(own, "enabled")),
                options: if own.is_map() {
                    own.clone()
                } else {
                    empty.clone()
                },
                skills: self.output(own, "skills"),
                plugins: self.output(own, "plugins"),
                defaults,
            };
            blocks.insert(id.clone(), block);
        }
        blocks
    }

    fn output(&mut self, block: &Node, key: &str) -> OutputOption {
        let mut option = OutputOption::default();
        let Some(node) = block.get(key) else {
            return option;
        };
        match &node.value {
            Value::Bool(enabled) => option.enabled = Some(*enabled),
            Value::List(_) => option.include = Some(self.texts(node, key)),
            Value::Map(_) => {
                let known = ["enabled", "include", "path", "layout"];
                self.closed(node, &format!("`{key}`"), &known);
                option.enabled = self.flag(node, "enabled");
                option.include = node.get("include").map(|list| self.texts(list, "include"));
                option.path = node.get("path").and_then(|p| self.output_root(p, "path"));
                if let (Some(layout), "skills") = (node.get("layout"), key) {
                    self.bad(layout, "skills have no `layout`", "remove the key");
                } else {
                    option.layout = match self.one_of(node, "layout", &["bundle", "package"]) {
                        Some(0) => Some(Layout::Bundle),
                        Some(_) => Some(Layout::Package),
                        None => None,
                    };
                }
            }
            _ => self.wrong(node, key, "true, false, a list or a mapping"),
        }
        option
    }

    fn mcp(&mut self, document: &Node) -> McpSource {
        let Some(node) = document.get("mcp") else {
            return McpSource::Beside;
        };
        match node.as_bool() {
            Some(true) => return McpSource::Required(self.span(node)),
            Some(false) => return McpSource::Off,
            None => {}
        }
        if self.closed(node, "`mcp`", &["source"])
            && let Some(source) = self.text(node, "source")
        {
            let path = source.value.strip_prefix("repo:").map(RelPath::new);
            if let Some(Ok(path)) = path {
                return McpSource::Path(Placed {
                    value: path,
                    span: source.span,
                });
            }
            let message = format!("`{}` is no source of an MCP configuration", source.value);
            self.bad(node, message, "write `source: repo:<path>`");
        }
        McpSource::Beside
    }
}

/// `over` wins key by key; order is that of `under`, then what is new.
fn overlay(under: Node, over: &Node) -> Node {
    let mut members: Vec<Member> = under.members().to_vec();
    for member in over.members() {
        match members.iter_mut().find(|m| m.key == member.key) {
            Some(old) => *old = member.clone(),
            None => members.push(member.clone()),
        }
    }
    Node {
        span: over.span.clone(),
        value: Value::Map(members),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Found<Config> {
        let path = RelPath::new("skillset.yaml").unwrap();
        let targets = ["claude", "codex"].map(|t| TargetId::new(t).unwrap());
        let node = super::super::yaml::parse(&path, text, 0).value.unwrap();
        root(&path, &node, &targets.into())
    }

    fn one(text: &str) -> Diagnostic {
        let mut findings = read(text).findings;
        assert_eq!(findings.len(), 1, "{findings:?}");
        findings.remove(0)
    }

    #[test]
    fn a_full_configuration_is_read() {
        let found = read(
            "skillset: {schema: 1, name: x, author: Ann, license: MIT}\n\
             compile: {targets: [claude], unsupportedDestination: warn}\n\
             claude: {skills: [a], plugins: {path: out/x/, layout: bundle}, defaults: {skill: {model: b}}}\n\
             defaults: {claude: {skill: {model: a, effort: c}}}\n\
             plugins: {internal_use: {plugins: [a, '!b'], drafts: {a: override}}}\n\
             distributions: {d: {from: {selector: 'plugin:a'}, to: {kind: local, path: x}}}\n",
        );
        assert_eq!(found.findings, []);
        let config = found.value;
        assert_eq!(config.compile.unsupported, Policy::Warn);
        let claude = &config.targets[&TargetId::new("claude").unwrap()];
        assert_eq!(claude.plugins.layout, Some(Layout::Bundle));
        assert_eq!(
            claude.plugins.path.as_ref().unwrap().value.as_str(),
            "out/x"
        );
        let skill = &claude.defaults["skill"];
        assert_eq!(skill.get("model").unwrap().as_str(), Some("b"));
        assert_eq!(skill.get("effort").unwrap().as_str(), Some("c"));
        let author = config.metadata.author.unwrap();
        assert_eq!(author.get("name").unwrap().as_str(), Some("Ann"));
        assert_eq!(config.distributions.len(), 1);
    }

    #[test]
    fn every_slip_has_its_code() {
        let near = one("complie: {}\n");
        assert_eq!(near.code, Code::CONFIG_UNKNOWN_KEY);
        assert_eq!(near.help.as_deref(), Some("did you mean `compile`?"));
        assert_eq!(
            one("targets: []\n").help.as_deref(),
            Some("use `compile.targets`")
        );
        for (text, code) in [
            ("compile: {targets: []}", Code::CONFIG_NO_TARGETS),
            ("compile: {targets: [x]}", Code::CONFIG_UNKNOWN_TARGET),
            ("compile: {build: some}", Code::CONFIG_BAD_VALUE),
            (
                "compile: {skillset: {metadata: 1}}",
                Code::CONFIG_WRONG_TYPE,
            ),
            ("skillset: {schema: 2}", Code::CONFIG_SCHEMA_UNSUPPORTED),
            ("skillset: {version: '1'}", Code::CONFIG_BAD_VALUE),
            ("skillset: {version: 1.0.0}", Code::CONFIG_VERSION_INLINE),
            ("skillset: {license: GPL}", Code::LICENCE_UNKNOWN),
            ("skillset: {listing: {logos: x}}", Code::CONFIG_UNKNOWN_KEY),
            (
                "skillset: {author: {name: a, x: b}}",
                Code::CONFIG_EXTRA_AUTHOR_KEY,
            ),
            (
                "claude: {skills: {path: /x}}",
                Code::CONFIG_OUTPUT_ROOT_UNSAFE,
            ),
            (
                "claude: {skills: {path: a/../b}}",
                Code::CONFIG_OUTPUT_ROOT_UNSAFE,
            ),
            (
                "claude: {skills: {path: .skillset/x}}",
                Code::CONFIG_OUTPUT_ROOT_UNSAFE,
            ),
            (
                "claude: {skills: {path: .git}}",
                Code::CONFIG_OUTPUT_ROOT_UNSAFE,
            ),
            (
                "renderers: {zed: {path: a, oci: b}}",
                Code::CONFIG_BAD_VALUE,
            ),
            (
                "plugins: {internal_use: {drafts: {a: b}}}",
                Code::CONFIG_BAD_VALUE,
            ),
        ] {
            assert_eq!(one(text).code, code, "{text}");
        }
    }
}
