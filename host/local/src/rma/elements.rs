//! Updating elements in the memory of a target, each of them atomically (MPI-5.0 §12.7.1).
//!
//! Integers and bytes of up to 8 bytes that are aligned are updated by the hardware. For others, which of the two it is
//! depends on nothing but the element, there are locks (`stripes`). Either way operands pass through the host in pieces
//! that stay in the cache, because the memory of guests is no memory to make slices of.

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use rankine_abi::Op;

use super::accumulate::Accumulation;
use super::stripes::{STRETCH, Stripes};
use crate::copy;
use crate::span::Span;

/// Packed bytes that are combined at a time.
const PIECE: usize = 4 << 10;
/// As many are not worth clearing more.
const SMALL: usize = 64;

/// Elements of a target's part, and what is done with them.
pub(super) struct Update<'a> {
    pub(super) target: &'a Span<'a>,
    pub(super) stripes: &'a Stripes,
    pub(super) how: &'a Accumulation,
    /// Nobody else may access the elements meanwhile.
    pub(super) alone: bool,
}

impl Update<'_> {
    /// Combines the operands of `origin` into the elements, unless there are none, and puts what was there into
    /// `result`, if it is wanted.
    pub(super) fn run(&self, origin: Option<&Span<'_>>, result: Option<&Span<'_>>) {
        let bytes = origin.map_or(self.target.bytes(), Span::bytes);
        if bytes <= SMALL {
            return self.piece(0, bytes, &mut [0; SMALL], &mut [0; SMALL], origin, result);
        }
        let (mut operands, mut before) = ([0; PIECE], [0; PIECE]);
        let most = PIECE / self.how.size * self.how.size;
        let mut from = 0;
        while from < bytes {
            let length = most.min(bytes - from);
            self.piece(from, length, &mut operands, &mut before, origin, result);
            from += length;
        }
    }

    /// The same for packed bytes `from..from + length`.
    #[inline(always)]
    fn piece(
        &self,
        from: usize,
        length: usize,
        operands: &mut [u8],
        before: &mut [u8],
        origin: Option<&Span<'_>>,
        result: Option<&Span<'_>>,
    ) {
        let (operands, before) = (&mut operands[..length], &mut before[..length]);
        if let Some(origin) = origin {
            origin.read(from, operands);
        }
        if self.how.is_split {
            let _held = (!self.alone).then(|| self.stripes.all());
            self.target.read(from, before);
            if self.how.op != Op::NO_OP {
                let mut after = before.to_vec();
                (self.how.kernel)(operands, &mut after);
                self.target.unpack(from, &after);
            }
        } else {
            let mut done = 0;
            self.target.each_block(from, length, |at, length| {
                let range = done..done + length;
                self.block(at, &operands[range.clone()], &mut before[range], result.is_some());
                done += length;
            });
        }
        if let Some(result) = result {
            result.unpack(from, before);
        }
    }

    /// Whole elements that lie one behind the other.
    #[inline(always)]
    fn block(&self, at: *mut u8, operands: &[u8], before: &mut [u8], wants_before: bool) {
        if self.how.is_integer && at.addr().is_multiple_of(self.how.size) {
            return match self.how.size {
                1 => Atomic::<AtomicU8>::all(self, at, operands, before, wants_before),
                2 => Atomic::<AtomicU16>::all(self, at, operands, before, wants_before),
                4 => Atomic::<AtomicU32>::all(self, at, operands, before, wants_before),
                _ => Atomic::<AtomicU64>::all(self, at, operands, before, wants_before),
            };
        }
        let size = self.how.size;
        let mut done = 0;
        while done < operands.len() {
            // The elements that begin in the same stretch.
            let here = at.addr() + done;
            let room = (STRETCH - here % STRETCH).div_ceil(size) * size;
            let length = if self.alone { operands.len() } else { room.min(operands.len() - done) };
            let _held = (!self.alone).then(|| self.stripes.stretch(here));
            let range = done..done + length;
            self.combine(at.wrapping_add(done), &operands[range.clone()], &mut before[range], wants_before);
            done += length;
        }
    }

    /// Combines elements that nobody else changes meanwhile.
    fn combine(&self, at: *mut u8, operands: &[u8], before: &mut [u8], wants_before: bool) {
        let length = operands.len();
        // SAFETY: the bytes are part of the proved span.
        unsafe { copy::copy(before.as_mut_ptr(), at, length) };
        if self.how.op == Op::NO_OP {
            return;
        }
        let mut copied = MaybeUninit::<[u8; PIECE]>::uninit();
        let after = if wants_before {
            // SAFETY: `length` bytes are written before anything is made of them, and no piece is longer.
            unsafe {
                copy::copy(copied.as_mut_ptr().cast(), before.as_ptr(), length);
                std::slice::from_raw_parts_mut(copied.as_mut_ptr().cast::<u8>(), length)
            }
        } else {
            before
        };
        (self.how.kernel)(operands, after);
        // SAFETY: `after` has `length` bytes, and so many from `at` on are part of the proved span.
        unsafe { copy::copy(at, after.as_ptr(), length) };
    }
}

