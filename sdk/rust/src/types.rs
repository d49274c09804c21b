//! What the host and a renderer say to each other, in plain types. The WIT package explains every field.

use serde_json::{Map, Value};

/// A JSON object whose keys keep their order.
pub type Object = Map<String, Value>;

/// What kind of target a renderer renders for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetKind {
    /// A coding agent that an author switches on by name.
    Provider,
    /// An open standard, which applies to every unit that it can represent.
    Standard,
}

/// What one placement holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitKind {
    /// A skill of the workspace.
    Skill,
    /// A skill of a plugin.
    PluginSkill,
    /// A plugin.
    Plugin,
}

/// Where the files of a placement lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// `<root>/<effective-name>/`
    Standalone,
    /// `<root>/<plugin>/`, shared by all readers.
    Package,
    /// `<root>/<plugin>/<target>/`
    Bundle,
    /// `<root>/<effective-name>/`, a draft or a copy for the repository itself.
    ProjectUse,
}

/// Whether others may add keys to a file that this renderer owns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtraKeys {
    /// No key may be added.
    Closed,
    /// Keys and members may be added.
    Open,
}

/// How a feature of the source reaches a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// As the target's own feature.
    Native,
    /// In another form with the same meaning.
    Transformed,
    /// Recorded beside the output, not enforced.
    MetadataOnly,
    /// Unchanged.
    PassThrough,
    /// Not at all.
    Unsupported,
}

/// How severe a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// Leaves the unit out for this target.
    Error,
    /// Should be mended.
    Warning,
    /// Good to know.
    Info,
}

/// One kind of placement that a renderer can write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// What it holds.
    pub unit: UnitKind,
    /// How its files lie.
    pub layout: Layout,
    /// The default root, relative to the workspace.
    pub root: String,
    /// Whether this renderer owns `SKILL.md` and the manifest there.
    pub owns_documents: bool,
    /// Whether others may add keys to them.
    pub extra_keys: ExtraKeys,
}

impl Claim {
    /// A claim of files that this renderer owns and nobody else touches.
    #[must_use]
    pub fn owned(unit: UnitKind, layout: Layout, root: &str) -> Self {
        Self {
            unit,
            layout,
            root: root.to_owned(),
            owns_documents: true,
            extra_keys: ExtraKeys::Closed,
        }
    }

    /// A claim of a root where another renderer owns the documents.
    #[must_use]
    pub fn shared(unit: UnitKind, layout: Layout, root: &str) -> Self {
        Self {
            owns_documents: false,
            ..Self::owned(unit, layout, root)
        }
    }

    /// Lets others add keys.
    #[must_use]
    pub fn open(self) -> Self {
        Self {
            extra_keys: ExtraKeys::Open,
            ..self
        }
    }
}

/// A feature of the source and how it reaches the target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feature {
    /// A documented name, such as `tools`.
    pub name: String,
    /// How.
    pub tier: Tier,
    /// What to know about it.
    pub note: Option<String>,
}

/// Who a renderer is.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    /// The key in `skillset.yaml`.
    pub id: String,
    /// For people.
    pub display_name: String,
    /// SemVer.
    pub version: String,
    /// Provider or standard.
    pub kind: TargetKind,
    /// What it can write, and where.
    pub claims: Vec<Claim>,
    /// JSON Schema of the top-level frontmatter keys that it knows.
    pub native_keys: Value,
    /// JSON Schema of its block.
    pub block_schema: Value,
    /// How each feature reaches it.
    pub features: Vec<Feature>,
}

impl Description {
    /// A provider without claims, keys or features yet.
    #[must_use]
    pub fn provider(id: &str, display_name: &str, version: &str) -> Self {
        Self {
            id: id.to_owned(),
            display_name: display_name.to_owned(),
            version: version.to_owned(),
            kind: TargetKind::Provider,
            claims: Vec::new(),
            native_keys: serde_json::json!({"type": "object"}),
            block_schema: serde_json::json!({"type": "object"}),
            features: Vec::new(),
        }
    }

