//! The lock of a rank's part of a window (MPI-5.0 §12.5.3): one rank has it exclusively, or several share it.
//!
//! Nobody's help is needed to take a lock that is free: it is a word, and an exchange. Whoever finds it taken
//! queues up and gets it from whoever releases it, in the order of arrival, so that neither readers nor writers starve. The words of
//! the queue are behind a mutex that is held for a few instructions, and only if somebody waits.

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};

use crate::sync::{AtomicBool, AtomicU32, Mutex, MutexGuard, Ordering};

/// A lock of a rank's part of a window.
#[derive(Debug)]
pub(super) struct Lock {
    /// How many share the lock, and the bits below.
    word: AtomicU32,
    /// The world rank that has it exclusively, or had it last.
    holder: AtomicU32,
    queue: Mutex<VecDeque<Arc<Ticket>>>,
}

/// One rank has it.
const EXCLUSIVE: u32 = 1 << 31;
/// Others wait. Set and cleared by who has the queue.
const QUEUED: u32 = 1 << 30;
/// Its part is in an exposure epoch, and must not be locked.
const EXPOSED: u32 = 1 << 29;
const SHARES: u32 = EXPOSED - 1;

/// A place in the queue.
#[derive(Debug)]
pub(super) struct Ticket {
    exclusive: bool,
    /// The world rank that waits.
    rank: u32,
    granted: AtomicBool,
}

impl Ticket {
    /// Whether its owner has the lock by now.
    pub(super) fn is_granted(&self) -> bool {
        self.granted.load(Ordering::SeqCst)
    }
}

/// What came of a try to take a lock.
#[derive(Debug)]
pub(super) enum Taken {
    Yes,
    /// Once it is granted.
    Later(Arc<Ticket>),
    /// The part is exposed.
    Refused,
}

/// Who has a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    Nobody,
    /// The world rank that has it exclusively.
    One(u32),
    /// How many share it.
    Several(u32),
}

impl Lock {
    pub(super) fn new() -> Lock {
        Lock { word: AtomicU32::new(0), holder: AtomicU32::new(0), queue: Mutex::new(VecDeque::new()) }
    }

    /// Takes the lock for a world rank, or a place in its queue.
    #[inline]
    pub(super) fn take(&self, rank: u32, exclusive: bool) -> Taken {
        if self.take_free(rank, exclusive) { Taken::Yes } else { self.queue_up(rank, exclusive) }
    }

    /// Takes it if it is free and nobody waits.
    #[inline]
    pub(super) fn take_free(&self, rank: u32, exclusive: bool) -> bool {
        let mut word = self.word.load(Ordering::Relaxed);
        while if exclusive { word == 0 } else { word & !SHARES == 0 } {
            let taken = if exclusive { EXCLUSIVE } else { word + 1 };
            match self.word.compare_exchange_weak(word, taken, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => {
                    if exclusive {
                        self.holder.store(rank, Ordering::Relaxed);
                    }
                    return true;
                }
                Err(now) => word = now,
            }
        }
        false
    }

    #[cold]
    fn queue_up(&self, rank: u32, exclusive: bool) -> Taken {
        let mut queue = self.queue();
        loop {
            let word = self.word.load(Ordering::Relaxed);
            if word & EXPOSED != 0 {
                return Taken::Refused;
            }
            if self.take_free(rank, exclusive) {
                return Taken::Yes;
            }
            // From here on whoever releases it comes to the queue.
            let marked = word | QUEUED;
            if word & (EXCLUSIVE | SHARES | QUEUED) != 0
                && self.word.compare_exchange(word, marked, Ordering::Relaxed, Ordering::Relaxed).is_ok()
            {
                break;
            }
        }
        let ticket = Arc::new(Ticket { exclusive, rank, granted: AtomicBool::new(false) });
        queue.push_back(ticket.clone());
        Taken::Later(ticket)
    }

