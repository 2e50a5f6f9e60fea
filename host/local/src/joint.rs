//! Long copies by two hands: while the sender waits it copies too, from the other end.
//!
//! The matcher opens the copy in the send's operation and takes chunks from the front; the waiting sender takes them
//! from the back. One shared counter gives out chunks, so that front and back never cross. Only the matcher completes
//! the operations, after every chunk is done; the sender touches nothing but its own operation.

use crate::copy;
use crate::mailbox::operation::Joint;
use crate::sync::{Backoff, Ordering};

/// Copies shorter than this are over before a second hand has arrived.
pub(crate) const WORTHWHILE: usize = if cfg!(any(miri, loom)) { 4 << 10 } else { 256 << 10 };
/// What one hand takes at a time: less costs more in hand-over than it wins.
const CHUNK: usize = if cfg!(any(miri, loom)) { 1 << 10 } else { 64 << 10 };

/// Copies all bytes, with the sender's help if it comes.
pub(crate) fn copy(joint: &Joint, to: *mut u8, from: *const u8, bytes: usize) {
    let chunks = bytes.div_ceil(CHUNK);
    joint.bytes.store(bytes, Ordering::Relaxed);
    joint.chunks.store(chunks, Ordering::Relaxed);
    joint.taken.store(0, Ordering::Relaxed);
    joint.done.store(0, Ordering::Relaxed);
    joint.to.store(to.expose_provenance(), Ordering::Relaxed);
    joint.from.store(from.expose_provenance(), Ordering::Relaxed);
    joint.open.store(1, Ordering::Release);
    let mut mine = 0;
    while joint.taken.fetch_add(1, Ordering::Relaxed) < chunks {
        // SAFETY: both spans were proved and stay until the operations complete, which is below.
        unsafe { chunk(joint, mine) };
        mine += 1;
    }
    let mut backoff = Backoff::new();
    while joint.done.load(Ordering::Acquire) < chunks {
        backoff.pause();
    }
    joint.open.store(0, Ordering::Relaxed);
}

/// Lends a hand to the copy of the caller's own send, if one is under way.
pub(crate) fn help(joint: &Joint) {
    if joint.open.load(Ordering::Acquire) == 0 {
        return;
    }
    let chunks = joint.chunks.load(Ordering::Relaxed);
    let mut next = chunks;
    while joint.taken.fetch_add(1, Ordering::Relaxed) < chunks {
        next -= 1;
        // SAFETY: the matcher waits for this chunk before it completes the operations.
        unsafe { chunk(joint, next) };
    }
}

/// Copies one chunk.
///
/// # Safety
/// The copy is open, the chunk was taken by the caller alone, and its bytes are inside both spans.
unsafe fn chunk(joint: &Joint, index: usize) {
    let start = index * CHUNK;
    let length = CHUNK.min(joint.bytes.load(Ordering::Relaxed) - start);
    let to: *mut u8 = std::ptr::with_exposed_provenance_mut(joint.to.load(Ordering::Relaxed) + start);
    let from: *const u8 = std::ptr::with_exposed_provenance(joint.from.load(Ordering::Relaxed) + start);
    // SAFETY: the chunk lies inside both spans, and nobody else has taken it, as the function demands.
    unsafe { copy::copy(to, from, length) };
    joint.done.fetch_add(1, Ordering::Release);
}
