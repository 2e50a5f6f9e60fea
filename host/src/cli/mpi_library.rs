//! Finds the machine's MPI library: one that offers the standard ABI of MPI 5.
//!
//! Nothing is linked at build time. The library is opened to be sure that it can be, and asked for its name.

use super::toolchain::env_path;
use anyhow::{Result, bail};
use libloading::{Library, Symbol};
use std::ffi::{c_char, c_int};
use std::path::{Path, PathBuf};
use std::{env, iter};

/// The names under which libraries with the standard ABI are installed. The unversioned one can be a linker script,
/// which no loader opens, so it comes last.
const NAMES: [&str; 3] = ["libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi_abi.so"];

/// `MPI_MAX_LIBRARY_VERSION_STRING` of the standard ABI.
const LONGEST_VERSION: usize = 8192;

/// A library that was opened.
#[derive(Debug)]
pub struct MpiLibrary {
    /// Its file, or the name by which the loader found it.
    pub path: PathBuf,
    /// The rule that led to it.
    pub origin: &'static str,
    /// What `MPI_Get_library_version` says, first line.
    pub version: String,
    /// What `MPI_Abi_get_version` says.
    pub abi: (i32, i32),
}

/// The first library that can be opened: `--mpi-lib`, `RANKINE_MPI_LIB`, the loader's own search, the active virtual
/// environment, then `.venv` of the working folder or one above it. One that is named must be right.
pub fn find(named: Option<&Path>) -> Result<MpiLibrary> {
    if let Some(path) = named {
        return open(path, "--mpi-lib");
    }
    if let Some(path) = env_path("RANKINE_MPI_LIB") {
        return open(&path, "RANKINE_MPI_LIB");
    }
    for (path, origin) in candidates() {
        if let Ok(library) = open(&path, origin) {
            return Ok(library);
        }
    }
    bail!(
        "no MPI library with the standard ABI of MPI 5 was found (libmpi_abi.so.1); \
         install MPICH 5, for instance with `pip install mpich`, or name one with RANKINE_MPI_LIB"
    )
}

fn candidates() -> impl Iterator<Item = (PathBuf, &'static str)> {
    let loader = iter::once((PathBuf::new(), "the loader's path"));
    let active = env_path("VIRTUAL_ENV").map(|venv| (venv.join("lib"), "the active virtual environment"));
    let folder = env::current_dir().unwrap_or_default();
    let projects: Vec<_> = folder.ancestors().map(|above| (above.join(".venv/lib"), "the project's .venv")).collect();
    let folders = loader.chain(active).chain(projects);
    folders.flat_map(|(folder, origin)| NAMES.map(|name| (folder.join(name), origin)))
}

fn open(path: &Path, origin: &'static str) -> Result<MpiLibrary> {
    // SAFETY: loading runs the library's initialisers. It is one that the user named or installed as their MPI.
    let library = match unsafe { Library::new(path) } {
        Ok(library) => library,
        Err(error) => bail!("{} ({origin}) cannot be opened: {error}", path.display()),
    };
    // SAFETY: the two functions have these signatures in the standard ABI, and the library is alive while they are used.
    let functions = unsafe {
        let version: Result<Symbol<unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int>, _> =
            library.get(b"MPI_Get_library_version\0");
        let abi: Result<Symbol<unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int>, _> =
            library.get(b"MPI_Abi_get_version\0");
        version.and_then(|version| Ok((version, abi?)))
    };
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
    let version = version.split_whitespace().collect::<Vec<_>>().join(" ");
    let found = MpiLibrary { path: path.to_path_buf(), origin, version, abi: (major, minor) };
    // Some libraries start threads or register exit handlers when loaded: they must not be unloaded again.
    std::mem::forget(library);
    Ok(found)
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
}
