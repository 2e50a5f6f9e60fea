//! Compiled code, kept between runs.
//!
//! An entry's name is a hash of the module's bytes, this program's version, that of its last changes of modules, and everything
//! about the engine that decides whether code fits. Debug information is found with the same bytes by the same changes, so that it is
//! that of the code. Running an entry means trusting it completely, so: folder and file must belong
//! to this user, nobody else may be able to write to them or to a folder above, and the entry must carry a seal that only
//! who has this user's key can make. Anything else is compiled again. Entries appear by renaming, so that concurrent runs
//! never see half of one. What has not been used for longest goes when there is too much.

#[cfg(target_os = "linux")]
mod held;
mod kept;

pub use kept::Kept;

use std::fs::{File, Metadata};
use std::hash::{Hash, Hasher};
use std::io::{Read, Seek as _, Write};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use wasmtime::{Engine, Module};

use rankine_system::os;
use rankine_system::secret::Secret;
use rankine_system::{places, trust};

/// What an entry begins with; its seal follows, then the code.
const MAGIC: &[u8; 16] = b"rankine code 2\r\n";

/// Bytes before the code.
const HEAD: usize = MAGIC.len() + blake3::OUT_LEN;

/// How the names of entries end, and how those begin that are being written.
const CODE: &str = "code";
const UNFINISHED: &str = ".new-";

/// What all entries may take together.
const MOST: u64 = 4 << 30;

/// Bytes of code from which on it is mapped and not read.
#[cfg(target_os = "linux")]
const MAPPED: u64 = 1 << 20;

/// How far behind an entry's time of last use may be.
const STALE: Duration = Duration::from_secs(3600);

/// A folder of compiled code.
pub struct Cache {
    folder: PathBuf,
    secret: Secret,
}

/// Feeds a standard `Hash` to BLAKE3.
struct Digesting(blake3::Hasher);

impl Hasher for Digesting {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}

impl Cache {
    /// The user's cache, made if need be. Without a usable folder or key there is none, and every run compiles.
    pub fn open() -> Option<Cache> {
        let folder = places::cache()?;
        match Secret::of_user() {
            Ok(secret) => Cache::open_in(folder, secret.clone()),
            Err(why) => {
                tracing::warn!("compiled code is not cached: {why}");
                None
            }
        }
    }

    fn open_in(folder: PathBuf, secret: Secret) -> Option<Cache> {
        if let Err(error) = os::make_private(&folder) {
            tracing::warn!("compiled code is not cached: {}: {error}", folder.display());
            return None;
        }
        if let Some(why) = trust::distrust(&folder) {
            tracing::warn!("compiled code is not cached in {}: {why}", folder.display());
            return None;
        }
        Some(Cache { folder, secret })
    }

    /// The name under which a module's code is kept.
    pub fn key(engine: &Engine, binary: &[u8]) -> String {
        let mut digest = Digesting(blake3::Hasher::new());
        digest.0.update(env!("CARGO_PKG_VERSION").as_bytes());
        digest.0.update(&rankine_rewrite::VERSION.to_le_bytes());
        engine.precompile_compatibility_hash().hash(&mut digest);
        digest.0.update(binary);
        digest.0.finalize().to_hex().to_string()
    }

