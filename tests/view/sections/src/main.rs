//! Parts of distributed arrays that the page shows, until the button `stop` is pressed: element (i, j) of each is
//! 100 i + j + 10000 (step modulo 10), as of the arrays of `arrays.c`. The last two have vectors (10, 1) over them.

use rankine::Universe;
use rankine::view::{self, Arrows, Block, View};
use rankine_arrays::{Array, Grid, Range, Result, Viewable, ViewableMut, show_arrows};

fn main() -> Result<()> {
    let universe = Universe::new()?;
    let grid = Grid::new(&universe.world(), 2)?;
    // Of the first two every second row is shown, from the row 13 back to the row 1, and every third column from 2 on; their
    // rows are the array's second dimension.
    let mut lengths = vec![3; grid.shape()[0]];
    lengths[0] = 32 - 3 * (lengths.len() - 1);
    let rows = Range::block(15).ghosts_each(0, 1);
    let mut blocks = Array::<f64, 2>::new("blocks", &grid, [Range::irregular(&lengths), rows.clone()])?;
    let mut dealt = Array::<i64, 2>::new("dealt", &grid, [Range::block_cyclic(32, 4), rows])?;
    // Of the others a plane is shown: one that all ranks have a part of, and two that lie with some of them.
    let mut flat = Array::<f32, 3>::new("flat", &grid, [Range::block(7), Range::cyclic(10), Range::collapsed(3)])?;
    let mut deep = Array::<i32, 3>::new("deep", &grid, [Range::block(7), Range::block(5), Range::collapsed(10)])?;
    let mut both = Array::<i32, 3>::new("both", &grid, [Range::cyclic(7), Range::block(5), Range::collapsed(10)])?;
    let mut line = Array::<f64, 1>::new("line", &grid, [Range::cyclic(10).on(1)])?;
    // Vectors whose parts are distributed in different ways, and one of them lies the other way round.
    let across = Array::<f32, 2>::filled("across", &grid, [Range::block(10).ghosts(1), Range::block(7)], 10.0)?;
    let down = Array::<f32, 2>::filled("down", &grid, [Range::cyclic(7), Range::collapsed(10)], 1.0)?;
    let mut view = View::new();
    let stop = view.button("stop")?;
    view.scale("arrows", "m/s", 0.0, 1000.0)?;
    view.axis("arrows", 'y', "height", "km", 3.0, -0.5)?;
    // Each rank has some rows of it.
    let (rank, ranks) = (grid.rank(), grid.size());
    let rows = 7 * rank / ranks..7 * (rank + 1) / ranks;
    let block = Block::new([7, 10], [rows.start, 0], [rows.len(), 10]);
    for step in 0.. {
        view.update(&universe.world())?;
        if stop.presses() > 0 || !view::is_on() {
            break;
        }
        let number = |i: usize, j: usize| (100 * i + j) as i32 + 10_000 * (step % 10) as i32;
        let part = |[column, row]: [usize; 2]| {
            if row % 2 == 1 && column % 3 == 2 { number((13 - row) / 2, (column - 2) / 3) } else { -1 }
        };
        blocks.view_mut().for_each(|at, x| *x = part(at).into());
        dealt.view_mut().for_each(|at, x| *x = part(at).into());
        flat.view_mut().for_each(|[i, j, k], x| *x = if k == 1 { number(i, j) as f32 } else { -1.0 });
        deep.view_mut().for_each(|[i, j, k], x| *x = if j == 3 { number(i, k) } else { -1 });
        both.view_mut().for_each(|[i, j, k], x| *x = if j == 3 { number(i, k) } else { -1 });
        line.view_mut().for_each(|[j], x| *x = number(0, j).into());
        blocks.view().transposed([1, 0])?.section(0, 13, 7, -2)?.section(1, 2, 10, 3)?.show(&view, "blocks", step)?;
        dealt.view().section(1, 13, 7, -2)?.section(0, 2, 10, 3)?.transposed([1, 0])?.show(&view, "dealt", step)?;
        flat.view().at::<2>(2, 1)?.show(&view, "flat", step)?;
        deep.view().at::<2>(1, 3)?.show(&view, "deep", step)?;
        both.view().at::<2>(1, 3)?.show(&view, "both", step)?;
        line.show(&view, "row", step)?;
        let flat = flat.view().at::<2>(2, 1)?;
        show_arrows(&view, "wind", step, [across.view().transposed([1, 0])?, down.view()], Some(flat))?;
        let numbers: Vec<f32> = rows.clone().flat_map(|i| (0..10).map(move |j| number(i, j) as f32)).collect();
        let [right, down] = [10, 1].map(|by| numbers.iter().map(|_| by as f32).collect::<Vec<f32>>());
        view.arrows("arrows", step, &block, &Arrows::new([&right, &down]).over(&numbers))?;
    }
    Ok(())
}
