//! The calls, each as a function that callgrind finds by its name.

use std::ops::ControlFlow;

use rankine_local::abi::{Comm, Datatype, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_LOCK_EXCLUSIVE, Op, Request};
use rankine_local::coll::{
    self, Allgather, Allreduce, Alltoall, Barrier, Bcast, Gather, Reduce, ReduceScatter, Scan, Scatter,
};
use rankine_local::comm::{comm_dup, comm_free, comm_group, comm_rank, comm_size};
use rankine_local::datatype::{type_commit, type_free, type_vector};
use rankine_local::group::{group_free, group_translate_ranks};
use rankine_local::info::{info_create, info_free, info_get, info_set};
use rankine_local::pack::{pack, unpack};
use rankine_local::pt2pt::{imrecv, iprobe, irecv, isend, mprobe, probe, recv, send, send_as, sendrecv_at_once};
use rankine_local::request::{start, test, wait, waitall};
use rankine_local::rma::{
    accumulate, compare_and_swap, fetch_and_op, get, get_accumulate, put, win_fence, win_flush_at_once,
    win_lock_at_once, win_unlock_at_once,
};
use rankine_local::{Kind, Rank};

use crate::pair::{IN, Kit, OUT, Pair};

const BYTE: Datatype = Datatype::BYTE;
const INT: Datatype = Datatype::INT;
const WORLD: Comm = Comm::WORLD;

macro_rules! calls {
    ($($name:ident: $how:ident $program:expr;)*) => {
        $(
            #[inline(never)]
            fn $name(pair: &Pair) {
                pair.$how($program);
            }
        )*

        /// All of them by name.
        pub const CALLS: &[(&str, fn(&Pair))] = &[$((stringify!($name), $name)),*];
    };
}

/// Rank 0 sends, rank 1 receives.
async fn message(r: &Rank, kit: Kit, bytes: i64, kind: Kind) {
    match kit.me {
        0 => send_as(r, kind, OUT, bytes, BYTE, 1, 5, WORLD).await.unwrap(),
        _ => drop(recv(r, IN, bytes, BYTE, 0, 5, WORLD).await.unwrap()),
    }
}

/// Goes as far as it comes at once, and then the rest, which is not moved where there is none.
macro_rules! done {
    ($begun:expr) => {
        if let ControlFlow::Continue(rest) = $begun.unwrap() {
            rest.await.unwrap();
        }
    };
}

