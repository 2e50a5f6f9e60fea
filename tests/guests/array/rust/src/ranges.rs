//! Who owns what, and where.

use crate::draw::{Draw, indices};
use rankine_arrays::{Array, Grid, Range, Result, Viewable};

pub fn run(draw: &mut Draw) -> Result<()> {
    one::<1>(draw)?;
    one::<2>(draw)?;
    one::<3>(draw)?;
    one::<4>(draw)?;
    shapes(draw)?;
    loops(draw)
}

/// Every index has an owner, who stores it; loops visit exactly those.
fn one<const R: usize>(draw: &mut Draw) -> Result<()> {
    let (grid, extents) = (draw.grid()?, draw.extents::<R>());
    let ranges = draw.ranges(&grid, extents);
    let mut array = Array::<i32, R>::new("a", &grid, ranges)?;
    for index in indices(extents) {
        let owner = array.owner(index)?;
        if owner == grid.rank() {
            array[index.map(|k| k as isize)] += 1;
        }
    }
    let sum = array.sum()?;
    // An array that is held several times has each element with its first holder only.
    assert_eq!(sum as usize, extents.iter().product::<usize>());
    for dim in 0..R {
        for at in array.overall(dim) {
            let mut index = [0isize; R];
            for (other, start) in index.iter_mut().enumerate() {
                *start = array.overall(other).next().map_or(-1, |at| at.global);
            }
            index[dim] = at.global;
            if index.iter().all(|&k| k >= 0) {
                let place = array.place(index).expect("what a loop visits is stored");
                let strides = array.strides();
                assert_eq!(place / strides[dim] % array.rooms()[dim], at.local);
            }
        }
    }
    let mut visited = 0;
    array.view().for_each(|_, _| visited += 1);
    assert_eq!(visited, (0..R).map(|dim| array.overall(dim).len()).product::<usize>());
    Ok(())
}

fn shapes(draw: &mut Draw) -> Result<()> {
    let size = draw.world.size() as usize;
    let line = Grid::shaped(&draw.world, &[0, 1])?;
    assert_eq!(line.shape(), [size, 1]);
    assert_eq!(line.coords(), [line.rank(), 0]);
    let all: Vec<Vec<usize>> =
        (1..=3).map(|n| Grid::new(&draw.world, n).map(|grid| grid.shape().to_vec())).collect::<Result<_>>()?;
    assert!(all.iter().all(|shape| shape.iter().product::<usize>() == size));
    if size == 12 {
        assert_eq!(all, [vec![12], vec![4, 3], vec![3, 2, 2]]);
    }
    Ok(())
}

/// Loops with margins and bounds.
fn loops(draw: &mut Draw) -> Result<()> {
    let grid = Grid::new(&draw.world, 1)?;
    let extent = 3 * grid.size() + draw.below(20);
    for range in [Range::block(extent).ghosts(2), Range::cyclic(extent), Range::block_cyclic(extent, 3)] {
        let array = Array::<f32, 1>::new("a", &grid, [range])?;
        let (first, last) = (draw.below(extent) as isize, draw.below(extent) as isize);
        let all: Vec<isize> = array.overall(0).map(|at| at.global).collect();
        let within: Vec<isize> = array.overall(0).within(first..=last).map(|at| at.global).collect();
        let expected: Vec<isize> = all.iter().copied().filter(|k| (first..=last).contains(k)).collect();
        assert_eq!(within, expected);
        let inner: Vec<isize> = array.inner(0, 2).map(|at| at.global).collect();
        let expected: Vec<isize> = all.iter().copied().filter(|&k| k >= 2 && k < extent as isize - 2).collect();
        assert_eq!(inner, expected);
        let mut parts: Vec<isize> = array.inner(0, 1).inside(1).map(|at| at.global).collect();
        parts.extend(array.inner(0, 1).rims(1).into_iter().flatten().map(|at| at.global));
        parts.sort();
        assert_eq!(parts, array.inner(0, 1).map(|at| at.global).collect::<Vec<_>>());
        assert!(array.overall(0).all(|at| array.place([at.global]) == Some(at.local)));
        assert_eq!(
            array.overall(0).rev().map(|at| at.global).collect::<Vec<_>>(),
            all.into_iter().rev().collect::<Vec<_>>()
        );
    }
    Ok(())
}