    /// A standard without claims, keys or features yet.
    #[must_use]
    pub fn standard(id: &str, display_name: &str, version: &str) -> Self {
        Self {
            kind: TargetKind::Standard,
            ..Self::provider(id, display_name, version)
        }
    }

    /// Adds a claim.
    #[must_use]
    pub fn claim(mut self, claim: Claim) -> Self {
        self.claims.push(claim);
        self
    }

    /// Adds a feature.
    #[must_use]
    pub fn feature(mut self, name: &str, tier: Tier, note: &str) -> Self {
        self.features.push(Feature {
            name: name.to_owned(),
            tier,
            note: (!note.is_empty()).then(|| note.to_owned()),
        });
        self
    }
}

/// The destination of one unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// What it holds.
    pub unit: UnitKind,
    /// How its files lie.
    pub layout: Layout,
    /// The directory of the unit's files, relative to the workspace.
    pub directory: String,
    /// The name there.
    pub effective_name: String,
    /// The owning plugin.
    pub plugin: Option<String>,
    /// Whether it is an unpublished counterpart.
    pub draft: bool,
}

impl Placement {
    /// A path below the directory of this placement.
    #[must_use]
    pub fn path(&self, relative: &str) -> String {
        format!("{}/{relative}", self.directory)
    }
}

/// A prompt argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// `{{$ARGUMENTS}}`
    Whole,
    /// `{{$ARGUMENTS[n]}}`
    Index(u32),
    /// `{{$ARGUMENTS.name}}`
    Named(String),
}

/// A piece of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// Stays as it is.
    Text(String),
    /// A prompt argument, and its spelling without blanks inside the braces.
    Marker {
        /// What it stands for.
        argument: Argument,
        /// `{{$ARGUMENTS.topic}}`
        literal: String,
    },
}

/// A file that travels with a unit; its bytes stay with the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Opaque.
    pub id: String,
    /// Relative to the unit's directory.
    pub path: String,
    /// In bytes.
    pub size: u64,
    /// Whether it may be run.
    pub executable: bool,
    /// `sha256:` and 64 hexadecimal digits.
    pub hash: String,
}

/// The portable tools policy and this target's own rules.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tools {
    /// `read`, `search`, `write`, `shell`, `mcp` in the author's order.
    pub portable: Object,
    /// Native grants.
    pub allow: Vec<String>,
    /// Native denials.
    pub deny: Vec<String>,
}

/// A skill with everything settled for one target.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Skill {
    /// The unit.
    pub selector: String,
    /// Its `SKILL.md`.
    pub source_path: String,
    /// Keys for this target.
    pub frontmatter: Object,
    /// Set in `metadata` over the authored ones.
    pub generated_metadata: Object,
    /// The target's block after the cascade.
    pub block: Object,
    /// The preprocessed body.
    pub body: Vec<Segment>,
    /// The policy, when there is one.
    pub tools: Option<Tools>,
    /// One rule each.
    pub allowed_tools: Vec<String>,
    /// When the author said so.
    pub implicit_invocation: Option<bool>,
    /// SemVer.
    pub version: String,
    /// Files that travel.
    pub resources: Vec<Resource>,
}

/// A skill as its plugin's manifest sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillRef {
    /// The unit.
    pub selector: String,
    /// Its directory below `skills/`.
    pub effective_name: String,
    /// Its description.
    pub description: String,
}

/// A plugin with everything settled for one target.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plugin {
    /// The unit.
    pub selector: String,
    /// Its `skillset.yaml`.
    pub source_path: String,
    /// Its directory name.
    pub id: String,
    /// SemVer.
    pub version: String,
    /// Name, description, author, listing and so on.
    pub metadata: Object,
    /// The target's block after the cascade.
    pub block: Object,
    /// The skills that this target has.
    pub skills: Vec<SkillRef>,
    /// Files that may travel.
    pub resources: Vec<Resource>,
    /// The MCP configuration as authored.
    pub mcp: Option<Value>,
    /// The resource that holds its bytes.
    pub mcp_resource: Option<String>,
}

