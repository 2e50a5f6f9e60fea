//! Who gets which message: posted receives and unexpected messages of one rank, each in order.
//!
//! Guarded by the mailbox's gate. MPI's rule (§3.5): the earliest posted receive that fits takes a message, and a
//! receive takes the earliest message that fits.

use std::collections::VecDeque;
use std::sync::Arc;

use rankine_abi::{MPI_ANY_SOURCE, MPI_ANY_TAG};
use smallvec::SmallVec;

use super::operation::{Fate, Kind, Matched, OpRef, Outcome};
use super::parts::Parts;
use super::ring::{Header, Payload};
use crate::context::Context;
use crate::copy;
use crate::quota::{Account, Charge};

/// What a receive or probe asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    pub context: Context,
    pub source: i32,
    pub tag: i32,
}

impl Pattern {
    #[inline]
    pub(crate) fn fits(&self, header: &Header) -> bool {
        self.context == header.context
            && (self.source == header.source || self.source == MPI_ANY_SOURCE)
            && (self.tag == header.tag || self.tag == MPI_ANY_TAG)
    }
}

struct Posted {
    pattern: Pattern,
    operation: OpRef,
}

/// An unexpected message: arrived before a receive for it was posted.
pub(crate) struct Arrived {
    pub header: Header,
    pub body: Body,
}

/// Bytes of an unexpected message that lie in the queue itself.
const INLINE: usize = 40;

/// Where an unexpected message's bytes are.
pub(crate) enum Body {
    /// Few enough to lie in the queue itself.
    Inline([u8; INLINE]),
    /// In a buffer of the host's.
    Bytes(Box<[u8]>),
    /// Still in the sender's memory.
    Pulled(OpRef),
}

impl Arrived {
    /// The bytes, unless they are still in the sender's memory.
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        match &self.body {
            Body::Inline(bytes) => Some(&bytes[..self.header.bytes()]),
            Body::Bytes(bytes) => Some(bytes),
            Body::Pulled(_) => None,
        }
    }

    /// Whether it is the message of this send, and still in its sender's memory.
    pub(super) fn is_of(&self, send: OpRef) -> bool {
        matches!(self.body, Body::Pulled(operation) if operation == send)
    }
}

/// An unexpected message that has found its receive, and whose bytes are still to be moved.
pub(crate) enum Left {
    Bytes(Header, Box<[u8]>),
    Pulled(Header, OpRef),
}

/// A send and a receive that found each other; the copy is made after the gate is left.
pub(crate) struct Pair {
    pub send: Matched,
    pub receive: Matched,
    pub header: Header,
}

impl Pair {
    #[inline]
    pub(crate) fn new(send: OpRef, receive: OpRef, header: Header) -> Self {
        Pair { send: Matched::new(send), receive: Matched::new(receive), header }
    }
}

/// What draining a ring leaves to do once the gate is left.
pub(crate) struct Work {
    /// The rank that does it.
    pub by: u32,
    /// Whose ring it is.
    pub at: u32,
    /// What was taken off, and whether a receive waited for it, if anybody wants to hear of that.
    pub arrived: Option<Vec<(Header, bool)>>,
    pub pairs: smallvec::SmallVec<[Pair; 4]>,
    /// Owners of operations that completed and are waited for.
    pub wake: smallvec::SmallVec<[u32; 4]>,
}

impl Work {
    #[inline]
    pub(crate) fn new(by: u32, at: u32, is_observed: bool) -> Self {
        Work {
            by,
            at,
            arrived: is_observed.then(Vec::new),
            pairs: smallvec::SmallVec::new(),
            wake: smallvec::SmallVec::new(),
        }
    }
}

/// Names a message that was set aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket(u64);

/// Bytes of unexpected messages beyond which senders keep their data.
const CONGESTED: u64 = if cfg!(miri) { 4 << 10 } else { 64 << 20 };
/// They are charged to the rank that they have come to, so many at a time.
const STEP: usize = if cfg!(miri) { 1 << 10 } else { 64 << 10 };

