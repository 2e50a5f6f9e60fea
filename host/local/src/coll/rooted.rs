//! What gathers and scatters have in common: all blocks at the root, and one at every other rank.

use rankine_abi::{Addr, Datatype};

use super::buffers::{Blocks, Role, is_in_place, not_in_place};
use crate::comm::Communicator;
use crate::error::Result;
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
