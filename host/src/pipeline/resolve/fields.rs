//! The rules of a skill's own frontmatter fields (`spec/01`).

use std::collections::BTreeSet;

use crate::diagnostic::{Code, Diagnostic, Span, nearest};
use crate::model::id::TargetId;
use crate::model::node::{Member, Node, Value};
use crate::model::renderer::Description;
use crate::model::unit::SkillUnit;

/// The most characters of a description (Agent Skills).
pub const MAX_DESCRIPTION_CHARS: usize = 1024;

/// Fields of the Agent Skills standard.
pub const STANDARD_KEYS: [&str; 6] = [
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
];

/// Fields of ours: they steer the compiler and never reach an output under their own name.
pub const OWN_KEYS: [&str; 16] = [
    "title",
    "summary",
    "version",
    "status",
    "tools",
    "allowed_tools",
    "resources",
    "implicit_invocation",
    "model",
    "dialect",
    "hooks",
    "mcp",
    "bin",
    "supports",
    "dependencies",
    "skillset",
];

/// Keys that belong to configuration and have no meaning in a skill.
const CONFIGURATION_KEYS: [&str; 6] = [
    "compile",
    "defaults",
    "targets",
    "distributions",
    "marketplaces",
    "changes",
];

/// The native twin of `implicit_invocation`.
const NATIVE_INVOCATION_KEY: &str = "disable-model-invocation";

/// Checks every field of a skill. Errors leave the skill out.
pub(super) fn check(
    unit: &SkillUnit,
    targets: &[(TargetId, Description)],
    findings: &mut Vec<Diagnostic>,
) {
    let check = Check {
        unit,
        targets,
        frontmatter: &unit.document.frontmatter,
    };
    check.description(findings);
    check.name(findings);
    check.skillset(findings);
    check.scalars(findings);
    check.keys(findings);
    check.invocation(findings);
}

struct Check<'a> {
    unit: &'a SkillUnit,
    targets: &'a [(TargetId, Description)],
    frontmatter: &'a Node,
}

