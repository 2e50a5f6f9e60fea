//! Moving bytes between memories and a file, as few and as large accesses as there can be.
//!
//! Parts, of one rank or of several, are gone through window by window of the file. Their blocks in a window are put in
//! order, and what lies together in the file is one access, however many pieces of however many memories it comes from.
//! Small pieces go through a buffer. Where a window is read that has more bytes than holes, the holes are read too: the
//! data sieving of Thakur, Gropp and Lusk. They are never written: others may be writing there.

use std::cell::Cell;
use std::ops::Range;

use super::region::{Part, Room};
use super::storage::{Piece, Stored};
use crate::copy;
use crate::error::{Error, Result};
use crate::quota::zeroed;

/// Bytes of the file that are looked at together.
pub(super) const WINDOW: u64 = 1 << 20;
/// Pieces that are shorter than this on average go through a buffer.
const SHORT: usize = 512;
/// Blocks that are put in order at a time, about. Where many ranks' pieces are tiny, windows are shorter.
const MOST_BLOCKS: usize = 1 << 17;
/// What errors call the buffers.
const WHAT: &str = "the buffers of files";

/// Which way bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the file.
    Read,
    /// To the file.
    Write,
}

/// A piece of memory and where it belongs in the file.
#[derive(Clone, Copy, Debug)]
struct Block {
    at: u64,
    piece: Piece,
}

impl Block {
    fn end(&self) -> u64 {
        self.at + self.piece.bytes as u64
    }
}

/// A file, and how many bytes were written to it.
struct Target<'a> {
    file: &'a dyn Stored,
    written: Cell<u64>,
}

impl Target<'_> {
    fn new(file: &dyn Stored) -> Target<'_> {
        Target { file, written: Cell::new(0) }
    }

    /// An error of writing, which says how far it has come.
    #[cold]
    fn halfway(&self, wanted: u64, direction: Direction, error: Error) -> Error {
        match direction {
            Direction::Read => error,
            Direction::Write => {
                let text = format!("{}, after {} of {wanted} bytes were written", error.text, self.written.get());
                Error::new(error.class, text)
            }
        }
    }

    /// One access; where reading has met the end.
    fn access(&self, at: u64, pieces: &[Piece], direction: Direction) -> Result<u64> {
        let wanted: u64 = pieces.iter().map(|piece| piece.bytes as u64).sum();
        // SAFETY: pieces are those of rooms, whose bytes are there.
        unsafe {
            match direction {
                Direction::Write => {
                    let (done, outcome) = self.file.write(at, pieces);
                    self.written.set(self.written.get() + done);
                    outcome.map(|()| u64::MAX)
                }
                Direction::Read => self.file.read(at, pieces).map(|got| if got < wanted { at + got } else { u64::MAX }),
            }
        }
    }
}

/// Moves the bytes of a part; how many, which are fewer than it has only where reading has met the end of the file.
pub(super) fn carry_alone(file: &dyn Stored, part: &Part, direction: Direction) -> Result<u64> {
    let region = &part.region;
    if region.bytes() == 0 {
        return Ok(0);
    }
    let file = Target::new(file);
    carry_part(&file, part, direction).map_err(|error| file.halfway(region.bytes(), direction, error))
}

fn carry_part(file: &Target<'_>, part: &Part, direction: Direction) -> Result<u64> {
    let Part { room, region } = part;
    let end = match region.block() {
        Some(at) => block(file, at, room, 0..region.bytes(), direction)?,
        None if region.ascends() => carry_windows(file, &[part], region.extent(), direction)?,
        None => return in_order(file, part, direction),
    };
    Ok(region.moved(end))
}

fn buffer_access(file: &Target<'_>, at: u64, buffer: &mut [u8], direction: Direction) -> Result<u64> {
    file.access(at, &[Piece { base: buffer.as_mut_ptr(), bytes: buffer.len() }], direction)
}

/// One block of the file, and those bytes of a room; where reading has met the end.
fn block(file: &Target<'_>, at: u64, room: &Room, range: Range<u64>, direction: Direction) -> Result<u64> {
    let Some(Piece { base, .. }) = room.piece() else { return packed(file, at, room, range, direction) };
    let (base, bytes) = (base.wrapping_add(range.start as usize), (range.end - range.start) as usize);
    file.access(at, &[Piece { base, bytes }], direction)
}

