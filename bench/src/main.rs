//! `just bench NAME`: runs a benchmark as WebAssembly and as its native twins, in turns, and prints them side by side.
//!
//! Absolute times on shared machines wander; so every round runs every competitor once, the best round of each counts,
//! and the floor that physics sets is measured in the same rounds; ratios are of one round, and their quartiles are told.
//! Figures go to `bench/results/NAME.json`. Read `twins.rs` first, which builds the competitors, then `plans.rs`, which says who
//! runs in each benchmark; the programs are in `bench/programs`.

mod arrays;
mod busy;
mod compute;
mod floor;
mod io;
mod math;
mod nodes;
mod objects;
mod openmp;
mod plans;
mod spent;
mod start;
mod table;
mod turns;
mod twins;
mod view;

use anyhow::{Result, bail};
use clap::{Parser, ValueEnum};
use plans::Plan;
use table::Results;

/// Runs a benchmark and prints a table.
#[derive(Parser)]
#[command(arg_required_else_help = true)]
struct Args {
    /// Which benchmark.
    name: Name,
    /// How often every competitor runs: 3 times, or 11 where ratios are what counts.
    #[arg(long)]
    rounds: Option<u32>,
    /// Run native programs of `io` and `arrays` with more ranks than cores too, which poll: that takes minutes.
    #[arg(long)]
    crowded: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Name {
    /// Two ranks: latency and bandwidth by message size, and message rate.
    Pingpong,
    /// 64 ranks on the cores there are: a hop of a ring, and a barrier.
    Ring,
    /// One-sided operations of one rank on another: by length, atomic ones, locks; and a send beside a put.
    Rma,
    /// A file that 1 to 64 ranks write and read together: contiguous parts, and rows that interleave, beside plain `pwrite`
    /// and `pread` (`bytes` is its length).
    Io,
    /// Halos of 2 and 4 ranks beside 0, 1, 2 and 4 processes that compute (`bytes` says how many).
    Busy,
    /// 1 to 100 ranks that a rank starts: until all have answered, and until they have parted (`bytes` is how many).
    Spawn,
    /// Object graphs between two ranks: lists, road maps, a tree (`bytes` is the number of elements, towns, nodes).
    Objects,
    /// The work of both ends of an object message: the same programs, each alone.
    ObjectsAlone,
    /// Methods on grids with 1, 2, 4 and 36 ranks: distributed arrays beside MPI by hand (`bytes` is the grid's extent).
    Arrays,
    /// What the guest's way to the MPI library costs: the same C over the same library, as WebAssembly and native.
    Overhead,
    /// A step of a job whose field of 1000 x 1000 doubles is shown: without `--view`, and with who looks.
    View,
    /// Kernels of computation on one rank: the same C as WebAssembly and native, by the same clang and by gcc, for any
    /// processor and for this one.
    Compute,
    /// What OpenMP's constructs cost with 1 and 2 threads, beside LLVM's runtime in a native program.
    Openmp,
    /// Conjugate gradients and a step over a mesh by 1 and 2 threads, beside the same natively.
    Hybrid,
    /// A job of four nodes that does nothing: by a grid, from cold and again, beside `mpiexec` of a native program (for root).
    Start,
    /// The host's products, factorisations and Fourier transforms beside OpenBLAS and FFTW.
    Math,
}

fn main() -> Result<()> {
    let args = Args::parse();
    match args.name {
        Name::Compute => return compute::run(args.rounds.unwrap_or(11)),
        Name::Openmp => return openmp::run("openmp", args.rounds.unwrap_or(11)),
        Name::Hybrid => return openmp::run("hybrid", args.rounds.unwrap_or(11)),
        Name::Start => return start::run(args.rounds.unwrap_or(5)),
        Name::Math => return math::run(args.rounds.unwrap_or(11)),
        _ => {}
    }
    let rounds = args.rounds.unwrap_or(3);
    let Plan { name, runs, base } = plans::of(args.name, args.crowded)?;
    let mut results = Results::new(name, base)?;
    for round in 1..=rounds {
        for (competitor, run) in &runs {
            eprintln!("round {round} of {rounds}: {name} on {competitor}");
            let line = floor::cache_line();
            for found in run()? {
                results.add(competitor, line, found);
            }
        }
    }
    if results.is_empty() {
        bail!("no competitor printed a measurement");
    }
    results.compare();
    let mut names: Vec<_> = runs.iter().map(|(name, _)| *name).collect();
    names.dedup();
    results.print(&names);
    results.write()
}
