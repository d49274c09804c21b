//! How source becomes output: nine stages, one direction. `compile` is the only module that calls two of them.
//! In: a workspace directory and the renderers. Out: a plan. Depends on: model, diagnostic. Never: prints.

// reading order
pub mod load;
pub mod discover;
pub mod resolve;
pub mod preprocess;
pub mod render;
pub mod check;
pub mod lock;
pub mod plan;
pub mod apply;
pub mod compile;
pub mod outputs;
