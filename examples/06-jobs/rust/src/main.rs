// A master scatters an array of jobs and gathers the results, as in a genetic algorithm: each job is a formula, a small
// graph, which its worker varies to come nearer to a curve. Formulas that several jobs have in common are shared, and
// stay so.

use std::rc::Rc;

use rankine::{Result, Transportable, Universe};

const JOBS: i32 = 40;
const KEPT: usize = 10;
const GENERATIONS: i32 = 6;
const TRIES: i32 = 60;
const POINTS: i32 = 21;
const MOST_NODES: i32 = 40;

#[derive(Transportable)]
#[transport]
enum Formula {
    Number(f64),
    Variable,
    Sum(Rc<Formula>, Rc<Formula>),
    Product(Rc<Formula>, Rc<Formula>),
}

use Formula::{Number, Product, Sum, Variable};

#[derive(Transportable)]
#[transport]
struct Job {
    formula: Rc<Formula>,
    error: f64,
    number: i32,
}

/// Numbers that are the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, n: i32) -> i32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as u32 % n as u32) as i32
    }

    fn formula(&mut self, depth: i32) -> Rc<Formula> {
        Rc::new(match self.below(if depth == 0 { 2 } else { 4 }) {
            0 => Number(f64::from(self.below(81) - 40) / 10.0),
            1 => Variable,
            2 => Sum(self.formula(depth - 1), self.formula(depth - 1)),
            _ => Product(self.formula(depth - 1), self.formula(depth - 1)),
        })
    }
}

impl Formula {
    fn nodes(&self) -> i32 {
        match self {
            Number(_) | Variable => 1,
            Sum(left, right) | Product(left, right) => 1 + left.nodes() + right.nodes(),
        }
    }

    fn value(&self, x: f64) -> f64 {
        match self {
            Number(value) => *value,
            Variable => x,
            Sum(left, right) => left.value(x) + right.value(x),
            Product(left, right) => left.value(x) * right.value(x),
        }
    }

    fn error(&self) -> f64 {
        let at = |i: i32| f64::from(i - POINTS / 2) / 5.0;
        (0..POINTS).map(at).map(|x| self.value(x) - ((x * x - 2.0) * x + 1.0)).map(|d| d * d).sum()
    }
}

/// The formula with another one in the place of the node with this number, counted from the root. The rest is shared
/// with the original.
fn varied(formula: &Rc<Formula>, number: i32, random: &mut Random) -> Rc<Formula> {
    if number == 0 {
        return random.formula(2);
    }
    let mut parts = |left: &Rc<Formula>, right: &Rc<Formula>| match number - 1 - left.nodes() {
        rest if rest < 0 => (varied(left, number - 1, random), right.clone()),
        rest => (left.clone(), varied(right, rest, random)),
    };
    match &**formula {
        Number(_) | Variable => formula.clone(),
        Sum(left, right) => {
            let (left, right) = parts(left, right);
            Rc::new(Sum(left, right))
        }
        Product(left, right) => {
            let (left, right) = parts(left, right);
            Rc::new(Product(left, right))
        }
    }
}

fn work(job: &mut Job, generation: i32) {
    let mut random = Random((generation * 1000 + job.number) as u64);
    job.error = job.formula.error();
    for _ in 0..TRIES {
        let next = varied(&job.formula, random.below(job.formula.nodes()), &mut random);
        let error = next.error();
        if next.nodes() <= MOST_NODES && error < job.error {
            (job.formula, job.error) = (next, error);
        }
    }
}

fn main() -> Result<()> {
    let universe = Universe::new()?;
    let world = universe.world();
    let size = world.size();

    let is_master = world.rank() == 0;
    let mut formulas = vec![Rc::new(Variable)];
    for generation in 0..GENERATIONS {
        let new = |number: i32| Job { formula: formulas[number as usize % formulas.len()].clone(), error: 0.0, number };
        let part = |rank: i32| (JOBS * rank / size..JOBS * (rank + 1) / size).map(new).collect::<Vec<_>>();
        let parts = is_master.then(|| (0..size).map(part).collect::<Vec<_>>());

        let mut mine = world.scatter(parts.as_deref(), 0)?;
        mine.iter_mut().for_each(|job| work(job, generation));
        if let Some(results) = world.gather(&mine, 0)? {
            let mut results: Vec<Job> = results.into_iter().flatten().collect();
            results.sort_by(|one, two| one.error.total_cmp(&two.error).then(one.number.cmp(&two.number)));
            let best = &results[0];
            println!(
                "generation {generation}: the best formula has {} nodes and an error of {:.4}",
                best.formula.nodes(),
                best.error
            );
            formulas = results.into_iter().take(KEPT).map(|job| job.formula).collect();
        }
    }
    Ok(())
}
