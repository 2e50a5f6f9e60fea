//! The engines that cases run on, and how each starts a job.

use std::fmt;
use std::process::Command;

use rankine_abi::{MPI_THREAD_MULTIPLE, MPI_THREAD_SERIALIZED};
use rankine_calls::catalogue::Callee;

use crate::mpiexec::mpiexec;
use crate::places::Places;

#[derive(Clone, Copy, Debug, Eq, PartialEq, clap::ValueEnum)]
pub(super) enum Engine {
    /// The embedded engine
    Local,
    /// A process a rank over an MPI library
    Mpi,
    /// Two nodes, a process each, on this machine
    Nodes,
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Engine::Local => "local",
            Engine::Mpi => "mpi",
            Engine::Nodes => "nodes",
        })
    }
}

impl Engine {
    /// Whether it has a function.
    pub(super) fn has(self, callee: &Callee) -> bool {
        self == Engine::Mpi || callee.in_local
    }

    /// Whether a job's ranks can be bounded: over a library, the launcher says how many there may be.
    pub(super) fn is_bounded(self) -> bool {
        self != Engine::Mpi
    }

    /// The level of threads that guests ask for. At the highest, threads are in a library at once, and drawn calls soon find the
    /// races of its own.
    pub(super) fn level(self) -> i32 {
        if self == Engine::Mpi { MPI_THREAD_SERIALIZED } else { MPI_THREAD_MULTIPLE }
    }

    /// What starts so many ranks, on fibers or threads where there is a choice, once options and a module are added.
    pub(super) fn run(self, places: &Places, ranks: usize, fibers: bool) -> Command {
        let mode = if fibers { "--fibers" } else { "--threads" };
        let bounds = [mode, "--max-ranks", "12"];
        let mut command;
        match self {
            Engine::Local => {
                command = Command::new(&places.rankine);
                command.args(["run", "-n"]).arg(ranks.to_string()).args(bounds);
            }
            Engine::Mpi => {
                command = mpiexec(places, ranks as u32);
                command.arg("-print-all-exitcodes").arg(&places.rankine).arg("run");
            }
            Engine::Nodes => {
                // The first has one more, if they are odd; and each has at least one.
                let by_node = format!("{},{}", ranks.div_ceil(2), (ranks / 2).max(1));
                command = mpiexec(places, 2);
                command.arg("-print-all-exitcodes").arg(&places.rankine).args(["run", "--engine", "nodes"]);
                command.args(["--ranks-by-node", &by_node]).args(bounds);
            }
        }
        command
    }
}
