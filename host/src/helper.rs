//! Processes of our own beside this one: what stands outside of its wall, or has less than it.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd as _, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

use anyhow::{Context as _, Result, ensure};

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

fn close_range(first: RawFd, last: RawFd) -> io::Result<()> {
    // SAFETY: the objects that own these descriptors are never dropped: this process ends without that.
    match unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Sends bytes to such a process, or to the one that started it.
pub(crate) fn send(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(&(bytes.len() as u64).to_ne_bytes())?;
    to.write_all(bytes)
}

/// What the other side sends; nothing if it has ended.
pub(crate) fn receive(from: &mut impl Read, longest: u64) -> Result<Option<Vec<u8>>> {
    let mut length = [0; 8];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let length = u64::from_ne_bytes(length);
    ensure!(length <= longest, "{length} bytes are too many");
    let mut bytes = Vec::new();
    ensure!(from.take(length).read_to_end(&mut bytes)? as u64 == length, "it has ended");
    Ok(Some(bytes))
}
