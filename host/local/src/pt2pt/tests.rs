use rankine_abi::{
    MPI_ANY_TAG, MPI_BSEND_OVERHEAD, MPI_BUFFER_AUTOMATIC, MPI_ERR_BUFFER, MPI_ERR_COMM, MPI_ERR_COUNT,
    MPI_ERR_REQUEST, MPI_ERR_TAG, MPI_ERR_TRUNCATE, MPI_ERR_TYPE, Message, Request,
};

use super::*;
use crate::context::Context;
use crate::datatype::{type_commit, type_vector};
use crate::request::{request_free, start, wait, waitall};
use crate::testing::both;
use crate::world::{End, Options};

const BYTE: Datatype = Datatype::BYTE;
const WORLD: Comm = Comm::WORLD;

/// Lengths on both sides of every boundary of the transport.
const LENGTHS: &[i64] = if cfg!(miri) {
    &[0, 1, 104, 105, 1025, 6000]
} else {
    &[0, 1, 104, 105, 1024, 1025, 65536, 65537, 262_144, 300_000]
};

fn fill(r: &Rank, at: u64, length: i64, seed: u8) {
    let bytes: Vec<u8> = (0..length).map(|i| (i as u8).wrapping_mul(31).wrapping_add(seed)).collect();
    r.memory().write_bytes(Addr(at), &bytes, "fill").unwrap();
}

fn check(r: &Rank, at: u64, length: i64, seed: u8) {
    let bytes = r.memory().read_bytes(Addr(at), length as u64, "check").unwrap();
    for (i, byte) in bytes.iter().enumerate() {
        assert_eq!(*byte, (i as u8).wrapping_mul(31).wrapping_add(seed), "byte {i} of {length}");
    }
}

#[test]
fn every_mode_delivers_every_length() {
    for &length in LENGTHS {
        both(2, async |r| {
            let there = Addr(500_000);
            if r.id() == 0 {
                buffer_attach(r, Addr(64), 399_000).unwrap();
                for mode in 0..8 {
                    fill(r, 64, length, mode as u8);
                    let request = match mode {
                        0 => send(r, Addr(64), length, BYTE, 1, mode, WORLD).await.map(|()| Request::NULL),
                        1 => send_as(r, Kind::Ssend, Addr(64), length, BYTE, 1, mode, WORLD)
                            .await
                            .map(|()| Request::NULL),
                        2 => send(r, Addr(64), length, BYTE, 1, mode, WORLD).await.map(|()| Request::NULL),
                        3 => bsend(r, Addr(64), length, BYTE, 1, mode, WORLD).await.map(|()| Request::NULL),
                        4 => isend(r, Addr(64), length, BYTE, 1, mode, WORLD),
                        5 => isend_as(r, Kind::Ssend, Addr(64), length, BYTE, 1, mode, WORLD),
                        6 => isend(r, Addr(64), length, BYTE, 1, mode, WORLD),
                        _ => ibsend(r, Addr(64), length, BYTE, 1, mode, WORLD),
                    };
                    wait(r, request.unwrap()).await.unwrap();
                    buffer_flush(r).await.unwrap();
                }
                assert_eq!(buffer_detach(r).await.unwrap(), (Addr(64), 399_000));
            } else {
                for mode in 0..8 {
                    fill(r, there.0, length, 255);
                    let status = recv(r, there, length, BYTE, 0, mode, WORLD).await.unwrap();
                    assert_eq!((status.source, status.tag, status.bytes()), (0, mode, length as u64));
                    check(r, there.0, length, mode as u8);
                }
            }
        });
    }
}

