//! The same measurements as `bench/programs/arrays.c`, with the distributed arrays of Rust (`guest-sdk/rust/rankine-arrays`).

mod nozzle;

use rankine::Communicator;
use rankine_arrays::{Array, Grid, Range, Result};

/// The best of so many runs counts.
const REPEAT: u32 = 5;

fn main() -> Result<()> {
    let universe = rankine::Universe::new()?;
    let world = universe.world();
    measure(&world, "laplace", 512, || laplace(&world, 512, 100))?;
    measure(&world, "laplace", 1024, || laplace(&world, 1024, 25))?;
    measure(&world, "diffusion", 96, || diffusion(&world, 96, 25))?;
    measure(&world, "nozzle", 256, || nozzle::nozzle(&world, 256, 50))?;
    measure(&world, "halo", 32, || halo(&world, 32, 300))
}

/// With an argument, only the method of this name.
fn measure(world: &Communicator, what: &str, extent: usize, method: impl Fn() -> Result<f64>) -> Result<()> {
    if std::env::args().nth(1).is_some_and(|wanted| wanted != what) {
        return Ok(());
    }
    let mut best = f64::INFINITY;
    for _ in 0..REPEAT {
        best = best.min(method()?);
    }
    if world.rank() == 0 {
        println!("{{\"what\":\"{what} on {}\",\"bytes\":{extent},\"seconds\":{best:.10e}}}", world.size());
    }
    Ok(())
}

fn field<const R: usize>(world: &Communicator, extent: usize) -> Result<Array<f64, R>> {
    Array::new("field", &Grid::new(world, R)?, std::array::from_fn(|_| Range::block(extent).ghosts(1)))
}

/// Seconds of a step, from the moment when all begin to that when all are done.
fn timed(world: &Communicator, steps: usize, mut step: impl FnMut() -> Result<()>) -> Result<f64> {
    // SAFETY: the communicator is one.
    let start = unsafe {
        mpi_sys::MPI_Barrier(world.raw());
        mpi_sys::MPI_Wtime()
    };
    for _ in 0..steps {
        step()?;
    }
    // SAFETY: the communicator is one.
    let end = unsafe {
        mpi_sys::MPI_Barrier(world.raw());
        mpi_sys::MPI_Wtime()
    };
    Ok((end - start) / steps as f64)
}

fn relax(u: &mut Array<f64, 2>, colour: isize) {
    let columns = u.inner(1, 1);
    let Some(first) = columns.clone().next() else { return };
    let columns = columns.local();
    for i in u.inner(0, 1) {
        let start = columns.start + ((i.global + first.global + colour) % 2) as usize;
        u.around([i.local]).update(start..columns.end, 2, |cell, [[above, below], [left, right]]| {
            cell + 1.5 * (0.25 * (above + below + left + right) - cell)
        });
    }
}

fn laplace(world: &Communicator, extent: usize, steps: usize) -> Result<f64> {
    let mut u = field::<2>(world, extent)?;
    for i in u.overall(0).within(..1) {
        u.row_mut([i.local]).fill(1.0);
    }
    timed(world, steps, || {
        for colour in 0..2 {
            u.write_halo()?;
            relax(&mut u, colour);
        }
        Ok(())
    })
}

fn diffuse(now: &Array<f64, 3>, next: &mut Array<f64, 3>) {
    let columns = now.inner(2, 1).local();
    for i in now.inner(0, 1) {
        for j in now.inner(1, 1) {
            let (i, j) = (i.local, j.local);
            let (row, [[front, back], [above, below], [left, right]]) = now.stencil([i, j], columns.clone());
            let to = &mut next.row_mut([i, j])[columns.clone()];
            for k in 0..to.len() {
                let around = front[k] + back[k] + above[k] + below[k] + left[k] + right[k];
                to[k] = row[k] + 0.1 * (around - 6.0 * row[k]);
            }
        }
    }
}

fn diffusion(world: &Communicator, extent: usize, steps: usize) -> Result<f64> {
    let (mut now, mut next) = (field::<3>(world, extent)?, field::<3>(world, extent)?);
    let cells = now.local_mut().iter_mut().enumerate();
    cells.for_each(|(k, cell)| *cell = (k % 17) as f64);
    timed(world, steps, || {
        now.write_halo()?;
        diffuse(&now, &mut next);
        std::mem::swap(&mut now, &mut next);
        Ok(())
    })
}

fn halo(world: &Communicator, extent: usize, steps: usize) -> Result<f64> {
    let mut u = field::<2>(world, extent)?;
    u.write_halo()?;
    timed(world, steps, || u.write_halo())
}
