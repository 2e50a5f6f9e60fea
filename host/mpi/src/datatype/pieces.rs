//! Whether a datatype's pieces lie one after another, which views of files rest on.
//!
//! A library goes through the pieces of a view with arithmetic of its own. Where they fall or overlap, ROMIO writes
//! beyond its arrays, or goes round for ever. So such a view is refused before the library hears of it, also where a file is
//! only read, for which MPI would have it.

use std::collections::HashMap;
use std::ffi::c_int;

use rankine_abi::{
    Datatype, MPI_COMBINER_CONTIGUOUS, MPI_COMBINER_DARRAY, MPI_COMBINER_DUP, MPI_COMBINER_HINDEXED,
    MPI_COMBINER_HINDEXED_BLOCK, MPI_COMBINER_HVECTOR, MPI_COMBINER_INDEXED, MPI_COMBINER_INDEXED_BLOCK,
    MPI_COMBINER_NAMED, MPI_COMBINER_RESIZED, MPI_COMBINER_STRUCT, MPI_COMBINER_SUBARRAY, MPI_COMBINER_VECTOR,
    MPI_ERR_IO,
};
use rankine_guest::Error;

use super::Type;
use crate::Result;
use crate::call::handle::is_constant;
use crate::generated::symbols;
use crate::rank::Rank;

/// Where a type's bytes begin and end, how far its next element lies, and whether its pieces ascend.
#[derive(Copy, Clone, Debug)]
struct Lie {
    low: i64,
    high: i64,
    extent: i64,
    ascends: bool,
}

impl Lie {
    /// Whether elements can lie `step` bytes apart.
    fn fits(&self, step: i128) -> bool {
        step >= i128::from(self.high) - i128::from(self.low)
    }

    fn is_empty(&self) -> bool {
        self.high == self.low
    }
}

/// So many elements of a type, in a row, from a displacement in bytes.
type Block = (i128, i64, Lie);

/// Whether blocks lie one after another, and the elements in each.
fn ascend(blocks: impl IntoIterator<Item = Block>) -> bool {
    let mut end = None;
    blocks.into_iter().filter(|(_, length, lie)| *length > 0 && !lie.is_empty()).all(|(at, length, lie)| {
        let (first, last) = (at + i128::from(lie.low), i128::from(length - 1) * i128::from(lie.extent));
        let follows = end.is_none_or(|end| end <= first);
        end = Some(at + last + i128::from(lie.high));
        follows && lie.ascends && (length == 1 || lie.fits(lie.extent.into()))
    })
}

/// What a type was made from: integers, addresses and large counts, in the order in which every constructor has them.
struct Contents {
    combiner: c_int,
    numbers: Vec<i64>,
    types: Vec<usize>,
}

impl Contents {
    /// Whether the pieces of what was made ascend, where those of its types lie so.
    fn ascend(&self, lies: &[Lie]) -> bool {
        let (Some(&lie), numbers) = (lies.first(), &self.numbers[..]) else { return true };
        let extent = i128::from(lie.extent);
        // Of equal steps the first two show it.
        let steps =
            |count: i64, length: i64, step: i128| (0..count.min(2)).map(move |i| (i128::from(i) * step, length, lie));
        let lists = |count: i64| numbers[1..].split_at((count as usize).min(numbers.len() - 1));
        let listed = |count: i64, unit: i128| {
            let (lengths, at) = lists(count);
            ascend(lengths.iter().zip(at).map(|(&length, &at)| (i128::from(at) * unit, length, lie)))
        };
        let blocks =
            |length: i64, unit: i128| ascend(numbers[2..].iter().map(|&at| (i128::from(at) * unit, length, lie)));
        match (self.combiner, numbers) {
            (MPI_COMBINER_DUP | MPI_COMBINER_RESIZED, _) => lie.ascends,
            (MPI_COMBINER_CONTIGUOUS, &[count]) => ascend([(0, count, lie)]),
            (MPI_COMBINER_VECTOR, &[count, length, step]) => ascend(steps(count, length, i128::from(step) * extent)),
            (MPI_COMBINER_HVECTOR, &[count, length, step]) => ascend(steps(count, length, step.into())),
            (MPI_COMBINER_INDEXED, &[count, ..]) => listed(count, extent),
            (MPI_COMBINER_HINDEXED, &[count, ..]) => listed(count, 1),
            (MPI_COMBINER_INDEXED_BLOCK, &[_, length, ..]) => blocks(length, extent),
            (MPI_COMBINER_HINDEXED_BLOCK, &[_, length, ..]) => blocks(length, 1),
            (MPI_COMBINER_STRUCT, &[count, ..]) => {
                let (lengths, at) = lists(count);
                ascend(lengths.iter().zip(at).zip(lies).map(|((&length, &at), &lie)| (at.into(), length, lie)))
            }
            // Their elements lie in the order of the array.
            (MPI_COMBINER_SUBARRAY | MPI_COMBINER_DARRAY, _) => lie.ascends && (lie.is_empty() || lie.fits(extent)),
            // Those of Fortran's kinds are predefined.
            _ => true,
        }
    }
}

