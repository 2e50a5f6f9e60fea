//! Exchanges between neighbours in a grid and in a graph.

use rankine_abi::{Info, MPI_PROC_NULL};

use super::*;
use crate::request::{self, wait};
use crate::testing::both;
use crate::topo::{cart_create, cart_shift, dist_graph_create_adjacent};

const COUNT: usize = 5;

/// Blocks that nobody sends to stay as they are.
const UNTOUCHED: i32 = -1;

fn at(buffer: Addr, block: usize) -> Addr {
    Addr(buffer.0 + (4 * COUNT * block) as u64)
}

/// Per dimension of a grid, the neighbours below and above.
fn neighbors(r: &Rank, grid: Comm, dims: usize) -> Vec<i32> {
    (0..dims as i32)
        .flat_map(|dimension| {
            let (below, above) = cart_shift(r, grid, dimension, 1).unwrap();
            [below, above]
        })
        .collect()
}

#[test]
fn in_a_grid_with_and_without_borders() {
    // A periodic dimension of two ranks, and of one: both neighbours are the same.
    for (dims, periods) in [([3, 2], [0, 1]), ([2, 2], [1, 0]), ([4, 1], [1, 1]), ([1, 1], [1, 1])] {
        let ranks = (dims[0] * dims[1]) as usize;
        both(ranks, async |r| {
            let grid = cart_create(r, Comm::WORLD, 2, &dims, &periods, false).await.unwrap();
            let peers = neighbors(r, grid, 2);
            let (n, ty) = (COUNT as i64, Datatype::INT);
            for way in 0..3 {
                put(r, RECV, &[UNTOUCHED; 4 * COUNT]);
                // What goes down carries the number of its direction.
                put(r, SEND, &(0..4).flat_map(|index| block(r.id(), index, COUNT)).collect::<Vec<_>>());
                match way {
                    0 => run(r, grid, |c| Neighbor::alltoall(r, c, SEND, n, ty, RECV, n, ty)).await.unwrap(),
                    1 => {
                        let request = start(r, grid, |c| Neighbor::alltoall(r, c, SEND, n, ty, RECV, n, ty)).unwrap();
                        wait(r, request).await.unwrap();
                    }
                    _ => {
                        let (counts, displs) = ([n; 4], [0, n, 2 * n, 3 * n]);
                        let request = prepare(r, grid, Info::NULL, |c| {
                            Neighbor::alltoallv(r, c, SEND, &counts, &displs, ty, RECV, &counts, &displs, ty)
                        });
                        let request = request.unwrap();
                        request::start(r, request).unwrap();
                        wait(r, request).await.unwrap();
                    }
                }
                for (index, &peer) in peers.iter().enumerate() {
                    // What comes from below was sent up.
                    let expected = match peer {
                        MPI_PROC_NULL => vec![UNTOUCHED; COUNT],
                        peer => block(peer as usize, index ^ 1, COUNT),
                    };
                    assert_eq!(get(r, at(RECV, index), COUNT), expected, "block {index}");
                }
            }
            run(r, grid, |c| Neighbor::allgather(r, c, SEND, n, ty, RECV, n, ty)).await.unwrap();
            for (index, &peer) in peers.iter().enumerate().filter(|(_, peer)| **peer != MPI_PROC_NULL) {
                assert_eq!(get(r, at(RECV, index), COUNT), block(peer as usize, 0, COUNT));
            }
        });
    }
}

#[test]
fn in_a_graph_whose_edges_have_a_direction() {
    // Rank i sends to i + 1 twice and to i + 2 once; block k is what the k-th edge carries.
    const RANKS: i32 = 4;
    both(RANKS as usize, async |r| {
        let me = r.id() as i32;
        let around = |step: i32| (me + step).rem_euclid(RANKS);
        let (sources, destinations) = ([around(-2), around(-1), around(-1)], [around(1), around(2), around(1)]);
        let (world, none) = (Comm::WORLD, Info::NULL);
        let graph = dist_graph_create_adjacent(r, world, 3, &sources, None, 3, &destinations, None, none, false);
        let graph = graph.await.unwrap();
        let (n, bytes, ty) = (COUNT as i64, 4 * COUNT as i64, Datatype::INT);
        put(r, SEND, &(0..3).flat_map(|index| block(r.id(), index, COUNT)).collect::<Vec<_>>());
        let expected = |edges: [(i32, usize); 3]| -> Vec<i32> {
            edges.into_iter().flat_map(|(source, edge)| block(source as usize, edge, COUNT)).collect()
        };
        run(r, graph, |c| {
            Neighbor::alltoallw(
                r,
                c,
                SEND,
                &[n; 3],
                &[0, bytes, 2 * bytes],
                &[ty; 3],
                RECV,
                &[bytes; 3],
                &[0, bytes, 2 * bytes],
                &[Datatype::BYTE; 3],
            )
        })
        .await
        .unwrap();
        let all = expected([(around(-2), 1), (around(-1), 0), (around(-1), 2)]);
        assert_eq!(get(r, RECV, 3 * COUNT), all);
        run(r, graph, |c| Neighbor::allgatherv(r, c, SEND, n, ty, RECV, &[n; 3], &[2 * n, n, 0], ty)).await.unwrap();
        assert_eq!(get(r, RECV, 3 * COUNT), expected([(around(-1), 0), (around(-1), 0), (around(-2), 0)]));
    });
}

#[test]
fn without_a_topology_there_are_no_neighbors() {
    both(1, async |r| {
        let error =
            run(r, Comm::WORLD, |c| Neighbor::allgather(r, c, SEND, 1, Datatype::INT, RECV, 1, Datatype::INT)).await;
        assert_eq!(error.unwrap_err().class, rankine_abi::MPI_ERR_TOPOLOGY);
    });
}
