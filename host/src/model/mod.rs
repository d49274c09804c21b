//! The words: plain data that the stages hand on. No I/O, no logic of a stage.
//! Depends on: diagnostic (codes and spans). Never: reads a file, knows a target by name.

// reading order
pub mod path;
pub mod id;
pub mod selector;
pub mod node;
pub mod source;
pub mod tree;
pub mod config;
pub mod unit;
pub mod renderer;
pub mod item;
pub mod lockfile;
