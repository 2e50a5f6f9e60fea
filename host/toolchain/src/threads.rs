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
use anyhow::{Result, bail};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The clang target of a guest with threads.
pub const THREADS: &str = "wasm32-wasip1-threads";

/// The target that a sysroot is for.
pub fn target_of(sysroot: &Path) -> &'static str {
    let is_for = |target| sysroot.join("lib").join(target).is_dir();
    if is_for(THREADS) && !is_for(TARGET) { THREADS } else { TARGET }
}

/// That target as flang's compiler calls it, which adds nothing to a name.
pub fn triple_of(sysroot: &Path) -> String {
    target_of(sysroot).replacen('-', "-unknown-", 1)
}

/// Whether what is compiled with this sysroot has threads.
pub fn are_in(sysroot: &Path) -> bool {
    target_of(sysroot) == THREADS
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
    let mut hasher = DefaultHasher::new();
    (clang, plain, LAYOUT).hash(&mut hasher);
    Ok(find::data_dir()?.join(format!("threads-{:016x}", hasher.finish())))
}

/// Goes up when what is in there changes.
const LAYOUT: u32 = 3;

/// A folder with a C library for threads: a WASI SDK's sysroot brings one, and Rust's target of that name.
pub fn c_library(plain: &Path) -> Result<PathBuf> {
    let folder = plain.join("lib").join(THREADS);
    if folder.join("libc.a").is_file() {
        return Ok(folder);
    }
    let output = Command::new("rustc").args(["--print", "sysroot"]).output();
    if let Some(output) = output.ok().filter(|output| output.status.success()) {
        let root = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
        let folder = root.join("lib/rustlib").join(THREADS).join("lib/self-contained");
        if folder.join("libc.a").is_file() {
            return Ok(folder);
        }
    }
    bail!(
        "no C library with threads: Rust brings one with `rustup target add {THREADS}`, and a WASI SDK has one \
         (set WASI_SDK_PATH)"
    )
}
