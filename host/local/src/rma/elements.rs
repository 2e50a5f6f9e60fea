//! Updating elements in the memory of a target, each of them atomically (MPI-5.0 §12.7.1).
//!
//! Integers and bytes of up to 8 bytes that are aligned are updated by the hardware. For others, which of the two it is
//! depends on nothing but the element, there are locks (`stripes`). Whoever has a part alone needs neither. What lies in one
//! piece everywhere is combined straight in memory, if there is an [`InPlace`](rankine_guest::op::InPlace) for it. Other operands
//! pass through the host in pieces that stay in the cache, because the memory of guests is no memory to make slices of.

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use rankine_abi::Op;

use super::accumulate::Accumulation;
use super::stripes::{STRETCH, Stripes};
use crate::copy;
use crate::span::Span;

/// Packed bytes that are combined at a time.
const PIECE: usize = 4 << 10;
/// The widest elements that are updated, or compared and swapped, one at a time.
pub(super) const WIDEST: usize = 16;

impl Accumulation {
    /// Whether the hardware updates the element at this address.
    #[inline(always)]
    fn is_of_hardware(&self, at: *mut u8) -> bool {
        // The size of an integer is a power of two.
        self.is_integer && at.addr() & (self.size - 1) == 0
    }
}

/// Calls a function of the [`Atomic`] of an integer's width.
macro_rules! of_width {
    ($size:expr, $call:ident($($argument:expr),*)) => {
        match $size {
            1 => Atomic::<AtomicU8>::$call($($argument),*),
            2 => Atomic::<AtomicU16>::$call($($argument),*),
            4 => Atomic::<AtomicU32>::$call($($argument),*),
            _ => Atomic::<AtomicU64>::$call($($argument),*),
        }
    };
}

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
        if self.run_in_place(origin, result, bytes).is_some() {
            return;
        }
        match bytes {
            0..=64 => self.run_in_pieces::<64>(origin, result, bytes),
            65..=1024 => self.run_in_pieces::<1024>(origin, result, bytes),
            _ => self.run_in_pieces::<PIECE>(origin, result, bytes),
        }
    }

    /// Combines by way of copies, in buffers no longer than they need be, as they are cleared first.
    fn run_in_pieces<const LENGTH: usize>(&self, origin: Option<&Span<'_>>, result: Option<&Span<'_>>, bytes: usize) {
        let (mut operands, mut before) = ([0; LENGTH], [0; LENGTH]);
        let most = LENGTH / self.how.size * self.how.size;
        let mut from = 0;
        while from < bytes {
            let length = most.min(bytes - from);
            self.piece(from, length, &mut operands, &mut before, origin, result);
            from += length;
        }
    }

    /// Combines straight in memory what is in one piece everywhere; nothing is done with anything else.
    fn run_in_place(&self, origin: Option<&Span<'_>>, result: Option<&Span<'_>>, bytes: usize) -> Option<()> {
        let (combine, to) = (self.how.in_place?, self.target.contiguous()?);
        if self.is_of_hardware(to) {
            return None;
        }
        let from = origin.map_or(Some(to), Span::contiguous)?;
        let before = result.map_or(Some(to), Span::contiguous)?;
        if result.is_some() && !lies_apart(before, [to, from], bytes) {
            return None;
        }
        self.each_stretch(to, bytes, |done, length| {
            let [to, from, before] = [to, from, before].map(|first| first.wrapping_add(done));
            // SAFETY: all spans were proved, have so many bytes from there on, and stay until the job has ended.
            unsafe {
                if result.is_some() {
                    copy::copy(before, to, length);
                }
                combine(to, from, length);
            }
        });
        Some(())
    }

    /// Whether the hardware updates the element at this address, as others might meanwhile.
    #[inline(always)]
    fn is_of_hardware(&self, at: *mut u8) -> bool {
        !self.alone && self.how.is_of_hardware(at)
    }

    /// Accumulates the packed bytes `from..from + length`.
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
        if self.is_of_hardware(at) {
            return of_width!(self.how.size, all(self, at, operands, before, wants_before));
        }
        self.each_stretch(at, operands.len(), |done, length| {
            let range = done..done + length;
            self.combine(at.wrapping_add(done), &operands[range.clone()], &mut before[range], wants_before);
        });
    }

    /// Calls `act` with the place and the length of those of some bytes whose elements begin in the same stretch, while they
    /// are nobody else's to change.
    #[inline(always)]
    fn each_stretch(&self, at: *mut u8, bytes: usize, mut act: impl FnMut(usize, usize)) {
        let size = self.how.size;
        let mut done = 0;
        while done < bytes {
            let (here, left) = (at.addr() + done, bytes - done);
            let stretch = STRETCH - here % STRETCH;
            let length = if left <= stretch { left } else { left.min(stretch.div_ceil(size) * size) };
            let _held = (!self.alone).then(|| self.stripes.stretch(here));
            act(done, length);
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

/// Whether so many bytes share none with as many at other places: results may be written before the operands are read.
#[inline(always)]
fn lies_apart(results: *mut u8, others: [*mut u8; 2], bytes: usize) -> bool {
    others.iter().all(|other| results.addr().abs_diff(other.addr()) >= bytes)
}

/// Updates one element with the one at `operand`, if there is one, and puts what it was to `result`. `stripes` says whose
/// locks are for it, unless nobody else may access it meanwhile.
///
/// # Safety
/// All pointers were proved, each for as many bytes as the element has, which are no more than [`WIDEST`].
#[inline(always)]
pub(super) unsafe fn update_one<'a>(
    how: &Accumulation,
    at: *mut u8,
    stripes: impl FnOnce() -> Option<&'a Stripes>,
    operand: Option<*mut u8>,
    result: Option<*mut u8>,
) {
    if how.is_of_hardware(at) {
        // SAFETY: the caller's promise, and the element is aligned.
        return unsafe { of_width!(how.size, update_one(how, at, operand, result)) };
    }
    let (from, to) = (operand.unwrap_or(at), result.unwrap_or(at));
    if let Some(combine) = how.in_place
        && (result.is_none() || lies_apart(to, [at, from], how.size))
    {
        let _held = stripes().map(|stripes| stripes.stretch(at.addr()));
        // SAFETY: all three were proved.
        return unsafe {
            if result.is_some() {
                copy::copy_small(to, at, how.size);
            }
            combine(at, from, how.size);
        };
    }
    let (mut number, mut before, mut after) = ([0; WIDEST], [0; WIDEST], [0; WIDEST]);
    if let Some(operand) = operand {
        // SAFETY: the operand was proved, and the array has room for it.
        unsafe { copy::copy_small(number.as_mut_ptr(), operand, how.size) };
    }
    {
        let _held = stripes().map(|stripes| stripes.stretch(at.addr()));
        // In pieces of the element's size: a wider read of what was just written stalls the processor.
        // SAFETY: the element was proved, and both arrays have room for it.
        unsafe {
            copy::copy_small(before.as_mut_ptr(), at, how.size);
            copy::copy_small(after.as_mut_ptr(), before.as_ptr(), how.size);
        }
        if how.op != Op::NO_OP {
            (how.kernel)(&number[..how.size], &mut after[..how.size]);
            // SAFETY: the element was proved, and the array is as long or longer.
            unsafe { copy::copy_small(at, after.as_ptr(), how.size) };
        }
    }
    if let Some(result) = result {
        // SAFETY: the result was proved, and the array is as long or longer.
        unsafe { copy::copy_small(result, before.as_ptr(), how.size) };
    }
}

/// Combines elements that lie in pieces, one place after another, with these operands, unless there are none; what was there
/// goes to `before`, which has as many bytes as all places.
///
/// # Safety
/// All places were proved.
pub(super) unsafe fn update_split(
    how: &Accumulation,
    stripes: &Stripes,
    places: &[(*mut u8, usize)],
    operands: Option<&[u8]>,
    before: &mut [u8],
) {
    let _held = stripes.all();
    let mut rest = &mut before[..];
    for &(at, length) in places {
        let Some(some) = rest.split_off_mut(..length) else { return };
        // SAFETY: the caller's promise, and there is room for as many bytes.
        unsafe { copy::copy(some.as_mut_ptr(), at, length) };
    }
    let Some(operands) = operands else { return };
    let mut after = before.to_vec();
    (how.kernel)(operands, &mut after);
    let mut rest = &after[..];
    for &(at, length) in places {
        let Some(some) = rest.split_off(..length) else { return };
        // SAFETY: the caller's promise, and as many bytes are there.
        unsafe { copy::copy(at, some.as_ptr(), length) };
    }
}

/// Puts what is at the first pointer into one element, if it is what is at the second, and what it was to the third.
/// Nothing is done with what is no aligned integer.
///
/// # Safety
/// All pointers were proved, each for as many bytes as the element has.
#[inline(always)]
pub(super) unsafe fn exchange_one(how: &Accumulation, at: *mut u8, places: [*mut u8; 3]) -> Option<()> {
    how.is_of_hardware(at).then(|| {
        // SAFETY: the caller's promise, and the element is aligned.
        unsafe { of_width!(how.size, exchange_one(at, places)) }
    })
}

/// Puts `new` into one element that is `expected`; what it was goes to `before`. All have its length.
pub(super) fn compare_and_swap(stripes: &Stripes, at: *mut u8, expected: &[u8], new: &[u8], before: &mut [u8]) {
    let size = expected.len();
    if size.is_power_of_two() && at.addr() & (size - 1) == 0 {
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
                let number = $int::from_ne_bytes;
                match update.how.op {
                    Op::REPLACE if !wants_before => Self::each(at, operands, before, |cell, x| {
                        cell.store(number(x), Ordering::Release);
                        0
                    }),
                    // A loop of its own for what is done most.
                    Op::SUM if cfg!(target_endian = "little") => {
                        Self::each(at, operands, before, |cell, x| cell.fetch_add(number(x), Ordering::SeqCst));
                    }
                    _ => Self::each(at, operands, before, |cell, x| Self::one(update.how, cell, number(x))),
                }
            }

            /// Updates one of them; what it was.
            #[inline(always)]
            fn one(how: &Accumulation, cell: &$atomic, number: $int) -> $int {
                let order = Ordering::SeqCst;
                match how.op {
                    // Numbers of a guest are little-endian.
                    Op::SUM if cfg!(target_endian = "little") => cell.fetch_add(number, order),
                    Op::BAND => cell.fetch_and(number, order),
                    Op::BOR => cell.fetch_or(number, order),
                    Op::BXOR => cell.fetch_xor(number, order),
                    Op::NO_OP => cell.load(order),
                    Op::REPLACE => cell.swap(number, order),
                    _ => Self::combined(how, cell, number),
                }
            }

            /// What was there before an operation that the hardware has not.
            fn combined(how: &Accumulation, cell: &$atomic, number: $int) -> $int {
                let (operand, mut old) = (number.to_ne_bytes(), cell.load(Ordering::Relaxed));
                loop {
                    let mut new = old.to_ne_bytes();
                    (how.kernel)(&operand, &mut new);
                    let new = $int::from_ne_bytes(new);
                    match cell.compare_exchange_weak(old, new, Ordering::SeqCst, Ordering::Relaxed) {
                        Ok(_) => return old,
                        Err(now) => old = now,
                    }
                }
            }

            /// # Safety
            /// All pointers were proved, each for as many bytes as the element has, which is aligned.
            #[inline(always)]
            unsafe fn update_one(
                how: &Accumulation,
                at: *mut u8,
                operand: Option<*mut u8>,
                result: Option<*mut u8>,
            ) {
                // SAFETY: the element was proved, is aligned, and all its accesses by ranks are atomic or made by guests,
                // whose code is not ours.
                let cell = unsafe { $atomic::from_ptr(at.cast::<$int>()) };
                // SAFETY: the operand was proved.
                let number = operand.map_or(0, |operand| unsafe { Self::read(operand) });
                let Some(result) = result else {
                    match how.op {
                        Op::REPLACE => cell.store(number, Ordering::Release),
                        _ => drop(Self::one(how, cell, number)),
                    }
                    return;
                };
                // SAFETY: the result was proved.
                unsafe { Self::write(result, Self::one(how, cell, number)) };
            }

            /// # Safety
            /// All pointers were proved, each for as many bytes as the element has, which is aligned.
            #[inline(always)]
            unsafe fn exchange_one(at: *mut u8, [new, expected, result]: [*mut u8; 3]) {
                // SAFETY: all were proved; the element is aligned, and all its accesses by ranks are atomic or made by
                // guests, whose code is not ours.
                unsafe {
                    let (cell, new, expected) =
                        ($atomic::from_ptr(at.cast::<$int>()), Self::read(new), Self::read(expected));
                    let (Ok(old) | Err(old)) =
                        cell.compare_exchange(expected, new, Ordering::SeqCst, Ordering::SeqCst);
                    Self::write(result, old);
                }
            }

            /// A number of a guest's.
            ///
            /// # Safety
            /// Its bytes were proved.
            #[inline(always)]
            unsafe fn read(from: *const u8) -> $int {
                let mut number: $int = 0;
                // SAFETY: the bytes were proved, and the number has as many.
                unsafe { copy::copy_array::<{ size_of::<$int>() }>((&raw mut number).cast(), from) };
                number
            }

            /// # Safety
            /// There is room for the number, which was proved.
            #[inline(always)]
            unsafe fn write(to: *mut u8, number: $int) {
                // SAFETY: the room was proved, and the number has as many bytes.
                unsafe { copy::copy_array::<{ size_of::<$int>() }>(to, (&raw const number).cast()) };
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
