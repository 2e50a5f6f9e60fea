//! The `rankine` command: a file per subcommand.

mod apt;
mod cc;
mod cxx;
mod doctor;
mod fc;
mod hosts;
mod info;
mod launch;
mod run;
mod rust_files;
mod sdk;
mod sdk_build;
mod sdk_files;
mod stage;
pub(crate) mod toolchain;

use std::ffi::OsString;
use std::io::{self, ErrorKind, Write as _};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Exit status of the command for an error of the host.
const HOST_ERROR: u8 = 1;

/// Runs MPI programs that were compiled once, to WebAssembly, on any node.
#[derive(Parser)]
#[command(name = "rankine", version, max_term_width = 100, arg_required_else_help = true, after_help = EXAMPLES)]
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
    /// Run a program, as many ranks as you say
    Run(Box<run::Arguments>),
    /// Compile a C program, as mpicc does
    Cc(cc::Args),
    /// Compile a Fortran program, as mpifort does
    #[command(alias = "fort")]
    Fc(fc::Args),
    /// Compile a C++ program, as mpicxx does
    #[command(name = "c++", alias = "cxx")]
    Cxx(cc::Args),
    /// Show what a module uses, or what the engines have
    Info(info::Arguments),
    /// Install the parts that `rankine cc` needs, or show where they are
    Sdk(sdk::Args),
    /// Check the set-up and name the next step
    Doctor(doctor::Args),
}

/// Runs the command that the process was started with; its exit status.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse_from(run::accept_np(std::env::args_os().collect::<Vec<OsString>>()));
    let outcome = match arguments.command {
        Command::Run(arguments) => run::run(*arguments),
        Command::Info(arguments) => info::run(arguments),
        Command::Cc(arguments) => cc::run(arguments),
        Command::Fc(arguments) => fc::run(arguments),
        Command::Cxx(arguments) => cxx::run(arguments),
        Command::Sdk(arguments) => sdk::run(arguments),
        Command::Doctor(arguments) => doctor::run(arguments),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("rankine: {error:#}");
        ExitCode::from(HOST_ERROR)
    })
}

/// Prints what a command found out. A reader that has seen enough (`| head`) is no failure.
fn print_page(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        printed => printed,
    }
}

/// Sends what the library says about its work to standard error, as far as it was asked for.
fn log(verbose: u8) {
    let level = match verbose {
        0 => "rankine=warn",
        1 => "rankine=info",
        _ => "rankine=debug",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_env("RANKINE_LOG").unwrap_or_else(|_| level.into());
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).without_time().init();
}
