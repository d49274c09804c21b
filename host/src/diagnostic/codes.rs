//! The closed table of codes. A code that is not in it does not compile; each has a page in `docs/codes/`.

use std::fmt;

/// How severe a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Blocks the write.
    Error,
    /// Should be mended.
    Warning,
    /// Good to know.
    Info,
}

/// A stable code: kebab-case, area first, says the fault. Its meaning is never reused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Code {
    name: &'static str,
    severity: Severity,
    title: &'static str,
}

impl Code {
    /// `frontmatter-duplicate-key`
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Before any policy.
    #[must_use]
    pub const fn severity(self) -> Severity {
        self.severity
    }

    /// One line.
    #[must_use]
    pub const fn title(self) -> &'static str {
        self.title
    }

    /// Every code, in table order.
    #[must_use]
    pub const fn all() -> &'static [Self] {
        ALL
    }

    /// The code of that name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        ALL.iter().copied().find(|code| code.name == name)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

macro_rules! codes {
    ($($id:ident $name:literal $severity:ident $title:literal;)*) => {
        impl Code {
            $(#[doc = $title] pub const $id: Self = Self { name: $name, severity: Severity::$severity, title: $title };)*
        }
        const ALL: &[Code] = &[$(Code::$id),*];
    };
}

// Grouped by area; within an area in reading order.
codes! {
    // workspace and tree
    WORKSPACE_MISSING "workspace-missing" Error "There is no skillset.yaml here or above";
    WORKSPACE_EMPTY "workspace-empty" Error "The workspace holds no skill and no plugin";
    LAYOUT_RETIRED "layout-retired" Error "The source lies where an older layout had it";
    SOURCE_UNREADABLE "source-unreadable" Error "A source file cannot be read";
    SOURCE_NOT_UTF8 "source-not-utf8" Error "A source file is not UTF-8";
    SOURCE_UTF16 "source-utf16" Error "A source file is UTF-16";
    PATH_NOT_UTF8 "path-not-utf8" Error "A file name is not UTF-8";
    PATH_CASE_COLLISION "path-case-collision" Error "Two entries differ only by case or Unicode form";
    PATH_UNPORTABLE "path-unportable" Error "A file name cannot exist on every system";
    SYMLINK_ESCAPES "symlink-escapes" Error "A symbolic link leaves the workspace";
    SYMLINK_LOOP "symlink-loop" Error "A symbolic link leads back to itself";
    SYMLINK_BROKEN "symlink-broken" Error "A symbolic link leads nowhere";
    ENTRY_WRONG_KIND "entry-wrong-kind" Error "A directory stands where a file must be";
    TREE_TOO_DEEP "tree-too-deep" Error "A source tree is nested too deep";
    // yaml
    YAML_SYNTAX "yaml-syntax" Error "The YAML cannot be parsed";
    YAML_UNQUOTED_COLON "yaml-unquoted-colon" Error "A plain value holds a colon and must be quoted";
    YAML_TAB "yaml-tab" Error "A tab indents YAML";
    YAML_DUPLICATE_KEY "yaml-duplicate-key" Error "A mapping has one key twice";
    YAML_TOO_BIG "yaml-too-big" Error "A YAML document is larger than the limit";
    YAML_MERGE_CONFLICT "yaml-merge-conflict" Error "A file holds merge conflict markers";
    // configuration
    CONFIG_UNKNOWN_KEY "config-unknown-key" Error "A key is not known here";
    CONFIG_WRONG_TYPE "config-wrong-type" Error "A value has the wrong type";
    CONFIG_BAD_VALUE "config-bad-value" Error "A value is not one of those allowed";
    CONFIG_UNKNOWN_TARGET "config-unknown-target" Error "A target is not known";
    CONFIG_UNKNOWN_UNIT "config-unknown-unit" Error "A configured id names no unit";
    CONFIG_SCHEMA_UNSUPPORTED "config-schema-unsupported" Error "The schema version is not supported";
    CONFIG_OUTPUT_ROOT_UNSAFE "config-output-root-unsafe" Error "An output root lies where none may lie";
    CONFIG_NO_TARGETS "config-no-targets" Error "The list of targets is empty";
    CONFIG_VERSION_INLINE "config-version-inline" Warning "Release state is the authority for versions";
    CONFIG_EXTRA_AUTHOR_KEY "config-extra-author-key" Warning "An author has a key that no standard knows";
    // frontmatter
    FRONTMATTER_MISSING "frontmatter-missing" Error "A skill has no frontmatter";
    FRONTMATTER_UNCLOSED "frontmatter-unclosed" Error "Frontmatter is not closed";
    FRONTMATTER_NOT_A_MAPPING "frontmatter-not-a-mapping" Error "Frontmatter is not a mapping";
    FRONTMATTER_KEY_TYPO "frontmatter-key-typo" Error "A key is a slip of a known one";
    FRONTMATTER_UNKNOWN_KEY "frontmatter-unknown-key" Warning "A key is not known";
    FRONTMATTER_WRONG_TYPE "frontmatter-wrong-type" Error "A field has the wrong type";
    FRONTMATTER_BAD_VALUE "frontmatter-bad-value" Error "A field's value is not allowed";
    // skills
    SKILL_DESCRIPTION_MISSING "skill-description-missing" Error "A skill has no description";
    SKILL_DESCRIPTION_TOO_LONG "skill-description-too-long" Error "A description is longer than 1024 characters";
    SKILL_DESCRIPTION_ANGLE_BRACKETS "skill-description-angle-brackets" Warning "A description holds angle brackets";
    SKILL_NAME_MISMATCH "skill-name-mismatch" Error "The name differs from the directory";
    SKILL_IDENTITY_KEY "skill-identity-key" Error "A skill sets its identity or version under skillset";
    SKILL_LEAF_INVALID "skill-leaf-invalid" Error "A skill's directory name is not a valid id";
    SKILL_LEAF_DUPLICATE "skill-leaf-duplicate" Error "Two skills of one container have the same leaf";
    SKILL_FILE_NAME "skill-file-name" Error "The skill's file is not named SKILL.md";
    SKILL_NESTED "skill-nested" Warning "A SKILL.md lies inside another skill";
    SKILL_RESERVED_DIRECTORY "skill-reserved-directory" Error "A directory that begins with an underscore is reserved";
    SKILL_STATUS_INVALID "skill-status-invalid" Error "A status is neither draft nor absent";
    SKILL_VERSION_INVALID "skill-version-invalid" Error "A version is not SemVer";
    SKILL_MODEL_NOT_PORTABLE "skill-model-not-portable" Warning "A top-level model is not portable";
    SKILL_IMPLICIT_INVOCATION_CONFLICT "skill-implicit-invocation-conflict" Error "implicit_invocation stands beside its native twin";
    SKILL_BODY_LONG "skill-body-long" Warning "A body is longer than some clients read";
    SKILL_DOLLAR_TEXT "skill-dollar-text" Warning "A client would substitute dollar text in a body";
    SKILL_COMMAND_TOO_LONG "skill-command-too-long" Warning "plugin:skill is longer than 64 characters";
    DRAFT_DESCRIPTION_TRUNCATED "draft-description-truncated" Warning "A draft's description is cut to make room for its prefix";
    // plugins
    PLUGIN_ID_INVALID "plugin-id-invalid" Error "A plugin's directory name is not a valid id";
    PLUGIN_MANIFEST_MISSING "plugin-manifest-missing" Error "A plugin has no skillset.yaml";
    PLUGIN_NAME_MISMATCH "plugin-name-mismatch" Error "The plugin's name differs from its directory";
    PLUGIN_MCP_INVALID "plugin-mcp-invalid" Error "A plugin's MCP configuration cannot be read";
    PLUGIN_ROOT_HOOKS "plugin-root-hooks" Error "hooks.json lies at the plugin's root";
    PACKAGE_NESTED_SKILL "package-nested-skill" Error "A package would hide a nested skill";
    // licence
    LICENCE_UNKNOWN "licence-unknown" Error "A licence id is not known";
    LICENCE_NONE_WITH_FILE "licence-none-with-file" Error "licence none stands beside LICENSE.txt";
    // tools
    TOOLS_INVALID "tools-invalid" Error "The tools policy is malformed";
    TOOLS_CONTRADICTION "tools-contradiction" Error "A native rule allows what the policy denies";
    ALLOWED_TOOLS_UNSUPPORTED "allowed-tools-unsupported" Error "A target cannot carry allowed_tools";
    // resources and links
    RESOURCE_INVALID "resource-invalid" Error "A resource entry is malformed";
    RESOURCE_MISSING "resource-missing" Error "A resource does not exist";
    RESOURCE_PATH_UNSAFE "resource-path-unsafe" Error "A resource path is absolute or leaves its scope";
    RESOURCE_SCOPE "resource-scope" Error "A resource names a scope that this skill has not";
    RESOURCE_COLLISION "resource-collision" Error "Two inputs have one destination";
    RESOURCE_UNDECLARED_LINK "resource-undeclared-link" Error "A link names a shared file that is not declared";
    RESOURCE_SCRIPT_NOT_EXECUTABLE "resource-script-not-executable" Warning "A script lacks its executable bit";
    RESOURCE_BROKEN_COPY_LINK "resource-broken-copy-link" Warning "A copied file's relative link breaks";
    RESOURCE_UNDERSCORE_NAME "resource-underscore-name" Warning "A copied file begins with an underscore";
    LINK_LEAVES_SKILL "link-leaves-skill" Warning "A relative link leaves the skill";
    LINK_TARGET_MISSING "link-target-missing" Warning "A relative link leads nowhere";
    // preprocessing
    PREPROCESS_SYNTAX "preprocess-syntax" Error "A reserved expression is malformed";
    PREPROCESS_FIELD_MISSING "preprocess-field-missing" Error "An expression names a field that is not set";
    PREPROCESS_PARTIAL_MISSING "preprocess-partial-missing" Error "A partial does not exist";
    PREPROCESS_PARTIAL_AMBIGUOUS "preprocess-partial-ambiguous" Error "Several partials have that name";
    PREPROCESS_CYCLE "preprocess-cycle" Error "Partials include each other";
    PREPROCESS_PATH_UNSAFE "preprocess-path-unsafe" Error "An include leaves its scope";
    PREPROCESS_INCLUDE_MISSING "preprocess-include-missing" Error "An included file does not exist";
    PREPROCESS_UNDECLARED "preprocess-undeclared" Error "A reference names a shared file that is not declared";
    PREPROCESS_ARGUMENTS_OFF "preprocess-arguments-off" Error "Prompt arguments are switched off";
    PREPROCESS_TOO_BIG "preprocess-too-big" Error "Expansion passes the limit";
    // renderers
    RENDERER_TRAP "renderer-trap" Error "A renderer trapped";
    RENDERER_LIMIT_FUEL "renderer-limit-fuel" Error "A renderer ran too long";
    RENDERER_LIMIT_MEMORY "renderer-limit-memory" Error "A renderer wanted too much memory";
    RENDERER_LIMIT_OUTPUT "renderer-limit-output" Error "A renderer returned too much";
    RENDERER_BAD_OUTPUT "renderer-bad-output" Error "A renderer returned something that is not valid";
    RENDERER_PATH_REFUSED "renderer-path-refused" Error "A renderer wants to write where it may not";
    RENDERER_REFUSED "renderer-refused" Error "A component is not an acceptable renderer";
    RENDERER_UNLOCKED "renderer-unlocked" Error "A renderer differs from the lock or is not in it";
    RENDERER_FUEL_HIGH "renderer-fuel-high" Warning "A renderer used more than half of its fuel";
    RENDERER_MESSAGE "renderer-message" Error "A renderer reported a problem";
    // features and standards
    FEATURE_UNSUPPORTED "feature-unsupported" Error "A target cannot carry a feature of the source";
    FEATURE_LOSSY "feature-lossy" Error "A target loses a part of the source";
    STANDARD_UNSUPPORTED "standard-unsupported" Warning "A standard cannot represent a unit";
    STANDARD_SCHEMA "standard-schema" Error "An output does not fit its standard's schema";
    PACKAGE_KEY_HELD_BACK "package-key-held-back" Info "A provider's key is kept out of a shared file";
    PACKAGE_KEY_ADDED "package-key-added" Info "A provider's key stands in a shared file";
    METADATA_VALUE_TEXT "metadata-value-text" Info "A metadata value is written as text";
    AUTHOR_FIELD_DROPPED "author-field-dropped" Info "A manifest does not know an author field";
    // outputs
    OUTPUT_COLLISION "output-collision" Error "Two units write one path";
    OUTPUT_CONFLICT "output-conflict" Error "Two renderers disagree about one file";
    OUTPUT_CASE_COLLISION "output-case-collision" Error "Two outputs differ only by case";
    OUTPUT_UNMANAGED_REPLACED "output-unmanaged-replaced" Warning "A file that was not ours is replaced after a snapshot";
    OUTPUT_EDITED_REPLACED "output-edited-replaced" Warning "An edited output is replaced after a snapshot";
    OUTPUT_FOREIGN_MANIFEST "output-foreign-manifest" Warning "A foreign plugin manifest stands above an output root";
    OUTPUT_MISSING "output-missing" Error "A managed file is missing";
    OUTPUT_STALE "output-stale" Error "A managed file is out of date";
    OUTPUT_EDITED "output-edited" Error "A managed file was edited";
    OUTPUT_MODE "output-mode" Error "A managed file has another mode";
    OUTPUT_UNMANAGED "output-unmanaged" Info "A file that is not ours lies among managed files";
    // locks, plans, writes
    LOCK_DAMAGED "lock-damaged" Error "A lock cannot be trusted";
    LOCK_CONFLICT "lock-conflict" Error "A lock holds merge conflict markers";
    LOCK_TOO_NEW "lock-too-new" Error "A lock has a newer schema";
    PLAN_STALE "plan-stale" Error "The plan is not the previewed one";
    PLAN_BLOCKED "plan-blocked" Error "The plan would overwrite edited files";
    WRITE_UNFINISHED "write-unfinished" Error "An earlier write was interrupted";
    WRITE_FAILED "write-failed" Error "A file cannot be written";
    UNIT_SKIPPED "unit-skipped" Warning "A unit was left out";
    // discovery runtime
    DISCOVERY_ROOT_UNREADABLE "discovery-root-unreadable" Warning "A skills directory cannot be read";
    DISCOVERY_CUSTOM_MISSING "discovery-custom-missing" Warning "A custom directory does not exist";
    DISCOVERY_ROOT_IS_SKILL "discovery-root-is-skill" Warning "A skills directory is itself a skill";
    DISCOVERY_LINK_BROKEN "discovery-link-broken" Warning "A link in a skills directory leads nowhere";
    DISCOVERY_SKILL_UNREADABLE "discovery-skill-unreadable" Warning "A skill cannot be read";
    DISCOVERY_FRONTMATTER_MISSING "discovery-frontmatter-missing" Warning "A discovered skill has no frontmatter";
    DISCOVERY_FRONTMATTER_INVALID "discovery-frontmatter-invalid" Warning "The frontmatter of a discovered skill is not YAML";
    DISCOVERY_NAME_REFUSED "discovery-name-refused" Warning "A skill has a name that is not safe";
    DISCOVERY_NAME_UNUSUAL "discovery-name-unusual" Warning "A skill has a name outside the Agent Skills rule";
    DISCOVERY_COLLISION "discovery-collision" Warning "Two skills have one name";
    DISCOVERY_PATTERN_INVALID "discovery-pattern-invalid" Warning "A filter pattern is malformed";
    DISCOVERY_PLUGIN_INVALID "discovery-plugin-invalid" Warning "An installed plugin's entry is malformed";
    DISCOVERY_SETTING_INVALID "discovery-setting-invalid" Warning "A discovery setting is not understood";
    DISCOVERY_CONTEXT_UNREADABLE "discovery-context-unreadable" Warning "A context file cannot be read";
    SKILL_URL_INVALID "skill-url-invalid" Error "A skill URL is malformed";
    SKILL_URL_REFUSED "skill-url-refused" Error "A skill URL leaves the skill's directory";
    SKILL_URL_NOT_FOUND "skill-url-not-found" Error "A skill URL leads to no file";
    SKILL_COMMAND_INVALID "skill-command-invalid" Error "A skill command cannot be carried out";
    SKILL_UNKNOWN "skill-unknown" Error "No discovered skill has that name";
}
