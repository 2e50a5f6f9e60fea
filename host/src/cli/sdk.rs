//! `rankine sdk`: installs and builds what the compilers need, and says where things are.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use rankine_toolchain::build;
use rankine_toolchain::sdk::{self, Sdk};

/// The command line of `rankine sdk`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Put the WASI sysroot into the data folder and compile the SDK library.
    Install {
        /// Take the sysroot from this WASI SDK, sysroot folder or wasi-libc .deb file instead of Debian's archive.
        #[arg(long, value_name = "PATH")]
        from: Option<PathBuf>,
        /// Install again even if a sysroot is already there.
        #[arg(long)]
        force: bool,
    },
    /// Compile from source what Debian's packages lack, once per machine.
    Build {
        /// What to build.
        #[arg(value_enum, required = true)]
        parts: Vec<Part>,
        /// Build again even if it is already there.
        #[arg(long)]
        force: bool,
    },
    /// Print the path of the SDK's folder: headers, library objects, scripts.
    Path,
    /// Print the path of the folder with the scripts mpicc and mpiexec.
    Bin,
    /// Print the CMake toolchain file.
    CmakeToolchain,
    /// Print the Meson cross file.
    MesonCrossFile,
    /// Print the cargo configuration for Rust guests: `cargo --config "$(rankine sdk cargo-config)" …`.
    CargoConfig {
        /// Write it into this folder's package, as .cargo/config.toml: cargo then finds it by itself.
        #[arg(long)]
        write: bool,
    },
    /// Print the path of the file that teaches gdb what a program's pointers are: `gdb -x "$(rankine sdk gdb)" …`.
    Gdb,
}

/// What can be built.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Part {
    /// The Fortran compiler, its intrinsic modules and its runtime: also those with threads and for 64-bit addresses, if there is
    /// what `openmp` and `m64` build.
    Fortran,
    /// The C++ library, with exceptions.
    #[value(name = "c++")]
    Cxx,
    /// Threads and OpenMP: the C and C++ libraries with threads, LLVM's OpenMP runtime, and Fortran's with threads.
    Openmp,
    /// The reference BLAS with its C interface, from Debian's source package, also for 64-bit addresses, if there is what `m64`
    /// builds; needs the Fortran compiler.
    Blas,
    /// LAPACK with its C interface, and BLAS (takes ten minutes); needs the Fortran compiler.
    Lapack,
    /// The C and C++ libraries for programs with 64-bit addresses (`-m64`), from Debian's source packages of wasi-libc and LLVM; those
    /// with threads and Fortran's runtime for them as well, if there is what `openmp` and `fortran` build.
    M64,
    /// Python with mpi4py and numpy, for `rankine python` (takes a quarter of an hour); needs a C compiler, make and pip.
    Python,
}

/// Runs the subcommand.
pub(super) fn run(arguments: Arguments) -> Result<ExitCode> {
    let sdk = || Sdk::of_this_machine()?.under_stable_name();
    let place = match arguments.action {
        Action::Install { from, force } => return sdk::install(from.as_deref(), force).map(|()| ExitCode::SUCCESS),
        Action::Build { parts, force } => return build(&parts, force).map(|()| ExitCode::SUCCESS),
        Action::Path => sdk()?.root().to_path_buf(),
        Action::Bin => sdk()?.bin(),
        Action::CmakeToolchain => sdk()?.cmake_toolchain(),
        Action::MesonCrossFile => sdk::meson_cross_file(&sdk()?)?,
        Action::CargoConfig { write: false } => sdk::cargo_config()?,
        Action::CargoConfig { write: true } => sdk::write_cargo_config(&std::env::current_dir()?)?,
        Action::Gdb => sdk::gdb_script()?,
    };
    super::print_page(&format!("{}\n", place.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn build(parts: &[Part], force: bool) -> Result<()> {
    parts.iter().try_for_each(|part| match part {
        Part::Fortran => build::fortran(force),
        Part::Cxx => build::cxx(force),
        Part::Openmp => build::openmp(force),
        Part::Blas => build::lapack(build::Part::Blas, force),
        Part::Lapack => build::lapack(build::Part::Lapack, force),
        Part::M64 => build::m64(force),
        Part::Python => build::python(force, &super::python::start).and_then(|()| super::python::compile()),
    })
}
