//! `MPI_Alltoall`, `MPI_Alltoallv`, `MPI_Alltoallw`

use rankine_abi::{Addr, Datatype};

use super::buffers::{Blocks, copy_own, is_in_place, not_in_place};
use super::flight::{Flight, Scratch};
use super::{Coll, Collective};
use crate::comm::Communicator;
use crate::error::Result;
use crate::rank::Rank;

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
        match &self.send {
            Some(send) if g.is_inter() => self.between(g, send).await,
            Some(send) if let Some(bytes) = self.short(g, send) => self.in_rounds(g, send, bytes).await,
            Some(send) => self.directly(g, send).await,
            None => self.in_place(g).await,
        }
    }
}

/// Blocks of up to this many bytes cost less to pass on a few times than to be messages of their own.
const SHORT: usize = 256;

impl Alltoall {
    /// The bytes of a block, if all of them have as many and so few that they better travel together.
    fn short(&self, g: &Coll<'_>, send: &Blocks) -> Option<usize> {
        let bytes = send.even_bytes()?;
        let few = if g.has_cores() { SHORT / 4 } else { SHORT };
        (g.size >= 8 && (1..=few).contains(&bytes) && self.receive.even_bytes() == Some(bytes)).then_some(bytes)
    }

    /// In round k, blocks travel 2ᵏ ranks further if that is part of their way (Bruck, Ho, Kipnis, Upfal,
    /// Weathersby, "Efficient algorithms for all-to-all communications in multiport message-passing systems", IEEE Transactions
    /// on Parallel and Distributed Systems 8, 1997). The blocks that a rank
    /// holds lie in the order of how far they have to go in all.
    async fn in_rounds(&self, g: &Coll<'_>, send: &Blocks, bytes: usize) -> Result<()> {
        let mut held = Scratch::new(g.r(), g.size * bytes)?;
        for (distance, block) in held.chunks_exact_mut(bytes).enumerate() {
            send.get(g.r(), (g.rank + distance) % g.size)?.read(0, block);
        }
        let mut step = 1;
        while step < g.size {
            let travels = |&distance: &usize| distance & step != 0;
            let count = (0..g.size).filter(travels).count();
            let mut parcel = Scratch::new(g.r(), count * bytes)?;
            for (to, distance) in parcel.chunks_exact_mut(bytes).zip((0..g.size).filter(travels)) {
                to.copy_from_slice(&held[distance * bytes..][..bytes]);
            }
            let receiving = g.irecv_carried((g.rank + g.size - step) % g.size, count * bytes)?;
            g.isend_carried((g.rank + step) % g.size, parcel)?.finish().await?;
            let parcel = receiving.finish().await?;
            for (from, distance) in parcel.chunks_exact(bytes).zip((0..g.size).filter(travels)) {
                held[distance * bytes..][..bytes].copy_from_slice(from);
            }
            step *= 2;
        }
        for (distance, block) in held.chunks_exact(bytes).enumerate() {
            self.receive.get(g.r(), (g.rank + g.size - distance) % g.size)?.unpack(0, block);
        }
        Ok(())
    }

    /// Every block goes straight to its place.
    async fn directly(&self, g: &Coll<'_>, send: &Blocks) -> Result<()> {
        copy_own(&self.receive.get(g.r(), g.rank)?, &send.get(g.r(), g.rank)?)?;
        let mut flight = Flight::new();
        for step in 1..g.size {
            let (to, from) = ((g.rank + step) % g.size, (g.rank + g.size - step) % g.size);
            flight.recv_some(g, from, &self.receive.get(g.r(), from)?).await?;
            flight.send_some(g, to, &send.get(g.r(), to)?).await?;
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
    async fn in_place(&self, g: &Coll<'_>) -> Result<()> {
        for step in 0..g.size {
            let peer = (step + g.size - g.rank) % g.size;
            let block = self.receive.get(g.r(), peer)?;
            if peer == g.rank || block.bytes() == 0 {
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
