//! Between a guest's words and the engine's values: what the generated shims are made of.
//!
//! A shim reads every array and string of a call once, into host memory; calls the engine's function; and writes the
//! results back. Addresses of arrays, strings and results are proved here, buffers in the engine (`Rank::span`),
//! everything else by the function itself. `what` names the parameter in an error.

use rankine_abi::{
    Addr, Comm, Datatype, Errhandler, File, Group, Info, Kept, MPI_ERR_ARG, MPI_ROOT, MPI_UNWEIGHTED,
    MPI_WEIGHTS_EMPTY, Message, Op, Request, Session, Status, Win,
};
use rankine_guest::arguments::length;
use rankine_guest::{Error, Result};
use rankine_local::{Rank, comm, topo};

use rankine_system::text;

/// A handle as a word of the guest's memory.
pub(crate) trait Handle: Copy {
    const NULL: Self;
    fn from_word(word: u32) -> Self;
    fn word(self) -> u32;
}

macro_rules! handles {
    ($($name:ident)*) => {$(
        impl Handle for $name {
            const NULL: Self = $name::NULL;
            #[inline]
            fn from_word(word: u32) -> Self {
                $name(word)
            }
            #[inline]
            fn word(self) -> u32 {
                self.0
            }
        }
    )*};
}

handles!(Comm Datatype Errhandler File Group Info Message Op Request Session Win);

/// An address as the guest passed it.
#[inline]
pub(crate) fn addr(word: impl Address) -> Addr {
    word.addr()
}

/// A word of either width, as an address has it.
pub(crate) trait Address {
    fn addr(self) -> Addr;
}

impl Address for i32 {
    #[inline]
    fn addr(self) -> Addr {
        Addr((self as u32).into())
    }
}

impl Address for i64 {
    #[inline]
    fn addr(self) -> Addr {
        Addr(self as u64)
    }
}

/// A handle as the guest passed it.
#[inline]
pub(crate) fn handle<H: Handle>(word: i32) -> H {
    H::from_word(word as u32)
}

/// Reads an array of ints.
pub(crate) fn ints(r: &Rank, at: Addr, count: i64, what: &str) -> Result<Vec<i32>> {
    r.memory().ints(at, count, what)
}

/// Reads an array of ints.
fn words(r: &Rank, at: Addr, count: i64, what: &str) -> Result<Vec<i64>> {
    Ok(ints(r, at, count, what)?.into_iter().map(i64::from).collect())
}

/// Reads an array of `MPI_Aint`s.
pub(crate) fn aints(r: &Rank, at: Addr, count: i64, what: &str) -> Result<Vec<i64>> {
    r.memory().read_aints(at, count, what)
}

/// Reads an array of `MPI_Count`s or `MPI_Offset`s.
pub(crate) fn doubles(r: &Rank, at: Addr, count: i64, what: &str) -> Result<Vec<i64>> {
    r.memory().longs(at, count, what)
}

/// Reads an array of counts: ints, or in a large variant `MPI_Count`s.
pub(crate) fn counts(r: &Rank, large: bool, at: Addr, count: i64, what: &str) -> Result<Vec<i64>> {
    if large { doubles(r, at, count, what) } else { words(r, at, count, what) }
}

/// Reads an array of bytes' numbers: `MPI_Aint`s, or in a large variant `MPI_Count`s.
pub(crate) fn extents(r: &Rank, large: bool, at: Addr, count: i64, what: &str) -> Result<Vec<i64>> {
    if large { doubles(r, at, count, what) } else { aints(r, at, count, what) }
}

/// Reads an array of displacements: ints, or in a large variant `MPI_Aint`s.
pub(crate) fn displs(r: &Rank, large: bool, at: Addr, count: i64, what: &str) -> Result<Vec<i64>> {
    if large { aints(r, at, count, what) } else { words(r, at, count, what) }
}

