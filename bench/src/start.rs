//! `just bench start`: how long a job of four nodes takes that does nothing, from cold and again, and what is copied for it,
//! beside `mpiexec` of a native program in a folder that the nodes share. For root: the nodes are network namespaces.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::namespaces::Nodes;
use crate::record::Line;
use crate::turns::quartiles;
use crate::twins::{Competitor, root};

const NODES: usize = 4;

/// What all processes are told of the network, as `rankine run --grid` does.
pub const NETWORK: [(&str, &str); 2] = [("MPIR_CVAR_CH4_NETMOD", "ofi"), ("FI_PROVIDER", "tcp;ofi_rxm")];

/// Measures and prints: a line for each way to start the job.
pub fn run(rounds: u32) -> Result<Vec<Line>> {
    let Some(native) = Competitor::mpich() else { bail!("there is no MPICH in .venv: ./x setup installs it") };
    let (native, guest) = (program(&native)?, program(&Competitor::local())?);
    let folder = root().join("target/bench/start");
    let nodes = Nodes::new(NODES, &folder)?;
    let grid = folder.join("grid.toml");
    std::fs::write(&grid, describe(&nodes)).with_context(|| grid.display().to_string())?;
    let size = std::fs::metadata(&guest)?.len();
    let mut lines = ["rankine, cold", "rankine, again", "native"].map(|competitor| Line {
        what: "a job of 4 nodes".into(),
        competitor: competitor.into(),
        ..Line::default()
    });
    // Bytes that were copied to all nodes together.
    let mut copied = [0; 3];
    for round in 1..=rounds {
        eprintln!("round {round} of {rounds}");
        nodes.empty()?;
        for (line, copied) in lines[..2].iter_mut().zip(&mut copied) {
            let (seconds, files) = timed(&mut on_grid(&nodes, &grid, &guest))?;
            line.seconds.push(seconds);
            *copied = files * size;
        }
        lines[2].seconds.push(timed(&mut natively(&nodes, &native))?.0);
    }
    print(&lines, copied);
    Ok(lines.into())
}

/// The program, compiled: the last word of the command that runs it.
fn program(competitor: &Competitor) -> Result<PathBuf> {
    let mut words = competitor.command("start", NODES as u32)?;
    words.pop().map(PathBuf::from).context("a command has words")
}

fn library() -> PathBuf {
    root().join(".venv/lib/libmpi_abi.so.1")
}

fn rankine() -> PathBuf {
    std::env::var_os("RANKINE").map_or_else(|| root().join("target/release/rankine"), PathBuf::from)
}

fn describe(nodes: &Nodes) -> String {
    let mut text = format!("[defaults]\nrankine = '{}'\nlibrary = '{}'\n", rankine().display(), library().display());
    for (address, node) in nodes.addresses().iter().zip(1..) {
        let scratch = nodes.place("scratch", node);
        let _ =
            writeln!(text, "\n[nodes.n{node}]\naddress = '{address}'\nslots = 1\nscratch = '{}'", scratch.display());
    }
    text
}

fn on_grid(nodes: &Nodes, grid: &Path, guest: &Path) -> Command {
    let mut command = nodes.on_first(&rankine());
    command.args(["run", "-v", "--grid"]).arg(grid).arg("--ssh").arg(nodes.ssh()).arg(guest);
    command.env("RANKINE_LAUNCHER", root().join(".venv/bin/mpiexec")).env("RANKINE_MPI_LIB", library());
    command
}

fn natively(nodes: &Nodes, program: &Path) -> Command {
    let mut command = nodes.on_first(&root().join(".venv/bin/mpiexec"));
    command.args(["-launcher", "ssh", "-launcher-exec"]).arg(nodes.ssh());
    command.args(["-hosts", &nodes.addresses().join(","), "-ppn", "1", "-n", &NODES.to_string()]).arg(program);
    command.envs(NETWORK);
    command
}

/// Seconds that a command takes, and how many files it says were copied.
fn timed(command: &mut Command) -> Result<(f64, u64)> {
    let since = Instant::now();
    let done = command.output().with_context(|| format!("{command:?}"))?;
    let seconds = since.elapsed().as_secs_f64();
    let said = String::from_utf8_lossy(&done.stderr);
    ensure!(done.status.success(), "{command:?}: {}\n{said}", done.status);
    let counts =
        said.lines().filter_map(|line| line.split_once(" files copied")?.0.rsplit(' ').next()?.parse::<u64>().ok());
    Ok((seconds, counts.sum()))
}

fn print(lines: &[Line], copied: [u64; 3]) {
    println!("{:16} {:>10} {:>10} {:>14}", "", "best, s", "median, s", "bytes copied");
    for (line, copied) in lines.iter().zip(copied) {
        let [_, median, _] = quartiles(line.seconds.clone());
        println!("{:16} {:10.2} {median:10.2} {copied:14}", line.competitor, line.best());
    }
}
