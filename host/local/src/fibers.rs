//! Ranks as fibers: one worker thread per core carries many ranks.
//!
//! Each worker has a queue of runnable ranks. A rank has a home, the worker on whose queue it is put when woken; ranks
//! begin on homes in blocks, so that neighbours share one and a message between them needs no other core. A worker
//! without work takes a rank from a queue that is longer than its owner can keep up with, or from one whose owner is
//! busy with a rank that computes; then the rank's home moves along. A worker that finds nothing spins briefly, then
//! parks. That those without work look for it is work stealing (Blumofe, Leiserson, "Scheduling multithreaded computations by
//! work stealing", Journal of the ACM 46, 1999); that a rank has a home is not.
//!
//! With a seed there is one worker, and a number drawn from the seed says which of the ranks on its queue is next. So the order
//! in which ranks run is the seed's alone, as far as nothing but ranks wakes ranks, and a job that fails in a rare one can be
//! run again ([`Fibers::seeded`]).

use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, OnceLock, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use rankine_guest::Growing;

use crate::drawn::Drawn;
use crate::helping::{Helpers, YIELD};
use crate::sync::thread::{self, Thread};
use crate::sync::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Cell, Mutex, Ordering, crosswise, lock, spin_loop};
use crate::world::Wake;

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
const SPINS: u32 = if cfg!(loom) { 1 } else { 3000 };
/// How many of those looks are at its own queue alone: every look at another's takes a cache line from its owner.
const LOOKS: u32 = 32;
/// How many there are before it carries letters between nodes: a look at those costs the time of many.
const SOON: u32 = 4 * LOOKS;
/// How long a parked worker sleeps before it looks whether another one has got stuck.
const PATROL: Duration = Duration::from_millis(1);

/// What a rank runs.
pub type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

struct Fiber {
    /// One of the constants above. Every change is a read and a write in one, so that a poll sees what its wakers did
    /// before, also those that found it on a queue.
    state: AtomicU8,
    /// The worker on whose queue it goes.
    home: AtomicUsize,
    /// Touched by the worker that polls it, which is one at a time.
    task: Cell<Option<Task>>,
    /// For futures other than the engine's.
    waker: OnceLock<Waker>,
}

// SAFETY: a task may move between threads, and is touched by one at a time: who starts it, before the rank is on a queue, and
// from then on the worker that has taken the rank off the queue, on which `state` lets it come once more after the poll.
unsafe impl Sync for Fiber {}

impl Fiber {
    fn new(home: usize) -> Fiber {
        Fiber {
            state: AtomicU8::new(QUEUED),
            home: AtomicUsize::new(home),
            task: Cell::new(None),
            waker: OnceLock::new(),
        }
    }
}

#[repr(align(128))]
struct Worker {
    queue: Mutex<Queue>,
    /// The queue's length, to look at without the lock.
    length: AtomicUsize,
    /// Ranks taken up so far: stands still while one computes.
    turns: AtomicU64,
    /// It sleeps, or is about to look at its queue a last time.
    parked: AtomicBool,
    thread: OnceLock<Thread>,
}

/// The ranks that are to run on a worker.
#[derive(Default)]
struct Queue {
    ranks: VecDeque<usize>,
    /// Chooses who is next; without it, whoever came first is.
    order: Option<Drawn>,
}

impl Queue {
    fn take(&mut self) -> Option<usize> {
        match &mut self.order {
            None => self.ranks.pop_front(),
            Some(_) if self.ranks.is_empty() => None,
            Some(order) => self.ranks.remove(order.below(self.ranks.len())),
        }
    }
}

/// The fibers of a job's ranks and the workers that carry them.
pub struct Fibers {
    fibers: Growing<Fiber>,
    workers: Vec<Worker>,
    /// Workers whose threads have been started: the first ones.
    started: AtomicUsize,
    /// Hears of a rank whose task panicked.
    panicked: OnceLock<Box<dyn Fn(usize) + Send + Sync>>,
    /// Fibers that have not ended.
    left: AtomicUsize,
    /// What a worker without work helps with.
    helpers: OnceLock<Arc<Helpers>>,
}

crate::sync::thread_local! {
    /// The worker that this thread is.
    // Loom's take no constants.
    #[allow(clippy::missing_const_for_thread_local)]
    static SELF: std::cell::Cell<usize> = std::cell::Cell::new(usize::MAX);
}

