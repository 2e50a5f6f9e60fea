//! Ranks of a communicator that agree on something before they have a communicator for it.
//!
//! Messages travel in a plane of the parent's context that nothing else uses, with tags that say what is agreed on, and
//! name ranks of the parent; so a party of a few members meets no other. Ranks that call different functions wait for
//! ever, which is reported, and never take each other's words for something else. Those that call the same one with
//! other groups are found out by whoever hears of it: what they agree on comes with a fingerprint.

use std::hash::Hash;

use rankine_abi::MPI_ERR_GROUP;

use crate::comm::Communicator;
use crate::context::disagreement;
use crate::error::{Error, Result};
use crate::group::Members;
use crate::mailbox::matching::Pattern;
use crate::mailbox::operation::{Kind, What};
use crate::rank::Rank;

/// Tells apart what is agreed on at the same time. Never -1 or -2, which are wildcards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tag(i32);

impl Tag {
    const BITS: i32 = (1 << 28) - 1;

    /// Of a kind, of which there are few, by a number.
    const fn of(kind: i32, number: i32) -> Tag {
        Tag(kind << 28 | number & Self::BITS)
    }

    /// Members of a group, by the tag of `MPI_Comm_create_group`.
    pub(crate) fn group(tag: i32) -> Tag {
        Tag::of(1, tag)
    }

    /// The leaders of two groups, by the tag of `MPI_Intercomm_create`.
    pub(crate) fn leaders(tag: i32) -> Tag {
        Tag::of(2, tag)
    }

    /// A nonblocking call, by its number.
    pub(crate) fn nonblocking(sequence: u32) -> Tag {
        Tag::of(3, sequence as i32)
    }

    /// Members of a group without a communicator, by the hash of their string.
    pub(crate) fn orphans(hash: u64) -> Tag {
        Tag::of(4, hash as i32)
    }

    /// The leaders of two groups without a communicator.
    pub(crate) fn orphan_leaders(hash: u64) -> Tag {
        Tag::of(5, hash as i32)
    }

    /// Each of those two groups.
    pub(crate) fn orphan_sides(hash: u64) -> Tag {
        Tag::of(6, hash as i32)
    }

    // Blocking calls of the whole communicator, of which there is one at a time.
    pub(crate) const DUPLICATE: Tag = Tag::of(0, 0);
    pub(crate) const CREATE: Tag = Tag::of(0, 1);
    pub(crate) const SPLIT: Tag = Tag::of(0, 2);
    pub(crate) const MERGE: Tag = Tag::of(0, 3);
    pub(crate) const BRIDGE: Tag = Tag::of(0, 4);
    pub(crate) const TOPOLOGY: Tag = Tag::of(0, 5);
    pub(crate) const SUBGRIDS: Tag = Tag::of(0, 6);
    pub(crate) const EDGES: Tag = Tag::of(0, 7);
    pub(crate) const GRAPH: Tag = Tag::of(0, 8);
    pub(crate) const WINDOW: Tag = Tag::of(0, 9);
    pub(crate) const FILE: Tag = Tag::of(0, 10);
    pub(crate) const SPAWN: Tag = Tag::of(0, 11);
    pub(crate) const CONNECT: Tag = Tag::of(0, 12);
}

/// A group as ranks name it to each other: how many they are, and a fingerprint.
pub(crate) type Name = [i32; 3];

/// The name of a group, and of what else its ranks have to agree on.
pub(crate) fn name(r: &Rank, group: &Members, also: impl Hash) -> Name {
    let fingerprint = r.world().fingerprint((group, also));
    [group.len() as i32, fingerprint as i32, (fingerprint >> 32) as i32]
}

/// Those who agree on something. Every member calls the functions in one order.
pub(crate) struct Party<'a> {
    r: &'a Rank,
    comm: &'a Communicator,
    /// The members' ranks in the communicator; `None`: all.
    members: Option<Vec<i32>>,
    /// This rank's rank in the party.
    rank: usize,
    size: usize,
    tag: Tag,
}

impl<'a> Party<'a> {
    /// All of an intracommunicator, or of an intercommunicator's remote group for exchanges between leaders.
    pub(crate) fn all(r: &'a Rank, comm: &'a Communicator, tag: Tag) -> Self {
        Party { r, comm, members: None, rank: comm.rank as usize, size: comm.group.len(), tag }
    }

