//! The one table of built-in renderers.

use skillset_renderers_embedded::{BUILTIN, Embedded};

use super::RenderersError;
use crate::model::id::{Sha256, TargetId};
use crate::sandbox::{Bytes, CodeCache, Component, Limits};

/// Their ids in byte order. Nothing is loaded for it.
pub fn builtin_ids() -> impl Iterator<Item = &'static str> {
    BUILTIN.iter().map(|embedded| embedded.id)
}

/// Whether an id belongs to a built-in renderer.
#[must_use]
pub fn is_builtin(id: &TargetId) -> bool {
    builtin_ids().any(|builtin| builtin == id.as_str())
}

/// Loads all of them at once: without a cache each is compiled.
pub(super) fn load_builtin(cache: Option<&CodeCache>) -> Result<Vec<Component>, RenderersError> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = BUILTIN
            .iter()
            .map(|embedded| (embedded, scope.spawn(move || load_one(embedded, cache))))
            .collect();
        threads
            .into_iter()
            .map(|(embedded, thread)| {
                thread.join().unwrap_or_else(|_| {
                    Err(RenderersError::Panicked {
                        id: embedded.id.to_owned(),
                    })
                })
            })
            .collect()
    })
}

fn load_one(
    embedded: &'static Embedded,
    cache: Option<&CodeCache>,
) -> Result<Component, RenderersError> {
    // The recorded digest is checked by a test of that crate, so that no start has to hash the bytes.
    let digest = embedded
        .digest()
        .and_then(Sha256::parse)
        .unwrap_or_else(|| Sha256::of(embedded.bytes));
    let bytes = Bytes::Static(embedded.bytes);
    Component::load_known(bytes, digest, Limits::default(), cache).map_err(|source| {
        RenderersError::Load {
            id: embedded.id.to_owned(),
            source,
        }
    })
}
