//! `MPI_Allgather`, `MPI_Allgatherv`

use rankine_abi::{Addr, Datatype};

use super::buffers::{Blocks, copy_own, is_in_place, not_in_place};
use super::flight::Flight;
use super::{Coll, Collective, bcast};
use crate::comm::Communicator;
use crate::error::Result;
use crate::rank::Rank;
use crate::span::Span;

/// `MPI_Allgather`, `MPI_Allgatherv`
pub struct Allgather {
    /// `None` where the block lies in place.
    own: Option<Span<'static>>,
    blocks: Blocks,
}

impl Allgather {
    fn new(
        r: &Rank,
        comm: &Communicator,
        (sendbuf, sendcount, sendtype): (Addr, i64, Datatype),
        recvbuf: Addr,
        blocks: impl FnOnce(usize) -> Result<Blocks>,
    ) -> Result<Self> {
        not_in_place(recvbuf, "the receive buffer")?;
        let own = if is_in_place(comm, sendbuf)? { None } else { Some(r.span(sendbuf, sendcount, sendtype)?) };
        let peers = comm.peers().len();
        let blocks = blocks(peers)?;
        if let Some(own) = &own {
            blocks.apart_from(r, own, peers)?;
        }
        Ok(Allgather { own, blocks })
    }

    /// `MPI_Allgather`
    pub fn even(
        r: &Rank,
        comm: &Communicator,
        sendbuf: Addr,
        sendcount: i64,
        sendtype: Datatype,
        recvbuf: Addr,
        recvcount: i64,
        recvtype: Datatype,
    ) -> Result<Self> {
        let blocks = |peers| Blocks::even(r, recvbuf, recvcount, recvtype, peers);
        Allgather::new(r, comm, (sendbuf, sendcount, sendtype), recvbuf, blocks)
    }

    /// `MPI_Allgatherv`
    pub fn varied(
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
        let blocks = |peers| Blocks::varied(r, recvbuf, recvcounts, displs, recvtype, peers);
        Allgather::new(r, comm, (sendbuf, sendcount, sendtype), recvbuf, blocks)
    }
}

/// Blocks that together are shorter than this go by way of rank 0 even if every rank has a core of its own; so do all where ranks
/// share nodes.
const SHORT: usize = 16 << 10;

impl Collective for Allgather {
    async fn run(&self, g: &Coll<'_>) -> Result<()> {
        if g.is_inter() {
            return self.between(g).await;
        }
        let mine = self.blocks.get(g.r(), g.rank)?;
        if let Some(own) = &self.own {
            copy_own(&mine, own)?;
        }
        let all = self.blocks.run(g.r(), 0..g.size)?;
        if all.bytes() == 0 || g.size == 1 {
            return Ok(());
        }
        if g.size > 2 && (g.unit() > 1 || all.bytes() <= SHORT) {
            return self.by_way_of_first(g, &all).await;
        }
        everybody(g, &mine, |peer| self.blocks.get(g.r(), peer)).await
    }
}

impl Allgather {
    /// On an intercommunicator: everybody's block goes to everybody of the other group.
    async fn between(&self, g: &Coll<'_>) -> Result<()> {
        let mut arrivals = Vec::new();
        for peer in 0..g.size {
            let block = self.blocks.get(g.r(), peer)?;
            if block.bytes() > 0 {
                arrivals.push(g.irecv(peer, &block)?);
            }
        }
        let mut flight = Flight::new();
        for step in 0..g.size {
            if let Some(own) = &self.own {
                flight.send_some(g, (g.rank + step) % g.size, own).await?;
            }
        }
        for arrival in arrivals {
            arrival.finish().await?;
        }
        flight.land().await
    }

    /// Up a tree, in which a rank has the blocks of those below it next to its own, and down again.
    async fn by_way_of_first(&self, g: &Coll<'_>, all: &Span<'_>) -> Result<()> {
        let tree = g.tree();
        let below = |rank| self.blocks.run(g.r(), rank..rank + tree.subtree(rank));
        let mut flight = Flight::new();
        for child in tree.children(g.rank) {
            flight.recv_some(g, child, &below(child)?).await?;
        }
        flight.land().await?;
        if let Some(parent) = tree.parent(g.rank) {
            g.send_some(parent, &below(g.rank)?).await?;
        }
        bcast::spread(g, 0, all).await
    }
}

/// Everybody's own block goes straight to everybody: as many copies as there are blocks to fill.
pub(super) async fn everybody<'a>(
    g: &Coll<'a>,
    mine: &Span<'a>,
    block: impl Fn(usize) -> Result<Span<'a>>,
) -> Result<()> {
    if g.size == 2 {
        let peer = 1 - g.rank;
        return g.swap(peer, mine, &block(peer)?).await;
    }
    let mut flight = Flight::new();
    for step in 1..g.size {
        let (to, from) = ((g.rank + step) % g.size, (g.rank + g.size - step) % g.size);
        flight.recv_some(g, from, &block(from)?).await?;
        flight.send_some(g, to, mine).await?;
    }
    flight.land().await
}
