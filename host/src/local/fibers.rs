//! Ranks as fibers: one worker thread per core carries many ranks.
//!
//! Each worker has a queue of runnable ranks. A rank has a home, the worker on whose queue it is put when woken; ranks
//! begin on homes in blocks, so that neighbours share one and a message between them needs no other core. A worker
//! without work takes a rank from a queue that is longer than its owner can keep up with, or from one whose owner is
//! busy with a rank that computes; then the rank's home moves along. A worker that finds nothing spins briefly, then
//! parks.

use std::cell::Cell;
use std::collections::VecDeque;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering, fence};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread::Thread;
use std::time::Duration;

use anyhow::Result;
use rankine_local::Wake;

use crate::rank::Crew;

/// Not runnable: somebody will wake it.
const WAITING: u8 = 0;
/// On a queue.
const QUEUED: u8 = 1;
/// Being polled.
const RUNNING: u8 = 2;
/// Being polled, and woken meanwhile: goes on a queue again.
const RUNNING_WOKEN: u8 = 3;
/// Ended.
const DONE: u8 = 4;

/// How often a worker without work looks again before it parks: some hundred microseconds, which is what waking it
/// would cost both sides.
const SPINS: u32 = 3000;
/// How many of those looks are at its own queue alone: every look at another's takes a cache line from its owner.
const LOOKS: u32 = 32;
/// How long a parked worker sleeps before it looks whether another one has got stuck.
const PATROL: Duration = Duration::from_millis(1);

type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

struct Fiber {
    /// One of the constants above.
    state: AtomicU8,
    /// The worker on whose queue it goes.
    home: AtomicUsize,
    /// Locked only by the worker that polls it: never contended.
    task: Mutex<Option<Task>>,
}

#[repr(align(128))]
struct Worker {
    queue: Mutex<VecDeque<usize>>,
    /// The queue's length, to look at without the lock.
    length: AtomicUsize,
    /// Ranks taken up so far: stands still while one computes.
    turns: AtomicU64,
    /// It sleeps, or is about to look at its queue a last time.
    parked: AtomicBool,
    thread: OnceLock<Thread>,
}

/// The fibers of a job's ranks and the workers that carry them.
pub(crate) struct Fibers {
    fibers: Vec<Fiber>,
    workers: Vec<Worker>,
    /// Wakers by rank, for futures other than the engine's.
    wakers: OnceLock<Vec<Waker>>,
    /// Fibers that have not ended.
    left: AtomicUsize,
}

