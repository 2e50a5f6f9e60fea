//! Nonblocking writes: a library may not report those that the system refuses.
//!
//! ROMIO hands a write of one piece to the system's asynchronous calls, looks for its success alone, and goes on looking
//! when it has failed: `MPI_Wait` never returns. In a collective it may take the failure for a success. So a write is
//! given to the library as a nonblocking one where room for it was reserved before. Otherwise a rank on its own writes at
//! once, which MPI allows, and hears of an error then. A rank of a collective for which there is no room takes part
//! without data, so that the others' writes end, and hears of it when its part has ended.

use std::ffi::{c_int, c_void};
use std::rc::Rc;

use rankine_abi::{Addr, Datatype, File, MPI_SUCCESS, MPI_UNDEFINED};
use rankine_guest::copy;

use super::storage::{Reserved, look_for_room, reserve_range};
use crate::Result;
use crate::call::words::Status;
use crate::datatype::Type;
use crate::generated::symbols;
use crate::rank::Rank;
use crate::request::{Kind, Pending, Then};
use rankine_system::files::failed;

/// So many bytes at least are worth a reservation: fewer are written sooner than a thread of the system is woken for them.
const WORTHWHILE: u64 = 256 << 10;

/// A write, all of whose arguments were checked.
struct Write {
    fh: u32,
    file: usize,
    at: *mut c_void,
    count: i64,
    datatype: Rc<Type>,
    /// Bytes of data.
    bytes: u64,
    /// Where the request goes.
    request: Addr,
}

impl Write {
    fn new(r: &Rank, fh: u32, (buf, count, datatype): (Addr, i64, u32), request: Addr) -> Result<Write> {
        let (file, datatype) = (r.file(fh, "fh")?, r.datatype(datatype, "datatype")?);
        let at = r.buffer(buf, count, &datatype, "buf")?.at;
        r.room(request, r.word_bytes(), "request")?;
        let bytes = count.unsigned_abs().saturating_mul(datatype.size().unsigned_abs());
        Ok(Write { fh, file, at, count, datatype, bytes, request })
    }

    /// Stores the request that the library has made.
    fn pending(&self, r: &Rank, code: c_int, host: usize) -> Result<()> {
        r.check(code)?;
        let pending = Pending::new(File(self.fh).into(), Kind::Access, ());
        r.put_request(self.request, host, pending, "request")
    }

    /// Stores a request that is complete, as so much was written as the status says.
    fn done(&self, r: &Rank, code: c_int, status: &Status) -> Result<()> {
        r.check(code)?;
        let (count, mut bytes) = (r.symbol::<symbols::MPI_Get_count_c>()?, 0);
        // SAFETY: a status that the library has written, a constant of the ABI, and a result on the stack.
        r.check(unsafe { count(status, Datatype::BYTE.0 as usize, &mut bytes) })?;
        self.pending(r, MPI_SUCCESS, r.completed(bytes.unsigned_abs().min(self.bytes))?)
    }

    /// Where its bytes begin in the file, if that is known: at an offset of the view, or at this rank's pointer.
    fn begins(&self, r: &Rank, offset: Option<i64>) -> Result<u64> {
        let (mut position, mut byte) = (offset.unwrap_or(0), 0);
        let (tell, convert) =
            (r.symbol::<symbols::MPI_File_get_position>()?, r.symbol::<symbols::MPI_File_get_byte_offset>()?);
        // SAFETY: a file of the library's, and results on the stack.
        unsafe {
            if offset.is_none() {
                r.check(tell(self.file, &mut position))?;
            }
            r.check(convert(self.file, position, &mut byte))?;
        }
        Ok(byte.unsigned_abs())
    }

    /// Reserves room, or looks for it where the view has holes or the file system reserves nothing.
    fn reserve(&self, r: &Rank, offset: Option<i64>) -> Result<Reserved> {
        let begins = self.begins(r, offset)?;
        let reserved = r.files.open.with(self.fh, |open| match open.is_dense.get() {
            // Short ones too: the library would not tell of their refusal either.
            true => reserve_range(open.opened.file(), begins, self.bytes),
            false => look_for_room(open.opened.file(), begins, self.bytes).map(|()| Reserved::NotHere),
        });
        reserved.unwrap_or(Ok(Reserved::NotHere)).map_err(|error| failed("the file", &error))
    }

