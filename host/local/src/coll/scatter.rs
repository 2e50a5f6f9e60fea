//! `MPI_Scatter`, `MPI_Scatterv`: every rank's block comes straight from its place in the root's memory.

use rankine_abi::{Addr, Datatype};

use super::buffers::{Blocks, copy_own};
use super::flight::Flight;
use super::rooted::{Ends, Rooted};
use super::{Coll, Collective};
use crate::comm::Communicator;
use crate::error::Result;
use crate::rank::Rank;

/// `MPI_Scatter`, `MPI_Scatterv`
pub struct Scatter(Rooted);

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
        Scatter::new(r, comm, root, (recvbuf, recvcount, recvtype), sendbuf, blocks)
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
        Scatter::new(r, comm, root, (recvbuf, recvcount, recvtype), sendbuf, blocks)
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
            own_name: "the receive buffer of a rank that is not the root",
            all,
            all_name: "the send buffer",
            sends_own: false,
        };
        Rooted::new(r, comm, root, ends, blocks).map(Scatter)
    }
}

impl Collective for Scatter {
    fn root(&self, rank: usize) -> Option<usize> {
        self.0.root(rank)
    }

    async fn run(&self, g: &Coll<'_>) -> Result<()> {
        match &self.0 {
            Rooted::Idle => Ok(()),
            Rooted::Member { root, own } => g.recv_some(*root, own).await,
            Rooted::Root { own, blocks } => {
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
