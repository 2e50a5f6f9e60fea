//! The C library for programs whose addresses have 64 bits: what `-m64` compiles and links with. The C++ library for it lies
//! beside it, as that for 32-bit ones does (`crate::cxx`).
//!
//! It makes a sysroot of its own, for a target of its own, in the data folder, as that for threads does (`crate::threads`).
//! The parts that are named by their sysroot come a second time for it.
//!
//! ```text
//! m64-<key>/include/wasm64-wasip1   wasi-libc's headers
//!           lib/wasm64-wasip1       crt1-command.o, libc.a, libclang_rt.builtins.a …
//! ```
//!
//! That for programs with threads as well lies beside it, in `m64-threads-<key>`, for the target `wasm64-wasip1-threads`; there
//! the OpenMP runtime is with it.

use crate::embedded;
use crate::key;
use anyhow::{Result, bail, ensure};
use std::path::{Path, PathBuf};

/// The clang target of a guest with 64-bit addresses.
pub const WIDE: &str = "wasm64-wasip1";

/// That of one with threads.
pub const WIDE_THREADS: &str = "wasm64-wasip1-threads";

/// Goes up when what is in there changes.
const LAYOUT: u32 = 1;

/// What a program is linked with in the place of the libraries that clang would name: it knows of none for this target.
pub(crate) const LIBRARIES: [&str; 2] = ["-lc", "-lclang_rt.builtins"];

/// What a program is linked with whose memory may have more than 4 GiB. That it says more is what counts: the host lets it have
/// what the machine has (`rankine_rewrite::lower64`). It is the most that the linker takes.
pub(crate) const LARGE: &str = "-Wl,--max-memory=17179869184";

/// `int64_t` is `long`, as on every machine with such addresses. clang thinks otherwise here, and its own `<inttypes.h>` has the
/// letters of what it thinks.
pub(crate) const LONG_IS_INT64: [&str; 12] = [
    "-U__INT64_FMTd__",
    "-U__INT64_FMTi__",
    "-U__UINT64_FMTo__",
    "-U__UINT64_FMTu__",
    "-U__UINT64_FMTx__",
    "-U__UINT64_FMTX__",
    "-D__INT64_FMTd__=\"ld\"",
    "-D__INT64_FMTi__=\"li\"",
    "-D__UINT64_FMTo__=\"lo\"",
    "-D__UINT64_FMTu__=\"lu\"",
    "-D__UINT64_FMTx__=\"lx\"",
    "-D__UINT64_FMTX__=\"lX\"",
];

/// Whether what is compiled with this sysroot has 64-bit addresses.
pub fn is_in(sysroot: &Path) -> bool {
    [WIDE, WIDE_THREADS].iter().any(|target| sysroot.join("lib").join(target).is_dir())
}

/// Where `rankine sdk build m64` puts it for this compiler; with threads, `rankine sdk build openmp m64`.
pub fn place(clang: &Path, has_threads: bool) -> Result<PathBuf> {
    let files: &[&str] = if has_threads { &["wasi.c", "threads.S"] } else { &["wasi.c"] };
    let texts: Vec<&str> = files.iter().map(|file| embedded::file(&embedded::WIDE, file)).collect();
    let part = if has_threads { "m64-threads" } else { "m64" };
    key::place(part, (key::compiler(clang), texts, LAYOUT))
}

/// The sysroot that a program is compiled with.
pub fn sysroot(clang: &Path, has_threads: bool) -> Result<PathBuf> {
    let place = place(clang, has_threads)?;
    if !place.is_dir() && has_threads {
        bail!(
            "-m64 with -pthread or -fopenmp needs libraries for 64-bit addresses and threads; run `rankine sdk build openmp m64` \
             once (some minutes)"
        );
    }
    ensure!(
        place.is_dir(),
        "-m64 needs libraries for 64-bit addresses; run `rankine sdk build m64` once (some minutes). Without it, or with -m32, \
         addresses and `long` have 32 bits"
    );
    Ok(place)
}
