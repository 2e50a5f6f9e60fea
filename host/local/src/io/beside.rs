//! Work that another thread does while a rank goes on.
//!
//! As long as it lasts it counts as a rank that runs: there is no deadlock while a file is read. A rank that does not
//! wait for it any more, because it has trapped or returned, takes it back, or waits until it is done, so nothing goes on
//! in the memory of a rank that has ended.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use super::storage::Storage;
use crate::rank::Rank;
use crate::world::World;

type Work<T> = Box<dyn FnOnce() -> T + Send>;

/// How far it is.
enum State<T> {
    Waiting(Work<T>),
    Running,
    Done(std::thread::Result<T>),
    Over,
}

struct Errand<T> {
    state: Mutex<State<T>>,
    done: Condvar,
    world: Arc<World>,
    rank: u32,
}

impl<T> Errand<T> {
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does the work, unless it was taken back.
    fn run(&self) {
        let work = {
            let mut state = self.state();
            match std::mem::replace(&mut *state, State::Running) {
                State::Waiting(work) => work,
                other => {
                    *state = other;
                    return;
                }
            }
        };
        let outcome = catch_unwind(AssertUnwindSafe(work));
        *self.state() = State::Done(outcome);
        self.done.notify_all();
        self.world.wake(self.rank);
        self.world.end_errand();
    }

    /// What came of it, if it is done.
    fn take(&self) -> Option<std::thread::Result<T>> {
        let mut state = self.state();
        match std::mem::replace(&mut *state, State::Over) {
            State::Done(outcome) => Some(outcome),
            other => {
                *state = other;
                None
            }
        }
    }
}

/// Takes it back when it is dropped.
struct Started<T>(Arc<Errand<T>>);

impl<T> Drop for Started<T> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        while matches!(*state, State::Running) {
            state = self.0.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if let State::Waiting(_) = std::mem::replace(&mut *state, State::Over) {
            drop(state);
            self.0.world.end_errand();
        }
    }
}

impl Rank {
    /// Has another thread do this, and waits for it.
    pub(super) async fn beside<T: Send + 'static>(
        &self,
        storage: &dyn Storage,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        let errand = Arc::new(Errand {
            state: Mutex::new(State::Waiting(Box::new(work))),
            done: Condvar::new(),
            world: self.world().clone(),
            rank: self.me(),
        });
        self.world().begin_errand();
        let started = Started(errand.clone());
        storage.run(Box::new(move || errand.run()));
        let outcome = poll_fn(|_| match started.0.take() {
            Some(outcome) => Poll::Ready(outcome),
            None => {
                self.restless.set(true);
                Poll::Pending
            }
        })
        .await;
        outcome.unwrap_or_else(|panic: Box<dyn Any + Send>| resume_unwind(panic))
    }
}
