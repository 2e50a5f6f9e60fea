//! `rankine cache`: shows or removes the compiled code that is kept.

use std::process::ExitCode;

use anyhow::Result;

use crate::module::cache::Kept;

#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Print where compiled code is kept, how many programs that is, and how large they are
    Size,
    /// Remove all of it; programs are compiled again when they are next run
    Clean,
}

/// Prints, or removes.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let kept = Kept::find()?;
    let (count, size) = (counted(kept.count()), megabytes(kept.bytes));
    let folder = kept.folder.display();
    match arguments.action {
        None | Some(Action::Size) => super::print_page(&format!("{folder}: {count}, {size}\n"))?,
        Some(Action::Clean) => {
            kept.remove()?;
            super::print_page(&format!("{folder}: removed {count}, {size}\n"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn counted(files: usize) -> String {
    match files {
        1 => "1 compiled program".into(),
        files => format!("{files} compiled programs"),
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_in_words() {
        assert_eq!(megabytes(1_950_000), "1.9 MB");
        assert_eq!((counted(1), counted(0)), ("1 compiled program".into(), "0 compiled programs".into()));
    }
}
