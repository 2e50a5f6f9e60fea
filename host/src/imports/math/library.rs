//! A BLAS of the machine's, in place of Rankine's own routines: a shared library whose functions are called as Fortran calls
//! them, named by `--blas`.
//!
//! It is native code that the user trusts, as an MPI library is. It is opened from one place alone, which nobody else and no
//! guest may write to, before the wall goes up, and is tried out there: what it loads when it is first called it has then
//! loaded. It works with the thread that calls, and starts none. On its stack OpenBLAS, BLIS and the reference take less than
//! 40 KiB, of the 512 that are left to the host on a fiber.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::fmt;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail, ensure};
use libloading::Library as Opened;
use rankine_system::os::only_on_unix;

use super::format;
use super::gate::Gate;
use super::matrices;
use rankine_system::places::env_path;
use rankine_system::placing::cores;
use rankine_system::trust;

/// The variable that names a library where no option does.
pub(crate) const VARIABLE: &str = "RANKINE_BLAS";

/// An argument: an address, or the length of a string, which compilers of Fortran pass behind all addresses.
type Word = *mut c_void;

/// As many arguments as a routine has at most, the lengths of its strings included.
pub(super) const WORDS: usize = 15;

/// A routine. It is called with as many arguments as any has: it takes those that it has, and the rest is its caller's to
/// remove, as the calling conventions of C have it on all machines. Lengths are passed so to functions in C, too.
#[rustfmt::skip]
type Routine = unsafe extern "C" fn(
    Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word,
);

/// What a library puts before and behind the name of a routine: as Fortran does, with 64-bit integers, as the wheels of
/// SciPy do, and without anything.
const NAMINGS: [(&str, &str); 5] = [("", "_"), ("", "_64_"), ("scipy_", "_"), ("scipy_", "_64_"), ("", "")];

/// Has libraries work with the thread that calls; they read this when they are loaded.
const ONE_THREAD: [(&str, &str); 5] = [
    ("OPENBLAS_NUM_THREADS", "1"),
    ("BLIS_NUM_THREADS", "1"),
    ("MKL_NUM_THREADS", "1"),
    ("MKL_THREADING_LAYER", "SEQUENTIAL"),
    ("OMP_NUM_THREADS", "1"),
];

/// The library that is named, and by what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// Its absolute path.
    pub(crate) path: PathBuf,
    origin: &'static str,
}

impl Named {
    /// One that an option names.
    pub(crate) fn of(path: PathBuf) -> Named {
        Named { path, origin: "--blas" }
    }

    /// The user's choice. A job that is to be reproducible has none: the option is refused there, and the variable, which may
    /// be meant for other jobs, does not count.
    pub(crate) fn find(option: Option<&Path>, is_reproducible: bool) -> Result<Option<Named>> {
        if let Some(path) = option {
            return Ok(Some(Named::of(std::path::absolute(path)?)));
        }
        let Some(path) = env_path(VARIABLE).filter(|_| !is_reproducible) else { return Ok(None) };
        ensure!(
            path.is_absolute(),
            "{VARIABLE} is {}, which is a relative path: name the library with its absolute path",
            path.display()
        );
        Ok(Some(Named { path, origin: VARIABLE }))
    }

    /// Tells libraries to start no threads. Call it while the process has one.
    pub(crate) fn prepare() {
        for (name, value) in ONE_THREAD {
            // SAFETY: nobody else reads the environment: there is one thread.
            unsafe { std::env::set_var(name, value) };
        }
    }

    /// Opens the library, tries it out, and says what it is for. No guest's folder may lead to it.
    pub(crate) fn open(&self) -> Result<Arc<Library>> {
        let library = Library::open(self)?;
        tracing::info!("BLAS: {library}");
        Ok(Arc::new(library))
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.path.display(), self.origin)
    }
}

/// How many bytes an INTEGER has.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Integers {
    Short,
    Long,
}

/// A library that was opened.
pub(crate) struct Library {
    pub(crate) path: PathBuf,
    /// Never closed: ranks that are left behind may be in it.
    opened: ManuallyDrop<Opened>,
    naming: (&'static str, &'static str),
    /// As its factorisation shows; without one nothing depends on them.
    integers: Option<Integers>,
    /// What it says of itself.
    version: String,
    gate: Gate,
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())
    }
}

