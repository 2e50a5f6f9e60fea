//! What ranks of other nodes do: their node tells it the first one, which shows it as that of its own.
//!
//! Nothing is told of ranks that do what they did before: a job in which all wait has to fall silent.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use rankine_view_wire::{Between, Doing, Memory};

use super::{Activity, LEFT, Rank, memory_of};
use crate::lock;

/// What the first node was told of the ranks of this one.
#[derive(Default)]
pub(crate) struct Told {
    ranks: Vec<State>,
    /// Bytes that they had sent, from row to row.
    sent: Vec<u64>,
}

#[derive(Clone, Copy, PartialEq)]
struct State {
    since: u64,
    waited: u64,
    memory: Memory,
}

/// More bytes than this were never sent at once.
const MOST_BYTES: f64 = (1u64 << 50) as f64;
/// Bytes of the words for whom a rank waits.
const LONGEST_WORDS: usize = 200;

impl Activity {
    /// Tells the first node what these ranks, in order, do and have sent, as far as it does not know it; `tell` says whether it will.
    pub fn tell(&self, ranks: &[usize], told: &mut Told, mut tell: impl FnMut(&Between) -> bool) {
        let states: Vec<State> = ranks.iter().filter_map(|&rank| self.ranks.get(rank)).map(Rank::state).collect();
        if states != told.ranks && tell(&self.doing(ranks, &states)) {
            told.ranks = states;
        }
        let (rows, cells) = self.sent_by(ranks);
        let sent: Vec<u64> = cells.iter().map(|bytes| bytes.load(Ordering::Relaxed)).collect();
        told.sent.resize(sent.len(), 0);
        let new = sent.iter().zip(&told.sent).map(|(now, before)| (now - before) as f64).collect();
        if sent != told.sent && tell(&Between::Moved { row: rows.start as u32, bytes: new }) {
            told.sent = sent;
        }
    }

    fn doing(&self, ranks: &[usize], states: &[State]) -> Between {
        let now = self.now();
        let doing = |(rank, state): (&Rank, &State)| {
            let State { since, waited, memory } = *state;
            let waits = if since == 0 || since == LEFT { 0 } else { now.saturating_sub(since).max(1) };
            let awaits = if waits == 0 { String::new() } else { rank.words() };
            Doing { memory, waited: waited as f64 / 1e9, waits: waits as f64 / 1e9, awaits }
        };
        Between::Doing(ranks.iter().filter_map(|&rank| self.ranks.get(rank)).zip(states).map(doing).collect())
    }

    /// The rows from the first to the last of these ranks, and the bytes that each of them has sent to each row. What is known of
    /// others' ranks among them is nothing.
    fn sent_by(&self, ranks: &[usize]) -> (Range<usize>, &[AtomicU64]) {
        let [first, last] = [ranks.first(), ranks.last()].map(|rank| rank.map_or(0, |rank| rank / self.each));
        let rows = first..(last + 1).min(self.rows);
        let cells = self.bytes.get(rows.start * self.rows..rows.end * self.rows).unwrap_or_default();
        (rows, cells)
    }

    /// What the ranks of another node do; whether it is told of all of them.
    pub fn hear_doing(&self, ranks: &[usize], doing: Vec<Doing>) -> bool {
        if ranks.len() != doing.len() || ranks.iter().any(|&rank| rank >= self.ranks.len()) {
            return false;
        }
        let now = self.now();
        // What is no number is 0, and none is too great.
        let nanoseconds = |seconds: f64| (seconds * 1e9) as u64;
        let ranks = ranks.iter().map(|&rank| &self.ranks[rank]);
        for (rank, Doing { memory, waited, waits, mut awaits }) in ranks.zip(doing) {
            awaits.truncate(awaits.floor_char_boundary(LONGEST_WORDS));
            *lock(&rank.told) = Some(memory);
            *lock(&rank.words) = awaits;
            rank.waited.store(nanoseconds(waited), Ordering::Relaxed);
            let since = if waits > 0.0 { now.saturating_sub(nanoseconds(waits)).max(1) } else { 0 };
            if rank.since.load(Ordering::Relaxed) != LEFT {
                rank.since.store(since, Ordering::Relaxed);
            }
        }
        true
    }

