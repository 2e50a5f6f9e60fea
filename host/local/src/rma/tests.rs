//! Windows of ranks without WebAssembly: on threads, and in turns.

mod elements;
mod near;

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use proptest::prelude::*;
use rankine_abi::*;

use super::*;
use crate::comm::comm_group;
use crate::datatype::{type_commit, type_create_hindexed, type_vector};
use crate::group::group_incl;
use crate::init::init;
use crate::quota::Cost;
use crate::testing::{MEMORY, both, threads};
use crate::world::{End, Options};

/// Where a window of the tests lies, and where their other numbers are.
const BASE: Addr = Addr(4096);
const OTHER: Addr = Addr(65536);

async fn window(r: &Rank, size: i64, unit: i64) -> Win {
    let win = win_create(r, BASE, size, unit, Info::NULL, Comm::WORLD).await.unwrap();
    crate::errhan::set_errhandler(r, win, Errhandler::ERRORS_RETURN).unwrap();
    win
}

fn word(r: &Rank, at: Addr) -> i64 {
    r.memory().read_i64(at, "a word").unwrap()
}

fn set_word(r: &Rank, at: Addr, value: i64) {
    r.memory().write_i64(at, value, "a word").unwrap();
}

fn at(base: Addr, offset: u64) -> Addr {
    base.plus(offset)
}

#[test]
fn a_ring_of_puts_and_gets() {
    for size in [1, 2, 5] {
        both(size, async |r| {
            let (me, n) = (r.id() as i32, size as i32);
            let win = window(r, 80, 8).await;
            set_word(r, BASE, me.into());
            win_fence(r, 0, win).await.unwrap();
            get(r, OTHER, 1, Datatype::INT64_T, (me + 1) % n, 0, 1, Datatype::INT64_T, win).unwrap();
            put(r, OTHER, 1, Datatype::INT64_T, (me + 1) % n, 9, 1, Datatype::INT64_T, win).unwrap();
            win_fence(r, MPI_MODE_NOSUCCEED, win).await.unwrap();
            // What was the first word here went to the neighbour and came back.
            assert_eq!((word(r, OTHER), word(r, at(BASE, 72))), (((me + 1) % n).into(), me.into()));
            assert_eq!(win_free(r, win).await.unwrap(), Win::NULL);
            assert_eq!(win_fence(r, 0, win).await.unwrap_err().class, MPI_ERR_WIN);
        });
    }
}

#[test]
fn every_access_is_proved() {
    both(2, async |r| {
        let win = window(r, 80, 8).await;
        let to = 1 - r.id() as i32;
        let class = |disp, count, datatype| {
            put(r, OTHER, 1, Datatype::BYTE, to, disp, count, datatype, win).map_err(|error| error.class)
        };
        assert_eq!(class(0, 1, Datatype::BYTE), Err(MPI_ERR_RMA_SYNC));
        win_fence(r, 0, win).await.unwrap();
        for (disp, count) in [(10, 1), (-1, 1), (i64::MAX, 1), (i64::MIN, 1), (i64::MAX / 8, 1), (0, 81), (9, 9)] {
            assert_eq!(class(disp, count, Datatype::BYTE), Err(MPI_ERR_RMA_RANGE), "{disp} {count}");
        }
        assert_eq!(class(0, i64::MAX, Datatype::DOUBLE), Err(MPI_ERR_ARG));
        assert_eq!(class(0, -1, Datatype::BYTE), Err(MPI_ERR_COUNT));
        assert_eq!(class(0, 1, Datatype::NULL), Err(MPI_ERR_TYPE));
        assert_eq!(class(9, 8, Datatype::BYTE), Ok(()));
        assert_eq!(class(1_000, 0, Datatype::BYTE), Err(MPI_ERR_TRUNCATE));
        // Hulls that begin before the window, or end behind it, by way of a type.
        for displacement in [-8, 72] {
            let ty = type_create_hindexed(r, 2, &[1, 1], &[0, displacement], Datatype::DOUBLE).unwrap();
            let ty = type_commit(r, ty).unwrap();
            let result = put(r, OTHER, 2, Datatype::DOUBLE, to, 0, 1, ty, win).map_err(|error| error.class);
            assert_eq!(result, if displacement < 0 { Err(MPI_ERR_RMA_RANGE) } else { Ok(()) });
            let result = put(r, OTHER, 2, Datatype::DOUBLE, to, 1, 1, ty, win).map_err(|error| error.class);
            assert_eq!(result, if displacement < 0 { Ok(()) } else { Err(MPI_ERR_RMA_RANGE) });
        }
        let rank = put(r, OTHER, 1, Datatype::BYTE, 2, 0, 1, Datatype::BYTE, win).unwrap_err();
        assert_eq!(rank.class, MPI_ERR_RANK);
        put(r, OTHER, 1, Datatype::BYTE, MPI_PROC_NULL, 1_000, 1, Datatype::BYTE, win).unwrap();
        let text = put(r, OTHER, 1, Datatype::BYTE, to, 10, 1, Datatype::BYTE, win).unwrap_err().to_string();
        let expected = format!("1 bytes at 80 are not inside rank {to}'s 80 bytes of an unnamed window");
        assert_eq!(text, format!("target_disp: {expected}"));
        win_fence(r, 0, win).await.unwrap();
        win_free(r, win).await.unwrap();
    });
}

