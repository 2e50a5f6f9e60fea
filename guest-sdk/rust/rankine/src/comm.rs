//! Sending and receiving.

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::ptr::null_mut;

use mpi_sys::*;

use crate::error::{Result, check};
use crate::pending::{Receiving, Sending};
use crate::read::values;
use crate::types::Types;
use crate::write::Writer;
use crate::{Error, Transportable};

#[link(wasm_import_module = "rankine")]
unsafe extern "C" {
    fn Rankine_Seal(image: *mut u8, bytes: c_int, objects: c_int, roots: c_int, handle: c_int) -> c_int;
    fn Rankine_Probe(source: c_int, tag: c_int, comm: MPI_Comm, status: *mut MPI_Status) -> c_int;
    fn Rankine_Get_count(status: *const MPI_Status, count: *mut c_int) -> c_int;
    fn Rankine_Get_objects(status: *const MPI_Status, count: *mut c_int) -> c_int;
}

/// MPI, from its start to its end: make one in `main` and keep it.
pub struct Universe(PhantomData<*const ()>);

impl Universe {
    /// Initialises MPI.
    pub fn new() -> Result<Universe> {
        // SAFETY: MPI takes null pointers here.
        check(unsafe { MPI_Init(null_mut(), null_mut()) })?;
        Ok(Universe(PhantomData))
    }

    /// All ranks.
    pub fn world(&self) -> Communicator {
        Communicator(MPI_COMM_WORLD)
    }
}

impl Drop for Universe {
    fn drop(&mut self) {
        // SAFETY: there is one Universe, and it ends last.
        unsafe { MPI_Finalize() };
    }
}

/// Ranks that exchange objects.
#[derive(Clone, Copy)]
pub struct Communicator(MPI_Comm);

/// What was received, and from whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received<T> {
    /// What came.
    pub value: T,
    /// The sender.
    pub source: i32,
    /// The tag.
    pub tag: i32,
}

/// What a probe tells of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probed {
    /// The sender.
    pub source: i32,
    /// The tag.
    pub tag: i32,
    /// Bytes of the message.
    pub bytes: usize,
    /// Values in it; `None` for a message that holds no objects.
    pub values: Option<usize>,
    /// Objects in it, the values and all that they refer to.
    pub objects: Option<usize>,
}

/// Any sender.
pub const ANY_SOURCE: i32 = MPI_ANY_SOURCE;
/// Any tag.
pub const ANY_TAG: i32 = MPI_ANY_TAG;

/// An image of values, sealed.
fn image<'a, T: Transportable>(roots: impl ExactSizeIterator<Item = &'a T>) -> Result<Vec<u8>> {
    let (count, handle) = (roots.len() as c_int, Types::handle::<T>()?);
    let (mut image, objects) = Writer::image(roots);
    // SAFETY: the image has as many bytes, with room for its header.
    check(unsafe { Rankine_Seal(image.as_mut_ptr(), image.len() as c_int, objects as c_int, count, handle) })?;
    Ok(image)
}

/// The only value of an image.
pub(crate) fn one<T: Transportable>(image: &[u8]) -> Result<T> {
    let mut all = values(image)?;
    match (all.pop(), all.is_empty()) {
        (Some(value), true) => Ok(value),
        _ => Err(Error::Invalid("not one value came, but several, or none")),
    }
}

/// The image in a message that a probe has found.
fn take(mut message: MPI_Message, mut status: MPI_Status) -> Result<Received<Vec<u8>>> {
    let mut length = 0i64;
    // SAFETY: the result outlives the call.
    check(unsafe { MPI_Get_count_c(&status, MPI_BYTE, &mut length) })?;
    let mut image = vec![0u8; length as usize];
    // SAFETY: the buffer is as long as the message, which is the probe's.
    check(unsafe { MPI_Mrecv_c(image.as_mut_ptr().cast(), length, MPI_BYTE, &mut message, &mut status) })?;
    Ok(Received { value: image, source: status.MPI_SOURCE, tag: status.MPI_TAG })
}

impl Communicator {
    /// A communicator that the program has from elsewhere.
    ///
    /// # Safety
    /// It is one, between the ranks of one group, and lives as long as it is used here.
    pub unsafe fn from_raw(comm: MPI_Comm) -> Communicator {
        Communicator(comm)
    }

