//! From records to values.
//!
//! The host has checked that references are right and that what is owned is referred to once. Objects are made from the
//! last to the first: what an object owns has a higher number than itself, and is there when it is wanted. What is
//! shared is allocated before everything else, and filled when its turn comes.

use std::ffi::c_int;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

use crate::Transportable;
use crate::error::{Error, Invalid, Result, check};
use crate::types::{Types, building};
use crate::write::HEADER;

#[link(wasm_import_module = "rankine")]
unsafe extern "C" {
    fn Rankine_Open(
        image: *const u8,
        bytes: c_int,
        handle: c_int,
        table: *mut Entry,
        capacity: c_int,
        objects: *mut c_int,
        roots: *mut c_int,
    ) -> c_int;
}

/// Where an object of an image lies, its type, how many lie in a row.
#[repr(C)]
#[derive(Clone, Copy)]
struct Entry {
    at: u32,
    handle: c_int,
    count: u32,
}

/// An image whose objects are being made.
pub struct Reader<'a> {
    image: &'a [u8],
    table: &'a [Entry],
    /// The objects that were made and nobody has taken yet: an address each.
    made: Vec<usize>,
}

/// How objects of one type are made on the heap.
#[derive(Clone, Copy)]
pub(crate) struct Building {
    check: fn(&Reader<'_>, usize, usize) -> std::result::Result<(), Invalid>,
    prepare: fn() -> usize,
    /// Takes position, count, and what was prepared.
    make: unsafe fn(&mut Reader<'_>, usize, usize, usize) -> usize,
    /// Lets go of what was made, if the maker itself held it.
    finish: unsafe fn(usize),
}

/// A kind of object on the heap.
pub(crate) trait Build: 'static {
    /// What holds it.
    type Pointer: 'static;
    const SIZE: usize;
    const ALIGN: usize;
    fn check(image: &Reader<'_>, at: usize, count: usize) -> std::result::Result<(), Invalid>;
    fn prepare() -> usize;
    /// # Safety
    /// As for [`Transportable::read`]; `prepared` is from `prepare`.
    unsafe fn make(image: &mut Reader<'_>, at: usize, count: usize, prepared: usize) -> usize;
    /// # Safety
    /// `made` is from `make`.
    unsafe fn finish(made: usize);
}

impl Building {
    pub(crate) fn of<B: Build>() -> Building {
        Building { check: B::check, prepare: B::prepare, make: B::make, finish: B::finish }
    }
}

/// Values in a row that one `Box` or `Vec` owns.
pub(crate) struct Owned<T>(PhantomData<T>);

impl<T: Transportable> Build for Owned<T> {
    type Pointer = T;
    const SIZE: usize = T::SIZE;
    const ALIGN: usize = T::ALIGN;

    fn check(image: &Reader<'_>, at: usize, count: usize) -> std::result::Result<(), Invalid> {
        if T::PLAIN {
            return Ok(());
        }
        (0..count).try_for_each(|index| T::check(image, at + index * T::SIZE))
    }

    fn prepare() -> usize {
        0
    }

    unsafe fn make(image: &mut Reader<'_>, at: usize, count: usize, _: usize) -> usize {
        let mut values = Box::<[T]>::new_uninit_slice(count);
        if T::PLAIN {
            let bytes = &image.image[at..at + count * size_of::<T>()];
            // SAFETY: the slice has as many bytes, and any bytes are values of a plain type.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), values.as_mut_ptr().cast(), bytes.len()) };
        } else {
            for (index, value) in values.iter_mut().enumerate() {
                // SAFETY: `check` has been through all `count` elements, and each is read once.
                value.write(unsafe { T::read(image, at + index * T::SIZE) });
            }
        }
        Box::into_raw(values).cast::<MaybeUninit<T>>().expose_provenance()
    }

    unsafe fn finish(_: usize) {}
}

impl Reader<'_> {
    /// Bytes of a record.
    #[inline]
    pub fn get<const N: usize>(&self, at: usize) -> [u8; N] {
        self.image[at..at + N].try_into().expect("as many as asked for")
    }

    /// A word of a record.
    #[inline]
    pub fn word(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.get(at))
    }

    /// The first bytes of the object that the word at a position refers to.
    pub(crate) fn object(&self, at: usize, length: usize) -> &[u8] {
        let start = self.table[self.word(at) as usize - 1].at as usize;
        &self.image[start..start + length]
    }

    /// The address of the object that the word at a position refers to, which is its holder's from now on.
    pub(crate) fn take(&mut self, at: usize) -> usize {
        let number = self.word(at) as usize;
        let made = std::mem::take(&mut self.made[number - 1]);
        assert!(made != 0, "the host checks that what is owned is referred to once");
        made
    }

    /// The address of the shared object that the word at a position refers to.
    pub(crate) fn look(&self, at: usize) -> usize {
        self.made[self.word(at) as usize - 1]
    }
}

/// The values of an image.
pub(crate) fn values<T: Transportable>(image: &[u8]) -> Result<Vec<T>> {
    let handle = Types::handle::<T>()?;
    let (table, roots) = open(image, handle)?;
    let buildings: Vec<Building> = table
        .iter()
        .map(|entry| building(entry.handle).ok_or(Error::Invalid("a type of this program is not known to it")))
        .collect::<Result<_>>()?;
    let mut reader = Reader { image, table: &table, made: Vec::with_capacity(table.len()) };
    for (entry, building) in table.iter().zip(&buildings) {
        (building.check)(&reader, entry.at as usize, entry.count as usize)?;
    }
    let root = |index: usize| HEADER + index * 4;
    let mut seen = vec![false; table.len()];
    for index in 0..roots {
        match (reader.word(root(index)) as usize).checked_sub(1) {
            Some(number) if !std::mem::replace(&mut seen[number], true) => {}
            Some(_) => return Err(Error::Invalid("two values of a message are one")),
            None => return Err(Error::Invalid("a value of a message is missing")),
        }
    }
    reader.made.extend(buildings.iter().map(|building| (building.prepare)()));
    for (number, (entry, building)) in table.iter().zip(&buildings).enumerate().rev() {
        let prepared = reader.made[number];
        // SAFETY: everything was checked, and each object is made once.
        reader.made[number] =
            unsafe { (building.make)(&mut reader, entry.at as usize, entry.count as usize, prepared) };
    }
    let values = (0..roots).map(|index| {
        // SAFETY: roots were made by `Owned::<T>`, one value each, and every one is taken once.
        *unsafe { Box::from_raw(std::ptr::with_exposed_provenance_mut::<T>(reader.take(root(index)))) }
    });
    let values = values.collect();
    for (&made, building) in reader.made.iter().zip(&buildings) {
        // SAFETY: what is left was made by this building.
        unsafe { (building.finish)(made) };
    }
    Ok(values)
}

/// Has the host check an image; where its objects are, and how many are roots.
fn open(image: &[u8], handle: c_int) -> Result<(Vec<Entry>, usize)> {
    let (mut objects, mut roots) = (0, 0);
    // A guess that is right for most messages; the second time it is exact.
    let mut table: Vec<Entry> = Vec::with_capacity((image.len() / 16).max(16));
    loop {
        let (bytes, capacity) = (image.len() as c_int, table.capacity() as c_int);
        // SAFETY: the image and the table have as many bytes and entries as it says.
        let code = unsafe {
            Rankine_Open(image.as_ptr(), bytes, handle, table.as_mut_ptr(), capacity, &mut objects, &mut roots)
        };
        check(code)?;
        if objects as usize <= table.capacity() {
            // SAFETY: the host has written as many entries.
            unsafe { table.set_len(objects as usize) };
            return Ok((table, roots as usize));
        }
        table.reserve_exact(objects as usize);
    }
}