    /// Where the code of a key is kept.
    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(key).with_extension(CODE)
    }

    /// The code kept under a key, if it can be trusted.
    pub fn load(&self, engine: &Engine, key: &str) -> Option<Module> {
        let (mut file, metadata) = self.open_entry(key)?;
        #[cfg(target_os = "linux")]
        if metadata.len() >= MAPPED
            && let Some(module) = self.map(engine, key, &mut file)
        {
            return Some(module);
        }
        let entry = self.read_entry(key, &mut file, metadata.len())?;
        // SAFETY: only who has this user's key could have sealed these bytes, and with this name, which says that this
        // program made them for such an engine; Wasmtime checks version and settings once more.
        match unsafe { Module::deserialize(engine, code_of(&entry)) } {
            Ok(module) => Some(module),
            Err(error) => {
                tracing::debug!("cached code is not usable, compiling again: {error:#}");
                None
            }
        }
    }

    /// Much code that is kept under a key; nothing if its entry is to be read in the other way, which finds what is wrong with it.
    #[cfg(target_os = "linux")]
    fn map(&self, engine: &Engine, key: &str, file: &mut File) -> Option<Module> {
        let mut head = [0; HEAD];
        file.read_exact(&mut head).ok()?;
        let seal = head.strip_prefix(MAGIC)?.first_chunk().copied()?;
        let code = held::rest_of(file).ok()?;
        if !held::look(&code, |code| self.secret.seal(key, code) == blake3::Hash::from_bytes(seal)).ok()? {
            return None;
        }
        // SAFETY: the seal says that this program made the code, for such an engine, and nobody can change what is held.
        let module = unsafe { Module::deserialize_open_file(engine, code) }.ok()?;
        note_use(file);
        Some(module)
    }

    /// Keeps code under a key. A cache that can't be written only costs time.
    pub fn store(&self, key: &str, code: &[u8]) {
        if let Err(error) = self.write_entry(key, code) {
            tracing::warn!("compiled code could not be cached in {}: {error}", self.folder.display());
        }
        if let Err(error) = Kept::in_folder(self.folder.clone()).map(|kept| kept.trim(MOST)) {
            tracing::debug!("{error:#}");
        }
    }

    fn write_entry(&self, key: &str, code: &[u8]) -> std::io::Result<()> {
        let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(&self.folder)?;
        file.write_all(MAGIC)?;
        file.write_all(self.secret.seal(key, code).as_bytes())?;
        file.write_all(code)?;
        file.persist(self.path(key))?;
        Ok(())
    }

    /// An entry, if it is ours: all of it is asked of one opening of the file.
    fn open_entry(&self, key: &str) -> Option<(File, Metadata)> {
        let path = self.path(key);
        let file = os::open_itself(&path).ok()?;
        let metadata = file.metadata().ok()?;
        if !metadata.is_file() || !trust::is_written_by_us_alone(&metadata) {
            tracing::warn!("{} is not yours alone; compiling again", path.display());
            return None;
        }
        Some((file, metadata))
    }

    /// The whole of it, if its seal is right.
    fn read_entry(&self, key: &str, file: &mut File, length: u64) -> Option<Vec<u8>> {
        let mut entry = Vec::with_capacity(length as usize);
        file.rewind().ok()?;
        file.read_to_end(&mut entry).ok()?;
        if !self.is_sealed(key, &entry) {
            tracing::warn!("{} is damaged, or somebody else's; compiling again", self.path(key).display());
            return None;
        }
        note_use(file);
        Some(entry)
    }

    fn is_sealed(&self, key: &str, entry: &[u8]) -> bool {
        let sealed = entry.strip_prefix(MAGIC).and_then(|rest| rest.split_first_chunk::<{ blake3::OUT_LEN }>());
        // Comparing hashes takes the same time wherever they differ.
        sealed.is_some_and(|(seal, code)| self.secret.seal(key, code) == blake3::Hash::from_bytes(*seal))
    }
}

/// Notes that an entry is used, by its time of modification: few systems keep that of access. Where it can't be noted an
/// entry goes by its age.
fn note_use(file: &File) {
    let now = SystemTime::now();
    let modified = file.metadata().and_then(|metadata| metadata.modified());
    if modified.is_ok_and(|before| now.duration_since(before).is_ok_and(|since| since > STALE)) {
        let _ = file.set_modified(now);
    }
}

