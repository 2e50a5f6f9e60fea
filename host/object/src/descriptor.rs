//! Pointers and allocatables of Fortran: a reference that lies in a descriptor, which says how many elements there are.
//!
//! The layout is flang's for wasm32, which is that of `CFI_cdesc_t` with 64-bit lengths: address, length of an element,
//! version, four bytes (rank, type, attribute, and what else there is), then for each dimension lower bound, extent and
//! stride in bytes, and for derived types the address of what the program knows of the type. What is always the same in
//! a field's descriptor is the field's *pattern*. It says on both sides what a descriptor has to be, and is written
//! over what was there, or came.

use rankine_abi::{MPI_ERR_ARG, MPI_ERR_TYPE};
use rankine_guest::{Error, Result};

use crate::error;
use crate::image::{put_word, word};

/// Alignment of a descriptor.
pub(crate) const ALIGN: u32 = 8;

const LENGTH: usize = 8;
const VERSION: usize = 16;
const KIND: usize = 20;
const DIMENSIONS: usize = 24;
/// Bytes of a dimension, and where in it extent and stride lie.
const DIMENSION: usize = 24;
const EXTENT: usize = 8;
const STRIDE: usize = 16;
/// Address of the type's information, and a length parameter that is not used.
const ADDENDUM: u32 = 16;
/// Fortran's highest rank.
const MAX_RANK: i32 = 15;

/// What is always the same in a field's descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    pub rank: u32,
    /// Bytes of an element; 0 for strings of any length.
    pub length: u32,
    version: u32,
    /// Rank, type, attribute, and whether there is an addendum.
    pub kind: u32,
    /// The address of what the program knows of the type.
    information: u32,
}

impl Pattern {
    /// Checks the words of a field.
    pub(crate) fn new(rank: i32, length: i32, version: i32, kind: i32, information: i32) -> Result<Pattern> {
        if !(0..=MAX_RANK).contains(&rank) || kind & 0xff != rank || length < 0 {
            let text = format!("a descriptor has the rank {rank}, the kind {kind:#x} and elements of {length} bytes");
            return Err(Error::new(MPI_ERR_ARG, text));
        }
        let [rank, length, version, kind, information] =
            [rank, length, version, kind, information].map(|word| word as u32);
        Ok(Pattern { rank, length, version, kind, information })
    }

    /// Checks that elements are objects of `size` bytes, or as many numbers or characters as there is room for.
    pub(crate) fn fits(&self, size: u32, is_described: bool) -> Result<()> {
        let fits = if is_described { self.length == size } else { self.length.is_multiple_of(size) };
        if fits {
            return Ok(());
        }
        let text = format!("its elements have {} bytes, and their type {size}", self.length);
        Err(Error::new(MPI_ERR_ARG, text))
    }

    /// Bytes of the descriptor.
    pub(crate) fn size(&self) -> u32 {
        let dimensions = DIMENSIONS as u32 + self.rank * DIMENSION as u32;
        dimensions + if self.has_information() { ADDENDUM } else { 0 }
    }

    /// Whether it is an allocatable, which nothing else can be the owner of.
    pub(crate) fn is_allocatable(&self) -> bool {
        self.kind >> 16 & 0xff == 2
    }

    fn has_information(&self) -> bool {
        self.kind >> 24 & 1 != 0
    }

    /// How many objects of `size` bytes the descriptor at `at` refers to.
    pub(crate) fn count(&self, bytes: &[u8], at: usize, size: u32) -> Result<u32> {
        let length = long(bytes, at + LENGTH);
        if self.length != 0 && length != i64::from(self.length) {
            return Err(wrong(format!(
                "its elements have {length} bytes, and those of the declared type {}",
                self.length
            )));
        }
        if length < 0 || length % i64::from(size) != 0 {
            return Err(wrong(format!("its elements have {length} bytes")));
        }
        let mut elements = 1i64;
        for extent in self.dimensions(at).map(|at| long(bytes, at + EXTENT)) {
            let all = if extent < 0 { None } else { elements.checked_mul(extent) };
            elements = all.ok_or_else(|| wrong(format!("an extent of the array is {extent}")))?;
        }
        let count = elements.checked_mul(length / i64::from(size)).and_then(|count| i32::try_from(count).ok());
        let count = count.ok_or_else(|| wrong(format!("it has {elements} elements of {length} bytes")))?;
        if count > 0 && !self.is_contiguous(bytes, at, length) {
            return Err(wrong("it is a section of an array whose elements do not lie side by side".into()));
        }
        Ok(count as u32)
    }

    /// Checks that the elements are of the declared type, and not of an extension of it.
    pub(crate) fn is_of_its_type(&self, bytes: &[u8], at: usize) -> Result<()> {
        if !self.has_information() || word(bytes, self.information_at(at)) == self.information {
            return Ok(());
        }
        Err(wrong("it is polymorphic, and what it refers to is not of its declared type".into()))
    }

    fn is_contiguous(&self, bytes: &[u8], at: usize, length: i64) -> bool {
        let mut expected = length;
        self.dimensions(at).all(|at| {
            let (extent, stride) = (long(bytes, at + EXTENT), long(bytes, at + STRIDE));
            let is_next = extent == 1 || stride == expected;
            expected *= extent;
            is_next
        })
    }

