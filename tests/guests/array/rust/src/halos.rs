//! Ghost cells are copies of the whole array's elements.

use crate::draw::{Draw, indices, number_of};
use rankine_arrays::{Array, Halo, Range, Result, ViewableMut};

pub fn run(draw: &mut Draw) -> Result<()> {
    one::<1>(draw)?;
    one::<2>(draw)?;
    one::<3>(draw)?;
    one::<4>(draw)
}

/// Which ghosts are written: by dimension, below and above.
type Widths<const R: usize> = [[usize; 2]; R];

/// The number of an element that may lie beyond an end; -1 where there is none.
fn beyond<const R: usize>(index: [isize; R], extents: [usize; R], periodic: [bool; R]) -> i32 {
    let mut inside = [0; R];
    for dim in 0..R {
        let extent = extents[dim] as isize;
        if !periodic[dim] && !(0..extent).contains(&index[dim]) {
            return -1;
        }
        inside[dim] = index[dim].rem_euclid(extent) as usize;
    }
    number_of(inside, extents) as i32
}

fn one<const R: usize>(draw: &mut Draw) -> Result<()> {
    let grid = draw.grid()?;
    // Blocks of at least 2, as ghosts are up to 2 wide.
    let mut extents = [0; R];
    let (mut periodic, mut ghosts) = ([false; R], [[0; 2]; R]);
    let mut along = 0..grid.shape().len();
    let mut array_of = || -> Result<Array<i32, R>> {
        let ranges: [Range; R] = std::array::from_fn(|dim| {
            (periodic[dim], ghosts[dim]) = (draw.below(2) == 0, [draw.below(3), draw.below(3)]);
            let along = along.next();
            let parts = along.map_or(1, |along| grid.shape()[along]);
            let mut blocks: Vec<usize> = vec![2; parts];
            let spare = draw.below(4);
            (0..spare).for_each(|_| blocks[draw.below(parts)] += 1);
            extents[dim] = 2 * parts + spare;
            let range = match (along, draw.below(2)) {
                (None, _) => Range::collapsed(extents[dim]),
                (_, 0) => Range::block(extents[dim]),
                _ => Range::irregular(&blocks),
            };
            let range = range.ghosts_each(ghosts[dim][0], ghosts[dim][1]);
            if periodic[dim] { range.periodic() } else { range }
        });
        Array::new("u", &grid, ranges)
    };
    let mut array = array_of()?;
    let reset = |array: &mut Array<i32, R>, more: i32| {
        array.fill(-1);
        array.view_mut().for_each(|index, element| *element = number_of(index, extents) as i32 + more);
    };
    reset(&mut array, 0);
    array.write_halo()?;
    check(&array, ghosts, false, |index| beyond(index, extents, periodic));
    array.write_halo_of(&Halo::faces().corners())?;
    check(&array, ghosts, true, |index| beyond(index, extents, periodic));
    // A part of the ghosts, once more after the elements have changed, with other work between start and end.
    let dim = draw.below(R);
    let mut some = ghosts;
    some[dim] = [draw.below(ghosts[dim][0] + 1), draw.below(ghosts[dim][1] + 1)];
    let halo = Halo::faces().width(dim, some[dim][0], some[dim][1]);
    for round in 0..2 {
        reset(&mut array, 1000 * round);
        let more = |number: i32| if number < 0 { number } else { number + 1000 * round };
        let started = array.start_halo_of(&halo)?;
        let sum: i64 = started.local().iter().map(|&element| i64::from(element != i32::MIN)).sum();
        assert_eq!(sum as usize, started.local().len());
        started.finish()?;
        check(&array, some, false, |index| more(beyond(index, extents, periodic)));
    }
    Ok(())
}

/// Looks at every cell that this rank stores: an element or a ghost that was written is what the whole array has there,
/// any other ghost is -1.
fn check<const R: usize>(
    array: &Array<i32, R>,
    widths: Widths<R>,
    corners: bool,
    expected: impl Fn([isize; R]) -> i32,
) {
    let ghosts = std::array::from_fn::<_, R, _>(|dim| array.overall(dim).local().start as isize);
    let firsts: [isize; R] = std::array::from_fn(|dim| array.overall(dim).next().expect("no block is empty").global);
    for cell in indices(array.rooms()) {
        let global: [isize; R] = std::array::from_fn(|dim| firsts[dim] + cell[dim] as isize - ghosts[dim]);
        let (mut outside, mut written) = (0, true);
        for dim in 0..R {
            let own = array.overall(dim).local();
            let (below, above) = (own.start.saturating_sub(cell[dim]), (cell[dim] + 1).saturating_sub(own.end));
            outside += usize::from(below + above > 0);
            written &= below <= widths[dim][0] && above <= widths[dim][1];
        }
        let is_written = outside == 0 || (written && (outside == 1 || corners));
        let wanted = if is_written { expected(global) } else { -1 };
        assert_eq!(array[global], wanted, "the cell {global:?} of rank {}", array.grid().rank());
    }
}
