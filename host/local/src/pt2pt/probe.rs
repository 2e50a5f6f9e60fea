//! Looking at a message before receiving it (MPI-5.0 §3.8).

use std::cell::RefCell;
use std::sync::Arc;

use rankine_abi::{Addr, Comm, Datatype, MPI_ERR_NO_MEM, MPI_ERR_REQUEST, Message, Request, Status};

use super::pattern;
use crate::error::{Error, Result};
use crate::handle::{Class, Table};
use crate::mailbox::matching::{Pattern, Ticket};
use crate::mailbox::ring::Header;
use crate::quota::Account;
use crate::rank::Rank;
use crate::request::Activity;
use crate::transport::Started;

/// A message that a matched probe has set aside.
#[derive(Clone, Copy)]
struct Aside {
    ticket: Ticket,
    comm: Comm,
}

/// The messages that this rank's matched probes have set aside.
pub(super) struct Messages(RefCell<Table<Aside>>);

impl Messages {
    pub(super) fn new(account: &Arc<Account>) -> Self {
        Messages(RefCell::new(Table::new(Class::Message, account, 0)))
    }
}

impl Header {
    fn status(&self) -> Status {
        Status::new(self.source, self.tag, self.bytes() as u64)
    }
}

/// `MPI_Probe`
pub async fn probe(r: &Rank, source: i32, tag: i32, comm: Comm) -> Result<Status> {
    let wanted = pattern(source, tag, &*r.communicator(comm)?)?;
    match wanted {
        Some(pattern) => Ok(r.arrival(pattern).await?.status()),
        None => Ok(Status::PROC_NULL),
    }
}

/// `MPI_Iprobe`: flag and status; without a message the status is not to be stored.
pub async fn iprobe(r: &Rank, source: i32, tag: i32, comm: Comm) -> Result<(bool, Status)> {
    let wanted = pattern(source, tag, &*r.communicator(comm)?)?;
    let Some(pattern) = wanted else { return Ok((true, Status::PROC_NULL)) };
    r.advance();
    match r.peek(&pattern) {
        Some(header) => Ok((true, header.status())),
        None => {
            crate::drive::yield_now(r).await;
            Ok((false, Status::EMPTY))
        }
    }
}

/// `MPI_Mprobe`
pub async fn mprobe(r: &Rank, source: i32, tag: i32, comm: Comm) -> Result<(Message, Status)> {
    let wanted = pattern(source, tag, &*r.communicator(comm)?)?;
    let Some(pattern) = wanted else { return Ok((Message::NO_PROC, Status::PROC_NULL)) };
    loop {
        if let Some(found) = set_aside(r, &pattern, comm)? {
            return Ok(found);
        }
        r.arrival(pattern).await?;
    }
}

/// `MPI_Improbe`: flag, message and status; without a message only the flag is to be stored.
pub async fn improbe(r: &Rank, source: i32, tag: i32, comm: Comm) -> Result<(bool, Message, Status)> {
    let wanted = pattern(source, tag, &*r.communicator(comm)?)?;
    let Some(pattern) = wanted else { return Ok((true, Message::NO_PROC, Status::PROC_NULL)) };
    r.advance();
    match set_aside(r, &pattern, comm)? {
        Some((message, status)) => Ok((true, message, status)),
        None => {
            crate::drive::yield_now(r).await;
            Ok((false, Message::NULL, Status::EMPTY))
        }
    }
}

impl Rank {
    /// The communicator that a message came over.
    pub(crate) fn message_comm(&self, message: Message) -> Comm {
        self.pt2pt.messages.0.borrow().get(message.0).map_or(Comm::SELF, |aside| aside.comm)
    }
}

fn set_aside(r: &Rank, pattern: &Pattern, comm: Comm) -> Result<Option<(Message, Status)>> {
    let mut messages = r.pt2pt.messages.0.borrow_mut();
    if !messages.has_room() {
        return Err(messages.full("matched messages"));
    }
    let Some((ticket, header)) = r.set_aside(pattern) else { return Ok(None) };
    Ok(messages.insert(Aside { ticket, comm }).ok().map(|handle| (Message(handle), header.status())))
}

/// Starts the receive of a message that was set aside.
fn start_mrecv(
    r: &Rank,
    buf: Addr,
    count: i64,
    datatype: Datatype,
    message: Message,
) -> Result<(Started<'_, 'static>, Comm)> {
    let Some(Aside { ticket, comm }) = r.pt2pt.messages.0.borrow().get(message.0).copied() else {
        let text = match message {
            Message::NULL => "the message is MPI_MESSAGE_NULL".into(),
            Message(handle) => format!("{handle:#x} is not a message of this rank (received, or never probed)"),
        };
        return Err(Error::new(MPI_ERR_REQUEST, text));
    };
    let span = r.span(buf, count, datatype)?;
    // Where there is no operation for it, the message can be received later.
    let started = r.post_ticket(ticket, span);
    if !matches!(&started, Err(error) if error.class == MPI_ERR_NO_MEM) {
        r.pt2pt.messages.0.borrow_mut().remove(message.0);
    }
    Ok((started?, comm))
}

/// `MPI_Mrecv`
pub async fn mrecv(r: &Rank, buf: Addr, count: i64, datatype: Datatype, message: Message) -> Result<(Message, Status)> {
    if message == Message::NO_PROC {
        r.span(buf, count, datatype)?;
        return Ok((Message::NULL, Status::PROC_NULL));
    }
    let (started, comm) = start_mrecv(r, buf, count, datatype, message)?;
    let outcome = started.finish().await;
    // The message is gone: its communicator must be named.
    outcome.check().map_err(|error| error.on(comm))?;
    Ok((Message::NULL, outcome.status()))
}

/// `MPI_Imrecv`
pub fn imrecv(r: &Rank, buf: Addr, count: i64, datatype: Datatype, message: Message) -> Result<(Message, Request)> {
    if message == Message::NO_PROC {
        r.span(buf, count, datatype)?;
        return Ok((Message::NULL, r.new_request(Comm::SELF, Activity::complete(Status::PROC_NULL))?));
    }
    // Where there is no request for it, the message can be received later.
    r.check_request_room()?;
    let (started, comm) = start_mrecv(r, buf, count, datatype, message)?;
    Ok((Message::NULL, r.operation_request(comm, started, Status::EMPTY)?))
}
