//! `MPI_Barrier`

use super::tree::Tree;
use super::{Coll, Collective};
use crate::comm::Communicator;
use crate::error::Result;
use crate::rank::Rank;
use crate::span::Span;

/// `MPI_Barrier`
pub struct Barrier;

impl Barrier {
    /// Nothing can be wrong with its arguments.
    pub fn new(_: &Rank, _: &Communicator) -> Result<Self> {
        Ok(Barrier)
    }
}

impl Collective for Barrier {
    async fn run(&self, g: &Coll<'_>) -> Result<()> {
        let local = g.local();
        let unit = if g.is_inter() { local.size } else { local.unit() };
        if unit == 1 && !g.is_inter() {
            return disseminate(&local, unit).await;
        }
        let tree = local.tree_of(unit).apart();
        gather(&local, tree).await?;
        if g.is_inter() && g.rank == 0 {
            g.sendrecv(0, &Span::EMPTY, 0, &Span::EMPTY).await?;
        }
        if g.rank.is_multiple_of(unit) {
            disseminate(&local, unit).await?;
        }
        release(&local, tree).await
    }
}

/// After each round a unit's first rank knows of twice as many units that have arrived: the dissemination barrier (Hensgen, Finkel,
/// Manber, "Two algorithms for barrier synchronization", International Journal of Parallel Programming 17, 1988).
async fn disseminate(g: &Coll<'_>, unit: usize) -> Result<()> {
    let (own, units) = (g.rank / unit, g.size.div_ceil(unit));
    let mut step = 1;
    while step < units {
        let (to, from) = ((own + step) % units * unit, (own + units - step) % units * unit);
        g.sendrecv(to, &Span::EMPTY, from, &Span::EMPTY).await?;
        step *= 2;
    }
    Ok(())
}

/// A tree's root learns that everybody in it has arrived.
async fn gather(g: &Coll<'_>, tree: Tree) -> Result<()> {
    let arrivals = tree.children(g.rank).map(|child| g.irecv(child, &Span::EMPTY)).collect::<Result<Vec<_>>>()?;
    for arrival in arrivals {
        arrival.finish().await?;
    }
    match tree.parent(g.rank) {
        Some(parent) => g.send(parent, &Span::EMPTY).await,
        None => Ok(()),
    }
}

/// A tree's root tells everybody in it to go on.
async fn release(g: &Coll<'_>, tree: Tree) -> Result<()> {
    if let Some(parent) = tree.parent(g.rank) {
        g.recv(parent, &Span::EMPTY).await?;
    }
    for child in tree.children(g.rank) {
        g.send(child, &Span::EMPTY).await?;
    }
    Ok(())
}
