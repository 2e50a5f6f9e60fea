//! `MPI_Bcast`

use rankine_abi::{Addr, Datatype};

use super::buffers::{Role, not_in_place};
use super::flight::Flight;
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
        let role = match Role::new(comm, root)? {
            // Its other arguments say nothing.
            Role::Idle => return Ok(Bcast { role: Role::Idle, span: Span::EMPTY }),
            role => role,
        };
        not_in_place(buffer, "the buffer")?;
        Ok(Bcast { role, span: r.span(buffer, count, datatype)? })
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
                    g.recv_whole(root, &self.span).await?;
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
    if g.size == 2 {
        let other = 1 - g.rank;
        return if g.rank == root { g.send(other, span).await } else { g.recv_whole(other, span).await };
    }
    // A tree of nodes of which one is short has no other root.
    let near = if root == 0 || g.size.is_multiple_of(g.near()) { g.near() } else { g.size };
    let tree = if g.has_cores() && span.bytes() >= LONG { Tree::flat(g.size, near) } else { g.tree_of(near) };
    spread_along(g, tree, (root, near), span).await
}

/// Passes bytes down a tree, in which this root has place 0: nodes are turned, and the `near` ranks of each.
pub(super) async fn spread_along(
    g: &Coll<'_>,
    tree: Tree,
    (root, near): (usize, usize),
    span: &Span<'_>,
) -> Result<()> {
    let nodes = g.size.div_ceil(near);
    let turned = |rank, by: usize| (rank / near + by / near) % nodes * near + (rank % near + by % near) % near;
    let there = |rank| turned(rank, (nodes - root / near) * near + (near - root % near) % near);
    let back = |place| turned(place, root);
    let place = there(g.rank);
    let received = match tree.parent(place) {
        Some(parent) => g.recv_whole(back(parent), span).await,
        None => Ok(()),
    };
    // Where too much or too little has come, those below are not left waiting for it.
    let mut flight = Flight::new();
    for child in tree.children(place) {
        flight.add(g.isend(back(child), span)?).await?;
    }
    flight.land().await.and(received)
}
