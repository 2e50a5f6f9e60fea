//! The rank that this process is: started by a launcher, run to its end on a thread of its own.
//!
//! The thread that waits for the end writes the output and says what happened; only then the rank's thread tells the
//! library to end the job, so that nothing which the rank printed is lost.

pub(crate) mod confined;
pub(crate) mod rank;
mod watch;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use wasmtime::Linker;

use super::{Guest, call, unshown};
use crate::engine::choice::in_one_process;
use crate::engine::{Asked, Engine};
use crate::module::{HOST_STACK, Program, call_stack};
use crate::run::crew::{Crew, Seat, bug};
use crate::run::ending::{End, Ending, Event};
use crate::run::job::{Placement, Settings};
use rankine_mpi::library::{self, Library, fault};
use rankine_mpi::rank::{Choices, Tells};
use rankine_mpi::{Rank, end_by_signal, leftovers};
use rankine_system::confine::Needs;
use rankine_system::inheritance::opened_by_library;
use rankine_system::launched::{launched_rank, launched_ranks};
use rankine_system::tell;
use watch::Watch;

/// Settings of the library, and of those beneath it, that a host of WebAssembly needs. Call it before any thread is started.
///
/// UCX would catch the signals by which Wasmtime learns of a trap, and end the process with a backtrace of its own. MPICH's
/// progress thread would call operations of the guest's, which is on another thread.
fn prepare_environment() -> Result<()> {
    let mut told = vec![("MPIR_CVAR_ASYNC_PROGRESS", "0")];
    if std::env::var_os("UCX_ERROR_SIGNALS").is_none() {
        told.push(("UCX_ERROR_SIGNALS", ""));
    }
    confined::tell(&told)
}

/// What a process needs that will have an MPI library, whoever calls that.
pub(crate) fn prepare_for_library() {
    if let Err(error) = prepare_environment() {
        tracing::warn!("{error}");
    }
    end_with_launcher();
    if let Err(error) = fault::catch() {
        tracing::debug!("crashes of the library are not told: {error:#}");
    }
}

/// Ends this process when the launcher's helper ends that has started it: whoever kills that one leaves nobody else who would.
fn end_with_launcher() {
    #[cfg(target_os = "linux")]
    if rankine_system::launched::launcher().is_some() {
        // SAFETY: the call takes numbers alone.
        unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM) };
    }
}

/// Has the C library give out memory that is all zeroes, and forget what is given back: where ranks disagree about a count, an
/// MPI library combines what nobody has sent, and shows what its memory held.
fn clear_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the call takes numbers alone. What is given out is filled with the complement.
    unsafe {
        libc::mallopt(libc::M_PERTURB, 0xff)
    };
}

/// How long a launcher has to forward what was said before it learns that the job is over: it drops what it has not
/// read by then.
const FORWARDING: Duration = Duration::from_millis(100);

/// How long the other ranks of a job have to come to their end once one has left without `MPI_Finalize`: launchers end them
/// at once, or wait for ever.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long the library may take to end the job, once all has been said.
const TO_ABORT: Duration = Duration::from_secs(2);

/// The last that the library is asked, once the rank's program has ended.
enum Last {
    /// To end the processes of the other ranks, with this status.
    Abort(i32),
    /// To let the other ranks go on to their own end.
    Finalize,
}

