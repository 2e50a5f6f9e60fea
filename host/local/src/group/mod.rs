//! Groups (MPI-5.0 §7.3): ordered sets of ranks.
//!
//! A group is local to its rank; no function here talks to anybody.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use rankine_abi::{Group, MPI_ERR_GROUP, MPI_IDENT, MPI_PROC_NULL, MPI_SIMILAR, MPI_UNDEFINED, MPI_UNEQUAL, Session};
use rankine_guest::ranks::{self, Listed};

use crate::error::{Error, Result};
use crate::handle::{Class, Table};
use crate::quota::{Account, Charge, Cost};
use crate::rank::Rank;

pub use crate::members::Members;

/// A group, and what is charged for its list.
struct Entry {
    members: Rc<Members>,
    _charge: Charge,
}

/// What errors call them.
const WHAT: Cost = Cost::Groups;
/// What a group has beside its handle: its form, and its session.
const BESIDE: usize = size_of::<Members>() + 64;

/// The groups that a rank made.
pub(crate) struct State {
    table: RefCell<Table<Entry>>,
    empty: Rc<Members>,
    /// The sessions of groups that come from one.
    sessions: RefCell<HashMap<Group, Session>>,
}

impl State {
    pub(crate) fn new(account: &Arc<Account>) -> Self {
        State {
            table: RefCell::new(Table::new(Class::Group, account, BESIDE)),
            empty: Rc::new(Members::EMPTY),
            sessions: RefCell::default(),
        }
    }
}

impl Rank {
    /// The members of a group.
    pub(crate) fn group(&self, group: Group) -> Result<Rc<Members>> {
        match group {
            Group::EMPTY => Ok(self.groups.empty.clone()),
            _ => match self.groups.table.borrow().get(group.0) {
                Some(entry) => Ok(entry.members.clone()),
                None => Err(no_group(group)),
            },
        }
    }

    /// A handle for a group; `MPI_GROUP_EMPTY` for one without members.
    pub(crate) fn add_group(&self, members: Rc<Members>) -> Result<Group> {
        if members.is_empty() {
            return Ok(Group::EMPTY);
        }
        let entry = Entry { _charge: self.account.charge(members.heap_bytes(), WHAT)?, members };
        self.groups.table.borrow_mut().add(entry, WHAT).map(Group)
    }

    /// A handle for a group made from `parent`, in whose session it is too.
    fn new_group(&self, parent: Group, members: Members) -> Result<Group> {
        let group = self.add_group(Rc::new(members))?;
        self.set_group_session(group, self.group_session(parent));
        Ok(group)
    }

    /// The session that a group comes from, if it comes from one (§11.3).
    pub(crate) fn group_session(&self, group: Group) -> Option<Session> {
        self.groups.sessions.borrow().get(&group).copied()
    }

    pub(crate) fn set_group_session(&self, group: Group, session: Option<Session>) {
        if let (Some(session), true) = (session, group != Group::EMPTY) {
            self.groups.sessions.borrow_mut().insert(group, session);
        }
    }
}

#[cold]
fn no_group(group: Group) -> Error {
    let text = match group {
        Group::NULL => "the group is MPI_GROUP_NULL".into(),
        Group(handle) => format!("{handle:#x} is not a group of this rank (freed, or never made)"),
    };
    Error::new(MPI_ERR_GROUP, text)
}

/// `MPI_Group_size`
pub fn group_size(r: &Rank, group: Group) -> Result<i32> {
    Ok(r.group(group)?.len() as i32)
}

/// `MPI_Group_rank`
pub fn group_rank(r: &Rank, group: Group) -> Result<i32> {
    Ok(r.group(group)?.find(r.me()).unwrap_or(MPI_UNDEFINED))
}

/// `MPI_Group_translate_ranks`
pub fn group_translate_ranks(r: &Rank, group1: Group, n: i32, ranks1: &[i32], group2: Group) -> Result<Vec<i32>> {
    let (from, to) = (r.group(group1)?, r.group(group2)?);
    let index = to.index();
    let translate = |(position, &rank): (usize, &i32)| match from.get(rank) {
        Some(world) => Ok(index.find(world).unwrap_or(MPI_UNDEFINED)),
        None if rank == MPI_PROC_NULL => Ok(MPI_PROC_NULL),
        None => Err(ranks::not_in_group(&format!("ranks1[{position}]"), rank.into(), from.len())),
    };
    ranks::elements(n, ranks1, "n")?.iter().enumerate().map(translate).collect()
}

/// `MPI_Group_compare`
pub fn group_compare(r: &Rank, group1: Group, group2: Group) -> Result<i32> {
    let (one, two) = (r.group(group1)?, r.group(group2)?);
    Ok(if one == two {
        MPI_IDENT
    } else if one.is_similar(&two) {
        MPI_SIMILAR
    } else {
        MPI_UNEQUAL
    })
}

/// `MPI_Group_union`
pub fn group_union(r: &Rank, group1: Group, group2: Group) -> Result<Group> {
    r.new_group(group1, r.group(group1)?.union(&*r.group(group2)?))
}

/// `MPI_Group_intersection`
pub fn group_intersection(r: &Rank, group1: Group, group2: Group) -> Result<Group> {
    r.new_group(group1, r.group(group1)?.intersection(&*r.group(group2)?))
}

/// `MPI_Group_difference`
pub fn group_difference(r: &Rank, group1: Group, group2: Group) -> Result<Group> {
    r.new_group(group1, r.group(group1)?.difference(&*r.group(group2)?))
}

