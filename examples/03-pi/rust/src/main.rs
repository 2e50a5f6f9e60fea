//! Pi, as the area under 4 / (1 + x * x) between 0 and 1: each rank adds up its share of narrow strips.
//!
//! The twin of `../pi.c`, with the raw bindings to MPI: the calls are the same ones.

use mpi_sys::*;
use std::ptr::null_mut;

fn main() {
    let strips = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let world = World::init();
    // Rank 0 knows best: its number is everybody's.
    let strips: i64 = world.broadcast(strips);
    let mine: f64 = (i64::from(world.rank)..strips)
        .step_by(world.size as usize)
        .map(|i| (i as f64 + 0.5) / strips as f64)
        .map(|x| 4.0 / (1.0 + x * x) / strips as f64)
        .sum();
    if let Some(pi) = world.sum(mine) {
        println!("pi is about {pi:.10}, with {strips} strips");
    }
}

/// MPI between its beginning and its end, and who we are in it.
struct World {
    rank: i32,
    size: i32,
}

impl World {
    fn init() -> World {
        let (mut rank, mut size) = (0, 0);
        // SAFETY: MPI_Init takes null for no arguments; both numbers outlive the calls that write them.
        unsafe {
            MPI_Init(null_mut(), null_mut());
            MPI_Comm_rank(MPI_COMM_WORLD, &mut rank);
            MPI_Comm_size(MPI_COMM_WORLD, &mut size);
        }
        World { rank, size }
    }

    /// Rank 0's value, on every rank.
    fn broadcast(&self, mut value: i64) -> i64 {
        // SAFETY: the buffer is one number of this type, and outlives the call.
        unsafe { MPI_Bcast((&raw mut value).cast(), 1, MPI_INT64_T, 0, MPI_COMM_WORLD) };
        value
    }

    /// The sum of all ranks' values, on rank 0.
    fn sum(&self, value: f64) -> Option<f64> {
        let mut sum = 0.0;
        // SAFETY: both buffers are one number of this type, and outlive the call.
        unsafe {
            MPI_Reduce((&raw const value).cast(), (&raw mut sum).cast(), 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD)
        };
        (self.rank == 0).then_some(sum)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // SAFETY: there is one World, and nothing calls MPI after it.
        unsafe { MPI_Finalize() };
    }
}
