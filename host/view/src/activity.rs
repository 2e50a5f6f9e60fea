//! What the ranks do: when they wait and for whom, how much they send to whom, and what memory they have. The engine tells it
//! of every program.
//!
//! Ranks in great numbers share rows. A rank that waits in the engine has found nothing to do there; while it looks for a
//! moment whether something comes, and while it waits for a file or for time to pass, it counts as computing.

pub(crate) mod afar;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use rankine_guest::{Account, Awaits};
use rankine_view_wire::{Load, Memory, Ranks, Said};

use crate::lock;

/// Between samples.
pub(crate) const INTERVAL: Duration = Duration::from_millis(250);
/// Samples that are kept for those who come late.
pub(crate) const MOST_SAMPLES: usize = 240;
/// Rows at most.
pub(crate) const MOST_ROWS: usize = 64;

pub(crate) struct Activity {
    origin: Instant,
    ranks: Box<[Rank]>,
    /// Ranks in a row.
    each: usize,
    rows: usize,
    /// Sent from row to row.
    bytes: Box<[AtomicU64]>,
    /// Somebody tells when ranks wait, and what they send.
    has_events: bool,
    samples: Mutex<Samples>,
}

#[derive(Default)]
struct Rank {
    /// Since when it waits, in nanoseconds since the beginning; 0 while it computes, [`LEFT`] when it has ended.
    since: AtomicU64,
    /// How long it has waited before.
    waited: AtomicU64,
    /// What it has waited for last.
    awaits: Mutex<Option<Awaits>>,
    /// What it has of memory, once it has begun.
    account: OnceLock<Arc<Account>>,
    /// What a rank in another process has of memory, and for whom it waits.
    told: Mutex<Option<Memory>>,
    words: Mutex<String>,
}

const LEFT: u64 = u64::MAX;

struct Samples {
    /// Of the next one.
    number: u64,
    kept: VecDeque<Ranks>,
    at: u64,
    /// How long each rank had waited by then.
    waited: Vec<u64>,
    /// Bytes that each row had sent by then, and that it was sent.
    sent: Vec<u64>,
    received: Vec<u64>,
}

impl Activity {
    /// Of so many ranks; `has_events` says that the engine tells when they wait and what they move.
    pub fn new(ranks: usize, has_events: bool) -> Activity {
        let each = ranks.div_ceil(MOST_ROWS).max(1);
        let rows = ranks.div_ceil(each);
        let (sent, received) = (vec![0; rows], vec![0; rows]);
        let samples = Samples { number: 0, kept: VecDeque::new(), at: 0, waited: vec![0; ranks], sent, received };
        Activity {
            origin: Instant::now(),
            ranks: (0..ranks).map(|_| Rank::default()).collect(),
            each,
            rows,
            bytes: (0..rows * rows).map(|_| AtomicU64::new(0)).collect(),
            samples: Mutex::new(samples),
            has_events,
        }
    }

    /// Since the job began.
    pub fn elapsed(&self) -> Duration {
        self.origin.elapsed()
    }

    fn now(&self) -> u64 {
        u64::try_from(self.origin.elapsed().as_nanos()).unwrap_or(LEFT - 1).max(1)
    }

    /// A rank waits from now on. Ranks that programs have started are not shown.
    pub fn parked(&self, rank: usize, awaits: Awaits) {
        if let Some(rank) = self.ranks.get(rank) {
            *lock(&rank.awaits) = Some(awaits);
            rank.since.store(self.now(), Ordering::Relaxed);
        }
    }

    /// What memory a rank in another process has.
    pub fn tells(&self, rank: usize, memory: Memory) {
        if let Some(rank) = self.ranks.get(rank) {
            *lock(&rank.told) = Some(memory);
        }
    }

    /// A rank has begun, and this is its account.
    pub fn begins(&self, rank: usize, account: &Arc<Account>) {
        if let Some(rank) = self.ranks.get(rank) {
            let _ = rank.account.set(account.clone());
        }
    }

    /// It computes again.
    pub fn woken(&self, rank: usize) {
        if let Some(rank) = self.ranks.get(rank) {
            rank.ends(0, self.now());
        }
    }

    /// It has ended.
    pub fn left(&self, rank: usize) {
        if let Some(rank) = self.ranks.get(rank) {
            rank.ends(LEFT, self.now());
        }
    }

    /// A message moved.
    pub fn moved(&self, from: usize, to: usize, bytes: usize) {
        let (row, column) = (from / self.each, to / self.each);
        if row < self.rows && column < self.rows {
            self.bytes[row * self.rows + column].fetch_add(bytes as u64, Ordering::Relaxed);
        }
    }