/// What stands in one output.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Frontmatter and body.
    Document {
        /// The host sorts its keys.
        frontmatter: Object,
        /// Markdown.
        body: String,
    },
    /// A value: JSON, or YAML where the path ends so.
    Json(Value),
    /// As it is.
    Text(String),
    /// The bytes of the resource with this id.
    Copy(String),
}

/// One file.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// Relative to the workspace.
    pub path: String,
    /// Whether it may be run.
    pub executable: bool,
    /// What stands in it.
    pub content: Content,
}

/// A place in a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Relative to the workspace.
    pub path: String,
    /// First byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

/// Something to tell the author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Lowercase letters, digits and hyphens.
    pub code: String,
    /// How severe.
    pub severity: Severity,
    /// One sentence.
    pub message: String,
    /// What mends it.
    pub help: Option<String>,
    /// Where.
    pub span: Option<Span>,
}

impl Diagnostic {
    /// A diagnostic without help or place.
    #[must_use]
    pub fn new(severity: Severity, code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            severity,
            message: message.into(),
            help: None,
            span: None,
        }
    }

    /// Says what mends it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// How one feature reached the target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Realization {
    /// The documented name.
    pub feature: String,
    /// How.
    pub tier: Tier,
    /// What was written.
    pub rule: String,
    /// What the target still permits.
    pub residual_risk: Option<String>,
}

/// A feature that the target cannot carry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortfall {
    /// The documented name.
    pub feature: String,
    /// Whether the unit still means something without it.
    pub lossy: bool,
    /// One sentence.
    pub message: String,
    /// What mends it.
    pub help: Option<String>,
}

/// The answer to one call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rendered {
    /// Files.
    pub outputs: Vec<Output>,
    /// Messages.
    pub diagnostics: Vec<Diagnostic>,
    /// How features arrived.
    pub realizations: Vec<Realization>,
    /// What did not arrive.
    pub shortfalls: Vec<Shortfall>,
}

impl Rendered {
    /// Adds a Markdown file with frontmatter.
    pub fn document(&mut self, path: String, frontmatter: Object, body: String) {
        self.outputs.push(Output {
            path,
            executable: false,
            content: Content::Document { frontmatter, body },
        });
    }

    /// Adds a JSON or YAML file.
    pub fn json(&mut self, path: String, value: Value) {
        self.outputs.push(Output {
            path,
            executable: false,
            content: Content::Json(value),
        });
    }

    /// Adds the bytes of a resource.
    pub fn copy(&mut self, path: String, resource: &Resource) {
        self.outputs.push(Output {
            path,
            executable: resource.executable,
            content: Content::Copy(resource.id.clone()),
        });
    }

    /// Says how a feature arrived.
    pub fn realize(&mut self, feature: &str, tier: Tier, rule: impl Into<String>, risk: &str) {
        self.realizations.push(Realization {
            feature: feature.to_owned(),
            tier,
            rule: rule.into(),
            residual_risk: (!risk.is_empty()).then(|| risk.to_owned()),
        });
    }

    /// Says what the target cannot carry at all.
    pub fn unsupported(&mut self, feature: &str, message: impl Into<String>) {
        self.shortfalls.push(Shortfall {
            feature: feature.to_owned(),
            lossy: false,
            message: message.into(),
            help: None,
        });
    }

    /// Says what is lost while the rest arrives.
    pub fn lossy(&mut self, feature: &str, message: impl Into<String>) {
        self.shortfalls.push(Shortfall {
            feature: feature.to_owned(),
            lossy: true,
            message: message.into(),
            help: None,
        });
    }
}
