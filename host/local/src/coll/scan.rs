//! `MPI_Scan`, `MPI_Exscan`: along the chain of ranks, segment by segment, left to right.
//!
//! A chain has the fewest messages there can be, and long operands fill it: while a rank combines one segment, the next
//! rank combines the one before.

use rankine_abi::{Addr, Datatype, MPI_ERR_COMM, Op};

use super::buffers::is_in_place;
use super::flight::Scratch;
use super::reduce::{SEGMENT, operands};
use super::{Coll, Collective};
use crate::comm::Communicator;
use crate::error::{Error, Result};
use crate::op::Reduction;
use crate::rank::Rank;
use crate::span::Span;

/// `MPI_Scan`, `MPI_Exscan`
pub struct Scan {
    from: Span<'static>,
    to: Span<'static>,
    reduction: Reduction,
    /// Whether a rank's own operand is part of its result.
    inclusive: bool,
}

impl Scan {
    /// `MPI_Scan`
    pub fn inclusive(
        r: &Rank,
        comm: &Communicator,
        sendbuf: Addr,
        recvbuf: Addr,
        count: i64,
        datatype: Datatype,
        op: Op,
    ) -> Result<Self> {
        let reduction = reduction(r, comm, op, datatype)?;
        let (from, to) = operands(r, comm, (sendbuf, recvbuf), count, datatype)?;
        Ok(Scan { from, to, reduction, inclusive: true })
    }

    /// `MPI_Exscan`
    pub fn exclusive(
        r: &Rank,
        comm: &Communicator,
        sendbuf: Addr,
        recvbuf: Addr,
        count: i64,
        datatype: Datatype,
        op: Op,
    ) -> Result<Self> {
        let reduction = reduction(r, comm, op, datatype)?;
        // The first rank gets nothing, so its receive buffer is not looked at. One that is the operand is a mistake on every rank.
        let (from, to) = if comm.rank == 0 && sendbuf != recvbuf && !is_in_place(comm, sendbuf)? {
            (r.span(sendbuf, count, datatype)?, Span::EMPTY)
        } else {
            operands(r, comm, (sendbuf, recvbuf), count, datatype)?
        };
        Ok(Scan { from, to, reduction, inclusive: false })
    }
}

fn reduction(r: &Rank, comm: &Communicator, op: Op, datatype: Datatype) -> Result<Reduction> {
    if comm.remote.is_some() {
        return Err(Error::new(MPI_ERR_COMM, "a scan has no meaning on an intercommunicator"));
    }
    r.collective_reduction(op, datatype)
}

impl Collective for Scan {
    async fn run(&self, g: &Coll<'_>) -> Result<()> {
        let segment = self.reduction.whole_elements(SEGMENT);
        let has_next = g.rank + 1 < g.size;
        let mut sending = None;
        let mut at = 0;
        while at < self.from.bytes() {
            let length = segment.min(self.from.bytes() - at);
            let mut mine = Scratch::packed(g.r(), &self.from, at, length)?;
            if g.rank > 0 {
                let before = g.recv_carried(g.rank - 1, length).await?;
                if !self.inclusive {
                    self.to.unpack(at, &before);
                }
                if self.inclusive || has_next {
                    self.reduction.apply(g.r(), &before, &mut mine).await?;
                }
            }
            if self.inclusive {
                self.to.unpack(at, &mine);
            }
            if has_next && let Some(earlier) = sending.replace(g.isend_carried(g.rank + 1, mine)?) {
                earlier.finish().await?;
            }
            at += length;
        }
        match sending {
            Some(last) => last.finish().await.map(drop),
            None => Ok(()),
        }
    }
}
