//! Where the tests find what they run.

use std::path::{Path, PathBuf};

/// Where things are: the repository, the built binary, the MPI library's tools.
pub struct Places {
    /// The root of the repository.
    pub root: PathBuf,
    /// The built `rankine` (`RANKINE`, or `target/release/rankine`).
    pub rankine: PathBuf,
    /// The folder of `mpicc_abi` and `mpiexec` (`RANKINE_MPI_BIN`, or `.venv/bin`).
    pub mpi_bin: PathBuf,
    /// Where what is made goes.
    pub target: PathBuf,
}

impl Places {
    /// Where things are, from the environment and the repository.
    pub fn find() -> Places {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .find(|folder| folder.join("Cargo.lock").exists())
            .expect("the package lies in the repository")
            .to_path_buf();
        let from_env =
            |name: &str, default: &str| std::env::var_os(name).map_or_else(|| root.join(default), PathBuf::from);
        Places {
            rankine: from_env("RANKINE", "target/release/rankine"),
            mpi_bin: from_env("RANKINE_MPI_BIN", ".venv/bin"),
            target: root.join("target"),
            root,
        }
    }
}
