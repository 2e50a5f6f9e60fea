//! Buffered sends (MPI-5.0 §3.6): messages that leave at once, on account of a buffer that the program attached.
//!
//! A message that does not fit into an envelope is copied into the operation that sends it. The attached
//! buffer is never written: it is an account, from which every message on its way takes its length and
//! `MPI_BSEND_OVERHEAD`, as the standard wants it counted; so it bounds what a program can make the host hold.

use std::cell::RefCell;
use std::future::poll_fn;
use std::task::Poll;

use rankine_abi::{
    Addr, Comm, Datatype, MPI_BSEND_OVERHEAD, MPI_BUFFER_AUTOMATIC, MPI_ERR_ARG, MPI_ERR_BUFFER, Request, Session,
    Status,
};

use super::target;

use rankine_guest::Parcel;

use crate::comm::Communicator;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::mailbox::operation::{Kind, OpRef, What};
use crate::quota::{Cost, zeroed};
use crate::rank::Rank;
use crate::request::Activity;
use crate::span::Span;

/// What errors call the messages.
const WHAT: Cost = Cost::Buffered;
/// What an automatic buffer holds at most.
const AUTOMATIC: u64 = 256 << 20;

/// Whose messages a buffer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// Whoever has no buffer of its own.
    Process,
    /// The communicator of this context.
    Comm(Context),
    Session(Session),
}

impl Scope {
    fn name(self) -> &'static str {
        match self {
            Scope::Process => "the process",
            Scope::Comm(_) => "the communicator",
            Scope::Session(_) => "the session",
        }
    }
}

/// An attached buffer.
struct Buffer {
    scope: Scope,
    address: Addr,
    size: i64,
}

impl Buffer {
    fn room(&self) -> u64 {
        if self.address == MPI_BUFFER_AUTOMATIC { AUTOMATIC } else { self.size as u64 }
    }
}

/// A message on its way.
struct Message {
    number: u64,
    scope: Scope,
    charge: u64,
    operation: OpRef,
}

/// The buffers of a rank, and what is in them.
#[derive(Default)]
pub(crate) struct Buffers(RefCell<Inner>);

#[derive(Default)]
struct Inner {
    attached: Vec<Buffer>,
    messages: Vec<Message>,
    sent: u64,
}

impl Inner {
    fn find(&self, scope: Scope) -> Option<usize> {
        self.attached.iter().position(|buffer| buffer.scope == scope)
    }

    /// The buffer that a communicator's sends use: its own, or else its session's, or else the process's.
    fn of(&self, comm: &Communicator) -> Result<&Buffer> {
        let own = self.find(Scope::Comm(comm.context));
        let session = || self.find(Scope::Session(comm.session?));
        let index = own.or_else(session).or_else(|| self.find(Scope::Process));
        index.map(|index| &self.attached[index]).ok_or_else(|| {
            Error::new(
                MPI_ERR_BUFFER,
                "no buffer for buffered sends is attached to the communicator, its session, or the process",
            )
        })
    }

    fn used(&self, scope: Scope) -> u64 {
        self.messages.iter().filter(|message| message.scope == scope).map(|message| message.charge).sum()
    }

    /// Forgets the messages that have been delivered.
    fn reap(&mut self, r: &Rank) {
        self.messages.retain(|message| {
            let done = message.operation.is_done();
            if done {
                r.release(message.operation);
            }
            !done
        });
    }
}

