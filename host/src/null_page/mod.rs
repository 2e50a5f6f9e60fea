//! The null page (`--null-page`): the lowest 64 KiB of a memory, which no program uses that says so, are taken from it when
//! its rank starts. So an access through a null pointer is a trap, and costs nothing until then.
//!
//! - Only the module itself knows that it has nothing there: its linker says so by a section of a name of its own
//!   ([`MARK`]), `rankine cc` by itself. [`guard`] also looks at where it puts data.
//! - A fault is a trap only where compiled code loads or stores. Instructions for which the host works get a look at their
//!   addresses before them when the module is compiled ([`guard`]).
//! - The host touches nothing there: `Memory` and `Reach` know no address below [`LOWEST`] from before the program is
//!   instantiated. WASI's functions know nothing of that; for those that could get there the page is opened ([`NullPage`]).

pub(crate) mod guard;

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wasmtime::{AsContextMut, Error, Instance, Trap};

/// The section by which a module says that it uses nothing below [`LOWEST`].
pub(crate) const MARK: &str = rankine_toolchain::NULL_PAGE;

/// The lowest address that programs use.
pub(crate) const LOWEST: u64 = 1 << 16;

/// The stack pointer, as a guarded module exports it.
pub(crate) const STACK_POINTER: &str = "rankine stack pointer";

/// The null page of a rank. Its threads share it, as they share the memory.
#[derive(Debug, Default)]
pub(crate) struct NullPage(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Where the memory begins, once the page is taken from it.
    base: Option<usize>,
    /// Calls of the system that have it open.
    open: usize,
}

impl NullPage {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the page from a memory.
    ///
    /// # Safety
    /// The memory has more than [`LOWEST`] bytes, stays as long as this, and nobody touches those but compiled code that
    /// is guarded, and who has them open.
    pub(crate) unsafe fn close(&self, base: *mut u8) -> io::Result<()> {
        let mut state = self.state();
        debug_assert!(state.base.is_none(), "a rank has one memory");
        // SAFETY: the page lies in the caller's memory, which only guarded code touches from now on.
        unsafe { protect(base.expose_provenance(), false) }?;
        state.base = Some(base.expose_provenance());
        Ok(())
    }

    /// Gives the page back for as long as somebody has it open.
    pub(crate) fn open(self: &Arc<Self>) -> io::Result<Open> {
        let mut state = self.state();
        if let Some(base) = state.base
            && state.open == 0
        {
            // SAFETY: the page is that of a memory that stays.
            unsafe { protect(base, true) }?;
        }
        state.open += 1;
        Ok(Open(self.clone()))
    }
}

/// A null page that may be touched.
#[derive(Debug)]
pub(crate) struct Open(Arc<NullPage>);

impl Drop for Open {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.open -= 1;
        if let Some(base) = state.base
            && state.open == 0
            // SAFETY: the page is that of a memory that stays, and nobody has it open any more.
            && let Err(error) = unsafe { protect(base, false) }
        {
            // It stays as it is: null pointers are not noticed.
            tracing::debug!("the null page stays open: {error}");
        }
    }
}

/// Lets the null page of the memory that begins there be touched, or forbids it.
///
/// # Safety
/// The memory is there, and has as many bytes.
#[cfg(unix)]
unsafe fn protect(base: usize, open: bool) -> io::Result<()> {
    let rights = if open { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_NONE };
    // SAFETY: the pages are the memory's, which the caller vouches for, and keep what is in them.
    match unsafe { libc::mprotect(std::ptr::with_exposed_provenance_mut(base), LOWEST as usize, rights) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(not(unix))]
unsafe fn protect(_base: usize, _open: bool) -> io::Result<()> {
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// The rights of the page at an address.
    #[cfg(target_os = "linux")]
    fn rights(at: usize) -> String {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let number = |digits| usize::from_str_radix(digits, 16).unwrap();
        let found = maps.lines().find_map(|line| {
            let mut words = line.split(' ');
            let (start, end) = words.next()?.split_once('-')?;
            (number(start)..number(end)).contains(&at).then(|| words.next().unwrap().to_owned())
        });
        found.unwrap()
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_page_is_open_as_long_as_somebody_needs_it() {
        let (rights_of, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: new memory, which nothing else uses.
        let at = unsafe { libc::mmap(std::ptr::null_mut(), 2 * LOWEST as usize, rights_of, kind, -1, 0) };
        assert_ne!(at, libc::MAP_FAILED);
        let page = Arc::new(NullPage::default());
        // Not closed yet.
        drop(page.open().unwrap());
        assert_eq!(rights(at.addr()), "rw-p");
        // SAFETY: it is there, and this test's.
        unsafe { page.close(at.cast()) }.unwrap();
        assert_eq!(rights(at.addr()), "---p");
        assert_eq!(rights(at.addr() + LOWEST as usize), "rw-p");
        let (first, second) = (page.open().unwrap(), page.open().unwrap());
        assert_eq!(rights(at.addr()), "rw-p");
        drop(first);
        assert_eq!(rights(at.addr()), "rw-p");
        drop(second);
        assert_eq!(rights(at.addr()), "---p");
        // SAFETY: it was mapped above, and nobody uses it any more.
        unsafe { libc::munmap(at, 2 * LOWEST as usize) };
    }

    #[test]
    fn a_stack_is_at_its_end_where_nothing_is_left() {
        for (pointer, is_at_end) in [(-16, true), (65000, true), (100_000, true), (1 << 20, false), (8 << 20, false)] {
            assert_eq!(StackPointer(pointer).is_at_end(), is_at_end, "{pointer}");
        }
    }
}
