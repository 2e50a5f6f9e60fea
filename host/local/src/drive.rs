//! Running the engine's futures on a rank: polling, spinning, parking, and calls back into the guest.
//!
//! A future of the engine never blocks and never runs guest code. When it needs the guest (a user-defined reduction, an
//! attribute's copy function) it leaves a [`Callback`] and returns `Pending`; the driver, which is on the rank's own
//! stack, runs it and polls again.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use rankine_abi::FnPtr;
use rankine_guest::{Answer, Arguments, Callback};

use crate::events::Event;
use crate::mailbox::operation::OpRef;
use crate::rank::Rank;
use crate::sync::Backoff;

/// Between two polls a rank that spins only looks for what can change: loads from lines that stay here until somebody writes
/// them.
const LOOKS: u32 = if cfg!(miri) { 1 } else { 100 };
/// The number of a question whose answer nobody waits for.
const NOBODYS: u32 = 0;

impl Rank {
    /// Asks the guest, and waits for its answer.
    pub async fn ask(&self, callback: Callback) -> Answer {
        let questions = &self.questions;
        let mut callback = Some(callback);
        let mut number = 0;
        poll_fn(|_| {
            if number == 0 {
                if self.deaf.get() || questions.next.borrow().is_some() {
                    questions.refused.set(true);
                    return Poll::Pending;
                }
                number = questions.last.get().wrapping_add(1).max(1);
                questions.last.set(number);
                *questions.next.borrow_mut() = callback.take().map(|callback| (number, callback));
                return Poll::Pending;
            }
            let mut answers = questions.answers.borrow_mut();
            match answers.iter().position(|(of, _)| *of == number) {
                Some(index) => Poll::Ready(answers.swap_remove(index).1),
                None => Poll::Pending,
            }
        })
        .await
    }

    /// Calls a function of the guest's, whose result is an int.
    pub(crate) async fn call_guest(&self, function: FnPtr, arguments: Arguments) -> i32 {
        self.ask(arguments.call(function)).await as i32
    }

    /// Has everything polled once more before the rank parks: one of its futures has made way for another.
    pub(crate) fn poll_again(&self) {
        self.questions.refused.set(true);
    }

    /// What the engine asks of the guest, after a poll that returned `Pending`.
    pub fn take_callback(&self) -> Option<Callback> {
        let (number, callback) = self.questions.next.borrow_mut().take()?;
        self.questions.running.borrow_mut().push(number);
        Some(callback)
    }

    /// The guest's answer to the last callback that was taken.
    pub fn answer(&self, answer: Answer) {
        match self.questions.running.borrow_mut().pop() {
            None | Some(NOBODYS) => {}
            Some(number) => self.questions.answers.borrow_mut().push((number, answer)),
        }
    }

    /// What is asked of the guest for somebody who wants to know where the rank waits, and has not been told yet.
    fn take_inquiry(&self) -> Option<Callback> {
        let inquiries = self.world().inquiries();
        if self.questions.told.replace(inquiries) == inquiries {
            return None;
        }
        self.questions.running.borrow_mut().push(NOBODYS);
        Some(Callback::Whereabouts { waiting: self.waiting() })
    }
}

/// What a rank's driver does after a poll.
#[derive(Debug)]
pub enum Step<T> {
    /// The function has returned.
    Done(T),
    /// Run this, say [`Rank::answer`], and step again.
    Ask(Callback),
    /// Nothing was found, but the rank polls and does not wait: let others run, then step again.
    Yielded,
    /// The rank is parked: stop until `Wake::wake`, then call [`Rank::resume`] and step again (see [`Rank::woken`]).
    Parked,
    /// The job has ended: drop the future and unwind.
    Ended,
}

/// What becomes of a rank after a poll that finds nothing to do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    /// It looks again.
    Looks,
    /// It has announced what it waits for, and whoever has called decides whether it parks.
    Announced,
    Parks,
}

