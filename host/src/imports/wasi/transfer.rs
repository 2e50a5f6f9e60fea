//! Reads and writes of files, by way of a block of the host's own.
//!
//! WASI finds where buffers lie in the guest's memory, where others may write meanwhile, and copies what it reads or writes
//! there anyway. So the host looks up the first buffer itself, once, and shows WASI a memory in which there is nothing but
//! that one. Only here is it known that a null page is no place for it.
//!
//! The block is charged to the rank. Where there is no room for a large one a small one does, which takes more steps.

use rankine_guest::{Charge, Cost};
use wasmtime::{Caller, Linker, Result};
use wasmtime_wasi::p1::wasi_snapshot_preview1 as p1;
use wiggle::{GuestError, GuestMemory, Region};

use super::{FAULT, INVALID, MODULE, block_on};
use crate::guest::files::Move;
use crate::guest::{Guest, Placement, Rank, Reach};

/// Bytes that are moved at once: what a call costs the host, however much it asks for.
const PIECE: u32 = 1 << 20;

/// Up to here a block is kept for the next call, and stays charged. A rank has one always: it can still say something when it
/// has used all that it may have.
const KEPT: usize = 16 << 10;

/// Buffers among which the first is sought that has any bytes.
const MOST_BUFFERS: u32 = 1 << 16;

/// The only descriptor of which less is had than was asked for, and then nothing until somebody types.
const INPUT: i32 = 0;

/// Where things lie in the memory that WASI is shown: the list of buffers, how many bytes were moved, and the buffer.
const LIST: i32 = 0;
const RESULT: i32 = 8;
const BUFFER: usize = 16;

/// Which way the bytes go, as the guest sees it.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Way {
    In,
    Out,
}

/// The arguments that all of these functions have.
struct Arguments {
    function: &'static str,
    fd: i32,
    list: u32,
    count: u32,
    /// The place in the file, if it is not where the descriptor is.
    offset: Option<i64>,
    /// Where the guest wants to know how many bytes were moved.
    out: u32,
}

/// A read or write under way.
struct Transfer {
    way: Way,
    /// WASI's number of the file.
    fd: i32,
    /// The guest's buffer.
    at: u32,
    length: u32,
    out: u32,
    /// Whatever comes of it is all for now.
    is_of_input: bool,
    /// WASI reads less at once from a place in a file than there is.
    is_read_in_steps: bool,
    /// Bytes that were moved.
    done: u32,
    /// Bytes that are moved at once.
    most: u32,
    /// What WASI is shown, if it is aligned.
    block: Vec<u8>,
    /// For a block that is not kept, and the copy of it that WASI makes.
    _charge: Option<Charge>,
}

/// The number of an error, as WASI has them.
type Errno = i32;

impl Transfer {
    fn new<R: Rank>(
        caller: &mut Caller<'_, Guest<R>>,
        way: Way,
        arguments: Arguments,
    ) -> Result<Result<Transfer, Errno>> {
        let Arguments { function, fd, list, count, offset, out } = arguments;
        let reach = Guest::reach(caller)?;
        if count > MOST_BUFFERS {
            return Ok(Err(INVALID));
        }
        if faults(reach, list, 8 * count)? || faults(reach, out, 4)? {
            return Ok(Err(FAULT));
        }
        let (at, length) = first(reach, list, count);
        if faults(reach, at, length)? {
            return Ok(Err(FAULT));
        }
        let moved =
            Move { reach, is_write: way == Way::Out, at, length, out, offset: offset.map(|offset| offset as u64) };
        let fd = match caller.data().files().transfer(fd, &moved) {
            Ok(fd) => fd as i32,
            Err(answer) => return Ok(Err(answer)),
        };
        let mut block = std::mem::take(&mut caller.data_mut().block);
        let whole = 2 * BUFFER + length.min(PIECE) as usize;
        let charge = match whole {
            ..=KEPT => None,
            _ => caller.data().account().charge(2 * whole, Cost::Transfers).ok(),
        };
        let size = if charge.is_some() { whole } else { whole.min(KEPT) };
        if block.try_reserve_exact(size.saturating_sub(block.len())).is_err() {
            return Ok(Err(super::NO_MEMORY));
        }
        block.resize(size.max(block.len()), 0);
        let (is_of_input, is_read_in_steps) = (fd == INPUT, function == "fd_pread");
        let most = (size - 2 * BUFFER) as u32;
        Ok(Ok(Transfer {
            way,
            fd,
            at,
            length,
            out,
            is_of_input,
            is_read_in_steps,
            done: 0,
            most,
            block,
            _charge: charge,
        }))
    }

    /// Bytes of the next piece.
    fn piece(&self) -> u32 {
        (self.length - self.done).min(self.most)
    }

