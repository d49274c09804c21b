//! What an agent sees: the skills it is offered, how it reads them, and its context files.
//! In: settings as plain data. Out: lists, texts and warnings that serialize as `spec/08` says.
//! Depends on: diagnostic. Never: prints, reads the environment, knows the pipeline or a renderer.

// reading order
mod context_files;
mod discover;
mod installed_plugins;
mod invoke;
mod prompt;
mod providers;
mod read;
mod scan;
mod select;
mod settings;
mod skill;
mod url;
mod walk;
mod warning;

pub use context_files::{ContextFile, ContextFiles, ShadowedContext, find_context_files};
pub use discover::{Discovered, discover, discover_dir};
pub use invoke::{Invocation, InvocationMetadata, InvokeError, invoke};
pub use prompt::compose_prompt;
pub use read::{ReadError, ReadResult, read, read_bytes};
pub use select::Duplicate;
pub use settings::{Overrides, Places, Settings, SkillSettings, load_settings};
pub use skill::{Level, Skill, Skipped};
pub use url::{SkillUrl, UrlError};
pub use warning::Warning;
