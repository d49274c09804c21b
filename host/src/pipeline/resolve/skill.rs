//! Settles one skill.

use std::sync::Arc;

use serde_json::Value as Json;

use crate::diagnostic::{Code, Diagnostic, Span};
use crate::model::config::{Metadata, PluginConfig};
use crate::model::id::TargetId;
use crate::model::item::Provenance;
use crate::model::node::Node;
use crate::model::path::RelPath;
use crate::model::renderer::{
    Description, Layout, Object, PlacementInfo, ResourceInfo, SkillRequest, TargetKind, UnitKind,
};
use crate::model::unit::SkillUnit;

use super::licence::Licence;
use super::targets::{Enabled, Site};
use super::{
    Context, GeneratedFiles, Place, ResolvedSkill, SkillJob, cascade, frontmatter, licence,
    resources, targets, tools, version,
};

/// Files beside `SKILL.md` that never travel as they are.
const NOT_COPIED: [&str; 3] = ["SKILL.md", "CHANGELOG.md", "LICENSE.txt"];

/// What a draft's description begins with.
const DRAFT_PREFIX: &str = "[SKILLSET DRAFT] ";

/// Settles a skill for every target; `None` when something makes that impossible.
pub(super) fn skill(
    unit: &SkillUnit,
    plugin: Option<&PluginConfig>,
    draft_name: Option<&String>,
    context: &Context<'_>,
    findings: &mut Vec<Diagnostic>,
) -> Option<ResolvedSkill> {
    let node = &unit.document.frontmatter;
    let path = &unit.document.path;
    let (version, authority) = version::version(
        &context.released,
        &unit.selector,
        Some(node),
        plugin,
        context.config,
    );
    let scopes = licence_scopes(Some(unit), plugin, context);
    let licence = take(licence::licence(&scopes, context.tree), findings);
    let mut generated = GeneratedFiles::new();
    let shared = match node.get("resources") {
        Some(node) => take(
            resources::resources(node, path, &unit.container, &unit.files, context.tree),
            findings,
        ),
        None => resources::Resources::default(),
    };
    let infos = resource_infos(unit, &shared.copies, &licence, context, &mut generated);
    let known = context.target_ids();

    let descriptions: Vec<&Description> = context
        .targets
        .iter()
        .map(|(_, description)| description)
        .collect();
    let metadata = generated_metadata(unit, &version, context);
    let mut states = Vec::new();
    let mut jobs = Vec::new();
    let mut modelled = true;
    for (target, description) in &context.targets {
        let file = node.get(target.as_str());
        let enabled = targets::for_unit(
            context.config,
            description,
            target,
            plugin,
            file,
            unit.leaf.as_str(),
        );
        let layers = cascade::Layers::new(context.config, plugin, target, "skills").with_file(file);
        let block = layers.block();
        let Some((site, unit_kind)) = site(unit, plugin, description, target, context) else {
            continue;
        };
        states.push(enabled.state(target));
        if enabled != Enabled::Yes {
            continue;
        }
        modelled &= description.kind == TargetKind::Standard || has_model(&block);
        let name = draft_name.map_or_else(|| unit.leaf.to_string(), Clone::clone);
        let plugin_id = plugin.map(|plugin| plugin.id.to_string());
        let Some(directory) = site.directory(target, plugin_id.as_deref(), Some(&name)) else {
            continue;
        };
        let mut matter = frontmatter::for_target(node, description, &descriptions);
        if unit.draft.is_some() {
            mark_draft(&mut matter, unit, findings);
        }
        jobs.push(SkillJob {
            target: target.clone(),
            request: SkillRequest {
                selector: unit.selector.to_string(),
                source_path: path.to_string(),
                frontmatter: matter,
                generated_metadata: metadata.clone(),
                block,
                body: Vec::new(),
                tools: node
                    .get("tools")
                    .and_then(|node| take(tools::tools_for(node, path, target, &known), findings)),
                allowed_tools: allowed_tools(node, path, target, description, &known, findings),
                implicit_invocation: node.get("implicit_invocation").and_then(|node| {
                    take(
                        tools::implicit_invocation_for(node, path, target, &known),
                        findings,
                    )
                }),
                version: version.clone(),
                resources: infos.clone(),
            },
            place: place(site, unit_kind, directory, name, plugin_id, unit),
        });
    }
    model_warning(node, path, modelled, findings);
    let provenance = Provenance {
        source: path.clone(),
        source_hash: super::source_hash(&unit.selector.to_string(), &unit.files),
        version,
        version_authority: authority,
        licence: recorded(&licence),
        resources: shared
            .copies
            .iter()
            .map(|copy| copy.source.clone())
            .collect(),
        dependencies: Vec::new(),
        metadata: context.config.compile.metadata,
        target_states: states,
        draft_origin: unit.draft,
        shipped_sibling: unit.shipped_sibling.clone(),
    };
    Some(ResolvedSkill {
        unit: unit.clone(),
        provenance,
        declared: shared.declared,
        generated,
        jobs,
    })
}

