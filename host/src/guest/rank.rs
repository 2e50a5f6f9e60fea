//! What the rest of the host asks of a rank, whatever engine it is of.

use std::sync::Arc;

use rankine_guest::{Account, Memory, Parks, Phase, Who};
use wasmtime::{Caller, Instance, Store};

use crate::guest::Guest;

/// How ranks run.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(crate) enum Placement {
    /// An operating-system thread for each rank.
    Threads,
    /// Fibers on one worker per core.
    Fibers,
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
