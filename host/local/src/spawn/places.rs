//! How many ranks all nodes of a job may have together (`--max-ranks`): node 0 keeps the count.
//!
//! The root of a call takes places for its ranks before it orders them anywhere, and gives back those of ranks that did not come
//! about. A rank that has ended keeps its place, as it keeps its room on its node.

use std::sync::OnceLock;

use rankine_abi::{MPI_ERR_OTHER, MPI_ERR_SPAWN};

use super::muster::Wanted;
use super::soft::Soft;
use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::sync::{Mutex, lock};
use crate::world::World;

/// What a call that is about places begins with.
pub(crate) const KIND: u8 = 68;
/// The node that keeps the count.
const KEEPER: u32 = 0;
/// Bytes of an answer.
const ANSWER: usize = 8;

/// What the keeper is called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    /// So many places, or fewer, but not below the first number. The answer is how many there are of them, and how many were free.
    Take(u32, u32),
    /// So many are free again.
    GiveBack(u32),
}

impl Ask {
    fn write(self) -> Vec<u8> {
        let (kind, least, places) = match self {
            Ask::Take(least, most) => (0, least, most),
            Ask::GiveBack(places) => (1, 0, places),
        };
        [&[KIND, kind, 0, 0][..], &least.to_le_bytes(), &places.to_le_bytes()].concat()
    }

    fn read(bytes: &[u8]) -> Option<Ask> {
        let (&[KIND, kind, 0, 0], rest) = bytes.split_first_chunk()? else { return None };
        match (kind, pair(rest)?) {
            (0, [least, most]) => Some(Ask::Take(least, most)),
            (1, [0, places]) => Some(Ask::GiveBack(places)),
            _ => None,
        }
    }
}

/// Two numbers, as they are sent.
fn pair(bytes: &[u8]) -> Option<[u32; 2]> {
    let (first, second) = bytes.split_first_chunk()?;
    Some([u32::from_le_bytes(*first), u32::from_le_bytes(second.try_into().ok()?)])
}

/// The places of a job, if it has only so many.
#[derive(Default)]
pub(crate) struct Places {
    most: OnceLock<u32>,
    /// Those that ranks have been started in, at the keeper.
    taken: Mutex<u32>,
}

impl Places {
    /// As many of those that are wanted as there are, which are taken from now on, and how many were free. None where there are fewer
    /// than the least that would do.
    fn take(&self, most: u32, least: u32, wanted: u32) -> [u32; 2] {
        let mut taken = lock(&self.taken);
        let free = most.saturating_sub(*taken);
        let granted = if free < least { 0 } else { wanted.min(free) };
        *taken += granted;
        [granted, free]
    }

    /// Whether so many were taken, which are free again.
    fn give_back(&self, places: u32) -> bool {
        let mut taken = lock(&self.taken);
        let left = taken.checked_sub(places);
        *taken = left.unwrap_or(*taken);
        left.is_some()
    }
}

impl World {
    /// Before ranks run: all nodes together may have so many, those that programs start included.
    pub fn limit_ranks(&self, most: u32) {
        let first = self.first_size() as u32;
        let _ = self.spawned.places.most.set(most.saturating_sub(first));
    }

    /// How many ranks the job may have, as far as that is known here.
    pub(crate) fn most_in_all(&self) -> usize {
        self.spawned.places.most.get().map_or(self.options.most_ranks, |&more| self.first_size() + more as usize)
    }

    /// A node wants places, or needs them no longer.
    pub(crate) fn serve_places(&self, number: u64, bytes: &[u8]) -> std::result::Result<Option<Vec<u8>>, String> {
        let places = &self.spawned.places;
        let more = places.most.get().filter(|_| self.node() as u32 == KEEPER).ok_or("it counts ranks here")?;
        match Ask::read(bytes) {
            Some(Ask::Take(least, wanted)) if number != 0 => {
                Ok(Some(places.take(*more, least, wanted).map(u32::to_le_bytes).concat()))
            }
            Some(Ask::GiveBack(free)) if number == 0 && places.give_back(free) => Ok(None),
            _ => Err("a call for places of ranks that makes no sense".into()),
        }
    }
}

