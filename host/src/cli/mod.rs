//! The `rankine` command: a file per subcommand.

mod account;
mod cache;
mod checking;
mod compile;
mod compilers;
mod debugging;
mod doctor;
#[cfg(test)]
mod documented;
mod grid;
mod grid_store;
mod hosts;
mod info;
mod info_tools;
mod kept;
mod launch;
mod loading;
mod noted;
mod options;
mod page;
mod pages;
mod profiling;
mod programs;
mod recording;
mod run;
mod sdk;
mod sign;
mod spellings;
mod submit;
mod suggest;
mod values;
mod view;

use std::ffi::OsString;
use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use rankine_toolchain::terminal::print_page;
use rankine_toolchain::{cc, cxx, fc, link, system};

use crate::shown;

/// Exit status of the command for an error of the host.
const HOST_ERROR: u8 = 1;

/// Runs MPI programs that were compiled once, to WebAssembly, on any node.
#[derive(Parser)]
#[command(
    name = "rankine",
    version,
    long_version = pages::VERSIONS.as_str(),
    max_term_width = 100,
    arg_required_else_help = true,
    after_help = EXAMPLES
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  rankine run -n 4 ring.wasm           four ranks in one process
  rankine run -n 4 ring.wasm --size 8  what follows the file goes to the program
  rankine info ring.wasm               the MPI functions it uses
  rankine run --help                   all options, and the exit statuses";

#[derive(Subcommand)]
enum Command {
    /// Run a program on as many ranks as you say
    Run(Box<options::Arguments>),
    /// Compile a C program, as mpicc does
    Cc(compilers::Clang),
    /// Compile a Fortran program, as mpifort does
    #[command(alias = "fort")]
    Fc(compilers::Flang),
    /// Compile a C++ program, as mpicxx does
    #[command(name = "c++", alias = "cxx")]
    Cxx(compilers::Clang),
    /// Link, for the compilers
    #[command(hide = true)]
    Link(compilers::Linker),
    /// Compile programs ahead of time, so that they start at once
    Compile(compile::Arguments),
    /// Show a job's recording in a browser
    View(view::Arguments),
    /// Sign a program, or make a key to sign with
    Sign(sign::Arguments),
    /// Show how much compiled code is kept, or remove it
    Cache(cache::Arguments),
    /// Show what a module uses, or what the engines have
    Info(info::Arguments),
    /// Install the parts that `rankine cc` needs, or show where they are
    Sdk(sdk::Arguments),
    /// Submit a job to this machine's batch system: Slurm, PBS or LSF
    Submit(submit::Arguments),
    /// Show and check the nodes that grid.toml describes
    Grid(grid::Arguments),
    /// Check the set-up and name the next step
    Doctor(doctor::Args),
    /// Print a script that completes this command line in your shell
    Completions(pages::Completions),
    /// Write the manual pages, one for each subcommand
    #[command(hide = true)]
    Man(pages::Manual),
}

/// Runs the command that the process was started with; its exit status.
pub fn main() -> ExitCode {
    crate::places::leave_working_folder();
    if cfg!(feature = "unvalidated") {
        eprintln!(
            "rankine: warning: this build is for tests of the second wall: texts, files and grants are not checked"
        );
    }
    let spellings::Translated { arguments, notes } =
        spellings::translate::<options::Arguments>(std::env::args_os().collect());
    let arguments = Arguments::parse_from(arguments);
    notes.iter().for_each(|note| eprintln!("rankine: note: {note}"));
    let outcome = match arguments.command {
        Command::Run(arguments) => run::run(*arguments),
        Command::Compile(arguments) => compile::run(arguments),
        Command::View(arguments) => view::run(&arguments),
        Command::Sign(arguments) => sign::run(&arguments),
        Command::Cache(arguments) => cache::run(&arguments),
        Command::Info(arguments) => info::run(arguments),
        Command::Cc(compilers::Clang { arguments }) => compiler("cc", cc::run, &arguments),
        Command::Fc(compilers::Flang { arguments }) => compiler("fc", fc::run, &arguments),
        Command::Cxx(compilers::Clang { arguments }) => compiler("c++", cxx::run, &arguments),
        Command::Link(compilers::Linker { arguments }) => link::run(&arguments),
        Command::Sdk(arguments) => sdk::run(arguments),
        Command::Submit(arguments) => submit::run(arguments),
        Command::Grid(arguments) => grid::run(arguments),
        Command::Doctor(arguments) => doctor::run(arguments),
        Command::Completions(arguments) => pages::completions(&arguments),
        Command::Man(arguments) => pages::manual(&arguments),
    };
    outcome.unwrap_or_else(|error| {
        // A reader that has gone away is no reason to panic.
        // In one piece, as other processes of the job may say the same.
        let text = format!("rankine: {error:#}");
        let _ = std::io::stderr().write_all(format!("{}\n", shown::lines(&text)).as_bytes());
        ExitCode::from(HOST_ERROR)
    })
}

/// Runs a compiler, or says how it is called.
fn compiler(
    name: &str,
    run: fn(&[OsString]) -> anyhow::Result<ExitCode>,
    arguments: &[OsString],
) -> anyhow::Result<ExitCode> {
    if compilers::help(name, arguments)? {
        return Ok(ExitCode::SUCCESS);
    }
    system::only_on_unix(&format!("rankine {name}"), "compile there: the program is the same file for every system")?;
    run(arguments)
}

/// Sends what the library says about its work to standard error, as far as it was asked for.
fn log(verbose: u8) {
    let level = match verbose {
        0 => "rankine=warn",
        1 => "rankine=info",
        _ => "rankine=debug",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_env("RANKINE_LOG").unwrap_or_else(|_| level.into());
    let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(colours);
    lines.with_writer(std::io::stderr).without_time().init();
}
