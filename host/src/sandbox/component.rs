//! A renderer that is a component: described at once, compiled when first used.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};

use wasmtime::{Engine, Store};

use super::admit::{AdmitError, KNOWN_WORLDS, WorldVersion, admit};
use super::call::{Called, Caller, State, call};
use super::code_cache::CodeCache;
use super::compile::{CompileError, compile};
use super::engine::engine;
use super::limits::Limits;
use super::worlds::{Failure, World, link};
use crate::diagnostic::Code;
use crate::model::id::{Sha256, is_id};
use crate::model::path::RelPath;
use crate::model::renderer::{
    Answer, Breach, Description, Level, Message, PlacementInfo, PluginRequest, Renderer,
    SkillRequest,
};

/// A component's bytes, built in or read.
#[derive(Debug, Clone)]
pub enum Bytes {
    /// Part of this program.
    Static(&'static [u8]),
    /// Read from a file.
    Shared(Arc<[u8]>),
}

impl Bytes {
    /// The bytes.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        match self {
            Self::Static(bytes) => bytes,
            Self::Shared(bytes) => bytes,
        }
    }
}

impl From<&'static [u8]> for Bytes {
    fn from(bytes: &'static [u8]) -> Self {
        Self::Static(bytes)
    }
}

impl From<Arc<[u8]>> for Bytes {
    fn from(bytes: Arc<[u8]>) -> Self {
        Self::Shared(bytes)
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Shared(bytes.into())
    }
}

/// Why a component is not used as a renderer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// This machine cannot run WebAssembly.
    #[error("WebAssembly cannot be run here: {0}")]
    Engine(String),
    /// Its bytes are refused.
    #[error(transparent)]
    Admit(#[from] AdmitError),
    /// It gives no code.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// Its functions have other types than the world.
    #[error("it does not fit its world: {0}")]
    Link(String),
    /// It could not say who it is.
    #[error("{}", .0.message)]
    Describe(Breach),
    /// What it says about itself is not right.
    #[error("its description is not valid: {0}")]
    Description(String),
}

/// A component that renders.
pub struct Component {
    bytes: Bytes,
    digest: Sha256,
    limits: Limits,
    cache: Option<CodeCache>,
    engine: &'static Engine,
    description: Description,
    linked: OnceLock<Result<Box<dyn World>, SandboxError>>,
    spent: AtomicU64,
}

impl Component {
    /// Admits a component and learns who it is. With a warm cache nothing is compiled, run or even loaded.
    ///
    /// # Errors
    /// When the bytes are no renderer or it cannot describe itself.
    pub fn load(
        bytes: impl Into<Bytes>,
        limits: Limits,
        cache: Option<&CodeCache>,
    ) -> Result<Self, SandboxError> {
        let bytes = bytes.into();
        let digest = Sha256::of(bytes.as_slice());
        Self::load_known(bytes, digest, limits, cache)
    }

    /// As [`Component::load`], with a digest that was computed before.
    pub(crate) fn load_known(
        bytes: Bytes,
        digest: Sha256,
        limits: Limits,
        cache: Option<&CodeCache>,
    ) -> Result<Self, SandboxError> {
        let size = bytes.as_slice().len();
        if size > limits.component_bytes {
            let limit = limits.component_bytes;
            return Err(AdmitError::TooBig { bytes: size, limit }.into());
        }
        let engine = engine().map_err(SandboxError::Engine)?;
        let linked = OnceLock::new();
        let spent = AtomicU64::new(0);
        let stored = cache
            .and_then(|cache| cache.load_description(engine, digest))
            .and_then(|json| serde_json::from_slice(&json).ok());
        let description = if let Some(description) = stored {
            description
        } else {
            // A stored description means that the same host admitted the same bytes before.
            let world = admit(bytes.as_slice(), limits.component_bytes)?.world;
            let world = link_component(engine, &bytes, digest, world, cache)?;
            let name = format!("sha256:{}", &digest.hex()[..12]);
            let caller = Caller {
                renderer: &name,
                unit: None,
                limits: &limits,
                spent: &spent,
            };
            let described = call(engine, caller, |store| world.describe(store));
            let description = described.map_err(SandboxError::Describe)?.answer;
            check_description(&description)?;
            if let (Some(cache), Ok(json)) = (cache, serde_json::to_vec(&description)) {
                cache.store_description(engine, digest, &json);
            }
            let _ = linked.set(Ok(world));
            description
        };
        Ok(Self {
            bytes,
            digest,
            limits,
            cache: cache.cloned(),
            engine,
            description,
            linked,
            spent,
        })
    }

