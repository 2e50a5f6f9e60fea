//! A pending operation: what a send or receive leaves for whoever arrives second.
//!
//! Operations live in their rank's pool until the job ends, so that a peer can always look at one. Who may touch what:
//! the owner until it posts the operation or sends its envelope; the matcher (one, chosen under the gate) from then
//! until it stores `DONE`; the owner again from then on.

use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::Arc;

use rankine_guest::Parcel;

use crate::context::Context;
use crate::quota::{Account, Charge};
use crate::span::Span;
use crate::sync::{AtomicU32, AtomicUsize, Cell, Ordering};

/// Nobody waits for the operation yet.
pub(crate) const PENDING: u32 = 0;
/// The owner is parked on it, or about to be: completing it wakes the owner.
pub(crate) const WAITED: u32 = 1;
/// Complete: the outcome is there, and the operation is its owner's again.
pub(crate) const DONE: u32 = 2;

/// What an operation is, for matching and for a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A send that may be buffered.
    Send,
    /// A send that completes only once it is matched.
    Ssend,
    /// A receive.
    Recv,
    /// A wait for a message to arrive, which stays where it is.
    Probe,
}

/// An operation in words that a matcher and a deadlock report need.
#[derive(Clone, Copy, Debug)]
pub struct What {
    /// Send, receive or probe.
    pub kind: Kind,
    /// The context it is matched in.
    pub context: Context,
    /// The peer's rank in the communicator, or `MPI_ANY_SOURCE`.
    pub peer: i32,
    /// The tag, or `MPI_ANY_TAG`.
    pub tag: i32,
    /// For sends: the world rank of the destination.
    pub destination: u32,
}

impl Kind {
    /// Whether it waits for a message.
    pub(crate) fn receives(self) -> bool {
        matches!(self, Kind::Recv | Kind::Probe)
    }
}

/// How an operation ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The sender's rank in the communicator.
    pub source: i32,
    /// The message's tag.
    pub tag: i32,
    /// Bytes received, or for a probe the message's length.
    pub bytes: u64,
    /// The message's length: more than `bytes` if it did not fit, and the receive failed with `MPI_ERR_TRUNCATE`.
    pub length: u64,
    /// Whether it was cancelled.
    pub fate: Fate,
}

impl Outcome {
    pub(crate) const CANCELLED: Outcome = Outcome { source: 0, tag: 0, bytes: 0, length: 0, fate: Fate::Cancelled };

    #[inline]
    pub(crate) fn is_cancelled(&self) -> bool {
        self.fate == Fate::Cancelled
    }
}

/// Whether an operation came to its end. A word, as all of [`Outcome`] is whole words: a bool and the gap behind it are moved in
/// two reads that overlap, and such a read waits for the writes before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u64)]
pub enum Fate {
    /// It did.
    #[default]
    Done,
    /// It was taken back.
    Cancelled,
}

/// A long copy that the waiting sender joins: chunks are taken from both ends, so no chunk is taken twice.
#[derive(Debug)]
pub(crate) struct Joint {
    /// Set by the matcher once the fields below are valid; cleared by it when the copy is over.
    pub open: AtomicU32,
    pub chunks: AtomicUsize,
    pub taken: AtomicUsize,
    pub done: AtomicUsize,
    pub bytes: AtomicUsize,
    pub to: AtomicUsize,
    pub from: AtomicUsize,
}

/// The parcel of an operation: what a send brings, or where a receive of a message of any length finds it.
#[derive(Debug)]
pub(crate) struct Cargo {
    /// For receives: the longest message that is taken.
    limit: u64,
    parcel: Parcel,
}

/// A send or receive that has not ended.
#[derive(Debug)]
#[repr(align(128))]
pub struct Operation {
    state: AtomicU32,
    /// The world rank that owns it.
    pub(crate) owner: u32,
    what: Cell<What>,
    span: Cell<Span<'static>>,
    /// For messages of the host's own.
    cargo: Cell<Option<Cargo>>,
    outcome: Cell<Outcome>,
    /// For sends: the position of the envelope in the destination's ring.
    pub(crate) position: std::cell::Cell<u64>,
    pub(crate) joint: Joint,
}

impl Operation {
    pub(crate) fn new(owner: u32) -> Self {
        Operation {
            state: AtomicU32::new(DONE),
            owner,
            what: Cell::new(What { kind: Kind::Probe, context: Context::WORLD, peer: 0, tag: 0, destination: owner }),
            span: Cell::new(Span::EMPTY),
            cargo: Cell::new(None),
            outcome: Cell::new(Outcome::default()),
            position: std::cell::Cell::new(0),
            joint: Joint {
                open: AtomicU32::new(0),
                chunks: AtomicUsize::new(0),
                taken: AtomicUsize::new(0),
                done: AtomicUsize::new(0),
                bytes: AtomicUsize::new(0),
                to: AtomicUsize::new(0),
                from: AtomicUsize::new(0),
            },
        }
    }
}

