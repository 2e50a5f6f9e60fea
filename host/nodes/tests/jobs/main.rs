//! Jobs of several nodes, all of them in this process: each has a world of its own, and nothing in common with the others but
//! a wire in memory.

mod blocks;
mod node;
mod spread;
mod starts;
mod windows;
mod wire;

use std::iter::repeat_n;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use node::{Told, one_node};
use rankine_abi::{
    Addr, Comm, Datatype, Info, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_TYPE_SHARED, MPI_IN_PLACE, Op, Request,
};
use rankine_local::away::{Nodes, Numbering};
use rankine_local::coll::{self, Allgather, Allreduce, Alltoall, Barrier, Bcast};
use rankine_local::comm::{
    comm_dup, comm_rank, comm_size, comm_split, comm_split_type, intercomm_create, intercomm_merge,
};
use rankine_local::pt2pt::{irecv, isend, isend_as, mprobe, mrecv, probe, recv, send, send_as};
use rankine_local::request::{cancel, wait, waitall};
use rankine_local::{Kind, Rank};
use rankine_nodes::{End, Left, Limits};
use wire::Memory;

/// Runs a job of so many nodes with as many ranks each, which are told that each has a core if they `spin`.
fn job<T: Send>(
    nodes: u32,
    each: u32,
    spin: bool,
    delay: Duration,
    limits: Limits,
    program: impl AsyncFn(&Rank) -> T + Sync,
) -> Vec<Told<T>> {
    job_over(Memory::all(nodes as usize, delay), (each, Numbering::Blocks), spin, limits, program)
}

/// It, with a node for each of these wires.
#[expect(clippy::disallowed_macros, reason = "a test may end where nobody reads")]
fn job_over<T: Send>(
    wires: Vec<Memory>,
    (each, numbering): (u32, Numbering),
    spin: bool,
    limits: Limits,
    program: impl AsyncFn(&Rank) -> T + Sync,
) -> Vec<Told<T>> {
    let (over, is_over) = channel::<()>();
    // Threads that hang can't be stopped, and nobody should wait for them.
    std::thread::spawn(move || {
        if is_over.recv_timeout(Duration::from_secs(300)) == Err(RecvTimeoutError::Timeout) {
            eprintln!("a rank hangs");
            std::process::abort();
        }
    });
    let nodes = wires.len() as u32;
    let told = std::thread::scope(|scope| {
        let program = &program;
        let all: Vec<_> = (0..nodes)
            .zip(wires)
            .map(|(node, wire)| {
                let spread = Nodes::new(node, numbering, repeat_n(each, nodes as usize));
                scope.spawn(move || one_node(spread, spin, wire, limits, program).0)
            })
            .collect();
        all.into_iter().map(|node| node.join().unwrap()).collect()
    });
    drop(over);
    told
}

const SOON: Duration = Duration::from_micros(300);

/// Small letters, so that there are many.
const SMALL: Limits = Limits { letter: 2048, window: 3, queue: 4096, whole: 1024, patience: 60_000 };

/// Runs a job that finishes, in letters of two sizes, and with ranks that are numbered in turn; what its ranks have returned.
fn finishes<T: Send>(nodes: u32, each: u32, program: impl AsyncFn(&Rank) -> T + Sync) -> Vec<T> {
    finishes_as(nodes, each, false, program)
}

/// It, with ranks that spin, or don't.
fn finishes_as<T: Send>(nodes: u32, each: u32, spin: bool, program: impl AsyncFn(&Rank) -> T + Sync) -> Vec<T> {
    let mut last = Vec::new();
    for (limits, numbering) in
        [(SMALL, Numbering::Turns), (SMALL, Numbering::Blocks), (Limits::default(), Numbering::Blocks)]
    {
        let wires = Memory::all(nodes as usize, SOON);
        let told = job_over(wires, (each, numbering), spin, limits, &program);
        assert!(told.iter().all(|(left, _)| *left == Left { end: End::Finished, why: None }), "{:?}", told[0].0);
        last = told.into_iter().flat_map(|(_, results)| results).map(|result| result.expect("it returned")).collect();
    }
    last
}

