//! Compiled code, kept between runs.
//!
//! An entry's name is a hash of the module's bytes, this program's version, and everything about the engine that
//! decides whether code fits. Running an entry means trusting it completely, so: the folder and the file must belong to
//! this user and be writable by nobody else, and a checksum must show that the entry is whole. Anything else is
//! compiled again. Entries appear by renaming, so that concurrent runs never see half of one.

use std::fs::{self, DirBuilder, File, Metadata};
use std::hash::{Hash, Hasher};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use wasmtime::{Engine, Module};

/// What an entry begins with; the checksum of the rest follows.
const MAGIC: &[u8; 12] = b"rankine code";

/// A folder of compiled code.
pub struct Cache {
    folder: PathBuf,
}

/// Feeds a standard `Hash` to SHA-256.
struct Digesting(Sha256);

impl Hasher for Digesting {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}

/// The user's cache folder: `RANKINE_CACHE_DIR`, or `rankine` in the place where caches go.
fn folder() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("RANKINE_CACHE_DIR").or_else(|| {
        let caches = set("XDG_CACHE_HOME").filter(|path| path.is_absolute());
        Some(caches.or_else(|| Some(set("HOME")?.join(".cache")))?.join("rankine"))
    })
}

/// Whether nobody but this user can have written it.
fn is_ours(metadata: &Metadata) -> bool {
    // SAFETY: `geteuid` has no preconditions.
    metadata.uid() == unsafe { libc::geteuid() } && metadata.mode() & 0o022 == 0
}

impl Cache {
    /// The user's cache, made if need be. Without a usable folder there is none, and every run compiles.
    pub fn open() -> Option<Cache> {
        Cache::open_in(folder()?)
    }

    fn open_in(folder: PathBuf) -> Option<Cache> {
        if let Err(error) = DirBuilder::new().recursive(true).mode(0o700).create(&folder) {
            tracing::warn!("compiled code is not cached: {}: {error}", folder.display());
            return None;
        }
        let metadata = fs::metadata(&folder).ok()?;
        if !is_ours(&metadata) {
            tracing::warn!("compiled code is not cached: others may write to {}", folder.display());
            return None;
        }
        Some(Cache { folder })
    }

    /// The name under which a module's code is kept.
    pub fn key(engine: &Engine, binary: &[u8]) -> String {
        let mut digest = Digesting(Sha256::new());
        digest.0.update(env!("CARGO_PKG_VERSION"));
        engine.precompile_compatibility_hash().hash(&mut digest);
        digest.0.update(binary);
        digest.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Where the code of a key is kept.
    pub fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.code"))
    }

    /// The code kept under a key, if it can be trusted.
    pub fn load(&self, engine: &Engine, key: &str) -> Option<Module> {
        let code = read_entry(&self.path(key))?;
        // SAFETY: only this user could have written the entry, it is whole, and its name says that this program
        // made it for such an engine; Wasmtime checks version and settings once more.
        match unsafe { Module::deserialize(engine, &code[MAGIC.len() + 4..]) } {
            Ok(module) => Some(module),
            Err(error) => {
                tracing::debug!("cached code is not usable, compiling again: {error:#}");
                None
            }
        }
    }

    /// Keeps code under a key. A cache that can't be written only costs time.
    pub fn store(&self, key: &str, code: &[u8]) {
        if let Err(error) = self.write_entry(key, code) {
            tracing::warn!("compiled code could not be cached in {}: {error}", self.folder.display());
        }
    }

    fn write_entry(&self, key: &str, code: &[u8]) -> std::io::Result<()> {
        let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(&self.folder)?;
        file.write_all(MAGIC)?;
        file.write_all(&crc32fast::hash(code).to_le_bytes())?;
        file.write_all(code)?;
        file.persist(self.path(key))?;
        Ok(())
    }
}

/// The whole entry, if it is ours and undamaged.
fn read_entry(path: &Path) -> Option<Vec<u8>> {
    let mut file = File::open(path).ok()?;
    let metadata = file.metadata().ok()?;
    let mut entry = Vec::with_capacity(metadata.len() as usize);
    file.read_to_end(&mut entry).ok()?;
    let whole = entry
        .strip_prefix(MAGIC)
        .and_then(|rest| rest.split_first_chunk::<4>())
        .is_some_and(|(sum, code)| u32::from_le_bytes(*sum) == crc32fast::hash(code));
    if !is_ours(&metadata) || !whole {
        tracing::warn!("{} is damaged or not yours alone; compiling again", path.display());
        return None;
    }
    Some(entry)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::module::{Settings, engine};
    use std::os::unix::fs::PermissionsExt;

    const MODULE: &[u8] = b"\0asm\x01\0\0\0";

    struct Fixture {
        _folder: tempfile::TempDir,
        cache: Cache,
        engine: Engine,
        key: String,
    }

    fn stored() -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open_in(folder.path().join("new")).unwrap();
        let engine = engine(Settings { images: true }).unwrap();
        let key = Cache::key(&engine, MODULE);
        assert!(cache.load(&engine, &key).is_none());
        cache.store(&key, &engine.precompile_module(MODULE).unwrap());
        Fixture { _folder: folder, cache, engine, key }
    }

    #[test]
    fn gives_back_what_was_stored() {
        let Fixture { cache, engine, key, _folder } = stored();
        assert!(cache.load(&engine, &key).is_some());
        assert_eq!(fs::metadata(&cache.folder).unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn refuses_a_damaged_entry() {
        let Fixture { cache, engine, key, _folder } = stored();
        let mut entry = fs::read(cache.path(&key)).unwrap();
        let middle = entry.len() / 2;
        entry[middle] ^= 1;
        fs::write(cache.path(&key), &entry).unwrap();
        assert!(cache.load(&engine, &key).is_none());
        fs::write(cache.path(&key), &entry[..middle]).unwrap();
        assert!(cache.load(&engine, &key).is_none());
        fs::write(cache.path(&key), b"").unwrap();
        assert!(cache.load(&engine, &key).is_none());
    }

    #[test]
    fn refuses_what_others_could_have_written() {
        let Fixture { cache, engine, key, _folder } = stored();
        fs::set_permissions(cache.path(&key), fs::Permissions::from_mode(0o666)).unwrap();
        assert!(cache.load(&engine, &key).is_none());
        fs::set_permissions(&cache.folder, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(Cache::open_in(cache.folder.clone()).is_none());
    }

    #[test]
    fn keys_tell_modules_and_settings_apart() {
        let plain = engine(Settings { images: true }).unwrap();
        let other = Engine::new(wasmtime::Config::new().consume_fuel(true)).unwrap();
        assert_ne!(Cache::key(&plain, MODULE), Cache::key(&plain, b"\0asm\x01\0\0\0\0"));
        assert_ne!(Cache::key(&plain, MODULE), Cache::key(&other, MODULE));
    }
}