fn take<T>(found: crate::diagnostic::Found<T>, findings: &mut Vec<Diagnostic>) -> T {
    findings.extend(found.findings);
    found.value
}

/// Where a target puts this skill; `None` when it has no such place.
fn site(
    unit: &SkillUnit,
    plugin: Option<&PluginConfig>,
    description: &Description,
    target: &TargetId,
    context: &Context<'_>,
) -> Option<(Site, UnitKind)> {
    match (plugin, unit.draft) {
        (None, None) => Some((
            targets::standalone(context.config, description, target)?,
            UnitKind::Skill,
        )),
        (None, Some(_)) => Some((
            targets::project_use(description, UnitKind::Skill)?,
            UnitKind::Skill,
        )),
        (Some(_), None) => {
            let site = targets::plugin(context.config, description, target)?;
            description.claim(UnitKind::PluginSkill, site.layout)?;
            Some((site, UnitKind::PluginSkill))
        }
        // A plugin's draft is never published; only project-use selection places it.
        (Some(_), Some(_)) => None,
    }
}

fn place(
    site: Site,
    unit_kind: UnitKind,
    directory: RelPath,
    name: String,
    plugin: Option<String>,
    unit: &SkillUnit,
) -> Place {
    Place {
        info: PlacementInfo {
            unit: unit_kind,
            layout: site.layout,
            directory: directory.to_string(),
            effective_name: name,
            plugin,
            draft: unit.draft.is_some(),
        },
        role: super::layout_role(site.layout),
        selection_rule: (site.layout == Layout::ProjectUse)
            .then(|| "workspace drafts: side-by-side".to_owned()),
        root: site.root,
        directory,
    }
}

fn resource_infos(
    unit: &SkillUnit,
    shared: &[resources::ResourceCopy],
    licence: &Licence,
    context: &Context<'_>,
    generated: &mut GeneratedFiles,
) -> Vec<ResourceInfo> {
    let own = unit
        .files
        .iter()
        .filter(|file| !NOT_COPIED.contains(&file.path.as_str()))
        .map(|file| ResourceInfo {
            id: file.source.to_string(),
            path: file.path.to_string(),
            size: file.file.size,
            executable: file.file.executable,
            hash: file.file.hash,
        });
    let copies = shared.iter().map(|copy| ResourceInfo {
        id: copy.source.to_string(),
        path: copy.dest.to_string(),
        size: copy.size,
        executable: copy.executable,
        hash: copy.hash,
    });
    let mut infos: Vec<ResourceInfo> = own.chain(copies).collect();
    infos.extend(licence_info(licence, context, generated));
    infos
}

/// What decides about the licence, innermost first.
pub(super) fn licence_scopes<'a>(
    skill: Option<&'a SkillUnit>,
    plugin: Option<&'a PluginConfig>,
    context: &'a Context<'_>,
) -> Vec<licence::Scope<'a>> {
    let own = skill.map(|unit| {
        let node = unit
            .document
            .frontmatter
            .get("skillset")
            .and_then(|node| node.get("license"));
        let setting = node.and_then(|node| {
            Some((
                node.scalar()?,
                Span::new(&unit.document.path, node.span.clone()),
            ))
        });
        licence::Scope {
            setting,
            directory: unit.directory.clone(),
        }
    });
    let setting = |metadata: &'a Metadata| {
        metadata
            .licence
            .as_ref()
            .map(|placed| (placed.value.as_str(), placed.span.clone()))
    };
    let plugin = plugin.map(|plugin| licence::Scope {
        setting: setting(&plugin.metadata),
        directory: plugin.directory.clone(),
    });
    let workspace = RelPath::new(".skillset")
        .ok()
        .map(|directory| licence::Scope {
            setting: setting(&context.config.metadata),
            directory,
        });
    own.into_iter().chain(plugin).chain(workspace).collect()
}

