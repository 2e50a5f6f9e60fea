//! What gathers and scatters have in common: all blocks at the root, and one at every other rank.
//!
//! Ranks of another node than the root's whose blocks fit into one short message are a *party*, and its first rank sends or
//! receives for it. The root has straight to do with its own node's, and with those whose blocks are long: such a message
//! waits for its receive wherever it comes from, so it is not copied on its way.

use rankine_abi::{Addr, Datatype};

use super::Coll;
use super::buffers::{Blocks, Role, is_in_place, not_in_place};
use super::bundle::{LENGTH, Nodes};
use crate::comm::Communicator;
use crate::error::Result;
use crate::mailbox::ring::EAGER;
use crate::rank::Rank;
use crate::span::Span;

/// What a rank does in it.
pub(super) enum Rooted {
    /// The root's own block is `None` where it is in place.
    Root {
        own: Option<Span<'static>>,
        blocks: Blocks,
    },
    Member {
        root: usize,
        own: Span<'static>,
    },
    Idle,
}

/// The two buffers of a call.
pub(super) struct Ends {
    /// That of each rank's own block, and what errors call it.
    pub(super) own: (Addr, i64, Datatype),
    pub(super) own_name: &'static str,
    /// Where the root has all blocks.
    pub(super) all: Addr,
    pub(super) all_name: &'static str,
    /// Whether the own block is what is sent: the buffer that is sent is looked at first.
    pub(super) sends_own: bool,
}

impl Rooted {
    /// Proves what a rank has to do with; the root has `blocks` of so many ranks.
    pub(super) fn new(
        r: &Rank,
        comm: &Communicator,
        root: i32,
        ends: Ends,
        blocks: impl FnOnce(usize) -> Result<Blocks>,
    ) -> Result<Self> {
        let (address, count, datatype) = ends.own;
        let own = || r.span(address, count, datatype);
        match Role::new(comm, root)? {
            Role::Idle => Ok(Rooted::Idle),
            Role::Member(root) => {
                not_in_place(address, ends.own_name)?;
                Ok(Rooted::Member { root, own: own()? })
            }
            Role::Root => {
                not_in_place(ends.all, ends.all_name)?;
                let has_own = comm.remote.is_none() && !is_in_place(comm, address)?;
                let own = || has_own.then(own).transpose();
                let peers = comm.peers().len();
                let (own, blocks) = if ends.sends_own {
                    let own = own()?;
                    (own, blocks(peers)?)
                } else {
                    let blocks = blocks(peers)?;
                    (own()?, blocks)
                };
                if let Some(own) = &own {
                    blocks.apart_from(r, own, peers)?;
                }
                Ok(Rooted::Root { own, blocks })
            }
        }
    }

    /// The root, as far as this rank knows it.
    pub(super) fn root(&self, rank: usize) -> Option<usize> {
        match self {
            Rooted::Root { .. } => Some(rank),
            Rooted::Member { root, .. } => Some(*root),
            Rooted::Idle => None,
        }
    }
}

/// Whose blocks travel together, where some do.
pub(super) struct Parties {
    pub(super) nodes: Nodes,
    /// Ranks of a party.
    pub(super) most: usize,
    /// The root's node.
    pub(super) home: usize,
    /// Bytes of the longest block that travels with others.
    longest: usize,
}

/// Ranks of a party whose blocks need not be as long as one another, and the longest that they may be: it fits with as many.
const VARIED: (usize, usize) = (16, EAGER / 16 - LENGTH);

impl Parties {
    /// Those with this root, of blocks that have as many bytes each if that is known to all.
    pub(super) fn new(g: &Coll<'_>, root: usize, each: Option<usize>) -> Option<Parties> {
        let nodes = g.nodes()?;
        let (most, longest) = match each {
            Some(0) => return None,
            Some(bytes) => (EAGER / bytes.checked_add(LENGTH)?, bytes),
            None => VARIED,
        };
        (most > 1).then(|| Parties { nodes, most, home: nodes.of(root), longest })
    }

    /// Whether a rank's block travels with others.
    pub(super) fn have(&self, rank: usize, block: &Span<'_>) -> bool {
        self.nodes.of(rank) != self.home && block.bytes() <= self.longest
    }
}