/// Wakes one rank through the standard library's interface. The executor keeps it, so it doesn't keep the executor.
struct RankWaker {
    fibers: Weak<Fibers>,
    rank: usize,
}

impl std::task::Wake for RankWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if let Some(fibers) = self.fibers.upgrade() {
            fibers.wake(self.rank);
        }
    }
}

impl Fibers {
    /// Room for so many ranks on as many workers, of whom no more are started than there are ranks.
    pub fn new(ranks: usize, workers: usize) -> Arc<Fibers> {
        let needed = workers.min(ranks);
        let worker = |_| Worker {
            queue: Mutex::default(),
            length: AtomicUsize::new(0),
            turns: AtomicU64::new(0),
            parked: AtomicBool::new(false),
            thread: OnceLock::new(),
        };
        Arc::new(Fibers {
            fibers: Growing::new((0..ranks).map(|rank| Fiber::new(rank * needed / ranks))),
            workers: (0..workers).map(worker).collect(),
            started: AtomicUsize::new(0),
            panicked: OnceLock::new(),
            left: AtomicUsize::new(ranks),
            helpers: OnceLock::new(),
        })
    }

    /// Workers that find nothing to do carry letters between nodes.
    pub fn help(&self, helpers: &Arc<Helpers>) {
        let _ = self.helpers.set(helpers.clone());
    }

    /// Room for so many ranks on one worker, which takes them in an order of the seed's.
    pub fn seeded(ranks: usize, seed: u64) -> Arc<Fibers> {
        let fibers = Fibers::new(ranks, 1);
        lock(&fibers.workers[0].queue).order = Some(Drawn::from(seed));
        fibers
    }

    /// Starts every rank's task, on threads of this executor's own.
    ///
    /// # Errors
    /// If the system has no thread left.
    pub fn start(
        self: &Arc<Self>,
        task: impl Fn(usize) -> Task,
        panicked: impl Fn(usize) + Send + Sync + 'static,
    ) -> io::Result<()> {
        let _ = self.panicked.set(Box::new(panicked));
        self.seat(0..self.fibers.len(), task);
        self.start_workers()
    }

    /// Workers stay for so many more ranks, though others end, if there are any now.
    pub fn expect(&self, count: usize) {
        self.left.fetch_add(count, Ordering::SeqCst);
    }

    /// So many that were expected won't come.
    pub fn forgo(&self, count: usize) {
        self.leave(count);
    }

    /// Starts more ranks, which were expected.
    ///
    /// # Errors
    /// If the system has no thread left; the ranks run all the same.
    pub fn start_more(self: &Arc<Self>, ranks: Range<usize>, task: impl Fn(usize) -> Task) -> io::Result<()> {
        let (first, count) = (ranks.start, ranks.len());
        let workers = self.workers.len();
        self.fibers.reach(ranks.end, |rank| Fiber::new(rank.saturating_sub(first) * workers / count));
        let started = self.start_workers();
        self.seat(ranks, task);
        started
    }

    /// Starts as many workers as have something to do. One that can't be started has the others take its ranks.
    fn start_workers(self: &Arc<Self>) -> io::Result<()> {
        let needed = self.workers.len().min(self.fibers.len());
        let started = self.started.fetch_max(needed, Ordering::Relaxed);
        for index in started..needed {
            let fibers = self.clone();
            thread::Builder::new().name(format!("worker {index}")).spawn(move || fibers.work(index))?;
        }
        Ok(())
    }

    /// Gives ranks their tasks and puts them on their homes' queues.
    fn seat(self: &Arc<Self>, ranks: Range<usize>, task: impl Fn(usize) -> Task) {
        for rank in ranks {
            let fiber = &self.fibers[rank];
            let _ = fiber.waker.set(Waker::from(Arc::new(RankWaker { fibers: Arc::downgrade(self), rank })));
            let task = task(rank);
            // SAFETY: nobody polls a rank that has not been on a queue.
            fiber.task.with_mut(|slot| unsafe { *slot = Some(task) });
            self.push(rank);
        }
    }

    /// A worker's life. It ends with the process, or when every rank has ended.
    fn work(&self, me: usize) {
        SELF.with(|worker| worker.set(me));
        let _ = self.workers[me].thread.set(thread::current());
        let mut seen = vec![u64::MAX; self.workers.len()];
        while let Some(rank) = self.next(me, &mut seen) {
            self.workers[me].turns.fetch_add(1, Ordering::Relaxed);
            self.run(rank);
        }
    }

