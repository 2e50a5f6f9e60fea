//! Gathers, scatters, all-to-alls and scans over nodes, of blocks of every length, with gaps, in place and from every root; and
//! how many messages they are.

use rankine_abi::{Addr, Comm, Datatype, MPI_IN_PLACE, Op};
use rankine_local::Rank;
use rankine_local::away::Numbering;
use rankine_local::coll::{self, Alltoall, Gather, Scan, Scatter};
use rankine_local::comm::{comm_rank, comm_size, comm_split};
use rankine_local::datatype::{type_commit, type_create_resized};
use rankine_local::request::wait;
use rankine_nodes::{End, Limits};

use super::wire::Memory;
use super::{OTHER, SMALL, SOON, finishes_as, job_over};

const INT: Datatype = Datatype::INT;
const OUT: u64 = 64;

/// What a rank has for another in place `index`.
fn value(from: usize, to: usize, index: usize) -> i32 {
    (from * 1_000_003 + to * 1009 + index) as i32
}

fn block(from: usize, to: usize, count: usize) -> Vec<i32> {
    (0..count).map(|index| value(from, to, index)).collect()
}

/// Counts of blocks that differ: short ones, none, some that do not travel with others.
fn count(from: usize, to: usize) -> usize {
    [1, 15, 0, 16, 70, 3, 2000, 14][(from * 5 + to * 3) % 8]
}

/// A rank's view of a communicator: where blocks lie, and elements with a gap behind each.
struct At<'r> {
    r: &'r Rank,
    comm: Comm,
    me: usize,
    size: usize,
    gapped: Datatype,
}

