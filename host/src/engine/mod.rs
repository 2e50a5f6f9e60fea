//! The boundary that engines stand behind.
//!
//! An engine carries the ranks of a job and their messages. It defines the imports of a module, starts ranks and ends a
//! job; that is [`Engine`]. What the rest of the host asks of one of its ranks is [`Rank`], and what object graphs ask is
//! [`Carrier`](crate::objects::Carrier). An engine's shims and bodies are its own: plain functions, named after MPI's.
//!
//! | engine | ranks |
//! |---|---|
//! | [`local`] | all of them in this process, as threads or fibers |
//! | [`mpi`] | the one that this process is, over an MPI library |

mod choice;
mod launched;
pub(crate) mod local;
#[cfg(unix)]
pub(crate) mod mpi;
#[cfg(windows)]
#[path = "no_mpi.rs"]
pub(crate) mod mpi;

use std::path::Path;
use std::sync::Arc;
use std::thread::Thread;

use anyhow::Result;
use rankine_guest::{Account, Memory, Phase, Who};
use wasmtime::{Caller, Instance, Linker, Store};

pub(crate) use choice::{Asked, Name, Unsuited, launcher, suited};

use crate::confine::Needs;
use crate::crew::Crew;
use crate::ending::Ending;
use crate::guest::Guest;
use crate::job::{Placement, Settings};
use crate::mistakes::Report;
use crate::module::{self, Program};
use crate::profile::sites::Sites;
use crate::symbols::Symbols;
use crate::team::Parks;

/// The import module of MPI's functions.
pub(crate) const MODULE: &str = rankine_abi::MODULE;

/// An engine that was made for a job. Its functions are called in the order in which they stand here.
pub(crate) trait Engine: Sized + Send + Sync + 'static {
    /// One of its ranks.
    type Rank: Rank;

    /// What it is called (`--engine`).
    const NAME: &'static str;

    /// All ranks of the job are in this process, which hears when they wait.
    const HAS_ALL_RANKS: bool = true;

    /// Ranks that wait for others stop once the job has ended ([`Engine::stop`]), and say what they waited for.
    const WAITS_END: bool = true;

    /// Refuses what a command line asks for and the engine can't do, in words that say what to do instead. Warns of what
    /// is hardly meant.
    fn admit(_asked: &Asked<'_>) -> Result<(), String> {
        Ok(())
    }

    /// The first of the job's ranks that are in this process.
    fn first_rank() -> usize {
        0
    }

    /// How many ranks the job begins with, in all its processes, if that is known before the engine is made; the command
    /// line has so many.
    fn ranks(of_command: usize) -> Option<usize> {
        Some(of_command)
    }

    /// Does what has to be done while the process has one thread.
    fn prepare() {}

    /// Makes an engine for a job, or says why this machine can't run it; settles what is not the user's to choose. A
    /// library may be named where the engine needs one.
    fn new(settings: &mut Settings, library: Option<&Path>) -> Result<Self>;

    /// How its guests are compiled.
    fn compiling(&self) -> module::Settings {
        module::Settings::default()
    }

    /// What the process must be able to do once it is confined.
    fn needs(&self, programs: &[Program], settings: &Settings) -> Result<Needs>;

    /// Registers one function of MPI or of object graphs, if the engine has it; says whether it has.
    fn define(
        linker: &mut Linker<Guest<Self::Rank>>,
        placement: Placement,
        module: &str,
        name: &str,
    ) -> wasmtime::Result<bool>;

    /// Starts the ranks of this process.
    fn start(&self, crew: &Arc<Crew<Self>>) -> Result<()>;

    /// This thread of a rank with threads is the one to be woken; ranks are counted from the first in this process.
    fn waits(&self, _index: usize, _thread: Thread) {}

    /// The job has ended: ranks that wait for others shall do so no longer.
    fn stop(&self) {}

    /// Has ranks that wait say where ([`Callback::Whereabouts`](rankine_guest::Callback)), and wait on.
    fn inquire(&self) {}

    /// Who hears of a rank's calls in a job that is checked (`--check`), if the engine can check it.
    fn observe(
        &self,
        _who: Who,
        _sites: &Arc<Sites>,
        _symbols: &Arc<Symbols>,
    ) -> Option<Arc<<Self::Rank as Rank>::Observer>> {
        None
    }

    /// What a check has found. A job that has finished has nothing under way any more.
    fn found(&self, _has_finished: bool) -> Option<Report> {
        None
    }

    /// All ranks have ended: to which of them, counted from the first, messages came that no receive took, and which.
    fn unreceived(&self) -> Vec<(usize, String)> {
        Vec::new()
    }

    /// All has been said: tells the ending to processes that the job has elsewhere.
    fn conclude(&self, _ending: &Ending) {}
}

/// A rank, as the store of its guest knows it.
pub(crate) trait Rank: Parks + 'static {
    /// Who hears of its calls of MPI when they are checked.
    type Observer: Observes;

    /// Which rank it is, for those who watch.
    fn who(&self) -> Who;

    /// The guest's memory.
    fn memory(&self) -> &Memory;

    /// What it may take of memory.
    fn account(&self) -> &Arc<Account>;

    /// Bytes of an element of a datatype; nothing if it is none.
    fn type_size(&self, datatype: u32) -> Option<u64>;

    /// How many ranks a collective of a communicator sends to: all, or this rank's neighbours.
    fn receivers(&self, comm: u32, neighbors: bool) -> Option<u64>;

    /// The function of MPI that runs, or ran last.
    fn call(&self) -> &'static str;

    /// Moves what was published on its way to the page, if that is in another process. The program may be called back.
    fn carry_view(_caller: &mut Caller<'_, Guest<Self>>) -> wasmtime::Result<()>
    where
        Self: Sized,
    {
        Ok(())
    }

    /// A function of MPI runs, again or for the first time.
    fn set_call(&self, call: &'static str);

    /// Where it is between its start and its end.
    fn phase(&self) -> Phase;

    /// Whether MPI is initialised and not finalised.
    fn is_running(&self) -> bool {
        self.phase() == Phase::Running
    }

    /// The level of thread support that the program was given (`MPI_THREAD_FUNNELED`, …).
    fn thread_level(&self) -> i32;

    /// Says whether the thread that calls is the one that initialised MPI.
    fn set_thread(&self, is_main: bool);

    /// Has its program tell of its calls to who checks them (`--check`), if the engine can check ranks.
    fn check(_store: &mut Store<Guest<Self>>, _instance: &Instance) -> wasmtime::Result<()>
    where
        Self: Sized,
    {
        Ok(())
    }

    /// Its program has ended, and the whole job with it if `ends_job`.
    fn leave(&self, _ends_job: bool) {}
}

/// Who hears of the calls of a rank's main thread, or of another of its threads, and checks them.
pub(crate) trait Observes: 'static {
    /// Who hears of those of another thread of the same rank.
    fn of_another_thread(&self) -> Arc<Self>;
}

/// Of an engine that checks nothing.
pub(crate) enum Nobody {}

impl Observes for Nobody {
    fn of_another_thread(&self) -> Arc<Nobody> {
        match *self {}
    }
}