#[test]
fn a_rank_sends_to_itself() {
    for &length in LENGTHS {
        both(2, async |r| {
            let me = r.id() as i32;
            fill(r, 64, length, 3);
            let request = isend(r, Addr(64), length, BYTE, me, 1, WORLD).unwrap();
            let status = recv(r, Addr(400_000), length, BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD).await.unwrap();
            assert_eq!((status.source, status.bytes()), (me, length as u64));
            check(r, 400_000, length, 3);
            wait(r, request).await.unwrap();
            let request = irecv(r, Addr(400_000), length, BYTE, 0, 2, Comm::SELF).unwrap();
            send_as(r, Kind::Ssend, Addr(64), length, BYTE, 0, 2, Comm::SELF).await.unwrap();
            wait(r, request).await.unwrap();
            check(r, 400_000, length, 3);
        });
    }
}

#[test]
fn exchanges_in_a_ring() {
    for &length in LENGTHS {
        both(3, async |r| {
            let (right, left) = ((r.id() as i32 + 1) % 3, (r.id() as i32 + 2) % 3);
            let there = Addr(400_000);
            fill(r, 64, length, r.id() as u8);
            let call = sendrecv_at_once(r, Addr(64), length, BYTE, right, 1, there, length, BYTE, left, 1, WORLD);
            let status = match call.unwrap() {
                Break(status) => status,
                Continue(rest) => rest.await.unwrap(),
            };
            assert_eq!((status.source, status.bytes()), (left, length as u64));
            check(r, there.0, length, left as u8);
            sendrecv_replace(r, Addr(64), length, BYTE, right, 2, left, MPI_ANY_TAG, WORLD).await.unwrap();
            check(r, 64, length, left as u8);
            let request = isendrecv(r, Addr(64), length, BYTE, left, 3, there, length, BYTE, right, 3, WORLD).unwrap();
            wait(r, request).await.unwrap();
            check(r, there.0, length, r.id() as u8);
            let request = isendrecv_replace(r, Addr(64), length, BYTE, left, 4, right, 4, WORLD).unwrap();
            assert_eq!(wait(r, request).await.unwrap().status.source, right);
            check(r, 64, length, r.id() as u8);
        });
    }
}

#[test]
fn nobody_is_a_peer_too() {
    both(1, async |r| {
        let nobody = MPI_PROC_NULL;
        send(r, Addr(64), 4, BYTE, nobody, 1, WORLD).await.unwrap();
        assert_eq!(recv(r, Addr(64), 4, BYTE, nobody, 1, WORLD).await.unwrap(), Status::PROC_NULL);
        assert_eq!(probe(r, nobody, 1, WORLD).await.unwrap(), Status::PROC_NULL);
        assert_eq!(mprobe(r, nobody, 1, WORLD).await.unwrap(), (Message::NO_PROC, Status::PROC_NULL));
        let (message, status) = mrecv(r, Addr(64), 4, BYTE, Message::NO_PROC).await.unwrap();
        assert_eq!((message, status), (Message::NULL, Status::PROC_NULL));
        let status = sendrecv_replace(r, Addr(64), 4, BYTE, nobody, 1, nobody, 1, WORLD).await.unwrap();
        assert_eq!(status, Status::PROC_NULL);
        let request = irecv(r, Addr(64), 4, BYTE, nobody, 1, WORLD).unwrap();
        assert_eq!(wait(r, request).await.unwrap().status, Status::PROC_NULL);
        let request = recv_init(r, Addr(64), 4, BYTE, nobody, 1, WORLD).unwrap();
        start(r, request).unwrap();
        assert_eq!(wait(r, request).await.unwrap().status, Status::PROC_NULL);
        request_free(r, request).await.unwrap();
    });
}

