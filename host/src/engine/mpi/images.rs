//! Object graphs over the MPI library: the functions of `crate::imports::objects`, registered, and how images travel here.
//!
//! The library waits inside of its own calls, so nothing here is ever pending. A message of unknown length is received
//! by a matched probe; a nonblocking receive gets room for the longest, which the machine backs with memory only where
//! something is written.

use std::alloc::{Layout, alloc_zeroed};
use std::ffi::{c_int, c_void};
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use rankine_abi::{Datatype, Function, MPI_ERR_NO_MEM, MPI_ERR_TYPE, MPI_PROC_NULL, Request, Status as Shown};
use rankine_guest::{Answer, Callback, Cost, Error, Parcel};
use rankine_object::{HEADER, Header, MODULE};
use wasmtime::{FuncType, Linker, ValType};

use super::{Guest, call};
use crate::imports::objects::{self, Carrier, Landing, Shared};
use rankine_mpi::call::{Nulls, On, Room, Status, Way, When, Words};
use rankine_mpi::{Arrives, Pending, Rank, Result, symbols};

/// The library's handle of `MPI_BYTE`.
const BYTE: usize = Datatype::BYTE.0 as usize;
/// The library's handle of `MPI_INT64_T`.
const LENGTH: usize = Datatype::INT64_T.0 as usize;

/// A function: its words (`i` an int, `l` a 64-bit one), whose error handler hears of an error, where it puts a new
/// request, when it may be called.
struct Row {
    function: Function,
    words: &'static str,
    errors: (On, Nulls),
    when: When,
    shim: fn(&Rank, Shared, &Words<'_>) -> Result<()>,
}

/// Runs a future that never waits.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("the library waits inside of its calls"),
    }
}

macro_rules! rows {
    ($(
        $name:literal $words:literal $on:expr $(, [$request:literal])?, $when:ident,
        |$r:ident, $o:ident, $w:ident| $call:expr;
    )*) => {
        &[$(Row {
            function: Function::foreign($name),
            words: $words,
            errors: ($on, &[$(($request, Request::NULL.0))?]),
            when: When::$when,
            shim: |$r, $o, $w| $call,
        }),*]
    };
}

