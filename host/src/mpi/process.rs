//! The rank that this process is: started by a launcher, run to its end on a thread of its own.
//!
//! The thread that waits for the end writes the output and says what happened; only then the rank's thread tells the
//! library to end the job, so that nothing which the rank printed is lost.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context as _, Result};
use wasmtime::{InstancePre, Store};

use super::errhan::Abort;
use super::leftovers;
use super::library::Library;
use super::rank::Rank;
use crate::guest::{Exit, Guest, Seat};
use crate::imports;
use crate::job::{Ending, Placement, Settings};
use crate::module::{GUEST_STACK, HOST_STACK, Program};
use crate::output::Output;
use crate::rank::{bug, entry, is_start_failure, start_failure, wasi};
use crate::symbols::Symbols;
use crate::trap::Report;

/// The launchers' variables for the rank of a process that they have started.
const RANKS: [&str; 5] = ["PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PALS_RANKID", "SLURM_PROCID"];

/// The variable by which a launcher of MPI programs shows that it has started this process.
pub(crate) fn launcher() -> Option<&'static str> {
    launcher_among(|name| std::env::var_os(name).is_some())
}

fn launcher_among(is_set: impl Fn(&str) -> bool) -> Option<&'static str> {
    let of_launchers = ["PMI_RANK", "PMI_FD", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PALS_RANKID"];
    // Slurm sets its own variables for whatever it runs; only with PMI it is a launcher of MPI programs.
    let by_slurm = is_set("SLURM_PROCID") && ["SLURM_PMI_FD", "SLURM_PMIXP_ABORT_AGENT_PORT"].into_iter().any(&is_set);
    of_launchers.into_iter().find(|name| is_set(name)).or(by_slurm.then_some("SLURM_PROCID"))
}

/// The rank that the launcher has given this process.
pub(crate) fn launched_rank() -> Option<usize> {
    rank_among(|name| std::env::var(name).ok())
}

fn rank_among(value: impl Fn(&str) -> Option<String>) -> Option<usize> {
    RANKS.iter().find_map(|name| value(name)?.parse().ok())
}

/// Settings of libraries beneath MPI that a host of WebAssembly needs. To be called before any thread is started.
///
/// UCX would catch the signals by which Wasmtime learns of a trap, and end the process with a backtrace of its own.
pub(crate) fn prepare_environment() {
    if std::env::var_os("UCX_ERROR_SIGNALS").is_none() {
        // SAFETY: the process has one thread yet.
        unsafe { std::env::set_var("UCX_ERROR_SIGNALS", "") };
    }
}

/// How long a launcher has to forward what was said before it learns that the job is over: it drops what it has not
/// read by then.
const FORWARDING: Duration = Duration::from_millis(100);

/// See the module.
pub struct Process {
    parts: Mutex<Option<Parts>>,
    output: Arc<Output>,
    endings: Receiver<Ending>,
    remote: Sender<Ending>,
    settings: Settings,
    /// The rank's thread, once it runs, and how it is told to end the job.
    thread: Mutex<Option<(JoinHandle<()>, Sender<i32>)>>,
}

/// What the rank's thread is given.
struct Parts {
    program: InstancePre<Guest>,
    symbols: Arc<Symbols>,
    library: Library,
}

impl Process {
    /// Makes the rank of a program: refuses what could not work, and starts nothing yet.
    pub fn new(program: &Program, path: &Path, settings: Settings, library: Library) -> Result<Process> {
        let Program { code, symbols } = program;
        let program = imports::resolve(code, path, Placement::Threads, super::define)?;
        let (remote, endings) = channel();
        let closed = remote.clone();
        let first = launched_rank().unwrap_or(0);
        let output = Output::inherit(first..first + 1, settings.label, move || {
            let _ = closed.send(Ending::OutputClosed);
        });
        let parts = Mutex::new(Some(Parts { program, symbols: symbols.clone(), library }));
        Ok(Process { parts, output, endings, remote, settings, thread: Mutex::default() })
    }

    /// A way to end it because of a signal.
    pub fn remote(&self) -> impl FnOnce(i32) + Send + use<> {
        let remote = self.remote.clone();
        move |signal| drop(remote.send(Ending::Signalled(signal)))
    }

    /// Its output.
    pub fn output(&self) -> &Arc<Output> {
        &self.output
    }

    /// Runs it to its end.
    pub fn run(&self) -> Ending {
        if let Err(error) = self.start() {
            return Ending::Failed(format!("{error:#}"));
        }
        let ending = match self.settings.timeout {
            None => self.endings.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(limit) => self.endings.recv_timeout(limit.saturating_sub(self.settings.started.elapsed())),
        };
        match (ending, self.settings.timeout) {
            (Ok(ending), _) => ending,
            (Err(RecvTimeoutError::Timeout), Some(limit)) => Ending::TimedOut(limit),
            (Err(_), _) => Ending::Failed("the rank's thread has disappeared".into()),
        }
    }

