//! The `rankine` command. Read `cli/mod.rs` next, which has its subcommands; all else is the library's (`lib.rs`).

use std::process::ExitCode;

use rankine_system::allocation::{self, Allocator};

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

fn main() -> ExitCode {
    allocation::tell_exhaustion();
    rankine::cli::main()
}