/// What lies at a rank unexpected.
pub(crate) struct Unexpected {
    /// Messages that wait for a receive.
    pub(crate) messages: u64,
    /// Bytes that they take in the host.
    pub(crate) bytes: u64,
    /// The most of them that there have been at a time.
    pub(crate) most: u64,
}

/// Messages of programs that no receive took.
pub(crate) struct Leftovers {
    pub(crate) messages: u64,
    /// The first that differ in communicator, sender or tag.
    pub(crate) first: SmallVec<[Pattern; 3]>,
    /// There are some that differ from all of these.
    pub(crate) has_more: bool,
}

impl Leftovers {
    fn add(&mut self, &Header { context, source, tag, .. }: &Header) {
        // What collectives and the engine send is not the program's.
        if context != context.of_communicator() && !context.is_of_parts() {
            return;
        }
        self.messages += 1;
        let pattern = Pattern { context, source, tag };
        if !self.first.contains(&pattern) {
            let has_room = self.first.len() < self.first.inline_size();
            if has_room { self.first.push(pattern) } else { self.has_more = true }
        }
    }

    /// The communicators of those that are told.
    pub(crate) fn contexts(&self) -> impl Iterator<Item = Context> {
        self.first.iter().map(|pattern| pattern.context)
    }
}

pub(crate) struct Matching {
    posted: VecDeque<Posted>,
    probing: VecDeque<Posted>,
    unexpected: VecDeque<Arrived>,
    /// What is in none of these three: parts of partitioned messages, and their receives.
    parts: Parts,
    /// Messages that a matched probe took out of `unexpected`.
    aside: Vec<(Ticket, Arrived)>,
    tickets: u64,
    /// Bytes that unexpected messages occupy in the host.
    buffered: usize,
    /// The most of them that there have been at a time.
    most: usize,
    /// What is charged for them, as far as it was not refused.
    charge: Charge,
}

impl Matching {
    pub(crate) fn new(account: &Arc<Account>) -> Self {
        Matching {
            posted: VecDeque::new(),
            probing: VecDeque::new(),
            unexpected: VecDeque::new(),
            parts: Parts::default(),
            aside: Vec::new(),
            tickets: 0,
            buffered: 0,
            most: 0,
            charge: Charge::none(account),
        }
    }

    /// Whether so much lies here that senders should keep their data.
    #[inline]
    pub(crate) fn is_full(&mut self) -> bool {
        self.buffered as u64 > self.charge.bytes() && !self.charge_more()
    }

    /// Charges what has come; false where that is too much. The ring may bring a little more than was charged.
    #[cold]
    fn charge_more(&mut self) -> bool {
        let missing = self.buffered - self.charge.bytes() as usize;
        let step = missing.next_multiple_of(STEP);
        self.charge.bytes() + step as u64 <= CONGESTED && self.charge.try_grow(step)
    }

    /// So many bytes lie here no more.
    #[inline]
    fn take_off(&mut self, bytes: usize) {
        self.buffered -= bytes;
        if self.charge.bytes() as usize > self.buffered + 2 * STEP {
            self.charge.shrink(STEP);
        }
    }

    /// Whether nothing waits on either side: then the next envelope may go straight to whoever asks for it.
    #[inline]
    pub(crate) fn is_idle(&self) -> bool {
        self.posted.is_empty() && self.unexpected.is_empty() && self.probing.is_empty()
    }

    /// Takes one envelope off the ring: to its receive, or to the unexpected messages.
    #[inline(always)]
    pub(crate) fn arrive(&mut self, header: Header, payload: Payload<'_>, work: &mut Work) {
        let found = self.posted.iter().position(|posted| posted.pattern.fits(&header));
        if found.is_none() && header.context.is_of_parts() {
            return self.arrive_part(header, payload, work);
        }
        if let Some(arrived) = &mut work.arrived {
            arrived.push((header, found.is_some()));
        }
        match found {
            Some(index) => {
                let receive = self.posted[index].operation;
                let _ = if index == 0 { self.posted.pop_front() } else { self.posted.remove(index) };
                meet(receive, header, payload, work);
            }
            None => self.keep(header, payload, work),
        }
    }

