//! The `rankine` command.

use std::process::ExitCode;

use rankine::allocation::{self, Allocator};

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

fn main() -> ExitCode {
    allocation::tell_exhaustion();
    rankine::cli::main()
}