fn fill(r: &Rank, at: u64, bytes: usize, seed: usize) {
    let all: Vec<u8> = (0..bytes).map(|index| (index * 7 + index / 251 + seed) as u8).collect();
    r.memory().write_bytes(Addr(at), &all, "fill").unwrap();
}

fn holds(r: &Rank, at: u64, bytes: usize, seed: usize) {
    let all: Vec<u8> = (0..bytes).map(|index| (index * 7 + index / 251 + seed) as u8).collect();
    assert!(r.memory().read_bytes(Addr(at), bytes as u64, "got").unwrap() == all, "{bytes} bytes from {seed}");
}

const BYTE: Datatype = Datatype::BYTE;
const OTHER: u64 = 2_000_000;

#[test]
fn a_ring_of_every_length() {
    for (nodes, each) in [(2, 1), (2, 2), (3, 2)] {
        for bytes in [0, 1, 1024, 1025, 16 << 10, 16_385, 70_000, 300_000] {
            let all = (nodes * each) as i32;
            finishes(nodes, each, async |r| {
                let me = r.id() as i32;
                fill(r, 64, bytes, r.id());
                let sent = isend(r, Addr(64), bytes as i64, BYTE, (me + 1) % all, 7, Comm::WORLD).unwrap();
                let status = recv(r, Addr(OTHER), bytes as i64 + 9, BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, Comm::WORLD)
                    .await
                    .unwrap();
                wait(r, sent).await.unwrap();
                assert_eq!((status.source, status.tag, status.bytes()), ((me + all - 1) % all, 7, bytes as u64));
                holds(r, OTHER, bytes, status.source as usize);
            });
        }
    }
}

#[test]
fn messages_keep_their_order() {
    finishes(2, 2, async |r| {
        let lengths = [4, 200, 5000, 30_000];
        if r.id() > 0 {
            for i in 0..400 {
                r.memory().write_i32(Addr(64), i, "i").unwrap();
                let kind = if i % 5 == 0 { Kind::Ssend } else { Kind::Send };
                send_as(r, kind, Addr(64), lengths[i as usize % 4], BYTE, 0, i % 3, Comm::WORLD).await.unwrap();
            }
            return;
        }
        let mut next = [0; 4];
        for _ in 0..1200 {
            let status = recv(r, Addr(64), 30_000, BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, Comm::WORLD).await.unwrap();
            let next = &mut next[status.source as usize];
            assert_eq!((r.memory().read_i32(Addr(64), "i").unwrap(), status.tag), (*next, *next % 3));
            assert_eq!(status.bytes(), lengths[*next as usize % 4] as u64);
            *next += 1;
        }
    });
}

#[test]
fn who_sends_first_to_each_other_is_buffered() {
    finishes(2, 1, async |r| {
        let other = 1 - r.id() as i32;
        fill(r, 64, 64 << 10, r.id());
        send(r, Addr(64), 64 << 10, BYTE, other, 0, Comm::WORLD).await.unwrap();
        fill(r, 64, 64 << 10, 99);
        recv(r, Addr(OTHER), 64 << 10, BYTE, other, 0, Comm::WORLD).await.unwrap();
        holds(r, OTHER, 64 << 10, other as usize);
    });
}

#[test]
fn messages_that_nobody_receives_yet_are_kept_or_offered() {
    finishes(2, 1, async |r| {
        let bytes = 8 << 10;
        for seed in 0..600 {
            if r.id() == 0 {
                fill(r, 64, bytes, seed);
                send(r, Addr(64), bytes as i64, BYTE, 1, 0, Comm::WORLD).await.unwrap();
            }
        }
        // Now the other has it all, or knows of it.
        coll::run(r, Comm::WORLD, |c| Barrier::new(r, c)).await.unwrap();
        for seed in 0..600 {
            if r.id() == 1 {
                recv(r, Addr(OTHER), bytes as i64, BYTE, 0, 0, Comm::WORLD).await.unwrap();
                holds(r, OTHER, bytes, seed);
            }
        }
    });
}

