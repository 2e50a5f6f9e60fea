//! Signals that end a job: a thread waits for them, so that nothing has to happen inside a signal handler.

use std::mem::MaybeUninit;
use std::sync::{Arc, Mutex, PoisonError};

/// What ends a job: an interrupt from the keyboard, a polite request, a lost terminal.
const ENDING: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// Keeps the signals that end a job from this thread and all that it starts, until [`watch`] takes them.
pub struct Held(libc::sigset_t);

/// Holds the signals back. Call it before any thread is started.
pub fn hold() -> Held {
    let mut set = MaybeUninit::uninit();
    // SAFETY: `sigemptyset` initialises the set, and the others read it.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for signal in ENDING {
            libc::sigaddset(set.as_mut_ptr(), signal);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, set.as_ptr(), std::ptr::null_mut());
        Held(set.assume_init())
    }
}

/// Tells of the first signal.
#[derive(Clone, Default)]
pub struct Watch(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    arrived: Option<i32>,
    listener: Option<Box<dyn FnOnce(i32) + Send>>,
}

impl Watch {
    /// From now on it is `listener` that hears of the first signal, also of one that has arrived before.
    pub fn tell(&self, listener: impl FnOnce(i32) + Send + 'static) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match state.arrived {
            Some(signal) => listener(signal),
            None => state.listener = Some(Box::new(listener)),
        }
    }

    fn note(&self, signal: i32) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.arrived = Some(signal);
        if let Some(listener) = state.listener.take() {
            listener(signal);
        }
    }
}

/// Waits for signals from now on; a second one ends the process at once.
pub fn watch(held: Held) -> Watch {
    let watch = Watch::default();
    let told = watch.clone();
    std::thread::spawn(move || {
        let wait = || {
            let mut signal = 0;
            // SAFETY: the set is initialised, and its signals are blocked in every thread.
            unsafe { libc::sigwait(&held.0, &mut signal) };
            signal
        };
        told.note(wait());
        let signal = wait();
        std::process::exit(128 + signal);
    });
    watch
}
