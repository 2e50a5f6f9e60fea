//! The flow through a nozzle of `examples/08-nozzle`, as `bench/programs/arrays.c` computes it.

use rankine::Communicator;
use rankine_arrays::{Array, Grid, Range, Result, ViewableMut};

use crate::timed;

/// Mass, axial and radial momentum, and energy of a volume of gas.
type State = [f64; 4];

const GAMMA: f64 = 1.4;
const LENGTH: f64 = 10.0;
/// The pressure beyond the end.
const OUTSIDE: f64 = 0.75;

/// The faces between a cell and those before it along the axis and below it, and its area.
#[derive(Clone, Copy)]
struct Shape {
    left: [f64; 2],
    lower: [f64; 2],
    area: f64,
}

fn pressure(u: &State) -> f64 {
    (GAMMA - 1.0) * (u[3] - 0.5 * (u[1] * u[1] + u[2] * u[2]) / u[0])
}

fn sound(u: &State) -> f64 {
    (GAMMA * pressure(u) / u[0]).sqrt()
}

fn from_reservoir(at: f64) -> State {
    let density = at.powf(1.0 / GAMMA);
    let speed = (2.0 * GAMMA / (GAMMA - 1.0) * (1.0 - at / density).max(0.0)).sqrt();
    [density, density * speed, 0.0, at / (GAMMA - 1.0) + 0.5 * density * speed * speed]
}

fn across(u: &State, face: [f64; 2]) -> f64 {
    (u[1] * face[0] + u[2] * face[1]) / u[0]
}

fn fastest(u: &State, face: [f64; 2]) -> f64 {
    across(u, face).abs() + sound(u) * (face[0] * face[0] + face[1] * face[1]).sqrt()
}

fn through(u: &State, face: [f64; 2]) -> State {
    let (speed, p) = (across(u, face), pressure(u));
    [u[0] * speed, u[1] * speed + p * face[0], u[2] * speed + p * face[1], (u[3] + p) * speed]
}

fn flux(a: &State, b: &State, face: [f64; 2]) -> State {
    let (one, other) = (fastest(a, face), fastest(b, face));
    let most = if one > other { one } else { other };
    let (from, to) = (through(a, face), through(b, face));
    std::array::from_fn(|n| 0.5 * (from[n] + to[n] - most * (b[n] - a[n])))
}

fn wall(u: &State, face: [f64; 2]) -> State {
    let p = pressure(u);
    [0.0, p * face[0], p * face[1], 0.0]
}

/// A block of the nozzle: its shape, and its cells now.
struct Nozzle {
    extents: [isize; 2],
    /// Of the cells as they lie in memory, ghost cells included.
    shapes: Vec<Shape>,
    now: Array<State, 2>,
    next: Array<State, 2>,
}

impl Nozzle {
    fn new(grid: &Grid, along: usize) -> Result<Nozzle> {
        let extents = [along, along / 8];
        let field = |name| Array::<State, 2>::new(name, grid, extents.map(|extent| Range::block(extent).ghosts(1)));
        let (mut now, next) = (field("now")?, field("next")?);
        now.view_mut().for_each(|_, cell| *cell = from_reservoir(0.9));
        let extents = extents.map(|extent| extent as isize);
        let bounds = [0, 1].map(|dim| now.overall(dim).global().unwrap_or(0..0));
        let cells = (bounds[0].start - 1..=bounds[0].end).flat_map(|i| {
            let columns = bounds[1].start - 1..=bounds[1].end;
            columns.map(move |j| Shape::of(extents, i, j))
        });
        Ok(Nozzle { extents, shapes: cells.collect(), now, next })
    }

    /// Fills the cells beyond the ends: gas from the reservoir, and the pressure outside if it can be felt.
    fn ends(&mut self) {
        let last = self.extents[0] - 1;
        let columns = self.now.overall(1).local();
        for i in self.now.overall(0).within(..1) {
            for j in columns.clone() {
                let part = pressure(&self.now.row([i.local])[j]).min(1.0);
                self.now.row_mut([i.local - 1])[j] = from_reservoir(part);
            }
        }
        for i in self.now.overall(0).within(last..) {
            for j in columns.clone() {
                let mut end = self.now.row([i.local])[j];
                if end[1] / end[0] < sound(&end) {
                    end[3] = OUTSIDE / (GAMMA - 1.0) + 0.5 * (end[1] * end[1] + end[2] * end[2]) / end[0];
                }
                self.now.row_mut([i.local + 1])[j] = end;
            }
        }
    }

    fn flow(&mut self) {
        let columns = self.now.overall(1);
        let Some(first) = columns.clone().next() else { return };
        let (top, columns) = (self.extents[1] - 1, columns.local());
        let width = self.now.strides()[0];
        for i in self.now.overall(0) {
            let (row, [[before, behind], [below, above]]) = self.now.stencil([i.local], columns.clone());
            let shapes = &self.shapes[i.local * width + columns.start..][..width + columns.len()];
            let next = &mut self.next.row_mut([i.local])[columns.clone()];
            for j in 0..next.len() {
                let (u, own) = (&row[j], &shapes[j]);
                let (left, right, lower, upper) = (own.left, shapes[j + width].left, own.lower, shapes[j + 1].lower);
                let column = first.global + j as isize;
                let flows = [
                    flux(&before[j], u, left),
                    flux(u, &behind[j], right),
                    if column == 0 { wall(u, lower) } else { flux(&below[j], u, lower) },
                    if column == top { wall(u, upper) } else { flux(u, &above[j], upper) },
                ];
                let step = 0.8 / (fastest(u, left) + fastest(u, right) + fastest(u, lower) + fastest(u, upper));
                next[j] =
                    std::array::from_fn(|n| u[n] + step * (flows[0][n] - flows[1][n] + flows[2][n] - flows[3][n]));
                next[j][2] += step * pressure(u) * own.area;
            }
        }
    }
}

impl Shape {
    fn of(extents: [isize; 2], i: isize, j: isize) -> Shape {
        let corner = |i: isize, j: isize| {
            let x = LENGTH * i as f64 / extents[0] as f64;
            let radius = (1.0 + 0.03 * (x - 0.5 * LENGTH) * (x - 0.5 * LENGTH)).sqrt();
            [x, radius * j as f64 / extents[1] as f64]
        };
        let face = |from: [f64; 2], to: [f64; 2]| {
            let radius = 0.5 * (from[1] + to[1]);
            [(to[1] - from[1]) * radius, (from[0] - to[0]) * radius]
        };
        let (a, b, c, d) = (corner(i, j), corner(i + 1, j), corner(i, j + 1), corner(i + 1, j + 1));
        let area = 0.5 * (b[0] - a[0]) * (c[1] - a[1] + d[1] - b[1]);
        Shape { left: face(a, c), lower: face(b, a), area }
    }
}

/// Seconds of a step. Along the axis there are eight times as many cells as across.
pub fn nozzle(world: &Communicator, along: usize, steps: usize) -> Result<f64> {
    let mut nozzle = Nozzle::new(&Grid::new(world, 2)?, along)?;
    timed(world, steps, || {
        nozzle.now.write_halo()?;
        nozzle.ends();
        nozzle.flow();
        std::mem::swap(&mut nozzle.now, &mut nozzle.next);
        Ok(())
    })
}
