//! `MPI_Gather`, `MPI_Gatherv`: every rank's block goes straight to its place in the root's memory.

use rankine_abi::{Addr, Datatype};

use super::buffers::{Blocks, copy_own};
use super::flight::Flight;
use super::rooted::{Ends, Rooted};
use super::{Coll, Collective};
use crate::comm::Communicator;
use crate::error::Result;
use crate::rank::Rank;

/// `MPI_Gather`, `MPI_Gatherv`
pub struct Gather(Rooted);

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
        own: (Addr, i64, Datatype),
        all: Addr,
        blocks: impl FnOnce(usize) -> Result<Blocks>,
    ) -> Result<Self> {
        let ends = Ends {
            own,
            own_name: "the send buffer of a rank that is not the root",
            all,
            all_name: "the receive buffer",
            sends_own: true,
        };
        Rooted::new(r, comm, root, ends, blocks).map(Gather)
    }
}

impl Collective for Gather {
    fn root(&self, rank: usize) -> Option<usize> {
        self.0.root(rank)
    }

    async fn run(&self, g: &Coll<'_>) -> Result<()> {
        match &self.0 {
            Rooted::Idle => Ok(()),
            Rooted::Member { root, own } => g.send_some(*root, own).await,
            Rooted::Root { own, blocks } => {
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