#[rustfmt::skip]
const ROWS: &[Row] = rows! {
    "Rankine_Type_create" "iiii" On::Myself, Anytime, |r, o, w| objects::type_create(r, o, w.int(0), w.int(1), w.int(2), w.int(3));
    "Rankine_Type_define" "iii" On::Myself, Anytime, |r, o, w| objects::type_define(r, o, w.int(0), w.int(1), w.int(2));
    "Rankine_Type_free" "i" On::Myself, Anytime, |r, o, w| objects::type_free(r, o, w.int(0));
    "Rankine_Set_allocator" "ii" On::Myself, Anytime, |r, o, w| objects::set_allocator(r, o, w.int(0), w.int(1));
    "Rankine_Set_limits" "lll" On::Myself, Anytime, |r, o, w| objects::set_limits(r, o, w.long(0), w.long(1), w.long(2));
    "Rankine_Get_count" "ii" On::Myself, Running, |r, o, w| objects::get_count(r, o, w.int(0), w.int(1));
    "Rankine_Get_objects" "ii" On::Myself, Running, |r, o, w| objects::get_objects(r, o, w.int(0), w.int(1));
    "Rankine_Free" "iii" On::Myself, Running, |r, o, w| now(objects::free(r, o, w.int(0), w.int(1), w.int(2)));
    "Rankine_Send" "iiiiii" On::Comm(5), Running,
        |r, o, w| now(objects::send(r, o, w.int(0), w.int(1), w.int(2), w.int(3), w.int(4), w.int(5)));
    "Rankine_Recv" "iiiiiii" On::Comm(5), Running,
        |r, o, w| now(objects::recv(r, o, w.int(0), w.int(1), w.int(2), w.int(3), w.int(4), w.int(5), w.int(6)));
    "Rankine_Sendrecv" "iiiiiiiiiii" On::Comm(9), Running, |r, o, w| now(objects::sendrecv(
        r, o, w.int(0), w.int(1), w.int(2), w.int(3), w.int(4), w.int(5), w.int(6), w.int(7), w.int(8), w.int(9), w.int(10)));
    "Rankine_Isend" "iiiiiii" On::Comm(5), [6], Running,
        |r, o, w| objects::isend(r, o, w.int(0), w.int(1), w.int(2), w.int(3), w.int(4), w.int(5), w.int(6));
    "Rankine_Irecv" "iiiiiii" On::Comm(5), [6], Running,
        |r, o, w| objects::irecv(r, o, w.int(0), w.int(1), w.int(2), w.int(3), w.int(4), w.int(5), w.int(6));
    "Rankine_Probe" "iiii" On::Comm(2), Running, |r, o, w| now(objects::probe(r, o, w.int(0), w.int(1), w.int(2), w.int(3)));
    "Rankine_Iprobe" "iiiii" On::Comm(2), Running,
        |r, o, w| now(objects::iprobe(r, o, w.int(0), w.int(1), w.int(2), w.int(3), w.int(4)));
    "Rankine_Bcast" "iiiii" On::Comm(4), Running,
        |r, o, w| now(objects::bcast(r, o, w.int(0), w.int(1), w.int(2), w.int(3), w.int(4)));
    "Rankine_Scatter" "iiiiiiiii" On::Comm(8), Running, |r, o, w| now(objects::scatter(
        r, o, w.int(0), w.int(1), w.int(2), w.int(3), w.int(4), w.int(5), w.int(6), w.int(7), w.int(8)));
    "Rankine_Gather" "iiiiiiii" On::Comm(7), Running, |r, o, w| now(objects::gather(
        r, o, w.int(0), w.int(1), w.int(2), w.int(3), w.int(4), w.int(5), w.int(6), w.int(7)));
    "Rankine_Allgather" "iiiiiii" On::Comm(6), Running,
        |r, o, w| now(objects::allgather(r, o, w.int(0), w.int(1), w.int(2), w.int(3), w.int(4), w.int(5), w.int(6)));
    "Rankine_Alltoall" "iiiiiiii" On::Comm(7), Running, |r, o, w| now(objects::alltoall(
        r, o, w.int(0), w.int(1), w.int(2), w.int(3), w.int(4), w.int(5), w.int(6), w.int(7)));
    "Rankine_Seal" "iiiii" On::Myself, Running,
        |r, o, w| objects::seal(r, o, w.int(0), w.int(1), w.int(2), w.int(3), w.int(4));
    "Rankine_Open" "iiiiiii" On::Myself, Running,
        |r, o, w| objects::open(r, o, w.int(0), w.int(1), w.int(2), w.int(3), w.int(4), w.int(5), w.int(6));
};

/// Registers one function of the module `rankine`; says whether there is one of that name.
pub(crate) fn define(linker: &mut Linker<Guest>, name: &str) -> wasmtime::Result<bool> {
    let Some(row) = ROWS.iter().find(|row| row.function.name == name) else { return Ok(false) };
    let wasm = |word: char| if word == 'l' { ValType::I64 } else { ValType::I32 };
    let ty = FuncType::new(linker.engine(), row.words.chars().map(wasm), [ValType::I32]);
    let way = Way::of(&row.function, row.when, row.errors);
    // SAFETY: the words are read and written with the types of the row, from which the signature comes.
    unsafe {
        linker.func_new_unchecked(MODULE, name, ty, move |caller, words| {
            let shared = caller.data().objects().clone();
            call::carry(caller, &way, words, |rank, words| (row.shim)(rank, shared, words))
        })?;
    }
    Ok(true)
}

/// Bytes of a message as the library counts them.
fn long(bytes: &[u8]) -> i64 {
    bytes.len() as i64
}

fn at(bytes: &[u8]) -> *const c_void {
    bytes.as_ptr().cast()
}