    /// The next rank to run, waiting for one if need be; nothing when all have ended. `seen` is room for the turns that
    /// others have taken when this worker has slept.
    fn next(&self, me: usize, seen: &mut [u64]) -> Option<usize> {
        seen.fill(u64::MAX);
        let mut helping = self.helpers.get().and_then(|helpers| helpers.begin_alone());
        loop {
            let mut look = 0;
            while look < SPINS || helping.is_some() {
                let other = || if look % LOOKS == 0 { self.steal(me, seen) } else { None };
                if let Some(rank) = self.workers[me].pop().or_else(other) {
                    return Some(rank);
                }
                look += 1;
                spin_loop();
                if let Some(helper) = helping.as_mut().filter(|_| look >= SOON && look % LOOKS == 0)
                    && helper.look() >= YIELD
                {
                    helping = None;
                }
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
        crosswise();
        // Whoever pushed, or ended last, before it could see the flag has changed one of these.
        if worker.length.load(Ordering::SeqCst) == 0 && self.left.load(Ordering::SeqCst) > 0 {
            thread::park_timeout(PATROL);
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
    fn run(&self, rank: usize) {
        let fiber = &self.fibers[rank];
        fiber.state.swap(RUNNING, Ordering::AcqRel);
        let polled = fiber.task.with_mut(|task| {
            // SAFETY: the rank was taken off a queue by this worker, and is on none until the poll has ended.
            let task = unsafe { &mut *task };
            let (Some(future), Some(waker)) = (task.as_mut(), fiber.waker.get()) else { return None };
            let polled = catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut Context::from_waker(waker))));
            if let Ok(Poll::Ready(())) = polled {
                *task = None;
            }
            Some(polled)
        });
        match polled {
            None => {}
            Some(Ok(Poll::Pending)) => {
                if fiber.state.compare_exchange(RUNNING, WAITING, Ordering::AcqRel, Ordering::Acquire).is_err() {
                    fiber.state.swap(QUEUED, Ordering::AcqRel);
                    self.push(rank);
                }
            }
            Some(Ok(Poll::Ready(()))) => self.retire(fiber),
            Some(Err(_)) => {
                self.retire(fiber);
                self.panicked.get().into_iter().for_each(|panicked| panicked(rank));
            }
        }
    }

    fn retire(&self, fiber: &Fiber) {
        fiber.state.swap(DONE, Ordering::AcqRel);
        self.leave(1);
    }

    /// So many ranks fewer are to run.
    fn leave(&self, count: usize) {
        if self.left.fetch_sub(count, Ordering::SeqCst) == count {
            crosswise();
            for worker in &self.workers {
                worker.unpark();
            }
        }
    }

    /// Puts a runnable rank on its home's queue and sees to it that somebody takes it.
    fn push(&self, rank: usize) {
        let home = self.fibers[rank].home.load(Ordering::Relaxed);
        let length = self.workers[home].push(rank);
        crosswise();
        if SELF.with(std::cell::Cell::get) != home && self.workers[home].unpark() {
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
        queue.ranks.push_back(rank);
        self.length.store(queue.ranks.len(), Ordering::SeqCst);
        queue.ranks.len()
    }

    fn pop(&self) -> Option<usize> {
        if self.length.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let mut queue = lock(&self.queue);
        let rank = queue.take();
        // Who still sees the length before looks once more.
        self.length.store(queue.ranks.len(), Ordering::Relaxed);
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
        let mut from = state.load(Ordering::Relaxed);
        loop {
            let to = match from {
                WAITING => QUEUED,
                RUNNING => RUNNING_WOKEN,
                as_it_is => as_it_is,
            };
            match state.compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => break,
                Err(changed) => from = changed,
            }
        }
        if from == WAITING {
            self.push(rank);
        }
    }
}

#[cfg(all(test, loom))]
mod models {
    use std::future::poll_fn;

    use super::*;
    use crate::models::explore;

