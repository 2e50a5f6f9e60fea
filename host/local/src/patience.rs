//! How long a rank spins before it parks.
//!
//! A rank with a core of its own loses nothing by spinning, and gains what it costs to sleep and to be woken. Where others
//! want its core, spinning takes time from the very rank that it waits for, until the system takes the core away. The
//! clock shows when that has happened: the rank then parks early for some time, and tries again.

use std::cell::Cell;
use std::time::Duration;

use crate::sync::Instant;

/// Polls of a rank with a core of its own: some ten milliseconds.
const MANY: u32 = if cfg!(miri) { 20 } else { 4000 };
/// Polls where cores are taken: about as long as it takes to sleep and to be woken.
const FEW: u32 = 8;
/// A look that lasts longer was interrupted.
const GAP: Duration = Duration::from_micros(400);
/// How long a core is believed to be taken, at first, and when that proves right again and again.
const BELIEVED: (Duration, Duration) = (Duration::from_millis(50), Duration::from_millis(1600));

/// What a rank has learned of its core.
#[derive(Debug)]
pub(crate) struct Patience {
    /// Polls before it parks.
    polls: Cell<u32>,
    /// Until when it parks early.
    until: Cell<Option<Instant>>,
    /// How long it will park early the next time.
    believed: Cell<Duration>,
}

impl Default for Patience {
    fn default() -> Self {
        Patience { polls: Cell::new(MANY), until: Cell::new(None), believed: Cell::new(BELIEVED.0) }
    }
}

impl Patience {
    /// The rank begins to spin.
    #[inline]
    pub(crate) fn begin(&self) -> Spinning<'_> {
        Spinning { patience: self, polls: self.polls.get(), made: 0 }
    }

    /// The core was taken away while the rank spun.
    #[cold]
    fn interrupted(&self, now: Instant) {
        let believed = self.believed.get();
        self.polls.set(FEW);
        self.until.set(Some(now + believed));
        self.believed.set((believed * 2).min(BELIEVED.1));
    }

    /// The rank has spun as long as it may, and parks.
    #[cold]
    fn spun_out(&self, now: Instant) {
        match self.until.get() {
            Some(until) if now >= until => {
                self.until.set(None);
                self.polls.set(MANY);
            }
            Some(_) => {}
            // All the time without being interrupted: the core is its own.
            None => self.believed.set(BELIEVED.0),
        }
    }
}

/// A rank that spins.
pub(crate) struct Spinning<'a> {
    patience: &'a Patience,
    polls: u32,
    made: u32,
}

impl Spinning<'_> {
    /// Looks out once more, if the rank spins on; whether it does.
    #[inline]
    pub(crate) fn look(&mut self, out: impl FnOnce()) -> bool {
        if self.made >= self.polls {
            self.patience.spun_out(Instant::now());
            return false;
        }
        self.made += 1;
        // What comes soon needs no clock.
        if self.made <= FEW {
            out();
            return true;
        }
        let begun = Instant::now();
        out();
        let now = Instant::now();
        let is_whole = now - begun < GAP;
        if !is_whole {
            self.patience.interrupted(now);
        }
        is_whole
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_core_that_is_taken_away_makes_spinning_short_for_a_while() {
        let patience = Patience::default();
        let mut spinning = patience.begin();
        for _ in 0..FEW {
            // The first looks are not timed.
            assert!(spinning.look(|| {}));
        }
        assert!(!spinning.look(|| std::thread::sleep(GAP * 2)));
        assert_eq!(patience.begin().polls, FEW);

        let mut spinning = patience.begin();
        assert_eq!((0..).take_while(|_| spinning.look(|| {})).count(), FEW as usize);
        patience.spun_out(Instant::now() + BELIEVED.0);
        assert_eq!(patience.begin().polls, MANY);
    }

    #[test]
    fn the_longer_it_is_taken_the_longer_that_is_believed() {
        let patience = Patience::default();
        for _ in 0..10 {
            patience.interrupted(Instant::now());
        }
        assert_eq!(patience.believed.get(), BELIEVED.1);
        patience.spun_out(Instant::now() + BELIEVED.1);
        patience.spun_out(Instant::now());
        assert_eq!(patience.believed.get(), BELIEVED.0);
    }
}
