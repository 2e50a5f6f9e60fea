// Every rank sorts its bodies into an octree; then all ranks get all trees, and each adds up the potential of its
// bodies in them.

use rankine::{Result, Transportable, Universe};

const BODIES: i32 = 600;

type Point = [f64; 3];

#[derive(Transportable, Default)]
#[transport]
struct Cell {
    /// Of all bodies inside.
    mass: f64,
    /// Their centre.
    at: Point,
    /// Length of an edge.
    size: f64,
    child: [Option<Box<Cell>>; 8],
}

/// The same bodies on every machine and for every number of ranks.
fn body(number: i32) -> Point {
    let mut state = u64::from((number as u32).wrapping_mul(2_654_435_761).wrapping_add(12345));
    std::array::from_fn(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 24)
    })
}

impl Cell {
    fn new(size: f64) -> Cell {
        Cell { size, ..Cell::default() }
    }

    /// Puts a body of mass 1 into the cell, which begins at `corner`.
    fn insert(&mut self, at: Point, corner: Point) {
        if self.mass == 1.0 {
            self.push_down(self.at, corner); // a leaf: its body moves down
        }
        if self.mass > 0.0 {
            self.push_down(at, corner);
        }
        for (own, new) in self.at.iter_mut().zip(at) {
            *own = (*own * self.mass + new) / (self.mass + 1.0);
        }
        self.mass += 1.0;
    }

    fn push_down(&mut self, at: Point, mut corner: Point) {
        let half = self.size / 2.0;
        let mut index = 0;
        for axis in 0..3 {
            if at[axis] >= corner[axis] + half {
                index |= 1 << axis;
                corner[axis] += half;
            }
        }
        self.child[index].get_or_insert_with(|| Box::new(Cell::new(half))).insert(at, corner);
    }

    fn potential(&self, at: Point) -> f64 {
        let square = square(self.at, at);
        if self.mass <= 1.0 || self.size * self.size < 0.1 * square {
            return if square == 0.0 { 0.0 } else { -self.mass / square.sqrt() };
        }
        self.child.iter().flatten().map(|child| child.potential(at)).sum()
    }

    fn cells(&self) -> usize {
        1 + self.child.iter().flatten().map(|child| child.cells()).sum::<usize>()
    }
}

fn square(a: Point, b: Point) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

fn direct() -> f64 {
    let pairs = (0..BODIES).flat_map(|i| (0..BODIES).map(move |j| square(body(i), body(j))));
    pairs.filter(|&square| square > 0.0).map(|square| -1.0 / square.sqrt()).sum()
}

fn main() -> Result<()> {
    let universe = Universe::new()?;
    let world = universe.world();
    let (rank, size) = (world.rank(), world.size());

    let own = BODIES * rank / size..BODIES * (rank + 1) / size;
    let mut tree = Cell::new(1.0);
    own.clone().for_each(|number| tree.insert(body(number), [0.0; 3]));

    // Here it happens: one call, and everybody has everybody's tree.
    let all: Vec<Cell> = world.allgather(&[tree])?.into_iter().flatten().collect();

    let energy: f64 = all.iter().map(|tree| own.clone().map(|number| tree.potential(body(number))).sum::<f64>()).sum();
    let cells: usize = all.iter().map(Cell::cells).sum();
    if let Some(energies) = world.gather(&[energy], 0)? {
        let (total, exact) = (energies.iter().flatten().sum::<f64>(), direct());
        let near = if (total - exact).abs() < 0.01 * exact.abs() { "within 1 %" } else { "NOT within 1 %" };
        println!("{BODIES} bodies in {size} trees of {cells} cells: the potential is {near} of the direct sum");
    }
    Ok(())
}