#[test]
fn wrong_arguments_are_named() {
    both(2, async |r| {
        let class = |result: Result<Request>| result.unwrap_err().class;
        assert_eq!(class(isend(r, Addr(64), 1, BYTE, 1, 0, Comm(77))), MPI_ERR_COMM);
        assert_eq!(class(isend(r, Addr(64), 1, BYTE, 1, 0, Comm::NULL)), MPI_ERR_COMM);
        assert_eq!(class(isend(r, Addr(64), -1, BYTE, 1, 0, WORLD)), MPI_ERR_COUNT);
        assert_eq!(class(isend(r, Addr(64), 1, Datatype::NULL, 1, 0, WORLD)), MPI_ERR_TYPE);
        assert_eq!(class(isend(r, Addr(64), 1, BYTE, 1, -3, WORLD)), MPI_ERR_TAG);
        assert_eq!(class(isend(r, Addr(64), 1, BYTE, 2, 0, WORLD)), MPI_ERR_RANK);
        assert_eq!(class(isend(r, Addr(64), 1, BYTE, MPI_ANY_SOURCE, 0, WORLD)), MPI_ERR_RANK);
        assert_eq!(class(isend(r, Addr(u32::MAX.into()), 1, BYTE, 1, 0, WORLD)), MPI_ERR_BUFFER);
        assert_eq!(class(isend(r, Addr(64), i64::MAX, BYTE, 1, 0, WORLD)), MPI_ERR_BUFFER);
        assert_eq!(class(irecv(r, Addr(64), 1, BYTE, 1, -7, WORLD)), MPI_ERR_TAG);
        assert_eq!(class(irecv(r, Addr(64), 1, BYTE, 9, 0, WORLD)), MPI_ERR_RANK);
        assert_eq!(class(recv_init(r, Addr(64), 1, BYTE, 9, 0, WORLD)), MPI_ERR_RANK);
        let error = send(r, Addr(1 << 20), 8, BYTE, 1, 0, WORLD).await.unwrap_err();
        assert_eq!(error.text, "the buffer: 8 bytes at address 0x100000 are not inside the memory of 1048576 bytes");
        let error = mrecv(r, Addr(64), 1, BYTE, Message::NULL).await.unwrap_err();
        assert_eq!((error.class, &*error.text), (MPI_ERR_REQUEST, "the message is MPI_MESSAGE_NULL"));
    });
}

#[test]
fn what_does_not_fit_is_cut_and_told() {
    for length in [8, 600, 5000, if cfg!(miri) { 9000 } else { 300_000 }] {
        both(2, async |r| {
            let peer = 1 - r.id() as i32;
            fill(r, 64, length, 9);
            let request = isend(r, Addr(64), length, BYTE, peer, 1, WORLD).unwrap();
            fill(r, 500_000, length, 0);
            let error = recv(r, Addr(500_000), length - 1, BYTE, peer, 1, WORLD).await.unwrap_err();
            assert_eq!(error.class, MPI_ERR_TRUNCATE);
            assert!(error.text.starts_with(&format!("a message of {length} bytes from rank {peer} with tag 1")));
            check(r, 500_000, length - 1, 9);
            let after = r.memory().read_bytes(Addr(500_000 + length as u64 - 1), 1, "after").unwrap();
            assert_eq!(after[0], ((length - 1) as u8).wrapping_mul(31));
            assert!(wait(r, request).await.unwrap().error.is_none());
        });
    }
}

#[test]
fn probing_leaves_the_message_and_matching_takes_it() {
    for length in [5, 500, 5000, if cfg!(miri) { 9000 } else { 100_000 }] {
        both(2, async |r| {
            if r.id() == 0 {
                let mut sends = Vec::new();
                for tag in 1..=4 {
                    let at = Addr(tag as u64 * 100_000);
                    fill(r, at.0, length, tag as u8);
                    sends.push(isend(r, at, length, BYTE, 1, tag, WORLD).unwrap());
                }
                waitall(r, &sends).await.unwrap();
                return;
            }
            let status = probe(r, MPI_ANY_SOURCE, 2, WORLD).await.unwrap();
            assert_eq!((status.source, status.tag, status.bytes()), (0, 2, length as u64));
            let (flag, status) = iprobe(r, 0, MPI_ANY_TAG, WORLD).await.unwrap();
            assert!(flag && status.tag == 1);
            let (second, status) = mprobe(r, 0, 2, WORLD).await.unwrap();
            assert_eq!(status.tag, 2);
            assert!(!iprobe(r, 0, 2, WORLD).await.unwrap().0, "it is matched");
            let (first, _) = loop {
                let (flag, message, status) = improbe(r, 0, MPI_ANY_TAG, WORLD).await.unwrap();
                if flag {
                    break (message, status);
                }
            };
            let (third, _) = mprobe(r, 0, MPI_ANY_TAG, WORLD).await.unwrap();
            let (null, request) = imrecv(r, Addr(400_000), length, BYTE, third).unwrap();
            assert_eq!((null, wait(r, request).await.unwrap().status.tag), (Message::NULL, 3));
            check(r, 400_000, length, 3);
            recv(r, Addr(400_000), length, BYTE, 0, 4, WORLD).await.unwrap();
            for (message, tag) in [(first, 1), (second, 2)] {
                let (_, status) = mrecv(r, Addr(400_000), length, BYTE, message).await.unwrap();
                assert_eq!((status.tag, status.bytes()), (tag, length as u64));
                check(r, 400_000, length, tag as u8);
                assert!(mrecv(r, Addr(400_000), length, BYTE, message).await.is_err());
            }
        });
    }
}

