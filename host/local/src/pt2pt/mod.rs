//! Point-to-point communication (MPI-5.0 chapters 3 and 4).
//!
//! Arguments are checked here, in the order of both engines: communicator, then buffers (datatype, count, bytes), then tags,
//! then ranks. A ready send is a standard send: knowing that its receive is posted gains us nothing.

mod buffered;
mod bytes;
#[cfg(test)]
mod charged;
mod nonblocking;
#[cfg(test)]
mod overlap;
mod partitioned;
mod probe;
mod sendrecv;
#[cfg(test)]
mod tests;

use std::future::Future;
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::Arc;

use rankine_abi::{Addr, Comm, Datatype, MPI_ANY_SOURCE, MPI_ERR_RANK, MPI_PROC_NULL, Status};
use rankine_guest::tag;

use crate::comm::Communicator;
use crate::error::{Error, Result};
use crate::mailbox::matching::Pattern;
use crate::mailbox::operation::{Kind, Outcome, What};
use crate::quota::Account;
use crate::rank::Rank;
use crate::span::Span;
use crate::transport::Started;

pub use buffered::*;
pub use bytes::*;
pub use nonblocking::*;
pub use partitioned::*;
pub use probe::*;
pub use sendrecv::*;

/// What point-to-point communication keeps between calls.
pub(crate) struct State {
    pub(crate) buffers: buffered::Buffers,
    messages: probe::Messages,
}

impl State {
    pub(crate) fn new(account: &Arc<Account>) -> Self {
        State { buffers: buffered::Buffers::default(), messages: probe::Messages::new(account) }
    }
}

/// Starts a send; nothing is under way when it is complete already.
#[inline(always)]
pub(crate) fn start_send<'r, 'b>(
    r: &'r Rank,
    kind: Kind,
    span: Span<'b>,
    dest: i32,
    tag: i32,
    comm: &Communicator,
) -> Result<Started<'r, 'b>> {
    match target(kind, dest, tag, comm)? {
        Some(what) => r.post_send(what, comm.rank, span),
        None => Ok(Started::nothing(r)),
    }
}

/// A send in words, its tag and destination checked; `None` to `MPI_PROC_NULL`.
#[inline(always)]
fn target(kind: Kind, dest: i32, tag: i32, comm: &Communicator) -> Result<Option<What>> {
    tag::of_send(tag)?;
    let destination = comm.peer(dest, "the destination")?;
    Ok(destination.map(|destination| What { kind, context: comm.context, peer: dest, tag, destination }))
}

/// What a receive or probe asks for; `None` from `MPI_PROC_NULL`.
#[inline(always)]
pub(crate) fn pattern(source: i32, tag: i32, comm: &Communicator) -> Result<Option<Pattern>> {
    tag::of_receive(tag)?;
    if source == MPI_PROC_NULL {
        return Ok(None);
    }
    if source != MPI_ANY_SOURCE && comm.peers().get(source).is_none() {
        return Err(Error::new(
            MPI_ERR_RANK,
            format!("the source is {source}, but the communicator has ranks 0 to {}", comm.peers().len() as i32 - 1),
        ));
    }
    Ok(Some(Pattern { context: comm.context, source, tag }))
}

/// Starts a receive; nothing is under way from `MPI_PROC_NULL`.
#[inline(always)]
fn start_recv<'r, 'b>(
    r: &'r Rank,
    span: Span<'b>,
    source: i32,
    tag: i32,
    comm: &Communicator,
) -> Result<Started<'r, 'b>> {
    match pattern(source, tag, comm)? {
        Some(pattern) => r.post_recv(pattern, span),
        None => Ok(Started::nothing(r)),
    }
}

impl Outcome {
    /// The status a guest sees. A truncated message's error is its caller's to report.
    #[inline(always)]
    pub(crate) fn status(&self) -> Status {
        if self.is_cancelled() {
            let mut status = Status::EMPTY;
            status.set_cancelled(true);
            return status;
        }
        Status::new(self.source, self.tag, self.bytes)
    }
}

/// `MPI_Send`, `MPI_Rsend`
#[inline]
pub async fn send(r: &Rank, buf: Addr, count: i64, datatype: Datatype, dest: i32, tag: i32, comm: Comm) -> Result<()> {
    send_as(r, Kind::Send, buf, count, datatype, dest, tag, comm).await
}

