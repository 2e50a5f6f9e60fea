//! The machine's MPI library: one that offers the standard ABI of MPI 5, found and opened at run time.
//!
//! Nothing is linked at build time. A function of the library is looked up when it is first called: a program can be
//! run with a library that lacks functions which it never calls.

#[macro_use]
pub(crate) mod symbol;

pub mod fault;
pub(crate) mod hints;
pub mod ordered;
pub(crate) mod shared;

use std::ffi::{OsStr, c_void};
use std::fs::File;
use std::io::Read as _;
use std::mem::ManuallyDrop;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::{env, iter};

use anyhow::{Result, bail};
use libloading::Library as Opened;
use rankine_abi::{FUNCTIONS, MPI_ERR_UNSUPPORTED_OPERATION};

use super::generated::symbols::{MPI_Abi_get_version, MPI_Get_library_version};
use rankine_system::launched;
use rankine_system::places::env_path;
use rankine_system::trust::Notes;
use rankine_system::{places, trust};

/// The names under which libraries with the standard ABI are installed. The unversioned one can be a linker script,
/// which no loader opens, so it comes last.
const NAMES: [&str; 3] = ["libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi_abi.so"];

/// `MPI_MAX_LIBRARY_VERSION_STRING` of the standard ABI.
const LONGEST_VERSION: usize = 8192;

/// A function of the library with its C type. Generated: one for each function of the ABI.
pub trait Symbol {
    /// Its position in [`FUNCTIONS`].
    const INDEX: usize;
    /// Its type, an `unsafe extern "C" fn`.
    type Function: Copy;
}

/// A library that was opened.
pub struct Library {
    /// Its file, or the name by which the loader found it.
    pub path: PathBuf,
    /// The rule that led to it.
    pub origin: &'static str,
    /// What `MPI_Get_library_version` says, first line.
    pub version: String,
    /// What `MPI_Abi_get_version` says.
    pub abi: (i32, i32),
    /// Libraries that would have come before, and why they were not taken.
    pub skipped: Vec<String>,
    /// Never closed: libraries start threads and register exit handlers when they are loaded.
    opened: ManuallyDrop<Opened>,
    /// The addresses that have been looked up, by position in [`FUNCTIONS`].
    symbols: Box<[AtomicPtr<c_void>]>,
    /// Several threads of the rank call at once.
    is_shared: AtomicBool,
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.path.display(), self.version)
    }
}

impl Library {
    /// A function of the library; an MPI error that names both if the library lacks it.
    #[inline]
    pub fn symbol<S: Symbol>(&self) -> rankine_guest::Result<S::Function> {
        const { assert!(size_of::<S::Function>() == size_of::<*mut c_void>()) };
        let mut address = self.symbols[S::INDEX].load(Ordering::Relaxed);
        if address.is_null() {
            address = self.look_up(S::INDEX)?;
        }
        // SAFETY: the address is that of the function whose type the standard ABI fixes, which is `S::Function`, a
        // function pointer.
        Ok(unsafe { std::mem::transmute_copy::<*mut c_void, S::Function>(&address) })
    }

    #[cold]
    fn look_up(&self, index: usize) -> rankine_guest::Result<*mut c_void> {
        let name = FUNCTIONS[index].name;
        // SAFETY: only the address is taken here.
        let found = unsafe { self.opened.get::<*mut c_void>(name.as_bytes()) }.ok().map(|symbol| *symbol);
        let Some(address) = found.filter(|address| !address.is_null()) else {
            let text = format!("the MPI library {} ({}) has no function {name}", self.path.display(), self.version);
            return Err(rankine_guest::Error::new(MPI_ERR_UNSUPPORTED_OPERATION, text));
        };
        let address = if self.is_shared.load(Ordering::Relaxed) { shared::stand_in(index, address) } else { address };
        self.symbols[index].store(address, Ordering::Relaxed);
        Ok(address)
    }

    /// Several threads of the rank call from now on, one of which is the caller.
    pub(crate) fn share(&self) {
        if self.is_shared.swap(true, Ordering::Relaxed) {
            return;
        }
        for (index, symbol) in self.symbols.iter().enumerate() {
            let address = symbol.load(Ordering::Relaxed);
            if !address.is_null() {
                symbol.store(shared::stand_in(index, address), Ordering::Relaxed);
            }
        }
    }
}

