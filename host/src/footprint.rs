//! How much memory this process uses, as the system counts it.

use std::fs::File;
use std::io;

pub(crate) use system::Footprint;

#[cfg(unix)]
mod system {
    use std::fs::File;
    use std::os::unix::fs::FileExt as _;

    use super::own_bytes;

    /// The system's account of this process, which stays open when the process is confined.
    pub(crate) struct Footprint(File);

    impl Footprint {
        /// `None` where the system keeps no such account.
        pub(crate) fn open() -> Option<Footprint> {
            File::open("/proc/self/statm").ok().map(Footprint)
        }

        /// Bytes of memory that the process has for itself.
        pub(crate) fn bytes(&self) -> Option<u64> {
            let mut text = [0; 128];
            let length = self.0.read_at(&mut text, 0).ok()?;
            own_bytes(std::str::from_utf8(&text[..length]).ok()?, page_size())
        }
    }

    fn page_size() -> u64 {
        // SAFETY: the call takes a number and returns one.
        u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
    }
}

#[cfg(windows)]
mod system {
    use std::convert::Infallible;

    /// The system's account of this process, which is not read here.
    pub(crate) struct Footprint(Infallible);

    impl Footprint {
        pub(crate) fn open() -> Option<Footprint> {
            None
        }

        pub(crate) fn bytes(&self) -> Option<u64> {
            match self.0 {}
        }
    }
}

/// Bytes of memory that processes could take now without any being moved to a disk; `None` where the system doesn't tell.
pub(crate) fn available() -> Option<u64> {
    available_bytes(&io::read_to_string(File::open("/proc/meminfo").ok()?).ok()?)
}

/// What compiling may take whatever a rank may.
const LEAST_FOR_COMPILING: u64 = 1 << 30;

/// What a compiler may take that begins now: what a rank may, or, of what is free, all but an eighth.
pub(crate) fn of_a_compiler(memory_limit: Option<usize>) -> Option<u64> {
    match memory_limit {
        Some(limit) => Some((limit as u64).max(LEAST_FOR_COMPILING)),
        None => available().map(|bytes| bytes / 8 * 7),
    }
}

/// That it has taken more, in words.
pub(crate) fn outgrown(files: &str, bytes: u64, most: u64, memory_limit: Option<usize>) -> String {
    let of = if memory_limit.is_some() { "--memory-limit leaves it" } else { "this machine has free" };
    format!(
        "compiling {files} has taken {} MiB of memory, and {of} {} MiB. A function of megabytes takes the most: -O1, or \
         several smaller ones, take less",
        bytes >> 20,
        most >> 20
    )
}

/// Of `/proc/self/statm`: the pages that are there, without those that come from files or are shared with others.
fn own_bytes(statm: &str, page: u64) -> Option<u64> {
    let mut numbers = statm.split_whitespace().skip(1).map(|word| word.parse::<u64>().ok());
    let (resident, shared) = (numbers.next()??, numbers.next()??);
    Some(resident.saturating_sub(shared) * page)
}

fn available_bytes(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes << 10)
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
    fn what_is_available_is_told_in_bytes() {
        let text = "MemTotal:       24577300 kB\nMemFree:        22870100 kB\nMemAvailable:   23000000 kB\n";
        assert_eq!(available_bytes(text), Some(23_000_000 << 10));
        assert_eq!(available_bytes("MemTotal: 1 kB\n"), None);
        assert_eq!(available_bytes("MemAvailable: many\n"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_is_taken_is_seen() {
        let footprint = Footprint::open().unwrap();
        let before = footprint.bytes().unwrap();
        let room = std::hint::black_box(vec![1_u8; 256 << 20]);
        // Other tests may have given some back meanwhile.
        assert!(footprint.bytes().unwrap() >= before + (128 << 20), "{} bytes were taken", room.len());
    }
}
