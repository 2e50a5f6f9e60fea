//! Pages of an image that every rank writes to as soon as it begins: they are copied for it at once. Else each is a fault of its
//! own, and one that all processors have to hear of, since the page that is replaced was mapped before.

use wasmtime::{Instance, Store, Val};

use super::{Guest, Rank};
use crate::module::image::{PAGE, PAGES, RUNS};

/// Copies those that the program names, if it names any.
pub(crate) fn copy<R: Rank>(store: &mut Store<Guest<R>>, instance: &Instance) {
    let Some(Val::I32(list)) = instance.get_global(&mut *store, PAGES).map(|global| global.get(&mut *store)) else {
        return;
    };
    let Some(memory) = store.data().known_memory() else { return };
    let (base, size) = memory.place(&*store);
    let word = |number: usize| {
        let at = (list as u32 as usize).checked_add(4 * number).filter(|at| at.saturating_add(4) <= size)?;
        let mut bytes = [0; 4];
        // SAFETY: these bytes lie within the memory, of which no code has run yet.
        unsafe { base.add(at).copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) };
        Some(u32::from_le_bytes(bytes) as usize)
    };
    for run in 0..word(0).unwrap_or(0).min(RUNS) {
        let (Some(first), Some(count)) = (word(1 + 2 * run), word(2 + 2 * run)) else { return };
        let (begin, bytes) = (first.saturating_mul(PAGE), count.saturating_mul(PAGE));
        if begin.saturating_add(bytes) <= size {
            // SAFETY: they are pages of the memory.
            unsafe { populate(base.add(begin), bytes) };
        }
    }
}

/// Has the system prepare pages for being written. One that can't leaves them as they are.
///
/// # Safety
/// They are mapped.
#[cfg(target_os = "linux")]
unsafe fn populate(begin: *mut u8, bytes: usize) {
    // SAFETY: the caller says that they are mapped. They keep what they have.
    unsafe { libc::madvise(begin.cast(), bytes, libc::MADV_POPULATE_WRITE) };
}

#[cfg(not(target_os = "linux"))]
unsafe fn populate(_begin: *mut u8, _bytes: usize) {}