    /// Gives it back; `wake` is told the world ranks that have it now.
    #[inline]
    pub(super) fn release(&self, exclusive: bool, wake: impl FnMut(u32)) {
        if exclusive {
            if self.word.compare_exchange(EXCLUSIVE, 0, Ordering::Release, Ordering::Relaxed).is_ok() {
                return;
            }
            let mut queue = self.queue();
            self.word.fetch_and(!EXCLUSIVE, Ordering::Release);
            self.hand_over(&mut queue, wake);
        } else {
            let before = self.word.fetch_sub(1, Ordering::Release);
            if before & QUEUED != 0 && before & SHARES == 1 {
                self.hand_over(&mut self.queue(), wake);
            }
        }
    }

    /// Takes a ticket back. If it was granted, the lock is released.
    pub(super) fn withdraw(&self, ticket: &Arc<Ticket>, wake: impl FnMut(u32)) {
        let mut queue = self.queue();
        if ticket.is_granted() {
            drop(queue);
            return self.release(ticket.exclusive, wake);
        }
        queue.retain(|other| !Arc::ptr_eq(other, ticket));
        self.hand_over(&mut queue, wake);
    }

    /// Gives the lock to the first of the queue, or to all who share it before the next that does not. Only who has the
    /// queue comes here; meanwhile others may give up their shares, and nobody takes one.
    fn hand_over(&self, queue: &mut VecDeque<Arc<Ticket>>, mut wake: impl FnMut(u32)) {
        while let Some(first) = queue.front() {
            let word = self.word.load(Ordering::Acquire);
            if word & EXCLUSIVE != 0 || first.exclusive && word & SHARES != 0 {
                return;
            }
            if first.exclusive {
                self.holder.store(first.rank, Ordering::Relaxed);
                self.word.fetch_or(EXCLUSIVE, Ordering::Acquire);
            } else {
                self.word.fetch_add(1, Ordering::Acquire);
            }
            let first = queue.pop_front().expect("it is there");
            first.granted.store(true, Ordering::SeqCst);
            wake(first.rank);
        }
        self.word.fetch_and(!QUEUED, Ordering::Release);
    }

