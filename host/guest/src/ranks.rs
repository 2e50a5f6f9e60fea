//! Ranks of a group that a call lists, one by one or in ranges (MPI-5.0 §7.3.2): each at most once.

use rankine_abi::{MPI_ERR_ARG, MPI_ERR_RANK};

use crate::error::{Error, Result};

/// Ranks that were listed.
pub struct Listed {
    /// In the order of the list.
    pub order: Vec<i32>,
    /// For each rank of the group whether it is among them.
    pub seen: Vec<bool>,
}

/// `n` ranks of a group of so many.
pub fn listed(size: i32, n: i32, ranks: &[i32]) -> Result<Listed> {
    let mut listed = Listed::none(size);
    for (position, &rank) in elements(n, ranks, "n")?.iter().enumerate() {
        listed.add(rank.into(), || format!("ranks[{position}]"))?;
    }
    Ok(listed)
}

/// The ranks of `n` triplets of first rank, last rank and stride.
pub fn in_ranges(size: i32, n: i32, ranges: &[i32]) -> Result<Listed> {
    let mut listed = Listed::none(size);
    let words = n.checked_mul(3).unwrap_or(-1);
    let triplets = elements(words, ranges, "three times n")?.as_chunks::<3>().0;
    for (position, triplet) in triplets.iter().enumerate() {
        let [first, last, stride] = triplet.map(i64::from);
        if stride == 0 || (last - first) * stride < 0 {
            let text = format!("ranges[{position}] goes from {first} to {last} with a stride of {stride}");
            return Err(Error::new(MPI_ERR_ARG, text));
        }
        for step in 0..=(last - first) / stride {
            listed.add(first + step * stride, || format!("a rank of ranges[{position}]"))?;
        }
    }
    Ok(listed)
}

/// The first `n` elements of an array argument.
pub fn elements<'a>(n: i32, array: &'a [i32], what: &str) -> Result<&'a [i32]> {
    usize::try_from(n)
        .ok()
        .and_then(|length| array.get(..length))
        .ok_or_else(|| Error::new(MPI_ERR_ARG, format!("{what} is {n}, which is not a number of ranks")))
}

/// The error for a rank that a group of so many doesn't have.
pub fn not_in_group(what: &str, rank: i64, size: usize) -> Error {
    let text = match size {
        0 => format!("{what} is {rank}, but the group is empty"),
        size => format!("{what} is {rank}, but the group has ranks 0 to {}", size - 1),
    };
    Error::new(MPI_ERR_RANK, text)
}

impl Listed {
    fn none(size: i32) -> Listed {
        Listed { order: Vec::new(), seen: vec![false; usize::try_from(size).unwrap_or(0)] }
    }

    fn add(&mut self, rank: i64, what: impl Fn() -> String) -> Result<()> {
        let size = self.seen.len();
        let seen = usize::try_from(rank).ok().and_then(|rank| self.seen.get_mut(rank));
        let seen = seen.ok_or_else(|| not_in_group(&what(), rank, size))?;
        if std::mem::replace(seen, true) {
            return Err(Error::new(MPI_ERR_RANK, format!("{} is {rank}, which is listed before", what())));
        }
        self.order.push(rank as i32);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rank_is_listed_once() {
        assert_eq!(listed(4, 2, &[3, 1]).ok().map(|listed| listed.order), Some(vec![3, 1]));
        assert_eq!(in_ranges(9, 1, &[8, 1, -3]).ok().map(|listed| listed.order), Some(vec![8, 5, 2]));
        for wrong in [&[1, 1][..], &[4], &[-1], &[i32::MIN]] {
            assert!(listed(4, wrong.len() as i32, wrong).is_err());
        }
        for wrong in [[0, i32::MAX, 1], [0, 3, 0], [3, 0, 1], [i32::MIN, i32::MAX, i32::MAX]] {
            assert!(in_ranges(4, 1, &wrong).is_err());
        }
        assert!(in_ranges(4, 2, &[0, 1, 1, 1, 2, 1]).is_err());
        assert!(listed(4, -1, &[]).is_err() && in_ranges(4, i32::MAX, &[0, 0, 1]).is_err());
    }
}
