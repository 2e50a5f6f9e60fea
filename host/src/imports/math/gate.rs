//! How many calls of a library are under way. Libraries have room for so many threads at a time as they were built for, and
//! those that were built without threads for one.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

pub(super) struct Gate {
    most: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    under_way: usize,
    is_closed: bool,
}

/// A call that is under way, until it is dropped.
pub(super) struct UnderWay<'a>(&'a Gate);

impl Gate {
    /// A gate for so many calls at a time: more than cores would only wait for each other elsewhere.
    pub(super) fn new(most: usize) -> Gate {
        Gate { most, state: Mutex::default(), changed: Condvar::new() }
    }

    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Waits until there is room: for ever once the gate is closed, when the process is about to end.
    pub(super) fn enter(&self) -> UnderWay<'_> {
        let is_full = |state: &mut State| state.is_closed || state.under_way >= self.most;
        let mut state = self.changed.wait_while(self.lock(), is_full).unwrap_or_else(PoisonError::into_inner);
        state.under_way += 1;
        UnderWay(self)
    }

    /// Lets nobody in any more; says whether nobody is inside.
    pub(super) fn close(&self) -> bool {
        let mut state = self.lock();
        state.is_closed = true;
        state.under_way == 0
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.lock().under_way -= 1;
        self.0.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn so_many_at_a_time_and_none_once_it_is_closed() {
        let (gate, inside, passed) = (Gate::new(2), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let _under_way = gate.enter();
                        assert!(inside.fetch_add(1, Ordering::SeqCst) < 2);
                        std::thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                        passed.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(passed.load(Ordering::SeqCst), 1200);
        let under_way = gate.enter();
        assert!(!gate.close());
        drop(under_way);
        assert!(gate.close());
    }
}
