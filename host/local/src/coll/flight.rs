//! Operations under way, and the host memory that they use.

use std::collections::VecDeque;
use std::ops::{Deref, DerefMut, Range};

use super::{Coll, Pending};
use crate::error::Result;
use crate::quota::{Charge, exhausted};
use crate::rank::Rank;
use crate::span::Span;

/// Operations that one collective has under way at a time: a peer's matching looks through all of them.
const WINDOW: usize = 64;

/// Sends and receives under way, in the order in which they were started.
pub(super) struct Flight<'a>(VecDeque<Pending<'a>>);

impl<'a> Flight<'a> {
    pub(super) fn new() -> Self {
        Flight(VecDeque::new())
    }

    /// Adds an operation; waits for the earliest ones when too many are under way.
    pub(super) async fn add(&mut self, pending: Pending<'a>) -> Result<()> {
        if pending.operation.is_none() {
            return Ok(());
        }
        if self.0.len() >= WINDOW
            && let Some(first) = self.0.pop_front()
        {
            first.finish().await?;
        }
        self.0.push_back(pending);
        Ok(())
    }

    /// Starts a receive, unless there is nothing to receive.
    pub(super) async fn recv_some(&mut self, g: &Coll<'a>, peer: usize, span: &Span) -> Result<()> {
        if span.bytes() == 0 {
            return Ok(());
        }
        self.add(g.irecv(peer, span)?).await
    }

    /// Starts a send, unless there is nothing to send.
    pub(super) async fn send_some(&mut self, g: &Coll<'a>, peer: usize, span: &Span) -> Result<()> {
        if span.bytes() == 0 {
            return Ok(());
        }
        self.add(g.isend(peer, span)?).await
    }

    /// Waits for all of them.
    pub(super) async fn land(mut self) -> Result<()> {
        while let Some(pending) = self.0.pop_front() {
            pending.finish().await?;
        }
        Ok(())
    }
}

/// Buffers of up to this many bytes are kept to be used again, up to this many.
const KEPT: (usize, usize) = (4 << 10, 16);

/// What errors call the memory that collectives need.
const WHAT: &str = "operands of collectives";

/// Memory of the host's, charged to its rank.
#[derive(Default)]
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    charge: Charge,
}

impl Buffer {
    fn new(r: &Rank, length: usize) -> Result<Self> {
        let mut buffer = Buffer { bytes: Vec::new(), charge: Charge::none(&r.account) };
        buffer.extend(length)?;
        Ok(buffer)
    }

    /// Makes it at least so long.
    fn extend(&mut self, length: usize) -> Result<()> {
        let Some(more) = length.checked_sub(self.bytes.len()).filter(|&more| more > 0) else { return Ok(()) };
        self.charge.grow(more, WHAT)?;
        self.bytes.try_reserve_exact(more).map_err(|_| exhausted(more, WHAT))?;
        self.bytes.resize(length, 0);
        Ok(())
    }

    /// A span over the bytes.
    ///
    /// # Safety
    /// They outlive every operation on the span; while one runs nobody else uses them.
    pub(super) unsafe fn span(&mut self) -> Span {
        // SAFETY: the caller's.
        unsafe { Span::raw(self.bytes.as_mut_ptr(), self.bytes.len()) }
    }
}

/// So many bytes for a collective that keeps them to itself.
pub(super) fn buffer(g: &Coll<'_>, length: usize) -> Result<Buffer> {
    Buffer::new(g.r(), length)
}

/// Bytes in the host. Those of an earlier use may still be in them.
pub(super) struct Scratch<'a> {
    r: &'a Rank,
    buffer: Buffer,
    length: usize,
}

impl<'a> Scratch<'a> {
    pub(super) fn new(r: &'a Rank, length: usize) -> Result<Self> {
        let pooled = if length <= KEPT.0 { r.colls.pool.borrow_mut().pop() } else { None };
        let mut buffer = pooled.map_or_else(|| Buffer::new(r, 0), Ok)?;
        buffer.extend(length)?;
        Ok(Scratch { r, buffer, length })
    }

    /// The packed bytes `from..from + length` of a span.
    pub(super) fn packed(r: &'a Rank, span: &Span, from: usize, length: usize) -> Result<Self> {
        let mut scratch = Scratch::new(r, length)?;
        span.read(from, &mut scratch);
        Ok(scratch)
    }

