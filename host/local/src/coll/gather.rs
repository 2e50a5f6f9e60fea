//! `MPI_Gather`, `MPI_Gatherv`: every rank's block goes straight to its place in the root's memory, or with those of its party.

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

/// `MPI_Gather`, `MPI_Gatherv`
pub struct Gather {
    ends: Rooted,
    /// Whether all blocks have as many bytes.
    is_even: bool,
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
        let ends = Gather::ends((sendbuf, sendcount, sendtype), recvbuf);
        Ok(Gather { ends: Rooted::new(r, comm, root, ends, blocks)?, is_even: true })
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
        let ends = Gather::ends((sendbuf, sendcount, sendtype), recvbuf);
        Ok(Gather { ends: Rooted::new(r, comm, root, ends, blocks)?, is_even: false })
    }

    fn ends(own: (Addr, i64, Datatype), all: Addr) -> Ends {
        Ends {
            own,
            own_name: "the send buffer of a rank that is not the root",
            all,
            all_name: "the receive buffer",
            sends_own: true,
        }
    }
}

impl Collective for Gather {
    fn root(&self, rank: usize) -> Option<usize> {
        self.ends.root(rank)
    }

    async fn run(&self, g: &Coll<'_>) -> Result<()> {
        match &self.ends {
            Rooted::Idle => Ok(()),
            Rooted::Member { root, own } => {
                let parties = Parties::new(g, *root, self.is_even.then_some(own.bytes()));
                match parties.filter(|parties| parties.home != parties.nodes.of(g.rank)) {
                    Some(parties) => send_together(g, &parties, *root, own).await,
                    None => g.send_some(*root, own).await,
                }
            }
            Rooted::Root { own, blocks } => collect(g, own.as_ref(), blocks).await,
        }
    }
}

/// The root gets everybody's block.
async fn collect(g: &Coll<'_>, own: Option<&Span<'_>>, blocks: &Blocks) -> Result<()> {
    let parties = Parties::new(g, g.rank, blocks.even_bytes());
    let is_together = |peer, block: &Span<'_>| parties.as_ref().is_some_and(|parties| parties.have(peer, block));
    let mut flight = Flight::new();
    for peer in 0..g.size {
        let block = blocks.get(g.r(), peer)?;
        if is_together(peer, &block) {
            continue;
        }
        if peer != g.rank || g.is_inter() {
            flight.take_some(g, peer, &block).await?;
        } else if let Some(own) = own {
            copy_own(&block, own)?;
        }
    }
    let mut told = Ok(());
    for party in parties.iter().flat_map(|parties| parties.nodes.parties(parties.most, parties.home)) {
        let came = landed(g.r(), g.irecv_bytes(party.start, ANY)?, ANY).await?.bytes;
        for (peer, part) in party.clone().zip(parts(&came, party.len())?) {
            let block = blocks.get(g.r(), peer)?;
            if is_together(peer, &block) {
                told = told.and(settle(&block, &came[part], peer));
            }
        }
    }
    flight.land().await.and(told)
}

/// Sends this rank's block by way of the first of its party, which sends those of all, or straight to the root.
async fn send_together(g: &Coll<'_>, parties: &Parties, root: usize, own: &Span<'_>) -> Result<()> {
    let party = parties.nodes.party(g.rank, parties.most);
    let mut flight = Flight::new();
    let mut own = own.again();
    if !parties.have(g.rank, &own) {
        flight.send_some(g, root, &own).await?;
        own = Span::EMPTY;
    }
    if g.rank != party.start {
        g.send(party.start, &own).await?;
        return flight.land().await;
    }
    let coming = (party.start + 1..party.end).map(|peer| g.irecv_bytes(peer, ANY)).collect::<Result<Vec<_>>>()?;
    let mut came = Vec::with_capacity(coming.len());
    for one in coming {
        came.push(landed(g.r(), one, ANY).await?);
    }
    let length = |index: usize| index.checked_sub(1).map_or(own.bytes(), |other| came[other].bytes.len());
    let bundle = bundle(g.r(), party.len(), length, |index, to| match index.checked_sub(1) {
        Some(other) => to.copy_from_slice(&came[other].bytes),
        None => own.read(0, to),
    })?;
    g.isend_carried(root, bundle)?.finish().await?;
    flight.land().await
}
