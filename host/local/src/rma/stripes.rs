//! Locks for elements that the hardware can't update by itself: floating-point and complex numbers, pairs, what is not
//! aligned.
//!
//! The elements of a rank's part that begin in the same stretch of memory share a lock. It is held while a piece that
//! stays in the cache is combined, and never while anything else runs.

use std::ops::Range;

use crate::sync::{AtomicBool, Backoff, Ordering};

/// Locks of a part.
const LOCKS: usize = 8;
/// Bytes of a stretch.
pub(super) const STRETCH: usize = 4 << 10;

/// See the module.
#[derive(Debug)]
pub(super) struct Stripes([Line; LOCKS]);

#[derive(Debug)]
#[repr(align(64))]
struct Line(AtomicBool);

impl Default for Stripes {
    fn default() -> Self {
        Stripes(std::array::from_fn(|_| Line(AtomicBool::new(false))))
    }
}

/// The right to change elements, until it is dropped.
pub(super) struct Held<'a>(&'a [Line]);

impl Stripes {
    /// The right to the elements that begin in the stretch of this address.
    #[inline]
    pub(super) fn stretch(&self, address: usize) -> Held<'_> {
        let index = address / STRETCH % LOCKS;
        self.hold(index..index + 1)
    }

    /// The right to all elements, for those that lie in pieces.
    pub(super) fn all(&self) -> Held<'_> {
        self.hold(0..LOCKS)
    }

    /// Always from the first to the last, so that nobody waits for who waits for it.
    #[inline]
    fn hold(&self, range: Range<usize>) -> Held<'_> {
        let lines = &self.0[range];
        for Line(locked) in lines {
            let mut backoff = Backoff::new();
            while locked.compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed).is_err() {
                backoff.pause();
            }
        }
        Held(lines)
    }
}

impl Drop for Held<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.iter().for_each(|Line(locked)| locked.store(false, Ordering::Release));
    }
}
