//! One module for each world that the host speaks; each converts to the newest types at the edge.
//! In: a compiled component. Out: answers as model types, counted and parsed. Depends on: model, wasmtime.
//! Never: decides about paths or roots, which the render stage does.

// reading order
mod v0_1;

pub(super) use v0_1::V0_1;

use wasmtime::{Engine, Store, component::Component};

use super::admit::WorldVersion;
use super::call::State;
use crate::diagnostic::Code;
use crate::model::renderer::{Answer, Description, PlacementInfo, PluginRequest, SkillRequest};

/// Why a call gave no answer.
#[derive(Debug)]
pub(super) enum Failure {
    /// The guest stopped: a trap, a limit or a broken call.
    Stopped(wasmtime::Error),
    /// The guest answered with something that cannot be used.
    Unusable(Code, String),
}

impl From<wasmtime::Error> for Failure {
    fn from(error: wasmtime::Error) -> Self {
        Self::Stopped(error)
    }
}

/// A linked component of some world. Every call makes a new instance in the given store.
pub(super) trait World: Send + Sync {
    /// Who it is.
    fn describe(&self, store: &mut Store<State>) -> Result<Description, Failure>;
    /// Renders a skill.
    fn render_skill(
        &self,
        store: &mut Store<State>,
        skill: &SkillRequest,
        placement: &PlacementInfo,
    ) -> Result<Answer, Failure>;
    /// Renders a plugin.
    fn render_plugin(
        &self,
        store: &mut Store<State>,
        plugin: &PluginRequest,
        placement: &PlacementInfo,
    ) -> Result<Answer, Failure>;
}

/// Links a component of a known world.
pub(super) fn link(
    engine: &Engine,
    component: &Component,
    version: WorldVersion,
) -> wasmtime::Result<Box<dyn World>> {
    match version {
        WorldVersion { major: 0, minor: 1 } => Ok(Box::new(V0_1::link(engine, component)?)),
        other => Err(wasmtime::Error::msg(format!(
            "no bindings for world {other}"
        ))),
    }
}
