//! Proofs: which bytes of the target an access may touch.
//!
//! A displacement and its unit are multiplied checked, and every byte that the target's datatype can touch has to lie in
//! the target's part of the window; in a dynamic window, in what the target has attached. From then on it is a span like
//! any other.

use std::rc::Rc;

use rankine_abi::{Addr, Datatype, MPI_ERR_COUNT, MPI_ERR_RMA_RANGE, MPI_ERR_TRUNCATE};

use super::Window;
use super::common::Part;
use crate::datatype::Type;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::quota::{Charge, Cost};
use crate::rank::Rank;
use crate::span::Span;

/// A buffer of the origin's: address, count, datatype.
pub(super) type Here = (Addr, i64, Datatype);

/// Elements of a datatype somewhere in a target's part.
#[derive(Clone, Copy, Debug)]
pub(super) struct There {
    pub(super) disp: i64,
    pub(super) count: i64,
    pub(super) datatype: Datatype,
}

/// A target that may be accessed in the epoch that is, and its part: accesses of one target come one after another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    /// No number of 32 bits, if it is none.
    target: i64,
    part: Part,
}

impl Default for Near {
    fn default() -> Near {
        Near { target: i64::MAX, part: Part { base: std::ptr::null_mut(), size: 0, unit: 1 } }
    }
}

impl Part {
    /// Bytes at a displacement, if the part has all of them.
    #[inline]
    fn at(&self, disp: i64, bytes: u64) -> Option<*mut u8> {
        let offset = u64::try_from(disp.checked_mul(self.unit)?).ok()?;
        let end = offset.checked_add(bytes)?;
        (end <= self.size).then(|| self.base.wrapping_add(offset as usize))
    }
}

impl Window {
    /// The bytes of an access in the memory of a target.
    #[inline]
    pub(super) fn span(&self, r: &Rank, target: usize, there: There) -> Result<Span<'static>> {
        // What nearly all accesses are needs no more than this.
        match self.contiguous(target, there) {
            Some((base, bytes)) if bytes > 0 => {
                // SAFETY: the bytes are in the target's part, whose memory stays until the job has ended.
                Ok(unsafe { Span::raw(base, bytes) })
            }
            _ => self.any_span(r, target, there),
        }
    }

    /// Where bytes of a target lie that may be accessed now, and how many they are, if they are a [`block`].
    #[inline(always)]
    pub(super) fn reach(&self, target: i32, there: There) -> Option<(*mut u8, u64)> {
        let (near, bytes) = (self.epochs.near.get(), block(there.count, there.datatype)?);
        let at = if near.target == i64::from(target) {
            near.part.at(there.disp, bytes)?
        } else {
            self.approach(target, there.disp, bytes)?
        };
        Some((at, bytes))
    }

    /// Where bytes of another target than last lie. What is refused changes nothing: an epoch without accesses may just end.
    #[inline(never)]
    fn approach(&self, target: i32, disp: i64, bytes: u64) -> Option<*mut u8> {
        let index = usize::try_from(target).ok().filter(|&index| index < self.common.size())?;
        // It has no bytes, if it is elsewhere.
        let part = self.common.member(index).part();
        let at = part.at(disp, bytes)?;
        self.allow(index).ok()?;
        self.epochs.near.set(Near { target: target.into(), part });
        Some(at)
    }

    /// Whether it is known that a target may be accessed.
    #[inline]
    pub(super) fn is_near(&self, target: i32) -> bool {
        self.epochs.near.get().target == i64::from(target)
    }

    /// Where bytes of a target lie, if the datatype is predefined and all is well.
    #[inline]
    fn contiguous(&self, target: usize, there: There) -> Option<(*mut u8, usize)> {
        let size = there.datatype.predefined_block()?;
        let bytes = u64::try_from(there.count).ok()?.checked_mul(size.into())?;
        Some((self.common.member(target).part().at(there.disp, bytes)?, bytes as usize))
    }

    #[inline(never)]
    fn any_span(&self, r: &Rank, target: usize, there: There) -> Result<Span<'static>> {
        let ty = r.datatype(there.datatype)?;
        let count = u64::try_from(there.count)
            .map_err(|_| Error::new(MPI_ERR_COUNT, format!("target_count is {}, which is negative", there.count)))?;
        let layout = ty.message(count)?;
        if layout.size() == 0 {
            return Ok(Span::EMPTY);
        }
        let part = self.common.member(target).part();
        let base = self.prove(target, &part, self.displacement(r, there), &layout)?;
        let charge = match layout.own_bytes(ty.layout()) {
            0 => Charge::default(),
            bytes => r.account().charge(bytes, Cost::Layouts)?,
        };
        // SAFETY: every byte of the layout was proved, and the memory stays until the job has ended.
        Ok(unsafe { Span::of_layout(base, layout, Rc::<Type>::clone(&ty), charge) })
    }

    /// The displacement, which in a dynamic window is an address; one of 32 bits is no signed number.
    pub(super) fn displacement(&self, r: &Rank, there: There) -> i64 {
        if self.is_dynamic() && !r.memory().is_wide() { i64::from(there.disp as u32) } else { there.disp }
    }

    /// Where offset 0 of a layout lies, all of whose bytes are the target's to access.
    pub(super) fn prove(&self, target: usize, part: &Part, disp: i64, layout: &Layout) -> Result<*mut u8> {
        let at = i128::from(disp) * i128::from(part.unit);
        let (low, high) = (at + i128::from(layout.lo()), at + i128::from(layout.hi()));
        let has_all = if self.is_dynamic() {
            self.is_attached(target, at, layout)
        } else {
            low >= 0 && high <= i128::from(part.size) && i128::from(layout.size()) <= i128::from(part.size)
        };
        if has_all { Ok(part.base.wrapping_offset(at as isize)) } else { Err(self.outside(target, part, low, high)) }
    }

    #[cold]
    fn outside(&self, target: usize, part: &Part, low: i128, high: i128) -> Error {
        let (rank, bytes) = (self.common.member(target).rank, high - low);
        let text = match self.is_dynamic() {
            true => format!("target_disp: rank {rank} has not attached the {bytes} bytes at {low:#x} of its memory"),
            false => format!(
                "target_disp: {bytes} bytes at {low} are not inside rank {rank}'s {} bytes of {}",
                part.size,
                self.title()
            ),
        };
        Error::new(MPI_ERR_RMA_RANGE, text)
    }
}

/// How many bytes elements are in one piece, if they are some, the datatype is predefined, and their number is no large one.
#[inline(always)]
pub(super) fn block(count: i64, datatype: Datatype) -> Option<u64> {
    let bytes = u64::from(u32::try_from(count).ok()?) * u64::from(datatype.predefined_block()?);
    (bytes > 0).then_some(bytes)
}

/// Refuses to move more bytes than there is room for.
#[inline]
pub(super) fn check_fit(from: usize, to: usize) -> Result<()> {
    if from <= to { Ok(()) } else { Err(too_long(from, to)) }
}

#[cold]
fn too_long(from: usize, to: usize) -> Error {
    Error::new(MPI_ERR_TRUNCATE, format!("{from} bytes do not fit into {to}: origin and target have to match"))
}
