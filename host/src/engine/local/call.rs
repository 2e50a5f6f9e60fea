//! One MPI call of a guest: into the engine, calls back into the guest, and out again with an error code.
//!
//! The three forms differ only in how they wait (see the parent module). All borrow the rank from the store for as long
//! as the call lasts, and use the store meanwhile to run callbacks on the rank's own stack.

use std::future::{Future, ready};
use std::ops::ControlFlow::{self, Break, Continue};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use rankine_guest::{Answer, Callback, YieldOnce};
pub(crate) use rankine_local::errhan::On;
use rankine_local::errhan::Raised;
use rankine_local::{End, Ended, Rank, Step};
use wasmtime::{Caller, Result, format_err};

use super::Guest;
use super::placed::{Body, Placed};
use crate::guest::callback;
use crate::guest::team::{Member, Turn};
use crate::guest::{Abort, Stopped};

/// Why a call doesn't return to its guest.
pub(super) enum Stop {
    /// The job ended while the rank waited.
    Ended,
    /// A callback trapped.
    Trap(wasmtime::Error),
}

impl From<Ended> for Stop {
    fn from(_: Ended) -> Stop {
        Stop::Ended
    }
}

impl From<wasmtime::Error> for Stop {
    fn from(error: wasmtime::Error) -> Stop {
        Stop::Trap(error)
    }
}

impl Stop {
    fn into_error(self, rank: &Rank) -> wasmtime::Error {
        match self {
            Stop::Ended => stopped(rank, None),
            Stop::Trap(error) => error,
        }
    }
}

/// The job has ended and this rank with it: by this error, if the rank was the one to end it.
#[cold]
fn stopped(rank: &Rank, error: Option<String>) -> wasmtime::Error {
    match rank.world().ended() {
        Some(End::Abort { rank: by, code }) if *by == rank.id() => Abort { code: *code, error }.into(),
        ended => {
            let (waiting, together) = (rank.waiting(), rank.waits_together());
            Stopped { waiting, together, in_deadlock: ended == Some(&End::Deadlock) }.into()
        }
    }
}

/// Begins a call: the rank learns which function runs. The caller gives the turn back last, when all that the call has made is
/// dropped.
#[inline(always)]
fn enter<'r>(caller: &mut Caller<'r, Guest>, name: &'static str, any_thread: bool) -> Result<(Turn<Rank>, &'r Rank)> {
    let turn = Guest::begin(caller, name, any_thread)?;
    // SAFETY: the store owns the rank and never replaces it, an `Arc`'s content doesn't move, and the store is borrowed
    // for `'r`. No `&mut Rank` is ever made. Other threads of the rank have their turn before or after this call, or
    // while it waits.
    let rank = unsafe { &*Arc::as_ptr(caller.data().rank()) };
    if rank.is_observed() {
        tell_events(caller, rank)?;
    }
    rank.enter(name);
    Ok((turn, rank))
}

/// The rank, for a function that gives a value and may be called at any time.
#[inline]
pub(crate) fn rank<'r>(caller: &'r Caller<'_, Guest>, name: &'static str) -> Result<(Turn<Rank>, &'r Rank)> {
    let guest = caller.data();
    Ok((Turn::begin(guest.member(), name, true)?, guest.rank()))
}

/// Calls the callbacks of events that have been since the last call.
#[cold]
fn tell_events(caller: &mut Caller<'_, Guest>, rank: &Rank) -> Result<()> {
    if rank.hear() {
        while let Some(request) = rank.next_to_hear() {
            callback::answer_at_once(caller, request)?;
        }
    }
    Ok(())
}

/// A call that never waits: the same on threads and fibers.
#[inline]
pub(crate) fn now<'r>(
    caller: Caller<'r, Guest>,
    name: &'static str,
    on: On,
    body: impl FnOnce(&'r Rank) -> rankine_guest::Result<()>,
) -> Result<i32> {
    carry_now(caller, name, false, on, |rank| {
        rank.check_running()?;
        body(rank)
    })
}

/// A call that never waits, on whichever thread.
#[inline]
pub(crate) fn now_any_thread<'r>(
    caller: Caller<'r, Guest>,
    name: &'static str,
    on: On,
    body: impl FnOnce(&'r Rank) -> rankine_guest::Result<()>,
) -> Result<i32> {
    carry_now(caller, name, true, on, |rank| {
        rank.check_running()?;
        body(rank)
    })
}

