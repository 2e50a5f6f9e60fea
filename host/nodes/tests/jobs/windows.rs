//! Windows of ranks on several nodes.

use std::ops::ControlFlow;

use rankine_abi::{
    Addr, Comm, Datatype, Group, Info, MPI_ERR_RMA_CONFLICT, MPI_ERR_RMA_RANGE, MPI_ERR_RMA_SHARED, MPI_LOCK_EXCLUSIVE,
    MPI_LOCK_SHARED, Op, Win,
};
use rankine_local::Rank;
use rankine_local::away::Nodes;
use rankine_local::coll::{self, Barrier};
use rankine_local::datatype::{type_commit, type_vector};
use rankine_local::group::group_incl;
use rankine_local::pt2pt::recv;
use rankine_local::request::wait;
use rankine_local::rma::*;
use rankine_nodes::{End, Frame, HEAD, Head, Left, Wire};

use crate::node::one_node;
use crate::wire::Memory;
use crate::{BYTE, OTHER, SMALL, SOON, fill, finishes, holds, job};

const INT: Datatype = Datatype::INT;
const LONG: Datatype = Datatype::INT64_T;
/// Where the part of each rank begins.
const PART: u64 = 1 << 20;

async fn barrier(r: &Rank) {
    coll::run(r, Comm::WORLD, |c| Barrier::new(r, c)).await.unwrap();
}

async fn flush_all(r: &Rank, win: Win) {
    if let ControlFlow::Continue(rest) = win_flush_all_at_once(r, win).unwrap() {
        rest.await.unwrap();
    }
}

fn long_at(r: &Rank, at: u64) -> i64 {
    i64::from_le_bytes(r.memory().read_bytes(Addr(at), 8, "long").unwrap().try_into().unwrap())
}

fn put_long(r: &Rank, at: u64, value: i64) {
    r.memory().write_bytes(Addr(at), &value.to_le_bytes(), "long").unwrap();
}

fn neighbours(r: &Rank, all: i32) -> (i32, i32) {
    let me = r.id() as i32;
    ((me + 1) % all, (me + all - 1) % all)
}

#[test]
fn bytes_are_put_and_got_between_fences() {
    for (nodes, each) in [(2, 1), (2, 2), (3, 2)] {
        let all = (nodes * each) as i32;
        finishes(nodes, each, async |r| {
            let (to, from) = neighbours(r, all);
            for bytes in [1, 1000, 16_384, 300_000] {
                // Each rank has a part of another length, counted in other units.
                let (unit, more) = (1 + r.id() as i64, 64 * r.id() as i64);
                let win = win_create(r, Addr(PART), bytes + more, unit, Info::NULL, Comm::WORLD).await.unwrap();
                fill(r, 64, bytes as usize, r.id());
                win_fence(r, 0, win).await.unwrap();
                put(r, Addr(64), bytes, BYTE, to, 0, bytes, BYTE, win).unwrap();
                // What was put has left its buffer.
                fill(r, 64, bytes as usize, 77);
                win_fence(r, 0, win).await.unwrap();
                holds(r, PART, bytes as usize, from as usize);
                get(r, Addr(OTHER), bytes, BYTE, to, 0, bytes, BYTE, win).unwrap();
                win_fence(r, 0, win).await.unwrap();
                holds(r, OTHER, bytes as usize, r.id());
                let end = (bytes + 64 * i64::from(to)) / (1 + i64::from(to));
                let beyond = put(r, Addr(64), 2, BYTE, to, end, 2, BYTE, win).map_err(|error| error.class);
                let is_inside = end * (1 + i64::from(to)) + 2 <= bytes + 64 * i64::from(to);
                assert_eq!(beyond, if is_inside { Ok(()) } else { Err(MPI_ERR_RMA_RANGE) });
                win_fence(r, 0, win).await.unwrap();
                win_free(r, win).await.unwrap();
            }
        });
    }
}

