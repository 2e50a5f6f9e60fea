//! Every collective against what it should leave in memory, on threads and in turns.

use rankine_abi::{Addr, Comm, Datatype, MPI_IN_PLACE, Op};

use super::*;
use crate::Rank;
use crate::testing::{both, threads};
use crate::world::Options;

mod background;
mod inter;
mod neighbor;

mod user_defined;
mod varied;

const RANKS: [usize; 7] = [1, 2, 3, 4, 5, 7, 8];
/// Elements: none, one, odd, more than an envelope holds, long.
const COUNTS: [usize; 5] = [0, 1, 3, 301, 8191];
/// Where buffers begin; odd, because nothing promises alignment.
const SEND: Addr = Addr(4097);
const RECV: Addr = Addr(300_001);

fn put(r: &Rank, at: Addr, values: &[i32]) {
    r.memory().write_i32s(at, values, "values").unwrap();
}

fn get(r: &Rank, at: Addr, count: usize) -> Vec<i32> {
    r.memory().read_i32s(at, count, "values").unwrap()
}

/// What rank `rank` sends as element `index` of its block for `peer`.
fn value(rank: usize, peer: usize, index: usize) -> i32 {
    (rank * 1_000_003 + peer * 1009 + index) as i32
}

fn block(rank: usize, peer: usize, count: usize) -> Vec<i32> {
    (0..count).map(|index| value(rank, peer, index)).collect()
}

/// Runs a job on threads as if every rank had a core of its own, which other algorithms are for.
fn with_cores<T: Send>(ranks: usize, program: impl AsyncFn(&Rank) -> T + Sync) -> Vec<T> {
    let options = Options { spin: true, ..Options::default() };
    let (results, end) = threads(ranks, options, None, &program);
    assert_eq!(end, None, "with cores");
    results.into_iter().map(Option::unwrap).collect()
}

/// Runs a program for every number of ranks and elements that together fit into a rank's memory.
fn each(program: impl AsyncFn(&Rank, usize, usize) + Sync) {
    for ranks in RANKS {
        for count in COUNTS {
            let count = if ranks * count > 40_000 { 4097 } else { count };
            both(ranks, async |r| program(r, ranks, count).await);
            if matches!(ranks, 3 | 4 | 8) {
                with_cores(ranks, async |r| program(r, ranks, count).await);
            }
        }
    }
}

#[test]
fn barriers_hold_everybody() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    for ranks in [1, 2, 3, 4, 5, 7, 8, 33] {
        let arrived = AtomicUsize::new(0);
        both(ranks, async |r| {
            for _ in 0..20 {
                let before = arrived.fetch_add(1, Ordering::SeqCst);
                run(r, Comm::WORLD, |c| Barrier::new(r, c)).await.unwrap();
                assert!(arrived.load(Ordering::SeqCst) >= (before / ranks + 1) * ranks);
                run(r, Comm::WORLD, |c| Barrier::new(r, c)).await.unwrap();
            }
        });
    }
}

#[test]
fn bcast_from_every_root() {
    each(async |r, ranks, count| {
        for root in 0..ranks {
            put(r, SEND, &block(r.id(), root, count));
            run(r, Comm::WORLD, |c| Bcast::new(r, c, SEND, count as i64, Datatype::INT, root as i32)).await.unwrap();
            assert_eq!(get(r, SEND, count), block(root, root, count));
        }
    });
}

#[test]
fn gather_to_every_root() {
    each(async |r, ranks, count| {
        for (root, in_place) in (0..ranks).flat_map(|root| [(root, false), (root, true)]) {
            let mine = block(r.id(), root, count);
            let own = Addr(RECV.0 + (4 * count * root) as u64);
            put(r, if in_place && r.id() == root { own } else { SEND }, &mine);
            let send = if in_place && r.id() == root { MPI_IN_PLACE } else { SEND };
            let (count_, ty) = (count as i64, Datatype::INT);
            run(r, Comm::WORLD, |c| Gather::even(r, c, send, count_, ty, RECV, count_, ty, root as i32)).await.unwrap();
            if r.id() == root {
                let all: Vec<i32> = (0..ranks).flat_map(|rank| block(rank, root, count)).collect();
                assert_eq!(get(r, RECV, ranks * count), all);
            }
        }
    });
}

