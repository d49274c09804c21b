//! World 0.1: generated bindings, and conversions between them and the model.

use wasmtime::component::{Component, HasSelf, Linker};
use wasmtime::{Engine, Store};

use super::super::call::State;
use super::super::limits::{MAX_MESSAGE_BYTES, MAX_MESSAGES, MAX_OUTPUTS};
use super::super::text::{clip, sanitize};
use super::{Failure, World};
use crate::diagnostic::Code;
use crate::model::renderer as model;

mod bindings {
    wasmtime::component::bindgen!({
        path: "../wit/renderer-0.1.0",
        world: "renderer-component",
    });
}

use bindings::exports::skillset::renderer::renderer as wit;
use bindings::skillset::renderer::log;

impl log::Host for State {
    fn log(&mut self, _level: log::Level, message: String) {
        self.keep_log_line(&message);
    }
}

/// A linked component.
pub(in super::super) struct V0_1(bindings::RendererComponentPre<State>);

impl V0_1 {
    pub(super) fn link(engine: &Engine, component: &Component) -> wasmtime::Result<Self> {
        let mut linker = Linker::<State>::new(engine);
        log::add_to_linker::<State, HasSelf<State>>(&mut linker, |state| state)?;
        let pre = linker.instantiate_pre(component)?;
        Ok(Self(bindings::RendererComponentPre::new(pre)?))
    }

    fn start(&self, store: &mut Store<State>) -> wasmtime::Result<bindings::RendererComponent> {
        let instance = self.0.instantiate(&mut *store)?;
        store.data_mut().started = true;
        Ok(instance)
    }
}

impl World for V0_1 {
    fn describe(&self, store: &mut Store<State>) -> Result<model::Description, Failure> {
        let instance = self.start(store)?;
        let guest = instance.skillset_renderer_renderer();
        to_description(guest.call_describe(store)?)
    }

    fn render_skill(
        &self,
        store: &mut Store<State>,
        skill: &model::SkillRequest,
        placement: &model::PlacementInfo,
    ) -> Result<model::Answer, Failure> {
        let instance = self.start(store)?;
        let guest = instance.skillset_renderer_renderer();
        to_answer(guest.call_render_skill(store, &from_skill(skill), &from_placement(placement))?)
    }

    fn render_plugin(
        &self,
        store: &mut Store<State>,
        plugin: &model::PluginRequest,
        placement: &model::PlacementInfo,
    ) -> Result<model::Answer, Failure> {
        let instance = self.start(store)?;
        let guest = instance.skillset_renderer_renderer();
        to_answer(guest.call_render_plugin(
            store,
            &from_plugin(plugin),
            &from_placement(placement),
        )?)
    }
}

// Two enums with the same cases, in both directions where both are needed.
macro_rules! same_cases {
    ($from:ty => $to:ty, $name:ident: $($case:ident),*) => {
        const fn $name(value: $from) -> $to {
            match value { $(<$from>::$case => <$to>::$case),* }
        }
    };
}
same_cases!(wit::TargetKind => model::TargetKind, to_target_kind: Provider, Standard);
same_cases!(wit::UnitKind => model::UnitKind, to_unit: Skill, PluginSkill, Plugin);
same_cases!(model::UnitKind => wit::UnitKind, from_unit: Skill, PluginSkill, Plugin);
same_cases!(wit::Layout => model::Layout, to_layout: Standalone, Package, Bundle, ProjectUse);
same_cases!(model::Layout => wit::Layout, from_layout: Standalone, Package, Bundle, ProjectUse);
same_cases!(wit::Tier => model::Tier, to_tier: Native, Transformed, MetadataOnly, PassThrough, Unsupported);
same_cases!(wit::Severity => model::Level, to_level: Error, Warning, Info);

fn from_placement(at: &model::PlacementInfo) -> wit::Placement {
    wit::Placement {
        unit: from_unit(at.unit),
        layout: from_layout(at.layout),
        directory: at.directory.clone(),
        effective_name: at.effective_name.clone(),
        plugin: at.plugin.clone(),
        draft: at.draft,
    }
}

