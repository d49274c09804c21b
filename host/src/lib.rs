//! The skillset compiler.

// reading order
pub mod diagnostic;
pub mod model;
pub mod pipeline;
pub mod renderers;
pub mod sandbox;
pub mod runtime;