impl fmt::Display for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if !self.version.is_empty() {
            write!(f, " ({})", self.version)?;
        }
        match self.integers {
            Some(Integers::Short) => write!(f, ", 32-bit integers")?,
            Some(Integers::Long) => write!(f, ", 64-bit integers")?,
            None => {}
        }
        if self.gate.most() == 1 && cores() > 1 {
            write!(f, ", one call at a time, as it was built without threads")?;
        }
        let lacking: Vec<String> = matrices::names().filter(|name| self.address(name).is_none()).collect();
        match lacking.is_empty() {
            true => write!(f, "; for all routines"),
            false => write!(f, "; Rankine itself does what it lacks: {}", lacking.join(" ")),
        }
    }
}

impl Library {
    fn open(named: &Named) -> Result<Library> {
        let Named { path, .. } = named;
        only_on_unix("--blas", "without it, Rankine's own routines compute")?;
        let Ok(metadata) = std::fs::metadata(path) else {
            bail!(
                "{named}: there is no such file; a library is named by its path, and `ldconfig -p | grep blas` says which the \
                 system has (Debian's package libopenblas0-pthread has one)"
            );
        };
        ensure!(metadata.is_file(), "{named} is not a file; name the library in it, such as libopenblas.so.0");
        if let Some(why) = trust::distrust_code(path) {
            bail!("{named} is not opened, since {why}; name one that only you and root can have written");
        }
        format::check(path).map_err(|why| anyhow::anyhow!("{named} {why}"))?;
        // SAFETY: loading runs the library's initialisers. It is one that the user has named, and nobody else has written.
        let opened = match unsafe { system::open(path) } {
            Ok(opened) => ManuallyDrop::new(opened),
            Err(error) => bail!("{named} cannot be opened: {error}"),
        };
        // Code for fast and wrong mathematics says so to the processor, for all threads that are started later.
        let smallest = std::hint::black_box(f64::MIN_POSITIVE);
        ensure!(
            std::hint::black_box(smallest / 2.0) != 0.0,
            "{named} makes the processor treat small numbers as 0, which would change the program's results (it was \
             linked with -ffast-math); take another one"
        );
        let naming = NAMINGS.into_iter().find(|naming| symbol(&opened, *naming, "dgemm").is_some());
        let Some(naming) = naming else {
            bail!(
                "{named} is not a BLAS for Fortran: it lacks dgemm_; name a library such as libopenblas.so.0 or libblas.so.3"
            );
        };
        let (threads, version) = tame(&opened, naming);
        let gate = Gate::new(if threads { cores() } else { 1 });
        let path = path.clone();
        let mut library = Library { path, opened, naming, integers: None, version, gate };
        ensure!(
            library.multiplies(),
            "{named} computes wrong products: its dgemm is not called as Fortran's is, or it is damaged"
        );
        library.integers = library.asked_for_integers();
        Ok(library)
    }

    /// A routine that the library has.
    pub(super) fn function(self: &Arc<Library>, name: &str) -> Option<Function> {
        Some(Function { address: self.address(name)?, library: self.clone() })
    }

    fn address(&self, name: &str) -> Option<Routine> {
        // Nobody knows what pivots would be.
        let is_known = self.integers.is_some() || !name.ends_with("getrf");
        symbol(&self.opened, self.naming, name).filter(|_| is_known)
    }

    /// Lets no more calls begin, and says whether none is under way. A library takes down its memory when the process exits.
    pub(crate) fn close(&self) -> bool {
        self.gate.close()
    }

    /// Tries the product of two matrices.
    fn multiplies(&self) -> bool {
        let Some(dgemm) = self.address("dgemm") else { return false };
        let (mut n, mut one, mut zero) = (2u64, 1.0f64, 0.0f64);
        let (mut a, mut b, mut c) = ([1.0f64, 2.0, 3.0, 4.0], [5.0f64, 6.0, 7.0, 8.0], [f64::NAN; 4]);
        let (n, one, zero) = (to(&mut n), to(&mut one), to(&mut zero));
        let mut plain = *b"N";
        let no = to(&mut plain);
        let mut words = [LENGTH; WORDS];
        words[..13].copy_from_slice(&[no, no, n, n, n, one, to(&mut a), n, to(&mut b), n, zero, to(&mut c), n]);
        // SAFETY: a product of matrices of 2 x 2, all of whose elements are there.
        unsafe { call(dgemm, words) };
        c == [23.0, 34.0, 31.0, 46.0]
    }

