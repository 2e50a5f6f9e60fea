//! Messages from ranks that are away.
//!
//! A short one is pushed into its receiver's mailbox. One that came whole and is too long for that lies here, with a stand-in in
//! the mailbox, as one does whose bytes are still to be asked for.

use std::collections::HashMap;

use super::{Address, NOBODY, Request, lock};
use crate::mailbox::matching::{Pair, Work};
use crate::mailbox::operation::{Fate, Kind, Matched, OpRef, Outcome, What};
use crate::mailbox::ring::{EAGER, Header};
use crate::quota::{Charge, Cost};
use crate::span::Span;
use crate::sync::Backoff;
use crate::world::{Chunk, World};

/// A message whose bytes are still away, or lie here.
struct Arrival {
    /// What stands for it among the messages that have come to this rank.
    stand_in: OpRef,
    to: u32,
    /// The receive that it has found.
    found: Option<(Matched, Header)>,
    /// What came with it.
    bytes: Option<Brought>,
}

/// Bytes of a message that came whole, which its receiver is charged for. It has no more to say than that it is full if that can't
/// be: they are here.
struct Brought(Vec<u8>, Option<Charge>);

/// Numbers of arrivals whose bytes were brought: the protocol, which numbers the others, counts from 1.
const BROUGHT: u64 = 1 << 63;
/// So many bytes of such messages may lie unreceived at a rank before others offer theirs.
const MANY: usize = 1 << 20;

/// The messages of other nodes whose bytes are still there.
#[derive(Default)]
pub(super) struct Arrivals {
    by_number: HashMap<u64, Arrival>,
    /// Operations for stand-ins: all that were ever made, and those that are free.
    chunks: Vec<Chunk>,
    free: Vec<OpRef>,
    /// How many had bytes with them, ever.
    brought: u64,
    /// For each rank, the bytes that were brought to it and lie here, and how many of its messages are not charged.
    lying: HashMap<u32, (usize, usize)>,
}

impl Arrivals {
    fn stand_in(&mut self) -> OpRef {
        if let Some(free) = self.free.pop() {
            return free;
        }
        let chunk = Chunk::new(NOBODY, Charge::default());
        self.free = chunk.references();
        self.chunks.push(chunk);
        self.free.pop().expect("a chunk has some")
    }

    fn take(&mut self, number: u64) -> Option<Arrival> {
        self.by_number.remove(&number)
    }

    /// What was brought with an arrival, for the receive that it has found.
    fn unload(&mut self, number: u64) -> Option<Brought> {
        let known = self.by_number.get_mut(&number)?;
        let brought = known.bytes.take()?;
        if let Some((bytes, uncharged)) = self.lying.get_mut(&known.to) {
            *bytes -= brought.0.len();
            *uncharged -= usize::from(brought.1.is_none());
            if *bytes == 0 {
                self.lying.remove(&known.to);
            }
        }
        Some(brought)
    }

    /// Whether enough of what was brought to a rank lies here.
    fn has_enough(&self, rank: u32) -> bool {
        self.lying.get(&rank).is_some_and(|&(bytes, uncharged)| bytes > MANY || uncharged > 0)
    }
}

impl World {
    /// A message has come to a rank that is here; it has no more bytes than go whole ([`World::whole`]).
    pub fn deliver(&self, address: &Address, bytes: &[u8]) {
        assert!(bytes.len() <= World::whole(), "a message that should have been offered");
        if bytes.len() > EAGER {
            return self.bring(address, bytes);
        }
        let header = header(address, bytes.len() as u64);
        self.arrive(address.to, &header, bytes.as_ptr(), false);
    }

    /// Bytes of the longest message that is delivered whole.
    pub const fn whole() -> usize {
        16 << 10
    }

