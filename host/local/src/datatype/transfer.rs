//! Moves bytes between two layouts, whatever they are, without a buffer in between.

use super::cursor::{Cursor, Run};
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
            dst_layout.for_each_run(from, to, |run| {
                let (dst, src) = (at(dst, run), at(src.cast_mut(), run));
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
    pub unsafe fn pack(&self, mut to: *mut u8, base: *const u8, from: u64, length: u64) {
        self.for_each_run(from, from.saturating_add(length).min(self.size()), |run| {
            let len = run.len as usize;
            // SAFETY: the caller's promise; each run continues the packed bytes.
            unsafe {
                copy_blocks(to, len as isize, at(base.cast_mut(), run), run.stride as isize, len, run.count as usize)
            };
            to = to.wrapping_add(len * run.count as usize);
        });
    }

    /// Copies `length` bytes from `bytes` on to the packed bytes from `from` on of this layout at `base`. What it does
    /// not have is left out.
    ///
    /// # Safety
    /// As for [`copy_typed`].
    pub unsafe fn unpack(&self, base: *mut u8, from: u64, mut bytes: *const u8, length: u64) {
        self.for_each_run(from, from.saturating_add(length).min(self.size()), |run| {
            let len = run.len as usize;
            // SAFETY: the caller's promise; each run continues the packed bytes.
            unsafe { copy_blocks(at(base, run), run.stride as isize, bytes, len as isize, len, run.count as usize) };
            bytes = bytes.wrapping_add(len * run.count as usize);
        });
    }
}

/// The first byte of a run.
#[inline]
fn at(base: *mut u8, run: Run) -> *mut u8 {
    base.wrapping_offset(run.offset as isize)
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
        let (dst, src) = (at(dst, a), at(src.cast_mut(), b));
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