impl Rank {
    /// Polls once, and parks the rank if there is nothing to do. This is all that an executor of fibers needs.
    pub fn step<F: Future + ?Sized>(&self, future: Pin<&mut F>) -> Step<F::Output> {
        self.poll(future, Then::Parks)
    }

    /// Polls once, for a rank that can't be stopped: [`Step::Parked`] says that there is nothing to do, and parks nobody.
    pub fn step_awake<F: Future + ?Sized>(&self, future: Pin<&mut F>) -> Step<F::Output> {
        self.poll(future, Then::Looks)
    }

    fn poll<F: Future + ?Sized>(&self, mut future: Pin<&mut F>, then: Then) -> Step<F::Output> {
        let mut context = Context::from_waker(Waker::noop());
        self.parking.set(then != Then::Looks);
        let mut backoff = Backoff::new();
        loop {
            if then != Then::Looks {
                self.waits.borrow_mut().clear();
            }
            self.advance();
            if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
                self.parking.set(false);
                return Step::Done(output);
            }
            if let Some(callback) = self.take_callback() {
                self.parking.set(false);
                return Step::Ask(callback);
            }
            if self.world().ended().is_some() {
                self.parking.set(false);
                return Step::Ended;
            }
            if self.yielding.take() {
                self.parking.set(false);
                return Step::Yielded;
            }
            if self.questions.refused.take() {
                continue;
            }
            if then != Then::Looks
                && let Some(callback) = self.take_inquiry()
            {
                self.parking.set(false);
                return Step::Ask(callback);
            }
            if then == Then::Announced {
                self.parking.set(false);
                return Step::Parked;
            }
            if then == Then::Looks || self.park() {
                return Step::Parked;
            }
            // Something has come in between, and perhaps what waits does not look for it; or a producer is still writing it.
            self.progress();
            backoff.pause();
        }
    }

    /// Puts the rank to sleep, once what it waits for is announced; false if there is something to look at first.
    pub fn park(&self) -> bool {
        self.world().try_park(self.me(), || self.awaits())
    }

    /// Whether a rank that parked has been woken.
    pub fn is_woken(&self) -> bool {
        self.world().is_woken(self.id())
    }

    /// Whether somebody has something for the rank, which is awake.
    fn is_notified(&self) -> bool {
        self.world().is_notified(self.me())
    }

    /// The rank runs again after [`Step::Parked`]; whether somebody has woken it.
    pub fn resume(&self) -> bool {
        self.world().resume(self.me())
    }

    /// Waits for [`Wake::wake`](crate::Wake::wake) after [`Step::Parked`]: what a fiber does then. The rank runs again
    /// also if the future is dropped instead.
    pub async fn woken(&self) {
        struct Parked<'a>(&'a Rank);
        impl Drop for Parked<'_> {
            fn drop(&mut self) {
                self.0.resume();
            }
        }
        let _parked = Parked(self);
        // Others than the engine may poll us in between.
        poll_fn(|_| if self.world().is_woken(self.id()) { Poll::Ready(()) } else { Poll::Pending }).await;
    }

    /// Spins on the future for a while, attending to the mailbox as its owner: what arrives is matched without a
    /// hand-over.
    fn spin<F: Future + ?Sized>(&self, mut future: Pin<&mut F>, stops: impl Fn() -> bool) -> Option<Step<F::Output>> {
        let _attending = self.attend();
        let mut spinning = self.patience.begin(self.tools.spin_polls.get());
        let found = loop {
            match self.poll(future.as_mut(), Then::Looks) {
                Step::Parked => {
                    let looks = if self.restless.take() { 1 } else { LOOKS };
                    let look = || {
                        self.look_out(looks, self.watched.get());
                    };
                    if stops() || !spinning.look(look) {
                        break None;
                    }
                }
                step => break Some(step),
            }
        };
        self.tell(|| Event::Spun { rank: self.id(), polls: spinning.looks() });
        found
    }

    /// Spins on the future and carries letters between nodes meanwhile, if that is this rank's to do.
    fn spin_and_carry<F: Future + ?Sized>(
        &self,
        mut future: Pin<&mut F>,
        stops: impl Fn() -> bool,
    ) -> Option<Step<F::Output>> {
        let mut helping = self.world().begin_to_help()?;
        let mut is_soon = self.world().spins() && !self.world().has_requests();
        let _attending = self.attend();
        loop {
            match self.poll(future.as_mut(), Then::Looks) {
                // A message of this node comes soon or not at all; to one of another the rank itself sees.
                Step::Parked if is_soon => {
                    self.look_out(LOOKS, self.watched.get());
                    is_soon = false;
                }
                Step::Parked => {
                    if stops() || !self.world().helps_on(self.outside(|| helping.look())) {
                        return None;
                    }
                }
                step => return Some(step),
            }
        }
    }

    /// Spins on the future, if that may be better than to sleep at once.
    fn spin_first<F: Future + ?Sized>(&self, future: Pin<&mut F>, stops: impl Fn() -> bool) -> Option<Step<F::Output>> {
        if self.world().helpers().is_some_and(|helpers| helpers.are_ranks()) {
            return self.spin_and_carry(future, stops);
        }
        if self.world().spins() { self.spin(future, stops) } else { None }
    }

    /// Waits until an envelope is there or `watched` has changed, but not for long; whether it is so.
    #[inline]
    pub(crate) fn look_out(&self, times: u32, watched: Option<OpRef>) -> bool {
        let ring = &self.mailbox().ring;
        for _ in 0..times {
            if ring.has_next() || watched.is_some_and(|operation| operation.has_news()) {
                return true;
            }
            crate::sync::spin_loop();
        }
        false
    }
}