    /// A message has come to a rank that is here, too long for its mailbox.
    fn bring(&self, address: &Address, bytes: &[u8]) {
        let charge = self.account(address.to as usize).charge(bytes.len(), Cost::Unreceived).ok();
        let number = {
            let mut arrivals = lock(&self.away().arrivals);
            let lying = arrivals.lying.entry(address.to).or_default();
            *lying = (lying.0 + bytes.len(), lying.1 + usize::from(charge.is_none()));
            arrivals.brought += 1;
            BROUGHT | arrivals.brought
        };
        self.stand_in(address, bytes.len() as u64, number, Some(Brought(bytes.to_vec(), charge)));
    }

    /// A message of so many bytes has come to a rank that is here, and the bytes are to be asked for by this number.
    pub fn announce(&self, address: &Address, length: u64, number: u64) {
        self.stand_in(address, length, number, None);
    }

    /// Puts what stands for a message into a mailbox.
    fn stand_in(&self, address: &Address, length: u64, number: u64, bytes: Option<Brought>) {
        let Address { to, source, tag, .. } = *address;
        let stand_in = {
            let mut arrivals = lock(&self.away().arrivals);
            let stand_in = arrivals.stand_in();
            let what = What { kind: Kind::Ssend, context: address.context(), peer: source, tag, destination: to };
            stand_in.start(what, Span::EMPTY);
            stand_in.get().position.set(number);
            arrivals.by_number.insert(number, Arrival { stand_in, to, found: None, bytes });
            stand_in
        };
        let at = stand_in.to_address().to_ne_bytes();
        self.arrive(to, &header(address, length).pulled(), at.as_ptr(), true);
    }

    /// Puts an envelope into a mailbox, and has it matched if its owner sleeps, or always if it is `urgent`.
    fn arrive(&self, to: u32, header: &Header, payload: *const u8, urgent: bool) {
        let mailbox = self.mailbox(to);
        let mut backoff = Backoff::new();
        let position = loop {
            // SAFETY: the payload is as many bytes as the header says, or the address of an operation.
            match unsafe { mailbox.push(header, payload) } {
                Ok(position) => break position,
                Err(_) => {
                    self.drain_for(to);
                    backoff.pause();
                }
            }
        };
        if mailbox.is_parked() {
            // By this thread, or by whoever is inside.
            let mut backoff = Backoff::new();
            while !mailbox.ring.is_consumed(position) && !self.drain_for(to) {
                backoff.pause();
            }
        } else if urgent {
            self.drain_for(to);
        }
    }

    /// Matches what has come to a rank on its behalf, unless somebody is at it.
    fn drain_for(&self, rank: u32) -> bool {
        let mailbox = self.mailbox(rank);
        let Some(mut inside) = mailbox.try_enter() else { return false };
        let mut work = Work::new(NOBODY, rank, self.is_observed());
        inside.drain(&mut work);
        mailbox.ring.publish_head();
        drop(inside);
        self.run(&mut work);
        true
    }

    /// A receive has found a stand-in: its bytes are asked for.
    #[cold]
    pub(crate) fn matched_away(&self, pair: Pair) {
        let Pair { send, receive, header } = pair;
        let stand_in = send.take();
        let operation = receive.operation();
        operation.make_room(header.bytes() as u64);
        let (arrival, room) = (stand_in.get().position.get(), operation.span().bytes() as u64);
        let away = self.away();
        let brought = {
            let mut arrivals = lock(&away.arrivals);
            match arrivals.unload(arrival) {
                // Nobody else hears of the receive, or could complete it.
                Some(brought) => {
                    arrivals.take(arrival);
                    Some((brought, receive))
                }
                None => {
                    if let Some(known) = arrivals.by_number.get_mut(&arrival) {
                        known.found = Some((receive, header));
                    }
                    None
                }
            }
        };
        if let Some((Brought(bytes, _), receive)) = brought {
            operation.span().unpack(0, &bytes[..bytes.len().min(room as usize)]);
            self.recycle(stand_in);
            return self.complete_receive(receive, |receive| moved(receive, &header));
        }
        away.ask(Request::Matched { arrival, room });
    }

