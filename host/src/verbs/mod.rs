//! What a user can ask for: one file a verb. A verb returns an outcome and never prints.
//! In: plain requests. Out: data, a human view, findings, an exit. Depends on: pipeline, runtime, renderers.

// reading order
mod outcome;
mod workspace;
pub mod init;
pub mod new;
pub mod build;
pub mod check;
pub mod list;
pub mod lookup;
pub mod explain_code;
pub mod agent;

pub use outcome::{Exit, Outcome};
pub use workspace::{Environment, Fault};
