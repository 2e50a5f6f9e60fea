//! `MPI_Scatter`, `MPI_Scatterv`: every rank's block comes straight from its place in the root's memory, or with those of its
//! party.

use rankine_abi::{Addr, Datatype};

use super::buffers::{Blocks, copy_own};
use super::bundle::{ANY, bundle, parts, settle};
use super::bytes::landed;
use super::flight::Flight;
use super::rooted::{Ends, Parties, Rooted};
use super::{Coll, Collective};
use crate::comm::Communicator;
use crate::error::Result;
use crate::rank::Rank;
use crate::span::Span;

/// `MPI_Scatter`, `MPI_Scatterv`
pub struct Scatter {
    ends: Rooted,
    /// Whether all blocks have as many bytes.
    is_even: bool,
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
        let ends = Scatter::ends((recvbuf, recvcount, recvtype), sendbuf);
        Ok(Scatter { ends: Rooted::new(r, comm, root, ends, blocks)?, is_even: true })
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
        let ends = Scatter::ends((recvbuf, recvcount, recvtype), sendbuf);
        Ok(Scatter { ends: Rooted::new(r, comm, root, ends, blocks)?, is_even: false })
    }

    fn ends(own: (Addr, i64, Datatype), all: Addr) -> Ends {
        Ends {
            own,
            own_name: "the receive buffer of a rank that is not the root",
            all,
            all_name: "the send buffer",
            sends_own: false,
        }
    }
}

impl Collective for Scatter {
    fn root(&self, rank: usize) -> Option<usize> {
        self.ends.root(rank)
    }

    async fn run(&self, g: &Coll<'_>) -> Result<()> {
        match &self.ends {
            Rooted::Idle => Ok(()),
            Rooted::Member { root, own } => {
                let parties = Parties::new(g, *root, self.is_even.then_some(own.bytes()));
                match parties.filter(|parties| parties.home != parties.nodes.of(g.rank)) {
                    Some(parties) => receive_together(g, &parties, *root, own).await,
                    None => g.recv_some(*root, own).await,
                }
            }
            Rooted::Root { own, blocks } => hand_out(g, own.as_ref(), blocks).await,
        }
    }
}

/// The root sends everybody its block.
async fn hand_out(g: &Coll<'_>, own: Option<&Span<'_>>, blocks: &Blocks) -> Result<()> {
    let parties = Parties::new(g, g.rank, blocks.even_bytes());
    let is_together = |peer, block: &Span<'_>| parties.as_ref().is_some_and(|parties| parties.have(peer, block));
    let mut flight = Flight::new();
    for party in parties.iter().flat_map(|parties| parties.nodes.parties(parties.most, parties.home)) {
        let mut together = Vec::with_capacity(party.len());
        for peer in party.clone() {
            let block = blocks.get(g.r(), peer)?;
            together.push(if is_together(peer, &block) { block } else { Span::EMPTY });
        }
        let fill = |index: usize, to: &mut [u8]| together[index].read(0, to);
        let bundle = bundle(g.r(), together.len(), |index| together[index].bytes(), fill)?;
        flight.carry(g.isend_carried(party.start, bundle)?).await?;
    }
    for peer in 0..g.size {
        let block = blocks.get(g.r(), peer)?;
        if is_together(peer, &block) {
            continue;
        }
        if peer != g.rank || g.is_inter() {
            flight.send_some(g, peer, &block).await?;
        } else if let Some(own) = own {
            copy_own(own, &block)?;
        }
    }
    flight.land().await
}

/// Gets this rank's block by way of the first of its party, which has got those of all, or straight from the root.
async fn receive_together(g: &Coll<'_>, parties: &Parties, root: usize, own: &Span<'_>) -> Result<()> {
    let party = parties.nodes.party(g.rank, parties.most);
    let is_together = parties.have(g.rank, own);
    if g.rank != party.start {
        return g.recv_some(if is_together { party.start } else { root }, own).await;
    }
    let mut came = landed(g.r(), g.irecv_bytes(root, ANY)?, ANY).await?.bytes;
    let parts = parts(&came, party.len())?;
    let mine = if is_together { settle(own, &came[parts[0].clone()], root) } else { Ok(()) };
    let all = Span::over(&mut came);
    let mut flight = Flight::new();
    for (peer, part) in party.zip(parts).skip(1) {
        flight.send_some(g, peer, &all.part(part)).await?;
    }
    flight.land().await?;
    if !is_together {
        g.recv_some(root, own).await?;
    }
    mine
}