/// The first library that can be opened: `--mpi-lib`, `RANKINE_MPI_LIB`, what belongs to the launcher that started this
/// process, to the active environment, the loader's own search, what lies beside the launcher on `PATH`. One that is
/// named must be right; of the others those are skipped that somebody else could have written.
pub fn find(named: Option<&Path>) -> Result<Library> {
    let named = named.map(|path| (path.to_path_buf(), "--mpi-lib"));
    match named.or_else(|| Some((env_path("RANKINE_MPI_LIB")?, "RANKINE_MPI_LIB"))) {
        None => first(candidates()),
        // A name alone says nothing of where the library lies.
        Some((path, origin)) => match reason_against(&path).filter(|_| path.components().count() == 1) {
            Some(why) => bail!("{} ({origin}) is not opened, since {why}", path.display()),
            None => match Notes::of_user().doubt(&path).filter(|_| path.components().count() > 1) {
                Some(why) => bail!("{} ({origin}) is not opened, since {why}", path.display()),
                None => open(&path, origin),
            },
        },
    }
}

/// The first of these that can be opened.
fn first(candidates: impl Iterator<Item = Candidate>) -> Result<Library> {
    let mut skipped = Vec::new();
    for (folder, origin) in candidates {
        for name in NAMES {
            let path = folder.join(name);
            match reason_against(&path) {
                Some(why) => skipped.push(format!("{} ({origin}), since {why}", path.display())),
                None => {
                    if let Ok(library) = open(&path, origin) {
                        return Ok(Library { skipped, ..library });
                    }
                }
            }
        }
    }
    skipped.extend(nearby());
    let skipped: String = skipped.iter().map(|skipped| format!("\n  skipped: {skipped}")).collect();
    bail!(
        "no MPI library with the standard ABI of MPI 5 was found (libmpi_abi.so.1); \
         install MPICH 5, for instance with `pip install mpich`, or name one with --mpi-lib or RANKINE_MPI_LIB{skipped}"
    )
}

