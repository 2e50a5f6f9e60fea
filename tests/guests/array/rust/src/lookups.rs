//! Elements named by arrays of indices.

use crate::draw::{Draw, check, indices, number_of};
use rankine_arrays::{Array, Error, Grid, Lookup, Range, Result, Viewable, ViewableMut};

pub fn run(draw: &mut Draw) -> Result<()> {
    take(draw)?;
    put(draw)?;
    nobodys(draw)
}

/// An index of the table for every value.
fn named(salt: usize, i: usize, extents: [usize; 2]) -> [usize; 2] {
    let number = i * (2 * salt + 1) % (extents[0] * extents[1]);
    [number / extents[1], number % extents[1]]
}

fn take(draw: &mut Draw) -> Result<()> {
    let (grid, extents) = (draw.grid()?, draw.extents::<2>());
    let (count, salt) = (1 + draw.below(60), draw.below(9));
    let table: Array<i32, 2> = draw.numbered("table", &grid, extents)?;
    let ranges = draw.ranges(&grid, [count]);
    let mut values = Array::<i32, 1>::new("values", &grid, ranges.clone())?;
    let mut which = Array::<[usize; 2], 1>::new("which", &grid, ranges)?;
    which.view_mut().for_each(|[i], index| *index = named(salt, i, extents));
    let lookup = Lookup::new(&values, &which, &table)?;
    lookup.take(&mut values, &table)?;
    check("take", &values.view(), |[i]| number_of(named(salt, i, extents), extents) as i32)
}

fn put(draw: &mut Draw) -> Result<()> {
    // Distributed over all of the grid, so that every element is held once.
    let grid = Grid::new(&draw.world, 1)?;
    let (extents, count, salt) = (draw.extents::<2>(), 1 + draw.below(60), draw.below(9));
    let ranges = [
        [Range::block(extents[0]), Range::collapsed(extents[1])],
        [Range::collapsed(extents[0]), Range::cyclic(extents[1])],
    ];
    let mut table = Array::<i64, 2>::new("table", &grid, ranges[draw.below(2)].clone())?;
    let ranges = [Range::block_cyclic(count, 2)];
    let mut values = Array::<i64, 1>::new("values", &grid, ranges.clone())?;
    values.view_mut().for_each(|[i], value| *value = i as i64 + 1);
    let mut which = Array::<[usize; 2], 1>::new("which", &grid, ranges)?;
    which.view_mut().for_each(|[i], index| *index = named(salt, i, extents));
    let lookup = Lookup::new(&values, &which, &table)?;
    lookup.put_with(&mut table, &values, |sum, value| *sum += value)?;
    let expected = |index| (0..count).filter(|&i| named(salt, i, extents) == index).map(|i| i as i64 + 1).sum::<i64>();
    check("put with sums", &table.view(), expected)?;
    table.fill(0);
    lookup.put(&mut table, &values)?;
    for (index, value) in indices(extents).zip(table.gather_to_all()?) {
        let mut candidates = (0..count).filter(|&i| named(salt, i, extents) == index).map(|i| i as i64 + 1).peekable();
        assert!(candidates.peek().is_none() && value == 0 || candidates.any(|candidate| candidate == value));
    }
    Ok(())
}

/// One rank names an index that nobody owns: all get an error.
fn nobodys(draw: &mut Draw) -> Result<()> {
    let grid = Grid::new(&draw.world, 1)?;
    let table = Array::<i32, 2>::new("table", &grid, [Range::block(5), Range::collapsed(6)])?;
    let values = Array::<i32, 1>::new("values", &grid, [Range::block(2 * grid.size())])?;
    let mut which = Array::<[usize; 2], 1>::new("which", &grid, [Range::block(2 * grid.size())])?;
    let culprit = draw.below(grid.size());
    if grid.rank() == culprit {
        which.view_mut().for_each(|_, index| *index = [4, 6]);
    }
    let error = Lookup::new(&values, &which, &table).err().expect("nobody owns the index");
    let expected = match grid.rank() == culprit {
        true => format!(
            "array \"table\", dimension 1, rank {culprit}: nobody owns the index [4, 6]: it has the extents [5, 6]"
        ),
        false => Error::Elsewhere { rank: culprit, array: "table".into() }.to_string(),
    };
    assert_eq!(error.to_string(), expected);
    Ok(())
}