#[test]
fn derived_types_go_to_where_they_say() {
    finishes(2, 2, async |r| {
        let (to, from) = neighbours(r, 4);
        const COUNT: i32 = 9000;
        let win = win_create(r, Addr(PART), 12 * i64::from(COUNT), 4, Info::NULL, Comm::WORLD).await.unwrap();
        let ty = type_vector(r, COUNT.into(), 1, 3, INT).unwrap();
        type_commit(r, ty).unwrap();
        let values: Vec<i32> = (0..COUNT).map(|index| index * 10 + r.id() as i32).collect();
        r.memory().write_i32s(Addr(64), &values, "values").unwrap();
        r.memory().write_bytes(Addr(PART), &vec![0; 12 * COUNT as usize], "part").unwrap();
        win_fence(r, 0, win).await.unwrap();
        put(r, Addr(64), COUNT.into(), INT, to, 1, 1, ty, win).unwrap();
        win_fence(r, 0, win).await.unwrap();
        accumulate(r, Addr(64), COUNT.into(), INT, to, 1, 1, ty, Op::SUM, win).unwrap();
        win_fence(r, 0, win).await.unwrap();
        let part = r.memory().read_i32s(Addr(PART), 3 * COUNT as usize, "part").unwrap();
        for (index, three) in part.chunks(3).enumerate() {
            assert_eq!(three, [0, 2 * (index as i32 * 10 + from), 0]);
        }
        get(r, Addr(OTHER), COUNT.into(), INT, to, 1, 1, ty, win).unwrap();
        win_fence(r, 0, win).await.unwrap();
        let got = r.memory().read_i32s(Addr(OTHER), COUNT as usize, "got").unwrap();
        assert!(got.iter().zip(&values).all(|(got, value)| *got == 2 * value));
        win_free(r, win).await.unwrap();
    });
}

#[test]
fn no_update_is_lost() {
    const TIMES: i64 = 60;
    finishes(2, 2, async |r| {
        put_long(r, PART, 0);
        r.memory().write_bytes(Addr(PART + 8), &[0; 64], "part").unwrap();
        let win = win_create(r, Addr(PART), 64, 8, Info::NULL, Comm::WORLD).await.unwrap();
        put_long(r, 64, 1);
        r.memory().write_bytes(Addr(72), &1.5f64.to_le_bytes(), "half").unwrap();
        win_lock_all(r, 0, win).await.unwrap();
        let mut seen = -1;
        for _ in 0..TIMES {
            fetch_and_op(r, Addr(64), Addr(OTHER), LONG, 0, 0, Op::SUM, win).unwrap();
            accumulate(r, Addr(72), 1, Datatype::DOUBLE, 3, 1, 1, Datatype::DOUBLE, Op::SUM, win).unwrap();
            flush_all(r, win).await;
            assert!(long_at(r, OTHER) > seen, "{} after {seen}", long_at(r, OTHER));
            seen = long_at(r, OTHER);
            // A lock of a compare-and-swap, under which a number is no atomic one.
            loop {
                put_long(r, 80, 0);
                put_long(r, 88, r.id() as i64 + 1);
                compare_and_swap(r, Addr(88), Addr(80), Addr(96), LONG, 0, 3, win).unwrap();
                flush_all(r, win).await;
                if long_at(r, 96) == 0 {
                    break;
                }
            }
            get(r, Addr(104), 1, LONG, 1, 4, 1, LONG, win).unwrap();
            flush_all(r, win).await;
            put_long(r, 104, long_at(r, 104) + 1);
            put(r, Addr(104), 1, LONG, 1, 4, 1, LONG, win).unwrap();
            flush_all(r, win).await;
            put_long(r, 112, 0);
            accumulate(r, Addr(112), 1, LONG, 0, 3, 1, LONG, Op::REPLACE, win).unwrap();
            flush_all(r, win).await;
        }
        win_unlock_all(r, win).await.unwrap();
        barrier(r).await;
        match r.id() {
            0 => assert_eq!(long_at(r, PART), 4 * TIMES),
            1 => assert_eq!(long_at(r, PART + 32), 4 * TIMES),
            3 => assert_eq!(f64::from_bits(long_at(r, PART + 8) as u64), 6.0 * TIMES as f64),
            _ => {}
        }
        win_free(r, win).await.unwrap();
    });
}

#[test]
fn who_has_a_lock_is_alone() {
    finishes(2, 2, async |r| {
        put_long(r, PART, 0);
        let win = win_create(r, Addr(PART), 8, 8, Info::NULL, Comm::WORLD).await.unwrap();
        for round in 0..20 {
            let target = round % 4;
            win_lock(r, MPI_LOCK_EXCLUSIVE, target, 0, win).await.unwrap();
            get(r, Addr(64), 1, LONG, target, 0, 1, LONG, win).unwrap();
            flush_all(r, win).await;
            put_long(r, 64, long_at(r, 64) + 1);
            put(r, Addr(64), 1, LONG, target, 0, 1, LONG, win).unwrap();
            win_unlock(r, target, win).await.unwrap();
        }
        barrier(r).await;
        for target in 0..4 {
            win_lock(r, MPI_LOCK_SHARED, target, 0, win).await.unwrap();
            let request = rget(r, Addr(72), 1, LONG, target, 0, 1, LONG, win).await.unwrap();
            wait(r, request).await.unwrap();
            assert_eq!(long_at(r, 72), 20);
            win_unlock(r, target, win).await.unwrap();
        }
        win_free(r, win).await.unwrap();
    });
}

