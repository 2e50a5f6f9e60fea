//! Models of the concurrent core for loom, which runs every interleaving of them up to a number of preemptions.
//!
//! Run with `just loom`.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;

use loom::thread;

use rankine_guest::Parcel;

use crate::Rank;
use crate::context::Context;
use crate::drive::Step;
use crate::joint;
use crate::mailbox::Mailbox;
use crate::mailbox::matching::{Pattern, Work};
use crate::mailbox::operation::{Kind, Operation, What};
use crate::mailbox::ring::{Header, Ring};
use crate::quota::Account;
use crate::span::Span;
use crate::world::{Options, Wake, World};

/// Words of stack that a rank needs here; loom's own threads have a sixteenth of it.
const STACK: usize = 1 << 16;

pub(crate) fn explore(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 20_000;
    builder.check(model);
}

fn spawn<T: Send + 'static>(body: impl FnOnce() -> T + Send + 'static) -> thread::JoinHandle<T> {
    thread::Builder::new().stack_size(STACK).spawn(body).expect("loom has room for another thread")
}

fn header(source: i32, tag: i32, bytes: usize) -> Header {
    Header { context: Context::WORLD, source, tag, length: bytes as u64 }
}

/// Pushes until there is room.
fn push(ring: &Ring, source: i32, tag: i32, bytes: &[u8]) {
    // SAFETY: the payload is as long as the header says.
    while unsafe { ring.push(&header(source, tag, bytes.len()), bytes.as_ptr()) }.is_err() {
        thread::yield_now();
    }
}

