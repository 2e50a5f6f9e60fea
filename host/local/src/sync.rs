//! The atomics and cells of the concurrent core: `std`'s, or loom's under `--cfg loom`.
//!
//! The core that two ranks share is built from these: rings, gates, operations, locks of windows and the executor of
//! fibers. So the models in the tests explore the code that runs. What no model has, such as files, tools and the elements
//! of windows, uses `std`'s.

#[cfg(not(loom))]
pub(crate) use std::{
    hint::spin_loop,
    sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence},
    sync::{Condvar, Mutex, MutexGuard},
    thread::yield_now,
    thread_local,
};

#[cfg(loom)]
pub(crate) use loom::{
    hint::spin_loop,
    sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence},
    sync::{Condvar, Mutex, MutexGuard},
    thread::yield_now,
    thread_local,
};

pub(crate) use std::time::Instant;

/// Threads, and how they sleep.
pub(crate) mod thread {
    #[cfg(loom)]
    pub(crate) use loom::thread::*;
    #[cfg(not(loom))]
    pub(crate) use std::thread::*;

    /// Loom knows no time: it sleeps until it is woken, so that a wake which gets lost is seen.
    #[cfg(loom)]
    pub(crate) fn park_timeout(_: std::time::Duration) {
        park();
    }
}

/// Stands between a sequentially consistent write and a sequentially consistent read of another word, where two threads
/// do this crosswise and one of them has to see the other, as in Dekker's algorithm (Dijkstra, "Cooperating sequential
/// processes", 1965). The accesses alone are enough; only loom, which takes them
/// for acquire and release, needs the fence.
#[inline]
pub(crate) fn crosswise() {
    #[cfg(loom)]
    loom::sync::atomic::fence(Ordering::SeqCst);
}

/// An `UnsafeCell` whose accesses loom can watch.
#[derive(Debug)]
pub(crate) struct Cell<T>(#[cfg(not(loom))] std::cell::UnsafeCell<T>, #[cfg(loom)] loom::cell::UnsafeCell<T>);

impl<T> Cell<T> {
    pub(crate) fn new(value: T) -> Self {
        #[cfg(not(loom))]
        return Cell(std::cell::UnsafeCell::new(value));
        #[cfg(loom)]
        return Cell(loom::cell::UnsafeCell::new(value));
    }

    /// Hands out a shared pointer; the caller proves that nobody writes meanwhile.
    #[inline]
    pub(crate) fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        #[cfg(not(loom))]
        return f(self.0.get());
        #[cfg(loom)]
        return self.0.with(f);
    }

    /// Hands out an exclusive pointer; the caller proves that nobody else reads or writes meanwhile.
    #[inline]
    pub(crate) fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        #[cfg(not(loom))]
        return f(self.0.get());
        #[cfg(loom)]
        return self.0.with_mut(f);
    }
}

/// Spins politely: a few pauses, then the rest of the time slice goes to whoever holds what we wait for.
pub(crate) struct Backoff(u32);

impl Backoff {
    #[inline]
    pub(crate) fn new() -> Self {
        Backoff(0)
    }

    #[inline]
    pub(crate) fn pause(&mut self) {
        if self.0 < 64 && !cfg!(loom) {
            self.0 += 1;
            spin_loop();
        } else {
            yield_now();
        }
    }
}

/// Locks, also what a thread that panicked has left.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
