//! What becomes of a job when the system has no memory left for the host.
//!
//! Most of what a guest asks for is reserved so that a refusal is an error of its call. Elsewhere Rust aborts the process
//! when an allocation fails. The command makes that an end of the job like others: a message, and a status. The
//! allocator notes on each thread what it was refused last, and the handler of `SIGABRT` looks whether that is why.

use crate::tell;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::error::Error;
use std::thread::{Builder, JoinHandle};

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

pub use system::{give_back, keep_little, tell_exhaustion};

/// The exit status of a job that the host could not go on with.
const STATUS: i32 = 1;

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

/// Starts a thread that the command can't do without; the process ends with a message where the system has none left.
pub fn thread<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    Builder::new().name(name.into()).spawn(work).unwrap_or_else(|error| {
        tell!("rankine: the system refuses another thread ({name}): {error}. {STEP}");
        crate::signals::leave(STATUS);
    })
}

/// What to do about an error, of which `chain` is every cause, if it is that the system has no memory left.
pub fn step<'e>(chain: impl IntoIterator<Item = &'e (dyn Error + 'static)>) -> Option<&'static str> {
    chain.into_iter().any(system::is_exhaustion).then_some(STEP)
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// Blocks between which others stay, too short for mappings of their own.
    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn what_lies_free_between_blocks_is_given_back() {
        const COUNT: usize = 8192;
        let _alone = crate::footprint::tests::MEASURED.lock();
        let footprint = crate::footprint::Footprint::open().unwrap();
        let mut blocks: Vec<Vec<u8>> = (0..COUNT).map(|_| std::hint::black_box(vec![1; 32 << 10])).collect();
        let mut number = 0;
        blocks.retain(|_| {
            number += 1;
            number % 64 == 0
        });
        let before = footprint.bytes().unwrap();
        give_back();
        // Other tests may have taken a little meanwhile.
        let after = footprint.bytes().unwrap();
        assert!(
            after + (128 << 20) < before,
            "{before} bytes, then {after}, of which {} blocks are ours",
            blocks.len()
        );
    }

    #[test]
    fn there_is_a_step_where_there_is_no_room() {
        let of =
            |errno: i32| step(anyhow::Error::from(std::io::Error::from_raw_os_error(errno)).context("mmap").chain());
        assert!(of(libc::ENOMEM).is_some() && of(libc::EACCES).is_none());
        assert!(step(anyhow::Error::from(rustix::io::Errno::NOMEM).context("mmap").chain()).is_some());
    }
}