    /// Bytes of an arrival that were asked for have come.
    pub fn write_arrival(&self, number: u64, at: u64, bytes: &[u8]) {
        if let Some(Arrival { found: Some((receive, _)), .. }) = lock(&self.away().arrivals).by_number.get(&number) {
            receive.operation().span().unpack(at as usize, bytes);
        }
    }

    /// All of them have.
    pub fn end_arrival(&self, number: u64) {
        self.complete_arrival(number, moved);
    }

    /// They never will.
    pub fn break_arrival(&self, number: u64) {
        self.complete_arrival(number, |_, _| Outcome::CANCELLED);
    }

    fn complete_arrival(&self, number: u64, outcome: impl FnOnce(OpRef, &Header) -> Outcome) {
        let taken = lock(&self.away().arrivals).take(number);
        let Some(Arrival { stand_in, found: Some((receive, header)), .. }) = taken else { return };
        self.recycle(stand_in);
        self.complete_receive(receive, |receive| outcome(receive, &header));
    }

    fn complete_receive(&self, receive: Matched, outcome: impl FnOnce(OpRef) -> Outcome) {
        let receive = receive.take();
        let outcome = outcome(receive);
        if receive.complete(outcome) {
            self.wake(receive.get().owner);
        }
    }

    fn recycle(&self, stand_in: OpRef) {
        let _ = stand_in.complete(Outcome::default());
        lock(&self.away().arrivals).free.push(stand_in);
    }

    /// Takes an arrival from the messages that wait to be received; false if it has found its receive. One that a matched
    /// probe has set aside counts as found, unless it is to be taken `anyway`.
    pub fn withdraw_arrival(&self, number: u64, anyway: bool) -> bool {
        let known = lock(&self.away().arrivals).by_number.get(&number).map(|known| (known.stand_in, known.to));
        let Some((stand_in, to)) = known else { return false };
        let mut work = Work::new(NOBODY, to, self.is_observed());
        let taken = {
            let mut inside = self.mailbox(to).enter();
            inside.drain(&mut work);
            inside.matching(|matching| matching.withdraw_send(stand_in, anyway))
        };
        self.run(&mut work);
        if taken {
            lock(&self.away().arrivals).take(number);
            self.recycle(stand_in);
        }
        taken
    }

    /// Whether so much lies unreceived at a rank that messages to it should be offered.
    pub fn is_full(&self, rank: u32) -> bool {
        if lock(&self.away().arrivals).has_enough(rank) {
            return true;
        }
        let mailbox = self.mailbox(rank);
        if !mailbox.is_congested() {
            return false;
        }
        let mut inside = mailbox.enter();
        let full = inside.matching(|matching| matching.is_full());
        mailbox.ring.congested().store(full.into(), crate::sync::Ordering::Relaxed);
        full
    }

    /// A rank is unwound whose operation waits for bytes, perhaps from away: when nothing is carried any more, receives that have
    /// found an arrival end without its bytes. Not before: a rank that goes on must not take such a receive for complete.
    pub(crate) fn give_up_on_away(&self) {
        let Some(away) = &self.away else { return };
        if !self.is_closed() {
            return;
        }
        let found: Vec<u64> = {
            let arrivals = lock(&away.arrivals);
            let found = arrivals.by_number.iter().filter(|(_, arrival)| arrival.found.is_some());
            found.map(|(&number, _)| number).collect()
        };
        found.into_iter().for_each(|number| self.break_arrival(number));
    }
}

/// All bytes of a message that the receive has room for have come.
fn moved(receive: OpRef, header: &Header) -> Outcome {
    let bytes = (header.bytes() as u64).min(receive.span().bytes() as u64);
    Outcome { source: header.source, tag: header.tag, bytes, length: header.bytes() as u64, fate: Fate::Done }
}

fn header(address: &Address, length: u64) -> Header {
    Header { context: address.context(), source: address.source, tag: address.tag, length }
}