impl Check<'_> {
    fn span(&self, node: &Node) -> Span {
        Span::new(&self.unit.document.path, node.span.clone())
    }

    fn key_span(&self, member: &Member) -> Span {
        Span::new(&self.unit.document.path, member.key_span.clone())
    }

    fn wrong_type(&self, key: &str, node: &Node, expected: &str) -> Diagnostic {
        Diagnostic::new(
            Code::FRONTMATTER_WRONG_TYPE,
            format!("`{key}` must be {expected}, not {}", node.kind()),
        )
        .at(self.span(node))
    }

    fn description(&self, findings: &mut Vec<Diagnostic>) {
        let missing = |message: &str| {
            Diagnostic::new(Code::SKILL_DESCRIPTION_MISSING, message.to_owned())
                .help("add `description:` with one or two sentences: what the skill does and when to use it")
        };
        let Some(node) = self.frontmatter.get("description") else {
            findings.push(
                missing("the skill has no `description`")
                    .at(Span::new(&self.unit.document.path, 0..3)),
            );
            return;
        };
        let Some(text) = node.scalar() else {
            findings.push(if matches!(node.value, Value::Null) {
                missing("`description` is empty").at(self.span(node))
            } else {
                self.wrong_type("description", node, "text")
            });
            return;
        };
        let length = text.trim().chars().count();
        if length == 0 {
            findings.push(missing("`description` is blank").at(self.span(node)));
        } else if length > MAX_DESCRIPTION_CHARS {
            findings.push(
                Diagnostic::new(
                    Code::SKILL_DESCRIPTION_TOO_LONG,
                    format!("`description` has {length} characters; at most {MAX_DESCRIPTION_CHARS} are allowed"),
                )
                .at(self.span(node))
                .help(format!("shorten it by {} characters; details belong in the body", length - MAX_DESCRIPTION_CHARS)),
            );
        }
        if text.contains('<') && text.contains('>') {
            findings.push(
                Diagnostic::new(
                    Code::SKILL_DESCRIPTION_ANGLE_BRACKETS,
                    "`description` holds angle brackets, which some clients refuse",
                )
                .at(self.span(node))
                .help("write the word without angle brackets"),
            );
        }
    }

    fn name(&self, findings: &mut Vec<Diagnostic>) {
        let Some(node) = self.frontmatter.get("name") else {
            return;
        };
        let leaf = self.unit.leaf.as_str();
        match node.scalar() {
            Some(name) if name == leaf => {}
            Some(name) => findings.push(
                Diagnostic::new(
                    Code::SKILL_NAME_MISMATCH,
                    format!("`name` is `{name}`, but the directory is `{leaf}`"),
                )
                .at(self.span(node))
                .help(format!(
                    "write `name: {leaf}`, leave `name` out, or rename the directory"
                )),
            ),
            None => findings.push(self.wrong_type("name", node, "text")),
        }
    }

    fn skillset(&self, findings: &mut Vec<Diagnostic>) {
        let Some(node) = self.frontmatter.get("skillset") else {
            return;
        };
        if !node.is_map() {
            findings.push(self.wrong_type("skillset", node, "a mapping"));
            return;
        }
        for member in node.members() {
            match member.key.as_str() {
                key @ ("name" | "id" | "version") => {
                    let top = if key == "version" {
                        "top-level `version`"
                    } else {
                        "the directory's name"
                    };
                    findings.push(
                        Diagnostic::new(
                            Code::SKILL_IDENTITY_KEY,
                            format!("`skillset.{key}` is not allowed in a skill"),
                        )
                        .at(self.key_span(member))
                        .help(format!("use {top}")),
                    );
                }
                "schema" if member.node.scalar() != Some("1") => findings.push(
                    Diagnostic::new(
                        Code::CONFIG_SCHEMA_UNSUPPORTED,
                        "`skillset.schema` must be 1",
                    )
                    .at(self.span(&member.node))
                    .help("write `schema: 1`, or update skillset"),
                ),
                "preprocess" if member.node.as_bool().is_none() => {
                    findings.push(self.wrong_type(
                        "skillset.preprocess",
                        &member.node,
                        "true or false",
                    ));
                }
                "schema" | "preprocess" | "license" | "origin" => {}
                key => {
                    let known = ["schema", "preprocess", "license", "origin"];
                    let mut finding = Diagnostic::new(
                        Code::CONFIG_UNKNOWN_KEY,
                        format!("`skillset.{key}` is not known in a skill"),
                    )
                    .at(self.key_span(member));
                    if let Some(near) = nearest(key, known) {
                        finding = finding.help(format!("did you mean `{near}`?"));
                    }
                    findings.push(finding);
                }
            }
        }
    }

    fn scalars(&self, findings: &mut Vec<Diagnostic>) {
        for key in ["title", "summary", "license", "compatibility", "model"] {
            if let Some(node) = self.frontmatter.get(key)
                && node.scalar().is_none()
                && !matches!(node.value, Value::Null)
            {
                findings.push(self.wrong_type(key, node, "text"));
            }
        }
        if let Some(node) = self.frontmatter.get("metadata")
            && !node.is_map()
            && !matches!(node.value, Value::Null)
        {
            findings.push(self.wrong_type("metadata", node, "a mapping"));
        }
        if let Some(node) = self.frontmatter.get("version")
            && node
                .scalar()
                .is_none_or(|text| semver::Version::parse(text).is_err())
        {
            findings.push(
                Diagnostic::new(
                    Code::SKILL_VERSION_INVALID,
                    format!(
                        "`{}` is not a version of the form 1.2.3 (SemVer)",
                        node.scalar().unwrap_or(node.kind())
                    ),
                )
                .at(self.span(node))
                .help("write three numbers, for example `version: 1.0.0`"),
            );
        }
        if let Some(node) = self.frontmatter.get("status")
            && node.scalar() != Some("draft")
        {
            findings.push(
                Diagnostic::new(
                    Code::SKILL_STATUS_INVALID,
                    format!(
                        "`status` is `{}`; it may only be `draft`",
                        node.scalar().unwrap_or(node.kind())
                    ),
                )
                .at(self.span(node))
                .help("write `status: draft`, or leave `status` out for a shipped skill"),
            );
        }
        if let Some(node) = self.frontmatter.get("dialect")
            && !self
                .targets
                .iter()
                .any(|(id, _)| Some(id.as_str()) == node.scalar())
        {
            findings.push(
                Diagnostic::new(
                    Code::FRONTMATTER_BAD_VALUE,
                    "`dialect` is not one that we know",
                )
                .at(self.span(node))
                .help("leave `dialect` out"),
            );
        }
    }

    /// A slip of a known key is an error; any other unknown key is a warning and goes to the providers.
    fn keys(&self, findings: &mut Vec<Diagnostic>) {
        for member in self.frontmatter.members() {
            let key = member.key.as_str();
            let target = self.targets.iter().any(|(id, _)| id.as_str() == key);
            if target {
                self.target_block(member, findings);
                continue;
            }
            if STANDARD_KEYS.contains(&key)
                || OWN_KEYS.contains(&key)
                || self.targets.iter().any(|(_, d)| d.knows_key(key))
            {
                continue;
            }
            if CONFIGURATION_KEYS.contains(&key) {
                findings.push(
                    Diagnostic::new(
                        Code::CONFIG_UNKNOWN_KEY,
                        format!("`{key}` belongs in `skillset.yaml`, not in a skill"),
                    )
                    .at(self.key_span(member)),
                );
                continue;
            }
            let known: BTreeSet<&str> = STANDARD_KEYS.iter().chain(&OWN_KEYS).copied().collect();
            let slip = known
                .iter()
                .find(|known| key.chars().count() >= 5 && strsim::osa_distance(key, known) == 1);
            findings.push(match slip {
                Some(known) => Diagnostic::new(Code::FRONTMATTER_KEY_TYPO, format!("`{key}` is not a key; `{known}` is"))
                    .at(self.key_span(member))
                    .help(format!("write `{known}:`")),
                None => {
                    let finding = Diagnostic::new(
                        Code::FRONTMATTER_UNKNOWN_KEY,
                        format!("`{key}` is not a key that we or a target know; it goes to the providers unchanged"),
                    )
                    .at(self.key_span(member));
                    match nearest(key, known) {
                        Some(near) => finding.help(format!("did you mean `{near}`?")),
                        None => finding.help("put a key for one target into that target's block: `<target>: {frontmatter: {...}}`"),
                    }
                }
            });
        }
    }

    fn target_block(&self, member: &Member, findings: &mut Vec<Diagnostic>) {
        let key = &member.key;
        if !member.node.is_map() && member.node.as_bool().is_none() {
            findings.push(self.wrong_type(key, &member.node, "true, false or a mapping"));
        }
        for (inner, mend) in [
            ("tools", "write `tools: {<target>: ...}` at the top level"),
            ("defaults", "defaults belong in `skillset.yaml`"),
        ] {
            if let Some(block) = member.node.member(inner) {
                findings.push(
                    Diagnostic::new(
                        if inner == "tools" {
                            Code::TOOLS_INVALID
                        } else {
                            Code::CONFIG_UNKNOWN_KEY
                        },
                        format!("`{key}.{inner}` is not allowed in a skill"),
                    )
                    .at(self.key_span(block))
                    .help(mend.replace("<target>", key)),
                );
            }
        }
    }

    fn invocation(&self, findings: &mut Vec<Diagnostic>) {
        if let (Some(own), Some(native)) = (
            self.frontmatter.member("implicit_invocation"),
            self.frontmatter.member(NATIVE_INVOCATION_KEY),
        ) {
            findings.push(
                Diagnostic::new(
                    Code::SKILL_IMPLICIT_INVOCATION_CONFLICT,
                    format!("`implicit_invocation` and `{NATIVE_INVOCATION_KEY}` say the same thing twice"),
                )
                .at(self.key_span(own))
                .related(self.key_span(native), "the native key")
                .help(format!("keep `implicit_invocation` and remove `{NATIVE_INVOCATION_KEY}`")),
            );
        }
    }
}
