//! The threads of a rank: instances of its module on host threads that share its memory, its files and its identity.
//!
//! Every thread has a store of its own, so nothing of Wasmtime's is shared but the memory. What belongs to the rank as a
//! whole is here:
//!
//! - **The turn.** The engine's rank is made for one thread. A thread touches it only while it has the turn, which it takes
//!   when a call of MPI begins and gives back when the call ends or waits. So the rank moves from thread to thread as a
//!   whole, as that of a fiber moves between workers. A rank whose program has no threads has no team, and takes no turn.
//! - **WASI.** Threads share descriptors, behind a lock. Waiting for time to pass is each thread's own business.
//! - **The end.** The first thread that ends the program (it returns from `main`, exits, traps) ends the rank; from then
//!   on every call of the others into the host ends them. Those that compute, or wait for one another in the guest, stay
//!   behind on their host threads, as ranks do that compute when their job ends (see the crate's head).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{fmt, thread};

use rankine_abi::{MPI_THREAD_MULTIPLE, MPI_THREAD_SERIALIZED};
use rankine_guest::{Account, Charge, Who};
use rankine_object::Objects;
use wasmtime::{Error, InstancePre, Result, SharedMemory, Store, format_err};
use wasmtime_wasi::WasiCtxBuilder;
use wasmtime_wasi::p1::WasiP1Ctx;

use crate::engine::Rank;
use crate::guest::Guest;
use crate::module::{GUEST_STACK, HOST_STACK};
use crate::output::Output;
use crate::told::{self, Ear};

/// The thread that runs `main`.
pub(crate) const MAIN: u32 = 0;

/// Bytes of a thread's stack: the guest's frames and the host's.
pub(crate) const STACK: usize = GUEST_STACK + 4 * HOST_STACK;

/// The highest number of a thread that the guest's C library takes.
const LAST_NUMBER: u32 = (1 << 29) - 1;

/// The rank has ended, and this thread with it.
#[derive(Debug)]
pub(crate) struct Left;

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("another thread has ended the rank")
    }
}

impl std::error::Error for Left {}

/// What a team tells those who carry its rank.
pub(crate) trait Carry<R: Rank>: Send + Sync {
    /// The calling thread is the one to be woken when something happens that the rank waits for.
    fn waits_here(&self);
    /// Wakes the thread that said so last.
    fn wake(&self);
    /// A thread other than the main one has come to this error.
    fn dump(&self, store: &Store<Guest<R>>, error: &Error);
    /// A thread other than the main one ended the rank, and may look into it, if so; `refused` is a growth that it was
    /// refused before.
    fn ended(&self, rank: Option<&R>, outcome: Result<()>, refused: Option<usize>);
    /// The host panicked while it ran a thread.
    fn panicked(&self);
}

/// What a thread finds that ends its rank.
pub(crate) enum Ended<'a, R> {
    /// Another thread has ended it before.
    Before,
    /// Nobody else looks into the rank any more.
    Now(&'a R),
    /// Another thread is in a function of MPI, and stays there: in an MPI library that waits, or in a callback that
    /// computes.
    Alone,
}

/// How long a thread may take to leave MPI.
const TO_LEAVE: Duration = Duration::from_millis(500);

/// What all threads of a rank share.
pub(crate) struct Team<R: Rank> {
    who: Who,
    rank: Arc<R>,
    objects: Arc<Objects>,
    program: InstancePre<Guest<R>>,
    memory: SharedMemory,
    /// Bytes of the memory that the rank's account knows of.
    charged: Mutex<u64>,
    wasi: Mutex<WasiP1Ctx>,
    account: Arc<Account>,
    /// As in [`Guest`].
    no_folder: Option<Arc<Output>>,
    ear: Option<Ear>,
    /// Threads that there may be at a time, beside the main one.
    most: usize,
    carrier: Box<dyn Carry<R>>,
    state: Mutex<State>,
    /// The turn is free, or the rank has ended.
    free: Condvar,
    ended: AtomicBool,
}

