//! What of `guest-sdk/` travels in the binary.

use include_dir::{Dir, include_dir};
use std::path::Path;

/// Headers and sources of the SDK library.
pub static C: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../guest-sdk/c");
/// The CMake toolchain file.
pub static CMAKE: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../guest-sdk/cmake");
/// What libc++ is built with.
pub static CPP: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../guest-sdk/cpp");
/// The sources of what is linked with flang's libraries.
pub static FORTRAN_COMPILER: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../guest-sdk/fortran/compiler");
/// `mpif.h`.
pub static FORTRAN_INCLUDE: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../guest-sdk/fortran/include");
/// The modules of MPI and of Rankine.
pub static FORTRAN_MODULES: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../guest-sdk/fortran/modules");
/// The C functions behind them.
pub static FORTRAN_GLUE: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../guest-sdk/fortran/glue");
/// What gdb reads to know a guest's pointers.
pub static GDB: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../guest-sdk/gdb");
/// What stands before BLAS and LAPACK.
pub static LAPACK: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../guest-sdk/lapack");
/// The Meson cross file.
pub static MESON: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../guest-sdk/meson");

/// What Python is configured, linked and started with.
pub static PYTHON: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../guest-sdk/python");

/// What packages for it are fetched and compiled with.
pub static PYTHON_PACKAGES: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../guest-sdk/python-packages");

/// What stands between WASI and the C library for 64-bit addresses.
pub static WIDE: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../guest-sdk/wide");

/// A crate for guests in Rust. Not its whole folder: cargo writes there too.
pub struct Crate {
    /// Its folder below `guest-sdk/rust/`.
    pub path: &'static str,
    /// Its manifest.
    pub manifest: &'static str,
    /// Its folder `src`.
    pub sources: Dir<'static>,
}

/// The crates that stand in for those of crates.io.
pub static CRATES: [Crate; 3] = [
    Crate {
        path: "mpi-sys",
        manifest: include_str!("../../../guest-sdk/rust/mpi-sys/Cargo.toml"),
        sources: include_dir!("$CARGO_MANIFEST_DIR/../../guest-sdk/rust/mpi-sys/src"),
    },
    Crate {
        path: "patch/libffi",
        manifest: include_str!("../../../guest-sdk/rust/patch/libffi/Cargo.toml"),
        sources: include_dir!("$CARGO_MANIFEST_DIR/../../guest-sdk/rust/patch/libffi/src"),
    },
    Crate {
        path: "patch/mpi-sys",
        manifest: include_str!("../../../guest-sdk/rust/patch/mpi-sys/Cargo.toml"),
        sources: include_dir!("$CARGO_MANIFEST_DIR/../../guest-sdk/rust/patch/mpi-sys/src"),
    },
];

/// All files of a folder and of the folders in it, by their paths below it.
pub fn files(folder: &'static Dir) -> Vec<(&'static Path, &'static str)> {
    let own = folder.files().map(|file| (file.path(), text(file)));
    own.chain(folder.dirs().flat_map(files)).collect()
}

/// The file of that name.
pub fn file(folder: &'static Dir, name: &str) -> &'static str {
    text(folder.get_file(name).expect("the name is one of the repository's files"))
}

fn text(file: &'static include_dir::File) -> &'static str {
    file.contents_utf8().expect("files of the repository are UTF-8")
}
