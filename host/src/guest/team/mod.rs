//! The threads of a rank: instances of its module on host threads that share its memory, its files and its identity.
//!
//! Every thread has a store of its own, so nothing of Wasmtime's is shared but the memory. What belongs to the rank as a
//! whole is here:
//!
//! - **The turn** ([`rankine_local::turns`]). The engine's rank is made for one thread. A thread
//!   touches it only while it has the turn, which it takes when a call of MPI begins and gives back when the call ends or
//!   waits. So the rank moves from thread to thread as a whole, as that of a fiber moves between workers. A rank whose program
//!   has no threads has no team, and takes no turn.
//! - **WASI.** Threads share descriptors, behind a lock. Waiting for time to pass is each thread's own business.
//! - **The end.** The first thread that ends the program (it returns from `main`, exits, traps) ends the rank; from then
//!   on every call of the others into the host ends them. Those that compute, or wait for one another in the guest, stay
//!   behind on their host threads, as ranks do that compute when their job ends (see the crate's head).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{fmt, thread};

use rankine_abi::{MPI_THREAD_MULTIPLE, MPI_THREAD_SERIALIZED};
use rankine_guest::{Account, Charge, Cost, Who};
use rankine_local::turns::Turns;
pub(crate) use rankine_local::turns::Wakes;
use rankine_object::Objects;
use rankine_view::Publisher;
use wasmtime::{AsContextMut, Error, Instance, InstancePre, Result, SharedMemory, Store, TypedFunc, format_err};
use wasmtime_wasi::WasiCtxBuilder;
use wasmtime_wasi::p1::WasiP1Ctx;

use crate::guest::files::Files;
use crate::guest::null_page;
use crate::guest::stage::Stage;
use crate::guest::told::{self, Ear};
use crate::guest::{Guest, Rank};
use crate::module::{HOST_STACK, call_stack};

/// The thread that runs `main`.
pub(crate) const MAIN: u32 = 0;

/// Bytes of a thread's stack: the guest's frames and the host's.
pub(crate) fn stack() -> usize {
    call_stack() + 4 * HOST_STACK
}

/// What a thread's store takes, whatever its program has.
const STORE: usize = 64 << 10;

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
pub(crate) trait Carry<R: Rank>: Wakes + Send + Sync {
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

/// What all threads of a rank share.
pub(crate) struct Team<R: Rank> {
    who: Who,
    rank: Arc<R>,
    objects: Arc<Objects>,
    program: InstancePre<Guest<R>>,
    memory: SharedMemory,
    /// What each thread's instance takes of the host's memory.
    instance: usize,
    /// The lowest address at which objects can be, of [`Guest`].
    lowest: u64,
    wasi: Mutex<WasiP1Ctx>,
    account: Arc<Account>,
    /// What the rank has of files.
    files: Arc<Files>,
    stage: Arc<Stage>,
    ear: Option<Ear<R>>,
    publisher: Option<Arc<Publisher>>,
    /// Threads that there may be at a time, beside the main one.
    most: usize,
    carrier: Box<dyn Carry<R>>,
    turns: Turns,
    /// The thread that initialised MPI.
    first: AtomicU32,
    /// The number that was given out last.
    last: AtomicU32,
}

// SAFETY: what isn't made for several threads are the rank and its objects. They are only reached through `Turn`, of
// which there is one at a time; taking and giving back the turn goes through a mutex, which orders what is done in it.
unsafe impl<R: Rank> Send for Team<R> {}
// SAFETY: sharing a team lets only the thread that has the turn at its rank and objects; all else in it may be shared.
unsafe impl<R: Rank> Sync for Team<R> {}

/// What a team is made of.
pub(crate) struct Parts<R: Rank> {
    pub(crate) who: Who,
    pub(crate) rank: Arc<R>,
    pub(crate) objects: Arc<Objects>,
    pub(crate) program: InstancePre<Guest<R>>,
    pub(crate) memory: SharedMemory,
    pub(crate) instance: usize,
    pub(crate) lowest: u64,
    pub(crate) wasi: WasiP1Ctx,
    pub(crate) files: Arc<Files>,
    pub(crate) stage: Arc<Stage>,
    pub(crate) ear: Option<Ear<R>>,
    pub(crate) publisher: Option<Arc<Publisher>>,
    pub(crate) most: usize,
    pub(crate) carrier: Box<dyn Carry<R>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<R: Rank> Team<R> {
    /// Lets other threads have the turn in the midst of a call, which this one stays in, if so many of its calls are inside
    /// one another.
    pub(crate) fn lend(&self, thread: u32, depth: u32) -> bool {
        self.turns.lend(thread, depth)
    }

    /// Takes the turn that was lent.
    pub(crate) fn take_again(&self, thread: u32, depth: u32) {
        self.turns.take_again(thread, depth, &*self.rank);
    }

    pub(crate) fn new(parts: Parts<R>) -> Arc<Team<R>> {
        let Parts {
            who,
            rank,
            objects,
            program,
            memory,
            instance,
            lowest,
            wasi,
            files,
            stage,
            ear,
            publisher,
            most,
            carrier,
        } = parts;
        Arc::new(Team {
            who,
            account: rank.account().clone(),
            files,
            stage,
            ear,
            publisher,
            rank,
            objects,
            program,
            memory,
            instance,
            lowest,
            wasi: Mutex::new(wasi),
            most,
            carrier,
            turns: Turns::default(),
            first: AtomicU32::new(MAIN),
            last: AtomicU32::new(MAIN),
        })
    }

    pub(crate) fn account(&self) -> &Arc<Account> {
        &self.account
    }

    pub(crate) fn stage(&self) -> &Arc<Stage> {
        &self.stage
    }

    pub(crate) fn files(&self) -> &Arc<Files> {
        &self.files
    }

    pub(crate) fn ear(&self) -> Option<&Ear<R>> {
        self.ear.as_ref()
    }

    pub(crate) fn publisher(&self) -> Option<&Arc<Publisher>> {
        self.publisher.as_ref()
    }

    pub(crate) fn memory(&self) -> &SharedMemory {
        &self.memory
    }

    pub(crate) fn lowest(&self) -> u64 {
        self.lowest
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
        self.turns.is_closed()
    }

    fn give_back(&self, thread: u32) {
        self.turns.give_back(thread, &*self.rank, &*self.carrier);
    }

    /// Ends the rank, if no other thread has: then the calling thread keeps the turn for good. Threads that wait in MPI
    /// leave it first.
    pub(crate) fn end(&self, thread: u32) -> Ended<'_, R> {
        if !self.turns.close() {
            return Ended::Before;
        }
        match self.turns.take_for_good(thread, &*self.rank) {
            true => Ended::Now(&self.rank),
            false => Ended::Alone,
        }
    }