    /// Takes a sample of what has been since the last one.
    pub fn sample(&self) {
        let (samples, now) = (&mut *lock(&self.samples), self.now());
        let span = now.saturating_sub(samples.at).max(1);
        let mut row = Ranks {
            number: samples.number,
            at: now as f64 / 1e9,
            span: span as f64 / 1e9,
            each: self.each as u32,
            waited: vec![0.0; self.rows],
            waits: vec![-1.0; self.rows],
            load: None,
        };
        let mut load = self.moved_since(samples);
        load.memory = vec![Memory::default(); self.rows];
        load.awaits = vec![String::new(); self.rows];
        for (n, rank) in self.ranks.iter().enumerate() {
            let (since, before) = (rank.since.load(Ordering::Relaxed), rank.waited.load(Ordering::Relaxed));
            let has_left = since == LEFT;
            let waits = if since == 0 || has_left { 0 } else { now.saturating_sub(since) };
            // A rank that is woken meanwhile counts what it has waited a moment later.
            let waited = before.saturating_add(waits).max(samples.waited[n]);
            let new = (waited - samples.waited[n]).min(span);
            samples.waited[n] = waited;
            let in_row = self.each.min(self.ranks.len() - n / self.each * self.each);
            row.waited[n / self.each] += (new as f64 / span as f64 / in_row as f64) as f32;
            if !has_left {
                let longest = &mut row.waits[n / self.each];
                if waits > 0 && Duration::from_nanos(waits) >= INTERVAL && (waits as f64 / 1e9) as f32 > *longest {
                    load.awaits[n / self.each] = rank.in_words(n, self.each);
                }
                *longest = longest.max((waits as f64 / 1e9) as f32);
            }
            if let Some(has) = rank.account.get().map(|account| memory_of(account)).or(*lock(&rank.told)) {
                let memory = &mut load.memory[n / self.each];
                memory.guest += has.guest;
                memory.host += has.host;
                memory.most += has.most;
            }
        }
        if !self.has_events {
            row.waited.fill(f32::NAN);
            load.sent.fill(f64::NAN);
            load.received.fill(f64::NAN);
        }
        row.load = Some(load);
        samples.number += 1;
        samples.at = now;
        if samples.kept.len() == MOST_SAMPLES {
            samples.kept.pop_front();
        }
        samples.kept.push_back(row);
    }

    /// What rows have sent and were sent since the last sample.
    fn moved_since(&self, samples: &mut Samples) -> Load {
        let bytes: Vec<u64> = self.bytes.iter().map(|bytes| bytes.load(Ordering::Relaxed)).collect();
        let all = |at: &dyn Fn(usize, usize) -> usize| -> Vec<u64> {
            let sum = |row: usize| (0..self.rows).map(|other| bytes[at(row, other)]).sum();
            (0..self.rows).map(sum).collect()
        };
        let new = |now: Vec<u64>, before: &mut Vec<u64>| {
            let new = now.iter().zip(&*before).map(|(now, before)| (now - before) as f64).collect();
            *before = now;
            new
        };
        let sent = new(all(&|row, other| row * self.rows + other), &mut samples.sent);
        let received = new(all(&|row, other| other * self.rows + row), &mut samples.received);
        Load { sent, received, ..Load::default() }
    }

    /// Samples that a viewer has not seen, and what was sent by now.
    pub fn news(&self, seen: &mut u64) -> Vec<Said> {
        let samples = lock(&self.samples);
        let new = samples.kept.iter().filter(|sample| sample.number >= *seen);
        let mut news: Vec<Said> = new.cloned().map(Said::Ranks).collect();
        *seen = samples.number;
        if !news.is_empty() && self.has_events {
            let bytes = self.bytes.iter().map(|bytes| bytes.load(Ordering::Relaxed) as f64).collect();
            news.push(Said::Traffic { rows: self.rows as u32, bytes });
        }
        news
    }
}

/// What memory a rank with this account has.
pub(crate) fn memory_of(account: &Account) -> Memory {
    let (used, held) = (account.used(), account.held());
    Memory { guest: used.saturating_sub(held) as f64, host: held as f64, most: account.most().max(used) as f64 }
}

impl Rank {
    /// For whom it waits, by its number among ranks of which so many share a row.
    fn in_words(&self, number: usize, each: usize) -> String {
        let words = self.words();
        if each == 1 || words.is_empty() { words } else { format!("rank {number} in {words}") }
    }

    /// The same, in the words of its own node if it is on another one.
    fn words(&self) -> String {
        let awaits = *lock(&self.awaits);
        awaits.map_or_else(|| lock(&self.words).clone(), |awaits| awaits.to_string())
    }

