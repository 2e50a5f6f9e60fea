//! Signals that end a job: a thread waits for them, so that nothing has to happen inside a signal handler.

use std::mem::MaybeUninit;
use std::os::unix::thread::JoinHandleExt as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// What ends a job: an interrupt or Ctrl-\ from the keyboard, a polite request, a lost terminal.
const ENDING: [libc::c_int; 4] = [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP];

/// What ends the thread that waits; sent by anyone else it means nothing.
const WAKE: libc::c_int = libc::SIGURG;

/// Keeps the signals that end a job from this thread and all that it starts, until [`watch`] takes them.
#[derive(Copy, Clone)]
pub struct Held(libc::sigset_t);

/// Holds the signals back. Call it before any thread is started.
pub fn hold() -> Held {
    let mut set = MaybeUninit::uninit();
    // SAFETY: `sigemptyset` initialises the set, and the others read it.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for signal in ENDING.into_iter().chain([WAKE]) {
            libc::sigaddset(set.as_mut_ptr(), signal);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, set.as_ptr(), std::ptr::null_mut());
        Held(set.assume_init())
    }
}

/// Makes a file that may grow no further (`ulimit -f`) an error of the call that writes, as a full disk is, and not the end of
/// the process.
pub fn ignore_long_files() {
    // SAFETY: no handler is given.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Waits for signals, and tells of the first; a second one ends the process at once.
pub struct Watch {
    held: Held,
    state: Arc<Mutex<State>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct State {
    arrived: Option<i32>,
    listener: Option<Box<dyn FnOnce(i32) + Send>>,
    /// Who hears of `SIGQUIT`, which then ends nothing.
    asked: Option<Box<dyn Fn() + Send>>,
    paused: bool,
}

impl State {
    fn note(&mut self, signal: i32) {
        if let (libc::SIGQUIT, Some(asked)) = (signal, &self.asked) {
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

/// Ends the process at once, and runs nothing more in it: what libraries do at an orderly exit would take their memory from under
/// the ranks that compute in them.
pub fn leave(status: i32) -> ! {
    // SAFETY: the call takes a number alone, and runs nothing of this process.
    unsafe { libc::_exit(status) }
}

/// Waits for signals from now on.
pub fn watch(held: Held) -> Watch {
    let mut watch = Watch { held, state: Arc::default(), thread: None };
    watch.start();
    watch
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

    /// From now on `SIGQUIT` (Ctrl-\ on a terminal) is a question, which `asked` hears, and not an end.
    pub fn answer(&self, asked: impl Fn() + Send + 'static) {
        lock(&self.state).asked = Some(Box::new(asked));
    }

    /// Does something that wants this thread to be alone. A signal that arrives meanwhile waits.
    pub fn paused<T>(&mut self, work: impl FnOnce() -> T) -> T {
        if let Some(thread) = self.thread.take() {
            lock(&self.state).paused = true;
            // SAFETY: the thread has not been joined yet.
            unsafe { libc::pthread_kill(thread.as_pthread_t(), WAKE) };
            let _ = thread.join();
            lock(&self.state).paused = false;
        }
        let result = work();
        self.start();
        result
    }

    fn start(&mut self) {
        let (held, state) = (self.held, self.state.clone());
        self.thread = Some(crate::allocation::thread("signals", move || {
            loop {
                let mut signal = 0;
                // SAFETY: the set is initialised, and its signals are blocked in every thread.
                unsafe { libc::sigwait(&held.0, &mut signal) };
                let mut state = lock(&state);
                match signal {
                    WAKE if state.paused => return,
                    WAKE => {}
                    signal => state.note(signal),
                }
            }
        }));
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
