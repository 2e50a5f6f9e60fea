//! A rank's mailbox: the ring in front, the matching state behind it, and the gate between.
//!
//! Senders push envelopes into the ring without a lock. The matching state belongs to whoever holds the gate: the
//! rank itself while it runs inside an MPI call or spins in one, otherwise any peer that has something to deliver.
//! A holder never blocks and never runs guest code; long copies are made after it has left the gate. That the holder
//! does what others have left in front of the gate is flat combining (Hendler, Incze, Shavit, Tzafrir, "Flat combining and
//! the synchronization-parallelism tradeoff", SPAA 2010).

pub(crate) mod matching;
pub(crate) mod operation;
mod parts;
pub(crate) mod ring;

use std::sync::Arc;

use crate::quota::Account;
use crate::sync::{AtomicU32, Backoff, Cell, Ordering, crosswise};
use matching::{Leftovers, Matching, Pattern, Work};
use ring::{Full, Header, Ring};

/// The owner runs, or will look at its mailbox before it parks.
pub(crate) const RUNNING: u32 = 0;
/// The owner sleeps until somebody wakes it: a producer must deliver itself.
pub(crate) const PARKED: u32 = 1;
/// The owner has been woken, or must not fall asleep.
pub(crate) const NOTIFIED: u32 = 2;

/// Where a rank's messages arrive.
pub(crate) struct Mailbox {
    pub(crate) ring: Ring,
    gate: Gate,
    /// Guarded by `gate`.
    matching: Cell<Matching>,
}

/// On a line of its own: its owner writes it in every call, and no sender should have to fetch it.
#[repr(align(128))]
struct Gate {
    locked: AtomicU32,
}

// SAFETY: `matching` is touched only under the gate; the ring hands its slots over by itself.
unsafe impl Send for Mailbox {}
// SAFETY: `matching` is touched by one thread at a time, the one inside the gate, and entering and leaving it orders what
// they do; the ring is made to be shared.
unsafe impl Sync for Mailbox {}

impl Mailbox {
    pub(crate) fn new(slots: usize, account: &Arc<Account>) -> Self {
        Mailbox {
            ring: Ring::new(slots),
            gate: Gate { locked: AtomicU32::new(0) },
            matching: Cell::new(Matching::new(account)),
        }
    }

    /// Enters the gate unless somebody is inside.
    #[inline]
    pub(crate) fn try_enter(&self) -> Option<Inside<'_>> {
        let entered = self.gate.locked.load(Ordering::Relaxed) == 0
            && self.gate.locked.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_ok();
        entered.then(|| Inside(self))
    }

    /// Enters the gate; holders leave soon, since they never block.
    #[inline]
    pub(crate) fn enter(&self) -> Inside<'_> {
        let mut backoff = Backoff::new();
        loop {
            if let Some(inside) = self.try_enter() {
                return inside;
            }
            backoff.pause();
        }
    }

    /// What somebody holds who has entered and did not leave.
    ///
    /// # Safety
    /// The caller has entered, and nobody uses another `Inside` while this one is there.
    #[inline]
    pub(crate) unsafe fn inside(&self) -> Inside<'_> {
        Inside(self)
    }

    /// Whether so much lies here unreceived that senders should keep their data until it is asked for.
    #[inline]
    pub(crate) fn is_congested(&self) -> bool {
        self.ring.congested().load(Ordering::Relaxed) != 0
    }

    /// Appends an envelope (see [`Ring::push`]).
    ///
    /// # Safety
    /// As for [`Ring::push`].
    #[inline]
    pub(crate) unsafe fn push(&self, header: &Header, payload: *const u8) -> Result<u64, Full> {
        // SAFETY: `payload` has the bytes that the header says, as this function and `Ring::push` demand.
        unsafe { self.ring.push(header, payload) }
    }

    /// Whether the owner sleeps. Exact for a producer right after its push (see [`Ring::push`]).
    #[inline]
    pub(crate) fn is_parked(&self) -> bool {
        crosswise();
        self.ring.park().load(Ordering::SeqCst) == PARKED
    }
}

/// What a caller may do who is inside the gate of a mailbox. Dropping it leaves, also where a panic unwinds: nobody else
/// shall wait for ever.
pub(crate) struct Inside<'a>(&'a Mailbox);

impl Inside<'_> {
    /// Runs `f` on the matching state.
    #[inline]
    pub(crate) fn matching<R>(&mut self, f: impl FnOnce(&mut Matching) -> R) -> R {
        // SAFETY: the gate makes the caller the only one here, and the borrow of `self` keeps `f` from coming back.
        self.0.matching.with_mut(|matching| f(unsafe { &mut *matching }))
    }

    /// Moves everything that has arrived to its receive or to the unexpected messages.
    #[inline]
    pub(crate) fn drain(&mut self, work: &mut Work) {
        let ring = &self.0.ring;
        if !ring.has_next() {
            return;
        }
        self.matching(|matching| {
            // SAFETY: inside the gate we are the only consumer; `arrive` copies the payload before it returns, and only then is
            // the slot given back.
            while unsafe { ring.pop(|header, payload| matching.arrive(header, payload, work)) }.is_some() {}
            let congested = u32::from(matching.is_full());
            if ring.congested().load(Ordering::Relaxed) != congested {
                ring.congested().store(congested, Ordering::Relaxed);
            }
        });
    }

    /// What nobody has received, and nobody will: the owner has exited, and so has whoever could have sent more.
    pub(crate) fn take_leftovers(&mut self) -> Leftovers {
        let ring = &self.0.ring;
        self.matching(|matching| {
            // SAFETY: inside the gate we are the only consumer, and a payload is not looked at.
            matching.leftovers_with(std::iter::from_fn(|| unsafe { ring.pop(|header, _| header) }))
        })
    }

    /// Whether nothing waits to be matched: then the next envelope is for whoever asks next, if it fits.
    #[inline(always)]
    pub(crate) fn is_idle(&mut self) -> bool {
        self.matching(|matching| matching.is_idle())
    }

    /// Takes the next envelope of an [idle](Inside::is_idle) mailbox straight to a receive of the owner's that has not been
    /// posted, if it fits and carries its bytes.
    ///
    /// # Safety
    /// `to` is writable for `room` bytes.
    #[inline(always)]
    pub(crate) unsafe fn take_next(&mut self, pattern: &Pattern, to: *mut u8, room: usize) -> Option<Header> {
        debug_assert!(self.is_idle(), "somebody else may have a claim to it");
        let wanted = |header: &Header| pattern.fits(header) && !header.is_pulled() && header.bytes() <= room;
        // SAFETY: inside the gate, and the bytes fit.
        unsafe {
            self.0.ring.pop_if(wanted, |header, payload| {
                payload.copy_to(to, header.bytes());
                header
            })
        }
    }
}

impl Drop for Inside<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.gate.locked.store(0, Ordering::Release);
    }
}
