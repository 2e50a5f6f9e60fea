//! An abort is a signal, whose handler looks why.

use std::error::Error;
use std::ffi::c_int;

use super::{REFUSED, STATUS, STEP};

/// Has an abort for want of memory end the process with a message instead. Only where [`Allocator`](super::Allocator) is the program's.
pub fn tell_exhaustion() {
    // SAFETY: the handler only asks and writes; all other fields of the action may be zero.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = aborted as extern "C" fn(c_int) as usize;
        action.sa_flags = libc::SA_ONSTACK;
        libc::sigaction(libc::SIGABRT, &action, std::ptr::null_mut());
    }
}

/// Has long blocks go back to the system as soon as they are free, for a process that may have so much memory and no more. Left to
/// itself, glibc keeps blocks like the longest that was ever free, and what lies between them comes to a quarter of all.
pub fn keep_little() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the calls take numbers alone.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LONG);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 2 * LONG);
    }
}

/// A block of so many bytes is a mapping of its own.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LONG: c_int = 1 << 20;

/// Has all pages go back to the system in which nothing but free blocks lies, of all threads. That takes a while.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the call takes a number alone; blocks that are free are nobody's.
    unsafe {
        libc::malloc_trim(0);
    }
}

extern "C" fn aborted(signal: c_int) {
    let bytes = REFUSED.get();
    if bytes != 0 {
        tell(bytes);
        crate::signals::leave(STATUS);
    }
    // For any other reason it ends the process as ever, as soon as this has returned.
    // SAFETY: numbers alone.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

/// Whether this is the cause: the system has no memory left.
pub(super) fn is_exhaustion(cause: &(dyn Error + 'static)) -> bool {
    let rustix = cause.downcast_ref::<rustix::io::Errno>().map(|errno| errno.raw_os_error());
    let errno = rustix.or_else(|| cause.downcast_ref::<std::io::Error>()?.raw_os_error());
    errno == Some(libc::ENOMEM)
}

/// Says what was refused, without memory and without locks.
fn tell(bytes: usize) {
    let mut digits = [0; 20];
    for text in [
        &b"rankine: out of memory: the system refused the host "[..],
        decimal(bytes, &mut digits),
        b" bytes, so the job ends. ",
        STEP.as_bytes(),
        b"\n",
    ] {
        // SAFETY: the bytes of a text. What can't be written is lost, as there is nobody else to tell.
        unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
    }
}

/// A number in digits, at the end of the room for them.
fn decimal(mut number: usize, digits: &mut [u8; 20]) -> &[u8] {
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return &digits[at..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told() {
        for number in [0, 7, 10, 4096, usize::MAX] {
            assert_eq!(decimal(number, &mut [0; 20]), number.to_string().as_bytes());
        }
    }
}
