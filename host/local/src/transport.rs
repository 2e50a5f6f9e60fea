//! Sends and receives below MPI: starting, matching, completing. Nothing here blocks; waiting is awaiting.
//!
//! Whoever arrives second copies. A message of up to [`EAGER`] bytes travels in the envelope and its send is complete
//! at once; a longer one stays in the sender's memory until its receive is found, by the receiver, or by the sender on
//! behalf of a receiver that computes or sleeps.

use std::future::{Future, poll_fn};
use std::task::Poll;

use rankine_abi::{MPI_ERR_OTHER, MPI_ERR_TRUNCATE};

use crate::copy;
use crate::error::{Error, Result};
use crate::joint;
use crate::mailbox::Mailbox;
use crate::mailbox::matching::{Arrived, Body, Left, Matching, Pattern, Ticket, Work, deliver};
use crate::mailbox::operation::{Kind, OpRef, Outcome, Parcel, What};
use crate::mailbox::ring::{EAGER, Header};
use crate::rank::Rank;
use crate::span::Span;
use crate::sync::Backoff;
use crate::world::Event;

impl Rank {
    /// Runs `f` on this rank's own mailbox, inside the gate.
    #[inline(always)]
    pub(crate) fn inside<R>(&self, f: impl FnOnce(&Mailbox) -> R) -> R {
        let mailbox = self.mailbox();
        if self.attending.get() {
            return f(mailbox);
        }
        mailbox.enter();
        let result = f(mailbox);
        // SAFETY: entered above.
        unsafe { mailbox.leave() };
        result
    }

    /// Runs `f` outside this rank's own gate: what waits for a peer's gate must not keep the peer waiting for ours.
    fn outside<R>(&self, f: impl FnOnce() -> R) -> R {
        if !self.attending.replace(false) {
            return f();
        }
        // SAFETY: a rank that attends has entered its gate.
        unsafe { self.mailbox().leave() };
        let result = f();
        self.mailbox().enter();
        self.attending.set(true);
        result
    }