    /// Whatever the interleaving, tasks that wait for each other all end, and so do the workers. A worker sleeps without
    /// a time limit here, so a wake that gets lost is a deadlock of the model.
    fn all_end(workers: usize, task: fn(usize, Arc<Vec<AtomicBool>>, Arc<Fibers>) -> Task) {
        explore(2, move || {
            let fibers = Fibers::new(2, workers);
            let flags: Arc<Vec<_>> = Arc::new((0..2).map(|_| AtomicBool::new(false)).collect());
            fibers.seat(0..2, |rank| task(rank, flags.clone(), fibers.clone()));
            let others: Vec<_> = (1..workers)
                .map(|index| {
                    let fibers = fibers.clone();
                    thread::spawn(move || fibers.work(index))
                })
                .collect();
            fibers.work(0);
            others.into_iter().for_each(|worker| worker.join().unwrap());
            assert_eq!(fibers.left.load(Ordering::Relaxed), 0);
        });
    }

    /// Tells the other rank, and waits until it has told this one.
    fn meet(rank: usize, flags: Arc<Vec<AtomicBool>>, fibers: Arc<Fibers>) -> Task {
        Box::pin(async move {
            flags[1 - rank].store(true, Ordering::Relaxed);
            fibers.wake(1 - rank);
            poll_fn(|_| if flags[rank].load(Ordering::Relaxed) { Poll::Ready(()) } else { Poll::Pending }).await;
        })
    }

    #[test]
    fn two_ranks_meet_on_one_worker() {
        all_end(1, meet);
    }

    #[test]
    fn two_ranks_meet_on_two_workers() {
        all_end(2, meet);
    }

    #[test]
    fn a_wake_from_outside_is_not_lost() {
        explore(3, || {
            let (fibers, told) = (Fibers::new(1, 1), Arc::new(AtomicBool::new(false)));
            let flag = told.clone();
            let task = move |_| -> Task {
                let flag = flag.clone();
                Box::pin(poll_fn(move |_| if flag.load(Ordering::Relaxed) { Poll::Ready(()) } else { Poll::Pending }))
            };
            fibers.seat(0..1, task);
            let outside = fibers.clone();
            let waker = thread::spawn(move || {
                told.store(true, Ordering::Relaxed);
                outside.wake(0);
            });
            fibers.work(0);
            waker.join().unwrap();
        });
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::sync::mpsc::channel;

    use rankine_guest::YieldOnce;

    use super::*;

    #[test]
    fn every_rank_gets_its_turns() {
        let (fibers, (ended, ends)) = (Fibers::new(50, 3), channel());
        let task = |rank| -> Task {
            let ended = ended.clone();
            Box::pin(async move {
                for _ in 0..rank {
                    YieldOnce::default().await;
                }
                ended.send(rank).unwrap();
            })
        };
        fibers.start(task, |rank| panic!("rank {rank}")).unwrap();
        let mut all: Vec<_> = ends.iter().take(50).collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..50));
    }

    #[test]
    fn a_seed_says_who_is_next() {
        let order = |seed| {
            let (fibers, (turn, turns)) = (Fibers::seeded(6, seed), channel());
            let task = |rank| -> Task {
                let turn = turn.clone();
                Box::pin(async move {
                    for _ in 0..8 {
                        turn.send(rank).unwrap();
                        YieldOnce::default().await;
                    }
                })
            };
            fibers.seat(0..6, task);
            fibers.work(0);
            turns.try_iter().collect::<Vec<usize>>()
        };
        let orders: Vec<_> = (0..50).map(order).collect();
        assert!(orders.iter().all(|turns| turns.len() == 48));
        assert_eq!(orders[7], order(7));
        assert!((1..50).all(|seed| orders[..seed].iter().all(|other| *other != orders[seed])));
    }

    #[test]
    fn a_rank_that_panics_is_named_and_the_others_go_on() {
        let (fibers, (told, hears)) = (Fibers::new(3, 1), channel());
        let panics = told.clone();
        let task = |rank| -> Task {
            let told = told.clone();
            Box::pin(async move {
                assert_ne!(rank, 1, "rank 1 is made to panic");
                told.send((rank, "ended")).unwrap();
            })
        };
        fibers.start(task, move |rank| panics.send((rank, "panicked")).unwrap()).unwrap();
        let mut heard: Vec<_> = hears.iter().take(3).collect();
        heard.sort_unstable();
        assert_eq!(heard, [(0, "ended"), (1, "panicked"), (2, "ended")]);
    }
}
