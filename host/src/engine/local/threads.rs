//! Ranks as operating-system threads: the best choice while each has a core of its own.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::Thread;

use anyhow::{Context, Result};
use rankine_guest::Growing;
use rankine_local::Wake;

use super::{Local, role, seat};
use crate::module::{HOST_STACK, call_stack};
use crate::run::crew::Crew;

/// The threads of a job's ranks, to wake them.
pub(crate) struct Threads(Growing<Carrier>);

/// Behind it the threads of ranks wait that stand ready. If it is dropped, they never run.
pub(in crate::engine) struct Gate<T>(Arc<OnceLock<Option<T>>>);

impl<T> Gate<T> {
    /// They run with this.
    pub(in crate::engine) fn open(self, with: T) {
        let _ = self.0.set(Some(with));
    }
}

impl<T> Drop for Gate<T> {
    fn drop(&mut self) {
        let _ = self.0.set(None);
    }
}

/// What carries a rank.
#[derive(Default)]
struct Carrier {
    main: OnceLock<Thread>,
    /// Of a rank with threads, that which waits for it to be woken.
    waiting: Mutex<Option<Thread>>,
    has_threads: AtomicBool,
}

impl Threads {
    pub(super) fn new(ranks: usize) -> Arc<Threads> {
        Arc::new(Threads(Growing::new((0..ranks).map(|_| Carrier::default()))))
    }

    /// Starts every rank that the job begins with.
    pub(super) fn start(self: &Arc<Self>, crew: &Arc<Crew<Local>>) -> Result<()> {
        self.start_all(|rank| {
            let crew = crew.clone();
            move || crew.run_on_thread(role(&crew, rank), seat(rank), || Ok(super::rank(&crew, rank)))
        })
    }

    /// Starts a thread for each rank, which runs this.
    pub(in crate::engine) fn start_all<R: FnOnce() + Send + 'static>(
        self: &Arc<Self>,
        run: impl Fn(usize) -> R,
    ) -> Result<()> {
        (0..self.0.len()).try_for_each(|rank| self.start_one(rank, run(rank)))
    }

    /// Starts threads for more ranks, all or none. They wait until they are told what to run with.
    pub(in crate::engine) fn muster<T: Clone + Send + Sync + 'static, R: FnOnce(T) + Send + 'static>(
        self: &Arc<Self>,
        ranks: Range<usize>,
        run: impl Fn(usize) -> R,
    ) -> Result<Gate<T>> {
        self.0.reach(ranks.end, |_| Carrier::default());
        let gate = Gate(Arc::default());
        for rank in ranks {
            let (run, told) = (run(rank), gate.0.clone());
            self.start_one(rank, move || {
                if let Some(with) = told.wait().clone() {
                    run(with);
                }
            })?;
        }
        Ok(gate)
    }

    /// This thread is the one of a rank that is to be woken.
    pub(in crate::engine) fn waits(&self, rank: usize, thread: Thread) {
        let carrier = &self.0[rank];
        *carrier.waiting.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
        carrier.has_threads.store(true, Ordering::SeqCst);
    }

    fn start_one(self: &Arc<Self>, rank: usize, run: impl FnOnce() + Send + 'static) -> Result<()> {
        let threads = self.clone();
        std::thread::Builder::new()
            .name(format!("rank {rank}"))
            // Wasmtime counts the guest's share itself; the rest is generous, and only what is used costs memory.
            .stack_size(call_stack() + 4 * HOST_STACK)
            .spawn(move || {
                let _ = threads.0[rank].main.set(std::thread::current());
                run();
            })
            .with_context(|| {
                format!("can't start a thread for rank {rank}; fewer ranks or --fibers need fewer threads")
            })?;
        Ok(())
    }
}

impl Wake for Threads {
    fn wake(&self, rank: usize) {
        // A rank that has parked has a thread.
        let Some(carrier) = self.0.get(rank) else { return };
        if let Some(thread) = carrier.main.get() {
            thread.unpark();
        }
        if carrier.has_threads.load(Ordering::SeqCst)
            && let Some(thread) = &*carrier.waiting.lock().unwrap_or_else(PoisonError::into_inner)
        {
            thread.unpark();
        }
    }
}
