//! Ranks that are to start on this node: they are prepared, stand ready, and begin, or are sent away.

use std::ops::Range;
use std::sync::Arc;

use rankine_abi::MPI_ERR_SPAWN;

use super::place::Order;
use super::soft::Soft;
use super::{Birth, Ready, Set};
use crate::error::{Error, Result};
use crate::quota::Account;
use crate::world::World;

/// What is ordered, and how many ranks of it would do.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) order: Order,
    pub(super) soft: Soft,
}

/// Room for ranks that stand ready. They count as running; those that have not begun when this is dropped have ended.
pub struct Room {
    world: Arc<World>,
    ranks: Range<usize>,
}

impl Room {
    /// The first of them, counted from the first rank that is here.
    pub fn first(&self) -> usize {
        self.ranks.start
    }

    /// They begin.
    pub fn taken(mut self) {
        self.ranks.end = self.ranks.start;
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.world.give_up(self.ranks.clone());
    }
}

/// What can be started here, for each order so many ranks. Where that is none of all, nothing was made ready.
pub(super) struct Prepared {
    ready: Option<Box<dyn Ready>>,
    counts: Vec<usize>,
}

/// Ranks that wait to begin.
pub(super) struct Standing {
    set: Option<Box<dyn Set>>,
    /// The number in the job of the first of them; the others follow.
    pub(super) first: u32,
    /// How many there are for each order.
    pub(super) counts: Vec<usize>,
}

impl World {
    /// Makes ready what is ordered, for as many ranks as there is room for.
    pub(super) fn prepare(&self, wanted: &[Wanted], account: &Arc<Account>) -> Result<Prepared> {
        let room = self.most_ranks().saturating_sub(self.size());
        let mut free = room;
        let counts: Vec<usize> = wanted
            .iter()
            .map(|Wanted { soft, .. }| {
                // What does not fit at all is refused by `grow`, in words.
                let count = soft.largest(free).unwrap_or(soft.most);
                free = free.saturating_sub(count);
                count
            })
            .collect();
        let total: usize = counts.iter().sum();
        if total == 0 {
            return Ok(Prepared { ready: None, counts });
        }
        let Some(host) = self.spawned.start.get() else {
            return Err(Error::new(MPI_ERR_SPAWN, "this job can't start ranks"));
        };
        if total > room {
            // Without looking for a module that would be of no use.
            self.grow(total).map(|room| self.give_up(room))?;
        }
        let orders: Vec<&Order> = wanted.iter().map(|wanted| &wanted.order).collect();
        Ok(Prepared { ready: Some(host.prepare(&orders, account)?), counts })
    }
}

impl Prepared {
    /// Has the ranks stand ready.
    pub(super) fn muster(self, world: &Arc<World>) -> Result<Standing> {
        let Prepared { ready, counts } = self;
        let Some(ready) = ready else { return Ok(Standing { set: None, first: 0, counts }) };
        let total = counts.iter().sum();
        let mut first = 0;
        let mut room = || {
            // Where all have ended nobody hears of those that begin.
            if world.ranks().all(|rank| world.has_exited(rank)) {
                return Err(Error::new(MPI_ERR_SPAWN, "all ranks there have ended, and more can't begin"));
            }
            let ranks = world.grow(total)?;
            first = world.number(ranks.start);
            Ok(Room { world: world.clone(), ranks })
        };
        let set = ready.muster(&counts, &mut room)?;
        Ok(Standing { set: Some(set), first, counts })
    }
}

impl Standing {
    /// How many they are.
    pub(super) fn len(&self) -> usize {
        self.counts.iter().sum()
    }

    /// They begin.
    pub(super) fn begin(self, birth: &Arc<Birth>) {
        if let Some(set) = self.set {
            set.begin(birth);
        }
    }
}