    /// Bytes that ranks of another node have sent; whether they are of its rows.
    pub fn hear_moved(&self, ranks: &[usize], row: u32, moved: &[f64]) -> bool {
        let (rows, cells) = self.sent_by(ranks);
        let is_sound = |bytes: &f64| (0.0..=MOST_BYTES).contains(bytes);
        if rows.start != row as usize || cells.len() != moved.len() || !moved.iter().all(is_sound) {
            return false;
        }
        for (cell, bytes) in cells.iter().zip(moved) {
            let add = |sum: u64| Some(sum.saturating_add(*bytes as u64));
            let _ = cell.try_update(Ordering::Relaxed, Ordering::Relaxed, add);
        }
        true
    }
}

impl Rank {
    fn state(&self) -> State {
        let memory = self.account.get().map(|account| memory_of(account)).unwrap_or_default();
        State { since: self.since.load(Ordering::Relaxed), waited: self.waited.load(Ordering::Relaxed), memory }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rankine_guest::{Awaits, Whom};
    use rankine_view_wire::Said;

    use super::*;

    const AWAITS: Awaits = Awaits { call: "MPI_Recv", whom: Whom::Message { from: Some(0), tag: Some(7) }, more: 0 };

    /// What is told of ranks 2 and 3 of four, heard by the first node.
    fn pass_on(other: &Activity, first: &Activity, told: &mut Told) -> usize {
        let (ranks, mut count) = ([2, 3], 0);
        other.tell(&ranks, told, |between| {
            count += 1;
            match between {
                Between::Doing(doing) => first.hear_doing(&ranks, doing.clone()),
                Between::Moved { row, bytes } => first.hear_moved(&ranks, *row, bytes),
                _ => false,
            }
        });
        count
    }

    #[test]
    fn what_ranks_elsewhere_do_is_shown_as_that_of_others() {
        let [first, other] = [(); 2].map(|()| Activity::new(4, true));
        let mut told = Told::default();
        other.parked(3, AWAITS);
        other.moved(2, 0, 10);
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(pass_on(&other, &first, &mut told), 2);
        // Nothing has changed, and what it waits goes on.
        assert_eq!(pass_on(&other, &first, &mut told), 0);
        first.sample();
        assert_eq!(first.ranks[3].words(), "MPI_Recv from rank 0, tag 7");
        other.woken(3);
        other.moved(2, 1, 5);
        other.moved(2, 0, 1);
        assert_eq!(pass_on(&other, &first, &mut told), 2);
        first.sample();
        let news = first.news(&mut 0);
        let Said::Ranks(sample) = &news[0] else { panic!("{news:?}") };
        assert!(sample.waits[3] >= 0.004 && sample.waits[..3] == [0.0; 3], "{sample:?}");
        let Said::Ranks(sample) = &news[1] else { panic!("{news:?}") };
        assert_eq!(sample.waits, [0.0; 4]);
        assert_eq!(sample.load.as_ref().unwrap().sent, [0.0, 0.0, 6.0, 0.0]);
        let counted = [&first, &other].map(|activity| activity.ranks[3].waited.load(Ordering::Relaxed));
        assert!(counted[0].abs_diff(counted[1]) < 100, "{counted:?}");
    }

    #[test]
    fn what_makes_no_sense_is_not_heard() {
        let first = Activity::new(4, true);
        assert!(!first.hear_doing(&[2, 3], vec![Doing::default()]));
        assert!(!first.hear_doing(&[3, 4], vec![Doing::default(); 2]));
        let odd = Doing { waited: f64::NAN, waits: f64::INFINITY, awaits: "é".repeat(150), ..Doing::default() };
        assert!(first.hear_doing(&[3], vec![odd]));
        first.sample();
        assert_eq!(first.ranks[3].words().len(), LONGEST_WORDS);
        assert!(!first.hear_moved(&[2, 3], 1, &[0.0; 8]));
        assert!(!first.hear_moved(&[2, 3], 2, &[0.0; 7]));
        assert!(!first.hear_moved(&[2, 3], 2, &[-1.0; 8]));
        assert!(!first.hear_moved(&[2, 3], 2, &[f64::NAN; 8]));
        assert!(!first.hear_moved(&[2, 8], 2, &[0.0; 8]) || first.rows == 4);
    }
}
