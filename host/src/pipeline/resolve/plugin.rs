//! Settles one plugin.

use serde_json::Value as Json;

use crate::diagnostic::{Code, Diagnostic, Span};
use crate::model::config::{McpSource, Metadata, Placed};
use crate::model::item::Provenance;
use crate::model::node::{Node, Value};
use crate::model::path::RelPath;
use crate::model::renderer::{
    Object, PlacementInfo, PluginRequest, ResourceInfo, SkillRef, UnitKind,
};
use crate::model::selector::Selector;
use crate::model::unit::PluginUnit;

use super::licence::Licence;
use super::skill::{licence_info, licence_scopes, recorded};
use super::targets::Enabled;
use super::{
    Context, GeneratedFiles, Place, PluginJob, ResolvedPlugin, ResolvedSkill, cascade, licence,
    targets, version,
};

/// The file that holds a plugin's MCP configuration by convention.
const MCP_FILE: &str = ".mcp.json";

/// Companions that never travel.
const NOT_COPIED: [&str; 2] = ["CHANGELOG.md", "LICENSE.txt"];

/// Settles a plugin for every target.
pub(super) fn plugin(
    unit: &PluginUnit,
    skills: &[ResolvedSkill],
    context: &Context<'_>,
    findings: &mut Vec<Diagnostic>,
) -> Option<ResolvedPlugin> {
    let selector = Selector::Plugin(unit.id.clone());
    let config = &unit.config;
    let (version, authority) = version::version(
        &context.released,
        &selector,
        None,
        Some(config),
        context.config,
    );
    let found = licence::licence(&licence_scopes(None, Some(config), context), context.tree);
    findings.extend(found.findings);
    let licence = found.value;
    let mut generated = GeneratedFiles::new();
    let mcp = mcp(unit, context, findings);
    let resources = resource_infos(unit, &licence, mcp.as_ref(), context, &mut generated);
    let metadata = metadata(&config.metadata, context, &licence);
    let mut states = Vec::new();
    let mut jobs = Vec::new();
    for (target, description) in &context.targets {
        let Some(site) = targets::plugin(context.config, description, target) else {
            continue;
        };
        if description.claim(UnitKind::Plugin, site.layout).is_none() {
            continue;
        }
        let enabled = targets::for_unit(
            context.config,
            description,
            target,
            Some(config),
            None,
            unit.id.as_str(),
        );
        states.push(enabled.state(target));
        if enabled != Enabled::Yes {
            continue;
        }
        let Some(directory) = site.directory(target, Some(unit.id.as_str()), None) else {
            continue;
        };
        let own: Vec<SkillRef> = skills
            .iter()
            .filter(|skill| skill.unit.container.plugin() == Some(&unit.id))
            .filter_map(|skill| {
                let job = skill
                    .jobs
                    .iter()
                    .find(|job| job.target == *target && job.place.info.layout == site.layout)?;
                Some(SkillRef {
                    selector: job.request.selector.clone(),
                    effective_name: job.place.info.effective_name.clone(),
                    description: job
                        .request
                        .frontmatter
                        .get("description")
                        .and_then(Json::as_str)
                        .unwrap_or_default()
                        .to_owned(),
                })
            })
            .collect();
        jobs.push(PluginJob {
            target: target.clone(),
            request: PluginRequest {
                selector: selector.to_string(),
                source_path: config.path.to_string(),
                id: unit.id.to_string(),
                version: version.clone(),
                metadata: metadata.clone(),
                block: cascade::Layers::new(context.config, Some(config), target, "plugins")
                    .block(),
                skills: own,
                resources: resources.clone(),
                mcp: mcp.as_ref().map(|(_, value)| value.clone()),
                mcp_resource: mcp.as_ref().map(|(path, _)| path.to_string()),
            },
            place: Place {
                info: PlacementInfo {
                    unit: UnitKind::Plugin,
                    layout: site.layout,
                    directory: directory.to_string(),
                    effective_name: unit.id.to_string(),
                    plugin: Some(unit.id.to_string()),
                    draft: false,
                },
                role: None,
                selection_rule: None,
                root: site.root,
                directory,
            },
        });
    }
    let mut files = unit.files.clone();
    if let Some(file) = context.tree.file(&config.path)
        && let Ok(path) = RelPath::new("skillset.yaml")
    {
        files.push(crate::model::unit::UnitFile {
            path,
            source: config.path.clone(),
            file: file.clone(),
        });
    }
    let provenance = Provenance {
        source: config.path.clone(),
        source_hash: super::source_hash(&selector.to_string(), &files),
        version,
        version_authority: authority,
        licence: recorded(&licence),
        resources: Vec::new(),
        dependencies: Vec::new(),
        metadata: context.config.compile.metadata,
        target_states: states,
        draft_origin: None,
        shipped_sibling: None,
    };
    Some(ResolvedPlugin {
        unit: unit.clone(),
        provenance,
        generated,
        jobs,
    })
}