/// One block of the file, where the room is many pieces, however many: they go through a buffer.
fn packed(file: &Target<'_>, at: u64, room: &Room, range: Range<u64>, direction: Direction) -> Result<u64> {
    let bytes = range.end - range.start;
    let mut buffer = zeroed(bytes.min(WINDOW) as usize, WHAT)?;
    let mut done = 0;
    while done < bytes {
        let chunk = &mut buffer[..(bytes - done).min(WINDOW) as usize];
        if direction == Direction::Write {
            room.pack(range.start + done, chunk);
        }
        let end = buffer_access(file, at + done, chunk, direction)?;
        if direction == Direction::Read {
            let got = end.saturating_sub(at + done).min(chunk.len() as u64);
            room.unpack(range.start + done, &chunk[..got as usize]);
        }
        if end != u64::MAX {
            return Ok(end);
        }
        done += chunk.len() as u64;
    }
    Ok(u64::MAX)
}

/// A part whose blocks do not ascend strictly: one after another. How many bytes were moved.
fn in_order(file: &Target<'_>, part: &Part, direction: Direction) -> Result<u64> {
    let (mut done, mut goes_on) = (0, Ok(true));
    part.region.each_block(0..part.region.bytes(), |at, length| {
        if goes_on == Ok(true) {
            goes_on = block(file, at, &part.room, done..done + length, direction).map(|end| {
                done += length.min(end.saturating_sub(at));
                end == u64::MAX
            });
        }
    });
    goes_on.map(|_| done)
}

/// Moves those bytes of parts, which all ascend, that lie in a range of the file. Where reading has met the end of the
/// file: no byte from there on was read.
pub(super) fn carry(file: &dyn Stored, parts: &[&Part], range: Range<u64>, direction: Direction) -> Result<u64> {
    let file = Target::new(file);
    let wanted = |part: &&Part| part.region.before(range.end) - part.region.before(range.start);
    carry_windows(&file, parts, range.clone(), direction)
        .map_err(|error| file.halfway(parts.iter().map(wanted).sum(), direction, error))
}

fn carry_windows(file: &Target<'_>, parts: &[&Part], range: Range<u64>, direction: Direction) -> Result<u64> {
    let mut work = Work { file, direction, blocks: Vec::new(), pieces: Vec::new(), buffer: Vec::new() };
    let (mut start, mut longest) = (range.start, WINDOW);
    while let Some(window) = next_window(parts, start, range.end, longest) {
        work.blocks.clear();
        let fits = parts.iter().all(|part| {
            gather(part, &window, &mut work.blocks);
            work.blocks.len() <= MOST_BLOCKS
        });
        if !fits && longest > 1 {
            longest /= 2;
            continue;
        }
        if parts.len() > 1 {
            work.blocks.sort_unstable_by_key(|block| block.at);
        }
        let end = work.window()?;
        if end != u64::MAX {
            return Ok(end);
        }
        start = window.end;
    }
    Ok(u64::MAX)
}

/// The next part of a range in which there is anything to move.
fn next_window(parts: &[&Part], start: u64, end: u64, longest: u64) -> Option<Range<u64>> {
    let first = |part: &&Part| {
        let before = part.region.before(start);
        (before < part.region.bytes()).then(|| part.region.offset_of(before))
    };
    let start = parts.iter().filter_map(first).min().filter(|&first| first < end)?;
    Some(start..start.saturating_add(longest).min(end))
}

/// The blocks of a part in a window.
fn gather(part: &Part, window: &Range<u64>, blocks: &mut Vec<Block>) {
    let Part { room, region } = part;
    let (mut index, to) = (region.before(window.start), region.before(window.end));
    region.each_block(index..to, |mut at, length| {
        room.each_piece(index..index + length, |piece| {
            blocks.push(Block { at, piece });
            at += piece.bytes as u64;
        });
        index += length;
    });
}

