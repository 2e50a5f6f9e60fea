//! Parts of arrays (MPI-5.0 §5.1.3 and 5.1.4): which indices of each dimension are selected.

use rankine_abi::{
    MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_NONE, MPI_ERR_ARG,
    MPI_ORDER_C, MPI_ORDER_FORTRAN,
};

use crate::error::{Error, Result};

/// What is selected in one dimension of `size` indices: the blocks of `len` indices that begin at `start`, `start +
/// step`, … below `size`, the last one cut off at `size`.
#[derive(Clone, Copy, Debug)]
pub struct Dimension {
    /// Indices that there are.
    pub size: i64,
    /// The first that is selected.
    pub start: i64,
    /// Indices of a block.
    pub len: i64,
    /// From block to block.
    pub step: i64,
}

impl Dimension {
    /// Whole blocks, and the length of the block that is cut off.
    pub fn blocks(&self) -> (u64, i64) {
        if self.start >= self.size {
            return (0, 0);
        }
        let room = self.size - self.start;
        let (steps, rest) = (room / self.step, room % self.step);
        if rest >= self.len { (steps as u64 + 1, 0) } else { (steps as u64, rest) }
    }

    /// How many indices are selected, if that is a number.
    pub fn selected(&self) -> Option<u64> {
        let (whole, rest) = self.blocks();
        whole.checked_mul(self.len.try_into().ok()?)?.checked_add(rest.try_into().ok()?)
    }
}

/// The dimensions of a part of an array, the one whose index runs fastest first.
pub fn part(sizes: &[i64], subsizes: &[i64], starts: &[i64], order: i32) -> Result<Vec<Dimension>> {
    let mut dimensions = Vec::with_capacity(sizes.len());
    for (i, ((&size, &len), &start)) in sizes.iter().zip(subsizes).zip(starts).enumerate() {
        if size < 1 || len < 1 || len > size || start < 0 || start > size - len {
            let text = format!("dimension {i}: {len} elements from {start} on are not part of {size}");
            return Err(Error::new(MPI_ERR_ARG, text));
        }
        dimensions.push(Dimension { size, start, len, step: size });
    }
    in_order(dimensions, order)
}

/// The dimensions of the part of a distributed array that process `rank` of `size` has, in the same order.
pub fn dealt(
    (size, rank): (i32, i32),
    gsizes: &[i64],
    distribs: &[i32],
    dargs: &[i32],
    psizes: &[i32],
    order: i32,
) -> Result<Vec<Dimension>> {
    let processes =
        psizes.iter().try_fold(1_i64, |product, &p| (p > 0).then(|| product.checked_mul(p.into())).flatten());
    if size < 1 || processes != Some(size.into()) {
        return Err(Error::new(MPI_ERR_ARG, format!("a grid of {psizes:?} processes does not have {size}")));
    }
    if !(0..size).contains(&rank) {
        return Err(Error::new(MPI_ERR_ARG, format!("rank {rank} is not one of {size} processes")));
    }
    // The grid of processes is in row-major order whatever the array's is.
    let (mut rest, mut slab) = (i64::from(rank), i64::from(size));
    let mut dimensions = Vec::with_capacity(gsizes.len());
    for (i, &gsize) in gsizes.iter().enumerate() {
        slab /= i64::from(psizes[i]);
        let coordinate = rest / slab;
        rest %= slab;
        let part = distributed(gsize, distribs[i], dargs[i], psizes[i].into(), coordinate);
        dimensions.push(part.map_err(|e| Error::new(e.class, format!("dimension {i}: {}", e.text)))?);
    }
    in_order(dimensions, order)
}

fn in_order(mut dimensions: Vec<Dimension>, order: i32) -> Result<Vec<Dimension>> {
    if dimensions.is_empty() {
        return Err(Error::new(MPI_ERR_ARG, "ndims is 0; an array has at least one dimension"));
    }
    match order {
        MPI_ORDER_C => dimensions.reverse(),
        MPI_ORDER_FORTRAN => {}
        _ => return Err(Error::new(MPI_ERR_ARG, format!("order {order} is neither C's nor Fortran's"))),
    }
    Ok(dimensions)
}

