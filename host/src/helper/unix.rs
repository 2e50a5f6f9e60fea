//! A process that goes on from here (`fork`).

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

use anyhow::{Context as _, Result};

/// Starts a process that runs `work` and ends, with the other end of what is returned, standard error, and these
/// descriptors; all others are closed there. Call it while this process has one thread. `what` names it in errors.
pub(crate) fn start(what: &str, kept: &[BorrowedFd<'_>], work: impl FnOnce(File) -> Result<()>) -> Result<File> {
    let (inner, outer) = UnixStream::pair()?;
    // As files: they are read and written by calls that are left to a process without sockets.
    let [inner, outer] = [inner, outer].map(|end| File::from(OwnedFd::from(end)));
    // SAFETY: the process has one thread, so its child finds no lock taken.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()).with_context(|| format!("can't start the process {what}")),
        0 => {
            let kept: Vec<RawFd> = kept.iter().map(|fd| fd.as_raw_fd()).chain([outer.as_raw_fd()]).collect();
            let outcome = keep_only(&kept).map_err(Into::into).and_then(|()| work(outer));
            if let Err(error) = &outcome {
                eprintln!("rankine: {what}: {error:#}");
            }
            // SAFETY: ends this process alone, without what its parent would do at its end.
            unsafe { libc::_exit(i32::from(outcome.is_err())) }
        }
        _ => Ok(inner),
    }
}

/// Closes every descriptor but these and that of errors: others wait for the end of what they read.
fn keep_only(kept: &[RawFd]) -> io::Result<()> {
    let mut kept: Vec<RawFd> = kept.iter().copied().chain([libc::STDERR_FILENO]).collect();
    kept.sort_unstable();
    let mut next = 0;
    for fd in kept.into_iter().chain([RawFd::MAX]) {
        if next < fd {
            close_range(next, fd - 1)?;
        }
        next = fd.saturating_add(1);
    }
    Ok(())
}

#[cfg(target_os = "linux")]
fn close_range(first: RawFd, last: RawFd) -> io::Result<()> {
    // SAFETY: the objects that own these descriptors are never dropped: this process ends without that.
    match unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Of those that the system lists as open.
#[cfg(not(target_os = "linux"))]
fn close_range(first: RawFd, last: RawFd) -> io::Result<()> {
    let number = |entry: io::Result<std::fs::DirEntry>| entry.ok()?.file_name().to_str()?.parse().ok();
    let open: Vec<RawFd> = std::fs::read_dir("/dev/fd")?.filter_map(number).collect();
    for fd in open.into_iter().filter(|fd| (first..=last).contains(fd)) {
        // SAFETY: the objects that own these descriptors are never dropped: this process ends without that. The list's own was
        // closed with it, and its number is refused.
        unsafe { libc::close(fd) };
    }
    Ok(())
}

/// Whether the process at the other end has ended.
pub(crate) fn has_hung_up(other: &File) -> bool {
    let mut hung_up = libc::pollfd { fd: other.as_raw_fd(), events: 0, revents: 0 };
    // SAFETY: one descriptor, which is open as long as the file is borrowed.
    unsafe { libc::poll(&mut hung_up, 1, 0) == 1 }
}
