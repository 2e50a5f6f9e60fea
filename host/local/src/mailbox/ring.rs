//! The ring of envelopes in front of a rank: many producers, one consumer at a time, no lock.
//!
//! A producer claims consecutive slots with one compare-and-swap on `tail`, fills them and publishes the first by its
//! sequence number. The consumer is whoever holds the mailbox's gate; it frees slots by moving `head`, which it
//! publishes lazily because every producer reads it. A full ring is reported, never waited for: the producer then
//! helps to drain it (see `Mailbox::push`).
//!
//! Two orders matter on machines that reorder: bytes before their number (release, acquire), and a claim before the look at
//! whether the owner sleeps, crosswise with the owner's (`docs/memory-order.md`).
//!
//! Sequence numbers in the slots are Vyukov's, of his "Bounded MPMC queue" (1024cores.net, 2010); claims of several slots,
//! and `head` in place of a second number for slots that are free again, are not.

use crate::context::Context;
use crate::copy;
use crate::sync::{AtomicU32, AtomicU64, Cell, Ordering, crosswise};

/// Bytes of payload in the first slot of an envelope.
pub(crate) const FIRST: usize = 104;
/// Those of them on the cache line that the consumer looks at.
const WATCHED: usize = 64 - size_of::<AtomicU32>() - size_of::<Words>();
/// Bytes of payload in each further slot.
const NEXT: usize = size_of::<Body>();
/// The largest payload an envelope carries itself; anything longer is pulled from the sender's memory.
pub(crate) const EAGER: usize = 1024;

/// What an envelope says of its message, beside the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Header {
    /// The communicator's context: point-to-point and collective traffic differ in it.
    pub context: Context,
    /// The sender's rank in the communicator.
    pub source: i32,
    /// The tag.
    pub tag: i32,
    /// The message's length in packed bytes, and in the top bit whether the payload is inline (0) or pulled (1).
    pub length: u64,
}

// A route to other nodes would begin here: the payload of a pulled message is a pointer into the sender's memory.
const PULLED: u64 = 1 << 63;

impl Header {
    #[inline]
    pub(crate) fn bytes(&self) -> usize {
        (self.length & !PULLED) as usize
    }

    #[inline]
    pub(crate) fn is_pulled(&self) -> bool {
        self.length & PULLED != 0
    }

    #[inline]
    pub(crate) fn pulled(mut self) -> Self {
        self.length |= PULLED;
        self
    }

    #[inline]
    fn payload(&self) -> usize {
        if self.is_pulled() { size_of::<usize>() } else { self.bytes() }
    }
}

/// One slot: two adjacent cache lines, which the hardware fetches together.
///
/// `body` belongs to the producer that claimed the slot until it stores `position + 1` in `sequence` (release), then to
/// the consumer until it moves `head` past it.
#[repr(C, align(128))]
struct Slot {
    sequence: AtomicU32,
    body: Cell<Body>,
}

#[repr(C)]
struct Body {
    header: Words,
    payload: [u8; FIRST],
}

/// A header as it lies in a slot, without gaps.
#[derive(Clone, Copy)]
#[repr(C)]
struct Words {
    context: Context,
    source: i32,
    tag: i32,
    /// The length, low half first.
    length: [u32; 2],
}

/// Written by producers; a parked owner is announced on the same line, so that seeing it costs a producer nothing.
#[repr(align(128))]
struct Tail {
    tail: AtomicU64,
    park: AtomicU32,
}

/// Written by the consumer, and rarely; read by producers when they claim.
#[repr(align(128))]
struct Head {
    head: AtomicU64,
    congested: AtomicU32,
}

/// Written by the consumer only: where it reads next.
#[repr(align(128))]
struct Position {
    next: AtomicU64,
}

/// How far behind the next envelope the one lies whose line a producer fetches ahead of time, so that a stream of
/// messages does not wait for one line after the other. The consumer may be looking at the next one.
const AHEAD: u64 = 2;

/// The ring is full: nothing was written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Full;

pub(crate) struct Ring {
    tail: Tail,
    head: Head,
    position: Position,
    slots: Box<[Slot]>,
}

// SAFETY: slot bodies are handed from producer to consumer and back by `sequence` and `head` (see `Slot`).
unsafe impl Send for Ring {}
// SAFETY: all fields but the bodies are atomic, and a body is touched by the producer that claimed its slot, and after
// `sequence` has said so by the consumer.
unsafe impl Sync for Ring {}

