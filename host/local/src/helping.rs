//! Ranks that carry letters while they wait.
//!
//! A message that the carrying thread sends or brings costs two changes of threads, from the rank and to it. A rank that
//! waits and has a core does the carrying thread's work itself, so its message leaves and comes on its own thread; the
//! carrying thread sleeps meanwhile, and looks from time to time whether that is still so. A rank helps while it counts as
//! one that runs, and a worker of fibers has the same lock as everybody, so whoever looks on ([`World::rest`]) under that lock sees
//! nothing half done.
//!
//! That who waits does the work of all who wait is the reactor of a thread pool with leader and followers (Schmidt, O'Ryan,
//! Kircher, Pyarali, Buschmann, "Leader/Followers", PLoP 2000).

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crate::world::World;

/// The work of the thread that carries letters.
pub trait Carry: Send + Sync {
    /// One look at everything, unless somebody is at it; whether there was something to do.
    fn turn(&self) -> bool;
}

/// How long who finds nothing looks again at once.
pub const SPIN: Duration = Duration::from_micros(20);
/// How long it gives way to others in between, and looks again.
pub const YIELD: Duration = Duration::from_millis(1);
/// How long a rank goes on that has a core of its own: about as long as it would spin on one machine.
const ON_A_CORE: Duration = Duration::from_millis(10);

/// Those of a node that carry letters beside the thread whose work it is.
#[derive(Default)]
pub struct Helpers {
    carry: OnceLock<Arc<dyn Carry>>,
    /// Ranks may, as they have the stacks of threads: what carries calls a library.
    has_ranks: AtomicBool,
    /// How many do at the moment.
    busy: AtomicUsize,
    /// How often somebody has looked.
    looks: AtomicU64,
}

impl Helpers {
    /// Somebody who has nothing else to do begins to carry, if that can be.
    pub(crate) fn begin(&self) -> Option<Helping<'_>> {
        let carry = &**self.carry.get()?;
        self.busy.fetch_add(1, Ordering::Relaxed);
        Some(Helping { helpers: self, carry, since: Instant::now() })
    }

    /// Whether ranks help.
    pub(crate) fn are_ranks(&self) -> bool {
        self.has_ranks.load(Ordering::Relaxed) && self.carry.get().is_some()
    }

    /// Begins to carry unless somebody else does.
    pub(crate) fn begin_alone(&self) -> Option<Helping<'_>> {
        if self.busy.load(Ordering::Relaxed) == 0 { self.begin() } else { None }
    }

    /// One look, of a rank that polls, or waits in the midst of something.
    pub(crate) fn look(&self) {
        if self.has_ranks.load(Ordering::Relaxed)
            && let Some(carry) = self.carry.get()
        {
            self.turn(&**carry);
        }
    }

    fn turn(&self, carry: &dyn Carry) -> bool {
        self.looks.fetch_add(1, Ordering::Relaxed);
        carry.turn()
    }
}

/// Somebody carries until this is dropped.
pub(crate) struct Helping<'h> {
    helpers: &'h Helpers,
    carry: &'h dyn Carry,
    /// Since when there has been nothing to do.
    since: Instant,
}

impl Helping<'_> {
    /// One look, and gives way to others if there has been nothing for a while. How long that has been so.
    pub(crate) fn look(&mut self) -> Duration {
        let worked = self.helpers.turn(self.carry);
        let now = Instant::now();
        if worked {
            self.since = now;
        }
        let quiet = now - self.since;
        if quiet < SPIN {
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
        quiet
    }
}

impl Drop for Helping<'_> {
    fn drop(&mut self) {
        self.helpers.busy.fetch_sub(1, Ordering::Relaxed);
    }
}

impl World {
    /// Who waits may carry letters too, from now on.
    pub fn help_by(&self, carry: Arc<dyn Carry>) {
        if let Some(helpers) = self.helpers() {
            let _ = helpers.carry.set(carry);
        }
    }

    /// Ranks are threads of their own, and may do it themselves.
    pub fn let_ranks_help(&self) {
        if let Some(helpers) = self.helpers() {
            helpers.has_ranks.store(true, Ordering::Relaxed);
        }
    }

    /// Whether somebody who waits has carried letters since this was asked with the same `seen`.
    pub fn has_help(&self, seen: &mut u64) -> bool {
        let looks = self.helpers().map_or(0, |helpers| helpers.looks.load(Ordering::Relaxed));
        std::mem::replace(seen, looks) != looks
    }

    /// Those who carry letters while they wait, in a job of several nodes.
    pub fn helpers(&self) -> Option<&Arc<Helpers>> {
        self.away.as_ref().map(|away| &away.helpers)
    }

    /// A rank that is about to wait carries letters instead, if it would spin, or no other rank here runs.
    pub(crate) fn begin_to_help(&self) -> Option<Helping<'_>> {
        let helpers = self.helpers()?;
        if self.spins() || self.is_last_to_run() { helpers.begin() } else { None }
    }

    /// Whether a rank that helps goes on after so long a time without anything to do.
    pub(crate) fn helps_on(&self, quiet: Duration) -> bool {
        if self.spins() { quiet < ON_A_CORE } else { quiet < YIELD && self.is_last_to_run() }
    }
}
