//! The embedded engine's side of the host: its shims, and ranks as threads or fibers.
//!
//! A shim is a body and two registrations. The body, `fn name(r: &Rank, [large: bool,] words…) -> Result<()>` (`async`
//! if the function may wait), reads arrays and strings with [`shim`], calls the engine's function and writes results
//! back; `large` where it serves `MPI_X` and `MPI_X_c`. The registrations, `threads(linker, name)` and `fibers(linker,
//! name)`, match on an import's name, so that only what a module names is linked; they answer false for a name they
//! don't know. Generated files are named after chapters; functions marked `by = "hand"` in the table stand in
//! `hand*.rs` in the same form.
//!
//! All of them run through three functions of [`call`], which take the same arguments:
//!
//! ```text
//! call::now  (caller, "MPI_Comm_rank", On::Comm(comm), |r| body(r, …)) -> wasmtime::Result<i32>   never waits; threads and fibers
//! call::wait (caller, "MPI_Recv",      On::Comm(comm), |r| body(r, …)) -> wasmtime::Result<i32>   blocks the rank's thread
//! call::fiber(caller, "MPI_Recv",      On::Comm(comm), |r| body(r, …)) -> impl Future + Send      for func_wrap_async
//! ```
//!
//! They refresh the size of the memory, refuse calls before `MPI_Init` and after `MPI_Finalize` (the `anytime` forms
//! `call::now_anytime` and so on do not), run callbacks into the guest, and hand errors to the error handler of what
//! `On` names: `On::Comm`, `On::Win`, `On::File`, `On::Session`, `On::Request`, `On::Myself` (`MPI_COMM_SELF`'s) or
//! `On::Nothing`.

mod bodies;
mod call;
pub(crate) mod callback;
mod fibers;
#[allow(clippy::redundant_closure)] // All registrations look the same.
mod generated;
mod hand;
mod objects;
pub(crate) mod shim;
mod threads;

pub(crate) use fibers::YieldOnce;

use std::sync::Arc;

use anyhow::Result;
use rankine_local::{Options, World};
use wasmtime::Linker;

use crate::guest::Guest;
use crate::job::{Placement, Settings, cores};
use crate::rank::Crew;

/// The import module of MPI's functions.
pub const MODULE: &str = rankine_abi::MODULE;

/// Registers one function of MPI or of object graphs, if this engine has it; says whether it has.
pub(crate) fn define(
    linker: &mut Linker<Guest>,
    placement: Placement,
    module: &str,
    name: &str,
) -> wasmtime::Result<bool> {
    if module == rankine_object::MODULE {
        return objects::define(linker, placement, name);
    }
    if hand::define(linker, name)? {
        return Ok(true);
    }
    match placement {
        Placement::Threads => generated::threads(linker, name),
        Placement::Fibers => generated::fibers(linker, name),
    }
}

/// What carries the ranks of a job.
pub(crate) enum Carriers {
    Threads(Arc<threads::Threads>),
    Fibers(Arc<fibers::Fibers>),
}

impl Carriers {
    /// The carriers of a job and the world that its ranks share.
    pub(crate) fn new(settings: &Settings) -> (Carriers, Arc<World>) {
        let ranks = settings.ranks;
        let options = Options {
            spin: settings.placement == Placement::Threads && ranks <= cores(),
            deadlock_check: settings.deadlock_check,
            memory_limit: settings.memory_limit.map(|bytes| bytes as u64),
            ..Options::default()
        };
        match settings.placement {
            Placement::Threads => {
                let threads = threads::Threads::new(ranks);
                (Carriers::Threads(threads.clone()), World::new(ranks, threads, None, options))
            }
            Placement::Fibers => {
                let fibers = fibers::Fibers::new(ranks, cores().min(ranks));
                (Carriers::Fibers(fibers.clone()), World::new(ranks, fibers, None, options))
            }
        }
    }

    /// Starts every rank.
    pub(crate) fn start(&self, crew: &Arc<Crew>) -> Result<()> {
        match self {
            Carriers::Threads(threads) => threads.start(crew),
            Carriers::Fibers(fibers) => fibers.start(crew),
        }
    }
}

/// Whether this engine has a function of MPI.
pub fn has(name: &str) -> bool {
    rankine_abi::Function::named(name).is_some_and(|function| function.in_local())
}
