//! The skillset compiler.

// reading order
pub mod diagnostic;
pub mod model;
