//! Windows of ranks on several nodes.
//!
//! Each node has a [`Common`] of its own, with all ranks of the window: parts, locks and news of those that are here, and of
//! the others what they have told, which is how long their parts are. A rank that accesses a part elsewhere makes *calls* of
//! it ([`wire`]), which the thread that carries letters brings to the target's node; there the same thread serves them, by the
//! code, locks and stripes that the ranks of that node use ([`serve`]). So a target may compute or sleep, and an access from
//! away is atomic with those of its node.
//!
//! Calls from a node to another keep their order. Puts are not answered; a flush is, once all before it are done. What is
//! fetched comes as an answer, and goes to its buffer when its rank next completes accesses ([`origin`]).

mod origin;
mod serve;
#[cfg(all(test, not(loom)))]
mod tests;
mod wire;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::common::{Common, Part};
use super::lock::Ticket;
use crate::context::disagreement;
use crate::error::Result;
use crate::members::Members;
use crate::world::World;
pub(super) use origin::Far;
use wire::{Call, Head, PARTS, Told};

/// The windows of this node that have ranks on others, by their numbers.
#[derive(Default)]
pub(crate) struct OverNodes {
    last: AtomicU64,
    by_number: Mutex<HashMap<u64, Arc<Common>>>,
}

impl OverNodes {
    fn get(&self, number: u64) -> Option<Arc<Common>> {
        lock(&self.by_number).get(&number).cloned()
    }
}

/// What a node has of a window beyond what one of a single node has.
#[derive(Debug)]
pub(super) struct Spread {
    number: u64,
    /// Displacements are the targets' addresses.
    is_dynamic: bool,
    /// Its nodes, in order, and how often all ranks of each have come to where they meet.
    arrivals: Mutex<Vec<(u32, u32)>>,
    /// The locks that ranks of other nodes hold here or wait for, by target and origin.
    locks: Mutex<HashMap<(u32, u32), Hold>>,
    /// Ranks of this node that have left the window.
    left: Mutex<usize>,
}

#[derive(Debug)]
struct Hold {
    exclusive: bool,
    /// What it waits for, and by what it is to be told.
    waits: Option<(Arc<Ticket>, u64)>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Spread {
    fn new(number: u64, is_dynamic: bool, nodes: Vec<u32>) -> Spread {
        Spread {
            number,
            is_dynamic,
            arrivals: Mutex::new(nodes.into_iter().map(|node| (node, 0)).collect()),
            locks: Mutex::default(),
            left: Mutex::default(),
        }
    }
}

impl World {
    /// The number of a new window, which no node has given out before.
    pub(super) fn number_window(&self) -> u64 {
        let count = self.nodes().map_or(1, |nodes| nodes.count());
        let last = self.over_nodes.last.fetch_add(1, Ordering::Relaxed);
        last * u64::from(count) + self.node() as u64
    }

    /// What this node has of a window, made by the first of its ranks that comes here.
    pub(super) fn window_over_nodes(&self, number: u64, group: &Members, is_dynamic: bool) -> Result<Arc<Common>> {
        let mut all = lock(&self.over_nodes.by_number);
        if let Some(known) = all.get(&number) {
            return if known.is_of(group) { Ok(known.clone()) } else { Err(disagreement()) };
        }
        let elsewhere = |rank| self.elsewhere(rank);
        let mut nodes: Vec<u32> = group.iter().filter_map(|rank| self.nodes()?.node_of(rank)).collect();
        nodes.dedup();
        nodes.sort_unstable();
        nodes.dedup();
        let spread = Spread::new(number, is_dynamic, nodes);
        let common = Arc::new(Common::over_nodes(group, elsewhere, spread));
        all.insert(number, common.clone());
        Ok(common)
    }

