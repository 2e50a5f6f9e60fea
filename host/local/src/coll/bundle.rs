//! Bundles: blocks of several ranks in one message, behind their lengths.
//!
//! Their sender may have more or less in a block than its receiver expects, so each block says for itself how long it is.

use std::ops::Range;

use rankine_abi::{MPI_ERR_COUNT, MPI_ERR_NOT_SAME, MPI_ERR_TRUNCATE};

use super::flight::Scratch;
use super::{Coll, differs};
use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::span::Span;

/// The limit of a bundle: what has come is charged to its rank.
pub(super) const ANY: u64 = u32::MAX as u64;

/// Bytes of a length.
pub(super) const LENGTH: usize = size_of::<u32>();

/// A bundle of so many blocks, each of which is filled by its index.
pub(super) fn bundle(
    r: &Rank,
    blocks: usize,
    length: impl Fn(usize) -> usize,
    mut fill: impl FnMut(usize, &mut [u8]),
) -> Result<Scratch<'_>> {
    let bytes = (0..blocks).map(&length).sum::<usize>() + blocks * LENGTH;
    let mut all = Scratch::new(r, bytes)?;
    let (lengths, mut rest) = all.split_at_mut(blocks * LENGTH);
    for (index, word) in lengths.chunks_exact_mut(LENGTH).enumerate() {
        let length = length(index);
        word.copy_from_slice(&(length as u32).to_le_bytes());
        let (block, others) = rest.split_at_mut(length);
        fill(index, block);
        rest = others;
    }
    Ok(all)
}

/// Where the blocks of a bundle lie in it, of which there should be so many.
pub(super) fn parts(bytes: &[u8], blocks: usize) -> Result<Vec<Range<usize>>> {
    let mut at = blocks * LENGTH;
    let lengths = bytes.get(..at).ok_or_else(no_bundle)?;
    let lengths =
        lengths.chunks_exact(LENGTH).map(|word| word.iter().rev().fold(0, |sum, &byte| sum << 8 | usize::from(byte)));
    let parts: Vec<_> = lengths
        .map(|length| {
            let start = at;
            at += length;
            start..at
        })
        .collect();
    if at == bytes.len() { Ok(parts) } else { Err(no_bundle()) }
}

/// Puts what has come from a rank to its place.
pub(super) fn settle(block: &Span<'_>, bytes: &[u8], peer: usize) -> Result<()> {
    let expected = block.bytes();
    if bytes.len() != expected {
        let class = if bytes.len() > expected { MPI_ERR_TRUNCATE } else { MPI_ERR_COUNT };
        return Err(differs(class, bytes.len() as u64, peer as i32, expected as u64));
    }
    block.unpack(0, bytes);
    Ok(())
}

#[cold]
fn no_bundle() -> Error {
    let text = "what came is not what a rank sends for others of its node: the ranks are in different collectives";
    Error::new(MPI_ERR_NOT_SAME, text)
}

/// Which ranks of a communicator share a node.
#[derive(Clone, Copy)]
pub(super) struct Nodes {
    size: usize,
    near: usize,
}

impl Nodes {
    /// How many there are.
    pub(super) fn count(self) -> usize {
        self.size.div_ceil(self.near)
    }

    /// How many ranks each has, but for the last one, which may have fewer.
    pub(super) fn near(self) -> usize {
        self.near
    }

    /// The node of a rank.
    pub(super) fn of(self, rank: usize) -> usize {
        rank / self.near
    }

    /// The ranks of a node.
    pub(super) fn ranks(self, node: usize) -> Range<usize> {
        node * self.near..self.size.min((node + 1) * self.near)
    }

    /// The ranks that share a node and a message with this one, of those that are `most` at a time.
    pub(super) fn party(self, rank: usize, most: usize) -> Range<usize> {
        let node = self.ranks(self.of(rank));
        let start = rank - (rank - node.start) % most;
        start..node.end.min(start + most)
    }

    /// The parties of the nodes other than this one.
    pub(super) fn parties(self, most: usize, but: usize) -> impl Iterator<Item = Range<usize>> {
        let elsewhere = (0..self.count()).filter(move |&node| node != but);
        elsewhere.flat_map(move |node| self.ranks(node).step_by(most).map(move |rank| self.party(rank, most)))
    }

    /// The rank of a node that speaks for it to another one: for each other one the next.
    pub(super) fn speaker(self, node: usize, other: usize) -> usize {
        let ranks = self.ranks(node);
        ranks.start + (node + other) % ranks.len()
    }
}

impl Coll<'_> {
    /// The nodes, if there are several that several ranks share.
    pub(super) fn nodes(&self) -> Option<Nodes> {
        let near = self.near();
        (near > 1 && near < self.size).then_some(Nodes { size: self.size, near })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_is_in_one_party_of_its_node() {
        for size in 2..40 {
            for near in 2..size {
                let nodes = Nodes { size, near };
                for most in 1..near + 2 {
                    let own = nodes.of(size / 2);
                    let all: Vec<usize> = nodes.parties(most, own).flatten().collect();
                    let others: Vec<usize> = (0..size).filter(|&rank| nodes.of(rank) != own).collect();
                    assert_eq!(all, others);
                    for party in nodes.parties(most, own) {
                        assert!(party.len() <= most && party.clone().all(|rank| nodes.party(rank, most) == party));
                    }
                }
                for (one, other) in (0..nodes.count()).flat_map(|one| (0..nodes.count()).map(move |other| (one, other)))
                {
                    assert!(nodes.ranks(one).contains(&nodes.speaker(one, other)));
                }
            }
        }
    }

    #[test]
    fn what_is_no_bundle_is_an_error() {
        assert_eq!(parts(&[2, 0, 0, 0, 0, 0, 0, 0, 7, 8], 2).unwrap(), [8..10, 10..10]);
        for bytes in [&[][..], &[1, 0, 0], &[1, 0, 0, 0], &[255, 255, 255, 255, 3], &[0, 0, 0, 0, 3]] {
            assert_eq!(parts(bytes, 1).unwrap_err().class, MPI_ERR_NOT_SAME);
        }
    }
}