/// The job ended while a rank waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended;

/// Runs a future of the engine on a thread that belongs to its rank alone. `call` runs callbacks; its error ends the
/// call.
#[inline]
pub fn block_on<F: Future, E: From<Ended>>(
    rank: &Rank,
    future: F,
    call: impl FnMut(Callback) -> Result<Answer, E>,
) -> Result<F::Output, E> {
    let mut future = pin!(future);
    // Most calls never wait.
    if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        return Ok(output);
    }
    wait(rank, future, call)
}

/// The rest of [`block_on`], for a future that was polled and is not ready.
pub fn wait<F: Future + ?Sized, E: From<Ended>>(
    rank: &Rank,
    mut future: Pin<&mut F>,
    mut call: impl FnMut(Callback) -> Result<Answer, E>,
) -> Result<F::Output, E> {
    if let Some(callback) = rank.take_callback() {
        rank.answer(call(callback)?);
    }
    loop {
        let spun = rank.spin_first(future.as_mut(), || false);
        match spun.unwrap_or_else(|| rank.step(future.as_mut())) {
            Step::Done(output) => return Ok(output),
            Step::Ended => return Err(Ended.into()),
            Step::Ask(callback) => rank.answer(call(callback)?),
            Step::Yielded => std::thread::yield_now(),
            Step::Parked => {
                while !rank.is_woken() {
                    std::thread::park();
                }
                rank.resume();
            }
        }
    }
}

/// How the threads of a rank take turns at it.
pub trait Turns {
    /// The number of the thread that has the turn.
    fn thread(&self) -> u32;

    /// Whether others want the turn.
    fn is_wanted(&self) -> bool;

    /// Lets them have it, and gets it again.
    fn pass(&self);

    /// Leaves the turn to others until it is worth looking again: [`Rank::park`] has put the rank to sleep and it was woken,
    /// or another thread has called, or said that it has [news](Rank::take_news). False if nothing shall be waited for any more.
    fn sleep(&self) -> bool;
}

