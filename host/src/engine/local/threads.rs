//! Ranks as operating-system threads: right while each has a core of its own.

use std::sync::{Arc, OnceLock};
use std::thread::Thread;

use anyhow::{Context, Result};
use rankine_local::Wake;

use super::Local;
use crate::crew::Crew;
use crate::module::{GUEST_STACK, HOST_STACK};

/// The threads of a job's ranks, to wake them.
pub(crate) struct Threads(Vec<OnceLock<Thread>>);

impl Threads {
    pub(super) fn new(ranks: usize) -> Arc<Threads> {
        Arc::new(Threads((0..ranks).map(|_| OnceLock::new()).collect()))
    }

    /// Starts every rank.
    pub(super) fn start(self: &Arc<Self>, crew: &Arc<Crew<Local>>) -> Result<()> {
        for rank in 0..self.0.len() {
            let (threads, crew) = (self.clone(), crew.clone());
            std::thread::Builder::new()
                .name(format!("rank {rank}"))
                // Wasmtime counts the guest's share itself; the rest is generous, and only what is used costs memory.
                .stack_size(GUEST_STACK + 4 * HOST_STACK)
                .spawn(move || {
                    let _ = threads.0[rank].set(std::thread::current());
                    crew.run_on_thread(rank, || crew.engine.rank(&crew.settings, rank));
                })
                .with_context(|| {
                    format!("can't start a thread for rank {rank}; fewer ranks or --fibers need fewer threads")
                })?;
        }
        Ok(())
    }
}

impl Wake for Threads {
    fn wake(&self, rank: usize) {
        // A rank that has parked has a thread.
        if let Some(thread) = self.0[rank].get() {
            thread.unpark();
        }
    }
}
