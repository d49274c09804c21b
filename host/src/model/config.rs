//! `skillset.yaml` of the workspace and of a plugin, as typed data with places (`spec/01`).

use std::collections::BTreeMap;

use super::id::{PluginId, TargetId};
use super::node::Node;
use super::path::RelPath;
use super::renderer::Layout;
use crate::diagnostic::Span;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed<T> {
    /// The value.
    pub value: T,
    /// Its place.
    pub span: Span,
}

/// The root `skillset.yaml`.
#[derive(Debug, Clone)]
pub struct Config {
    /// `skillset.yaml`
    pub path: RelPath,
    /// `skillset`
    pub metadata: Metadata,
    /// `compile`
    pub compile: Compile,
    /// The block of each target that has one.
    pub targets: BTreeMap<TargetId, TargetBlock>,
    /// `renderers`
    pub renderers: BTreeMap<TargetId, RendererDeclaration>,
    /// `internal_marker`, default true.
    pub internal_marker: bool,
    /// `plugins.internal_use`
    pub internal_use: InternalUse,
    /// `plugins.package_keys: strict`
    pub strict_package_keys: bool,
    /// `distributions`
    pub distributions: Vec<Distribution>,
    /// The whole document, for what is parsed elsewhere (`discovery`) and for edits.
    pub document: Node,
}

/// A plugin's own `skillset.yaml`.
#[derive(Debug, Clone)]
pub struct PluginConfig {
    /// The directory's name.
    pub id: PluginId,
    /// `.skillset/plugins/<id>`
    pub directory: RelPath,
    /// Its `skillset.yaml`.
    pub path: RelPath,
    /// `skillset`
    pub metadata: Metadata,
    /// The block of each target that has one.
    pub targets: BTreeMap<TargetId, TargetBlock>,
    /// `mcp`
    pub mcp: McpSource,
    /// The whole document.
    pub document: Node,
}

/// The `skillset` mapping. Every field is as authored.
#[derive(Debug, Clone, Default)]
pub struct Metadata {
    /// `name`
    pub name: Option<Placed<String>>,
    /// `description`
    pub description: Option<Placed<String>>,
    /// `version`, checked to be SemVer.
    pub version: Option<Placed<String>>,
    /// `author` as a mapping of text; a plain string is its `name`.
    pub author: Option<Node>,
    /// `owner`
    pub owner: Option<Node>,
    /// `homepage`
    pub homepage: Option<Placed<String>>,
    /// `repository`
    pub repository: Option<Placed<String>>,
    /// `license`: an SPDX id that we know, or `none`.
    pub licence: Option<Placed<String>>,
    /// `keywords`
    pub keywords: Vec<String>,
    /// `manifest`: the portable manifest values.
    pub manifest: Option<Node>,
    /// `listing`: checked to be closed.
    pub listing: Option<Node>,
    /// `preprocess`
    pub preprocess: Option<bool>,
}

/// What an unsupported or lossy result does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Policy {
    /// Blocks.
    #[default]
    Error,
    /// Leaves the feature out and says so.
    Warn,
    /// Leaves the feature out.
    Skip,
    /// Writes what can be written and says so.
    Force,
}

/// `compile`
#[derive(Debug, Clone)]
pub struct Compile {
    /// `targets`, when the author lists them.
    pub targets: Option<Vec<Placed<TargetId>>>,
    /// `build: all`
    pub build_all: bool,
    /// `unsupportedDestination`
    pub unsupported: Policy,
    /// Whether the author wrote `unsupportedDestination` himself.
    pub unsupported_authored: bool,
    /// `skillset.metadata`, default true.
    pub metadata: bool,
    /// `features.promptArguments`, default true.
    pub prompt_arguments: bool,
}

impl Default for Compile {
    fn default() -> Self {
        Self {
            targets: None,
            build_all: false,
            unsupported: Policy::Error,
            unsupported_authored: false,
            metadata: true,
            prompt_arguments: true,
        }
    }
}

