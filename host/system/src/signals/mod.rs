//! Signals that end a job: a thread waits for them, so that nothing has to happen inside a signal handler.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

pub use system::{Held, hold, ignore_long_files, leave};

/// An interrupt from the keyboard, as every system numbers it.
pub const INTERRUPT: i32 = 2;

/// Waits for signals, and tells of the first; a second one ends the process at once.
pub struct Watch {
    state: Arc<Mutex<State>>,
    waiter: system::Waiter,
}

#[derive(Default)]
struct State {
    arrived: Option<i32>,
    listener: Option<Box<dyn FnOnce(i32) + Send>>,
    /// Who hears of a question (Ctrl-\ on a terminal, on Windows Ctrl-Break), which then ends nothing.
    asked: Option<Box<dyn Fn() + Send>>,
    paused: bool,
}

impl State {
    fn note(&mut self, signal: i32) {
        if let (system::QUESTION, Some(asked)) = (signal, &self.asked) {
            return asked();
        }
        if self.arrived.replace(signal).is_some() {
            leave(128 + signal);
        }
        if let Some(listener) = self.listener.take() {
            listener(signal);
        }
    }
}

/// Waits for signals from now on.
pub fn watch(held: Held) -> Watch {
    let state = Arc::default();
    Watch { waiter: system::Waiter::start(held, &state), state }
}

impl Watch {
    /// From now on it is `listener` that hears of the first signal, also of one that has arrived before.
    pub fn tell(&self, listener: impl FnOnce(i32) + Send + 'static) {
        let mut state = lock(&self.state);
        match state.arrived {
            Some(signal) => listener(signal),
            None => state.listener = Some(Box::new(listener)),
        }
    }

    /// From now on a question (`SIGQUIT`: Ctrl-\ on a terminal; on Windows Ctrl-Break) is one, which `asked` hears, and not
    /// an end.
    pub fn answer(&self, asked: impl Fn() + Send + 'static) {
        lock(&self.state).asked = Some(Box::new(asked));
    }

    /// From now on a signal ends the process, after `last`; so does one that has arrived before, unless it `was_heard`.
    pub fn end_by(&self, was_heard: bool, last: impl FnOnce(i32) + Send + 'static) {
        let end = move |signal| {
            last(signal);
            leave(128 + signal);
        };
        let mut state = lock(&self.state);
        match state.arrived {
            Some(signal) if !was_heard => end(signal),
            // The next one does.
            Some(_) => {}
            None => state.listener = Some(Box::new(end)),
        }
    }

    /// Does something that wants this thread to be alone. A signal that arrives meanwhile waits.
    pub fn paused<T>(&mut self, work: impl FnOnce() -> T) -> T {
        self.waiter.stop(&self.state);
        let result = work();
        self.waiter.go_on(&self.state);
        result
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
