//! Partitioned communication (MPI-5.0 chapter 4): one message whose parts are marked ready one by one.
//!
//! Sender and receiver may cut the message differently, so parts travel as the sender cut them: each is a message of
//! its own, with the part's number as tag, in a context that belongs to the pair of requests alone. `MPI_Psend_init`
//! makes that context and tells the receiver of it in a greeting; `MPI_Precv_init` posts the receive of the greeting at
//! once, so that requests are paired in the order in which they were made, as the standard has it.

use std::cell::{Cell, OnceCell, RefCell};
use std::future::poll_fn;
use std::rc::{Rc, Weak};
use std::task::Poll;

use rankine_abi::{
    Addr, Comm, Datatype, Info, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_ERR_ARG, MPI_ERR_BUFFER, MPI_ERR_COUNT,
    MPI_ERR_NO_MEM, MPI_ERR_RANK, MPI_ERR_REQUEST, MPI_ERR_TAG, MPI_ERR_TRUNCATE, Request, Status,
};

use super::{pattern, target};
use crate::comm::Communicator;
use crate::datatype::layout::Layout;
use crate::drive::yield_now;
use crate::error::{Error, Result};
use crate::mailbox::matching::Pattern;
use crate::mailbox::operation::{Kind, What};
use crate::quota::{Charge, zeroed};
use crate::rank::Rank;
use crate::span::Span;
use crate::transport::Started;

/// Greetings are matched apart from the communicator's other messages.
const GREETINGS: u32 = 1 << 31;
/// Into how many parts a message can be cut.
const MAX_PARTS: i32 = 1 << 16;

/// What a request of partitioned communication is, beside a request.
#[derive(Clone)]
pub(crate) enum Parts {
    Sending(Rc<Sending>),
    Receiving(Rc<Receiving>),
}

/// The sender's side.
pub(crate) struct Sending {
    /// Where to; `None` to `MPI_PROC_NULL`.
    to: Option<What>,
    source: i32,
    parts: Vec<Span>,
    _charge: Charge,
    /// Parts that were marked ready since the last start, with their sends.
    ready: RefCell<Vec<Option<Part>>>,
}

/// A part that is ready: on its way, if it needs to be waited for.
struct Part(Option<crate::mailbox::operation::OpRef>);

/// The receiver's side.
pub(crate) struct Receiving {
    /// Where from; `None` from `MPI_PROC_NULL`.
    from: Option<Pattern>,
    whole: Span,
    parts: i32,
    _charge: Charge,
    greeting: OnceCell<Greeting>,
    /// The sender's parts that have arrived since the last start.
    arrived: RefCell<Vec<bool>>,
    done: Cell<bool>,
}

/// What the receiver has to know of the sender.
#[derive(Clone, Copy)]
struct Greeting {
    context: u32,
    parts: u32,
    bytes: u64,
}

impl Greeting {
    const BYTES: usize = 16;

    fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..4].copy_from_slice(&self.context.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.parts.to_le_bytes());
        bytes[8..].copy_from_slice(&self.bytes.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        Greeting { context: word(0), parts: word(4), bytes: u64::from(word(8)) | u64::from(word(12)) << 32 }
    }
}

/// The spans of all parts and of the whole message.
fn cut(r: &Rank, buf: Addr, parts: i32, count: i64, datatype: Datatype) -> Result<(Vec<Span>, Span)> {
    if !(1..=MAX_PARTS).contains(&parts) {
        let class = if parts < 1 { MPI_ERR_ARG } else { MPI_ERR_NO_MEM };
        return Err(Error::new(class, format!("partitions is {parts}, but a message has 1 to {MAX_PARTS}")));
    }
    let all = count.checked_mul(parts.into()).ok_or_else(|| {
        Error::new(MPI_ERR_COUNT, format!("{parts} partitions of {count} elements do not fit into 63 bits"))
    })?;
    let whole = r.span(buf, all, datatype)?;
    let stride = i128::from(count) * i128::from(r.datatype(datatype)?.extent());
    let spans = (0..parts).map(|part| {
        let at = i128::from(buf.0) + i128::from(part) * stride;
        match u32::try_from(at) {
            Ok(at) => r.span(Addr(at), count, datatype),
            Err(_) => Err(Error::new(MPI_ERR_BUFFER, format!("partition {part} begins outside of the memory"))),
        }
    });
    Ok((spans.collect::<Result<_>>()?, whole))
}

