//! How far a datatype can reach: libraries compute sizes and bounds of new types in 64 bits and don't notice an
//! overflow.
//!
//! What has wrapped around would say that a buffer of such a type lies in the guest's memory, and end the process at
//! the latest when it is used. So a type whose numbers could come near the limit is refused before the library hears of
//! it. It is far beyond any memory.

use std::rc::Rc;

use rankine_abi::{MPI_ERR_ARG, MPI_ERR_NO_MEM};
use rankine_guest::Error;

use super::Type;
use crate::Result;
use crate::call::shim::Number;
use crate::rank::Rank;

/// How deep types may lie within each other: a library goes down there on the rank's stack.
const MOST_LEVELS: u16 = 128;
/// No sum or difference of two numbers below this overflows.
const FURTHEST: u128 = 1 << 61;

fn distance(number: impl Number) -> u128 {
    u128::from(number.wide().unsigned_abs())
}

/// As many as a length times another.
pub(crate) fn area(a: impl Number, b: impl Number) -> u128 {
    distance(a) * distance(b)
}

/// The sum of an array's lengths.
pub(crate) fn total<N: Number>(values: &[N]) -> u128 {
    values.iter().map(|&value| distance(value)).sum()
}

/// The largest displacement of an array, in either direction.
pub(crate) fn farthest<N: Number>(values: &[N]) -> u128 {
    values.iter().map(|&value| distance(value)).max().unwrap_or(0)
}

/// The elements of an array with these dimensions.
pub(crate) fn volume<N: Number>(sizes: &[N]) -> u128 {
    sizes.iter().fold(1, |volume, &size| volume.saturating_mul(distance(size)))
}

/// The elements of an array that is dealt out in blocks; what is dealt out can be more than there is.
pub(crate) fn dealt<N: Number>(sizes: &[N], blocks: &[i32], processes: &[i32]) -> u128 {
    let dimension = |((&size, &block), &processes)| distance(size).max(area(block, processes)).max(1);
    let dimensions = sizes.iter().zip(blocks).zip(processes).map(dimension);
    dimensions.fold(1, |volume: u128, size| volume.saturating_mul(size))
}

impl Rank {
    /// Refuses a new type that is longer than `elements` of its longest old one and `bytes` could be, or too deep.
    pub(crate) fn within_reach(&self, old: &[Rc<Type>], elements: u128, bytes: u128) -> Result<()> {
        if old.iter().any(|ty| ty.depth >= MOST_LEVELS) {
            return Err(Error::new(MPI_ERR_NO_MEM, format!("the datatype nests more than {MOST_LEVELS} levels deep")));
        }
        let longest = old.iter().map(|ty| ty.reach()).max().unwrap_or(0);
        // One more, as a block begins where the last displacement ends.
        let reach = elements.saturating_add(1).saturating_mul(longest).saturating_add(bytes);
        if reach < FURTHEST {
            return Ok(());
        }
        Err(Error::new(MPI_ERR_ARG, format!("the new datatype could reach {reach} bytes far, which no memory holds")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_at_the_limits_saturate() {
        assert_eq!(area(i64::MIN, i64::MIN), 1 << 126);
        assert_eq!(total(&[i64::MIN, -1, 2]), (1 << 63) + 3);
        assert_eq!(farthest(&[3, -7, 5]), 7);
        assert_eq!(volume(&[i64::MAX; 4]), u128::MAX);
        assert_eq!(volume::<i32>(&[]), 1);
        assert_eq!(dealt(&[10, 0], &[4, 1], &[3, 1]), 12);
    }
}