/// Sends a message on account of a buffer.
fn send_buffered(r: &Rank, what: What, span: &Span<'_>, comm: &Communicator) -> Result<()> {
    r.progress();
    let mut buffers = r.pt2pt.buffers.0.borrow_mut();
    buffers.reap(r);
    let buffer = buffers.of(comm)?;
    let (scope, room, used) = (buffer.scope, buffer.room(), buffers.used(buffer.scope));
    let charge = span.bytes() as u64 + MPI_BSEND_OVERHEAD as u64;
    if charge > room.saturating_sub(used) {
        return Err(Error::new(
            MPI_ERR_BUFFER,
            format!(
                "a message of {} bytes and {MPI_BSEND_OVERHEAD} bytes of overhead do not fit into the {} that are free of \
                 the {room} bytes attached to {}",
                span.bytes(),
                room - used,
                scope.name()
            ),
        ));
    }
    if r.send_short(&what, comm.rank, span) {
        return Ok(());
    }
    let memory = r.account.charge(span.bytes() + size_of::<Message>(), WHAT)?;
    let mut bytes = zeroed(span.bytes(), WHAT)?;
    span.read(0, &mut bytes);
    let parcel = Parcel { bytes, charge: memory, ..Parcel::default() };
    if let Some(operation) = r.post_parcel(what, comm.rank, parcel)?.hand_over() {
        buffers.sent += 1;
        let number = buffers.sent;
        buffers.messages.push(Message { number, scope, charge, operation });
    }
    Ok(())
}

