//! Nonblocking collectives (MPI-5.0 §6.12): the same operations, going on in the background of their rank.

use rankine_abi::{Addr, Comm, Datatype, Op, Request};

use super::allgather::Allgather;
use super::alltoall::Alltoall;
use super::barrier::Barrier;
use super::bcast::Bcast;
use super::gather::Gather;
use super::neighbor::Neighbor;
use super::reduce::{Allreduce, Reduce};
use super::reduce_scatter::ReduceScatter;
use super::scan::Scan;
use super::scatter::Scatter;
use super::start;
use crate::error::Result;
use crate::rank::Rank;

/// `MPI_Ibarrier`
pub fn ibarrier(r: &Rank, comm: Comm) -> Result<Request> {
    start(r, comm, |_| Ok(Barrier))
}

/// `MPI_Ibcast`
pub fn ibcast(r: &Rank, buffer: Addr, count: i64, datatype: Datatype, root: i32, comm: Comm) -> Result<Request> {
    start(r, comm, |comm| Bcast::new(r, comm, buffer, count, datatype, root))
}

/// `MPI_Igather`
pub fn igather(
    r: &Rank,
    sendbuf: Addr,
    sendcount: i64,
    sendtype: Datatype,
    recvbuf: Addr,
    recvcount: i64,
    recvtype: Datatype,
    root: i32,
    comm: Comm,
) -> Result<Request> {
    start(r, comm, |comm| Gather::even(r, comm, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root))
}

/// `MPI_Igatherv`
pub fn igatherv(
    r: &Rank,
    sendbuf: Addr,
    sendcount: i64,
    sendtype: Datatype,
    recvbuf: Addr,
    recvcounts: &[i64],
    displs: &[i64],
    recvtype: Datatype,
    root: i32,
    comm: Comm,
) -> Result<Request> {
    start(r, comm, |comm| {
        Gather::varied(r, comm, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root)
    })
}

/// `MPI_Iscatter`
pub fn iscatter(
    r: &Rank,
    sendbuf: Addr,
    sendcount: i64,
    sendtype: Datatype,
    recvbuf: Addr,
    recvcount: i64,
    recvtype: Datatype,
    root: i32,
    comm: Comm,
) -> Result<Request> {
    start(r, comm, |comm| Scatter::even(r, comm, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root))
}

/// `MPI_Iscatterv`
pub fn iscatterv(
    r: &Rank,
    sendbuf: Addr,
    sendcounts: &[i64],
    displs: &[i64],
    sendtype: Datatype,
    recvbuf: Addr,
    recvcount: i64,
    recvtype: Datatype,
    root: i32,
    comm: Comm,
) -> Result<Request> {
    start(r, comm, |comm| {
        Scatter::varied(r, comm, sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root)
    })
}

/// `MPI_Iallgather`
pub fn iallgather(
    r: &Rank,
    sendbuf: Addr,
    sendcount: i64,
    sendtype: Datatype,
    recvbuf: Addr,
    recvcount: i64,
    recvtype: Datatype,
    comm: Comm,
) -> Result<Request> {
    start(r, comm, |comm| Allgather::even(r, comm, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype))
}

/// `MPI_Iallgatherv`
pub fn iallgatherv(
    r: &Rank,
    sendbuf: Addr,
    sendcount: i64,
    sendtype: Datatype,
    recvbuf: Addr,
    recvcounts: &[i64],
    displs: &[i64],
    recvtype: Datatype,
    comm: Comm,
) -> Result<Request> {
    start(r, comm, |comm| {
        Allgather::varied(r, comm, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype)
    })
}

/// `MPI_Ialltoall`
pub fn ialltoall(
    r: &Rank,
    sendbuf: Addr,
    sendcount: i64,
    sendtype: Datatype,
    recvbuf: Addr,
    recvcount: i64,
    recvtype: Datatype,
    comm: Comm,
) -> Result<Request> {
    start(r, comm, |comm| Alltoall::even(r, comm, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype))
}

/// `MPI_Ialltoallv`
pub fn ialltoallv(
    r: &Rank,
    sendbuf: Addr,
    sendcounts: &[i64],
    sdispls: &[i64],
    sendtype: Datatype,
    recvbuf: Addr,
    recvcounts: &[i64],
    rdispls: &[i64],
    recvtype: Datatype,
    comm: Comm,
) -> Result<Request> {
    start(r, comm, |comm| {
        Alltoall::varied(r, comm, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype)
    })
}

/// `MPI_Ialltoallw`
pub fn ialltoallw(
    r: &Rank,
    sendbuf: Addr,
    sendcounts: &[i64],
    sdispls: &[i64],
    sendtypes: &[Datatype],
    recvbuf: Addr,
    recvcounts: &[i64],
    rdispls: &[i64],
    recvtypes: &[Datatype],
    comm: Comm,
) -> Result<Request> {
    start(r, comm, |comm| {
        Alltoall::typed(r, comm, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes)
    })
}

