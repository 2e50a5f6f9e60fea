//! Collectives of communicators whose ranks lie on nodes in every way: in order, backwards, with a short last node, turn by turn.

use rankine_abi::{Addr, Comm, Datatype, Op};
use rankine_local::Rank;
use rankine_local::coll::{self, Allgather, Allreduce, Barrier, Bcast, Reduce};
use rankine_local::comm::{comm_rank, comm_size, comm_split};

use super::{OTHER, finishes_as};

/// Operands whose sum depends on their order.
fn operand(rank: usize, index: usize) -> f64 {
    10f64.powi(rank as i32 * 5 % 17) / (rank + index + 3) as f64
}

/// Their sum by runs of 2, 4, 8, … ranks.
fn sum(ranks: usize, index: usize) -> f64 {
    let mut runs: Vec<(u32, f64)> = Vec::new();
    for rank in 0..ranks {
        let (mut height, mut right) = (0, operand(rank, index));
        while let Some((_, left)) = runs.pop_if(|(above, _)| *above == height) {
            right += left;
            height += 1;
        }
        runs.push((height, right));
    }
    runs.into_iter().map(|(_, run)| run).rev().reduce(|right, left| left + right).unwrap()
}

fn write(r: &Rank, at: u64, numbers: impl Iterator<Item = f64>) {
    let bytes: Vec<u8> = numbers.flat_map(f64::to_le_bytes).collect();
    r.memory().write_bytes(Addr(at), &bytes, "numbers").unwrap();
}

fn holds(r: &Rank, at: u64, numbers: impl Iterator<Item = f64>, what: &str) {
    let expected: Vec<u8> = numbers.flat_map(f64::to_le_bytes).collect();
    let bytes = r.memory().read_bytes(Addr(at), expected.len() as u64, "numbers").unwrap();
    assert!(bytes == expected, "{what} at rank {}", r.id());
}

async fn all_of(r: &Rank, comm: Comm) {
    const DOUBLE: Datatype = Datatype::DOUBLE;
    let (size, me) = (comm_size(r, comm).unwrap() as usize, comm_rank(r, comm).unwrap() as usize);
    for count in [1, 3000] {
        let numbers = count as i64;
        let sums = || (0..count).map(|index| sum(size, index));
        let mine = |rank| (0..count).map(move |index| operand(rank, index));
        write(r, 64, mine(me));
        coll::run(r, comm, |c| Barrier::new(r, c)).await.unwrap();
        coll::run(r, comm, |c| Allreduce::new(r, c, Addr(64), Addr(OTHER), numbers, DOUBLE, Op::SUM)).await.unwrap();
        holds(r, OTHER, sums(), "sums of all");
        for root in 0..size {
            coll::run(r, comm, |c| Reduce::new(r, c, Addr(64), Addr(OTHER), numbers, DOUBLE, Op::SUM, root as i32))
                .await
                .unwrap();
            if me == root {
                holds(r, OTHER, sums(), "sums at the root");
            }
            write(r, OTHER, mine(me));
            coll::run(r, comm, |c| Bcast::new(r, c, Addr(OTHER), numbers, DOUBLE, root as i32)).await.unwrap();
            holds(r, OTHER, mine(root), "what the root has");
        }
        coll::run(r, comm, |c| Allgather::even(r, c, Addr(64), numbers, DOUBLE, Addr(OTHER), numbers, DOUBLE))
            .await
            .unwrap();
        holds(r, OTHER, (0..size).flat_map(mine), "blocks of all");
    }
}

#[test]
fn collectives_are_those_of_one_machine() {
    for (nodes, each, spin) in [(2, 4, false), (2, 4, true), (3, 2, true), (4, 3, false), (5, 1, false), (4, 1, true)] {
        let all = (nodes * each) as i32;
        finishes_as(nodes, each, spin, async |r| {
            let me = r.id() as i32;
            let turn = me % each as i32 * nodes as i32 + me / each as i32;
            for (color, key) in [(0, me), (0, -me), (i32::from(me == all - 1), me), (me % 2, me), (0, turn)] {
                let comm = comm_split(r, Comm::WORLD, color, key).await.unwrap();
                all_of(r, comm).await;
            }
        });
    }
}
