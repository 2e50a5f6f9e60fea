//! Groups that ranks of other nodes have left on their node's shelf: they are fetched by their tickets.

use std::collections::HashMap;
use std::future::poll_fn;
use std::task::Poll;

use super::{Request, lock};
use crate::context::disagreement;
use crate::error::Result;
use crate::group::Members;
use crate::rank::Rank;
use crate::world::World;

/// Groups that ranks of this node wait for.
#[derive(Default)]
pub(super) struct Fetches {
    last: u64,
    /// Who waits, and the answer: nothing where there is no such group.
    by_number: HashMap<u64, (u32, Option<Option<Members>>)>,
}

impl Rank {
    /// The group behind a ticket, on whichever node it lies.
    pub(crate) async fn fetch_group(&self, ticket: u32) -> Result<Members> {
        let world = self.world();
        let (Some(node), Some(away)) = (world.shelf.elsewhere(ticket), &world.away) else {
            return world.shelf.fetch(ticket);
        };
        let number = {
            let mut fetches = lock(&away.fetches);
            fetches.last += 1;
            let number = fetches.last;
            fetches.by_number.insert(number, (self.me(), None));
            number
        };
        away.ask(Request::Fetch { node, ticket, number });
        let members = poll_fn(|_| {
            self.progress();
            let mut fetches = lock(&away.fetches);
            match fetches.by_number.get_mut(&number).and_then(|(_, answer)| answer.take()) {
                Some(answer) => {
                    fetches.by_number.remove(&number);
                    Poll::Ready(answer)
                }
                None => {
                    if !self.parking.get() {
                        self.restless.set(true);
                    }
                    Poll::Pending
                }
            }
        });
        members.await.ok_or_else(disagreement)
    }
}

impl World {
    /// A rank of another node fetches a group from this one: its ranks, unless there is none behind the ticket.
    pub fn lend_group(&self, ticket: u32) -> Option<Vec<u32>> {
        self.shelf.fetch(ticket).ok().map(|members| members.iter().collect())
    }

    /// A group that a rank here has asked for has come, or there is none.
    /// An error says why it can't be one.
    pub fn take_group(&self, number: u64, ranks: Option<Vec<u32>>) -> std::result::Result<(), String> {
        let away = self.away();
        let members = match ranks {
            Some(ranks) => {
                Some(away.nodes.listed(ranks).ok_or("a group that it sends names ranks that are none, or one twice")?)
            }
            None => None,
        };
        let waits = {
            let mut fetches = lock(&away.fetches);
            let Some((rank, answer)) = fetches.by_number.get_mut(&number) else { return Ok(()) };
            *answer = Some(members);
            *rank
        };
        self.wake(waits);
        Ok(())
    }
}