impl Carrier for Rank {
    async fn ask(&self, request: Callback) -> Answer {
        // Where the guest has trapped the answer is as good as any: it never sees the end of this call.
        Rank::ask(self, request).unwrap_or(0)
    }

    async fn send(&self, image: Parcel, dest: i32, tag: i32, comm: u32) -> Result<()> {
        let image = image.bytes;
        let (call, comm) = (self.symbol::<symbols::MPI_Send_c>()?, self.comm(comm, "comm")?);
        // SAFETY: the image has as many bytes, and the handles are the library's.
        self.check(unsafe { call(at(&image), long(&image), BYTE, dest, tag, comm) })
    }

    fn isend(&self, image: Parcel, dest: i32, tag: i32, comm: u32) -> Result<u32> {
        let image = image.kept(self.account())?;
        let (call, host) = (self.symbol::<symbols::MPI_Isend_c>()?, self.comm(comm, "comm")?);
        let mut request = 0;
        // SAFETY: the request keeps the image until the operation is complete.
        self.check(unsafe { call(at(&image.bytes), long(&image.bytes), BYTE, dest, tag, host, &mut request) })?;
        self.new_request(request, Pending::message(comm, image))
    }

    async fn recv(&self, limit: u64, source: i32, tag: i32, comm: u32) -> Result<(Parcel, Shown)> {
        let host = self.comm(comm, "comm")?;
        let (probe, count, receive) = (
            self.symbol::<symbols::MPI_Mprobe>()?,
            self.symbol::<symbols::MPI_Get_count_c>()?,
            self.symbol::<symbols::MPI_Mrecv_c>()?,
        );
        let (mut message, mut status, mut length): (usize, Status, i64) = (0, [0; 8], 0);
        // SAFETY: results on the stack.
        unsafe {
            self.check(probe(source, tag, host, &mut message, &mut status))?;
            self.check(count(&status, BYTE, &mut length))?;
        }
        let mut bytes = vec_of(self, length)?;
        // SAFETY: there is room for the whole message.
        self.check(unsafe { receive(bytes.as_mut_ptr().cast(), length, BYTE, &mut message, &mut status) })?;
        if length as u64 > limit {
            let text = format!("a message of {length} bytes came where this rank takes at most {limit}");
            return Err(Error::new(rankine_abi::MPI_ERR_TRUNCATE, text));
        }
        Ok((bytes.into(), Shown::from_words(status)))
    }

    fn irecv(&self, limit: u64, source: i32, tag: i32, comm: u32, landing: Landing) -> Result<u32> {
        let (call, host) = (self.symbol::<symbols::MPI_Irecv_c>()?, self.comm(comm, "comm")?);
        let room = Room::for_message(self.account(), limit.min(1 << 32))?;
        let mut request = 0;
        // SAFETY: the request keeps the room until the operation is complete.
        self.check(unsafe { call(room.at, room.length as i64, BYTE, source, tag, host, &mut request) })?;
        let arrival = Arrival { room, landing, from: source, is_cancelled: false };
        self.new_request(request, Pending::arrival(comm, Box::new(arrival)))
    }

    async fn sendrecv(
        &self,
        image: Parcel,
        (dest, sendtag): (i32, i32),
        limit: u64,
        (source, recvtag): (i32, i32),
        comm: u32,
    ) -> Result<(Parcel, Shown)> {
        let host = self.comm(comm, "comm")?;
        let (send, wait) = (self.symbol::<symbols::MPI_Isend_c>()?, self.symbol::<symbols::MPI_Wait>()?);
        let mut request = 0;
        // SAFETY: the image is kept until the send has ended, below.
        self.check(unsafe { send(at(&image.bytes), long(&image.bytes), BYTE, dest, sendtag, host, &mut request) })?;
        let received = self.recv(limit, source, recvtag, comm).await;
        // SAFETY: the request is the library's.
        self.check(unsafe { wait(&mut request, std::ptr::null_mut()) })?;
        received
    }

