//! `MPI_Alltoall`, `MPI_Alltoallv`, `MPI_Alltoallw`

use std::ops::Range;

use rankine_abi::{Addr, Datatype};

use super::between::Way;
use super::buffers::{Blocks, copy_own, is_in_place, not_in_place};
use super::flight::{Flight, Scratch};
use super::{Coll, Collective};
use crate::comm::Communicator;
use crate::error::Result;
use crate::rank::Rank;
use crate::span::Span;

/// `MPI_Alltoall`, `MPI_Alltoallv`, `MPI_Alltoallw`
pub struct Alltoall {
    /// `None`: what is sent lies in the receive blocks.
    send: Option<Blocks>,
    receive: Blocks,
}

impl Alltoall {
    fn new(
        r: &Rank,
        comm: &Communicator,
        (sendbuf, recvbuf): (Addr, Addr),
        send: impl FnOnce(usize) -> Result<Blocks>,
        receive: impl FnOnce(usize) -> Result<Blocks>,
    ) -> Result<Self> {
        not_in_place(recvbuf, "the receive buffer")?;
        let peers = comm.peers().len();
        let send = if is_in_place(comm, sendbuf)? { None } else { Some(send(peers)?) };
        let receive = receive(peers)?;
        if let Some(send) = &send {
            for peer in 0..peers {
                receive.get(r, peer)?.apart_from(&send.get(r, peer)?)?;
            }
        }
        Ok(Alltoall { send, receive })
    }

    /// `MPI_Alltoall`
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
        let send = |peers| Blocks::even(r, sendbuf, sendcount, sendtype, peers);
        let receive = |peers| Blocks::even(r, recvbuf, recvcount, recvtype, peers);
        Alltoall::new(r, comm, (sendbuf, recvbuf), send, receive)
    }

    /// `MPI_Alltoallv`
    pub fn varied(
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
        let send = |peers| Blocks::varied(r, sendbuf, sendcounts, sdispls, sendtype, peers);
        let receive = |peers| Blocks::varied(r, recvbuf, recvcounts, rdispls, recvtype, peers);
        Alltoall::new(r, comm, (sendbuf, recvbuf), send, receive)
    }

    /// `MPI_Alltoallw`
    pub fn typed(
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
        let send = |peers| Blocks::typed(r, sendbuf, sendcounts, sdispls, sendtypes, peers);
        let receive = |peers| Blocks::typed(r, recvbuf, recvcounts, rdispls, recvtypes, peers);
        Alltoall::new(r, comm, (sendbuf, recvbuf), send, receive)
    }
}

impl Collective for Alltoall {
    async fn run(&self, g: &Coll<'_>) -> Result<()> {
        if let (Some(send), true) = (&self.send, g.is_inter()) {
            return self.between(g, send).await;
        }
        let way = Way::new(g, &self.receive);
        let speaking = match &way {
            Some(way) => Some(way.begin(g, self.send.as_ref().unwrap_or(&self.receive)).await?),
            None => None,
        };
        // What goes straight; the rest is under way meanwhile.
        let (near, longest) = way.as_ref().map_or((0..g.size, 0), |way| (way.home(g), way.longest));
        let straight = |peer: usize, block: &Span<'_>| near.contains(&peer) || block.bytes() > longest;
        let went = match &self.send {
            Some(send) if let Some(bytes) = self.short(g, near.len(), send) => {
                self.in_rounds(g, near.clone(), send, bytes).await
            }
            Some(send) => self.directly(g, send, straight).await,
            None => self.in_place(g, straight).await,
        };
        // Whatever came of it, others wait for what this rank hands out.
        match (way, speaking) {
            (Some(way), Some(speaking)) => went.and(way.end(g, speaking, &self.receive).await),
            _ => went,
        }
    }
}

/// Blocks of up to this many bytes cost less to pass on a few times than to be messages of their own.
const SHORT: usize = 256;

impl Alltoall {
    /// The bytes of a block, if all of them have as many and so few that those of so many ranks better travel together.
    fn short(&self, g: &Coll<'_>, ranks: usize, send: &Blocks) -> Option<usize> {
        let bytes = send.even_bytes()?;
        let few = if g.has_cores() { SHORT / 4 } else { SHORT };
        (ranks >= 8 && (1..=few).contains(&bytes) && self.receive.even_bytes() == Some(bytes)).then_some(bytes)
    }