/// `MPI_Group_incl`
pub fn group_incl(r: &Rank, group: Group, n: i32, ranks: &[i32]) -> Result<Group> {
    let members = r.group(group)?;
    let listed = ranks::listed(members.len() as i32, n, ranks)?;
    r.new_group(group, included(&members, &listed))
}

/// `MPI_Group_excl`
pub fn group_excl(r: &Rank, group: Group, n: i32, ranks: &[i32]) -> Result<Group> {
    let members = r.group(group)?;
    let listed = ranks::listed(members.len() as i32, n, ranks)?;
    r.new_group(group, excluded(&members, &listed))
}

/// `MPI_Group_range_incl`; `ranges` are triplets of first rank, last rank and stride.
pub fn group_range_incl(r: &Rank, group: Group, n: i32, ranges: &[i32]) -> Result<Group> {
    let members = r.group(group)?;
    let listed = ranks::in_ranges(members.len() as i32, n, ranges)?;
    r.new_group(group, included(&members, &listed))
}

/// `MPI_Group_range_excl`; `ranges` are triplets of first rank, last rank and stride.
pub fn group_range_excl(r: &Rank, group: Group, n: i32, ranges: &[i32]) -> Result<Group> {
    let members = r.group(group)?;
    let listed = ranks::in_ranges(members.len() as i32, n, ranges)?;
    r.new_group(group, excluded(&members, &listed))
}

/// `MPI_Group_free`. The empty group may be freed, because other functions return it where a new group would be empty.
pub fn group_free(r: &Rank, group: Group) -> Result<Group> {
    if group != Group::EMPTY {
        r.groups.table.borrow_mut().remove(group.0).ok_or_else(|| no_group(group))?;
        r.groups.sessions.borrow_mut().remove(&group);
    }
    Ok(Group::NULL)
}

fn included(group: &Members, listed: &Listed) -> Members {
    Members::list(listed.order.iter().filter_map(|&rank| group.get(rank)).collect())
}

fn excluded(group: &Members, listed: &Listed) -> Members {
    Members::list(group.iter().zip(&listed.seen).filter(|(_, seen)| !**seen).map(|(world, _)| world).collect())
}

#[cfg(test)]
mod tests {
    use rankine_abi::Comm;

    use super::*;
    use crate::comm::comm_group;
    use crate::testing::both;

    fn ranks(r: &Rank, group: Group) -> Vec<u32> {
        r.group(group).unwrap().iter().collect()
    }

    #[test]
    fn inclusion_and_exclusion() {
        both(6, async |r| {
            let world = comm_group(r, Comm::WORLD).unwrap();
            let odd = group_incl(r, world, 3, &[5, 1, 3]).unwrap();
            assert_eq!(ranks(r, odd), [5, 1, 3]);
            assert_eq!(group_rank(r, odd).unwrap(), [MPI_UNDEFINED, 1, MPI_UNDEFINED, 2, MPI_UNDEFINED, 0][r.id()]);
            assert_eq!(ranks(r, group_excl(r, odd, 1, &[1]).unwrap()), [5, 3]);
            assert_eq!(group_excl(r, odd, 3, &[0, 1, 2]).unwrap(), Group::EMPTY);
            assert_eq!(group_incl(r, odd, 0, &[]).unwrap(), Group::EMPTY);
            let strided = group_range_incl(r, world, 2, &[4, 0, -2, 1, 6, 4]).unwrap();
            assert_eq!(ranks(r, strided), [4, 2, 0, 1, 5]);
            assert_eq!(ranks(r, group_range_excl(r, world, 1, &[0, 5, 2]).unwrap()), [1, 3, 5]);
            assert_eq!(
                group_translate_ranks(r, odd, 4, &[0, 1, MPI_PROC_NULL, 2], strided).unwrap(),
                [4, 3, MPI_PROC_NULL, MPI_UNDEFINED]
            );
            assert_eq!(group_compare(r, odd, group_incl(r, world, 3, &[1, 3, 5]).unwrap()).unwrap(), MPI_SIMILAR);
            assert_eq!(group_compare(r, odd, strided).unwrap(), MPI_UNEQUAL);
        });
    }

    #[test]
    fn mistakes_are_named() {
        both(2, async |r| {
            let world = comm_group(r, Comm::WORLD).unwrap();
            let text = |result: Result<Group>| result.unwrap_err().to_string();
            assert_eq!(text(group_incl(r, world, 1, &[2])), "ranks[0] is 2, but the group has ranks 0 to 1");
            assert_eq!(text(group_incl(r, world, 2, &[1, 1])), "ranks[1] is 1, which is listed before");
            assert_eq!(text(group_incl(r, world, -1, &[])), "n is -1, which is not a number of ranks");
            assert_eq!(text(group_incl(r, Group::EMPTY, 1, &[0])), "ranks[0] is 0, but the group is empty");
            assert_eq!(
                text(group_range_incl(r, world, 1, &[0, 1, 0])),
                "ranges[0] goes from 0 to 1 with a stride of 0"
            );
            assert!(text(group_range_excl(r, world, 1, &[i32::MIN, i32::MAX, 1])).contains("-2147483648"));
            assert_eq!(group_size(r, Group::NULL).unwrap_err().class, MPI_ERR_GROUP);
            assert_eq!(group_free(r, world).unwrap(), Group::NULL);
            assert_eq!(group_size(r, world).unwrap_err().class, MPI_ERR_GROUP);
            assert_eq!(group_free(r, Group::EMPTY).unwrap(), Group::NULL);
            assert_eq!(group_free(r, Group::NULL).unwrap_err().class, MPI_ERR_GROUP);
        });
    }
}
