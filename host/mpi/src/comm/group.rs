//! Groups, and which session each comes from: a library takes for granted that those it combines come from one.
//!
//! What is made of a group is of its session too: communicators, their windows and files, and the groups of these. What
//! descends from `MPI_COMM_WORLD` is of none. Words of different classes differ, so there is one table of them all.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_int;

use rankine_abi::{Addr, Group, MPI_ERR_GROUP};
use rankine_guest::Error;

use crate::Result;
use crate::generated::symbols;
use crate::rank::Rank;

/// The sessions of objects that come from one, by the guest's words.
#[derive(Default)]
pub(crate) struct State(RefCell<HashMap<u32, u32>>);

impl Rank {
    #[inline]
    pub(crate) fn group(&self, word: u32, what: &str) -> Result<usize> {
        self.plain.groups.host(word, what)
    }

    /// Stores a new group that was made of `from`, an object of any class.
    pub(crate) fn put_group(&self, at: Addr, host: usize, from: u32, what: &str) -> Result<()> {
        let word = self.plain.groups.word_for(host)?;
        self.descends(word, from);
        self.put_handle(at, word, what)
    }

    /// Drops a group that the library has made null.
    pub(crate) fn after_group(&self, at: Addr, word: u32, host: usize, what: &str) -> Result<()> {
        if host == Group::NULL.0 as usize {
            self.plain.groups.remove(word);
            self.forget_session(word);
            self.put_handle(at, Group::NULL.0, what)?;
        }
        Ok(())
    }

    /// A new object is of the session of the one that it was made of, which may be a session itself.
    pub(crate) fn descends(&self, word: u32, from: u32) {
        let is_session = self.plain.sessions.with(from, |_| ()).is_some();
        let session = if is_session { Some(from) } else { self.session_of(from) };
        if let Some(session) = session.filter(|_| word != Group::EMPTY.0) {
            self.session_members.0.borrow_mut().insert(word, session);
        }
    }

    fn session_of(&self, word: u32) -> Option<u32> {
        self.session_members.0.borrow().get(&word).copied()
    }

    /// An object is gone.
    pub(crate) fn forget_session(&self, word: u32) {
        self.session_members.0.borrow_mut().remove(&word);
    }

    /// How many members a group has.
    pub(crate) fn members_of(&self, group: usize) -> Result<c_int> {
        let (size, mut members) = (self.symbol::<symbols::MPI_Group_size>()?, 0);
        // SAFETY: a group of the library's, and a result on the stack.
        self.check(unsafe { size(group, &mut members) })?;
        Ok(members)
    }
}

/// What comes of two groups if one has no members.
enum Rest {
    Nothing,
    First,
    Second,
}

/// The type of the library's functions that make a group of two.
type Combine = unsafe extern "C" fn(usize, usize, *mut usize) -> c_int;

fn combine(r: &Rank, group1: u32, group2: u32, newgroup: Addr, call: Combine, without: [Rest; 2]) -> Result<()> {
    let (first, second) = (r.group(group1, "group1")?, r.group(group2, "group2")?);
    r.room(newgroup, r.word_bytes(), "newgroup")?;
    let [no_first, no_second] = without;
    let rest = match (r.members_of(first)?, r.members_of(second)?) {
        (0, _) => no_first,
        (_, 0) => no_second,
        _ if r.session_of(group1) != r.session_of(group2) => {
            return Err(Error::new(MPI_ERR_GROUP, "group1 and group2 come from different sessions"));
        }
        _ => {
            let mut host = 0;
            // SAFETY: two groups of the library's, of one session, and a result on the stack.
            r.check(unsafe { call(first, second, &mut host) })?;
            return r.put_group(newgroup, host, group1, "newgroup");
        }
    };
    match rest {
        Rest::Nothing => r.put_handle(newgroup, Group::EMPTY.0, "newgroup"),
        Rest::First => copy(r, group1, first, newgroup),
        Rest::Second => copy(r, group2, second, newgroup),
    }
}

/// The new group has all members of one.
fn copy(r: &Rank, of: u32, group: usize, newgroup: Addr) -> Result<()> {
    let ranks: Vec<c_int> = (0..r.members_of(group)?).collect();
    let (include, mut host) = (r.symbol::<symbols::MPI_Group_incl>()?, 0);
    // SAFETY: a group of the library's, its ranks, and a result on the stack.
    r.check(unsafe { include(group, ranks.len() as c_int, ranks.as_ptr(), &mut host) })?;
    r.put_group(newgroup, host, of, "newgroup")
}

/// `MPI_Group_union`
pub(crate) fn group_union(r: &Rank, group1: u32, group2: u32, newgroup: Addr) -> Result<()> {
    let call = r.symbol::<symbols::MPI_Group_union>()?;
    combine(r, group1, group2, newgroup, call, [Rest::Second, Rest::First])
}

/// `MPI_Group_intersection`
pub(crate) fn group_intersection(r: &Rank, group1: u32, group2: u32, newgroup: Addr) -> Result<()> {
    let call = r.symbol::<symbols::MPI_Group_intersection>()?;
    combine(r, group1, group2, newgroup, call, [Rest::Nothing, Rest::Nothing])
}

/// `MPI_Group_difference`
pub(crate) fn group_difference(r: &Rank, group1: u32, group2: u32, newgroup: Addr) -> Result<()> {
    let call = r.symbol::<symbols::MPI_Group_difference>()?;
    combine(r, group1, group2, newgroup, call, [Rest::Nothing, Rest::First])
}