// SAFETY: what isn't made for several threads are the rank and its objects. They are only reached through `Turn`, of
// which there is one at a time; taking and giving back the turn goes through a mutex, which orders what is done in it.
unsafe impl<R: Rank> Send for Team<R> {}
// SAFETY: sharing a team lets only the thread that has the turn at its rank and objects; all else in it may be shared.
unsafe impl<R: Rank> Sync for Team<R> {}

#[derive(Default)]
struct State {
    /// The thread that has the turn, and how many of its calls are inside one another.
    holder: Option<(u32, u32)>,
    /// The thread that is in a function of MPI, perhaps waiting without the turn.
    inside: Option<u32>,
    /// The thread that initialised MPI.
    first: u32,
    /// Threads beside the main one.
    running: usize,
    /// The number that was given out last.
    last: u32,
}

/// What a team is made of.
pub(crate) struct Parts<R: Rank> {
    pub(crate) who: Who,
    pub(crate) rank: Arc<R>,
    pub(crate) objects: Arc<Objects>,
    pub(crate) program: InstancePre<Guest<R>>,
    pub(crate) memory: SharedMemory,
    pub(crate) wasi: WasiP1Ctx,
    pub(crate) no_folder: Option<Arc<Output>>,
    pub(crate) ear: Option<Ear>,
    pub(crate) most: usize,
    pub(crate) carrier: Box<dyn Carry<R>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<R: Rank> Team<R> {
    pub(crate) fn new(parts: Parts<R>) -> Arc<Team<R>> {
        let Parts { who, rank, objects, program, memory, wasi, no_folder, ear, most, carrier } = parts;
        Arc::new(Team {
            who,
            account: rank.account().clone(),
            no_folder,
            ear,
            rank,
            objects,
            program,
            memory,
            charged: Mutex::new(0),
            wasi: Mutex::new(wasi),
            most,
            carrier,
            state: Mutex::default(),
            free: Condvar::new(),
            ended: AtomicBool::new(false),
        })
    }

    pub(crate) fn account(&self) -> &Arc<Account> {
        &self.account
    }

    pub(crate) fn no_folder(&self) -> Option<&Arc<Output>> {
        self.no_folder.as_ref()
    }

    pub(crate) fn ear(&self) -> Option<&Ear> {
        self.ear.as_ref()
    }

    pub(crate) fn memory(&self) -> &SharedMemory {
        &self.memory
    }

    /// Charges the rank with what its memory has grown since it was last asked. A memory can't grow beyond the rank's
    /// limit (see `threads::memory`); that it grows is not said to the host, so this comes a call late.
    pub(crate) fn charge_growth(&self, size: u64) {
        let mut charged = lock(&self.charged);
        if size > *charged {
            self.account.note_growth(size - *charged);
            *charged = size;
        }
    }

    /// The descriptors that the threads share.
    pub(crate) fn wasi(&self) -> Result<MutexGuard<'_, WasiP1Ctx>> {
        self.check()?;
        Ok(lock(&self.wasi))
    }

    /// Ends a thread whose rank has ended.
    pub(crate) fn check(&self) -> Result<()> {
        if self.has_ended() { Err(Left.into()) } else { Ok(()) }
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }

