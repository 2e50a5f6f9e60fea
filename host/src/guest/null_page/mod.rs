//! The null page: the lowest 64 KiB of a memory, which no program uses that says so, are taken from it when its rank starts.
//! So an access through a null pointer is a trap, and costs nothing until then.
//!
//! - Only the module itself knows that it has nothing there: its linker says so by a section of a name of its own
//!   ([`rankine_rewrite::guard::MARK`]), `rankine cc` by itself. [`rankine_rewrite::guard`] also looks at where it puts data.
//! - A fault is a trap only where compiled code loads or stores. Instructions for which the host works get a look at their
//!   addresses before them when the module is compiled ([`rankine_rewrite::guard`]).
//! - The host touches nothing there: `Memory` and `Reach` know no address below [`LOWEST`] from before the program is
//!   instantiated. WASI's functions know nothing of that, and are called with no address that leads there.

use std::io;

#[cfg(unix)]
use rankine_rewrite::guard::LOWEST;
use rankine_rewrite::guard::STACK_POINTER;
use wasmtime::{AsContextMut, Error, Instance, Trap};

use crate::report::trap::StackPointer;

/// Takes the page from a memory.
///
/// # Safety
/// The memory has more than [`LOWEST`] bytes, and nobody touches those from now on but compiled code that is guarded.
#[cfg(unix)]
pub(crate) unsafe fn take(base: *mut u8) -> io::Result<()> {
    // SAFETY: the page lies in the caller's memory, which only guarded code touches from now on.
    match unsafe { libc::mprotect(base.cast(), LOWEST as usize, libc::PROT_NONE) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Takes no page away: this system can't.
///
/// # Safety
/// There is nothing to promise.
#[cfg(not(unix))]
pub(crate) unsafe fn take(_base: *mut u8) -> io::Result<()> {
    Ok(())
}

/// Adds to the error of a program what tells a null pointer from an exhausted stack.
pub(crate) fn explain(error: Error, mut store: impl AsContextMut, instance: &Instance) -> Error {
    if !matches!(error.downcast_ref(), Some(Trap::MemoryOutOfBounds)) {
        return error;
    }
    let pointer = instance.get_global(&mut store, STACK_POINTER).and_then(|global| global.get(&mut store).i32());
    match pointer {
        Some(pointer) => error.context(StackPointer(pointer)),
        None => error,
    }
}

#[cfg(test)]
mod guarded;
