//! How much memory this process uses, as the system counts it.

use std::fs::File;
use std::io;

pub use system::Footprint;

#[cfg(unix)]
mod system {
    use std::fs::File;
    use std::os::unix::fs::FileExt as _;

    use super::resident_bytes;

    /// The system's account of this process, which stays open when the process is confined.
    pub struct Footprint(File);

    impl Footprint {
        /// `None` where the system keeps no such account.
        pub fn open() -> Option<Footprint> {
            File::open("/proc/self/status").ok().map(Footprint)
        }

        /// Bytes of memory that the process has: its own, and what it shares with other processes, or has several times. What
        /// comes from files is not among them.
        pub fn bytes(&self) -> Option<u64> {
            let mut text = [0; 8192];
            let length = self.0.read_at(&mut text, 0).ok()?;
            resident_bytes(&String::from_utf8_lossy(&text[..length]))
        }
    }
}

#[cfg(windows)]
mod system {
    use std::convert::Infallible;

    /// The system's account of this process, which is not read here.
    pub struct Footprint(Infallible);

    impl Footprint {
        /// There is none.
        pub fn open() -> Option<Footprint> {
            None
        }

        /// Nobody has one to ask.
        pub fn bytes(&self) -> Option<u64> {
            match self.0 {}
        }
    }
}

/// Bytes of memory that processes could take now without any being moved to a disk; `None` where the system doesn't tell.
pub fn available() -> Option<u64> {
    available_bytes(&io::read_to_string(File::open("/proc/meminfo").ok()?).ok()?)
}

/// What compiling may take whatever a rank may.
const LEAST_FOR_COMPILING: u64 = 1 << 30;

/// What a compiler may take that begins now: what a rank may, or, of what is free, all but an eighth.
pub fn of_a_compiler(memory_limit: Option<usize>) -> Option<u64> {
    match memory_limit {
        Some(limit) => Some((limit as u64).max(LEAST_FOR_COMPILING)),
        None => available().map(|bytes| bytes / 8 * 7),
    }
}

/// That it has taken more, in words.
pub fn outgrown(files: &str, bytes: u64, most: u64, memory_limit: Option<usize>) -> String {
    let of = if memory_limit.is_some() { "--memory-limit leaves it" } else { "this machine has free" };
    format!(
        "compiling {files} has taken {} MiB of memory, and {of} {} MiB. A function of megabytes takes the most: -O1, or \
         several smaller ones, take less",
        bytes >> 20,
        most >> 20
    )
}

/// Of `/proc/self/status`: the pages that are there, without those of files.
fn resident_bytes(status: &str) -> Option<u64> {
    let own = kibibytes(status, "RssAnon:")?;
    // Older systems count these with the files.
    let shared = kibibytes(status, "RssShmem:").unwrap_or(0);
    Some((own + shared) << 10)
}

/// The number on the line that begins so.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

/// What this machine has, if it says so; behind the wall too.
pub fn total() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: plain numbers.
        let mut info: libc::sysinfo = unsafe { std::mem::zeroed() };
        // SAFETY: there is room for what it says.
        let is_told = unsafe { libc::sysinfo(&raw mut info) } == 0;
        is_told.then(|| (info.totalram as u64).saturating_mul(info.mem_unit.into()))
    }
    #[cfg(not(target_os = "linux"))]
    None
}

fn available_bytes(meminfo: &str) -> Option<u64> {
    Some(kibibytes(meminfo, "MemAvailable:")? << 10)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Held by a test that measures the process, or takes as much as such a test would see.
    pub(crate) static MEASURED: Mutex<()> = Mutex::new(());

    #[test]
    fn pages_of_files_are_not_counted() {
        let text = "VmRSS:\t   9000 kB\nRssAnon:\t    4000 kB\nRssFile:\t    2000 kB\nRssShmem:\t    3000 kB\n";
        assert_eq!(resident_bytes(text), Some(7000 << 10));
        assert_eq!(resident_bytes("RssAnon: 4 kB\n"), Some(4 << 10));
        assert_eq!(resident_bytes("VmRSS: 4 kB\n"), None);
        assert_eq!(resident_bytes("RssAnon: x kB\n"), None);
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
        let _alone = MEASURED.lock();
        let footprint = Footprint::open().unwrap();
        let before = footprint.bytes().unwrap();
        assert!(before < total().unwrap());
        let room = std::hint::black_box(vec![1_u8; 256 << 20]);
        // Other tests may have given a little back meanwhile.
        assert!(footprint.bytes().unwrap() >= before + (128 << 20), "{} bytes were taken", room.len());
    }
}