/// The MCP configuration and the file that holds it.
fn mcp(
    unit: &PluginUnit,
    context: &Context<'_>,
    findings: &mut Vec<Diagnostic>,
) -> Option<(RelPath, Json)> {
    let beside = unit.config.directory.join(MCP_FILE).ok()?;
    let (path, required) = match &unit.config.mcp {
        McpSource::Off => return None,
        McpSource::Beside => (beside, None),
        McpSource::Required(span) => (beside, Some(span.clone())),
        McpSource::Path(placed) => (placed.value.clone(), Some(placed.span.clone())),
    };
    if context.tree.file(&path).is_none() {
        if let Some(span) = required {
            findings.push(
                Diagnostic::new(Code::PLUGIN_MCP_INVALID, format!("`{path}` does not exist"))
                    .at(span)
                    .help("write the file, or set `mcp: false`"),
            );
        }
        return None;
    }
    let text = context.sources.get(&path)?;
    match serde_json::from_str::<Json>(text) {
        Ok(value) if value.is_object() => Some((path, value)),
        Ok(_) => {
            findings.push(
                Diagnostic::new(
                    Code::PLUGIN_MCP_INVALID,
                    "the MCP configuration must be a JSON object",
                )
                .at(Span::whole(&path)),
            );
            None
        }
        Err(error) => {
            let start = offset(text, error.line(), error.column());
            findings.push(
                Diagnostic::new(
                    Code::PLUGIN_MCP_INVALID,
                    format!("the MCP configuration is not JSON: {error}"),
                )
                .at(Span::new(&path, start..start)),
            );
            None
        }
    }
}

fn offset(text: &str, line: usize, column: usize) -> u32 {
    let start: usize = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    u32::try_from(start + column.saturating_sub(1)).unwrap_or(u32::MAX)
}

fn resource_infos(
    unit: &PluginUnit,
    licence: &Licence,
    mcp: Option<&(RelPath, Json)>,
    context: &Context<'_>,
    generated: &mut GeneratedFiles,
) -> Vec<ResourceInfo> {
    let mut infos: Vec<ResourceInfo> = unit
        .files
        .iter()
        .filter(|file| !NOT_COPIED.contains(&file.path.as_str()) && file.path.as_str() != MCP_FILE)
        .map(|file| ResourceInfo {
            id: file.source.to_string(),
            path: file.path.to_string(),
            size: file.file.size,
            executable: file.file.executable,
            hash: file.file.hash,
        })
        .collect();
    if let Some((path, _)) = mcp
        && let Some(file) = context.tree.file(path)
    {
        infos.push(ResourceInfo {
            id: path.to_string(),
            path: MCP_FILE.to_owned(),
            size: file.size,
            executable: false,
            hash: file.hash,
        });
    }
    infos.extend(licence_info(licence, context, generated));
    infos
}

fn metadata(own: &Metadata, context: &Context<'_>, licence: &Licence) -> Object {
    let mut object = Object::new();
    let root = &context.config.metadata;
    let mut put = |key: &str, value: Option<Json>| {
        if let Some(value) = value {
            object.insert(key.to_owned(), value);
        }
    };
    let text = |placed: &Option<Placed<String>>| {
        placed
            .as_ref()
            .map(|placed| Json::String(placed.value.clone()))
    };
    put("name", text(&own.name));
    put("description", text(&own.description));
    put(
        "author",
        own.author.as_ref().or(root.author.as_ref()).map(author),
    );
    put("homepage", text(&own.homepage));
    put("repository", text(&own.repository));
    if let Licence::Spdx(id) = licence {
        put("license", Some(Json::String(id.clone())));
    }
    if !own.keywords.is_empty() {
        put("keywords", Some(Json::from(own.keywords.clone())));
    }
    put("manifest", own.manifest.as_ref().map(Node::to_json));
    put("listing", own.listing.as_ref().map(Node::to_json));
    object
}

/// A plain string is the author's name.
fn author(node: &Node) -> Json {
    match &node.value {
        Value::String(name) => {
            Json::Object(std::iter::once(("name".to_owned(), Json::String(name.clone()))).collect())
        }
        _ => node.to_json(),
    }
}
