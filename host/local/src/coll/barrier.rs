//! `MPI_Barrier`

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
        if g.has_cores() && !g.is_inter() {
            return disseminate(&local).await;
        }
        gather(&local).await?;
        if g.is_inter() && g.rank == 0 {
            g.sendrecv(0, &Span::EMPTY, 0, &Span::EMPTY).await?;
        }
        release(&local).await
    }
}

/// After each round a rank knows of twice as many that have arrived: the dissemination barrier of Hensgen, Finkel and
/// Manber.
async fn disseminate(g: &Coll<'_>) -> Result<()> {
    let mut step = 1;
    while step < g.size {
        let (to, from) = ((g.rank + step) % g.size, (g.rank + g.size - step) % g.size);
        g.sendrecv(to, &Span::EMPTY, from, &Span::EMPTY).await?;
        step *= 2;
    }
    Ok(())
}

/// Rank 0 learns that everybody has arrived.
async fn gather(g: &Coll<'_>) -> Result<()> {
    let tree = g.tree();
    let arrivals = tree.children(g.rank).map(|child| g.irecv(child, &Span::EMPTY)).collect::<Result<Vec<_>>>()?;
    for arrival in arrivals {
        arrival.finish().await?;
    }
    match tree.parent(g.rank) {
        Some(parent) => g.send(parent, &Span::EMPTY).await,
        None => Ok(()),
    }
}

/// Rank 0 tells everybody to go on.
async fn release(g: &Coll<'_>) -> Result<()> {
    let tree = g.tree();
    if let Some(parent) = tree.parent(g.rank) {
        g.recv(parent, &Span::EMPTY).await?;
    }
    for child in tree.children(g.rank) {
        g.send(child, &Span::EMPTY).await?;
    }
    Ok(())
}
