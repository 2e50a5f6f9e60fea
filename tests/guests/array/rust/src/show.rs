//! Without `--view` nothing is shown, and what is wrong is an error all the same.

use crate::draw::Draw;
use rankine::view;
use rankine_arrays::{Array, Grid, Range, Result, Viewable, show_arrows};

pub fn run(draw: &mut Draw) -> Result<()> {
    let (grid, view) = (Grid::new(&draw.world, 1)?, view::View::new());
    let (rank, text) = (grid.rank(), |result: Result<()>| result.expect_err("this is wrong").to_string());
    Array::<i32, 1>::new("line", &grid, [Range::cyclic(9)])?.show(&view, "line", 0)?;
    let u = Array::<f64, 3>::new("u", &grid, [Range::block(9), Range::collapsed(4).ghosts(1), Range::collapsed(3)])?;
    u.show(&view, "u", 0)?;
    u.view().at::<2>(1, 2)?.transposed([1, 0])?.section(1, 8, 5, -2)?.show(&view, "part", 0)?;

    let deep = Array::<f32, 4>::new("deep", &grid, [2, 2, 2, 2].map(Range::collapsed))?;
    let refused = text(deep.show(&view, "deep", 0));
    assert_eq!(refused, format!("array \"deep\", rank {rank}: it has 4 dimensions; arrays of 1 to 3 can be shown"));
    deep.view().at::<3>(0, 1)?.show(&view, "deep", 0)?;
    let refused = text(u.view().within(2, 1..1)?.show(&view, "u", 0));
    assert_eq!(refused, format!("array \"u\", dimension 2, rank {rank}: it has no elements that could be shown"));
    assert!(text(u.show(&view, "a\0b", 0)).starts_with("array \"u\", rank"));

    let v = Array::<f64, 3>::new("v", &grid, [Range::cyclic(9), Range::collapsed(4), Range::collapsed(3)])?;
    show_arrows(&view, "wind", 0, [u.view(), v.view(), u.view()], Some(v.view()))?;
    let plane = u.view().at::<2>(2, 1)?;
    let refused = text(show_arrows(&view, "wind", 0, [plane, v.view().at::<2>(1, 0)?], None));
    assert_eq!(refused, format!("array \"v\", dimension 1, rank {rank}: it has 3 indices, and array \"u\" has 4"));
    Ok(())
}
