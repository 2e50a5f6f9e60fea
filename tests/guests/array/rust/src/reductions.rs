//! Reductions to numbers and to arrays of lower rank.

use crate::draw::{Draw, check, indices, number_of};
use rankine_arrays::{Array, Reduction, Result, Viewable, ViewableMut};

pub fn run(draw: &mut Draw) -> Result<()> {
    numbers(draw)?;
    places(draw)?;
    lower(draw)
}

fn numbers(draw: &mut Draw) -> Result<()> {
    let (grid, extents) = (draw.grid()?, draw.extents::<3>());
    let count: usize = extents.iter().product();
    let array: Array<f64, 3> = draw.numbered("a", &grid, extents)?;
    let all = || (0..count).map(|number| number as f64);
    // Whole numbers, so that no order of adding changes anything.
    assert_eq!(array.sum()?, all().sum());
    assert_eq!((array.min()?, array.max()?), (0.0, count as f64 - 1.0));
    assert_eq!(array.norm2()?, all().map(|x| x * x).sum::<f64>().sqrt());
    let other: Array<f64, 3> = draw.numbered("b", &grid, extents)?;
    assert_eq!(array.dot(&other)?, all().map(|x| x * x).sum());
    assert_eq!(array.dot(&array)?, all().map(|x| x * x).sum());
    let mut signed = Array::<i32, 3>::new("signed", &grid, array.ranges().clone())?;
    signed.view_mut().for_each(|index, element| *element = 3 - number_of(index, extents) as i32);
    assert_eq!(signed.norm1()? as usize, (0..count).map(|number| number.abs_diff(3)).sum());
    assert_eq!(signed.norm_max()? as usize, (0..count).map(|number| number.abs_diff(3)).max().unwrap_or(0));
    let product = signed.view().reduce_of(Reduction::Product, |x| if x == 2 { 5i64 } else { 1 })?;
    assert_eq!(product, if count > 1 { 5 } else { 1 });
    Ok(())
}

fn places(draw: &mut Draw) -> Result<()> {
    let (grid, extents) = (draw.grid()?, draw.extents::<2>());
    let ranges = draw.ranges(&grid, extents);
    let mut array = Array::<f32, 2>::new("a", &grid, ranges)?;
    let salt = draw.below(7) + 2;
    let value = |index: [usize; 2]| (number_of(index, extents) * salt % 11) as f32;
    array.view_mut().for_each(|index, element| *element = value(index));
    let all: Vec<([usize; 2], f32)> = indices(extents).map(|index| (index, value(index))).collect();
    let first = |best: fn(f32, f32) -> bool| {
        all.iter().fold(all[0], |best_yet, &next| if best(next.1, best_yet.1) { next } else { best_yet })
    };
    let (index, greatest) = first(|a, b| a > b);
    assert_eq!(array.max_place()?, (greatest, index));
    let (index, least) = first(|a, b| a < b);
    assert_eq!(array.min_place()?, (least, index));
    // What is no number is passed over; an array of nothing else has no greatest element.
    let rank = array.owner([0, 0])?;
    if rank == grid.rank() {
        array[[0, 0]] = f32::NAN;
    }
    let rest = all[1..].iter().map(|&(_, value)| value).fold(f32::NEG_INFINITY, f32::max);
    if array.view().at::<1>(0, 0).is_ok() && all.len() > 1 && !is_replicated(&array) {
        assert_eq!(array.max()?, rest);
    }
    Ok(())
}

/// Whether several ranks hold the same elements.
fn is_replicated(array: &Array<f32, 2>) -> bool {
    let held: usize = (0..2).map(|dim| array.overall(dim).len()).product();
    let mut all = held as u64;
    // SAFETY: one number, in place.
    unsafe {
        let (to, comm) = ((&raw mut all).cast(), array.grid().communicator().raw());
        mpi_sys::MPI_Allreduce(mpi_sys::MPI_IN_PLACE, to, 1, mpi_sys::MPI_UINT64_T, mpi_sys::MPI_SUM, comm);
    }
    all as usize > array.extents().iter().product()
}

fn lower(draw: &mut Draw) -> Result<()> {
    let (grid, extents) = (draw.grid()?, draw.extents::<3>());
    let array: Array<i32, 3> = draw.numbered("a", &grid, extents)?;
    for dim in 0..3 {
        let kept: Vec<usize> = (0..3).filter(|&own| own != dim).collect();
        let along = |[i, j]: [usize; 2]| {
            let (kept, extents) = (kept.clone(), extents);
            (0..extents[dim]).map(move |k| {
                let mut index = [0; 3];
                (index[dim], index[kept[0]], index[kept[1]]) = (k, i, j);
                number_of(index, extents) as i32
            })
        };
        let sums: Array<i32, 2> = array.reduce_along(dim, Reduction::Sum)?;
        check("sums along a dimension", &sums.view(), |index| along(index).sum())?;
        let most: Array<i32, 2> = array.reduce_along(dim, Reduction::Max)?;
        check("greatest along a dimension", &most.view(), |index| along(index).max().unwrap_or(i32::MIN))?;
    }
    let line: Array<i32, 1> = array.reduce_along::<2>(2, Reduction::Min)?.reduce_along(0, Reduction::Min)?;
    check("least along two", &line.view(), |[j]| number_of([0, j, 0], extents) as i32)
}