/// What windows of one access have in common.
struct Work<'a> {
    file: &'a Target<'a>,
    direction: Direction,
    /// Those of the window, in the order of the file.
    blocks: Vec<Block>,
    pieces: Vec<Piece>,
    buffer: Vec<u8>,
}

/// How the blocks of a window lie.
struct Shape {
    extent: Range<u64>,
    bytes: u64,
    has_holes: bool,
    overlaps: bool,
}

impl Work<'_> {
    fn shape(blocks: &[Block]) -> Option<Shape> {
        let first = blocks.first()?;
        let mut shape = Shape { extent: first.at..first.at, bytes: 0, has_holes: false, overlaps: false };
        for block in blocks {
            shape.has_holes |= block.at > shape.extent.end;
            shape.overlaps |= block.at < shape.extent.end;
            shape.extent.end = shape.extent.end.max(block.end());
            shape.bytes += block.piece.bytes as u64;
        }
        Some(shape)
    }

    /// Moves the blocks of a window.
    fn window(&mut self) -> Result<u64> {
        let blocks = std::mem::take(&mut self.blocks);
        let Some(shape) = Self::shape(&blocks) else { return Ok(u64::MAX) };
        let dense = shape.has_holes && shape.bytes * 2 >= shape.extent.end - shape.extent.start;
        let end = if self.direction == Direction::Read && (dense || shape.overlaps) {
            self.through_buffer(&blocks, shape.extent)
        } else {
            self.run_by_run(&blocks)
        };
        self.blocks = blocks;
        end
    }

    /// One access for each run of blocks without a hole.
    fn run_by_run(&mut self, blocks: &[Block]) -> Result<u64> {
        let mut rest = blocks;
        while let Some(first) = rest.first() {
            let (mut end, mut count) = (first.end(), 1);
            while let Some(next) = rest.get(count).filter(|next| next.at <= end) {
                end = end.max(next.end());
                count += 1;
            }
            let met = self.run(&rest[..count], first.at..end)?;
            if met != u64::MAX {
                return Ok(met);
            }
            rest = &rest[count..];
        }
        Ok(u64::MAX)
    }

    fn run(&mut self, blocks: &[Block], extent: Range<u64>) -> Result<u64> {
        let length = extent.end - extent.start;
        if blocks.len() > 1 && (length as usize) < SHORT * blocks.len() {
            return self.through_buffer(blocks, extent);
        }
        self.pieces.clear();
        let mut at = extent.start;
        for block in blocks {
            // What another rank writes to the same place comes first, as it does without us in some order.
            let skip = (at - block.at).min(block.piece.bytes as u64) as usize;
            let piece = Piece { base: block.piece.base.wrapping_add(skip), bytes: block.piece.bytes - skip };
            at += piece.bytes as u64;
            if piece.bytes > 0 {
                self.pieces.push(piece);
            }
        }
        self.file.access(extent.start, &self.pieces, self.direction)
    }

    /// One access of the whole extent, of which all is there to be written, or anything may be read.
    fn through_buffer(&mut self, blocks: &[Block], extent: Range<u64>) -> Result<u64> {
        let length = (extent.end - extent.start) as usize;
        if self.buffer.len() < length {
            self.buffer = zeroed(length.max(WINDOW as usize), WHAT)?;
        }
        let buffer = &mut self.buffer[..length];
        let place = |block: &Block| (block.at - extent.start) as usize;
        if self.direction == Direction::Write {
            for block in blocks {
                // SAFETY: the block lies in the extent; its bytes are those of a room.
                unsafe { copy::copy(buffer.as_mut_ptr().add(place(block)), block.piece.base, block.piece.bytes) };
            }
        }
        let end = buffer_access(self.file, extent.start, buffer, self.direction)?;
        if self.direction == Direction::Read {
            for block in blocks {
                let there = block.piece.bytes.min(end.saturating_sub(block.at) as usize);
                // SAFETY: of the block, which lies in the extent, at most its length is written to the room's bytes.
                unsafe { copy::copy(block.piece.base, buffer.as_ptr().add(place(block)), there) };
            }
        }
        Ok(end)
    }
}