    async fn probe(&self, _: &mut [u8], source: i32, tag: i32, comm: u32) -> Result<(Option<usize>, Shown)> {
        let (call, host) = (self.symbol::<symbols::MPI_Probe>()?, self.comm(comm, "comm")?);
        let mut status = [0; 8];
        // SAFETY: a result on the stack.
        self.check(unsafe { call(source, tag, host, &mut status) })?;
        Ok((None, Shown::from_words(status)))
    }

    async fn iprobe(&self, _: &mut [u8], source: i32, tag: i32, comm: u32) -> Result<Option<(Option<usize>, Shown)>> {
        let (call, host) = (self.symbol::<symbols::MPI_Iprobe>()?, self.comm(comm, "comm")?);
        let (mut status, mut flag) = ([0; 8], 0);
        // SAFETY: results on the stack.
        self.check(unsafe { call(source, tag, host, &mut flag, &mut status) })?;
        Ok((flag != 0).then(|| (None, Shown::from_words(status))))
    }

    async fn bcast(&self, mut image: Vec<u8>, limit: u64, root: i32, comm: u32) -> Result<Vec<u8>> {
        let (host, call) = (self.comm(comm, "comm")?, self.symbol::<symbols::MPI_Bcast_c>()?);
        let mut length = long(&image);
        // SAFETY: a number on the stack.
        self.check(unsafe { call((&raw mut length).cast(), 1, LENGTH, root, host) })?;
        if self.side(comm, root)?.leaf && !Carrier::is_root(self, comm, root)? {
            image = vec_of(self, length)?;
        }
        // SAFETY: the image has as many bytes in every rank that takes part.
        self.check(unsafe { call(image.as_mut_ptr().cast(), length, BYTE, root, host) })?;
        within(image, limit)
    }

    async fn scatter(&self, parts: Vec<Vec<u8>>, limit: u64, root: i32, comm: u32) -> Result<Vec<u8>> {
        let host = self.comm(comm, "comm")?;
        let (lengths_call, call) = (self.symbol::<symbols::MPI_Scatter>()?, self.symbol::<symbols::MPI_Scatterv_c>()?);
        let is_root = Carrier::is_root(self, comm, root)?;
        let packed = Packed::of(parts, if is_root { self.peers(comm)? as usize } else { 0 });
        let mut length = 0i64;
        let to: *mut c_void = (&raw mut length).cast();
        // SAFETY: the root has a length for every rank.
        self.check(unsafe { lengths_call(at_longs(&packed.lengths), 1, LENGTH, to, 1, LENGTH, root, host) })?;
        let mut own = vec_of(self, length)?;
        let (from, counts, starts) = (at(&packed.bytes), packed.lengths.as_ptr(), packed.starts.as_ptr());
        // SAFETY: every part lies in the bytes, and there is room for what comes.
        self.check(unsafe { call(from, counts, starts, BYTE, own.as_mut_ptr().cast(), length, BYTE, root, host) })?;
        within(own, limit)
    }

    async fn gather(&self, image: Vec<u8>, limit: u64, root: i32, comm: u32) -> Result<Vec<Parcel>> {
        let host = self.comm(comm, "comm")?;
        let (lengths_call, call) = (self.symbol::<symbols::MPI_Gather>()?, self.symbol::<symbols::MPI_Gatherv_c>()?);
        let is_root = Carrier::is_root(self, comm, root)?;
        let mut lengths = vec![0i64; if is_root { self.peers(comm)? as usize } else { 0 }];
        let length = long(&image);
        let (from, to): (*const c_void, *mut c_void) = ((&raw const length).cast(), lengths.as_mut_ptr().cast());
        // SAFETY: the root has room for every rank's length.
        self.check(unsafe { lengths_call(from, 1, LENGTH, to, 1, LENGTH, root, host) })?;
        let mut all = Packed::room(self, lengths)?;
        let (to, counts, starts) = (all.bytes.as_mut_ptr().cast(), all.lengths.as_ptr(), all.starts.as_ptr());
        // SAFETY: the root has room for every rank's bytes.
        self.check(unsafe { call(at(&image), length, BYTE, to, counts, starts, BYTE, root, host) })?;
        all.parts(limit)
    }