    /// Its handle, for functions of MPI itself.
    pub fn raw(&self) -> MPI_Comm {
        self.0
    }

    /// This process in the communicator.
    pub fn rank(&self) -> i32 {
        let mut rank = 0;
        // SAFETY: the communicator is one, and the number outlives the call.
        unsafe { MPI_Comm_rank(self.0, &mut rank) };
        rank
    }

    /// How many ranks there are.
    pub fn size(&self) -> i32 {
        let mut size = 0;
        // SAFETY: the communicator is one, and the number outlives the call.
        unsafe { MPI_Comm_size(self.0, &mut size) };
        size
    }

    /// Sends a value and all that it refers to.
    pub fn send<T: Transportable>(&self, value: &T, dest: i32, tag: i32) -> Result<()> {
        self.send_image(&image(std::iter::once(value))?, dest, tag)
    }

    /// Sends some values; what they share stays shared.
    pub fn send_all<T: Transportable>(&self, values: &[T], dest: i32, tag: i32) -> Result<()> {
        self.send_image(&image(values.iter())?, dest, tag)
    }

    fn send_image(&self, image: &[u8], dest: i32, tag: i32) -> Result<()> {
        // SAFETY: the image has as many bytes.
        check(unsafe { MPI_Send_c(image.as_ptr().cast(), image.len() as i64, MPI_BYTE, dest, tag, self.0) })
    }

    /// Starts sending a value, which may change at once.
    pub fn start_send<T: Transportable>(&self, value: &T, dest: i32, tag: i32) -> Result<Sending> {
        Sending::start(image(std::iter::once(value))?, dest, tag, self.0)
    }

    /// Starts sending some values; what they share stays shared.
    pub fn start_send_all<T: Transportable>(&self, values: &[T], dest: i32, tag: i32) -> Result<Sending> {
        Sending::start(image(values.iter())?, dest, tag, self.0)
    }

    /// Starts receiving.
    pub fn start_receive<T: Transportable>(&self, source: i32, tag: i32) -> Result<Receiving<T>> {
        Receiving::start(source, tag, self.0)
    }

    /// Receives a value.
    pub fn receive<T: Transportable>(&self, source: i32, tag: i32) -> Result<Received<T>> {
        let Received { value, source, tag } = self.receive_image(source, tag)?;
        Ok(Received { value: one(&value)?, source, tag })
    }

    /// Receives as many values as were sent.
    pub fn receive_all<T: Transportable>(&self, source: i32, tag: i32) -> Result<Received<Vec<T>>> {
        let Received { value, source, tag } = self.receive_image(source, tag)?;
        Ok(Received { value: values(&value)?, source, tag })
    }

    /// Receives a value if one has come: a loop that computes asks now and then.
    pub fn try_receive<T: Transportable>(&self, source: i32, tag: i32) -> Result<Option<Received<T>>> {
        let (mut message, mut status) = (MPI_MESSAGE_NULL, MPI_Status::default());
        let mut there = 0;
        // SAFETY: results outlive the call.
        check(unsafe { MPI_Improbe(source, tag, self.0, &mut there, &mut message, &mut status) })?;
        if there == 0 {
            return Ok(None);
        }
        let Received { value, source, tag } = take(message, status)?;
        Ok(Some(Received { value: one(&value)?, source, tag }))
    }

    fn receive_image(&self, source: i32, tag: i32) -> Result<Received<Vec<u8>>> {
        let (mut message, mut status) = (MPI_MESSAGE_NULL, MPI_Status::default());
        // SAFETY: results outlive the call.
        check(unsafe { MPI_Mprobe(source, tag, self.0, &mut message, &mut status) })?;
        take(message, status)
    }

    /// Sends a value to one rank while receiving one from another.
    pub fn exchange<T: Transportable, U: Transportable>(
        &self,
        value: &T,
        dest: i32,
        source: i32,
        tag: i32,
    ) -> Result<U> {
        let sending = self.start_send(value, dest, tag)?;
        let received = self.receive(source, tag)?;
        sending.wait()?;
        Ok(received.value)
    }

