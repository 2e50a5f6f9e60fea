//! Who runs in a round of each benchmark, and how.

use std::process::Command;
use std::rc::Rc;

use anyhow::{Result, bail};

use crate::twins::{Competitor, Measurement, measurements, root};
use crate::{Name, arrays, busy, io, nodes, objects, python, view};

/// A name for the table, and what measures it once.
pub type Run = (&'static str, Box<dyn Fn() -> Result<Vec<Measurement>>>);

/// What a benchmark is.
pub struct Plan {
    /// The name of its results.
    pub name: &'static str,
    pub runs: Vec<Run>,
    /// The competitor with whom all others are compared; guests are compared with native programs too.
    pub base: Option<&'static str>,
}

/// One that measures guests beside native programs.
fn beside_natives(name: &'static str, runs: Vec<Run>) -> Plan {
    Plan { name, runs, base: None }
}

fn runs(program: &'static str, competitor: Competitor, ranks: u32, arguments: &'static [&'static str]) -> Run {
    (competitor.name, Box::new(move || competitor.run(program, ranks, arguments)))
}

/// Whether native programs run with so many ranks.
pub fn suits_natives(ranks: u32, crowded: bool) -> bool {
    crowded || std::thread::available_parallelism().is_ok_and(|cores| ranks as usize <= cores.get())
}

/// The plan of a benchmark whose rounds are all alike; `crowded` says whether native programs may have more ranks than there
/// are cores.
pub fn of(name: Name, crowded: bool) -> Result<Plan> {
    let pairs = |program| competitors().into_iter().map(|one| runs(program, one, 2, &[])).collect();
    Ok(match name {
        Name::Pingpong => beside_natives("pingpong", pairs("pingpong")),
        Name::Types => beside_natives("types", pairs("types")),
        Name::Rates => beside_natives("rates", by_ranks("rates", &[2, 4, 8, 16], crowded)),
        Name::Collectives => beside_natives("collectives", by_ranks("collectives", &[2, 4, 16, 64, 512], crowded)),
        Name::Rma => beside_natives("rma", pairs("rma")),
        Name::Ring => beside_natives("ring", ring()),
        Name::Spawn => beside_natives("spawn", spawn()?),
        Name::Python => beside_natives("python", python::ways(crowded)?),
        Name::Io => Plan { name: "io", runs: io::ways(crowded)?, base: Some(io::RAW) },
        Name::Nodes => beside_natives("nodes", nodes::ways(crowded)?),
        Name::Overhead => beside_natives("overhead", overhead()?),
        Name::Busy => {
            let ways = competitors().into_iter();
            beside_natives("busy", ways.map(|one| (one.name, Box::new(move || busy::run(&one)) as Box<_>)).collect())
        }
        Name::Arrays => {
            let ways = arrays::ways(crowded)?.into_iter().map(|way| (way.name, Box::new(move || way.run()) as Box<_>));
            Plan { name: "arrays", runs: ways.collect(), base: Some(arrays::BY_HAND) }
        }
        Name::View => {
            let ways = view::ways()?.into_iter().map(|way| (way.name, Box::new(move || way.run()) as Box<_>));
            Plan { name: "view", runs: ways.collect(), base: Some(view::WITHOUT) }
        }
        Name::Objects | Name::ObjectsAlone => {
            let alone = name == Name::ObjectsAlone;
            let ways = objects::ways(alone)?.into_iter().map(|way| (way.name, Box::new(move || way.run()) as Box<_>));
            beside_natives(if alone { "objects-alone" } else { "objects" }, ways.collect())
        }
        Name::Compute | Name::Openmp | Name::Hybrid | Name::Libc | Name::Math | Name::Start | Name::Ranks => {
            unreachable!("they have rounds of their own")
        }
    })
}

/// A program with each of these numbers of ranks; native ones as far as they have cores, or are few.
fn by_ranks(program: &'static str, numbers: &[u32], crowded: bool) -> Vec<Run> {
    let mut all: Vec<Run> = Vec::new();
    for one in competitors().into_iter().map(Rc::new) {
        for &ranks in numbers {
            if !one.is_native() || suits_natives(ranks, crowded && ranks <= 16) {
                let one = one.clone();
                all.push((one.name, Box::new(move || one.run(program, ranks, &[]))));
            }
        }
    }
    all
}

/// Native ranks poll: 64 of them on few cores take milliseconds a hop, so they run few rounds.
fn ring() -> Vec<Run> {
    let natives = competitors().into_iter().filter(Competitor::is_native).map(|one| runs("ring", one, 64, &["3"]));
    natives.chain([runs("ring", Competitor::local(), 64, &["2000"])]).collect()
}

/// One rank that starts others. Native ones are processes, which poll, so they are not more than 10 on a few cores.
fn spawn() -> Result<Vec<Run>> {
    // Where its module lies; what is granted must hold no program of the host.
    let folder = root().join("target/bench");
    std::fs::create_dir_all(&folder)?;
    let run = |competitor: Competitor, ranks: &'static [&'static str]| -> Run {
        let name = competitor.name;
        let start = move || {
            let command = competitor.command("spawn", 1)?;
            let program = command.last().expect("a command names its program");
            measurements(Command::new(&command[0]).args(&command[1..]).arg(program).args(ranks), competitor.name)
        };
        (name, Box::new(start))
    };
    let natives = Competitor::mpich().map(|one| run(one, &["1", "4", "10"]));
    let threads = Competitor::local().in_folder(&folder);
    let fibers = Competitor::local().in_folder(&folder).on_fibers();
    let ours = [threads, fibers].map(|one| run(one, &["1", "4", "10", "100"]));
    Ok(natives.into_iter().chain(ours).collect())
}

fn overhead() -> Result<Vec<Run>> {
    let Some(native) = Competitor::mpich_abi() else {
        bail!("MPICH's wheel is not here, and there is nothing to compare with: `./x bench overhead` installs it");
    };
    Ok([native, Competitor::over_mpich()].into_iter().map(|one| runs("overhead", one, 2, &[])).collect())
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
