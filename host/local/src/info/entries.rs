//! The pairs of an info object, in the order in which their keys were set first. They are found by key and by number,
//! in constant and in logarithmic time, however many there are.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use rankine_abi::MPI_ERR_NO_MEM;

use crate::error::{Error, Result};
use crate::quota::{Account, Charge, Cost};

/// What errors call the objects.
pub(super) const WHAT: Cost = Cost::Infos;
/// What a pair takes besides its text, roughly.
pub(super) const OVERHEAD: usize = 80;
/// Up to so many pairs are looked through one by one, and closed up when one is removed.
const FEW: usize = 16;
/// Where no slot's number stands.
const VACANT: u32 = u32::MAX;

type Pair = (Box<str>, Box<str>);

#[derive(Debug)]
pub(crate) struct Entries {
    /// A pair that was removed leaves a hole. There are at most as many holes as pairs.
    slots: Vec<Option<Pair>>,
    holes: usize,
    places: Places,
    counts: Counts,
    charge: Charge,
}

impl Entries {
    pub(super) fn new(account: &Arc<Account>) -> Self {
        Entries {
            slots: Vec::new(),
            holes: 0,
            places: Places::default(),
            counts: Counts::default(),
            charge: Charge::none(account),
        }
    }

    /// How many pairs there are.
    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.holes
    }

    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        let (_, value) = self.slots[self.find(key)?].as_ref()?;
        Some(value)
    }

    /// The key that was set first after `n` others.
    pub(super) fn nth_key(&self, n: usize) -> Option<&str> {
        let slot = match self.holes {
            0 => n,
            _ if n < self.len() => self.counts.slot_after(n),
            _ => return None,
        };
        let (key, _) = self.slots.get(slot)?.as_ref()?;
        Some(key)
    }

    pub(super) fn set(&mut self, key: &str, value: &str) -> Result<()> {
        let slot = self.find(key);
        if slot.is_none() && self.slots.len() >= VACANT as usize {
            return Err(Error::new(MPI_ERR_NO_MEM, "the info object has as many pairs as one can have"));
        }
        let old = slot.map_or(0, |slot| self.bytes_of(slot));
        self.charge.grow(key.len() + value.len() + OVERHEAD, WHAT)?;
        self.charge.shrink(old);
        match slot.and_then(|slot| self.slots[slot].as_mut()) {
            Some((_, there)) => *there = value.into(),
            None => self.push((key.into(), value.into())),
        }
        Ok(())
    }

    /// Whether the key was there.
    pub(super) fn remove(&mut self, key: &str) -> bool {
        let Some(slot) = self.find(key) else { return false };
        self.charge.shrink(self.bytes_of(slot));
        self.slots[slot] = None;
        self.holes += 1;
        if self.slots.len() <= FEW || self.holes > self.len() {
            self.close_up();
        } else if self.holes == 1 {
            self.counts = Counts::of(&self.slots);
        } else {
            self.counts.remove(slot);
        }
        true
    }

    /// A copy, with the pairs of `other` set, too.
    pub(super) fn with(&self, account: &Arc<Account>, other: Option<&Entries>) -> Result<Entries> {
        let mut copy = Entries::new(account);
        for (key, value) in self.pairs().chain(other.into_iter().flat_map(Entries::pairs)) {
            copy.set(key, value)?;
        }
        Ok(copy)
    }

    fn pairs(&self) -> impl Iterator<Item = &Pair> {
        self.slots.iter().flatten()
    }

    /// The slot of a key.
    fn find(&self, key: &str) -> Option<usize> {
        let has_key = |slot: &Option<Pair>| slot.as_ref().is_some_and(|(name, _)| **name == *key);
        if self.slots.len() <= FEW {
            return self.slots.iter().position(has_key);
        }
        self.places.of_key(key).find(|&slot| has_key(&self.slots[slot]))
    }

    fn push(&mut self, pair: Pair) {
        let slot = self.slots.len();
        self.slots.push(Some(pair));
        if self.holes > 0 {
            self.counts.push();
        }
        if slot < FEW {
            return;
        }
        if self.places.have_room_for(self.slots.len()) {
            let key = self.slots[slot].as_ref().map(|(key, _)| &**key);
            self.places.add(key.unwrap_or_default(), slot);
        } else {
            self.places = Places::of(&self.slots);
        }
    }

    fn close_up(&mut self) {
        self.slots.retain(Option::is_some);
        self.slots.shrink_to_fit();
        self.holes = 0;
        self.counts = Counts::default();
        self.places = if self.slots.len() > FEW { Places::of(&self.slots) } else { Places::default() };
    }

    fn bytes_of(&self, slot: usize) -> usize {
        self.slots[slot].as_ref().map_or(0, |(key, value)| key.len() + value.len() + OVERHEAD)
    }
}

/// The slots of many keys: a table of numbers of slots, each at or behind the place that its key's hash names. Holes
/// stay in it, and match no key, until there are new places for all.
#[derive(Debug, Default)]
struct Places {
    /// As many as a power of two, at most half of them taken; or none.
    table: Vec<u32>,
    hashes: RandomState,
}

