//! Runs one renderer: a component without any access to the machine, under limits, in a fresh instance for each call.
//! In: a component's bytes and requests of the render stage. Out: answers as model types, or one breach each.
//! Depends on: model, diagnostic, wasmtime. Never: gives a component WASI, trusts what it says, knows a target by name.

// reading order
mod admit;
mod limits;
mod engine;
mod code_cache;
mod call;
mod worlds;
mod compile;
mod component;
mod text;

pub use admit::{AdmitError, Admitted, KNOWN_WORLDS, WorldVersion, admit};
pub use code_cache::CodeCache;
pub use compile::CompileError;
pub use component::{Bytes, Component, SandboxError};
pub use engine::RENDER_THREAD_STACK_BYTES;
pub use limits::{
    DEFAULT_COMPONENT_BYTES, DEFAULT_FUEL_PER_BUILD, DEFAULT_FUEL_PER_CALL, DEFAULT_MEMORY_BYTES,
    DEFAULT_OUTPUT_BYTES, Limits, MAX_MESSAGE_BYTES, MAX_MESSAGES, MAX_OUTPUTS,
};
