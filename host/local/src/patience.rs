//! How long a rank spins before it parks.
//!
//! A rank with a core of its own loses nothing by spinning, and saves the cost of sleeping and waking. Where others
//! want its core, spinning takes time from the very rank that it waits for, until the system takes the core away. The
//! clock shows when that has happened: the rank then parks early for some time, and tries again. To spin about as long as
//! sleeping and waking would take costs at most twice what knowing beforehand would (Karlin, Li, Manasse, Owicki, "Empirical
//! studies of competitive spinning for a shared-memory multiprocessor", SOSP 1991).

use std::cell::Cell;
use std::time::Duration;

use crate::sync::Instant;

/// Looks of a rank with a core of its own, unless a tool says otherwise: some ten milliseconds.
pub(crate) const MANY: u32 = if cfg!(miri) { 20 } else { 4000 };
/// What a look may take on average: where it is at a hundred thousand requests each time, the rank looks less often.
const LOOK: Duration = Duration::from_micros(5);
/// Looks where cores are taken: about as long as it takes to sleep and to be woken.
const FEW: u32 = 8;
/// A look that lasts longer was interrupted.
const GAP: Duration = Duration::from_micros(400);
/// How long a core is believed to be taken, at first, and when that proves right again and again.
const BELIEVED: (Duration, Duration) = (Duration::from_millis(50), Duration::from_millis(1600));

/// What a rank has learned of its core.
#[derive(Debug)]
pub(crate) struct Patience {
    /// Until when it parks early.
    until: Cell<Option<Instant>>,
    /// How long it will park early the next time.
    believed: Cell<Duration>,
}

impl Default for Patience {
    fn default() -> Self {
        Patience { until: Cell::new(None), believed: Cell::new(BELIEVED.0) }
    }
}

impl Patience {
    /// The rank begins to spin, and looks out so many times at most.
    #[inline]
    pub(crate) fn begin(&self, most: u32) -> Spinning<'_> {
        let left = if self.until.get().is_none() { most } else { most.min(FEW) };
        Spinning { patience: self, left, made: 0, longest: LOOK * left, since: None }
    }

    /// The core was taken away while the rank spun.
    #[cold]
    fn interrupted(&self, now: Instant) {
        let believed = self.believed.get();
        self.until.set(Some(now + believed));
        self.believed.set((believed * 2).min(BELIEVED.1));
    }

    /// The rank has spun as long as it may, and parks.
    #[cold]
    fn spun_out(&self, now: Instant) {
        match self.until.get() {
            Some(until) if now < until => {}
            Some(_) => self.until.set(None),
            // All the time without being interrupted: the core is its own.
            None => self.believed.set(BELIEVED.0),
        }
    }
}

/// A rank that spins.
pub(crate) struct Spinning<'a> {
    patience: &'a Patience,
    left: u32,
    made: u32,
    longest: Duration,
    /// Since when, if it has looked at the clock.
    since: Option<Instant>,
}

impl Spinning<'_> {
    /// Looks out once more, if the rank spins on; whether it does.
    #[inline]
    pub(crate) fn look(&mut self, out: impl FnOnce()) -> bool {
        if self.left == 0 {
            self.patience.spun_out(Instant::now());
            return false;
        }
        self.left -= 1;
        self.made += 1;
        // What comes soon needs no clock, and an interpreter's says nothing.
        if self.made <= FEW || cfg!(miri) {
            out();
            return true;
        }
        let begun = Instant::now();
        out();
        let now = Instant::now();
        if now - begun >= GAP {
            self.patience.interrupted(now);
            return false;
        }
        let is_soon = now - *self.since.get_or_insert(begun) < self.longest;
        if !is_soon {
            self.patience.spun_out(now);
        }
        is_soon
    }

    /// How often it has looked.
    pub(crate) fn looks(&self) -> u32 {
        self.made
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_core_that_is_taken_away_makes_spinning_short_for_a_while() {
        let patience = Patience::default();
        let mut spinning = patience.begin(MANY);
        for _ in 0..FEW {
            // The first looks are not timed.
            assert!(spinning.look(|| {}));
        }
        assert!(!spinning.look(|| std::thread::sleep(GAP * 2)));
        assert_eq!(patience.begin(MANY).left, FEW);

        let mut spinning = patience.begin(MANY);
        assert_eq!((0..).take_while(|_| spinning.look(|| {})).count(), FEW as usize);
        patience.spun_out(Instant::now() + BELIEVED.0);
        assert_eq!(patience.begin(MANY).left, MANY);
    }

    #[test]
    fn looks_that_take_long_are_fewer() {
        let patience = Patience::default();
        let mut spinning = patience.begin(MANY);
        while spinning.look(|| {}) {
            std::thread::sleep(LOOK * 20);
        }
        assert!(spinning.looks() <= MANY / 20 + FEW + 1);
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
