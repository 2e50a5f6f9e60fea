//! Types for parts of arrays: `MPI_Type_create_subarray` and `MPI_Type_create_darray` (§5.1.3 and 5.1.4).
//!
//! Both select some indices in every dimension of an array in memory, so both are built dimension by dimension from the
//! one whose index runs fastest, each a repetition of the one before. The bounds are those of the whole array.

use std::rc::Rc;
use std::sync::Arc;

use rankine_abi::*;

use super::construct::{self, fit};
use super::layout::Layout;
use super::{Bounds, Combiner, Contents, Type, too_large};
use crate::error::{Error, Result};

/// What is selected in one dimension of `size` indices: the blocks of `len` indices that begin at `start`, `start +
/// step`, … below `size`, the last one cut off at `size`.
#[derive(Clone, Copy, Debug)]
struct Dimension {
    size: i64,
    start: i64,
    len: i64,
    step: i64,
}

impl Type {
    /// `MPI_Type_create_subarray`. The arrays have one entry per dimension.
    pub fn subarray(sizes: &[i64], subsizes: &[i64], starts: &[i64], order: i32, old: &Rc<Type>) -> Result<Type> {
        let mut dimensions = Vec::with_capacity(sizes.len());
        for (i, ((&size, &len), &start)) in sizes.iter().zip(subsizes).zip(starts).enumerate() {
            if size < 1 || len < 1 || len > size || start < 0 || start > size - len {
                let text = format!("dimension {i}: {len} elements from {start} on are no part of {size}");
                return Err(Error::new(MPI_ERR_ARG, text));
            }
            dimensions.push(Dimension { size, start, len, step: size });
        }
        let contents = Contents::new(Combiner::Subarray).with_ints(&[sizes.len() as i64]);
        let contents = contents.with_counts(sizes).with_counts(subsizes).with_counts(starts).with_ints(&[order.into()]);
        old.selected(dimensions, order, contents)
    }

    /// `MPI_Type_create_darray`: the part of a distributed array that process `rank` of a grid of `size` processes has.
    /// The arrays have one entry per dimension.
    pub fn darray(
        size: i32,
        rank: i32,
        gsizes: &[i64],
        distribs: &[i32],
        dargs: &[i32],
        psizes: &[i32],
        order: i32,
        old: &Rc<Type>,
    ) -> Result<Type> {
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
        let wide = |values: &[i32]| values.iter().map(|&v| v.into()).collect::<Vec<i64>>();
        let contents = Contents::new(Combiner::Darray)
            .with_ints(&[size.into(), rank.into(), gsizes.len() as i64])
            .with_counts(gsizes)
            .with_ints(&wide(distribs))
            .with_ints(&wide(dargs))
            .with_ints(&wide(psizes))
            .with_ints(&[order.into()]);
        old.selected(dimensions, order, contents)
    }

    /// The selected elements of an array of this type; the bounds are those of the array.
    fn selected(self: &Rc<Type>, mut dimensions: Vec<Dimension>, order: i32, contents: Contents) -> Result<Type> {
        construct::dimensions(dimensions.len() as i32)?;
        match order {
            MPI_ORDER_C => dimensions.reverse(),
            MPI_ORDER_FORTRAN => {}
            _ => return Err(Error::new(MPI_ERR_ARG, format!("order {order} is neither C's nor Fortran's"))),
        }
        let mut layout = self.layout().clone();
        let mut extent = self.extent();
        let mut elements = 1_u64;
        for dimension in dimensions {
            layout = Arc::new(dimension.select(&layout, extent)?);
            elements = elements.checked_mul(dimension.selected()).ok_or_else(too_large)?;
            extent = extent.checked_mul(dimension.size).ok_or_else(too_large)?;
        }
        let signature = self.signature().repeated(elements)?;
        let bounds = Bounds { lb: 0, ub: extent, marked: true };
        Type::new(Layout::clone(&layout), signature, bounds, self.align, contents.of(self))
    }
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

impl Dimension {
    /// Whole blocks, and the length of the block that is cut off.
    fn blocks(&self) -> (u64, i64) {
        if self.start >= self.size {
            return (0, 0);
        }
        let room = self.size - self.start;
        let (steps, rest) = (room / self.step, room % self.step);
        if rest >= self.len { (steps as u64 + 1, 0) } else { (steps as u64, rest) }
    }

    /// How many indices are selected.
    fn selected(&self) -> u64 {
        let (whole, rest) = self.blocks();
        whole * self.len as u64 + rest as u64
    }

    /// The selected ones among copies of a layout that are `extent` apart.
    fn select(&self, inner: &Arc<Layout>, extent: i64) -> Result<Layout> {
        let (whole, rest) = self.blocks();
        let at = |index: i64| fit(i128::from(index) * i128::from(extent));
        let block = Arc::new(inner.repeated(self.len as u64, extent)?);
        let stride = if whole < 2 { 0 } else { at(self.step)? };
        let blocks = block.repeated(whole, stride).and_then(|blocks| blocks.moved(at(self.start)?));
        if rest == 0 {
            return blocks;
        }
        let last = inner.repeated(rest as u64, extent)?.moved(at(self.start + whole as i64 * self.step)?);
        Layout::sequence([blocks, last])
    }
}
