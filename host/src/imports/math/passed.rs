//! What a library's routine is called with: copies of the numbers and letters that a guest has passed, as they were read, and
//! the places of its matrices, as they were proved.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::null_mut;

use super::library::{LENGTH, WORDS};

/// As many arguments as a routine has at most, without the lengths of strings.
const ARGUMENTS: usize = 13;

/// The arguments of a call. Each is known once it was read.
#[derive(Default)]
pub(super) struct Passed {
    /// Numbers as they are in memory, zeroes behind them: of one that counts something these are the same number with 32 and
    /// with 64 bits.
    values: [Cell<[u64; 2]>; ARGUMENTS],
    places: [Cell<Option<*mut c_void>>; ARGUMENTS],
}

impl Passed {
    /// The bytes of a number or letter.
    pub(super) fn value(&self, argument: usize, bytes: &[u8]) {
        let mut value = [0; 16];
        let (Some(cell), Some(part)) = (self.values.get(argument), value.get_mut(..bytes.len())) else { return };
        part.copy_from_slice(bytes);
        let (words, _) = value.as_chunks::<8>();
        cell.set([words[0], words[1]].map(u64::from_ne_bytes));
    }

    /// Where a matrix or a result lies.
    pub(super) fn place<T>(&self, argument: usize, at: *mut T) {
        self.places[argument].set(Some(at.cast()));
    }

    /// The words of a call with so many arguments. Behind the addresses lie the lengths of strings, which are letters.
    pub(super) fn words(&self, arguments: usize) -> [*mut c_void; WORDS] {
        let value = |at: usize| self.values.get(at).map_or(null_mut(), Cell::as_ptr).cast();
        let word = |at: usize| self.places.get(at).and_then(Cell::get).unwrap_or_else(|| value(at));
        std::array::from_fn(|at| if at < arguments { word(at) } else { LENGTH })
    }
}