    /// Whether the library may go on with it when the call has returned, by itself: it is long, and nothing can refuse it.
    fn may_go_on(&self, r: &Rank, offset: Option<i64>) -> bool {
        self.bytes >= WORTHWHILE && self.reserve(r, offset).is_ok_and(|reserved| reserved == Reserved::Yes)
    }

    /// Takes part in a collective write, without data if there is no room for them: `call` is given a count and an offset.
    fn collective(
        &self,
        r: &Rank,
        offset: Option<i64>,
        call: impl FnOnce(i64, i64, *mut usize) -> c_int,
    ) -> Result<()> {
        let there = offset.map_or(Ok(()), |offset| r.file_offset(self.fh, offset, "offset"));
        let reserved = there.and_then(|()| self.reserve(r, offset));
        let (count, at) = if reserved.is_ok() { (self.count, offset.unwrap_or(0)) } else { (0, 0) };
        let mut host = 0;
        r.check(call(count, at, &mut host))?;
        let pending = Pending::new(File(self.fh).into(), Kind::Access, ());
        // The others' writes may go on only while this rank waits, so it hears of its error when that has ended.
        let pending = match reserved {
            Ok(_) => pending,
            Err(error) => pending.then(Then::Refused(error)),
        };
        r.put_request(self.request, host, pending, "request")
    }
}

/// `MPI_File_iwrite_at`
pub(crate) fn file_iwrite_at(
    r: &Rank,
    _large: bool,
    fh: u32,
    offset: i64,
    buf: Addr,
    count: i64,
    datatype: u32,
    request: Addr,
) -> Result<()> {
    let write = Write::new(r, fh, (buf, count, datatype), request)?;
    r.file_offset(fh, offset, "offset")?;
    let (file, at, ty) = (write.file, write.at, write.datatype.host);
    if write.may_go_on(r, Some(offset)) {
        let (call, mut host) = (r.symbol::<symbols::MPI_File_iwrite_at_c>()?, 0);
        // SAFETY: a file and a type of the library's, a buffer that was proved, and a result on the stack.
        return write.pending(r, unsafe { call(file, offset, at, count, ty, &mut host) }, host);
    }
    let (call, mut status) = (r.symbol::<symbols::MPI_File_write_at_c>()?, Status::default());
    // SAFETY: a file and a type of the library's, a buffer that was proved, and room for a status.
    let code = unsafe { call(file, offset, at, count, ty, &mut status) };
    write.done(r, code, &status)
}

/// `MPI_File_iwrite`
pub(crate) fn file_iwrite(
    r: &Rank,
    _large: bool,
    fh: u32,
    buf: Addr,
    count: i64,
    datatype: u32,
    request: Addr,
) -> Result<()> {
    let write = Write::new(r, fh, (buf, count, datatype), request)?;
    let (file, at, ty) = (write.file, write.at, write.datatype.host);
    if write.may_go_on(r, None) {
        let (call, mut host) = (r.symbol::<symbols::MPI_File_iwrite_c>()?, 0);
        // SAFETY: a file and a type of the library's, a buffer that was proved, and a result on the stack.
        return write.pending(r, unsafe { call(file, at, count, ty, &mut host) }, host);
    }
    let (call, mut status) = (r.symbol::<symbols::MPI_File_write_c>()?, Status::default());
    // SAFETY: a file and a type of the library's, a buffer that was proved, and room for a status.
    let code = unsafe { call(file, at, count, ty, &mut status) };
    write.done(r, code, &status)
}

/// `MPI_File_iwrite_shared`: where it writes nobody knows before.
pub(crate) fn file_iwrite_shared(
    r: &Rank,
    _large: bool,
    fh: u32,
    buf: Addr,
    count: i64,
    datatype: u32,
    request: Addr,
) -> Result<()> {
    let write = Write::new(r, fh, (buf, count, datatype), request)?;
    let (call, mut status) = (r.symbol::<symbols::MPI_File_write_shared_c>()?, Status::default());
    // SAFETY: a file and a type of the library's, a buffer that was proved, and room for a status.
    let code = unsafe { call(write.file, write.at, count, write.datatype.host, &mut status) };
    write.done(r, code, &status)
}

