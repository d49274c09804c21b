//! What a renderer may use in one call and in one build.

use wasmtime::ResourceLimiter;

/// Instructions of one call: half a second to a second.
pub const DEFAULT_FUEL_PER_CALL: u64 = 1_000_000_000;
/// Instructions of one renderer in one build.
pub const DEFAULT_FUEL_PER_BUILD: u64 = 50_000_000_000;
/// Linear memory of one call, summed over all memories.
pub const DEFAULT_MEMORY_BYTES: usize = 64 << 20;
/// Size of a component.
pub const DEFAULT_COMPONENT_BYTES: usize = 32 << 20;
/// What one answer may make the host allocate.
pub const DEFAULT_OUTPUT_BYTES: usize = 64 << 20;
/// Files of one answer.
pub const MAX_OUTPUTS: usize = 10_000;
/// Messages, realizations or shortfalls of one answer.
pub const MAX_MESSAGES: usize = 1_000;
/// Length of one message.
pub const MAX_MESSAGE_BYTES: usize = 4 << 10;
/// Elements of all tables of one call.
const MAX_TABLE_ELEMENTS: usize = 20_000;
/// Core instances, tables and memories of one call. Python's components need 38 instances.
const MAX_INSTANCES: usize = 200;

/// Limits of one renderer; `limits:` of its declaration raises them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Instructions of one call.
    pub fuel_per_call: u64,
    /// Instructions of all calls of one build.
    pub fuel_per_build: u64,
    /// Linear memory of one call.
    pub memory_bytes: usize,
    /// Size of the component.
    pub component_bytes: usize,
    /// What one answer may hold.
    pub output_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            fuel_per_call: DEFAULT_FUEL_PER_CALL,
            fuel_per_build: DEFAULT_FUEL_PER_BUILD,
            memory_bytes: DEFAULT_MEMORY_BYTES,
            component_bytes: DEFAULT_COMPONENT_BYTES,
            output_bytes: DEFAULT_OUTPUT_BYTES,
        }
    }
}

/// What was refused to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    /// Bytes of memory in all.
    Memory(usize),
    /// Elements of tables in all.
    Table(usize),
}

/// Counts what all memories and all tables of one call use. Wasmtime's own limiter counts each alone.
#[derive(Debug)]
pub(super) struct Meter {
    max_memory_bytes: usize,
    memory_bytes: usize,
    table_elements: usize,
    /// The first refusal. The guest never sees it: the call ends.
    pub(super) refused: Option<Refused>,
}

impl Meter {
    pub(super) const fn new(limits: &Limits) -> Self {
        Self {
            max_memory_bytes: limits.memory_bytes,
            memory_bytes: 0,
            table_elements: 0,
            refused: None,
        }
    }
}

impl ResourceLimiter for Meter {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let total = self
            .memory_bytes
            .saturating_add(desired.saturating_sub(current));
        if total > self.max_memory_bytes {
            self.refused.get_or_insert(Refused::Memory(total));
            return Err(wasmtime::Error::msg("the limit of memory is passed"));
        }
        self.memory_bytes = total;
        Ok(true)
    }

    fn memory_grow_failed(&mut self, error: wasmtime::Error) -> wasmtime::Result<()> {
        // Whether the system had memory left must not decide what a renderer answers.
        Err(error)
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let total = self
            .table_elements
            .saturating_add(desired.saturating_sub(current));
        if total > MAX_TABLE_ELEMENTS {
            self.refused.get_or_insert(Refused::Table(total));
            return Err(wasmtime::Error::msg(
                "the limit of table elements is passed",
            ));
        }
        self.table_elements = total;
        Ok(true)
    }

    fn table_grow_failed(&mut self, error: wasmtime::Error) -> wasmtime::Result<()> {
        Err(error)
    }

    fn instances(&self) -> usize {
        MAX_INSTANCES
    }

    fn tables(&self) -> usize {
        MAX_INSTANCES
    }

    fn memories(&self) -> usize {
        MAX_INSTANCES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_memories_share_one_limit() {
        let mut meter = Meter::new(&Limits::default());
        assert!(meter.memory_growing(0, 40 << 20, None).is_ok());
        assert!(meter.memory_growing(0, 24 << 20, None).is_ok());
        assert!(
            meter
                .memory_growing(24 << 20, (24 << 20) + 65_536, None)
                .is_err()
        );
        assert_eq!(meter.refused, Some(Refused::Memory((64 << 20) + 65_536)));
    }

    #[test]
    fn tables_share_one_limit() {
        let mut meter = Meter::new(&Limits::default());
        assert!(meter.table_growing(0, 20_000, None).is_ok());
        assert!(meter.table_growing(0, 1, None).is_err());
        assert_eq!(meter.refused, Some(Refused::Table(20_001)));
    }
}