#[test]
fn what_makes_no_window_is_refused() {
    both(2, async |r| {
        let class = async |base, size, unit, comm| {
            win_create(r, base, size, unit, Info::NULL, comm).await.map_err(|error| error.class)
        };
        assert_eq!(class(BASE, -1, 1, Comm::WORLD).await, Err(MPI_ERR_SIZE));
        assert_eq!(class(BASE, 8, 0, Comm::WORLD).await, Err(MPI_ERR_DISP));
        assert_eq!(class(BASE, MEMORY as i64, 1, Comm::WORLD).await, Err(MPI_ERR_BUFFER));
        assert_eq!(class(BASE, i64::MAX, 1, Comm::WORLD).await, Err(MPI_ERR_BUFFER));
        assert_eq!(class(BASE, 8, 1, Comm::NULL).await, Err(MPI_ERR_COMM));
        let win = class(BASE, 8, 1, Comm::WORLD).await.unwrap();
        win_free(r, win).await.unwrap();
        // One rank has no room left for its part: none gets a window.
        let rest = (r.id() == 1).then(|| r.account.charge(r.account.free() as usize - 64, Cost::Datatypes).unwrap());
        assert_eq!(class(BASE, 8, 1, Comm::WORLD).await, Err(MPI_ERR_NO_MEM));
        drop(rest);
        let win = class(BASE, 8, 1, Comm::WORLD).await.unwrap();
        win_free(r, win).await.unwrap();
        assert!(r.world().windows.fetch(1).is_err(), "nothing is left on the shelf");
    });
}

