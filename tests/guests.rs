//! Runs the guest programs of this repository and checks what they print and how they end.
//!
//! A guest asserts by itself (see `guests/check.h`); the harness finds the programs, compiles each once, runs each at
//! every rank count that its head names, on threads and on fibers, and fails where a function that the engine has is
//! called by none. README.md beside this file is the manual.

mod harness;

use harness::{Mode, Suite};
use libtest_mimic::Arguments;
use std::process::ExitCode;

fn main() -> ExitCode {
    conduct().unwrap_or_else(|reason| {
        eprintln!("{reason}");
        ExitCode::from(2)
    })
}

/// Runs what the command line asks for; with `--keep`, docs/kinds.md will say what came of it.
fn conduct() -> Result<ExitCode, String> {
    let (modes, mut rest) = Mode::from_args(std::env::args());
    let is_kept = rest.iter().any(|word| word == "--keep");
    rest.retain(|word| word != "--keep");
    let arguments = Arguments::from_iter(rest);
    let suite = Suite::find(&modes, is_kept)?;
    let (keep, times) = (suite.keeper(), suite.times());
    let conclusion = libtest_mimic::run(&arguments, suite.trials());
    if is_kept {
        keep()?;
    }
    print!("{}", times.table());
    Ok(conclusion.exit_code())
}