    /// Waits for the turn; nothing if the rank has ended meanwhile.
    fn take(&self, thread: u32) -> Result<()> {
        let mut state = lock(&self.state);
        loop {
            self.check()?;
            match &mut state.holder {
                None => {
                    state.holder = Some((thread, 1));
                    return Ok(());
                }
                Some((holder, depth)) if *holder == thread => {
                    *depth += 1;
                    return Ok(());
                }
                Some(_) => state = self.free.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn give_back(&self, thread: u32) {
        let mut state = lock(&self.state);
        if let Some((holder, depth)) = &mut state.holder
            && *holder == thread
        {
            *depth -= 1;
            if *depth == 0 {
                state.holder = None;
                if state.inside == Some(thread) {
                    state.inside = None;
                }
                self.free.notify_all();
            }
        }
    }

    /// Ends the rank, if no other thread has: then the calling thread keeps the turn for good. Threads that wait in MPI
    /// leave it first.
    pub(crate) fn end(&self, thread: u32) -> Ended<'_, R> {
        let mut state = lock(&self.state);
        if self.ended.swap(true, Ordering::SeqCst) {
            return Ended::Before;
        }
        self.free.notify_all();
        let is_in_mpi = |state: &State| {
            let holds = state.holder.is_some_and(|(holder, _)| holder != thread);
            holds || state.inside.is_some_and(|inside| inside != thread)
        };
        let until = Instant::now() + TO_LEAVE;
        while is_in_mpi(&state) {
            if Instant::now() >= until {
                return Ended::Alone;
            }
            self.carrier.wake();
            let waited = self.free.wait_timeout(state, Duration::from_millis(10));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.holder = Some((thread, 1));
        Ended::Now(&self.rank)
    }

    /// The host's own state of the rank may be half of one: nobody touches it any more.
    pub(crate) fn break_off(&self) {
        self.ended.store(true, Ordering::SeqCst);
        self.free.notify_all();
    }

    /// Starts a thread of the guest, which begins with this argument; its number, or nothing if there can't be another one.
    pub(crate) fn spawn(self: &Arc<Self>, argument: i32) -> Result<Option<u32>> {
        self.check()?;
        let Some(number) = self.number() else { return Ok(None) };
        let Ok(charge) = self.account.charge(STACK, "a thread") else {
            self.gone();
            return Ok(None);
        };
        let (ready, is_ready) = channel();
        let team = self.clone();
        let started =
            thread::Builder::new().name(format!("{} thread {number}", self.who)).stack_size(STACK).spawn(move || {
                let _charge: Charge = charge;
                if catch_unwind(AssertUnwindSafe(|| team.run(number, argument, || ready.send(()).is_ok()))).is_err() {
                    team.break_off();
                    team.carrier.panicked();
                }
                team.gone();
            });
        match started {
            // Only where it could not be instantiated nothing is heard of it.
            Ok(_) => Ok(is_ready.recv().is_ok().then_some(number)),
            Err(_) => {
                self.gone();
                Ok(None)
            }
        }
    }

    /// The number of a new thread, if there may be one more.
    fn number(&self) -> Option<u32> {
        let mut state = lock(&self.state);
        if state.running == self.most || state.last == LAST_NUMBER {
            return None;
        }
        state.running += 1;
        state.last += 1;
        Some(state.last)
    }

    fn gone(&self) {
        lock(&self.state).running -= 1;
    }

    /// Runs a thread on the calling one. `begins` is called once nothing can keep it from running.
    fn run(self: &Arc<Self>, number: u32, argument: i32, begins: impl FnOnce() -> bool) {
        // For what waits: a clock.
        let guest = Guest::of_team(self.clone(), number, WasiCtxBuilder::new().build_p1());
        let mut store = Store::new(self.program.module().engine(), guest);
        store.limiter(|guest| &mut guest.limits);
        let Ok(instance) = self.program.instantiate(&mut store) else { return };
        if told::install(&mut store, &instance).is_err() {
            return;
        }
        let Ok(start) = instance.get_typed_func::<(i32, i32), ()>(&mut store, "wasi_thread_start") else { return };
        if !begins() {
            return;
        }
        let outcome = start.call(&mut store, (number as i32, argument));
        let Err(error) = outcome else { return };
        if error.is::<Left>() {
            return;
        }
        self.carrier.dump(&store, &error);
        let rank = match self.end(number) {
            Ended::Before => return,
            Ended::Now(rank) => Some(rank),
            Ended::Alone => None,
        };
        self.carrier.ended(rank, Err(error), store.data().limits.refused);
    }

    /// What the threads' stores need of the rank: none of it is looked into but with the turn.
    pub(crate) fn identity(&self) -> (Arc<R>, Arc<Objects>, Who) {
        (self.rank.clone(), self.objects.clone(), self.who)
    }
}

/// One thread of a team.
pub(crate) struct Member<R: Rank> {
    pub(crate) team: Arc<Team<R>>,
    pub(crate) number: u32,
}

impl<R: Rank> Clone for Member<R> {
    fn clone(&self) -> Member<R> {
        Member { team: self.team.clone(), number: self.number }
    }
}

impl<R: Rank> Member<R> {
    /// Takes the turn for a call of MPI, if the program may make it. `is_anytime`: any thread may call it.
    fn begin(&self, call: &str, is_anytime: bool) -> Result<()> {
        let Member { team, number } = self;
        team.take(*number)?;
        let admitted = self.admit(call, is_anytime);
        if admitted.is_err() {
            team.give_back(*number);
        }
        admitted
    }

    fn admit(&self, call: &str, is_anytime: bool) -> Result<()> {
        let Member { team, number } = self;
        let mut state = lock(&team.state);
        team.rank.set_thread(*number == state.first);
        if state.inside.is_some_and(|inside| inside != *number) {
            // It may be parked, and somebody calls: it looks again.
            team.rank.awake();
            team.carrier.wake();
        }
        if is_anytime || state.holder.is_some_and(|(_, depth)| depth > 1) {
            return Ok(());
        }
        let level = team.rank.thread_level();
        match level {
            MPI_THREAD_MULTIPLE => {}
            MPI_THREAD_SERIALIZED => {
                if let Some(other) = state.inside.filter(|inside| inside != number) {
                    return Err(at_once(call, *number, other));
                }
            }
            // It may be about to initialise MPI.
            _ if !team.rank.is_running() => state.first = *number,
            _ if *number != state.first => return Err(not_the_first(call, *number, level)),
            _ => {}
        }
        state.inside = Some(*number);
        Ok(())
    }

    /// Waits without the turn until `is_woken`. False if the rank has ended.
    pub(crate) fn wait(&self, is_woken: impl Fn() -> bool) -> bool {
        let Member { team, number } = self;
        team.carrier.waits_here();
        let depth = {
            let mut state = lock(&team.state);
            let depth = state.holder.take();
            team.free.notify_all();
            depth
        };
        while !is_woken() && !team.has_ended() {
            thread::park();
        }
        // Whoever ends the rank waits until this call has been left, and takes no turn before.
        let mut state = lock(&team.state);
        while state.holder.is_some() {
            state = team.free.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.holder = depth;
        debug_assert!(state.holder.is_some_and(|(holder, _)| holder == *number));
        !team.has_ended()
    }
}

/// How a program that asked for less than it does is told.
fn not_the_first(call: &str, number: u32, level: i32) -> Error {
    let asked = if level == 0 { "MPI_Init or MPI_THREAD_SINGLE" } else { "MPI_THREAD_FUNNELED" };
    format_err!(
        "{call} was called by thread {number}, and the program asked for {asked}, with which only the thread that \
         initialised MPI may call it: ask MPI_Init_thread for MPI_THREAD_SERIALIZED, and look at what is provided"
    )
}

fn at_once(call: &str, number: u32, other: u32) -> Error {
    format_err!(
        "{call} was called by thread {number} while thread {other} is in a function of MPI, and MPI_THREAD_SERIALIZED \
         means that one thread at a time calls MPI"
    )
}

/// A call of MPI: while it lasts, no other thread uses the rank. For a rank with one thread it is nothing.
pub(crate) struct Turn<R: Rank>(Option<(Arc<Team<R>>, u32)>);

impl<R: Rank> Turn<R> {
    /// Begins a call.
    #[inline]
    pub(crate) fn begin(member: Option<&Member<R>>, call: &str, is_anytime: bool) -> Result<Turn<R>> {
        match member {
            None => Ok(Turn(None)),
            Some(member) => Turn::take(member, call, is_anytime),
        }
    }

    #[cold]
    fn take(member: &Member<R>, call: &str, is_anytime: bool) -> Result<Turn<R>> {
        let is_anytime = match call {
            "MPI_Init" | "MPI_Init_thread" => false,
            "MPI_Query_thread" | "MPI_Is_thread_main" => true,
            _ => is_anytime,
        };
        member.begin(call, is_anytime)?;
        Ok(Turn(Some((member.team.clone(), member.number))))
    }
}

impl<R: Rank> Drop for Turn<R> {
    #[inline]
    fn drop(&mut self) {
        if let Some((team, number)) = &self.0 {
            team.give_back(*number);
        }
    }
}
