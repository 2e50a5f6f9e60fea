//! Partitioned communication (MPI-5.0 chapter 4): one message whose parts are marked ready one by one.
//!
//! Sender and receiver may cut the message differently, so parts travel as the sender cut them: each is a message of
//! its own, with the part's number as tag, in a context that belongs to the pair of requests alone. `MPI_Psend_init`
//! makes that context and tells the receiver of it in a greeting; `MPI_Precv_init` posts the receive of the greeting at
//! once, so that requests are paired in the order in which they were made, as the standard has it.

use std::cell::{Cell, OnceCell, RefCell};
use std::future::poll_fn;
use std::ops::Range;
use std::rc::{Rc, Weak};
use std::task::Poll;

use rankine_abi::{
    Addr, Comm, Datatype, Info, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_ERR_ARG, MPI_ERR_BUFFER, MPI_ERR_COUNT, MPI_ERR_RANK,
    MPI_ERR_REQUEST, MPI_ERR_TAG, MPI_ERR_TRUNCATE, Request, Status,
};
use rankine_guest::partitions;

use super::{pattern, target};
use crate::context::{Context, disagreement};
use crate::drive::yield_now;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::mailbox::matching::Pattern;
use crate::mailbox::operation::{Kind, OpRef, What};
use crate::quota::{Charge, Cost};
use crate::rank::Rank;
use crate::span::Span;
use crate::waiting::{Unmarked, Waited};

/// Parts that a receive looks at in vain before it lets the program go on.
const LOOKED_AT: usize = 64;

/// What a request of partitioned communication is, beside a request.
#[derive(Clone)]
pub(crate) enum Parts {
    Sending(Rc<Sending>),
    Receiving(Rc<Receiving>),
}

impl Parts {
    /// The whole message, as the program knows it, if its parts travel in this context: its communicator's context and its tag.
    pub(crate) fn message_in(&self, parts: Context) -> Option<(Context, i32)> {
        let (context, tag, own) = match self {
            Parts::Sending(sending) => sending.to.map(|(what, own)| (what.context, what.tag, own))?,
            Parts::Receiving(receiving) => {
                let greeting = receiving.greeting.get()?.as_ref().ok()?;
                receiving.from.map(|from| (from.context, from.tag, greeting.context))?
            }
        };
        (own == parts).then_some((context, tag))
    }
}

/// The sender's side.
pub(crate) struct Sending {
    /// Where to, and where the parts travel; `None` to `MPI_PROC_NULL`.
    to: Option<(What, Context)>,
    source: i32,
    parts: Vec<Span<'static>>,
    _charge: Charge,
    /// Parts that were marked ready since the last start, with their sends.
    ready: RefCell<Vec<Option<Part>>>,
}

/// A part that is ready: on its way, if it needs to be waited for.
struct Part(Option<OpRef>);

/// The receiver's side.
pub(crate) struct Receiving {
    /// Where from; `None` from `MPI_PROC_NULL`.
    from: Option<Pattern>,
    whole: Span<'static>,
    parts: i32,
    _charge: Charge,
    greeting: OnceCell<Result<Greeting>>,
    /// The sender's parts that have arrived since the last start.
    arrived: RefCell<Vec<bool>>,
    /// For each of the receiver's parts, the first of the sender's that was not there when it was asked for.
    missing: RefCell<Vec<u32>>,
    /// The part of the receiver's that is asked for.
    asked: Cell<Option<usize>>,
    done: Cell<bool>,
}

/// What the receiver has to know of the sender.
#[derive(Clone, Copy)]
struct Greeting {
    /// Where the parts travel.
    context: Context,
    parts: u32,
    /// Bytes of each part; those of all parts together fit into 64 bits.
    bytes: u64,
}

impl Greeting {
    /// How long it is on its way.
    const BYTES: u64 = 16;

    fn to_bytes(self) -> Vec<u8> {
        let context = Context::word(&Ok(self.context.of_communicator())).to_le_bytes();
        [&context[..], &self.parts.to_le_bytes(), &self.bytes.to_le_bytes()].concat()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (context, rest) = bytes.split_first_chunk()?;
        let (parts, bytes) = rest.split_first_chunk()?;
        let context = Context::from_word(i32::from_le_bytes(*context)).ok()?.parts();
        let greeting =
            Greeting { context, parts: u32::from_le_bytes(*parts), bytes: u64::from_le_bytes(bytes.try_into().ok()?) };
        let is_sane = greeting.parts <= partitions::MOST as u32 && greeting.length().is_some();
        is_sane.then_some(greeting)
    }