calls! {
    rank_and_size: one async |r, _| {
        assert_eq!(comm_rank(r, WORLD).unwrap() + comm_size(r, WORLD).unwrap(), 2);
    };
    send_nothing: both async |r, kit| message(r, kit, 0, Kind::Send).await;
    send_8: both async |r, kit| message(r, kit, 8, Kind::Send).await;
    send_1024: both async |r, kit| message(r, kit, 1024, Kind::Send).await;
    send_65536: both async |r, kit| message(r, kit, 65_536, Kind::Send).await;
    ssend_8: both async |r, kit| message(r, kit, 8, Kind::Ssend).await;
    from_anyone: both async |r, kit| match kit.me {
        0 => send(r, OUT, 8, BYTE, 1, 5, WORLD).await.unwrap(),
        _ => drop(recv(r, IN, 8, BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD).await.unwrap()),
    };
    sixteen_at_once: both async |r, kit| {
        let one = |tag: i32| match kit.me {
            0 => isend(r, OUT, 8, BYTE, 1, tag, WORLD).unwrap(),
            _ => irecv(r, IN, 8, BYTE, 0, tag, WORLD).unwrap(),
        };
        let requests: [Request; 16] = std::array::from_fn(|tag| one(tag as i32));
        waitall(r, &requests).await.unwrap();
    };
    sixteen_out_of_order: both async |r, kit| {
        let one = |tag: i32| match kit.me {
            0 => isend(r, OUT, 8, BYTE, 1, tag, WORLD).unwrap(),
            _ => irecv(r, IN, 8, BYTE, 0, 15 - tag, WORLD).unwrap(),
        };
        let requests: [Request; 16] = std::array::from_fn(|tag| one(tag as i32));
        waitall(r, &requests).await.unwrap();
    };
    exchange_8: both async |r, kit| {
        let call = sendrecv_at_once(r, OUT, 8, BYTE, kit.other, 5, IN, 8, BYTE, kit.other, 5, WORLD);
        if let ControlFlow::Continue(rest) = call.unwrap() {
            rest.await.unwrap();
        }
    };
    persistent_8: both async |r, kit| {
        start(r, kit.persistent).unwrap();
        wait(r, kit.persistent).await.unwrap();
    };
    probe_8: both async |r, kit| match kit.me {
        0 => send(r, OUT, 8, BYTE, 1, 5, WORLD).await.unwrap(),
        _ => {
            let status = probe(r, 0, 5, WORLD).await.unwrap();
            recv(r, IN, 8, BYTE, status.source, 5, WORLD).await.unwrap();
        }
    };
    mprobe_8: both async |r, kit| match kit.me {
        0 => send(r, OUT, 8, BYTE, 1, 5, WORLD).await.unwrap(),
        _ => {
            let (message, _) = mprobe(r, 0, 5, WORLD).await.unwrap();
            let (_, request) = imrecv(r, IN, 8, BYTE, message).unwrap();
            wait(r, request).await.unwrap();
        }
    };
    iprobe_in_vain: one async |r, _| assert!(!iprobe(r, 1, 77, WORLD).await.unwrap().0);
    test_in_vain: both async |r, kit| match kit.me {
        0 => {
            let request = irecv(r, IN, 8, BYTE, 1, 6, WORLD).unwrap();
            assert!(test(r, request).await.unwrap().is_none());
            send(r, OUT, 0, BYTE, 1, 7, WORLD).await.unwrap();
            wait(r, request).await.unwrap();
        }
        _ => {
            recv(r, IN, 0, BYTE, 0, 7, WORLD).await.unwrap();
            send(r, OUT, 8, BYTE, 0, 6, WORLD).await.unwrap();
        }
    };
    send_vector: both async |r, kit| match kit.me {
        0 => send(r, OUT, 1, kit.vector, 1, 5, WORLD).await.unwrap(),
        _ => drop(recv(r, IN, 1, kit.vector, 0, 5, WORLD).await.unwrap()),
    };
    pack_and_unpack: one async |r, kit| {
        let end = pack(r, OUT, 1, kit.vector, IN, 4096, 0, WORLD).unwrap();
        unpack(r, IN, end, 0, OUT, 1, kit.vector, WORLD).unwrap();
    };
    make_vector: one async |r, _| {
        let vector = type_vector(r, 10, 1, 2, INT).unwrap();
        type_commit(r, vector).unwrap();
        type_free(r, vector).await.unwrap();
    };
    barrier: both async |r, _| coll::run(r, WORLD, |c| Barrier::new(r, c)).await.unwrap();
    ibarrier: both async |r, _| {
        let request = coll::start(r, WORLD, |c| Barrier::new(r, c)).unwrap();
        wait(r, request).await.unwrap();
    };
    bcast_8: both async |r, _| coll::run(r, WORLD, |c| Bcast::new(r, c, OUT, 8, BYTE, 0)).await.unwrap();
    bcast_65536: both async |r, _| coll::run(r, WORLD, |c| Bcast::new(r, c, OUT, 65_536, BYTE, 0)).await.unwrap();
    reduce_int: both async |r, _| coll::run(r, WORLD, |c| Reduce::new(r, c, OUT, IN, 1, INT, Op::SUM, 0)).await.unwrap();
    allreduce_int: both async |r, _| coll::run(r, WORLD, |c| Allreduce::new(r, c, OUT, IN, 1, INT, Op::SUM)).await.unwrap();
    allreduce_1024_ints: both async |r, _| {
        coll::run(r, WORLD, |c| Allreduce::new(r, c, OUT, IN, 1024, INT, Op::SUM)).await.unwrap();
    };
    iallreduce_int: both async |r, _| {
        let request = coll::start(r, WORLD, |c| Allreduce::new(r, c, OUT, IN, 1, INT, Op::SUM)).unwrap();
        wait(r, request).await.unwrap();
    };
    allgather_8: both async |r, _| {
        coll::run(r, WORLD, |c| Allgather::even(r, c, OUT, 8, BYTE, IN, 8, BYTE)).await.unwrap();
    };
    alltoall_8: both async |r, _| {
        coll::run(r, WORLD, |c| Alltoall::even(r, c, OUT, 8, BYTE, IN, 8, BYTE)).await.unwrap();
    };
    gather_8: both async |r, _| {
        coll::run(r, WORLD, |c| Gather::even(r, c, OUT, 8, BYTE, IN, 8, BYTE, 0)).await.unwrap();
    };
    scatter_8: both async |r, _| {
        coll::run(r, WORLD, |c| Scatter::even(r, c, OUT, 8, BYTE, IN, 8, BYTE, 0)).await.unwrap();
    };
    scan_int: both async |r, _| coll::run(r, WORLD, |c| Scan::inclusive(r, c, OUT, IN, 1, INT, Op::SUM)).await.unwrap();
    reduce_scatter_int: both async |r, _| {
        coll::run(r, WORLD, |c| ReduceScatter::even(r, c, OUT, IN, 1, INT, Op::SUM)).await.unwrap();
    };
    put_8: one async |r, kit| put(r, OUT, 8, BYTE, 1, 0, 8, BYTE, kit.locked).unwrap();
    put_and_flush_8: one async |r, kit| {
        put(r, OUT, 8, BYTE, 1, 8, 8, BYTE, kit.locked).unwrap();
        done!(win_flush_at_once(r, 1, kit.locked));
    };
    get_8: one async |r, kit| get(r, IN, 8, BYTE, 1, 0, 8, BYTE, kit.locked).unwrap();
    accumulate_int: one async |r, kit| accumulate(r, OUT, 1, INT, 1, 0, 1, INT, Op::SUM, kit.locked).unwrap();
    accumulate_256_ints: one async |r, kit| accumulate(r, OUT, 256, INT, 1, 0, 256, INT, Op::SUM, kit.locked).unwrap();
    get_accumulate_int: one async |r, kit| {
        get_accumulate(r, OUT, 1, INT, IN, 1, INT, 1, 0, 1, INT, Op::SUM, kit.locked).unwrap();
    };
    fetch_and_add: one async |r, kit| fetch_and_op(r, OUT, IN, INT, 1, 0, Op::SUM, kit.locked).unwrap();
    swap: one async |r, kit| compare_and_swap(r, OUT, IN, IN, INT, 1, 0, kit.locked).unwrap();
    lock_and_unlock: one async |r, kit| {
        done!(win_lock_at_once(r, MPI_LOCK_EXCLUSIVE, 1, 0, kit.free));
        done!(win_unlock_at_once(r, 1, kit.free));
    };
    fence: both async |r, kit| win_fence(r, 0, kit.fenced).await.unwrap();
    duplicate: both async |r, _| {
        let comm = comm_dup(r, WORLD).await.unwrap();
        comm_free(r, comm).await.unwrap();
    };
    translate_ranks: one async |r, _| {
        let group = comm_group(r, WORLD).unwrap();
        group_translate_ranks(r, group, 2, &[0, 1], group).unwrap();
        group_free(r, group).unwrap();
    };
    set_info: one async |r, _| {
        let info = info_create(r).unwrap();
        info_set(r, info, "key", "value").unwrap();
        assert!(info_get(r, info, "key", 10).unwrap().is_some());
        info_free(r, info).unwrap();
    };
}