#[test]
fn messages_that_do_not_fit_are_cut() {
    finishes(2, 1, async |r| {
        if r.id() == 0 {
            for bytes in [100, 9000, 100_000] {
                fill(r, 64, bytes, 5);
                send(r, Addr(64), bytes as i64, BYTE, 1, 0, Comm::WORLD).await.unwrap();
            }
            return;
        }
        for (bytes, room) in [(100, 10), (9000, 5000), (100_000, 70_000)] {
            let error = recv(r, Addr(OTHER), room, BYTE, 0, 0, Comm::WORLD).await.unwrap_err();
            assert!(error.text.contains(&format!("a message of {bytes} bytes")), "{}", error.text);
            holds(r, OTHER, room as usize, 5);
        }
    });
}

#[test]
fn probes_see_what_is_away() {
    finishes(2, 1, async |r| {
        for bytes in [10, 9000, 50_000] {
            if r.id() == 0 {
                fill(r, 64, bytes, 3);
                send(r, Addr(64), bytes as i64, BYTE, 1, 4, Comm::WORLD).await.unwrap();
                continue;
            }
            let status = probe(r, MPI_ANY_SOURCE, MPI_ANY_TAG, Comm::WORLD).await.unwrap();
            assert_eq!((status.source, status.tag, status.bytes()), (0, 4, bytes as u64));
            let (message, _) = mprobe(r, 0, 4, Comm::WORLD).await.unwrap();
            mrecv(r, Addr(OTHER), bytes as i64, BYTE, message).await.unwrap();
            holds(r, OTHER, bytes, 3);
        }
    });
}

#[test]
fn sends_are_cancelled_or_matched() {
    finishes(2, 1, async |r| {
        if r.id() == 0 {
            let sent = isend_as(r, Kind::Ssend, Addr(64), 5000, BYTE, 1, 1, Comm::WORLD).unwrap();
            cancel(r, sent).await.unwrap();
            let cancelled = wait(r, sent).await.unwrap().status.cancelled();
            r.memory().write_i32(Addr(64), cancelled.into(), "cancelled").unwrap();
            send(r, Addr(64), 4, BYTE, 1, 2, Comm::WORLD).await.unwrap();
            return;
        }
        recv(r, Addr(64), 4, BYTE, 0, 2, Comm::WORLD).await.unwrap();
        assert_eq!(r.memory().read_i32(Addr(64), "cancelled").unwrap(), 1, "nobody receives it");
    });
    // One that is received, or is not.
    finishes(2, 1, async |r| {
        if r.id() == 1 {
            let posted = irecv(r, Addr(OTHER), 5000, BYTE, 0, 1, Comm::WORLD).unwrap();
            recv(r, Addr(64), 4, BYTE, 0, 2, Comm::WORLD).await.unwrap();
            if r.memory().read_i32(Addr(64), "cancelled").unwrap() != 0 {
                cancel(r, posted).await.unwrap();
            }
            wait(r, posted).await.unwrap();
            return;
        }
        let sent = isend_as(r, Kind::Ssend, Addr(64), 5000, BYTE, 1, 1, Comm::WORLD).unwrap();
        cancel(r, sent).await.unwrap();
        let cancelled = wait(r, sent).await.unwrap().status.cancelled();
        r.memory().write_i32(Addr(64), cancelled.into(), "cancelled").unwrap();
        send(r, Addr(64), 4, BYTE, 1, 2, Comm::WORLD).await.unwrap();
    });
}

