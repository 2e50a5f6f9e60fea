//! `just bench nodes`: ranks on two nodes that a link joins, by the engine `nodes` with a process a node, by the engine `mpi` and by
//! native MPICH with a process a rank. For root: the nodes are network namespaces.

use std::path::PathBuf;
use std::process::Command;
use std::rc::Rc;

use anyhow::{Context, Result, bail};

use crate::namespaces::Nodes;
use crate::plans::{Run, suits_natives};
use crate::start::NETWORK;
use crate::twins::{Competitor, measurements, root};

/// Ranks of a node, and how often each thing is done.
const JOBS: [(u32, &str); 4] = [(1, "2000"), (4, "500"), (16, "200"), (500, "5")];

/// How often ranks that poll do it where they have no core of their own: a round takes milliseconds then.
const FEW: &str = "3";

/// Who runs.
pub fn ways(crowded: bool) -> Result<Vec<Run>> {
    let Some(native) = Competitor::mpich() else { bail!("there is no MPICH in .venv: ./x setup installs it") };
    let nodes = Rc::new(Nodes::new(2, &root().join("target/bench/nodes"))?);
    let mut ways: Vec<Run> = Vec::new();
    for (each, often) in JOBS {
        let guest = Competitor::local();
        let run = [guest.launcher(each), vec!["--engine".into(), "nodes".into()]].concat();
        ways.push(way(&nodes, "rankine nodes", Start { processes: 1, words: run, program: program(&guest)?, often }));
        let has_cores = suits_natives(2 * each, false);
        if each > 4 || !has_cores && !crowded {
            continue;
        }
        let often = if has_cores { often } else { FEW };
        let run = vec![guest.launcher(1)[0].clone(), "run".into(), "--engine".into(), "mpi".into()];
        ways.push(way(&nodes, "rankine mpi", Start { processes: each, words: run, program: program(&guest)?, often }));
        let start = Start { processes: each, words: Vec::new(), program: program(&native)?, often };
        ways.push(way(&nodes, native.name, start));
    }
    // One competitor after the other, as tables name them.
    ways.sort_by_key(|(name, _)| *name);
    Ok(ways)
}

/// What is started: so many processes of it a node.
struct Start {
    processes: u32,
    words: Vec<String>,
    program: PathBuf,
    often: &'static str,
}

fn way(nodes: &Rc<Nodes>, name: &'static str, start: Start) -> Run {
    let nodes = nodes.clone();
    let run = move || {
        let mut command: Command = nodes.on_first(&root().join(".venv/bin/mpiexec"));
        command.args(["-launcher", "ssh", "-launcher-exec"]).arg(nodes.ssh());
        command.args(["-hosts", &nodes.addresses().join(","), "-ppn", &start.processes.to_string()]);
        command
            .args(["-n", &(2 * start.processes).to_string()])
            .args(&start.words)
            .arg(&start.program)
            .arg(start.often);
        command.envs(NETWORK);
        measurements(&mut command, name)
    };
    (name, Box::new(run))
}

/// The program, compiled: the last word of the command that runs it.
fn program(competitor: &Competitor) -> Result<PathBuf> {
    competitor.command("nodes", 2)?.pop().map(PathBuf::from).context("a command has words")
}