    /// All of an intracommunicator, whose rank `leader` takes the place of rank 0.
    pub(crate) fn led_by(r: &'a Rank, comm: &'a Communicator, leader: i32, tag: Tag) -> Self {
        let size = comm.size();
        let members = (0..size).map(|rank| (rank + leader) % size).collect();
        let rank = (comm.rank - leader).rem_euclid(size) as usize;
        Party { r, comm, members: Some(members), rank, size: size as usize, tag }
    }

    /// Those of a group, of which this rank is one, in the order of their ranks there. All have a rank in the
    /// communicator.
    pub(crate) fn some(r: &'a Rank, comm: &'a Communicator, group: &Members, tag: Tag) -> Result<Self> {
        let index = comm.group.index();
        let members: Option<Vec<i32>> = group.iter().map(|world| index.find(world)).collect();
        let members =
            members.ok_or_else(|| Error::new(MPI_ERR_GROUP, "a rank of the group is not in the communicator"))?;
        let rank = members.iter().position(|&member| member == comm.rank).ok_or_else(disagreement)?;
        Ok(Party { r, comm, rank, size: members.len(), members: Some(members), tag })
    }

    /// Whether this rank is rank 0 of the party.
    pub(crate) fn is_first(&self) -> bool {
        self.rank == 0
    }

    fn member(&self, peer: usize) -> Result<i32> {
        let member = match &self.members {
            Some(members) => members.get(peer).copied(),
            None => i32::try_from(peer).ok(),
        };
        member.ok_or_else(disagreement)
    }

    /// Sends words to a member.
    pub(crate) async fn send(&self, peer: usize, words: &[i32]) -> Result<()> {
        let peer = self.member(peer)?;
        let destination = self.comm.peers().get(peer).ok_or_else(disagreement)?;
        let context = self.comm.context.agreements();
        let what = What { kind: Kind::Send, context, peer, tag: self.tag.0, destination };
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.r.post_parcel(what, self.comm.rank, bytes.into())?.finish().await;
        Ok(())
    }

    /// Receives words from a member, as many as come.
    pub(crate) async fn receive(&self, peer: usize) -> Result<Vec<i32>> {
        let context = self.comm.context.agreements();
        let pattern = Pattern { context, source: self.member(peer)?, tag: self.tag.0 };
        let received = self.r.post_recv_bytes(pattern, u64::MAX)?;
        received.done().await;
        let bytes = received.unload().bytes;
        received.end().check()?;
        let (words, []) = bytes.as_chunks::<4>() else { return Err(disagreement()) };
        Ok(words.iter().map(|word| i32::from_le_bytes(*word)).collect())
    }

    /// Receives `N` words from a member.
    pub(crate) async fn receive_all<const N: usize>(&self, peer: usize) -> Result<[i32; N]> {
        self.receive(peer).await?.try_into().map_err(|_| disagreement())
    }

    /// The words of another member, in exchange for ours; one of the two is `first` and sends first.
    pub(crate) async fn exchange<const N: usize>(&self, other: usize, first: bool, mine: [i32; N]) -> Result<[i32; N]> {
        if first {
            self.send(other, &mine).await?;
        }
        let theirs = self.receive_all(other).await?;
        if !first {
            self.send(other, &mine).await?;
        }
        Ok(theirs)
    }

    /// The bit that this rank's parent in the tree from rank 0 has cleared; for rank 0 one beyond all ranks.
    fn span(&self) -> usize {
        if self.rank == 0 { self.size.next_power_of_two() } else { 1 << self.rank.trailing_zeros() }
    }

    /// The children in the tree from rank 0, nearest first, each with the number of ranks below it.
    fn children(&self) -> impl DoubleEndedIterator<Item = (usize, usize)> + use<> {
        let (rank, size) = (self.rank, self.size);
        (0..self.span().trailing_zeros())
            .map(move |bit| (rank + (1 << bit), 1 << bit))
            .filter(move |&(child, _)| child < size)
            .map(move |(child, below)| (child, below.min(size - child)))
    }

    /// Rank 0's words for all.
    pub(crate) async fn broadcast<const N: usize>(&self, mut words: [i32; N]) -> Result<[i32; N]> {
        if self.rank != 0 {
            words = self.receive_all(self.rank - self.span()).await?;
        }
        for (child, _) in self.children().rev() {
            self.send(child, &words).await?;
        }
        Ok(words)
    }