    async fn allgather(&self, image: Vec<u8>, limit: u64, comm: u32) -> Result<Vec<Parcel>> {
        let host = self.comm(comm, "comm")?;
        let (lengths_call, call) =
            (self.symbol::<symbols::MPI_Allgather>()?, self.symbol::<symbols::MPI_Allgatherv_c>()?);
        let mut lengths = vec![0i64; self.peers(comm)? as usize];
        let length = long(&image);
        let (from, to): (*const c_void, *mut c_void) = ((&raw const length).cast(), lengths.as_mut_ptr().cast());
        // SAFETY: there is room for every rank's length.
        self.check(unsafe { lengths_call(from, 1, LENGTH, to, 1, LENGTH, host) })?;
        let mut all = Packed::room(self, lengths)?;
        let (to, counts, starts) = (all.bytes.as_mut_ptr().cast(), all.lengths.as_ptr(), all.starts.as_ptr());
        // SAFETY: there is room for every rank's bytes.
        self.check(unsafe { call(at(&image), length, BYTE, to, counts, starts, BYTE, host) })?;
        all.parts(limit)
    }

    async fn alltoall(&self, parts: Vec<Vec<u8>>, limit: u64, comm: u32) -> Result<Vec<Parcel>> {
        let host = self.comm(comm, "comm")?;
        let (lengths_call, call) =
            (self.symbol::<symbols::MPI_Alltoall>()?, self.symbol::<symbols::MPI_Alltoallv_c>()?);
        let peers = self.peers(comm)? as usize;
        let own = Packed::of(parts, peers);
        let mut lengths = vec![0i64; peers];
        let to: *mut c_void = lengths.as_mut_ptr().cast();
        // SAFETY: there is a length for every rank, and room for one.
        self.check(unsafe { lengths_call(at_longs(&own.lengths), 1, LENGTH, to, 1, LENGTH, host) })?;
        let mut all = Packed::room(self, lengths)?;
        let (to, counts, starts) = (all.bytes.as_mut_ptr().cast(), all.lengths.as_ptr(), all.starts.as_ptr());
        // SAFETY: every part lies in the bytes, and there is room for every rank's.
        self.check(unsafe {
            call(at(&own.bytes), own.lengths.as_ptr(), own.starts.as_ptr(), BYTE, to, counts, starts, BYTE, host)
        })?;
        all.parts(limit)
    }

    fn is_root(&self, comm: u32, root: i32) -> Result<bool> {
        Ok(self.side(comm, root)?.root)
    }

    fn peers(&self, comm: u32) -> Result<i64> {
        Rank::peers(self, comm)
    }
}

fn at_longs(numbers: &[i64]) -> *const c_void {
    numbers.as_ptr().cast()
}

/// So many bytes, or an error that says that there is no memory for them. What nobody writes takes none: the length is
/// what another rank says.
fn vec_of(r: &Rank, length: i64) -> Result<Vec<u8>> {
    let none = || Error::new(MPI_ERR_NO_MEM, format!("no memory in the host for a message of {length} bytes"));
    let length = usize::try_from(length).map_err(|_| none())?;
    r.account().check(length, Cost::Incoming)?;
    let layout = Layout::array::<u8>(length).map_err(|_| none())?;
    if length == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: the layout is not empty.
    let bytes = unsafe { alloc_zeroed(layout) };
    if bytes.is_null() {
        return Err(none());
    }
    // SAFETY: it was allocated with the layout of `length` bytes, which is that of a vector of this capacity; all of them are
    // zeroes, so as many are initialised.
    Ok(unsafe { Vec::from_raw_parts(bytes, length, length) })
}

/// What came, unless it is more than the rank takes.
fn within(bytes: Vec<u8>, limit: u64) -> Result<Vec<u8>> {
    if bytes.len() as u64 <= limit {
        return Ok(bytes);
    }
    let text = format!("{} bytes came in a collective where this rank takes at most {limit}", bytes.len());
    Err(Error::new(rankine_abi::MPI_ERR_TRUNCATE, text))
}

