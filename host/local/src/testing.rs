//! Jobs without WebAssembly, for the engine's own tests: a rank is an async closure with a memory of its own.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::Thread;
use std::time::Duration;

use rankine_abi::{Addr, Datatype, FnPtr};
use rankine_guest::{Answer, Callback};

use crate::Rank;
use crate::drive::{Ended, Step, block_on};
use crate::events::Listen;
use crate::world::{End, Options, Wake, World};

/// Bytes of memory that each rank has.
pub(crate) const MEMORY: usize = 1 << 20;

struct Threads(Mutex<Vec<Option<Thread>>>);

impl Wake for Threads {
    fn wake(&self, rank: usize) {
        if let Some(thread) = &self.0.lock().unwrap()[rank] {
            thread.unpark();
        }
    }
}

/// Wakes nobody: for ranks that take turns, or are alone.
pub(crate) struct Nobody;

impl Wake for Nobody {
    fn wake(&self, _: usize) {}
}

/// Rank `id` of a job, with memory.
pub(crate) fn rank(world: &Arc<World>, id: usize) -> Rank {
    let rank = Rank::new(world.clone(), id);
    let memory = Box::leak(vec![0u64; MEMORY / 8].into_boxed_slice());
    // SAFETY: leaked, so it stays.
    unsafe { rank.memory().set(memory.as_mut_ptr().cast(), MEMORY as u64) };
    rank
}

/// Runs a job on a thread per rank; `None` for ranks that were stopped by the job's end.
pub(crate) fn threads<T: Send>(
    ranks: usize,
    options: Options,
    listener: Option<Arc<dyn Listen>>,
    program: impl AsyncFn(&Rank) -> T + Sync,
) -> (Vec<Option<T>>, Option<End>) {
    let wake = Arc::new(Threads(Mutex::new(vec![None; ranks])));
    let world = World::new(ranks, wake.clone(), listener, options);
    let _limit = Limit::start();
    let results = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..ranks)
            .map(|id| {
                let (world, wake, program) = (world.clone(), wake.clone(), &program);
                scope.spawn(move || {
                    wake.0.lock().unwrap()[id] = Some(std::thread::current());
                    let rank = rank(&world, id);
                    let result = block_on(&rank, program(&rank), |callback| answer(&rank, callback));
                    rank.exit();
                    result.ok()
                })
            })
            .collect();
        handles.into_iter().map(|handle| handle.join().unwrap()).collect()
    });
    (results, world.ended().cloned())
}

/// Ends the process when a job hangs: its threads cannot be stopped, and nobody should wait for them.
struct Limit {
    _over: Sender<()>,
}

impl Limit {
    const LONG: Duration = Duration::from_secs(if cfg!(miri) { 3600 } else { 300 });

    #[expect(clippy::disallowed_macros, reason = "a test may end where nobody reads")]
    fn start() -> Limit {
        let (over, is_over) = channel();
        let test = std::thread::current().name().unwrap_or("a test").to_owned();
        std::thread::spawn(move || {
            if is_over.recv_timeout(Self::LONG) == Err(RecvTimeoutError::Timeout) {
                eprintln!("{test}: a rank hangs; its job has run for {:?}", Self::LONG);
                std::process::abort();
            }
        });
        Limit { _over: over }
    }
}

/// Runs a job on one thread that takes the ranks in turn.
pub(crate) fn turns<T>(
    ranks: usize,
    options: Options,
    program: impl AsyncFn(&Rank) -> T,
) -> (Vec<Option<T>>, Option<End>) {
    let world = World::new(ranks, Arc::new(Nobody), None, Options { spin: false, ..options });
    let all: Vec<Rank> = (0..ranks).map(|id| rank(&world, id)).collect();
    let mut futures: Vec<_> = all.iter().map(|rank| Some(Box::pin(program(rank)))).collect();
    let mut results: Vec<Option<T>> = (0..ranks).map(|_| None).collect();
    while futures.iter().any(Option::is_some) {
        for (id, slot) in futures.iter_mut().enumerate() {
            let Some(future) = slot else { continue };
            if world.is_woken(id)
                && let Some(result) = turn(&all[id], future.as_mut())
            {
                results[id] = result;
                *slot = None;
                all[id].exit();
            }
        }
    }
    (results, world.ended().cloned())
}

fn turn<F: Future>(rank: &Rank, mut future: Pin<&mut F>) -> Option<Option<F::Output>> {
    rank.resume();
    let mut future = pin!(future.as_mut());
    loop {
        match rank.step(future.as_mut()) {
            Step::Done(value) => return Some(Some(value)),
            Step::Ended => return Some(None),
            Step::Yielded | Step::Parked => return None,
            Step::Ask(callback) => rank.answer(answer(rank, callback).unwrap()),
        }
    }
}

