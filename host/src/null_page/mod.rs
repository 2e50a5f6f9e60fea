//! The null page: the lowest 64 KiB of a memory, which no program uses that says so, are taken from it when its rank starts.
//! So an access through a null pointer is a trap, and costs nothing until then.
//!
//! - Only the module itself knows that it has nothing there: its linker says so by a section of a name of its own
//!   ([`MARK`]), `rankine cc` by itself. [`guard`] also looks at where it puts data.
//! - A fault is a trap only where compiled code loads or stores. Instructions for which the host works get a look at their
//!   addresses before them when the module is compiled ([`guard`]).
//! - The host touches nothing there: `Memory` and `Reach` know no address below [`LOWEST`] from before the program is
//!   instantiated. WASI's functions know nothing of that, and are called with no address that leads there.

pub(crate) mod guard;

use std::fmt;
use std::io;

use wasmtime::{AsContextMut, Error, Instance, Trap};

/// The section by which a module says that it uses nothing below [`LOWEST`].
pub(crate) const MARK: &str = rankine_toolchain::NULL_PAGE;

/// The lowest address that programs use.
pub(crate) const LOWEST: u64 = 1 << 16;

/// The stack pointer, as a guarded module exports it.
pub(crate) const STACK_POINTER: &str = "rankine stack pointer";

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

/// The same where nothing is done.
///
/// # Safety
/// There is nothing to promise.
#[cfg(not(unix))]
pub(crate) unsafe fn take(_base: *mut u8) -> io::Result<()> {
    Ok(())
}

/// Where the stack pointer was of a program that touched what it may not.
#[derive(Copy, Clone, Debug)]
pub(crate) struct StackPointer(pub(crate) i32);

impl fmt::Display for StackPointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the stack pointer was {:#x}", self.0)
    }
}

impl std::error::Error for StackPointer {}

impl StackPointer {
    /// Whether the stack had no room left, or hardly any: a function may have locals below without saying so, if it
    /// calls no other.
    pub(crate) fn is_at_end(self) -> bool {
        i64::from(self.0) < 2 * LOWEST as i64
    }
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
mod tests {
    use super::*;

    #[test]
    fn a_stack_is_at_its_end_where_nothing_is_left() {
        for (pointer, is_at_end) in [(-16, true), (65000, true), (100_000, true), (1 << 20, false), (8 << 20, false)] {
            assert_eq!(StackPointer(pointer).is_at_end(), is_at_end, "{pointer}");
        }
    }
}
