//! `rankine cc`, `c++` and `fc`: their arguments go to `rankine-toolchain` as they are.

use std::ffi::OsString;

use anyhow::Result;
use clap::CommandFactory as _;
use rankine_toolchain::terminal::print_page;

/// Answers a lone `--help` to a compiler's subcommand; clang's own would not say what differs here.
pub(super) fn help(subcommand: &str, arguments: &[OsString]) -> Result<bool> {
    let asked = arguments.len() == 1 && arguments[0] == "--help";
    if asked {
        let mut command = super::Arguments::command();
        command.build();
        let subcommand = command.find_subcommand_mut(subcommand).expect("one of the compilers");
        print_page(&subcommand.render_help().to_string())?;
    }
    Ok(asked)
}

/// What `rankine cc` and `rankine c++` take.
#[derive(Debug, clap::Args)]
#[command(
    disable_help_flag = true,
    disable_version_flag = true,
    after_help = "Also understood, as MPI compiler wrappers do: -show, -compile-info, -link-info, \
        -showme[:compile|:link|:incdirs|:libdirs|:libs|:command|:version].\n\
        -runnable makes a program that can be started as it is (./a.out), with RANKINE_RANKS ranks, the options of \
        RANKINE_RUN_OPTIONS, the environment, and the folder that it is started in: for build systems that run what they compile.\n\
        -fforgiving-calls has calls through pointers of another type than the function has work as they do natively.\n\
        -m64 compiles for 64-bit addresses, so that long and pointers have 8 bytes (rankine sdk build m64, \
        once); all files of a program, and linking it, take it or none does. Linked with -m64=large, a rank may have more than 4 GiB.\n\
        -help lists clang's own options."
)]
pub(super) struct Clang {
    /// Anything that clang takes.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "CLANG ARGUMENTS")]
    pub(super) arguments: Vec<OsString>,
}

/// What `rankine fc` takes.
#[derive(Debug, clap::Args)]
#[command(
    disable_help_flag = true,
    disable_version_flag = true,
    after_help = "Also understood, as MPI compiler wrappers do: -show, -compile-info, -link-info, \
        -showme[:compile|:link|:incdirs|:libdirs|:libs|:command|:version].\n\
        -fforgiving-calls has calls through pointers of another type than the function has work as they do natively.\n\
        -fopenmp compiles OpenMP's directives, for rankine run --threads-per-rank (rankine sdk build openmp, once).\n\
        -m64 compiles for 64-bit addresses, so that c_long and MPI_ADDRESS_KIND are 8 (rankine sdk build m64, \
        once); all files of a program, and linking it, take it or none does. Linked with -m64=large, a rank may have more than 4 GiB.\n\
        `flang-22 --help` lists flang's own options."
)]
pub(super) struct Flang {
    /// Anything that flang takes; for C sources and linking, anything that clang takes.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "FLANG ARGUMENTS")]
    pub(super) arguments: Vec<OsString>,
}

/// What the compilers' linker takes.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true, disable_version_flag = true)]
pub(super) struct Linker {
    /// The compiler, and everything wasm-ld takes.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(super) arguments: Vec<OsString>,
}