    /// The memory that WASI is shown for the next piece.
    fn begin<R: Rank>(&mut self, caller: &mut Caller<'_, Guest<R>>) -> Result<GuestMemory<'_>> {
        let (piece, place) = (self.piece(), self.at + self.done);
        let skipped = self.skipped();
        let shown = &mut self.block[skipped..];
        shown[..4].copy_from_slice(&(BUFFER as u32).to_le_bytes());
        shown[4..8].copy_from_slice(&piece.to_le_bytes());
        shown[RESULT as usize..][..4].fill(0);
        if self.way == Way::Out {
            Guest::reach(caller)?.read(place, &mut shown[BUFFER..][..piece as usize]);
        }
        Ok(GuestMemory::Unshared(shown))
    }

    /// Bytes before those that WASI is shown.
    fn skipped(&self) -> usize {
        self.block.as_ptr().align_offset(BUFFER)
    }

    /// Takes what came of a piece; what the guest is told if it was the last one.
    fn end<R: Rank>(&mut self, caller: &mut Caller<'_, Guest<R>>, errno: Errno) -> Result<Option<Errno>> {
        if errno != 0 && self.done == 0 {
            return Ok(Some(errno));
        }
        let reach = Guest::reach(caller)?;
        let (piece, place) = (self.piece(), self.at + self.done);
        let shown = &self.block[self.skipped()..];
        let moved = match shown[RESULT as usize..].first_chunk() {
            Some(bytes) if errno == 0 => u32::from_le_bytes(*bytes).min(piece),
            _ => 0,
        };
        if self.way == Way::In {
            reach.write(place, &shown[BUFFER..][..moved as usize]);
        }
        self.done += moved;
        let is_end = moved < piece && (moved == 0 || !self.is_read_in_steps);
        let is_last = is_end || self.done == self.length || self.is_of_input;
        if is_last {
            reach.write(self.out, &self.done.to_le_bytes());
            if self.block.len() <= KEPT {
                caller.data_mut().block = std::mem::take(&mut self.block);
            }
        }
        Ok(is_last.then_some(0))
    }
}

/// Whether so many bytes reach into the null page; a trap, as WASI demands it, if they don't lie in the memory.
fn faults(reach: Reach, address: u32, bytes: u32) -> Result<bool> {
    if reach.at(address, bytes.into()).is_some() {
        return Ok(false);
    }
    if u64::from(address) + u64::from(bytes) > reach.size {
        return Err(GuestError::PtrOutOfBounds(Region { start: address, len: bytes }).into());
    }
    Ok(true)
}

/// The first buffer of a list that has any bytes, or one that has none. The list lies in the memory.
fn first(reach: Reach, list: u32, count: u32) -> (u32, u32) {
    let mut entry = [0; 8];
    for number in 0..count {
        reach.read(list + 8 * number, &mut entry);
        let [at, length] = [0, 4].map(|half| u32::from_le_bytes([0, 1, 2, 3].map(|byte| entry[half + byte])));
        if length > 0 {
            return (at, length);
        }
    }
    (0, 0)
}

/// Registers a function of WASI that moves bytes from where the file is, or from a place in it.
macro_rules! register {
    ($linker:ident, $placement:ident, $name:ident, $way:expr $(, $offset:ident)?) => {
        match $placement {
            Placement::Threads => $linker.func_wrap(
                MODULE,
                stringify!($name),
                |mut caller: Caller<'_, Guest<R>>, fd: i32, list: u32, count: u32, $($offset: i64,)? out: u32| {
                    let arguments = Arguments { function: stringify!($name), fd, list, count, offset: register!(@offset $($offset)?), out };
                    let mut transfer = match Transfer::new(&mut caller, $way, arguments)? {
                        Ok(transfer) => transfer,
                        Err(errno) => return Ok(errno),
                    };
                    let file = transfer.fd;
                    loop {
                        $(let $offset = $offset.wrapping_add(i64::from(transfer.done));)?
                        let mut shown = transfer.begin(&mut caller)?;
                        let (_, mut wasi) = Guest::wasi_of_all(&mut caller)?;
                        let call = p1::$name(&mut *wasi, &mut shown, file, LIST, 1, $($offset,)? RESULT);
                        let errno = block_on(call)?;
                        drop(wasi);
                        if let Some(errno) = transfer.end(&mut caller, errno)? {
                            return Ok(errno);
                        }
                    }
                },
            ),
            Placement::Fibers => $linker.func_wrap_async(
                MODULE,
                stringify!($name),
                |mut caller: Caller<'_, Guest<R>>, words: (i32, u32, u32, $(register!(@type $offset),)? u32)| {
                    Box::new(async move {
                        let (fd, list, count, $($offset,)? out) = words;
                        let arguments = Arguments { function: stringify!($name), fd, list, count, offset: register!(@offset $($offset)?), out };
                        let mut transfer = match Transfer::new(&mut caller, $way, arguments)? {
                            Ok(transfer) => transfer,
                            Err(errno) => return Ok(errno),
                        };
                        let file = transfer.fd;
                        loop {
                            $(let $offset = $offset.wrapping_add(i64::from(transfer.done));)?
                            let mut shown = transfer.begin(&mut caller)?;
                            let (_, wasi) = Guest::wasi_view(&mut caller)?;
                            let errno = p1::$name(wasi, &mut shown, file, LIST, 1, $($offset,)? RESULT).await?;
                            if let Some(errno) = transfer.end(&mut caller, errno)? {
                                return Ok(errno);
                            }
                        }
                    })
                },
            ),
        }
    };
    (@type $offset:ident) => { i64 };
    (@offset) => { None };
    (@offset $offset:ident) => { Some($offset) };
}

/// Registers the function of that name, if it moves bytes; says whether it does.
pub(super) fn define<R: Rank>(linker: &mut Linker<Guest<R>>, placement: Placement, name: &str) -> Result<bool> {
    match name {
        "fd_read" => register!(linker, placement, fd_read, Way::In)?,
        "fd_pread" => register!(linker, placement, fd_pread, Way::In, offset)?,
        "fd_write" => register!(linker, placement, fd_write, Way::Out)?,
        "fd_pwrite" => register!(linker, placement, fd_pwrite, Way::Out, offset)?,
        _ => return Ok(false),
    };
    Ok(true)
}
