//! The boundary that engines stand behind.

use std::path::Path;
use std::sync::Arc;
use std::thread::Thread;

use anyhow::Result;
use rankine_guest::Who;
use wasmtime::Linker;

use crate::guest::{Guest, Placement, Rank};
use crate::module::symbols::Symbols;
use crate::module::{self, Program};
use crate::report::mistakes::Report;
use crate::run::crew::Crew;
use crate::run::ending::Ending;
use crate::run::job::Settings;
use rankine_rewrite::sites::Sites;
use rankine_system::confine::Needs;

/// An engine that was made for a job. Its functions are called in the order in which they stand here.
pub(crate) trait Engine: Sized + Send + Sync + 'static {
    /// One of its ranks.
    type Rank: Rank;

    /// What it is called (`--engine`).
    const NAME: &'static str;

    /// All ranks of the job are in this process, which hears when they wait.
    const HAS_ALL_RANKS: bool = true;

    /// Beside other processes, each of which has the ranks of a node, too.
    const IS_BY_NODE: bool = false;

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

    /// The number in the job of one of them, counted from the first.
    fn rank(&self, index: usize) -> usize {
        Self::first_rank() + index
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

    /// The programs that ranks will run are loaded.
    fn loaded(&self, _programs: &[Program], _settings: &Settings) {}

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

    /// The ending as it is to be told here, once other processes of the job have added what they know.
    fn gather(&self, ending: Ending) -> Ending {
        ending
    }

    /// Waits until all has come that the ranks of other processes show, if those here have come to their end.
    fn linger(&self) {}

    /// All has been said: tells the ending to processes that the job has elsewhere. How the job has ended after all, if its ranks
    /// elsewhere have come to another end than those here, which had left.
    fn conclude(&self, _ending: &Ending) -> Option<Ending> {
        None
    }

    /// A signal ends the process while it concludes: removes what must not stay behind, and lets a launcher see it.
    fn abandon() {}
}

/// What a command line asks for that not every engine can do.
pub(crate) struct Asked<'a> {
    /// The file of the program, or of the first.
    pub(crate) program: &'a str,
    pub(crate) has_several_programs: bool,
    /// How many ranks, if it says so.
    pub(crate) ranks: Option<usize>,
    /// The options among those that depend on the engine.
    pub(crate) options: Vec<&'static str>,
}
