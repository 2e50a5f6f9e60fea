//! A gas without friction flows through an axisymmetric nozzle, from a reservoir on the left to a pressure on the right: it
//! becomes supersonic behind the throat, and subsonic again in a shock. Finite volumes in two dimensions, along the axis and
//! across, step by step until nothing changes any more.
//!
//! Usage: nozzle [CELLS [STEPS [PRESSURE]]]
//!
//! With `rankine run --view` it goes on until the page's button `stop` is pressed, and shows the Mach number.

mod gas;

use gas::{Face, State, fastest, flux, wall};
use rankine::view::{self, View};
use rankine_arrays::{Array, Grid, Range, Result, Viewable, ViewableMut};

const LENGTH: f64 = 10.0;

/// The nozzle, cut into cells: even along the axis, and from there to the wall.
struct Nozzle {
    along: usize,
    across: usize,
    /// The pressure in the reservoir.
    reservoir: f64,
    /// The pressure beyond the right end.
    back_pressure: f64,
}

impl Nozzle {
    /// The radius of the wall; the throat is in the middle.
    fn radius(&self, x: f64) -> f64 {
        (1.0 + 0.03 * (x - 0.5 * LENGTH) * (x - 0.5 * LENGTH)).sqrt()
    }

    /// The corner below cell (i, j), towards the reservoir and the axis.
    fn corner(&self, i: isize, j: isize) -> [f64; 2] {
        let x = LENGTH * i as f64 / self.along as f64;
        [x, self.radius(x) * j as f64 / self.across as f64]
    }

    /// The face between two corners, for one radian around the axis.
    fn face(&self, [from, to]: [[f64; 2]; 2]) -> Face {
        let radius = 0.5 * (from[1] + to[1]);
        [(to[1] - from[1]) * radius, (from[0] - to[0]) * radius]
    }

    /// The left and lower face of a cell; those above and to the right are its neighbours'.
    fn faces(&self, i: isize, j: isize) -> [Face; 2] {
        let corner = self.corner(i, j);
        [self.face([corner, self.corner(i, j + 1)]), self.face([self.corner(i + 1, j), corner])]
    }

    /// The area of a cell in the plane through the axis.
    fn area(&self, i: isize, j: isize) -> f64 {
        let (a, b) = (self.corner(i, j), self.corner(i + 1, j));
        let (c, d) = (self.corner(i, j + 1), self.corner(i + 1, j + 1));
        0.5 * (b[0] - a[0]) * (c[1] - a[1] + d[1] - b[1])
    }

    /// The cell beyond the left end: gas from the reservoir at the pressure of the cell inside.
    fn inflow(&self, inside: &State) -> State {
        let part = (gas::pressure(inside) / self.reservoir).min(1.0);
        gas::from_reservoir(part).map(|quantity| quantity * self.reservoir)
    }

    /// The cell beyond the right end: as inside, at the pressure outside unless it flows faster than that can be felt.
    fn outflow(&self, inside: &State) -> State {
        if gas::mach(inside) >= 1.0 { *inside } else { gas::at_pressure(inside, self.back_pressure) }
    }

    /// How a cell changes in one step.
    fn change(&self, u: &Array<State, 2>, [i, j]: [isize; 2]) -> State {
        let (last, top) = (self.along as isize - 1, self.across as isize - 1);
        let own = &u[[i, j]];
        let [left, lower] = self.faces(i, j);
        let ([right, _], [_, upper]) = (self.faces(i + 1, j), self.faces(i, j + 1));
        let before = if i == 0 { self.inflow(own) } else { u[[i - 1, j]] };
        let behind = if i == last { self.outflow(own) } else { u[[i + 1, j]] };
        let flows = [
            flux(&before, own, left),
            flux(own, &behind, right),
            if j == 0 { wall(own, lower) } else { flux(&u[[i, j - 1]], own, lower) },
            if j == top { wall(own, upper) } else { flux(own, &u[[i, j + 1]], upper) },
        ];
        let area = self.area(i, j);
        // The largest step that no sound crosses a cell in: each cell has its own, as only the end counts.
        let speeds: f64 = [left, right, lower, upper].into_iter().map(|face| fastest(own, face)).sum();
        let step = 0.8 / speeds;
        let mut change: State = std::array::from_fn(|n| step * (flows[0][n] - flows[1][n] + flows[2][n] - flows[3][n]));
        // The sides of the wedge push outwards.
        change[2] += step * gas::pressure(own) * area;
        change
    }

    /// One step from `now` to `next`; gives the largest change of the density.
    fn step(&self, now: &mut Array<State, 2>, next: &mut Array<State, 2>) -> Result<f64> {
        let started = now.start_halo()?;
        let mut largest = self.part(&started, next, true);
        started.finish()?;
        largest = largest.max(self.part(now, next, false));
        Ok(largest)
    }