#[test]
fn buffers_are_accounts() {
    both(2, async |r| {
        let overhead = i64::from(MPI_BSEND_OVERHEAD);
        let go = async || recv(r, Addr(8), 0, BYTE, 1 - r.id() as i32, 9, WORLD).await.unwrap();
        if r.id() == 0 {
            let error = bsend(r, Addr(64), 1, BYTE, 1, 1, WORLD).await.unwrap_err();
            assert_eq!(error.class, MPI_ERR_BUFFER);
            buffer_attach(r, Addr(64), 2 * (5000 + overhead)).unwrap();
            assert!(buffer_attach(r, Addr(64), 1).is_err());
            for _ in 0..2 {
                bsend(r, Addr(64), 5000, BYTE, 1, 1, WORLD).await.unwrap();
            }
            let error = bsend(r, Addr(64), 1, BYTE, 1, 1, WORLD).await.unwrap_err();
            assert!(error.text.ends_with("of the 11024 bytes attached to the process"), "{error}");
            comm_attach_buffer(r, WORLD, MPI_BUFFER_AUTOMATIC, 0).unwrap();
            bsend(r, Addr(64), 200_000, BYTE, 1, 2, WORLD).await.unwrap();
            send(r, Addr(8), 0, BYTE, 1, 9, WORLD).await.unwrap();
            assert_eq!(buffer_detach(r).await.unwrap(), (Addr(64), 2 * (5000 + overhead)));
            let request = comm_iflush_buffer(r, WORLD).unwrap();
            wait(r, request).await.unwrap();
            assert_eq!(comm_detach_buffer(r, WORLD).await.unwrap(), (MPI_BUFFER_AUTOMATIC, 0));
            assert_eq!(buffer_detach(r).await.unwrap_err().class, MPI_ERR_BUFFER);
        } else {
            go().await;
            for (tag, length) in [(1, 5000), (1, 5000), (2, 200_000)] {
                recv(r, Addr(64), length, BYTE, 0, tag, WORLD).await.unwrap();
            }
        }
    });
}

#[test]
fn buffered_messages_outlive_their_buffer_at_the_end() {
    both(3, async |r| {
        crate::init::init(r).unwrap();
        buffer_attach(r, Addr(64), 100_000).unwrap();
        let (right, left) = ((r.id() as i32 + 1) % 3, (r.id() as i32 + 2) % 3);
        bsend(r, Addr(64), 80_000, BYTE, right, 1, WORLD).await.unwrap();
        recv(r, Addr(200_000), 80_000, BYTE, left, 1, WORLD).await.unwrap();
        crate::init::finalize(r).await.unwrap();
        assert!(r.check_running().is_err());
    });
}