impl Places {
    /// Places for the keys of all pairs.
    fn of(slots: &[Option<Pair>]) -> Places {
        let mut places = Places { table: vec![VACANT; (2 * slots.len()).next_power_of_two()], ..Places::default() };
        for (slot, pair) in slots.iter().enumerate() {
            if let Some((key, _)) = pair {
                places.add(key, slot);
            }
        }
        places
    }

    fn have_room_for(&self, slots: usize) -> bool {
        self.table.len() >= 2 * slots
    }

    fn add(&mut self, key: &str, slot: usize) {
        if let Some(place) = self.run(key).find(|&place| self.table[place] == VACANT) {
            self.table[place] = slot as u32;
        }
    }

    /// The slots where a key can be.
    fn of_key<'a>(&'a self, key: &str) -> impl Iterator<Item = usize> + use<'a> {
        self.run(key).map(|place| self.table[place]).take_while(|&slot| slot != VACANT).map(|slot| slot as usize)
    }

    /// All places, from the one that a key's hash names.
    fn run(&self, key: &str) -> impl Iterator<Item = usize> + use<> {
        let (first, mask) = (self.hashes.hash_one(key) as usize, self.table.len().wrapping_sub(1));
        (0..self.table.len()).map(move |step| first.wrapping_add(step) & mask)
    }
}

/// How many pairs there are among slots, as sums of a Fenwick tree: the number at `i` is of as many slots up to `i` as
/// the lowest bit of `i + 1` says.
#[derive(Debug, Default)]
struct Counts(Vec<u32>);

impl Counts {
    fn of(slots: &[Option<Pair>]) -> Counts {
        let mut counts = Counts(slots.iter().map(|slot| u32::from(slot.is_some())).collect());
        for i in 0..counts.0.len() {
            let above = i | (i + 1);
            if above < counts.0.len() {
                counts.0[above] += counts.0[i];
            }
        }
        counts
    }

    /// One more slot, with a pair.
    fn push(&mut self) {
        let i = self.0.len();
        let (mut sum, first, mut end) = (1, i & (i + 1), i);
        while end > first {
            sum += self.0[end - 1];
            end &= end - 1;
        }
        self.0.push(sum);
    }

    /// The pair of a slot is gone.
    fn remove(&mut self, slot: usize) {
        let mut i = slot;
        while let Some(sum) = self.0.get_mut(i) {
            *sum -= 1;
            i |= i + 1;
        }
    }

    /// The slot of the pair that comes after `n` others.
    fn slot_after(&self, n: usize) -> usize {
        let (mut slot, mut left) = (0, n);
        let mut step = self.0.len().checked_ilog2().map_or(0, |bits| 1 << bits);
        while step > 0 {
            if let Some(&sum) = self.0.get(slot + step - 1)
                && sum as usize <= left
            {
                left -= sum as usize;
                slot += step;
            }
            step >>= 1;
        }
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random sets and removals beside a plain list that does the same.
    #[test]
    fn keys_keep_their_order_through_holes() {
        let account = Account::new(None);
        let (mut entries, mut list) = (Entries::new(&account), Vec::<(String, String)>::new());
        let mut state = 7u32;
        let mut random = |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % below
        };
        let rounds = if cfg!(miri) { 300 } else { 20_000 };
        for round in 0..rounds {
            let (key, value) = (format!("key {}", random(200)), round.to_string());
            // For a while more is set than removed, then the other way about.
            let sets = random(10) < if round / 500 % 2 == 0 { 8 } else { 2 };
            match list.iter().position(|(name, _)| *name == key) {
                Some(at) if sets => list[at].1.clone_from(&value),
                Some(at) => drop(list.remove(at)),
                None if sets => list.push((key.clone(), value.clone())),
                None => {}
            }
            if sets {
                entries.set(&key, &value).unwrap();
                assert_eq!(entries.get(&key), Some(&*value));
            } else {
                entries.remove(&key);
                assert_eq!(entries.get(&key), None);
            }
            assert_eq!(entries.len(), list.len());
            let n = random(list.len() + 1);
            assert_eq!(entries.nth_key(n), list.get(n).map(|(key, _)| &**key));
        }
        let pairs = || list.iter().map(|(key, value)| (&**key, &**value));
        assert!(entries.pairs().map(|(key, value)| (&**key, &**value)).eq(pairs()));
        assert!(entries.with(&account, None).unwrap().pairs().map(|(key, value)| (&**key, &**value)).eq(pairs()));
        for (key, _) in &list {
            assert!(entries.remove(key) && !entries.remove(key));
        }
        assert_eq!((entries.len(), entries.nth_key(0), account.used()), (0, None, 0));
    }

    #[test]
    fn pairs_of_another_are_set_in_a_copy() {
        let account = Account::new(None);
        let of = |keys: std::ops::Range<u32>, value: &str| {
            let mut entries = Entries::new(&account);
            keys.for_each(|key| entries.set(&key.to_string(), value).unwrap());
            entries
        };
        let both = of(0..30, "old").with(&account, Some(&of(20..50, "new"))).unwrap();
        assert_eq!((both.len(), both.nth_key(29), both.nth_key(30)), (50, Some("29"), Some("30")));
        assert_eq!((both.get("19"), both.get("20"), both.get("50")), (Some("old"), Some("new"), None));
    }
}
