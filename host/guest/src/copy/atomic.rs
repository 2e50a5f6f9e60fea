//! Byte by byte with relaxed atomics: correct everywhere, and what Miri can follow.
//!
//! Sources may be memory that is only readable, which an `&AtomicU8` must not be made of by the rules of Stacked
//! Borrows; Miri therefore runs with `-Zmiri-tree-borrows`.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// # Safety
/// As for [`super::copy`], for any length.
pub(super) unsafe fn copy_large(dst: *mut u8, src: *const u8, len: usize) {
    for i in 0..len {
        // SAFETY: the caller's promise; a byte is always aligned.
        unsafe {
            let byte = AtomicU8::from_ptr(src.cast_mut().wrapping_add(i)).load(Relaxed);
            AtomicU8::from_ptr(dst.wrapping_add(i)).store(byte, Relaxed);
        }
    }
}

/// Defines functions that copy a fixed number of bytes.
macro_rules! moves {
    ($($name:ident $len:literal),+) => {$(
        /// # Safety
        /// As for [`super::copy`], with the number of bytes in the name.
        pub(super) unsafe fn $name(dst: *mut u8, src: *const u8) {
            // SAFETY: both ranges have as many bytes as the name says, as the function demands.
            unsafe { copy_large(dst, src, $len) }
        }
    )+};
}

moves!(copy_1 1, copy_2 2, copy_4 4, copy_8 8, copy_16 16, copy_32 32, copy_64 64);