/// `MPI_Ireduce`
pub fn ireduce(
    r: &Rank,
    sendbuf: Addr,
    recvbuf: Addr,
    count: i64,
    datatype: Datatype,
    op: Op,
    root: i32,
    comm: Comm,
) -> Result<Request> {
    start(r, comm, |comm| Reduce::new(r, comm, sendbuf, recvbuf, count, datatype, op, root))
}

/// `MPI_Iallreduce`
pub fn iallreduce(
    r: &Rank,
    sendbuf: Addr,
    recvbuf: Addr,
    count: i64,
    datatype: Datatype,
    op: Op,
    comm: Comm,
) -> Result<Request> {
    start(r, comm, |comm| Allreduce::new(r, comm, sendbuf, recvbuf, count, datatype, op))
}

/// `MPI_Ireduce_scatter`
pub fn ireduce_scatter(
    r: &Rank,
    sendbuf: Addr,
    recvbuf: Addr,
    recvcounts: &[i64],
    datatype: Datatype,
    op: Op,
    comm: Comm,
) -> Result<Request> {
    start(r, comm, |comm| ReduceScatter::new(r, comm, sendbuf, recvbuf, recvcounts, datatype, op))
}

/// `MPI_Ireduce_scatter_block`
pub fn ireduce_scatter_block(
    r: &Rank,
    sendbuf: Addr,
    recvbuf: Addr,
    recvcount: i64,
    datatype: Datatype,
    op: Op,
    comm: Comm,
) -> Result<Request> {
    start(r, comm, |comm| ReduceScatter::even(r, comm, sendbuf, recvbuf, recvcount, datatype, op))
}

/// `MPI_Iscan`
pub fn iscan(
    r: &Rank,
    sendbuf: Addr,
    recvbuf: Addr,
    count: i64,
    datatype: Datatype,
    op: Op,
    comm: Comm,
) -> Result<Request> {
    start(r, comm, |comm| Scan::inclusive(r, comm, sendbuf, recvbuf, count, datatype, op))
}

/// `MPI_Iexscan`
pub fn iexscan(
    r: &Rank,
    sendbuf: Addr,
    recvbuf: Addr,
    count: i64,
    datatype: Datatype,
    op: Op,
    comm: Comm,
) -> Result<Request> {
    start(r, comm, |comm| Scan::exclusive(r, comm, sendbuf, recvbuf, count, datatype, op))
}

/// `MPI_Ineighbor_allgather`
pub fn ineighbor_allgather(
    r: &Rank,
    sendbuf: Addr,
    sendcount: i64,
    sendtype: Datatype,
    recvbuf: Addr,
    recvcount: i64,
    recvtype: Datatype,
    comm: Comm,
) -> Result<Request> {
    start(r, comm, |comm| Neighbor::allgather(r, comm, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype))
}

/// `MPI_Ineighbor_allgatherv`
pub fn ineighbor_allgatherv(
    r: &Rank,
    sendbuf: Addr,
    sendcount: i64,
    sendtype: Datatype,
    recvbuf: Addr,
    recvcounts: &[i64],
    displs: &[i64],
    recvtype: Datatype,
    comm: Comm,
) -> Result<Request> {
    start(r, comm, |comm| {
        Neighbor::allgatherv(r, comm, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype)
    })
}

/// `MPI_Ineighbor_alltoall`
pub fn ineighbor_alltoall(
    r: &Rank,
    sendbuf: Addr,
    sendcount: i64,
    sendtype: Datatype,
    recvbuf: Addr,
    recvcount: i64,
    recvtype: Datatype,
    comm: Comm,
) -> Result<Request> {
    start(r, comm, |comm| Neighbor::alltoall(r, comm, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype))
}

/// `MPI_Ineighbor_alltoallv`
pub fn ineighbor_alltoallv(
    r: &Rank,
    sendbuf: Addr,
    sendcounts: &[i64],
    sdispls: &[i64],
    sendtype: Datatype,
    recvbuf: Addr,
    recvcounts: &[i64],
    rdispls: &[i64],
    recvtype: Datatype,
    comm: Comm,
) -> Result<Request> {
    start(r, comm, |comm| {
        Neighbor::alltoallv(r, comm, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype)
    })
}

/// `MPI_Ineighbor_alltoallw`
pub fn ineighbor_alltoallw(
    r: &Rank,
    sendbuf: Addr,
    sendcounts: &[i64],
    sdispls: &[i64],
    sendtypes: &[Datatype],
    recvbuf: Addr,
    recvcounts: &[i64],
    rdispls: &[i64],
    recvtypes: &[Datatype],
    comm: Comm,
) -> Result<Request> {
    start(r, comm, |comm| {
        Neighbor::alltoallw(r, comm, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes)
    })
}
