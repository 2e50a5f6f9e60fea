//! What is heard of one rank, once it has a session or listens to events: counters, and events that wait for its
//! callbacks. Any rank may speak into it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::events::{Event, KINDS};

/// What is counted of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    ShortMessages,
    ShortBytes,
    LongMessages,
    LongBytes,
    Copies,
    CopiedBytes,
    Matched,
    Unexpected,
    Accesses,
    AccessedBytes,
    FileAccesses,
    ReadBytes,
    WrittenBytes,
    Parks,
    SpinPolls,
}

const COUNTS: usize = Count::SpinPolls as usize + 1;

/// Events that may wait for a rank's next call of MPI.
pub(crate) const LONGEST: usize = 1024;

/// An event, and when it was: nanoseconds since the job began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heard {
    pub(crate) event: Event,
    pub(crate) at: i64,
}

/// Events that wait, and how many of each kind found no room.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    pub(crate) events: VecDeque<Heard>,
    pub(crate) lost: [i64; KINDS],
}

/// What hears events, and counts.
#[derive(Debug, Default)]
pub(crate) struct Ear {
    counts: [AtomicU64; COUNTS],
    /// A bit for each kind of event that has a callback.
    wanted: AtomicU32,
    waiting: Mutex<Waiting>,
}

impl Ear {
    pub(crate) fn count(&self, count: Count) -> u64 {
        self.counts[count as usize].load(Ordering::Relaxed)
    }

    /// Counts an event at a rank that it concerns, and keeps it for the rank's callbacks.
    pub(crate) fn hear(&self, rank: usize, event: Event, now: impl Fn() -> i64) {
        each_count(rank, event, |count, by| {
            self.counts[count as usize].fetch_add(by, Ordering::Relaxed);
        });
        if self.wanted.load(Ordering::Relaxed) & 1 << event.kind() == 0 {
            return;
        }
        let mut waiting = self.waiting();
        if waiting.events.len() < LONGEST {
            waiting.events.push_back(Heard { event, at: now() });
        } else {
            waiting.lost[event.kind()] += 1;
        }
    }

    /// From now on these kinds of events are wanted.
    pub(crate) fn want(&self, kinds: u32) {
        self.wanted.store(kinds, Ordering::Relaxed);
        if kinds == 0 {
            self.take();
        }
    }

    /// Takes what waits.
    pub(crate) fn take(&self) -> Waiting {
        std::mem::take(&mut *self.waiting())
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What an event adds to the counters of a rank.
fn each_count(rank: usize, event: Event, mut add: impl FnMut(Count, u64)) {
    match event {
        Event::Sent { bytes, .. } => {
            add(Count::ShortMessages, 1);
            add(Count::ShortBytes, bytes as u64);
        }
        Event::Arrived { expected, .. } => add(if expected { Count::Matched } else { Count::Unexpected }, 1),
        Event::Copied { from, bytes, by, .. } => {
            if rank == from {
                add(Count::LongMessages, 1);
                add(Count::LongBytes, bytes as u64);
            }
            if rank == by {
                add(Count::Copies, 1);
                add(Count::CopiedBytes, bytes as u64);
            }
        }
        Event::Accessed { by, bytes, .. } if rank == by => {
            add(Count::Accesses, 1);
            add(Count::AccessedBytes, bytes as u64);
        }
        Event::Accessed { .. } | Event::Woken { .. } => {}
        Event::Carried { bytes, written, .. } => {
            add(Count::FileAccesses, 1);
            add(if written { Count::WrittenBytes } else { Count::ReadBytes }, bytes);
        }
        Event::Spun { polls, .. } => add(Count::SpinPolls, polls.into()),
        Event::Parked { .. } => add(Count::Parks, 1),
    }
}
