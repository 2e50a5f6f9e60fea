//! The embedded engine's side of the host: its shims, and ranks as threads or fibers.
//!
//! The shims of most functions are rows of a generated file, named after the chapter; [`row`] says what a row becomes. A
//! body reads arrays and strings with [`shim`], calls the engine's function and writes results back. Bodies that follow no
//! rule of the table stand in [`bodies`]. Only what a module names is linked.
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

#[macro_use]
mod row;

mod bodies;
mod call;
pub(crate) mod callback;
mod generated;
mod objects;
pub(crate) mod shim;
mod threads;

use std::sync::Arc;

use anyhow::Result;
use rankine_local::{Fibers, Options, Task, World};
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
    for chapter in &generated::CHAPTERS {
        if (chapter.link)(linker, placement, name)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What carries the ranks of a job.
pub(crate) enum Carriers {
    Threads(Arc<threads::Threads>),
    Fibers(Arc<Fibers>),
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
                let fibers = Fibers::new(ranks, cores().min(ranks));
                (Carriers::Fibers(fibers.clone()), World::new(ranks, fibers, None, options))
            }
        }
    }

    /// Starts every rank.
    pub(crate) fn start(&self, crew: &Arc<Crew>) -> Result<()> {
        match self {
            Carriers::Threads(threads) => threads.start(crew),
            Carriers::Fibers(fibers) => {
                let (carried, told) = (crew.clone(), crew.clone());
                let task = move |rank| -> Task {
                    let crew = carried.clone();
                    Box::pin(async move { crew.run_on_fiber(rank).await })
                };
                Ok(fibers.start(task, move |rank| told.panicked(rank, ""))?)
            }
        }
    }
}

/// Whether this engine has a function of MPI.
pub fn has(name: &str) -> bool {
    generated::CHAPTERS.iter().any(|chapter| chapter.names.contains(&name))
}