fn from_object(object: &model::Object) -> String {
    serde_json::to_string(object).unwrap_or_default()
}

fn from_segment(segment: &model::Segment) -> wit::Segment {
    match segment {
        model::Segment::Text(text) => wit::Segment::Text(text.clone()),
        model::Segment::Marker { argument, literal } => wit::Segment::Marker(wit::Marker {
            argument: match argument {
                model::Argument::Whole => wit::Argument::Whole,
                model::Argument::Index(index) => wit::Argument::Index(*index),
                model::Argument::Named(name) => wit::Argument::Named(name.clone()),
            },
            literal: literal.clone(),
        }),
    }
}

fn from_resource(resource: &model::ResourceInfo) -> wit::Resource {
    wit::Resource {
        id: resource.id.clone(),
        path: resource.path.clone(),
        size: resource.size,
        executable: resource.executable,
        hash: resource.hash.to_string(),
    }
}

fn from_skill(skill: &model::SkillRequest) -> wit::Skill {
    wit::Skill {
        selector: skill.selector.clone(),
        source_path: skill.source_path.clone(),
        frontmatter: from_object(&skill.frontmatter),
        generated_metadata: from_object(&skill.generated_metadata),
        block: from_object(&skill.block),
        body: skill.body.iter().map(from_segment).collect(),
        tools: skill.tools.as_ref().map(|tools| wit::Tools {
            portable: from_object(&tools.portable),
            allow: tools.allow.clone(),
            deny: tools.deny.clone(),
        }),
        allowed_tools: skill.allowed_tools.clone(),
        implicit_invocation: skill.implicit_invocation,
        version: skill.version.clone(),
        resources: skill.resources.iter().map(from_resource).collect(),
    }
}

fn from_plugin(plugin: &model::PluginRequest) -> wit::Plugin {
    wit::Plugin {
        selector: plugin.selector.clone(),
        source_path: plugin.source_path.clone(),
        id: plugin.id.clone(),
        version: plugin.version.clone(),
        metadata: from_object(&plugin.metadata),
        block: from_object(&plugin.block),
        skills: plugin
            .skills
            .iter()
            .map(|skill| wit::SkillRef {
                selector: skill.selector.clone(),
                effective_name: skill.effective_name.clone(),
                description: skill.description.clone(),
            })
            .collect(),
        resources: plugin.resources.iter().map(from_resource).collect(),
        mcp: plugin.mcp.as_ref().map(ToString::to_string),
        mcp_resource: plugin.mcp_resource.clone(),
    }
}

fn to_description(from: wit::Description) -> Result<model::Description, Failure> {
    check_count("claims", from.claims.len(), MAX_MESSAGES)?;
    check_count("features", from.features.len(), MAX_MESSAGES)?;
    Ok(model::Description {
        id: to_line("id", &from.id)?,
        display_name: to_line("display-name", &from.display_name)?,
        version: to_line("version", &from.version)?,
        kind: to_target_kind(from.kind),
        claims: from
            .claims
            .into_iter()
            .map(|claim| model::Claim {
                unit: to_unit(claim.unit),
                layout: to_layout(claim.layout),
                root: claim.root,
                owns_documents: claim.owns_documents,
                extra_keys_open: claim.extra_keys == wit::ExtraKeys::Open,
            })
            .collect(),
        native_keys: to_object("native-keys", &from.native_keys)?.into(),
        block_schema: to_object("block-schema", &from.block_schema)?.into(),
        features: from
            .features
            .into_iter()
            .map(|feature| {
                Ok(model::Feature {
                    name: to_line("name of a feature", &feature.name)?,
                    tier: to_tier(feature.tier),
                    note: to_optional_line("note of a feature", feature.note)?,
                })
            })
            .collect::<Result<_, Failure>>()?,
    })
}

