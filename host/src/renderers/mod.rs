//! Which renderers exist: the built-in ones and those that a workspace declares.
//! In: component bytes. Out: renderers, standards first. Depends on: sandbox, model.
//! Never: reads a file; `load` brings the bytes of declared ones.

// reading order
mod builtin;
mod declared;

pub use builtin::{builtin_ids, is_builtin};
pub use declared::Declared;

use std::sync::Arc;

use crate::model::id::TargetId;
use crate::model::renderer::{Renderer, TargetKind};
use crate::sandbox::{CodeCache, SandboxError};

/// Why a renderer is not there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RenderersError {
    /// The component is not usable.
    #[error("renderer `{id}`: {source}")]
    Load {
        /// Its id.
        id: String,
        /// Why.
        source: SandboxError,
    },
    /// Two renderers with one id.
    #[error("renderer `{id}`: the id belongs to another renderer")]
    IdTaken {
        /// The id.
        id: String,
    },
    /// The key in `skillset.yaml` is not what the component says.
    #[error(
        "renderer `{id}`: the component says that it is `{says}`; write that as its key under `renderers`"
    )]
    OtherId {
        /// The key.
        id: String,
        /// The component's own id.
        says: String,
    },
    /// A fault of ours.
    #[error("renderer `{id}`: loading it failed unexpectedly")]
    Panicked {
        /// Its id.
        id: String,
    },
}

/// All renderers of a build: standards first, then by id.
#[derive(Clone, Default)]
pub struct Renderers {
    list: Vec<Arc<dyn Renderer>>,
}

impl Renderers {
    /// The built-in ones.
    ///
    /// # Errors
    /// When one cannot be compiled or described here.
    pub fn builtin(cache: Option<&CodeCache>) -> Result<Self, RenderersError> {
        let mut renderers = Self::default();
        for component in builtin::load_builtin(cache)? {
            renderers.insert(Arc::new(component));
        }
        Ok(renderers)
    }

    /// Puts a renderer in its place.
    pub fn insert(&mut self, renderer: Arc<dyn Renderer>) {
        let key = sort_key(&*renderer);
        let index = self.list.partition_point(|other| sort_key(&**other) < key);
        self.list.insert(index, renderer);
    }

    /// The renderer of a target.
    #[must_use]
    pub fn get(&self, id: &TargetId) -> Option<&Arc<dyn Renderer>> {
        self.list
            .iter()
            .find(|renderer| renderer.description().id == id.as_str())
    }

    /// All in order.
    #[must_use]
    pub fn list(&self) -> &[Arc<dyn Renderer>] {
        &self.list
    }
}

fn sort_key(renderer: &dyn Renderer) -> (bool, String) {
    let description = renderer.description();
    (
        description.kind == TargetKind::Provider,
        description.id.clone(),
    )
}
