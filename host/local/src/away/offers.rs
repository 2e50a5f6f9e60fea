//! Messages to ranks that are away, as long as their bytes are wanted here.

use std::sync::atomic::Ordering;

use rankine_guest::{Charge, Cost};

use super::{Address, Away, Request, lock};
use crate::events::Event;
use crate::mailbox::operation::{Kind, OpRef, Outcome, What};
use crate::mailbox::ring::EAGER;
use crate::rank::Rank;
use crate::span::Span;
use crate::transport::Started;
use crate::world::World;

/// Where the bytes of an offer are.
enum Bytes {
    /// With their rank, which waits for the operation.
    Operation(OpRef),
    /// Here, charged to the rank, which is done with them.
    Kept(Vec<u8>, #[expect(dead_code, reason = "it is given back with the bytes")] Charge),
}

#[derive(Default)]
struct Place {
    /// How often the place was used, which is half of its number.
    generation: u32,
    bytes: Option<Bytes>,
    /// `MPI_Cancel` has asked the other node for it, which has not answered: until then its rank waits.
    is_asked_back: bool,
}

/// The messages to other nodes whose bytes wait here to be asked for.
#[derive(Default)]
pub(super) struct Offers {
    places: Vec<Place>,
    free: Vec<u32>,
    /// How many are kept whose ranks have gone on.
    kept: usize,
}

/// How many messages are kept for ranks that have gone on, and what one costs beside its bytes: its place here, and there.
const MOST_KEPT: usize = 1 << 12;
const OF_ONE: usize = 512;

impl Place {
    /// Whether it has the message of this operation, whose rank still has the bytes.
    fn is_of(&self, operation: OpRef) -> bool {
        matches!(self.bytes, Some(Bytes::Operation(of)) if of == operation)
    }
}

impl Offers {
    fn insert(&mut self, bytes: Bytes) -> u64 {
        let index = self.free.pop().unwrap_or_else(|| {
            self.places.push(Place::default());
            self.places.len() as u32 - 1
        });
        let place = &mut self.places[index as usize];
        place.generation = place.generation.wrapping_add(1);
        (place.bytes, place.is_asked_back) = (Some(bytes), false);
        u64::from(place.generation) << 32 | u64::from(index)
    }

    fn place(&mut self, number: u64) -> Option<&mut Place> {
        let place = self.places.get_mut(number as u32 as usize)?;
        (place.generation == (number >> 32) as u32).then_some(place)
    }

    fn take(&mut self, number: u64) -> Option<Bytes> {
        let bytes = self.place(number)?.bytes.take()?;
        self.free.push(number as u32);
        self.kept -= usize::from(matches!(bytes, Bytes::Kept(..)));
        Some(bytes)
    }
}

impl Rank {
    fn away(&self) -> &Away {
        self.world().away.as_deref().expect("a rank is here unless the job has several nodes")
    }

    /// Sends a message whole to a rank that is away; false, and nothing is done, if it has to be offered.
    #[cold]
    pub(crate) fn send_short_away(&self, what: &What, source: i32, span: &Span<'_>) -> bool {
        let away = self.away();
        let bytes = span.bytes();
        // Who has not set another limit than a mailbox's has the one of letters.
        let limit = self.tools.eager_limit.get();
        let limit = if limit == EAGER { World::whole() } else { limit };
        let whole = away.whole.load(Ordering::Relaxed);
        if bytes > limit.min(whole) || away.is_full(what.destination) || !self.await_room(what.destination) {
            return false;
        }
        let mut copy = smallvec::smallvec![0; bytes];
        span.read(0, &mut copy);
        away.ask(Request::Message(Address::of(what, source), copy));
        self.tell(|| Event::Sent { from: self.id(), to: what.destination as usize, bytes });
        true
    }

    /// Waits until what is on its way to a rank's node has left, as far as it has to; false if the job has ended. That takes no
    /// receive, as the other node reads whatever comes: what was offered instead might wait for ever, where a few more messages
    /// would have found room at their receiver.
    fn await_room(&self, to: u32) -> bool {
        let (away, world) = (self.away(), self.world());
        while away.is_crowded(to) {
            if world.is_closed() || world.ended().is_some() {
                return false;
            }
            self.outside(|| away.helpers.look());
            std::thread::yield_now();
        }
        true
    }

