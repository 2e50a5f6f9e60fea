//! Ranks of a communicator that agree on something before they have a communicator for it.
//!
//! Messages travel in the parent's collective context with negative tags, which no collective uses, and name ranks of
//! the parent; so a party of a few members meets neither the parent's collectives nor another party.

use rankine_abi::MPI_ERR_NO_MEM;

use crate::comm::Communicator;
use crate::error::{Error, Result};
use crate::group::{Members, disagreement};
use crate::mailbox::matching::Pattern;
use crate::mailbox::operation::{Kind, What};
use crate::rank::Rank;
use crate::span::Span;

/// Tells apart what is agreed on at the same time. Never -1 or -2, which are wildcards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tag(i32);

impl Tag {
    const BITS: i32 = (1 << 29) - 1;

    /// Members of a group, by the tag of `MPI_Comm_create_group`.
    pub(crate) fn group(tag: i32) -> Tag {
        Tag(i32::MIN | tag & Self::BITS)
    }

    /// The leaders of two groups, by the tag of `MPI_Intercomm_create`.
    pub(crate) fn leaders(tag: i32) -> Tag {
        Tag(i32::MIN | 1 << 29 | tag & Self::BITS)
    }

    /// A nonblocking call, by its number.
    pub(crate) fn nonblocking(sequence: u32) -> Tag {
        Tag(i32::MIN | 2 << 29 | sequence as i32 & Self::BITS)
    }

    /// Members of a group without a communicator, by the hash of their string.
    pub(crate) fn string(hash: u64) -> Tag {
        Tag(i32::MIN | 3 << 29 | 1 << 28 | hash as i32 & ((1 << 27) - 1))
    }

    // Blocking calls of the whole communicator, of which there is one at a time. Different ones do not meet: ranks that
    // call different functions wait for ever, which is reported, and never mistake each other's words.
    pub(crate) const CONTEXT: Tag = Tag(i32::MIN | 3 << 29);
    pub(crate) const SPLIT: Tag = Tag(i32::MIN | 3 << 29 | 1);
    pub(crate) const GROUPS: Tag = Tag(i32::MIN | 3 << 29 | 2);
    pub(crate) const MERGE: Tag = Tag(i32::MIN | 3 << 29 | 3);
    pub(crate) const BRIDGE: Tag = Tag(i32::MIN | 3 << 29 | 4);
    pub(crate) const EDGES: Tag = Tag(i32::MIN | 3 << 29 | 5);
}

