//! `MPI_Gather`, `MPI_Gatherv`: every rank's block goes straight to its place in the root's memory.

use rankine_abi::{Addr, Datatype};

use super::buffers::{Blocks, Role, copy_own, is_in_place, not_in_place};
use super::flight::Flight;
use super::{Coll, Collective};
use crate::comm::Communicator;
use crate::error::Result;
use crate::rank::Rank;
use crate::span::Span;

/// `MPI_Gather`, `MPI_Gatherv`
pub struct Gather(Part);

/// What a rank does in it.
enum Part {
    /// The root's own block is `None` where it lies in place.
    Root {
        own: Option<Span<'static>>,
        blocks: Blocks,
    },
    Member {
        root: usize,
        own: Span<'static>,
    },
    Idle,
}

impl Gather {
    /// `MPI_Gather`
    pub fn even(
        r: &Rank,
        comm: &Communicator,
        sendbuf: Addr,
        sendcount: i64,
        sendtype: Datatype,
        recvbuf: Addr,
        recvcount: i64,
        recvtype: Datatype,
        root: i32,
    ) -> Result<Self> {
        let blocks = |peers| Blocks::even(r, recvbuf, recvcount, recvtype, peers);
        Gather::new(r, comm, root, (sendbuf, sendcount, sendtype), recvbuf, blocks)
    }

    /// `MPI_Gatherv`
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
        root: i32,
    ) -> Result<Self> {
        let blocks = |peers| Blocks::varied(r, recvbuf, recvcounts, displs, recvtype, peers);
        Gather::new(r, comm, root, (sendbuf, sendcount, sendtype), recvbuf, blocks)
    }

    fn new(
        r: &Rank,
        comm: &Communicator,
        root: i32,
        (sendbuf, sendcount, sendtype): (Addr, i64, Datatype),
        recvbuf: Addr,
        blocks: impl FnOnce(usize) -> Result<Blocks>,
    ) -> Result<Self> {
        let role = Role::new(comm, root)?;
        let part = match role {
            Role::Idle => Part::Idle,
            Role::Member(root) => {
                not_in_place(sendbuf, "the send buffer of a rank that is not the root")?;
                Part::Member { root, own: r.span(sendbuf, sendcount, sendtype)? }
            }
            Role::Root => {
                not_in_place(recvbuf, "the receive buffer")?;
                let has_own = comm.remote.is_none() && !is_in_place(comm, sendbuf)?;
                let own = if has_own { Some(r.span(sendbuf, sendcount, sendtype)?) } else { None };
                let blocks = blocks(comm.peers().len())?;
                if let Some(own) = &own {
                    blocks.apart_from(r, own, comm.peers().len())?;
                }
                Part::Root { own, blocks }
            }
        };
        Ok(Gather(part))
    }
}

impl Collective for Gather {
    fn root(&self, rank: usize) -> Option<usize> {
        match self.0 {
            Part::Root { .. } => Some(rank),
            Part::Member { root, .. } => Some(root),
            Part::Idle => None,
        }
    }

    async fn run(&self, g: &Coll<'_>) -> Result<()> {
        match &self.0 {
            Part::Idle => Ok(()),
            Part::Member { root, own } => g.send_some(*root, own).await,
            Part::Root { own, blocks } => {
                let mut flight = Flight::new();
                for peer in 0..g.size {
                    if peer != g.rank || g.is_inter() {
                        flight.recv_some(g, peer, &blocks.get(g.r(), peer)?).await?;
                    } else if let Some(own) = own {
                        copy_own(&blocks.get(g.r(), peer)?, own)?;
                    }
                }
                flight.land().await
            }
        }
    }
}