/// A licence as locks record it.
pub(super) fn recorded(licence: &Licence) -> Option<String> {
    match licence {
        Licence::Spdx(id) => Some(id.clone()),
        Licence::File(path) => Some(path.to_string()),
        Licence::None => None,
    }
}

/// `LICENSE.txt` as a resource: a copy of the scope's file, or a notice of ours.
pub(super) fn licence_info(
    licence: &Licence,
    context: &Context<'_>,
    generated: &mut GeneratedFiles,
) -> Option<ResourceInfo> {
    let path = "LICENSE.txt".to_owned();
    match licence {
        Licence::None => None,
        Licence::File(source) => {
            let file = context.tree.file(source)?;
            Some(ResourceInfo {
                id: source.to_string(),
                path,
                size: file.size,
                executable: false,
                hash: file.hash,
            })
        }
        Licence::Spdx(spdx) => {
            let notice = licence::notice(spdx, "this directory");
            let id = "licence-notice".to_owned();
            let hash = crate::model::id::Sha256::of(notice.as_bytes());
            let info = ResourceInfo {
                id: id.clone(),
                path,
                size: notice.len() as u64,
                executable: false,
                hash,
            };
            generated.insert(id, Arc::from(notice.into_bytes()));
            Some(info)
        }
    }
}

/// The rules of `allowed_tools` and, for targets that know the key, of the native `allowed-tools`.
fn allowed_tools(
    node: &Node,
    path: &RelPath,
    target: &TargetId,
    description: &Description,
    known: &[TargetId],
    findings: &mut Vec<Diagnostic>,
) -> Vec<String> {
    let standard = description.kind == TargetKind::Standard;
    let mut rules = Vec::new();
    if let Some(own) = node.get("allowed_tools")
        && (own.is_map() || !standard)
    {
        rules.extend(take(
            tools::allowed_tools_for(own, path, target, standard, known),
            findings,
        ));
    }
    if let Some(native) = node.get("allowed-tools")
        && description.knows_key("allowed-tools")
    {
        rules.extend(take(tools::native_allowed_tools(native, path), findings));
    }
    rules
}

fn generated_metadata(unit: &SkillUnit, version: &str, context: &Context<'_>) -> Object {
    let mut metadata = Object::new();
    if context.config.compile.metadata {
        metadata.insert("version".to_owned(), Json::String(version.to_owned()));
        metadata.insert("skillset.schema".to_owned(), Json::String("1".to_owned()));
    }
    if unit.draft.is_some() {
        metadata.insert("internal".to_owned(), Json::Bool(true));
    }
    metadata
}

/// Prefixes a draft's description, and cuts it where only the prefix makes it too long.
fn mark_draft(frontmatter: &mut Object, unit: &SkillUnit, findings: &mut Vec<Diagnostic>) {
    let Some(Json::String(description)) = frontmatter.get_mut("description") else {
        return;
    };
    let mut text = format!("{DRAFT_PREFIX}{description}");
    if text.chars().count() > super::MAX_DESCRIPTION_CHARS {
        text = text
            .chars()
            .take(super::MAX_DESCRIPTION_CHARS - 1)
            .chain(['\u{2026}'])
            .collect();
        findings.push(
            Diagnostic::new(
                Code::DRAFT_DESCRIPTION_TRUNCATED,
                "the draft's description is cut to make room for its prefix",
            )
            .at(Span::whole(&unit.document.path)),
        );
    }
    *description = text;
}

fn has_model(block: &Object) -> bool {
    block.contains_key("model")
        || block
            .get("frontmatter")
            .is_some_and(|inner| inner.get("model").is_some())
}

fn model_warning(node: &Node, path: &RelPath, modelled: bool, findings: &mut Vec<Diagnostic>) {
    if let Some(member) = node.member("model")
        && !modelled
    {
        findings.push(
            Diagnostic::new(
                Code::SKILL_MODEL_NOT_PORTABLE,
                "a top-level `model` names one provider's model, and other targets do not know it",
            )
            .at(Span::new(path, member.key_span.clone()))
            .help("give each enabled target its own: `<target>: {model: ...}`"),
        );
    }
}