/// Puts `new` into one element that is `expected`; what it was goes to `before`. All have its length.
pub(super) fn compare_and_swap(stripes: &Stripes, at: *mut u8, expected: &[u8], new: &[u8], before: &mut [u8]) {
    let size = expected.len();
    if at.addr().is_multiple_of(size) {
        match size {
            1 => return Atomic::<AtomicU8>::exchange(at, expected, new, before),
            2 => return Atomic::<AtomicU16>::exchange(at, expected, new, before),
            4 => return Atomic::<AtomicU32>::exchange(at, expected, new, before),
            8 => return Atomic::<AtomicU64>::exchange(at, expected, new, before),
            _ => {}
        }
    }
    let _held = stripes.stretch(at.addr());
    // SAFETY: the element is part of a proved span.
    unsafe { copy::copy(before.as_mut_ptr(), at, size) };
    if before == expected {
        // SAFETY: the element is part of a proved span, and `new` has its length.
        unsafe { copy::copy(at, new.as_ptr(), size) };
    }
}

/// The updates of one width.
struct Atomic<T>(std::marker::PhantomData<T>);

macro_rules! atomics {
    ($($atomic:ident $int:ident),*) => {$(
        impl Atomic<$atomic> {
            /// Updates elements that are aligned and integers of this width.
            fn all(update: &Update<'_>, at: *mut u8, operands: &[u8], before: &mut [u8], wants_before: bool) {
                let (kernel, order, number) = (update.how.kernel, Ordering::SeqCst, $int::from_ne_bytes);
                match update.how.op {
                    // Numbers of a guest are little-endian.
                    Op::SUM if cfg!(target_endian = "little") => {
                        Self::each(at, operands, before, |cell, x| cell.fetch_add(number(x), order))
                    }
                    Op::BAND => Self::each(at, operands, before, |cell, x| cell.fetch_and(number(x), order)),
                    Op::BOR => Self::each(at, operands, before, |cell, x| cell.fetch_or(number(x), order)),
                    Op::BXOR => Self::each(at, operands, before, |cell, x| cell.fetch_xor(number(x), order)),
                    Op::NO_OP => Self::each(at, operands, before, |cell, _| cell.load(order)),
                    Op::REPLACE if wants_before => {
                        Self::each(at, operands, before, |cell, x| cell.swap(number(x), order))
                    }
                    Op::REPLACE => Self::each(at, operands, before, |cell, x| {
                        cell.store(number(x), Ordering::Release);
                        0
                    }),
                    _ => Self::each(at, operands, before, |cell, x| {
                        let mut old = cell.load(Ordering::Relaxed);
                        loop {
                            let mut new = old.to_ne_bytes();
                            kernel(&x, &mut new);
                            match cell.compare_exchange_weak(old, number(new), order, Ordering::Relaxed) {
                                Ok(_) => return old,
                                Err(now) => old = now,
                            }
                        }
                    }),
                }
            }

            /// Puts `new` into an element that is `expected`; what it was.
            fn exchange(at: *mut u8, expected: &[u8], new: &[u8], before: &mut [u8]) {
                let number = |bytes: &[u8]| $int::from_ne_bytes(bytes.try_into().expect("an element of this width"));
                // SAFETY: the element is part of the proved span, aligned, and all its accesses by ranks are atomic or
                // made by guests, whose code is not ours.
                let cell = unsafe { $atomic::from_ptr(at.cast::<$int>()) };
                let (Ok(old) | Err(old)) =
                    cell.compare_exchange(number(expected), number(new), Ordering::SeqCst, Ordering::SeqCst);
                before.copy_from_slice(&old.to_ne_bytes());
            }

            #[inline(always)]
            fn each(
                at: *mut u8,
                operands: &[u8],
                before: &mut [u8],
                change: impl Fn(&$atomic, [u8; size_of::<$int>()]) -> $int,
            ) {
                let operands = operands.as_chunks::<{ size_of::<$int>() }>().0;
                let before = before.as_chunks_mut::<{ size_of::<$int>() }>().0;
                for (index, (operand, before)) in operands.iter().zip(before).enumerate() {
                    // SAFETY: the element is part of the proved span, aligned, and all its accesses by ranks are atomic
                    // or made by guests, whose code is not ours.
                    let cell = unsafe { $atomic::from_ptr(at.cast::<$int>().wrapping_add(index)) };
                    *before = change(cell, *operand).to_ne_bytes();
                }
            }
        }
    )*};
}

atomics!(AtomicU8 u8, AtomicU16 u16, AtomicU32 u32, AtomicU64 u64);
