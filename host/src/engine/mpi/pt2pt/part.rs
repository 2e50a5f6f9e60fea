//! Partitioned messages (MPI-5.0 §4.2): a library takes for granted that a request is for one, and that there is another
//! side.

use std::ffi::{c_int, c_void};

use rankine_abi::{Addr, Comm, Datatype, MPI_ERR_ARG, MPI_ERR_RANK, MPI_ERR_REQUEST, MPI_PROC_NULL};
use rankine_guest::{Error, tag};

use crate::engine::mpi::Result;
use crate::engine::mpi::call::shim::times;
use crate::engine::mpi::generated::symbols;
use crate::engine::mpi::library::hints::{Hints, Of};
use crate::engine::mpi::process::rank::Rank;
use crate::engine::mpi::request::{Kind, Pending};

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

/// What a new request is for.
struct Message {
    at: *mut c_void,
    datatype: usize,
    comm: usize,
    hints: Hints,
}

fn init(
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
    init: impl FnOnce(&Message, &mut usize) -> c_int,
) -> Result<()> {
    let comm = r.intra(comm_word, "comm")?;
    if partitions < 1 {
        return Err(Error::new(MPI_ERR_ARG, format!("partitions is {partitions}, but a message has at least 1")));
    }
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
    r.room(request_at, 4, "request")?;
    let parts = Parts { count: partitions, is_alone: peer == MPI_PROC_NULL };
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
    r.put_request(request_at, request, Pending::new(Comm(comm_word).into(), kind(parts), ()), "request")
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
    init(r, Kind::Psend, buf, partitions, count, datatype, dest, tag, comm, info, request, |m, request| {
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
    init(r, Kind::Precv, buf, partitions, count, datatype, source, tag, comm, info, request, |m, request| {
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

/// `MPI_Pready`
pub(crate) fn pready(r: &Rank, partition: i32, request: u32) -> Result<()> {
    let (request, parts) = sent(r, request)?;
    parts.contain(partition)?;
    if parts.is_alone {
        return Ok(());
    }
    let call = r.symbol::<symbols::MPI_Pready>()?;
    // SAFETY: a partition of a partitioned send.
    r.check(unsafe { call(partition, request) })
}

/// `MPI_Pready_range`
pub(crate) fn pready_range(r: &Rank, low: i32, high: i32, request: u32) -> Result<()> {
    let (request, parts) = sent(r, request)?;
    parts.contain(low).and(parts.contain(high))?;
    if parts.is_alone || low > high {
        return Ok(());
    }
    let call = r.symbol::<symbols::MPI_Pready_range>()?;
    // SAFETY: partitions of a partitioned send.
    r.check(unsafe { call(low, high, request) })
}

/// `MPI_Pready_list`
pub(crate) fn pready_list(r: &Rank, length: i32, array_of_partitions: Addr, request: u32) -> Result<()> {
    let (request, parts) = sent(r, request)?;
    let list = r.ints(array_of_partitions, i64::from(length), "array_of_partitions")?;
    list.iter().try_for_each(|&part| parts.contain(part))?;
    if parts.is_alone {
        return Ok(());
    }
    let call = r.symbol::<symbols::MPI_Pready_list>()?;
    // SAFETY: partitions of a partitioned send.
    r.check(unsafe { call(length, list.as_ptr(), request) })
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
