//! Which thread of a rank may touch it, and when the rank sleeps.
//!
//! A thread takes the turn when a call of MPI begins and gives it back when the call ends or waits; threads get it in the
//! order in which they ask. A thread that waits has announced what it waits for, and sleeps until it is worth looking
//! again: the rank was woken, or a call of another thread has changed something. Once all that wait have found nothing
//! since then, the rank itself is put to sleep for them, by whoever has the turn.

use std::collections::VecDeque;
use std::sync::PoisonError;
use std::time::Duration;

use rankine_guest::Parks;

use crate::Rank;
use crate::sync::thread::{self, Thread};
use crate::sync::{AtomicBool, AtomicUsize, Condvar, Instant, Mutex, MutexGuard, Ordering, lock};

impl Parks for Rank {
    fn park(&self) -> bool {
        Rank::park(self)
    }

    fn is_woken(&self) -> bool {
        Rank::is_woken(self)
    }

    fn resume(&self) -> bool {
        Rank::resume(self)
    }

    fn take_news(&self) -> bool {
        Rank::take_news(self)
    }

    fn begin_errand(&self) {
        self.world().begin_errand();
    }

    fn end_errand(&self) {
        self.world().end_errand();
    }
}

/// Who is told which thread is to be woken for its rank.
pub trait Wakes {
    /// It is this thread.
    fn waits(&self, thread: Thread);
}

/// How long a thread may take to leave MPI.
const TO_LEAVE: Duration = Duration::from_millis(500);

/// The right of one thread of a rank to touch it, and who waits for it.
pub struct Turns {
    state: Mutex<State>,
    /// The turn is free, or the rank has ended.
    free: Condvar,
    ended: AtomicBool,
    /// Threads in the queue.
    wanted: AtomicUsize,
}

#[derive(Default)]
struct State {
    holder: Option<Holder>,
    /// Who waits for the turn.
    queue: VecDeque<u32>,
    /// Threads that are in functions of MPI, perhaps waiting without the turn.
    inside: Vec<u32>,
    sleepers: Vec<Sleeper>,
    /// The rank sleeps, and this sleeper is told when it is woken.
    parked: Option<u32>,
    /// It counts as running nevertheless.
    errand: bool,
    /// Threads beside the main one.
    others: usize,
    /// Threads may wait in MPI while others call it.
    is_multiple: bool,
}

/// The thread that has the turn, and how many of its calls are inside one another.
#[derive(Clone, Copy)]
struct Holder {
    thread: u32,
    depth: u32,
}

/// A thread that waits in a function of MPI.
struct Sleeper {
    number: u32,
    thread: Thread,
    /// It has been roused.
    looks: bool,
}

impl State {
    /// All that wait look again.
    fn rouse(&mut self) {
        for sleeper in &mut self.sleepers {
            sleeper.looks = true;
            sleeper.thread.unpark();
        }
    }

    /// The rank is about to be looked at.
    fn resume(&mut self, rank: &impl Parks) {
        if self.parked.take().is_some() && rank.resume() {
            self.rouse();
        }
    }

    /// The thread that has the turn will do no more with it: the rank sleeps if nobody has anything to look at.
    fn settle(&mut self, rank: &impl Parks, wakes: &(impl Wakes + ?Sized)) {
        if rank.take_news() {
            self.rouse();
        }
        // Whoever looks next settles it.
        if !self.queue.is_empty() || self.sleepers.iter().any(|sleeper| sleeper.looks) {
            return;
        }
        let Some(first) = self.sleepers.first() else { return };
        let number = first.number;
        wakes.waits(first.thread.clone());
        let all_wait = self.sleepers.len() > self.others;
        if !all_wait && self.is_multiple && !self.errand {
            self.errand = true;
            rank.begin_errand();
        }
        if !rank.park() {
            self.rouse();
            return;
        }
        self.parked = Some(number);
        if all_wait {
            self.end_errand(rank);
        }
    }

    fn end_errand(&mut self, rank: &impl Parks) {
        if std::mem::take(&mut self.errand) {
            rank.end_errand();
        }
    }
}

impl Default for Turns {
    fn default() -> Turns {
        Turns {
            state: Mutex::new(State::default()),
            free: Condvar::new(),
            ended: AtomicBool::new(false),
            wanted: AtomicUsize::new(0),
        }
    }
}

impl std::fmt::Debug for Turns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Turns").finish_non_exhaustive()
    }
}

impl Turns {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// The rank has ended: who waits is woken, and takes no new turn.
    pub fn close(&self) -> bool {
        let mut state = self.lock();
        let was_open = !self.ended.swap(true, Ordering::SeqCst);
        state.rouse();
        self.free.notify_all();
        was_open
    }

    /// Whether it has.
    pub fn is_closed(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }

    /// Whether others want the turn.
    pub fn is_wanted(&self) -> bool {
        self.wanted.load(Ordering::Relaxed) != 0
    }

    /// A thread begins, if there are fewer than `most` beside the main one.
    pub fn begin_thread(&self, most: usize) -> bool {
        let mut state = self.lock();
        let may = state.others < most;
        state.others += usize::from(may);
        may
    }

    /// A thread has ended: the others may be waiting for what only it could have done.
    pub fn end_thread(&self, rank: &impl Parks) {
        let mut state = self.lock();
        state.others -= 1;
        if state.parked.is_some() && state.sleepers.len() > state.others {
            state.end_errand(rank);
        }
    }

