//! `MPI_Bcast`

use rankine_abi::{Addr, Datatype};

use super::buffers::{Role, not_in_place};
use super::flight::{Flight, Scratch};
use super::tree::Tree;
use super::{Coll, Collective};
use crate::comm::Communicator;
use crate::error::Result;
use crate::rank::Rank;
use crate::span::Span;

/// `MPI_Bcast`
pub struct Bcast {
    span: Span<'static>,
    role: Role,
}

impl Bcast {
    /// `MPI_Bcast`
    pub fn new(r: &Rank, comm: &Communicator, buffer: Addr, count: i64, datatype: Datatype, root: i32) -> Result<Self> {
        not_in_place(buffer, "the buffer")?;
        Ok(Bcast { role: Role::new(comm, root)?, span: r.span(buffer, count, datatype)? })
    }
}

impl Collective for Bcast {
    fn root(&self, rank: usize) -> Option<usize> {
        self.role.root(rank)
    }

    async fn run(&self, g: &Coll<'_>) -> Result<()> {
        if self.span.bytes() == 0 {
            return Ok(());
        }
        match self.role {
            Role::Root if g.is_inter() => g.send(0, &self.span).await,
            Role::Root => spread(g, g.rank, &self.span).await,
            Role::Member(root) if !g.is_inter() => spread(g, root, &self.span).await,
            Role::Member(root) => {
                if g.rank == 0 {
                    g.irecv(root, &self.span)?.finish().await?;
                }
                spread(&g.local(), 0, &self.span).await
            }
            Role::Idle => Ok(()),
        }
    }
}

/// From this length on copying takes longer than starting a send: with a core for each rank, everybody copies
/// straight from the root at the same time.
const LONG: usize = 16 << 10;

/// Brings the root's bytes to every rank.
pub(super) async fn spread(g: &Coll<'_>, root: usize, span: &Span<'_>) -> Result<()> {
    let tree = if g.has_cores() && span.bytes() >= LONG { Tree::flat(g.size) } else { g.tree() };
    let (there, back) = (|rank| (rank + g.size - root) % g.size, |rank| (rank + root) % g.size);
    let place = there(g.rank);
    let received = match tree.parent(place) {
        Some(parent) => g.irecv(back(parent), span)?.finish().await,
        None => Ok(()),
    };
    // Where too much or too little has come, those below are not left waiting for it.
    let mut flight = Flight::new();
    for child in tree.children(place) {
        flight.add(g.isend(back(child), span)?).await?;
    }
    flight.land().await.and(received)
}

/// The same for bytes in the host.
pub(super) async fn spread_bytes(g: &Coll<'_>, root: usize, bytes: &mut Scratch<'_>) -> Result<()> {
    spread(g, root, &bytes.span()).await
}
