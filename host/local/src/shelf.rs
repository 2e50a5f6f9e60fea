//! How a group gets from one rank to others: it stays where it is and a ticket travels.
//!
//! A message with the list of a communicator's members would be as long as the list, at every one of them. All ranks of a
//! process share one list instead; those of other nodes fetch it from there.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use rankine_abi::MPI_ERR_UNSUPPORTED_OPERATION;

use crate::context::disagreement;
use crate::error::{Error, Result};
use crate::members::Members;

/// What was left for other ranks, by ticket: groups, and what is shared like them. Each node of a job has every so-many-eth
/// ticket, and hears of another node's that it is not one of its own.
#[derive(Debug)]
pub(crate) struct Shelf<T = Members> {
    state: Mutex<State<T>>,
    node: u32,
    nodes: u32,
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
        Shelf::of_node(0, 1)
    }
}

impl<T> Shelf<T> {
    /// That of a node of so many.
    pub(crate) fn of_node(node: u32, nodes: u32) -> Self {
        Shelf { state: Mutex::new(State { last: node, left: HashMap::new() }), node, nodes }
    }
}

impl<T: Clone> Shelf<T> {
    /// Leaves a group for `readers` ranks, at least one; its ticket.
    pub(crate) fn leave(&self, members: T, readers: usize) -> u32 {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let ticket = state.last.checked_add(self.nodes).unwrap_or(self.node + self.nodes);
        state.last = ticket;
        state.left.insert(ticket, (members, readers));
        ticket
    }

    /// The node that has a ticket, if that is not this one.
    pub(crate) fn elsewhere(&self, ticket: u32) -> Option<u32> {
        let node = ticket % self.nodes;
        (node != self.node).then_some(node)
    }

    /// Fetches a group; the last reader takes it away. Tickets come from [`Shelf::leave`] and are used once per reader,
    /// unless the ranks don't agree on who they are.
    pub(crate) fn fetch(&self, ticket: u32) -> Result<T> {
        if self.elsewhere(ticket).is_some() {
            return Err(on_another_node());
        }
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

#[cold]
fn on_another_node() -> Error {
    let text =
        "the ranks that take part are on several nodes, over which the engine nodes can't do this (--engine mpi can)";
    Error::new(MPI_ERR_UNSUPPORTED_OPERATION, text)
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