    /// Bytes of the whole message.
    fn length(&self) -> Option<u64> {
        self.bytes.checked_mul(self.parts.into())
    }
}

/// The spans of all parts and of the whole message.
fn cut(r: &Rank, buf: Addr, parts: i32, count: i64, datatype: Datatype) -> Result<(Vec<Span<'static>>, Span<'static>)> {
    partitions::of_message(parts)?;
    let all = count.checked_mul(parts.into()).ok_or_else(|| {
        Error::new(MPI_ERR_COUNT, format!("{parts} partitions of {count} elements do not fit into 63 bits"))
    })?;
    let whole = r.span(buf, all, datatype)?;
    let stride = i128::from(count) * i128::from(r.datatype(datatype)?.extent());
    let spans = (0..parts).map(|part| {
        let at = i128::from(buf.0) + i128::from(part) * stride;
        match u64::try_from(at) {
            Ok(at) => r.span(Addr(at), count, datatype),
            Err(_) => Err(Error::new(MPI_ERR_BUFFER, format!("partition {part} begins outside of the memory"))),
        }
    });
    Ok((spans.collect::<Result<_>>()?, whole))
}

/// The memory of a message in so many parts: where each lies, its send, and where its receive waits.
fn room_for_parts(r: &Rank, parts: i32) -> Result<Charge> {
    let each = size_of::<Span>() + size_of::<Layout>() + 2 * size_of::<Option<Part>>() + 4 * size_of::<Option<OpRef>>();
    r.account.charge(parts.clamp(0, partitions::MOST) as usize * each, Cost::Partitions)
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
    info: Info,
) -> Result<Request> {
    let communicator = r.communicator(comm)?;
    let _charge = room_for_parts(r, partitions)?;
    let (parts, _) = cut(r, buf, partitions, count, datatype)?;
    let receiver = target(Kind::Send, dest, tag, &communicator)?;
    r.hints(info)?;
    let to = match receiver {
        Some(what) => Some((what, r.world().new_context()?.parts())),
        None => None,
    };
    let sending = Rc::new(Sending { to, source: communicator.rank, parts, _charge, ready: RefCell::default() });
    let steps = sending.clone();
    let request = r.begin_on_start(comm, async move |r| {
        steps.send(r).await;
        Ok(Status::EMPTY)
    })?;
    r.set_parts(request, Parts::Sending(sending.clone()))?;
    sending.greet(r).inspect_err(|_| r.discard(request))?;
    Ok(request)
}

