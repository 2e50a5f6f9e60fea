//! Where no MPI library has the standard ABI (Windows), the engine `mpi` is a name: whoever asks for it is told where it is.

use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail};
use wasmtime::Linker;

use super::{Asked, Engine};
use crate::guest::Guest;
use crate::module::Program;
use crate::run::crew::Crew;
use crate::run::job::{Placement, Settings};
use rankine_system::confine::Needs;

/// What is said of it.
const ELSEWHERE: &str = "the engine mpi is for Linux and macOS, which have MPI libraries with the standard ABI";

/// The engine, of which none is made.
pub(crate) struct Mpi(Infallible);

impl Engine for Mpi {
    type Rank = rankine_local::Rank;

    const NAME: &'static str = "mpi";

    fn admit(asked: &Asked<'_>) -> Result<(), String> {
        let ranks = asked.ranks.map_or("N".into(), |ranks| ranks.to_string());
        Err(format!(
            "{ELSEWHERE}; rankine run --engine local -n {ranks} {} has all ranks in one process",
            asked.program
        ))
    }

    fn new(_: &mut Settings, _: Option<&Path>) -> Result<Mpi> {
        bail!(ELSEWHERE)
    }

    fn needs(&self, _: &[Program], _: &Settings) -> Result<Needs> {
        match self.0 {}
    }

    fn define(_: &mut Linker<Guest<rankine_local::Rank>>, _: Placement, _: &str, _: &str) -> wasmtime::Result<bool> {
        Ok(false)
    }

    fn start(&self, _: &Arc<Crew<Mpi>>) -> Result<()> {
        match self.0 {}
    }
}

/// Why this engine is not for an architecture.
pub(crate) fn unshown(_architecture: &str) -> Option<String> {
    Some(ELSEWHERE.into())
}

/// Whether this engine has a function of MPI.
pub(crate) fn has(_name: &str) -> bool {
    false
}

/// The library, of which there is none.
pub(crate) mod library {
    use std::iter;
    use std::path::{Path, PathBuf};

    use anyhow::{Result, bail};

    use super::ELSEWHERE;

    /// A library that was opened.
    pub(crate) struct Library {
        pub(crate) path: PathBuf,
        pub(crate) origin: &'static str,
        pub(crate) version: String,
        pub(crate) abi: (i32, i32),
        pub(crate) skipped: Vec<String>,
    }

    /// Says that there is none.
    pub(crate) fn find(_named: Option<&Path>) -> Result<Library> {
        bail!(ELSEWHERE)
    }

    /// The folders from which a library could be taken.
    pub(crate) fn folders(_named: Option<&Path>) -> impl Iterator<Item = PathBuf> {
        iter::empty()
    }

    /// The files of which one may be the library.
    pub(crate) fn files(_named: Option<&Path>) -> impl Iterator<Item = PathBuf> {
        iter::empty()
    }

    /// Where the loader is told to look before it looks in the system's folders.
    pub(crate) fn loaders_folders() -> Vec<PathBuf> {
        Vec::new()
    }
}
