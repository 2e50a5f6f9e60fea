//! An operation of the program that is not commutative, on elements with a gap.

use super::*;
use crate::datatype::{type_commit, type_contiguous, type_create_resized};
use crate::op::{op_create, op_free};
use crate::testing::COMPOSE;

const EXTENT: usize = 12;

/// x ↦ a·x + b for element `index` of rank `rank`.
fn map(rank: usize, index: usize) -> [i32; 2] {
    [(2 * rank + index) as i32 | 1, (rank * rank + 7 * index) as i32]
}

fn compose(f: [i32; 2], g: [i32; 2]) -> [i32; 2] {
    [f[0].wrapping_mul(g[0]), f[0].wrapping_mul(g[1]).wrapping_add(f[1])]
}

fn expected(ranks: std::ops::Range<usize>, index: usize) -> [i32; 2] {
    ranks.map(|rank| map(rank, index)).reduce(compose).unwrap()
}

fn put_maps(r: &Rank, at: Addr, count: usize) {
    for index in 0..count {
        put(r, Addr(at.0 + (EXTENT * index) as u64), &map(r.id(), index));
    }
}

fn check(r: &Rank, at: Addr, count: usize, expected: impl Fn(usize) -> [i32; 2]) {
    for index in 0..count {
        assert_eq!(get(r, Addr(at.0 + (EXTENT * index) as u64), 2), expected(index), "element {index}");
    }
}

fn program(counts: &'static [usize]) -> impl AsyncFn(&Rank) + Sync {
    async move |r: &Rank| {
        let pair = type_contiguous(r, 2, Datatype::INT).unwrap();
        let ty = type_commit(r, type_create_resized(r, pair, 0, EXTENT as i64).unwrap()).unwrap();
        let op = op_create(r, COMPOSE, false).unwrap();
        let ranks = r.world().size();
        for &count in counts {
            let n = count as i64;
            put_maps(r, SEND, count);
            run(r, Comm::WORLD, |c| Allreduce::new(r, c, SEND, RECV, n, ty, op)).await.unwrap();
            check(r, RECV, count, |index| expected(0..ranks, index));
            for root in [0, ranks - 1] {
                run(r, Comm::WORLD, |c| Reduce::new(r, c, SEND, RECV, n, ty, op, root as i32)).await.unwrap();
                if r.id() == root {
                    check(r, RECV, count, |index| expected(0..ranks, index));
                }
            }
            run(r, Comm::WORLD, |c| Scan::inclusive(r, c, SEND, RECV, n, ty, op)).await.unwrap();
            check(r, RECV, count, |index| expected(0..r.id() + 1, index));
            run(r, Comm::WORLD, |c| Scan::exclusive(r, c, SEND, RECV, n, ty, op)).await.unwrap();
            if r.id() > 0 {
                check(r, RECV, count, |index| expected(0..r.id(), index));
            }
            crate::op::reduce_local(r, SEND, RECV, n, ty, op).await.unwrap();
            if r.id() > 0 {
                check(r, RECV, count, |index| compose(map(r.id(), index), expected(0..r.id(), index)));
            }
        }
        op_free(r, op).unwrap();
    }
}

#[test]
fn operands_stay_in_rank_order() {
    for ranks in RANKS {
        both(ranks, program(&[0, 1, 5, 1000]));
    }
    both(11, program(&[1, 70]));
}

#[test]
fn long_operands_too() {
    both(3, program(&[12_000]));
}