/// `MPI_File_iwrite_at_all`
pub(crate) fn file_iwrite_at_all(
    r: &Rank,
    _large: bool,
    fh: u32,
    offset: i64,
    buf: Addr,
    count: i64,
    datatype: u32,
    request: Addr,
) -> Result<()> {
    let write = Write::new(r, fh, (buf, count, datatype), request)?;
    let call = r.symbol::<symbols::MPI_File_iwrite_at_all_c>()?;
    let (file, at, ty) = (write.file, write.at, write.datatype.host);
    // SAFETY: a file and a type of the library's, as much of a buffer as was proved or nothing of it, and a result on the stack.
    write.collective(r, Some(offset), |count, offset, host| unsafe { call(file, offset, at, count, ty, host) })
}

/// `MPI_File_iwrite_all`
pub(crate) fn file_iwrite_all(
    r: &Rank,
    _large: bool,
    fh: u32,
    buf: Addr,
    count: i64,
    datatype: u32,
    request: Addr,
) -> Result<()> {
    let write = Write::new(r, fh, (buf, count, datatype), request)?;
    let call = r.symbol::<symbols::MPI_File_iwrite_all_c>()?;
    let (file, at, ty) = (write.file, write.at, write.datatype.host);
    // SAFETY: a file and a type of the library's, as much of a buffer as was proved or nothing of it, and a result on the stack.
    write.collective(r, None, |count, _, host| unsafe { call(file, at, count, ty, host) })
}

impl Rank {
    /// A request of the library's for a write that has ended: its state is how many bytes were written.
    fn completed(&self, bytes: u64) -> Result<usize> {
        let (start, complete) =
            (self.symbol::<symbols::MPI_Grequest_start>()?, self.symbol::<symbols::MPI_Grequest_complete>()?);
        let (query, free, cancel) = (query as *const c_void, free as *const c_void, cancel as *const c_void);
        let (state, mut host) = (std::ptr::without_provenance_mut(bytes as usize), 0);
        // SAFETY: the functions have the types that the standard asks for; the state is a number.
        unsafe {
            self.check(start(query, free, cancel, state, &mut host))?;
            self.check(complete(host))?;
        }
        Ok(host)
    }
}

/// The library asks what has been written.
unsafe extern "C" fn query(state: *mut c_void, status: *mut Status) -> c_int {
    // SAFETY: the library calls it within a call of this thread's rank, if there is one.
    let Some(r) = (unsafe { Rank::current() }) else { return rankine_abi::MPI_ERR_OTHER };
    let symbols = (r.symbol::<symbols::MPI_Status_set_elements_c>(), r.symbol::<symbols::MPI_Status_set_cancelled>());
    let (Ok(set_elements), Ok(set_cancelled)) = symbols else { return rankine_abi::MPI_ERR_OTHER };
    let mut value = Status::default();
    // SAFETY: the library has room for a status there, perhaps in the guest's memory, which the guest may write meanwhile.
    unsafe { copy::copy_small(value.as_mut_ptr().cast(), status.cast(), size_of::<Status>()) };
    (value[SOURCE], value[TAG]) = (MPI_UNDEFINED, MPI_UNDEFINED);
    // SAFETY: a status on the stack, and a constant of the ABI.
    unsafe {
        set_elements(&mut value, Datatype::BYTE.0 as usize, state.addr() as i64);
        set_cancelled(&mut value, 0);
    }
    // SAFETY: the library gave room for a status, until this returns.
    unsafe { copy::copy_small(status.cast(), value.as_ptr().cast(), size_of::<Status>()) };
    MPI_SUCCESS
}

/// The positions of `MPI_SOURCE` and `MPI_TAG` in a status.
const SOURCE: usize = 0;
const TAG: usize = 1;

unsafe extern "C" fn free(_state: *mut c_void) -> c_int {
    MPI_SUCCESS
}

unsafe extern "C" fn cancel(_state: *mut c_void, _complete: c_int) -> c_int {
    MPI_SUCCESS
}
