//! `MPI_Reduce`, `MPI_Allreduce`

use rankine_abi::{Addr, Datatype, Op};

use super::buffers::{Role, is_in_place, not_in_place};
use super::flight::{Buffer, Flight, Scratch};
use super::slices::{Slices, reduce_slice};
use super::{Coll, Collective, allgather, bcast, fold};
use crate::comm::Communicator;
use crate::error::Result;
use crate::op::Reduction;
use crate::rank::Rank;
use crate::span::Span;

/// `MPI_Reduce`
pub struct Reduce {
    role: Role,
    /// What this rank contributes, unless it is the root of an intercommunicator's reduction.
    from: Span<'static>,
    /// Where the root wants the result.
    to: Span<'static>,
    /// `None` where it has nothing to do: its arguments say nothing there.
    reduction: Option<Reduction>,
}

impl Reduce {
    /// `MPI_Reduce`
    pub fn new(
        r: &Rank,
        comm: &Communicator,
        sendbuf: Addr,
        recvbuf: Addr,
        count: i64,
        datatype: Datatype,
        op: Op,
        root: i32,
    ) -> Result<Self> {
        let role = Role::new(comm, root)?;
        let reduction = match role {
            Role::Idle => None,
            _ => Some(r.collective_reduction(op, datatype)?),
        };
        let to = if role == Role::Root {
            not_in_place(recvbuf, "the receive buffer")?;
            r.span(recvbuf, count, datatype)?
        } else {
            Span::EMPTY
        };
        let from = match role {
            Role::Idle => Span::EMPTY,
            Role::Root if comm.remote.is_some() => Span::EMPTY,
            Role::Root if is_in_place(comm, sendbuf)? => to.again(),
            _ => {
                not_in_place(sendbuf, "the send buffer of a rank that is not the root")?;
                let from = r.span(sendbuf, count, datatype)?;
                to.apart_from(&from)?;
                from
            }
        };
        Ok(Reduce { role, from, to, reduction })
    }
}

impl Collective for Reduce {
    fn root(&self, rank: usize) -> Option<usize> {
        self.role.root(rank)
    }

    async fn run(&self, g: &Coll<'_>) -> Result<()> {
        let Some(reduction) = &self.reduction else { return Ok(()) };
        match self.role {
            Role::Idle => Ok(()),
            Role::Root if g.is_inter() => g.recv_some(0, &self.to).await,
            Role::Member(root) if g.is_inter() => self.for_others(g, reduction, root).await,
            Role::Member(root) => to_root(g, reduction, &self.from, None, root).await,
            Role::Root => to_root(g, reduction, &self.from, Some(&self.to), g.rank).await,
        }
    }
}

impl Reduce {
    /// Reduces in this group for a root in the other one.
    async fn for_others(&self, g: &Coll<'_>, reduction: &Reduction, root: usize) -> Result<()> {
        let mut result = Buffer::new(g.r(), if g.rank == 0 { self.from.bytes() } else { 0 })?;
        let to = result.span();
        let at_first = (g.rank == 0).then_some(&to);
        to_root(&g.local(), reduction, &self.from, at_first, 0).await?;
        match at_first {
            Some(result) => g.send_some(root, result).await,
            None => Ok(()),
        }
    }
}

/// Packed bytes that go through a tree at a time.
pub(super) const SEGMENT: usize = 32 << 10;

/// Reduces to one rank, which alone has `to`.
pub(super) async fn to_root(
    g: &Coll<'_>,
    reduction: &Reduction,
    from: &Span<'_>,
    to: Option<&Span<'_>>,
    root: usize,
) -> Result<()> {
    if let (1, Some(to)) = (g.size, to) {
        to.copy_from(from, from.bytes());
        return Ok(());
    }
    if by_slices(g, from.bytes()) {
        return slices_to_root(g, reduction, from, to, root).await;
    }
    let segment = reduction.whole_elements(SEGMENT);
    let mut at = 0;
    while at < from.bytes() {
        let length = segment.min(from.bytes() - at);
        let mine = Scratch::packed(g.r(), from, at, length)?;
        let mut result = match g.size {
            2 => fold::of_two(g, reduction, mine, root).await?,
            _ => fold::to_first(g, reduction, mine).await?,
        };
        if root != 0 && g.size > 2 {
            if let Some(result) = result.take() {
                g.isend_carried(root, result)?.finish().await?;
            }
            if g.rank == root {
                result = Some(g.recv_carried(0, length).await?);
            }
        }
        if let (Some(to), Some(result)) = (to, result) {
            to.unpack(at, &result);
        }
        at += length;
    }
    Ok(())
}

