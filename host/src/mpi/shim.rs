//! What the generated shims are made of, and why what they do is sound.
//!
//! A shim is `fn(r: &Rank, w: &mut Words) -> Result<()>`. It proves every address that the library will look through,
//! translates every handle, and calls the library's function through a pointer of its C type. The library may then
//! touch
//! - buffers, of which [`Rank::buffer`] and its kin have proved that every byte lies in the guest's memory, which never
//!   moves or shrinks;
//! - arrays that the shim has made, which live as long as the call or, for an operation that goes on, in its request;
//! - results on the shim's stack, and arrays of statuses in the guest's memory, for which [`Rank::statuses_out`] has
//!   proved that there is room.
//!
//! Handles were made by the library, or are constants of the ABI of the right class, and null only where that means
//! something. What a library is known to believe is proved as well: that a communicator has as many groups as the call is
//! for, that a request is of the right kind (`part`, [`super::request::Kind`]), that a code, a port or a hint is one
//! (`codes`, `ports`, `hints`), that what comes fits. So the unsafe call asks no more of the guest than C asks of a correct
//! program, and what a guest gets wrong beyond that (a wrong rank, a type that was not committed) is the library's to
//! find.

use std::ops::Deref;

use wasmtime::ValRaw;

use super::Result;
use super::rank::Rank;
use super::words::Words;

/// A number of the guest's, as wide as any.
pub(in crate::mpi) trait Number: Copy + TryFrom<i64> {
    fn wide(self) -> i64;

    /// So many times as much, if it has room for that.
    fn times(self, factor: i64) -> Option<Self> {
        Self::try_from(self.wide().checked_mul(factor)?).ok()
    }
}

impl Number for i32 {
    fn wide(self) -> i64 {
        i64::from(self)
    }
}

impl Number for i64 {
    fn wide(self) -> i64 {
        self
    }
}

impl Number for isize {
    fn wide(self) -> i64 {
        self as i64
    }
}

/// A product of lengths: one that overflows is too long for any memory.
pub(in crate::mpi) fn times(a: i64, b: i64) -> i64 {
    a.saturating_mul(b)
}

/// The sum of an array's elements.
pub(in crate::mpi) fn sum<N: Number>(values: &impl Deref<Target = [N]>) -> i64 {
    values.iter().fold(0, |sum, value| sum.saturating_add(value.wide()))
}

/// The last element of an array, 0 if it is empty.
pub(in crate::mpi) fn last<N: Number>(values: &impl Deref<Target = [N]>) -> i64 {
    values.last().map_or(0, |value| value.wide())
}

/// A handle is the integer that stands for it.
pub(in crate::mpi) fn identity(_: &Rank, w: &mut Words<'_>) -> Result<()> {
    w.returns(ValRaw::u32(w.word(0)));
    Ok(())
}