    fn queue(&self) -> MutexGuard<'_, VecDeque<Arc<Ticket>>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An exposure epoch begins; not while somebody has the lock.
    pub(super) fn expose(&self) -> bool {
        self.word.compare_exchange(0, EXPOSED, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// The exposure epoch has ended.
    pub(super) fn conceal(&self) {
        self.word.fetch_and(!EXPOSED, Ordering::AcqRel);
    }

    /// Who has it now.
    pub(super) fn holder(&self) -> Holder {
        let word = self.word.load(Ordering::Acquire);
        match word & SHARES {
            _ if word & EXCLUSIVE != 0 => Holder::One(self.holder.load(Ordering::Relaxed)),
            0 => Holder::Nobody,
            shares => Holder::Several(shares),
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn later(taken: Taken) -> Arc<Ticket> {
        match taken {
            Taken::Later(ticket) => ticket,
            taken => panic!("{taken:?}"),
        }
    }

    #[test]
    fn the_queue_is_served_in_order() {
        let (lock, mut woken) = (Lock::new(), Vec::new());
        assert!(matches!(lock.take(0, true), Taken::Yes));
        assert_eq!(lock.holder(), Holder::One(0));
        let tickets: Vec<_> = [false, false, true, false]
            .iter()
            .zip(1..)
            .map(|(&exclusive, rank)| later(lock.take(rank, exclusive)))
            .collect();
        lock.release(true, |rank| woken.push(rank));
        assert_eq!((&woken[..], lock.holder()), (&[1, 2][..], Holder::Several(2)));
        assert!(tickets[1].is_granted() && !tickets[2].is_granted());
        // Who comes later does not overtake.
        let last = later(lock.take(5, false));
        lock.release(false, |_| panic!("one still shares it"));
        lock.release(false, |rank| woken.push(rank));
        assert_eq!((woken.last(), lock.holder()), (Some(&3), Holder::One(3)));
        lock.release(true, |rank| woken.push(rank));
        assert_eq!(woken, [1, 2, 3, 4, 5]);
        assert!(last.is_granted());
        lock.release(false, |_| ());
        lock.release(false, |_| ());
        assert_eq!(lock.holder(), Holder::Nobody);
        assert!(matches!(lock.take(6, true), Taken::Yes));
    }

    #[test]
    fn a_ticket_is_withdrawn() {
        let (lock, mut woken) = (Lock::new(), Vec::new());
        assert!(matches!(lock.take(0, false), Taken::Yes));
        let (writer, reader) = (later(lock.take(1, true)), later(lock.take(2, false)));
        // The reader need no longer wait for the writer.
        lock.withdraw(&writer, |rank| woken.push(rank));
        assert!(reader.is_granted() && woken == [2]);
        lock.withdraw(&reader, |_| panic!("nobody waits"));
        lock.release(false, |_| panic!("nobody waits"));
        assert_eq!(lock.holder(), Holder::Nobody);
    }

    #[test]
    fn what_is_exposed_is_not_locked() {
        let lock = Lock::new();
        assert!(lock.expose() && !lock.expose());
        assert!(matches!(lock.take(0, true), Taken::Refused) && matches!(lock.take(0, false), Taken::Refused));
        lock.conceal();
        assert!(matches!(lock.take(0, false), Taken::Yes) && !lock.expose());
    }
}

#[cfg(all(test, loom))]
mod models {
    use loom::thread;

    use super::*;
    use crate::models::explore;

    /// Takes the lock and waits for it, as a rank does.
    fn hold(lock: &Lock, rank: u32, exclusive: bool) {
        match lock.take(rank, exclusive) {
            Taken::Yes => {}
            Taken::Later(ticket) => {
                while !ticket.is_granted() {
                    thread::yield_now();
                }
            }
            Taken::Refused => panic!("nothing is exposed"),
        }
    }

    #[test]
    fn nobody_shares_an_exclusive_lock() {
        for (kinds, preemptions) in [(&[true, true][..], 3), (&[true, false], 3), (&[true, false, true], 1)] {
            explore(preemptions, move || {
                let shared = Arc::new((Lock::new(), crate::sync::Cell::new(0)));
                let use_it = move |rank: usize, (lock, value): &(Lock, crate::sync::Cell<u32>)| {
                    hold(lock, rank as u32, kinds[rank]);
                    if kinds[rank] {
                        // SAFETY: the lock is held exclusively, which the model proves.
                        value.with_mut(|value| unsafe { *value += 1 });
                    } else {
                        // SAFETY: the lock is shared by those who read.
                        value.with(|value| assert!(unsafe { *value } <= 2));
                    }
                    lock.release(kinds[rank], |_| ());
                };
                let threads: Vec<_> = (1..kinds.len())
                    .map(|rank| {
                        let shared = shared.clone();
                        thread::spawn(move || use_it(rank, &shared))
                    })
                    .collect();
                use_it(0, &shared);
                threads.into_iter().for_each(|thread| thread.join().unwrap());
                assert_eq!(shared.0.holder(), Holder::Nobody);
                assert!(shared.0.expose());
            });
        }
    }

    #[test]
    fn a_ticket_is_withdrawn_or_granted() {
        explore(3, || {
            let lock = Arc::new(Lock::new());
            assert!(matches!(lock.take(0, true), Taken::Yes));
            let (other, third) = (lock.clone(), lock.clone());
            let gives_up = thread::spawn(move || match other.take(1, true) {
                Taken::Yes => other.release(true, |_| ()),
                Taken::Later(ticket) => other.withdraw(&ticket, |_| ()),
                Taken::Refused => panic!("nothing is exposed"),
            });
            let waits = thread::spawn(move || {
                hold(&third, 2, false);
                third.release(false, |_| ());
            });
            lock.release(true, |_| ());
            gives_up.join().unwrap();
            waits.join().unwrap();
            assert!(lock.expose());
        });
    }
}
