//! Which engine runs a job, and what a command line asks of it.

use rankine_system::launched;

/// What carries the ranks and their messages.
#[derive(Copy, Clone, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Name {
    /// Every rank in this process
    Local,
    /// One rank per process, over the MPI library of this machine
    Mpi,
    /// The ranks of a node in one process, nodes over the MPI library
    #[cfg(unix)]
    Nodes,
}

impl Name {
    /// Whether a process has all ranks of a node that the job has beside others.
    pub(crate) fn is_by_node(self) -> bool {
        match self {
            Name::Local | Name::Mpi => false,
            #[cfg(unix)]
            Name::Nodes => true,
        }
    }
}

/// Why no engine suits how this process was started.
pub(crate) struct Unsuited {
    pub(crate) text: String,
    /// It is this process that says it, and not another one that was started with it.
    pub(crate) is_told_here: bool,
}

/// The engine that suits how this process was started.
pub(crate) fn suited() -> Result<Name, Unsuited> {
    if let Some(tasks) = launched::tasks_without_pmi() {
        let text = format!(
            "srun has started {tasks} tasks that know nothing of each other, and each would run the whole job: srun \
             --mpi=pmi2 makes one job of them (`srun --mpi=list` shows what there is), --engine local one in each task"
        );
        return Err(Unsuited { text, is_told_here: launched::launched_rank().unwrap_or(0) == 0 });
    }
    Ok(if launcher().is_some() { Name::Mpi } else { Name::Local })
}

/// The variable by which a launcher of MPI programs shows that it has started this process.
pub(crate) fn launcher() -> Option<&'static str> {
    launched::launcher()
}

/// What is said of an option that is for `local` because that has all ranks in one process.
pub(super) fn in_one_process(option: &str, program: &str) -> String {
    format!(
        "{option} is for the engine local, which has all ranks in one process: rankine run --engine local -n N {option} \
         {program}"
    )
}
