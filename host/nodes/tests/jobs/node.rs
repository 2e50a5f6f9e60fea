//! One node of a job: its ranks are async closures on threads, each with a memory of its own.

use std::ops::Range;
use std::sync::{Arc, Mutex, Weak};
use std::thread::Thread;
use std::time::Duration;

use rankine_abi::{Comm, Info, MPI_COMM_TYPE_SHARED, MPI_ERR_SPAWN};
use rankine_guest::quota::Account;
use rankine_guest::{Callback, Error};
use rankine_local::away::Nodes;
use rankine_local::coll::{self, Barrier};
use rankine_local::comm::{comm_size, comm_split_type, intercomm_merge};
use rankine_local::spawn::{self, Birth, Order, Ready, Room, Set};
use rankine_local::{Ended, Options, Rank, Wake, World, block_on};
use rankine_nodes::{Carrier, Left, Limits, Wire};

/// Bytes of memory that each rank has.
pub const MEMORY: usize = 4 << 20;

#[derive(Default)]
struct Threads(Mutex<Vec<Option<Thread>>>);

impl Threads {
    /// This thread is the rank's.
    fn set(&self, rank: usize) {
        let mut threads = self.0.lock().unwrap();
        let length = threads.len().max(rank + 1);
        threads.resize(length, None);
        threads[rank] = Some(std::thread::current());
    }
}

impl Wake for Threads {
    fn wake(&self, rank: usize) {
        if let Some(Some(thread)) = self.0.lock().unwrap().get(rank) {
            thread.unpark();
        }
    }
}

/// Runs a rank's program, and ends the rank; what it has returned.
fn run<T>(rank: &Rank, memory: usize, program: impl AsyncFnOnce(&Rank) -> T) -> Option<T> {
    let words = Box::leak(vec![0u64; memory / 8].into_boxed_slice());
    // SAFETY: leaked, so it stays.
    unsafe { rank.memory().set(words.as_mut_ptr().cast(), memory as u64) };
    let result = block_on(rank, program(rank), |callback| match callback {
        Callback::Scratch { .. } => Ok::<i64, Ended>((memory / 2) as i64),
        other => panic!("the test's guest can't answer {other:?}"),
    });
    rank.exit();
    result.ok()
}

/// Starts ranks of three modules: two are the same, which is [`child`], but "slow" is not ready at once, and "missing" never is.
struct Host {
    world: Weak<World>,
    wake: Arc<Threads>,
}

impl spawn::Start for Host {
    fn prepare(&self, orders: &[&Order], _: &Arc<Account>) -> Result<Box<dyn Ready>, Error> {
        for order in orders {
            match order.name.as_str() {
                "missing" => return Err(Error::new(MPI_ERR_SPAWN, "there is no such module")),
                "slow" => std::thread::sleep(Duration::from_millis(30)),
                _ => {}
            }
        }
        let (world, wake) = (self.world.upgrade().unwrap(), self.wake.clone());
        Ok(Box::new(Prepared { world, wake, numbers: orders.iter().map(|order| order.number).collect() }))
    }
}

struct Prepared {
    world: Arc<World>,
    wake: Arc<Threads>,
    /// Which commands of their call these are.
    numbers: Vec<usize>,
}

struct Standing {
    prepared: Prepared,
    room: Room,
    counts: Vec<usize>,
}

impl Ready for Prepared {
    fn muster(
        self: Box<Self>,
        counts: &[usize],
        room: &mut dyn FnMut() -> Result<Room, Error>,
    ) -> Result<Box<dyn Set>, Error> {
        Ok(Box::new(Standing { prepared: *self, room: room()?, counts: counts.to_vec() }))
    }
}

impl Set for Standing {
    fn begin(self: Box<Self>, birth: &Arc<Birth>) {
        let Standing { prepared: Prepared { world, wake, numbers }, room, counts } = *self;
        let mut next = room.first();
        room.taken();
        for (number, count) in numbers.into_iter().zip(counts) {
            let ranks: Range<usize> = next..next + count;
            next = ranks.end;
            for index in ranks {
                let (world, wake, birth) = (world.clone(), wake.clone(), birth.clone());
                std::thread::spawn(move || {
                    wake.set(index);
                    run(&Rank::spawned(world, index, &birth, number).unwrap(), MEMORY / 8, child).unwrap();
                });
            }
        }
    }
}

/// What ranks run that others have started.
async fn child(r: &Rank) {
    coll::run(r, Comm::WORLD, |c| Barrier::new(r, c)).await.unwrap();
    meet(r, spawn::comm_get_parent(r).unwrap(), true).await;
}

/// Parents and children come together; how many of them are on this node.
pub async fn meet(r: &Rank, between: Comm, is_child: bool) -> i32 {
    let all = intercomm_merge(r, between, is_child).await.unwrap();
    coll::run(r, all, |c| Barrier::new(r, c)).await.unwrap();
    let near = comm_split_type(r, all, MPI_COMM_TYPE_SHARED, 0, Info::NULL).await.unwrap();
    spawn::comm_disconnect(r, between).await.unwrap();
    comm_size(r, near).unwrap()
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
    let wake = Arc::new(Threads::default());
    let (is_helped, count) = (nodes.node.is_multiple_of(2), nodes.count());
    let options = Options { spin, nodes: Some(nodes), most_ranks: 4096, ..Options::default() };
    let world = World::new(each, wake.clone(), None, options);
    world.settle_nodes([1, 2], spin);
    world.name_hosts((0..count).map(|node| format!("n{node}.test")).collect());
    world.start_by(Arc::new(Host { world: Arc::downgrade(&world), wake: wake.clone() }));
    world.let_ranks_help();
    std::thread::scope(|scope| {
        let ranks: Vec<_> = (0..each)
            .map(|index| {
                let (world, wake) = (world.clone(), wake.clone());
                scope.spawn(move || {
                    wake.set(index);
                    run(&Rank::new(world, index), MEMORY, program)
                })
            })
            .collect();
        let carrier = Carrier::new(world.clone(), wire, limits);
        let carrier = if is_helped { carrier.with_help() } else { carrier };
        let (left, wire) = carrier.run();
        ((left, ranks.into_iter().map(|rank| rank.join().unwrap()).collect()), wire)
    })
}
