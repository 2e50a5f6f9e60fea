//! A send and a receive in one call (MPI-5.0 §3.11).

use std::future::{Future, poll_fn};
use std::ops::ControlFlow::{self, Break, Continue};
use std::rc::Rc;
use std::task::Poll;

use rankine_abi::{Addr, Comm, Datatype, Request, Status};

use super::{pattern, target};
use rankine_guest::tag;

use crate::comm::Communicator;
use crate::error::Result;
use crate::mailbox::matching::Pattern;
use crate::mailbox::operation::{Kind, What};
use crate::mailbox::ring::EAGER;
use crate::rank::Rank;
use crate::span::Span;
use crate::transport::Started;

/// Both halves, checked and not started yet.
struct Exchange {
    comm: Rc<Communicator>,
    /// What is sent, and where to; `None` to `MPI_PROC_NULL`.
    send: (Option<What>, Span<'static>),
    /// What is received, and where from; `None` from `MPI_PROC_NULL`.
    receive: (Option<Pattern>, Span<'static>),
    /// Whether the receive may overwrite what is sent.
    in_place: bool,
}

impl Exchange {
    /// Both halves, where both messages are short and the one that is received is there, or comes within moments. What is sent
    /// may have left when it is not.
    #[inline(always)]
    fn at_once(&mut self, r: &Rank) -> Option<Status> {
        let (to, sent) = &mut self.send;
        let (from, received) = &self.receive;
        let pattern = from.as_ref()?;
        if received.bytes() > EAGER
            || !r.has_operation()
            || !to.as_ref().is_none_or(|what| r.send_short(what, self.comm.rank, sent))
        {
            return None;
        }
        *to = None;
        let header = r.receive_next(pattern, received)?;
        Some(Status::new(header.source, header.tag, header.bytes() as u64))
    }

    async fn run(self, r: &Rank) -> Result<Status> {
        let copy = self.in_place.then(|| self.send.1.to_vec());
        let receiving = match self.receive {
            (Some(pattern), span) => Some(r.post_recv(pattern, span)?),
            (None, _) => None,
        };
        let sending = match (self.send, copy) {
            ((Some(what), _), Some(copy)) => r.post_parcel(what, self.comm.rank, copy.into())?,
            ((Some(what), span), None) => r.post_send(what, self.comm.rank, span)?,
            ((None, _), _) => Started::nothing(r),
        };
        poll_fn(|_| {
            let sent = sending.poll();
            let received = receiving.as_ref().is_none_or(Started::poll);
            if sent && received { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        sending.end();
        let Some(receiving) = receiving else { return Ok(Status::PROC_NULL) };
        let outcome = receiving.end();
        outcome.check()?;
        Ok(outcome.status())
    }
}

fn exchange(
    r: &Rank,
    sendbuf: Addr,
    sendcount: i64,
    sendtype: Datatype,
    dest: i32,
    sendtag: i32,
    recvbuf: Addr,
    recvcount: i64,
    recvtype: Datatype,
    source: i32,
    recvtag: i32,
    comm: Comm,
) -> Result<Exchange> {
    let comm = r.communicator(comm)?;
    let (send, receive) = (r.span(sendbuf, sendcount, sendtype)?, r.span(recvbuf, recvcount, recvtype)?);
    tag::of_send(sendtag)?;
    tag::of_receive(recvtag)?;
    let to = target(Kind::Send, dest, sendtag, &comm)?;
    let from = pattern(source, recvtag, &comm)?;
    Ok(Exchange { comm, send: (to, send), receive: (from, receive), in_place: false })
}

fn exchange_in_place(
    r: &Rank,
    buf: Addr,
    count: i64,
    datatype: Datatype,
    dest: i32,
    sendtag: i32,
    source: i32,
    recvtag: i32,
    comm: Comm,
) -> Result<Exchange> {
    let exchange = exchange(r, buf, count, datatype, dest, sendtag, buf, count, datatype, source, recvtag, comm)?;
    Ok(Exchange { in_place: true, ..exchange })
}

/// `MPI_Sendrecv` as far as it comes without waiting: to its end where both messages are short and the one that is received is
/// there, or comes within moments. Else the rest of it.
#[inline(always)]
pub fn sendrecv_at_once(
    r: &Rank,
    sendbuf: Addr,
    sendcount: i64,
    sendtype: Datatype,
    dest: i32,
    sendtag: i32,
    recvbuf: Addr,
    recvcount: i64,
    recvtype: Datatype,
    source: i32,
    recvtag: i32,
    comm: Comm,
) -> Result<ControlFlow<Status, impl Future<Output = Result<Status>>>> {
    let mut exchange =
        exchange(r, sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm)?;
    Ok(exchange.at_once(r).map_or_else(|| Continue(exchange.run(r)), Break))
}

/// `MPI_Isendrecv`
pub fn isendrecv(
    r: &Rank,
    sendbuf: Addr,
    sendcount: i64,
    sendtype: Datatype,
    dest: i32,
    sendtag: i32,
    recvbuf: Addr,
    recvcount: i64,
    recvtype: Datatype,
    source: i32,
    recvtag: i32,
    comm: Comm,
) -> Result<Request> {
    let exchange =
        exchange(r, sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm)?;
    r.begin(comm, async move |r| exchange.run(r).await)
}

/// `MPI_Sendrecv_replace`
pub async fn sendrecv_replace(
    r: &Rank,
    buf: Addr,
    count: i64,
    datatype: Datatype,
    dest: i32,
    sendtag: i32,
    source: i32,
    recvtag: i32,
    comm: Comm,
) -> Result<Status> {
    exchange_in_place(r, buf, count, datatype, dest, sendtag, source, recvtag, comm)?.run(r).await
}

/// `MPI_Isendrecv_replace`
pub fn isendrecv_replace(
    r: &Rank,
    buf: Addr,
    count: i64,
    datatype: Datatype,
    dest: i32,
    sendtag: i32,
    source: i32,
    recvtag: i32,
    comm: Comm,
) -> Result<Request> {
    let exchange = exchange_in_place(r, buf, count, datatype, dest, sendtag, source, recvtag, comm)?;
    r.begin(comm, async move |r| exchange.run(r).await)
}
