//! Blocks of any length at any place, with gaps between them and in reverse order.

#![allow(clippy::needless_range_loop)] // a rank indexes several arrays

use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
struct Case {
    /// `counts[from][to]`
    counts: Vec<Vec<usize>>,
    gap: usize,
    reverse: bool,
    root: usize,
}

fn case() -> impl Strategy<Value = Case> {
    let count = prop_oneof![3 => 0usize..4, 1 => 250usize..260, 1 => 3000usize..3100];
    (1usize..=6).prop_flat_map(move |ranks| {
        let counts = prop::collection::vec(prop::collection::vec(count.clone(), ranks), ranks);
        (counts, 0usize..3, any::<bool>(), 0..ranks).prop_map(|(counts, gap, reverse, root)| Case {
            counts,
            gap,
            reverse,
            root,
        })
    })
}

impl Case {
    fn ranks(&self) -> usize {
        self.counts.len()
    }

    /// Counts as MPI takes them, and displacements that keep the blocks apart.
    fn layout(&self, counts: impl Iterator<Item = usize>) -> (Vec<i64>, Vec<i64>) {
        let counts: Vec<usize> = counts.collect();
        let mut order: Vec<usize> = (0..counts.len()).collect();
        if self.reverse {
            order.reverse();
        }
        let (mut at, mut displacements) = (0, vec![0; counts.len()]);
        for peer in order {
            displacements[peer] = at as i64;
            at += counts[peer] + self.gap;
        }
        (counts.iter().map(|&count| count as i64).collect(), displacements)
    }
}

fn at(buffer: Addr, displacement: i64) -> Addr {
    Addr(buffer.0 + 4 * displacement as u64)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn gatherv_scatterv_and_allgatherv(case in case()) {
        both(case.ranks(), async |r| {
            let (me, root) = (r.id(), case.root);
            let sizes = |rank: usize| case.counts[rank][root];
            let (counts, displacements) = case.layout((0..case.ranks()).map(sizes));
            let (mine, ty) = (sizes(me) as i64, Datatype::INT);
            let check = |r: &Rank| for rank in 0..case.ranks() {
                assert_eq!(get(r, at(RECV, displacements[rank]), sizes(rank)), block(rank, root, sizes(rank)));
            };
            put(r, SEND, &block(me, root, sizes(me)));
            let (c, d): (&[i64], &[i64]) = if me == root { (&counts, &displacements) } else { (&[], &[]) };
            run(r, Comm::WORLD, |comm| Gather::varied(r, comm, SEND, mine, ty, RECV, c, d, ty, root as i32)).await.unwrap();
            if me == root {
                check(r);
            }
            put(r, SEND, &vec![0; sizes(me)]);
            run(r, Comm::WORLD, |comm| Scatter::varied(r, comm, RECV, c, d, ty, SEND, mine, ty, root as i32)).await.unwrap();
            assert_eq!(get(r, SEND, sizes(me)), block(me, root, sizes(me)));
            for rank in 0..case.ranks() {
                put(r, at(RECV, displacements[rank]), &vec![0; sizes(rank)]);
            }
            run(r, Comm::WORLD, |c| Allgather::varied(r, c, SEND, mine, ty, RECV, &counts, &displacements, ty)).await.unwrap();
            check(r);
            run(r, Comm::WORLD, |c| Allgather::varied(r, c, MPI_IN_PLACE, 0, ty, RECV, &counts, &displacements, ty)).await.unwrap();
            check(r);
        });
    }

    #[test]
    fn alltoallv_and_w(case in case()) {
        both(case.ranks(), async |r| {
            let (me, ty) = (r.id(), Datatype::INT);
            let (scounts, sdispls) = case.layout(case.counts[me].iter().copied());
            let (rcounts, rdispls) = case.layout(case.counts.iter().map(|row| row[me]));
            for peer in 0..case.ranks() {
                put(r, at(SEND, sdispls[peer]), &block(me, peer, case.counts[me][peer]));
            }
            let check = |r: &Rank| for rank in 0..case.ranks() {
                let count = case.counts[rank][me];
                assert_eq!(get(r, at(RECV, rdispls[rank]), count), block(rank, me, count));
                put(r, at(RECV, rdispls[rank]), &vec![0; count]);
            };
            run(r, Comm::WORLD, |c| Alltoall::varied(r, c, SEND, &scounts, &sdispls, ty, RECV, &rcounts, &rdispls, ty)).await.unwrap();
            check(r);
            let bytes = |displacements: &[i64]| displacements.iter().map(|d| 4 * d).collect::<Vec<_>>();
            let (sbytes, rbytes) = (bytes(&sdispls), bytes(&rdispls));
            let stypes = vec![ty; case.ranks()];
            let quads = vec![Datatype::BYTE; case.ranks()];
            let rbytecounts = bytes(&rcounts);
            run(r, Comm::WORLD, |c| Alltoall::typed(r, c, SEND, &scounts, &sbytes, &stypes, RECV, &rbytecounts, &rbytes, &quads))
                .await
                .unwrap();
            check(r);
        });
    }

    #[test]
    fn alltoallv_in_place(case in case()) {
        both(case.ranks(), async |r| {
            let (me, ty) = (r.id(), Datatype::INT);
            let size = |a: usize, b: usize| case.counts[a.min(b)][a.max(b)];
            let (counts, displs) = case.layout((0..case.ranks()).map(|peer| size(me, peer)));
            for peer in 0..case.ranks() {
                put(r, at(RECV, displs[peer]), &block(me, peer, size(me, peer)));
            }
            run(r, Comm::WORLD, |c| Alltoall::varied(r, c, MPI_IN_PLACE, &[], &[], ty, RECV, &counts, &displs, ty)).await.unwrap();
            for peer in 0..case.ranks() {
                assert_eq!(get(r, at(RECV, displs[peer]), size(me, peer)), block(peer, me, size(me, peer)));
            }
        });
    }

    #[test]
    fn reduce_scatter_of_any_counts(case in case()) {
        both(case.ranks(), async |r| {
            let (me, ranks) = (r.id(), case.ranks());
            let counts: Vec<i64> = case.counts[0].iter().map(|&count| count as i64).collect();
            let total = case.counts[0].iter().sum();
            let before: usize = case.counts[0][..me].iter().sum();
            for in_place in [false, true] {
                put(r, if in_place { RECV } else { SEND }, &block(me, 0, total));
                let send = if in_place { MPI_IN_PLACE } else { SEND };
                run(r, Comm::WORLD, |c| ReduceScatter::varied(r, c, send, RECV, &counts, Datatype::INT, Op::SUM)).await.unwrap();
                assert_eq!(get(r, RECV, case.counts[0][me]), sum(ranks, total)[before..][..case.counts[0][me]]);
            }
        });
    }
}
