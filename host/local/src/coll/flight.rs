//! Operations under way, and the host memory that they use.

use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};

use super::{Coll, Pending, whole};
use crate::error::Result;
use crate::mailbox::ring::EAGER;
use crate::quota::{Charge, Cost, exhausted};
use crate::rank::Rank;
use crate::span::Span;

/// Operations that one collective has under way at a time: a peer's matching looks through all of them.
const WINDOW: usize = 64;

/// Sends and receives under way, in the order in which they were started, and the bytes of those that have some of their own. In
/// this order: an operation ends before its bytes do.
pub(super) struct Flight<'a>(VecDeque<(Pending<'a>, Option<Scratch<'a>>)>);

impl<'a> Flight<'a> {
    pub(super) fn new() -> Self {
        Flight(VecDeque::new())
    }

    /// Adds an operation; waits for the earliest ones when too many are under way.
    pub(super) async fn add(&mut self, pending: Pending<'a>) -> Result<()> {
        self.add_with(pending, None).await
    }

    /// Adds a send of bytes in the host.
    pub(super) async fn carry(&mut self, carried: Carried<'a>) -> Result<()> {
        self.add_with(carried.pending, Some(carried.bytes)).await
    }

    async fn add_with(&mut self, pending: Pending<'a>, bytes: Option<Scratch<'a>>) -> Result<()> {
        if pending.started.is_nothing() {
            return Ok(());
        }
        if self.0.len() >= WINDOW
            && let Some((first, _bytes)) = self.0.pop_front()
        {
            first.finish().await?;
        }
        self.0.push_back((pending, bytes));
        Ok(())
    }

    /// Starts a receive, unless there is nothing to receive.
    pub(super) async fn recv_some(&mut self, g: &Coll<'a>, peer: usize, span: &Span<'a>) -> Result<()> {
        if span.bytes() == 0 {
            return Ok(());
        }
        self.add(g.irecv(peer, span)?).await
    }

    /// Receives, unless there is nothing to receive: at once, if the message is short and the next one that comes.
    pub(super) async fn take_some(&mut self, g: &Coll<'a>, peer: usize, span: &Span<'a>) -> Result<()> {
        if span.bytes() == 0 {
            return Ok(());
        }
        match g.take_next(peer, span) {
            Some(bytes) => whole(bytes, peer, span.bytes()),
            None => self.add(g.irecv(peer, span)?).await,
        }
    }

    /// Starts a send, unless there is nothing to send.
    pub(super) async fn send_some(&mut self, g: &Coll<'a>, peer: usize, span: &Span<'a>) -> Result<()> {
        if span.bytes() == 0 {
            return Ok(());
        }
        self.add(g.isend(peer, span)?).await
    }

    /// Waits for all of them.
    pub(super) async fn land(mut self) -> Result<()> {
        while let Some((pending, _bytes)) = self.0.pop_front() {
            pending.finish().await?;
        }
        Ok(())
    }
}

/// Buffers of up to this many bytes are kept to be used again, up to this many.
const KEPT: (usize, usize) = (4 << 10, 16);

/// What errors call the memory that collectives need.
const WHAT: Cost = Cost::Operands;

/// Memory of the host's, charged to its rank.
#[derive(Default)]
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    charge: Charge,
}

impl Buffer {
    /// No bytes yet.
    pub(super) fn none(r: &Rank) -> Self {
        Buffer { bytes: Vec::new(), charge: Charge::none(&r.account) }
    }

    /// So many bytes.
    pub(super) fn new(r: &Rank, length: usize) -> Result<Self> {
        let mut buffer = Buffer::none(r);
        buffer.extend(length)?;
        Ok(buffer)
    }