    /// How long the integers are that the library writes.
    fn asked_for_integers(&self) -> Option<Integers> {
        let dgetrf: Routine = symbol(&self.opened, self.naming, "dgetrf")?;
        let (mut n, mut info, mut a, mut pivots) = (2u64, 0u64, [0.0f64, 1.0, 1.0, 0.0], [u64::MAX; 2]);
        let n = to(&mut n);
        let mut words = [LENGTH; WORDS];
        words[..6].copy_from_slice(&[n, n, to(&mut a), n, to(&mut pivots), to(&mut info)]);
        // SAFETY: a factorisation of a matrix of 2 x 2; there is room for pivots of either length.
        unsafe { call(dgetrf, words) };
        match (info, a, pivots) {
            (0, [1.0, 0.0, 0.0, 1.0], [0x2_0000_0002, u64::MAX]) => Some(Integers::Short),
            (0, [1.0, 0.0, 0.0, 1.0], [2, 2]) => Some(Integers::Long),
            _ => None,
        }
    }
}

#[cfg(unix)]
mod system {
    use std::path::Path;

    use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
    use libloading::{Error, Library as Opened};

    /// Opens a library whole, and for nobody else.
    ///
    /// # Safety
    /// Its initialisers may run.
    pub(super) unsafe fn open(path: &Path) -> Result<Opened, Error> {
        // SAFETY: its initialisers may run, as the caller says.
        unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map(Opened::from)
    }
}

#[cfg(windows)]
mod system {
    use std::path::Path;

    use libloading::{Error, Library as Opened};

    /// Opens a library.
    ///
    /// # Safety
    /// Its initialisers may run.
    pub(super) unsafe fn open(path: &Path) -> Result<Opened, Error> {
        // SAFETY: its initialisers may run, as the caller says.
        unsafe { Opened::new(path) }
    }
}

/// The length of a string of one letter.
pub(super) const LENGTH: Word = std::ptr::without_provenance_mut(1);

/// The address of something that a routine may read and write.
fn to<T>(value: &mut T) -> Word {
    (&raw mut *value).cast()
}

/// # Safety
/// The words are what the routine takes: addresses of numbers and letters that can be read, and written where it does.
unsafe fn call(routine: Routine, words: [Word; WORDS]) {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = words;
    // SAFETY: these words are what the routine takes, as the function demands.
    unsafe { routine(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o) }
}

/// A routine of the library's.
fn symbol(opened: &Opened, (before, behind): (&str, &str), name: &str) -> Option<Routine> {
    let name = format!("{before}{name}{behind}\0");
    // SAFETY: the name of a routine of BLAS or LAPACK, all of which are called by addresses.
    unsafe { opened.get::<Routine>(name.as_bytes()) }.ok().map(|symbol| *symbol)
}

/// Has the library use the thread that calls, should it not have listened to the environment. Says whether several may call at
/// a time, and what the library says of itself.
fn tame(opened: &Opened, (before, behind): (&str, &str)) -> (bool, String) {
    let behind = behind.trim_start_matches('_');
    let name = |name: &str| format!("{before}openblas_{name}{behind}\0").into_bytes();
    // SAFETY: the three functions of OpenBLAS have these types.
    let (limit, parallel, config) = unsafe {
        (
            opened.get::<unsafe extern "C" fn(c_int)>(&*name("set_num_threads")),
            opened.get::<unsafe extern "C" fn() -> c_int>(&*name("get_parallel")),
            opened.get::<unsafe extern "C" fn() -> *const c_char>(&*name("get_config")),
        )
    };
    // SAFETY: it takes any number.
    let _ = limit.map(|limit| unsafe { limit(1) });
    // SAFETY: a question. What is built without threads may do without locks too.
    let is_serial = parallel.is_ok_and(|parallel| unsafe { parallel() } == 0);
    // SAFETY: a question.
    let config = config.map_or(std::ptr::null(), |config| unsafe { config() });
    if config.is_null() {
        return (!is_serial, String::new());
    }
    // SAFETY: a text that the library keeps.
    let version = unsafe { CStr::from_ptr(config) }.to_string_lossy();
    (!is_serial, rankine_system::shown::line(version.trim()))
}

/// A routine of a library.
pub(super) struct Function {
    address: Routine,
    library: Arc<Library>,
}

impl Function {
    /// How long integers are that it writes.
    pub(super) fn integers(&self) -> Integers {
        self.library.integers.unwrap_or(Integers::Short)
    }

    /// Calls it, once there is room.
    ///
    /// # Safety
    /// The words are what the routine takes: addresses of numbers and letters that can be read, and written where it does.
    pub(super) unsafe fn call(&self, words: [Word; WORDS]) {
        let _under_way = self.library.gate.enter();
        // SAFETY: these words are what the routine takes, as the function demands.
        unsafe { call(self.address, words) }
    }
}