/// The memory of a message in so many parts: where each lies, and its send.
fn room_for_parts(r: &Rank, parts: i32) -> Result<Charge> {
    let each = size_of::<Span>() + size_of::<Layout>() + 2 * size_of::<Option<Part>>();
    r.account.charge(parts.clamp(0, MAX_PARTS) as usize * each, "messages in partitions")
}

/// `MPI_Psend_init`
pub fn psend_init(
    r: &Rank,
    buf: Addr,
    partitions: i32,
    count: i64,
    datatype: Datatype,
    dest: i32,
    tag: i32,
    comm: Comm,
    _info: Info,
) -> Result<Request> {
    let communicator = r.communicator(comm)?;
    let _charge = room_for_parts(r, partitions)?;
    let (parts, _) = cut(r, buf, partitions, count, datatype)?;
    let to = match target(Kind::Send, dest, tag, &communicator)? {
        Some(what) => Some(What { context: greet(r, what, &communicator, &parts)?, ..what }),
        None => None,
    };
    let sending = Rc::new(Sending { to, source: communicator.rank, parts, _charge, ready: RefCell::default() });
    let steps = sending.clone();
    let request = r.begin_on_start(comm, async move |r| {
        steps.send(r).await;
        Ok(Status::EMPTY)
    })?;
    r.set_parts(request, Parts::Sending(sending))?;
    Ok(request)
}

/// Makes a context for a pair of requests and tells the receiver.
fn greet(r: &Rank, what: What, comm: &Communicator, parts: &[Span]) -> Result<u32> {
    let context = r.world().new_contexts(1);
    let greeting = Greeting { context, parts: parts.len() as u32, bytes: parts[0].bytes() as u64 };
    let mut bytes = Box::new(greeting.to_bytes());
    // SAFETY: the bytes stay until the send has ended: at once, or in the future below.
    let span = unsafe { Span::raw(bytes.as_mut_ptr(), bytes.len()) };
    let what = What { context: comm.context | GREETINGS, ..what };
    if let Some(operation) = r.post_send(what, comm.rank, span)? {
        let request = r.begin(Comm::SELF, async move |r| {
            let bytes = bytes;
            let sent = Started::new(r, Some(operation));
            sent.done().await;
            sent.end();
            drop(bytes);
            Ok(Status::EMPTY)
        })?;
        r.abandon(request);
    }
    Ok(context)
}

