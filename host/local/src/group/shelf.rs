//! How a group gets from one rank to others: it stays where it is and a ticket travels.
//!
//! A message with the list of a communicator's members would be as long as the list, at every one of them. All ranks
//! live in one process, so they share one list instead.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use rankine_abi::MPI_ERR_NOT_SAME;

use crate::error::{Error, Result};
use crate::group::Members;

/// What was left for other ranks, by ticket: groups, and what is shared like them.
#[derive(Debug)]
pub(crate) struct Shelf<T = Members> {
    state: Mutex<State<T>>,
}

#[derive(Debug)]
struct State<T> {
    /// The last ticket. None is 0.
    last: u32,
    /// With how many ranks still come for it.
    left: HashMap<u32, (T, usize)>,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Shelf { state: Mutex::new(State { last: 0, left: HashMap::new() }) }
    }
}

impl<T: Clone> Shelf<T> {
    /// Leaves a group for `readers` ranks, at least one; its ticket.
    pub(crate) fn leave(&self, members: T, readers: usize) -> u32 {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let ticket = state.last.wrapping_add(1).max(1);
        state.last = ticket;
        state.left.insert(ticket, (members, readers));
        ticket
    }

    /// Fetches a group; the last reader takes it away. Tickets come from [`Shelf::leave`] and are used once per reader,
    /// unless the ranks don't agree on who they are.
    pub(crate) fn fetch(&self, ticket: u32) -> Result<T> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((members, readers)) = state.left.get_mut(&ticket) else { return Err(disagreement()) };
        let members = members.clone();
        *readers -= 1;
        if *readers == 0 {
            state.left.remove(&ticket);
        }
        Ok(members)
    }
}

/// The error of a rank that hears what it did not ask for.
#[cold]
pub(crate) fn disagreement() -> Error {
    Error::new(MPI_ERR_NOT_SAME, "the ranks that make a communicator called different functions, or with other groups")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_reader_takes_a_group_away() {
        let shelf = Shelf::default();
        let (one, two) = (shelf.leave(Members::range(0, 3), 2), shelf.leave(Members::range(3, 1), 1));
        assert_eq!(shelf.fetch(one).unwrap(), Members::range(0, 3));
        assert_eq!(shelf.fetch(two).unwrap(), Members::range(3, 1));
        assert_eq!(shelf.fetch(one).unwrap(), Members::range(0, 3));
        assert!([one, two, 77].iter().all(|&ticket| shelf.fetch(ticket).is_err()));
        assert!(shelf.state.lock().unwrap().left.is_empty());
    }
}