thread_local! {
    /// The worker that this thread is.
    static SELF: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// Wakes one rank through the standard library's interface.
struct RankWaker {
    fibers: Arc<Fibers>,
    rank: usize,
}

impl std::task::Wake for RankWaker {
    fn wake(self: Arc<Self>) {
        self.fibers.wake(self.rank);
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.fibers.wake(self.rank);
    }
}

impl Fibers {
    pub(super) fn new(ranks: usize, workers: usize) -> Arc<Fibers> {
        let fiber = |rank| Fiber {
            state: AtomicU8::new(QUEUED),
            home: AtomicUsize::new(rank * workers / ranks),
            task: Mutex::new(None),
        };
        let worker = |_| Worker {
            queue: Mutex::default(),
            length: AtomicUsize::new(0),
            turns: AtomicU64::new(0),
            parked: AtomicBool::new(false),
            thread: OnceLock::new(),
        };
        Arc::new(Fibers {
            fibers: (0..ranks).map(fiber).collect(),
            workers: (0..workers).map(worker).collect(),
            wakers: OnceLock::new(),
            left: AtomicUsize::new(ranks),
        })
    }

    /// Starts every rank.
    pub(super) fn start(self: &Arc<Self>, crew: &Arc<Crew>) -> Result<()> {
        let waker = |rank| Waker::from(Arc::new(RankWaker { fibers: self.clone(), rank }));
        let _ = self.wakers.set((0..self.fibers.len()).map(waker).collect());
        for (rank, fiber) in self.fibers.iter().enumerate() {
            let crew = crew.clone();
            let task: Task = Box::pin(async move { crew.run_on_fiber(rank).await });
            *lock(&fiber.task) = Some(task);
            self.workers[fiber.home.load(Ordering::Relaxed)].push(rank);
        }
        for index in 0..self.workers.len() {
            let (fibers, crew) = (self.clone(), crew.clone());
            std::thread::Builder::new().name(format!("worker {index}")).spawn(move || fibers.work(index, &crew))?;
        }
        Ok(())
    }

    /// A worker's life. It ends with the process, or when every rank has ended and the job is dropped.
    fn work(&self, me: usize, crew: &Crew) {
        SELF.set(me);
        let _ = self.workers[me].thread.set(std::thread::current());
        while let Some(rank) = self.next(me) {
            self.workers[me].turns.fetch_add(1, Ordering::Relaxed);
            self.run(rank, crew);
        }
    }

    /// The next rank to run, waiting for one if need be; nothing when all have ended.
    fn next(&self, me: usize) -> Option<usize> {
        let mut seen = vec![u64::MAX; self.workers.len()];
        loop {
            for look in 0..SPINS {
                let other = || if look % LOOKS == 0 { self.steal(me, &seen) } else { None };
                if let Some(rank) = self.workers[me].pop().or_else(other) {
                    return Some(rank);
                }
                std::hint::spin_loop();
            }
            if self.left.load(Ordering::Relaxed) == 0 {
                return None;
            }
            for (turns, worker) in seen.iter_mut().zip(&self.workers) {
                *turns = worker.turns.load(Ordering::Relaxed);
            }
            self.park(me);
        }
    }

    fn park(&self, me: usize) {
        let worker = &self.workers[me];
        worker.parked.store(true, Ordering::SeqCst);
        // Whoever pushed before it could see the flag has changed the length.
        if worker.length.load(Ordering::SeqCst) == 0 {
            std::thread::park_timeout(PATROL);
        }
        worker.parked.store(false, Ordering::SeqCst);
    }

    /// Takes a rank from another worker: from a long queue, or from one whose owner has not taken a turn since `seen`.
    /// Only from the latter does it move for good: neighbours that helpers scatter would meet across cores from then
    /// on.
    fn steal(&self, me: usize, seen: &[u64]) -> Option<usize> {
        for (index, worker) in self.workers.iter().enumerate().filter(|(index, _)| *index != me) {
            let stuck = worker.turns.load(Ordering::Relaxed) == seen[index];
            if worker.length.load(Ordering::Relaxed) > usize::from(!stuck)
                && let Some(rank) = worker.pop()
            {
                if stuck {
                    self.fibers[rank].home.store(me, Ordering::Relaxed);
                }
                return Some(rank);
            }
        }
        None
    }

    /// Polls a rank.
    fn run(&self, rank: usize, crew: &Crew) {
        let fiber = &self.fibers[rank];
        fiber.state.store(RUNNING, Ordering::Relaxed);
        // Before the rank looks whether it was woken: a waker that saw the state before has woken it by then.
        fence(Ordering::SeqCst);
        let mut slot = lock(&fiber.task);
        let (Some(task), Some(wakers)) = (slot.as_mut(), self.wakers.get()) else { return };
        let polled = catch_unwind(AssertUnwindSafe(|| task.as_mut().poll(&mut Context::from_waker(&wakers[rank]))));
        match polled {
            Ok(Poll::Pending) => {
                drop(slot);
                if fiber.state.compare_exchange(RUNNING, WAITING, Ordering::SeqCst, Ordering::SeqCst).is_err() {
                    fiber.state.store(QUEUED, Ordering::Relaxed);
                    self.push(rank);
                }
            }
            Ok(Poll::Ready(())) => {
                *slot = None;
                self.retire(fiber);
            }
            Err(_) => {
                self.retire(fiber);
                crew.panicked(rank, "");
            }
        }
    }

    fn retire(&self, fiber: &Fiber) {
        fiber.state.store(DONE, Ordering::Release);
        self.left.fetch_sub(1, Ordering::Relaxed);
    }

    /// Puts a runnable rank on its home's queue and sees to it that somebody takes it.
    fn push(&self, rank: usize) {
        let home = self.fibers[rank].home.load(Ordering::Relaxed);
        let length = self.workers[home].push(rank);
        if SELF.get() != home && self.workers[home].unpark() {
            return;
        }
        // The home is awake and comes to it; with more than one in the queue, help is welcome.
        if length > 1 {
            let _ = self.workers.iter().any(Worker::unpark);
        }
    }
}

impl Worker {
    /// The queue's new length.
    fn push(&self, rank: usize) -> usize {
        let mut queue = lock(&self.queue);
        queue.push_back(rank);
        self.length.store(queue.len(), Ordering::SeqCst);
        queue.len()
    }

    fn pop(&self) -> Option<usize> {
        if self.length.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let mut queue = lock(&self.queue);
        let rank = queue.pop_front();
        self.length.store(queue.len(), Ordering::SeqCst);
        rank
    }

    /// Wakes the worker if it is parked.
    fn unpark(&self) -> bool {
        let was_parked = self.parked.load(Ordering::SeqCst) && self.parked.swap(false, Ordering::SeqCst);
        if was_parked && let Some(thread) = self.thread.get() {
            thread.unpark();
        }
        was_parked
    }
}

impl Wake for Fibers {
    fn wake(&self, rank: usize) {
        let state = &self.fibers[rank].state;
        loop {
            let (from, to) = match state.load(Ordering::SeqCst) {
                WAITING => (WAITING, QUEUED),
                RUNNING => (RUNNING, RUNNING_WOKEN),
                _ => return,
            };
            if state.compare_exchange(from, to, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
                if from == WAITING {
                    self.push(rank);
                }
                return;
            }
        }
    }
}

/// Lets every other runnable rank of this worker go first.
#[derive(Default)]
pub(crate) struct YieldOnce(bool);

impl Future for YieldOnce {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
