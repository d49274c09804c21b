//! How source becomes output: nine stages, one direction. `compile` is the only function that calls two of them.
//! In: a workspace directory and the renderers. Out: a plan. Depends on: model, diagnostic. Never: prints.

// reading order
pub mod load;
pub mod preprocess;
pub mod lock;
pub mod plan;