    /// Makes it at least so long.
    fn extend(&mut self, length: usize) -> Result<()> {
        let Some(more) = length.checked_sub(self.bytes.len()).filter(|&more| more > 0) else { return Ok(()) };
        // Short ones are few at a time, and without them a rank could not even end.
        if length <= KEPT.0 {
            self.charge.grow_last(more, WHAT)?
        } else {
            self.charge.grow(more, WHAT)?
        }
        self.bytes.try_reserve_exact(more).map_err(|_| exhausted(more, WHAT))?;
        self.bytes.resize(length, 0);
        Ok(())
    }

    /// A span over the bytes.
    pub(super) fn span(&mut self) -> Span<'_> {
        Span::over(&mut self.bytes)
    }

    /// The packed bytes of a span in one piece: its own, if they are contiguous, otherwise a copy in here.
    pub(super) fn in_one_piece<'c, 'a: 'c>(&'c mut self, span: &Span<'a>) -> Result<Span<'c>> {
        if span.contiguous().is_some() {
            return Ok(span.again());
        }
        self.extend(span.bytes())?;
        span.read(0, &mut self.bytes);
        Ok(self.span())
    }
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
        let mut buffer = pooled.unwrap_or_else(|| Buffer::none(r));
        buffer.extend(length)?;
        Ok(Scratch { r, buffer, length })
    }

    /// The packed bytes `from..from + length` of a span.
    pub(super) fn packed(r: &'a Rank, span: &Span<'_>, from: usize, length: usize) -> Result<Self> {
        let mut scratch = Scratch::new(r, length)?;
        span.read(from, &mut scratch);
        Ok(scratch)
    }

    /// A span over the bytes.
    pub(super) fn span(&mut self) -> Span<'_> {
        Span::over(self)
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
    pub(super) async fn send_some(&self, peer: usize, span: &Span<'_>) -> Result<()> {
        if span.bytes() == 0 { Ok(()) } else { self.send(peer, span).await }
    }

    /// Receives and waits, unless there is nothing to receive.
    pub(super) async fn recv_some(&self, peer: usize, span: &Span<'_>) -> Result<()> {
        if span.bytes() == 0 { Ok(()) } else { self.recv_whole(peer, span).await }
    }

    /// Receives `length` bytes into the host, and waits.
    pub(super) async fn recv_carried(&self, peer: usize, length: usize) -> Result<Scratch<'a>> {
        let mut bytes = Scratch::new(self.r(), length)?;
        self.recv_whole(peer, &bytes.span()).await?;
        Ok(bytes)
    }

    /// Sends bytes in the host to a peer while receiving so many from it; the own ones, and those.
    pub(super) async fn swap_carried(
        &self,
        peer: usize,
        mine: Scratch<'a>,
        length: usize,
    ) -> Result<(Scratch<'a>, Scratch<'a>)> {
        if length > EAGER || !self.r().has_operation() {
            let receiving = self.irecv_carried(peer, length)?;
            let sending = self.isend_carried(peer, mine)?;
            let theirs = receiving.finish().await?;
            return Ok((sending.finish().await?, theirs));
        }
        let mut theirs = Scratch::new(self.r(), length)?;
        let sending = self.isend_carried(peer, mine)?;
        self.recv_whole(peer, &theirs.span()).await?;
        Ok((sending.finish().await?, theirs))
    }

    /// Starts a receive of `length` bytes into the host.
    pub(super) fn irecv_carried(&self, peer: usize, length: usize) -> Result<Carried<'a>> {
        let mut bytes = Scratch::new(self.r(), length)?;
        // SAFETY: `Carried` keeps the bytes to itself until the operation has ended. If none can be started they are
        // dropped here.
        let span = unsafe { bytes.span().lasting() };
        Ok(Carried { pending: self.irecv(peer, &span)?, bytes })
    }

    /// Starts a send of bytes in the host.
    pub(super) fn isend_carried(&self, peer: usize, mut bytes: Scratch<'a>) -> Result<Carried<'a>> {
        // SAFETY: `Carried` keeps the bytes to itself until the operation has ended. If none can be started they are
        // dropped here.
        let span = unsafe { bytes.span().lasting() };
        Ok(Carried { pending: self.isend(peer, &span)?, bytes })
    }
}