#[test]
fn scatter_from_every_root() {
    each(async |r, ranks, count| {
        for (root, in_place) in (0..ranks).flat_map(|root| [(root, false), (root, true)]) {
            let at_root = r.id() == root;
            if at_root {
                put(r, SEND, &(0..ranks).flat_map(|peer| block(root, peer, count)).collect::<Vec<_>>());
            }
            let receive = if in_place && at_root { MPI_IN_PLACE } else { RECV };
            let (count_, ty) = (count as i64, Datatype::INT);
            run(r, Comm::WORLD, |c| Scatter::even(r, c, SEND, count_, ty, receive, count_, ty, root as i32))
                .await
                .unwrap();
            let own = Addr(SEND.0 + (4 * count * root) as u64);
            let got = get(r, if in_place && at_root { own } else { RECV }, count);
            assert_eq!(got, block(root, r.id(), count));
        }
    });
}

#[test]
fn allgather_everywhere() {
    each(async |r, ranks, count| {
        for in_place in [false, true] {
            let own = Addr(RECV.0 + (4 * count * r.id()) as u64);
            put(r, if in_place { own } else { SEND }, &block(r.id(), 0, count));
            let send = if in_place { MPI_IN_PLACE } else { SEND };
            let (count_, ty) = (count as i64, Datatype::INT);
            run(r, Comm::WORLD, |c| Allgather::even(r, c, send, count_, ty, RECV, count_, ty)).await.unwrap();
            let all: Vec<i32> = (0..ranks).flat_map(|rank| block(rank, 0, count)).collect();
            assert_eq!(get(r, RECV, ranks * count), all);
            put(r, RECV, &vec![0; ranks * count]);
            run(r, Comm::WORLD, |c| Barrier::new(r, c)).await.unwrap();
        }
    });
}

#[test]
fn alltoall_everywhere() {
    each(async |r, ranks, count| {
        for in_place in [false, true] {
            let all: Vec<i32> = (0..ranks).flat_map(|peer| block(r.id(), peer, count)).collect();
            put(r, if in_place { RECV } else { SEND }, &all);
            let send = if in_place { MPI_IN_PLACE } else { SEND };
            let (count_, ty) = (count as i64, Datatype::INT);
            run(r, Comm::WORLD, |c| Alltoall::even(r, c, send, count_, ty, RECV, count_, ty)).await.unwrap();
            let expected: Vec<i32> = (0..ranks).flat_map(|rank| block(rank, r.id(), count)).collect();
            assert_eq!(get(r, RECV, ranks * count), expected);
        }
    });
}

fn sum(ranks: usize, count: usize) -> Vec<i32> {
    (0..count).map(|index| (0..ranks).fold(0, |sum: i32, rank| sum.wrapping_add(value(rank, 0, index)))).collect()
}

#[test]
fn reduce_to_every_root() {
    each(async |r, ranks, count| {
        for (root, in_place) in (0..ranks).flat_map(|root| [(root, false), (root, true)]) {
            let in_place = in_place && r.id() == root;
            put(r, if in_place { RECV } else { SEND }, &block(r.id(), 0, count));
            let send = if in_place { MPI_IN_PLACE } else { SEND };
            run(r, Comm::WORLD, |c| Reduce::new(r, c, send, RECV, count as i64, Datatype::INT, Op::SUM, root as i32))
                .await
                .unwrap();
            if r.id() == root {
                assert_eq!(get(r, RECV, count), sum(ranks, count));
            }
        }
    });
}

#[test]
fn allreduce_everywhere() {
    each(async |r, ranks, count| {
        for in_place in [false, true] {
            put(r, if in_place { RECV } else { SEND }, &block(r.id(), 0, count));
            let send = if in_place { MPI_IN_PLACE } else { SEND };
            run(r, Comm::WORLD, |c| Allreduce::new(r, c, send, RECV, count as i64, Datatype::INT, Op::SUM))
                .await
                .unwrap();
            assert_eq!(get(r, RECV, count), sum(ranks, count));
        }
    });
}