/// A folder with libraries, and the rule that leads to it. The empty folder is the loader's search.
type Candidate = (PathBuf, &'static str);

fn candidates() -> impl Iterator<Item = Candidate> {
    let launcher = launched::launcher().and_then(|_| beside_our_launcher());
    let launcher = launcher.map(|folder| (folder, "beside the launcher that started this"));
    let active = places::environments().into_iter().map(|folder| (folder.join("lib"), "the active environment"));
    let loader = iter::once((PathBuf::new(), "the loader's path"));
    let on_path = beside_first_launcher().map(|folder| (folder, "the folder beside mpiexec"));
    launcher.into_iter().chain(active).chain(loader).chain(on_path)
}

/// The folders from which a library could be taken, for a job that may name one.
pub fn folders(named: Option<&Path>) -> impl Iterator<Item = PathBuf> {
    let named = [named.map(Path::to_path_buf), env_path("RANKINE_MPI_LIB")].into_iter().flatten();
    // A name alone is looked for by the loader.
    let named = named.filter(|path| path.components().count() > 1);
    let named = named.filter_map(|path| Some(std::path::absolute(path).ok()?.parent()?.to_path_buf()));
    let found = candidates().map(|(folder, _)| folder).filter(|folder| folder.is_absolute());
    // Where there is none yet, one could be put.
    named.chain(found)
}

/// The files of which one may be the library, for a job that may name one.
pub fn files(named: Option<&Path>) -> impl Iterator<Item = PathBuf> {
    let named = named.map(Path::to_path_buf).or_else(|| env_path("RANKINE_MPI_LIB"));
    let named = named.filter(|path| path.components().count() > 1);
    let found = candidates().map(|(folder, _)| folder).filter(|folder| folder.is_absolute());
    named.into_iter().chain(found.flat_map(|folder| NAMES.map(|name| folder.join(name))))
}

/// Where the loader is told to look before it looks in the system's folders. An entry that is empty means the working
/// folder.
pub fn loaders_folders() -> Vec<PathBuf> {
    let path = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let entries = path.as_bytes().split(|byte| b":;".contains(byte));
    let entries = entries.map(|entry| if entry.is_empty() { &b"."[..] } else { entry });
    let entries = entries.map(|entry| PathBuf::from(OsStr::from_bytes(entry)));
    if path.is_empty() { Vec::new() } else { entries.collect() }
}

/// Why a library is not opened that nobody has named.
fn reason_against(path: &Path) -> Option<String> {
    if path.is_absolute() {
        // What is not there will not be opened either, and needs no reason.
        return if path.exists() { trust::distrust_code(path) } else { None };
    }
    loaders_folders().into_iter().find_map(|folder| {
        if !folder.is_absolute() {
            return Some(format!("LD_LIBRARY_PATH has the entry \"{}\", beneath the working folder", folder.display()));
        }
        reason_against(&folder.join(path))
    })
}

/// A library that one might expect to be taken, and is not.
fn nearby() -> Option<String> {
    let folder = env::current_dir().ok()?;
    let path = folder.ancestors().map(|above| above.join(".venv/lib").join(NAMES[0])).find(|path| path.exists())?;
    Some(format!(
        "{}, since it only lies near the working folder: activate its environment, or name it",
        path.display()
    ))
}

/// The programs that start processes of a job: the parents of ours.
const LAUNCHERS: [&str; 8] = ["hydra_pmi_proxy", "mpiexec", "mpirun", "prted", "prterun", "prun", "orted", "orterun"];

/// `../lib` of the launcher that started this process, perhaps by way of a script.
fn beside_our_launcher() -> Option<PathBuf> {
    let mut process = std::os::unix::process::parent_id();
    for _ in 0..8 {
        let program = std::fs::read_link(format!("/proc/{process}/exe"));
        let program = program.ok().filter(|program| {
            let name = program.file_name().unwrap_or_default().to_string_lossy();
            LAUNCHERS.iter().any(|launcher| name.starts_with(launcher))
        });
        if let Some(program) = program {
            return Some(program.parent()?.parent()?.join("lib"));
        }
        process = parent_of(process)?;
    }
    None
}

fn parent_of(process: u32) -> Option<u32> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()?;
    (parent > 1).then_some(parent)
}

/// `../lib` of the first `mpiexec` on the path: the library that it belongs to.
fn beside_first_launcher() -> Option<PathBuf> {
    Some(places::find_launcher("mpiexec")?.parent()?.parent()?.join("lib"))
}

/// What is meant by a text in the place of a library, which a native linker would read.
fn instead(path: &Path) -> String {
    let mut start = [0; 4];
    let is_text = File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start.is_ascii();
    let mut beside = path.as_os_str().to_owned();
    beside.push(".1");
    match Path::new(&beside).exists() {
        true if is_text && start != *b"\x7fELF" => {
            format!(" (it is a text for linkers: name the library beside it, {})", beside.display())
        }
        _ => String::new(),
    }
}

