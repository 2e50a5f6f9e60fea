//! `just bench`: runs benchmarks as WebAssembly and as their native twins, in turns, and prints them side by side.
//!
//! Absolute times on shared machines wander; so every round runs every competitor once, the best round of each counts,
//! and the floor that physics sets is measured in the same rounds; ratios are of one round, and their quartiles are told.
//! Figures go to `bench/results/NAME.jsonl` (`record.rs`). Read `twins.rs` first, which builds the competitors, then `plans.rs`,
//! which says who runs in each benchmark; the programs are in `bench/programs`.

mod arrays;
mod busy;
mod compare;
mod compute;
mod figures;
mod floor;
mod io;
mod libc;
mod machine;
mod math;
mod namespaces;
mod nodes;
mod objects;
mod openmp;
mod plans;
mod python;
mod ranks;
mod record;
mod spent;
mod start;
mod suite;
mod table;
mod turns;
mod twins;
mod view;

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Parser, Subcommand, ValueEnum};
use plans::Plan;
use record::{Line, Record};
use table::Results;
use twins::root;

/// Runs benchmarks beside their native twins, and prints tables: all of them without a name, leaving out what this commit
/// has been measured with already.
#[derive(Parser)]
#[command(args_conflicts_with_subcommands = true, subcommand_value_name = "compare|figures")]
struct Args {
    #[command(subcommand)]
    task: Option<Task>,
    /// Which benchmark
    name: Option<Name>,
    /// How often every competitor runs: 3 times, or 11 where ratios are what counts
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: Option<u32>,
    /// Run native programs of `io`, `arrays` and others with more ranks than cores too, which poll: that takes minutes
    #[arg(long)]
    crowded: bool,
    /// One round of pingpong, rma, ring, overhead and compute, kept in target/bench/quick
    #[arg(long, conflicts_with = "name")]
    quick: bool,
    /// Without a name: measure also what this commit has been measured with
    #[arg(long, conflicts_with = "name")]
    again: bool,
    /// The folder of results (bench/results)
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Task {
    /// Say what moved between two runs by more than noise
    Compare {
        /// A folder of results, or one file of them
        before: PathBuf,
        /// The later ones
        after: PathBuf,
        /// Print all that was compared as JSON
        #[arg(long)]
        json: bool,
    },
    /// Draw results as pictures, each for light and for dark pages
    Figures {
        /// The folder of results (bench/results)
        #[arg(long, value_name = "FOLDER")]
        results: Option<PathBuf>,
        /// Where pictures go (docs/figures)
        #[arg(long, value_name = "FOLDER")]
        out: Option<PathBuf>,
    },
}

/// How benchmarks are run.
struct Wanted {
    rounds: Option<u32>,
    crowded: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ValueEnum)]
enum Name {
    /// Two ranks: latency and bandwidth by message size, and message rate.
    Pingpong,
    /// Streams of messages: by window, by pairs, from many to one; and a message behind others (`bytes` is how many those are).
    Rates,
    /// Every collective, blocking, nonblocking and persistent, of 2 to 512 ranks.
    Collectives,
    /// Derived datatypes beside packing by hand.
    Types,
    /// A job that does nothing, of 2 to 10,000 ranks: how long it takes, and the memory of a rank (`bytes` is how many there are).
    Ranks,
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
    /// Ranks on two nodes, as many on each: messages inside and between, and what all do together (for root).
    Nodes,
    /// The host's products, factorisations and Fourier transforms beside OpenBLAS and FFTW.
    Math,
    /// mpi4py and numpy on `rankine python` beside a native Python over MPICH and Open MPI: messages, computation, starts (`bytes` is how many
    /// ranks there are).
    Python,
    /// Functions of the C library beside those of the machine's own, a thousand calls each.
    Libc,
}

fn main() -> Result<()> {
    let Args { task, name, rounds, crowded, quick, again, out } = Args::parse();
    let results = || root().join("bench/results");
    match (task, name) {
        (Some(Task::Compare { before, after, json }), _) => compare::run(&before, &after, json),
        (Some(Task::Figures { results: from, out }), _) => {
            figures::run(&from.unwrap_or_else(results), &out.unwrap_or_else(|| root().join("docs/figures")))
        }
        (None, Some(name)) => measure(name, &Wanted { rounds, crowded })?.write(&out.unwrap_or_else(results)),
        (None, None) if quick => {
            let wanted = Wanted { rounds: rounds.or(Some(1)), crowded };
            suite::run(&suite::QUICK, &wanted, true, &out.unwrap_or_else(|| root().join("target/bench/quick")))
        }
        (None, None) => {
            suite::run(Name::value_variants(), &Wanted { rounds, crowded }, again, &out.unwrap_or_else(results))
        }
    }
}

/// Measures and prints a table.
fn measure(name: Name, wanted: &Wanted) -> Result<Record> {
    let begun = record::begin();
    let rounds = |usual: u32| wanted.rounds.unwrap_or(usual);
    let of = |name: &str, rounds: u32, lines: Result<Vec<Line>>| Ok(begun.end(name, rounds, lines?));
    match name {
        Name::Compute => of("compute", rounds(11), compute::run(rounds(11))),
        Name::Openmp => of("openmp", rounds(11), openmp::run("openmp", rounds(11))),
        Name::Hybrid => of("hybrid", rounds(11), openmp::run("hybrid", rounds(11))),
        Name::Ranks => of("ranks", rounds(5), ranks::run(rounds(5), wanted.crowded)),
        Name::Start => of("start", rounds(5), start::run(rounds(5))),
        Name::Libc => of("libc", rounds(11), libc::run(rounds(11))),
        Name::Math => of("math", rounds(11), math::run(rounds(11))),
        _ => {
            let plan = plans::of(name, wanted.crowded)?;
            of(plan.name, rounds(3), in_rounds(plan, rounds(3)))
        }
    }
}

/// Every competitor once in each round.
fn in_rounds(plan: Plan, rounds: u32) -> Result<Vec<Line>> {
    let Plan { name, runs, base } = plan;
    let mut results = Results::new(name, base);
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
    let results = results.compared();
    let mut names: Vec<_> = runs.iter().map(|(name, _)| *name).collect();
    names.dedup();
    results.print(&names);
    Ok(results.into_lines())
}
