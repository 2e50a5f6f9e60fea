//! Messages whose bytes are the host's: sent from a vector, which is handed over as it is, or received into one that is
//! made when the length is known.
//!
//! They are matched as all others are, by communicator, source and tag, so that probes, wildcards and requests work on
//! them. What they mean is their sender's and receiver's business; in Rankine they are images of object graphs.

use std::future::poll_fn;
use std::task::Poll;

use rankine_abi::{Comm, MPI_ERR_TRUNCATE, Request, Status};

use super::{pattern, target};
use rankine_guest::{Cost, Parcel};

use crate::error::{Error, Result};
use crate::mailbox::operation::{Kind, Outcome};
use crate::mailbox::ring::Header;
use crate::rank::Rank;
use crate::request::{Activity, Then};
use crate::transport::Started;

/// Sends bytes of the host, and waits.
pub async fn send_bytes(r: &Rank, parcel: Parcel, dest: i32, tag: i32, comm: Comm) -> Result<()> {
    let comm = r.communicator(comm)?;
    let Some(what) = target(Kind::Send, dest, tag, &comm)? else { return Ok(()) };
    r.post_parcel(what, comm.rank, parcel)?.finish().await;
    Ok(())
}

/// Starts a send of bytes of the host, which the request keeps.
pub fn isend_bytes(r: &Rank, parcel: Parcel, dest: i32, tag: i32, comm: Comm) -> Result<Request> {
    target(Kind::Send, dest, tag, &*r.communicator(comm)?)?;
    r.begin(comm, async move |r| send_bytes(r, parcel, dest, tag, comm).await.map(|()| Status::EMPTY))
}

/// Receives a message of at most `limit` bytes into the host.
pub async fn recv_bytes(r: &Rank, limit: u64, source: i32, tag: i32, comm: Comm) -> Result<(Parcel, Status)> {
    let wanted = pattern(source, tag, &*r.communicator(comm)?)?;
    let Some(pattern) = wanted else { return Ok((Parcel::default(), Status::PROC_NULL)) };
    let receiving = r.post_recv_bytes(pattern, limit)?;
    receiving.done().await;
    let (outcome, parcel) = receiving.end_parcel();
    check(r, &outcome, limit)?;
    Ok((parcel, outcome.status()))
}

/// Starts a receive of at most `limit` bytes into the host; completing its request runs `then` on them.
pub fn irecv_bytes(r: &Rank, limit: u64, source: i32, tag: i32, comm: Comm, then: Then) -> Result<Request> {
    let wanted = pattern(source, tag, &*r.communicator(comm)?)?;
    let Some(pattern) = wanted else {
        return r.new_request(comm, Activity::complete(Status::PROC_NULL));
    };
    r.check_request_room()?;
    r.received_request(comm, r.post_recv_bytes(pattern, limit)?, then)
}

/// Sends one message of the host's and receives another.
pub async fn sendrecv_bytes(
    r: &Rank,
    parcel: Parcel,
    dest: i32,
    sendtag: i32,
    limit: u64,
    source: i32,
    recvtag: i32,
    comm: Comm,
) -> Result<(Parcel, Status)> {
    let communicator = r.communicator(comm)?;
    let to = target(Kind::Send, dest, sendtag, &communicator)?;
    let from = pattern(source, recvtag, &communicator)?;
    let receiving = match from {
        Some(pattern) => Some(r.post_recv_bytes(pattern, limit)?),
        None => None,
    };
    let sending = match to {
        Some(what) => r.post_parcel(what, communicator.rank, parcel)?,
        None => Started::nothing(r),
    };
    poll_fn(|_| {
        let sent = sending.poll();
        let received = receiving.as_ref().is_none_or(Started::poll);
        if sent && received { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    sending.end();
    let Some(receiving) = receiving else { return Ok((Parcel::default(), Status::PROC_NULL)) };
    let (outcome, parcel) = receiving.end_parcel();
    check(r, &outcome, limit)?;
    Ok((parcel, outcome.status()))
}

/// Waits for a message and copies its first bytes, which stay where they are; how many there are, and the status.
pub async fn probe_bytes(r: &Rank, head: &mut [u8], source: i32, tag: i32, comm: Comm) -> Result<(usize, Status)> {
    let wanted = pattern(source, tag, &*r.communicator(comm)?)?;
    let Some(pattern) = wanted else { return Ok((0, Status::PROC_NULL)) };
    loop {
        r.arrival(pattern).await?;
        if let Some((header, copied)) = r.peek_bytes(&pattern, head) {
            return Ok((copied, status(&header)));
        }
    }
}

/// As [`probe_bytes`], without waiting: nothing if there is no such message.
pub async fn iprobe_bytes(
    r: &Rank,
    head: &mut [u8],
    source: i32,
    tag: i32,
    comm: Comm,
) -> Result<Option<(usize, Status)>> {
    let wanted = pattern(source, tag, &*r.communicator(comm)?)?;
    let Some(pattern) = wanted else { return Ok(Some((0, Status::PROC_NULL))) };
    r.advance();
    match r.peek_bytes(&pattern, head) {
        Some((header, copied)) => Ok(Some((copied, status(&header)))),
        None => {
            crate::drive::yield_now(r).await;
            Ok(None)
        }
    }
}

fn status(header: &Header) -> Status {
    Status::new(header.source, header.tag, header.bytes() as u64)
}

/// The error of a message that is longer than the receiver allows.
fn check(r: &Rank, outcome: &Outcome, limit: u64) -> Result<()> {
    let Outcome { source, tag, bytes, length, .. } = *outcome;
    if length <= bytes {
        return Ok(());
    }
    if length <= limit {
        return Err(r.account.refused(length as usize, Cost::Incoming).with_status(outcome.status()));
    }
    let text = format!(
        "a message of {length} bytes from rank {source} with tag {tag} came where this rank takes at most {limit}"
    );
    Err(Error::new(MPI_ERR_TRUNCATE, text).with_status(outcome.status()))
}

impl Started<'_, '_> {
    /// How a receive into the host ended, and its message. It is complete.
    fn end_parcel(self) -> (Outcome, Parcel) {
        let parcel = self.unload();
        (self.end(), parcel)
    }
}
