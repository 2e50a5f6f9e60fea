//! The `rankine` command. Read `cli/mod.rs` next, which has its subcommands; all else is the library's (`lib.rs`).

use std::process::ExitCode;

fn main() -> ExitCode {
    rankine::cli::main()
}