#[test]
fn targets_let_origins_in() {
    finishes(3, 2, async |r| {
        let (to, from) = neighbours(r, 6);
        let win = win_create(r, Addr(PART), 8, 8, Info::NULL, Comm::WORLD).await.unwrap();
        for round in 0..5 {
            let world = rankine_local::comm::comm_group(r, Comm::WORLD).unwrap();
            let only = |rank: i32| -> Group { group_incl(r, world, 1, &[rank]).unwrap() };
            win_post(r, only(from), 0, win).unwrap();
            if round == 0 && r.id() == 0 {
                // Its own part is exposed.
                let refused = win_lock(r, MPI_LOCK_SHARED, 0, 0, win).await.map_err(|error| error.class);
                assert_eq!(refused, Err(MPI_ERR_RMA_CONFLICT));
            }
            win_start(r, only(to), 0, win).await.unwrap();
            put_long(r, 64, 100 * round + r.id() as i64);
            put(r, Addr(64), 1, LONG, to, 0, 1, LONG, win).unwrap();
            win_complete(r, win).await.unwrap();
            if round % 2 == 0 {
                win_wait(r, win).await.unwrap();
            } else {
                while !win_test(r, win).await.unwrap() {}
            }
            assert_eq!(long_at(r, PART), 100 * round + i64::from(from));
        }
        win_free(r, win).await.unwrap();
    });
}

#[test]
fn what_is_not_attached_is_refused_at_the_call() {
    finishes(2, 1, async |r| {
        let other = 1 - r.id() as i32;
        let win = win_create_dynamic(r, Info::NULL, Comm::WORLD).await.unwrap();
        put_long(r, PART, 0);
        win_attach(r, win, Addr(PART), 8).unwrap();
        barrier(r).await;
        win_lock_all(r, 0, win).await.unwrap();
        put_long(r, 64, 41 + r.id() as i64);
        put(r, Addr(64), 1, LONG, other, PART as i64, 1, LONG, win).unwrap();
        for (at, count) in [(PART + 4, 1), (PART + 8, 1), (PART, 2), (0, 1)] {
            let refused =
                put(r, Addr(64), count, LONG, other, at as i64, count, LONG, win).map_err(|error| error.class);
            assert_eq!(refused, Err(MPI_ERR_RMA_RANGE), "{count} at {at:#x}");
        }
        let refused = rget(r, Addr(72), 1, LONG, other, 0, 1, LONG, win).await.map_err(|error| error.class);
        assert_eq!(refused, Err(MPI_ERR_RMA_RANGE));
        win_unlock_all(r, win).await.unwrap();
        barrier(r).await;
        assert_eq!(long_at(r, PART), 41 + i64::from(other));
        let refused = win_allocate_shared(r, 8, 1, Info::NULL, Comm::WORLD).await.map_err(|error| error.class);
        assert_eq!(refused, Err(MPI_ERR_RMA_SHARED));
        win_free(r, win).await.unwrap();
    });
}

/// What calls may say is for the tests of windows to see; here, that a node which sends another one is named.
#[test]
fn who_sends_what_is_no_call_is_named() {
    let mut wires = Memory::all(2, SOON).into_iter();
    let (mine, mut theirs) = (wires.next().unwrap(), wires.next().unwrap());
    let mut letter = vec![0; HEAD];
    Head { sequence: 0, returned: 0, costs: true }.write(&mut letter);
    Frame::Call { number: 1, bytes: &[1; 40] }.write(&mut letter);
    theirs.send(0, &letter).unwrap();
    let waits = async |r: &Rank| recv(r, Addr(64), 1, BYTE, 1, 0, Comm::WORLD).await.unwrap();
    let ((left, results), _) = one_node(Nodes::even(0, 2, 1), false, mine, SMALL, &waits);
    assert_eq!(left.end, End::Broken { node: 1 });
    let why = left.why.unwrap_or_default();
    assert!(why.ends_with("node 1 has sent what makes no sense: a call that no window knows"), "{why}");
    assert!(results[0].is_none());
}

#[test]
fn who_waits_for_a_lock_in_vain_ends_the_job() {
    for exclusive in [MPI_LOCK_EXCLUSIVE, MPI_LOCK_SHARED] {
        let told = job(2, 2, false, SOON, SMALL, async |r: &Rank| {
            let win = win_create(r, Addr(PART), 8, 8, Info::NULL, Comm::WORLD).await.unwrap();
            if r.id() == 3 {
                win_lock(r, MPI_LOCK_EXCLUSIVE, 0, 0, win).await.unwrap();
            }
            barrier(r).await;
            if r.id() != 3 {
                win_lock(r, exclusive, 0, 0, win).await.unwrap();
            }
            barrier(r).await;
        });
        for (left, results) in told {
            assert_eq!(left, Left { end: End::Deadlock, why: None });
            assert!(results.iter().all(Option::is_none));
        }
    }
}