    /// Runs `f` on the matching state after everything that arrived has been matched.
    #[inline]
    fn matched<R>(&self, f: impl FnOnce(&mut Matching) -> R) -> R {
        let mut work = Work::new(self.me());
        let result = self.inside(|mailbox| {
            // SAFETY: inside the gate.
            unsafe {
                mailbox.drain(&mut work);
                mailbox.matching(f)
            }
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

    /// An operation to use, or an error when the rank has too many pending.
    fn operation(&self) -> Result<OpRef> {
        let mut pool = self.pool.borrow_mut();
        if pool.is_empty() {
            *pool = self.world().more_operations(self.me())?;
        }
        Ok(pool.pop().expect("more than none were made"))
    }

    /// Gives a complete operation back and returns how it ended.
    #[inline]
    pub(crate) fn release(&self, operation: OpRef) -> Outcome {
        self.release_if_done(operation).expect("only complete operations go back to the pool")
    }

    /// The same, of an operation that may still be pending: then nothing, and it stays where it is.
    #[inline(always)]
    pub(crate) fn release_if_done(&self, operation: OpRef) -> Option<Outcome> {
        let outcome = operation.finish()?;
        operation.clear_cargo();
        self.pool.borrow_mut().push(operation);
        Some(outcome)
    }

    /// Starts a send; nothing to wait for when the message went into the envelope.
    #[inline(always)]
    pub(crate) fn post_send(&self, what: What, source: i32, span: Span) -> Result<Option<OpRef>> {
        if what.kind != Kind::Ssend && self.send_short(&what, source, &span) {
            return Ok(None);
        }
        let operation = self.operation()?;
        operation.start(what, span);
        self.push_pulled(operation, &what, source);
        Ok(Some(operation))
    }

    /// As [`Rank::post_send`], of bytes that the operation keeps, or hands to its receiver.
    pub(crate) fn post_parcel(&self, what: What, source: i32, parcel: Parcel) -> Result<Option<OpRef>> {
        // SAFETY: borrowed for this call; a send does not write.
        let span = unsafe { Span::raw(parcel.bytes.as_ptr().cast_mut(), parcel.bytes.len()) };
        if self.send_short(&what, source, &span) {
            return Ok(None);
        }
        let parcel = parcel.kept(&self.account)?;
        let operation = self.operation()?;
        operation.start(what, Span::EMPTY);
        operation.load(parcel);
        self.push_pulled(operation, &what, source);
        Ok(Some(operation))
    }

    /// Sends the envelope of a message that its receiver pulls.
    fn push_pulled(&self, operation: OpRef, what: &What, source: i32) {
        let destination = self.world().mailbox(what.destination);
        let header = Header { context: what.context, source, tag: what.tag, length: operation.span().bytes() as u64 };
        let address = operation.to_address().to_ne_bytes();
        let position = self.push(what.destination, &header.pulled(), address.as_ptr());
        operation.get().position.set(position);
        if destination.is_parked() {
            self.help(what.destination, position);
        } else {
            self.try_help(what.destination);
        }
    }

    #[inline]
    fn push_eager(&self, destination: u32, header: &Header, span: &Span) {
        let position = match span.contiguous() {
            Some(from) => self.push(destination, header, from),
            None => self.push(destination, header, span.to_vec().as_ptr()),
        };
        self.tell(|| Event::Sent { from: self.id(), to: destination as usize, bytes: header.bytes() });
        if self.world().mailbox(destination).is_parked() {
            self.help(destination, position);
        }
    }

    /// Appends to the destination's ring; while that is full, drains it, and our own in case they wait for us.
    #[inline]
    fn push(&self, destination: u32, header: &Header, payload: *const u8) -> u64 {
        let mut backoff = Backoff::new();
        loop {
            // SAFETY: the payload is a proved span of `header.bytes()` bytes, or an operation's address.
            match unsafe { self.world().mailbox(destination).push(header, payload) } {
                Ok(position) => return position,
                Err(_) => {
                    self.progress();
                    self.try_help(destination);
                    backoff.pause();
                }
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
        if !mailbox.try_enter() {
            return false;
        }
        let mut work = Work::new(self.me());
        // SAFETY: inside the gate until `leave`.
        unsafe {
            mailbox.drain(&mut work);
            mailbox.ring.publish_head();
            mailbox.leave();
        }
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
    pub(crate) fn send_short(&self, what: &What, source: i32, span: &Span) -> bool {
        let short = span.bytes() <= EAGER && !self.world().mailbox(what.destination).is_congested();
        if short {
            let header = Header { context: what.context, source, tag: what.tag, length: span.bytes() as u64 };
            self.push_eager(what.destination, &header, span);
        }
        short
    }

    /// Takes the next envelope off the ring straight to the buffer, if it is there or comes within moments and is what
    /// is asked for. Nothing means that the receive has to be posted.
    #[inline(always)]
    pub(crate) fn receive_next(&self, pattern: &Pattern, span: &Span) -> Option<Header> {
        // As long as a peer needs that is about to send.
        const LOOKS: u32 = if cfg!(miri) { 1 } else { 200 };
        let to = span.contiguous()?;
        if self.world().options.spin {
            self.look_out(LOOKS, None);
        }
        if !self.mailbox().ring.has_next() {
            return None;
        }
        // SAFETY: inside the gate; the span was proved.
        self.inside(|mailbox| unsafe { mailbox.take_next(pattern, to, span.bytes()) })
    }

    /// Starts a receive.
    #[inline(always)]
    pub(crate) fn post_recv(&self, pattern: Pattern, span: Span) -> Result<OpRef> {
        self.post_recv_into(pattern, span, None)
    }

    #[inline(always)]
    fn post_recv_into(&self, pattern: Pattern, span: Span, room: Option<u64>) -> Result<OpRef> {
        let operation = self.operation()?;
        operation.start(self.waits_for(Kind::Recv, &pattern), span);
        if let Some(limit) = room {
            operation.give_room(limit, &self.account);
        }
        let by = self.me();
        let mut left = None;
        self.matched(|matching| left = matching.receive(pattern, operation, by));
        match left {
            None => {}
            Some(Left::Pulled(header, send)) => self.world().transfer(send, operation, &header, by),
            Some(Left::Bytes(header, bytes)) => self.fill(operation, &header, &bytes),
        }
        Ok(operation)
    }

    /// Starts the receive of a message that was set aside before.
    pub(crate) fn post_ticket(&self, ticket: Ticket, span: Span) -> Result<OpRef> {
        let operation = self.operation()?;
        let Some(arrived) = self.matched(|matching| matching.take_aside(ticket)) else {
            self.pool.borrow_mut().push(operation);
            return Err(Error::new(MPI_ERR_OTHER, "the message was taken back because its sender has ended"));
        };
        let Header { context, source, tag, .. } = arrived.header;
        operation.start(self.waits_for(Kind::Recv, &Pattern { context, source, tag }), span);
        self.receive(arrived, operation);
        Ok(operation)
    }

    /// Starts a receive of a message of any length up to `limit`, which [`OpRef::unload`] gives.
    pub(crate) fn post_recv_bytes(&self, pattern: Pattern, limit: u64) -> Result<OpRef> {
        self.post_recv_into(pattern, Span::EMPTY, Some(limit))
    }

    fn waits_for(&self, kind: Kind, pattern: &Pattern) -> What {
        What { kind, context: pattern.context, peer: pattern.source, tag: pattern.tag, destination: self.me() }
    }

    /// Moves a message that was set aside to the receive that asked for it.
    fn receive(&self, arrived: Arrived, operation: OpRef) {
        match (&arrived.body, arrived.bytes()) {
            (_, Some(bytes)) => self.fill(operation, &arrived.header, bytes),
            (Body::Pulled(send), _) => self.world().transfer(*send, operation, &arrived.header, self.me()),
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
                self.complete(operation).await;
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
        self.waits.borrow_mut().push(operation);
        !operation.announce_wait()
    }

    fn poll_send(&self, operation: OpRef, what: &What) {
        joint::help(&operation.get().joint);
        let position = operation.get().position.get();
        let mailbox = self.world().mailbox(what.destination);
        if self.parking.get() {
            self.help(what.destination, position);
            self.buffer(operation, what);
        } else if !mailbox.ring.is_consumed(position) {
            self.try_help(what.destination);
        }
    }

    /// A standard send that would put its rank to sleep is copied away, up to a length: its receiver may only send too.
    fn buffer(&self, operation: OpRef, what: &What) {
        if what.kind != Kind::Send || operation.span().bytes() > self.world().options.buffer_limit {
            return;
        }
        let mailbox = self.world().mailbox(what.destination);
        if !mailbox.is_congested() && self.at(what.destination, |matching| matching.buffer_send(operation)) {
            let _ = operation.complete(Outcome::moved(operation.span().bytes()));
        }
    }

    /// Runs `f` on a peer's matching state.
    fn at<R>(&self, peer: u32, f: impl FnOnce(&mut Matching) -> R) -> R {
        if peer == self.me() {
            return self.matched(f);
        }
        let mailbox = self.world().mailbox(peer);
        self.outside(|| {
            mailbox.enter();
            // SAFETY: inside the gate until `leave`.
            let result = unsafe { mailbox.matching(f) };
            // SAFETY: entered above.
            unsafe { mailbox.leave() };
            result
        })
    }

    /// Waits for an operation, releases it and says how it ended. Dropping the future withdraws the operation.
    #[inline]
    pub(crate) async fn complete(&self, operation: OpRef) -> Outcome {
        let started = Started::new(self, Some(operation));
        started.done().await;
        started.end()
    }

    /// `MPI_Cancel`: takes an operation back if it has not been matched; otherwise it goes on.
    pub(crate) fn cancel_operation(&self, operation: OpRef) {
        if !operation.is_done() && self.take_back(operation, false) {
            let _ = operation.complete(Outcome { cancelled: true, ..Outcome::default() });
        }
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
        if self.take_back(operation, true) {
            let _ = operation.complete(Outcome { cancelled: true, ..Outcome::default() });
            return;
        }
        let mut backoff = Backoff::new();
        while !operation.is_done() {
            backoff.pause();
        }
    }
}

/// A send or receive under way, or none. Dropping it takes it back, so that nobody reads or writes what its waiter
/// owned.
pub(crate) struct Started<'a> {
    rank: &'a Rank,
    operation: Option<OpRef>,
}

impl<'a> Started<'a> {
    pub(crate) fn new(rank: &'a Rank, operation: Option<OpRef>) -> Self {
        Started { rank, operation }
    }

    /// Whether it is complete (see [`Rank::poll_operation`]).
    #[inline]
    pub(crate) fn poll(&self) -> bool {
        self.operation.is_none_or(|operation| self.rank.poll_operation(operation))
    }

    /// Waits until it is complete.
    #[inline]
    pub(crate) fn done(&self) -> impl Future<Output = ()> {
        poll_fn(|_| if self.poll() { Poll::Ready(()) } else { Poll::Pending })
    }

    /// The message of a complete receive into the host.
    pub(crate) fn unload(&self) -> Parcel {
        self.operation.map_or_else(Parcel::default, |operation| operation.unload())
    }

    /// How it ended. It is complete.
    #[inline]
    pub(crate) fn end(mut self) -> Outcome {
        self.operation.take().map_or(Outcome::default(), |operation| self.rank.release(operation))
    }
}

impl Drop for Started<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(operation) = self.operation {
            self.rank.withdraw(operation);
            self.rank.release(operation);
        }
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
