//! Communicators of groups, which all members have to name alike. A library takes that on trust: where they differ, members
//! disagree on how many they are, and a library reads and writes beyond its own arrays.

use std::ffi::c_int;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use rankine_abi::{Addr, Comm, Datatype, MPI_ERR_NOT_SAME, Op};
use rankine_guest::Error;

use crate::Result;
use crate::generated::symbols;
use crate::rank::Rank;

const WORDS: usize = Datatype::INT64_T.0 as usize;

/// What a rank says of its group: how many members it has, and a hash of who they are.
type Said = [i64; 2];

fn said(members: &[c_int]) -> Said {
    let mut hasher = DefaultHasher::new();
    members.hash(&mut hasher);
    [members.len() as i64, hasher.finish() as i64]
}

fn differ(what: &str) -> Error {
    Error::new(MPI_ERR_NOT_SAME, format!("{what}: the ranks that make a communicator together name different groups"))
}

/// Whether all of a group's members, of those that have said something, have said the same as this one.
fn members_agree(mine: Said, members: &[c_int], all: &[Said]) -> bool {
    members.iter().all(|&member| usize::try_from(member).ok().and_then(|member| all.get(member)) == Some(&mine))
}

impl Rank {
    /// The group's members as ranks of a communicator with one group.
    pub(super) fn members_in(&self, group: usize, comm: usize) -> Result<Vec<c_int>> {
        let (get, mut all) = (self.symbol::<symbols::MPI_Comm_group>()?, 0);
        // SAFETY: a communicator of the library's, and a result on the stack.
        self.check(unsafe { get(comm, &mut all) })?;
        self.translated(group, all)
    }

    /// Has all ranks of a communicator say what group they name: if any two that name each other differ, all hear of it.
    fn agree_before(&self, comm: usize, ranks: i64, members: &[c_int]) -> Result<()> {
        let (gather, reduce) = (self.symbol::<symbols::MPI_Allgather>()?, self.symbol::<symbols::MPI_Allreduce>()?);
        let (mine, mut all) = (said(members), vec![Said::default(); usize::try_from(ranks).unwrap_or(0)]);
        let (from, to) = (mine.as_ptr().cast(), all.as_mut_ptr().cast());
        // SAFETY: two words in, and two out for each rank of an intracommunicator.
        self.check(unsafe { gather(from, 2, WORDS, to, 2, WORDS, comm) })?;
        let (agrees, mut all_agree) = (i64::from(members_agree(mine, members, &all)), 0_i64);
        let (from, to) = ((&raw const agrees).cast(), (&raw mut all_agree).cast());
        // SAFETY: a word in, and one out.
        self.check(unsafe { reduce(from, to, 1, WORDS, Op::MIN.0 as usize, comm) })?;
        if all_agree == 1 { Ok(()) } else { Err(differ("group")) }
    }

    /// Has the members of a new communicator say what group they have named. Those that disagree can't give it up together:
    /// the library keeps it.
    pub(super) fn agree_after(&self, made: usize, members: &[c_int]) -> Result<()> {
        let reduce = self.symbol::<symbols::MPI_Allreduce>()?;
        let [length, hash] = said(members);
        // The least and, of the complements, the greatest of each.
        let (mine, mut least) = ([length, !length, hash, !hash], [0_i64; 4]);
        let (from, to) = (mine.as_ptr().cast(), least.as_mut_ptr().cast());
        // SAFETY: four words in, and four out.
        self.check(unsafe { reduce(from, to, 4, WORDS, Op::MIN.0 as usize, made) })?;
        if least == mine && least[0] == !least[1] && least[2] == !least[3] { Ok(()) } else { Err(differ("group")) }
    }
}

/// `MPI_Comm_create`
pub(crate) fn comm_create(r: &Rank, comm_word: u32, group: u32, newcomm: Addr) -> Result<()> {
    let (comm, group) = (r.comm(comm_word, "comm")?, r.group(group, "group")?);
    r.within_comm(group, comm)?;
    r.room(newcomm, r.word_bytes(), "newcomm")?;
    if r.is_intra(comm_word)? {
        r.agree_before(comm, r.members(comm_word)?, &r.members_in(group, comm)?)?;
    }
    let (call, mut made) = (r.symbol::<symbols::MPI_Comm_create>()?, 0);
    // SAFETY: a communicator and a group of the library's, and a result on the stack.
    r.check(unsafe { call(comm, group, &mut made) })?;
    r.put_comm(newcomm, made, comm_word, "newcomm")
}

/// `MPI_Comm_create_group`
pub(crate) fn comm_create_group(r: &Rank, comm_word: u32, group: u32, tag: i32, newcomm: Addr) -> Result<()> {
    let (comm, group) = (r.intra(comm_word, "comm")?, r.group(group, "group")?);
    r.within_comm(group, comm)?;
    r.room(newcomm, r.word_bytes(), "newcomm")?;
    let members = r.members_in(group, comm)?;
    let (call, mut made) = (r.symbol::<symbols::MPI_Comm_create_group>()?, 0);
    // SAFETY: an intracommunicator and a group of the library's, and a result on the stack.
    r.check(unsafe { call(comm, group, tag, &mut made) })?;
    if made != Comm::NULL.0 as usize {
        r.agree_after(made, &members)?;
    }
    r.put_comm(newcomm, made, comm_word, "newcomm")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_agree_where_all_that_a_group_names_name_it_too() {
        let (pair, other) = (said(&[0, 1]), said(&[1, 0]));
        assert_ne!(pair, other);
        assert!(members_agree(pair, &[0, 1], &[pair, pair, other]));
        assert!(!members_agree(pair, &[0, 1], &[pair, other, other]));
        assert!(members_agree(said(&[]), &[], &[pair, pair]));
        assert!(!members_agree(pair, &[0, 5], &[pair, pair]));
        assert!(!members_agree(pair, &[0, -1], &[pair, pair]));
    }
}
