//! Partitioned messages (MPI-5.0 §4.2): a library takes for granted that a request is for one, and that there is another
//! side.

use std::ffi::{c_int, c_void};

use rankine_abi::{Comm, Datatype, MPI_ERR_ARG, MPI_ERR_REQUEST, MPI_PROC_NULL};
use rankine_guest::Error;

use crate::engine::mpi::Result;
use crate::engine::mpi::call::shim::times;
use crate::engine::mpi::call::words::Words;
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
    w: &Words<'_>,
    kind: fn(Parts) -> Kind,
    init: impl FnOnce(&Message, &mut usize) -> c_int,
) -> Result<()> {
    let (count, elements) = (w.int(1), w.long(2));
    if count < 0 || elements < 0 {
        return Err(Error::new(MPI_ERR_ARG, format!("{count} partitions of {elements} elements each")));
    }
    let (comm, hints) = (r.intra(w.word(6), "comm")?, r.hints(w.word(7), Of::Nothing, "info")?);
    let datatype = r.datatype(w.word(3), "datatype")?;
    let buffer = r.buffer(w.addr(0), times(i64::from(count), elements), &datatype, "buf")?;
    r.room(w.addr(8), 4, "request")?;
    let parts = Parts { count, is_alone: w.int(4) == MPI_PROC_NULL };
    let message = Message { at: buffer.at, datatype: datatype.host, comm, hints };
    let mut request = 0;
    let code = if parts.is_alone {
        let (send, byte) = (r.symbol::<symbols::MPI_Send_init>()?, Datatype::BYTE.0 as usize);
        // SAFETY: no elements, and a result on the stack.
        unsafe { send(std::ptr::null(), 0, byte, MPI_PROC_NULL, w.int(5), comm, &mut request) }
    } else {
        init(&message, &mut request)
    };
    r.check(code)?;
    r.put_request(w.addr(8), request, Pending::new(Comm(w.word(6)).into(), kind(parts), ()), "request")
}

/// `MPI_Psend_init`
pub(crate) fn psend_init(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let call = r.symbol::<symbols::MPI_Psend_init>()?;
    let (count, elements, dest, tag) = (w.int(1), w.long(2), w.int(4), w.int(5));
    init(r, w, Kind::Psend, |m, request| {
        // SAFETY: the buffer has room for all partitions, and handles and hints were checked.
        unsafe { call(m.at, count, elements, m.datatype, dest, tag, m.comm, m.hints.host, request) }
    })
}

/// `MPI_Precv_init`
pub(crate) fn precv_init(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let call = r.symbol::<symbols::MPI_Precv_init>()?;
    let (count, elements, source, tag) = (w.int(1), w.long(2), w.int(4), w.int(5));
    init(r, w, Kind::Precv, |m, request| {
        // SAFETY: the buffer has room for all partitions, and handles and hints were checked.
        unsafe { call(m.at, count, elements, m.datatype, source, tag, m.comm, m.hints.host, request) }
    })
}

/// The request of a partitioned send, and its partitions.
fn sent(r: &Rank, word: u32) -> Result<(usize, Parts)> {
    let host = r.request(word, "request")?;
    match r.kind_of(word, "request")? {
        Kind::Psend(parts) => Ok((host, parts)),
        _ => Err(Error::new(MPI_ERR_REQUEST, format!("request: {word:#x} is no partitioned send"))),
    }
}

/// `MPI_Pready`
pub(crate) fn pready(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let (request, parts) = sent(r, w.word(1))?;
    parts.contain(w.int(0))?;
    if parts.is_alone {
        return Ok(());
    }
    let call = r.symbol::<symbols::MPI_Pready>()?;
    // SAFETY: a partition of a partitioned send.
    r.check(unsafe { call(w.int(0), request) })
}

/// `MPI_Pready_range`
pub(crate) fn pready_range(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let (request, parts) = sent(r, w.word(2))?;
    let (low, high) = (w.int(0), w.int(1));
    parts.contain(low).and(parts.contain(high))?;
    if parts.is_alone || low > high {
        return Ok(());
    }
    let call = r.symbol::<symbols::MPI_Pready_range>()?;
    // SAFETY: partitions of a partitioned send.
    r.check(unsafe { call(low, high, request) })
}

/// `MPI_Pready_list`
pub(crate) fn pready_list(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let (request, parts) = sent(r, w.word(2))?;
    let list = r.ints(w.addr(1), i64::from(w.int(0)), "array_of_partitions")?;
    list.iter().try_for_each(|&part| parts.contain(part))?;
    if parts.is_alone {
        return Ok(());
    }
    let call = r.symbol::<symbols::MPI_Pready_list>()?;
    // SAFETY: partitions of a partitioned send.
    r.check(unsafe { call(w.int(0), list.as_ptr(), request) })
}

/// `MPI_Parrived`
pub(crate) fn parrived(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let (word, part) = (w.word(0), w.int(1));
    let host = r.request(word, "request")?;
    let Kind::Precv(parts) = r.kind_of(word, "request")? else {
        return Err(Error::new(MPI_ERR_REQUEST, format!("request: {word:#x} is no partitioned receive")));
    };
    parts.contain(part)?;
    r.room(w.addr(2), 4, "flag")?;
    let mut flag = 1;
    if !parts.is_alone {
        let call = r.symbol::<symbols::MPI_Parrived>()?;
        // SAFETY: a partition of a partitioned receive, and a result on the stack.
        r.check(unsafe { call(host, part, &mut flag) })?;
    }
    r.put_int(w.addr(2), flag, "flag")
}
