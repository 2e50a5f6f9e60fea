//! `rankine trust`: files that decide what is run or trusted, confirmed by their user as they are.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, ensure};

use rankine_system::trust::Notes;
use rankine_system::{shown, tell};

/// The command line of `rankine trust`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Arguments {
    /// Files that you have looked at: a grid.toml, keys, a program or library
    #[arg(value_name = "FILE", required_unless_present = "list")]
    files: Vec<PathBuf>,

    /// Take it back
    #[arg(long)]
    forget: bool,

    /// List the files that are trusted, and the folders that programs were allowed to write to
    #[arg(long, conflicts_with_all = ["files", "forget"])]
    list: bool,
}

const HELP: &str = "\
A file that decides what is run or trusted is not believed for lying where it does. Two kinds have
to be trusted first, and again when they have changed: the grid.toml of the working folder, and
whatever lies beneath a folder that a program was ever allowed to write to (--dir), since the
program may have written it.

Examples:
  rankine trust grid.toml
  rankine trust --list";

/// Confirms files, or lists what is known.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    super::log(0);
    let notes = Notes::of_user();
    if arguments.list {
        super::print_page(&list(&notes))?;
        return Ok(ExitCode::SUCCESS);
    }
    for file in &arguments.files {
        if arguments.forget {
            ensure!(notes.forget(file)?, "{} was not trusted", file.display());
        } else {
            let real = notes.confirm(file)?;
            tell!("{}", shown::line(&format!("rankine: {} is trusted as it is now", real.display())));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn list(notes: &Notes) -> String {
    let path = |path: PathBuf| shown::line(&path.to_string_lossy());
    let files = notes.confirmations().into_iter();
    let files = files.map(|(file, holds)| format!("{}  {}\n", if holds { "trusted" } else { "changed" }, path(file)));
    let folders = notes.grants().into_iter().map(|folder| format!("granted  {}\n", path(folder)));
    files.chain(folders).collect()
}
