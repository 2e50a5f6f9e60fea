//! A process that goes on from here (`fork`).

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

use anyhow::{Context as _, Result};

use crate::inheritance;
use crate::tell;

/// Starts a process that runs `work` and ends, with the other end of what is returned, standard error, and these
/// descriptors; all others are closed there. Call it while this process has one thread. `what` names it in errors.
pub fn start(what: &str, kept: &[BorrowedFd<'_>], work: impl FnOnce(File) -> Result<()>) -> Result<File> {
    let (inner, outer) = UnixStream::pair()?;
    // As files: they are read and written by calls that are left to a process without sockets.
    let [inner, outer] = [inner, outer].map(|end| File::from(OwnedFd::from(end)));
    // SAFETY: the process has one thread, so its child finds no lock taken.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()).with_context(|| format!("can't start the process {what}")),
        0 => {
            let kept: Vec<RawFd> = kept.iter().map(|fd| fd.as_raw_fd()).chain([outer.as_raw_fd()]).collect();
            let outcome = inheritance::keep_only(&kept).map_err(Into::into).and_then(|()| work(outer));
            if let Err(error) = &outcome {
                tell!("rankine: {what}: {error:#}");
            }
            // SAFETY: ends this process alone, without what its parent would do at its end.
            unsafe { libc::_exit(i32::from(outcome.is_err())) }
        }
        _ => Ok(inner),
    }
}

/// Whether the process at the other end has ended.
pub fn has_hung_up(other: &File) -> bool {
    let mut hung_up = libc::pollfd { fd: other.as_raw_fd(), events: 0, revents: 0 };
    // SAFETY: one descriptor, which is open as long as the file is borrowed.
    unsafe { libc::poll(&mut hung_up, 1, 0) == 1 }
}
