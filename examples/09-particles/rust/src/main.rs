//! Bodies that push each other about in a square without edges. Each rank has a strip of it and the bodies in there; a body
//! that leaves the strip goes to the neighbour, as an object with all that it has.
//!
//! Usage: particles [BODIES [STEPS]]

mod bodies;

use bodies::{Body, REACH, Sums, forces, sums};
use rankine::view::{self, Points, View};
use rankine::{Communicator, Result, Universe};

/// A rank's part of the square: from `left` to `right`.
struct Strip {
    world: Communicator,
    rank: i32,
    size: i32,
}

impl Strip {
    fn owner(&self, x: f64) -> i32 {
        ((x * f64::from(self.size)) as i32).min(self.size - 1)
    }

    /// The rank so many strips further to the right.
    fn neighbour(&self, by: i32) -> i32 {
        (self.rank + by).rem_euclid(self.size)
    }

    /// How far it is from the strip's left and right edge to a place in it.
    fn from_edges(&self, x: f64) -> [f64; 2] {
        let edge = |n: i32| f64::from(n) / f64::from(self.size);
        [x - edge(self.rank), edge(self.rank + 1) - x]
    }

    /// Copies of the neighbours' bodies that are near enough to feel ours.
    fn near(&self, own: &[Body]) -> Result<Vec<Body>> {
        if self.size == 1 {
            return Ok(Vec::new());
        }
        let mut near = Vec::new();
        for (side, by) in [(0, -1), (1, 1)] {
            let is_near = |body: &&Body| self.from_edges(body.place[0])[side] < REACH;
            let shown: Vec<Body> = own.iter().filter(is_near).cloned().collect();
            near.extend(self.exchange(&shown, by)?);
        }
        Ok(near)
    }

    /// Bodies that have left go to the neighbours; gives those that are here then.
    fn wander(&self, own: Vec<Body>) -> Result<Vec<Body>> {
        let (mut here, mut leaving) = (Vec::new(), [Vec::new(), Vec::new()]);
        for body in own {
            // No body is so fast that it leaves a neighbour's strip as well.
            match self.owner(body.place[0]) {
                rank if rank == self.rank => here.push(body),
                rank if rank == self.neighbour(-1) => leaving[0].push(body),
                _ => leaving[1].push(body),
            }
        }
        if self.size > 1 {
            for (leaving, by) in leaving.iter().zip([-1, 1]) {
                let mut come: Vec<Body> = self.exchange(leaving, by)?;
                come.iter_mut().for_each(|body| body.visits.push(self.rank));
                here.append(&mut come);
            }
        }
        Ok(here)
    }

    /// Sends bodies to one neighbour and receives from the other.
    fn exchange(&self, bodies: &Vec<Body>, by: i32) -> Result<Vec<Body>> {
        self.world.exchange(bodies, self.neighbour(by), self.neighbour(-by), 0)
    }

    /// All bodies at rank 0, in the order of their numbers.
    fn gather(&self, own: &[Body]) -> Result<Option<Vec<Body>>> {
        let all = self.world.gather(own, 0)?;
        Ok(all.map(|all| {
            let mut all: Vec<Body> = all.into_iter().flatten().collect();
            all.sort_unstable_by_key(|body| body.number);
            all
        }))
    }

    /// Shows where bodies are, in the colours that the page has chosen.
    fn show(&self, view: &View, step: usize, colours: usize, own: &[Body]) -> Result<()> {
        let places: Vec<[f64; 2]> = own.iter().map(|body| body.place).collect();
        let value = |body: &Body| match colours {
            0 => f64::from(self.rank),
            1 => body.speed[0].hypot(body.speed[1]),
            _ => body.visits.len() as f64,
        };
        let values: Vec<f64> = own.iter().map(value).collect();
        view.points("bodies", step as i64, &Points::new(&places).values(&values).within([[0.0, 1.0]; 2]))
    }
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1).map_while(|argument| argument.parse().ok());
    let (count, steps) = (arguments.next().unwrap_or(600), arguments.next().unwrap_or(400));
    let universe = Universe::new()?;
    let world = universe.world();
    let strip = Strip { rank: world.rank(), size: world.size(), world };
    assert!(
        f64::from(strip.size) * REACH <= 1.0,
        "a strip is as wide as bodies reach, or wider: 20 ranks are the most"
    );
    let is_ours = |body: &Body| strip.owner(body.place[0]) == strip.rank;
    let mut own: Vec<Body> = (0..count as u32).map(Body::new).filter(is_ours).collect();
    own.iter_mut().for_each(|body| body.visits.push(strip.rank));
    let begin = strip.gather(&own)?.map(|all| sums(&all));

    let mut view = View::new();
    let colours = view.choice("colour", &["rank", "speed", "visits"])?;
    let stop = view.button("stop")?;
    for step in (0..).take_while(|step| *step < steps || view::is_on()) {
        view.update(&strip.world)?;
        if stop.presses() > 0 {
            break;
        }
        let forces = forces(&own, &strip.near(&own)?);
        own.iter_mut().zip(forces).for_each(|(body, force)| body.go(force));
        own = strip.wander(own)?;
        if view::is_on() {
            strip.show(&view, step, colours.get(), &own)?;
            view.curve(&format!("bodies of rank {}", strip.rank), step as f64, own.len() as f64)?;
        }
    }

    if let (Some(all), Some(begin)) = (strip.gather(&own)?, begin) {
        report(&all, &begin, count);
    }
    Ok(())
}

/// Says what has become of the bodies, and checks what no force between them can change.
fn report(all: &[Body], begin: &Sums, count: usize) {
    let end = sums(all);
    assert!(all.iter().map(|body| body.number).eq(0..count as u32), "every body is there, once");
    assert!(end.mass == begin.mass);
    let drift = (0..2).map(|axis| (end.momentum[axis] - begin.momentum[axis]).abs()).fold(0.0, f64::max);
    assert!(drift < 1e-9, "the momentum has changed by {drift}");
    println!(
        "{} bodies, momentum ({:.9}, {:.9}), energy of motion {:.9} after {:.9}",
        all.len(),
        end.momentum[0],
        end.momentum[1],
        end.energy,
        begin.energy
    );
    let centre = |axis: usize| all.iter().map(|body| body.mass * body.place[axis]).sum::<f64>() / end.mass;
    println!("centre of mass ({:.12}, {:.12})", centre(0), centre(1));
}
