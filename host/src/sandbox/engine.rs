//! The one WebAssembly engine of the process, set up so that equal bytes give equal answers everywhere.

use std::sync::OnceLock;

use wasmtime::{Config, Engine, ModuleVersionStrategy, WasmBacktraceDetails, WasmFeatures};

/// Stack that guest code may use, in bytes. Large enough that fuel ends a runaway recursion of ordinary frames first.
pub(super) const MAX_WASM_STACK_BYTES: usize = 1 << 20;

/// Stack of every thread that calls a renderer. Guest code runs on the caller's stack: a smaller one would abort the process.
pub const RENDER_THREAD_STACK_BYTES: usize = 4 << 20;

/// Kept in every piece of compiled code: another host version never runs it.
pub(super) const CODE_VERSION: &str = concat!("skillset-", env!("CARGO_PKG_VERSION"), "-1");

/// What the host accepts beyond WebAssembly 2: a part of the contract of world 0.1.
pub(super) const ACCEPTED_FEATURES: wasmparser::WasmFeatures = wasmparser::WasmFeatures::WASM2
    .union(wasmparser::WasmFeatures::COMPONENT_MODEL)
    .union(wasmparser::WasmFeatures::EXTENDED_CONST);

/// The engine. Components, linkers and stores of several engines cannot meet, so there is one.
///
/// # Errors
/// When this machine cannot run compiled WebAssembly.
pub(super) fn engine() -> Result<&'static Engine, String> {
    static ENGINE: OnceLock<Result<Engine, String>> = OnceLock::new();
    ENGINE
        .get_or_init(|| build_engine().map_err(|error| format!("{error:#}")))
        .as_ref()
        .map_err(Clone::clone)
}

fn build_engine() -> wasmtime::Result<Engine> {
    let mut config = Config::new();
    config.consume_fuel(true);
    config.cranelift_nan_canonicalization(true);
    config.relaxed_simd_deterministic(true);
    // Wasmtime accepts more by default, and its defaults grow with its versions.
    config.wasm_features(
        WasmFeatures::RELAXED_SIMD
            | WasmFeatures::MEMORY64
            | WasmFeatures::MULTI_MEMORY
            | WasmFeatures::TAIL_CALL
            | WasmFeatures::THREADS
            | WasmFeatures::GC
            | WasmFeatures::FUNCTION_REFERENCES
            | WasmFeatures::EXCEPTIONS
            | WasmFeatures::CUSTOM_PAGE_SIZES
            | WasmFeatures::WIDE_ARITHMETIC
            | WasmFeatures::CM_ASYNC,
        false,
    );
    // Unset, an environment variable decides, and with it the key of compiled code.
    config.wasm_backtrace_details(WasmBacktraceDetails::Disable);
    config.max_wasm_stack(MAX_WASM_STACK_BYTES);
    config.native_unwind_info(cfg!(windows));
    config.module_version(ModuleVersionStrategy::Custom(CODE_VERSION.to_owned()))?;
    Engine::new(&config)
}