impl Sending {
    /// Tells the receiver how the message is cut, and in which context its parts travel.
    fn greet(&self, r: &Rank) -> Result<()> {
        let Some((what, context)) = self.to else { return Ok(()) };
        let bytes = self.parts.first().map_or(0, Span::bytes) as u64;
        let greeting = Greeting { context, parts: self.parts.len() as u32, bytes };
        let what = What { context: what.context.greetings(), ..what };
        let sent = r.post_parcel(what, self.source, greeting.to_bytes().into())?;
        if !sent.is_nothing() {
            let request = r.operation_request(Comm::SELF, sent, Status::EMPTY)?;
            r.abandon(request);
        }
        Ok(())
    }

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
            if r.parking.get() {
                self.tell_of_unmarked(r);
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

    /// What it waits for beside the sends: the program itself.
    fn tell_of_unmarked(&self, r: &Rank) {
        let (ready, Some((what, _))) = (self.ready.borrow(), self.to) else { return };
        let mut unmarked = (0..).zip(&*ready).filter_map(|(part, ready)| ready.is_none().then_some(part));
        if let Some(first) = unmarked.next() {
            r.waits.borrow_mut().push(Waited::Marks(Unmarked { first, more: unmarked.count(), what }));
        }
    }

    fn index(&self, partition: i32) -> Result<usize> {
        let parts = self.parts.len();
        usize::try_from(partition).ok().filter(|&index| index < parts).ok_or_else(|| {
            let text = format!("partition is {partition}, but the message has partitions 0 to {}", parts - 1);
            Error::new(MPI_ERR_ARG, text)
        })
    }

    fn ready(&self, r: &Rank, partition: i32) -> Result<()> {
        let index = self.index(partition)?;
        // When all have left, none is there any more.
        if !matches!(self.ready.borrow().get(index), Some(None)) {
            return Err(partitions::marked_before(partition));
        }
        let operation = match self.to {
            Some((what, context)) => {
                let what = What { context, tag: partition, ..what };
                r.post_send(what, self.source, self.parts[index].again())?.hand_over()
            }
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
    info: Info,
) -> Result<Request> {
    let communicator = r.communicator(comm)?;
    let _charge = room_for_parts(r, partitions)?;
    let (_, whole) = cut(r, buf, partitions, count, datatype)?;
    if tag == MPI_ANY_TAG {
        return Err(Error::new(MPI_ERR_TAG, "a partitioned receive needs a single tag, not MPI_ANY_TAG"));
    }
    let from = pattern(source, tag, &communicator)?;
    if source == MPI_ANY_SOURCE {
        return Err(Error::new(MPI_ERR_RANK, "a partitioned receive needs a single source, not MPI_ANY_SOURCE"));
    }
    r.hints(info)?;
    let receiving = Rc::new(Receiving {
        from,
        whole,
        parts: partitions,
        _charge,
        greeting: OnceCell::new(),
        arrived: RefCell::default(),
        missing: RefCell::default(),
        asked: Cell::new(None),
        done: Cell::new(true),
    });
    let (pair, steps) = (Rc::downgrade(&receiving), receiving.clone());
    let request = r.begin_on_start(comm, async move |r| steps.receive(r).await)?;
    r.set_parts(request, Parts::Receiving(receiving))?;
    if let Some(from) = from {
        let greeting = r.begin(Comm::SELF, async move |r| await_greeting(r, from, pair).await);
        r.abandon(greeting.inspect_err(|_| r.discard(request))?);
    }
    Ok(request)
}

/// Receives the greeting of a pair, also if the receiver's request is freed before it comes: it is no other's.
async fn await_greeting(r: &Rank, from: Pattern, pair: Weak<Receiving>) -> Result<Status> {
    let pattern = Pattern { context: from.context.greetings(), ..from };
    let greeting = match r.post_recv_bytes(pattern, Greeting::BYTES) {
        Ok(started) => {
            let is_vain = || pair.strong_count() == 0 && r.ends_orphans();
            poll_fn(|_| if started.poll() || is_vain() { Poll::Ready(()) } else { Poll::Pending }).await;
            if pair.strong_count() == 0 {
                return Ok(Status::EMPTY);
            }
            Greeting::from_bytes(&started.unload().bytes).ok_or_else(disagreement)
        }
        Err(error) => Err(error),
    };
    if let Some(receiving) = pair.upgrade() {
        let _ = receiving.greeting.set(greeting);
    }
    Ok(Status::EMPTY)
}

impl Receiving {
    /// One start: complete when every part of the sender's has arrived.
    async fn receive(&self, r: &Rank) -> Result<Status> {
        let Some(from) = self.from else { return Ok(Status::PROC_NULL) };
        self.arrived.borrow_mut().clear();
        *self.missing.borrow_mut() = vec![0; self.parts as usize];
        self.done.set(false);
        let greeting = poll_fn(|_| self.greeting.get().cloned().map_or(Poll::Pending, Poll::Ready)).await?;
        let room = self.whole.bytes() as u64;
        let Some(length) = greeting.length().filter(|&length| length <= room) else {
            return Err(Error::new(
                MPI_ERR_TRUNCATE,
                format!(
                    "a message of {} partitions of {} bytes from rank {} with tag {} does not fit into a buffer of {room} bytes",
                    greeting.parts, greeting.bytes, from.source, from.tag
                ),
            ));
        };
        self.arrived.borrow_mut().resize(greeting.parts as usize, false);
        self.receive_parts(r, from, greeting).await?;
        self.done.set(true);
        Ok(Status::new(from.source, from.tag, length))
    }

    /// Receives all parts, which together are not longer than the whole.
    async fn receive_parts(&self, r: &Rank, from: Pattern, greeting: Greeting) -> Result<()> {
        let size = greeting.bytes as usize;
        let mut parts = Vec::with_capacity(greeting.parts as usize);
        for part in 0..greeting.parts as usize {
            let pattern = Pattern { context: greeting.context, source: from.source, tag: part as i32 };
            // Parts for a layout with holes come into the host: the sender's need not end where elements end.
            let started = match self.whole.contiguous() {
                Some(_) => r.post_recv(pattern, self.whole.part(part * size..(part + 1) * size))?,
                None => r.post_recv_bytes(pattern, greeting.bytes)?,
            };
            parts.push(Some(started));
        }
        let mut all_fit = true;
        // Those that are awaited, and the next one that is looked at.
        let (mut pending, mut next): (Vec<usize>, _) = ((0..parts.len()).collect(), 0);
        poll_fn(|_| {
            let mut take = |part: usize| {
                let Some(started) = &mut parts[part] else { return true };
                if !started.poll() {
                    return false;
                }
                if self.whole.contiguous().is_none() {
                    let bytes = started.unload().bytes;
                    all_fit &= bytes.len() == size;
                    self.whole.unpack(part * size, &bytes);
                }
                parts[part] = None;
                self.arrived.borrow_mut()[part] = true;
                true
            };
            if let Some((partition, range)) =
                self.asked.take().and_then(|asked| Some((asked, self.overlapping(asked)?)))
            {
                let first = (self.missing.borrow()[partition] as usize).max(range.start);
                let _ = (first..range.end).all(&mut take);
            }
            // Whoever is about to sleep waits for all of them; else it is enough to look at some, and at others next time.
            let mut in_vain = 0;
            if r.parking.get() {
                pending.retain(|&part| !take(part));
            }
            while in_vain < LOOKED_AT.min(pending.len()) && !r.parking.get() {
                next = if next < pending.len() { next } else { 0 };
                if take(pending[next]) {
                    pending.swap_remove(next);
                } else {
                    (next, in_vain) = (next + 1, in_vain + 1);
                }
            }
            if pending.is_empty() { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        if all_fit { Ok(()) } else { Err(r.account.refused(size, Cost::Partitions)) }
    }

    /// The sender's parts that have bytes of one of the receiver's; nothing as long as nobody knows, or neither has any.
    fn overlapping(&self, partition: usize) -> Option<Range<usize>> {
        let Some(Ok(greeting)) = self.greeting.get() else { return None };
        let size = self.whole.bytes() as u64 / self.parts as u64;
        if size == 0 || greeting.bytes == 0 {
            return None;
        }
        let (first, last) = (partition as u64 * size, (partition as u64 + 1) * size);
        let end = last.div_ceil(greeting.bytes).min(greeting.parts.into());
        Some((first / greeting.bytes).min(end) as usize..end as usize)
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
        let (partition, arrived) = (partition as usize, self.arrived.borrow());
        // One without bytes is there when the whole message is; what lies behind the message as soon as its length is known.
        let Some(range) = self.overlapping(partition) else {
            let is_behind = matches!(self.greeting.get(), Some(Ok(greeting)) if greeting.bytes == 0);
            return Ok(is_behind && self.whole.bytes() > 0 && !arrived.is_empty());
        };
        if arrived.is_empty() {
            return Ok(false);
        }
        let missing = &mut self.missing.borrow_mut()[partition];
        let first = (*missing as usize).max(range.start);
        *missing = (first..range.end).find(|&part| !arrived[part]).unwrap_or(range.end) as u32;
        Ok(*missing as usize >= range.end)
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
    sending.index(partition_low).and(sending.index(partition_high))?;
    (partition_low..=partition_high).try_for_each(|partition| sending.ready(r, partition))
}

/// `MPI_Pready_list`
pub fn pready_list(r: &Rank, partitions: &[i32], request: Request) -> Result<()> {
    let sending = sending(r, request)?;
    partitions.iter().try_for_each(|&partition| sending.index(partition).map(drop))?;
    partitions.iter().try_for_each(|&partition| sending.ready(r, partition))
}

/// `MPI_Parrived`: true also while the request is not active.
pub async fn parrived(r: &Rank, request: Request, partition: i32) -> Result<bool> {
    let (receiving, active) = match r.parts(request)? {
        (Some(Parts::Receiving(receiving)), active) => (receiving, active),
        _ => return Err(Error::new(MPI_ERR_REQUEST, "the request is not one of MPI_Precv_init")),
    };
    if receiving.has(partition)? || !active {
        return Ok(true);
    }
    receiving.asked.set(Some(partition as usize));
    r.progress();
    r.advance();
    let arrived = receiving.has(partition)?;
    if !arrived {
        yield_now(r).await;
    }
    Ok(arrived)
}

#[cfg(test)]
mod tests {
    use rankine_abi::{MPI_ERR_NO_MEM, MPI_ERR_NOT_SAME, MPI_PROC_NULL};

    use super::*;
    use crate::handle::{Class, MOST};
    use crate::pt2pt::{isend, recv, send, send_init};
    use crate::request::{start, test, wait};
    use crate::testing::both;

    /// Sends until the receiver keeps messages waiting in their sender's memory, however short they are.
    async fn congest(r: &Rank, dest: i32) {
        loop {
            let request = isend(r, Addr(64), 1024, Datatype::BYTE, dest, 9, Comm::WORLD).unwrap();
            if test(r, request).await.unwrap().is_none() {
                return;
            }
        }
    }

    #[test]
    fn a_greeting_without_a_request_is_taken_back() {
        both(2, async |r| {
            if r.id() == 0 {
                congest(r, 1).await;
                while send_init(r, Kind::Send, Addr(64), 1, Datatype::BYTE, MPI_PROC_NULL, 0, Comm::WORLD).is_ok() {}
                for room in [0, 1] {
                    // With room for one request, there is none for the greeting.
                    (0..room).for_each(|_| r.discard(last(r)));
                    let made = psend_init(r, Addr(64), 1, 16, Datatype::BYTE, 1, 5, Comm::WORLD, Info::NULL);
                    assert_eq!(made.unwrap_err().class, MPI_ERR_NO_MEM);
                }
                send(r, Addr(64), 0, Datatype::BYTE, 1, 3, Comm::WORLD).await.unwrap();
            } else {
                recv(r, Addr(64), 0, Datatype::BYTE, 0, 3, Comm::WORLD).await.unwrap();
                let greetings = r.communicator(Comm::WORLD).unwrap().context.greetings();
                let greeting = r.peek(&Pattern { context: greetings, source: 0, tag: MPI_ANY_TAG });
                assert_eq!(greeting, None);
            }
        });
    }

    /// A request that is free to be given up.
    fn last(r: &Rank) -> Request {
        let made = (0..MOST as u32).rev().map(|index| Request((Class::Request as u32) << 28 | index));
        made.into_iter().find(|&request| r.parts(request).is_ok()).unwrap()
    }

    #[test]
    fn greetings_without_sense_are_errors() {
        let greeting = |parts: u32, bytes: u64| Greeting { context: Context::WORLD, parts, bytes }.to_bytes();
        assert_eq!(greeting(3, 5).len() as u64, Greeting::BYTES);
        assert!(Greeting::from_bytes(&greeting(1 << 16, 1 << 32)).is_some());
        assert!(Greeting::from_bytes(&greeting(3, 5)[1..]).is_none());
        let forged = [greeting(2, 1 << 63), greeting(1 << 16, u64::MAX), greeting(1 << 20, 0), greeting(u32::MAX, 1)];
        both(1, async |r| {
            for forged in &forged {
                let request = precv_init(r, Addr(64), 1, 16, Datatype::BYTE, 0, 5, Comm::WORLD, Info::NULL).unwrap();
                let communicator = r.communicator(Comm::WORLD).unwrap();
                let what = target(Kind::Send, 0, 5, &communicator).unwrap().unwrap();
                let what = What { context: what.context.greetings(), ..what };
                r.post_parcel(what, 0, forged.clone().into()).unwrap().finish().await;
                start(r, request).unwrap();
                assert_eq!(wait(r, request).await.unwrap().class(), MPI_ERR_NOT_SAME);
            }
        });
    }
}