/// `<target>` at any level: a boolean or a mapping.
#[derive(Debug, Clone)]
pub struct TargetBlock {
    /// Where the block stands.
    pub span: Span,
    /// `true`, `false` or `enabled`; `None` for a mapping that does not say.
    pub enabled: Option<bool>,
    /// The mapping as authored; an empty one for a boolean.
    pub options: Node,
    /// `skills`
    pub skills: OutputOption,
    /// `plugins`
    pub plugins: OutputOption,
    /// `defaults.<kind>` here, with `defaults.<target>.<kind>` of the same file under it.
    pub defaults: BTreeMap<String, Node>,
}

/// `skills` or `plugins` in a target block of the root configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutputOption {
    /// `true`, `false` or `enabled`.
    pub enabled: Option<bool>,
    /// The ids that are included; `None` means all.
    pub include: Option<Vec<Placed<String>>>,
    /// Another output root.
    pub path: Option<Placed<RelPath>>,
    /// `layout: bundle` or `package`; plugins only.
    pub layout: Option<Layout>,
}

/// Where a plugin's MCP configuration is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum McpSource {
    /// `.mcp.json` beside `skillset.yaml`, when it is there.
    Beside,
    /// `mcp: true`: `.mcp.json` must be there.
    Required(Span),
    /// `mcp: false`
    Off,
    /// `source: repo:<path>`
    Path(Placed<RelPath>),
}

/// `renderers.<id>`: a third-party renderer.
#[derive(Debug, Clone)]
pub struct RendererDeclaration {
    /// Where it stands.
    pub span: Span,
    /// Where its component comes from.
    pub origin: RendererOrigin,
    /// The roots that the workspace grants.
    pub roots: Vec<Placed<RelPath>>,
    /// `limits.memory`, in bytes.
    pub memory: Option<u64>,
    /// `limits.fuel`, for each call.
    pub fuel: Option<u64>,
    /// `limits.component_bytes`
    pub component_bytes: Option<u64>,
    /// `options`, handed to the renderer inside its block.
    pub options: Option<Node>,
}

/// One of `path`, `oci`, `marketplace`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RendererOrigin {
    /// A component file, relative to the workspace.
    Path(RelPath),
    /// An OCI layout (`./folder[:tag]`) or a registry reference.
    Oci(String),
    /// A name in a marketplace.
    Marketplace(String),
}

/// A list with `!` exclusions, or everything or nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// `true` or `false`.
    All(Placed<bool>),
    /// Ids; those that the author wrote with `!` are excluded.
    List {
        /// The list itself.
        span: Span,
        /// Positive entries.
        include: Vec<Placed<String>>,
        /// Negative entries, without the `!`.
        exclude: Vec<Placed<String>>,
    },
}

/// `plugins.internal_use.drafts.<plugin>`
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DraftMode {
    /// A boolean or a list.
    Selection(Selection),
    /// Only drafts of the selected content.
    Only(Span),
    /// A paired draft takes the regular name.
    Override(Span),
}

/// `plugins.internal_use`
#[derive(Debug, Clone, Default)]
pub struct InternalUse {
    /// `plugins`, or the boolean in place of the mapping.
    pub plugins: Option<Selection>,
    /// `skills.<plugin>`, with the key's place.
    pub skills: Vec<(Placed<String>, Selection)>,
    /// `drafts.<plugin>`, with the key's place.
    pub drafts: Vec<(Placed<String>, DraftMode)>,
}

/// `distributions.<id>`
#[derive(Debug, Clone)]
pub struct Distribution {
    /// The key.
    pub id: Placed<String>,
    /// `from.target`
    pub target: Option<Placed<String>>,
    /// `from.selector`: `plugins`, `plugin:<id>` or `skill:<id>`.
    pub selector: Placed<String>,
    /// `to`, checked to have `kind` and `path` or `repo`.
    pub to: Node,
}