    /// The node of a rank that is not here.
    fn elsewhere(&self, rank: u32) -> Option<u32> {
        if self.is_here(rank) { None } else { self.nodes()?.node_of(rank) }
    }
}

impl Common {
    /// A rank here has no more to do with the window.
    pub(super) fn leave(&self, world: &World) {
        let Some(spread) = self.spread() else { return };
        let mut left = lock(&spread.left);
        *left += 1;
        if *left == self.here() {
            lock(&world.over_nodes.by_number).remove(&spread.number);
        }
    }

    /// All ranks of this node have come to where all meet: the others hear of it, and of the parts before the first meeting.
    pub(super) fn arrive_elsewhere(&self, world: &World, spread: &Spread, is_first: bool) {
        let parts = if is_first { self.told() } else { Vec::new() };
        let packed: Vec<_> = parts.iter().map(Told::write).collect();
        let nodes: Vec<u32> = lock(&spread.arrivals).iter().map(|&(node, _)| node).collect();
        let me = world.node() as u32;
        let head = Head { window: spread.number, target: 0, origin: 0 };
        for node in nodes.into_iter().filter(|&node| node != me) {
            let mut rest = &packed[..];
            loop {
                let (parts, left) = rest.split_at(rest.len().min(PARTS));
                world.tell_node(node, Call::Arrive { last: left.is_empty(), parts }.write(&head));
                if left.is_empty() {
                    break;
                }
                rest = left;
            }
        }
        self.has_arrived(world, spread, me);
    }

    /// All ranks of a node have come to the next meeting; false if that can't be.
    fn has_arrived(&self, world: &World, spread: &Spread, node: u32) -> bool {
        let mut arrivals = lock(&spread.arrivals);
        // One may have come to the meeting after that for which this node still waits for a third.
        let most = self.meetings().wrapping_add(2);
        let Some((_, times)) = arrivals.iter_mut().find(|(of, times)| *of == node && *times != most) else {
            return false;
        };
        *times = times.wrapping_add(1);
        let over = self.meetings().wrapping_add(1);
        if arrivals.iter().all(|&(_, times)| times == over || times == most) {
            self.end_meeting(world);
        }
        true
    }

    /// What is told of the parts of this node's ranks.
    fn told(&self) -> Vec<Told> {
        let told = |rank: usize| {
            let part = self.member(rank).known_part();
            let (size, unit) = part.map_or((0, 1), |part| (part.size, part.unit));
            Told { rank: rank as u32, failed: part.is_none(), size, unit }
        };
        (0..self.size()).filter(|&rank| self.member(rank).elsewhere.is_none()).map(told).collect()
    }

    /// A node tells of its ranks' parts.
    fn hear_part(&self, node: u32, told: Told) -> bool {
        let Told { rank, failed, size, unit } = told;
        let rank = rank as usize;
        if !self.is_at(rank, Some(node)) || self.member(rank).known_part().is_some() {
            return false;
        }
        if failed {
            self.fail(rank);
        }
        // Its bytes are not here, so nobody who looks for them here finds any.
        self.set_part(rank, Part { base: std::ptr::null_mut(), size: 0, unit });
        self.member(rank).set_size_elsewhere(size);
        true
    }

    /// Whether the window has such a rank, and it is there, or here.
    fn is_at(&self, rank: usize, node: Option<u32>) -> bool {
        rank < self.size() && self.member(rank).elsewhere == node
    }

    /// There are news for a rank of the window that has been given a lock of this node's: on another node it is told by an
    /// answer.
    pub(super) fn tell(&self, world: &World, rank: usize) {
        let Some((node, spread)) = self.member(rank).elsewhere.zip(self.spread()) else {
            return self.member(rank).tell(world);
        };
        for (_, hold) in lock(&spread.locks).iter_mut().filter(|((_, origin), _)| *origin == rank as u32) {
            if let Some((_, number)) = hold.waits.take_if(|(ticket, _)| ticket.is_granted()) {
                world.answer_node(node, number, vec![wire::DONE]);
            }
        }
    }
}

pub use wire::LONGEST;