#[test]
fn full_rings_and_wildcards_under_load() {
    let rounds = if cfg!(miri) { 5 } else { 2000 };
    both(4, async |r| {
        if r.id() == 0 {
            let mut next = [0; 4];
            for _ in 0..3 * rounds {
                let status = recv(r, Addr(64), 4096, BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD).await.unwrap();
                let number = r.memory().read_i32(Addr(64), "number").unwrap();
                assert_eq!((number, status.tag), (next[status.source as usize], status.source));
                next[status.source as usize] += 1;
            }
            return;
        }
        let mut pending = Vec::new();
        for i in 0..rounds {
            let at = Addr(4096 * (1 + i as u64 % 16));
            r.memory().write_i32(at, i, "number").unwrap();
            let length = [4, 300, 1500, 1000, 4096][i as usize % 5];
            pending.push(isend(r, at, length, BYTE, 0, r.id() as i32, WORLD).unwrap());
            if pending.len() == 16 {
                waitall(r, &pending).await.unwrap();
                pending.clear();
            }
        }
        waitall(r, &pending).await.unwrap();
    });
}

#[test]
fn everybody_sends_to_everybody_first() {
    for length in [8, 1000, if cfg!(miri) { 1500 } else { 20_000 }] {
        both(6, async |r| {
            for round in 0..if cfg!(miri) { 1 } else { 20 } {
                for peer in 0..6 {
                    r.memory().write_i32(Addr(64), round, "round").unwrap();
                    send(r, Addr(64), length, BYTE, peer, round, WORLD).await.unwrap();
                }
                for peer in 0..6 {
                    recv(r, Addr(100_000), length, BYTE, peer, round, WORLD).await.unwrap();
                    assert_eq!(r.memory().read_i32(Addr(100_000), "round").unwrap(), round);
                }
            }
        });
    }
}

#[test]
fn a_job_that_ends_lets_go_of_everything() {
    // Long sends and receives, a message set aside and a future are pending when the job ends in deadlock.
    let long = if cfg!(miri) { 2000 } else { 70_000 };
    let program = async |r: &Rank| {
        if r.id() == 0 {
            send_as(r, Kind::Ssend, Addr(64), long, BYTE, 1, 1, WORLD).await.unwrap();
        } else {
            let _set_aside = mprobe(r, 0, 1, WORLD).await.unwrap();
            let _pending = isendrecv_replace(r, Addr(64), long, BYTE, 0, 2, 0, 2, WORLD).unwrap();
            buffer_attach(r, Addr(64), 500_000).unwrap();
            bsend(r, Addr(64), long, BYTE, 0, 3, WORLD).await.unwrap();
            recv(r, Addr(64), 4, BYTE, 0, 7, WORLD).await.unwrap();
        }
    };
    let (_, end) = crate::testing::threads(2, Options::default(), None, program);
    assert_eq!(end, Some(End::Deadlock));
    let (_, end) = crate::testing::turns(2, Options::default(), program);
    assert_eq!(end, Some(End::Deadlock));
}

#[test]
fn messages_in_parts() {
    both(2, async |r| {
        let none = rankine_abi::Info::NULL;
        // 6 parts of 500 bytes are received as 4 of 750, and two pairs with the same tag stay apart.
        if r.id() == 0 {
            let first = psend_init(r, Addr(64), 6, 500, BYTE, 1, 3, WORLD, none).unwrap();
            let second = psend_init(r, Addr(64), 1, 4, BYTE, 1, 3, WORLD, none).unwrap();
            assert_eq!(pready(r, 0, first).unwrap_err().class, MPI_ERR_REQUEST);
            for round in 0..5 {
                fill(r, 64, 3000, round);
                start(r, second).unwrap();
                pready(r, 0, second).unwrap();
                start(r, first).unwrap();
                pready_list(r, &[5, 0], first).unwrap();
                assert!(pready(r, 5, first).is_err() && pready(r, 6, first).is_err());
                pready_range(r, 1, 4, first).unwrap();
                waitall(r, &[first, second]).await.unwrap();
                recv(r, Addr(5000), 0, BYTE, 1, 1, WORLD).await.unwrap();
            }
            request_free(r, first).await.unwrap();
            request_free(r, second).await.unwrap();
        } else {
            let first = precv_init(r, Addr(10_000), 4, 750, BYTE, 0, 3, WORLD, none).unwrap();
            let second = precv_init(r, Addr(20_000), 4, 1, BYTE, 0, 3, WORLD, none).unwrap();
            for round in 0..5 {
                start(r, first).unwrap();
                start(r, second).unwrap();
                for part in [3, 0, 1, 2] {
                    while !parrived(r, first, part).await.unwrap() {}
                }
                check(r, 10_000, 3000, round);
                let status = wait(r, first).await.unwrap().status;
                assert_eq!((status.source, status.tag, status.bytes()), (0, 3, 3000));
                wait(r, second).await.unwrap();
                check(r, 20_000, 4, round);
                assert!(parrived(r, first, 3).await.unwrap() && parrived(r, first, 4).await.is_err());
                send(r, Addr(64), 0, BYTE, 0, 1, WORLD).await.unwrap();
            }
            request_free(r, first).await.unwrap();
            request_free(r, second).await.unwrap();
            // Nobody greets this one.
            let lonely = precv_init(r, Addr(64), 1, 1, BYTE, 0, 8, WORLD, none).unwrap();
            request_free(r, lonely).await.unwrap();
        }
        r.end_orphans().await;
    });
}