impl Rank {
    /// Refuses a type of a view whose pieces fall or overlap, each of them or one element with the next.
    pub(crate) fn check_ascending(&self, ty: &Type, what: &str) -> Result<()> {
        let lie = if is_constant(ty.word as usize) { None } else { Some(self.lie(ty.host, &mut HashMap::new())?) };
        match lie {
            Some(lie) if !lie.is_empty() && !(lie.ascends && lie.fits(lie.extent.into())) => {
                let text =
                    "the bytes of a view have to ascend, also from one element to the next, and must not overlap";
                Err(Error::new(MPI_ERR_IO, format!("{what}: {text}")))
            }
            _ => Ok(()),
        }
    }

    fn lie(&self, host: usize, known: &mut HashMap<usize, Lie>) -> Result<Lie> {
        if let Some(&lie) = known.get(&host) {
            return Ok(lie);
        }
        let (mut lower, mut extent, mut low, mut length) = (0, 0, 0, 0);
        let (get, get_true) =
            (self.symbol::<symbols::MPI_Type_get_extent_c>()?, self.symbol::<symbols::MPI_Type_get_true_extent_c>()?);
        // SAFETY: a datatype of the library's, and results on the stack.
        unsafe {
            self.check(get(host, &mut lower, &mut extent))?;
            self.check(get_true(host, &mut low, &mut length))?;
        }
        let contents = self.contents_of(host)?;
        let lies = contents.types.iter().map(|&host| self.lie(host, known)).collect::<Result<Vec<Lie>>>();
        let lie =
            lies.map(|lies| Lie { low, high: low.saturating_add(length), extent, ascends: contents.ascend(&lies) });
        for mut host in contents.types {
            self.release(&mut host)?;
        }
        let lie = lie?;
        known.insert(host, lie);
        Ok(lie)
    }

    /// Gives back a type that the library has shown, unless it is one of its own.
    fn release(&self, host: &mut usize) -> Result<()> {
        if is_constant(*host) || self.types.unnamed.borrow().contains(host) {
            return Ok(());
        }
        let free = self.symbol::<symbols::MPI_Type_free>()?;
        // SAFETY: a reference to a datatype that is ours.
        self.check(unsafe { free(host) })
    }

