//! What becomes of a job when the system has no memory left for the host.
//!
//! Most of what a guest asks for is reserved so that a refusal is an error of its call. Elsewhere Rust aborts the process
//! when an allocation fails. The command makes that an end of the job like others: a message, and a status. The
//! allocator notes on each thread what it was refused last, and the handler of `SIGABRT` looks whether that is why.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::c_int;
use std::thread::{Builder, JoinHandle};

/// The exit status of a job that the host could not go on with.
const STATUS: c_int = 1;

/// What to do about it.
const STEP: &str = "Start fewer ranks here, let each have less (--memory-limit), or raise the limit that the job runs under \
    (ulimit -v, the batch system's, the container's)";

thread_local! {
    /// The bytes that this thread was refused last. It is not forgotten when there is memory again: a thread that is about
    /// to abort allocates some for its backtrace.
    static REFUSED: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, which notes what it could not give.
pub struct Allocator;

// SAFETY: every call is passed on to the system's allocator as it is; what is noted needs no memory.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps to the contract of `GlobalAlloc`, which the system's allocator has too.
        noted(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps to the contract of `GlobalAlloc`, which the system's allocator has too.
        noted(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps to the contract of `GlobalAlloc`, which the system's allocator has too.
        noted(unsafe { System.realloc(block, layout, size) }, size)
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block is one of the system's allocator, as all blocks of this one are, and has this layout.
        unsafe { System.dealloc(block, layout) }
    }
}

#[inline]
fn noted(block: *mut u8, size: usize) -> *mut u8 {
    if block.is_null() {
        REFUSED.set(size);
    }
    block
}

/// Has an abort for want of memory end the process with a message instead. Only where [`Allocator`] is the program's.
pub fn tell_exhaustion() {
    // SAFETY: the handler only asks and writes; all other fields of the action may be zero.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = aborted as extern "C" fn(c_int) as usize;
        action.sa_flags = libc::SA_ONSTACK;
        libc::sigaction(libc::SIGABRT, &action, std::ptr::null_mut());
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

/// Starts a thread that the command can't do without; the process ends with a message where the system has none left.
pub(crate) fn thread<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    Builder::new().name(name.into()).spawn(work).unwrap_or_else(|error| {
        eprintln!("rankine: the system refuses another thread ({name}): {error}. {STEP}");
        crate::signals::leave(STATUS);
    })
}

/// What to do about an error, if it is that the system has no memory left.
pub(crate) fn step(error: &wasmtime::Error) -> Option<&'static str> {
    let errno = |cause: &(dyn std::error::Error + 'static)| {
        let rustix = cause.downcast_ref::<rustix::io::Errno>().map(|errno| errno.raw_os_error());
        rustix.or_else(|| cause.downcast_ref::<std::io::Error>()?.raw_os_error())
    };
    error.chain().any(|cause| errno(cause) == Some(libc::ENOMEM)).then_some(STEP)
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

    #[test]
    fn a_refusal_is_noted() {
        let ask = |size| {
            let layout = Layout::from_size_align(size, 8).unwrap();
            // SAFETY: the size is not zero; what is given is given back.
            unsafe {
                // The compiler would leave out a block that nobody looks at.
                let block = std::hint::black_box(Allocator.alloc(layout));
                if !block.is_null() {
                    Allocator.dealloc(block, layout);
                }
                block.is_null()
            }
        };
        let most = isize::MAX as usize - 64;
        assert!(!ask(8) && REFUSED.get() == 0);
        assert!(ask(most) && REFUSED.get() == most);
        assert!(!ask(8) && REFUSED.get() == most);
    }

    #[test]
    fn there_is_a_step_where_there_is_no_room() {
        let of = |errno: i32| step(&wasmtime::Error::from(std::io::Error::from_raw_os_error(errno)).context("mmap"));
        assert!(of(libc::ENOMEM).is_some() && of(libc::EACCES).is_none());
        assert!(step(&wasmtime::Error::from(rustix::io::Errno::NOMEM).context("mmap")).is_some());
    }
}
