//! Moves bytes between two layouts, whatever they are, without a buffer in between.

use super::cursor::{Cursor, Run};
use super::walk::Visit;
use crate::copy::{copy, copy_blocks};
use crate::layout::Layout;

/// Copies packed bytes `from..from + length` of the layout at `src` to the same packed bytes of the layout at `dst`.
/// What either side does not have is left out.
///
/// # Safety
/// The selected bytes of `src` can be read and those of `dst` written. Other threads may access them at the same time, and
/// they may overlap: then the bytes that arrive are any mixture.
pub unsafe fn copy_typed(
    dst: *mut u8,
    dst_layout: &Layout,
    src: *const u8,
    src_layout: &Layout,
    from: u64,
    length: u64,
) {
    let to = from.saturating_add(length).min(dst_layout.size()).min(src_layout.size());
    if from >= to {
        return;
    }
    // SAFETY: the caller's promise; `from..to` are bytes of both layouts.
    unsafe {
        if dst_layout.is_block() {
            let dst = dst.wrapping_offset(dst_layout.lo() as isize).wrapping_add(from as usize);
            src_layout.pack(dst, src, from, to - from);
        } else if src_layout.is_block() {
            let src = src.wrapping_offset(src_layout.lo() as isize).wrapping_add(from as usize);
            dst_layout.unpack(dst, from, src, to - from);
        } else if dst_layout.is_same(src_layout) {
            // The usual case: both sides made the same type.
            dst_layout.for_each_run(from, to, |run: Run| {
                let (dst, src) = (at(dst, run.offset), at(src.cast_mut(), run.offset));
                copy_blocks(dst, run.stride as isize, src, run.stride as isize, run.len as usize, run.count as usize);
            });
        } else {
            copy_in_step(dst, dst_layout, src, src_layout, from, to);
        }
    }
}

impl Layout {
    /// Copies packed bytes `from..from + length` of this layout at `base` to `to` on. What it does not have is left
    /// out.
    ///
    /// # Safety
    /// As for [`copy_typed`].
    pub unsafe fn pack(&self, to: *mut u8, base: *const u8, from: u64, length: u64) {
        self.for_each_run(from, from.saturating_add(length).min(self.size()), Packing { to, base });
    }

    /// Copies `length` bytes from `bytes` on to the packed bytes from `from` on of this layout at `base`. What it does
    /// not have is left out.
    ///
    /// # Safety
    /// As for [`copy_typed`].
    pub unsafe fn unpack(&self, base: *mut u8, from: u64, bytes: *const u8, length: u64) {
        self.for_each_run(from, from.saturating_add(length).min(self.size()), Unpacking { base, from: bytes });
    }
}

/// Copies what is visited of a layout at `base` to `to` on. Only [`Layout::pack`] makes one, whose caller promises that both are
/// there.
struct Packing {
    to: *mut u8,
    base: *const u8,
}

impl Visit for Packing {
    #[inline]
    fn run(&mut self, run: Run) {
        let (from, len, count) = (at(self.base.cast_mut(), run.offset), run.len as usize, run.count as usize);
        // SAFETY: the layout's bytes can be read at `base`, and `to` has room for each run after those before it.
        unsafe { copy_blocks(self.to, len as isize, from, run.stride as isize, len, count) };
        self.to = self.to.wrapping_add(len * count);
    }

    #[inline(always)]
    fn block(&mut self, offset: i64, len: u64) {
        // SAFETY: the layout's bytes can be read at `base`, and `to` has room for each block after those before it.
        unsafe { copy(self.to, at(self.base.cast_mut(), offset), len as usize) };
        self.to = self.to.wrapping_add(len as usize);
    }
}

/// Copies bytes from `from` on to what is visited of a layout at `base`. Only [`Layout::unpack`] makes one, whose caller promises
/// that both are there.
struct Unpacking {
    base: *mut u8,
    from: *const u8,
}

impl Visit for Unpacking {
    #[inline]
    fn run(&mut self, run: Run) {
        let (to, len, count) = (at(self.base, run.offset), run.len as usize, run.count as usize);
        // SAFETY: the layout's bytes can be written at `base`, and `from` has those of each run after those before it.
        unsafe { copy_blocks(to, run.stride as isize, self.from, len as isize, len, count) };
        self.from = self.from.wrapping_add(len * count);
    }

    #[inline(always)]
    fn block(&mut self, offset: i64, len: u64) {
        // SAFETY: the layout's bytes can be written at `base`, and `from` has those of each block after those before it.
        unsafe { copy(at(self.base, offset), self.from, len as usize) };
        self.from = self.from.wrapping_add(len as usize);
    }
}

#[inline]
fn at(base: *mut u8, offset: i64) -> *mut u8 {
    base.wrapping_offset(offset as isize)
}

/// Copies between two layouts of which neither is one block, following both.
///
/// # Safety
/// As for [`copy_typed`]; `from..to` are bytes of both.
unsafe fn copy_in_step(dst: *mut u8, dst_layout: &Layout, src: *const u8, src_layout: &Layout, from: u64, to: u64) {
    let (mut target, mut source) = (Cursor::new(dst_layout, from), Cursor::new(src_layout, from));
    let mut left = to - from;
    while left > 0 {
        let (a, b) = (target.run(), source.run());
        let len = a.len.min(b.len);
        // A run of longer blocks offers its first block, cut up.
        let offered = |run: Run| if run.len == len { (run.count, run.stride) } else { (run.len / len, len as i64) };
        let ((a_count, a_stride), (b_count, b_stride)) = (offered(a), offered(b));
        let count = a_count.min(b_count).min(left / len);
        let (dst, src) = (at(dst, a.offset), at(src.cast_mut(), b.offset));
        // SAFETY: the caller's promise; both runs have that much.
        let done = unsafe {
            if count == 0 {
                copy(dst, src, left as usize);
                left
            } else {
                copy_blocks(dst, a_stride as isize, src, b_stride as isize, len as usize, count as usize);
                len * count
            }
        };
        target.advance(done);
        source.advance(done);
        left -= done;
    }
}