impl Rank {
    /// Waits until every message that is in these buffers now has been delivered.
    async fn flush(&self, wanted: impl Fn(Scope) -> bool) {
        let last = self.pt2pt.buffers.0.borrow().sent;
        poll_fn(|_| {
            let mut done = true;
            let mut next = 0;
            loop {
                let message = match self.pt2pt.buffers.0.borrow().messages.get(next) {
                    Some(message) if message.number <= last && wanted(message.scope) => message.operation,
                    Some(_) => {
                        next += 1;
                        continue;
                    }
                    None => break,
                };
                next += 1;
                done &= self.poll_operation(message);
            }
            if done { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        self.pt2pt.buffers.0.borrow_mut().reap(self);
    }

    /// Waits for every buffered message, as `MPI_Finalize` does.
    pub(crate) async fn flush_all(&self) {
        self.flush(|_| true).await;
    }

    /// Takes back the buffered messages of a rank whose program has ended.
    pub(crate) fn drop_buffered(&self) {
        for message in std::mem::take(&mut self.pt2pt.buffers.0.borrow_mut().messages) {
            self.withdraw(message.operation);
            self.release(message.operation);
        }
    }

    fn attach(&self, scope: Scope, address: Addr, size: i64) -> Result<()> {
        if self.pt2pt.buffers.0.borrow().find(scope).is_some() {
            return Err(Error::new(MPI_ERR_BUFFER, format!("a buffer is attached to {} already", scope.name())));
        }
        if address != MPI_BUFFER_AUTOMATIC {
            if size < 0 {
                return Err(Error::new(MPI_ERR_ARG, format!("size is {size}, which is negative")));
            }
            self.span(address, size, Datatype::BYTE)?;
        }
        self.pt2pt.buffers.0.borrow_mut().attached.push(Buffer { scope, address, size });
        Ok(())
    }

    async fn detach_buffer(&self, scope: Scope) -> Result<(Addr, i64)> {
        if self.pt2pt.buffers.0.borrow().find(scope).is_none() {
            return Err(Error::new(MPI_ERR_BUFFER, format!("no buffer is attached to {}", scope.name())));
        }
        self.flush(|other| other == scope).await;
        let mut buffers = self.pt2pt.buffers.0.borrow_mut();
        match buffers.find(scope) {
            Some(index) => {
                let buffer = buffers.attached.swap_remove(index);
                Ok((buffer.address, if buffer.address == MPI_BUFFER_AUTOMATIC { 0 } else { buffer.size }))
            }
            None => Err(Error::new(MPI_ERR_BUFFER, "the buffer was detached meanwhile")),
        }
    }
}

/// `MPI_Bsend`
pub async fn bsend(r: &Rank, buf: Addr, count: i64, datatype: Datatype, dest: i32, tag: i32, comm: Comm) -> Result<()> {
    let comm = r.communicator(comm)?;
    let span = r.span(buf, count, datatype)?;
    match target(Kind::Send, dest, tag, &comm)? {
        Some(what) => send_buffered(r, what, &span, &comm),
        None => Ok(()),
    }
}

/// `MPI_Ibsend`
pub fn ibsend(r: &Rank, buf: Addr, count: i64, datatype: Datatype, dest: i32, tag: i32, comm: Comm) -> Result<Request> {
    let communicator = r.communicator(comm)?;
    let span = r.span(buf, count, datatype)?;
    r.check_request_room()?;
    if let Some(what) = target(Kind::Send, dest, tag, &communicator)? {
        send_buffered(r, what, &span, &communicator)?;
    }
    r.new_request(comm, Activity::Done)
}

/// `MPI_Bsend_init`
pub fn bsend_init(
    r: &Rank,
    buf: Addr,
    count: i64,
    datatype: Datatype,
    dest: i32,
    tag: i32,
    comm: Comm,
) -> Result<Request> {
    let communicator = r.communicator(comm)?;
    let span = r.span(buf, count, datatype)?;
    let what = target(Kind::Send, dest, tag, &communicator)?;
    r.persistent(comm, move |r| {
        if let Some(what) = what {
            send_buffered(r, what, &span, &communicator)?;
        }
        Ok(Activity::Done)
    })
}

/// `MPI_Buffer_attach`
pub fn buffer_attach(r: &Rank, buffer: Addr, size: i64) -> Result<()> {
    r.attach(Scope::Process, buffer, size)
}

/// `MPI_Buffer_detach`
pub async fn buffer_detach(r: &Rank) -> Result<(Addr, i64)> {
    r.detach_buffer(Scope::Process).await
}

/// `MPI_Buffer_flush`
pub async fn buffer_flush(r: &Rank) -> Result<()> {
    r.flush(|scope| scope == Scope::Process).await;
    Ok(())
}

/// `MPI_Buffer_iflush`
pub fn buffer_iflush(r: &Rank) -> Result<Request> {
    iflush(r, Comm::SELF, Scope::Process)
}

/// `MPI_Comm_attach_buffer`
pub fn comm_attach_buffer(r: &Rank, comm: Comm, buffer: Addr, size: i64) -> Result<()> {
    let scope = Scope::Comm(r.communicator(comm)?.context);
    r.attach(scope, buffer, size)
}

/// `MPI_Comm_detach_buffer`
pub async fn comm_detach_buffer(r: &Rank, comm: Comm) -> Result<(Addr, i64)> {
    let scope = Scope::Comm(r.communicator(comm)?.context);
    r.detach_buffer(scope).await
}

/// `MPI_Comm_flush_buffer`
pub async fn comm_flush_buffer(r: &Rank, comm: Comm) -> Result<()> {
    let wanted = Scope::Comm(r.communicator(comm)?.context);
    r.flush(|scope| scope == wanted).await;
    Ok(())
}

/// `MPI_Comm_iflush_buffer`
pub fn comm_iflush_buffer(r: &Rank, comm: Comm) -> Result<Request> {
    let scope = Scope::Comm(r.communicator(comm)?.context);
    iflush(r, comm, scope)
}

/// `MPI_Session_attach_buffer`
pub fn session_attach_buffer(r: &Rank, session: Session, buffer: Addr, size: i64) -> Result<()> {
    r.session(session)?;
    r.attach(Scope::Session(session), buffer, size)
}

/// `MPI_Session_detach_buffer`
pub async fn session_detach_buffer(r: &Rank, session: Session) -> Result<(Addr, i64)> {
    r.session(session)?;
    r.detach_buffer(Scope::Session(session)).await
}

/// `MPI_Session_flush_buffer`
pub async fn session_flush_buffer(r: &Rank, session: Session) -> Result<()> {
    r.session(session)?;
    r.flush(|scope| scope == Scope::Session(session)).await;
    Ok(())
}

/// `MPI_Session_iflush_buffer`
pub fn session_iflush_buffer(r: &Rank, session: Session) -> Result<Request> {
    r.session(session)?;
    iflush(r, Comm::SELF, Scope::Session(session))
}

fn iflush(r: &Rank, comm: Comm, wanted: Scope) -> Result<Request> {
    r.begin(comm, async move |r| {
        r.flush(|scope| scope == wanted).await;
        Ok(Status::EMPTY)
    })
}
