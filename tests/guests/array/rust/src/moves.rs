//! Copies between drawn distributions, shifts, skews, transposed views, sections, broadcasts, gathers.

use crate::draw::{Draw, Numbered, check, number, number_of};
use rankine_arrays::{Array, Range, Remap, Result, Viewable, ViewableMut, copy, cshift, shift, skew};

pub fn run(draw: &mut Draw) -> Result<()> {
    remap::<u8, 1>(draw)?;
    remap::<i32, 1>(draw)?;
    remap::<f64, 2>(draw)?;
    remap::<u16, 3>(draw)?;
    remap::<i64, 4>(draw)?;
    wide_elements(draw)?;
    shifts::<1>(draw)?;
    shifts::<2>(draw)?;
    shifts::<3>(draw)?;
    skews(draw)?;
    transposed(draw)?;
    sections(draw)?;
    rows_and_spreads(draw)?;
    scatter(draw)
}

fn remap<T: Numbered, const R: usize>(draw: &mut Draw) -> Result<()> {
    let (grid, extents) = (draw.grid()?, draw.extents::<R>());
    let other = if draw.below(2) == 0 { grid.clone() } else { draw.reshaped(&grid)? };
    let ranges = draw.ranges(&grid, extents);
    let mut source = Array::<T, R>::new("source", &grid, ranges)?;
    source.view_mut().for_each(|index, element| *element = T::of(number_of(index, extents)));
    let ranges = draw.ranges(&other, extents);
    let mut target = Array::<T, R>::new("target", &other, ranges)?;
    let turn = Remap::new(&target, &source)?;
    for round in 0..2 {
        turn.run(&mut target, &source)?;
        check("remap", &target.view(), |index| T::of(number_of(index, extents) + round))?;
        source.view_mut().for_each(|_, element| *element = *element + T::ONE);
    }
    Ok(())
}

/// Elements that are no numbers, of a size that is no power of 2.
fn wide_elements(draw: &mut Draw) -> Result<()> {
    let (grid, extents) = (draw.grid()?, draw.extents::<2>());
    let (from, to) = (draw.ranges(&grid, extents), draw.ranges(&grid, extents));
    let mut source = Array::<[u16; 3], 2>::new("source", &grid, from)?;
    source.view_mut().for_each(|[i, j], element| *element = [i as u16, j as u16, 7]);
    let mut target = Array::<[u16; 3], 2>::new("target", &grid, to)?;
    copy(&mut target, &source)?;
    target.view().for_each(|[i, j], element| assert_eq!(*element, [i as u16, j as u16, 7]));
    Ok(())
}

fn shifts<const R: usize>(draw: &mut Draw) -> Result<()> {
    let (grid, extents) = (draw.grid()?, draw.extents::<R>());
    let source: Array<i32, R> = draw.numbered("source", &grid, extents)?;
    let ranges = draw.ranges(&grid, extents);
    let mut target = Array::<i32, R>::new("target", &grid, ranges)?;
    let dim = draw.below(R);
    let by = draw.below(2 * extents[dim] + 3) as isize - extents[dim] as isize - 1;
    let from = |mut index: [usize; R], k: isize| {
        index[dim] = k as usize;
        number_of(index, extents) as i32
    };
    cshift(&mut target, &source, dim, by)?;
    check("cshift", &target.view(), |index| from(index, (index[dim] as isize + by).rem_euclid(extents[dim] as isize)))?;
    target.fill(-5);
    shift(&mut target, &source, dim, by)?;
    check("shift", &target.view(), |index| {
        let k = index[dim] as isize + by;
        if (0..extents[dim] as isize).contains(&k) { from(index, k) } else { -5 }
    })
}

fn skews(draw: &mut Draw) -> Result<()> {
    let (grid, extents) = (draw.grid()?, draw.extents::<2>());
    let source: Array<f64, 2> = draw.numbered("source", &grid, extents)?;
    let ranges = draw.ranges(&grid, extents);
    let mut target = Array::<f64, 2>::new("target", &grid, ranges)?;
    let by = draw.below(5) as isize - 2;
    skew(&mut target, &source, 1, 0, by)?;
    check("skew", &target.view(), |[i, j]| {
        let j = (j as isize + i as isize * by).rem_euclid(extents[1] as isize) as usize;
        number_of([i, j], extents) as f64
    })?;
    skew(&mut target, &source, 0, 1, by)?;
    check("skew", &target.view(), |[i, j]| {
        let i = (i as isize + j as isize * by).rem_euclid(extents[0] as isize) as usize;
        number_of([i, j], extents) as f64
    })
}