/// Waits for a rank whose threads take turns at it. Several may wait at once: what a call of another thread finds in the
/// rank when it comes is put aside while it waits.
pub fn wait_in_turns<F: Future + ?Sized, E: From<Ended>>(
    rank: &Rank,
    mut future: Pin<&mut F>,
    mut call: impl FnMut(Callback) -> Result<Answer, E>,
    turns: &impl Turns,
) -> Result<F::Output, E> {
    if let Some(callback) = rank.take_callback() {
        rank.answer(call(callback)?);
    }
    // Another thread may have announced what it waits for, and is not told while this one looks.
    let stops = || turns.is_wanted() || rank.is_notified();
    loop {
        let spun = rank.spin_first(future.as_mut(), stops);
        match spun.unwrap_or_else(|| rank.poll(future.as_mut(), Then::Announced)) {
            Step::Done(output) => return Ok(output),
            Step::Ask(callback) => rank.answer(call(callback)?),
            Step::Yielded => aside(rank, turns, || turns.pass()),
            Step::Parked if aside(rank, turns, || turns.sleep()) => {}
            Step::Ended | Step::Parked => {
                rank.leave_call(turns.thread());
                return Err(Ended.into());
            }
        }
    }
}

/// Leaves the rank to other threads.
fn aside<T>(rank: &Rank, turns: &impl Turns, leave: impl FnOnce() -> T) -> T {
    rank.put_aside(turns.thread());
    let left = leave();
    rank.take_up(turns.thread());
    left
}

/// Looks after what others wait for; whether this rank then need not give the others of its thread a turn. One with a core of
/// its own need not, except when it keeps others out of its mailbox, or when what was polled has asked the guest something:
/// whoever polls in a loop would never run it.
pub(crate) fn need_not_yield(rank: &Rank) -> bool {
    if let Some(helpers) = rank.world().helpers() {
        rank.outside(|| helpers.look());
    }
    rank.world().spins() && !rank.attending.get() && rank.questions.next.borrow().is_none()
}