    /// Waits for the turn behind those who have asked before, unless `gives_up` once the rank has ended.
    fn acquire<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        holder: Holder,
        gives_up: bool,
    ) -> (MutexGuard<'a, State>, bool) {
        if state.holder.is_some() || !state.queue.is_empty() {
            let thread = holder.thread;
            state.queue.push_back(thread);
            self.wanted.fetch_add(1, Ordering::Relaxed);
            let stays = |state: &State| {
                (state.holder.is_some() || state.queue.front() != Some(&thread)) && !(gives_up && self.is_closed())
            };
            while stays(&state) {
                state = self.free.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            state.queue.retain(|&other| other != thread);
            self.wanted.fetch_sub(1, Ordering::Relaxed);
        }
        if gives_up && self.is_closed() {
            self.free.notify_all();
            return (state, false);
        }
        state.holder = Some(holder);
        (state, true)
    }

    /// Takes the turn, for a call within one that has it too; false if the rank has ended.
    pub fn take(&self, thread: u32, rank: &impl Parks) -> bool {
        let mut state = self.lock();
        if self.is_closed() {
            return false;
        }
        if let Some(holder) = state.holder.as_mut().filter(|holder| holder.thread == thread) {
            holder.depth += 1;
            return true;
        }
        let (mut state, has_it) = self.acquire(state, Holder { thread, depth: 1 }, true);
        if has_it {
            state.resume(rank);
        }
        has_it
    }

    /// Gives the turn back at the end of a call, if that isn't within another one.
    pub fn give_back(&self, thread: u32, rank: &impl Parks, wakes: &(impl Wakes + ?Sized)) {
        let mut state = self.lock();
        let Some(holder) = state.holder.as_mut().filter(|holder| holder.thread == thread) else { return };
        holder.depth -= 1;
        if holder.depth > 0 {
            return;
        }
        state.inside.retain(|&other| other != thread);
        state.settle(rank, wakes);
        state.holder = None;
        self.free.notify_all();
    }

    /// Whether the call that has the turn is inside of another one of its thread.
    pub fn is_nested(&self) -> bool {
        self.lock().holder.is_some_and(|holder| holder.depth > 1)
    }

    /// Another thread that is in a function of MPI.
    pub fn other_inside(&self, thread: u32) -> Option<u32> {
        self.lock().inside.iter().copied().find(|&other| other != thread)
    }

    /// The thread that has the turn is in a function of MPI, as others may be if `is_multiple`.
    pub fn enter(&self, thread: u32, is_multiple: bool) {
        let mut state = self.lock();
        state.is_multiple = is_multiple;
        if !state.inside.contains(&thread) {
            state.inside.push(thread);
        }
    }

    /// Lets those who want it have the turn before this thread goes on.
    pub fn pass(&self, thread: u32, rank: &impl Parks) {
        if !self.is_wanted() {
            return thread::yield_now();
        }
        let mut state = self.lock();
        let Some(holder) = state.holder.filter(|holder| holder.thread == thread) else { return };
        state.holder = None;
        self.free.notify_all();
        let (mut state, _) = self.acquire(state, holder, false);
        state.resume(rank);
    }

    /// Lets others have the turn in the midst of a call, which the thread stays in, if so many of its calls are inside one
    /// another.
    pub fn lend(&self, thread: u32, depth: u32) -> bool {
        let mut state = self.lock();
        let has_it = state.holder.is_some_and(|holder| holder.thread == thread && holder.depth == depth);
        if has_it {
            state.holder = None;
            self.free.notify_all();
        }
        has_it
    }

    /// Takes the turn that was lent, even if the rank has ended: the call has yet to be left.
    pub fn take_again(&self, thread: u32, depth: u32, rank: &impl Parks) {
        let state = self.lock();
        let (mut state, _) = self.acquire(state, Holder { thread, depth }, false);
        state.resume(rank);
    }

    /// Waits without the turn until it is worth looking again; false if the rank has ended. What the thread waits for
    /// has been announced.
    pub fn sleep(&self, thread: u32, rank: &impl Parks, wakes: &(impl Wakes + ?Sized)) -> bool {
        let mut state = self.lock();
        let Some(holder) = state.holder.filter(|holder| holder.thread == thread) else { return false };
        state.sleepers.push(Sleeper { number: thread, thread: thread::current(), looks: false });
        state.settle(rank, wakes);
        state.holder = None;
        self.free.notify_all();
        let sleeps = |state: &State| {
            let is_roused = state.sleepers.iter().any(|sleeper| sleeper.number == thread && sleeper.looks);
            !is_roused && !(state.parked == Some(thread) && rank.is_woken()) && !self.is_closed()
        };
        while sleeps(&state) {
            drop(state);
            thread::park();
            state = self.lock();
        }
        // Whoever ends the rank waits until this call has been left, and takes no turn before.
        let (mut state, _) = self.acquire(state, holder, false);
        state.sleepers.retain(|sleeper| sleeper.number != thread);
        state.resume(rank);
        !self.is_closed()
    }

    /// Takes the turn for good, once no other thread is in MPI any more; false if one stays there for too long. The rank
    /// has been closed.
    pub fn take_for_good(&self, thread: u32, rank: &impl Parks) -> bool {
        let mut state = self.lock();
        let until = Instant::now() + TO_LEAVE;
        let is_in_mpi = |state: &State| {
            let holds = state.holder.is_some_and(|holder| holder.thread != thread);
            holds || state.inside.iter().any(|&inside| inside != thread)
        };
        let mut is_alone = true;
        while is_alone && is_in_mpi(&state) {
            state.rouse();
            let waited = self.free.wait_timeout(state, Duration::from_millis(10));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            is_alone = Instant::now() < until;
        }
        if is_alone {
            state.holder = Some(Holder { thread, depth: 1 });
        }
        state.end_errand(rank);
        is_alone
    }
}

#[cfg(all(test, not(loom)))]
mod tests;

#[cfg(all(test, loom))]
mod models;

#[cfg(test)]
mod fake;