    /// Waits for a message and says what it holds.
    pub fn probe(&self, source: i32, tag: i32) -> Result<Probed> {
        let mut status = MPI_Status::default();
        let (mut bytes, mut values, mut objects) = (0i64, 0, 0);
        // SAFETY: results outlive the calls.
        unsafe {
            check(Rankine_Probe(source, tag, self.0, &mut status))?;
            check(MPI_Get_count_c(&status, MPI_BYTE, &mut bytes))?;
            check(Rankine_Get_count(&status, &mut values))?;
            check(Rankine_Get_objects(&status, &mut objects))?;
        }
        let known = |count: c_int| usize::try_from(count).ok();
        let (source, tag) = (status.MPI_SOURCE, status.MPI_TAG);
        Ok(Probed { source, tag, bytes: bytes as usize, values: known(values), objects: known(objects) })
    }

    /// The root's value, in every rank: the root gives `Some`.
    pub fn broadcast<T: Transportable>(&self, value: Option<T>, root: i32) -> Result<T> {
        let mut bytes = match &value {
            Some(value) => image(std::iter::once(value))?,
            None => Vec::new(),
        };
        let mut length = bytes.len() as i64;
        // SAFETY: the number outlives the call.
        check(unsafe { MPI_Bcast((&raw mut length).cast(), 1, MPI_INT64_T, root, self.0) })?;
        bytes.resize(length as usize, 0);
        // SAFETY: the buffer is as long as it says.
        check(unsafe { MPI_Bcast_c(bytes.as_mut_ptr().cast(), length, MPI_BYTE, root, self.0) })?;
        value.map_or_else(|| one(&bytes), Ok)
    }

    /// Gives every rank its part of the root's values: `parts[i]` goes to rank i.
    pub fn scatter<T: Transportable>(&self, parts: Option<&[impl AsRef<[T]>]>, root: i32) -> Result<Vec<T>> {
        let images = match parts.filter(|_| self.rank() == root) {
            Some(parts) if parts.len() == self.size() as usize => images(parts)?,
            Some(_) => return Err(Error::Invalid("there is not one part for every rank")),
            None if self.rank() == root => return Err(Error::Invalid("the root has no parts to give")),
            None => Vec::new(),
        };
        let Packed { bytes, lengths, starts } = Packed::new(&images)?;
        let mut length: c_int = 0;
        // SAFETY: the root has a length for every rank, and the others' are not read.
        check(unsafe {
            MPI_Scatter(lengths.as_ptr().cast(), 1, MPI_INT, (&raw mut length).cast(), 1, MPI_INT, root, self.0)
        })?;
        let mut own = vec![0u8; length as usize];
        // SAFETY: every part lies in the bytes, and the buffer is as long as what comes.
        check(unsafe {
            let (from, to): (*const c_void, *mut c_void) = (bytes.as_ptr().cast(), own.as_mut_ptr().cast());
            MPI_Scatterv(from, lengths.as_ptr(), starts.as_ptr(), MPI_BYTE, to, length, MPI_BYTE, root, self.0)
        })?;
        values(&own)
    }

    /// Brings every rank's values to the root: `Some`, by rank.
    pub fn gather<T: Transportable>(&self, own: &[T], root: i32) -> Result<Option<Vec<Vec<T>>>> {
        let image = image(own.iter())?;
        let length = image.len() as c_int;
        let is_root = self.rank() == root;
        let mut lengths = vec![0 as c_int; if is_root { self.size() as usize } else { 0 }];
        // SAFETY: the root has room for every rank's length.
        check(unsafe {
            MPI_Gather((&raw const length).cast(), 1, MPI_INT, lengths.as_mut_ptr().cast(), 1, MPI_INT, root, self.0)
        })?;
        let (mut all, starts) = room(&lengths)?;
        // SAFETY: the root has room for every rank's bytes.
        check(unsafe {
            let (from, to): (*const c_void, *mut c_void) = (image.as_ptr().cast(), all.as_mut_ptr().cast());
            MPI_Gatherv(from, length, MPI_BYTE, to, lengths.as_ptr(), starts.as_ptr(), MPI_BYTE, root, self.0)
        })?;
        if is_root { by_rank(&all, &lengths, &starts).map(Some) } else { Ok(None) }
    }