#[test]
fn scans() {
    each(async |r, _, count| {
        for in_place in [false, true] {
            let send = if in_place { MPI_IN_PLACE } else { SEND };
            let mine = if in_place { RECV } else { SEND };
            put(r, mine, &block(r.id(), 0, count));
            run(r, Comm::WORLD, |c| Scan::inclusive(r, c, send, RECV, count as i64, Datatype::INT, Op::SUM))
                .await
                .unwrap();
            assert_eq!(get(r, RECV, count), sum(r.id() + 1, count));
            put(r, mine, &block(r.id(), 0, count));
            run(r, Comm::WORLD, |c| Scan::exclusive(r, c, send, RECV, count as i64, Datatype::INT, Op::SUM))
                .await
                .unwrap();
            if r.id() > 0 {
                assert_eq!(get(r, RECV, count), sum(r.id(), count));
            }
        }
    });
}

#[test]
fn reduce_scatter_blocks() {
    each(async |r, ranks, count| {
        for in_place in [false, true] {
            let all: Vec<i32> = (0..ranks).flat_map(|peer| block(r.id(), peer, count)).collect();
            put(r, if in_place { RECV } else { SEND }, &all);
            let send = if in_place { MPI_IN_PLACE } else { SEND };
            run(r, Comm::WORLD, |c| ReduceScatter::even(r, c, send, RECV, count as i64, Datatype::INT, Op::SUM))
                .await
                .unwrap();
            let expected: Vec<i32> = (0..count)
                .map(|index| (0..ranks).fold(0, |sum: i32, rank| sum.wrapping_add(value(rank, r.id(), index))))
                .collect();
            assert_eq!(get(r, RECV, count), expected);
        }
    });
}

#[test]
fn a_floating_point_sum_depends_on_the_number_of_ranks_only() {
    for ranks in [3, 6, 8, 13] {
        let program = async |r: &Rank, count: usize| {
            let values = std::iter::repeat_n((0.1f64 * 3f64.powi(r.id() as i32)).to_le_bytes(), count);
            r.memory().write_bytes(SEND, values.collect::<Vec<_>>().as_flattened(), "values").unwrap();
            let (n, ty) = (count as i64, Datatype::DOUBLE);
            let result = |r: &Rank| r.memory().read_bytes(RECV, 8 * count as u64, "sums").unwrap();
            run(r, Comm::WORLD, |c| Allreduce::new(r, c, SEND, RECV, n, ty, Op::SUM)).await.unwrap();
            let mut sums = result(r);
            for root in 0..ranks {
                run(r, Comm::WORLD, |c| Reduce::new(r, c, SEND, RECV, n, ty, Op::SUM, root as i32)).await.unwrap();
                if r.id() == root {
                    sums.extend(result(r));
                }
            }
            sums
        };
        let mut sums = Vec::new();
        for count in [1, 8000] {
            sums.extend(both(ranks, async |r| program(r, count).await));
            sums.extend(with_cores(ranks, async |r| program(r, count).await));
        }
        let one = &sums[0][..8];
        assert!(sums.iter().flat_map(|sums| sums.chunks_exact(8)).all(|sum| sum == one), "{ranks} ranks");
    }
}

