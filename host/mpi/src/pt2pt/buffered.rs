//! Buffers for buffered sends (MPI-5.0 §3.6).
//!
//! A library keeps lists of its own in such a buffer, with pointers that it follows. It is given memory of the host's of
//! the same size, which no guest can write; the guest's own buffer stays untouched, and it gets its address back.

use std::cell::RefCell;
use std::ffi::{c_int, c_void};

use rankine_abi::{Addr, MPI_BUFFER_AUTOMATIC, MPI_ERR_BUFFER};
use rankine_guest::Error;

use crate::Result;
use crate::call::room::Room;
use crate::generated::symbols;
use crate::rank::Rank;

/// What the guest has attached, and what the library was given instead. Without `detach` it stays until the rank ends.
#[derive(Default)]
pub(crate) struct State(RefCell<Vec<(Addr, Room)>>);

/// Attaches a buffer by a call of the library, which is given an address.
fn attach(r: &Rank, at: Addr, size: i64, call: impl FnOnce(*mut c_void) -> c_int) -> Result<()> {
    let buffer = r.bytes(at, size, "buffer")?;
    if at == MPI_BUFFER_AUTOMATIC {
        return r.check(call(buffer.at));
    }
    let attached: u64 = r.buffers.0.borrow().iter().map(|(_, room)| room.length as u64).sum();
    if attached + size as u64 > r.memory().size() {
        let text = format!("buffer: {attached} bytes are attached already, and {size} more would exceed the memory");
        return Err(Error::new(MPI_ERR_BUFFER, text));
    }
    let room = Room::new(r.account(), size as u64)?;
    let host = room.at;
    // Another thread may detach it before the call has returned.
    r.buffers.0.borrow_mut().push((at, room));
    let attached = r.check(call(host));
    if attached.is_err() {
        r.buffers.0.borrow_mut().retain(|(_, room)| room.at != host);
    }
    attached
}

/// Detaches a buffer by a call of the library, which returns when nothing in it is needed any more.
fn detach(
    r: &Rank,
    large: bool,
    (at, size_at): (Addr, Addr),
    call: impl FnOnce(*mut c_void, &mut i64) -> c_int,
) -> Result<()> {
    r.room(at, r.word_bytes(), "buffer_addr")?;
    r.room(size_at, if large { 8 } else { 4 }, "size")?;
    let (mut pointer, mut size) = (std::ptr::null_mut::<c_void>(), 0);
    r.check(call((&raw mut pointer).cast(), &mut size))?;
    let known = r.buffers.0.borrow().iter().position(|(_, room)| room.at == pointer);
    match known.map(|index| r.buffers.0.borrow_mut().swap_remove(index)) {
        Some((address, _)) => r.put_address(at, address, "buffer_addr")?,
        None if pointer as usize == MPI_BUFFER_AUTOMATIC.0 as usize => {
            r.put_address(at, MPI_BUFFER_AUTOMATIC, "buffer_addr")?;
        }
        // Never an address of the host's.
        None => r.put_address(at, Addr::NULL, "buffer_addr")?,
    }
    if large { r.put_long(size_at, size, "size") } else { r.put_int(size_at, size as c_int, "size") }
}

/// `MPI_Buffer_attach`
pub(crate) fn buffer_attach(r: &Rank, _large: bool, buffer: Addr, size: i64) -> Result<()> {
    let call = r.symbol::<symbols::MPI_Buffer_attach_c>()?;
    // SAFETY: the memory is the library's until it is detached; `attach` unmaps it where the library has refused it, and so
    // has not taken it (MPICH looks at all that can fail before it does).
    attach(r, buffer, size, |at| unsafe { call(at, size) })
}

/// `MPI_Comm_attach_buffer`
pub(crate) fn comm_attach_buffer(r: &Rank, _large: bool, comm: u32, buffer: Addr, size: i64) -> Result<()> {
    let comm = r.comm(comm, "comm")?;
    let call = r.symbol::<symbols::MPI_Comm_attach_buffer_c>()?;
    // SAFETY: a handle of the library's. The memory is the library's until it is detached; where the library has refused it, and
    // so has not taken it, `attach` unmaps it.
    attach(r, buffer, size, |at| unsafe { call(comm, at, size) })
}

/// `MPI_Session_attach_buffer`
pub(crate) fn session_attach_buffer(r: &Rank, _large: bool, session: u32, buffer: Addr, size: i64) -> Result<()> {
    let session = r.session(session, "session")?;
    let call = r.symbol::<symbols::MPI_Session_attach_buffer_c>()?;
    // SAFETY: a handle of the library's. The memory is the library's until it is detached; where the library has refused it, and
    // so has not taken it, `attach` unmaps it.
    attach(r, buffer, size, |at| unsafe { call(session, at, size) })
}

/// `MPI_Buffer_detach`
pub(crate) fn buffer_detach(r: &Rank, large: bool, buffer_at: Addr, size_at: Addr) -> Result<()> {
    let call = r.symbol::<symbols::MPI_Buffer_detach_c>()?;
    // SAFETY: results on the stack.
    detach(r, large, (buffer_at, size_at), |at, size| unsafe { call(at, size) })
}

/// `MPI_Comm_detach_buffer`
pub(crate) fn comm_detach_buffer(r: &Rank, large: bool, comm: u32, buffer_at: Addr, size_at: Addr) -> Result<()> {
    let (comm, call) = (r.comm(comm, "comm")?, r.symbol::<symbols::MPI_Comm_detach_buffer_c>()?);
    // SAFETY: a handle of the library's, and results on the stack.
    detach(r, large, (buffer_at, size_at), |at, size| unsafe { call(comm, at, size) })
}

/// `MPI_Session_detach_buffer`
pub(crate) fn session_detach_buffer(r: &Rank, large: bool, session: u32, buffer_at: Addr, size_at: Addr) -> Result<()> {
    let (session, call) = (r.session(session, "session")?, r.symbol::<symbols::MPI_Session_detach_buffer_c>()?);
    // SAFETY: a handle of the library's, and results on the stack.
    detach(r, large, (buffer_at, size_at), |at, size| unsafe { call(session, at, size) })
}
