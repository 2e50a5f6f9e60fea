//! The C library for guests with threads, and LLVM's OpenMP runtime: what `-pthread` and `-fopenmp` link with.
//!
//! They make a sysroot of their own, for a target of its own, in the data folder. Whatever is compiled with that sysroot
//! uses atomic instructions and a shared memory; the parts that are named by their sysroot (the SDK library, libc++,
//! Fortran's bindings) so come a second time, beside those for ranks with one thread.
//!
//! ```text
//! threads-<key>/include/wasm32-wasip1-threads   wasi-libc's headers, omp.h, omp_lib.h, omp_lib.F90
//!               lib/wasm32-wasip1-threads       crt1-command.o, libc.a, libomp.a
//! ```

use crate::find::{self, TARGET};
use crate::key;
use crate::wide::{WIDE, WIDE_THREADS};
use anyhow::{Result, bail};
use rankine_system::trust;
use std::path::{Path, PathBuf};

/// The clang target of a guest with threads.
pub const THREADS: &str = "wasm32-wasip1-threads";

/// The target that a sysroot is for.
pub fn target_of(sysroot: &Path) -> &'static str {
    let is_for = |target| sysroot.join("lib").join(target).is_dir();
    match () {
        () if is_for(THREADS) && !is_for(TARGET) => THREADS,
        () if is_for(WIDE_THREADS) => WIDE_THREADS,
        () if is_for(WIDE) => WIDE,
        () => TARGET,
    }
}

/// That target as flang's compiler calls it, which adds nothing to a name.
pub fn triple_of(sysroot: &Path) -> String {
    target_of(sysroot).replacen('-', "-unknown-", 1)
}

/// Whether what is compiled with this sysroot has threads.
pub fn are_in(sysroot: &Path) -> bool {
    matches!(target_of(sysroot), THREADS | WIDE_THREADS)
}

/// The sysroot that a program is compiled with: the one on this machine, or beside it that for threads.
pub fn sysroot(has_threads: bool, clang: &Path) -> Result<PathBuf> {
    let plain = find::sysroot()?.path;
    if !has_threads {
        return Ok(plain);
    }
    let place = place(clang, &plain)?;
    if !place.is_dir() {
        bail!(
            "-pthread and -fopenmp need the C library for threads and the OpenMP runtime; run `rankine sdk build openmp` \
             once (two minutes)"
        );
    }
    Ok(place)
}

/// Where `rankine sdk build openmp` puts it for this compiler and sysroot.
pub fn place(clang: &Path, plain: &Path) -> Result<PathBuf> {
    key::place("threads", (key::compiler(clang), key::sysroot(plain), LAYOUT))
}

/// Goes up when what is in there changes.
const LAYOUT: u32 = 3;

/// The other toolchains of rustup, the last names first: the one that Rust takes by itself need not have the target.
fn toolchains_beside(own: &Path) -> Vec<PathBuf> {
    let folder = own.parent().filter(|folder| folder.ends_with("toolchains"));
    let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten();
    let mut all: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path != own).collect();
    all.sort_unstable_by(|a, b| b.cmp(a));
    all
}

/// A folder with a C library for threads: a WASI SDK's sysroot brings one, and Rust's target of that name.
pub fn c_library(plain: &Path) -> Result<PathBuf> {
    let folder = plain.join("lib").join(THREADS);
    if folder.join("libc.a").is_file() {
        return Ok(folder);
    }
    let output = find::rustc().args(["--print", "sysroot"]).output();
    if let Some(output) = output.ok().filter(|output| output.status.success()) {
        let own = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
        for root in [own.clone()].into_iter().chain(toolchains_beside(&own)) {
            let folder = root.join("lib/rustlib").join(THREADS).join("lib/self-contained");
            let library = folder.join("libc.a");
            if library.is_file() && trust::distrust_code(&library).is_none() {
                return Ok(folder);
            }
        }
    }
    bail!(
        "no C library with threads: Rust brings one with `rustup target add {THREADS}`, and a WASI SDK has one \
         (set WASI_SDK_PATH)"
    )
}
