//! `rankine verify`: who has signed a program, and whether it is still what they signed.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};

use super::print_page;
use crate::module;
use crate::module::signature::{Signed, Signers, signatures};

/// The command line of `rankine verify`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Arguments {
    /// The program
    file: PathBuf,

    /// A file of public keys: one of them must have signed it
    keys: Option<String>,
}

const HELP: &str = "\
The exit status is 0 if the program is signed and was not changed since, by one of the keys if any
are given; otherwise 1. Without keys the signer is only a number: anybody can make a key.

Examples:
  rankine verify heat.wasm             the public keys that have signed it
  rankine verify heat.wasm ada.pub     whether ada has";

/// Says it.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let Arguments { file, keys } = arguments;
    let name = file.display();
    // What is no program is not signed either.
    module::read(file)?;
    let bytes = fs::read(file).with_context(|| format!("can't read {name}"))?;
    let signers = keys.as_deref().map(Signers::read).transpose()?;
    let list = signatures(&bytes).with_context(|| name.to_string())?;
    let (is_right, page) = match &signers {
        Some(signers) => match signers.signer(&bytes)? {
            Some(signer) => (true, format!("{name}: signed by {signer}, and unchanged since\n")),
            None => (false, format!("{name}: {}\n", signers.why_not(&bytes)?)),
        },
        None if list.is_empty() => (false, format!("{name}: {}\n", Signers::default().why_not(&bytes)?)),
        None => {
            let line = |Signed { key, holds }: &Signed| {
                let state = if *holds { "unchanged since" } else { "changed since" };
                format!("{name}: signed by {key}, and {state}\n")
            };
            (list.iter().all(|signed| signed.holds), list.iter().map(line).collect())
        }
    };
    print_page(&page)?;
    Ok(ExitCode::from(u8::from(!is_right)))
}
