//! The machine's MPI library: one that offers the standard ABI of MPI 5, found and opened at run time.
//!
//! Nothing is linked at build time. A function of the library is looked up when it is first called: a program can be
//! run with a library that lacks functions which it never calls.

use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::{env, iter};

use anyhow::{Result, bail};
use libloading::Library as Opened;
use rankine_abi::{FUNCTIONS, MPI_ERR_UNSUPPORTED_OPERATION};

use super::generated::symbols::{MPI_Abi_get_version, MPI_Get_library_version};

/// The names under which libraries with the standard ABI are installed. The unversioned one can be a linker script,
/// which no loader opens, so it comes last.
const NAMES: [&str; 3] = ["libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi_abi.so"];

/// `MPI_MAX_LIBRARY_VERSION_STRING` of the standard ABI.
const LONGEST_VERSION: usize = 8192;

/// A function of the library with its C type. Generated: one for each function of the ABI.
pub(in crate::mpi) trait Symbol {
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
    /// Never closed: libraries start threads and register exit handlers when they are loaded.
    opened: ManuallyDrop<Opened>,
    /// The addresses that have been looked up, by position in [`FUNCTIONS`].
    symbols: Box<[AtomicPtr<c_void>]>,
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.path.display(), self.version)
    }
}

impl Library {
    /// A function of the library; an MPI error that names both if the library lacks it.
    #[inline]
    pub(in crate::mpi) fn symbol<S: Symbol>(&self) -> rankine_local::Result<S::Function> {
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
    fn look_up(&self, index: usize) -> rankine_local::Result<*mut c_void> {
        let name = FUNCTIONS[index].name;
        // SAFETY: only the address is taken here.
        let found = unsafe { self.opened.get::<*mut c_void>(name.as_bytes()) }.ok().map(|symbol| *symbol);
        let Some(address) = found.filter(|address| !address.is_null()) else {
            let text = format!("the MPI library {} ({}) has no function {name}", self.path.display(), self.version);
            return Err(rankine_local::Error::new(MPI_ERR_UNSUPPORTED_OPERATION, text));
        };
        self.symbols[index].store(address, Ordering::Relaxed);
        Ok(address)
    }
}

/// The first library that can be opened: `--mpi-lib`, `RANKINE_MPI_LIB`, the loader's own search, the active virtual
/// environment, `.venv` of the working folder or one above it, then what lies beside the launcher. One that is named
/// must be right.
pub fn find(named: Option<&Path>) -> Result<Library> {
    if let Some(path) = named {
        return open(path, "--mpi-lib");
    }
    if let Some(path) = variable("RANKINE_MPI_LIB") {
        return open(&path, "RANKINE_MPI_LIB");
    }
    first(candidates())
}

/// The first of these that can be opened.
fn first(candidates: impl Iterator<Item = (PathBuf, &'static str)>) -> Result<Library> {
    for (path, origin) in candidates {
        if let Ok(library) = open(&path, origin) {
            return Ok(library);
        }
    }
    bail!(
        "no MPI library with the standard ABI of MPI 5 was found (libmpi_abi.so.1); \
         install MPICH 5, for instance with `pip install mpich`, or name one with --mpi-lib or RANKINE_MPI_LIB"
    )
}

/// A path that a variable of the environment holds, unless it is empty.
fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn candidates() -> impl Iterator<Item = (PathBuf, &'static str)> {
    let loader = iter::once((PathBuf::new(), "the loader's path"));
    let active = variable("VIRTUAL_ENV").map(|venv| (venv.join("lib"), "the active virtual environment"));
    let folder = env::current_dir().unwrap_or_default();
    let projects: Vec<_> = folder.ancestors().map(|above| (above.join(".venv/lib"), "the project's .venv")).collect();
    let folders = loader.chain(active).chain(projects).chain(launchers());
    folders.flat_map(|(folder, origin)| NAMES.map(|name| (folder.join(name), origin)))
}

/// `../lib` of the first `mpiexec` on the path: the library that it belongs to.
fn launchers() -> Option<(PathBuf, &'static str)> {
    let path = env::var_os("PATH")?;
    let bin = env::split_paths(&path).find(|folder| folder.join("mpiexec").is_file())?;
    Some((bin.parent()?.join("lib"), "the folder beside mpiexec"))
}

/// Opens a library and asks it for its version.
fn open(path: &Path, origin: &'static str) -> Result<Library> {
    // SAFETY: loading runs the library's initialisers. It is one that the user named or installed as their MPI.
    let library = match unsafe { Opened::new(path) } {
        Ok(library) => library,
        Err(error) => bail!("{} ({origin}) cannot be opened: {error}", path.display()),
    };
    let symbols = (0..FUNCTIONS.len()).map(|_| AtomicPtr::default()).collect();
    let mut library = Library {
        path: path.to_path_buf(),
        origin,
        version: String::new(),
        abi: (-1, -1),
        opened: ManuallyDrop::new(library),
        symbols,
    };
    let functions = library
        .symbol::<MPI_Get_library_version>()
        .and_then(|version| Ok((version, library.symbol::<MPI_Abi_get_version>()?)));
    let Ok((get_version, get_abi)) = functions else {
        bail!("{} ({origin}) is no MPI library with the standard ABI: it lacks MPI_Abi_get_version", path.display());
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
    fn with_no_library_at_all_the_error_says_what_to_install() {
        let nowhere = NAMES.map(|name| (Path::new("/nowhere").join(name), "the project's .venv"));
        let error = first(nowhere.into_iter()).unwrap_err().to_string();
        for part in ["libmpi_abi.so.1", "pip install mpich", "--mpi-lib", "RANKINE_MPI_LIB"] {
            assert!(error.contains(part), "{error}");
        }
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
        let finalize = library.symbol::<super::super::generated::symbols::MPI_Finalize>().unwrap();
        // SAFETY: the function above.
        assert_eq!(unsafe { finalize() }, 16);
        let error = library.symbol::<super::super::generated::symbols::MPI_Barrier>().err().unwrap();
        assert_eq!(error.class, MPI_ERR_UNSUPPORTED_OPERATION);
        assert!(error.text.contains("MPI_Barrier") && error.text.contains("libsmall_abi.so"), "{}", error.text);
    }
}
