//! What messages take of their rank's memory.

use rankine_abi::Request;

use super::*;
use crate::quota::Cost;
use crate::request::{wait, waitall};
use crate::testing::both;

const BYTE: Datatype = Datatype::BYTE;
const WORLD: Comm = Comm::WORLD;

#[test]
fn what_waits_for_its_receiver_is_charged() {
    both(1, async |r| {
        const MESSAGES: u64 = 2000;
        let send = async || {
            for _ in 0..MESSAGES {
                send(r, Addr(64), 1000, BYTE, 0, 1, WORLD).await.unwrap();
            }
        };
        let receive = async || {
            for _ in 0..MESSAGES {
                recv(r, Addr(64), 1000, BYTE, 0, 1, WORLD).await.unwrap();
            }
        };
        let before = r.account.used();
        send().await;
        let held = r.account.used() - before;
        assert!((1000 * MESSAGES..2000 * MESSAGES).contains(&held), "{held}");
        receive().await;
        assert!(r.account.used() - before < 1 << 18, "{}", r.account.used() - before);
        // Where hardly more may be held than requests need, senders keep their data.
        let rest = r.account.charge(r.account.free() as usize - (256 << 10), Cost::Datatypes).unwrap();
        let requests: Vec<Request> = (0..450).map(|_| isend(r, Addr(64), 1000, BYTE, 0, 1, WORLD).unwrap()).collect();
        assert!(r.mailbox().is_congested());
        for _ in &requests {
            recv(r, Addr(4096), 1000, BYTE, 0, 1, WORLD).await.unwrap();
        }
        waitall(r, &requests).await.unwrap();
        drop(rest);
    });
}

#[test]
fn a_layout_is_charged_as_long_as_a_message_has_it() {
    both(1, async |r| {
        use crate::datatype::{type_commit, type_free, type_indexed};
        let places: Vec<i64> = (0..20_000).map(|i| 3 * i + i % 2).collect();
        let start = async |tag| {
            let ty = type_indexed(r, 20_000, &[1; 20_000], &places, BYTE).unwrap();
            type_commit(r, ty).unwrap();
            let request = irecv(r, Addr(64), 1, ty, 0, tag, WORLD).unwrap();
            type_free(r, ty).await.unwrap();
            request
        };
        let before = r.account.used();
        let requests = [start(1).await, start(2).await];
        let held = r.account.used() - before;
        assert!(held > 2 * 20_000 * 24, "{held}");
        for request in requests {
            crate::request::cancel(r, request).await.unwrap();
            wait(r, request).await.unwrap();
        }
        assert!(r.account.used() - before < 1 << 17, "{}", r.account.used() - before);
    });
}

#[test]
fn a_parcel_is_charged_until_its_receiver_has_dropped_it() {
    both(2, async |r| {
        const LONG: usize = 3 << 20;
        let before = r.account.used();
        if r.id() == 0 {
            let request = isend_bytes(r, vec![7; LONG].into(), 1, 1, WORLD).unwrap();
            assert!(r.account.used() - before > LONG as u64);
            send(r, Addr(64), 1, BYTE, 1, 2, WORLD).await.unwrap();
            wait(r, request).await.unwrap();
            recv(r, Addr(64), 1, BYTE, 1, 3, WORLD).await.unwrap();
            assert!(r.account.used() - before < 1 << 18, "{}", r.account.used() - before);
        } else {
            recv(r, Addr(64), 1, BYTE, 0, 2, WORLD).await.unwrap();
            let (parcel, _) = recv_bytes(r, u64::MAX, 0, 1, WORLD).await.unwrap();
            assert_eq!(parcel.bytes.len(), LONG);
            drop(parcel);
            send(r, Addr(64), 1, BYTE, 0, 3, WORLD).await.unwrap();
        }
    });
}

#[test]
fn without_memory_a_call_says_so() {
    both(1, async |r| {
        let all = r.account.charge(r.account.free() as usize, Cost::Datatypes).unwrap();
        for error in [
            isend_bytes(r, vec![7; 1 << 16].into(), 0, 1, WORLD).unwrap_err(),
            psend_init(r, Addr(64), 5000, 1, BYTE, 0, 1, WORLD, rankine_abi::Info::NULL).unwrap_err(),
            send_init(r, Kind::Send, Addr(64), 5000, BYTE, 0, 1, WORLD).unwrap_err(),
            crate::coll::start(r, WORLD, |_| Ok(crate::coll::Barrier)).unwrap_err(),
            crate::info::info_create(r).unwrap_err(),
        ] {
            assert_eq!(error.class, rankine_abi::MPI_ERR_NO_MEM, "{error}");
            assert!(error.text.contains("the 8192 MiB that this rank may have"), "{error}");
        }
        // It can communicate all the same.
        send(r, Addr(64), 4, BYTE, 0, 1, WORLD).await.unwrap();
        recv(r, Addr(64), 4, BYTE, 0, 1, WORLD).await.unwrap();
        drop(all);
    });
}
