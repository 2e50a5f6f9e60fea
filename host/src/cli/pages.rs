//! What clap knows of the command line, for others to read: versions, completions for shells, manual pages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::LazyLock;

use anyhow::{Context as _, Result};
use clap::CommandFactory as _;
use clap_complete::Shell;
use rankine_abi::{MPI_ABI_SUBVERSION, MPI_ABI_VERSION, MPI_SUBVERSION, MPI_VERSION};

/// What `rankine --version` prints after the name: beside our own version those of what a guest meets.
pub(super) static VERSIONS: LazyLock<String> = LazyLock::new(|| {
    format!(
        "{}\nMPI {MPI_VERSION}.{MPI_SUBVERSION}, ABI {MPI_ABI_VERSION}.{MPI_ABI_SUBVERSION}\nWasmtime {}",
        env!("CARGO_PKG_VERSION"),
        wasmtime_environ::VERSION
    )
});

/// The command line of `rankine completions`.
#[derive(clap::Args)]
pub(super) struct Completions {
    /// The shell that is to complete
    shell: Shell,
}

/// Prints the script.
pub(super) fn completions(arguments: &Completions) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut super::Arguments::command(), "rankine", &mut script);
    super::print_page(&String::from_utf8(script)?)?;
    Ok(ExitCode::SUCCESS)
}

/// The command line of `rankine man`.
#[derive(clap::Args)]
pub(super) struct Manual {
    /// The folder to write them to: `rankine.1`, `rankine-run.1` and so on
    folder: PathBuf,
}

/// Writes the pages.
pub(super) fn manual(arguments: &Manual) -> Result<ExitCode> {
    let folder: &Path = &arguments.folder;
    let wrote = fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(super::Arguments::command(), folder));
    wrote.with_context(|| format!("cannot write the manual pages to {}", folder.display()))?;
    Ok(ExitCode::SUCCESS)
}