// SAFETY: `state` hands the plain fields from owner to matcher and back (see the module); `position` is its owner's
// alone.
unsafe impl Send for Operation {}
// SAFETY: at any time `state` says whose the plain fields are, so no two threads touch them at once; `position` is used
// by the owner alone.
unsafe impl Sync for Operation {}

/// A pointer to an operation of some rank.
///
/// Pools free operations only when the job ends, which is after every `OpRef` is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpRef(NonNull<Operation>);

// SAFETY: the state word hands the fields of an operation from owner to matcher and back (see the module).
unsafe impl Send for OpRef {}

impl OpRef {
    pub(crate) fn new(operation: &Operation) -> Self {
        OpRef(NonNull::from(operation))
    }

    pub(crate) fn to_address(self) -> usize {
        self.0.as_ptr().expose_provenance()
    }

    /// # Safety
    /// `address` came from [`OpRef::to_address`] of an operation whose job still runs.
    pub(crate) unsafe fn from_address(address: usize) -> Self {
        // SAFETY: it came from a non-null pointer (caller).
        OpRef(unsafe { NonNull::new_unchecked(std::ptr::with_exposed_provenance_mut(address)) })
    }

    #[inline]
    pub(crate) fn get(&self) -> &Operation {
        // SAFETY: pools outlive every OpRef (see the type), and an `Operation`'s fields have interior mutability.
        unsafe { self.0.as_ref() }
    }