/// A call that never waits, before `MPI_Init` and after `MPI_Finalize` too.
#[inline]
pub(crate) fn now_anytime<'r>(
    caller: Caller<'r, Guest>,
    name: &'static str,
    on: On,
    body: impl FnOnce(&'r Rank) -> rankine_guest::Result<()>,
) -> Result<i32> {
    carry_now(caller, name, true, on, body)
}

#[inline]
fn carry_now<'r>(
    mut caller: Caller<'r, Guest>,
    name: &'static str,
    any_thread: bool,
    on: On,
    body: impl FnOnce(&'r Rank) -> rankine_guest::Result<()>,
) -> Result<i32> {
    let (_turn, rank) = enter(&mut caller, name, any_thread)?;
    match body(rank) {
        Ok(()) => Ok(0),
        Err(error) => now_failed(&mut caller, rank, on, error),
    }
}

#[cold]
fn now_failed(caller: &mut Caller<'_, Guest>, rank: &Rank, on: On, error: rankine_guest::Error) -> Result<i32> {
    let outcome = pin!(raise(rank, on, error));
    wait_on_thread(caller, rank, outcome, callback::answer_at_once)
        .unwrap_or_else(|stop: Stop| Err(stop.into_error(rank)))
}

/// Waits for a function of the engine. `answer` answers its requests. A thread of a team leaves the turn to the others
/// while it waits.
fn wait_on_thread<F: Future + ?Sized>(
    caller: &mut Caller<'_, Guest>,
    rank: &Rank,
    mut future: Pin<&mut F>,
    answer: impl Fn(&mut Caller<'_, Guest>, Callback) -> Result<Answer>,
) -> std::result::Result<F::Output, Stop> {
    // Most never wait.
    if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        return Ok(output);
    }
    match caller.data().member().cloned() {
        None => rankine_local::wait(rank, future, |request| Ok(answer(caller, request)?)),
        Some(member) => rankine_local::wait_in_turns(rank, future, |request| Ok(answer(caller, request)?), &member),
    }
}

/// A call that may wait, on a thread that is its rank's alone.
#[inline]
pub(crate) fn wait<'r, F>(
    mut caller: Caller<'r, Guest>,
    name: &'static str,
    on: On,
    body: impl FnOnce(&'r Rank) -> F,
) -> Result<i32>
where
    F: Future<Output = rankine_guest::Result<()>>,
{
    let (_turn, rank) = enter(&mut caller, name, false)?;
    match rank.check_running() {
        Ok(()) => wait_for(&mut caller, rank, on, body(rank)),
        Err(error) => now_failed(&mut caller, rank, on, error),
    }
}

/// A call that may wait, whose usual case needs no waiting: `begin` does that, or gives the rest as a future; `then`
/// is done with the outcome of either.
#[inline]
pub(crate) fn wait_unless<'r, T, F>(
    mut caller: Caller<'r, Guest>,
    name: &'static str,
    on: On,
    begin: impl FnOnce(&'r Rank) -> rankine_guest::Result<ControlFlow<T, F>>,
    then: impl FnOnce(&'r Rank, rankine_guest::Result<T>) -> rankine_guest::Result<()>,
) -> Result<i32>
where
    F: Future<Output = rankine_guest::Result<T>>,
{
    let (_turn, rank) = enter(&mut caller, name, false)?;
    if let Err(error) = rank.check_running() {
        return now_failed(&mut caller, rank, on, error);
    }
    let done = match begin(rank) {
        Ok(Continue(rest)) => return wait_for(&mut caller, rank, on, async move { then(rank, rest.await) }),
        Ok(Break(done)) => then(rank, Ok(done)),
        Err(error) => then(rank, Err(error)),
    };
    match done {
        Ok(()) => Ok(0),
        Err(error) => now_failed(&mut caller, rank, on, error),
    }
}

/// A call that may wait, before `MPI_Init` and after `MPI_Finalize` too.
#[inline]
pub(crate) fn wait_anytime<'r, F>(
    mut caller: Caller<'r, Guest>,
    name: &'static str,
    on: On,
    body: impl FnOnce(&'r Rank) -> F,
) -> Result<i32>
where
    F: Future<Output = rankine_guest::Result<()>>,
{
    // MPI_Init and its like are for one thread.
    let (_turn, rank) = enter(&mut caller, name, false)?;
    wait_for(&mut caller, rank, on, body(rank))
}

#[inline]
fn wait_for<F>(caller: &mut Caller<'_, Guest>, rank: &Rank, on: On, future: F) -> Result<i32>
where
    F: Future<Output = rankine_guest::Result<()>>,
{
    let mut future = pin!(future);
    // Most calls never wait.
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Ok(())) => Ok(0),
        Poll::Ready(Err(error)) => now_failed(caller, rank, on, error),
        Poll::Pending => keep_waiting(caller, rank, on, future),
    }
}