#[test]
fn a_partitioned_receive_that_is_freed_leaves_the_next_one_its_own_sender() {
    both(2, async |r| {
        let none = rankine_abi::Info::NULL;
        if r.id() == 0 {
            // The first pair's greeting comes when its receiver has freed the request.
            recv(r, Addr(64), 0, BYTE, 1, 1, WORLD).await.unwrap();
            let freed = psend_init(r, Addr(64), 2, 8, BYTE, 1, 3, WORLD, none).unwrap();
            request_free(r, freed).await.unwrap();
            let used = psend_init(r, Addr(64), 3, 8, BYTE, 1, 3, WORLD, none).unwrap();
            fill(r, 64, 24, 7);
            start(r, used).unwrap();
            pready_range(r, 0, 2, used).unwrap();
            wait(r, used).await.unwrap();
            request_free(r, used).await.unwrap();
        } else {
            let freed = precv_init(r, Addr(10_000), 2, 8, BYTE, 0, 3, WORLD, none).unwrap();
            request_free(r, freed).await.unwrap();
            send(r, Addr(64), 0, BYTE, 0, 1, WORLD).await.unwrap();
            let used = precv_init(r, Addr(20_000), 3, 8, BYTE, 0, 3, WORLD, none).unwrap();
            start(r, used).unwrap();
            wait(r, used).await.unwrap();
            check(r, 20_000, 24, 7);
            request_free(r, used).await.unwrap();
        }
        r.end_orphans().await;
    });
}

#[test]
fn parts_that_come_before_their_receives_keep_the_order_of_their_messages() {
    both(1, async |r| {
        let none = rankine_abi::Info::NULL;
        // Some fit into an envelope, others don't; a message is sent again before anybody receives it.
        for bytes in [8, 100, 1000] {
            let outgoing = psend_init(r, Addr(64), 4, bytes, BYTE, 0, 5, WORLD, none).unwrap();
            let incoming = precv_init(r, Addr(10_000), 2, 2 * bytes, BYTE, 0, 5, WORLD, none).unwrap();
            for round in 0..3 {
                fill(r, 64, 4 * bytes, round);
                start(r, outgoing).unwrap();
                (0..4).rev().for_each(|part| pready(r, part, outgoing).unwrap());
                wait(r, outgoing).await.unwrap();
            }
            for round in 0..3 {
                start(r, incoming).unwrap();
                wait(r, incoming).await.unwrap();
                check(r, 10_000, 4 * bytes, round);
            }
            // Nobody receives this one.
            start(r, outgoing).unwrap();
            pready(r, 2, outgoing).unwrap();
            r.progress();
            assert_eq!(r.matched(|matching| matching.leftovers().messages), 1);
            start(r, incoming).unwrap();
            (0..4).filter(|&part| part != 2).for_each(|part| pready(r, part, outgoing).unwrap());
            waitall(r, &[outgoing, incoming]).await.unwrap();
            assert_eq!(r.matched(|matching| matching.leftovers().messages), 0);
            request_free(r, outgoing).await.unwrap();
            request_free(r, incoming).await.unwrap();
        }
        r.end_orphans().await;
    });
}

