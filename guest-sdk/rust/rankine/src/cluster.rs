//! Clusters: graphs of plain values that lie in one block of memory and travel as they are.
//!
//! Links between values are places in the block, not addresses. So a block that came is right wherever it lies: one
//! message, one copy, no fix-up; and since any bytes are plain values, nothing that a sender writes can be more than a
//! wrong number.

use std::ffi::c_int;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use mpi_sys::*;

use crate::Communicator;
use crate::error::{Error, Result, check};

/// Values that are their bytes. Derive it: `#[derive(Clone, Copy, Plain)]`.
///
/// # Safety
/// Any bytes are a value, and none of its bytes is padding.
pub unsafe trait Plain: Copy + 'static {}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        // SAFETY: numbers are their bytes.
        unsafe impl Plain for $number {}
    )*};
}

numbers! { u8 i8 u16 i16 u32 i32 u64 i64 f32 f64 usize isize }

// SAFETY: as the elements, one after another.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// The place of a value in a cluster, or of nothing. Of another cluster it is the place of another value, if of any.
#[repr(transparent)]
pub struct Link<T> {
    /// In units of the block, from 1 on.
    place: u32,
    to: PhantomData<fn() -> T>,
}

// SAFETY: a word; what it means is checked when it is followed.
unsafe impl<T: 'static> Plain for Link<T> {}

impl<T> Clone for Link<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Link<T> {}

impl<T> PartialEq for Link<T> {
    fn eq(&self, other: &Self) -> bool {
        self.place == other.place
    }
}

impl<T> Eq for Link<T> {}

impl<T> Default for Link<T> {
    fn default() -> Self {
        Link::NOTHING
    }
}

impl<T> fmt::Debug for Link<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_nothing() { f.write_str("Link(nothing)") } else { write!(f, "Link({})", self.place) }
    }
}

impl<T> Link<T> {
    /// To nothing.
    pub const NOTHING: Link<T> = Link { place: 0, to: PhantomData };

    fn new(place: usize) -> Link<T> {
        Link { place: u32::try_from(place).expect("a guest's memory has no more places"), to: PhantomData }
    }

    /// Whether it is to nothing.
    pub fn is_nothing(self) -> bool {
        self.place == 0
    }
}

/// What a block is made of: values begin at multiples of it.
type Unit = u64;
const UNIT: usize = size_of::<Unit>();

/// Values that refer to each other by links, and travel together.
///
/// ```no_run
/// # use rankine::{Cluster, Link, Plain, Universe};
/// #[derive(Clone, Copy, Plain)]
/// #[repr(C)]
/// struct Node { value: u32, next: Link<Node> }
///
/// # fn main() -> rankine::Result<()> {
/// # let universe = Universe::new()?;
/// # let world = universe.world();
/// let mut list = Cluster::new();
/// if world.rank() == 0 {
///     let last = list.add(Node { value: 2, next: Link::NOTHING });
///     let first = list.add(Node { value: 1, next: last });
///     list.set_root(first);
///     list.send(&world, 1, 0)?;
/// } else {
///     list.receive(&world, 0, 0)?;
///     let first = list[list.root::<Node>()];
///     assert_eq!(list[first.next].value, 2);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Default, Clone)]
pub struct Cluster {
    /// The root's place, then the values.
    units: Vec<Unit>,
}

impl Cluster {
    /// An empty one.
    pub fn new() -> Cluster {
        Cluster::default()
    }

    /// An empty one with room for so many bytes of values.
    pub fn with_capacity(bytes: usize) -> Cluster {
        Cluster { units: Vec::with_capacity(bytes.div_ceil(UNIT) + 1) }
    }

    /// Puts a value into it.
    pub fn add<T: Plain>(&mut self, value: T) -> Link<T> {
        const { assert!(align_of::<T>() <= UNIT, "values in a cluster are aligned to 8 bytes at most") };
        self.units.resize(self.units.len().max(1), 0);
        let place = self.units.len();
        self.units.resize(place + size_of::<T>().div_ceil(UNIT), 0);
        // SAFETY: as many bytes have just been made there, aligned as a unit is.
        unsafe { self.units.as_mut_ptr().add(place).cast::<T>().write(value) };
        Link::new(place)
    }

