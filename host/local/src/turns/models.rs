//! Models for loom: who has the turn, and who sleeps.

use std::sync::Arc;

use loom::thread;

use super::fake::Fake;
use super::*;
use crate::models::explore;

/// So many threads of a rank, and one more of nobody's.
fn team(threads: usize) -> Arc<(Turns, Fake)> {
    let turns = Turns::default();
    (1..threads).for_each(|_| assert!(turns.begin_thread(threads)));
    Arc::new((turns, Fake::new(threads)))
}

/// A call that waits for an item.
fn receive(turns: &Turns, rank: &Fake, of: u32) {
    assert!(turns.take(of, rank));
    turns.enter(of, true);
    while !rank.take_item(of as usize) {
        assert!(turns.sleep(of, rank, rank));
    }
    turns.give_back(of, rank, rank);
}

#[test]
fn a_rank_that_sleeps_for_its_threads_wakes_whoever_has_something() {
    explore(2, || {
        let team = team(2);
        let threads = [0, 1].map(|of| {
            let team = team.clone();
            thread::spawn(move || receive(&team.0, &team.1, of))
        });
        team.1.deliver(1);
        team.1.deliver(0);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn what_one_thread_gives_another_is_seen() {
    explore(2, || {
        let team = team(2);
        let other = team.clone();
        let waits = thread::spawn(move || receive(&other.0, &other.1, 1));
        let (turns, rank) = &*team;
        assert!(turns.take(0, rank));
        turns.enter(0, true);
        rank.look(|| rank.items[1].store(1, Ordering::SeqCst));
        rank.news.store(true, Ordering::SeqCst);
        turns.give_back(0, rank, rank);
        waits.join().unwrap();
    });
}

#[test]
fn a_turn_that_was_lent_comes_back() {
    explore(2, || {
        let team = team(2);
        let threads = [0, 1].map(|of| {
            let team = team.clone();
            thread::spawn(move || {
                let (turns, rank) = &*team;
                assert!(turns.take(of, rank));
                turns.enter(of, true);
                rank.look(|| {});
                assert!(turns.lend(of, 1));
                turns.take_again(of, 1, rank);
                rank.look(|| {});
                turns.give_back(of, rank, rank);
            })
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(team.0.other_inside(2), None);
    });
}

#[test]
fn a_thread_that_waits_leaves_when_its_rank_ends() {
    explore(2, || {
        let team = team(2);
        let other = team.clone();
        let waits = thread::spawn(move || {
            let (turns, rank) = &*other;
            if turns.take(1, rank) {
                turns.enter(1, true);
                while turns.sleep(1, rank, rank) {}
                turns.give_back(1, rank, rank);
            }
            turns.end_thread(rank);
        });
        let (turns, _) = &*team;
        assert!(turns.close() && !turns.close());
        waits.join().unwrap();
        assert_eq!(turns.other_inside(0), None);
        assert!(!turns.take(0, &team.1));
    });
}