/// The guest of a test: scratch memory is the upper half of its memory, its allocator gives the quarter before that, again
/// and again, and it has one function.
fn answer(rank: &Rank, callback: Callback) -> Result<Answer, Ended> {
    match callback {
        Callback::Scratch { bytes } => Ok(if bytes as usize <= MEMORY / 2 { (MEMORY / 2) as i64 } else { 0 }),
        Callback::Call { function: COMPOSE, arguments } => {
            compose(rank, [0, 1, 2, 3].map(|index| Addr(arguments[index] as u64)));
            Ok(0)
        }
        Callback::Whereabouts { .. } | Callback::Free { .. } => Ok(0),
        Callback::Allocate { bytes, .. } => Ok(if bytes as usize <= MEMORY / 4 { (MEMORY / 4) as i64 } else { 0 }),
        other => panic!("the test's guest cannot answer {other:?}"),
    }
}

/// A function of the test's guest: a user-defined operation on maps x ↦ a·x + b, whose elements begin with the ints a
/// and b. Composing them is associative, but not commutative.
pub(crate) const COMPOSE: FnPtr = FnPtr(1);

fn compose(rank: &Rank, [first, second, length, datatype]: [Addr; 4]) {
    let memory = rank.memory();
    let datatype = Datatype(memory.read_i32(datatype, "datatype").unwrap() as u32);
    let extent = rank.datatype(datatype).unwrap().extent() as u32;
    for index in 0..memory.read_i32(length, "length").unwrap() as u32 {
        let [f, g] =
            [first, second].map(|at| memory.read_i32s(Addr(at.0 + u64::from(index * extent)), 2, "map").unwrap());
        let composed = [f[0].wrapping_mul(g[0]), f[0].wrapping_mul(g[1]).wrapping_add(f[1])];
        memory.write_i32s(Addr(second.0 + u64::from(index * extent)), &composed, "map").unwrap();
    }
}

/// Runs a job both ways and wants every rank to return.
pub(crate) fn both<T: Send>(ranks: usize, program: impl AsyncFn(&Rank) -> T + Sync) -> Vec<T> {
    let spin = Options { spin: ranks <= 2, ..Options::default() };
    let (results, end) = threads(ranks, spin, None, &program);
    assert_eq!(end, None, "on threads");
    assert!(results.iter().all(Option::is_some));
    let (results, end) = turns(ranks, Options::default(), &program);
    assert_eq!(end, None, "in turns");
    results.into_iter().map(Option::unwrap).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pt2pt::{recv, send};
    use rankine_abi::{Comm, MPI_ANY_SOURCE, MPI_ANY_TAG};

    #[test]
    fn a_ring_of_every_length() {
        for bytes in [0, 1, 104, 105, 1024, 1025, 70_000, 300_000] {
            let sums = both(5, async |r| {
                let next = (r.id() as i32 + 1) % 5;
                let memory = r.memory();
                let (mine, other) = (Addr(64), Addr(400_000));
                let fill = vec![r.id() as u8 + 1; bytes];
                memory.write_bytes(mine, &fill, "fill").unwrap();
                if r.id() % 2 == 0 {
                    send(r, mine, bytes as i64, Datatype::BYTE, next, 7, Comm::WORLD).await.unwrap();
                }
                let status = recv(r, other, bytes as i64, Datatype::BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, Comm::WORLD)
                    .await
                    .unwrap();
                if r.id() % 2 == 1 {
                    send(r, mine, bytes as i64, Datatype::BYTE, next, 7, Comm::WORLD).await.unwrap();
                }
                assert_eq!((status.tag, status.bytes()), (7, bytes as u64));
                assert_eq!(status.source, (r.id() as i32 + 4) % 5);
                let got = memory.read_bytes(other, bytes as u64, "got").unwrap();
                assert!(got.iter().all(|&byte| i32::from(byte) == status.source + 1));
                got.len()
            });
            assert_eq!(sums, [bytes; 5]);
        }
    }

    #[test]
    fn a_thousand_messages_keep_their_order() {
        both(3, async |r| {
            if r.id() > 0 {
                for i in 0..1000 {
                    r.memory().write_i32(Addr(64), i, "i").unwrap();
                    let length = [4, 200, 2000][i as usize % 3];
                    send(r, Addr(64), length, Datatype::BYTE, 0, r.id() as i32, Comm::WORLD).await.unwrap();
                }
                return;
            }
            for from in [2, 1] {
                for i in 0..1000 {
                    recv(r, Addr(64), 4000, Datatype::BYTE, from, MPI_ANY_TAG, Comm::WORLD).await.unwrap();
                    assert_eq!(r.memory().read_i32(Addr(64), "i").unwrap(), i);
                }
            }
        });
    }

    #[test]
    fn both_receive_first_is_a_deadlock() {
        let program = async |r: &Rank| {
            recv(r, Addr(64), 1, Datatype::BYTE, 1 - r.id() as i32, 0, Comm::WORLD).await.unwrap();
        };
        let (results, end) = threads(2, Options::default(), None, program);
        assert_eq!((results, end), (vec![None, None], Some(End::Deadlock)));
        let (results, end) = turns(2, Options::default(), program);
        assert_eq!((results, end), (vec![None, None], Some(End::Deadlock)));
    }
}
