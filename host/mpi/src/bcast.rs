//! Broadcasts that go on while the program does.
//!
//! Between two groups they are a scatter of one block to everybody. MPICH 5.0.2 has a root whose type has holes send memory
//! that it has never packed anything into, unless the root is the first of its group: the others would be given what lay in
//! the library's memory before.

use rankine_abi::{Addr, Comm};

use super::Result;
use super::call::shim::nothing;
use super::generated::symbols;
use super::library::hints::Of;
use super::rank::Rank;
use super::request::{Kind, Pending};

/// `MPI_Ibcast`
pub(crate) fn ibcast(
    r: &Rank,
    _large: bool,
    buffer: Addr,
    count: i64,
    datatype: u32,
    root: i32,
    comm: u32,
    request: Addr,
) -> Result<()> {
    begin(r, (buffer, count, datatype), root, comm, None, request)
}

/// `MPI_Bcast_init`
pub(crate) fn bcast_init(
    r: &Rank,
    _large: bool,
    buffer: Addr,
    count: i64,
    datatype: u32,
    root: i32,
    comm: u32,
    info: u32,
    request: Addr,
) -> Result<()> {
    begin(r, (buffer, count, datatype), root, comm, Some(info), request)
}

/// Makes the request of a broadcast: a persistent one, if there is an info.
fn begin(
    r: &Rank,
    (at, count, datatype): (Addr, i64, u32),
    root: i32,
    comm_word: u32,
    info: Option<u32>,
    request_at: Addr,
) -> Result<()> {
    let (side, comm) = (r.side(comm_word, root)?, r.comm(comm_word, "comm")?);
    let (buffer, (count, datatype)) = if side.takes_part() {
        let datatype = r.datatype(datatype, "datatype")?;
        (r.buffer(at, count, &datatype, "buffer")?, datatype.as_bytes(count))
    } else {
        (r.absent(at), nothing(count))
    };
    let info = info.map(|info| r.hints(info, Of::Nothing, "info")).transpose()?;
    let memory = r.working_memory(&[&buffer], false)?;
    r.room(request_at, r.word_bytes(), "request")?;
    let (kind, mut request) = (if info.is_some() { Kind::PersistentCollective } else { Kind::Collective }, 0);
    let (to, is_intra) = (buffer.at, r.is_intra(comm_word)?);
    let from = to.cast_const();
    // What a root sends, for each of the others.
    let counts = vec![count; if side.root && !is_intra { r.peers(comm_word)? as usize } else { 0 }];
    let displs = vec![0_isize; counts.len()];
    let code = match (is_intra, info) {
        (true, None) => {
            let call = r.symbol::<symbols::MPI_Ibcast_c>()?;
            // SAFETY: the elements of the buffer were proved, and stay as long as the request; a result on the stack.
            unsafe { call(to, count, datatype, root, comm, &mut request) }
        }
        (true, Some(info)) => {
            let call = r.symbol::<symbols::MPI_Bcast_init_c>()?;
            // SAFETY: the elements of the buffer were proved, and stay as long as the request; hints that were checked, and a
            // result on the stack.
            unsafe { call(to, count, datatype, root, comm, info.host, &mut request) }
        }
        (false, None) => {
            let call = r.symbol::<symbols::MPI_Iscatterv_c>()?;
            let (counts, displs) = (counts.as_ptr(), displs.as_ptr());
            // SAFETY: the elements of the buffer were proved, and stay as long as the request, with which a root's counts and
            // displacements are kept, one for each of the others; a result on the stack.
            unsafe { call(from, counts, displs, datatype, to, count, datatype, root, comm, &mut request) }
        }
        (false, Some(info)) => {
            let call = r.symbol::<symbols::MPI_Scatterv_init_c>()?;
            let (counts, displs) = (counts.as_ptr(), displs.as_ptr());
            // SAFETY: the elements of the buffer were proved, and stay as long as the request, with which a root's counts and
            // displacements are kept, one for each of the others; hints that were checked, and a result on the stack.
            unsafe { call(from, counts, displs, datatype, to, count, datatype, root, comm, info.host, &mut request) }
        }
    };
    r.check(code)?;
    let pending = Pending::new(Comm(comm_word).into(), kind, (counts, displs, memory));
    r.put_request(request_at, request, pending, "request")
}