    fn contents_of(&self, host: usize) -> Result<Contents> {
        let mut contents = Contents { combiner: MPI_COMBINER_NAMED, numbers: Vec::new(), types: Vec::new() };
        if is_constant(host) {
            return Ok(contents);
        }
        let [mut ints, mut addresses, mut longs, mut types] = [0_i64; 4];
        let envelope = self.symbol::<symbols::MPI_Type_get_envelope_c>()?;
        // SAFETY: a datatype of the library's, and results on the stack.
        self.check(unsafe {
            envelope(host, &mut ints, &mut addresses, &mut longs, &mut types, &mut contents.combiner)
        })?;
        if contents.combiner == MPI_COMBINER_NAMED {
            return Ok(contents);
        }
        let (mut i, mut a) = (vec![0 as c_int; ints as usize], vec![0_isize; addresses as usize]);
        let mut l = vec![0_i64; longs as usize];
        contents.types = vec![Datatype::NULL.0 as usize; types as usize];
        let get = self.symbol::<symbols::MPI_Type_get_contents_c>()?;
        let (ip, ap, lp, tp) = (i.as_mut_ptr(), a.as_mut_ptr(), l.as_mut_ptr(), contents.types.as_mut_ptr());
        // SAFETY: each array has as many elements as there are.
        self.check(unsafe { get(host, ints, addresses, longs, types, ip, ap, lp, tp) })?;
        contents.numbers = i.into_iter().map(i64::from).chain(a.into_iter().map(|at| at as i64)).chain(l).collect();
        Ok(contents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: Lie = Lie { low: 0, high: 4, extent: 4, ascends: true };

    fn made(combiner: c_int, numbers: &[i64], lies: &[Lie]) -> bool {
        Contents { combiner, numbers: numbers.to_vec(), types: Vec::new() }.ascend(lies)
    }

    #[test]
    fn what_ascends() {
        for (combiner, numbers) in [
            (MPI_COMBINER_CONTIGUOUS, &[i64::MAX][..]),
            (MPI_COMBINER_VECTOR, &[3, 2, 2]),
            (MPI_COMBINER_HVECTOR, &[3, 2, 8]),
            (MPI_COMBINER_VECTOR, &[1, 2, -7]),
            (MPI_COMBINER_INDEXED, &[3, 2, 0, 1, 0, -9, 2]),
            (MPI_COMBINER_HINDEXED, &[2, 1, 1, 0, 4]),
            (MPI_COMBINER_INDEXED_BLOCK, &[2, 2, 0, 2]),
            (MPI_COMBINER_HINDEXED_BLOCK, &[2, 2, 0, 8]),
            (MPI_COMBINER_INDEXED, &[0]),
            (MPI_COMBINER_STRUCT, &[0]),
        ] {
            assert!(made(combiner, numbers, &[INT]), "{combiner} {numbers:?}");
        }
        assert!(made(MPI_COMBINER_STRUCT, &[2, 1, 3, 0, 4], &[INT, INT]));
    }

    #[test]
    fn what_falls_or_overlaps() {
        for (combiner, numbers) in [
            (MPI_COMBINER_VECTOR, &[3, 2, 1][..]),
            (MPI_COMBINER_VECTOR, &[2, 1, -2]),
            (MPI_COMBINER_HVECTOR, &[2, 1, 3]),
            (MPI_COMBINER_INDEXED, &[2, 1, 1, 4, 0]),
            (MPI_COMBINER_HINDEXED, &[2, 1, 1, 0, 3]),
            (MPI_COMBINER_INDEXED_BLOCK, &[2, 2, 0, 1]),
            (MPI_COMBINER_HINDEXED_BLOCK, &[2, 2, 0, 7]),
        ] {
            assert!(!made(combiner, numbers, &[INT]), "{combiner} {numbers:?}");
        }
        let tight = Lie { extent: 3, ..INT };
        assert!(!made(MPI_COMBINER_CONTIGUOUS, &[2], &[tight]));
        assert!(made(MPI_COMBINER_CONTIGUOUS, &[1], &[tight]));
        assert!(!made(MPI_COMBINER_SUBARRAY, &[1, 2, 2, 0], &[tight]));
        assert!(!made(MPI_COMBINER_STRUCT, &[2, 1, 1, 0, 3], &[INT, INT]));
        assert!(!made(MPI_COMBINER_DUP, &[], &[Lie { ascends: false, ..INT }]));
    }
}