fn keep_waiting(caller: &mut Caller<'_, Guest>, rank: &Rank, on: On, future: Pin<&mut Body<'_>>) -> Result<i32> {
    let outcome = wait_on_thread(caller, rank, future, callback::answer);
    match outcome.map_err(|stop: Stop| stop.into_error(rank))? {
        Ok(()) => Ok(0),
        Err(error) => now_failed(caller, rank, on, error),
    }
}

/// What Wasmtime takes from a call on a fiber.
pub(crate) type OnFiber<'r> = Box<dyn Future<Output = Result<i32>> + Send + 'r>;

/// A call that has succeeded at once. It has no size, so a box of it takes no memory.
struct Success;

impl Future for Success {
    type Output = Result<i32>;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<i32>> {
        Poll::Ready(Ok(0))
    }
}

/// A call that may wait, on a fiber: waiting suspends it. One that completes at once allocates nothing.
#[inline]
pub(crate) fn fiber<'r, F>(
    mut caller: Caller<'r, Guest>,
    name: &'static str,
    on: On,
    body: impl FnOnce(&'r Rank) -> F,
) -> OnFiber<'r>
where
    F: Future<Output = rankine_guest::Result<()>> + 'r,
{
    let (turn, rank) = match enter(&mut caller, name, false) {
        Ok(entered) => entered,
        Err(error) => return Box::new(ready(Err(error))),
    };
    match rank.check_running() {
        Ok(()) => begin_on_fiber(caller, turn, rank, on, Placed::new(body(rank))),
        Err(error) => fail_on_fiber(caller, turn, rank, on, error),
    }
}

/// A call on a fiber, whose usual case needs no waiting (see [`wait_unless`]).
#[inline]
pub(crate) fn fiber_unless<'r, T, F>(
    mut caller: Caller<'r, Guest>,
    name: &'static str,
    on: On,
    begin: impl FnOnce(&'r Rank) -> rankine_guest::Result<ControlFlow<T, F>>,
    then: impl FnOnce(&'r Rank, rankine_guest::Result<T>) -> rankine_guest::Result<()> + 'r,
) -> OnFiber<'r>
where
    F: Future<Output = rankine_guest::Result<T>> + 'r,
{
    let (turn, rank) = match enter(&mut caller, name, false) {
        Ok(entered) => entered,
        Err(error) => return Box::new(ready(Err(error))),
    };
    if let Err(error) = rank.check_running() {
        return fail_on_fiber(caller, turn, rank, on, error);
    }
    let done = match begin(rank) {
        Ok(Continue(rest)) => {
            return begin_on_fiber(caller, turn, rank, on, Placed::new(async move { then(rank, rest.await) }));
        }
        Ok(Break(done)) => then(rank, Ok(done)),
        Err(error) => then(rank, Err(error)),
    };
    match done {
        Ok(()) => Box::new(Success),
        Err(error) => fail_on_fiber(caller, turn, rank, on, error),
    }
}

/// A call on a fiber, before `MPI_Init` and after `MPI_Finalize` too.
#[inline]
pub(crate) fn fiber_anytime<'r, F>(
    mut caller: Caller<'r, Guest>,
    name: &'static str,
    on: On,
    body: impl FnOnce(&'r Rank) -> F,
) -> OnFiber<'r>
where
    F: Future<Output = rankine_guest::Result<()>> + 'r,
{
    match enter(&mut caller, name, false) {
        Ok((turn, rank)) => begin_on_fiber(caller, turn, rank, on, Placed::new(body(rank))),
        Err(error) => Box::new(ready(Err(error))),
    }
}

/// Runs a function of the engine as far as it comes; the rest of it, if it has to wait, is for the fiber.
fn begin_on_fiber<'r>(
    mut caller: Caller<'r, Guest>,
    turn: Turn<Rank>,
    rank: &'r Rank,
    on: On,
    mut body: Placed<'r>,
) -> OnFiber<'r> {
    match step(&caller, rank, body.as_mut()) {
        Step::Done(Ok(())) => Box::new(Success),
        Step::Done(Err(error)) => fail_on_fiber(caller, turn, rank, on, error),
        first => on_fiber(async move {
            let _turn = turn;
            let mut body = body;
            match drive(&mut caller, rank, body.as_mut(), first).await.map_err(|stop| stop.into_error(rank))? {
                Ok(()) => Ok(0),
                Err(error) => Box::pin(raise_on_fiber(&mut caller, rank, on, error)).await,
            }
        }),
    }
}

