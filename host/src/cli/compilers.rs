//! `rankine cc`, `c++` and `fc`: their words go to the compilers as they are (`rankine-toolchain`).

use std::ffi::OsString;

/// What `rankine cc` and `rankine c++` take.
#[derive(Debug, clap::Args)]
#[command(
    disable_help_flag = true,
    disable_version_flag = true,
    after_help = "Also understood, as MPI compiler wrappers do: -show, -compile-info, -link-info, \
        -showme[:compile|:link|:incdirs|:libdirs|:libs|:command|:version].\n\
        -runnable makes a program that can be started as it is (./a.out), with RANKINE_RANKS ranks and the working \
        folder granted: for configure scripts that run what they compile."
)]
pub(super) struct Clang {
    /// Everything clang takes.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "CLANG ARGUMENTS")]
    pub(super) arguments: Vec<OsString>,
}

/// What `rankine fc` takes.
#[derive(Debug, clap::Args)]
#[command(
    disable_help_flag = true,
    disable_version_flag = true,
    after_help = "Also understood, as MPI compiler wrappers do: -show, -compile-info, -link-info, \
        -showme[:compile|:link|:incdirs|:libdirs|:libs|:command|:version]."
)]
pub(super) struct Flang {
    /// Everything flang takes; for C sources and linking, everything clang takes.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "FLANG ARGUMENTS")]
    pub(super) arguments: Vec<OsString>,
}