/// The indices of one dimension that belong to the process at `coordinate` of `processes`.
fn distributed(gsize: i64, distribution: i32, argument: i32, processes: i64, coordinate: i64) -> Result<Dimension> {
    let wrong = |text: String| Err(Error::new(MPI_ERR_ARG, text));
    if gsize < 1 {
        return wrong(format!("a global size of {gsize}"));
    }
    let default = argument == MPI_DISTRIBUTE_DFLT_DARG;
    if distribution != MPI_DISTRIBUTE_NONE && !default && argument < 1 {
        return wrong(format!("distribution argument {argument} is not positive"));
    }
    let block = match distribution {
        MPI_DISTRIBUTE_NONE if processes != 1 => {
            return wrong(format!("it is not distributed, but over {processes} processes"));
        }
        MPI_DISTRIBUTE_NONE => gsize,
        MPI_DISTRIBUTE_BLOCK if default => (gsize - 1) / processes + 1,
        MPI_DISTRIBUTE_BLOCK if i128::from(argument) * i128::from(processes) < i128::from(gsize) => {
            return wrong(format!("{processes} blocks of {argument} do not cover {gsize}"));
        }
        MPI_DISTRIBUTE_CYCLIC if default => 1,
        MPI_DISTRIBUTE_BLOCK | MPI_DISTRIBUTE_CYCLIC => argument.into(),
        _ => return wrong(format!("{distribution} is not a distribution")),
    };
    let step = fit(i128::from(block) * i128::from(processes))?;
    let start = fit(i128::from(block) * i128::from(coordinate))?;
    Ok(Dimension { size: gsize, start, len: block, step })
}

fn fit(value: i128) -> Result<i64> {
    let text = "the size or the bounds of the datatype do not fit into 64 bits";
    value.try_into().map_err(|_| Error::new(MPI_ERR_ARG, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    const C: i32 = MPI_ORDER_C;
    const DEFAULT: i32 = MPI_DISTRIBUTE_DFLT_DARG;

    #[test]
    fn what_is_no_part_is_refused() {
        let is_part =
            |sizes: &[i64], subsizes: &[i64], starts: &[i64], order| part(sizes, subsizes, starts, order).is_ok();
        assert!(is_part(&[4, 4], &[2, 4], &[2, 0], C));
        assert!(!is_part(&[4], &[2], &[3], C) && !is_part(&[4], &[0], &[0], C) && !is_part(&[4], &[-1], &[0], C));
        assert!(!is_part(&[4], &[1 << 62], &[0], C) && !is_part(&[i64::MAX], &[i64::MAX], &[i64::MAX], C));
        assert!(!is_part(&[4], &[4], &[i64::MIN], C) && !is_part(&[4], &[4], &[0], 77) && !is_part(&[], &[], &[], C));
    }

    #[test]
    fn a_distribution_covers_the_array() {
        let is_dealt =
            |process, gsize, how, block, grid| dealt(process, &[gsize], &[how], &[block], &[grid], C).is_ok();
        assert!(is_dealt((4, 3), 10, MPI_DISTRIBUTE_BLOCK, DEFAULT, 4));
        assert!(is_dealt((4, 3), 10, MPI_DISTRIBUTE_CYCLIC, 2, 4));
        assert!(!is_dealt((4, 4), 10, MPI_DISTRIBUTE_BLOCK, DEFAULT, 4) && !is_dealt((4, 0), 10, -1, DEFAULT, 4));
        assert!(
            !is_dealt((4, 0), 10, MPI_DISTRIBUTE_BLOCK, 2, 4) && !is_dealt((4, 0), 10, MPI_DISTRIBUTE_NONE, DEFAULT, 4)
        );
        assert!(
            !is_dealt((4, 0), 0, MPI_DISTRIBUTE_BLOCK, DEFAULT, 4)
                && !is_dealt((0, 0), 10, MPI_DISTRIBUTE_BLOCK, DEFAULT, 0)
        );
        assert!(!is_dealt((4, 0), 10, MPI_DISTRIBUTE_CYCLIC, -3, 4));
    }
}
