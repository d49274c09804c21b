//! What earlier builds recorded; a lock that cannot be trusted stops every decision about ownership.

use std::collections::BTreeMap;

use crate::diagnostic::{Code, Diagnostic, Found, Span};
use crate::model::id::Sha256;
use crate::model::lockfile::{LockFault, LockFile, LockItem, LockOutput};
use crate::model::path::RelPath;

/// A lock as it lies on the disk.
#[derive(Debug, Clone)]
pub struct RawLock {
    /// Its text.
    pub bytes: Vec<u8>,
    /// Its permission bits.
    pub mode: u32,
}

/// A lock that verified.
#[derive(Debug, Clone)]
pub struct PreviousLock {
    /// Of the file.
    pub hash: Sha256,
    /// The permission bits.
    pub mode: u32,
    /// What it says.
    pub lock: LockFile,
}

/// Every lock of the workspace.
#[derive(Debug, Clone, Default)]
pub struct PreviousLocks {
    /// By path.
    pub locks: BTreeMap<RelPath, PreviousLock>,
    /// Some lock could not be read: nothing may be replaced or deleted.
    pub untrusted: bool,
}

impl PreviousLocks {
    /// Reads all locks, and says what is wrong with those that cannot be trusted.
    #[must_use]
    pub fn read(raw: &BTreeMap<RelPath, RawLock>) -> Found<Self> {
        let mut found = Found::clean(Self::default());
        for (path, raw) in raw {
            match LockFile::parse(&raw.bytes) {
                Ok(lock) => {
                    let previous = PreviousLock {
                        hash: Sha256::of(&raw.bytes),
                        mode: raw.mode,
                        lock,
                    };
                    found.value.locks.insert(path.clone(), previous);
                }
                Err(fault) => {
                    found.value.untrusted = true;
                    found.findings.push(explain(path, &fault));
                }
            }
        }
        found
    }

    /// Every item of every lock.
    pub fn items(&self) -> impl Iterator<Item = &LockItem> {
        self.locks.values().flat_map(|l| &l.lock.items)
    }

    /// Every owned file with its item.
    #[must_use]
    pub fn outputs(&self) -> BTreeMap<&RelPath, (&LockItem, &LockOutput)> {
        self.items()
            .flat_map(|item| item.outputs.iter().map(move |o| (&o.path, (item, o))))
            .collect()
    }
}

fn explain(path: &RelPath, fault: &LockFault) -> Diagnostic {
    let (code, help) = match fault {
        LockFault::Conflict => (
            Code::LOCK_CONFLICT,
            "settle the source files first, then run `skillset resolve`, which writes the lock anew",
        ),
        LockFault::TooNew(_) => (Code::LOCK_TOO_NEW, "update skillset"),
        LockFault::Damaged(_) => (
            Code::LOCK_DAMAGED,
            "take the lock from version control, or run `skillset build --repair`",
        ),
    };
    Diagnostic::new(code, format!("{path}: {fault}"))
        .at(Span::whole(path))
        .help(help)
}
