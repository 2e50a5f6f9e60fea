//! Waits for a launcher that this process has started, and stands in for it: signals go on to it, and it ends with us.

use std::process::{Command, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context as _, Result};

use rankine_system::signals::{self, Watch};

/// A launcher's command, to be run to its end, perhaps several times.
pub struct Supervisor {
    command: Command,
    state: Arc<Mutex<State>>,
    _watch: Watch,
}

#[derive(Default)]
struct State {
    /// The launcher that runs.
    launcher: Option<u32>,
    /// A signal has come that ends jobs.
    is_told: bool,
}

impl Supervisor {
    /// To be called before any thread is started.
    pub fn new(mut command: Command) -> Supervisor {
        let watch = signals::watch(signals::hold());
        system::prepare(&mut command);
        let state = Arc::new(Mutex::new(State::default()));
        let of_listener = state.clone();
        watch.tell(move |signal| {
            let mut state = lock(&of_listener);
            state.is_told = true;
            match state.launcher {
                Some(launcher) => system::pass_on(launcher, signal),
                None => std::process::exit(128 + signal),
            }
        });
        Supervisor { command, state, _watch: watch }
    }

    /// Runs the launcher to its end.
    pub fn run(&mut self) -> Result<ExitStatus> {
        let name = self.command.get_program().to_string_lossy().into_owned();
        let mut state = lock(&self.state);
        let mut launcher = self.command.spawn().with_context(|| format!("the launcher {name} cannot be started"))?;
        state.launcher = Some(launcher.id());
        drop(state);
        let status = launcher.wait().context("the launcher can't be waited for");
        lock(&self.state).launcher = None;
        status
    }

    /// Whether somebody has asked for the job's end.
    pub fn is_told(&self) -> bool {
        lock(&self.state).is_told
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(unix)]
mod system {
    use std::fs::File;
    use std::os::unix::process::CommandExt as _;
    use std::process::Command;

    /// Has a launcher begin without the signals that this process holds back.
    pub(super) fn prepare(command: &mut Command) {
        // SAFETY: only system calls that are safe in a child of `fork`; the set is initialised where it is used.
        unsafe {
            command.pre_exec(|| {
                let mut none = std::mem::zeroed();
                libc::sigemptyset(&mut none);
                libc::pthread_sigmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
                // A job whose launcher is gone ends its ranks: none may outlive this process, however that ends.
                #[cfg(target_os = "linux")]
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM);
                Ok(())
            });
        }
    }

    /// Sends a signal on, unless it is a terminal's: what keys send has reached the launcher already.
    pub(super) fn pass_on(launcher: u32, signal: i32) {
        if matches!(signal, libc::SIGINT | libc::SIGQUIT) && File::open("/dev/tty").is_ok() {
            return;
        }
        // SAFETY: a plain system call. The launcher is waited for by `run`, once; a signal that comes as it ends may miss it, no
        // later process has its id while this one reads that it has ended.
        unsafe { libc::kill(launcher as libc::pid_t, signal) };
    }
}

/// No launcher is started here.
#[cfg(windows)]
mod system {
    use std::process::Command;

    pub(super) fn prepare(_: &mut Command) {}

    pub(super) fn pass_on(_: u32, _: i32) {}
}