#[test]
fn epochs_are_kept_apart() {
    both(2, async |r| {
        let me = r.id() as i32;
        let win = window(r, 64, 1).await;
        let class = |result: Result<()>| result.map_err(|error| error.class);
        let touch = || class(put(r, OTHER, 1, Datatype::BYTE, me, 0, 1, Datatype::BYTE, win));
        let sync = Err(MPI_ERR_RMA_SYNC);
        assert_eq!(class(win_unlock(r, me, win).await), sync);
        assert_eq!(class(win_unlock_all(r, win).await), sync);
        assert_eq!(class(win_complete(r, win).await), sync);
        assert_eq!(class(win_wait(r, win).await), sync);
        assert_eq!(class(win_flush_at_once(r, me, win).map(drop)), sync);
        assert_eq!(class(win_lock(r, 7, me, 0, win).await), Err(MPI_ERR_LOCKTYPE));
        assert_eq!(class(win_lock(r, MPI_LOCK_SHARED, 2, 0, win).await), Err(MPI_ERR_RANK));
        assert_eq!(class(win_lock(r, MPI_LOCK_SHARED, me, MPI_MODE_NOPUT, win).await), Err(MPI_ERR_ASSERT));
        assert_eq!(class(win_fence(r, MPI_MODE_NOCHECK, win).await), Err(MPI_ERR_ASSERT));
        // A lock allows its own target only, and keeps every other epoch away.
        win_lock(r, MPI_LOCK_EXCLUSIVE, me, 0, win).await.unwrap();
        assert_eq!(touch(), Ok(()));
        assert_eq!(class(put(r, OTHER, 1, Datatype::BYTE, 1 - me, 0, 1, Datatype::BYTE, win)), sync);
        assert_eq!(class(win_lock(r, MPI_LOCK_SHARED, me, 0, win).await), sync);
        assert_eq!(class(win_lock_all(r, 0, win).await), sync);
        assert_eq!(class(win_fence(r, 0, win).await), sync);
        assert_eq!(class(win_free(r, win).await.map(drop)), sync);
        let group = comm_group(r, Comm::WORLD).unwrap();
        let myself = group_incl(r, group, 1, &[me]).unwrap();
        assert_eq!(class(win_post(r, myself, 0, win)), Err(MPI_ERR_RMA_CONFLICT));
        win_unlock(r, me, win).await.unwrap();
        assert_eq!(touch(), sync);
        // What is exposed is not locked.
        win_post(r, myself, 0, win).unwrap();
        assert_eq!(class(win_lock(r, MPI_LOCK_SHARED, me, 0, win).await), Err(MPI_ERR_RMA_CONFLICT));
        assert_eq!(class(win_post(r, myself, 0, win)), sync);
        assert!(!win_test(r, win).await.unwrap());
        win_start(r, myself, MPI_MODE_NOCHECK, win).await.unwrap();
        assert_eq!(touch(), Ok(()));
        win_complete(r, win).await.unwrap();
        assert!(win_test(r, win).await.unwrap());
        // A fence's epoch ends where nothing was accessed in it.
        win_fence(r, 0, win).await.unwrap();
        win_lock_all(r, MPI_MODE_NOCHECK, win).await.unwrap();
        assert_eq!(touch(), Ok(()));
        win_unlock_all(r, win).await.unwrap();
        win_fence(r, 0, win).await.unwrap();
        assert_eq!(touch(), Ok(()));
        assert_eq!(class(win_lock(r, MPI_LOCK_SHARED, me, 0, win).await), sync);
        win_fence(r, MPI_MODE_NOSUCCEED, win).await.unwrap();
        assert_eq!(touch(), sync);
        win_free(r, win).await.unwrap();
    });
}

#[test]
fn exclusive_locks_make_a_counter() {
    const ROUNDS: i64 = if cfg!(miri) { 3 } else { 200 };
    both(4, async |r| {
        let win = window(r, 16, 8).await;
        win_fence(r, 0, win).await.unwrap();
        for round in 0..ROUNDS {
            win_lock(r, MPI_LOCK_EXCLUSIVE, 0, 0, win).await.unwrap();
            get(r, OTHER, 1, Datatype::INT64_T, 0, 0, 1, Datatype::INT64_T, win).unwrap();
            set_word(r, OTHER, word(r, OTHER) + 1);
            put(r, OTHER, 1, Datatype::INT64_T, 0, 0, 1, Datatype::INT64_T, win).unwrap();
            if round % 7 == 0 {
                crate::drive::yield_now(r).await;
            }
            win_unlock(r, 0, win).await.unwrap();
            win_lock(r, MPI_LOCK_SHARED, 0, 0, win).await.unwrap();
            win_unlock(r, 0, win).await.unwrap();
        }
        win_fence(r, 0, win).await.unwrap();
        if r.id() == 0 {
            assert_eq!(word(r, BASE), 4 * ROUNDS);
        }
        win_free(r, win).await.unwrap();
    });
}

