//! `MPI_Scatter`, `MPI_Scatterv`: every rank's block comes straight from its place in the root's memory.

use rankine_abi::{Addr, Datatype};

use super::buffers::{Blocks, Role, copy_own, is_in_place, not_in_place};
use super::flight::Flight;
use super::{Coll, Collective};
use crate::comm::Communicator;
use crate::error::Result;
use crate::rank::Rank;
use crate::span::Span;

/// `MPI_Scatter`, `MPI_Scatterv`
pub struct Scatter(Part);

/// What a rank does in it.
enum Part {
    /// The root's own block is `None` where it stays in place.
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

impl Scatter {
    /// `MPI_Scatter`
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
        let blocks = |peers| Blocks::even(r, sendbuf, sendcount, sendtype, peers);
        Scatter::new(r, comm, root, sendbuf, blocks, (recvbuf, recvcount, recvtype))
    }

    /// `MPI_Scatterv`
    pub fn varied(
        r: &Rank,
        comm: &Communicator,
        sendbuf: Addr,
        sendcounts: &[i64],
        displs: &[i64],
        sendtype: Datatype,
        recvbuf: Addr,
        recvcount: i64,
        recvtype: Datatype,
        root: i32,
    ) -> Result<Self> {
        let blocks = |peers| Blocks::varied(r, sendbuf, sendcounts, displs, sendtype, peers);
        Scatter::new(r, comm, root, sendbuf, blocks, (recvbuf, recvcount, recvtype))
    }

    fn new(
        r: &Rank,
        comm: &Communicator,
        root: i32,
        sendbuf: Addr,
        blocks: impl FnOnce(usize) -> Result<Blocks>,
        (recvbuf, recvcount, recvtype): (Addr, i64, Datatype),
    ) -> Result<Self> {
        let role = Role::new(comm, root)?;
        let part = match role {
            Role::Idle => Part::Idle,
            Role::Member(root) => {
                not_in_place(recvbuf, "the receive buffer of a rank that is not the root")?;
                Part::Member { root, own: r.span(recvbuf, recvcount, recvtype)? }
            }
            Role::Root => {
                not_in_place(sendbuf, "the send buffer")?;
                let has_own = comm.remote.is_none() && !is_in_place(comm, recvbuf)?;
                let blocks = blocks(comm.peers().len())?;
                let own = if has_own { Some(r.span(recvbuf, recvcount, recvtype)?) } else { None };
                if let Some(own) = &own {
                    blocks.apart_from(r, own, comm.peers().len())?;
                }
                Part::Root { own, blocks }
            }
        };
        Ok(Scatter(part))
    }
}

impl Collective for Scatter {
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
            Part::Member { root, own } => g.recv_some(*root, own).await,
            Part::Root { own, blocks } => {
                let mut flight = Flight::new();
                for peer in 0..g.size {
                    if peer != g.rank || g.is_inter() {
                        flight.send_some(g, peer, &blocks.get(g.r(), peer)?).await?;
                    } else if let Some(own) = own {
                        copy_own(own, &blocks.get(g.r(), peer)?)?;
                    }
                }
                flight.land().await
            }
        }
    }
}
