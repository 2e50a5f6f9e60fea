//! Signals are kept from all threads but the one that waits for them.

use std::mem::MaybeUninit;
use std::os::unix::thread::JoinHandleExt as _;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use super::{State, lock};

/// What ends a job: an interrupt or Ctrl-\ from the keyboard, a polite request, a lost terminal.
const ENDING: [libc::c_int; 4] = [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP];

/// What asks where a job is, once somebody answers.
pub(super) const QUESTION: libc::c_int = libc::SIGQUIT;

/// What ends the thread that waits; sent by anyone else it means nothing.
const WAKE: libc::c_int = libc::SIGURG;

/// Keeps the signals that end a job from this thread and all that it starts, until [`watch`](super::watch) takes them.
#[derive(Copy, Clone)]
pub struct Held(libc::sigset_t);

/// Holds the signals back. Call it before any thread is started. A lost terminal means nothing to who was started so that it
/// should not (`nohup`); a signal that is held back would come all the same.
pub fn hold() -> Held {
    let mut set = MaybeUninit::uninit();
    let ending = ENDING.into_iter().filter(|&signal| signal != libc::SIGHUP || !is_ignored(signal));
    // SAFETY: `sigemptyset` initialises the set, and the others read it.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for signal in ending.chain([WAKE]) {
            libc::sigaddset(set.as_mut_ptr(), signal);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, set.as_ptr(), std::ptr::null_mut());
        Held(set.assume_init())
    }
}

fn is_ignored(signal: libc::c_int) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: the action is read into room for one, and looked at only if it was.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

/// Makes a file that may grow no further (`ulimit -f`) an error of the call that writes, as a full disk is, and not the end of
/// the process.
pub fn ignore_long_files() {
    // SAFETY: no handler is given.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Ends the process at once, and runs nothing more in it: what libraries do at an orderly exit would take their memory from under
/// the ranks that compute in them.
pub fn leave(status: i32) -> ! {
    // SAFETY: the call takes a number alone, and runs nothing of this process.
    unsafe { libc::_exit(status) }
}

/// The thread that waits.
pub(super) struct Waiter {
    held: Held,
    thread: Option<JoinHandle<()>>,
}

impl Waiter {
    pub(super) fn start(held: Held, state: &Arc<Mutex<State>>) -> Waiter {
        let mut waiter = Waiter { held, thread: None };
        waiter.go_on(state);
        waiter
    }

    /// Ends the thread. Signals wait from now on.
    pub(super) fn stop(&mut self, state: &Mutex<State>) {
        if let Some(thread) = self.thread.take() {
            lock(state).paused = true;
            // SAFETY: the thread has not been joined yet.
            unsafe { libc::pthread_kill(thread.as_pthread_t(), WAKE) };
            let _ = thread.join();
            lock(state).paused = false;
        }
    }

    /// Starts it again.
    pub(super) fn go_on(&mut self, state: &Arc<Mutex<State>>) {
        let (held, state) = (self.held, state.clone());
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
