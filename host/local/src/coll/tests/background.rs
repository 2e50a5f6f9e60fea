//! Collectives that go on beside each other, and that are started again and again.

use rankine_abi::{Info, Request};

use super::*;
use crate::op::{op_create, op_free};
use crate::request::{self, startall, test, wait, waitall};

const COUNT: usize = 300;

async fn finish(r: &Rank, requests: &[Request]) {
    for completed in waitall(r, requests).await.unwrap() {
        assert_eq!(completed.error, None);
    }
}

#[test]
fn several_are_under_way_and_end_in_any_order() {
    for ranks in RANKS {
        both(ranks, async |r| {
            let (n, ty, world) = (COUNT as i64, Datatype::INT, Comm::WORLD);
            let buffers: Vec<Addr> = (0..8).map(|index| Addr(8192 + index * 4 * (COUNT * 8) as u64)).collect();
            put(r, buffers[0], &block(r.id(), 1, COUNT));
            put(r, buffers[2], &block(r.id(), 0, COUNT));
            put(r, buffers[4], &block(r.id(), 0, COUNT));
            let barrier = start(r, world, |c| Barrier::new(r, c)).unwrap();
            let bcast = start(r, world, |c| Bcast::new(r, c, buffers[0], n, ty, ranks as i32 - 1)).unwrap();
            let sums = start(r, world, |c| Allreduce::new(r, c, buffers[2], buffers[3], n, ty, Op::SUM)).unwrap();
            let all = start(r, world, |c| Allgather::even(r, c, buffers[4], n, ty, buffers[5], n, ty)).unwrap();
            // A blocking one overtakes them.
            put(r, buffers[6], &block(r.id(), 0, COUNT));
            run(r, world, |c| Reduce::new(r, c, buffers[6], buffers[7], n, ty, Op::SUM, 0)).await.unwrap();
            if r.id() == 0 {
                assert_eq!(get(r, buffers[7], COUNT), sum(ranks, COUNT));
            }
            let mut requests = [all, barrier, sums, bcast];
            requests.rotate_left(r.id() % 4);
            finish(r, &requests).await;
            assert_eq!(get(r, buffers[0], COUNT), block(ranks - 1, 1, COUNT));
            assert_eq!(get(r, buffers[3], COUNT), sum(ranks, COUNT));
            let all: Vec<i32> = (0..ranks).flat_map(|rank| block(rank, 0, COUNT)).collect();
            assert_eq!(get(r, buffers[5], ranks * COUNT), all);
        });
    }
}

#[test]
fn a_rank_in_another_call_lets_them_go_on() {
    both(2, async |r| {
        let barrier = start(r, Comm::WORLD, |c| Barrier::new(r, c)).unwrap();
        let byte = (Addr(64), 1, Datatype::BYTE);
        if r.id() == 0 {
            crate::pt2pt::recv(r, byte.0, byte.1, byte.2, 1, 5, Comm::WORLD).await.unwrap();
            wait(r, barrier).await.unwrap();
        } else {
            while test(r, barrier).await.unwrap().is_none() {}
            crate::pt2pt::send(r, byte.0, byte.1, byte.2, 0, 5, Comm::WORLD).await.unwrap();
        }
    });
}

#[test]
fn persistent_ones_start_again() {
    both(3, async |r| {
        let (n, ty, world) = (COUNT as i64, Datatype::INT, Comm::WORLD);
        let sums = prepare(r, world, Info::NULL, |c| Allreduce::new(r, c, SEND, RECV, n, ty, Op::SUM)).unwrap();
        let spread = prepare(r, world, Info::NULL, |c| Bcast::new(r, c, Addr(200_000), n, ty, 1)).unwrap();
        for round in 0..5 {
            put(r, SEND, &block(r.id() + round, 0, COUNT));
            put(r, Addr(200_000), &block(r.id(), round, COUNT));
            if round % 2 == 0 {
                startall(r, &[sums, spread]).unwrap();
            } else {
                request::start(r, spread).unwrap();
                request::start(r, sums).unwrap();
            }
            finish(r, &[spread, sums]).await;
            let before = sum(round, COUNT);
            let expected: Vec<i32> =
                sum(3 + round, COUNT).iter().zip(before).map(|(all, before)| all.wrapping_sub(before)).collect();
            assert_eq!(get(r, RECV, COUNT), expected);
            assert_eq!(get(r, Addr(200_000), COUNT), block(1, round, COUNT));
        }
    });
}

#[test]
fn operations_of_the_program_take_turns_with_the_scratch_memory() {
    both(4, async |r| {
        let op = op_create(r, crate::testing::COMPOSE, false).unwrap();
        let pair = crate::datatype::type_contiguous(r, 2, Datatype::INT).unwrap();
        let pair = crate::datatype::type_commit(r, pair).unwrap();
        let at = |index: usize| (Addr(4096 + 4096 * index as u64), Addr(4096 + 4096 * index as u64 + 2048));
        let mut requests = Vec::new();
        for index in 0..6 {
            put(r, at(index).0, &[r.id() as i32 + 2, index as i32, 3, r.id() as i32]);
            requests
                .push(start(r, Comm::WORLD, |c| Allreduce::new(r, c, at(index).0, at(index).1, 2, pair, op)).unwrap());
        }
        // They keep the operation and the type.
        op_free(r, op).unwrap();
        requests.reverse();
        finish(r, &requests).await;
        for index in 0..6 {
            // x ↦ (rank + 2)·x + index, and x ↦ 3·x + rank, rank 0 outermost.
            let b = index as i32;
            assert_eq!(
                get(r, at(index).1, 4),
                [2 * 3 * 4 * 5, b + 2 * (b + 3 * (b + 4 * b)), 81, 3 * (1 + 3 * (2 + 3 * 3))]
            );
        }
    });
}

#[test]
fn polling_alone_has_an_operation_of_the_program_run() {
    for ranks in [2, 3, 4] {
        // A rank that has a core to itself gives nobody a turn.
        with_cores(ranks, async |r| {
            let op = op_create(r, crate::testing::COMPOSE, false).unwrap();
            let pair = crate::datatype::type_contiguous(r, 2, Datatype::INT).unwrap();
            let pair = crate::datatype::type_commit(r, pair).unwrap();
            put(r, SEND, &[2, r.id() as i32]);
            for way in 0..4 {
                let request = start(r, Comm::WORLD, |c| Allreduce::new(r, c, SEND, RECV, 1, pair, op)).unwrap();
                let list = [request];
                loop {
                    let ended = match way {
                        0 => test(r, request).await.unwrap().is_some(),
                        1 => request::testall(r, &list).await.unwrap().is_some(),
                        2 => !matches!(request::testany(r, &list).await.unwrap(), request::Found::Pending),
                        _ => !request::testsome(r, &list).await.unwrap().unwrap().is_empty(),
                    };
                    if ended {
                        break;
                    }
                }
                assert_eq!(get(r, RECV, 1), [1 << ranks]);
            }
            op_free(r, op).unwrap();
        });
    }
}