    fn start(&self) -> Result<()> {
        let Parts { program, symbols, library } =
            self.parts.lock().unwrap_or_else(PoisonError::into_inner).take().context("a process runs once")?;
        let (settings, output, remote) = (self.settings.clone(), self.output.clone(), self.remote.clone());
        let (abort, told) = channel();
        let thread = std::thread::Builder::new()
            .name("rank".into())
            // The library works on this stack too.
            .stack_size(GUEST_STACK + 16 * HOST_STACK)
            .spawn(move || {
                let rank = Rc::new(Rank::new(library, &settings));
                rank.make_current();
                let run = || carry(&rank, &program, &symbols, &settings, &output);
                let ending = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
                    Ending::Failed(format!("rank {}: {}", launched_rank().unwrap_or(0), bug(rank.call.get())))
                });
                let _ = remote.send(ending);
                if let Ok(status) = told.recv() {
                    rank.abort_job(status);
                }
            })
            .context("can't start a thread for the rank")?;
        *self.thread.lock().unwrap_or_else(PoisonError::into_inner) = Some((thread, abort));
        Ok(())
    }

    /// After all has been said: an ending that concerns the other ranks is told to the library, which ends their
    /// processes.
    pub fn end(&self, ending: &Ending) {
        let ends_job = match ending {
            Ending::Aborted { .. } | Ending::Quit { .. } | Ending::Trapped { .. } | Ending::Failed(_) => true,
            // The rank is still in its program, and the launcher sees its process end.
            Ending::TimedOut(_) | Ending::Signalled(_) | Ending::OutputClosed => false,
            Ending::Finished { .. } | Ending::Deadlocked { .. } => false,
        };
        let is_orderly = matches!(ending, Ending::Finished { unfinalized, .. } if unfinalized.is_empty());
        if !is_orderly {
            leftovers::remove();
            std::thread::sleep(FORWARDING);
        }
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let (true, Some((thread, abort))) = (ends_job, thread) {
            let _ = abort.send(ending.status());
            let _ = thread.join();
        }
    }
}

/// Runs the program.
fn carry(
    rank: &Rc<Rank>,
    program: &InstancePre<Guest>,
    symbols: &Symbols,
    settings: &Settings,
    output: &Arc<Output>,
) -> Ending {
    let wasi = match wasi(settings, 0, output) {
        Ok(wasi) => wasi,
        Err(error) => return Ending::Failed(format!("{error:#}")),
    };
    let account = rank.account().clone();
    let mut store = Store::new(
        program.module().engine(),
        Guest::new(Seat::Process(rank.clone()), Placement::Threads, wasi, account),
    );
    store.limiter(|guest| &mut guest.limits);
    let outcome = program
        .instantiate(&mut store)
        .and_then(|instance| entry(&mut store, &instance))
        .and_then(|start| start.call(&mut store, ()));
    let ending = classify(rank, store.data().limits.refused, outcome, symbols);
    // The library may still write into the guest's memory.
    std::mem::forget(store);
    ending
}

fn classify(rank: &Rank, refused: Option<usize>, outcome: wasmtime::Result<()>, symbols: &Symbols) -> Ending {
    let me = rank.me();
    let exited = |status| match (status, rank.is_running()) {
        (1.., true) => Ending::Quit { rank: me, status },
        (_, unfinalized) => Ending::Finished { status, unfinalized: if unfinalized { vec![me] } else { Vec::new() } },
    };
    let error = match outcome {
        Ok(()) => return exited(0),
        Err(error) => error,
    };
    if let Some(Exit(status)) = error.downcast_ref() {
        return exited(*status);
    }
    let report = || Report::new(&error, refused, symbols);
    if let Some(Abort { code, error }) = error.downcast_ref() {
        return Ending::Aborted { rank: me, code: *code, error: error.is_some().then(report) };
    }
    if is_start_failure(&error) {
        return Ending::Failed(format!("rank {me}: {}", start_failure(&error, refused)));
    }
    Ending::Trapped { rank: me, report: report() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is made of an environment: the variable that tells the launcher, and the rank.
    fn seen(environment: &[(&str, &str)]) -> (Option<&'static str>, Option<usize>) {
        let value = |name: &str| environment.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        (launcher_among(|name| value(name).is_some()), rank_among(|name| value(name).map(String::from)))
    }

    #[test]
    fn each_launcher_is_known_by_its_variables() {
        // mpiexec of MPICH and of libraries made from it, over PMI-1 and PMI-2.
        assert_eq!(seen(&[("PMI_RANK", "3"), ("PMI_SIZE", "4"), ("PMI_FD", "8")]), (Some("PMI_RANK"), Some(3)));
        assert_eq!(seen(&[("PMI_FD", "8")]), (Some("PMI_FD"), None));
        // PRRTE and Open MPI.
        assert_eq!(seen(&[("PMIX_RANK", "1"), ("PMIX_NAMESPACE", "job")]), (Some("PMIX_RANK"), Some(1)));
        assert_eq!(seen(&[("OMPI_COMM_WORLD_RANK", "2")]), (Some("OMPI_COMM_WORLD_RANK"), Some(2)));
        assert_eq!(seen(&[("OMPI_COMM_WORLD_RANK", "2"), ("PMIX_RANK", "2")]), (Some("PMIX_RANK"), Some(2)));
        // HPE's PALS.
        assert_eq!(seen(&[("PALS_RANKID", "7"), ("PALS_NODEID", "0")]), (Some("PALS_RANKID"), Some(7)));
    }

    #[test]
    fn slurm_launches_mpi_programs_only_with_pmi() {
        assert_eq!(seen(&[("SLURM_PROCID", "5")]).0, None);
        assert_eq!(seen(&[("SLURM_PROCID", "5"), ("SLURM_PMI_FD", "9")]), (Some("SLURM_PROCID"), Some(5)));
        let pmix = [("SLURM_PROCID", "5"), ("SLURM_PMIXP_ABORT_AGENT_PORT", "40123")];
        assert_eq!(seen(&pmix), (Some("SLURM_PROCID"), Some(5)));
        assert_eq!(seen(&[("SLURM_PROCID", "5"), ("PMI_RANK", "5")]), (Some("PMI_RANK"), Some(5)));
    }

    #[test]
    fn without_a_launcher_there_is_none() {
        assert_eq!(seen(&[]), (None, None));
        assert_eq!(seen(&[("SLURM_JOB_ID", "12"), ("HOSTNAME", "login")]), (None, None));
        assert_eq!(seen(&[("PMI_RANK", "not a number")]).1, None);
    }
}
