//! Room of the command line: the `rankine` command, a file per subcommand, and what the machine permits (`policy`). It may import
//! all that stands below, and nothing imports it.

mod account;
mod cache;
mod checking;
mod compile;
mod compilers;
mod debugging;
mod doctor;
#[cfg(test)]
mod documented;
mod forwarded;
mod grid;
mod grid_store;
mod habits;
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
pub(crate) mod policy;
mod profiling;
mod programs;
mod python;
mod recording;
mod run;
mod sdk;
mod sign;
mod spellings;
mod start;
mod submit;
mod suggest;
mod trust;
mod uninstall;
mod values;
mod verify;
mod view;
mod written;

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use rankine_system::os;
use rankine_toolchain::terminal::print_page;
use rankine_toolchain::{cc, cxx, fc, link};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer as _, fmt};

use rankine_system::{inheritance, shown, tell};

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
    /// Run a program as the line says that it begins with
    #[command(hide = true)]
    Start(start::Arguments),
    /// Run a program in Python on as many ranks as you say
    Python(python::Arguments),
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
    /// Say who has signed a program, and whether it was changed since
    Verify(verify::Arguments),
    /// Trust a file that decides what is run, as it is now
    Trust(trust::Arguments),
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
    /// Remove Rankine from this machine, with what it has installed and kept
    Uninstall(uninstall::Arguments),
    /// Print a script that completes this command line in your shell
    Completions(pages::Completions),
    /// Write the manual pages, one for each subcommand
    #[command(hide = true)]
    Man(pages::Manual),
}

/// Runs the command that the process was started with; its exit status.
pub fn main() -> ExitCode {
    if let Err(error) = inheritance::renounce() {
        tell!("rankine: {error:#}");
        return ExitCode::from(HOST_ERROR);
    }
    if cfg!(feature = "unvalidated") {
        tell!("rankine: warning: this build is for tests of the second wall: texts, files and grants are not checked");
    }
    let typed: Vec<OsString> = std::env::args_os().collect();
    if let Some(answer) = habits::answer(&typed) {
        run::usage(&answer);
    }
    let spellings::Translated { arguments, notes } = spellings::translate::<options::Arguments>(typed);
    let arguments = Arguments::parse_from(arguments);
    notes.iter().for_each(|note| tell!("rankine: note: {note}"));
    let outcome = match arguments.command {
        Command::Run(arguments) => run::run(*arguments),
        Command::Start(arguments) => start::run(&arguments),
        Command::Python(arguments) => python::run(arguments),
        Command::Compile(arguments) => compile::run(arguments),
        Command::View(arguments) => view::run(&arguments),
        Command::Sign(arguments) => sign::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Trust(arguments) => trust::run(&arguments),
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
        Command::Uninstall(arguments) => uninstall::run(&arguments),
        Command::Completions(arguments) => pages::completions(&arguments),
        Command::Man(arguments) => pages::manual(&arguments),
    };
    outcome.unwrap_or_else(|error| {
        tell!("{}", shown::report(&format!("rankine: {error:#}")));
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
    os::only_on_unix(&format!("rankine {name}"), "compile there: the program is the same file for every system")?;
    run(arguments)
}

/// Sends what the library says about its work to standard error, as far as it was asked for.
fn log(verbose: u8) {
    let level = match verbose {
        0 => LevelFilter::WARN,
        1 => LevelFilter::INFO,
        _ => LevelFilter::DEBUG,
    };
    let wanted = std::env::var("RANKINE_LOG").ok().and_then(|wanted| wanted.parse().ok());
    let filter = wanted.unwrap_or_else(|| Targets::new().with_target("rankine", level));
    let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let lines = fmt::layer().with_ansi(colours).with_writer(std::io::stderr).without_time().log_internal_errors(false);
    tracing_subscriber::registry().with(lines.with_filter(filter)).init();
}