#[test]
fn collectives_go_over_nodes() {
    for (nodes, each) in [(2, 1), (2, 2), (3, 3)] {
        let all = (nodes * each) as usize;
        finishes(nodes, each, async |r| {
            let world = comm_dup(r, Comm::WORLD).await.unwrap();
            let shared = comm_split_type(r, world, MPI_COMM_TYPE_SHARED, 0, Info::NULL).await.unwrap();
            let in_order = r.world().nodes().unwrap().ranks_of(r.world().nodes().unwrap().node);
            let near: Vec<usize> = in_order.map(|rank| rank as usize).collect();
            let me = comm_rank(r, shared).unwrap() as usize;
            assert_eq!((comm_size(r, shared).unwrap(), near[me]), (each as i32, r.id()));
            let odd = comm_split(r, world, r.id() as i32 % 2, -(r.id() as i32)).await.unwrap();
            assert_eq!(comm_size(r, odd).unwrap() as usize, (all + 1 - r.id() % 2) / 2);
            let other = if r.id() % 2 == 0 { 1 } else { 0 };
            let between = intercomm_create(r, odd, comm_size(r, odd).unwrap() - 1, world, other, 3).await.unwrap();
            coll::run(r, between, |c| Barrier::new(r, c)).await.unwrap();
            let merged = intercomm_merge(r, between, r.id() % 2 == 1).await.unwrap();
            assert_eq!(comm_size(r, merged).unwrap() as usize, all);
            coll::run(r, merged, |c| Barrier::new(r, c)).await.unwrap();
            assert_eq!(comm_rank(r, world).unwrap(), r.id() as i32);
            for count in [1, 300, 20_000] {
                let (ty, count_) = (Datatype::INT, count as i64);
                let mine: Vec<i32> = (0..count).map(|index| (r.id() * 1000 + index) as i32).collect();
                r.memory().write_i32s(Addr(64), &mine, "mine").unwrap();
                coll::run(r, world, |c| Allreduce::new(r, c, Addr(64), Addr(OTHER), count_, ty, Op::SUM))
                    .await
                    .unwrap();
                let sum: Vec<i32> =
                    (0..count).map(|index| (0..all).map(|rank| (rank * 1000 + index) as i32).sum()).collect();
                assert!(r.memory().read_i32s(Addr(OTHER), count, "sum").unwrap() == sum);
                coll::run(r, world, |c| Bcast::new(r, c, Addr(64), count_, ty, 1)).await.unwrap();
                let first: Vec<i32> = (0..count).map(|index| (1000 + index) as i32).collect();
                assert!(r.memory().read_i32s(Addr(64), count, "bcast").unwrap() == first);
                coll::run(r, world, |c| Barrier::new(r, c)).await.unwrap();
            }
            let mine: Vec<i32> = (0..all * 500).map(|index| (r.id() * 10_000 + index) as i32).collect();
            r.memory().write_i32s(Addr(64), &mine, "mine").unwrap();
            let ty = Datatype::INT;
            coll::run(r, world, |c| Alltoall::even(r, c, Addr(64), 500, ty, Addr(OTHER), 500, ty)).await.unwrap();
            let all_of_mine: Vec<i32> = (0..all)
                .flat_map(|rank| (0..500).map(move |index| (rank * 10_000 + r.id() * 500 + index) as i32))
                .collect();
            assert!(r.memory().read_i32s(Addr(OTHER), all * 500, "all").unwrap() == all_of_mine);
            coll::run(r, world, |c| Allgather::even(r, c, MPI_IN_PLACE, 0, ty, Addr(OTHER), 500, ty)).await.unwrap();
        });
    }
}

