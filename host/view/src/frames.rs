//! Frames being assembled from what all ranks publish for one step.
//!
//! The first rank that comes to a step decides for all whether it is taken, so that a frame has the parts of one step and
//! no other. Ranks may be steps apart; what one decided is found by those that come later.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use bytes::Bytes;

/// Frames of a figure that are assembled at a time.
const MOST_OPEN: usize = 2;
/// A frame of which parts are missing for so long gives way to the next: not all ranks publish.
const PATIENCE: Duration = Duration::from_secs(5);

/// A rank's step: how often it has begun again, and the program's own number.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct When {
    pub round: u32,
    pub step: i64,
}

impl When {
    /// The one after `before`: programs may count from the start again, or not count.
    pub fn after(before: Option<When>, step: i64) -> When {
        match before {
            Some(When { round, step: last }) if step <= last => When { round: round.wrapping_add(1), step },
            Some(When { round, .. }) => When { round, step },
            None => When { round: 0, step },
        }
    }
}

/// What was wrong with a figure, of no rank in particular.
pub(crate) type Complaint = Option<String>;

/// The frames of a figure, each an `A` that ranks put their parts into.
pub(crate) struct Frames<A> {
    /// The newest step of which it is decided whether it is taken.
    decided: Option<When>,
    /// When the last one was taken.
    taken: Option<Instant>,
    /// Frames that some ranks have put their parts into.
    open: Vec<Open<A>>,
    latest: Option<Arc<Frame<A>>>,
    /// Frames so far.
    number: u64,
    /// Steps so far, whether they became frames or not.
    steps: u64,
}

struct Open<A> {
    when: When,
    since: Instant,
    assembly: A,
}

/// A frame that is complete.
pub(crate) struct Frame<A> {
    /// Its number among the frames of its figure.
    pub number: u64,
    pub when: When,
    pub assembly: A,
    message: OnceLock<Bytes>,
}

impl<A> Frame<A> {
    /// The message for pages, made once.
    pub fn message(&self, make: impl FnOnce(&Frame<A>) -> Bytes) -> Bytes {
        self.message.get_or_init(|| make(self)).clone()
    }
}

impl<A> Default for Frames<A> {
    fn default() -> Frames<A> {
        Frames { decided: None, taken: None, open: Vec::new(), latest: None, number: 0, steps: 0 }
    }
}

impl<A> Frames<A> {
    /// The newest complete frame.
    pub fn latest(&self) -> Option<Arc<Frame<A>>> {
        self.latest.clone()
    }

    /// How many frames there are so far, and of how many steps.
    pub fn counts(&self) -> (u64, u64) {
        (self.number, self.steps)
    }

    /// Whether no rank has come to this step yet.
    pub fn is_first(&self, when: When) -> bool {
        self.decided.is_none_or(|decided| when > decided)
    }

    /// What is under way will never be complete.
    pub fn give_up(&mut self) {
        self.open.clear();
    }

    /// Whether as many are under way as may be, and parts of them may still come.
    pub fn is_full(&self) -> bool {
        self.open.len() == MOST_OPEN && self.open[0].since.elapsed() < PATIENCE
    }

    /// The frame of a step that is under way.
    pub fn open(&mut self, when: When) -> Option<&mut A> {
        self.open.iter_mut().find(|open| open.when == when).map(|open| &mut open.assembly)
    }

    /// A rank has come to a step: the frame that its part is wanted for. `interval` and `make` are asked for only where a
    /// new one may begin; `complain` says of one that others must give way to what it lacks.
    pub fn wants(
        &mut self,
        when: When,
        interval: impl FnOnce() -> Duration,
        make: impl FnOnce() -> A,
        complain: impl FnOnce(When, &A) -> String,
    ) -> (Option<&A>, Complaint) {
        if let Some(at) = self.open.iter().position(|open| open.when == when) {
            return (Some(&self.open[at].assembly), None);
        }
        if !self.is_first(when) {
            return (None, None);
        }
        self.decided = Some(when);
        self.steps += 1;
        let now = Instant::now();
        if self.taken.is_some_and(|taken| now.duration_since(taken) < interval()) {
            return (None, None);
        }
        let mut complaint = None;
        if let Some(oldest) = self.open.first().filter(|_| self.open.len() == MOST_OPEN) {
            if now.duration_since(oldest.since) < PATIENCE {
                return (None, None);
            }
            complaint = Some(complain(oldest.when, &oldest.assembly));
            self.open.remove(0);
        }
        self.taken = Some(now);
        self.open.push(Open { when, since: now, assembly: make() });
        (self.open.last().map(|open| &open.assembly), complaint)
    }

    /// The frame of a step has all its parts.
    pub fn complete(&mut self, when: When) {
        let Some(at) = self.open.iter().position(|open| open.when == when) else { return };
        let assembly = self.open.swap_remove(at).assembly;
        // Frames of earlier steps come too late.
        self.open.retain(|open| open.when > when);
        self.number += 1;
        self.latest = Some(Arc::new(Frame { number: self.number, when, assembly, message: OnceLock::new() }));
    }
}