/// `MPI_Send` as far as it comes without waiting: to its end where the message is short. Else the rest of it.
#[inline(always)]
pub fn send_at_once(
    r: &Rank,
    buf: Addr,
    count: i64,
    datatype: Datatype,
    dest: i32,
    tag: i32,
    comm: Comm,
) -> Result<ControlFlow<(), impl Future<Output = Result<()>>>> {
    let comm = r.communicator(comm)?;
    let started = match r.contiguous(buf, count, datatype) {
        Some(span) => {
            let Some(what) = target(Kind::Send, dest, tag, &comm)? else { return Ok(Break(())) };
            if r.send_short(&what, comm.rank, &span) {
                return Ok(Break(()));
            }
            r.post_pulled(what, comm.rank, span)?
        }
        None => send_any(r, buf, count, datatype, dest, tag, &comm)?,
    };
    if started.is_nothing() {
        return Ok(Break(()));
    }
    Ok(Continue(async move {
        started.done().await;
        Ok(())
    }))
}

/// Starts a send of elements that are not just bytes in a row, or not all there.
#[inline(never)]
fn send_any<'r>(
    r: &'r Rank,
    buf: Addr,
    count: i64,
    datatype: Datatype,
    dest: i32,
    tag: i32,
    comm: &Communicator,
) -> Result<Started<'r, 'static>> {
    start_send(r, Kind::Send, r.any_span(buf, count, datatype)?, dest, tag, comm)
}

/// `MPI_Ssend`
#[inline]
pub async fn send_as(
    r: &Rank,
    kind: Kind,
    buf: Addr,
    count: i64,
    datatype: Datatype,
    dest: i32,
    tag: i32,
    comm: Comm,
) -> Result<()> {
    let started = {
        let comm = r.communicator(comm)?;
        let span = r.span(buf, count, datatype)?;
        start_send(r, kind, span, dest, tag, &comm)?
    };
    if !started.is_nothing() {
        started.done().await;
    }
    Ok(())
}

/// `MPI_Recv`
#[inline]
pub async fn recv(
    r: &Rank,
    buf: Addr,
    count: i64,
    datatype: Datatype,
    source: i32,
    tag: i32,
    comm: Comm,
) -> Result<Status> {
    let started = {
        let comm = r.communicator(comm)?;
        let span = r.span(buf, count, datatype)?;
        start_recv(r, span, source, tag, &comm)?
    };
    received(started).await
}

/// Waits for a message that was asked for.
#[inline]
async fn received(started: Started<'_, '_>) -> Result<Status> {
    if started.is_nothing() {
        return Ok(Status::PROC_NULL);
    }
    started.done().await;
    let outcome = started.end();
    outcome.check()?;
    Ok(outcome.status())
}

/// `MPI_Recv` as far as it comes without waiting: to its end where the message is short and there, or comes within
/// moments. Else the rest of it.
#[inline(always)]
pub fn recv_at_once(
    r: &Rank,
    buf: Addr,
    count: i64,
    datatype: Datatype,
    source: i32,
    tag: i32,
    comm: Comm,
) -> Result<ControlFlow<Status, impl Future<Output = Result<Status>>>> {
    let comm = r.communicator(comm)?;
    let started = match r.contiguous(buf, count, datatype) {
        Some(span) => {
            let Some(pattern) = pattern(source, tag, &comm)? else { return Ok(Break(Status::PROC_NULL)) };
            if let Some(header) = r.receive_next(&pattern, &span) {
                return Ok(Break(Status::new(header.source, header.tag, header.bytes() as u64)));
            }
            r.post_recv_apart(pattern, span)?
        }
        None => recv_any(r, buf, count, datatype, source, tag, &comm)?,
    };
    Ok(Continue(received(started)))
}

/// Starts a receive of elements that are not just bytes in a row, or not all there.
#[inline(never)]
fn recv_any<'r>(
    r: &'r Rank,
    buf: Addr,
    count: i64,
    datatype: Datatype,
    source: i32,
    tag: i32,
    comm: &Communicator,
) -> Result<Started<'r, 'static>> {
    start_recv(r, r.any_span(buf, count, datatype)?, source, tag, comm)
}