/// See the module. Every member calls the same functions in the same order.
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

    /// Those of a group who have a rank in the communicator; this rank is `rank` of them.
    pub(crate) fn some(r: &'a Rank, comm: &'a Communicator, group: &Members, rank: i32, tag: Tag) -> Self {
        let index = comm.group.index();
        let members: Vec<i32> = group.iter().filter_map(|world| index.find(world)).collect();
        Party { r, comm, rank: rank as usize, size: members.len(), members: Some(members), tag }
    }

    fn member(&self, peer: usize) -> i32 {
        self.members.as_ref().map_or(peer as i32, |members| members[peer])
    }

    /// Sends words to a member.
    pub(crate) async fn send(&self, peer: usize, words: &[i32]) -> Result<()> {
        let peer = self.member(peer);
        let destination = self.comm.peers().get(peer).expect("a member of the party is a rank of its communicator");
        let what = What { kind: Kind::Send, context: self.comm.context + 1, peer, tag: self.tag.0, destination };
        // SAFETY: a send only reads, and the words stay until it is complete or withdrawn.
        let span = unsafe { Span::raw(words.as_ptr().cast_mut().cast(), size_of_val(words)) };
        if let Some(operation) = self.r.post_send(what, self.comm.rank, span)? {
            self.r.complete(operation).await;
        }
        Ok(())
    }

    /// Receives as many words from a member.
    pub(crate) async fn receive(&self, peer: usize, words: &mut [i32]) -> Result<()> {
        let pattern = Pattern { context: self.comm.context + 1, source: self.member(peer), tag: self.tag.0 };
        // SAFETY: the words stay until the receive is complete or withdrawn.
        let span = unsafe { Span::raw(words.as_mut_ptr().cast(), size_of_val(words)) };
        let operation = self.r.post_recv(pattern, span)?;
        let outcome = self.r.complete(operation).await;
        outcome.check()?;
        if outcome.bytes == size_of_val(words) as u64 { Ok(()) } else { Err(disagreement()) }
    }

    /// Sends a list whose length the other side does not know.
    pub(crate) async fn send_list(&self, peer: usize, list: &[i32]) -> Result<()> {
        let length =
            i32::try_from(list.len()).map_err(|_| Error::new(MPI_ERR_NO_MEM, "a list is too long to be sent"))?;
        self.send(peer, &[length]).await?;
        self.send(peer, list).await
    }

    /// Receives a list of unknown length.
    pub(crate) async fn receive_list(&self, peer: usize) -> Result<Vec<i32>> {
        let mut length = [0];
        self.receive(peer, &mut length).await?;
        let mut list = vec![0; length[0] as u32 as usize];
        self.receive(peer, &mut list).await?;
        Ok(list)
    }

    /// The bit that this rank's parent in the tree from rank 0 has cleared; for rank 0 one beyond all ranks.
    fn span(&self) -> usize {
        if self.rank == 0 { self.size.next_power_of_two() } else { 1 << self.rank.trailing_zeros() }
    }

    /// The children in the tree from rank 0, nearest first, each with the number of ranks below it.
    fn children(&self) -> impl DoubleEndedIterator<Item = (usize, usize)> {
        let (rank, size) = (self.rank, self.size);
        (0..self.span().trailing_zeros())
            .map(move |bit| (rank + (1 << bit), 1 << bit))
            .filter(move |&(child, _)| child < size)
            .map(move |(child, below)| (child, below.min(size - child)))
    }

    /// Rank 0's words for all.
    pub(crate) async fn broadcast(&self, words: &mut [i32]) -> Result<()> {
        if self.rank != 0 {
            self.receive(self.rank - self.span(), words).await?;
        }
        for (child, _) in self.children().rev() {
            self.send(child, words).await?;
        }
        Ok(())
    }

    /// Everybody's words at rank 0, by rank; the others get those of a part of the ranks.
    pub(crate) async fn gather(&self, mine: &[i32]) -> Result<Vec<i32>> {
        let mut all = mine.to_vec();
        for (child, below) in self.children() {
            let start = all.len();
            all.resize(start + below * mine.len(), 0);
            self.receive(child, &mut all[start..]).await?;
        }
        if self.rank != 0 {
            self.send(self.rank - self.span(), &all).await?;
        }
        Ok(all)
    }

    /// `N` words for each from rank 0, which has them all by rank.
    pub(crate) async fn scatter<const N: usize>(&self, mut all: Vec<i32>) -> Result<[i32; N]> {
        if self.rank != 0 {
            all = vec![0; self.span().min(self.size - self.rank) * N];
            self.receive(self.rank - self.span(), &mut all).await?;
        }
        for (child, below) in self.children().rev() {
            let start = (child - self.rank) * N;
            self.send(child, &all[start..start + below * N]).await?;
        }
        Ok(*all.first_chunk().expect("there is a share for each rank"))
    }

    /// Everybody's lists, one after another, at rank 0; the others get those of a part of the ranks.
    pub(crate) async fn gather_lists(&self, mine: Vec<i32>) -> Result<Vec<i32>> {
        let mut all = mine;
        for (child, _) in self.children() {
            all.extend(self.receive_list(child).await?);
        }
        if self.rank != 0 {
            self.send_list(self.rank - self.span(), &all).await?;
        }
        Ok(all)
    }

    /// A list for each from rank 0, which has them all by rank.
    pub(crate) async fn scatter_lists(&self, mut lists: Vec<Vec<i32>>) -> Result<Vec<i32>> {
        if self.rank != 0 {
            let all = self.receive_list(self.rank - self.span()).await?;
            let mut rest = &all[..];
            while let [length, tail @ ..] = rest {
                let (list, tail) = tail.split_at_checked(*length as u32 as usize).ok_or_else(disagreement)?;
                lists.push(list.to_vec());
                rest = tail;
            }
        }
        for (child, below) in self.children().rev() {
            let theirs = &lists[child - self.rank..][..below];
            let all: Vec<i32> = theirs.iter().flat_map(|list| [&[list.len() as i32], &list[..]].concat()).collect();
            self.send_list(child, &all).await?;
        }
        Ok(lists.swap_remove(0))
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
                    Party::all(r, comm, Tag::CONTEXT),
                    Party::some(r, comm, &reversed, (size - 1 - r.id()) as i32, Tag::group(i32::MAX)),
                ] {
                    let mut words = if party.rank == 0 { [7, 8] } else { [0, 0] };
                    party.broadcast(&mut words).await.unwrap();
                    assert_eq!(words, [7, 8]);
                    let rank = party.rank as i32;
                    let all = party.gather(&[rank, -rank]).await.unwrap();
                    if rank == 0 {
                        assert_eq!(all, (0..size as i32).flat_map(|rank| [rank, -rank]).collect::<Vec<_>>());
                    }
                    let all = if rank == 0 { (0..size as i32 * 3).collect() } else { Vec::new() };
                    assert_eq!(party.scatter::<3>(all).await.unwrap(), [3 * rank, 3 * rank + 1, 3 * rank + 2]);
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
