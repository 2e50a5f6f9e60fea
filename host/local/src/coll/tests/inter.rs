//! Collectives between two groups of different sizes.

use rankine_abi::{MPI_PROC_NULL, MPI_ROOT};

use super::*;
use crate::comm::{comm_split, intercomm_create};
use crate::testing::both;

/// One of two groups: `first` ranks, and the rest.
struct Side {
    comm: Comm,
    /// Its ranks in the world, and those of the other group.
    group: Vec<usize>,
    remote: Vec<usize>,
    rank: usize,
}

async fn side(r: &Rank, first: usize) -> Side {
    let ranks = r.world().size();
    let in_first = r.id() < first;
    let local = comm_split(r, Comm::WORLD, i32::from(in_first), 0).await.unwrap();
    let leader = if in_first { first } else { 0 };
    let comm = intercomm_create(r, local, 0, Comm::WORLD, leader as i32, 3).await.unwrap();
    let (low, high) = ((0..first).collect(), (first..ranks).collect());
    let (group, remote) = if in_first { (low, high) } else { (high, low) };
    Side { comm, rank: r.id() - if in_first { 0 } else { first }, group, remote }
}

fn sum_of(ranks: &[usize], count: usize) -> Vec<i32> {
    (0..count).map(|index| ranks.iter().fold(0, |sum: i32, &rank| sum.wrapping_add(value(rank, 0, index)))).collect()
}

/// Runs a program for groups of several sizes and for several counts.
fn each_split(program: impl AsyncFn(&Rank, &Side, usize) + Sync) {
    for (first, second) in [(1, 1), (2, 1), (3, 2), (2, 5)] {
        for count in [0, 1, 301, 6000] {
            both(first + second, async |r| {
                let side = side(r, first).await;
                program(r, &side, count).await;
            });
        }
    }
}

/// The root argument of each rank when rank 0 of the second group, or the last of it, is the root.
fn root(side: &Side, in_second: bool, root: usize) -> i32 {
    match (in_second, side.rank == root) {
        (true, true) => MPI_ROOT,
        (true, false) => MPI_PROC_NULL,
        (false, _) => root as i32,
    }
}

fn has_low(side: &Side) -> bool {
    side.group[0] == 0
}

#[test]
fn with_a_root() {
    each_split(async |r, side, count| {
        let (n, ty) = (count as i64, Datatype::INT);
        let in_second = !has_low(side);
        let seconds = if in_second { &side.group } else { &side.remote };
        for place in [0, seconds.len() - 1] {
            let (argument, world_root) = (root(side, in_second, place), seconds[place]);
            put(r, SEND, &block(r.id(), 0, count));
            run(r, side.comm, |c| Bcast::new(r, c, SEND, n, ty, argument)).await.unwrap();
            if !in_second {
                assert_eq!(get(r, SEND, count), block(world_root, 0, count));
            }
            put(r, SEND, &block(r.id(), 0, count));
            run(r, side.comm, |c| Reduce::new(r, c, SEND, RECV, n, ty, Op::SUM, argument)).await.unwrap();
            if argument == MPI_ROOT {
                assert_eq!(get(r, RECV, count), sum_of(&side.remote, count));
            }
            run(r, side.comm, |c| Gather::even(r, c, SEND, n, ty, RECV, n, ty, argument)).await.unwrap();
            if argument == MPI_ROOT {
                let all: Vec<i32> = side.remote.iter().flat_map(|&rank| block(rank, 0, count)).collect();
                assert_eq!(get(r, RECV, count * side.remote.len()), all);
            }
            run(r, side.comm, |c| Scatter::even(r, c, RECV, n, ty, SEND, n, ty, argument)).await.unwrap();
            if !in_second {
                assert_eq!(get(r, SEND, count), block(r.id(), 0, count));
            }
        }
    });
}

#[test]
fn without_a_root() {
    each_split(async |r, side, count| {
        let (n, ty) = (count as i64, Datatype::INT);
        run(r, side.comm, |c| Barrier::new(r, c)).await.unwrap();
        put(r, SEND, &block(r.id(), 0, count));
        run(r, side.comm, |c| Allreduce::new(r, c, SEND, RECV, n, ty, Op::SUM)).await.unwrap();
        assert_eq!(get(r, RECV, count), sum_of(&side.remote, count));
        let all: Vec<i32> = side.remote.iter().flat_map(|&rank| block(rank, 0, count)).collect();
        run(r, side.comm, |c| Allgather::even(r, c, SEND, n, ty, RECV, n, ty)).await.unwrap();
        assert_eq!(get(r, RECV, all.len()), all);
        put(r, SEND, &side.remote.iter().flat_map(|&peer| block(r.id(), peer, count)).collect::<Vec<_>>());
        run(r, side.comm, |c| Alltoall::even(r, c, SEND, n, ty, RECV, n, ty)).await.unwrap();
        let all: Vec<i32> = side.remote.iter().flat_map(|&rank| block(rank, r.id(), count)).collect();
        assert_eq!(get(r, RECV, all.len()), all);
        // Both groups contribute as many elements: enough for either's blocks.
        let total = count / 60 * side.group.len() * side.remote.len();
        let mine = total / side.group.len();
        put(r, SEND, &block(r.id(), 0, total));
        run(r, side.comm, |c| ReduceScatter::even(r, c, SEND, RECV, mine as i64, ty, Op::SUM)).await.unwrap();
        assert_eq!(get(r, RECV, mine), sum_of(&side.remote, total)[side.rank * mine..][..mine]);
    });
}

#[test]
fn what_has_no_meaning_is_an_error() {
    use rankine_abi::{MPI_ERR_BUFFER, MPI_ERR_COMM, MPI_ERR_ROOT};
    both(3, async |r| {
        let side = side(r, 1).await;
        let (int, comm) = (Datatype::INT, side.comm);
        let class = |result: Result<()>| result.unwrap_err().class;
        assert_eq!(class(run(r, comm, |c| Scan::inclusive(r, c, SEND, RECV, 1, int, Op::SUM)).await), MPI_ERR_COMM);
        assert_eq!(class(run(r, comm, |c| Bcast::new(r, c, SEND, 1, int, 2)).await), MPI_ERR_ROOT);
        assert_eq!(
            class(run(r, comm, |c| Allreduce::new(r, c, MPI_IN_PLACE, RECV, 1, int, Op::SUM)).await),
            MPI_ERR_BUFFER
        );
        assert_eq!(
            class(run(r, comm, |c| Alltoall::even(r, c, MPI_IN_PLACE, 1, int, RECV, 1, int)).await),
            MPI_ERR_BUFFER
        );
    });
}
