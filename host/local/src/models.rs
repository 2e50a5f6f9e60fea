//! Models of the concurrent core for loom, which runs every interleaving of them up to a number of preemptions.
//!
//! Run with `RUSTFLAGS="--cfg loom" cargo test -p rankine-local --release --lib models`.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use loom::thread;

use crate::Rank;
use crate::drive::Step;
use crate::mailbox::Mailbox;
use crate::mailbox::matching::{Pattern, Work};
use crate::mailbox::operation::{Kind, What};
use crate::mailbox::ring::{Header, Ring};
use crate::span::Span;
use crate::transport::Started;
use crate::world::{Options, Wake, World};

fn explore(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 20_000;
    builder.check(model);
}

fn header(source: i32, tag: i32, bytes: usize) -> Header {
    Header { context: 0, source, tag, length: bytes as u64 }
}

/// Pushes until there is room.
fn push(ring: &Ring, source: i32, tag: i32, bytes: &[u8]) {
    // SAFETY: the payload is as long as the header says.
    while unsafe { ring.push(&header(source, tag, bytes.len()), bytes.as_ptr()) }.is_err() {
        thread::yield_now();
    }
}

#[test]
fn a_ring_keeps_every_producers_order() {
    explore(2, || {
        let ring = Arc::new(Ring::new(2));
        let producers: Vec<_> = (0..2)
            .map(|source| {
                let ring = ring.clone();
                thread::spawn(move || {
                    push(&ring, source, 0, &[source as u8]);
                    if source == 1 {
                        // Two slots: the ring has to be empty.
                        push(&ring, source, 1, &[1; 110]);
                    }
                })
            })
            .collect();
        let mut next = [0; 2];
        while next != [1, 2] {
            // SAFETY: this thread alone consumes.
            let popped = unsafe {
                ring.pop(|header, payload| {
                    assert_eq!(header.tag, next[header.source as usize]);
                    assert!(payload.to_vec().iter().all(|&byte| i32::from(byte) == header.source));
                    next[header.source as usize] += 1;
                })
            };
            match popped {
                Some(()) => ring.publish_head(),
                None => thread::yield_now(),
            }
        }
        producers.into_iter().for_each(|producer| producer.join().unwrap());
    });
}

#[test]
fn the_gate_lets_one_in_at_a_time() {
    explore(3, || {
        let mailbox = Arc::new(Mailbox::new(2));
        let drain = |mailbox: &Mailbox| {
            mailbox.enter();
            let mut work = Work::new(0);
            // SAFETY: inside the gate until `leave`.
            unsafe {
                mailbox.drain(&mut work);
                mailbox.leave();
            }
        };
        let peers: Vec<_> = (0..2)
            .map(|source| {
                let mailbox = mailbox.clone();
                thread::spawn(move || {
                    push(&mailbox.ring, source, 0, &[]);
                    drain(&mailbox);
                })
            })
            .collect();
        peers.into_iter().for_each(|peer| peer.join().unwrap());
        drain(&mailbox);
        mailbox.enter();
        for source in 0..2 {
            // SAFETY: inside the gate.
            let arrived = unsafe { mailbox.matching(|matching| matching.take(&pattern(source))) };
            assert!(arrived.is_some());
        }
    });
}

fn pattern(source: i32) -> Pattern {
    Pattern { context: 0, source, tag: rankine_abi::MPI_ANY_TAG }
}

struct Nobody;

impl Wake for Nobody {
    fn wake(&self, _: usize) {}
}

/// A job of two ranks, whose deadlock would be noticed.
fn job() -> (Arc<World>, [Rank; 2]) {
    let options = Options { spin: false, ..Options::default() };
    let world = World::new(2, Arc::new(Nobody), None, options);
    let ranks = [0, 1].map(|id| Rank::new(world.clone(), id));
    (world, ranks)
}

/// Runs a rank's program to its end; parked, it waits to be woken.
fn run(rank: &Rank, program: impl Future<Output = ()>) {
    let mut program = pin!(program);
    loop {
        match rank.step(program.as_mut()) {
            Step::Done(()) => break,
            Step::Parked => {
                while !rank.world().is_woken(rank.id()) {
                    thread::yield_now();
                }
                rank.resume();
            }
            Step::Yielded => thread::yield_now(),
            step => panic!("{step:?}"),
        }
    }
    rank.exit();
}

async fn send(rank: &Rank, kind: Kind, bytes: &mut [u8]) {
    // SAFETY: the bytes stay until the send has ended.
    let span = unsafe { Span::raw(bytes.as_mut_ptr(), bytes.len()) };
    let what = What { kind, context: 0, peer: 1, tag: 7, destination: 1 };
    finish(rank, Started::new(rank, rank.post_send(what, 0, span).unwrap())).await;
}

async fn receive(rank: &Rank, bytes: &mut [u8]) {
    // SAFETY: the bytes stay until the receive has ended.
    let span = unsafe { Span::raw(bytes.as_mut_ptr(), bytes.len()) };
    finish(rank, Started::new(rank, Some(rank.post_recv(pattern(0), span).unwrap()))).await;
}

async fn finish(_: &Rank, started: Started<'_>) {
    poll_fn(|_| if started.poll() { Poll::Ready(()) } else { Poll::Pending }).await;
    started.end();
}

/// One message from rank 0 to rank 1, both of which may park at any moment.
fn one_message(kind: Kind, length: usize) {
    explore(2, move || {
        let (world, [zero, one]) = job();
        let sender = thread::spawn(move || {
            let mut bytes = vec![3; length];
            run(&zero, send(&zero, kind, &mut bytes));
        });
        let mut bytes = vec![0; length];
        run(&one, receive(&one, &mut bytes));
        assert!(bytes.iter().all(|&byte| byte == 3));
        sender.join().unwrap();
        assert_eq!(world.ended(), None);
    });
}

#[test]
fn an_eager_message_wakes_its_receiver() {
    one_message(Kind::Send, 8);
}

#[test]
fn a_synchronous_message_wakes_both() {
    one_message(Kind::Ssend, 8);
}

#[test]
fn a_long_message_is_pulled_or_buffered() {
    one_message(Kind::Send, 1100);
}

#[test]
fn a_receive_is_cancelled_or_matched() {
    explore(2, || {
        let (world, [zero, one]) = job();
        let sender = thread::spawn(move || run(&zero, send(&zero, Kind::Send, &mut [3; 8])));
        run(&one, async {
            let mut bytes = [0; 8];
            // SAFETY: the bytes stay until the receive has ended.
            let span = unsafe { Span::raw(bytes.as_mut_ptr(), bytes.len()) };
            let operation = one.post_recv(pattern(0), span).unwrap();
            one.withdraw(operation);
            if one.release(operation).cancelled {
                assert_eq!(bytes, [0; 8]);
                receive(&one, &mut bytes).await;
            }
            assert_eq!(bytes, [3; 8]);
        });
        sender.join().unwrap();
        assert_eq!(world.ended(), None);
    });
}