/// Gives the other ranks of this thread a turn: what functions that only poll do when they find nothing.
pub(crate) async fn yield_now(rank: &Rank) {
    if need_not_yield(rank) {
        return;
    }
    let mut asked = false;
    poll_fn(|_| {
        // Until the driver has seen it: the first poll of a call is not always its own.
        if !std::mem::replace(&mut asked, true) {
            rank.yielding.set(true);
        }
        if rank.yielding.get() { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;

    use rankine_abi::{Addr, Comm, Datatype, FnPtr};

    use super::*;
    use crate::pt2pt::{irecv, isend, recv, send};
    use crate::request::grequest_start;
    use crate::testing::{Nobody, rank, threads};
    use crate::world::{End, Options, World};

    fn two(spin: bool) -> (Arc<World>, [Rank; 2]) {
        let world = World::new(2, Arc::new(Nobody), None, Options { spin, ..Options::default() });
        let ranks = [rank(&world, 0), rank(&world, 1)];
        (world, ranks)
    }

    fn panics(f: impl FnOnce()) {
        assert!(catch_unwind(AssertUnwindSafe(f)).is_err());
    }

    #[test]
    fn a_panic_leaves_the_gate_open() {
        let (world, [zero, one]) = two(true);
        let is_open = |rank: u32| world.mailbox(rank).try_enter().is_some();
        panics(|| zero.inside(|_| panic!("inside")));
        assert!(is_open(0));
        // A rank that spins: in its future, inside of its gate, and while it is at a peer's.
        let spin = |panics_at: &dyn Fn()| {
            let mut polls = 0;
            let future = poll_fn(|_| {
                polls += 1;
                if polls == 3 {
                    panics_at();
                }
                Poll::<()>::Pending
            });
            panics(|| assert!(block_on(&zero, future, |_| Ok::<Answer, Ended>(0)).is_err()));
            assert!(!zero.attending.get() && is_open(0) && is_open(1));
        };
        spin(&|| panic!("in the future"));
        spin(&|| zero.inside(|inside| inside.matching(|_| panic!("inside"))));
        spin(&|| zero.outside(|| world.mailbox(1).enter().matching(|_| panic!("at a peer's"))));
        // Both still receive.
        let received = irecv(&zero, Addr(64), 1, Datatype::BYTE, 1, 0, Comm::WORLD).unwrap();
        let sent =
            block_on(&one, send(&one, Addr(64), 1, Datatype::BYTE, 0, 0, Comm::WORLD), |_| Ok::<Answer, Ended>(0));
        assert_eq!(sent, Ok(Ok(())));
        let received = block_on(&zero, crate::request::wait(&zero, received), |_| Ok::<Answer, Ended>(0));
        assert_eq!(received.unwrap().unwrap().status.bytes(), 1);
    }

    #[test]
    fn a_rank_that_is_dropped_while_it_is_parked_counts_once() {
        for waits in [true, false] {
            let (world, [zero, one]) = two(false);
            let mut received = Box::pin(recv(&zero, Addr(64), 1, Datatype::BYTE, 1, 0, Comm::WORLD));
            assert!(matches!(zero.step(received.as_mut()), Step::Parked));
            if waits {
                let woken = pin!(zero.woken());
                assert!(woken.poll(&mut Context::from_waker(Waker::noop())).is_pending());
            }
            drop(received);
            zero.exit();
            assert_eq!(world.ended(), None, "the other rank runs");
            let received = pin!(recv(&one, Addr(64), 1, Datatype::BYTE, 0, 0, Comm::WORLD));
            assert!(matches!(one.step(received), Step::Parked));
            assert_eq!(world.ended(), Some(&End::Deadlock));
        }
    }

    #[test]
    fn who_waits_says_where_and_waits_on() {
        let (world, [zero, one]) = two(false);
        let mut received = Box::pin(recv(&zero, Addr(64), 1, Datatype::BYTE, 1, 7, Comm::WORLD));
        for _ in 0..2 {
            assert!(matches!(zero.step(received.as_mut()), Step::Parked));
            world.inquire();
            assert!(zero.resume());
            let Step::Ask(Callback::Whereabouts { waiting }) = zero.step(received.as_mut()) else {
                panic!("it does not say where it is");
            };
            assert!(waiting.contains("a message from rank 1 with tag 7"), "{waiting}");
            zero.answer(0);
        }
        assert!(matches!(zero.step(received.as_mut()), Step::Parked));
        assert_eq!(world.ended(), None);
        // Who does not wait says it when it comes to.
        let sent =
            block_on(&one, send(&one, Addr(64), 1, Datatype::BYTE, 0, 7, Comm::WORLD), |_| Ok::<Answer, Ended>(0));
        assert_eq!(sent, Ok(Ok(())));
        assert!(zero.resume() && matches!(zero.step(received.as_mut()), Step::Done(Ok(_))));
        let mut nothing = pin!(recv(&one, Addr(64), 1, Datatype::BYTE, 0, 8, Comm::WORLD));
        assert!(matches!(one.step(nothing.as_mut()), Step::Ask(Callback::Whereabouts { .. })));
        one.answer(0);
        assert!(matches!(one.step(nothing), Step::Parked));
    }

    #[test]
    fn what_has_come_keeps_no_rank_awake() {
        let (results, end) = threads(1, Options::default(), None, async |r| {
            // A wait that looks at no message.
            let request = grequest_start(r, FnPtr(1), FnPtr(1), FnPtr(1), rankine_abi::Kept::NULL).unwrap();
            irecv(r, Addr(64), 1, Datatype::BYTE, 0, 0, Comm::WORLD).unwrap();
            isend(r, Addr(65), 1, Datatype::BYTE, 0, 0, Comm::WORLD).unwrap();
            crate::request::wait(r, request).await.unwrap();
        });
        assert_eq!((results, end), (vec![None], Some(End::Deadlock)));
    }
}
