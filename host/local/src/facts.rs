//! What a rank knows of its handles, for those who check how a program uses MPI: nothing here is asked on a message's
//! path.

use std::ops::Range;
use std::rc::Rc;

use rankine_abi::{Addr, Comm, Datatype, Request};

use crate::comm::Communicator;
use crate::datatype::Basic;
use crate::error::Error;
use crate::group::Members;
use crate::rank::Rank;

/// A communicator, as one of its ranks sees it.
pub struct Place(Rc<Communicator>);

impl Place {
    /// What tells it from all other communicators of the job, now and later: those that are made together of ranks that have
    /// no part in one another share a context.
    pub fn number(&self) -> u64 {
        let first = |members: &Members| members.get(0).unwrap_or(0);
        let one = first(&self.0.group);
        let other = self.0.remote.as_ref().map_or(one, |remote| first(remote));
        u64::from(self.0.context.number()) << 32 | u64::from(one.min(other))
    }

    /// The caller's rank in it.
    pub fn rank(&self) -> i32 {
        self.0.rank
    }

    /// Its ranks, those of both groups of an intercommunicator.
    pub fn ranks(&self) -> usize {
        self.0.group.len() + self.0.remote.as_ref().map_or(0, |remote| remote.len())
    }

    /// The ranks that sends and receives can name.
    pub fn peers(&self) -> usize {
        self.0.peers().len()
    }

    /// Whether it is an intercommunicator.
    pub fn has_two_groups(&self) -> bool {
        self.0.remote.is_some()
    }

    /// The number in the job of a rank that sends and receives can name.
    pub fn peer(&self, rank: i32) -> Option<u32> {
        self.0.peers().get(rank)
    }
}

/// The basic elements of a datatype: so many of each, one after another.
pub struct Runs {
    /// The first of them.
    pub first: Vec<(Basic, u64)>,
    /// These are all there are.
    pub is_whole: bool,
}

impl Rank {
    /// The communicator behind a handle, if there is one.
    pub fn place_in(&self, comm: Comm) -> Option<Place> {
        self.communicator(comm).ok().map(Place)
    }

    /// The basic elements of a datatype, as far as these runs of them go.
    pub fn runs_of(&self, datatype: Datatype, most: usize) -> Option<Runs> {
        let ty = self.any_datatype(datatype).ok()?;
        let mut runs = Runs { first: Vec::new(), is_whole: true };
        let collected = ty.signature().for_each_run(&mut |basic, count| {
            let has_all = runs.first.len() == most;
            match runs.first.last_mut() {
                Some((last, counted)) if *last == basic => *counted = counted.saturating_add(count),
                _ if has_all => return Err(Error::new(0, "enough")),
                _ => runs.first.push((basic, count)),
            }
            Ok(())
        });
        runs.is_whole = collected.is_ok();
        Some(runs)
    }

    /// The addresses that so many elements of a datatype have, in order and joined; nothing if they are more than
    /// `most` pieces, or not all inside the memory.
    pub fn pieces(&self, address: Addr, count: i64, datatype: Datatype, most: usize) -> Option<Vec<Range<u64>>> {
        let span = self.span(address, count, datatype).ok()?;
        let (base, mut pieces, mut is_whole) = (self.memory().base().addr(), Vec::<Range<u64>>::new(), true);
        span.each_block(0, span.bytes(), |at, length| {
            let start = at.addr().wrapping_sub(base) as u64;
            let end = start.saturating_add(length as u64);
            let has_all = pieces.len() == most;
            match pieces.last_mut() {
                Some(last) if last.end == start => last.end = end,
                _ if has_all => is_whole = false,
                _ => pieces.push(start..end),
            }
        });
        pieces.retain(|piece| !piece.is_empty());
        pieces.sort_unstable_by_key(|piece| piece.start);
        is_whole.then_some(pieces)
    }

    /// Whether a request is a receive for which no message has come yet.
    pub fn has_no_message(&self, request: Request) -> bool {
        let Some(operation) = self.operation_of(request) else { return false };
        self.inside(|inside| inside.matching(|matching| matching.waits(operation)))
    }
}
