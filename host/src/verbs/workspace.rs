//! What every verb needs: the workspace, the renderers, and how faults end a command.
#![expect(
    clippy::disallowed_types,
    reason = "hands the workspace's handle from door to door"
)]

use std::path::PathBuf;
use std::sync::Arc;

use cap_std::fs::Dir;

use super::Exit;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::id::TargetId;
use crate::pipeline::apply::ApplyError;
use crate::pipeline::compile::Renderers;
use crate::pipeline::load::{self, LoadError};
use crate::renderers::{self, RenderersError};
use crate::sandbox::{CodeCache, RENDER_THREAD_STACK_BYTES};

/// Where a command runs.
#[derive(Debug, Clone)]
pub struct Environment {
    /// The folder that the command starts from.
    pub start: PathBuf,
    /// Whether the user named it with `--root`.
    pub rooted: bool,
    /// The folder of compiled renderers.
    pub cache: Option<PathBuf>,
    /// Threads for rendering.
    pub threads: Option<usize>,
}

/// Something about the machine, or a refusal, that ends a command.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// There is no workspace.
    #[error("there is no `skillset.yaml` in `{0}` or above")]
    NoWorkspace(String),
    /// The current folder is gone.
    #[error("the current folder cannot be read: {0}")]
    CurrentDirectory(#[source] std::io::Error),
    /// The source cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A file cannot be written, or a plan is refused.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// A renderer cannot be started.
    #[error(transparent)]
    Renderers(#[from] RenderersError),
    /// Threads cannot be started.
    #[error("threads cannot be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// A write was interrupted; only a writing verb may heal it.
    #[error("an earlier write was interrupted: {0}")]
    Unfinished(String),
}

impl Fault {
    /// How the command ends.
    #[must_use]
    pub fn exit(&self) -> Exit {
        match self {
            Self::NoWorkspace(_) => Exit::Usage,
            Self::Apply(error) if error.is_refusal() => Exit::Refused,
            _ => Exit::Environment,
        }
    }

    /// As a finding.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        let message = self.to_string();
        match self {
            Self::NoWorkspace(_) => Diagnostic::new(Code::WORKSPACE_MISSING, message)
                .help("run `skillset init`, or name the folder with --root"),
            Self::CurrentDirectory(_) | Self::Load(_) | Self::Threads(_) => {
                Diagnostic::new(Code::SOURCE_UNREADABLE, message)
            }
            Self::Apply(error) if error.is_refusal() => {
                Diagnostic::new(Code::PLAN_STALE, message).help("run the command again")
            }
            Self::Apply(_) => Diagnostic::new(Code::WRITE_FAILED, message)
                .help("nothing was changed; free the path and run the command again"),
            Self::Renderers(_) => Diagnostic::new(Code::RENDERER_REFUSED, message),
            Self::Unfinished(_) => {
                Diagnostic::new(Code::WRITE_UNFINISHED, message).help("run `skillset recover`")
            }
        }
    }
}

impl Environment {
    /// The workspace's folder.
    ///
    /// # Errors
    /// When there is none, or a folder on the way cannot be read.
    pub fn root(&self) -> Result<PathBuf, Fault> {
        let found = if self.rooted {
            load::root_at(&self.start)?
        } else {
            load::find_root(&self.start)?
        };
        found.ok_or_else(|| Fault::NoWorkspace(self.start.display().to_string()))
    }

    /// The workspace's folder as a handle.
    ///
    /// # Errors
    /// As [`Environment::root`].
    pub fn open(&self) -> Result<Dir, Fault> {
        Ok(load::open_root(&self.root()?)?)
    }

    /// Every built-in renderer by target.
    ///
    /// # Errors
    /// When one cannot be started.
    pub fn builtin_renderers(&self) -> Result<Renderers, Fault> {
        let cache = CodeCache::new(self.cache.clone());
        let all = renderers::Renderers::builtin(Some(&cache))?;
        let by_id = all.list().iter().filter_map(|renderer| {
            Some((
                TargetId::new(&renderer.description().id)?,
                Arc::clone(renderer),
            ))
        });
        Ok(by_id.collect())
    }

    /// Threads with stacks for wasm.
    ///
    /// # Errors
    /// When they cannot be started.
    pub fn pool(&self) -> Result<Arc<rayon::ThreadPool>, Fault> {
        Ok(Arc::new(crate::pipeline::compile::pool(
            self.threads,
            RENDER_THREAD_STACK_BYTES,
        )?))
    }
}