    /// In round k, blocks travel 2ᵏ ranks further if that is part of their way (Bruck, Ho, Kipnis, Upfal,
    /// Weathersby, "Efficient algorithms for all-to-all communications in multiport message-passing systems", IEEE Transactions
    /// on Parallel and Distributed Systems 8, 1997). The blocks that a rank
    /// holds lie in the order of how far they have to go in all.
    async fn in_rounds(&self, g: &Coll<'_>, ranks: Range<usize>, send: &Blocks, bytes: usize) -> Result<()> {
        let (size, own) = (ranks.len(), g.rank - ranks.start);
        let after = |distance: usize| ranks.start + (own + distance) % size;
        let before = |distance: usize| ranks.start + (own + size - distance) % size;
        let mut held = Scratch::new(g.r(), size * bytes)?;
        for (distance, block) in held.chunks_exact_mut(bytes).enumerate() {
            send.get(g.r(), after(distance))?.read(0, block);
        }
        let mut step = 1;
        while step < size {
            let travels = |&distance: &usize| distance & step != 0;
            let count = (0..size).filter(travels).count();
            let mut parcel = Scratch::new(g.r(), count * bytes)?;
            for (to, distance) in parcel.chunks_exact_mut(bytes).zip((0..size).filter(travels)) {
                to.copy_from_slice(&held[distance * bytes..][..bytes]);
            }
            let receiving = g.irecv_carried(before(step), count * bytes)?;
            g.isend_carried(after(step), parcel)?.finish().await?;
            let parcel = receiving.finish().await?;
            for (from, distance) in parcel.chunks_exact(bytes).zip((0..size).filter(travels)) {
                held[distance * bytes..][..bytes].copy_from_slice(from);
            }
            step *= 2;
        }
        for (distance, block) in held.chunks_exact(bytes).enumerate() {
            self.receive.get(g.r(), before(distance))?.unpack(0, block);
        }
        Ok(())
    }

    /// Every block that goes straight goes to its place.
    async fn directly(&self, g: &Coll<'_>, send: &Blocks, straight: impl Fn(usize, &Span<'_>) -> bool) -> Result<()> {
        copy_own(&self.receive.get(g.r(), g.rank)?, &send.get(g.r(), g.rank)?)?;
        if g.size == 2 {
            let peer = 1 - g.rank;
            return g.swap(peer, &send.get(g.r(), peer)?, &self.receive.get(g.r(), peer)?).await;
        }
        let mut flight = Flight::new();
        for step in 1..g.size {
            let (to, from) = ((g.rank + step) % g.size, (g.rank + g.size - step) % g.size);
            let (sent, received) = (send.get(g.r(), to)?, self.receive.get(g.r(), from)?);
            if straight(from, &received) {
                flight.recv_some(g, from, &received).await?;
            }
            if straight(to, &sent) {
                flight.send_some(g, to, &sent).await?;
            }
        }
        flight.land().await
    }

    /// On an intercommunicator: no receive waits for a send, so that groups of different sizes cannot stop each other.
    async fn between(&self, g: &Coll<'_>, send: &Blocks) -> Result<()> {
        let mut arrivals = Vec::new();
        for peer in 0..g.size {
            let block = self.receive.get(g.r(), peer)?;
            if block.bytes() > 0 {
                arrivals.push(g.irecv(peer, &block)?);
            }
        }
        let mut flight = Flight::new();
        for step in 0..g.size {
            let to = (g.rank + step) % g.size;
            flight.send_some(g, to, &send.get(g.r(), to)?).await?;
        }
        for arrival in arrivals {
            arrival.finish().await?;
        }
        flight.land().await
    }

    /// Two ranks at a time swap their blocks, with one block's copy in the host.
    async fn in_place(&self, g: &Coll<'_>, straight: impl Fn(usize, &Span<'_>) -> bool) -> Result<()> {
        for step in 0..g.size {
            let peer = (step + g.size - g.rank) % g.size;
            let block = self.receive.get(g.r(), peer)?;
            if peer == g.rank || block.bytes() == 0 || !straight(peer, &block) {
                continue;
            }
            let copy = Scratch::packed(g.r(), &block, 0, block.bytes())?;
            let receiving = g.irecv(peer, &block)?;
            let sending = g.isend_carried(peer, copy)?;
            receiving.finish().await?;
            sending.finish().await?;
        }
        Ok(())
    }
}