#[test]
fn sums_lose_nothing() {
    const ROUNDS: i32 = if cfg!(miri) { 2 } else { 100 };
    // An integer, a number that the hardware can't add, one that is not aligned, a pair that lies in pieces.
    let kinds = [(Datatype::INT16_T, 0), (Datatype::INT64_T, 8), (Datatype::DOUBLE, 16), (Datatype::INT32_T, 25)];
    both(4, async |r| {
        let win = window(r, 256, 1).await;
        r.memory().write_bytes(OTHER, &1i64.to_le_bytes(), "one").unwrap();
        r.memory().write_bytes(at(OTHER, 8), &1f64.to_le_bytes(), "one").unwrap();
        win_lock_all(r, 0, win).await.unwrap();
        for _ in 0..ROUNDS {
            for (ty, disp) in kinds {
                let one = if ty == Datatype::DOUBLE { at(OTHER, 8) } else { OTHER };
                accumulate(r, one, 1, ty, 0, disp, 1, ty, Op::SUM, win).unwrap();
                fetch_and_op(r, one, at(OTHER, 16), ty, 0, disp, Op::SUM, win).unwrap();
            }
        }
        win_unlock_all(r, win).await.unwrap();
        win_fence(r, 0, win).await.unwrap();
        if r.id() == 0 {
            let sum = 8 * ROUNDS;
            assert_eq!((r.memory().read_i32(BASE, "sum").unwrap() & 0xffff, word(r, at(BASE, 8))), (sum, sum.into()));
            assert_eq!(f64::from_bits(word(r, at(BASE, 16)) as u64), f64::from(sum));
            assert_eq!(r.memory().read_i32(at(BASE, 25), "sum").unwrap(), sum);
        }
        win_free(r, win).await.unwrap();
    });
}

#[test]
fn one_of_many_swaps() {
    let winners = both(4, async |r| {
        let win = window(r, 64, 1).await;
        let mine = [r.id() as i64 + 1, 0];
        set_word(r, OTHER, mine[0]);
        set_word(r, at(OTHER, 8), 0);
        win_lock_all(r, 0, win).await.unwrap();
        let mut won = 0;
        // The second one is not aligned.
        for disp in [0, 9] {
            let (expected, was) = (at(OTHER, 8), at(OTHER, 16));
            compare_and_swap(r, OTHER, expected, was, Datatype::INT64_T, 0, disp, win).unwrap();
            won += i32::from(word(r, was) == 0);
        }
        let error = compare_and_swap(r, OTHER, OTHER, OTHER, Datatype::DOUBLE, 0, 0, win).unwrap_err();
        assert_eq!(error.class, MPI_ERR_TYPE);
        win_unlock_all(r, win).await.unwrap();
        win_free(r, win).await.unwrap();
        won
    });
    assert_eq!(winners.iter().sum::<i32>(), 2);
}

#[test]
fn requests_are_complete_at_once() {
    both(2, async |r| {
        let (win, to) = (window(r, 64, 8).await, 1 - r.id() as i32);
        let int = Datatype::INT64_T;
        let early = rput(r, OTHER, 1, int, to, 0, 1, int, win).await.unwrap_err();
        assert_eq!(early.class, MPI_ERR_RMA_SYNC);
        set_word(r, OTHER, 5);
        win_lock_all(r, 0, win).await.unwrap();
        let requests = [
            rput(r, OTHER, 1, int, to, 0, 1, int, win).await.unwrap(),
            raccumulate(r, OTHER, 1, int, to, 1, 1, int, Op::SUM, win).await.unwrap(),
            rget_accumulate(r, OTHER, 1, int, at(OTHER, 8), 1, int, to, 1, 1, int, Op::SUM, win).await.unwrap(),
            rget(r, at(OTHER, 16), 1, int, to, 1, 1, int, win).await.unwrap(),
        ];
        assert_eq!(rput(r, OTHER, 1, int, to, 99, 1, int, win).await.unwrap_err().class, MPI_ERR_RMA_RANGE);
        let completed = crate::request::waitall(r, &requests).await.unwrap();
        assert!(completed.iter().all(|one| one.request == Request::NULL && one.error.is_none()));
        assert_eq!((word(r, at(OTHER, 8)), word(r, at(OTHER, 16))), (5, 10));
        win_unlock_all(r, win).await.unwrap();
        win_free(r, win).await.unwrap();
    });
}

