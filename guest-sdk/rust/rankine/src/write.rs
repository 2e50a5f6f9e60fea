//! From values to records.
//!
//! Objects are numbered when they are first referred to and written in that order, without recursion: a list of ten
//! million nodes is no deeper than one of two.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};

use crate::Transportable;

/// Bytes that the host fills in.
pub(crate) const HEADER: usize = 64;

/// Records in the making.
#[derive(Default)]
pub struct Writer {
    image: Vec<u8>,
    queue: VecDeque<Object>,
    objects: u32,
    /// The numbers of shared objects, by address.
    shared: HashMap<usize, u32, BuildHasherDefault<Addresses>>,
    /// Weak references: where they lie, and the address that they refer to.
    weak: Vec<(usize, usize)>,
}

/// An object that has a number and is still to be written.
struct Object {
    from: *const (),
    count: usize,
    /// The function for its type.
    write: unsafe fn(&mut Writer, *const (), usize),
}

impl Writer {
    /// The image of some values, with room for its header, and how many objects it has.
    pub(crate) fn image<'a, T: Transportable>(roots: impl ExactSizeIterator<Item = &'a T>) -> (Vec<u8>, u32) {
        let mut writer = Writer::default();
        writer.image.resize(HEADER + roots.len() * 4, 0);
        for (index, root) in roots.enumerate() {
            let number = writer.object(std::slice::from_ref(root));
            writer.put(HEADER + index * 4, &number.to_le_bytes());
        }
        while let Some(Object { from, count, write }) = writer.queue.pop_front() {
            // SAFETY: the object is part of the roots, which are borrowed, and the function is that of its type.
            unsafe { write(&mut writer, from, count) };
        }
        for (at, address) in std::mem::take(&mut writer.weak) {
            if let Some(number) = writer.shared.get(&address).copied() {
                writer.put(at, &number.to_le_bytes());
            }
        }
        (writer.image, writer.objects)
    }

    /// Stores bytes of a record.
    #[inline]
    pub fn put(&mut self, at: usize, bytes: &[u8]) {
        self.image[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Meets values in a row that nothing else refers to; what a reference to them is.
    pub(crate) fn object<T: Transportable>(&mut self, values: &[T]) -> u32 {
        self.queue.push_back(Object { from: values.as_ptr().cast(), count: values.len(), write: write_all::<T> });
        self.objects += 1;
        self.objects
    }

    /// Meets a value that others may refer to.
    pub(crate) fn shared<T: Transportable>(&mut self, value: &T) -> u32 {
        let address = std::ptr::from_ref(value).addr();
        if let Some(&number) = self.shared.get(&address) {
            return number;
        }
        let number = self.object(std::slice::from_ref(value));
        self.shared.insert(address, number);
        number
    }

    /// Refers to a value if it is met otherwise.
    pub(crate) fn weak(&mut self, at: usize, address: usize) {
        self.weak.push((at, address));
    }
}

/// # Safety
/// `from` points to `count` values of this type.
unsafe fn write_all<T: Transportable>(writer: &mut Writer, from: *const (), count: usize) {
    // SAFETY: `from` points to `count` values of this type, as the function demands.
    let values = unsafe { std::slice::from_raw_parts(from.cast::<T>(), count) };
    let at = writer.image.len();
    if T::PLAIN {
        // SAFETY: plain values are their bytes.
        let bytes = unsafe { std::slice::from_raw_parts(from.cast::<u8>(), count * size_of::<T>()) };
        writer.image.extend_from_slice(bytes);
        return;
    }
    writer.image.resize(at + count * T::SIZE, 0);
    for (index, value) in values.iter().enumerate() {
        value.write(writer, at + index * T::SIZE);
    }
}

/// A hash for addresses.
#[derive(Default)]
struct Addresses(u64);

impl Hasher for Addresses {
    fn write(&mut self, _: &[u8]) {
        unreachable!("addresses are hashed as one number");
    }

    fn write_usize(&mut self, address: usize) {
        self.0 = (address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 >> 32;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
