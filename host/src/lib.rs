//! The skillset compiler.

// reading order
pub mod diagnostic;
pub mod model;
pub mod pipeline;
