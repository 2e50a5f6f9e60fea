//! A rank that threads wait in, for the tests and loom's models.

use super::Wakes;
use crate::sync::thread::Thread;
use crate::sync::{AtomicBool, AtomicU32, Mutex, Ordering};
use rankine_guest::Parks;

const RUNNING: u32 = 0;
const PARKED: u32 = 1;
const NOTIFIED: u32 = 2;

/// A rank that several threads wait for items in.
pub(super) struct Fake {
    park: AtomicU32,
    /// Ranks that run, this one and errands.
    pub(super) active: AtomicU32,
    pub(super) items: Vec<AtomicU32>,
    waiting: Mutex<Option<Thread>>,
    /// Who has the turn is in here.
    busy: AtomicBool,
    pub(super) news: AtomicBool,
}

impl Fake {
    /// One that runs, and has nothing for any of so many threads.
    pub(super) fn new(threads: usize) -> Fake {
        Fake {
            park: AtomicU32::new(RUNNING),
            active: AtomicU32::new(1),
            items: (0..threads).map(|_| AtomicU32::new(0)).collect(),
            waiting: Mutex::new(None),
            busy: AtomicBool::new(false),
            news: AtomicBool::new(false),
        }
    }
}

impl Parks for Fake {
    fn park(&self) -> bool {
        if self.park.compare_exchange(RUNNING, PARKED, Ordering::SeqCst, Ordering::SeqCst).is_err() {
            // As in `World::try_park`: what was done before a second notification is seen too.
            self.park.swap(RUNNING, Ordering::SeqCst);
            return false;
        }
        self.active.fetch_sub(1, Ordering::SeqCst);
        true
    }

    fn is_woken(&self) -> bool {
        self.park.load(Ordering::SeqCst) != PARKED
    }

    fn resume(&self) -> bool {
        self.active.fetch_add(1, Ordering::SeqCst);
        self.park.swap(RUNNING, Ordering::SeqCst) == NOTIFIED
    }

    fn take_news(&self) -> bool {
        self.news.swap(false, Ordering::SeqCst)
    }

    fn begin_errand(&self) {
        self.active.fetch_add(1, Ordering::SeqCst);
    }

    fn end_errand(&self) {
        self.active.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Wakes for Fake {
    fn waits(&self, thread: Thread) {
        *self.waiting.lock().unwrap() = Some(thread);
    }
}

impl Fake {
    /// What a peer does.
    pub(super) fn deliver(&self, to: usize) {
        self.items[to].fetch_add(1, Ordering::SeqCst);
        if self.park.swap(NOTIFIED, Ordering::SeqCst) == PARKED
            && let Some(thread) = &*self.waiting.lock().unwrap()
        {
            thread.unpark();
        }
    }

    /// What a thread does with the turn.
    pub(super) fn look<T>(&self, look: impl FnOnce() -> T) -> T {
        assert!(!self.busy.swap(true, Ordering::SeqCst), "two threads have the turn");
        let found = look();
        self.busy.store(false, Ordering::SeqCst);
        found
    }

    pub(super) fn take_item(&self, of: usize) -> bool {
        self.look(|| {
            let less = |items: u32| items.checked_sub(1);
            self.items[of].fetch_update(Ordering::SeqCst, Ordering::SeqCst, less).is_ok()
        })
    }
}
