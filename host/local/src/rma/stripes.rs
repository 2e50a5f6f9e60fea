//! Locks for elements that the hardware can't update by itself: floating-point and complex numbers, pairs, what is not
//! aligned.
//!
//! The elements of a rank's part that begin in the same stretch of memory share a lock. It is held while a piece that
//! stays in the cache is combined, and never while anything else runs.

use std::ops::Range;

use crate::sync::{AtomicBool, Backoff, Ordering};

/// Locks of a part; a model has enough with two.
const LOCKS: usize = if cfg!(loom) { 2 } else { 8 };
/// Bytes of a stretch.
pub(super) const STRETCH: usize = 4 << 10;

/// Locks of stretches of a rank's part of a window.
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

#[cfg(all(test, loom))]
mod models {
    use std::sync::Arc;

    use loom::thread;

    use super::*;
    use crate::models::explore;
    use crate::sync::Cell;

    /// Which elements a rank changes.
    #[derive(Clone, Copy)]
    enum Piece {
        Stretch(usize),
        All,
    }

    type Part = (Stripes, [Cell<u32>; LOCKS]);

    /// Adds one to each element of a piece, as a rank does that combines.
    fn combine((stripes, elements): &Part, piece: Piece) {
        let (held, range) = match piece {
            Piece::Stretch(index) => (stripes.stretch(index * STRETCH), index..index + 1),
            Piece::All => (stripes.all(), 0..LOCKS),
        };
        for element in &elements[range] {
            // SAFETY: the element's lock is held, which the model proves.
            element.with_mut(|value| unsafe { *value += 1 });
        }
        drop(held);
    }

    #[test]
    fn no_update_of_an_element_is_lost() {
        use Piece::{All, Stretch};
        let cases: [(&[Piece], [u32; LOCKS], usize); 4] = [
            (&[Stretch(0), Stretch(0)], [2, 0], 3),
            // Both of those who want several take them in the same order: nobody waits for ever.
            (&[All, All], [2, 2], 2),
            (&[All, Stretch(1)], [1, 2], 2),
            (&[Stretch(0), Stretch(0), Stretch(0)], [3, 0], 1),
        ];
        for (pieces, expected, preemptions) in cases {
            explore(preemptions, move || {
                let part: Arc<Part> = Arc::new((Stripes::default(), std::array::from_fn(|_| Cell::new(0))));
                let others: Vec<_> = pieces[1..]
                    .iter()
                    .map(|&piece| {
                        let part = part.clone();
                        thread::spawn(move || combine(&part, piece))
                    })
                    .collect();
                combine(&part, pieces[0]);
                others.into_iter().for_each(|other| other.join().unwrap());
                // SAFETY: the others have ended.
                let values = part.1.each_ref().map(|element| element.with(|value| unsafe { *value }));
                assert_eq!(values, expected);
            });
        }
    }
}