impl At<'_> {
    /// Writes ints, `stride` of them apart.
    fn put(&self, at: u64, stride: u32, values: &[i32]) {
        for (index, &value) in (0..).zip(values) {
            self.r.memory().write_i32(Addr(at + u64::from(4 * stride * index)), value, "a value").unwrap();
        }
    }

    fn holds(&self, at: u64, stride: u32, values: &[i32], what: &str) {
        for (index, &value) in (0..).zip(values) {
            let got = self.r.memory().read_i32(Addr(at + u64::from(4 * stride * index)), "a value").unwrap();
            assert_eq!(got, value, "{what}: rank {} of {}, element {index} of {}", self.me, self.size, values.len());
        }
    }

    /// Forgets what lies there.
    fn clear(&self, at: u64, ints: usize) {
        self.r.memory().write_i32s(Addr(at), &vec![-1; ints], "nothing").unwrap();
    }

    /// Counts and displacements of blocks in reverse order, with one element between them; how many elements there are in all.
    fn layout(&self, count: impl Fn(usize) -> usize) -> (Vec<i64>, Vec<i64>, usize) {
        let (mut at, mut displacements) = (0, vec![0; self.size]);
        for peer in (0..self.size).rev() {
            displacements[peer] = at as i64;
            at += count(peer) + 1;
        }
        ((0..self.size).map(|peer| count(peer) as i64).collect(), displacements, at)
    }

    async fn even(&self, count: usize) {
        let At { r, comm, me, size, gapped } = *self;
        let n = count as i64;
        for root in [0, size / 2, size - 1] {
            for in_place in [false, true] {
                let is_root = me == root;
                self.clear(OTHER, 2 * size * count);
                self.put(OUT, 1, &block(me, root, count));
                let own = if in_place && is_root { MPI_IN_PLACE } else { Addr(OUT) };
                if in_place && is_root {
                    self.put(OTHER + (8 * me * count) as u64, 2, &block(me, root, count));
                }
                let gather = Gather::even;
                coll::run(r, comm, |c| gather(r, c, own, n, INT, Addr(OTHER), n, gapped, root as i32)).await.unwrap();
                if is_root {
                    let all: Vec<i32> = (0..size).flat_map(|from| block(from, root, count)).collect();
                    self.holds(OTHER, 2, &all, "gathered");
                    let all: Vec<i32> = (0..size).flat_map(|to| block(root, to, count)).collect();
                    self.put(OTHER, 2, &all);
                }
                self.clear(OUT, count);
                let scatter = Scatter::even;
                coll::run(r, comm, |c| scatter(r, c, Addr(OTHER), n, gapped, own, n, INT, root as i32)).await.unwrap();
                if !(in_place && is_root) {
                    self.holds(OUT, 1, &block(root, me, count), "scattered");
                }
            }
        }
        let all: Vec<i32> = (0..size).flat_map(|to| block(me, to, count)).collect();
        let expected: Vec<i32> = (0..size).flat_map(|from| block(from, me, count)).collect();
        self.put(OUT, 1, &all);
        coll::run(r, comm, |c| Alltoall::even(r, c, Addr(OUT), n, INT, Addr(OTHER), n, gapped)).await.unwrap();
        self.holds(OTHER, 2, &expected, "from all");
        self.put(OTHER, 2, &all);
        coll::run(r, comm, |c| Alltoall::even(r, c, MPI_IN_PLACE, 0, INT, Addr(OTHER), n, gapped)).await.unwrap();
        self.holds(OTHER, 2, &expected, "swapped");
    }

    async fn varied(&self) {
        let At { r, comm, me, size, gapped } = *self;
        for root in [0, size - 1] {
            let (counts, displs, all) = self.layout(|peer| count(peer, root));
            let (counts, displs): (&[i64], &[i64]) = if me == root { (&counts, &displs) } else { (&[], &[]) };
            let (mine, n) = (count(me, root), count(me, root) as i64);
            self.put(OUT, 1, &block(me, root, mine));
            self.clear(OTHER, 2 * all);
            let gather = coll::start(r, comm, |c| {
                Gather::varied(r, c, Addr(OUT), n, INT, Addr(OTHER), counts, displs, gapped, root as i32)
            });
            wait(r, gather.unwrap()).await.unwrap();
            for (peer, &at) in displs.iter().enumerate() {
                self.holds(OTHER + 8 * at as u64, 2, &block(peer, root, count(peer, root)), "gathered");
            }
            self.clear(OUT, mine);
            let scatter = coll::prepare(r, comm, rankine_abi::Info::NULL, |c| {
                Scatter::varied(r, c, Addr(OTHER), counts, displs, gapped, Addr(OUT), n, INT, root as i32)
            });
            let mut scatter = scatter.unwrap();
            for _ in 0..2 {
                rankine_local::request::start(r, scatter).unwrap();
                wait(r, scatter).await.unwrap();
                self.holds(OUT, 1, &block(me, root, mine), "scattered");
            }
            scatter = rankine_local::request::request_free(r, scatter).await.unwrap();
            assert_eq!(scatter, rankine_abi::Request::NULL);
        }
        self.alltoalls().await;
    }

    async fn alltoalls(&self) {
        let At { r, comm, me, size, gapped } = *self;
        let (scounts, sdispls, _) = self.layout(|to| count(me, to));
        let (rcounts, rdispls, _) = self.layout(|from| count(from, me));
        for (peer, &at) in sdispls.iter().enumerate() {
            self.put(OUT + 4 * at as u64, 1, &block(me, peer, count(me, peer)));
        }
        let check = |what| {
            for (peer, &at) in rdispls.iter().enumerate() {
                let at = OTHER + 8 * at as u64;
                self.holds(at, 2, &block(peer, me, count(peer, me)), what);
                self.clear(at, 2 * count(peer, me));
            }
        };
        let (out, into) = (Addr(OUT), Addr(OTHER));
        coll::run(r, comm, |c| Alltoall::varied(r, c, out, &scounts, &sdispls, INT, into, &rcounts, &rdispls, gapped))
            .await
            .unwrap();
        check("from all");
        let bytes = |displs: &[i64], each: i64| displs.iter().map(|at| each * at).collect::<Vec<_>>();
        let (sbytes, rbytes) = (bytes(&sdispls, 4), bytes(&rdispls, 8));
        let (stypes, rtypes) = (vec![INT; size], vec![gapped; size]);
        let typed = coll::start(r, comm, |c| {
            Alltoall::typed(r, c, out, &scounts, &sbytes, &stypes, into, &rcounts, &rbytes, &rtypes)
        });
        wait(r, typed.unwrap()).await.unwrap();
        check("from all, with types");
        // In place both have as much for each other.
        let both = |peer: usize| count(me.min(peer), me.max(peer));
        let (counts, displs, _) = self.layout(both);
        let place = |peer: usize| OTHER + 8 * displs[peer] as u64;
        (0..size).for_each(|peer| self.put(place(peer), 2, &block(me, peer, both(peer))));
        coll::run(r, comm, |c| Alltoall::varied(r, c, MPI_IN_PLACE, &[], &[], INT, into, &counts, &displs, gapped))
            .await
            .unwrap();
        (0..size).for_each(|peer| self.holds(place(peer), 2, &block(peer, me, both(peer)), "swapped"));
    }

    async fn scans(&self, count: usize) {
        let At { r, comm, me, size, .. } = *self;
        let n = count as i64;
        let sums = |ranks: usize| -> Vec<i32> {
            (0..count).map(|index| (0..ranks).fold(0i32, |sum, from| sum.wrapping_add(value(from, 0, index)))).collect()
        };
        for in_place in [false, true] {
            let (send, at) = if in_place { (MPI_IN_PLACE, OTHER) } else { (Addr(OUT), OUT) };
            self.put(at, 1, &block(me, 0, count));
            coll::run(r, comm, |c| Scan::inclusive(r, c, send, Addr(OTHER), n, INT, Op::SUM)).await.unwrap();
            self.holds(OTHER, 1, &sums(me + 1), "sums");
            self.put(at, 1, &block(me, 0, count));
            coll::run(r, comm, |c| Scan::exclusive(r, c, send, Addr(OTHER), n, INT, Op::SUM)).await.unwrap();
            if me > 0 {
                self.holds(OTHER, 1, &sums(me), "sums before");
            }
        }
        // These have the bits of one machine: from left to right.
        let operand = |rank: usize| 10f64.powi(rank as i32 * 5 % 17) / (rank + 3) as f64;
        r.memory().write_bytes(Addr(OUT), &operand(me).to_le_bytes(), "a number").unwrap();
        let to = Addr(OTHER);
        coll::run(r, comm, |c| Scan::inclusive(r, c, Addr(OUT), to, 1, Datatype::DOUBLE, Op::SUM)).await.unwrap();
        let expected = (0..=me).map(operand).reduce(|left, right| left + right).unwrap();
        let got = r.memory().read_bytes(to, 8, "a number").unwrap();
        assert_eq!(got, expected.to_le_bytes(), "rank {me} of {size}");
    }
}

