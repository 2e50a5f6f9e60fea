//! What the library takes of memory beyond what can be charged to its rank: lists of messages that came and nobody has asked
//! for, of accesses that are under way, of whatever the program started and gave up. Only the system knows how much it is,
//! so it is asked now and then, if there is a limit.

use std::fs::File;
use std::time::Duration;

/// How often it is asked.
const EVERY: Duration = Duration::from_millis(200);
/// What a library may have that is no rank's: its buffers for the network, and for processes of the same host.
const OF_ITS_OWN: u64 = 512 << 20;

/// See the module.
pub(crate) struct Watch {
    /// The system's account of this process, which can't be opened any more once the process is confined.
    pages: File,
    limit: u64,
}

impl Watch {
    /// Prepares to watch over a rank with this limit; nobody does without one, or where the system does not tell.
    pub(crate) fn new(limit: Option<usize>) -> Option<Watch> {
        let limit = limit? as u64;
        let pages = File::open("/proc/self/statm").ok()?;
        Some(Watch { pages, limit })
    }

    /// Bytes of memory that this process has for itself.
    fn own(&self) -> Option<u64> {
        use std::os::unix::fs::FileExt as _;
        let mut text = [0; 128];
        let length = self.pages.read_at(&mut text, 0).ok()?;
        own_bytes(std::str::from_utf8(&text[..length]).ok()?, page_size())
    }

    /// Watches from a thread of its own until the process ends, or has outgrown its limit by far: then `outgrown` is told why.
    pub(crate) fn begin(self, outgrown: impl FnOnce(String) + Send + 'static) -> std::io::Result<()> {
        let Some(before) = self.own() else { return Ok(()) };
        // What the limit covers may be there twice: the program's bytes, and the library's copies of them.
        let most = self.limit.saturating_mul(2).saturating_add(before + OF_ITS_OWN);
        let watch = move || {
            while let Some(bytes) = self.own() {
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

/// Of `/proc/self/statm`: the pages that are there, without those that come from files or are shared with others.
fn own_bytes(statm: &str, page: u64) -> Option<u64> {
    let mut numbers = statm.split_whitespace().skip(1).map(|word| word.parse::<u64>().ok());
    let (resident, shared) = (numbers.next()??, numbers.next()??);
    Some(resident.saturating_sub(shared) * page)
}

fn page_size() -> u64 {
    // SAFETY: the call takes a number and returns one.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_are_shared_are_nobodys_own() {
        assert_eq!(own_bytes("5000 1200 200 40 0 900 0\n", 4096), Some(1000 * 4096));
        assert_eq!(own_bytes("5000 100 200 40 0 900 0\n", 4096), Some(0));
        assert_eq!(own_bytes("5000", 4096), None);
        assert_eq!(own_bytes("", 4096), None);
        assert_eq!(own_bytes("1 x y", 4096), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn who_takes_more_is_told_and_nobody_watches_without_a_limit() {
        assert!(Watch::new(None).is_none());
        let watch = Watch::new(Some(64 << 20)).unwrap();
        let before = watch.own().unwrap();
        let room = std::hint::black_box(vec![1_u8; 256 << 20]);
        // Other tests may have given some back meanwhile.
        assert!(watch.own().unwrap() >= before + (128 << 20), "{} bytes were taken", room.len());
    }
}