#[test]
fn what_is_attached_can_be_reached() {
    both(2, async |r| {
        let win = win_create_dynamic(r, Info::NULL, Comm::WORLD).await.unwrap();
        let to = 1 - r.id() as i32;
        let class = |result: Result<()>| result.map_err(|error| error.class);
        win_attach(r, win, BASE, 64).unwrap();
        win_attach(r, win, at(BASE, 128), 64).unwrap();
        assert_eq!(class(win_attach(r, win, at(BASE, 32), 64)), Err(MPI_ERR_RMA_ATTACH));
        assert_eq!(class(win_attach(r, win, Addr(MEMORY as u64), 1)), Err(MPI_ERR_BUFFER));
        assert_eq!(class(win_attach(r, win, BASE, -1)), Err(MPI_ERR_SIZE));
        assert_eq!(class(win_detach(r, win, at(BASE, 1))), Err(MPI_ERR_RMA_ATTACH));
        win_fence(r, 0, win).await.unwrap();
        let write = |offset: u64, count| {
            put(r, OTHER, count, Datatype::BYTE, to, (BASE.0 + offset) as i64, count, Datatype::BYTE, win)
        };
        assert_eq!((class(write(0, 64)), class(write(130, 62))), (Ok(()), Ok(())));
        let range = Err(MPI_ERR_RMA_RANGE);
        assert_eq!((class(write(0, 65)), class(write(64, 1)), class(write(127, 2))), (range, range, range));
        // Blocks in both pieces, at addresses from the bottom of the memory.
        let spread = |displs: [i64; 2]| {
            let ty = type_create_hindexed(r, 2, &[8, 8], &displs, Datatype::BYTE).unwrap();
            let ty = type_commit(r, ty).unwrap();
            class(put(r, OTHER, 16, Datatype::BYTE, to, 0, 1, ty, win))
        };
        let base = BASE.0 as i64;
        assert_eq!((spread([base, base + 128]), spread([base, base + 64])), (Ok(()), range));
        win_fence(r, 0, win).await.unwrap();
        win_detach(r, win, BASE).unwrap();
        win_fence(r, 0, win).await.unwrap();
        assert_eq!((class(write(0, 1)), class(write(128, 1))), (range, Ok(())));
        win_fence(r, 0, win).await.unwrap();
        let flavor = win_shared_query(r, win, 0).unwrap_err();
        assert_eq!(flavor.class, MPI_ERR_RMA_FLAVOR);
        win_free(r, win).await.unwrap();
    });
}

/// A rank's program up to the end of the job, and what it then says it waited for.
async fn told<T>(r: &Rank, program: impl Future<Output = T>) -> String {
    let mut program = pin!(program);
    poll_fn(|cx| match (program.as_mut().poll(cx), r.world().ended()) {
        (Poll::Pending, Some(_)) => Poll::Ready(r.waiting()),
        (polled, _) => polled.map(|_| "it ended".into()),
    })
    .await
}