#[test]
fn mistakes_are_errors() {
    use rankine_abi::*;
    let class = |result: Result<()>| result.unwrap_err().class;
    both(2, async |r| {
        let (int, world) = (Datatype::INT, Comm::WORLD);
        assert_eq!(class(run(r, Comm::NULL, |c| Barrier::new(r, c)).await), MPI_ERR_COMM);
        assert_eq!(class(run(r, world, |c| Bcast::new(r, c, SEND, 1, int, 2)).await), MPI_ERR_ROOT);
        assert_eq!(class(run(r, world, |c| Bcast::new(r, c, SEND, 1, int, MPI_ROOT)).await), MPI_ERR_ROOT);
        assert_eq!(class(run(r, world, |c| Bcast::new(r, c, SEND, -1, int, 0)).await), MPI_ERR_COUNT);
        assert_eq!(class(run(r, world, |c| Bcast::new(r, c, Addr(!3), 1, int, 0)).await), MPI_ERR_BUFFER);
        assert_eq!(class(run(r, world, |c| Bcast::new(r, c, SEND, 1, Datatype::NULL, 0)).await), MPI_ERR_TYPE);
        assert_eq!(class(run(r, world, |c| Allreduce::new(r, c, SEND, RECV, 1, int, Op::NULL)).await), MPI_ERR_OP);
        assert_eq!(class(run(r, world, |c| Allreduce::new(r, c, SEND, RECV, 1, int, Op::REPLACE)).await), MPI_ERR_OP);
        assert_eq!(
            class(run(r, world, |c| Allreduce::new(r, c, SEND, RECV, 1, Datatype::FLOAT, Op::BAND)).await),
            MPI_ERR_OP
        );
        assert_eq!(
            class(run(r, world, |c| Allreduce::new(r, c, SEND, MPI_IN_PLACE, 1, int, Op::SUM)).await),
            MPI_ERR_BUFFER
        );
        assert_eq!(
            class(run(r, world, |c| Allgather::even(r, c, SEND, 1, int, RECV, i64::MAX, int)).await),
            MPI_ERR_COUNT
        );
        assert_eq!(
            class(run(r, world, |c| Allgather::even(r, c, SEND, 1, int, Addr(900_000), 100_000, int)).await),
            MPI_ERR_BUFFER
        );
        let error =
            run(r, world, |c| Alltoall::varied(r, c, SEND, &[1, 1], &[0, -2000], int, RECV, &[1, 1], &[0, 1], int))
                .await
                .unwrap_err();
        assert_eq!(error.class, MPI_ERR_BUFFER);
        assert!(error.text.starts_with("block 1: "), "{error}");
        let text = run(r, world, |c| Allreduce::new(r, c, SEND, RECV, 1, Datatype::FLOAT, Op::BAND))
            .await
            .unwrap_err()
            .to_string();
        assert_eq!(text, "MPI_BAND is not defined on MPI_FLOAT");
        // Counts that differ between the ranks.
        let short = run(r, world, |c| Bcast::new(r, c, SEND, 2 - r.id() as i64, int, 0)).await;
        let check = |outcome: Result<()>, class, came, expected| match outcome {
            Ok(()) => assert_eq!(r.id(), 0),
            Err(error) => {
                assert_eq!((error.class, r.id()), (class, 1));
                let text =
                    format!("{came} bytes came from rank 0 where {expected} were expected: counts or datatypes differ");
                assert!(error.text.starts_with(&text), "{error}");
            }
        };
        check(short, MPI_ERR_TRUNCATE, 8, 4);
        let long = run(r, world, |c| Bcast::new(r, c, SEND, 1 + r.id() as i64, int, 0)).await;
        check(long, MPI_ERR_COUNT, 4, 8);
        assert_eq!(
            class(run(r, world, |c| Gather::even(r, c, SEND, 1, int, RECV, 2, int, r.id() as i32)).await),
            MPI_ERR_COUNT
        );
    });
}

#[test]
fn a_rank_with_another_count_leaves_nobody_waiting() {
    let classes = both(20, async |r| {
        let count = if r.id() == 8 { 1 } else { 2 };
        run(r, Comm::WORLD, |c| Bcast::new(r, c, SEND, count, Datatype::INT, 0)).await.err().map(|error| error.class)
    });
    assert_eq!(classes[8], Some(rankine_abi::MPI_ERR_TRUNCATE));
    // The ranks below it in the tree, and no others, got too little.
    let fewer = classes.iter().filter(|class| **class == Some(rankine_abi::MPI_ERR_COUNT)).count();
    assert_eq!((fewer, classes.iter().flatten().count()), (7, 8));
}