    /// Brings every rank's values to every rank.
    pub fn allgather<T: Transportable>(&self, own: &[T]) -> Result<Vec<Vec<T>>> {
        let image = image(own.iter())?;
        let length = image.len() as c_int;
        let mut lengths = vec![0 as c_int; self.size() as usize];
        // SAFETY: there is room for every rank's length.
        check(unsafe {
            MPI_Allgather((&raw const length).cast(), 1, MPI_INT, lengths.as_mut_ptr().cast(), 1, MPI_INT, self.0)
        })?;
        let (mut all, starts) = room(&lengths)?;
        // SAFETY: there is room for every rank's bytes.
        check(unsafe {
            let (from, to): (*const c_void, *mut c_void) = (image.as_ptr().cast(), all.as_mut_ptr().cast());
            MPI_Allgatherv(from, length, MPI_BYTE, to, lengths.as_ptr(), starts.as_ptr(), MPI_BYTE, self.0)
        })?;
        by_rank(&all, &lengths, &starts)
    }

    /// Gives every rank its part of every rank's values: `parts[i]` goes to rank i.
    pub fn alltoall<T: Transportable>(&self, parts: &[impl AsRef<[T]>]) -> Result<Vec<Vec<T>>> {
        let mut lengths = vec![0 as c_int; self.size() as usize];
        if parts.len() != lengths.len() {
            return Err(Error::Invalid("there is not one part for every rank"));
        }
        let send = Packed::new(&images(parts)?)?;
        // SAFETY: there is a length for every rank, and room for one.
        check(unsafe {
            let (from, to): (*const c_void, *mut c_void) = (send.lengths.as_ptr().cast(), lengths.as_mut_ptr().cast());
            MPI_Alltoall(from, 1, MPI_INT, to, 1, MPI_INT, self.0)
        })?;
        let (mut all, starts) = room(&lengths)?;
        // SAFETY: every part lies in the bytes, and there is room for every rank's.
        check(unsafe {
            let (from, to): (*const c_void, *mut c_void) = (send.bytes.as_ptr().cast(), all.as_mut_ptr().cast());
            let (counts, displs) = (send.lengths.as_ptr(), send.starts.as_ptr());
            MPI_Alltoallv(from, counts, displs, MPI_BYTE, to, lengths.as_ptr(), starts.as_ptr(), MPI_BYTE, self.0)
        })?;
        by_rank(&all, &lengths, &starts)
    }
}

/// Images one after another.
struct Packed {
    bytes: Vec<u8>,
    lengths: Vec<c_int>,
    starts: Vec<c_int>,
}

impl Packed {
    fn new(images: &[Vec<u8>]) -> Result<Packed> {
        let lengths: Vec<c_int> = images.iter().map(|image| image.len() as c_int).collect();
        Ok(Packed { starts: starts(&lengths)?, bytes: images.concat(), lengths })
    }
}

/// An image of each part.
fn images<T: Transportable>(parts: &[impl AsRef<[T]>]) -> Result<Vec<Vec<u8>>> {
    parts.iter().map(|part| image(part.as_ref().iter())).collect()
}

/// Where images of these lengths begin, one after another.
fn starts(lengths: &[c_int]) -> Result<Vec<c_int>> {
    let mut sum: c_int = 0;
    let mut next = |&length: &c_int| {
        let end = sum.checked_add(length).filter(|_| length >= 0);
        let end = end.ok_or(Error::Invalid("the parts of all ranks have more bytes than one collective takes"))?;
        Ok(std::mem::replace(&mut sum, end))
    };
    lengths.iter().map(&mut next).collect()
}

fn room(lengths: &[c_int]) -> Result<(Vec<u8>, Vec<c_int>)> {
    let starts = starts(lengths)?;
    Ok((vec![0; lengths.iter().map(|&length| length as usize).sum()], starts))
}

fn by_rank<T: Transportable>(all: &[u8], lengths: &[c_int], starts: &[c_int]) -> Result<Vec<Vec<T>>> {
    let image = |(&length, &start): (&c_int, &c_int)| values(&all[start as usize..(start + length) as usize]);
    lengths.iter().zip(starts).map(image).collect()
}