/// Every rank reduces a slice, and the root collects them.
async fn slices_to_root(
    g: &Coll<'_>,
    reduction: &Reduction,
    from: &Span<'_>,
    to: Option<&Span<'_>>,
    root: usize,
) -> Result<()> {
    let slices = Slices::even(g.size, from.bytes(), reduction.element);
    let mine = slices.range(g.rank);
    if let Some(to) = to {
        let mut copy = Buffer::none(g.r());
        let target = copy.in_one_piece(to)?;
        let own = target.part(mine);
        reduce_slice(g, reduction, from, &slices, |at, bytes| own.unpack(at, bytes)).await?;
        let mut flight = Flight::new();
        for peer in (0..g.size).filter(|&peer| peer != root) {
            flight.recv_some(g, peer, &target.part(slices.range(peer))).await?;
        }
        flight.land().await?;
        to.copy_from(&target, target.bytes());
        return Ok(());
    }
    let mut result = Scratch::new(g.r(), mine.len())?;
    reduce_slice(g, reduction, from, &slices, |at, bytes| result[at..at + bytes.len()].copy_from_slice(bytes)).await?;
    if !mine.is_empty() {
        g.isend_carried(root, result)?.finish().await?;
    }
    Ok(())
}

/// Whether every rank reduces a slice of the operands: n² messages, but with a core for each of them nobody waits for
/// another's sums. Where ranks share cores or nodes a tree does as much work in fewer messages.
pub(super) fn by_slices(g: &Coll<'_>, bytes: usize) -> bool {
    g.has_cores() && g.unit() == 1 && g.size > 1 && bytes >= SEGMENT && bytes / g.size >= 1 << 10
}

/// `MPI_Allreduce`
pub struct Allreduce {
    from: Span<'static>,
    to: Span<'static>,
    reduction: Reduction,
}

impl Allreduce {
    /// `MPI_Allreduce`
    pub fn new(
        r: &Rank,
        comm: &Communicator,
        sendbuf: Addr,
        recvbuf: Addr,
        count: i64,
        datatype: Datatype,
        op: Op,
    ) -> Result<Self> {
        let reduction = r.collective_reduction(op, datatype)?;
        let (from, to) = operands(r, comm, (sendbuf, recvbuf), count, datatype)?;
        Ok(Allreduce { from, to, reduction })
    }
}

/// The spans of a reduction of which every rank gets a result as long as its operand.
pub(super) fn operands(
    r: &Rank,
    comm: &Communicator,
    (sendbuf, recvbuf): (Addr, Addr),
    count: i64,
    datatype: Datatype,
) -> Result<(Span<'static>, Span<'static>)> {
    not_in_place(recvbuf, "the receive buffer")?;
    let to = r.span(recvbuf, count, datatype)?;
    if is_in_place(comm, sendbuf)? {
        return Ok((to.again(), to));
    }
    let from = r.span(sendbuf, count, datatype)?;
    to.apart_from(&from)?;
    Ok((from, to))
}

impl Collective for Allreduce {
    async fn run(&self, g: &Coll<'_>) -> Result<()> {
        if g.is_inter() {
            return self.between(g).await;
        }
        if g.size == 1 {
            self.to.copy_from(&self.from, self.from.bytes());
            return Ok(());
        }
        if fold::is_traded(g, self.from.bytes()) {
            return fold::trade(g, &self.reduction, &self.from, &self.to).await;
        }
        if by_slices(g, self.from.bytes()) {
            return self.by_slices(g).await;
        }
        let segment = self.reduction.whole_elements(SEGMENT);
        let mut at = 0;
        while at < self.from.bytes() {
            let length = segment.min(self.from.bytes() - at);
            let mine = Scratch::packed(g.r(), &self.from, at, length)?;
            let result = fold::to_all(g, &self.reduction, mine).await?;
            self.to.unpack(at, &result);
            at += length;
        }
        Ok(())
    }
}

impl Allreduce {
    /// Every rank reduces a slice and brings it to everybody.
    async fn by_slices(&self, g: &Coll<'_>) -> Result<()> {
        let slices = Slices::even(g.size, self.from.bytes(), self.reduction.element);
        let mut copy = Buffer::none(g.r());
        let target = copy.in_one_piece(&self.to)?;
        let part = |peer| target.part(slices.range(peer));
        let mine = part(g.rank);
        reduce_slice(g, &self.reduction, &self.from, &slices, |at, bytes| mine.unpack(at, bytes)).await?;
        allgather::everybody(g, &mine, |peer| Ok(part(peer))).await?;
        self.to.copy_from(&target, target.bytes());
        Ok(())
    }

    /// On an intercommunicator each group gets the other's result.
    async fn between(&self, g: &Coll<'_>) -> Result<()> {
        let local = g.local();
        let bytes = self.from.bytes();
        let mut own = Buffer::new(g.r(), if g.rank == 0 { bytes } else { 0 })?;
        let result = own.span();
        to_root(&local, &self.reduction, &self.from, (g.rank == 0).then_some(&result), 0).await?;
        if g.rank == 0 && bytes > 0 {
            let receiving = g.irecv(0, &self.to)?;
            g.send(0, &result).await?;
            receiving.finish().await?;
        }
        bcast::spread(&local, 0, &self.to).await
    }
}
