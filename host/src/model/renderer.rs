//! What the host and a renderer say to each other, in plain types. `sandbox/worlds/` converts them to each world's own.
//! Meaning of every field: `wit/renderer-0.1.0/renderer.wit`.

use serde_json::{Map, Value as Json};

use super::id::Sha256;

/// A JSON object with keys in order.
pub type Object = Map<String, Json>;

/// What kind of target a renderer renders for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TargetKind {
    /// An agent that an author switches on by name.
    Provider,
    /// An open standard, which applies to every unit that it can represent.
    Standard,
}

/// What one placement holds.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum UnitKind {
    /// A skill of the workspace.
    Skill,
    /// A skill of a plugin.
    PluginSkill,
    /// A plugin.
    Plugin,
}

/// Where the files of a placement lie.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
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

/// How a feature of the source reaches a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
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

/// One kind of placement that a renderer can write.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Claim {
    /// What it holds.
    pub unit: UnitKind,
    /// How its files lie.
    pub layout: Layout,
    /// The default root: `.claude/skills`.
    pub root: String,
    /// Whether this renderer owns `SKILL.md` and the manifest there.
    pub owns_documents: bool,
    /// Whether others may add keys to files that this one owns.
    pub extra_keys_open: bool,
}

/// A feature and how it reaches this target.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Feature {
    /// The documented name.
    pub name: String,
    /// How.
    pub tier: Tier,
    /// What to know about it.
    pub note: Option<String>,
}

/// Who a renderer is, as it says itself.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Description {
    /// The key in `skillset.yaml`. Checked to be an id.
    pub id: String,
    /// For people.
    pub display_name: String,
    /// SemVer.
    pub version: String,
    /// Provider or standard.
    pub kind: TargetKind,
    /// What it can write, and where.
    pub claims: Vec<Claim>,
    /// JSON Schema of the top-level frontmatter keys it knows.
    pub native_keys: Json,
    /// JSON Schema of its block.
    pub block_schema: Json,
    /// How each feature reaches it.
    pub features: Vec<Feature>,
}

impl Description {
    /// The claim for one kind of placement.
    #[must_use]
    pub fn claim(&self, unit: UnitKind, layout: Layout) -> Option<&Claim> {
        self.claims
            .iter()
            .find(|claim| claim.unit == unit && claim.layout == layout)
    }

    /// Whether the target lists this top-level frontmatter key as its own.
    #[must_use]
    pub fn knows_key(&self, key: &str) -> bool {
        self.native_keys
            .get("properties")
            .and_then(|properties| properties.get(key))
            .is_some()
    }

    /// How a feature reaches this target; `None` when it does not say.
    #[must_use]
    pub fn tier(&self, feature: &str) -> Option<Tier> {
        self.features
            .iter()
            .find(|f| f.name == feature)
            .map(|f| f.tier)
    }
}

/// The destination of one unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacementInfo {
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
    /// A prompt argument and its spelling without blanks.
    Marker {
        /// What it stands for.
        argument: Argument,
        /// `{{$ARGUMENTS.topic}}`
        literal: String,
    },
}

/// A file that travels with a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceInfo {
    /// Opaque to the renderer; the host's name for the source file.
    pub id: String,
    /// Relative to the unit's directory.
    pub path: String,
    /// In bytes.
    pub size: u64,
    /// Becomes mode 0755.
    pub executable: bool,
    /// Of the file's bytes.
    pub hash: Sha256,
}

/// The tools policy for one target.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolsInfo {
    /// `read`, `search`, `write`, `shell`, `mcp` in the author's order.
    pub portable: Object,
    /// This target's own grants.
    pub allow: Vec<String>,
    /// This target's own denials.
    pub deny: Vec<String>,
}

/// A skill with everything settled for one target.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillRequest {
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
    pub tools: Option<ToolsInfo>,
    /// One rule each.
    pub allowed_tools: Vec<String>,
    /// When the author said so.
    pub implicit_invocation: Option<bool>,
    /// SemVer.
    pub version: String,
    /// Files that travel.
    pub resources: Vec<ResourceInfo>,
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
#[derive(Debug, Clone, PartialEq)]
pub struct PluginRequest {
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
    pub resources: Vec<ResourceInfo>,
    /// The MCP configuration as authored.
    pub mcp: Option<Json>,
    /// The resource that holds its bytes.
    pub mcp_resource: Option<String>,
}

/// What a renderer wants at one path.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Frontmatter and body.
    Document {
        /// The host sorts its keys.
        frontmatter: Object,
        /// Markdown.
        body: String,
    },
    /// A value: JSON, or YAML where the path says so.
    Json(Json),
    /// As it is.
    Text(String),
    /// The bytes of a resource.
    Copy(String),
}

/// One file of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// Relative to the workspace. Not checked yet.
    pub path: String,
    /// Becomes mode 0755.
    pub executable: bool,
    /// What stands in it.
    pub content: Content,
}

/// How severe a renderer's message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Leaves the unit out.
    Error,
    /// Should be mended.
    Warning,
    /// Good to know.
    Info,
}

/// A message of a renderer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its own stable code.
    pub code: String,
    /// How severe.
    pub level: Level,
    /// One sentence.
    pub message: String,
    /// What mends it.
    pub help: Option<String>,
    /// Path and byte offsets in a source file. Not checked yet.
    pub span: Option<(String, u32, u32)>,
}

/// How one feature reached the target.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Realization {
    /// The documented name.
    pub feature: String,
    /// How.
    pub tier: Tier,
    /// What was written.
    pub rule: String,
    /// What the target still permits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub residual_risk: Option<String>,
}

/// A feature of the source that the target cannot carry.
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

/// The answer of one call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// Files.
    pub outputs: Vec<Output>,
    /// Messages.
    pub messages: Vec<Message>,
    /// How features arrived.
    pub realizations: Vec<Realization>,
    /// What did not.
    pub shortfalls: Vec<Shortfall>,
}

/// A renderer that broke the contract or a limit. One line for its user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breach {
    /// `renderer-trap`, `renderer-limit-fuel`, `renderer-bad-output` and so on: a code of `diagnostic/codes.rs`.
    pub code: crate::diagnostic::Code,
    /// One sentence, with control characters removed.
    pub message: String,
    /// Backtrace, last log line, or the line to write in `skillset.yaml`.
    pub help: Option<String>,
}

/// Something that renders. The sandbox implements it for components; the benchmark for native code.
pub trait Renderer: Send + Sync {
    /// What it said about itself.
    fn description(&self) -> &Description;
    /// SHA-256 of the component's bytes.
    fn digest(&self) -> Sha256;
    /// Renders a skill.
    ///
    /// # Errors
    /// When the renderer breaks the contract or a limit.
    fn render_skill(
        &self,
        skill: &SkillRequest,
        placement: &PlacementInfo,
    ) -> Result<Answer, Breach>;
    /// Renders a plugin.
    ///
    /// # Errors
    /// When the renderer breaks the contract or a limit.
    fn render_plugin(
        &self,
        plugin: &PluginRequest,
        placement: &PlacementInfo,
    ) -> Result<Answer, Breach>;
}
