//! What the library takes of memory beyond what can be charged to its rank: lists of messages that came and nobody has asked
//! for, of accesses that are under way, of whatever the program started and gave up. Only the system knows how much it is,
//! so it is asked now and then, if there is a limit.

use crate::run::watchdog::{Granted, Watchdog};
use rankine_mpi::granted;

/// What a library may have that is no rank's: its buffers for the network, and for processes of the same host.
const OF_ITS_OWN: u64 = 512 << 20;

/// What of that it usually has.
const USUAL: u64 = 64 << 20;

/// What looks how much memory the process has.
pub(crate) struct Watch {
    watchdog: Watchdog,
    limit: u64,
}

impl Watch {
    /// Prepares to watch over a rank with this limit; nobody does without one, or where the system does not tell.
    pub(crate) fn new(limit: Option<usize>) -> Option<Watch> {
        let limit = limit? as u64;
        Some(Watch { watchdog: Watchdog::new()?, limit })
    }

    /// Watches until the process ends, or has outgrown its limit by far: then `outgrown` is told why.
    pub(crate) fn begin(self, outgrown: impl FnOnce(String) + Send + 'static) -> std::io::Result<()> {
        let Some(before) = self.watchdog.bytes() else { return Ok(()) };
        // What the limit covers may be there twice: the program's bytes, and the library's copies of them. What ranks share is
        // in the processes of all of them.
        let usual = self.limit.saturating_add(before + USUAL);
        let most = self.limit.saturating_mul(2).saturating_add(before + OF_ITS_OWN);
        let granted = move || {
            let shared = granted();
            Granted { usual: usual.saturating_add(shared), most: most.saturating_add(shared) }
        };
        self.watchdog.begin(granted, move |bytes, _| outgrown(text(bytes, self.limit)))
    }
}

fn text(bytes: u64, limit: u64) -> String {
    format!(
        "its process has taken {} MiB of memory, most of them the MPI library's, and --memory-limit leaves a rank {} MiB: \
         receive what is sent, and complete what is started (MPI_Wait, MPI_Win_flush)",
        bytes >> 20,
        limit >> 20
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_watches_without_a_limit() {
        assert!(Watch::new(None).is_none());
    }

    #[test]
    fn the_words_name_what_there_is_and_what_may_be() {
        let text = text(1000 << 20, 64 << 20);
        assert!(text.starts_with("its process has taken 1000 MiB"), "{text}");
        assert!(text.contains("--memory-limit leaves a rank 64 MiB"), "{text}");
    }
}
