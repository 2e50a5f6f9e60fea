//! The places of this machine that no guest may change: code is taken from there.

use std::env;
use std::path::{Path, PathBuf};

use crate::engine::mpi::library;
use crate::imports::math::library::Named;
use rankine_system::grants::{Kept, Reach};
use rankine_system::places::{self, env_path, find_program};
use rankine_toolchain::find::{NEWEST_CLANG, OLDEST_CLANG};

/// Programs that Rankine starts, where links lead to them too: as variables name them, and as they are found on PATH.
fn programs() -> impl Iterator<Item = Kept> {
    let variables = ["RANKINE_CLANG", "RANKINE_LAUNCHER", "WASI_SDK_PATH", "RANKINE_SYSROOT"];
    let named = variables.into_iter().filter_map(|variable| {
        let path = env_path(variable)?;
        Some(Kept::new(find_program(&path).unwrap_or(path), "what the environment names to be run"))
    });
    let compilers = (OLDEST_CLANG..=NEWEST_CLANG).map(|version| format!("clang-{version}"));
    let names = compilers.chain(["clang", "wasm-ld", "mpiexec", "mpirun", "srun", "ssh"].map(str::to_owned));
    named.chain(names.filter_map(find_program).map(|path| Kept::new(path, "a program that is started from PATH")))
}

/// All of them, for a job that may use the MPI library that was named, and this BLAS.
pub(super) fn places(mpi_lib: Option<&Path>, blas: Option<&Named>) -> Vec<Kept> {
    let some = |path: Option<PathBuf>, what| path.map(|path| Kept::new(path, what));
    let mut kept = Vec::new();
    kept.extend(some(places::state(), "the key of compiled code").map(|kept| Kept { reach: Reach::Secret, ..kept }));
    kept.extend(some(places::cache(), "the cache of compiled code"));
    kept.extend(some(places::data(), "what `rankine sdk` has installed"));
    kept.extend(some(env::current_exe().ok(), "this program"));
    for environment in places::environments() {
        kept.extend(["bin", "lib"].map(|folder| Kept::new(environment.join(folder), "the active environment")));
    }
    kept.extend(library::folders(mpi_lib).map(|folder| Kept::new(folder, "the folder of the MPI library")));
    kept.extend(programs());
    // A guest's folder may well lie beneath, but not be one of them.
    let itself = |what| move |path| Kept { path, what, reach: Reach::Itself };
    kept.extend(blas.map(|named| named.path.clone()).map(itself("the BLAS library")));
    kept.extend(library::files(mpi_lib).map(itself("the MPI library")));
    kept.extend(library::loaders_folders().into_iter().map(itself("a folder of LD_LIBRARY_PATH")));
    kept.extend(places::path().into_iter().map(itself("a folder of PATH")));
    kept
}