    /// A span over the bytes.
    ///
    /// # Safety
    /// The scratch outlives every operation on the span; while one runs nobody else uses the bytes.
    pub(super) unsafe fn span(&mut self) -> Span {
        // SAFETY: the caller's.
        unsafe { Span::raw(self.buffer.bytes.as_mut_ptr(), self.length) }
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        let mut pool = self.r.colls.pool.borrow_mut();
        if self.buffer.bytes.capacity() <= KEPT.0 && pool.len() < KEPT.1 {
            pool.push(std::mem::take(&mut self.buffer));
        }
    }
}

impl Deref for Scratch<'_> {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        &self.buffer.bytes[..self.length]
    }
}

impl DerefMut for Scratch<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.buffer.bytes[..self.length]
    }
}

/// An operation on bytes that it owns. The fields drop in this order: the operation ends before its bytes do.
pub(super) struct Carried<'a> {
    pending: Pending<'a>,
    bytes: Scratch<'a>,
}

impl<'a> Carried<'a> {
    /// Waits, and gives the bytes back.
    pub(super) async fn finish(self) -> Result<Scratch<'a>> {
        let Carried { pending, bytes } = self;
        pending.finish().await?;
        Ok(bytes)
    }
}

impl<'a> Coll<'a> {
    /// Sends and waits, unless there is nothing to send.
    pub(super) async fn send_some(&self, peer: usize, span: &Span) -> Result<()> {
        if span.bytes() == 0 { Ok(()) } else { self.send(peer, span).await }
    }

    /// Receives and waits, unless there is nothing to receive.
    pub(super) async fn recv_some(&self, peer: usize, span: &Span) -> Result<()> {
        if span.bytes() == 0 { Ok(()) } else { self.irecv(peer, span)?.finish().await }
    }

    /// Starts a receive of `length` bytes into the host.
    pub(super) fn irecv_carried(&self, peer: usize, length: usize) -> Result<Carried<'a>> {
        let mut bytes = Scratch::new(self.r(), length)?;
        // SAFETY: `Carried` keeps the bytes to itself until the operation has ended.
        let span = unsafe { bytes.span() };
        Ok(Carried { pending: self.irecv(peer, &span)?, bytes })
    }

    /// Starts a send of bytes in the host.
    pub(super) fn isend_carried(&self, peer: usize, mut bytes: Scratch<'a>) -> Result<Carried<'a>> {
        // SAFETY: as above.
        let span = unsafe { bytes.span() };
        Ok(Carried { pending: self.isend(peer, &span)?, bytes })
    }
}

/// The packed bytes of a span in one piece: the span itself where it is contiguous, otherwise a copy in the host.
pub(super) struct Piece {
    base: *mut u8,
    bytes: usize,
    copy: Option<Buffer>,
}

impl Piece {
    /// Its bytes are those of the span.
    pub(super) fn holding(r: &Rank, span: &Span) -> Result<Self> {
        let mut piece = Piece::for_writing(r, span)?;
        if let Some(copy) = &mut piece.copy {
            span.read(0, &mut copy.bytes);
        }
        Ok(piece)
    }

    /// Its bytes are to be written, and put into the span by [`Piece::put_into`].
    pub(super) fn for_writing(r: &Rank, span: &Span) -> Result<Self> {
        let bytes = span.bytes();
        if let Some(base) = span.contiguous() {
            return Ok(Piece { base, bytes, copy: None });
        }
        let mut copy = Buffer::new(r, bytes)?;
        Ok(Piece { base: copy.bytes.as_mut_ptr(), bytes, copy: Some(copy) })
    }

    /// Some of the bytes; the piece has to outlive every operation on them.
    pub(super) fn part(&self, range: Range<usize>) -> Span {
        assert!(range.start <= range.end && range.end <= self.bytes, "bytes beyond the end of a piece");
        // SAFETY: they are bytes of a proved span, or of the copy, which its owner keeps until every operation has
        // ended.
        unsafe { Span::raw(self.base.wrapping_add(range.start), range.len()) }
    }

    /// Copies what was written to where it belongs, if it is not there already.
    pub(super) fn put_into(&self, span: &Span) {
        if self.copy.is_some() {
            span.copy_from(&self.part(0..self.bytes), self.bytes);
        }
    }
}
