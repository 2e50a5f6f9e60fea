//! What the process really has of memory, against what its ranks were granted.
//!
//! Accounts (`rankine_guest::Account`) are charged for all that is known of. Should something be missing there, or a library
//! take more than anybody can count, then only the system knows. So it is asked now and then, if there is a limit, and a
//! process that has outgrown what its ranks may have together is ended.

use std::io;
use std::time::Duration;

use rankine_system::allocation;
use rankine_system::footprint::Footprint;

/// How often it is asked.
const EVERY: Duration = Duration::from_millis(200);

/// By how much it must have grown again before more is given back, if that was not enough.
const STEP: u64 = 16 << 20;

/// What a process may have.
#[derive(Clone, Copy)]
pub(crate) struct Granted {
    /// With more than this, what its allocator keeps for later goes back to the system: what is free lies between what is not, and
    /// is in no account.
    pub(crate) usual: u64,
    /// With more than this, it is ended.
    pub(crate) most: u64,
}

/// Watches over this process.
pub(crate) struct Watchdog(Footprint);

impl Watchdog {
    /// Prepares to watch; nobody does where the system does not tell. Call it before the process is confined.
    pub(crate) fn new() -> Option<Watchdog> {
        allocation::keep_little();
        Footprint::open().map(Watchdog)
    }

    /// What the process has, if the system tells.
    pub(crate) fn bytes(&self) -> Option<u64> {
        self.0.bytes()
    }

    /// Watches from a thread of its own until the process ends, or has more than it is granted at that moment: then
    /// `outgrown` is told how much it has, and how much that is too much for.
    pub(crate) fn begin(
        self,
        granted: impl Fn() -> Granted + Send + 'static,
        outgrown: impl FnOnce(u64, u64) + Send + 'static,
    ) -> io::Result<()> {
        let watch = move || {
            if let Some((bytes, most)) =
                watch(|| self.bytes(), granted, allocation::give_back, || std::thread::sleep(EVERY))
            {
                outgrown(bytes, most);
            }
        };
        std::thread::Builder::new().name("watch".into()).spawn(watch).map(drop)
    }
}

/// Looks until there is more than is granted, though what could be given back was: how much that is, and what was granted.
fn watch(
    bytes: impl Fn() -> Option<u64>,
    granted: impl Fn() -> Granted,
    give_back: impl Fn(),
    pause: impl Fn(),
) -> Option<(u64, u64)> {
    // What was left when some was given back last.
    let mut left = 0;
    loop {
        let (mut has, Granted { usual, most }) = (bytes()?, granted());
        if has <= usual {
            left = 0;
        } else if has > most || has > left + STEP {
            give_back();
            has = bytes()?;
            left = has;
        }
        if has > most {
            return Some((has, most));
        }
        pause();
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn what_a_process_has_beyond_what_it_is_granted_is_told_once() {
        let (tell, told) = std::sync::mpsc::channel();
        let grants = std::sync::atomic::AtomicU64::new(2);
        let granted = move || match grants.fetch_sub(1, std::sync::atomic::Ordering::Relaxed) {
            2 => Granted { usual: u64::MAX, most: u64::MAX },
            _ => Granted { usual: 1, most: 1 },
        };
        Watchdog::new().unwrap().begin(granted, move |bytes, most| tell.send((bytes, most)).unwrap()).unwrap();
        let all: Vec<(u64, u64)> = told.iter().collect();
        assert!(matches!(all[..], [(2.., 1)]), "{all:?}");
    }

    #[test]
    fn what_is_free_is_given_back_before_anybody_is_ended() {
        const M: u64 = 1 << 20;
        // What there is in turn, in MiB, also when some was given back. The process may have 200, and usually has 100.
        let seen = |all: &[u64]| {
            let (next, calls) = (Cell::new(0), RefCell::new(String::new()));
            let bytes = || {
                let at = next.replace(next.get() + 1);
                all.get(at).map(|mib| mib * M)
            };
            let granted = || Granted { usual: 100 * M, most: 200 * M };
            let told = watch(bytes, granted, || calls.borrow_mut().push('g'), || calls.borrow_mut().push('.'));
            (told.map(|(bytes, most)| (bytes / M, most / M)), calls.into_inner())
        };
        assert_eq!(seen(&[50, 100]), (None, "..".into()));
        // It helped, and then it helps again.
        assert_eq!(seen(&[150, 60, 90, 250, 70]), (None, "g..g.".into()));
        // It did not, and is not tried again before there is more.
        assert_eq!(seen(&[150, 150, 150, 160, 170, 120, 90, 101, 90]), (None, "g...g..g.".into()));
        assert_eq!(seen(&[150, 150, 201, 201]), (Some((201, 200)), "g.g".into()));
    }
}