    /// The host's own state of the rank may be half of one: nobody touches it any more.
    pub(crate) fn break_off(&self) {
        self.turns.close();
    }

    /// Starts a thread of the guest, which begins with this argument; its number, or nothing if there can't be another one.
    pub(crate) fn spawn(self: &Arc<Self>, argument: u64) -> Result<Option<u32>> {
        self.check()?;
        let Some(number) = self.number() else { return Ok(None) };
        let Ok(charge) = self.account.charge(stack() + STORE + self.instance, Cost::Threads) else {
            self.gone();
            return Ok(None);
        };
        let (ready, is_ready) = channel();
        let team = self.clone();
        let started =
            thread::Builder::new().name(format!("{} thread {number}", self.who)).stack_size(stack()).spawn(move || {
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
        let next = |last: u32| (last < LAST_NUMBER).then_some(last + 1);
        if !self.turns.begin_thread(self.most) {
            return None;
        }
        let number = self.last.try_update(Ordering::Relaxed, Ordering::Relaxed, next);
        if number.is_err() {
            self.gone();
        }
        number.ok().map(|last| last + 1)
    }

    fn gone(&self) {
        self.turns.end_thread(&*self.rank);
    }

    /// Runs a thread on the calling one. `begins` is called once nothing can keep it from running.
    fn run(self: &Arc<Self>, number: u32, argument: u64, begins: impl FnOnce() -> bool) {
        // For what waits: a clock.
        let guest = Guest::of_team(self.clone(), number, WasiCtxBuilder::new().build_p1());
        let mut store = Store::new(self.program.module().engine(), guest);
        store.limiter(|guest| &mut guest.limits);
        let Ok(instance) = self.program.instantiate(&mut store) else { return };
        if told::install(&mut store, &instance).is_err() {
            return;
        }
        let Some(start) = Start::of(&instance, &mut store) else { return };
        if !begins() {
            return;
        }
        let outcome = start.call(&mut store, number, argument);
        let Err(error) = outcome.map_err(|error| null_page::explain(error, &mut store, &instance)) else { return };
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

/// What a thread begins with: its number, and an address of 32 or 64 bits.
enum Start {
    Narrow(TypedFunc<(u32, u32), ()>),
    Wide(TypedFunc<(u32, u64), ()>),
}

impl Start {
    fn of(instance: &Instance, mut store: impl AsContextMut) -> Option<Start> {
        const NAME: &str = "wasi_thread_start";
        let narrow = instance.get_typed_func(&mut store, NAME).map(Start::Narrow);
        narrow.or_else(|_| instance.get_typed_func(&mut store, NAME).map(Start::Wide)).ok()
    }

    fn call(&self, store: impl AsContextMut<Data: Send>, number: u32, argument: u64) -> wasmtime::Result<()> {
        match self {
            // So wide it came from the program.
            Start::Narrow(start) => start.call(store, (number, argument as u32)),
            Start::Wide(start) => start.call(store, (number, argument)),
        }
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
    /// Takes the turn for a call of MPI, if the program may make it. `any_thread`: whichever may call it.
    fn begin(&self, call: &str, any_thread: bool) -> Result<()> {
        let Member { team, number } = self;
        if !team.turns.take(*number, &*team.rank) {
            return Err(Left.into());
        }
        let admitted = self.admit(call, any_thread);
        if admitted.is_err() {
            team.give_back(*number);
        }
        admitted
    }

    fn admit(&self, call: &str, any_thread: bool) -> Result<()> {
        let Member { team, number } = self;
        let first = team.first.load(Ordering::Relaxed);
        team.rank.set_thread(*number == first);
        if any_thread || team.turns.is_nested() {
            return Ok(());
        }
        let level = team.rank.thread_level();
        match level {
            MPI_THREAD_MULTIPLE => {}
            MPI_THREAD_SERIALIZED => {
                if let Some(other) = team.turns.other_inside(*number) {
                    return Err(at_once(call, *number, other));
                }
            }
            // It may be about to initialise MPI.
            _ if !team.rank.is_running() => team.first.store(*number, Ordering::Relaxed),
            _ if *number != first => return Err(not_the_first(call, *number, level)),
            _ => {}
        }
        team.turns.enter(*number, level == MPI_THREAD_MULTIPLE);
        Ok(())
    }

    /// Waits without the turn until it is worth looking again for what has been announced. False if the rank has ended.
    pub(crate) fn sleep(&self) -> bool {
        self.team.turns.sleep(self.number, &*self.team.rank, &*self.team.carrier)
    }

    /// Whether other threads want the turn.
    pub(crate) fn is_wanted(&self) -> bool {
        self.team.turns.is_wanted()
    }

    /// Lets other threads have the turn before this one goes on.
    pub(crate) fn pass(&self) {
        self.team.turns.pass(self.number, &*self.team.rank);
    }
}

/// How a program that asked for less than it does is told.
fn not_the_first(call: &str, number: u32, level: i32) -> Error {
    let asked = if level == 0 { "MPI_Init or MPI_THREAD_SINGLE" } else { "MPI_THREAD_FUNNELED" };
    format_err!(
        "{call} was called by thread {number}, and the program asked for {asked}, with which only the thread that \
         initialised MPI may call it: ask MPI_Init_thread for MPI_THREAD_MULTIPLE"
    )
}

fn at_once(call: &str, number: u32, other: u32) -> Error {
    format_err!(
        "{call} was called by thread {number} while thread {other} is in a function of MPI, and MPI_THREAD_SERIALIZED \
         means that one thread at a time calls MPI: ask MPI_Init_thread for MPI_THREAD_MULTIPLE"
    )
}

/// A call of MPI: while it lasts, no other thread uses the rank. For a rank with one thread it is nothing.
pub(crate) struct Turn<R: Rank>(Option<(Arc<Team<R>>, u32)>);

impl<R: Rank> Turn<R> {
    /// The turn of a rank without threads, which is always its own.
    #[inline(always)]
    pub(crate) fn of_none() -> Turn<R> {
        Turn(None)
    }

    /// Begins a call.
    #[inline]
    pub(crate) fn begin(member: Option<&Member<R>>, call: &str, any_thread: bool) -> Result<Turn<R>> {
        match member {
            None => Ok(Turn::of_none()),
            Some(member) => Turn::take(member, call, any_thread),
        }
    }

    /// The thread that calls, if the rank can have several.
    #[inline]
    pub(crate) fn thread(&self) -> Option<u32> {
        self.0.as_ref().map(|(_, number)| *number)
    }

    #[cold]
    fn take(member: &Member<R>, call: &str, any_thread: bool) -> Result<Turn<R>> {
        member.begin(call, any_thread)?;
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