    /// The cells that need no ghost cells, or those that do.
    fn part(&self, now: &Array<State, 2>, next: &mut Array<State, 2>, inside: bool) -> f64 {
        let mut largest = 0.0f64;
        let [rows, columns] = [now.overall(0).inside(1).local(), now.overall(1).inside(1).local()];
        for i in now.overall(0) {
            for j in now.overall(1) {
                if (rows.contains(&i.local) && columns.contains(&j.local)) != inside {
                    continue;
                }
                let at = [i.global, j.global];
                let change = self.change(now, at);
                largest = largest.max(change[0].abs());
                next[at] = std::array::from_fn(|n| now[at][n] + change[n]);
            }
        }
        largest
    }

    /// Says what is shown: where in the nozzle it is, in radii of the throat and parts of the wall's radius, and that colours
    /// mean the same at all steps.
    fn describe(&self, view: &View) -> Result<()> {
        let [long, high] = [LENGTH / self.along as f64, 1.0 / self.across as f64];
        view.scale("Mach number", "", 0.0, 2.0)?;
        view.axis("Mach number", 'x', "length", "throat radii", 0.5 * long, long)?;
        view.axis("Mach number", 'y', "r / wall", "", 1.0 - 0.5 * high, -high)?;
        Ok(view.axis("change of the density", 'x', "step", "", 0.0, 0.0)?)
    }

    /// Shows the Mach number: the axis below, the wall above.
    fn show(&self, view: &View, step: usize, now: &Array<State, 2>) -> Result<()> {
        let mut machs = Array::<f64, 2>::new("Mach number", now.grid(), now.ranges().clone())?;
        machs.view_mut().for_each(|[i, j], mach| *mach = gas::mach(&now[[i as isize, j as isize]]));
        let upwards = machs.view().transposed([1, 0])?.section(0, self.across - 1, self.across, -1)?;
        upwards.show(view, "Mach number", step as i64)
    }
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut argument = |otherwise: f64| arguments.next().and_then(|text| text.parse().ok()).unwrap_or(otherwise);
    let (along, steps, back_pressure) = (argument(64.0) as usize, argument(6000.0) as usize, argument(0.75));
    let mut nozzle = Nozzle { along, across: along / 8, reservoir: 1.0, back_pressure };
    let universe = rankine::Universe::new()?;
    let grid = Grid::new(&universe.world(), 2)?;
    let ranges = [Range::block(nozzle.along).ghosts(1), Range::block(nozzle.across).ghosts(1)];
    let mut now = Array::<State, 2>::new("gas", &grid, ranges.clone())?;
    let mut next = Array::<State, 2>::new("gas after a step", &grid, ranges)?;
    now.view_mut().for_each(|_, cell| *cell = gas::from_reservoir(0.9));
    let mut view = View::new();
    let inflow = view.number("inflow", nozzle.reservoir, 0.5..=2.0, 0.05)?;
    let pressure = view.number("pressure at the end", back_pressure, 0.2..=0.95, 0.05)?;
    let stop = view.button("stop")?;
    nozzle.describe(&view)?;
    for step in (1..).take_while(|step| *step <= steps || view::is_on()) {
        view.update(&universe.world())?;
        (nozzle.reservoir, nozzle.back_pressure) = (inflow.get(), pressure.get());
        if stop.presses() > 0 {
            break;
        }
        let largest = nozzle.step(&mut now, &mut next)?;
        std::mem::swap(&mut now, &mut next);
        if step % (steps / 3).max(1) == 0 {
            let residual = largest_of(&grid, largest)?;
            if grid.rank() == 0 {
                println!("step {step}: the density changes by {residual:.2e}");
            }
        }
        if view::is_on() && step % 10 == 0 {
            nozzle.show(&view, step, &now)?;
            let residual = largest_of(&grid, largest)?;
            if grid.rank() == 0 {
                view.curve("change of the density", step as f64, residual)?;
            }
        }
    }
    // Along the axis the flow is fastest just before the shock.
    if let Some(axis) = now.view().at::<1>(1, 0)?.gather(0)? {
        let machs: Vec<f64> = axis.iter().map(gas::mach).collect();
        let fastest = (0..along).fold(0, |best, i| if machs[i] > machs[best] { i } else { best });
        let shock = (fastest..along).find(|&i| machs[i] < 1.0);
        let place = |i: usize| LENGTH * (i as f64 + 0.5) / along as f64;
        print!("{along} x {} cells: Mach {:.5} at x = {:.3}, ", along / 8, machs[fastest], place(fastest));
        match shock {
            Some(i) => println!("subsonic behind a shock at x = {:.3}", place(i)),
            None => println!("supersonic to the end"),
        }
    }
    Ok(())
}

/// The largest of all ranks' numbers.
fn largest_of(grid: &Grid, own: f64) -> Result<f64> {
    let mut all = Array::<f64, 1>::new("residual", &grid.reshaped(&[0])?, [Range::block(grid.size())])?;
    all.view_mut().for_each(|_, element| *element = own);
    all.max()
}