fn transposed(draw: &mut Draw) -> Result<()> {
    let (grid, [a, b, c]) = (draw.grid()?, draw.extents::<3>());
    let source: Array<i32, 3> = draw.numbered("source", &grid, [a, b, c])?;
    let ranges = draw.ranges(&grid, [c, a, b]);
    let mut target = Array::<i32, 3>::new("target", &grid, ranges)?;
    copy(&mut target, &source.view().transposed([2, 0, 1])?)?;
    check("transposed source", &target.view(), |[k, i, j]| number_of([i, j, k], [a, b, c]) as i32)?;
    target.fill(0);
    copy(&mut target.view_mut().transposed([1, 2, 0])?, &source)?;
    check("transposed target", &target.view(), |[k, i, j]| number_of([i, j, k], [a, b, c]) as i32)
}

fn sections(draw: &mut Draw) -> Result<()> {
    let (grid, extents) = (draw.grid()?, draw.extents::<2>().map(|extent| extent + 3));
    let source: Array<i32, 2> = draw.numbered("source", &grid, extents)?;
    let ranges = draw.ranges(&grid, extents);
    let mut target = Array::<i32, 2>::new("target", &grid, ranges)?;
    // Every second row backwards, and a range of columns that moves by one.
    let rows = extents[0].div_ceil(2);
    let last = 2 * (rows - 1);
    let from = source.view().section(0, last, rows, -2)?.within(1, 1..extents[1])?;
    target.fill(-1);
    copy(&mut target.view_mut().within(0, 0..rows)?.within(1, 0..extents[1] - 1)?, &from)?;
    check("sections", &target.view(), |[i, j]| {
        let there = i < rows && j + 1 < extents[1];
        if there { number_of([last - 2 * i, j + 1], extents) as i32 } else { -1 }
    })?;
    let part = source.view().section(0, 1, (extents[0] - 1) / 2, 2)?;
    let sum: i64 = part.reduce_of(rankine_arrays::Reduction::Sum, i64::from)?;
    let expected: usize =
        (0..(extents[0] - 1) / 2).flat_map(|i| (0..extents[1]).map(move |j| number_of([1 + 2 * i, j], extents))).sum();
    assert_eq!(sum, expected as i64);
    // A section of a section, without elements too.
    let twice = source.view().section(0, 1, extents[0] - 1, 1)?.section(0, 1, 2, 1)?;
    check("a section of a section", &twice, |[i, j]| number_of([i + 2, j], extents) as i32)?;
    assert_eq!(source.view().within(0, 2..2)?.sum()?, 0);
    Ok(())
}

fn rows_and_spreads(draw: &mut Draw) -> Result<()> {
    let (grid, extents) = (draw.grid()?, draw.extents::<2>());
    let matrix: Array<i32, 2> = draw.numbered("matrix", &grid, extents)?;
    let (row, column) = (draw.below(extents[0]), draw.below(extents[1]));
    let ranges = draw.ranges(&grid, [extents[1]]);
    let mut line = Array::<i32, 1>::new("line", &grid, ranges)?;
    copy(&mut line, &matrix.view().at(0, row)?)?;
    check("a row", &line.view(), |[j]| number_of([row, j], extents) as i32)?;
    check("a column", &matrix.view().at(1, column)?, |[i]| number_of([i, column], extents) as i32)?;
    let ranges = draw.ranges(&grid, extents);
    let mut spread = Array::<i32, 2>::new("spread", &grid, ranges)?;
    copy(&mut spread, &line.view().spread(0, extents[0])?)?;
    check("broadcast rows", &spread.view(), |[_, j]| number_of([row, j], extents) as i32)?;
    let ranges = draw.ranges(&grid, [extents[1], extents[0]]);
    let mut spread = Array::<i32, 2>::new("spread", &grid, ranges)?;
    copy(&mut spread, &line.view().spread(1, extents[0])?)?;
    check("broadcast columns", &spread.view(), |[j, _]| number_of([row, j], extents) as i32)?;
    // A row of the target.
    let mut target: Array<i32, 2> = draw.numbered("target", &grid, extents)?;
    copy(&mut target.view_mut().at(0, 0)?, &line)?;
    check("into a row", &target.view(), |[i, j]| number_of([if i == 0 { row } else { i }, j], extents) as i32)
}

fn scatter(draw: &mut Draw) -> Result<()> {
    let (grid, extents) = (draw.grid()?, draw.extents::<3>());
    let root = draw.below(grid.size());
    let mut array: Array<i32, 3> = draw.numbered("a", &grid, extents)?;
    let all = array.gather(root)?;
    assert_eq!(all.is_some(), grid.rank() == root);
    let all: Vec<i32> = all.unwrap_or_default().into_iter().map(|number| number * 3).collect();
    array.fill(0);
    array.scatter(root, &all)?;
    check("scatter", &array.view(), |index| 3 * number_of(index, extents) as i32)?;
    // Irregular blocks, some of them empty.
    let blocks = draw.blocks(11, grid.shape()[0]);
    let mut blocked = Array::<i32, 1>::new("blocked", &grid, [Range::irregular(&blocks)])?;
    number(&mut blocked);
    check("irregular", &blocked.view(), |[i]| i as i32)
}