/// The code in an entry.
fn code_of(entry: &[u8]) -> &[u8] {
    &entry[HEAD..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::module::{Settings, engine};
    use std::fs::{self, Permissions};
    use std::os::unix::fs::MetadataExt as _;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    const MODULE: &[u8] = b"\0asm\x01\0\0\0";

    struct Fixture {
        top: tempfile::TempDir,
        cache: Cache,
        engine: Engine,
        key: String,
    }

    impl Fixture {
        /// The cache, opened again with the key of this name.
        fn again(&self, secret: &str) -> Option<Cache> {
            Cache::open_in(self.cache.folder.clone(), Secret::open_in(&self.top.path().join(secret)).unwrap())
        }

        fn loads(&self) -> bool {
            self.cache.load(&self.engine, &self.key).is_some()
        }

        fn entry(&self) -> PathBuf {
            self.cache.path(&self.key)
        }
    }

    fn stored() -> Fixture {
        let top = tempfile::tempdir().unwrap();
        let secret = Secret::open_in(&top.path().join("state")).unwrap();
        let cache = Cache::open_in(top.path().join("above/new"), secret).unwrap();
        let engine = engine(Settings::default()).unwrap();
        let key = Cache::key(&engine, MODULE);
        assert!(cache.load(&engine, &key).is_none());
        cache.store(&key, &engine.precompile_module(MODULE).unwrap());
        Fixture { top, cache, engine, key }
    }

    #[test]
    fn gives_back_what_was_stored() {
        let fixture = stored();
        assert!(fixture.loads());
        assert!(fixture.again("state").unwrap().load(&fixture.engine, &fixture.key).is_some());
        assert_eq!(fs::metadata(&fixture.cache.folder).unwrap().mode() & 0o777, 0o700);
    }

    /// A module whose code is mapped.
    fn large() -> Vec<u8> {
        let function = "(func (result i32) i32.const 7 i32.const 9 i32.mul) ".repeat(40_000);
        wat::parse_str(format!("(module (memory 1) (data (i32.const 0) \"{}\") {function})", "x".repeat(5000))).unwrap()
    }

    #[test]
    fn much_code_is_mapped_and_refused_as_little_is() {
        let fixture = stored();
        let (cache, engine, key) = (&fixture.cache, &fixture.engine, "large");
        cache.store(key, &engine.precompile_module(&large()).unwrap());
        let path = cache.path(key);
        let whole = fs::read(&path).unwrap();
        assert!(whole.len() as u64 >= MAPPED);
        let mapped = |cache: &Cache| cache.map(engine, key, &mut File::open(&path).unwrap()).is_some();
        assert!(mapped(cache) && !mapped(&fixture.again("other").unwrap()));
        assert!(cache.load(engine, key).is_some());
        for at in [0, MAGIC.len(), HEAD, whole.len() / 2, whole.len() - 1] {
            let mut entry = whole.clone();
            entry[at] ^= 1;
            fs::write(&path, &entry).unwrap();
            assert!(!mapped(cache) && cache.load(engine, key).is_none(), "byte {at}");
        }
    }

    #[test]
    fn refuses_a_changed_entry() {
        let fixture = stored();
        let whole = fs::read(fixture.entry()).unwrap();
        // Code, seal and magic: whichever byte it is.
        for at in
            [0, MAGIC.len() - 1, MAGIC.len(), MAGIC.len() + 31, MAGIC.len() + 32, whole.len() / 2, whole.len() - 1]
        {
            let mut entry = whole.clone();
            entry[at] ^= 1;
            fs::write(fixture.entry(), &entry).unwrap();
            assert!(!fixture.loads(), "byte {at}");
        }
        for length in [0, 5, MAGIC.len(), MAGIC.len() + 32, whole.len() / 2, whole.len() - 1] {
            fs::write(fixture.entry(), &whole[..length]).unwrap();
            assert!(!fixture.loads(), "{length} bytes");
        }
        fs::write(fixture.entry(), [&whole, &b"x"[..]].concat()).unwrap();
        assert!(!fixture.loads());
        fs::write(fixture.entry(), &whole).unwrap();
        assert!(fixture.loads());
    }

    #[test]
    fn refuses_what_has_another_seal() {
        let fixture = stored();
        // Made by who can write to the cache and has another key, or none.
        let forger = fixture.again("forger").unwrap();
        forger.store(&fixture.key, &fixture.engine.precompile_module(MODULE).unwrap());
        assert!(forger.load(&fixture.engine, &fixture.key).is_some() && !fixture.loads());
        // Another module's code under this one's name.
        let other = wat::parse_str("(module (func (export \"other\")))").unwrap();
        let name = Cache::key(&fixture.engine, &other);
        fixture.cache.store(&name, &fixture.engine.precompile_module(&other).unwrap());
        fs::copy(fixture.cache.path(&name), fixture.entry()).unwrap();
        assert!(fixture.cache.load(&fixture.engine, &name).is_some() && !fixture.loads());
    }

    #[test]
    fn refuses_what_others_could_have_written() {
        let fixture = stored();
        let mode = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        for bits in [0o606, 0o666, 0o660] {
            mode(&fixture.entry(), bits);
            assert!(!fixture.loads(), "{bits:o}");
        }
        mode(&fixture.entry(), 0o600);
        assert!(fixture.loads());
        for folder in [&fixture.cache.folder, fixture.cache.folder.parent().unwrap()] {
            mode(folder, 0o777);
            assert!(fixture.again("state").is_none(), "{}", folder.display());
            mode(folder, 0o755);
            assert!(fixture.again("state").is_some());
        }
    }

    #[test]
    fn refuses_what_is_no_plain_file() {
        let fixture = stored();
        let (entry, elsewhere) = (fixture.entry(), fixture.top.path().join("elsewhere"));
        fs::rename(&entry, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &entry).unwrap();
        assert!(!fixture.loads());
        fs::remove_file(&entry).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, &entry, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).unwrap();
        assert!(!fixture.loads());
    }

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let fixture = stored();
        let own = fs::metadata(fixture.entry()).unwrap().len();
        let age = |path: &Path, hours| {
            let file = File::options().write(true).open(path).unwrap();
            file.set_modified(SystemTime::now() - STALE * hours).unwrap();
        };
        for (name, size, hours) in [("b", own, 3), ("a", 2 * own, 4), ("c", own, 2)] {
            fs::write(fixture.cache.path(name), vec![0; size as usize]).unwrap();
            age(&fixture.cache.path(name), hours);
        }
        // The oldest; but then it is used.
        age(&fixture.entry(), 9);
        assert!(fixture.loads());
        let trim = |most: u64| Kept::in_folder(fixture.cache.folder.clone()).unwrap().trim(most);
        let left = || ["a", "b", "c"].map(|name| fixture.cache.path(name).exists());
        trim(5 * own);
        assert_eq!(left(), [true; 3]);
        // A quarter becomes free, so that it is not the next one's turn at once.
        trim(5 * own - 1);
        assert_eq!(left(), [false, true, true]);
        trim(3 * own - 1);
        assert!(left() == [false, false, true] && fixture.loads());
        trim(0);
        assert_eq!(left(), [false; 3]);
        assert!(!fixture.loads());
    }

    #[test]
    fn keys_tell_modules_and_settings_apart() {
        let plain = engine(Settings::default()).unwrap();
        let other = Engine::new(wasmtime::Config::new().consume_fuel(true)).unwrap();
        let debugged = engine(Settings { debug: true, ..Settings::default() }).unwrap();
        assert_ne!(Cache::key(&plain, MODULE), Cache::key(&plain, b"\0asm\x01\0\0\0\0"));
        assert_ne!(Cache::key(&plain, MODULE), Cache::key(&other, MODULE));
        assert_ne!(Cache::key(&plain, MODULE), Cache::key(&debugged, MODULE));
    }
}
