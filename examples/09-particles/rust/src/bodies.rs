//! Bodies in a square without edges, and what they do to each other.

use rankine::Transportable;

/// How far bodies feel each other.
pub const REACH: f64 = 0.05;
/// How strongly.
const STIFFNESS: f64 = 40.0;
/// Length of a step.
const TIME: f64 = 0.001;

/// One body: an object that goes from rank to rank with all that it has.
#[derive(Transportable, Clone)]
#[transport]
pub struct Body {
    pub number: u32,
    pub mass: f64,
    /// Between 0 and 1.
    pub place: [f64; 2],
    pub speed: [f64; 2],
    /// The ranks that it has been on, the present one at the end: as long as its way.
    pub visits: Vec<i32>,
}

impl Body {
    /// The same bodies on every machine and for every number of ranks.
    pub fn new(number: u32) -> Body {
        let mut state = u64::from(number.wrapping_mul(2_654_435_761).wrapping_add(12345));
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / f64::from(1 << 24)
        };
        let place = [random(), random()];
        let speed = [random() - 0.3, random() - 0.5];
        Body { number, mass: 1.0 + f64::from(number % 3), place, speed, visits: Vec::new() }
    }

    /// Moves it for a step under a force, and back into the square at the other side.
    pub fn go(&mut self, force: [f64; 2]) {
        for axis in 0..2 {
            self.speed[axis] += force[axis] / self.mass * TIME;
            let place = self.place[axis] + self.speed[axis] * TIME;
            self.place[axis] = place - place.floor();
        }
    }

    /// What another one does to it: the nearer it is, the more it pushes away.
    fn force_of(&self, other: &Body) -> [f64; 2] {
        // The shortest way from there to here.
        let away: [f64; 2] = std::array::from_fn(|axis| {
            let apart = self.place[axis] - other.place[axis];
            apart - apart.round()
        });
        let distance = (away[0] * away[0] + away[1] * away[1]).sqrt();
        if distance >= REACH || distance == 0.0 {
            return [0.0; 2];
        }
        away.map(|part| part / distance * STIFFNESS * (1.0 - distance / REACH))
    }
}

/// The forces on `own` bodies, of them and of the `others` that are near.
///
/// Forces on a body are added up in one order, whichever rank has its neighbours: so the same bits come out with any
/// number of ranks.
pub fn forces(own: &[Body], others: &[Body]) -> Vec<[f64; 2]> {
    let mut all: Vec<&Body> = own.iter().chain(others).collect();
    all.sort_unstable_by_key(|body| body.number);
    // Rows as high as bodies reach: each feels those of three.
    let count = (1.0 / REACH) as usize;
    let row_of = |body: &Body| ((body.place[1] * count as f64) as usize).min(count - 1);
    let mut rows = vec![Vec::new(); count];
    for body in all {
        rows[row_of(body)].push(body);
    }
    let force = |body: &Body| {
        let row = row_of(body) + count;
        let near = (row - 1..=row + 1).flat_map(|row| &rows[row % count]);
        let forces = near.filter(|other| other.number != body.number).map(|other| body.force_of(other));
        forces.fold([0.0; 2], |sum, force| [sum[0] + force[0], sum[1] + force[1]])
    };
    own.iter().map(force).collect()
}

/// What all bodies have together.
pub struct Sums {
    pub mass: f64,
    pub momentum: [f64; 2],
    pub energy: f64,
}

/// Adds up what bodies have, in the order of their numbers.
pub fn sums(bodies: &[Body]) -> Sums {
    let mut sums = Sums { mass: 0.0, momentum: [0.0; 2], energy: 0.0 };
    for body in bodies {
        sums.mass += body.mass;
        for axis in 0..2 {
            sums.momentum[axis] += body.mass * body.speed[axis];
            sums.energy += body.mass * body.speed[axis] * body.speed[axis] / 2.0;
        }
    }
    sums
}