/// The engine of the one rank that this process is.
pub(crate) struct Mpi {
    /// Until the rank takes it.
    library: Mutex<Option<Library>>,
    /// The rank's thread, once it runs, and how it is told what is to be done last.
    thread: Mutex<Option<(JoinHandle<()>, Sender<Last>)>>,
    /// Its process has outgrown the limit, in the midst of its program.
    has_outgrown: Arc<AtomicBool>,
    /// Until the rank starts.
    watch: Mutex<Option<Watch>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Engine for Mpi {
    type Rank = Rank;

    const NAME: &'static str = "mpi";
    const HAS_ALL_RANKS: bool = false;
    /// It waits within the library.
    const WAITS_END: bool = false;

    fn admit(asked: &Asked<'_>) -> Result<(), String> {
        refusal(asked, std::env::consts::ARCH).map_or(Ok(()), Err)
    }

    fn first_rank() -> usize {
        launched_rank().unwrap_or(0)
    }

    fn ranks(_: usize) -> Option<usize> {
        launched_ranks()
    }

    fn prepare() {
        clear_memory();
        prepare_for_library();
    }

    fn new(settings: &mut Settings, named: Option<&Path>) -> Result<Mpi> {
        settings.ranks = 1;
        settings.parts[0].ranks = 1;
        settings.placement = Placement::Threads;
        // Before anything is loaded: a library that a guest could exchange is not.
        settings.grants.keep_apart()?;
        let library = opened_by_library(|| library::find(named))?;
        tracing::info!("MPI library: {} ({}, from {})", library.version, library.path.display(), library.origin);
        if settings.codegen.reproducible {
            library::ordered::install(&library)?;
        }
        // Once is enough for a job.
        for skipped in library.skipped.iter().filter(|_| Mpi::first_rank() == 0) {
            tracing::warn!("an MPI library was skipped: {skipped}");
        }
        Ok(Mpi {
            library: Mutex::new(Some(library)),
            thread: Mutex::default(),
            has_outgrown: Arc::default(),
            watch: Mutex::new(Watch::new(settings.memory_limit)),
        })
    }

    fn needs(&self, programs: &[Program], settings: &Settings) -> Result<Needs> {
        let [program] = programs else { bail!("with the engine mpi a process runs one program") };
        confined::prepare(lock(&self.library).as_ref().context(ONCE)?, [&program.code], settings)
    }

    fn define(linker: &mut Linker<Guest>, _: Placement, module: &str, name: &str) -> wasmtime::Result<bool> {
        call::define(linker, module, name)
    }

    fn start(&self, crew: &Arc<Crew<Mpi>>) -> Result<()> {
        let library = lock(&self.library).take().context(ONCE)?;
        let (remote, who) = (crew.remote.clone(), Mpi::first_rank().into());
        let failed = move |text| remote.tell(Event::Ended { who, end: End::Failed(text) });
        fault::tell(&library.path, bug, failed)?;
        let (tell, told) = channel();
        if let Some(watch) = lock(&self.watch).take() {
            let (remote, who, flag) = (crew.remote.clone(), Mpi::first_rank().into(), self.has_outgrown.clone());
            let outgrown = move |text| {
                flag.store(true, Ordering::Release);
                remote.tell(Event::Ended { who, end: End::Failed(text) });
            };
            watch.begin(outgrown).context("can't start a thread that watches over the rank's memory")?;
        }
        let crew = crew.clone();
        let thread = std::thread::Builder::new()
            .name("rank".into())
            // The library works on this stack too.
            .stack_size(call_stack() + 16 * HOST_STACK)
            .spawn(move || {
                #[expect(clippy::arc_with_non_send_sync, reason = "threads of a rank look into it one at a time")]
                let rank = Arc::new(new_rank(library, &crew.settings));
                rank.make_current();
                let seat = Seat { index: 0, who: Mpi::first_rank().into() };
                crew.run_on_thread(&crew.roles[0], seat, || Ok(rank.clone()));
                // The library may still write into the guest's memory, which the crew keeps.
                std::mem::forget(crew.clone());
                match told.recv() {
                    Ok(Last::Abort(status)) => rank.abort_job(status),
                    Ok(Last::Finalize) => rank.finalize_in_its_place(),
                    Err(_) => {}
                }
            })
            .context("can't start a thread for the rank")?;
        *lock(&self.thread) = Some((thread, tell));
        Ok(())
    }

    /// An ending that concerns the other ranks is told to the library, which ends their processes.
    fn conclude(&self, ending: &Ending) -> Option<Ending> {
        if fault::has_crashed() {
            quieten();
            fault::end_crashed();
        }
        let last = match ending {
            // The rank is in its program for ever, perhaps, and so are others.
            Ending::Failed(_) if self.has_outgrown.load(Ordering::Acquire) => {
                quieten();
                end_by_signal();
            }
            Ending::Aborted { .. } | Ending::Quit { .. } | Ending::Trapped { .. } | Ending::Failed(_) => {
                Some(Last::Abort(ending.status()))
            }
            Ending::Finished { unfinalized, .. } if unfinalized.is_empty() => return None,
            Ending::Finished { .. } => Some(Last::Finalize),
            // The rank is still in its program, and the launcher sees its process end.
            Ending::TimedOut(..)
            | Ending::Signalled(..)
            | Ending::OutputClosed
            | Ending::Deadlocked(_)
            | Ending::Elsewhere(_) => None,
        };
        let thread = lock(&self.thread).take();
        match last.zip(thread) {
            Some((last @ Last::Finalize, (thread, tell))) => {
                let _ = tell.send(last);
                if !ends_within(&thread, PATIENCE) {
                    end_job();
                }
                quieten();
            }
            Some((last @ Last::Abort(_), (thread, tell))) => {
                quieten();
                let _ = tell.send(last);
                // Where another thread has ended the rank, its own may be waiting in the library for ever.
                if !ends_within(&thread, TO_ABORT) {
                    end_by_signal();
                }
            }
            None => quieten(),
        }
        None
    }

    fn abandon() {
        quieten();
        end_by_signal();
    }
}

/// The rank that this process is, before its program starts.
fn new_rank(library: Library, settings: &Settings) -> Rank {
    let tells =
        settings.profile.clone().map(|profile| -> Box<Tells> { Box::new(move |gather| profile.gather(gather)) });
    let choices = Choices {
        host: &rank::HOST,
        memory_limit: settings.memory_limit.map(|bytes| bytes as u64),
        grants: settings.grants.clone(),
        view: settings.view.clone(),
        tells,
        words: confined::words(&library, settings),
    };
    Rank::new(library, choices)
}

/// What is said of options that a launcher has in place of this engine.
const MAX_RANKS: &str = "--max-ranks is for the engines local and nodes; where each rank is a process, the launcher says how \
                         many there may be";
const UNIVERSE_SIZE: &str = "--universe-size is for the engines local and nodes; where each rank is a process it is the \
                             launcher's to say, as in `mpiexec -usize 16`";

/// What of a command line is not for this engine, if anything, on a machine of this architecture.
fn refusal(asked: &Asked<'_>, architecture: &str) -> Option<String> {
    let Asked { program, has_several_programs, ranks, options } = asked;
    if let Some(why) = unshown(architecture) {
        let ranks = ranks.map_or("N".into(), |ranks| ranks.to_string());
        return Some(format!("{why}: rankine run --engine local -n {ranks} {program} has all ranks in one process"));
    }
    let of_option = |option: &&str| match *option {
        "--max-ranks" => Some(MAX_RANKS.to_owned()),
        "--universe-size" => Some(UNIVERSE_SIZE.to_owned()),
        "--map-by" => Some(
            "--map-by node is for --engine nodes; here each rank is a process, and the launcher numbers them"
                .to_owned(),
        ),
        "--ranks-by-node" => Some("--ranks-by-node is for --engine nodes; here each rank is a process".to_owned()),
        "--check" => Some(format!(
            "{}; for more ranks than a machine has room for, the engine nodes checks as well: mpiexec -n NODES rankine run \
             --engine nodes -n RANKS-OF-EACH --check {program}",
            in_one_process("--check", program)
        )),
        "--seed" => Some(in_one_process("--seed", program)),
        _ => None,
    };
    if let Some(refused) = options.iter().find_map(of_option) {
        return Some(refused);
    }
    if *has_several_programs {
        return Some(format!(
            "with the engine mpi each rank is a process, and it is the launcher that starts several programs: mpiexec -n \
             1 rankine run {program} : -n 1 rankine run ..."
        ));
    }
    ranks.map(|ranks| {
        format!(
            "`-n {ranks}` is for ranks in this process; with the engine mpi each rank is a process, and the launcher \
             says how many: mpiexec -n {ranks} rankine run {program}"
        )
    })
}

/// Before the processes of a job end: what was said is forwarded, and no memory is left behind.
pub(crate) fn quieten() {
    leftovers::remove();
    std::thread::sleep(FORWARDING);
}

/// Whether a thread has come to its end, after so long at the most.
pub(crate) fn ends_within<T>(thread: &JoinHandle<T>, patience: Duration) -> bool {
    let since = Instant::now();
    while !thread.is_finished() && since.elapsed() < patience {
        std::thread::sleep(Duration::from_millis(5));
    }
    thread.is_finished()
}

/// Ends the processes of the other ranks with this one.
fn end_job() -> ! {
    tell!(
        "rankine: {} s later other ranks are still in the program: the job is ended (call MPI_Finalize on every rank)",
        PATIENCE.as_secs()
    );
    quieten();
    end_by_signal()
}

/// A library serves one rank.
const ONCE: &str = "a process runs once";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_architectures_run_it() {
        let asked = |ranks| Asked { program: "heat.wasm", has_several_programs: false, ranks, options: Vec::new() };
        for other in ["riscv64", "s390x", "powerpc64"] {
            let words = refusal(&asked(Some(4)), other).unwrap();
            let wanted = format!("the engine mpi has not been shown right on {other} (it has on x86_64 and aarch64)");
            assert!(words.starts_with(&wanted), "{words}");
            assert!(words.contains("rankine run --engine local -n 4 heat.wasm"), "{words}");
        }
        for known in ["x86_64", "aarch64"] {
            assert_eq!(refusal(&asked(None), known), None);
        }
    }
}
