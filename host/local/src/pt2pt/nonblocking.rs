//! Nonblocking and persistent sends and receives (MPI-5.0 §3.7.2, §3.9).

use rankine_abi::{Addr, Comm, Datatype, Request, Status};

use super::{pattern, start_recv, start_send, target};
use crate::comm::Communicator;
use crate::error::Result;
use crate::mailbox::operation::Kind;
use crate::rank::Rank;
use crate::request::Activity;
use crate::span::Span;

/// `MPI_Issend`
#[inline]
pub fn isend_as(
    r: &Rank,
    kind: Kind,
    buf: Addr,
    count: i64,
    datatype: Datatype,
    dest: i32,
    tag: i32,
    comm: Comm,
) -> Result<Request> {
    let communicator = r.communicator(comm)?;
    match r.contiguous(buf, count, datatype) {
        Some(span) => isend_from(r, kind, span, dest, tag, (comm, &communicator)),
        None => isend_any(r, kind, r.any_span(buf, count, datatype)?, dest, tag, (comm, &communicator)),
    }
}

#[inline(always)]
fn isend_from(
    r: &Rank,
    kind: Kind,
    span: Span<'static>,
    dest: i32,
    tag: i32,
    (comm, communicator): (Comm, &Communicator),
) -> Result<Request> {
    r.check_request_room()?;
    let started = start_send(r, kind, span, dest, tag, communicator)?;
    r.operation_request(comm, started, Status::EMPTY)
}

/// Starts a send of elements that are not just bytes in a row, or not all there.
#[inline(never)]
fn isend_any(
    r: &Rank,
    kind: Kind,
    span: Span<'static>,
    dest: i32,
    tag: i32,
    comm: (Comm, &Communicator),
) -> Result<Request> {
    isend_from(r, kind, span, dest, tag, comm)
}

/// `MPI_Isend`, `MPI_Irsend`
#[inline]
pub fn isend(r: &Rank, buf: Addr, count: i64, datatype: Datatype, dest: i32, tag: i32, comm: Comm) -> Result<Request> {
    isend_as(r, Kind::Send, buf, count, datatype, dest, tag, comm)
}

/// `MPI_Irecv`
#[inline]
pub fn irecv(
    r: &Rank,
    buf: Addr,
    count: i64,
    datatype: Datatype,
    source: i32,
    tag: i32,
    comm: Comm,
) -> Result<Request> {
    let communicator = r.communicator(comm)?;
    match r.contiguous(buf, count, datatype) {
        Some(span) => irecv_into(r, span, source, tag, (comm, &communicator)),
        None => irecv_any(r, r.any_span(buf, count, datatype)?, source, tag, (comm, &communicator)),
    }
}

#[inline(always)]
fn irecv_into(
    r: &Rank,
    span: Span<'static>,
    source: i32,
    tag: i32,
    (comm, communicator): (Comm, &Communicator),
) -> Result<Request> {
    r.check_request_room()?;
    let started = start_recv(r, span, source, tag, communicator)?;
    r.operation_request(comm, started, Status::PROC_NULL)
}

/// Starts a receive of elements that are not just bytes in a row, or not all there.
#[inline(never)]
fn irecv_any(r: &Rank, span: Span<'static>, source: i32, tag: i32, comm: (Comm, &Communicator)) -> Result<Request> {
    irecv_into(r, span, source, tag, comm)
}

/// `MPI_Send_init`, `MPI_Rsend_init`, `MPI_Ssend_init`
pub fn send_init(
    r: &Rank,
    kind: Kind,
    buf: Addr,
    count: i64,
    datatype: Datatype,
    dest: i32,
    tag: i32,
    comm: Comm,
) -> Result<Request> {
    let communicator = r.communicator(comm)?;
    let span = r.span(buf, count, datatype)?;
    let what = target(kind, dest, tag, &communicator)?;
    r.persistent(comm, move |r| match what {
        Some(what) => r.post_send(what, communicator.rank, span.again()).map(Activity::of),
        None => Ok(Activity::Done),
    })
}

/// `MPI_Recv_init`
pub fn recv_init(
    r: &Rank,
    buf: Addr,
    count: i64,
    datatype: Datatype,
    source: i32,
    tag: i32,
    comm: Comm,
) -> Result<Request> {
    let communicator = r.communicator(comm)?;
    let span = r.span(buf, count, datatype)?;
    let pattern = pattern(source, tag, &communicator)?;
    r.persistent(comm, move |r| match pattern {
        Some(pattern) => r.post_recv(pattern, span.again()).map(Activity::of),
        None => Ok(Activity::complete(Status::PROC_NULL)),
    })
}
