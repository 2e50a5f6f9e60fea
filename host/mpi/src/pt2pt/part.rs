//! Partitioned messages (MPI-5.0 §4.2): a library takes for granted that a request is for one, that there is another
//! side, and that a partition is ready once between a start and the end.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{c_int, c_void};

use rankine_abi::{Addr, Comm, Datatype, MPI_ERR_ARG, MPI_ERR_RANK, MPI_ERR_REQUEST, MPI_PROC_NULL};
use rankine_guest::{Charge, Cost, Error, partitions as rules, tag};

use crate::Result;
use crate::call::shim::times;
use crate::generated::symbols;
use crate::library::hints::{Hints, Of};
use crate::rank::Rank;
use crate::request::{Kind, Pending};

/// The partitions of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    count: c_int,
    /// The other side is `MPI_PROC_NULL`: the library has a plain request that is complete at once.
    is_alone: bool,
}

impl Parts {
    fn contain(&self, part: c_int) -> Result<()> {
        if (0..self.count).contains(&part) {
            return Ok(());
        }
        Err(Error::new(MPI_ERR_ARG, format!("partition is {part}, but the message has {}", self.count)))
    }
}

/// Which partitions of a send are ready, since it was started last.
pub(crate) struct Ready {
    /// None before the first start. At the end all are, and stay so.
    marked: RefCell<Vec<bool>>,
    _charge: Charge,
}

impl Ready {
    fn of(r: &Rank, partitions: i32) -> Result<Ready> {
        let charge = r.account().charge(partitions as usize, Cost::Partitions)?;
        Ok(Ready { marked: RefCell::default(), _charge: charge })
    }

    /// The send was started.
    pub(crate) fn begin(&self, parts: Parts) {
        let mut marked = self.marked.borrow_mut();
        marked.clear();
        marked.resize(parts.count as usize, false);
    }

    /// Marks partitions up to the first that can't be: how many, and why no more.
    fn mark(&self, parts: impl Iterator<Item = c_int>) -> (usize, Result<()>) {
        let mut marked = self.marked.borrow_mut();
        let mut count = 0;
        for part in parts {
            match marked.get_mut(part as usize) {
                Some(marked) if !*marked => *marked = true,
                Some(_) => return (count, Err(rules::marked_before(part))),
                None => {
                    let text = "the request is not active: MPI_Start comes before MPI_Pready";
                    return (count, Err(Error::new(MPI_ERR_REQUEST, text)));
                }
            }
            count += 1;
        }
        (count, Ok(()))
    }
}

/// What a new request is for.
struct Message {
    at: *mut c_void,
    datatype: usize,
    comm: usize,
    hints: Hints,
}

fn init<Kept: Any>(
    r: &Rank,
    kind: fn(Parts) -> Kind,
    buf: Addr,
    partitions: i32,
    count: i64,
    datatype: u32,
    peer: i32,
    tag: i32,
    comm_word: u32,
    info: u32,
    request_at: Addr,
    kept: impl FnOnce() -> Result<Kept>,
    init: impl FnOnce(&Message, &mut usize) -> c_int,
) -> Result<()> {
    let comm = r.intra(comm_word, "comm")?;
    rules::of_message(partitions)?;
    let datatype = r.datatype(datatype, "datatype")?;
    let buffer = r.buffer(buf, times(i64::from(partitions), count), &datatype, "buf")?;
    // No message in partitions has MPI_ANY_TAG or MPI_ANY_SOURCE.
    tag::of_send(tag)?;
    if peer != MPI_PROC_NULL && !(0..r.peers(comm_word)?).contains(&i64::from(peer)) {
        return Err(Error::new(
            MPI_ERR_RANK,
            format!("the other side is rank {peer}, which the communicator does not have"),
        ));
    }
    let hints = r.hints(info, Of::Nothing, "info")?;
    r.room(request_at, r.word_bytes(), "request")?;
    let parts = Parts { count: partitions, is_alone: peer == MPI_PROC_NULL };
    let kept = kept()?;
    let message = Message { at: buffer.at, datatype: datatype.host, comm, hints };
    let mut request = 0;
    let code = if parts.is_alone {
        let (send, byte) = (r.symbol::<symbols::MPI_Send_init>()?, Datatype::BYTE.0 as usize);
        // SAFETY: no elements, and a result on the stack.
        unsafe { send(std::ptr::null(), 0, byte, MPI_PROC_NULL, tag, comm, &mut request) }
    } else {
        init(&message, &mut request)
    };
    r.check(code)?;
    r.put_request(request_at, request, Pending::new(Comm(comm_word).into(), kind(parts), kept), "request")
}