/// Parts one after another.
struct Packed {
    bytes: Vec<u8>,
    lengths: Vec<i64>,
    starts: Vec<isize>,
}

impl Packed {
    /// The parts of a collective with so many ranks; those that are missing are empty.
    fn of(parts: Vec<Vec<u8>>, ranks: usize) -> Packed {
        let mut lengths: Vec<i64> = parts.iter().map(|part| part.len() as i64).collect();
        lengths.resize(ranks, 0);
        Packed { bytes: parts.concat(), starts: starts(&lengths), lengths }
    }

    /// Room for parts of these lengths, which other ranks have told.
    fn room(r: &Rank, lengths: Vec<i64>) -> Result<Packed> {
        let add = |sum: i64, &length: &i64| if length < 0 { None } else { sum.checked_add(length) };
        let Some(bytes) = lengths.iter().try_fold(0, add) else {
            return Err(Error::new(
                MPI_ERR_TYPE,
                "what arrived are not lengths of images: a rank has made another call",
            ));
        };
        Ok(Packed { bytes: vec_of(r, bytes)?, starts: starts(&lengths), lengths })
    }

    fn parts(&self, limit: u64) -> Result<Vec<Parcel>> {
        let part = |(&start, &length): (&isize, &i64)| {
            within(self.bytes[start as usize..start as usize + length as usize].to_vec(), limit).map(Parcel::from)
        };
        self.starts.iter().zip(&self.lengths).map(part).collect()
    }
}

fn starts(lengths: &[i64]) -> Vec<isize> {
    lengths.iter().scan(0, |sum, &length| Some(std::mem::replace(sum, *sum + length as isize))).collect()
}

/// A message that a nonblocking receive waits for.
struct Arrival {
    room: Room,
    landing: Landing,
    from: c_int,
    /// The program has asked to cancel it, so perhaps nothing comes.
    is_cancelled: bool,
}

impl Arrives for Arrival {
    fn cancel(&mut self) {
        self.is_cancelled = true;
    }

    /// The room was empty, so its first bytes tell whether anything has come, and how much.
    fn complete(self: Box<Self>, r: &Rank) -> Result<()> {
        if self.from == MPI_PROC_NULL {
            return Ok(());
        }
        // SAFETY: the operation is complete, and the pages are this room's.
        let room = unsafe { std::slice::from_raw_parts(self.room.at.cast::<u8>(), self.room.length) };
        let head = &room[..HEADER.min(room.len())];
        let Some(header) = Header::read(head) else {
            if self.is_cancelled && head.iter().all(|&byte| byte == 0) {
                return Ok(());
            }
            return Err(Error::new(MPI_ERR_TYPE, "the message is plain bytes, not objects"));
        };
        let length = (HEADER as u64).saturating_add(header.bytes).min(room.len() as u64) as usize;
        let message = written(r, &room[..length])?;
        now(objects::complete(r, &self.landing, message.into(), Shown::EMPTY)).map(drop)
    }
}

/// A copy of bytes whose number the sender alone has told: pages on which nothing is written take no memory here either.
fn written(r: &Rank, bytes: &[u8]) -> Result<Vec<u8>> {
    const PAGE: usize = 4096;
    let mut copy = vec_of(r, bytes.len() as i64)?;
    for (to, from) in copy.chunks_mut(PAGE).zip(bytes.chunks(PAGE)) {
        if from.iter().any(|&byte| byte != 0) {
            to.copy_from_slice(from);
        }
    }
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::objects::tests::declared;

    #[test]
    fn this_engine_has_the_functions_of_the_header() {
        let rows = ROWS.iter().map(|row| (row.function.name.to_owned(), row.words.len()));
        assert_eq!(declared(), rows.collect());
        let engine = wasmtime::Engine::default();
        for name in declared().keys() {
            assert!(define(&mut Linker::new(&engine), name).unwrap(), "{name}");
        }
    }
}