    /// What it did has ended.
    fn ends(&self, next: u64, now: u64) {
        let since = self.since.swap(next, Ordering::Relaxed);
        if since != 0 && since != LEFT {
            self.waited.fetch_add(now.saturating_sub(since), Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use rankine_guest::{Cost, Whom};

    use super::*;

    const AWAITS: Awaits = Awaits { call: "MPI_Recv", whom: Whom::Message { from: Some(2), tag: Some(7) }, more: 0 };

    fn samples(activity: &Activity, seen: &mut u64) -> Vec<Ranks> {
        let ranks = |said| if let Said::Ranks(ranks) = said { Some(ranks) } else { None };
        activity.news(seen).into_iter().filter_map(ranks).collect()
    }

    #[test]
    fn samples_add_up_to_what_was_waited() {
        let (activity, mut seen) = (Activity::new(3, true), 0);
        activity.parked(0, AWAITS);
        std::thread::sleep(Duration::from_millis(5));
        activity.sample();
        std::thread::sleep(Duration::from_millis(5));
        activity.woken(0);
        activity.parked(1, AWAITS);
        activity.left(2);
        activity.sample();
        let samples = samples(&activity, &mut seen);
        let sum: f64 = samples.iter().map(|sample| f64::from(sample.waited[0]) * sample.span).sum();
        let counted = activity.ranks[0].waited.load(Ordering::Relaxed) as f64 / 1e9;
        assert!(counted >= 0.01 && (sum - counted).abs() < 1e-5, "{sum} {counted}");
        assert_eq!(samples[0].waited[1..], [0.0, 0.0]);
        assert!(samples[0].waits[0] > 0.0 && samples[1].waits[0] == 0.0 && samples[1].waits[2] == -1.0);
        assert!(activity.news(&mut seen).is_empty());
    }

    #[test]
    fn many_ranks_share_rows() {
        let activity = Activity::new(1000, true);
        assert_eq!((activity.each, activity.rows), (16, 63));
        activity.moved(0, 999, 10);
        activity.moved(15, 999, 5);
        activity.moved(0, 5000, 1);
        (0..1000).for_each(|rank| activity.parked(rank, AWAITS));
        activity.parked(7000, AWAITS);
        activity.sample();
        let news = activity.news(&mut 0);
        let Some(Said::Traffic { rows: 63, bytes }) = news.last() else { panic!("{news:?}") };
        assert_eq!((bytes[62], bytes.iter().sum()), (15.0, 15.0));
        let Said::Ranks(sample) = &news[0] else { panic!("{news:?}") };
        assert!(sample.waited.iter().all(|part| *part > 0.0 && *part <= 1.001), "{:?}", sample.waited);
    }

    #[test]
    fn a_sample_has_what_was_moved_since_the_last_one() {
        let activity = Activity::new(3, true);
        activity.moved(0, 1, 10);
        activity.moved(2, 1, 5);
        activity.sample();
        activity.moved(0, 1, 7);
        activity.sample();
        let loads: Vec<Load> = samples(&activity, &mut 0).into_iter().filter_map(|sample| sample.load).collect();
        assert_eq!([&loads[0].sent, &loads[1].sent], [&[10.0, 0.0, 5.0], &[7.0, 0.0, 0.0]]);
        assert_eq!([&loads[0].received, &loads[1].received], [&[0.0, 15.0, 0.0], &[0.0, 7.0, 0.0]]);
    }

    #[test]
    fn a_sample_has_memory_and_for_whom_ranks_wait() {
        let mut activity = Activity::new(2, true);
        activity.origin -= 4 * INTERVAL;
        let account = Account::new(None);
        activity.begins(1, &account);
        assert!(account.grow_guest(100));
        drop(account.charge(50, Cost::Frames));
        let _held = account.charge(20, Cost::Frames).unwrap();
        activity.parked(0, AWAITS);
        activity.parked(1, AWAITS);
        // That has been for longer than a sample, and the other has not.
        activity.ranks[0].since.store(1, Ordering::Relaxed);
        activity.sample();
        let load = samples(&activity, &mut 0)[0].load.clone().unwrap();
        assert_eq!(load.memory, [Memory::default(), Memory { guest: 100.0, host: 20.0, most: 150.0 }]);
        assert_eq!(load.awaits, ["MPI_Recv from rank 2, tag 7", ""]);
        assert_eq!(activity.ranks[0].in_words(9, 4), "rank 9 in MPI_Recv from rank 2, tag 7");
    }

    #[test]
    fn late_ones_get_what_is_kept() {
        let (activity, mut seen) = (Activity::new(1, true), 0);
        (0..MOST_SAMPLES + 5).for_each(|_| activity.sample());
        let all = samples(&activity, &mut seen);
        assert_eq!((all.len(), all[0].number), (MOST_SAMPLES, 5));
        activity.sample();
        assert_eq!(samples(&activity, &mut seen).len(), 1);
    }
}
