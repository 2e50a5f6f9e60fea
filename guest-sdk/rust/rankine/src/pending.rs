//! Sends and receives that go on while the program computes.

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::ptr::NonNull;

use mpi_sys::*;

use crate::comm::{Received, one};
use crate::error::{Result, check};
use crate::read::values;
use crate::types::Types;
use crate::{Error, Transportable};

type Allocate = extern "C" fn(c_int, *const u32, *mut *mut c_void) -> c_int;
type Release = extern "C" fn(c_int, *mut *mut c_void);

#[link(wasm_import_module = "rankine")]
unsafe extern "C" {
    fn Rankine_Set_allocator(allocate: Allocate, release: usize) -> c_int;
    fn Rankine_Free(objects: *mut c_void, count: c_int, handle: c_int) -> c_int;
    fn Rankine_Irecv(
        objects: *mut c_void,
        count: c_int,
        handle: c_int,
        source: c_int,
        tag: c_int,
        comm: MPI_Comm,
        request: *mut MPI_Request,
    ) -> c_int;
}

unsafe extern "C" {
    fn malloc(bytes: usize) -> *mut c_void;
    fn free(block: *mut c_void);
}

/// In the handle of a receive: what comes stays an image.
const IMAGE: c_int = 0x2000_0000;
/// In the number of the second function: these take the place of nothing that the program has chosen, from C perhaps.
const OFFERED: usize = 1 << 31;

extern "C" fn allocate(n: c_int, sizes: *const u32, addresses: *mut *mut c_void) -> c_int {
    for index in 0..n as usize {
        // SAFETY: the host passes two arrays of n.
        let block = unsafe { malloc((*sizes.add(index)).max(1) as usize) };
        if block.is_null() {
            release(index as c_int, addresses);
            return 1;
        }
        // SAFETY: the second array has n elements too.
        unsafe { *addresses.add(index) = block };
    }
    0
}

extern "C" fn release(n: c_int, addresses: *mut *mut c_void) {
    for index in 0..n as usize {
        // SAFETY: the host passes an array of n blocks that it has from `allocate`.
        unsafe { free(*addresses.add(index)) };
    }
}

/// A send that goes on. Dropping it waits for its end.
#[must_use]
pub struct Sending {
    request: MPI_Request,
    /// Read by the message until it is sent.
    _image: Vec<u8>,
}

impl Sending {
    pub(crate) fn start(image: Vec<u8>, dest: i32, tag: i32, comm: MPI_Comm) -> Result<Sending> {
        let (mut request, length) = (MPI_REQUEST_NULL, image.len() as i64);
        // SAFETY: the image lives in what is returned until the request is complete, and does not move.
        check(unsafe { MPI_Isend_c(image.as_ptr().cast(), length, MPI_BYTE, dest, tag, comm, &mut request) })?;
        Ok(Sending { request, _image: image })
    }

    /// Waits until the message is on its way.
    pub fn wait(mut self) -> Result<()> {
        self.end()
    }

    /// Whether the message is on its way.
    pub fn is_complete(&mut self) -> Result<bool> {
        let mut done = 0;
        // SAFETY: the request is ours, and null once it is complete.
        check(unsafe { MPI_Test(&mut self.request, &mut done, MPI_STATUS_IGNORE) })?;
        Ok(done != 0)
    }

    fn end(&mut self) -> Result<()> {
        // SAFETY: the request is ours, and null once it is complete.
        check(unsafe { MPI_Wait(&mut self.request, MPI_STATUS_IGNORE) })
    }
}

impl Drop for Sending {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// What the host writes when a receive is completed: the block with the image, and its length.
#[repr(C)]
struct Arrival {
    block: *mut u8,
    bytes: usize,
}

/// A receive that goes on: it takes part in the matching from its start. Dropping it cancels it, and forgets what has
/// come.
#[must_use]
pub struct Receiving<T> {
    request: MPI_Request,
    status: MPI_Status,
    /// Of the values that come.
    handle: c_int,
    /// Ours; the host writes it while the request is completed.
    arrival: NonNull<Arrival>,
    of: PhantomData<fn() -> T>,
}

impl<T: Transportable> Receiving<T> {
    pub(crate) fn start(source: i32, tag: i32, comm: MPI_Comm) -> Result<Receiving<T>> {
        let handle = Types::handle::<T>()?;
        let arrival = NonNull::from(Box::leak(Box::new(Arrival { block: std::ptr::null_mut(), bytes: 0 })));
        let (status, of) = (MPI_Status::default(), PhantomData);
        let mut receiving = Receiving { request: MPI_REQUEST_NULL, status, handle, arrival, of };
        let (place, request) = (arrival.as_ptr().cast(), &mut receiving.request);
        // SAFETY: the functions do what the host asks of an allocator, and the place is the request's until it is
        // complete.
        unsafe {
            check(Rankine_Set_allocator(allocate, release as Release as usize | OFFERED))?;
            check(Rankine_Irecv(place, c_int::MAX, handle | IMAGE, source, tag, comm, request))?;
        }
        Ok(receiving)
    }

    /// Whether the message has come: then `wait` returns at once.
    pub fn is_complete(&mut self) -> Result<bool> {
        if self.request == MPI_REQUEST_NULL {
            return Ok(true);
        }
        let mut done = 0;
        // SAFETY: the request is ours, and null once it is complete.
        check(unsafe { MPI_Test(&mut self.request, &mut done, &mut self.status) })?;
        Ok(done != 0)
    }

    /// Waits for the message, which holds one value.
    pub fn wait(mut self) -> Result<Received<T>> {
        self.end()?;
        let value = one(self.image()?)?;
        Ok(Received { value, source: self.status.MPI_SOURCE, tag: self.status.MPI_TAG })
    }

    /// Waits for the message, with as many values as were sent.
    pub fn wait_all(mut self) -> Result<Received<Vec<T>>> {
        self.end()?;
        let value = values(self.image()?)?;
        Ok(Received { value, source: self.status.MPI_SOURCE, tag: self.status.MPI_TAG })
    }

    fn end(&mut self) -> Result<()> {
        if self.request == MPI_REQUEST_NULL {
            return Ok(());
        }
        // SAFETY: the request is ours, and null once it is complete.
        check(unsafe { MPI_Wait(&mut self.request, &mut self.status) })
    }
}

impl<T> Receiving<T> {
    /// The image that has come.
    fn image(&self) -> Result<&[u8]> {
        // SAFETY: the request is complete, so the host does not write the place any more.
        let Arrival { block, bytes } = *unsafe { self.arrival.as_ref() };
        if block.is_null() {
            return Err(Error::Invalid("nothing came: the receive was from nobody"));
        }
        // SAFETY: the host has written as many bytes to the block, which is ours.
        Ok(unsafe { std::slice::from_raw_parts(block, bytes) })
    }
}

impl<T> Drop for Receiving<T> {
    fn drop(&mut self) {
        if self.request != MPI_REQUEST_NULL {
            // SAFETY: the request is ours, and null once it is complete.
            unsafe {
                MPI_Cancel(&mut self.request);
                MPI_Wait(&mut self.request, MPI_STATUS_IGNORE);
            }
        }
        // SAFETY: the request is complete; the place is from a box, and the block, if there is one, from the allocator
        // that the host gives it back to.
        unsafe {
            let mut arrival = Box::from_raw(self.arrival.as_ptr());
            if !arrival.block.is_null() {
                Rankine_Free((&raw mut *arrival).cast(), 1, self.handle | IMAGE);
            }
        }
    }
}
