//! Sends and receives below MPI: starting, matching, completing. Nothing here blocks; waiting is awaiting.
//!
//! Whoever starts an operation gets a guard, [`Started`], which borrows what the operation's span borrows and takes the
//! operation back when it is dropped. So no operation outlives its bytes. Only where these stay of themselves (a
//! guest's memory, bytes that the operation keeps) can it be left to others, by [`Started::hand_over`].
//!
//! Whoever arrives second copies. A message of up to [`EAGER`](crate::mailbox::ring::EAGER) bytes travels in the envelope and its send is complete
//! at once; a longer one stays in the sender's memory until its receive is found, by the receiver, or by the sender on
//! behalf of a receiver that computes or sleeps.

mod moments;
mod started;

use std::mem::ManuallyDrop;

use rankine_abi::{MPI_ERR_OTHER, MPI_ERR_TRUNCATE};
use rankine_guest::Parcel;

use crate::copy;
use crate::error::{Error, Result};
use crate::events::Event;
use crate::joint;
use crate::mailbox::matching::{Arrived, Body, Left, Matching, Pair, Pattern, Ticket, Unexpected, Work, deliver};
use crate::mailbox::operation::{Kind, OpRef, Outcome, What};
use crate::mailbox::ring::Header;
use crate::mailbox::{Inside, Mailbox};
use crate::quota::Cost;
use crate::rank::Rank;
use crate::span::Span;
use crate::sync::Backoff;
use crate::waiting::Waited;

pub(crate) use moments::MOMENTS;
pub(crate) use started::Started;
pub use started::receive_into;

impl Rank {
    /// Runs `f` on this rank's own mailbox, inside the gate.
    #[inline(always)]
    pub(crate) fn inside<R>(&self, f: impl FnOnce(&mut Inside<'_>) -> R) -> R {
        let mailbox = self.mailbox();
        if self.attending.get() {
            // SAFETY: a rank that attends has entered its gate, and goes on to attend.
            return f(&mut ManuallyDrop::new(unsafe { mailbox.inside() }));
        }
        f(&mut mailbox.enter())
    }

    /// Keeps this rank inside its own gate, until the guard is dropped.
    pub(crate) fn attend(&self) -> Attending<'_> {
        self.go_in();
        Attending(self)
    }

    fn go_in(&self) {
        let _stays = ManuallyDrop::new(self.mailbox().enter());
        self.attending.set(true);
    }

    fn go_out(&self) {
        self.attending.set(false);
        // SAFETY: a rank that attends has entered its gate; from here on it does not.
        drop(unsafe { self.mailbox().inside() });
    }

    /// Runs `f` outside this rank's own gate: what waits for a peer's gate must not keep the peer waiting for ours.
    pub(crate) fn outside<R>(&self, f: impl FnOnce() -> R) -> R {
        if !self.attending.get() {
            return f();
        }
        self.go_out();
        let _back = Absent(self);
        f()
    }

    /// Runs `f` on the matching state after everything that arrived has been matched.
    #[inline]
    pub(crate) fn matched<R>(&self, f: impl FnOnce(&mut Matching) -> R) -> R {
        let mut work = Work::new(self.me(), self.me(), self.is_observed());
        let result = self.inside(|inside| {
            inside.drain(&mut work);
            inside.matching(f)
        });
        self.world().run(&mut work);
        result
    }

    /// Matches what has arrived.
    #[inline]
    pub(crate) fn progress(&self) {
        if self.mailbox().ring.has_next() {
            self.matched(|_| ());
        }
    }

    /// What lies here unexpected.
    pub(crate) fn unexpected(&self) -> Unexpected {
        self.matched(|matching| matching.unexpected())
    }

    /// How many sends and receives of this rank are under way.
    pub(crate) fn pending_operations(&self) -> u64 {
        self.world().operations(self.me()).saturating_sub(self.pool.borrow().len()) as u64
    }

    /// An operation to use, or an error when the rank has too many pending.
    #[inline]
    fn operation(&self) -> Result<OpRef> {
        let idle = self.pool.borrow_mut().pop();
        idle.map_or_else(|| self.new_operation(), Ok)
    }

    /// Whether a receive can be posted. Whoever sends before it is asks first: a message that has left can't be taken back.
    #[inline]
    pub(crate) fn has_operation(&self) -> bool {
        !self.pool.borrow().is_empty() || self.operation().map(|new| self.pool.borrow_mut().push(new)).is_ok()
    }

