//! The generated bindings and the conversion between them and the plain types.
//! In: a renderer's three functions. Out: the exports of the component. Depends on: types. Never: decides what is rendered.

#![allow(
    unsafe_code,
    missing_docs,
    unreachable_pub,
    clippy::all,
    clippy::use_self,
    clippy::allow_attributes_without_reason,
    reason = "most of this module is generated"
)]

use std::marker::PhantomData;
use std::sync::Once;

use serde_json::Value;

use crate::types as plain;

wit_bindgen::generate!({
    path: "wit",
    world: "renderer-component",
    pub_export_macro: true,
    export_macro_name: "export_renderer",
    default_bindings_module: "skillset_renderer::bindings",
});

use exports::skillset::renderer::renderer as wire;
use skillset::renderer::log::{Level, log};

/// Turns a `Renderer` into the component's exports.
pub struct Adapter<T>(PhantomData<T>);

/// Without it a panic reaches the host as a bare `unreachable`.
fn report_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|info| log(Level::Error, &info.to_string())));
    });
}

impl<T: crate::Renderer + 'static> wire::Guest for Adapter<T> {
    fn describe() -> wire::Description {
        report_panics();
        description(T::describe())
    }

    fn render_skill(request: wire::Skill, at: wire::Placement) -> wire::Rendered {
        report_panics();
        rendered(match skill(request) {
            Ok(request) => T::render_skill(&request, &placement(at)),
            Err(fault) => unreadable(&fault),
        })
    }

    fn render_plugin(request: wire::Plugin, at: wire::Placement) -> wire::Rendered {
        report_panics();
        rendered(match plugin(request) {
            Ok(request) => T::render_plugin(&request, &placement(at)),
            Err(fault) => unreadable(&fault),
        })
    }
}

/// Writes one line for the host's `--verbose`.
pub fn log_line(message: &str) {
    log(Level::Info, message);
}

fn unreadable(fault: &serde_json::Error) -> plain::Rendered {
    let message = format!("the host sent JSON that cannot be read: {fault}");
    plain::Rendered {
        diagnostics: vec![plain::Diagnostic::new(
            plain::Severity::Error,
            "request-unreadable",
            message,
        )],
        ..plain::Rendered::default()
    }
}

type Read<T> = Result<T, serde_json::Error>;

fn skill(it: wire::Skill) -> Read<plain::Skill> {
    let tools = match it.tools {
        None => None,
        Some(tools) => Some(plain::Tools {
            portable: serde_json::from_str(&tools.portable)?,
            allow: tools.allow,
            deny: tools.deny,
        }),
    };
    Ok(plain::Skill {
        selector: it.selector,
        source_path: it.source_path,
        frontmatter: serde_json::from_str(&it.frontmatter)?,
        generated_metadata: serde_json::from_str(&it.generated_metadata)?,
        block: serde_json::from_str(&it.block)?,
        body: it.body.into_iter().map(segment).collect(),
        tools,
        allowed_tools: it.allowed_tools,
        implicit_invocation: it.implicit_invocation,
        version: it.version,
        resources: it.resources.into_iter().map(resource).collect(),
    })
}

fn plugin(it: wire::Plugin) -> Read<plain::Plugin> {
    let mcp: Option<Value> = match &it.mcp {
        None => None,
        Some(text) => Some(serde_json::from_str(text)?),
    };
    Ok(plain::Plugin {
        selector: it.selector,
        source_path: it.source_path,
        id: it.id,
        version: it.version,
        metadata: serde_json::from_str(&it.metadata)?,
        block: serde_json::from_str(&it.block)?,
        skills: it
            .skills
            .into_iter()
            .map(|skill| plain::SkillRef {
                selector: skill.selector,
                effective_name: skill.effective_name,
                description: skill.description,
            })
            .collect(),
        resources: it.resources.into_iter().map(resource).collect(),
        mcp,
        mcp_resource: it.mcp_resource,
    })
}

fn placement(it: wire::Placement) -> plain::Placement {
    plain::Placement {
        unit: match it.unit {
            wire::UnitKind::Skill => plain::UnitKind::Skill,
            wire::UnitKind::PluginSkill => plain::UnitKind::PluginSkill,
            wire::UnitKind::Plugin => plain::UnitKind::Plugin,
        },
        layout: match it.layout {
            wire::Layout::Standalone => plain::Layout::Standalone,
            wire::Layout::Package => plain::Layout::Package,
            wire::Layout::Bundle => plain::Layout::Bundle,
            wire::Layout::ProjectUse => plain::Layout::ProjectUse,
        },
        directory: it.directory,
        effective_name: it.effective_name,
        plugin: it.plugin,
        draft: it.draft,
    }
}