fn to_answer(from: wit::Rendered) -> Result<model::Answer, Failure> {
    check_count("outputs", from.outputs.len(), MAX_OUTPUTS)?;
    check_count("diagnostics", from.diagnostics.len(), MAX_MESSAGES)?;
    check_count("realizations", from.realizations.len(), MAX_MESSAGES)?;
    check_count("shortfalls", from.shortfalls.len(), MAX_MESSAGES)?;
    Ok(model::Answer {
        outputs: from
            .outputs
            .into_iter()
            .map(to_output)
            .collect::<Result<_, _>>()?,
        messages: from
            .diagnostics
            .into_iter()
            .map(to_message)
            .collect::<Result<_, _>>()?,
        realizations: from
            .realizations
            .into_iter()
            .map(|it| {
                Ok(model::Realization {
                    feature: to_line("feature of a realization", &it.feature)?,
                    tier: to_tier(it.tier),
                    rule: to_line("rule of a realization", &it.rule)?,
                    residual_risk: to_optional_line("risk of a realization", it.residual_risk)?,
                })
            })
            .collect::<Result<_, Failure>>()?,
        shortfalls: from
            .shortfalls
            .into_iter()
            .map(|it| {
                Ok(model::Shortfall {
                    feature: to_line("feature of a shortfall", &it.feature)?,
                    lossy: it.lossy,
                    message: to_line("message of a shortfall", &it.message)?,
                    help: to_optional_line("help of a shortfall", it.help)?,
                })
            })
            .collect::<Result<_, Failure>>()?,
    })
}

fn to_output(from: wit::Output) -> Result<model::Output, Failure> {
    let content = match from.content {
        wit::Content::Document(document) => model::Content::Document {
            frontmatter: to_object(&from.path, &document.frontmatter)?,
            body: document.body,
        },
        wit::Content::Json(text) => model::Content::Json(to_json(&from.path, &text)?),
        wit::Content::Text(text) => model::Content::Text(text),
        wit::Content::Copy(id) => model::Content::Copy(id),
    };
    Ok(model::Output {
        path: from.path,
        executable: from.executable,
        content,
    })
}

fn to_message(from: wit::Diagnostic) -> Result<model::Message, Failure> {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    if from.code.is_empty() || !from.code.bytes().all(plain) {
        return Err(unusable(format!(
            "the code `{}` of a diagnostic is not made of lowercase letters, digits and hyphens",
            sanitize(clip(&from.code, 100))
        )));
    }
    Ok(model::Message {
        code: to_line("code of a diagnostic", &from.code)?,
        level: to_level(from.severity),
        message: to_line("message of a diagnostic", &from.message)?,
        help: to_optional_line("help of a diagnostic", from.help)?,
        span: from.span.map(|span| (span.path, span.start, span.end)),
    })
}

fn to_line(what: &str, text: &str) -> Result<String, Failure> {
    if text.len() > MAX_MESSAGE_BYTES {
        let message = format!(
            "the {what} has {} bytes, more than the limit of {MAX_MESSAGE_BYTES}",
            text.len()
        );
        return Err(Failure::Unusable(Code::RENDERER_LIMIT_OUTPUT, message));
    }
    Ok(sanitize(text))
}

fn to_optional_line(what: &str, text: Option<String>) -> Result<Option<String>, Failure> {
    text.map(|text| to_line(what, &text)).transpose()
}

fn to_json(what: &str, text: &str) -> Result<serde_json::Value, Failure> {
    serde_json::from_str(text).map_err(|error| {
        unusable(format!(
            "`{}` is not JSON: {error}",
            sanitize(clip(what, 200))
        ))
    })
}

fn to_object(what: &str, text: &str) -> Result<model::Object, Failure> {
    match to_json(what, text)? {
        serde_json::Value::Object(object) => Ok(object),
        _ => Err(unusable(format!(
            "`{}` holds JSON that is not an object",
            sanitize(clip(what, 200))
        ))),
    }
}

fn check_count(what: &str, count: usize, limit: usize) -> Result<(), Failure> {
    if count > limit {
        let message = format!("the answer has {count} {what}, more than the limit of {limit}");
        return Err(Failure::Unusable(Code::RENDERER_LIMIT_OUTPUT, message));
    }
    Ok(())
}

const fn unusable(message: String) -> Failure {
    Failure::Unusable(Code::RENDERER_BAD_OUTPUT, message)
}