/// `MPI_Psend_init`
pub(crate) fn psend_init(
    r: &Rank,
    buf: Addr,
    partitions: i32,
    count: i64,
    datatype: u32,
    dest: i32,
    tag: i32,
    comm: u32,
    info: u32,
    request: Addr,
) -> Result<()> {
    let call = r.symbol::<symbols::MPI_Psend_init>()?;
    let ready = || Ready::of(r, partitions);
    init(r, Kind::Psend, buf, partitions, count, datatype, dest, tag, comm, info, request, ready, |m, request| {
        // SAFETY: the buffer has room for all partitions, and handles and hints were checked.
        unsafe { call(m.at, partitions, count, m.datatype, dest, tag, m.comm, m.hints.host, request) }
    })
}

/// `MPI_Precv_init`
pub(crate) fn precv_init(
    r: &Rank,
    buf: Addr,
    partitions: i32,
    count: i64,
    datatype: u32,
    source: i32,
    tag: i32,
    comm: u32,
    info: u32,
    request: Addr,
) -> Result<()> {
    let call = r.symbol::<symbols::MPI_Precv_init>()?;
    let nothing = || Ok(());
    init(r, Kind::Precv, buf, partitions, count, datatype, source, tag, comm, info, request, nothing, |m, request| {
        // SAFETY: the buffer has room for all partitions, and handles and hints were checked.
        unsafe { call(m.at, partitions, count, m.datatype, source, tag, m.comm, m.hints.host, request) }
    })
}

/// The request of a partitioned send, and its partitions.
fn sent(r: &Rank, word: u32) -> Result<(usize, Parts)> {
    let host = r.request(word, "request")?;
    match r.kind_of(word, "request")? {
        Kind::Psend(parts) => Ok((host, parts)),
        _ => Err(Error::new(MPI_ERR_REQUEST, format!("request: {word:#x} is not a partitioned send"))),
    }
}

/// Marks partitions that a send has as ready, and tells the library of so many of them: the next may be ready already.
fn ready(
    r: &Rank,
    word: u32,
    parts: Parts,
    listed: impl Iterator<Item = c_int>,
    tell: impl FnOnce(usize) -> Result<()>,
) -> Result<()> {
    let marked = r.requests.made.with(word, |pending| pending.kept::<Ready>().map(|ready| ready.mark(listed)));
    let (count, refused) = marked.flatten().expect("every partitioned send was made with it");
    if count > 0 && !parts.is_alone {
        tell(count)?;
    }
    refused
}

/// `MPI_Pready`
pub(crate) fn pready(r: &Rank, partition: i32, request: u32) -> Result<()> {
    let (host, parts) = sent(r, request)?;
    parts.contain(partition)?;
    let call = r.symbol::<symbols::MPI_Pready>()?;
    ready(r, request, parts, std::iter::once(partition), |_| {
        // SAFETY: a partition of a partitioned send, which was not ready yet.
        r.check(unsafe { call(partition, host) })
    })
}

/// `MPI_Pready_range`: both ends are ready.
pub(crate) fn pready_range(r: &Rank, low: i32, high: i32, request: u32) -> Result<()> {
    let (host, parts) = sent(r, request)?;
    parts.contain(low).and(parts.contain(high))?;
    let call = r.symbol::<symbols::MPI_Pready_range>()?;
    ready(r, request, parts, low..=high, |count| {
        // SAFETY: so many partitions of a partitioned send, which were not ready yet: no more than it has.
        r.check(unsafe { call(low, low + (count - 1) as c_int, host) })
    })
}

/// `MPI_Pready_list`
pub(crate) fn pready_list(r: &Rank, length: i32, array_of_partitions: Addr, request: u32) -> Result<()> {
    let (host, parts) = sent(r, request)?;
    let list = r.ints(array_of_partitions, i64::from(length), "array_of_partitions")?;
    list.iter().try_for_each(|&part| parts.contain(part))?;
    let call = r.symbol::<symbols::MPI_Pready_list>()?;
    ready(r, request, parts, list.iter().copied(), |count| {
        // SAFETY: so many partitions of a partitioned send, different ones, which were not ready yet.
        r.check(unsafe { call(count as c_int, list.as_ptr(), host) })
    })
}

/// `MPI_Parrived`
pub(crate) fn parrived(r: &Rank, request: u32, partition: i32, flag_at: Addr) -> Result<()> {
    let host = r.request(request, "request")?;
    let Kind::Precv(parts) = r.kind_of(request, "request")? else {
        return Err(Error::new(MPI_ERR_REQUEST, format!("request: {request:#x} is not a partitioned receive")));
    };
    parts.contain(partition)?;
    r.room(flag_at, 4, "flag")?;
    let mut flag = 1;
    if !parts.is_alone {
        let call = r.symbol::<symbols::MPI_Parrived>()?;
        // SAFETY: a partition of a partitioned receive, and a result on the stack.
        r.check(unsafe { call(host, partition, &mut flag) })?;
    }
    r.put_int(flag_at, flag, "flag")
}