    /// Makes what is always the same so, and strides what they are for elements side by side, as `count` has found them
    /// to be.
    pub(crate) fn restore(&self, bytes: &mut [u8], at: usize) {
        put_word(bytes, at + 4, 0);
        if self.length != 0 {
            put_long(bytes, at + LENGTH, i64::from(self.length));
        }
        put_word(bytes, at + VERSION, self.version);
        put_word(bytes, at + KIND, self.kind);
        if self.has_information() {
            let information = self.information_at(at);
            put_word(bytes, information, self.information);
            put_word(bytes, information + 4, 0);
            put_long(bytes, information + 8, 0);
        }
        let mut stride = long(bytes, at + LENGTH);
        for at in self.dimensions(at) {
            put_long(bytes, at + STRIDE, stride);
            stride = stride.wrapping_mul(long(bytes, at + EXTENT));
        }
    }

    fn information_at(&self, at: usize) -> usize {
        at + DIMENSIONS + self.rank as usize * DIMENSION
    }

    fn dimensions(&self, at: usize) -> impl Iterator<Item = usize> {
        (0..self.rank as usize).map(move |dimension| at + DIMENSIONS + dimension * DIMENSION)
    }
}

fn long(bytes: &[u8], at: usize) -> i64 {
    i64::from(word(bytes, at + 4) as i32) << 32 | i64::from(word(bytes, at))
}

fn put_long(bytes: &mut [u8], at: usize, value: i64) {
    put_word(bytes, at, value as u32);
    put_word(bytes, at + 4, (value >> 32) as u32);
}

#[cold]
fn wrong(text: String) -> Error {
    error(MPI_ERR_TYPE, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: i32 = 2 | 42 << 8 | 2 << 16 | 1 << 24;

    fn pattern() -> Pattern {
        Pattern::new(2, 16, 7, KIND, 0x1234).unwrap()
    }

    /// An array of 3 by 4 elements of 16 bytes.
    fn descriptor() -> Vec<u8> {
        let mut bytes = vec![0; pattern().size() as usize];
        put_word(&mut bytes, 0, 0x8000);
        put_long(&mut bytes, LENGTH, 16);
        put_word(&mut bytes, VERSION, 7);
        put_word(&mut bytes, super::KIND, KIND as u32);
        for (dimension, (lower, extent, stride)) in [(-1, 3, 16), (1, 4, 48)].into_iter().enumerate() {
            let at = DIMENSIONS + dimension * DIMENSION;
            put_long(&mut bytes, at, lower);
            put_long(&mut bytes, at + EXTENT, extent);
            put_long(&mut bytes, at + STRIDE, stride);
        }
        put_word(&mut bytes, 72, 0x1234);
        bytes
    }

    /// What is wrong with a descriptor that has another number at some place.
    fn flaw(at: usize, value: i64) -> String {
        let mut bytes = descriptor();
        put_long(&mut bytes, at, value);
        pattern().count(&bytes, 0, 16).expect_err("it is refused").to_string()
    }

    #[test]
    fn elements_are_counted() {
        assert_eq!(pattern().size(), 88);
        assert_eq!(pattern().count(&descriptor(), 0, 16), Ok(12));
        // As many numbers as there is room for; none; one in a row, whose stride does not matter.
        assert_eq!(pattern().count(&descriptor(), 0, 4), Ok(48));
        let mut bytes = descriptor();
        put_long(&mut bytes, DIMENSIONS + EXTENT, 0);
        assert_eq!(pattern().count(&bytes, 0, 16), Ok(0));
        put_long(&mut bytes, DIMENSIONS + EXTENT, 1);
        put_long(&mut bytes, DIMENSIONS + STRIDE, 99);
        put_long(&mut bytes, DIMENSIONS + DIMENSION + STRIDE, 16);
        assert_eq!(pattern().count(&bytes, 0, 16), Ok(4));
    }

    #[test]
    fn lies_are_refused_by_name() {
        assert!(flaw(LENGTH, 8).contains("have 8 bytes"));
        assert!(flaw(LENGTH, -16).contains("have -16 bytes"));
        assert!(flaw(DIMENSIONS + EXTENT, -1).contains("extent of the array is -1"));
        assert!(flaw(DIMENSIONS + EXTENT, i64::MAX).contains("extent"));
        assert!(flaw(DIMENSIONS + EXTENT, 1 << 40).contains("elements"));
        assert!(flaw(DIMENSIONS + STRIDE, 32).contains("side by side"));
        assert!(flaw(DIMENSIONS + DIMENSION + STRIDE, -48).contains("side by side"));
        let mut other = descriptor();
        put_word(&mut other, 72, 0x4321);
        assert!(pattern().is_of_its_type(&other, 0).unwrap_err().to_string().contains("polymorphic"));
        for (rank, kind) in [(-1, 0xff), (16, 16), (2, 3)] {
            assert!(Pattern::new(rank, 16, 7, kind, 0).is_err());
        }
        assert!(pattern().fits(8, true).is_err() && pattern().fits(8, false).is_ok());
    }

    #[test]
    fn what_is_the_same_for_all_is_the_receivers() {
        let mut came = descriptor();
        came[16..24].fill(0xff);
        came[72..88].fill(0xff);
        put_long(&mut came, DIMENSIONS + STRIDE, 99);
        pattern().restore(&mut came, 0);
        assert_eq!(came, descriptor());
    }
}
