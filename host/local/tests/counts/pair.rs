//! Two ranks that take turns on one thread, as fibers do, so that a job is the same each time.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;

use rankine_guest::Callback;
use rankine_local::abi::{Addr, Comm, Datatype, Info, MPI_ANY_SOURCE, MPI_ANY_TAG, Request, Win};
use rankine_local::datatype::{type_commit, type_vector};
use rankine_local::pt2pt::{recv_init, send_init};
use rankine_local::rma::{win_create, win_lock_all};
use rankine_local::{Kind, Options, Rank, Step, Wake, World};

/// Bytes of memory that each rank has.
const MEMORY: usize = 4 << 20;
/// What is sent.
pub const OUT: Addr = Addr(1 << 16);
/// Where it comes.
pub const IN: Addr = Addr(1 << 20);
/// Where windows lie, one after another.
const PARTS: [Addr; 3] = [Addr(2 << 20), Addr((2 << 20) + (1 << 18)), Addr((2 << 20) + (2 << 18))];
const BYTES: i64 = 1 << 18;

/// The ranks, and what each has been given.
pub struct Pair {
    ranks: [Rank; 2],
    kits: [Kit; 2],
}

/// What calls need that is made once.
#[derive(Clone, Copy)]
pub struct Kit {
    /// The rank, and the other.
    pub me: i32,
    pub other: i32,
    /// A window with an epoch of `MPI_Win_lock_all`, one with fences, one without an epoch.
    pub locked: Win,
    pub fenced: Win,
    pub free: Win,
    /// Every second of a hundred integers.
    pub vector: Datatype,
    /// Persistent: what rank 0 sends, or rank 1 receives.
    pub persistent: Request,
}

struct Nobody;

impl Wake for Nobody {
    fn wake(&self, _: usize) {}
}

impl Pair {
    /// A job of two.
    pub fn new() -> Pair {
        let options = Options { spin: false, ..Options::default() };
        let world = World::new(2, Arc::new(Nobody), None, options);
        let ranks = [0, 1].map(|index| {
            let rank = Rank::new(world.clone(), index);
            let memory = Box::leak(vec![0u64; MEMORY / 8].into_boxed_slice());
            // SAFETY: leaked, so it stays.
            unsafe { rank.memory().set(memory.as_mut_ptr().cast(), MEMORY as u64) };
            rank
        });
        let kits = together(&ranks, async |r| Kit::made(r).await);
        Pair { ranks, kits }
    }

    /// Has both ranks run this.
    pub fn both(&self, program: impl AsyncFn(&Rank, Kit)) {
        together(&self.ranks, async |r| program(r, self.kits[r.id()]).await);
    }

    /// Has the first rank run this, which needs the other for nothing.
    pub fn one(&self, program: impl AsyncFn(&Rank, Kit)) {
        self.both(async |r, kit| {
            if kit.me == 0 {
                program(r, kit).await;
            }
        });
    }
}

impl Kit {
    async fn made(r: &Rank) -> Kit {
        let (me, other) = (r.id() as i32, 1 - r.id() as i32);
        let mut wins = [Win::NULL; 3];
        for (win, part) in wins.iter_mut().zip(PARTS) {
            *win = win_create(r, part, BYTES, 1, Info::NULL, Comm::WORLD).await.unwrap();
        }
        let [locked, fenced, free] = wins;
        win_lock_all(r, 0, locked).await.unwrap();
        let vector = type_vector(r, 50, 1, 2, Datatype::INT).unwrap();
        type_commit(r, vector).unwrap();
        let persistent = match me {
            0 => send_init(r, Kind::Send, OUT, 8, Datatype::BYTE, other, 9, Comm::WORLD),
            _ => recv_init(r, IN, 8, Datatype::BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, Comm::WORLD),
        };
        Kit { me, other, locked, fenced, free, vector, persistent: persistent.unwrap() }
    }
}

fn together<T>(ranks: &[Rank; 2], program: impl AsyncFn(&Rank) -> T) -> [T; 2] {
    let [first, second] = ranks;
    let (mut one, mut two) = (pin!(program(first)), pin!(program(second)));
    let mut turns = [Turn::Runs, Turn::Runs];
    loop {
        turns[0].step(first, one.as_mut());
        turns[1].step(second, two.as_mut());
        if let [Turn::Done(_), Turn::Done(_)] = turns {
            return turns.map(|turn| match turn {
                Turn::Done(result) => result,
                _ => unreachable!(),
            });
        }
    }
}

enum Turn<T> {
    Runs,
    Parked,
    Done(T),
}

impl<T> Turn<T> {
    fn step(&mut self, rank: &Rank, future: Pin<&mut impl Future<Output = T>>) {
        match self {
            Turn::Done(_) => return,
            Turn::Parked if !rank.is_woken() => return,
            Turn::Parked => {
                rank.resume();
            }
            Turn::Runs => {}
        }
        *self = match rank.step(future) {
            Step::Done(result) => Turn::Done(result),
            Step::Parked => Turn::Parked,
            Step::Yielded => Turn::Runs,
            Step::Ask(Callback::Scratch { .. }) => {
                rank.answer((MEMORY / 2) as i64);
                Turn::Runs
            }
            Step::Ask(other) => panic!("there is no guest that could answer {other:?}"),
            Step::Ended => panic!("the job has ended: {:?}", rank.world().ended()),
        }
    }
}
