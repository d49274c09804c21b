//! One call: a fresh store with full limits, and what went wrong in the words of its user.

use std::sync::atomic::{AtomicU64, Ordering};

use wasmtime::{Engine, Store, Trap, WasmBacktrace};

use super::limits::{Limits, MAX_MESSAGE_BYTES, Meter, Refused};
use super::text::{clip, sanitize};
use super::worlds::Failure;
use crate::diagnostic::Code;
use crate::model::renderer::Breach;

/// Log lines of one call that are looked at.
const MAX_LOG_LINES: usize = 1_000;
/// Frames of a backtrace that are shown.
const MAX_FRAMES: usize = 6;

/// What the host keeps beside one instance.
pub(super) struct State {
    meter: Meter,
    log_lines: usize,
    last_log_line: Option<String>,
    /// Whether start functions are behind us.
    pub(super) started: bool,
}

impl State {
    /// Remembers the last line, which explains a trap.
    pub(super) fn keep_log_line(&mut self, message: &str) {
        if self.log_lines < MAX_LOG_LINES {
            self.log_lines += 1;
            self.last_log_line = Some(sanitize(clip(message, MAX_MESSAGE_BYTES)));
        }
    }
}

/// Who is called, and for what.
#[derive(Clone, Copy)]
pub(super) struct Caller<'a> {
    /// The renderer's id or its file.
    pub(super) renderer: &'a str,
    /// The unit's selector; `None` while describing.
    pub(super) unit: Option<&'a str>,
    pub(super) limits: &'a Limits,
    /// Instructions of this renderer in this build so far.
    pub(super) spent: &'a AtomicU64,
}

/// An answer and the instructions it took.
pub(super) struct Called<T> {
    pub(super) answer: T,
    pub(super) fuel: u64,
}

/// Runs `guest` in a new store under all limits.
pub(super) fn call<T>(
    engine: &Engine,
    caller: Caller<'_>,
    guest: impl FnOnce(&mut Store<State>) -> Result<T, Failure>,
) -> Result<Called<T>, Breach> {
    let limits = caller.limits;
    if caller.spent.load(Ordering::Relaxed) >= limits.fuel_per_build {
        return Err(Breach {
            code: Code::RENDERER_LIMIT_FUEL,
            message: format!(
                "renderer `{}` has used its {} instructions for one build before{}",
                caller.renderer,
                limits.fuel_per_build,
                for_unit(caller)
            ),
            help: Some(
                "build fewer units at once, or report it to the renderer's author".to_owned(),
            ),
        });
    }
    let mut store = Store::new(
        engine,
        State {
            meter: Meter::new(limits),
            log_lines: 0,
            last_log_line: None,
            started: false,
        },
    );
    store.limiter(|state| &mut state.meter);
    store.set_hostcall_fuel(limits.output_bytes);
    // A new store has none, and start functions need some.
    let fueled = store.set_fuel(limits.fuel_per_call).map_err(Failure::from);
    let result = fueled.and_then(|()| guest(&mut store));
    let fuel = limits.fuel_per_call - store.get_fuel().unwrap_or(0).min(limits.fuel_per_call);
    caller.spent.fetch_add(fuel, Ordering::Relaxed);
    match result {
        Ok(answer) => Ok(Called { answer, fuel }),
        Err(failure) => Err(explain(caller, store.data(), &failure)),
    }
}

fn for_unit(caller: Caller<'_>) -> String {
    caller
        .unit
        .map(|unit| format!(" `{unit}`"))
        .unwrap_or_default()
}

fn explain(caller: Caller<'_>, state: &State, failure: &Failure) -> Breach {
    let phase = match (state.started, caller.unit) {
        (false, _) => "while starting".to_owned(),
        (true, None) => "while describing itself".to_owned(),
        (true, Some(unit)) => format!("while rendering `{unit}`"),
    };
    let who = format!("renderer `{}`", caller.renderer);
    let limits = caller.limits;
    let raise = |key: &str, value: u64| {
        format!("raise it with `limits: {{{key}: {value}}}` of the renderer in skillset.yaml")
    };
    let last_line = state
        .last_log_line
        .as_ref()
        .map(|line| format!("it logged last: {line}"));
    let error = match failure {
        Failure::Unusable(code, message) => {
            return Breach {
                code: *code,
                message: format!("{who} answered {phase} with something unusable: {message}"),
                help: last_line,
            };
        }
        Failure::Stopped(error) => error,
    };
    let (code, what, help) = match (state.meter.refused, error.downcast_ref::<Trap>()) {
        (Some(Refused::Memory(bytes)), _) => (
            Code::RENDERER_LIMIT_MEMORY,
            format!(
                "wanted {bytes} bytes of memory {phase}, more than the limit of {}",
                limits.memory_bytes
            ),
            Some(raise("memory", bytes.next_power_of_two() as u64)),
        ),
        (Some(Refused::Table(elements)), _) => (
            Code::RENDERER_LIMIT_MEMORY,
            format!("wanted {elements} table elements {phase}, more than the limit"),
            None,
        ),
        (None, Some(Trap::OutOfFuel)) => (
            Code::RENDERER_LIMIT_FUEL,
            format!(
                "used more than {} instructions {phase}",
                limits.fuel_per_call
            ),
            Some(raise("fuel", limits.fuel_per_call.saturating_mul(2))),
        ),
        (None, Some(trap)) => (
            Code::RENDERER_TRAP,
            format!("trapped {phase}: {trap}"),
            backtrace(error),
        ),
        (None, None) => {
            let root = sanitize(clip(&error.root_cause().to_string(), MAX_MESSAGE_BYTES));
            if root.starts_with("too much data is being copied") {
                let text = format!("returned more than {} bytes {phase}", limits.output_bytes);
                (Code::RENDERER_LIMIT_OUTPUT, text, None)
            } else {
                let text = format!("broke the contract {phase}: {root}");
                (Code::RENDERER_BAD_OUTPUT, text, backtrace(error))
            }
        }
    };
    let help: Vec<String> = last_line.into_iter().chain(help).collect();
    Breach {
        code,
        message: format!("{who} {what}"),
        help: (!help.is_empty()).then(|| help.join("; ")),
    }
}

/// The renderer's own frames, innermost first. Those of the standard library say nothing to its author.
fn backtrace(error: &wasmtime::Error) -> Option<String> {
    let frames: Vec<String> = error
        .downcast_ref::<WasmBacktrace>()?
        .frames()
        .iter()
        .filter_map(wasmtime::FrameInfo::func_name)
        .filter(|name| {
            !["std", "core", "alloc", "rust", "__"].iter().any(|prefix| {
                name.trim_start_matches(['<', '_', 'Z', 'N', 'R'])
                    .trim_start_matches(|c: char| c.is_ascii_digit())
                    .starts_with(prefix)
            })
        })
        .take(MAX_FRAMES)
        .map(|name| sanitize(clip(name, 120)))
        .collect();
    (!frames.is_empty()).then(|| format!("in {}", frames.join(", called by ")))
}
