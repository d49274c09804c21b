//! Compiled code and descriptions in the user's cache folder.
//! In: bytes of a component's digest. Out: the same bytes on a later run, or nothing.
//! Depends on: the engine, for its compatibility hash. Never: reports a cache that is absent, damaged or read-only.
#![expect(
    clippy::disallowed_methods,
    reason = "a door: the cache folder is outside every workspace"
)]

use std::hash::{Hash as _, Hasher};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fs, io};

use sha2::Digest as _;
use wasmtime::Engine;
use wasmtime::component::Component;

use super::engine::CODE_VERSION;
use crate::model::id::Sha256;

/// All entries together, in bytes. The oldest go first.
const MAX_CACHE_BYTES: u64 = 512 << 20;
/// One entry. The largest measured has 38 MiB.
const MAX_ENTRY_BYTES: u64 = 256 << 20;
const MAGIC: &[u8; 8] = b"SKCODE01";
/// Magic, key, component, body's digest, body's length.
const HEADER_BYTES: usize = 8 + 32 + 32 + 32 + 8;

/// A folder of entries. Without a folder, everything is compiled in memory.
#[derive(Debug, Clone)]
pub struct CodeCache {
    dir: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Code,
    Description,
}

impl Kind {
    const fn extension(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Description => "about",
        }
    }
}

impl CodeCache {
    /// The cache in `dir`, which need not exist. `None` keeps nothing.
    #[must_use]
    pub const fn new(dir: Option<PathBuf>) -> Self {
        Self { dir }
    }

    /// The compiled component, when a whole entry of this host and engine is there.
    pub(super) fn load_code(&self, engine: &Engine, digest: Sha256) -> Option<Component> {
        let body = self.load(Kind::Code, engine, digest)?;
        let component =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| deserialize(engine, &body)));
        if let Ok(Ok(component)) = component {
            return Some(component);
        }
        self.remove(Kind::Code, engine, digest);
        None
    }

    /// Keeps a compiled component.
    pub(super) fn store_code(&self, engine: &Engine, digest: Sha256, component: &Component) {
        if self.dir.is_some()
            && let Ok(body) = component.serialize()
        {
            self.store(Kind::Code, engine, digest, &body);
        }
    }

    /// The description as it was stored.
    pub(super) fn load_description(&self, engine: &Engine, digest: Sha256) -> Option<Vec<u8>> {
        self.load(Kind::Description, engine, digest)
    }

    /// Keeps a description.
    pub(super) fn store_description(&self, engine: &Engine, digest: Sha256, body: &[u8]) {
        self.store(Kind::Description, engine, digest, body);
    }

    fn path(&self, kind: Kind, key: Sha256, digest: Sha256) -> Option<PathBuf> {
        let name = format!(
            "{}-{}.{}",
            &digest.hex()[..32],
            &key.hex()[..16],
            kind.extension()
        );
        self.dir.as_ref().map(|dir| dir.join(name))
    }

    fn load(&self, kind: Kind, engine: &Engine, digest: Sha256) -> Option<Vec<u8>> {
        let key = cache_key(kind, engine);
        let path = self.path(kind, key, digest)?;
        let mut bytes = read_own_file(&path)?;
        let whole = bytes.get(..HEADER_BYTES).is_some_and(|header| {
            header == make_header(key, digest, &bytes[HEADER_BYTES..]).as_slice()
        });
        if !whole {
            let _ = fs::remove_file(&path);
            return None;
        }
        Some(bytes.split_off(HEADER_BYTES))
    }

    fn store(&self, kind: Kind, engine: &Engine, digest: Sha256, body: &[u8]) {
        let key = cache_key(kind, engine);
        if let (Some(dir), Some(path)) = (&self.dir, self.path(kind, key, digest)) {
            // A cache that cannot be written costs time, not correctness.
            if write_entry(dir, &path, &make_header(key, digest, body), body).is_ok() {
                let _ = shrink(dir, &path, MAX_CACHE_BYTES);
            }
        }
    }

    fn remove(&self, kind: Kind, engine: &Engine, digest: Sha256) {
        if let Some(path) = self.path(kind, cache_key(kind, engine), digest) {
            let _ = fs::remove_file(path);
        }
    }
}

#[expect(unsafe_code, reason = "compiled code can only be loaded so")]
fn deserialize(engine: &Engine, body: &[u8]) -> wasmtime::Result<Component> {
    // SAFETY: the bytes come from a file that this user owns and no one else can write, and its header's SHA-256 of
    // them, of the component and of the engine's configuration was compared just now. The engine itself checks
    // compatibility but almost no damage, hence the digest.
    unsafe { Component::deserialize(engine, body) }
}

/// Feeds a `Hash` into SHA-256, which gives equal results in every process.
struct StableHasher(sha2::Sha256);

impl Hasher for StableHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}

/// Covers all that decides about the meaning of an entry beside the component.
fn cache_key(kind: Kind, engine: &Engine) -> Sha256 {
    let mut hasher = StableHasher(sha2::Sha256::new());
    hasher.write(CODE_VERSION.as_bytes());
    hasher.write(kind.extension().as_bytes());
    engine.precompile_compatibility_hash().hash(&mut hasher);
    Sha256(hasher.0.finalize().into())
}