#[test]
fn a_deadlock_names_the_window() {
    let (told, end) = threads(3, Options::default(), None, async |r| {
        told(r, async {
            init(r).unwrap();
            let win = window(r, 8, 1).await;
            win_set_name(r, win, "field").unwrap();
            win_fence(r, 0, win).await.unwrap();
            match r.id() {
                0 => {
                    win_lock(r, MPI_LOCK_EXCLUSIVE, 1, 0, win).await.unwrap();
                    crate::coll::run(r, Comm::WORLD, |_| Ok(crate::coll::Barrier)).await.unwrap();
                    r.enter("MPI_Win_free");
                    win_unlock(r, 1, win).await.unwrap();
                    let _ = win_fence(r, 0, win).await;
                }
                1 => {
                    crate::coll::run(r, Comm::WORLD, |_| Ok(crate::coll::Barrier)).await.unwrap();
                    r.enter("MPI_Win_start");
                    let group = comm_group(r, Comm::WORLD).unwrap();
                    let zero = group_incl(r, group, 1, &[0]).unwrap();
                    win_start(r, zero, 0, win).await.unwrap();
                }
                _ => {
                    r.enter("MPI_Win_lock");
                    win_lock(r, MPI_LOCK_EXCLUSIVE, 2, 0, win).await.unwrap();
                    crate::coll::run(r, Comm::WORLD, |_| Ok(crate::coll::Barrier)).await.unwrap();
                    r.enter("MPI_Win_wait");
                    win_unlock(r, 2, win).await.unwrap();
                    let group = comm_group(r, Comm::WORLD).unwrap();
                    let zero = group_incl(r, group, 1, &[0]).unwrap();
                    win_post(r, zero, 0, win).unwrap();
                    win_wait(r, win).await.unwrap();
                }
            }
        })
        .await
    });
    assert_eq!(end, Some(End::Deadlock));
    let told: Vec<_> = told.into_iter().flatten().collect();
    assert_eq!(
        told,
        [
            "MPI_Win_free: ranks 1 and 2 to do the same with window 'field'",
            "MPI_Win_start: rank 0 to post window 'field'",
            "MPI_Win_wait: 1 of 1 origins to complete their accesses of window 'field'",
        ]
    );
}

#[test]
fn a_lock_that_is_never_released_names_its_holder() {
    let (told, end) = threads(2, Options::default(), None, async |r| {
        told(r, async {
            let win = window(r, 8, 1).await;
            win_set_name(r, win, "field").unwrap();
            let order = [1 - r.id() as i32, r.id() as i32];
            win_lock(r, MPI_LOCK_EXCLUSIVE, order[0], 0, win).await.unwrap();
            crate::coll::run(r, Comm::WORLD, |_| Ok(crate::coll::Barrier)).await.unwrap();
            r.enter("MPI_Win_lock");
            win_lock(r, MPI_LOCK_SHARED, order[1], 0, win).await.unwrap();
        })
        .await
    });
    assert_eq!(end, Some(End::Deadlock));
    let told: Vec<_> = told.into_iter().flatten().collect();
    assert_eq!(
        told,
        [
            "MPI_Win_lock: rank 1 holds window 'field' of rank 0 exclusively",
            "MPI_Win_lock: rank 0 holds window 'field' of rank 1 exclusively"
        ]
    );
}

/// Ints of a window in an order: what a type selects.
fn places() -> impl Strategy<Value = Vec<u32>> {
    (1usize..24).prop_flat_map(|count| {
        Just((0..64).collect::<Vec<u32>>()).prop_shuffle().prop_map(move |all| all[..count].to_vec())
    })
}

/// A type of these ints.
fn type_of(r: &Rank, places: &[u32]) -> Datatype {
    let (lengths, displs): (Vec<i64>, Vec<i64>) = places.iter().map(|&place| (1, i64::from(place) * 4)).unzip();
    let ty = type_create_hindexed(r, lengths.len() as i64, &lengths, &displs, Datatype::INT32_T).unwrap();
    type_commit(r, ty).unwrap()
}

