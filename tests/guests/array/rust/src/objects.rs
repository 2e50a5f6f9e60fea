//! Elements that are whole objects.

use crate::draw::Draw;
use rankine::Transportable;
use rankine_arrays::{Array, Result, Viewable, ViewableMut, copy_objects};

#[derive(Transportable, Clone, Default, PartialEq, Debug)]
#[transport]
struct Cell {
    name: String,
    particles: Vec<(f64, f64)>,
    next: Option<Box<Cell>>,
}

fn cell(i: usize, j: usize) -> Cell {
    let next = (i > 0).then(|| Box::new(cell(i - 1, j)));
    Cell { name: format!("{i} {j}"), particles: vec![(i as f64, j as f64); j % 3], next }
}

pub fn run(draw: &mut Draw) -> Result<()> {
    for _ in 0..4 {
        let (grid, extents) = (draw.grid()?, draw.extents::<2>());
        let (from, to) = (draw.ranges(&grid, extents), draw.ranges(&grid, extents));
        let mut source = Array::<Cell, 2>::filled("source", &grid, from, Cell::default())?;
        source.view_mut().for_each(|[i, j], element| *element = cell(i, j));
        let mut target = Array::<Cell, 2>::filled("target", &grid, to, Cell::default())?;
        copy_objects(&mut target, &source)?;
        target.view().for_each(|[i, j], element| assert_eq!(*element, cell(i, j)));
        let root = draw.below(grid.size());
        let all = target.view().transposed([1, 0])?.gather_objects(root)?;
        assert_eq!(all.is_some(), grid.rank() == root);
        for (n, element) in all.into_iter().flatten().enumerate() {
            assert_eq!(element, cell(n % extents[0], n / extents[0]));
        }
    }
    Ok(())
}
