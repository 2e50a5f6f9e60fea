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
    let (modes, rest) = Mode::from_args(std::env::args());
    let arguments = Arguments::from_iter(rest);
    match Suite::find(&modes) {
        Ok(suite) => libtest_mimic::run(&arguments, suite.trials()).exit_code(),
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::from(2)
        }
    }
}
