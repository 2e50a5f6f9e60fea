//! Trying again to start what could not be started.

use rankine_system::tell;
use std::time::Duration;

/// The pause before the second try; each is twice as long as the one before it.
const FIRST: Duration = Duration::from_secs(1);

/// The longest pause.
const LONGEST: Duration = Duration::from_secs(30);

/// Tries that are left.
#[derive(Copy, Clone, Debug)]
pub struct Retries {
    /// How many there may be, after the first.
    count: u32,
    left: u32,
    pause: Duration,
}

impl Retries {
    /// So many, after the first try.
    pub fn new(count: u32) -> Retries {
        Retries { count, left: count, pause: FIRST }
    }

    /// Whether there are any.
    pub fn are_wanted(&self) -> bool {
        self.count > 0
    }

    /// Says why there is to be another try, and waits. None, if no try is left.
    pub fn again(&mut self, why: impl std::fmt::Display) -> Option<()> {
        let (number, pause) = self.next()?;
        tell!("rankine: {why}: trying again in {} s ({number} of {})", pause.as_secs(), self.count);
        std::thread::sleep(pause);
        Some(())
    }

    /// The number of the next try, and the pause before it.
    fn next(&mut self) -> Option<(u32, Duration)> {
        self.left = self.left.checked_sub(1)?;
        let pause = self.pause;
        self.pause = (pause * 2).min(LONGEST);
        Some((self.count - self.left, pause))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_tries_end() {
        let mut retries = Retries::new(7);
        let pauses: Vec<u64> = std::iter::from_fn(|| retries.next()).map(|(_, pause)| pause.as_secs()).collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30]);
        assert!(!Retries::new(0).are_wanted() && Retries::new(0).again("never said").is_none());
    }
}