async fn all_of(r: &Rank, comm: Comm) {
    let gapped = type_commit(r, type_create_resized(r, INT, 0, 8).unwrap()).unwrap();
    let (me, size) = (comm_rank(r, comm).unwrap() as usize, comm_size(r, comm).unwrap() as usize);
    let at = At { r, comm, me, size, gapped };
    for count in [0, 1, 60, 300, 5000] {
        at.even(count).await;
        at.scans(count).await;
    }
    at.varied().await;
}

#[test]
fn blocks_are_where_they_are_on_one_machine() {
    for (nodes, each, spin) in [(2, 4, false), (3, 2, true), (4, 3, false), (5, 1, false), (2, 9, true)] {
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

/// The messages from node to node of a job whose ranks do this.
fn messages(nodes: u32, each: u32, limits: Limits, program: impl AsyncFn(&Rank) + Sync) -> Vec<Vec<usize>> {
    let wires = Memory::all(nodes as usize, SOON);
    let counted = wires[0].messages.clone();
    let told = job_over(wires, (each, Numbering::Blocks), false, limits, program);
    assert!(told.iter().all(|(left, _)| left.end == End::Finished));
    let counted = counted.lock().unwrap();
    (0..nodes).map(|from| (0..nodes).map(|to| counted.get(&(from, to)).copied().unwrap_or(0)).collect()).collect()
}

#[test]
fn blocks_of_a_node_are_one_message() {
    let (n, world) = (2, Comm::WORLD);
    for limits in [SMALL, Limits::default()] {
        let gathered = messages(3, 4, limits, async |r| {
            coll::run(r, world, |c| Gather::even(r, c, Addr(OUT), n, INT, Addr(OTHER), n, INT, 5)).await.unwrap();
        });
        assert_eq!(gathered, [[0, 1, 0], [0, 0, 0], [0, 1, 0]]);
        let scattered = messages(3, 4, limits, async |r| {
            coll::run(r, world, |c| Scatter::even(r, c, Addr(OUT), n, INT, Addr(OTHER), n, INT, 5)).await.unwrap();
        });
        assert_eq!(scattered, [[0, 0, 0], [1, 0, 1], [0, 0, 0]]);
        for count in [2, 64] {
            let swapped = messages(3, 4, limits, async |r| {
                let (from, to) = (Addr(OUT), Addr(OTHER));
                coll::run(r, world, |c| Alltoall::even(r, c, from, count, INT, to, count, INT)).await.unwrap();
            });
            assert_eq!(swapped, [[0, 1, 1], [1, 0, 1], [1, 1, 0]], "{count}");
        }
        let varied = messages(3, 4, limits, async |r| {
            let (counts, displs) = (vec![2 - r.id() as i64 % 2; 12], (0..12).map(|at| 2 * at).collect::<Vec<_>>());
            let theirs: Vec<i64> = (0..12).map(|rank| 2 - rank % 2).collect();
            let (from, to) = (Addr(OUT), Addr(OTHER));
            coll::run(r, world, |c| Alltoall::varied(r, c, from, &counts, &displs, INT, to, &theirs, &displs, INT))
                .await
                .unwrap();
        });
        assert_eq!(varied, [[0, 1, 1], [1, 0, 1], [1, 1, 0]]);
    }
}

#[test]
fn a_rank_with_another_count_is_named() {
    let text = |result: rankine_local::Result<()>| result.err().map(|error| error.text.to_string()).unwrap_or_default();
    finishes_as(2, 4, false, async |r| {
        let (world, from, to) = (Comm::WORLD, Addr(OUT), Addr(OTHER));
        let n = if r.id() == 6 { 2 } else { 1 };
        let gathered = text(coll::run(r, world, |c| Gather::even(r, c, from, n, INT, to, n, INT, 0)).await);
        let scattered = text(coll::run(r, world, |c| Scatter::even(r, c, from, n, INT, to, n, INT, 0)).await);
        let counts: Vec<i64> = (0..8).map(|to| if to == 6 { 1 } else { n }).collect();
        let displs: Vec<i64> = (0..8).map(|at| 2 * at).collect();
        let swapped = text(
            coll::run(r, world, |c| Alltoall::varied(r, c, from, &counts, &displs, INT, to, &[1; 8], &displs, INT))
                .await,
        );
        let is_told =
            |text: &str, rank: usize| text.starts_with(&format!("8 bytes came from rank {rank} where 4 were"));
        assert!(if r.id() == 0 { is_told(&gathered, 6) } else { gathered.is_empty() }, "{gathered}");
        // The root speaks for itself where ranks of a node don't follow one another.
        let speaker = if r.world().nodes().unwrap().numbering() == Numbering::Blocks { 4 } else { 0 };
        let fewer = scattered.starts_with(&format!("4 bytes came from rank {speaker} where 8 were"));
        assert!(if r.id() == 6 { fewer } else { scattered.is_empty() }, "{scattered}");
        assert!(if r.id() == 6 { swapped.is_empty() } else { is_told(&swapped, 6) }, "{swapped}");
    });
}