    /// A part of a partitioned message arrives: it meets its receive, or waits for it.
    fn arrive_part(&mut self, header: Header, payload: Payload<'_>, work: &mut Work) {
        let receive = self.parts.take_receive(&header);
        if let Some(arrived) = &mut work.arrived {
            arrived.push((header, receive.is_some()));
        }
        match receive {
            Some(receive) => meet(receive, header, payload, work),
            None => {
                let arrived = self.hold(header, payload);
                self.parts.keep(arrived);
                self.note_most();
            }
        }
    }

    /// What an unexpected message is from now on.
    #[inline(always)]
    fn hold(&mut self, header: Header, payload: Payload<'_>) -> Arrived {
        let body = if header.is_pulled() {
            // SAFETY: a pulled envelope carries the address of an operation of a running job.
            Body::Pulled(unsafe { OpRef::from_address(payload.pointer()) })
        } else if header.bytes() <= INLINE {
            let mut bytes = [0; INLINE];
            // SAFETY: the array has room for an inline payload.
            unsafe { payload.copy_to(bytes.as_mut_ptr(), header.bytes()) };
            Body::Inline(bytes)
        } else {
            Body::Bytes(payload.to_vec().into_boxed_slice())
        };
        self.buffered += size_of::<Arrived>() + if header.is_pulled() { 0 } else { header.bytes() };
        Arrived { header, body }
    }

    #[inline(always)]
    fn note_most(&mut self) {
        self.most = self.most.max(self.unexpected.len() + self.parts.early());
    }

    /// Queues a message that no posted receive fits, and answers the probes it fits.
    #[inline(always)]
    fn keep(&mut self, header: Header, payload: Payload<'_>, work: &mut Work) {
        let arrived = self.hold(header, payload);
        self.unexpected.push_back(arrived);
        self.note_most();
        self.probing.retain(|probe| {
            if !probe.pattern.fits(&header) {
                return true;
            }
            let Header { source, tag, .. } = header;
            if probe.operation.complete(Outcome { source, tag, ..Outcome::moved(header.bytes()) }) {
                work.wake.push(probe.operation.get().owner);
            }
            false
        });
    }

    /// What lies here unexpected.
    pub(crate) fn unexpected(&self) -> Unexpected {
        let messages = self.unexpected.len() + self.parts.early();
        let [messages, bytes, most] = [messages, self.buffered, self.most].map(|number| number as u64);
        Unexpected { messages, bytes, most }
    }

    /// Sources and tags of unexpected messages in a context, as they have come, of so many at the most.
    pub(crate) fn unreceived(&self, context: Context, most: usize) -> Vec<(i32, i32)> {
        let here = self.unexpected.iter().filter(|arrived| arrived.header.context == context);
        here.take(most).map(|arrived| (arrived.header.source, arrived.header.tag)).collect()
    }

    /// What no receive took by now.
    pub(crate) fn leftovers(&self) -> Leftovers {
        let mut left = Leftovers { messages: 0, first: SmallVec::new(), has_more: false };
        let aside = self.aside.iter().map(|(_, arrived)| arrived);
        aside.chain(&self.unexpected).chain(self.parts.all_early()).for_each(|arrived| left.add(&arrived.header));
        left
    }

    /// What was left, with what is still in the ring; nothing is moved any more.
    pub(super) fn leftovers_with(&self, envelopes: impl Iterator<Item = Header>) -> Leftovers {
        let mut left = self.leftovers();
        let is_awaited = |header: &Header| {
            self.posted.iter().any(|posted| posted.pattern.fits(header)) || self.parts.receive_of(header).is_some()
        };
        envelopes.filter(|header| !is_awaited(header)).for_each(|header| left.add(&header));
        left
    }