fn ints(r: &Rank, at: Addr) -> Vec<i32> {
    r.memory().read_i32s(at, 64, "ints").unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 60 }))]
    #[test]
    fn any_layouts_move_and_combine(from in places(), to in places(), which in 0..4) {
        both(1, async |r| {
            let count = from.len().min(to.len());
            let (from, to) = (&from[..count], &to[..count]);
            let (here, there) = (type_of(r, from), type_of(r, to));
            let win = window(r, 256, 4).await;
            let result = at(OTHER, 4096);
            let (mut window, mine): (Vec<i32>, Vec<i32>) = ((0..64).map(|i| 1000 + i).collect(), (0..64).map(|i| 7 * i).collect());
            r.memory().write_i32s(BASE, &window, "window").unwrap();
            r.memory().write_i32s(OTHER, &mine, "mine").unwrap();
            r.memory().write_i32s(result, &mine, "result").unwrap();
            win_lock_all(r, 0, win).await.unwrap();
            let (mut left, before) = (mine.clone(), window.clone());
            match which {
                0 => put(r, OTHER, 1, here, 0, 0, 1, there, win).unwrap(),
                1 => get(r, OTHER, 1, here, 0, 0, 1, there, win).unwrap(),
                2 => accumulate(r, OTHER, 1, here, 0, 0, 1, there, Op::SUM, win).unwrap(),
                _ => get_accumulate(r, OTHER, 1, here, result, 1, here, 0, 0, 1, there, Op::MAX, win).unwrap(),
            }
            let mut results = mine.clone();
            for (&from, &to) in from.iter().zip(to) {
                let (from, to) = (from as usize, to as usize);
                match which {
                    0 => window[to] = mine[from],
                    1 => left[from] = before[to],
                    2 => window[to] += mine[from],
                    _ => {
                        window[to] = window[to].max(mine[from]);
                        results[from] = before[to];
                    }
                }
            }
            win_unlock_all(r, win).await.unwrap();
            assert_eq!((ints(r, BASE), ints(r, OTHER), ints(r, result)), (window, left, results));
            win_free(r, win).await.unwrap();
        });
    }
}

#[test]
fn pairs_and_numbers_of_every_width_combine() {
    both(1, async |r| {
        let win = window(r, 4096, 1).await;
        win_lock_all(r, 0, win).await.unwrap();
        // 300 doubles in every second place, more than one stretch of them.
        let ty = type_vector(r, 300, 1, 2, Datatype::DOUBLE).unwrap();
        let ty = type_commit(r, ty).unwrap();
        for i in 0..300_u32 {
            set_word(r, at(OTHER, u64::from(8 * i)), f64::from(i).to_bits() as i64);
        }
        let wide = win_create(r, at(OTHER, 8192), 8192, 1, Info::NULL, Comm::SELF).await.unwrap();
        win_lock(r, MPI_LOCK_EXCLUSIVE, 0, 0, wide).await.unwrap();
        for _ in 0..2 {
            accumulate(r, OTHER, 300, Datatype::DOUBLE, 0, 0, 1, ty, Op::SUM, wide).unwrap();
        }
        for i in 0..300_u32 {
            assert_eq!(f64::from_bits(word(r, at(OTHER, u64::from(8192 + 16 * i))) as u64), 2.0 * f64::from(i));
        }
        win_unlock(r, 0, wide).await.unwrap();
        win_free(r, wide).await.unwrap();
        // The greater value with its index, of pairs whose halves lie apart.
        let pair = |value: i16, index: i32| [&value.to_le_bytes()[..], &[0, 0], &index.to_le_bytes()].concat();
        r.memory().write_bytes(BASE, &[pair(5, 1), pair(2, 2)].concat(), "pairs").unwrap();
        r.memory().write_bytes(OTHER, &[pair(4, 8), pair(9, 9)].concat(), "pairs").unwrap();
        let short = Datatype::SHORT_INT;
        accumulate(r, OTHER, 2, short, 0, 0, 2, short, Op::MAXLOC, win).unwrap();
        assert_eq!(r.memory().read_bytes(BASE, 16, "pairs").unwrap(), [pair(5, 1), pair(9, 9)].concat());
        let class = |result: Result<()>| result.map_err(|error| error.class);
        let update = |from, to, op| class(accumulate(r, OTHER, 1, from, 0, 0, 1, to, op, win));
        assert_eq!(update(short, short, Op::SUM), Err(MPI_ERR_OP));
        assert_eq!(update(Datatype::FLOAT, Datatype::INT, Op::REPLACE), Err(MPI_ERR_TYPE));
        assert_eq!(update(Datatype::INT, Datatype::INT, Op::NULL), Err(MPI_ERR_OP));
        assert_eq!(update(Datatype::DOUBLE, Datatype::DOUBLE, Op::BAND), Err(MPI_ERR_OP));
        win_unlock_all(r, win).await.unwrap();
        win_free(r, win).await.unwrap();
    });
}
