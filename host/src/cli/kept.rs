//! The places of this machine that no guest may change: code is taken from there.

use std::env;
use std::path::{Path, PathBuf};

use crate::engine::mpi::library;
use crate::grants::{Kept, Reach};
use crate::places;

/// All of them, for a job that may use the MPI library that was named.
pub(super) fn places(mpi_lib: Option<&Path>) -> Vec<Kept> {
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
    // A guest's folder may well lie beneath, but not be one of them.
    let itself = |what| move |path| Kept { path, what, reach: Reach::Itself };
    kept.extend(library::loaders_folders().into_iter().map(itself("a folder of LD_LIBRARY_PATH")));
    kept.extend(places::path().into_iter().map(itself("a folder of PATH")));
    kept
}