    /// The first unexpected message that fits, without taking it.
    pub(crate) fn peek(&self, pattern: &Pattern) -> Option<&Arrived> {
        self.unexpected.iter().find(|arrived| pattern.fits(&arrived.header))
    }

    /// Gives a receive the first unexpected message that fits, or queues it. What is long is left to be moved outside
    /// of the gate.
    #[inline]
    pub(crate) fn receive(&mut self, pattern: Pattern, receive: OpRef, by: u32) -> Option<Left> {
        let Some(index) = self.unexpected.iter().position(|arrived| pattern.fits(&arrived.header)) else {
            return self.receive_later(pattern, receive, by);
        };
        let (left, held) = hand_over(&mut self.unexpected[index], receive, by);
        self.take_off(size_of::<Arrived>() + held);
        let _ = if index == 0 { self.unexpected.pop_front() } else { self.unexpected.remove(index) };
        left
    }

    /// Queues a receive, unless it is for a part that has come.
    fn receive_later(&mut self, pattern: Pattern, receive: OpRef, by: u32) -> Option<Left> {
        if !pattern.context.is_of_parts() {
            self.post(pattern, receive);
            return None;
        }
        let Some(mut arrived) = self.parts.take_early(&pattern) else {
            self.parts.post(&pattern, receive);
            return None;
        };
        let (left, held) = hand_over(&mut arrived, receive, by);
        self.take_off(size_of::<Arrived>() + held);
        left
    }

    /// Sets the first unexpected message that fits aside.
    pub(crate) fn set_aside(&mut self, pattern: &Pattern) -> Option<(Ticket, Header)> {
        let index = self.unexpected.iter().position(|arrived| pattern.fits(&arrived.header))?;
        let arrived = self.unexpected.remove(index)?;
        let header = arrived.header;
        self.tickets += 1;
        self.aside.push((Ticket(self.tickets), arrived));
        Some((Ticket(self.tickets), header))
    }

    /// Takes a message that was set aside; nothing if its sender has taken it back.
    pub(crate) fn take_aside(&mut self, ticket: Ticket) -> Option<Arrived> {
        let index = self.aside.iter().position(|(other, _)| *other == ticket)?;
        let (_, arrived) = self.aside.swap_remove(index);
        self.forget(&arrived);
        Some(arrived)
    }

    fn forget(&mut self, arrived: &Arrived) {
        self.take_off(size_of::<Arrived>() + arrived.bytes().map_or(0, <[u8]>::len));
    }

    /// Queues a receive (or a probe) that no unexpected message fits.
    pub(crate) fn post(&mut self, pattern: Pattern, operation: OpRef) {
        let queue = if operation.what().kind == Kind::Probe { &mut self.probing } else { &mut self.posted };
        queue.push_back(Posted { pattern, operation });
    }

    /// Whether a receive is posted for which no message has come.
    pub(crate) fn waits(&self, operation: OpRef) -> bool {
        self.posted.iter().any(|posted| posted.operation == operation) || self.parts.waits(operation)
    }

    /// Takes back a posted receive or probe; false when it has been matched.
    pub(crate) fn withdraw(&mut self, operation: OpRef) -> bool {
        if operation.what().context.is_of_parts() {
            return self.parts.withdraw(operation);
        }
        [&mut self.posted, &mut self.probing].into_iter().any(|queue| {
            let found = find(queue, |posted| posted.operation == operation);
            found.and_then(|index| queue.remove(index)).is_some()
        })
    }

    /// Takes back an unmatched message that is still in its sender's memory; false when it has been matched. A message
    /// that was set aside counts as matched, unless it is to be taken `anyway`.
    pub(crate) fn withdraw_send(&mut self, send: OpRef, anyway: bool) -> bool {
        let arrived = if send.what().context.is_of_parts() {
            self.parts.withdraw_send(send)
        } else if let Some(index) = find(&self.unexpected, |arrived| arrived.is_of(send)) {
            self.unexpected.remove(index)
        } else if anyway && let Some(index) = self.aside.iter().position(|(_, arrived)| arrived.is_of(send)) {
            Some(self.aside.swap_remove(index).1)
        } else {
            None
        };
        if let Some(arrived) = &arrived {
            self.forget(arrived);
        }
        arrived.is_some()
    }

