//! Places in memory, of which one that has bytes in common with others is found without a look at all of them.
//!
//! They lie in order, those of about the same length together, which is between a power of two and twice as much: one of these
//! that reaches some bytes begins at most twice its power before them.

use std::collections::BTreeMap;
use std::ops::Bound::Excluded;
use std::ops::Range;

use crate::call::buffer::overlap;

/// Half of the greatest length of its kind, as a power of two; where it begins and ends; and whose it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    power: u32,
    start: u64,
    end: u64,
    number: u64,
}

impl Key {
    fn of(bytes: &Range<u64>, number: u64) -> Option<Key> {
        let power = bytes.end.checked_sub(bytes.start)?.checked_ilog2()?;
        Some(Key { power, start: bytes.start, end: bytes.end, number })
    }
}

/// Operations by the places of their bytes. Numbers are given once, and from 1.
#[derive(Debug)]
pub(super) struct Places<T> {
    all: BTreeMap<Key, T>,
    /// A bit for each power that there was.
    powers: u64,
}

impl<T> Default for Places<T> {
    fn default() -> Places<T> {
        Places { all: BTreeMap::new(), powers: 0 }
    }
}

impl<T: Clone> Places<T> {
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(super) fn insert(&mut self, bytes: &Range<u64>, number: u64, whose: T) {
        if let Some(key) = Key::of(bytes, number) {
            self.powers |= 1 << key.power;
            self.all.insert(key, whose);
        }
    }

    pub(super) fn remove(&mut self, bytes: &Range<u64>, number: u64) {
        if let Some(key) = Key::of(bytes, number) {
            self.all.remove(&key);
        }
    }

    /// The next one after `last`, which is the default at first, that has bytes in common with these.
    pub(super) fn next_overlapping(&self, bytes: &Range<u64>, last: Key) -> Option<(Key, T)> {
        if self.all.is_empty() || bytes.is_empty() {
            return None;
        }
        let mut powers = (last.power..u64::BITS).filter(|power| self.powers >> power & 1 != 0);
        powers.find_map(|power| self.next_of(power, bytes, last))
    }

    /// The next one, behind the last, among those of one power.
    fn next_of(&self, power: u32, bytes: &Range<u64>, last: Key) -> Option<(Key, T)> {
        let longest = u64::MAX >> (u64::BITS - 1 - power);
        // No number is 0.
        let before = |start: u64| Key { power, start, end: 0, number: 0 };
        let (mut from, end) = (last.max(before(bytes.start.saturating_sub(longest))), before(bytes.end));
        while from < end {
            let (&key, whose) = self.all.range((Excluded(from), Excluded(end))).next()?;
            if overlap(&(key.start..key.end), bytes) {
                return Some((key, whose.clone()));
            }
            // Nor do others at the same place.
            from = Key { number: u64::MAX, ..key };
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_overlapping(places: &Places<u64>, bytes: Range<u64>) -> Vec<u64> {
        let (mut found, mut last) = (Vec::new(), Key::default());
        while let Some((key, whose)) = places.next_overlapping(&bytes, last) {
            found.push(whose);
            last = key;
        }
        found.sort_unstable();
        found
    }

    #[test]
    fn those_are_found_that_a_look_at_all_finds() {
        let (mut seed, mut places, mut list) = (1_u64, Places::default(), Vec::new());
        let mut random = move |below: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % below
        };
        for number in 1..=600 {
            let (start, power) = (random(200), random(8));
            let bytes = start..start + random(1 << power);
            places.insert(&bytes, number, number);
            list.push((bytes, number));
            if number % 3 == 0 {
                let (bytes, number) = list.swap_remove(random(list.len() as u64) as usize);
                places.remove(&bytes, number);
            }
            let start = random(220);
            let wanted = start..start + random(40);
            let mut expected: Vec<u64> =
                list.iter().filter(|(bytes, _)| overlap(bytes, &wanted)).map(|(_, number)| *number).collect();
            expected.sort_unstable();
            assert_eq!(all_overlapping(&places, wanted), expected);
        }
        for (bytes, number) in list {
            places.remove(&bytes, number);
        }
        assert!(places.is_empty());
    }

    #[test]
    fn the_ends_of_memory_are_places_too() {
        let mut places = Places::default();
        places.insert(&(0..1), 1, 1);
        places.insert(&(0..1 << 32), 2, 2);
        places.insert(&((1 << 32) - 1..1 << 32), 3, 3);
        places.insert(&(7..7), 4, 4);
        assert_eq!(all_overlapping(&places, 0..1), [1, 2]);
        assert_eq!(all_overlapping(&places, (1 << 32) - 1..1 << 32), [2, 3]);
        assert_eq!(all_overlapping(&places, 7..8), [2]);
        assert!(all_overlapping(&places, 7..7).is_empty());
    }
}
