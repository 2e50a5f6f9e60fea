//! Arrays and strings that a call is given, read once into the host. `what` names the parameter in an error.

use rankine_abi::{Addr, MPI_ERR_COUNT};

use crate::error::{Error, Result};
use crate::memory::Memory;

/// The longest string that the host reads from a guest.
pub const MAX_STRING: usize = 1 << 20;

/// An array's length, from whatever expression the table gives.
#[inline]
pub fn length(length: i64, what: &str) -> Result<usize> {
    // No array of a 32-bit guest has more elements than this.
    match usize::try_from(length) {
        Ok(length) if length <= u32::MAX as usize => Ok(length),
        _ => Err(Error::new(MPI_ERR_COUNT, format!("{what}: {length} can't be the length of an array"))),
    }
}

impl Memory {
    /// An array of ints.
    pub fn ints(&self, at: Addr, count: i64, what: &str) -> Result<Vec<i32>> {
        self.read_i32s(at, length(count, what)?, what)
    }

    /// An array of `MPI_Count`s or `MPI_Offset`s.
    pub fn longs(&self, at: Addr, count: i64, what: &str) -> Result<Vec<i64>> {
        self.read_i64s(at, length(count, what)?, what)
    }

    /// A string.
    pub fn string(&self, at: Addr, what: &str) -> Result<String> {
        self.read_string(at, MAX_STRING, what)
    }
}
