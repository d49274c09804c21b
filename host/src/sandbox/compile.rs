//! Makes machine code of an admitted component, within bounds.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use wasmtime::Engine;
use wasmtime::component::Component;

use super::component::Bytes;

/// Stack of the compiler's threads. It recurses over what the component holds.
const COMPILE_STACK_BYTES: usize = 16 << 20;
/// Beyond it the component is given up.
const MAX_COMPILE_SECONDS: u64 = 300;

/// Why no code came out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// The compiler says so.
    #[error("it cannot be compiled: {0}")]
    Refused(String),
    /// The compiler panicked.
    #[error("the compiler failed on it; please report it with the component")]
    Panicked,
    /// Too slow.
    #[error("compiling it takes more than {MAX_COMPILE_SECONDS} seconds")]
    TimedOut,
    /// No thread.
    #[error("no thread can be started to compile it")]
    NoThread,
}

/// Compiles in threads of its own: a panic stays there, and a waiting render thread cannot be asked to help and so
/// meet itself.
pub(super) fn compile(engine: &Engine, bytes: &Bytes) -> Result<Component, CompileError> {
    let (sender, receiver) = mpsc::sync_channel(1);
    let (engine, bytes) = (engine.clone(), bytes.clone());
    thread::Builder::new()
        .name("compile".to_owned())
        .stack_size(COMPILE_STACK_BYTES)
        .spawn(move || {
            let pool = rayon::ThreadPoolBuilder::new()
                .stack_size(COMPILE_STACK_BYTES)
                .build();
            let result = match pool {
                Ok(pool) => pool
                    .install(|| Component::from_binary(&engine, bytes.as_slice()))
                    .map_err(|error| CompileError::Refused(format!("{error:#}"))),
                Err(_) => Err(CompileError::NoThread),
            };
            // No one listens any more after the time limit.
            let _ = sender.send(result);
        })
        .map_err(|_| CompileError::NoThread)?;
    match receiver.recv_timeout(Duration::from_secs(MAX_COMPILE_SECONDS)) {
        Ok(result) => result,
        Err(mpsc::RecvTimeoutError::Timeout) => Err(CompileError::TimedOut),
        Err(mpsc::RecvTimeoutError::Disconnected) => Err(CompileError::Panicked),
    }
}
