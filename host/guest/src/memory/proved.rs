//! Bytes of a guest's memory that were proved to be there.

use crate::copy;

/// A proof, and what it is about: where bytes of a guest's memory begin, and how many of them are inside. Only a
/// [`Memory`](super::Memory) makes one, so neither can be taken from another. The memory never moves and stays until the job has
/// ended, and with it the proof. Others may access the bytes at any time.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Proved {
    first: *mut u8,
    length: usize,
}

impl Proved {
    /// All of so many bytes were found to be inside.
    #[inline(always)]
    pub(super) fn new(first: *mut u8, length: usize) -> Proved {
        Proved { first, length }
    }

    /// Where they begin: for libraries, and for what keeps the length beside it.
    #[inline(always)]
    pub fn first(self) -> *mut u8 {
        self.first
    }

    /// How many they are.
    #[inline(always)]
    pub fn len(self) -> usize {
        self.length
    }

    /// Whether they are none.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.length == 0
    }

    /// Where what they are a part of has its beginning, if the first of them lies so many bytes behind it.
    #[inline]
    pub fn origin(self, first_at: i128) -> *mut u8 {
        self.first.wrapping_sub(first_at as usize)
    }

    /// Copies them out to as many bytes of the host's.
    #[inline(always)]
    pub fn read(self, to: &mut [u8]) {
        assert_eq!(self.length, to.len(), "bytes that were proved, and room for them");
        // SAFETY: so many bytes are in the memory, and as many in the slice.
        unsafe { copy::copy(to.as_mut_ptr(), self.first, self.length) };
    }

    /// Copies the bytes behind those of a vector that has room for them.
    #[inline(always)]
    pub fn append_to(self, bytes: &mut Vec<u8>) {
        let room = bytes.spare_capacity_mut();
        assert!(self.length <= room.len(), "bytes that were proved, and room for them");
        // SAFETY: so many bytes are in the memory, and the vector has room for them; they are written before they count.
        unsafe {
            copy::copy(room.as_mut_ptr().cast(), self.first, self.length);
            bytes.set_len(bytes.len() + self.length);
        }
    }

    /// Copies them out, a few whose number the compiler knows.
    #[inline(always)]
    pub fn read_array<const N: usize>(self) -> [u8; N] {
        assert_eq!(self.length, N, "bytes that were proved, and room for them");
        let mut bytes = [0; N];
        // SAFETY: so many bytes are in the memory, and as many in the array.
        unsafe { copy::copy_array::<N>(bytes.as_mut_ptr(), self.first) };
        bytes
    }

    /// Copies as many bytes of the host's in.
    #[inline(always)]
    pub fn write(self, from: &[u8]) {
        assert_eq!(self.length, from.len(), "bytes that were proved, and what is written there");
        // SAFETY: so many bytes are in the memory, and as many in the slice.
        unsafe { copy::copy(self.first, from.as_ptr(), self.length) };
    }

    /// Copies a few bytes in, whose number the compiler knows.
    #[inline(always)]
    pub fn write_array<const N: usize>(self, from: [u8; N]) {
        assert_eq!(self.length, N, "bytes that were proved, and what is written there");
        // SAFETY: so many bytes are in the memory, and as many in the array.
        unsafe { copy::copy_array::<N>(self.first, from.as_ptr()) };
    }

    /// Copies as many bytes in from where somebody may be writing.
    ///
    /// # Safety
    /// As many bytes can be read at `from`.
    pub unsafe fn write_from(self, from: *const u8) {
        // SAFETY: so many bytes are in the memory, and the caller's promise.
        unsafe { copy::copy(self.first, from, self.length) };
    }
}