impl Ring {
    /// A ring of `slots` slots, a power of two that holds at least one eager message.
    pub(crate) fn new(slots: usize) -> Self {
        assert!(slots.is_power_of_two() && (slots >= 16 || cfg!(loom)));
        let header = Words { context: Context::WORLD, source: 0, tag: 0, length: [0; 2] };
        let body = || Cell::new(Body { header, payload: [0; FIRST] });
        let slots = (0..slots).map(|_| Slot { sequence: AtomicU32::new(0), body: body() }).collect();
        Ring {
            tail: Tail { tail: AtomicU64::new(0), park: AtomicU32::new(0) },
            head: Head { head: AtomicU64::new(0), congested: AtomicU32::new(0) },
            position: Position { next: AtomicU64::new(0) },
            slots,
        }
    }

    /// Where the owner says whether it is parked: on the line that producers own anyway.
    #[inline]
    pub(crate) fn park(&self) -> &AtomicU32 {
        &self.tail.park
    }

    /// Where the consumer says that producers should keep their data: on the line that they read anyway.
    #[inline]
    pub(crate) fn congested(&self) -> &AtomicU32 {
        &self.head.congested
    }

    #[inline]
    fn slot(&self, position: u64) -> &Slot {
        &self.slots[position as usize & (self.slots.len() - 1)]
    }

    /// Appends an envelope. The claim on `tail` is sequentially consistent, so that a producer that then finds the
    /// owner not parked knows the owner will see the claim before it parks.
    ///
    /// # Safety
    /// `payload` is readable for as many bytes as the header's payload has: the message, or for a pulled one a pointer.
    #[inline]
    pub(crate) unsafe fn push(&self, header: &Header, payload: *const u8) -> Result<u64, Full> {
        let length = header.payload();
        debug_assert!(length <= EAGER);
        let slots = if length <= FIRST { 1 } else { 1 + (length - FIRST).div_ceil(NEXT) as u64 };
        let mut tail = self.tail.tail.load(Ordering::Relaxed);
        loop {
            let head = self.head.head.load(Ordering::Acquire);
            if tail.wrapping_add(slots).wrapping_sub(head) > self.slots.len() as u64 {
                // `tail` may be stale and older than `head`; look again before giving up.
                let now = self.tail.tail.load(Ordering::Relaxed);
                if now == tail {
                    return Err(Full);
                }
                tail = now;
                continue;
            }
            match self.tail.tail.compare_exchange_weak(tail, tail + slots, Ordering::SeqCst, Ordering::Relaxed) {
                Ok(_) => break,
                Err(now) => tail = now,
            }
        }
        if slots > 1 {
            // SAFETY: the claim made the slots `tail..tail + slots` ours; `payload` is readable (caller).
            unsafe { self.push_rest(tail, payload, length) };
        }
        // The line that the consumer looks at comes last and in one go: between two writes it would fetch it back.
        let first = self.slot(tail);
        first.body.with_mut(|body| {
            // SAFETY: the claim made the slot ours, `payload` is readable for `length` bytes (caller), and no more than
            // FIRST are copied, for which a slot has room.
            unsafe {
                let to = (*body).payload.as_mut_ptr();
                if length > WATCHED {
                    copy::copy_small(to.add(WATCHED), payload.add(WATCHED), length.min(FIRST) - WATCHED);
                }
                copy::copy_small(to, payload, length.min(WATCHED));
                (*body).header = Words {
                    context: header.context,
                    source: header.source,
                    tag: header.tag,
                    length: [header.length as u32, (header.length >> 32) as u32],
                };
            }
        });
        first.sequence.store((tail as u32).wrapping_add(1), Ordering::Release);
        crate::copy::expect_write(self.slot(tail + slots + AHEAD));
        Ok(tail)
    }

    /// Fills the further slots of an envelope.
    ///
    /// # Safety
    /// The caller claimed them, and `payload` is readable for `length` bytes.
    unsafe fn push_rest(&self, first: u64, payload: *const u8, length: usize) {
        let mut done = FIRST;
        let mut position = first + 1;
        while done < length {
            let part = (length - done).min(NEXT);
            self.slot(position).body.with_mut(|body| {
                // SAFETY: the slot is claimed and its body has NEXT bytes.
                unsafe { copy::copy(body.cast::<u8>(), payload.add(done), part) }
            });
            done += part;
            position += 1;
        }
    }

    /// Whether the next envelope has been published. Exact for the consumer, a hint for others.
    #[inline]
    pub(crate) fn has_next(&self) -> bool {
        let next = self.position.next.load(Ordering::Relaxed);
        self.slot(next).sequence.load(Ordering::Acquire) == (next as u32).wrapping_add(1)
    }