    /// Whether it is complete; if so, what the matcher wrote is visible.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.get().state.load(Ordering::Acquire) == DONE
    }

    /// Whether it is complete, or a copy of its bytes has begun that its owner can join.
    #[inline]
    pub(crate) fn has_news(&self) -> bool {
        self.is_done() || self.get().joint.open.load(Ordering::Relaxed) != 0
    }

    /// Prepares it for publication. Only its owner calls this, and only while it is complete or new.
    #[inline]
    pub(crate) fn start(&self, what: What, span: Span<'static>) {
        let operation = self.get();
        debug_assert!(self.is_done());
        // SAFETY: a complete operation is its owner's alone.
        operation.what.with_mut(|slot| unsafe { *slot = what });
        // SAFETY: a complete operation is its owner's alone, and it is not published yet.
        operation.span.with_mut(|slot| unsafe { *slot = span });
        operation.state.store(PENDING, Ordering::Relaxed);
    }

    /// Lets the matcher make its buffer, for a message of at most `limit` bytes. After [`OpRef::start`], before
    /// publication.
    pub(crate) fn give_room(&self, limit: u64, account: &Arc<Account>) {
        let parcel = Parcel { charge: Charge::none(account), ..Parcel::default() };
        let cargo = Cargo { limit, parcel };
        // SAFETY: nobody else knows the operation yet.
        self.get().cargo.with_mut(|slot| unsafe { *slot = Some(cargo) });
    }

    /// Gives it the bytes that it sends. After [`OpRef::start`], before publication.
    pub(crate) fn load(&self, parcel: Parcel) {
        // SAFETY: nobody else knows the operation yet.
        let bytes = self.get().cargo.with_mut(|slot| unsafe {
            let parcel = &mut (*slot).insert(Cargo { limit: 0, parcel }).parcel;
            // They stay where they are, and are nobody else's, until the operation is complete.
            Span::raw(parcel.bytes.as_mut_ptr(), parcel.bytes.len())
        });
        // SAFETY: nobody else knows the operation before it is published.
        self.get().span.with_mut(|slot| unsafe { *slot = bytes });
    }

    /// Makes the buffer for a message of `length` bytes, if this receive leaves that to its matcher. Where the message
    /// is too long for it, it stays empty, and so the message does not fit.
    #[inline]
    pub(crate) fn make_room(&self, length: u64) {
        self.get().cargo.with_mut(|cargo| {
            // SAFETY: the callers are matchers, to whom the operation's fields belong until it is complete.
            if let Some(cargo) = unsafe { &mut *cargo } {
                self.fill_room(cargo, length);
            }
        });
    }

    fn fill_room(&self, cargo: &mut Cargo, length: u64) {
        let Parcel { bytes, charge, .. } = &mut cargo.parcel;
        let fits = length <= cargo.limit && charge.try_grow(length as usize);
        if !fits || bytes.try_reserve_exact(length as usize).is_err() {
            return;
        }
        // SAFETY: the bytes stay where they are until the operation is complete, and are nobody else's.
        let span = unsafe { Span::raw(bytes.as_mut_ptr(), length as usize) };
        // SAFETY: the callers are matchers, to whom the operation's fields belong until it is complete.
        self.get().span.with_mut(|slot| unsafe { *slot = span });
    }

    /// Hands the parcel of a send to this receive, if there is one and the receive takes it. Both belong to the caller,
    /// their matcher.
    #[inline]
    pub(crate) fn take_over(&self, send: OpRef) -> bool {
        self.get().cargo.with_mut(|cargo| {
            // SAFETY: the caller is the matcher of both.
            let Some(cargo) = (unsafe { &mut *cargo }) else { return false };
            send.get().cargo.with_mut(|theirs| {
                // SAFETY: the send is another operation, and the caller is its matcher too.
                let theirs = unsafe { &mut *theirs };
                match theirs.take_if(|theirs| theirs.parcel.bytes.len() as u64 <= cargo.limit) {
                    Some(theirs) => cargo.parcel = theirs.parcel,
                    None => return false,
                }
                true
            })
        })
    }

    /// Forgets the parcel of a complete operation, if it had any. After [`OpRef::finish`] gave its outcome.
    #[inline]
    pub(crate) fn clear_cargo(&self) {
        debug_assert!(self.is_done());
        // SAFETY: a complete operation is its owner's alone.
        if self.get().cargo.with(|cargo| unsafe { (*cargo).is_some() }) {
            drop(self.unload());
        }
    }

    /// The message that a complete receive made room for, or took over.
    pub(crate) fn unload(&self) -> Parcel {
        assert!(self.is_done(), "only what is complete is unloaded");
        // SAFETY: a complete operation is its owner's alone.
        let cargo = self.get().cargo.with_mut(|cargo| unsafe { (*cargo).take() });
        // SAFETY: it is complete, so its matcher wrote the outcome before, and writes no more.
        let received = self.get().outcome.with(|outcome| unsafe { (*outcome).bytes }) as usize;
        let mut parcel = cargo.map_or_else(Parcel::default, |cargo| cargo.parcel);
        if parcel.bytes.is_empty() && received <= parcel.bytes.capacity() {
            // SAFETY: the matcher has written as many bytes as the outcome says.
            unsafe { parcel.bytes.set_len(received) };
        }
        parcel
    }

    /// Says that the owner is about to park on it; false when it is complete already.
    #[inline]
    pub(crate) fn announce_wait(&self) -> bool {
        match self.get().state.compare_exchange(PENDING, WAITED, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => true,
            Err(state) => state == WAITED,
        }
    }

    /// What it is. Callers are the owner, or the matcher.
    #[inline]
    pub fn what(&self) -> What {
        // SAFETY: written only by `start`, which runs while the operation is nobody else's.
        self.get().what.with(|what| unsafe { *what })
    }

    /// Its buffer. Callers are the owner, or the matcher.
    #[inline]
    pub(crate) fn span(&self) -> &Span<'static> {
        // SAFETY: written only by `start` and `finish`, while the operation is nobody else's.
        self.get().span.with(|span| unsafe { &*span })
    }

    /// Stores the outcome and says whether the owner has to be woken. After this the operation is its owner's.
    #[inline]
    #[must_use]
    pub(crate) fn complete(&self, outcome: Outcome) -> bool {
        let operation = self.get();
        // SAFETY: the matcher alone may write until it stores DONE.
        operation.outcome.with_mut(|slot| unsafe { *slot = outcome });
        operation.state.swap(DONE, Ordering::AcqRel) == WAITED
    }

    /// As [`OpRef::complete`], by its owner, in whose hands alone the state then is. It may have announced a wait for
    /// this operation and be looking at the next one, so it too has to be told not to park.
    #[inline]
    #[must_use]
    pub(crate) fn complete_own(&self, outcome: Outcome) -> bool {
        let operation = self.get();
        // SAFETY: the matcher alone may write until it stores DONE.
        operation.outcome.with_mut(|slot| unsafe { *slot = outcome });
        let waited = operation.state.load(Ordering::Relaxed) == WAITED;
        operation.state.store(DONE, Ordering::Release);
        waited
    }

    /// Whether it is complete, and all of its message came.
    pub(crate) fn is_whole(&self) -> bool {
        // SAFETY: it is complete, so its matcher wrote the outcome before, and writes no more.
        self.is_done() && self.get().outcome.with(|outcome| unsafe { (*outcome).length <= (*outcome).bytes })
    }

    /// The outcome of a complete operation; lets go of its buffer. Nothing if it is not complete: then all of it is
    /// still its matcher's.
    #[inline(always)]
    pub(crate) fn finish(&self) -> Option<Outcome> {
        if !self.is_done() {
            return None;
        }
        // SAFETY: a complete operation is its owner's alone.
        self.get().span.with_mut(|span| unsafe { (*span).release() });
        // SAFETY: it is complete, so its matcher wrote the outcome before, and writes no more.
        Some(self.get().outcome.with(|outcome| unsafe { *outcome }))
    }
}

/// An operation that somebody has matched and will complete. Dropping it, which only a panic does, completes it too: its
/// owner may be waiting for nothing else.
#[derive(Debug)]
pub(crate) struct Matched(OpRef);

impl Matched {
    #[inline(always)]
    pub(crate) fn new(operation: OpRef) -> Self {
        Matched(operation)
    }

    #[inline(always)]
    pub(crate) fn operation(&self) -> OpRef {
        self.0
    }

    /// The operation again, to be completed now.
    #[inline(always)]
    pub(crate) fn take(self) -> OpRef {
        ManuallyDrop::new(self).0
    }
}

impl Drop for Matched {
    #[cold]
    fn drop(&mut self) {
        let _ = self.0.complete(Outcome::CANCELLED);
    }
}
