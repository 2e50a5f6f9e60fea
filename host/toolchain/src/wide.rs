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

use crate::embedded;
use crate::key;
use anyhow::{Result, ensure};
use std::path::{Path, PathBuf};

/// The clang target of a guest with 64-bit addresses.
pub const WIDE: &str = "wasm64-wasip1";

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
    sysroot.join("lib").join(WIDE).is_dir()
}

/// Where `rankine sdk build m64` puts it for this compiler.
pub fn place(clang: &Path) -> Result<PathBuf> {
    key::place("m64", (key::compiler(clang), embedded::file(&embedded::WIDE, "wasi.c"), LAYOUT))
}

/// The sysroot that a program is compiled with.
pub fn sysroot(clang: &Path) -> Result<PathBuf> {
    let place = place(clang)?;
    ensure!(
        place.is_dir(),
        "-m64 needs libraries for 64-bit addresses; run `rankine sdk build m64` once (some minutes). Without it, or with -m32, \
         addresses and `long` have 32 bits"
    );
    Ok(place)
}
