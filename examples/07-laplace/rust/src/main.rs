//! Laplace's equation on a square whose upper edge has the potential 1, by successive over-relaxation: cells of one
//! colour of a chessboard read only those of the other, and are computed in place. With `--view` it can be watched.
//!
//! Usage: laplace [CELLS [STEPS]]

use rankine::view::View;
use rankine_arrays::{Array, Grid, Range, Result};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1).map_while(|argument| argument.parse().ok());
    let (n, steps) = (arguments.next().unwrap_or(64), arguments.next().unwrap_or(200));
    let universe = rankine::Universe::new()?;
    let grid = Grid::new(&universe.world(), 2)?;
    let mut u = Array::<f64, 2>::new("u", &grid, [Range::block(n).ghosts(1), Range::block(n).ghosts(1)])?;
    for i in u.overall(0).within(..1) {
        u.row_mut([i.local]).fill(1.0);
    }
    let omega = 2.0 / (1.0 + (std::f64::consts::PI / n as f64).sin());
    let view = View::new();
    let owns_middle = u.owner([n / 2; 2])? == grid.rank();
    for step in 1..=steps {
        view.update(&universe.world())?;
        for colour in 0..2 {
            u.write_halo()?;
            let columns = u.inner(1, 1);
            for i in u.inner(0, 1) {
                let first = columns.clone().find(|j| (i.global + j.global) % 2 == colour);
                let Some(first) = first else { continue };
                let cells = first.local..columns.local().end;
                u.around([i.local]).update(cells, 2, |cell, [[above, below], [left, right]]| {
                    let mean = 0.25 * (above + below + left + right);
                    cell + omega * (mean - cell)
                });
            }
        }
        u.show(&view, "potential", step as i64)?;
        if owns_middle {
            view.curve("middle", step as f64, u[[n as isize / 2; 2]])?;
        }
    }
    // The same bits with any number of ranks: all numbers come together in one order.
    if let Some(all) = u.gather(0)? {
        println!(
            "{n} x {n} cells, {steps} steps: middle {:.12}, sum {:.9}",
            all[n / 2 * n + n / 2],
            all.iter().sum::<f64>()
        );
    }
    Ok(())
}
