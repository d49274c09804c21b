//! The skillset compiler: from authored skills to what each agent reads.
//!
//! The pipeline, in order: [`pipeline::load`], [`pipeline::discover`], [`pipeline::resolve`], [`pipeline::preprocess`],
//! [`pipeline::render`], [`pipeline::check`], [`pipeline::lock`], [`pipeline::plan`], [`pipeline::apply`];
//! [`pipeline::compile`] strings them together.
//!
//! | file of the user | read by | written by |
//! |---|---|---|
//! | `skillset.yaml`, `.skillset/**` | `load` | `apply`, for verbs that edit source |
//! | outputs, `skillset.lock` | `load::list` | `apply` |
//! | `.skillset/snapshots/`, the journal | `apply` | `apply` |
//! | compiled renderers in the cache folder | `sandbox` | `sandbox` |
//! | skill folders of agents | `runtime` | nobody |

// reading order
pub mod diagnostic;
pub mod model;
pub mod pipeline;
pub mod sandbox;
pub mod renderers;
pub mod runtime;
pub mod verbs;
pub mod cli;