/// Opens a library and asks it for its version.
fn open(path: &Path, origin: &'static str) -> Result<Library> {
    // SAFETY: loading runs the library's initialisers. It is one that the user named or installed as their MPI.
    let library = match unsafe { Opened::new(path) } {
        Ok(library) => library,
        Err(error) => {
            let error = anyhow::Error::from(error);
            bail!("{} ({origin}) cannot be opened: {error:#}{}", path.display(), instead(path))
        }
    };
    let symbols = (0..FUNCTIONS.len()).map(|_| AtomicPtr::default()).collect();
    let mut library = Library {
        path: path.to_path_buf(),
        origin,
        version: String::new(),
        abi: (-1, -1),
        skipped: Vec::new(),
        opened: ManuallyDrop::new(library),
        symbols,
        is_shared: AtomicBool::new(false),
    };
    let functions = library
        .symbol::<MPI_Get_library_version>()
        .and_then(|version| Ok((version, library.symbol::<MPI_Abi_get_version>()?)));
    let Ok((get_version, get_abi)) = functions else {
        bail!(
            "{} ({origin}) is not an MPI library with the standard ABI: it lacks MPI_Abi_get_version",
            path.display()
        );
    };
    let mut text = vec![0u8; LONGEST_VERSION];
    let (mut length, mut major, mut minor) = (0, -1, -1);
    // SAFETY: both may be called before MPI_Init, and the buffer is as long as the ABI promises to need at most.
    let codes = unsafe { (get_version(text.as_mut_ptr().cast(), &mut length), get_abi(&mut major, &mut minor)) };
    if codes != (0, 0) {
        bail!("{} ({origin}) does not tell its version", path.display());
    }
    text.truncate(usize::try_from(length).unwrap_or(0));
    let version = String::from_utf8_lossy(&text);
    let version = version.lines().next().unwrap_or("").trim_end_matches('\0');
    library.version = version.split_whitespace().collect::<Vec<_>>().join(" ");
    library.abi = (major, minor);
    Ok(library)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_no_mpi_is_refused_by_name() {
        let error = open(Path::new("libc.so.6"), "--mpi-lib").unwrap_err().to_string();
        assert!(error.contains("libc.so.6") && error.contains("MPI_Abi_get_version"), "{error}");
        let error = open(Path::new("/nowhere/libmpi_abi.so.1"), "RANKINE_MPI_LIB").unwrap_err().to_string();
        assert!(error.contains("/nowhere/libmpi_abi.so.1") && error.contains("RANKINE_MPI_LIB"), "{error}");
    }

    #[test]
    fn a_text_for_linkers_is_no_library() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("libx.so");
        std::fs::write(&path, "INPUT(libx.so.1)\n").unwrap();
        std::fs::write(folder.path().join("libx.so.1"), "").unwrap();
        let error = open(&path, "--mpi-lib").unwrap_err().to_string();
        assert!(error.contains("too short") || error.contains("ELF header"), "{error}");
        assert!(error.contains("name the library beside it") && error.contains("libx.so.1"), "{error}");
    }

    #[test]
    fn with_no_library_at_all_the_error_says_what_to_install() {
        let error = first(iter::once(("/nowhere".into(), "the active environment"))).unwrap_err().to_string();
        for part in ["libmpi_abi.so.1", "pip install mpich", "--mpi-lib", "RANKINE_MPI_LIB"] {
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn a_library_that_others_could_have_written_is_skipped() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("open");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join(NAMES[0]), "no library").unwrap();
        let error = || first(iter::once((folder.clone(), "the active environment"))).unwrap_err().to_string();
        assert!(!error().contains(folder.to_str().unwrap()), "{}", error());
        std::fs::set_permissions(&folder, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
        let error = error();
        assert!(error.contains("skipped") && error.contains("can be written by everybody"), "{error}");
        assert!(error.contains(folder.join(NAMES[0]).to_str().unwrap()), "{error}");
    }

    #[test]
    fn a_function_that_the_library_lacks_is_an_error_of_its_call() {
        let folder = tempfile::tempdir().unwrap();
        let (source, path) = (folder.path().join("small.c"), folder.path().join("libsmall_abi.so"));
        let text = "int MPI_Abi_get_version(int *major, int *minor) { *major = 1; *minor = 0; return 0; }\n\
             int MPI_Get_library_version(char *text, int *length) { text[0] = 'S'; text[1] = 0; *length = 1; return 0; }\n\
             int MPI_Finalize(void) { return 16; }\n";
        std::fs::write(&source, text).unwrap();
        let compiled =
            std::process::Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&path, &source]).status().unwrap();
        assert!(compiled.success());
        let library = open(&path, "--mpi-lib").unwrap();
        assert_eq!((library.version.as_str(), library.abi), ("S", (1, 0)));
        let finalize = library.symbol::<crate::generated::symbols::MPI_Finalize>().unwrap();
        // SAFETY: the function above.
        assert_eq!(unsafe { finalize() }, 16);
        let error = library.symbol::<crate::generated::symbols::MPI_Barrier>().err().unwrap();
        assert_eq!(error.class, MPI_ERR_UNSUPPORTED_OPERATION);
        assert!(error.text.contains("MPI_Barrier") && error.text.contains("libsmall_abi.so"), "{}", error.text);
    }
}