#[cold]
fn fail_on_fiber<'r>(
    mut caller: Caller<'r, Guest>,
    turn: Turn<Rank>,
    rank: &'r Rank,
    on: On,
    error: rankine_guest::Error,
) -> OnFiber<'r> {
    on_fiber(async move {
        let _turn = turn;
        raise_on_fiber(&mut caller, rank, on, error).await
    })
}

async fn raise_on_fiber(
    caller: &mut Caller<'_, Guest>,
    rank: &Rank,
    on: On,
    error: rankine_guest::Error,
) -> Result<i32> {
    let mut outcome = pin!(raise(rank, on, error));
    let first = step(caller, rank, outcome.as_mut());
    drive(caller, rank, outcome, first).await.unwrap_or_else(|stop| Err(stop.into_error(rank)))
}

/// A future of a call, declared to move between threads only as a whole.
struct Sent<F>(F);

// SAFETY: only `on_fiber` makes one. Such a future is polled by the worker that runs the fiber and no other; what it
// refers to is the rank's own, which moves between workers together with it (see `Rank`).
unsafe impl<F> Send for Sent<F> {}

impl<F: Future> Future for Sent<F> {
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: the only field is pinned exactly when the whole is.
        unsafe { self.map_unchecked_mut(|sent| &mut sent.0) }.poll(cx)
    }
}

/// What is left of a call when it has to wait.
fn on_fiber<'r>(rest: impl Future<Output = Result<i32>> + 'r) -> OnFiber<'r> {
    Box::new(Sent(rest))
}

/// Polls a function of the engine once, on a fiber.
fn step<F: Future + ?Sized>(caller: &Caller<'_, Guest>, rank: &Rank, future: Pin<&mut F>) -> Step<F::Output> {
    if caller.data().cannot_wait { rank.step_awake(future) } else { rank.step(future) }
}

/// Runs a function of the engine to its end on a fiber, after its first step. What is rarely awaited has a box of its own:
/// an allocator is quick with the small rest.
async fn drive<F: Future + ?Sized>(
    caller: &mut Caller<'_, Guest>,
    rank: &Rank,
    mut future: Pin<&mut F>,
    mut last: Step<F::Output>,
) -> std::result::Result<F::Output, Stop> {
    loop {
        let cannot_wait = caller.data().cannot_wait;
        match last {
            Step::Done(output) => return Ok(output),
            Step::Ended => return Err(Stop::Ended),
            Step::Ask(request) => {
                let answer = Box::pin(callback::answer_on_fiber(caller, request)).await?;
                rank.answer(answer);
            }
            Step::Yielded if cannot_wait => std::thread::yield_now(),
            Step::Parked if cannot_wait => return Err(cannot_be_waited_for(rank)),
            Step::Yielded => YieldOnce::default().await,
            Step::Parked => rank.woken().await,
        }
        last = step(caller, rank, future.as_mut());
    }
}

#[cold]
fn cannot_be_waited_for(rank: &Rank) -> Stop {
    let call = rank.call();
    Stop::Trap(format_err!(
        "an error handler or an event's callback waits in {call} for another rank, but was called where nothing can wait; run this program with --threads"
    ))
}

/// Hands an error to the handler it belongs to; the code the guest gets, if it gets to see one.
async fn raise(rank: &Rank, on: On, error: rankine_guest::Error) -> Result<i32> {
    match rank.raise(on, error).await {
        Raised::Code(code) => Ok(code),
        Raised::Fatal { code, text } => {
            rank.world().end(End::Abort { rank: rank.id(), code });
            Err(stopped(rank, Some(text)))
        }
    }
}

impl rankine_local::Turns for Member<Rank> {
    fn thread(&self) -> u32 {
        self.number
    }

    fn is_wanted(&self) -> bool {
        Member::is_wanted(self)
    }

    fn pass(&self) {
        Member::pass(self);
    }

    fn sleep(&self) -> bool {
        Member::sleep(self)
    }
}
