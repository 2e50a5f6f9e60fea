//! Persistent collectives (MPI-5.0 §6.13): operations that `MPI_Start` runs again and again. Making one may wait for
//! other ranks by the standard; here it never does.

use rankine_abi::{Addr, Comm, Datatype, Info, Op, Request};

use super::allgather::Allgather;
use super::alltoall::Alltoall;
use super::barrier::Barrier;
use super::bcast::Bcast;
use super::gather::Gather;
use super::neighbor::Neighbor;
use super::prepare;
use super::reduce::{Allreduce, Reduce};
use super::reduce_scatter::ReduceScatter;
use super::scan::Scan;
use super::scatter::Scatter;
use crate::error::Result;
use crate::rank::Rank;

/// `MPI_Barrier_init`
pub async fn barrier_init(r: &Rank, comm: Comm, _info: Info) -> Result<Request> {
    prepare(r, comm, |_| Ok(Barrier))
}

/// `MPI_Bcast_init`
pub async fn bcast_init(
    r: &Rank,
    buffer: Addr,
    count: i64,
    datatype: Datatype,
    root: i32,
    comm: Comm,
    _info: Info,
) -> Result<Request> {
    prepare(r, comm, |comm| Bcast::new(r, comm, buffer, count, datatype, root))
}

/// `MPI_Gather_init`
pub async fn gather_init(
    r: &Rank,
    sendbuf: Addr,
    sendcount: i64,
    sendtype: Datatype,
    recvbuf: Addr,
    recvcount: i64,
    recvtype: Datatype,
    root: i32,
    comm: Comm,
    _info: Info,
) -> Result<Request> {
    prepare(r, comm, |comm| Gather::even(r, comm, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root))
}

/// `MPI_Gatherv_init`
pub async fn gatherv_init(
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
    _info: Info,
) -> Result<Request> {
    prepare(r, comm, |comm| {
        Gather::varied(r, comm, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root)
    })
}

/// `MPI_Scatter_init`
pub async fn scatter_init(
    r: &Rank,
    sendbuf: Addr,
    sendcount: i64,
    sendtype: Datatype,
    recvbuf: Addr,
    recvcount: i64,
    recvtype: Datatype,
    root: i32,
    comm: Comm,
    _info: Info,
) -> Result<Request> {
    prepare(r, comm, |comm| Scatter::even(r, comm, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root))
}

/// `MPI_Scatterv_init`
pub async fn scatterv_init(
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
    _info: Info,
) -> Result<Request> {
    prepare(r, comm, |comm| {
        Scatter::varied(r, comm, sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root)
    })
}

/// `MPI_Allgather_init`
pub async fn allgather_init(
    r: &Rank,
    sendbuf: Addr,
    sendcount: i64,
    sendtype: Datatype,
    recvbuf: Addr,
    recvcount: i64,
    recvtype: Datatype,
    comm: Comm,
    _info: Info,
) -> Result<Request> {
    prepare(r, comm, |comm| Allgather::even(r, comm, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype))
}

/// `MPI_Allgatherv_init`
pub async fn allgatherv_init(
    r: &Rank,
    sendbuf: Addr,
    sendcount: i64,
    sendtype: Datatype,
    recvbuf: Addr,
    recvcounts: &[i64],
    displs: &[i64],
    recvtype: Datatype,
    comm: Comm,
    _info: Info,
) -> Result<Request> {
    prepare(r, comm, |comm| {
        Allgather::varied(r, comm, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype)
    })
}

/// `MPI_Alltoall_init`
pub async fn alltoall_init(
    r: &Rank,
    sendbuf: Addr,
    sendcount: i64,
    sendtype: Datatype,
    recvbuf: Addr,
    recvcount: i64,
    recvtype: Datatype,
    comm: Comm,
    _info: Info,
) -> Result<Request> {
    prepare(r, comm, |comm| Alltoall::even(r, comm, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype))
}

/// `MPI_Alltoallv_init`
pub async fn alltoallv_init(
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
    _info: Info,
) -> Result<Request> {
    prepare(r, comm, |comm| {
        Alltoall::varied(r, comm, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype)
    })
}

/// `MPI_Alltoallw_init`
pub async fn alltoallw_init(
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
    _info: Info,
) -> Result<Request> {
    prepare(r, comm, |comm| {
        Alltoall::typed(r, comm, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes)
    })
}

