//! Slices of memory are what indices name.

use crate::draw::{Draw, number_of};
use rankine_arrays::{Array, Grid, Range, Result, ViewableMut};

pub fn run(draw: &mut Draw) -> Result<()> {
    let grid = Grid::new(&draw.world, 2)?;
    let shape = grid.shape();
    let extents = [2 * shape[0] + draw.below(9), 2 * shape[1] + draw.below(9), 3 + draw.below(9)];
    let ranges = [Range::block(extents[0]), Range::block(extents[1]), Range::collapsed(extents[2])];
    let mut u = Array::<i64, 3>::new("u", &grid, ranges.map(|range| range.ghosts(1).periodic()))?;
    u.view_mut().for_each(|index, element| *element = number_of(index, extents) as i64);
    u.write_halo()?;
    stencils(&u);
    updates(&mut u);
    Ok(())
}

fn stencils(u: &Array<i64, 3>) {
    let columns = u.overall(2).local();
    for i in u.overall(0) {
        for j in u.overall(1) {
            let (row, near) = u.stencil([i.local, j.local], columns.clone());
            assert_eq!(row, &u.row([i.local, j.local])[columns.clone()]);
            for k in u.overall(2) {
                let at = [i.global, j.global, k.global];
                assert_eq!(row[k.local - columns.start], u[at]);
                for (dim, near) in near.iter().enumerate() {
                    assert_eq!(
                        near.map(|row| row[k.local - columns.start]),
                        [-1, 1].map(|step| u[moved(at, dim, step)])
                    );
                }
            }
        }
    }
}

fn moved(mut at: [isize; 3], dim: usize, step: isize) -> [isize; 3] {
    at[dim] += step;
    at
}

/// Every second element of each row becomes the sum of its neighbours; the others stay.
fn updates(u: &mut Array<i64, 3>) {
    let [rows, lines, columns] = [0, 1, 2].map(|dim| u.overall(dim));
    for i in rows {
        for j in lines.clone() {
            let at = |k: isize| [i.global, j.global, k];
            let before: Vec<i64> = columns.clone().map(|k| u[at(k.global)]).collect();
            let sum = |u: &Array<i64, 3>, k: isize| -> i64 {
                (0..3).flat_map(|dim| [-1, 1].map(|step| u[moved(at(k), dim, step)])).sum()
            };
            let expected: Vec<i64> = columns.clone().step_by(2).map(|k| sum(u, k.global)).collect();
            let around = u.around([i.local, j.local]);
            assert_eq!(around.below(0).len(), around.row.len());
            assert_eq!(around.above(1).len(), around.row.len());
            around.update(columns.local(), 2, |_, near| near.into_iter().flatten().sum());
            for (n, k) in columns.clone().enumerate() {
                assert_eq!(u[at(k.global)], if n % 2 == 0 { expected[n / 2] } else { before[n] });
            }
        }
    }
}