    /// The place in the block of what a link is to, if there is as much.
    fn place<T>(&self, link: Link<T>) -> Option<usize> {
        let place = link.place as usize;
        let end = place.checked_add(size_of::<T>().div_ceil(UNIT))?;
        (place > 0 && end <= self.units.len()).then_some(place)
    }

    /// What a link is to; `None` for nothing, or outside of the cluster.
    pub fn get<T: Plain>(&self, link: Link<T>) -> Option<&T> {
        const { assert!(align_of::<T>() <= UNIT, "values in a cluster are aligned to 8 bytes at most") };
        let place = self.place(link)?;
        // SAFETY: as many bytes are there, aligned as a unit is, and any bytes are a plain value.
        Some(unsafe { &*self.units.as_ptr().add(place).cast::<T>() })
    }

    /// What a link is to, to be changed.
    pub fn get_mut<T: Plain>(&mut self, link: Link<T>) -> Option<&mut T> {
        const { assert!(align_of::<T>() <= UNIT, "values in a cluster are aligned to 8 bytes at most") };
        let place = self.place(link)?;
        // SAFETY: as many bytes are there, aligned as a unit is; a plain value has no padding, so all bytes keep a value,
        // whatever is written.
        Some(unsafe { &mut *self.units.as_mut_ptr().add(place).cast::<T>() })
    }

    /// Says which value a receiver finds the others from.
    pub fn set_root<T: Plain>(&mut self, root: Link<T>) {
        self.units.resize(self.units.len().max(1), 0);
        self.units[0] = Unit::from(root.place);
    }

    /// The value to find the others from.
    pub fn root<T: Plain>(&self) -> Link<T> {
        Link::new(self.units.first().map_or(0, |&root| root as u32 as usize))
    }

    /// Forgets all values, and keeps the memory.
    pub fn reset(&mut self) {
        self.units.clear();
    }

    /// Bytes that travel.
    pub fn size(&self) -> usize {
        self.units.len() * UNIT
    }

    /// Sends everything in it.
    pub fn send(&self, comm: &Communicator, dest: i32, tag: i32) -> Result<()> {
        let (at, length) = (self.units.as_ptr().cast(), self.units.len() as i64);
        // SAFETY: there are as many units.
        check(unsafe { MPI_Send_c(at, length, MPI_UINT64_T, dest, tag, comm.raw()) })
    }

    /// Replaces what is in it by what comes.
    pub fn receive(&mut self, comm: &Communicator, source: i32, tag: i32) -> Result<()> {
        let (mut message, mut status, mut length) = (MPI_MESSAGE_NULL, MPI_Status::default(), 0i64);
        // SAFETY: results outlive the calls.
        unsafe {
            check(MPI_Mprobe(source, tag, comm.raw(), &mut message, &mut status))?;
            check(MPI_Get_count_c(&status, MPI_UINT64_T, &mut length))?;
        }
        let (length, is_whole) = (length.max(0), length >= 0);
        self.units.resize(length as usize, 0);
        let at = self.units.as_mut_ptr().cast();
        // SAFETY: there is room for as many units.
        check(unsafe { MPI_Mrecv_c(at, length, MPI_UINT64_T, &mut message, &mut status) })?;
        if is_whole { Ok(()) } else { Err(Error::Invalid("what came is not a cluster")) }
    }

    /// Gives every rank what the root has in it.
    pub fn broadcast(&mut self, comm: &Communicator, root: c_int) -> Result<()> {
        let mut length = self.units.len() as i64;
        // SAFETY: the number outlives the call.
        check(unsafe { MPI_Bcast((&raw mut length).cast(), 1, MPI_INT64_T, root, comm.raw()) })?;
        self.units.resize(length.max(0) as usize, 0);
        let at = self.units.as_mut_ptr().cast();
        // SAFETY: there are as many units in every rank.
        check(unsafe { MPI_Bcast_c(at, length, MPI_UINT64_T, root, comm.raw()) })
    }
}

impl<T: Plain> Index<Link<T>> for Cluster {
    type Output = T;

    /// What a link is to. Panics if that is nothing.
    fn index(&self, link: Link<T>) -> &T {
        self.get(link).unwrap_or_else(|| panic!("{link:?} is to nothing in this cluster"))
    }
}

impl<T: Plain> IndexMut<Link<T>> for Cluster {
    fn index_mut(&mut self, link: Link<T>) -> &mut T {
        self.get_mut(link).unwrap_or_else(|| panic!("{link:?} is to nothing in this cluster"))
    }
}