    #[cold]
    fn new_operation(&self) -> Result<OpRef> {
        let mut more = self.world().more_operations(self.me())?;
        let operation = more.pop().expect("more than none were made");
        *self.pool.borrow_mut() = more;
        Ok(operation)
    }

    /// Gives a complete operation back and returns how it ended.
    #[inline]
    pub(crate) fn release(&self, operation: OpRef) -> Outcome {
        self.release_if_done(operation).expect("only complete operations go back to the pool")
    }

    /// Gives an operation back that may still be pending: then nothing, and it stays where it is.
    #[inline(always)]
    pub(crate) fn release_if_done(&self, operation: OpRef) -> Option<Outcome> {
        let outcome = operation.finish()?;
        operation.clear_cargo();
        self.pool.borrow_mut().push(operation);
        Some(outcome)
    }

    /// Starts a send; nothing is under way when the message went into the envelope.
    #[inline(always)]
    pub(crate) fn post_send<'b>(&self, what: What, source: i32, span: Span<'b>) -> Result<Started<'_, 'b>> {
        if what.kind != Kind::Ssend && self.send_short(&what, source, &span) {
            return Ok(Started::nothing(self));
        }
        self.post_pulled(what, source, span)
    }

    /// Starts a send whose receiver pulls the message.
    #[inline(never)]
    pub(crate) fn post_pulled<'b>(&self, what: What, source: i32, span: Span<'b>) -> Result<Started<'_, 'b>> {
        if self.is_better_packed(&what, &span)
            && let Ok(charge) = self.account.charge(span.bytes(), Cost::Unreceived)
        {
            let operation = self.operation()?;
            let parcel = Parcel { charge, ..Parcel::from(span.to_vec()) };
            operation.start(what, Span::EMPTY);
            operation.load(parcel);
            return Ok(self.push_pulled(operation, &what, source));
        }
        let operation = self.operation()?;
        // SAFETY: nobody hears of the operation before there is a guard, which has the span's borrow, and takes the
        // operation back before it gives that up.
        operation.start(what, unsafe { span.lasting() });
        Ok(self.push_pulled(operation, &what, source))
    }

    /// Whether a message is read more quickly when its sender has put it into a row. Each of its elements lies on a cache line of
    /// its own, and the lines are near its sender; only ranks that share a core are as near to them. Where much is under way
    /// memory counts for more.
    fn is_better_packed(&self, what: &What, span: &Span<'_>) -> bool {
        const LONGEST: usize = 256 << 10;
        const MOST: u64 = 16;
        let world = self.world();
        let is_near = world.has_cores() && world.is_here(what.destination);
        span.is_sparse() && span.bytes() <= LONGEST && is_near && self.pending_operations() < MOST
    }

    /// As [`Rank::post_send`], of bytes that the operation keeps, or hands to its receiver.
    pub(crate) fn post_parcel(&self, what: What, source: i32, mut parcel: Parcel) -> Result<Started<'_, 'static>> {
        if self.send_short(&what, source, &Span::over(&mut parcel.bytes)) {
            return Ok(Started::nothing(self));
        }
        let parcel = parcel.kept(&self.account)?;
        let operation = self.operation()?;
        operation.start(what, Span::EMPTY);
        operation.load(parcel);
        Ok(self.push_pulled(operation, &what, source))
    }

    /// Sends the envelope of a message that its receiver pulls.
    fn push_pulled<'b>(&self, operation: OpRef, what: &What, source: i32) -> Started<'_, 'b> {
        let Some(destination) = self.world().near(what.destination) else {
            return self.offer_away(operation, what, source);
        };
        let header = Header { context: what.context, source, tag: what.tag, length: operation.span().bytes() as u64 };
        let address = operation.to_address().to_ne_bytes();
        let position = self.push(what.destination, destination, &header.pulled(), address.as_ptr());
        operation.get().position.set(position);
        let started = Started::guarding(self, operation);
        if destination.is_parked() {
            self.help(what.destination, position);
        } else {
            self.try_help(what.destination);
        }
        started
    }

    #[inline(always)]
    fn push_eager(&self, to: u32, mailbox: &Mailbox, header: &Header, span: &Span<'_>) {
        let position = match span.contiguous() {
            Some(from) => self.push(to, mailbox, header, from),
            None => self.push(to, mailbox, header, span.to_vec().as_ptr()),
        };
        self.tell(|| Event::Sent { from: self.id(), to: to as usize, bytes: header.bytes() });
        if mailbox.is_parked() {
            self.help(to, position);
        }
    }

    /// Appends to a destination's ring.
    #[inline(always)]
    fn push(&self, to: u32, mailbox: &Mailbox, header: &Header, payload: *const u8) -> u64 {
        // SAFETY: the payload is a proved span of `header.bytes()` bytes, or an operation's address.
        match unsafe { mailbox.push(header, payload) } {
            Ok(position) => position,
            Err(_) => self.push_to_full(to, mailbox, header, payload),
        }
    }

    /// Pushes to a ring that is full: drains it, and our own in case they wait for us.
    #[cold]
    fn push_to_full(&self, to: u32, mailbox: &Mailbox, header: &Header, payload: *const u8) -> u64 {
        let mut backoff = Backoff::new();
        loop {
            self.progress();
            self.try_help(to);
            backoff.pause();
            // SAFETY: the payload is a proved span of `header.bytes()` bytes, or an operation's address.
            if let Ok(position) = unsafe { mailbox.push(header, payload) } {
                return position;
            }
        }
    }

    /// Drains a peer's mailbox on its behalf, unless somebody is at it.
    pub(crate) fn try_help(&self, peer: u32) -> bool {
        if peer == self.me() {
            self.matched(|_| ());
            return true;
        }
        let mailbox = self.world().mailbox(peer);
        let Some(mut inside) = mailbox.try_enter() else { return false };
        let mut work = Work::new(self.me(), peer, self.is_observed());
        inside.drain(&mut work);
        mailbox.ring.publish_head();
        drop(inside);
        self.world().run(&mut work);
        true
    }

    /// Sees to it that the envelope at `position` of a peer's ring is matched: by us, or by whoever is inside its gate.
    fn help(&self, peer: u32, position: u64) {
        if self.world().mailbox(peer).ring.is_consumed(position) || self.try_help(peer) {
            return;
        }
        self.outside(|| {
            let mut backoff = Backoff::new();
            while !self.world().mailbox(peer).ring.is_consumed(position) && !self.try_help(peer) {
                backoff.pause();
            }
        });
    }

    /// Sends a message that fits into its envelope; false, and nothing is done, if it does not.
    #[inline(always)]
    pub(crate) fn send_short(&self, what: &What, source: i32, span: &Span<'_>) -> bool {
        let Some(mailbox) = self.world().near(what.destination) else {
            return self.send_short_away(what, source, span);
        };
        let short = span.bytes() <= self.tools.eager_limit.get() && !mailbox.is_congested();
        if short {
            let header = Header { context: what.context, source, tag: what.tag, length: span.bytes() as u64 };
            self.push_eager(what.destination, mailbox, &header, span);
        }
        short
    }

    /// Starts a receive.
    #[inline(always)]
    pub(crate) fn post_recv<'b>(&self, pattern: Pattern, span: Span<'b>) -> Result<Started<'_, 'b>> {
        self.post_recv_into(pattern, span, None)
    }

    /// Starts a receive, not made part of whoever calls it.
    #[inline(never)]
    pub(crate) fn post_recv_apart<'b>(&self, pattern: Pattern, span: Span<'b>) -> Result<Started<'_, 'b>> {
        self.post_recv(pattern, span)
    }

    #[inline(always)]
    fn post_recv_into<'b>(&self, pattern: Pattern, span: Span<'b>, room: Option<u64>) -> Result<Started<'_, 'b>> {
        let operation = self.operation()?;
        // SAFETY: nobody hears of the operation before there is a guard, which has the span's borrow, and takes the
        // operation back before it gives that up.
        operation.start(self.waits_for(Kind::Recv, &pattern), unsafe { span.lasting() });
        if let Some(limit) = room {
            operation.give_room(limit, &self.account);
        }
        let by = self.me();
        let (mut started, mut left) = (Started::nothing(self), None);
        self.matched(|matching| {
            started.guard(operation);
            left = matching.receive(pattern, operation, by);
        });
        match left {
            None => {}
            Some(Left::Pulled(header, send)) => self.world().transfer(Pair::new(send, operation, header), by),
            Some(Left::Bytes(header, bytes)) => self.fill(operation, &header, &bytes),
        }
        Ok(started)
    }

    /// Starts the receive of a message that was set aside before.
    pub(crate) fn post_ticket<'b>(&self, ticket: Ticket, span: Span<'b>) -> Result<Started<'_, 'b>> {
        let operation = self.operation()?;
        let Some(arrived) = self.matched(|matching| matching.take_aside(ticket)) else {
            self.pool.borrow_mut().push(operation);
            return Err(Error::new(MPI_ERR_OTHER, "the message was taken back because its sender has ended"));
        };
        let Header { context, source, tag, .. } = arrived.header;
        // SAFETY: nobody hears of the operation before there is a guard, which has the span's borrow, and takes the
        // operation back before it gives that up.
        operation.start(self.waits_for(Kind::Recv, &Pattern { context, source, tag }), unsafe { span.lasting() });
        let started = Started::guarding(self, operation);
        self.receive(arrived, operation);
        Ok(started)
    }

    /// Starts a receive of a message of any length up to `limit`, which [`OpRef::unload`] gives.
    pub(crate) fn post_recv_bytes(&self, pattern: Pattern, limit: u64) -> Result<Started<'_, 'static>> {
        self.post_recv_into(pattern, Span::EMPTY, Some(limit))
    }

    #[inline]
    fn waits_for(&self, kind: Kind, pattern: &Pattern) -> What {
        What { kind, context: pattern.context, peer: pattern.source, tag: pattern.tag, destination: self.me() }
    }

    /// Moves a message that was set aside to the receive that asked for it.
    fn receive(&self, arrived: Arrived, operation: OpRef) {
        match (&arrived.body, arrived.bytes()) {
            (_, Some(bytes)) => self.fill(operation, &arrived.header, bytes),
            (&Body::Pulled(send), _) => self.world().transfer(Pair::new(send, operation, arrived.header), self.me()),
            _ => unreachable!("a message has bytes or is pulled"),
        }
    }

    /// Copies the bytes of a message that was kept. Nobody else knows the operation: there is nobody to wake.
    fn fill(&self, operation: OpRef, header: &Header, bytes: &[u8]) {
        let _ = deliver(operation, self.me(), header, |to, length| {
            // SAFETY: `to` is part of the receive's proved span.
            unsafe { copy::copy(to, bytes.as_ptr(), length) }
        });
    }

    /// What has arrived and fits, without receiving it: source, tag and length.
    pub(crate) fn peek(&self, pattern: &Pattern) -> Option<Header> {
        self.matched(|matching| matching.peek(pattern).map(|arrived| arrived.header))
    }

    /// Sets the first message that fits aside, to be received by its ticket (matched probe, §3.8.2).
    pub(crate) fn set_aside(&self, pattern: &Pattern) -> Option<(Ticket, Header)> {
        self.matched(|matching| matching.set_aside(pattern))
    }

    /// Waits until a message that fits has arrived.
    pub(crate) async fn arrival(&self, pattern: Pattern) -> Result<Header> {
        loop {
            if let Some(header) = self.peek(&pattern) {
                return Ok(header);
            }
            let operation = self.operation()?;
            operation.start(self.waits_for(Kind::Probe, &pattern), Span::EMPTY);
            let missed = self.matched(|matching| {
                let there = matching.peek(&pattern).is_some();
                if !there {
                    matching.post(pattern, operation);
                }
                there
            });
            if missed {
                let _ = operation.complete(Outcome::default());
                self.release(operation);
            } else {
                Started::guarding(self, operation).finish().await;
            }
        }
    }

    /// The first bytes of the message that has arrived and fits, if there is one, and how long it is.
    pub(crate) fn peek_bytes(&self, pattern: &Pattern, head: &mut [u8]) -> Option<(Header, usize)> {
        self.matched(|matching| {
            let arrived = matching.peek(pattern)?;
            let copied = match (&arrived.body, arrived.bytes()) {
                (_, Some(bytes)) => {
                    let length = bytes.len().min(head.len());
                    head[..length].copy_from_slice(&bytes[..length]);
                    length
                }
                // The sender keeps its bytes until the message leaves the queue, which needs this gate.
                (Body::Pulled(send), None) => {
                    let length = send.span().bytes().min(head.len());
                    send.span().read(0, &mut head[..length]);
                    length
                }
                _ => 0,
            };
            Some((arrived.header, copied))
        })
    }

    /// Looks whether an operation is complete, after doing what can be done for it. In the last poll before
    /// parking it announces the wait, so that whoever completes the operation wakes this rank.
    #[inline]
    pub(crate) fn poll_operation(&self, operation: OpRef) -> bool {
        if operation.is_done() {
            return true;
        }
        self.progress();
        if operation.is_done() {
            return true;
        }
        let what = operation.what();
        if matches!(what.kind, Kind::Send | Kind::Ssend) {
            self.poll_send(operation, &what);
        }
        if !self.parking.get() {
            self.watched.set(Some(operation));
            return operation.is_done();
        }
        self.waits.borrow_mut().push(Waited::Operation(operation));
        !operation.announce_wait()
    }

    fn poll_send(&self, operation: OpRef, what: &What) {
        joint::help(&operation.get().joint);
        let position = operation.get().position.get();
        let Some(mailbox) = self.world().near(what.destination) else { return self.poll_away(operation, what) };
        if self.parking.get() {
            self.help(what.destination, position);
            self.buffer(operation, what);
        } else if !mailbox.ring.is_consumed(position) {
            self.try_help(what.destination);
        }
    }

    /// A standard send that would put its rank to sleep is copied away, up to a length: its receiver may only send too.
    fn buffer(&self, operation: OpRef, what: &What) {
        if what.kind != Kind::Send || operation.span().bytes() > self.tools.buffer_limit.get() {
            return;
        }
        let mailbox = self.world().mailbox(what.destination);
        if !mailbox.is_congested() && self.at(what.destination, |matching| matching.buffer_send(operation)) {
            let bytes = operation.span().bytes();
            let _ = operation.complete(Outcome::moved(bytes));
            self.tell(|| Event::Sent { from: self.id(), to: what.destination as usize, bytes });
        }
    }

    /// Runs `f` on a peer's matching state.
    fn at<R>(&self, peer: u32, f: impl FnOnce(&mut Matching) -> R) -> R {
        if peer == self.me() {
            return self.matched(f);
        }
        let mailbox = self.world().mailbox(peer);
        self.outside(|| mailbox.enter().matching(f))
    }

    /// `MPI_Cancel`: takes an operation back if it has not been matched; otherwise it goes on.
    pub(crate) fn cancel_operation(&self, operation: OpRef) {
        if operation.is_done() {
            return;
        }
        if self.is_away(&operation.what()) {
            return self.cancel_away(operation);
        }
        if self.take_back(operation, false) {
            let _ = operation.complete(Outcome::CANCELLED);
        }
    }

    /// Whether it is a send to a rank of another node.
    fn is_away(&self, what: &What) -> bool {
        matches!(what.kind, Kind::Send | Kind::Ssend) && self.world().near(what.destination).is_none()
    }

    /// Takes an unmatched operation out of the queue it waits in; false when it has been matched. A send that its
    /// receiver has set aside counts as matched, unless it is to be taken `anyway`.
    fn take_back(&self, operation: OpRef, anyway: bool) -> bool {
        let what = operation.what();
        match what.kind {
            Kind::Recv | Kind::Probe => self.matched(|matching| matching.withdraw(operation)),
            Kind::Send | Kind::Ssend => {
                self.help(what.destination, operation.get().position.get());
                self.at(what.destination, |matching| matching.withdraw_send(operation, anyway))
            }
        }
    }

    /// Takes an operation back if it has not been matched; otherwise waits, briefly, for the copy
    /// that is under way. Either way it is complete afterwards.
    pub(crate) fn withdraw(&self, operation: OpRef) {
        if operation.is_done() {
            return;
        }
        let taken = match self.is_away(&operation.what()) {
            true => self.abandon_away(operation),
            false => self.take_back(operation, true),
        };
        if taken {
            let _ = operation.complete(Outcome::CANCELLED);
            return;
        }
        let mut backoff = Backoff::new();
        while !operation.is_done() {
            self.world().give_up_on_away();
            backoff.pause();
        }
    }
}

/// A rank inside its own gate, for as long as it spins.
pub(crate) struct Attending<'a>(&'a Rank);

impl Drop for Attending<'_> {
    fn drop(&mut self) {
        self.0.go_out();
    }
}

/// A rank that attends, outside its gate for a moment.
struct Absent<'a>(&'a Rank);

impl Drop for Absent<'_> {
    fn drop(&mut self) {
        self.0.go_in();
    }
}

impl Outcome {
    /// All bytes of a message were moved.
    pub(crate) fn moved(bytes: usize) -> Outcome {
        Outcome { bytes: bytes as u64, length: bytes as u64, ..Outcome::default() }
    }

    /// The error of a message that did not fit.
    #[inline]
    pub(crate) fn check(&self) -> Result<()> {
        if self.length > self.bytes { self.truncated() } else { Ok(()) }
    }

    #[cold]
    fn truncated(&self) -> Result<()> {
        let text = format!(
            "a message of {} bytes from rank {} with tag {} does not fit into a buffer of {} bytes",
            self.length, self.source, self.tag, self.bytes
        );
        Err(Error::new(MPI_ERR_TRUNCATE, text).with_status(self.status()))
    }
}
