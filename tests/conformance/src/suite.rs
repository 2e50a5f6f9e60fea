//! MPICH's own test suite, from Debian's source package of mpich: fetched once, unpacked beneath `target/`, never a
//! part of this repository.

use rankine_toolchain::apt::{Apt, Kind};
use rankine_toolchain::process::check;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A release of Debian that no longer changes, and the version that it has.
const RELEASE: &str = "bookworm";
const VERSION: &str = "4.0.2";

/// The unpacked suite.
pub struct Suite {
    /// The folder with the chapters.
    pub root: PathBuf,
}

impl Suite {
    /// The suite beneath `target`, fetched if this is the first time.
    pub fn at(target: &Path) -> Result<Suite, String> {
        let root = target.join(format!("mpich-{VERSION}-tests"));
        if !root.join("complete").exists() {
            eprintln!("fetching MPICH's test suite (the source package of mpich {VERSION} in Debian {RELEASE}, once)");
            fetch(target, &root).map_err(|reason| format!("MPICH's test suite could not be fetched: {reason}"))?;
        }
        configure(&root)?;
        Ok(Suite { root })
    }

    /// What it is, for the reader of a page.
    pub fn name() -> String {
        format!("mpich {VERSION}")
    }
}

fn fetch(target: &Path, root: &Path) -> Result<(), String> {
    let work = target.join("mpich-source");
    // Left behind by a fetch that was interrupted.
    for folder in [&work, &root.to_path_buf()] {
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
    }
    fs::create_dir_all(root).map_err(|e| format!("{}: {e}", root.display()))?;
    let apt = Apt::release(&work, Kind::Sources, RELEASE).map_err(said)?;
    apt.update().map_err(said)?;
    let archive = apt.source("mpich", &work).map_err(said)?;
    let mut tar = Command::new("tar");
    tar.arg("-xf").arg(archive).arg("-C").arg(root).args(["--strip-components=3", "--wildcards", "*/test/mpi/*"]);
    check(&mut tar, "unpacking MPICH's test suite").map_err(said)?;
    fs::remove_dir_all(&work).map_err(|e| e.to_string())?;
    fs::write(root.join("complete"), VERSION).map_err(|e| e.to_string())
}

fn said(error: impl std::fmt::Display) -> String {
    format!("{error:#}")
}

/// What the suite's configure script would have found: the same for guests and for native programs of this machine.
fn configure(root: &Path) -> Result<(), String> {
    const PRESENT: [&str; 24] = [
        "HAVE_DOUBLE__COMPLEX",
        "HAVE_FLOAT__COMPLEX",
        "HAVE_LONG_DOUBLE__COMPLEX",
        "HAVE_LONG_DOUBLE",
        "HAVE_LONG_LONG",
        "HAVE__BOOL",
        "HAVE_INTTYPES_H",
        "HAVE_LIMITS_H",
        "HAVE_MEMORY_H",
        "HAVE_STDARG_H",
        "HAVE_STDINT_H",
        "HAVE_STDLIB_H",
        "HAVE_STRINGS_H",
        "HAVE_STRING_H",
        "HAVE_SYS_STAT_H",
        "HAVE_SYS_TIME_H",
        "HAVE_SYS_TYPES_H",
        "HAVE_UNISTD_H",
        "HAVE_MEMSET",
        "HAVE_STRDUP",
        "HAVE_USLEEP",
        "HAVE_MPI_IO",
        "HAVE_MPI_SPAWN",
        "HAVE_MPI_WIN_CREATE",
    ];
    const VALUES: [(&str, &str); 10] = [
        // What MPICH has beyond the standard is not asked of others.
        ("USE_STRICT_MPI", "1"),
        ("MPIO_USES_MPI_REQUEST", "1"),
        ("SIZEOF_SHORT", "__SIZEOF_SHORT__"),
        ("SIZEOF_INT", "__SIZEOF_INT__"),
        ("SIZEOF_LONG", "__SIZEOF_LONG__"),
        ("SIZEOF_LONG_LONG", "__SIZEOF_LONG_LONG__"),
        ("SIZEOF_VOID_P", "__SIZEOF_POINTER__"),
        ("SIZEOF_MPI_OFFSET", "8"),
        ("POINTERINT_t", "__INTPTR_TYPE__"),
        // Given to the compiler.
        ("THREAD_PACKAGE_NAME", "THREADS_OF_TEST"),
    ];
    let lines = PRESENT.iter().map(|name| (*name, "1")).chain(VALUES);
    let text: String = lines.map(|(name, value)| format!("#define {name} {value}\n")).collect();
    for file in ["include/mpitestconf.h", "dtpools/dtpoolsconf.h"] {
        if fs::read_to_string(root.join(file)).is_ok_and(|there| there == text) {
            continue;
        }
        fs::write(root.join(file), &text).map_err(|e| format!("{file}: {e}"))?;
    }
    Ok(())
}