    /// Offers the message of an operation that was started to a rank that is away.
    #[cold]
    pub(crate) fn offer_away<'b>(&self, operation: OpRef, what: &What, source: i32) -> Started<'_, 'b> {
        let away = self.away();
        let number = lock(&away.offers).insert(Bytes::Operation(operation));
        operation.get().position.set(number);
        let started = Started::guarding(self, operation);
        let (address, length) = (Address::of(what, source), operation.span().bytes() as u64);
        away.ask(Request::Offer { address, length, number });
        started
    }

    /// Looks after an offer: a standard send that would put its rank to sleep is copied away, up to a length, as its receiver
    /// may only send too. The rank pays for the copy until it is asked for; where many are kept, it sleeps.
    #[cold]
    pub(crate) fn poll_away(&self, operation: OpRef, what: &What) {
        let bytes = operation.span().bytes();
        if !self.parking.get() || what.kind != Kind::Send || bytes > self.tools.buffer_limit.get() {
            return;
        }
        let Ok(charge) = self.account().charge(bytes + OF_ONE, Cost::Unreceived) else { return };
        let mut offers = lock(&self.away().offers);
        if offers.kept >= MOST_KEPT {
            return;
        }
        let Some(place) = offers.place(operation.get().position.get()) else { return };
        if place.is_of(operation) && !place.is_asked_back {
            place.bytes = Some(Bytes::Kept(operation.span().to_vec(), charge));
            offers.kept += 1;
            drop(offers);
            let _ = operation.complete(Outcome::moved(bytes));
            self.tell(|| Event::Sent { from: self.id(), to: what.destination as usize, bytes });
        }
    }

    /// `MPI_Cancel` of an offer, however often: what comes of it is heard later.
    #[cold]
    pub(crate) fn cancel_away(&self, operation: OpRef) {
        let number = operation.get().position.get();
        let mut offers = lock(&self.away().offers);
        let place = offers.place(number).filter(|place| place.is_of(operation) && !place.is_asked_back);
        let is_new = place.is_some_and(|place| !std::mem::replace(&mut place.is_asked_back, true));
        drop(offers);
        if is_new {
            self.away().ask(Request::TakeBack(number));
        }
    }

    /// Takes an offer back whose bytes are about to go. Whether it is the caller who completes it.
    #[cold]
    pub(crate) fn abandon_away(&self, operation: OpRef) -> bool {
        let number = operation.get().position.get();
        let taken = lock(&self.away().offers).take(number);
        if taken.is_some() {
            self.away().ask(Request::Abandon(number));
        }
        taken.is_some()
    }
}

impl World {
    /// Copies bytes of an offer, from byte `at` on; false if its rank has taken it back.
    pub fn read_offer(&self, number: u64, at: u64, bytes: &mut [u8]) -> bool {
        let mut offers = lock(&self.away().offers);
        match offers.place(number).and_then(|place| place.bytes.as_ref()) {
            Some(Bytes::Operation(operation)) => operation.span().read(at as usize, bytes),
            Some(Bytes::Kept(kept, _)) => bytes.copy_from_slice(&kept[at as usize..at as usize + bytes.len()]),
            None => return false,
        }
        true
    }

    /// All bytes of an offer that were wanted have been copied.
    pub fn end_offer(&self, number: u64) {
        self.complete_offer(number, Outcome::moved);
    }

    /// An offer that was asked back is taken back.
    pub fn cancel_offer(&self, number: u64) {
        self.complete_offer(number, |_| Outcome::CANCELLED);
    }

    /// An offer that was asked back is taken already: its rank may be done with it.
    pub fn keep_offer(&self, number: u64) {
        let mut offers = lock(&self.away().offers);
        let Some(place) = offers.place(number) else { return };
        place.is_asked_back = false;
        if let Some(Bytes::Operation(operation)) = &place.bytes {
            let owner = operation.get().owner;
            drop(offers);
            self.wake(owner);
        }
    }

    fn complete_offer(&self, number: u64, outcome: impl FnOnce(usize) -> Outcome) {
        let taken = lock(&self.away().offers).take(number);
        if let Some(Bytes::Operation(operation)) = taken {
            let (owner, bytes) = (operation.get().owner, operation.span().bytes());
            let (outcome, to) = (outcome(bytes), operation.what().destination);
            if !outcome.is_cancelled() {
                // Who carries copies for the sender.
                let (from, to) = (owner as usize, to as usize);
                self.tell(|| Event::Copied { from, to, bytes, by: from });
            }
            if operation.complete(outcome) {
                self.wake(owner);
            }
        }
    }

    /// Whether nothing is carried any more.
    pub(super) fn is_closed(&self) -> bool {
        self.away().is_closed.load(Ordering::SeqCst)
    }
}
