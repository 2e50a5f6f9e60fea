//! `just bench NAME`: runs a benchmark as WebAssembly and as its native twins, in turns, and prints them side by side.
//!
//! Absolute times on shared machines wander; so every round runs every competitor once, the best round of each counts,
//! and the floor that physics sets is measured in the same rounds. Figures go to `bench/results/NAME.json`. Read `twins.rs`
//! first, which builds the competitors, then `turns.rs`, which runs them; the programs are in `bench/programs`.

mod arrays;
mod busy;
mod compute;
mod floor;
mod math;
mod objects;
mod turns;
mod twins;
mod view;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, bail};
use clap::{Parser, ValueEnum};
use serde::Serialize;
use twins::{Competitor, Measurement, root};

/// Runs a benchmark and prints a table.
#[derive(Parser)]
#[command(arg_required_else_help = true)]
struct Args {
    /// Which benchmark.
    name: Name,
    /// How often every competitor runs: 3 times, or 11 where ratios are what counts.
    #[arg(long)]
    rounds: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Name {
    /// Two ranks: latency and bandwidth by message size, and message rate.
    Pingpong,
    /// 64 ranks on the cores there are: a hop of a ring, and a barrier.
    Ring,
    /// One-sided operations of one rank on another: by length, atomic ones, locks.
    Rma,
    /// A file that 1 to 64 ranks write and read together: contiguous parts, and rows that interleave (`bytes` is its
    /// length).
    Io,
    /// Halos of 2 and 4 ranks beside 0, 1, 2 and 4 processes that compute (`bytes` says how many).
    Busy,
    /// Object graphs between two ranks: lists, road maps, a tree (`bytes` is the number of elements, towns, nodes).
    Objects,
    /// The work of both ends of an object message: the same programs, each alone.
    ObjectsAlone,
    /// Methods on grids with 1, 2 and 4 ranks: distributed arrays beside MPI by hand (`bytes` is the grid's extent).
    Arrays,
    /// What the guest's way to the MPI library costs: the same C over the same library, as WebAssembly and native.
    Overhead,
    /// A step of a job whose field of 1000 x 1000 doubles is shown: without `--view`, and with who looks.
    View,
    /// Kernels of computation on one rank: the same C as WebAssembly and native, by the same clang (and by gcc).
    Compute,
    /// The host's products, factorisations and Fourier transforms beside OpenBLAS and FFTW.
    Math,
}

/// What one run of the suite found.
#[derive(Serialize)]
struct Results {
    name: String,
    cores: usize,
    /// Seconds that a cache line takes from core to core: smallest and largest of the rounds.
    floor: (f64, f64),
    rows: Vec<Row>,
}

/// One thing measured, for all competitors: the best round of each.
#[derive(Serialize)]
struct Row {
    what: String,
    bytes: u64,
    seconds: BTreeMap<String, f64>,
    /// What a cache line took just before that round: the cores may be near in one and far in another.
    floor: BTreeMap<String, f64>,
}

/// A name for the table, and what measures it once.
type Run = (&'static str, Box<dyn Fn() -> Result<Vec<Measurement>>>);

fn runs(program: &'static str, competitor: Competitor, ranks: u32, arguments: &'static [&'static str]) -> Run {
    (competitor.name, Box::new(move || competitor.run(program, ranks, arguments)))
}

fn main() -> Result<()> {
    let args = Args::parse();
    match args.name {
        Name::Compute => return compute::run(args.rounds.unwrap_or(11)),
        Name::Math => return math::run(args.rounds.unwrap_or(11)),
        _ => {}
    }
    let rounds = args.rounds.unwrap_or(3);
    let (program, plan) = plan(args.name)?;
    let (floor, rows) = measured(rounds, program, &plan)?;
    if rows.is_empty() {
        bail!("no competitor printed a measurement");
    }
    let cores = std::thread::available_parallelism()?.get();
    let results = Results { name: program.into(), cores, floor, rows: rows.into_values().collect() };
    print(&results, &plan.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    let path = root().join("bench/results").join(program).with_extension("json");
    std::fs::write(&path, serde_json::to_string_pretty(&results)? + "\n")?;
    println!("\nwritten to {}", path.strip_prefix(root()).unwrap_or(&path).display());
    Ok(())
}

/// The program that measures, and the ways in which it runs.
fn plan(name: Name) -> Result<(&'static str, Vec<Run>)> {
    Ok(match name {
        Name::Overhead => {
            let Some(native) = Competitor::mpich_abi() else {
                bail!(
                    "MPICH's wheel is not here, and there is nothing to compare with: `./x bench overhead` installs it"
                );
            };
            let both = [native, Competitor::over_mpich()];
            ("overhead", both.into_iter().map(|one| runs("overhead", one, 2, &[])).collect())
        }
        Name::Rma => ("rma", competitors().into_iter().map(|one| runs("rma", one, 2, &[])).collect()),
        Name::Io => ("io", {
            // A file of the same file system for all; native ranks poll, so they are not more than 8.
            let folder: &'static Path = Box::leak(root().join("target/bench/files").into_boxed_path());
            std::fs::create_dir_all(folder)?;
            let name: &'static str = folder.join("io").display().to_string().leak();
            let arguments: &'static [&'static str] = vec![name].leak();
            let natives = [1, 2, 8].map(|ranks| (Competitor::mpich(), ranks));
            let ours = [1, 2, 8, 64].map(|ranks| (Some(Competitor::local().in_folder(folder)), ranks));
            let all = natives.into_iter().chain(ours);
            all.filter_map(|(one, ranks)| Some(runs("io", one?, ranks, arguments))).collect()
        }),
        Name::Pingpong => ("pingpong", competitors().into_iter().map(|one| runs("pingpong", one, 2, &[])).collect()),
        // Native ranks poll: 64 of them on few cores take milliseconds a hop, so they run few rounds.
        Name::Ring => ("ring", {
            let natives = competitors().into_iter().filter(Competitor::is_native);
            let natives = natives.map(|one| runs("ring", one, 64, &["3"]));
            natives.chain([runs("ring", Competitor::local(), 64, &["2000"])]).collect()
        }),
        Name::Busy => {
            let ways = competitors().into_iter();
            ("busy", ways.map(|one| (one.name, Box::new(move || busy::run(&one)) as Box<_>)).collect())
        }
        Name::Arrays => {
            let ways = arrays::ways()?.into_iter();
            ("arrays", ways.map(|way| (way.name, Box::new(move || way.run()) as Box<_>)).collect())
        }
        Name::View => {
            let ways = view::ways()?.into_iter();
            ("view", ways.map(|way| (way.name, Box::new(move || way.run()) as Box<_>)).collect())
        }
        Name::Objects | Name::ObjectsAlone => {
            let alone = name == Name::ObjectsAlone;
            let ways = objects::ways(alone)?.into_iter();
            (
                if alone { "objects-alone" } else { "objects" },
                ways.map(|way| (way.name, Box::new(move || way.run()) as Box<_>)).collect(),
            )
        }
        Name::Compute | Name::Math => unreachable!("measured above"),
    })
}

/// The best of so many rounds of each way, and the fastest and slowest that a cache line has passed between cores.
fn measured(rounds: u32, program: &str, plan: &[Run]) -> Result<((f64, f64), BTreeMap<(String, u64), Row>)> {
    let mut floor = (f64::INFINITY, 0f64);
    let mut rows: BTreeMap<(String, u64), Row> = BTreeMap::new();
    for round in 1..=rounds {
        for (name, run) in plan {
            eprintln!("round {round} of {rounds}: {program} on {name}");
            let line = floor::cache_line();
            floor = (floor.0.min(line), floor.1.max(line));
            for found in run()? {
                let row = rows.entry((found.what.clone(), found.bytes)).or_insert_with(|| Row {
                    what: found.what.clone(),
                    bytes: found.bytes,
                    seconds: BTreeMap::new(),
                    floor: BTreeMap::new(),
                });
                if row.seconds.get(*name).is_none_or(|best| found.seconds < *best) {
                    row.seconds.insert((*name).to_owned(), found.seconds);
                    row.floor.insert((*name).to_owned(), line);
                }
            }
        }
    }
    Ok((floor, rows))
}

fn competitors() -> Vec<Competitor> {
    let natives = [("MPICH", Competitor::mpich()), ("Open MPI", Competitor::open_mpi())];
    let mut all = Vec::new();
    for (name, native) in natives {
        match native {
            Some(native) => all.push(native),
            None => eprintln!("{name} is not here: install its wheel (`./x bench` does) to compare with it"),
        }
    }
    all.push(Competitor::local());
    all
}

fn print(results: &Results, names: &[&str]) {
    let floor = results.floor;
    println!(
        "{} on {} cores; a cache line crosses in {:.0} to {:.0} ns\n",
        results.name,
        results.cores,
        floor.0 * 1e9,
        floor.1 * 1e9
    );
    print!("{:10} {:>9}", "", "bytes");
    for name in names {
        print!(" {name:>15}");
    }
    println!(" {:>16} {:>9} {:>9}", "best native / us", "us / floor", "added ns");
    for row in &results.rows {
        print!("{:10} {:>9}", row.what, row.bytes);
        for name in names {
            match row.seconds.get(*name) {
                Some(seconds) => print!(" {:>12.3} us", seconds * 1e6),
                None => print!(" {:>15}", "-"),
            }
        }
        let (ours, natives): (Vec<_>, Vec<_>) = row.seconds.iter().partition(|(name, _)| name.starts_with("rankine"));
        let native = natives.iter().map(|(_, seconds)| **seconds).fold(f64::INFINITY, f64::min);
        if let [(name, ours), ..] = ours[..] {
            print!(" {:>16.2} {:>10.2} {:>9.1}", native / ours, ours / row.floor[name], (ours - native) * 1e9);
        }
        println!();
    }
}
