//! Waits for a launcher that this process has started, and stands in for it: signals go on to it, and it ends with us.

use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitStatus};

use anyhow::{Context as _, Result};

use crate::signals;

/// Runs a launcher to its end. To be called before any thread is started.
pub fn run(command: &mut Command) -> Result<ExitStatus> {
    let watch = signals::watch(signals::hold());
    // SAFETY: only system calls that are safe in a child of `fork`; both sets are initialised where they are used.
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
    let name = command.get_program().to_string_lossy().into_owned();
    let mut launcher = command.spawn().with_context(|| format!("the launcher {name} cannot be started"))?;
    let process = launcher.id() as libc::pid_t;
    watch.tell(move |signal| {
        // What a terminal's keys send has reached the launcher already.
        let is_of_keys = matches!(signal, libc::SIGINT | libc::SIGQUIT) && File::open("/dev/tty").is_ok();
        if !is_of_keys {
            // SAFETY: a plain system call. The launcher is waited for below, once; a signal that comes as it ends may
            // miss it, no later process has its id while this one reads that it has ended.
            unsafe { libc::kill(process, signal) };
        }
    });
    launcher.wait().context("the launcher can't be waited for")
}
