//! Nonblocking and persistent sends and receives (MPI-5.0 §3.7.2, §3.9).

use rankine_abi::{Addr, Comm, Datatype, Request, Status};

use super::{pattern, start_recv, start_send, target};
use crate::error::Result;
use crate::mailbox::operation::Kind;
use crate::rank::Rank;
use crate::request::Activity;

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
    let span = r.span(buf, count, datatype)?;
    r.check_request_room()?;
    let started = start_send(r, kind, span, dest, tag, &communicator)?;
    r.operation_request(comm, started, Status::EMPTY)
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
    let span = r.span(buf, count, datatype)?;
    r.check_request_room()?;
    let started = start_recv(r, span, source, tag, &communicator)?;
    r.operation_request(comm, started, Status::PROC_NULL)
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
