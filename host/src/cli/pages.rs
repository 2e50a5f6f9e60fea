//! Pages made from clap's description of the command line: versions, completions for shells, manual pages.

use std::fs;
use std::io;
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
    /// The shell to write the script for
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
    let folder = arguments.folder.as_path();
    let mut command = super::Arguments::command().disable_help_subcommand(true);
    command.build();
    let wrote = fs::create_dir_all(folder).and_then(|()| write_pages(&command, folder));
    wrote.with_context(|| format!("cannot write the manual pages to {}", folder.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn write_pages(command: &clap::Command, folder: &Path) -> io::Result<()> {
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        write_pages(subcommand, folder)?;
    }
    let page = clap_mangen::Man::new(command.clone()).source(concat!("rankine ", env!("CARGO_PKG_VERSION")));
    page.generate_to(folder).map(drop)
}