fn segment(it: wire::Segment) -> plain::Segment {
    match it {
        wire::Segment::Text(text) => plain::Segment::Text(text),
        wire::Segment::Marker(marker) => plain::Segment::Marker {
            argument: match marker.argument {
                wire::Argument::Whole => plain::Argument::Whole,
                wire::Argument::Index(index) => plain::Argument::Index(index),
                wire::Argument::Named(name) => plain::Argument::Named(name),
            },
            literal: marker.literal,
        },
    }
}

fn resource(it: wire::Resource) -> plain::Resource {
    plain::Resource {
        id: it.id,
        path: it.path,
        size: it.size,
        executable: it.executable,
        hash: it.hash,
    }
}

fn tier(it: plain::Tier) -> wire::Tier {
    match it {
        plain::Tier::Native => wire::Tier::Native,
        plain::Tier::Transformed => wire::Tier::Transformed,
        plain::Tier::MetadataOnly => wire::Tier::MetadataOnly,
        plain::Tier::PassThrough => wire::Tier::PassThrough,
        plain::Tier::Unsupported => wire::Tier::Unsupported,
    }
}

fn description(it: plain::Description) -> wire::Description {
    wire::Description {
        id: it.id,
        display_name: it.display_name,
        version: it.version,
        kind: match it.kind {
            plain::TargetKind::Provider => wire::TargetKind::Provider,
            plain::TargetKind::Standard => wire::TargetKind::Standard,
        },
        claims: it.claims.into_iter().map(claim).collect(),
        native_keys: it.native_keys.to_string(),
        block_schema: it.block_schema.to_string(),
        features: it
            .features
            .into_iter()
            .map(|feature| wire::Feature {
                name: feature.name,
                tier: tier(feature.tier),
                note: feature.note,
            })
            .collect(),
    }
}

fn claim(it: plain::Claim) -> wire::Claim {
    wire::Claim {
        unit: match it.unit {
            plain::UnitKind::Skill => wire::UnitKind::Skill,
            plain::UnitKind::PluginSkill => wire::UnitKind::PluginSkill,
            plain::UnitKind::Plugin => wire::UnitKind::Plugin,
        },
        layout: match it.layout {
            plain::Layout::Standalone => wire::Layout::Standalone,
            plain::Layout::Package => wire::Layout::Package,
            plain::Layout::Bundle => wire::Layout::Bundle,
            plain::Layout::ProjectUse => wire::Layout::ProjectUse,
        },
        root: it.root,
        owns_documents: it.owns_documents,
        extra_keys: match it.extra_keys {
            plain::ExtraKeys::Closed => wire::ExtraKeys::Closed,
            plain::ExtraKeys::Open => wire::ExtraKeys::Open,
        },
    }
}

fn rendered(it: plain::Rendered) -> wire::Rendered {
    wire::Rendered {
        outputs: it.outputs.into_iter().map(output).collect(),
        diagnostics: it.diagnostics.into_iter().map(diagnostic).collect(),
        realizations: it
            .realizations
            .into_iter()
            .map(|it| wire::Realization {
                feature: it.feature,
                tier: tier(it.tier),
                rule: it.rule,
                residual_risk: it.residual_risk,
            })
            .collect(),
        shortfalls: it
            .shortfalls
            .into_iter()
            .map(|it| wire::Shortfall {
                feature: it.feature,
                lossy: it.lossy,
                message: it.message,
                help: it.help,
            })
            .collect(),
    }
}

fn output(it: plain::Output) -> wire::Output {
    wire::Output {
        path: it.path,
        executable: it.executable,
        content: match it.content {
            plain::Content::Document { frontmatter, body } => {
                wire::Content::Document(wire::Document {
                    frontmatter: Value::Object(frontmatter).to_string(),
                    body,
                })
            }
            plain::Content::Json(value) => wire::Content::Json(value.to_string()),
            plain::Content::Text(text) => wire::Content::Text(text),
            plain::Content::Copy(id) => wire::Content::Copy(id),
        },
    }
}

fn diagnostic(it: plain::Diagnostic) -> wire::Diagnostic {
    wire::Diagnostic {
        code: it.code,
        severity: match it.severity {
            plain::Severity::Error => wire::Severity::Error,
            plain::Severity::Warning => wire::Severity::Warning,
            plain::Severity::Info => wire::Severity::Info,
        },
        message: it.message,
        help: it.help,
        span: it.span.map(|span| wire::Span {
            path: span.path,
            start: span.start,
            end: span.end,
        }),
    }
}
