//! The `rankine` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    rankine::cli::main()
}
