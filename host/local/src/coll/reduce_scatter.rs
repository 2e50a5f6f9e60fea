//! `MPI_Reduce_scatter`, `MPI_Reduce_scatter_block`

use std::ops::Range;

use rankine_abi::{Addr, Datatype, MPI_ERR_ARG, MPI_ERR_COUNT, Op};

use super::buffers::{is_in_place, not_in_place};
use super::flight::{Flight, Scratch};
use super::reduce::{SEGMENT, by_slices, to_root};
use super::slices::{Slices, reduce_slice};
use super::{Coll, Collective, fold};
use crate::comm::Communicator;
use crate::error::{Error, Result};
use crate::op::Reduction;
use crate::rank::Rank;
use crate::span::Span;

/// `MPI_Reduce_scatter`, `MPI_Reduce_scatter_block`
pub struct ReduceScatter {
    /// The operand: everybody's slice.
    from: Span<'static>,
    /// Where this rank wants its own.
    to: Span<'static>,
    slices: Slices,
    reduction: Reduction,
}

impl ReduceScatter {
    /// `MPI_Reduce_scatter`
    pub fn varied(
        r: &Rank,
        comm: &Communicator,
        sendbuf: Addr,
        recvbuf: Addr,
        counts: &[i64],
        datatype: Datatype,
        op: Op,
    ) -> Result<Self> {
        let ranks = comm.group.len();
        if counts.len() != ranks {
            let text = format!("{} receive counts are given, but the group has {ranks} ranks", counts.len());
            return Err(Error::new(MPI_ERR_ARG, text));
        }
        if let Some(rank) = counts.iter().position(|&count| count < 0) {
            let text = format!("receive count {rank} is {}, which is negative", counts[rank]);
            return Err(Error::new(MPI_ERR_COUNT, text));
        }
        let total = counts
            .iter()
            .try_fold(0i64, |sum, &count| sum.checked_add(count))
            .ok_or_else(|| Error::new(MPI_ERR_COUNT, "the sum of the receive counts is more than 64 bits can count"))?;
        not_in_place(recvbuf, "the receive buffer")?;
        let reduction = r.collective_reduction(op, datatype)?;
        let in_place = is_in_place(comm, sendbuf)?;
        let operand = if in_place { recvbuf } else { sendbuf };
        let from = r.span(operand, total, datatype)?;
        let to = r.span(recvbuf, counts[comm.rank as usize], datatype)?;
        if !in_place {
            to.apart_from(&from)?;
        }
        let slices = Slices::of(counts, reduction.element)
            .filter(|slices| slices.length() == from.bytes())
            .ok_or_else(|| Error::new(MPI_ERR_COUNT, "the receive counts are more bytes than the operand has"))?;
        Ok(ReduceScatter { from, to, slices, reduction })
    }

    /// `MPI_Reduce_scatter_block`
    pub fn even(
        r: &Rank,
        comm: &Communicator,
        sendbuf: Addr,
        recvbuf: Addr,
        count: i64,
        datatype: Datatype,
        op: Op,
    ) -> Result<Self> {
        Self::varied(r, comm, sendbuf, recvbuf, &vec![count; comm.group.len()], datatype, op)
    }
}

impl Collective for ReduceScatter {
    async fn run(&self, g: &Coll<'_>) -> Result<()> {
        let local = g.local();
        if !g.is_inter() && g.size == 2 && self.from.bytes() <= SEGMENT {
            return self.of_two(g).await;
        }
        if !g.is_inter() && by_slices(g, self.from.bytes()) {
            // In place the result lies where others still read their slices of the operand.
            let mut result = Scratch::new(g.r(), self.to.bytes())?;
            let keep = |at: usize, bytes: &[u8]| result[at..at + bytes.len()].copy_from_slice(bytes);
            reduce_slice(g, &self.reduction, &self.from, &self.slices, keep).await?;
            self.to.unpack(0, &result);
            return Ok(());
        }
        let mut all = Scratch::new(g.r(), if g.rank == 0 { self.from.bytes() } else { 0 })?;
        let result = all.span();
        to_root(&local, &self.reduction, &self.from, (g.rank == 0).then_some(&result), 0).await?;
        if g.is_inter() && g.rank == 0 && self.from.bytes() > 0 {
            let receiving = g.irecv_carried(0, all.len())?;
            g.isend_carried(0, all)?.finish().await?;
            all = receiving.finish().await?;
        }
        self.hand_out(&local, all).await
    }
}

impl ReduceScatter {
    /// Each of two ranks has the other combine its slice of the own operand, and waits once.
    async fn of_two(&self, g: &Coll<'_>) -> Result<()> {
        let peer = 1 - g.rank;
        let [mine, theirs] = [g.rank, peer].map(|rank| self.slices.range(rank));
        let packed = |slice: Range<usize>| Scratch::packed(g.r(), &self.from, slice.start, slice.len());
        let (_, operand) = g.swap_carried(peer, packed(theirs)?, mine.len()).await?;
        let result = fold::with(g, &self.reduction, packed(mine)?, (peer, operand)).await?;
        self.to.unpack(0, &result);
        Ok(())
    }

    /// Rank 0, which has the whole result, sends everybody a slice.
    async fn hand_out(&self, g: &Coll<'_>, mut all: Scratch<'_>) -> Result<()> {
        if g.rank != 0 {
            return g.recv_some(0, &self.to).await;
        }
        self.to.unpack(0, &all[self.slices.range(0)]);
        let whole = all.span();
        let mut flight = Flight::new();
        for peer in 1..g.size {
            flight.send_some(g, peer, &whole.part(self.slices.range(peer))).await?;
        }
        flight.land().await
    }
}