    /// Copies an unmatched message out of its sender's memory, so that the send can complete; false when it has been
    /// matched, or too much lies here already.
    pub(crate) fn buffer_send(&mut self, send: OpRef) -> bool {
        if self.is_full() {
            return false;
        }
        let arrived = if send.what().context.is_of_parts() {
            self.parts.early_of(send)
        } else {
            let aside = self.aside.iter_mut().map(|(_, arrived)| arrived);
            self.unexpected.iter_mut().chain(aside).find(|arrived| arrived.is_of(send))
        };
        let Some(arrived) = arrived else { return false };
        let bytes = send.span().to_vec();
        self.buffered += bytes.len();
        arrived.header = Header { length: bytes.len() as u64, ..arrived.header };
        arrived.body = Body::Bytes(bytes.into_boxed_slice());
        true
    }
}

/// A message has found its receive.
#[inline(always)]
fn meet(receive: OpRef, header: Header, payload: Payload<'_>, work: &mut Work) {
    if header.is_pulled() {
        // SAFETY: a pulled envelope carries the address of an operation of a running job.
        let send = unsafe { OpRef::from_address(payload.pointer()) };
        work.pairs.push(Pair::new(send, receive, header));
    } else if deliver(receive, work.by, &header, |to, length| {
        // SAFETY: `to` is part of the receive's proved span.
        unsafe { payload.copy_to(to, length) };
    }) {
        work.wake.push(receive.get().owner);
    }
}

/// Gives a receive the unexpected message that fits; what is left to be moved, and the bytes that were held here.
#[inline(always)]
fn hand_over(Arrived { header, body }: &mut Arrived, receive: OpRef, by: u32) -> (Option<Left>, usize) {
    match body {
        Body::Inline(bytes) => {
            // Its owner is looking for it: there is nobody to wake.
            let _ = deliver(receive, by, header, |to, length| {
                // SAFETY: `to` is part of the receive's proved span.
                unsafe { copy::copy_small(to, bytes.as_ptr(), length) };
            });
            (None, header.bytes())
        }
        Body::Bytes(bytes) => {
            let held = bytes.len();
            (Some(Left::Bytes(*header, std::mem::take(bytes))), held)
        }
        Body::Pulled(send) => (Some(Left::Pulled(*header, *send)), 0),
    }
}

/// Searches from both ends: whoever takes back many begins at one of them.
fn find<T>(queue: &VecDeque<T>, is_wanted: impl Fn(&T) -> bool) -> Option<usize> {
    let last = queue.len().checked_sub(1)?;
    (0..=last / 2).flat_map(|index| [index, last - index]).find(|&index| is_wanted(&queue[index]))
}

/// Writes an eager message into a receive's buffer and completes the receive; says whether its owner has to be woken.
///
/// `read(to, length)` copies the first `length` bytes of the message; `by` is the rank that runs this.
#[inline]
pub(crate) fn deliver(receive: OpRef, by: u32, header: &Header, read: impl FnOnce(*mut u8, usize)) -> bool {
    let matched = Matched::new(receive);
    receive.make_room(header.bytes() as u64);
    let span = receive.span();
    let bytes = header.bytes().min(span.bytes());
    match span.contiguous() {
        Some(to) => read(to, bytes),
        None => {
            let mut packed = vec![0; bytes];
            read(packed.as_mut_ptr(), bytes);
            span.unpack(0, &packed);
        }
    }
    let outcome = Outcome {
        source: header.source,
        tag: header.tag,
        bytes: bytes as u64,
        length: header.bytes() as u64,
        fate: Fate::Done,
    };
    let receive = matched.take();
    if receive.get().owner == by { receive.complete_own(outcome) } else { receive.complete(outcome) }
}