    /// The limits of its calls.
    #[must_use]
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Compiles or loads the code now, so that no render thread waits for it.
    ///
    /// # Errors
    /// When the component cannot be compiled.
    pub fn prepare(&self) -> Result<(), SandboxError> {
        self.world().map(|_| ()).map_err(Clone::clone)
    }

    fn world(&self) -> Result<&dyn World, &SandboxError> {
        self.linked
            .get_or_init(|| {
                let world = match admit(self.bytes.as_slice(), self.limits.component_bytes) {
                    Ok(admitted) => admitted.world,
                    Err(error) => return Err(error.into()),
                };
                link_component(
                    self.engine,
                    &self.bytes,
                    self.digest,
                    world,
                    self.cache.as_ref(),
                )
            })
            .as_ref()
            .map(|world| &**world)
    }

    fn render(
        &self,
        unit: &str,
        guest: impl FnOnce(&dyn World, &mut Store<State>) -> Result<Answer, Failure>,
    ) -> Result<Answer, Breach> {
        let world = self.world().map_err(|error| Breach {
            code: Code::RENDERER_REFUSED,
            message: format!("renderer `{}` cannot be used: {error}", self.description.id),
            help: None,
        })?;
        let caller = Caller {
            renderer: &self.description.id,
            unit: Some(unit),
            limits: &self.limits,
            spent: &self.spent,
        };
        let Called { mut answer, fuel } = call(self.engine, caller, |store| guest(world, store))?;
        if fuel > self.limits.fuel_per_call / 2 {
            answer.messages.push(Message {
                code: Code::RENDERER_FUEL_HIGH.name().to_owned(),
                level: Level::Warning,
                message: format!(
                    "renderer `{}` used more than half of its {} instructions for `{unit}`",
                    self.description.id, self.limits.fuel_per_call
                ),
                help: None,
                span: None,
            });
        }
        Ok(answer)
    }
}

impl std::fmt::Debug for Component {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Component")
            .field("id", &self.description.id)
            .field("digest", &self.digest)
            .finish_non_exhaustive()
    }
}

impl Renderer for Component {
    fn description(&self) -> &Description {
        &self.description
    }

    fn digest(&self) -> Sha256 {
        self.digest
    }

    fn render_skill(
        &self,
        skill: &SkillRequest,
        placement: &PlacementInfo,
    ) -> Result<Answer, Breach> {
        self.render(&skill.selector, |world, store| {
            world.render_skill(store, skill, placement)
        })
    }

    fn render_plugin(
        &self,
        plugin: &PluginRequest,
        placement: &PlacementInfo,
    ) -> Result<Answer, Breach> {
        self.render(&plugin.selector, |world, store| {
            world.render_plugin(store, plugin, placement)
        })
    }
}

fn link_component(
    engine: &Engine,
    bytes: &Bytes,
    digest: Sha256,
    world: WorldVersion,
    cache: Option<&CodeCache>,
) -> Result<Box<dyn World>, SandboxError> {
    debug_assert!(KNOWN_WORLDS.contains(&world));
    let component = if let Some(component) = cache.and_then(|c| c.load_code(engine, digest)) {
        component
    } else {
        let component = compile(engine, bytes)?;
        if let Some(cache) = cache {
            cache.store_code(engine, digest, &component);
        }
        component
    };
    link(engine, &component, world).map_err(|error| SandboxError::Link(format!("{error:#}")))
}

fn check_description(description: &Description) -> Result<(), SandboxError> {
    let wrong = |text: String| Err(SandboxError::Description(text));
    if !is_id(&description.id) {
        return wrong(format!(
            "the id `{}` is not 1 to 64 lowercase letters or digits with single hyphens",
            description.id
        ));
    }
    if semver::Version::parse(&description.version).is_err() {
        return wrong(format!(
            "the version `{}` is not SemVer",
            description.version
        ));
    }
    for claim in &description.claims {
        let root = RelPath::new(&claim.root).and_then(|root| root.check_portable());
        if let Err(error) = root {
            return wrong(format!("it claims a root that cannot be one: {error}"));
        }
    }
    Ok(())
}