    /// Whether any producer has claimed a slot that is not consumed: what an owner must look at before it parks.
    #[inline]
    pub(crate) fn is_claimed(&self) -> bool {
        crosswise();
        self.tail.tail.load(Ordering::SeqCst) != self.position.next.load(Ordering::Relaxed)
    }

    /// Whether the envelope pushed at `position` has been consumed.
    #[inline]
    pub(crate) fn is_consumed(&self, position: u64) -> bool {
        self.position.next.load(Ordering::Acquire) > position
    }

    /// Takes the next envelope, if there is one that is wanted: `take` gets its header and a reader of its payload.
    ///
    /// # Safety
    /// The caller is the only consumer (it holds the gate).
    #[inline]
    pub(crate) unsafe fn pop_if<R>(
        &self,
        wanted: impl FnOnce(&Header) -> bool,
        take: impl FnOnce(Header, Payload<'_>) -> R,
    ) -> Option<R> {
        let next = self.position.next.load(Ordering::Relaxed);
        let slot = self.slot(next);
        if slot.sequence.load(Ordering::Acquire) != (next as u32).wrapping_add(1) {
            return None;
        }
        let header = slot.body.with(|body| {
            // SAFETY: the sequence number says the producer is done with the slot, and we are the only consumer.
            let Words { context, source, tag, length: [low, high] } = unsafe { (*body).header };
            Header { context, source, tag, length: u64::from(low) | u64::from(high) << 32 }
        });
        if !wanted(&header) {
            return None;
        }
        let length = header.payload();
        let slots = if length <= FIRST { 1 } else { 1 + (length - FIRST).div_ceil(NEXT) as u64 };
        let result = take(header, Payload { ring: self, position: next, length });
        self.position.next.store(next + slots, Ordering::Release);
        if next + slots - self.head.head.load(Ordering::Relaxed) >= self.slots.len() as u64 / 4 {
            self.publish_head();
        }
        Some(result)
    }

    /// Takes the next envelope, if there is one (see [`Ring::pop_if`]).
    ///
    /// # Safety
    /// As for [`Ring::pop_if`].
    #[inline]
    pub(crate) unsafe fn pop<R>(&self, take: impl FnOnce(Header, Payload<'_>) -> R) -> Option<R> {
        // SAFETY: the gate is held, as this function and `pop_if` demand.
        unsafe { self.pop_if(|_| true, take) }
    }

    /// Lets producers have all consumed slots back.
    ///
    /// Only the consumer calls it.
    pub(crate) fn publish_head(&self) {
        self.head.head.store(self.position.next.load(Ordering::Relaxed), Ordering::Release);
    }
}

/// The payload of the envelope that [`Ring::pop`] is taking.
pub(crate) struct Payload<'a> {
    ring: &'a Ring,
    position: u64,
    length: usize,
}

impl Payload<'_> {
    /// Copies the payload from byte `from` on to `to`.
    ///
    /// # Safety
    /// `to` is writable for `length` bytes, and `from + length` is within the payload.
    #[inline]
    pub(crate) unsafe fn copy_to(&self, to: *mut u8, length: usize) {
        debug_assert!(length <= self.length);
        self.ring.slot(self.position).body.with(|body| {
            // SAFETY: the slot is ours until `pop` returns; `to` is writable (caller).
            unsafe { copy::copy_small(to, (&raw const (*body).payload).cast(), length.min(FIRST)) }
        });
        let (mut done, mut position) = (FIRST, self.position + 1);
        while done < length {
            let part = (length - done).min(NEXT);
            self.ring.slot(position).body.with(|body| {
                // SAFETY: the envelope's further slots are ours until `pop` returns, each has NEXT bytes, and `to` is
                // writable for `length` (caller).
                unsafe { copy::copy(to.add(done), body.cast::<u8>(), part) }
            });
            done += part;
            position += 1;
        }
    }

    /// The payload as bytes of the host's own.
    pub(crate) fn to_vec(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.length);
        // SAFETY: `bytes` has room for the payload, and has it then.
        unsafe {
            self.copy_to(bytes.as_mut_ptr(), self.length);
            bytes.set_len(self.length);
        }
        bytes
    }

    /// The pointer that a pulled message carries instead of bytes.
    pub(crate) fn pointer(&self) -> usize {
        debug_assert_eq!(self.length, size_of::<usize>());
        let mut pointer = [0; size_of::<usize>()];
        // SAFETY: the array has the payload's length.
        unsafe { self.copy_to(pointer.as_mut_ptr(), size_of::<usize>()) };
        usize::from_ne_bytes(pointer)
    }
}
