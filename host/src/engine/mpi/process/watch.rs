//! What the library takes of memory beyond what can be charged to its rank: lists of messages that came and nobody has asked
//! for, of accesses that are under way, of whatever the program started and gave up. Only the system knows how much it is,
//! so it is asked now and then, if there is a limit.

use std::time::Duration;

use crate::footprint::Footprint;

/// How often it is asked.
const EVERY: Duration = Duration::from_millis(200);
/// What a library may have that is no rank's: its buffers for the network, and for processes of the same host.
const OF_ITS_OWN: u64 = 512 << 20;

/// See the module.
pub(crate) struct Watch {
    footprint: Footprint,
    limit: u64,
}

impl Watch {
    /// Prepares to watch over a rank with this limit; nobody does without one, or where the system does not tell.
    pub(crate) fn new(limit: Option<usize>) -> Option<Watch> {
        let limit = limit? as u64;
        let footprint = Footprint::open()?;
        Some(Watch { footprint, limit })
    }

    /// Watches from a thread of its own until the process ends, or has outgrown its limit by far: then `outgrown` is told why.
    pub(crate) fn begin(self, outgrown: impl FnOnce(String) + Send + 'static) -> std::io::Result<()> {
        let Some(before) = self.footprint.bytes() else { return Ok(()) };
        // What the limit covers may be there twice: the program's bytes, and the library's copies of them.
        let most = self.limit.saturating_mul(2).saturating_add(before + OF_ITS_OWN);
        self.until(most, outgrown)
    }

    /// Watches until the process has more than `most` bytes.
    fn until(self, most: u64, outgrown: impl FnOnce(String) + Send + 'static) -> std::io::Result<()> {
        let watch = move || {
            while let Some(bytes) = self.footprint.bytes() {
                if bytes > most {
                    return outgrown(text(bytes, self.limit));
                }
                std::thread::sleep(EVERY);
            }
        };
        std::thread::Builder::new().name("watch".into()).spawn(watch).map(drop)
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
    #[cfg(target_os = "linux")]
    fn what_a_process_has_beyond_its_limit_is_told_once() {
        assert!(Watch::new(None).is_none());
        let (tell, told) = std::sync::mpsc::channel();
        let watch = Watch::new(Some(64 << 20)).unwrap();
        watch.until(1, move |text| tell.send(text).unwrap()).unwrap();
        let texts: Vec<String> = told.iter().collect();
        assert_eq!(texts.len(), 1, "{texts:?}");
        assert!(texts[0].contains("--memory-limit leaves a rank 64 MiB"), "{texts:?}");
    }
}
