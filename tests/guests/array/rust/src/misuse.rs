//! Wrong uses are errors that name array, dimension and rank.

use crate::draw::Draw;
use rankine_arrays::{Array, Grid, Halo, Range, Remap, Result, Viewable, copy};

pub fn run(draw: &mut Draw) -> Result<()> {
    let world = draw.world;
    let (grid, other) = (Grid::new(&world, 1)?, Grid::new(&world, 1)?);
    let (rank, size) = (grid.rank(), grid.size());
    let text = |result: Result<()>| result.expect_err("this is wrong").to_string();
    let make = |ranges: [Range; 2]| Array::<f64, 2>::new("u", &grid, ranges).map(drop);

    let mut u = Array::<f64, 2>::new("u", &grid, [Range::block(4 * size).ghosts(1), Range::collapsed(8)])?;
    let v = Array::<f64, 2>::new("v", &other, [Range::block(4 * size), Range::collapsed(8)])?;
    assert_eq!(text(copy(&mut u, &v)), format!("array \"u\", rank {rank}: it lies over another grid than array \"v\""));
    let w = Array::<f64, 2>::new("w", &grid, [Range::block(4 * size), Range::collapsed(9)])?;
    assert_eq!(
        text(copy(&mut u, &w)),
        format!("array \"u\", dimension 1, rank {rank}: it has 8 indices, and array \"w\" has 9")
    );
    let turn = Remap::new(&u, &Array::new("x", &grid, [Range::block(4 * size), Range::collapsed(8)])?)?;
    let cyclic = Array::<f64, 2>::new("cyclic", &grid, [Range::collapsed(4 * size), Range::cyclic(8)])?;
    assert!(
        text(turn.run(&mut u, &cyclic))
            .ends_with("this copy was made for array \"x\", which is distributed in another way")
    );

    let wide = [Range::block(2 * size).ghosts(3).periodic(), Range::collapsed(3)];
    assert_eq!(
        text(make(wide)),
        format!("array \"u\", dimension 0, rank {rank}: its ghosts are 3 wide, but block 0 has only 2 elements")
    );
    assert!(text(make([Range::cyclic(9).ghosts(1), Range::collapsed(3)])).contains("dealt out in turn"));
    assert!(text(make([Range::block(9), Range::cyclic(9)])).contains("dimension 1, rank"));
    assert!(text(make([Range::block(9).on(1), Range::collapsed(9)])).ends_with("the grid has no dimension 1"));
    assert!(
        text(make([Range::collapsed(3), Range::irregular(&vec![1; size + 1])]))
            .contains(&format!("{} block sizes", size + 1))
    );
    assert!(text(make([Range::block_cyclic(3, 0), Range::collapsed(3)])).contains("no length"));
    assert!(
        text(make([Range::collapsed(1 << 20), Range::collapsed(1 << 20)]))
            .contains("more bytes than a memory can have")
    );

    let owner = u.owner([0, 8]).expect_err("there is no such column").to_string();
    assert_eq!(owner, format!("array \"u\", dimension 1, rank {rank}: nobody owns the index 8: it has 8 indices"));
    assert!(u.get([-2, 0]).is_none() && u.get([0, 9]).is_none());
    assert!(text(u.view().at::<1>(0, 4 * size).map(drop)).contains("nobody owns the index"));
    assert!(
        text(u.view().section(1, 2, 4, 2).map(drop))
            .ends_with("from 2 to 8 was asked for, and it has the indices 0 to 7")
    );
    assert!(text(u.view().transposed([1, 1]).map(drop)).ends_with("names it twice"));
    assert!(text(u.write_halo_of(&Halo::faces().width(0, 2, 1))).contains("a halo of 2 and 1 cells"));
    assert!(text(u.gather(size).map(drop)).ends_with(&format!("there is no rank {size} to gather at")));
    assert!(text(Grid::new(&world, 4).map(drop)).contains("not 4"));
    assert!(text(Grid::shaped(&world, &[size + 1]).map(drop)).contains("can't be a grid"));
    Ok(())
}
