//! MPICH's own test suite, compiled by `rankine cc` and run as guests, and natively over an MPI library for comparison.
//!
//! `--native`, `--local`, `--mpi`, `--nodes`, `--m64`, `--large` and `--mixed` choose the ways to run it (without them: `local`),
//! `--subset` the short selection of subset.txt, `--page` writes docs/conformance.md from all results so far but those of mixed jobs
//! and large programs, and keeps these (results/). Other
//! arguments are those of any test: names to run, `--exact`, `--list`. Read `run.rs` first: how one test is run and
//! judged.

mod build;
#[path = "../../harness/emulator.rs"]
mod emulator;
mod list;
#[path = "../../harness/mixed.rs"]
mod mixed;
#[path = "../../harness/mpiexec.rs"]
mod mpiexec;
mod notes;
mod others;
mod page;
#[path = "../../harness/places.rs"]
mod places;
#[path = "../../harness/process.rs"]
mod process;
mod results;
mod run;
mod subset;
mod suite;

use build::Builder;
use libtest_mimic::{Arguments, Failed, Trial};
use list::Entry;
use notes::Notes;
use places::Places;
use results::Results;
use run::{Outcome, Runner, Way};
use std::process::ExitCode;
use std::sync::Arc;
use suite::Suite;

/// The options that are not libtest's.
#[derive(Default)]
struct Options {
    ways: Vec<Way>,
    subset: bool,
    page: bool,
}

impl Options {
    /// Takes its own out of the command line.
    fn from_args(args: impl Iterator<Item = String>) -> (Options, Vec<String>) {
        let mut options = Options::default();
        let mut rest = Vec::new();
        for arg in args {
            match arg.as_str() {
                "--native" => options.ways.push(Way::Native),
                "--local" => options.ways.push(Way::Local),
                "--mpi" => options.ways.push(Way::Mpi),
                "--nodes" => options.ways.push(Way::Nodes),
                "--m64" => options.ways.push(Way::Wide),
                "--large" => options.ways.push(Way::Large),
                "--mixed" => options.ways.push(Way::Mixed),
                "--subset" => options.subset = true,
                "--page" => options.page = true,
                _ => rest.push(arg),
            }
        }
        if options.ways.is_empty() {
            options.ways.push(Way::Local);
        }
        (options, rest)
    }
}

fn main() -> ExitCode {
    match conduct() {
        Ok(code) => code,
        Err(reason) => {
            eprintln!("conformance: {reason}");
            ExitCode::from(2)
        }
    }
}

fn conduct() -> Result<ExitCode, String> {
    let (options, rest) = Options::from_args(std::env::args());
    let arguments = Arguments::from_iter(rest);
    let places = Places::find();
    let suite = Suite::at(&places.target)?;
    let entries = list::read(&suite.root)?;
    let root = places.root.clone();
    let kept = root.join("tests/conformance/results");
    let results = Arc::new(Results::read(&places.target.join("conformance"), &kept)?);
    let notes = Notes::read(include_str!("notes.txt"))?;
    let builder = Builder::new(suite, places);
    options.ways.iter().chain([&Way::Native]).try_for_each(|way| builder.prepare(way.form()))?;
    let runner = Arc::new(Runner::new(Places::find(), builder, notes));
    let mut trials = Vec::new();
    for &way in &options.ways {
        let chosen = if options.subset { subset::of(&entries, way)? } else { entries.clone() };
        for entry in chosen {
            trials.push(trial(entry, way, runner.clone(), results.clone()));
        }
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    if options.page {
        results.keep(&kept, &entries)?;
        let path = root.join("docs/conformance.md");
        std::fs::write(&path, page::page(&entries, &results, runner.notes()) + &others::others()?)
            .map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(conclusion.exit_code())
}

/// A failure that is known is no failure of the trial; one that is known and does not happen any more is.
fn trial(entry: Entry, way: Way, runner: Arc<Runner>, results: Arc<Results>) -> Trial {
    Trial::test(format!("{}/{}", way.name(), entry.name()), move || {
        let (outcome, took) = runner.outcome(&entry, way);
        if Way::ALL.contains(&way) {
            results.set(&entry, way, &outcome, took)?;
        }
        match (outcome, runner.notes().fails(&entry, way)) {
            (Outcome::Pass, Some(reason)) => {
                Err(Failed::from(format!("it passes, and notes.txt says that it does not: {reason}")))
            }
            (Outcome::Fail(_, seen), None) if way != Way::Native => Err(Failed::from(seen)),
            _ => Ok(()),
        }
    })
}
