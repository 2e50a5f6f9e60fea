//! `rankine grid store`: what a node does with its store when a job's launcher asks it.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Subcommand;

use super::{compile, print_page};
use crate::module::{self, Codegen};
use rankine_grid::network;
use rankine_grid::stage::Ready;
use rankine_grid::store::{Entry, Store, parse_job};
use rankine_system::places;

#[derive(Subcommand)]
pub(super) enum Command {
    /// Say what of a job's files is missing; when nothing is, compile its program and make its folder
    Ready {
        #[command(flatten)]
        place: Place,
        /// The program
        #[arg(long, value_name = "DIGEST/NAME")]
        program: Entry,
        #[command(flatten)]
        codegen: Codegen,
        /// The job, if it has a folder
        #[arg(long, value_name = "NAME", value_parser = parse_job)]
        job: Option<String>,
        /// Files that the job reads
        #[arg(value_name = "DIGEST/NAME")]
        inputs: Vec<Entry>,
    },
    /// Take a file from the standard input
    Put {
        #[command(flatten)]
        place: Place,
        #[arg(value_name = "DIGEST/NAME")]
        entry: Entry,
    },
    /// Say which of these files a job has left
    Results {
        #[command(flatten)]
        place: Place,
        #[arg(long, value_name = "NAME", value_parser = parse_job)]
        job: String,
        names: Vec<String>,
    },
    /// Write a file that a job has left to the standard output
    Get {
        #[command(flatten)]
        place: Place,
        #[arg(long, value_name = "NAME", value_parser = parse_job)]
        job: String,
        name: String,
    },
    /// Say whether ranks of a job have started here
    Started {
        #[command(flatten)]
        place: Place,
        #[arg(long, value_name = "NAME", value_parser = parse_job)]
        job: String,
    },
    /// Remove the folder of a job
    End {
        #[command(flatten)]
        place: Place,
        #[arg(long, value_name = "NAME", value_parser = parse_job)]
        job: String,
    },
    /// Remove what no job has used for so long
    Clean {
        #[command(flatten)]
        place: Place,
        #[arg(long, value_name = "N")]
        days: u64,
    },
}

#[derive(clap::Args)]
pub(super) struct Place {
    /// The folder of the store
    #[arg(long, value_name = "DIR")]
    store: PathBuf,
}

impl Place {
    fn open(&self) -> Result<Store> {
        Store::open(&self.store)
    }
}

/// Answers in JSON, in a line of its own: a shell may write other lines.
pub(super) fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::Ready { place, program, codegen, job, inputs } => {
            let ready = ready(&place, &program, codegen, job.as_deref(), &inputs)?;
            print_page(&format!("{}\n", serde_json::to_string(&ready)?))?;
        }
        Command::Put { place, entry } => place.open()?.put(&entry, io::stdin().lock())?,
        Command::Results { place, job, names } => {
            let found = place.open()?.results(&job, &names)?;
            print_page(&format!("{}\n", serde_json::to_string(&found)?))?;
        }
        Command::Get { place, job, name } => {
            let mut file = place.open()?.open_result(&job, &name).context(name)?;
            let mut output = io::stdout().lock();
            io::copy(&mut file, &mut output)?;
            output.flush()?;
        }
        Command::Started { place, job } => {
            print_page(&format!("{}\n", serde_json::to_string(&place.open()?.job(&job).exists())?))?;
        }
        Command::End { place, job } => place.open()?.end(&job)?,
        Command::Clean { place, days } => {
            let age = Duration::from_secs(days.saturating_mul(24 * 60 * 60));
            print_page(&format!("{}\n", serde_json::to_string(&place.open()?.clean(age)?)?))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn ready(place: &Place, program: &Entry, codegen: Codegen, job: Option<&str>, inputs: &[Entry]) -> Result<Ready> {
    let store = place.open()?;
    let missing = store.missing(&[std::slice::from_ref(program), inputs].concat())?;
    if missing.is_empty() {
        let file = program.path(&place.store);
        compile::ahead(&file, &module::read_known(&file, &program.digest)?, codegen)?;
        job.map(|job| store.begin(job, inputs)).transpose()?;
    }
    Ok(Ready { missing, cache: places::cache(), state: places::state(), fabrics: network::fabrics() })
}
