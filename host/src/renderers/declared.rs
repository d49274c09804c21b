//! Renderers that a workspace declares under `renderers:`.

use std::sync::Arc;

use super::{Renderers, RenderersError, is_builtin};
use crate::model::id::TargetId;
use crate::model::renderer::Renderer as _;
use crate::sandbox::{CodeCache, Component, Limits};

/// A declaration whose component was read.
#[derive(Debug, Clone)]
pub struct Declared {
    /// The key under `renderers:`.
    pub id: TargetId,
    /// The component.
    pub bytes: Arc<[u8]>,
    /// Its limits, raised by the declaration or not.
    pub limits: Limits,
}

impl Renderers {
    /// Adds a declared renderer.
    ///
    /// # Errors
    /// When its id is taken, the component is refused, or it says that it is someone else.
    pub fn add(
        &mut self,
        declared: &Declared,
        cache: Option<&CodeCache>,
    ) -> Result<(), RenderersError> {
        let id = declared.id.to_string();
        if is_builtin(&declared.id) || self.get(&declared.id).is_some() {
            return Err(RenderersError::IdTaken { id });
        }
        let component =
            Component::load(declared.bytes.clone(), declared.limits, cache).map_err(|source| {
                RenderersError::Load {
                    id: id.clone(),
                    source,
                }
            })?;
        let says = component.description().id.clone();
        if says != id {
            return Err(RenderersError::OtherId { id, says });
        }
        self.insert(Arc::new(component));
        Ok(())
    }
}
