//! `MPI_Status`: eight ints, 32 bytes, the same in every guest and host.

use crate::{MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_PROC_NULL, MPI_SUCCESS};

/// What a receive, probe or completion tells about a message.
///
/// The first three fields are public in the standard ABI; of the other five, `local` uses the first two for the
/// number of bytes (low word first) and the third for "was cancelled". Another MPI library uses them its own way.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
#[repr(C)]
pub struct Status {
    /// `MPI_SOURCE`
    pub source: i32,
    /// `MPI_TAG`
    pub tag: i32,
    /// `MPI_ERROR`
    pub error: i32,
    /// Five ints that belong to the engine.
    pub internal: [i32; 5],
}

impl Status {
    /// Its size in the guest's memory.
    pub const SIZE: u32 = 32;

    /// The empty status (MPI-5.0, section 3.7.3): what completing a null or inactive request gives.
    pub const EMPTY: Self = Self { source: MPI_ANY_SOURCE, tag: MPI_ANY_TAG, error: MPI_SUCCESS, internal: [0; 5] };

    /// The status of a receive from `MPI_PROC_NULL` (section 3.10).
    pub const PROC_NULL: Self = Self { source: MPI_PROC_NULL, ..Self::EMPTY };

    /// The status of a message of `bytes` bytes.
    #[inline]
    pub const fn new(source: i32, tag: i32, bytes: u64) -> Self {
        let mut status = Self { source, tag, ..Self::EMPTY };
        status.set_bytes(bytes);
        status
    }

    /// How many bytes were received.
    pub const fn bytes(&self) -> u64 {
        (self.internal[0] as u32 as u64) | ((self.internal[1] as u32 as u64) << 32)
    }

    /// Sets how many bytes were received.
    pub const fn set_bytes(&mut self, bytes: u64) {
        self.internal[0] = bytes as u32 as i32;
        self.internal[1] = (bytes >> 32) as u32 as i32;
    }

    /// Whether the operation was cancelled.
    pub const fn cancelled(&self) -> bool {
        self.internal[2] != 0
    }

    /// Sets whether the operation was cancelled.
    pub const fn set_cancelled(&mut self, cancelled: bool) {
        self.internal[2] = cancelled as i32;
    }

    /// The eight ints as they lie in memory.
    pub const fn words(&self) -> [i32; 8] {
        let [a, b, c, d, e] = self.internal;
        [self.source, self.tag, self.error, a, b, c, d, e]
    }

    /// The status that eight ints in memory are.
    pub const fn from_words(words: [i32; 8]) -> Self {
        let [source, tag, error, a, b, c, d, e] = words;
        Self { source, tag, error, internal: [a, b, c, d, e] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_beyond_four_gigabytes() {
        let mut status = Status::new(3, 4, 0x1_ffff_fff0);
        status.set_cancelled(true);
        let status = Status::from_words(status.words());
        assert_eq!((status.source, status.tag, status.bytes()), (3, 4, 0x1_ffff_fff0));
        assert!(status.cancelled());
    }

    #[test]
    fn layout() {
        assert_eq!(size_of::<Status>(), Status::SIZE as usize);
    }
}