/// `MPI_Reduce_init`
pub async fn reduce_init(
    r: &Rank,
    sendbuf: Addr,
    recvbuf: Addr,
    count: i64,
    datatype: Datatype,
    op: Op,
    root: i32,
    comm: Comm,
    _info: Info,
) -> Result<Request> {
    prepare(r, comm, |comm| Reduce::new(r, comm, sendbuf, recvbuf, count, datatype, op, root))
}

/// `MPI_Allreduce_init`
pub async fn allreduce_init(
    r: &Rank,
    sendbuf: Addr,
    recvbuf: Addr,
    count: i64,
    datatype: Datatype,
    op: Op,
    comm: Comm,
    _info: Info,
) -> Result<Request> {
    prepare(r, comm, |comm| Allreduce::new(r, comm, sendbuf, recvbuf, count, datatype, op))
}

/// `MPI_Reduce_scatter_init`
pub async fn reduce_scatter_init(
    r: &Rank,
    sendbuf: Addr,
    recvbuf: Addr,
    recvcounts: &[i64],
    datatype: Datatype,
    op: Op,
    comm: Comm,
    _info: Info,
) -> Result<Request> {
    prepare(r, comm, |comm| ReduceScatter::new(r, comm, sendbuf, recvbuf, recvcounts, datatype, op))
}

/// `MPI_Reduce_scatter_block_init`
pub async fn reduce_scatter_block_init(
    r: &Rank,
    sendbuf: Addr,
    recvbuf: Addr,
    recvcount: i64,
    datatype: Datatype,
    op: Op,
    comm: Comm,
    _info: Info,
) -> Result<Request> {
    prepare(r, comm, |comm| ReduceScatter::even(r, comm, sendbuf, recvbuf, recvcount, datatype, op))
}

/// `MPI_Scan_init`
pub async fn scan_init(
    r: &Rank,
    sendbuf: Addr,
    recvbuf: Addr,
    count: i64,
    datatype: Datatype,
    op: Op,
    comm: Comm,
    _info: Info,
) -> Result<Request> {
    prepare(r, comm, |comm| Scan::inclusive(r, comm, sendbuf, recvbuf, count, datatype, op))
}

/// `MPI_Exscan_init`
pub async fn exscan_init(
    r: &Rank,
    sendbuf: Addr,
    recvbuf: Addr,
    count: i64,
    datatype: Datatype,
    op: Op,
    comm: Comm,
    _info: Info,
) -> Result<Request> {
    prepare(r, comm, |comm| Scan::exclusive(r, comm, sendbuf, recvbuf, count, datatype, op))
}

/// `MPI_Neighbor_allgather_init`
pub async fn neighbor_allgather_init(
    r: &Rank,
    sendbuf: Addr,
    sendcount: i64,
    sendtype: Datatype,
    recvbuf: Addr,
    recvcount: i64,
    recvtype: Datatype,
    comm: Comm,
    _info: Info,
) -> Result<Request> {
    prepare(r, comm, |comm| Neighbor::allgather(r, comm, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype))
}

/// `MPI_Neighbor_allgatherv_init`
pub async fn neighbor_allgatherv_init(
    r: &Rank,
    sendbuf: Addr,
    sendcount: i64,
    sendtype: Datatype,
    recvbuf: Addr,
    recvcounts: &[i64],
    displs: &[i64],
    recvtype: Datatype,
    comm: Comm,
    _info: Info,
) -> Result<Request> {
    prepare(r, comm, |comm| {
        Neighbor::allgatherv(r, comm, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype)
    })
}

/// `MPI_Neighbor_alltoall_init`
pub async fn neighbor_alltoall_init(
    r: &Rank,
    sendbuf: Addr,
    sendcount: i64,
    sendtype: Datatype,
    recvbuf: Addr,
    recvcount: i64,
    recvtype: Datatype,
    comm: Comm,
    _info: Info,
) -> Result<Request> {
    prepare(r, comm, |comm| Neighbor::alltoall(r, comm, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype))
}

/// `MPI_Neighbor_alltoallv_init`
pub async fn neighbor_alltoallv_init(
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
    _info: Info,
) -> Result<Request> {
    prepare(r, comm, |comm| {
        Neighbor::alltoallv(r, comm, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype)
    })
}

/// `MPI_Neighbor_alltoallw_init`
pub async fn neighbor_alltoallw_init(
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
    _info: Info,
) -> Result<Request> {
    prepare(r, comm, |comm| {
        Neighbor::alltoallw(r, comm, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes)
    })
}