fn make_header(key: Sha256, digest: Sha256, body: &[u8]) -> Vec<u8> {
    let mut header = Vec::with_capacity(HEADER_BYTES);
    header.extend(MAGIC);
    header.extend(key.0);
    header.extend(digest.0);
    header.extend(Sha256::of(body).0);
    header.extend((body.len() as u64).to_le_bytes());
    header
}

fn read_own_file(path: &Path) -> Option<Vec<u8>> {
    let mut file = fs::File::open(path).ok()?;
    let metadata = file.metadata().ok()?;
    if !metadata.is_file() || metadata.len() > MAX_ENTRY_BYTES || !is_own(&metadata) {
        return None;
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).ok()?);
    file.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(unix)]
fn is_own(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    metadata.uid() == rustix::process::geteuid().as_raw() && metadata.mode() & 0o022 == 0
}

#[cfg(not(unix))]
fn is_own(_metadata: &fs::Metadata) -> bool {
    true
}

fn write_entry(dir: &Path, path: &Path, header: &[u8], body: &[u8]) -> io::Result<()> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    make_private_dir(dir)?;
    let temporary = dir.join(format!(".{}-{number}.tmp", std::process::id()));
    let written = (|| {
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&temporary)?;
        file.write_all(header)?;
        file.write_all(body)?;
        // Without it a crash can leave the new name with old or no bytes.
        file.sync_all()?;
        fs::rename(&temporary, path)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn make_private_dir(dir: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

/// Removes the oldest entries until the rest fits; never `keep`, which was just written.
fn shrink(dir: &Path, keep: &Path, max_bytes: u64) -> io::Result<()> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        if metadata.is_file() {
            entries.push((metadata.modified()?, entry.path(), metadata.len()));
        }
    }
    entries.sort();
    let mut total: u64 = entries.iter().map(|(_, _, len)| len).sum();
    for (_, path, len) in entries {
        if total <= max_bytes {
            break;
        }
        if path != keep {
            fs::remove_file(&path)?;
            total -= len;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::engine::engine;
    use super::*;

    fn fixture() -> (tempfile::TempDir, CodeCache, Sha256) {
        let dir = tempfile::tempdir().unwrap();
        let cache = CodeCache::new(Some(dir.path().join("renderers")));
        (dir, cache, Sha256::of(b"component"))
    }

    fn only_file(cache: &CodeCache) -> PathBuf {
        let mut files = fs::read_dir(cache.dir.as_ref().unwrap()).unwrap();
        let file = files.next().unwrap().unwrap().path();
        assert!(files.next().is_none(), "no temporary file stays");
        file
    }

    #[test]
    fn what_was_stored_comes_back() {
        let (_dir, cache, digest) = fixture();
        let engine = engine().unwrap();
        assert_eq!(cache.load_description(engine, digest), None);
        cache.store_description(engine, digest, b"{}");
        assert_eq!(cache.load_description(engine, digest), Some(b"{}".to_vec()));
        assert_eq!(cache.load_description(engine, Sha256::of(b"other")), None);
    }

    #[test]
    fn every_flipped_byte_is_noticed_and_the_entry_removed() {
        let (_dir, cache, digest) = fixture();
        let engine = engine().unwrap();
        cache.store_description(engine, digest, b"body");
        let whole = fs::read(only_file(&cache)).unwrap();
        for index in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[index] ^= 1;
            cache.store_description(engine, digest, b"body");
            let path = only_file(&cache);
            fs::write(&path, &damaged).unwrap();
            assert_eq!(cache.load_description(engine, digest), None, "{index}");
            assert!(!path.exists(), "{index}");
        }
        cache.store_description(engine, digest, b"body");
        fs::write(only_file(&cache), &whole[..whole.len() - 1]).unwrap();
        assert_eq!(cache.load_description(engine, digest), None);
    }

    #[cfg(unix)]
    #[test]
    fn entries_are_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let (_dir, cache, digest) = fixture();
        let engine = engine().unwrap();
        cache.store_description(engine, digest, b"{}");
        let path = only_file(&cache);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.parent().unwrap()), 0o700);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o622)).unwrap();
        assert_eq!(cache.load_description(engine, digest), None);
    }

    #[test]
    fn a_folder_that_cannot_be_is_no_cache() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        fs::write(&file, b"").unwrap();
        let cache = CodeCache::new(Some(file.join("renderers")));
        let engine = engine().unwrap();
        cache.store_description(engine, Sha256::of(b"x"), b"{}");
        assert_eq!(cache.load_description(engine, Sha256::of(b"x")), None);
    }

    #[test]
    fn the_oldest_entries_go_first() {
        let dir = tempfile::tempdir().unwrap();
        let names = ["c", "a", "b"].map(|name| dir.path().join(name));
        for (age, path) in (1_u64..).zip(&names) {
            fs::write(path, [0; 10]).unwrap();
            let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(age);
            fs::File::options()
                .write(true)
                .open(path)
                .unwrap()
                .set_modified(time)
                .unwrap();
        }
        shrink(dir.path(), &names[0], 20).unwrap();
        let left = names.each_ref().map(|path| path.exists());
        assert_eq!(left, [true, false, true]);
    }
}
