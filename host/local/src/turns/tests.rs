use std::cell::Cell;

use super::fake::Fake;
use super::*;

const THREADS: usize = 4;

fn team() -> (Turns, Fake) {
    let turns = Turns::default();
    (0..THREADS - 1).for_each(|_| assert!(turns.begin_thread(THREADS - 1)));
    assert!(!turns.begin_thread(THREADS - 1));
    (turns, Fake::new(THREADS))
}

#[test]
fn whoever_has_something_is_woken() {
    const EACH: usize = 3000;
    let (turns, rank) = team();
    thread::scope(|scope| {
        let (turns, rank) = (&turns, &rank);
        for of in 0..THREADS {
            scope.spawn(move || {
                for _ in 0..EACH {
                    assert!(turns.take(of as u32, rank));
                    turns.enter(of as u32, true);
                    while !rank.take_item(of) {
                        assert!(turns.sleep(of as u32, rank, rank));
                    }
                    turns.give_back(of as u32, rank, rank);
                }
            });
        }
        scope.spawn(move || (0..THREADS * EACH).for_each(|number| rank.deliver(number * 7 % THREADS)));
    });
    assert!(rank.items.iter().all(|items| items.load(Ordering::SeqCst) == 0));
}

#[test]
fn one_thread_gives_another_what_no_message_brings() {
    let (turns, rank) = team();
    let given = AtomicBool::new(false);
    thread::scope(|scope| {
        let (turns, rank, given) = (&turns, &rank, &given);
        scope.spawn(move || {
            assert!(turns.take(0, rank));
            turns.enter(0, true);
            while !rank.look(|| given.load(Ordering::SeqCst)) {
                assert!(turns.sleep(0, rank, rank));
            }
            turns.give_back(0, rank, rank);
        });
        scope.spawn(move || {
            // It sleeps, and others may still call: the rank counts.
            while turns.lock().parked.is_none() {
                thread::yield_now();
            }
            assert_eq!(rank.active.load(Ordering::SeqCst), 1);
            assert!(turns.take(1, rank));
            turns.enter(1, true);
            rank.look(|| given.store(true, Ordering::SeqCst));
            rank.news.store(true, Ordering::SeqCst);
            turns.give_back(1, rank, rank);
        });
    });
}

#[test]
fn a_rank_whose_threads_all_wait_runs_no_more() {
    let (turns, rank) = team();
    let woken = Cell::new(0);
    thread::scope(|scope| {
        let sleepers: Vec<_> = (0..THREADS - 1)
            .map(|of| {
                let (turns, rank) = (&turns, &rank);
                scope.spawn(move || {
                    assert!(turns.take(of as u32, rank));
                    turns.enter(of as u32, true);
                    while turns.sleep(of as u32, rank, rank) {}
                    turns.give_back(of as u32, rank, rank);
                })
            })
            .collect();
        while turns.lock().sleepers.len() < THREADS - 1 {
            thread::yield_now();
        }
        assert_eq!(rank.active.load(Ordering::SeqCst), 1);
        // The last one ends instead of waiting.
        turns.end_thread(&rank);
        assert_eq!(rank.active.load(Ordering::SeqCst), 0);
        assert!(turns.close() && !turns.close());
        for sleeper in sleepers {
            sleeper.join().unwrap();
            woken.set(woken.get() + 1);
        }
    });
    assert_eq!(woken.get(), THREADS - 1);
    assert!(turns.take_for_good(3, &rank));
    assert!(!turns.take(1, &rank));
}

#[test]
fn a_turn_that_was_lent_comes_back_to_the_same_call() {
    const TIMES: usize = 2000;
    let (turns, rank) = team();
    let calls = Mutex::new(0);
    thread::scope(|scope| {
        let (turns, rank, calls) = (&turns, &rank, &calls);
        for of in 0..THREADS as u32 {
            scope.spawn(move || {
                for _ in 0..TIMES {
                    assert!(turns.take(of, rank));
                    turns.enter(of, true);
                    rank.look(|| *calls.lock().unwrap() += 1);
                    // A call within another lends nothing.
                    assert!(turns.take(of, rank) && !turns.lend(of, 1));
                    turns.give_back(of, rank, rank);
                    assert!(turns.lend(of, 1) && !turns.lend(of, 1));
                    assert!(turns.other_inside(THREADS as u32).is_some());
                    turns.take_again(of, 1, rank);
                    rank.look(|| *calls.lock().unwrap() += 1);
                    turns.give_back(of, rank, rank);
                }
            });
        }
    });
    assert_eq!(*calls.lock().unwrap(), 2 * TIMES * THREADS);
    assert_eq!(turns.other_inside(THREADS as u32), None);
}