/// Reads an array of handles.
pub(crate) fn handles<H: Handle>(r: &Rank, at: Addr, count: i64, what: &str) -> Result<Vec<H>> {
    Ok(r.memory().read_handles(at, count, what)?.into_iter().map(H::from_word).collect())
}

/// Reads the handle that an `inout` parameter points to.
#[inline]
pub(crate) fn get_handle<H: Handle>(r: &Rank, at: Addr, what: &str) -> Result<H> {
    Ok(H::from_word(r.memory().read_handle(at, what)?))
}

/// Reads the int that an `inout` parameter points to.
#[inline]
pub(crate) fn get_int(r: &Rank, at: Addr, what: &str) -> Result<i32> {
    r.memory().read_i32(at, what)
}

/// Reads the count that an `inout` parameter points to: an int, or in a large variant an `MPI_Count`.
pub(crate) fn get_count(r: &Rank, large: bool, at: Addr, what: &str) -> Result<i64> {
    if large { r.memory().read_i64(at, what) } else { Ok(i64::from(get_int(r, at, what)?)) }
}

/// Reads the bytes' number that an `inout` parameter points to: an `MPI_Aint`, or in a large variant an `MPI_Count`.
pub(crate) fn get_extent(r: &Rank, large: bool, at: Addr, what: &str) -> Result<i64> {
    if large { r.memory().read_i64(at, what) } else { r.memory().read_aint(at, what) }
}

/// Reads the handle of the tools interface that an `inout` parameter points to.
pub(crate) fn get_tool(r: &Rank, at: Addr, what: &str) -> Result<u32> {
    r.memory().read_handle(at, what)
}

/// Reads the weights of edges; none for `MPI_UNWEIGHTED`.
pub(crate) fn weights(r: &Rank, at: Addr, count: i64, what: &str) -> Result<Option<Vec<i32>>> {
    match at {
        MPI_UNWEIGHTED => Ok(None),
        MPI_WEIGHTS_EMPTY => Ok(Some(Vec::new())),
        _ => ints(r, at, count, what).map(Some),
    }
}

/// Reads a status that the guest passes in.
pub(crate) fn get_status(r: &Rank, at: Addr, what: &str) -> Result<Status> {
    r.memory().read_status(at, what)
}

/// Reads a string, which must be one that an MPI library could have too.
pub(crate) fn string(r: &Rank, at: Addr, what: &str) -> Result<String> {
    let text = r.memory().string(at, what)?;
    text::check(what, &text)?;
    Ok(text)
}

/// Stores an int.
#[inline]
pub(crate) fn put_int(r: &Rank, at: Addr, value: i32, what: &str) -> Result<()> {
    r.memory().write_i32(at, value, what)
}

/// Stores a truth value.
#[inline]
pub(crate) fn put_flag(r: &Rank, at: Addr, value: bool, what: &str) -> Result<()> {
    put_int(r, at, i32::from(value), what)
}

/// Stores a value as an int: `overflow` if it is none (`MPI_UNDEFINED` for counts, §3.2.5, or an error's value).
pub(crate) fn put_narrow(r: &Rank, at: Addr, value: i64, overflow: i32, what: &str) -> Result<()> {
    put_int(r, at, i32::try_from(value).unwrap_or(overflow), what)
}

/// Stores an `MPI_Count` or `MPI_Offset`.
#[inline]
pub(crate) fn put_double(r: &Rank, at: Addr, value: i64, what: &str) -> Result<()> {
    r.memory().write_i64(at, value, what)
}

/// Stores a count: an int that is `MPI_UNDEFINED` when it overflows, or in a large variant an `MPI_Count`.
pub(crate) fn put_count(r: &Rank, large: bool, at: Addr, value: i64, what: &str) -> Result<()> {
    if large { put_double(r, at, value, what) } else { put_narrow(r, at, value, rankine_abi::MPI_UNDEFINED, what) }
}