/// Takes envelopes until every source has sent as many as `expected` says, and checks each one's place and payload.
fn take_in_order(ring: &Ring, expected: &[i32]) {
    let mut next = vec![0; expected.len()];
    while next != expected {
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
}

#[test]
fn a_ring_keeps_every_producers_order() {
    explore(3, || {
        let ring = Arc::new(Ring::new(4));
        let other = ring.clone();
        let one = thread::spawn(move || push(&other, 1, 0, &[1; 110]));
        let other = ring.clone();
        let zero = thread::spawn(move || {
            push(&other, 0, 0, &[]);
            push(&other, 0, 1, &[0]);
        });
        take_in_order(&ring, &[2, 1]);
        zero.join().unwrap();
        one.join().unwrap();
    });
}

#[test]
fn a_full_ring_takes_more_once_it_is_drained() {
    explore(3, || {
        let ring = Arc::new(Ring::new(2));
        let other = ring.clone();
        let producer = thread::spawn(move || {
            push(&other, 0, 0, &[0]);
            // Two slots: the ring has to be empty.
            push(&other, 0, 1, &[0; 110]);
            push(&other, 0, 2, &[0]);
        });
        take_in_order(&ring, &[3]);
        producer.join().unwrap();
    });
}

#[test]
fn the_gate_lets_one_in_at_a_time() {
    explore(3, || {
        let mailbox = Arc::new(Mailbox::new(2, &Account::new(None)));
        let drain = |mailbox: &Mailbox| {
            mailbox.enter().drain(&mut Work::new(0, 0, false));
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
        for source in 0..2 {
            assert!(mailbox.enter().matching(|matching| matching.set_aside(&pattern(source))).is_some());
        }
    });
}

fn pattern(source: i32) -> Pattern {
    Pattern { context: Context::WORLD, source, tag: rankine_abi::MPI_ANY_TAG }
}

struct Nobody;

impl Wake for Nobody {
    fn wake(&self, _: usize) {}
}

/// Runs a job of two ranks, each on a thread of its own, and sees that it was not taken for a deadlock.
pub(crate) fn two_ranks(zero: impl FnOnce(&Rank) + Send + 'static, one: impl FnOnce(&Rank) + Send + 'static) {
    let options = Options { spin: false, ..Options::default() };
    let world = World::new(2, Arc::new(Nobody), None, options);
    let start = |id, program: Box<dyn FnOnce(&Rank) + Send>| {
        let world = world.clone();
        spawn(move || program(&Rank::new(world, id)))
    };
    let ranks = [start(0, Box::new(zero)), start(1, Box::new(one))];
    ranks.into_iter().for_each(|rank| rank.join().unwrap());
    assert_eq!(world.ended(), None);
}

/// Runs a rank's program to its end; parked, it waits to be woken.
pub(crate) fn run(rank: &Rank, program: impl Future<Output = ()>) {
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
    let what = What { kind, context: Context::WORLD, peer: 1, tag: 7, destination: 1 };
    rank.post_send(what, 0, Span::over(bytes)).unwrap().finish().await;
}

async fn receive(rank: &Rank, bytes: &mut [u8]) {
    let span = Span::over(bytes);
    if rank.receive_next(&pattern(0), &span).is_none() {
        rank.post_recv(pattern(0), span).unwrap().finish().await;
    }
}

/// One message from rank 0 to rank 1, both of which may park at any moment.
fn one_message(preemptions: usize, kind: Kind, length: usize) {
    explore(preemptions, move || {
        two_ranks(
            move |zero| {
                let mut bytes = vec![3; length];
                run(zero, send(zero, kind, &mut bytes));
            },
            move |one| {
                let mut bytes = vec![0; length];
                run(one, receive(one, &mut bytes));
                assert!(bytes.iter().all(|&byte| byte == 3));
            },
        );
    });
}

#[test]
fn an_eager_message_wakes_its_receiver() {
    one_message(3, Kind::Send, 8);
}

#[test]
fn a_synchronous_message_wakes_both() {
    one_message(2, Kind::Ssend, 8);
}

#[test]
fn a_long_message_is_pulled_or_buffered() {
    one_message(2, Kind::Send, 1100);
}

#[test]
fn a_parcel_changes_hands_or_is_copied() {
    explore(2, || {
        two_ranks(
            |zero| {
                let parcel = Parcel { bytes: vec![3; 1100], knowledge: Some(Box::new(7)), ..Parcel::default() };
                let what = What { kind: Kind::Send, context: Context::WORLD, peer: 1, tag: 7, destination: 1 };
                run(zero, async {
                    zero.post_parcel(what, 0, parcel).unwrap().finish().await;
                });
            },
            |one| {
                run(one, async {
                    let receiving = one.post_recv_bytes(pattern(0), 2000).unwrap();
                    receiving.done().await;
                    let Parcel { bytes, knowledge, .. } = receiving.unload();
                    assert_eq!((bytes.len(), bytes.iter().all(|&byte| byte == 3)), (1100, true));
                    assert!(knowledge.is_none_or(|known| *known.downcast::<i32>().unwrap() == 7));
                    receiving.end();
                });
            },
        );
    });
}

async fn cancel_or_receive(one: &Rank) {
    let mut bytes = [0; 8];
    let receiving = one.post_recv(pattern(0), Span::over(&mut bytes)).unwrap();
    receiving.operation().into_iter().for_each(|operation| one.withdraw(operation));
    if receiving.end().is_cancelled() {
        assert_eq!(bytes, [0; 8]);
        receive(one, &mut bytes).await;
    }
    assert_eq!(bytes, [3; 8]);
}

#[test]
fn a_joint_copy_is_over_when_every_byte_is_there() {
    explore(3, || {
        const BYTES: usize = 2500;
        let operation = Arc::new(Operation::new(0));
        let sender = operation.clone();
        let helper = thread::spawn(move || joint::help(&sender.joint));
        let (from, mut to) = (vec![7; BYTES], vec![0; BYTES]);
        joint::copy(&operation.joint, to.as_mut_ptr(), from.as_ptr(), BYTES);
        assert_eq!(to, from);
        helper.join().unwrap();
    });
}

#[test]
fn a_receive_is_cancelled_or_matched() {
    explore(3, || {
        two_ranks(|zero| run(zero, send(zero, Kind::Send, &mut [3; 8])), |one| run(one, cancel_or_receive(one)));
    });
}
