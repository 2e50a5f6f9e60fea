//! One node of a job: its ranks are async closures on threads, each with a memory of its own.

use std::sync::{Arc, Mutex};
use std::thread::Thread;

use rankine_guest::Callback;
use rankine_local::away::Nodes;
use rankine_local::{Ended, Options, Rank, Wake, World, block_on};
use rankine_nodes::{Carrier, Left, Limits, Wire};

/// Bytes of memory that each rank has.
pub const MEMORY: usize = 4 << 20;

struct Threads(Mutex<Vec<Option<Thread>>>);

impl Wake for Threads {
    fn wake(&self, rank: usize) {
        if let Some(thread) = &self.0.lock().unwrap()[rank] {
            thread.unpark();
        }
    }
}

/// How a node has left, and what its ranks have returned, if they have.
pub type Told<T> = (Left, Vec<Option<T>>);

/// Runs the ranks of a node, who spin where they have cores of their own, and gives the wire back. Ranks of nodes with even
/// numbers carry letters while they wait.
pub fn one_node<T: Send, W: Wire + Send + 'static>(
    nodes: Nodes,
    spin: bool,
    wire: W,
    limits: Limits,
    program: &(impl AsyncFn(&Rank) -> T + Sync),
) -> (Told<T>, W) {
    let each = (nodes.ranks() / nodes.count()) as usize;
    let wake = Arc::new(Threads(Mutex::new(vec![None; each])));
    let is_helped = nodes.node.is_multiple_of(2);
    let options = Options { spin, nodes: Some(nodes), ..Options::default() };
    let world = World::new(each, wake.clone(), None, options);
    world.settle_nodes([1, 2], spin);
    world.let_ranks_help();
    std::thread::scope(|scope| {
        let ranks: Vec<_> = (0..each)
            .map(|index| {
                let (world, wake) = (world.clone(), wake.clone());
                scope.spawn(move || {
                    wake.0.lock().unwrap()[index] = Some(std::thread::current());
                    let rank = Rank::new(world, index);
                    let memory = Box::leak(vec![0u64; MEMORY / 8].into_boxed_slice());
                    // SAFETY: leaked, so it stays.
                    unsafe { rank.memory().set(memory.as_mut_ptr().cast(), MEMORY as u64) };
                    let result = block_on(&rank, program(&rank), |callback| match callback {
                        Callback::Scratch { .. } => Ok::<i32, Ended>((MEMORY / 2) as i32),
                        other => panic!("the test's guest can't answer {other:?}"),
                    });
                    rank.exit();
                    result.ok()
                })
            })
            .collect();
        let carrier = Carrier::new(world.clone(), wire, limits);
        let carrier = if is_helped { carrier.with_help() } else { carrier };
        let (left, wire) = carrier.run();
        ((left, ranks.into_iter().map(|rank| rank.join().unwrap()).collect()), wire)
    })
}