/// One step of a schedule.
#[derive(Clone, Debug)]
enum Step {
    Send { from: i32, tag: i32, length: i64, synchronous: bool },
    Receive { from: i32, tag: i32 },
    Probe { from: i32, tag: i32 },
    MatchedProbe { from: i32, tag: i32 },
}

fn steps() -> impl proptest::strategy::Strategy<Value = Vec<Step>> {
    use proptest::prelude::*;
    let source = prop_oneof![Just(MPI_ANY_SOURCE), 0..3];
    let tag = prop_oneof![Just(MPI_ANY_TAG), 0..3];
    let length = prop_oneof![Just(4i64), Just(200), Just(1024), Just(1025), Just(9000)];
    let receive = (source, tag);
    let step = prop_oneof![
        4 => (0..3, 0..3, length, any::<bool>())
            .prop_map(|(from, tag, length, synchronous)| Step::Send { from, tag, length, synchronous }),
        3 => receive.clone().prop_map(|(from, tag)| Step::Receive { from, tag }),
        1 => receive.clone().prop_map(|(from, tag)| Step::Probe { from, tag }),
        1 => receive.prop_map(|(from, tag)| Step::MatchedProbe { from, tag }),
    ];
    proptest::collection::vec(step, 1..40)
}

/// What MPI's matching rules (§3.5) say of a schedule whose steps happen one after the other: for each receive the
/// number of the send that it takes, once it has one; for each probe the number of the send that it sees.
#[derive(Default)]
struct Reference {
    unexpected: Vec<(i32, i32, usize)>,
    posted: Vec<(i32, i32, usize)>,
    /// By number of the receive.
    taken: std::collections::BTreeMap<usize, usize>,
}

impl Reference {
    fn fits((from, tag): (i32, i32), (source, sent, _): &(i32, i32, usize)) -> bool {
        (from == MPI_ANY_SOURCE || from == *source) && (tag == MPI_ANY_TAG || tag == *sent)
    }

    fn send(&mut self, from: i32, tag: i32, number: usize) {
        let message = (from, tag, number);
        match self.posted.iter().position(|posted| Self::fits((posted.0, posted.1), &message)) {
            Some(index) => {
                let receive = self.posted.remove(index).2;
                self.taken.insert(receive, number);
            }
            None => self.unexpected.push(message),
        }
    }

    fn find(&self, from: i32, tag: i32) -> Option<usize> {
        self.unexpected.iter().position(|message| Self::fits((from, tag), message))
    }

    fn receive(&mut self, from: i32, tag: i32, number: usize) {
        match self.find(from, tag) {
            Some(index) => {
                let message = self.unexpected.remove(index).2;
                self.taken.insert(number, message);
            }
            None => self.posted.push((from, tag, number)),
        }
    }
}