/// Stores an `MPI_Aint`.
pub(crate) fn put_aint(r: &Rank, at: Addr, value: i64, what: &str) -> Result<()> {
    r.memory().write_aint(at, value, what)
}

/// Stores a number of bytes: an `MPI_Aint`, or in a large variant an `MPI_Count`.
pub(crate) fn put_extent(r: &Rank, large: bool, at: Addr, value: i64, what: &str) -> Result<()> {
    if large { put_double(r, at, value, what) } else { put_aint(r, at, value, what) }
}

/// Stores a displacement: an int, or in a large variant an `MPI_Aint`.
pub(crate) fn put_displ(r: &Rank, large: bool, at: Addr, value: i64, what: &str) -> Result<()> {
    if large { put_aint(r, at, value, what) } else { put_count(r, false, at, value, what) }
}

/// Stores an address.
pub(crate) fn put_address(r: &Rank, at: Addr, value: Addr, what: &str) -> Result<()> {
    r.memory().write_address(at, value, what)
}

/// Stores a value that was kept.
pub(crate) fn put_kept(r: &Rank, at: Addr, value: Kept, what: &str) -> Result<()> {
    r.memory().write_kept(at, value, what)
}

/// Stores a handle of the tools interface.
pub(crate) fn put_tool(r: &Rank, at: Addr, value: u32, what: &str) -> Result<()> {
    r.memory().write_handle(at, value, what)
}

/// Stores a handle.
#[inline]
pub(crate) fn put_handle<H: Handle>(r: &Rank, at: Addr, value: H, what: &str) -> Result<()> {
    r.memory().write_handle(at, value.word(), what)
}

/// Stores a null handle where a call that failed would have stored a new one; an address that is none is perhaps why it
/// failed.
#[cold]
pub(crate) fn put_null<H: Handle>(r: &Rank, at: Addr, null: H) {
    let _ = put_handle(r, at, null, "a new handle");
}

/// Stores a new handle, or the null handle where there is none.
#[inline]
pub(crate) fn put_new<H: Handle>(r: &Rank, at: Addr, what: &str, made: Result<H>) -> Result<()> {
    let made = made.inspect_err(|_| put_null(r, at, H::NULL))?;
    put_handle(r, at, made, what)
}

/// Stores a status but for its `MPI_ERROR`, which calls with a single status leave alone (MPI-5.0 §3.2.5), unless the
/// guest ignores it.
#[inline]
pub(crate) fn put_status(r: &Rank, at: Addr, status: &Status, what: &str) -> Result<()> {
    r.memory().write_status(at, status, what)
}

/// Stores the status of a call that failed, if it has one all the same.
#[inline]
pub(crate) fn put_status_of_failure<T>(r: &Rank, at: Addr, result: &Result<T>, what: &str) -> Result<()> {
    match result {
        Err(error) => error.status.map_or(Ok(()), |status| put_status(r, at, &status, what)),
        Ok(_) => Ok(()),
    }
}

/// Stores the status of a message, which a call that failed may have all the same.
#[inline]
pub(crate) fn put_received(r: &Rank, at: Addr, received: Result<Status>) -> Result<()> {
    r.memory().write_received(at, received, "status")
}

/// Stores a status with its `MPI_ERROR`.
pub(crate) fn put_whole_status(r: &Rank, at: Addr, status: &Status, what: &str) -> Result<()> {
    r.memory().write_whole_status(at, status, what)
}

/// Stores an array of ints.
pub(crate) fn put_ints(r: &Rank, at: Addr, values: &[i32], what: &str) -> Result<()> {
    r.memory().write_i32s(at, values, what)
}

/// Stores an array of truth values.
pub(crate) fn put_flags(r: &Rank, at: Addr, values: &[bool], what: &str) -> Result<()> {
    let words: Vec<i32> = values.iter().map(|&value| i32::from(value)).collect();
    put_ints(r, at, &words, what)
}

