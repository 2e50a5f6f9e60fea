//! Types for parts of arrays: `MPI_Type_create_subarray` and `MPI_Type_create_darray` (§5.1.3 and 5.1.4).
//!
//! Both select some indices in every dimension of an array in memory, so both are built dimension by dimension from the
//! one whose index runs fastest, each a repetition of the one before. The bounds are those of the whole array.

use std::rc::Rc;
use std::sync::Arc;

use rankine_guest::array::{self, Dimension};

use super::construct::fit;
use super::{Bounds, Combiner, Contents, Type};
use crate::error::Result;
use crate::layout::Layout;
use crate::layout::too_large;

impl Type {
    /// `MPI_Type_create_subarray`. The arrays have one entry per dimension.
    pub fn subarray(sizes: &[i64], subsizes: &[i64], starts: &[i64], order: i32, old: &Rc<Type>) -> Result<Type> {
        let dimensions = array::part(sizes, subsizes, starts, order)?;
        let contents = Contents::new(Combiner::Subarray).with_ints(&[sizes.len() as i64]);
        let contents = contents.with_counts(sizes).with_counts(subsizes).with_counts(starts).with_ints(&[order.into()]);
        old.selected(dimensions, contents)
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
        let dimensions = array::dealt((size, rank), gsizes, distribs, dargs, psizes, order)?;
        let wide = |values: &[i32]| values.iter().map(|&v| v.into()).collect::<Vec<i64>>();
        let contents = Contents::new(Combiner::Darray)
            .with_ints(&[size.into(), rank.into(), gsizes.len() as i64])
            .with_counts(gsizes)
            .with_ints(&wide(distribs))
            .with_ints(&wide(dargs))
            .with_ints(&wide(psizes))
            .with_ints(&[order.into()]);
        old.selected(dimensions, contents)
    }

    /// The selected elements of an array of this type; the bounds are those of the array.
    fn selected(self: &Rc<Type>, dimensions: Vec<Dimension>, contents: Contents) -> Result<Type> {
        let mut layout = self.layout().clone();
        let mut extent = self.extent();
        let mut elements = 1_u64;
        for dimension in dimensions {
            layout = Arc::new(select(&dimension, &layout, extent)?);
            let selected = dimension.selected().ok_or_else(too_large)?;
            elements = elements.checked_mul(selected).ok_or_else(too_large)?;
            extent = extent.checked_mul(dimension.size).ok_or_else(too_large)?;
        }
        let signature = self.signature().repeated(elements)?;
        let bounds = Bounds { lb: 0, ub: extent, marked: true };
        Type::new(Layout::clone(&layout), signature, bounds, self.align, contents.of(self))
    }
}

/// The selected ones among copies of a layout that are `extent` apart.
fn select(dimension: &Dimension, inner: &Arc<Layout>, extent: i64) -> Result<Layout> {
    let (whole, rest) = dimension.blocks();
    let at = |index: i64| fit(i128::from(index) * i128::from(extent));
    let block = Arc::new(inner.repeated(dimension.len as u64, extent)?);
    let stride = if whole < 2 { 0 } else { at(dimension.step)? };
    let blocks = block.repeated(whole, stride).and_then(|blocks| blocks.moved(at(dimension.start)?));
    if rest == 0 {
        return blocks;
    }
    let last = inner.repeated(rest as u64, extent)?.moved(at(dimension.start + whole as i64 * dimension.step)?);
    Layout::sequence([blocks, last])
}