/// Places that were taken for ranks: those that these don't keep are given back.
pub(super) struct Taken<'r> {
    root: &'r Rank,
    places: u32,
}

impl<'r> Taken<'r> {
    /// Takes places for what is wanted, of which no more is wanted from then on than there are. None where no limit is.
    pub(super) fn by(root: &'r Rank, wanted: &mut [(u32, Wanted)]) -> Result<Option<Taken<'r>>> {
        let world = root.world();
        let Some(&more) = world.spawned.places.most.get() else { return Ok(None) };
        let sum = |of: fn(&Soft) -> usize| wanted.iter().map(|(_, wanted)| of(&wanted.soft)).sum::<usize>() as u32;
        let (least, all) = (sum(Soft::least), sum(|soft| soft.most));
        let [places, free] = match world.node() as u32 {
            KEEPER => world.spawned.places.take(more, least, all),
            _ => {
                let answer = root.ask_at_once(KEEPER, Ask::Take(least, all).write(), ANSWER)?;
                let answer = pair(&answer).filter(|&[places, free]| places <= free.min(all) && free <= more);
                answer.ok_or_else(|| Error::new(MPI_ERR_OTHER, "node 0 does not say how many ranks the job has"))?
            }
        };
        let taken = Taken { root, places };
        let (mut left, mut total) = (places as usize, 0);
        for (_, Wanted { soft, .. }) in wanted {
            soft.most = soft.largest(left).unwrap_or(soft.most);
            left = left.saturating_sub(soft.most);
            total += soft.most;
        }
        if total > places as usize {
            let most = world.most_in_all();
            return Err(no_room(most.saturating_sub(free as usize), most, total));
        }
        Ok(Some(taken))
    }

    /// So many ranks keep theirs.
    pub(super) fn keep(mut self, ranks: usize) {
        self.places = self.places.saturating_sub(ranks as u32);
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let world = self.root.world();
        match world.node() as u32 {
            _ if self.places == 0 => {}
            KEEPER => drop(world.spawned.places.give_back(self.places)),
            _ => world.tell_node(KEEPER, Ask::GiveBack(self.places).write()),
        }
    }
}

/// There is no room for so many ranks in a job that has so many of so many.
#[cold]
pub(crate) fn no_room(size: usize, most: usize, ranks: usize) -> Error {
    let text = format!("the job has {size} ranks and may have {most} in all: there is no room for {ranks} more");
    Error::new(MPI_ERR_SPAWN, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_read() {
        for ask in [Ask::Take(0, 0), Ask::Take(2, 7), Ask::GiveBack(u32::MAX)] {
            assert_eq!(Ask::read(&ask.write()), Some(ask));
        }
        let [take, give_back] = [Ask::Take(2, 7), Ask::GiveBack(7)].map(Ask::write);
        let changed = |bytes: &[u8], at: usize| [&bytes[..at], &[bytes[at] + 2], &bytes[at + 1..]].concat();
        for odd in [
            vec![],
            take[..11].into(),
            [&take[..], &[0]].concat(),
            changed(&take, 1),
            changed(&take, 2),
            changed(&give_back, 4),
        ] {
            assert_eq!(Ask::read(&odd), None);
        }
    }

    #[test]
    fn there_are_no_more_than_the_limit() {
        let places = Places::default();
        assert_eq!([places.take(5, 0, 3), places.take(5, 1, 3), places.take(5, 0, 1)], [[3, 5], [2, 2], [0, 0]]);
        assert!(places.give_back(4) && !places.give_back(2));
        // Whoever can do with no fewer than there are takes none of them.
        assert_eq!([places.take(5, 5, 9), places.take(5, 4, 9)], [[0, 4], [4, 4]]);
    }
}