/// Stores the weights of edges, unless the guest doesn't want them.
pub(crate) fn put_weights(r: &Rank, at: Addr, values: &[i32], what: &str) -> Result<()> {
    match at {
        MPI_UNWEIGHTED | MPI_WEIGHTS_EMPTY => Ok(()),
        _ => put_ints(r, at, values, what),
    }
}

/// Stores an array of handles.
pub(crate) fn put_handles<H: Handle>(r: &Rank, at: Addr, values: &[H], what: &str) -> Result<()> {
    r.memory().write_handles(at, values.iter().map(|value| value.word()), what)
}

/// Stores a string with its zero byte in room for `capacity` bytes, and its length where the guest wants it.
pub(crate) fn put_string(r: &Rank, at: Addr, text: &str, capacity: i64, what: &str) -> Result<i32> {
    let capacity = length(capacity, what)?;
    if capacity == 0 {
        return Err(Error::new(MPI_ERR_ARG, format!("{what}: no room for a string")));
    }
    Ok(r.memory().write_string(at, text, capacity, what)? as i32)
}

/// Stores a result, if the guest wants it.
pub(crate) fn if_wanted(at: Addr, put: impl FnOnce() -> Result<()>) -> Result<()> {
    if at.is_null() { Ok(()) } else { put() }
}

/// Stores as much of a string as the guest has room for, and how long that is with its zero byte; the whole length where
/// there is no room (MPI-5.0 §15.3.3). Neither may be wanted.
pub(crate) fn put_text(r: &Rank, at: Addr, length_at: Addr, text: &str, what: &str) -> Result<()> {
    if length_at.is_null() {
        return Ok(());
    }
    let room = get_int(r, length_at, what)?;
    if at.is_null() || room <= 0 {
        return put_int(r, length_at, text.len() as i32 + 1, what);
    }
    let length = put_string(r, at, text, room.into(), what)?;
    put_int(r, length_at, length + 1, what)
}

/// Whether the rank is the root of a collective, for whom more arguments count.
pub(crate) fn is_root(r: &Rank, comm: Comm, root: i32) -> Result<bool> {
    // In an intercommunicator the root says MPI_ROOT, and the number means a rank of the other group.
    Ok(root == MPI_ROOT || (!comm::comm_test_inter(r, comm)? && comm::comm_rank(r, comm)? == root))
}

/// How many ranks a collective exchanges data with.
pub(crate) fn peers(r: &Rank, comm: Comm) -> Result<i64> {
    let inter = comm::comm_test_inter(r, comm)?;
    Ok(i64::from(if inter { comm::comm_remote_size(r, comm)? } else { comm::comm_size(r, comm)? }))
}

/// How many ranks are on this rank's side of a communicator.
pub(crate) fn members(r: &Rank, comm: Comm) -> Result<i64> {
    comm::comm_size(r, comm).map(i64::from)
}

/// The number of dimensions of a Cartesian communicator.
pub(crate) fn dimensions(r: &Rank, comm: Comm) -> Result<i64> {
    topo::cartdim_get(r, comm).map(i64::from)
}

/// The sum of an array's elements.
pub(crate) fn sum(values: &[i32]) -> i64 {
    values.iter().map(|&value| i64::from(value)).sum()
}

/// The last element of an array, 0 if it is empty.
pub(crate) fn last(values: &[i32]) -> i64 {
    values.last().map_or(0, |&value| i64::from(value))
}

/// How many neighbours send to this rank in the communicator's topology.
pub(crate) fn sources(r: &Rank, comm: Comm) -> Result<i64> {
    Ok(topo::degrees(r, comm)?.0 as i64)
}

/// How many neighbours this rank sends to in the communicator's topology.
pub(crate) fn destinations(r: &Rank, comm: Comm) -> Result<i64> {
    Ok(topo::degrees(r, comm)?.1 as i64)
}
