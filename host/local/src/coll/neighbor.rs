//! Neighbourhood collectives (MPI-5.0 §8.6): each rank exchanges blocks with its neighbours in the communicator's
//! topology.

use rankine_abi::{Addr, Datatype, MPI_PROC_NULL};

use super::buffers::{Blocks, not_in_place};
use super::flight::Flight;
use super::{Coll, Collective};
use crate::comm::Communicator;
use crate::error::Result;
use crate::quota::{Charge, Cost};
use crate::rank::Rank;
use crate::span::Span;
use crate::topo::Topology;

/// What goes to the destinations.
enum Outgoing {
    /// One span, to each.
    One(Span<'static>),
    /// A block for each.
    Blocks(Blocks),
}

/// A neighbourhood collective.
pub struct Neighbor {
    sources: Vec<i32>,
    destinations: Vec<i32>,
    send: Outgoing,
    receive: Blocks,
    /// What the lists of neighbours take.
    _charge: Charge,
    /// The two neighbours of a dimension may be the same rank; then what it sends one way comes in from the other way.
    grid: bool,
}

impl Neighbor {
    fn new(
        r: &Rank,
        comm: &Communicator,
        (sendbuf, recvbuf): (Addr, Addr),
        send: impl FnOnce(usize) -> Result<Outgoing>,
        receive: impl FnOnce(usize) -> Result<Blocks>,
    ) -> Result<Self> {
        not_in_place(sendbuf, "a buffer of a neighbourhood collective")?;
        not_in_place(recvbuf, "a buffer of a neighbourhood collective")?;
        let (sources, destinations) = comm.neighbors()?;
        let neighbors = sources.len() + destinations.len();
        let _charge = r.account.charge(neighbors * size_of::<i32>(), Cost::Neighbours)?;
        let (send, receive) = (send(destinations.len())?, receive(sources.len())?);
        let grid = matches!(comm.topology(), Some(Topology::Cart(_)));
        Ok(Neighbor { sources, destinations, send, receive, _charge, grid })
    }

    /// `MPI_Neighbor_allgather`
    pub fn allgather(
        r: &Rank,
        comm: &Communicator,
        sendbuf: Addr,
        sendcount: i64,
        sendtype: Datatype,
        recvbuf: Addr,
        recvcount: i64,
        recvtype: Datatype,
    ) -> Result<Self> {
        let send = |_| Ok(Outgoing::One(r.span(sendbuf, sendcount, sendtype)?));
        let receive = |sources| Blocks::even(r, recvbuf, recvcount, recvtype, sources);
        Neighbor::new(r, comm, (sendbuf, recvbuf), send, receive)
    }

    /// `MPI_Neighbor_allgatherv`
    pub fn allgatherv(
        r: &Rank,
        comm: &Communicator,
        sendbuf: Addr,
        sendcount: i64,
        sendtype: Datatype,
        recvbuf: Addr,
        recvcounts: &[i64],
        displs: &[i64],
        recvtype: Datatype,
    ) -> Result<Self> {
        let send = |_| Ok(Outgoing::One(r.span(sendbuf, sendcount, sendtype)?));
        let receive = |sources| Blocks::varied(r, recvbuf, recvcounts, displs, recvtype, sources);
        Neighbor::new(r, comm, (sendbuf, recvbuf), send, receive)
    }

    /// `MPI_Neighbor_alltoall`
    pub fn alltoall(
        r: &Rank,
        comm: &Communicator,
        sendbuf: Addr,
        sendcount: i64,
        sendtype: Datatype,
        recvbuf: Addr,
        recvcount: i64,
        recvtype: Datatype,
    ) -> Result<Self> {
        let send = |peers| Ok(Outgoing::Blocks(Blocks::even(r, sendbuf, sendcount, sendtype, peers)?));
        let receive = |sources| Blocks::even(r, recvbuf, recvcount, recvtype, sources);
        Neighbor::new(r, comm, (sendbuf, recvbuf), send, receive)
    }

    /// `MPI_Neighbor_alltoallv`
    pub fn alltoallv(
        r: &Rank,
        comm: &Communicator,
        sendbuf: Addr,
        sendcounts: &[i64],
        sdispls: &[i64],
        sendtype: Datatype,
        recvbuf: Addr,
        recvcounts: &[i64],
        rdispls: &[i64],
        recvtype: Datatype,
    ) -> Result<Self> {
        let send = |peers| Ok(Outgoing::Blocks(Blocks::varied(r, sendbuf, sendcounts, sdispls, sendtype, peers)?));
        let receive = |sources| Blocks::varied(r, recvbuf, recvcounts, rdispls, recvtype, sources);
        Neighbor::new(r, comm, (sendbuf, recvbuf), send, receive)
    }

    /// `MPI_Neighbor_alltoallw`
    pub fn alltoallw(
        r: &Rank,
        comm: &Communicator,
        sendbuf: Addr,
        sendcounts: &[i64],
        sdispls: &[i64],
        sendtypes: &[Datatype],
        recvbuf: Addr,
        recvcounts: &[i64],
        rdispls: &[i64],
        recvtypes: &[Datatype],
    ) -> Result<Self> {
        let send = |peers| Ok(Outgoing::Blocks(Blocks::typed(r, sendbuf, sendcounts, sdispls, sendtypes, peers)?));
        let receive = |sources| Blocks::typed(r, recvbuf, recvcounts, rdispls, recvtypes, sources);
        Neighbor::new(r, comm, (sendbuf, recvbuf), send, receive)
    }
}

impl Collective for Neighbor {
    async fn run(&self, g: &Coll<'_>) -> Result<()> {
        let mut arrivals = Vec::new();
        for index in 0..self.sources.len() {
            // Messages between two ranks keep their order, so receives are posted in the order in which the peer sends.
            let index = if self.grid { index ^ 1 } else { index };
            let source = self.sources[index];
            if source != MPI_PROC_NULL {
                arrivals.push(g.irecv(source as usize, &self.receive.get(g.r(), index)?)?);
            }
        }
        let mut flight = Flight::new();
        for (index, &destination) in self.destinations.iter().enumerate() {
            if destination == MPI_PROC_NULL {
                continue;
            }
            let pending = match &self.send {
                Outgoing::One(span) => g.isend(destination as usize, span)?,
                Outgoing::Blocks(blocks) => g.isend(destination as usize, &blocks.get(g.r(), index)?)?,
            };
            flight.add(pending).await?;
        }
        for arrival in arrivals {
            arrival.finish().await?;
        }
        flight.land().await
    }
}
