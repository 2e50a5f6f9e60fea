//! Who copies a message, and how often: once, by whoever arrives second, whatever the other one does meanwhile.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use rankine_abi::{Addr, Comm, Datatype};

use super::{Kind, irecv, recv, send, send_as};
use crate::events::{Event, Listen};
use crate::request::test;
use crate::testing::threads;
use crate::world::Options;

const BYTES: i64 = if cfg!(miri) { 5 << 10 } else { 512 << 10 };
const BUFFER: Addr = Addr(4096);

/// Keeps what it hears of messages that went from memory to memory.
#[derive(Default)]
struct Copies(Mutex<Vec<Event>>);

impl Listen for Copies {
    fn event(&self, event: Event) {
        if matches!(event, Event::Copied { .. }) {
            self.0.lock().unwrap().push(event);
        }
    }
}

fn copied(by: usize) -> Event {
    Event::Copied { from: 0, to: 1, bytes: BYTES as usize, by }
}

/// Runs two ranks, and says which copies were made.
fn copies(program: impl AsyncFn(&crate::Rank) + Sync) -> Vec<Event> {
    let copies = Arc::new(Copies::default());
    let (results, end) = threads(2, Options::default(), Some(copies.clone()), program);
    assert_eq!((results, end), (vec![Some(()); 2], None));
    let copies = copies.0.lock().unwrap();
    copies.clone()
}

/// Computes, without a call of MPI, until the flag is up. No call of the rank has waited before: the program of a test
/// is one future, and a rank that spins on a future keeps its own gate.
fn compute_until(flag: &AtomicBool) {
    while !flag.load(Ordering::Acquire) {
        std::thread::yield_now();
    }
}

#[test]
fn a_posted_receive_completes_while_its_owner_computes() {
    let (posted, sent) = (AtomicBool::new(false), AtomicBool::new(false));
    let copies = copies(async |r| {
        if r.id() == 0 {
            r.memory().write_i32s(BUFFER, &[42], "buffer").unwrap();
            compute_until(&posted);
            send_as(r, Kind::Ssend, BUFFER, BYTES, Datatype::BYTE, 1, 0, Comm::WORLD).await.unwrap();
            sent.store(true, Ordering::Release);
        } else {
            let request = irecv(r, BUFFER, BYTES, Datatype::BYTE, 0, 0, Comm::WORLD).unwrap();
            posted.store(true, Ordering::Release);
            compute_until(&sent);
            assert_eq!(r.memory().read_i32(BUFFER, "buffer").unwrap(), 42);
            assert!(test(r, request).await.unwrap().is_some(), "complete at the first test");
        }
    });
    assert_eq!(copies, [copied(0)]);
}

#[test]
fn a_late_receive_takes_the_message_itself() {
    let arrived = AtomicBool::new(false);
    let copies = copies(async |r| {
        if r.id() == 0 {
            // The small message travels behind the long one, so it says that both envelopes are there.
            let long = super::isend_as(r, Kind::Ssend, BUFFER, BYTES, Datatype::BYTE, 1, 0, Comm::WORLD).unwrap();
            send(r, BUFFER, 1, Datatype::BYTE, 1, 1, Comm::WORLD).await.unwrap();
            arrived.store(true, Ordering::Release);
            crate::request::wait(r, long).await.unwrap();
        } else {
            compute_until(&arrived);
            recv(r, BUFFER, 1, Datatype::BYTE, 0, 1, Comm::WORLD).await.unwrap();
            recv(r, BUFFER, BYTES, Datatype::BYTE, 0, 0, Comm::WORLD).await.unwrap();
        }
    });
    assert_eq!(copies, [copied(1)]);
}