/// Runs a schedule on one rank, which sends to itself in the name of several.
async fn follow(r: &Rank, schedule: &[Step]) {
    let mut reference = Reference::default();
    let (mut sends, mut receives) = (Vec::new(), Vec::new());
    for (number, step) in schedule.iter().enumerate() {
        let at = Addr(64 + number as u64 * 10_000);
        match *step {
            Step::Send { from, tag, length, synchronous } => {
                reference.send(from, tag, number);
                r.memory().write_i32(at, number as i32, "number").unwrap();
                let kind = if synchronous { Kind::Ssend } else { Kind::Send };
                let span = r.span(at, length, BYTE).unwrap();
                let what = What { kind, context: Context::SELF, peer: from, tag, destination: r.me() };
                sends.push(r.post_send(what, from, span).unwrap());
            }
            Step::Receive { from, tag } => {
                reference.receive(from, tag, number);
                let span = r.span(at, 10_000, BYTE).unwrap();
                let pattern = Pattern { context: Context::SELF, source: from, tag };
                receives.push((number, at, r.post_recv(pattern, span).unwrap()));
            }
            Step::Probe { from, tag } => {
                let seen = r.peek(&Pattern { context: Context::SELF, source: from, tag });
                let expected = reference.find(from, tag).map(|index| reference.unexpected[index]);
                assert_eq!(seen.map(|header| (header.source, header.tag)), expected.map(|(from, tag, _)| (from, tag)));
            }
            Step::MatchedProbe { from, tag } => {
                let aside = r.set_aside(&Pattern { context: Context::SELF, source: from, tag });
                let expected = reference.find(from, tag).map(|index| reference.unexpected.remove(index));
                assert_eq!(
                    aside.map(|(_, header)| (header.source, header.tag)),
                    expected.map(|(from, tag, _)| (from, tag))
                );
                if let (Some((ticket, _)), Some((_, _, message))) = (aside, expected) {
                    reference.taken.insert(number, message);
                    let span = r.span(at, 10_000, BYTE).unwrap();
                    receives.push((number, at, r.post_ticket(ticket, span).unwrap()));
                }
            }
        }
    }
    for (number, at, receive) in receives {
        assert_eq!(receive.poll(), reference.taken.contains_key(&number), "receive {number}");
        if let Some(message) = reference.taken.get(&number) {
            let outcome = receive.end();
            let Step::Send { from, tag, length, .. } = schedule[*message] else { unreachable!() };
            assert_eq!((outcome.source, outcome.tag, outcome.bytes), (from, tag, length as u64));
            assert_eq!(r.memory().read_i32(at, "number").unwrap(), *message as i32, "receive {number}");
        }
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: if cfg!(miri) { 8 } else { 300 }, ..Default::default() })]

    #[test]
    fn matching_follows_the_standard(schedule in steps()) {
        let program = async |r: &Rank| follow(r, &schedule).await;
        let (results, end) = crate::testing::turns(1, Options::default(), program);
        proptest::prop_assert!(end.is_none() && results[0].is_some());
    }
}

#[test]
fn scattered_elements_come_whole_and_touch_nothing_between_them() {
    let count = if cfg!(miri) { 200 } else { 2000 };
    both(2, async |r| {
        let (peer, there, bytes) = (1 - r.id() as i32, Addr(500_000), count * 128);
        let column = type_vector(r, count, 1, 16, Datatype::DOUBLE).unwrap();
        let column = type_commit(r, column).unwrap();
        for tag in 0..3 {
            fill(r, 64, bytes, 1 + r.id() as u8);
            fill(r, there.0, bytes, 7);
            let requests = [
                irecv(r, there, 1, column, peer, tag, WORLD).unwrap(),
                isend(r, Addr(64), 1, column, peer, tag, WORLD).unwrap(),
            ];
            assert!(waitall(r, &requests).await.unwrap().iter().all(|one| one.error.is_none()));
            let came = r.memory().read_bytes(there, 128 * count as u64, "the column").unwrap();
            for (i, byte) in came.iter().enumerate() {
                let seed = if i % 128 < 8 { 1 + peer as u8 } else { 7 };
                assert_eq!(*byte, (i as u8).wrapping_mul(31).wrapping_add(seed), "byte {i}");
            }
        }
        // One that nobody takes is taken back with the bytes that were packed for it.
        let request = issend(r, Addr(64), 1, column, peer, 9, WORLD);
        let request = crate::request::cancel(r, request).await.unwrap();
        assert!(wait(r, request).await.unwrap().status.cancelled());
    });
}

fn issend(r: &Rank, buf: Addr, count: i64, datatype: Datatype, dest: i32, tag: i32, comm: Comm) -> Request {
    isend_as(r, Kind::Ssend, buf, count, datatype, dest, tag, comm).unwrap()
}
