//! Where an access goes: bytes of a file, and bytes in memory.

use std::ops::Range;
use std::sync::Arc;

use rankine_abi::MPI_ERR_ARG;

use super::storage::Piece;
use crate::copy;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::quota::Charge;
use crate::span::Span;

/// No byte of a file is farther away.
pub(super) const FURTHEST: u64 = 1 << 61;

/// Bytes of a file in the order in which they are accessed. Those of a region that ascends lie one after another.
#[derive(Clone, Debug)]
pub(super) struct Region {
    /// Where offset 0 of the layout lies.
    base: u64,
    layout: Layout,
    /// Packed bytes of the layout that are left out in front.
    from: u64,
    bytes: u64,
    ascends: bool,
}

impl Region {
    pub(super) const EMPTY: Region = Region { base: 0, layout: Layout::EMPTY, from: 0, bytes: 0, ascends: true };

    /// `bytes` bytes from packed byte `from` on of a layout that lies at `base`, all of which it has.
    pub(super) fn new(base: u64, layout: Layout, from: u64, bytes: u64, ascends: bool) -> Result<Region> {
        debug_assert!(from + bytes <= layout.size());
        if bytes == 0 {
            return Ok(Region::EMPTY);
        }
        let (low, high) = (layout.lo() as i128 + base as i128, layout.hi() as i128 + base as i128);
        if low < 0 || high > FURTHEST as i128 {
            return Err(too_far(high));
        }
        Ok(Region { base, layout, from, bytes, ascends })
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn ascends(&self) -> bool {
        self.ascends
    }

    /// Where its byte `index`, which there is, lies.
    pub(super) fn offset_of(&self, index: u64) -> u64 {
        self.base.wrapping_add_signed(self.layout.offset_of(self.from + index))
    }

    /// From the first of its bytes to behind the last, of a region that ascends.
    pub(super) fn extent(&self) -> Range<u64> {
        if self.bytes == 0 { 0..0 } else { self.offset_of(0)..self.offset_of(self.bytes - 1) + 1 }
    }

    /// How many of its bytes lie before an offset of the file, of a region that ascends.
    pub(super) fn before(&self, offset: u64) -> u64 {
        let relative = offset.min(FURTHEST) as i64 - self.base as i64;
        self.layout.before(relative).saturating_sub(self.from).min(self.bytes)
    }

    /// How many of its bytes were moved if the file ended there.
    pub(super) fn moved(&self, end: u64) -> u64 {
        if end == u64::MAX { self.bytes } else { self.before(end) }
    }

    /// Calls `visit` with offset and length of the blocks that are its bytes in a range.
    pub(super) fn each_block(&self, range: Range<u64>, mut visit: impl FnMut(u64, u64)) {
        self.layout.each_block(self.from + range.start, self.from + range.end, |offset, length| {
            visit(self.base.wrapping_add_signed(offset), length);
        });
    }

    /// Where all of it lies, if that is one block.
    pub(super) fn block(&self) -> Option<u64> {
        self.layout.is_block().then(|| self.offset_of(0))
    }
}

#[cold]
pub(super) fn too_far(offset: i128) -> Error {
    Error::new(MPI_ERR_ARG, format!("the access ends at byte {offset}, which is beyond any possible file"))
}

/// Bytes of the host that an access uses, also after the rank that wanted it has gone. They are charged as long as anybody
/// has them: another rank's plan may be the last.
#[derive(Debug)]
pub(super) struct Kept {
    bytes: *mut [u8],
    _charge: Charge,
}

// SAFETY: the bytes are only accessed through `copy` and by the system.
unsafe impl Send for Kept {}
// SAFETY: no reference to the bytes is ever made, and `copy` and the system stand others that access them meanwhile.
unsafe impl Sync for Kept {}

impl Kept {
    pub(super) fn new(bytes: Vec<u8>, charge: Charge) -> Arc<Kept> {
        Arc::new(Kept { bytes: Box::into_raw(bytes.into_boxed_slice()), _charge: charge })
    }

    /// Its first bytes, once nobody accesses them any more.
    pub(super) fn to_vec(&self, bytes: usize) -> Vec<u8> {
        let mut copied = vec![0; bytes.min(self.bytes.len())];
        // SAFETY: both have as many bytes.
        unsafe { copy::copy(copied.as_mut_ptr(), self.bytes.cast(), copied.len()) };
        copied
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        // SAFETY: it came from a box, and nobody else has it.
        drop(unsafe { Box::from_raw(self.bytes) });
    }
}

/// Bytes in memory that an access reads or writes, in order. They stay until the job has ended, or as long as this.
#[derive(Clone, Debug)]
pub(super) struct Room {
    base: *mut u8,
    /// `None`: contiguous.
    layout: Option<Layout>,
    bytes: u64,
    _kept: Option<Arc<Kept>>,
}

// SAFETY: the bytes are a guest's, whose memory stays until the job has ended, or those that it keeps; all access them
// through `copy` and the system.
unsafe impl Send for Room {}
// SAFETY: no reference to the bytes is ever made, and `copy` and the system stand others that access them meanwhile.
unsafe impl Sync for Room {}

impl Room {
    /// Bytes of a guest's memory.
    pub(super) fn of(span: &Span<'static>) -> Room {
        let (base, layout) = span.scattered();
        Room { base, layout: layout.cloned(), bytes: span.bytes() as u64, _kept: None }
    }

    /// Bytes of the host.
    pub(super) fn keeping(kept: &Arc<Kept>) -> Room {
        Room { base: kept.bytes.cast(), layout: None, bytes: kept.bytes.len() as u64, _kept: Some(kept.clone()) }
    }

    /// All of it, if that is one piece.
    pub(super) fn piece(&self) -> Option<Piece> {
        self.layout.is_none().then_some(Piece { base: self.base, bytes: self.bytes as usize })
    }

    /// Calls `visit` with the pieces that are its bytes in a range.
    pub(super) fn each_piece(&self, range: Range<u64>, mut visit: impl FnMut(Piece)) {
        debug_assert!(range.end <= self.bytes);
        match &self.layout {
            None => {
                let base = self.base.wrapping_add(range.start as usize);
                visit(Piece { base, bytes: (range.end - range.start) as usize });
            }
            Some(layout) => layout.each_block(range.start, range.end, |offset, length| {
                visit(Piece { base: self.base.wrapping_offset(offset as isize), bytes: length as usize });
            }),
        }
    }

    /// Copies its bytes from `from` on to a buffer.
    pub(super) fn pack(&self, from: u64, to: &mut [u8]) {
        debug_assert!(from + to.len() as u64 <= self.bytes);
        // SAFETY: the bytes are there (see the type), and the buffer has as many.
        unsafe {
            match &self.layout {
                None => copy::copy(to.as_mut_ptr(), self.base.wrapping_add(from as usize), to.len()),
                Some(layout) => layout.pack(to.as_mut_ptr(), self.base, from, to.len() as u64),
            }
        }
    }

    /// Copies a buffer to its bytes from `from` on.
    pub(super) fn unpack(&self, from: u64, bytes: &[u8]) {
        debug_assert!(from + bytes.len() as u64 <= self.bytes);
        // SAFETY: the bytes are there (see the type), and the buffer has as many.
        unsafe {
            match &self.layout {
                None => copy::copy(self.base.wrapping_add(from as usize), bytes.as_ptr(), bytes.len()),
                Some(layout) => layout.unpack(self.base, from, bytes.as_ptr(), bytes.len() as u64),
            }
        }
    }
}

/// What one rank moves: as many bytes in memory as in the file, in the same order.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) room: Room,
    pub(super) region: Region,
}