impl Sending {
    /// One start: complete when every part was marked ready and has left.
    async fn send(&self, r: &Rank) {
        let parts = self.parts.len();
        *self.ready.borrow_mut() = (0..parts).map(|_| None).collect();
        poll_fn(|_| {
            let mut done = true;
            for index in 0..parts {
                let operation = match &self.ready.borrow()[index] {
                    None => {
                        done = false;
                        continue;
                    }
                    Some(Part(operation)) => *operation,
                };
                done &= operation.is_none_or(|operation| r.poll_operation(operation));
            }
            if done { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        for Part(operation) in self.ready.borrow_mut().drain(..).flatten() {
            if let Some(operation) = operation {
                r.release(operation);
            }
        }
    }

    fn ready(&self, r: &Rank, partition: i32) -> Result<()> {
        let parts = self.parts.len();
        let Some(index) = usize::try_from(partition).ok().filter(|&index| index < parts) else {
            return Err(Error::new(
                MPI_ERR_ARG,
                format!("partition is {partition}, but the message has partitions 0 to {}", parts - 1),
            ));
        };
        // When all have left, none is there any more.
        if !matches!(self.ready.borrow().get(index), Some(None)) {
            return Err(Error::new(MPI_ERR_ARG, format!("partition {partition} was marked ready before")));
        }
        let operation = match self.to {
            Some(what) => r.post_send(What { tag: partition, ..what }, self.source, self.parts[index].again())?,
            None => None,
        };
        self.ready.borrow_mut()[index] = Some(Part(operation));
        Ok(())
    }
}

/// `MPI_Precv_init`
pub fn precv_init(
    r: &Rank,
    buf: Addr,
    partitions: i32,
    count: i64,
    datatype: Datatype,
    source: i32,
    tag: i32,
    comm: Comm,
    _info: Info,
) -> Result<Request> {
    let communicator = r.communicator(comm)?;
    let _charge = room_for_parts(r, partitions)?;
    let (_, whole) = cut(r, buf, partitions, count, datatype)?;
    if source == MPI_ANY_SOURCE {
        return Err(Error::new(MPI_ERR_RANK, "a message in partitions has one source, not MPI_ANY_SOURCE"));
    }
    if tag == MPI_ANY_TAG {
        return Err(Error::new(MPI_ERR_TAG, "a message in partitions has one tag, not MPI_ANY_TAG"));
    }
    let from = pattern(source, tag, &communicator)?;
    let receiving = Rc::new(Receiving {
        from,
        whole,
        parts: partitions,
        _charge,
        greeting: OnceCell::new(),
        arrived: RefCell::default(),
        done: Cell::new(true),
    });
    if let Some(from) = from {
        let pair = Rc::downgrade(&receiving);
        let request = r.begin(Comm::SELF, async move |r| await_greeting(r, from, pair).await)?;
        r.abandon(request);
    }
    let steps = receiving.clone();
    let request = r.begin_on_start(comm, async move |r| steps.receive(r).await)?;
    r.set_parts(request, Parts::Receiving(receiving))?;
    Ok(request)
}

/// Receives the greeting of a pair, unless the receiver's request is freed before it comes.
async fn await_greeting(r: &Rank, from: Pattern, pair: Weak<Receiving>) -> Result<Status> {
    let mut bytes = Box::new([0u8; Greeting::BYTES]);
    // SAFETY: the bytes outlive the receive: `started` is dropped first.
    let span = unsafe { Span::raw(bytes.as_mut_ptr(), bytes.len()) };
    let started = Started::new(r, Some(r.post_recv(Pattern { context: from.context | GREETINGS, ..from }, span)?));
    let came = poll_fn(|_| match (started.poll(), pair.strong_count()) {
        (true, _) => Poll::Ready(true),
        (false, 0) => Poll::Ready(false),
        (false, _) => Poll::Pending,
    })
    .await;
    if came {
        started.end();
        if let Some(receiving) = pair.upgrade() {
            let _ = receiving.greeting.set(Greeting::from_bytes(&bytes));
        }
    }
    Ok(Status::EMPTY)
}

impl Receiving {
    /// One start: complete when every part of the sender's has arrived.
    async fn receive(&self, r: &Rank) -> Result<Status> {
        let Some(from) = self.from else { return Ok(Status::PROC_NULL) };
        self.arrived.borrow_mut().clear();
        self.done.set(false);
        let greeting = poll_fn(|_| self.greeting.get().map_or(Poll::Pending, |greeting| Poll::Ready(*greeting))).await;
        let (length, room) = (u64::from(greeting.parts) * greeting.bytes, self.whole.bytes() as u64);
        if length > room {
            return Err(Error::new(
                MPI_ERR_TRUNCATE,
                format!(
                    "a message of {} partitions of {} bytes from rank {} with tag {} does not fit into a buffer of {room} bytes",
                    greeting.parts, greeting.bytes, from.source, from.tag
                ),
            ));
        }
        self.arrived.borrow_mut().resize(greeting.parts as usize, false);
        self.receive_parts(r, from, greeting).await?;
        self.done.set(true);
        Ok(Status::new(from.source, from.tag, length))
    }

    async fn receive_parts(&self, r: &Rank, from: Pattern, greeting: Greeting) -> Result<()> {
        let size = greeting.bytes as usize;
        // Parts for a layout with holes come by way of host memory: the sender's parts need not end where elements end.
        let scratch_bytes = if self.whole.contiguous().is_none() { self.whole.bytes() } else { 0 };
        let _charge = r.account.charge(scratch_bytes, "messages in partitions")?;
        let mut scratch = zeroed(scratch_bytes, "messages in partitions")?;
        let base = self.whole.contiguous().unwrap_or(scratch.as_mut_ptr());
        let mut pending = Vec::with_capacity(greeting.parts as usize);
        for part in 0..greeting.parts {
            // SAFETY: the parts lie one after another inside the whole, whose bytes were proved; scratch outlives
            // `pending`.
            let span = unsafe { Span::raw(base.wrapping_add(part as usize * size), size) };
            let pattern = Pattern { context: greeting.context, source: from.source, tag: part as i32 };
            pending.push((part as usize, Started::new(r, Some(r.post_recv(pattern, span)?))));
        }
        poll_fn(|_| {
            pending.retain(|(part, started)| {
                if !started.poll() {
                    return true;
                }
                if self.whole.contiguous().is_none() {
                    self.whole.unpack(part * size, &scratch[part * size..(part + 1) * size]);
                }
                self.arrived.borrow_mut()[*part] = true;
                false
            });
            if pending.is_empty() { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        Ok(())
    }

    /// Whether every byte of one of the receiver's parts is there.
    fn has(&self, partition: i32) -> Result<bool> {
        if !(0..self.parts).contains(&partition) {
            return Err(Error::new(
                MPI_ERR_ARG,
                format!("partition is {partition}, but the message has partitions 0 to {}", self.parts - 1),
            ));
        }
        if self.done.get() {
            return Ok(true);
        }
        let Some(greeting) = self.greeting.get() else { return Ok(false) };
        let size = self.whole.bytes() as u64 / self.parts as u64;
        let (first, last) = (partition as u64 * size, (partition as u64 + 1) * size);
        let arrived = self.arrived.borrow();
        let overlaps = |part: usize| {
            let start = part as u64 * greeting.bytes;
            start < last && start + greeting.bytes > first
        };
        Ok(!arrived.is_empty() && (0..arrived.len()).all(|part| arrived[part] || !overlaps(part)))
    }
}

fn sending(r: &Rank, request: Request) -> Result<Rc<Sending>> {
    match r.parts(request)? {
        (Some(Parts::Sending(sending)), true) => Ok(sending),
        (Some(Parts::Sending(_)), false) => {
            Err(Error::new(MPI_ERR_REQUEST, "the request is not active: MPI_Start comes before MPI_Pready"))
        }
        _ => Err(Error::new(MPI_ERR_REQUEST, "the request is not one of MPI_Psend_init")),
    }
}

/// `MPI_Pready`
pub fn pready(r: &Rank, partition: i32, request: Request) -> Result<()> {
    sending(r, request)?.ready(r, partition)
}

/// `MPI_Pready_range`: both ends are ready.
pub fn pready_range(r: &Rank, partition_low: i32, partition_high: i32, request: Request) -> Result<()> {
    let sending = sending(r, request)?;
    (partition_low..=partition_high).try_for_each(|partition| sending.ready(r, partition))
}

/// `MPI_Pready_list`
pub fn pready_list(r: &Rank, partitions: &[i32], request: Request) -> Result<()> {
    let sending = sending(r, request)?;
    partitions.iter().try_for_each(|&partition| sending.ready(r, partition))
}

/// `MPI_Parrived`: true also while the request is not active.
pub async fn parrived(r: &Rank, request: Request, partition: i32) -> Result<bool> {
    let (receiving, active) = match r.parts(request)? {
        (Some(Parts::Receiving(receiving)), active) => (receiving, active),
        _ => return Err(Error::new(MPI_ERR_REQUEST, "the request is not one of MPI_Precv_init")),
    };
    r.progress();
    r.advance();
    let arrived = receiving.has(partition)? || !active;
    if !arrived {
        yield_now(r).await;
    }
    Ok(arrived)
}
