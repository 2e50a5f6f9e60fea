//! What the console tells: Windows calls a function of ours on a thread of its own.

use std::sync::{Arc, Mutex, OnceLock};

use windows_sys::Win32::System::Console::{
    CTRL_BREAK_EVENT, CTRL_C_EVENT, CTRL_CLOSE_EVENT, CTRL_LOGOFF_EVENT, CTRL_SHUTDOWN_EVENT, SetConsoleCtrlHandler,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, TerminateProcess};
use windows_sys::core::BOOL;

use super::{INTERRUPT, State, lock};

/// As Unix numbers them: statuses and messages have these numbers.
const QUIT: i32 = 3;
const HANG_UP: i32 = 1;
const TERMINATION: i32 = 15;

/// What asks where a job is, once somebody answers.
pub(super) const QUESTION: i32 = QUIT;

/// Nothing has to be held back: what the console tells comes on a thread of its own.
#[derive(Copy, Clone)]
pub struct Held;

/// Holds nothing back.
pub fn hold() -> Held {
    Held
}

/// A file that may grow no further is an error of the call that writes anyway.
pub fn ignore_long_files() {}

/// Ends the process at once, and runs nothing more in it: what libraries do at an orderly exit would take their memory from under
/// the ranks that compute in them.
pub fn leave(status: i32) -> ! {
    // SAFETY: the process itself, and a number.
    unsafe { TerminateProcess(GetCurrentProcess(), status as u32) };
    std::process::abort()
}

/// Who hears of it.
static STATE: OnceLock<Arc<Mutex<State>>> = OnceLock::new();

/// That the console was told whom to call.
pub(super) struct Waiter;

impl Waiter {
    pub(super) fn start(_: Held, state: &Arc<Mutex<State>>) -> Waiter {
        if STATE.set(state.clone()).is_ok() {
            // SAFETY: the function lives as long as the process. Without a console there is nobody to call it.
            unsafe { SetConsoleCtrlHandler(Some(called), 1) };
        }
        Waiter
    }

    /// Nothing here wants a thread to be alone.
    pub(super) fn stop(&mut self, _: &Mutex<State>) {}

    pub(super) fn go_on(&mut self, _: &Arc<Mutex<State>>) {}
}

unsafe extern "system" fn called(event: u32) -> BOOL {
    let signal = match event {
        CTRL_C_EVENT => INTERRUPT,
        CTRL_BREAK_EVENT => QUIT,
        CTRL_CLOSE_EVENT => HANG_UP,
        CTRL_LOGOFF_EVENT | CTRL_SHUTDOWN_EVENT => TERMINATION,
        _ => return 0,
    };
    if let Some(state) = STATE.get() {
        lock(state).note(signal);
    }
    1
}