#[test]
fn many_at_once_in_both_directions() {
    finishes(2, 2, async |r| {
        let (me, other) = (r.id() as i32, (r.id() as i32 + 2) % 4);
        let mut requests: Vec<Request> = Vec::new();
        for tag in 0..60 {
            let bytes = [8, 900, 3000][tag as usize % 3];
            requests.push(irecv(r, Addr(OTHER + tag as u64 * 4096), bytes, BYTE, other, tag, Comm::WORLD).unwrap());
        }
        for tag in (0..60).rev() {
            let bytes = [8, 900, 3000][tag as usize % 3];
            fill(r, 64 + tag as u64 * 4096, bytes as usize, (me * 100 + tag) as usize);
            requests.push(isend(r, Addr(64 + tag as u64 * 4096), bytes, BYTE, other, tag, Comm::WORLD).unwrap());
        }
        waitall(r, &requests).await.unwrap();
        for tag in 0..60 {
            holds(r, OTHER + tag as u64 * 4096, [8, 900, 3000][tag as usize % 3], (other * 100 + tag) as usize);
        }
    });
}

#[test]
fn a_deadlock_over_nodes_is_found_everywhere() {
    for (nodes, each) in [(2, 1), (3, 2)] {
        let all = (nodes * each) as i32;
        let told = job(nodes, each, false, SOON, SMALL, async |r: &Rank| {
            let me = r.id() as i32;
            // Some messages first, and then everybody waits for the one before.
            send(r, Addr(64), 2000, BYTE, (me + 1) % all, 1, Comm::WORLD).await.unwrap();
            recv(r, Addr(OTHER), 2000, BYTE, MPI_ANY_SOURCE, 1, Comm::WORLD).await.unwrap();
            recv(r, Addr(OTHER), 1, BYTE, (me + all - 1) % all, 2, Comm::WORLD).await.unwrap();
        });
        for (left, results) in told {
            assert_eq!(left, Left { end: End::Deadlock, why: None });
            assert!(results.iter().all(Option::is_none));
        }
    }
    // Those that have left don't matter, nor those that wait for them.
    let told = job(2, 2, false, SOON, SMALL, async |r: &Rank| {
        if r.id() == 3 {
            recv(r, Addr(64), 1, BYTE, 0, 2, Comm::WORLD).await.unwrap();
        }
    });
    assert!(told.iter().all(|(left, _)| left.end == End::Deadlock));
    assert_eq!(told.into_iter().flat_map(|(_, results)| results).filter(Option::is_none).count(), 1);
}

#[test]
fn who_aborts_ends_all_nodes() {
    let told = job(3, 2, false, SOON, SMALL, async |r: &Rank| {
        if r.id() == 3 {
            rankine_local::init::abort(r, Comm::WORLD, 7).await.unwrap();
        }
        // What they wait for is on its way, or half there.
        let _ = isend(r, Addr(64), 100_000, BYTE, (r.id() as i32 + 2) % 6, 0, Comm::WORLD).unwrap();
        let _ = recv(r, Addr(OTHER), 100_000, BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, Comm::WORLD).await;
        recv(r, Addr(64), 1, BYTE, 3, 9, Comm::WORLD).await.unwrap();
    });
    for (left, results) in told {
        assert_eq!(left.end, End::Aborted { rank: 3, code: 7 });
        assert!(results.iter().all(Option::is_none));
    }
}

#[test]
fn half_a_message_is_none_where_the_job_ends() {
    const LONG: usize = 1_000_000;
    for _ in 0..20 {
        let told = job(2, 1, false, SOON, SMALL, async |r: &Rank| {
            if r.id() == 1 {
                let _ = isend(r, Addr(64), LONG as i64, BYTE, 0, 1, Comm::WORLD).unwrap();
                recv(r, Addr(OTHER), 1, BYTE, 0, 2, Comm::WORLD).await.unwrap();
                rankine_local::init::abort(r, Comm::WORLD, 7).await.unwrap();
            }
            let long = irecv(r, Addr(OTHER), LONG as i64, BYTE, 1, 1, Comm::WORLD).unwrap();
            send(r, Addr(64), 1, BYTE, 1, 2, Comm::WORLD).await.unwrap();
            wait(r, long).await.unwrap();
        });
        // Its rank has not gone on as if it had come.
        assert_eq!(told.iter().map(|(_, results)| results[0]).collect::<Vec<_>>(), [None, None]);
    }
}