    /// Everybody's words at rank 0, by rank; the others get those of a part of the ranks.
    pub(crate) async fn gather<const N: usize>(&self, mine: [i32; N]) -> Result<Vec<[i32; N]>> {
        let mut all = vec![mine];
        for (child, below) in self.children() {
            match self.receive(child).await?.as_chunks() {
                (theirs, []) if theirs.len() == below => all.extend(theirs),
                _ => return Err(disagreement()),
            }
        }
        if self.rank != 0 {
            self.send(self.rank - self.span(), all.as_flattened()).await?;
        }
        Ok(all)
    }

    /// `N` words for each from rank 0, which has them all by rank.
    pub(crate) async fn scatter<const N: usize>(&self, mut all: Vec<[i32; N]>) -> Result<[i32; N]> {
        if self.rank != 0 {
            let words = self.receive(self.rank - self.span()).await?;
            all = words.as_chunks().0.to_vec();
        }
        for (child, below) in self.children().rev() {
            let theirs = all.get(child - self.rank..).and_then(|rest| rest.get(..below)).ok_or_else(disagreement)?;
            self.send(child, theirs.as_flattened()).await?;
        }
        all.first().copied().ok_or_else(disagreement)
    }

    /// Everybody's lists, one after another, at rank 0; the others get those of a part of the ranks.
    pub(crate) async fn gather_lists(&self, mine: Vec<i32>) -> Result<Vec<i32>> {
        let mut all = mine;
        for (child, _) in self.children() {
            all.extend(self.receive(child).await?);
        }
        if self.rank != 0 {
            self.send(self.rank - self.span(), &all).await?;
        }
        Ok(all)
    }

    /// A list for each from rank 0, which has them all by rank.
    pub(crate) async fn scatter_lists(&self, mut lists: Vec<Vec<i32>>) -> Result<Vec<i32>> {
        if self.rank != 0 {
            let all = self.receive(self.rank - self.span()).await?;
            let mut rest = &all[..];
            while let [length, tail @ ..] = rest {
                let (list, tail) = tail.split_at_checked(*length as u32 as usize).ok_or_else(disagreement)?;
                lists.push(list.to_vec());
                rest = tail;
            }
        }
        for (child, below) in self.children().rev() {
            let theirs = lists.get(child - self.rank..).and_then(|rest| rest.get(..below)).ok_or_else(disagreement)?;
            let all: Vec<i32> = theirs.iter().flat_map(|list| [&[list.len() as i32], &list[..]].concat()).collect();
            self.send(child, &all).await?;
        }
        lists.into_iter().next().ok_or_else(disagreement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::both;

    #[test]
    fn trees_reach_everybody() {
        for size in [1, 2, 3, 4, 5, 7, 8, 13] {
            both(size, async |r| {
                let comm = &r.world_comm;
                let reversed = Members::list((0..size as u32).rev().collect());
                for party in [
                    Party::all(r, comm, Tag::DUPLICATE),
                    Party::some(r, comm, &reversed, Tag::group(i32::MAX)).unwrap(),
                ] {
                    let words = if party.rank == 0 { [7, 8] } else { [0, 0] };
                    assert_eq!(party.broadcast(words).await.unwrap(), [7, 8]);
                    let rank = party.rank as i32;
                    let all = party.gather([rank, -rank]).await.unwrap();
                    if rank == 0 {
                        assert_eq!(all, (0..size as i32).map(|rank| [rank, -rank]).collect::<Vec<_>>());
                    }
                    let all = (0..size as i32).map(|rank| [rank, 7, -rank]);
                    let all = if rank == 0 { all.collect() } else { Vec::new() };
                    assert_eq!(party.scatter(all).await.unwrap(), [rank, 7, -rank]);
                    let list = |rank: i32| vec![rank; (rank % 3) as usize];
                    let lists: Vec<Vec<i32>> = (0..size as i32).map(list).collect();
                    let all = party.gather_lists(list(rank)).await.unwrap();
                    assert!(rank != 0 || all == lists.concat());
                    let mine = party.scatter_lists(if rank == 0 { lists } else { Vec::new() }).await.unwrap();
                    assert_eq!(mine, list(rank));
                }
            });
        }
    }
}
