//! Linux tells in `/proc`. What it counts there as resident are places in memory where pages are mapped: a page of a window
//! that four ranks share counts four times, and one that nobody has mapped any more, not at all. So shared pages are
//! counted by the files that they belong to, once.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;

use super::Used;

/// How the names of such files begin: without a name, of System V, shared with children, in the folder of shared memory.
const SHARED: [&str; 4] = ["/memfd:", "/SYSV", "/dev/zero (deleted)", "/dev/shm/"];

/// By a process so far; nothing if it has ended, or the system does not tell.
pub(super) fn used(process: u32) -> Option<Used> {
    Some(Used { processor: processor(process)?, memory: memory(process)? })
}

/// Seconds of processors.
fn processor(process: u32) -> Option<f64> {
    let (mut clock, mut time) = (0, libc::timespec { tv_sec: 0, tv_nsec: 0 });
    // SAFETY: results on the stack, and a number. A clock of a process that has ended is refused.
    let is_told = unsafe {
        libc::clock_getcpuclockid(process.cast_signed(), &raw mut clock) == 0
            && libc::clock_gettime(clock, &raw mut time) == 0
    };
    is_told.then(|| time.tv_sec as f64 + time.tv_nsec as f64 / 1e9)
}

/// Bytes of memory: the most that it had at a time of its own, or what it has now with what it shares.
fn memory(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let [most, now, shared] = ["VmHWM:", "VmRSS:", "RssShmem:"].map(|name| kibibytes(&status, name));
    let (most, now, mapped) = (most?, now?, shared.unwrap_or(0));
    let held = held(process);
    let shared = if mapped > held { held.max(mapped.min(mapped_once(process).unwrap_or(mapped))) } else { held };
    Some((now.saturating_sub(mapped) + shared).max(most.saturating_sub(mapped)))
}

/// A line of `/proc/…/status`, in bytes.
fn kibibytes(status: &str, name: &str) -> Option<u64> {
    let value = status.lines().find_map(|line| line.strip_prefix(name))?;
    value.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|number| number << 10)
}

fn is_shared(name: &str) -> bool {
    SHARED.iter().any(|start| name.starts_with(start))
}

/// Bytes of the shared memory that the process has open, whether or not it is mapped.
fn held(process: u32) -> u64 {
    let mut files = HashMap::new();
    for entry in fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten() {
        let is_shared = fs::read_link(entry.path()).is_ok_and(|target| target.to_str().is_some_and(is_shared));
        if let Some(file) = fs::metadata(entry.path()).ok().filter(|_| is_shared) {
            files.insert((file.dev(), file.ino()), file.blocks() * 512);
        }
    }
    files.values().sum()
}

/// Bytes of shared memory that are mapped, those that are mapped in several places once.
fn mapped_once(process: u32) -> Option<u64> {
    Some(distinct(&fs::read_to_string(format!("/proc/{process}/maps")).ok()?))
}

/// Bytes that are mapped, by what `/proc/…/maps` has: `start-end rights offset device number name`.
fn distinct(maps: &str) -> u64 {
    let mut ends: HashMap<(&str, &str), u64> = HashMap::new();
    for line in maps.lines() {
        let mut words = line.splitn(6, ' ');
        let (Some(range), Some(_), Some(offset), Some(device), Some(number), Some(name)) =
            (words.next(), words.next(), words.next(), words.next(), words.next(), words.next())
        else {
            continue;
        };
        let hex = |text: &str| u64::from_str_radix(text, 16).ok();
        let length = range.split_once('-').and_then(|(start, end)| hex(end)?.checked_sub(hex(start)?));
        if let (true, Some(length), Some(offset)) = (is_shared(name.trim_start()), length, hex(offset)) {
            let end = ends.entry((device, number)).or_default();
            *end = (*end).max(offset.saturating_add(length));
        }
    }
    ends.values().sum()
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write as _;
    use std::os::fd::FromRawFd as _;

    use super::*;

    #[test]
    fn what_is_mapped_twice_counts_once() {
        let maps = "\
7f0000000000-7f0000400000 rw-s 00000000 00:01 77                         /memfd:rankine window (deleted)
7f1000000000-7f1000400000 rw-s 00000000 00:01 77                         /memfd:rankine window (deleted)
7f2000000000-7f2000100000 rw-s 00000000 00:01 78                         /SYSV00000000 (deleted)
7f3000000000-7f3000100000 r-xp 00000000 fe:00 99                         /usr/lib/libc.so.6
7f4000000000-7f4000100000 rw-p 00000000 00:00 0 \n";
        assert_eq!(distinct(maps), (4 << 20) + (1 << 20));
    }

    #[test]
    fn what_is_shared_and_mapped_nowhere_counts() {
        let me = std::process::id();
        // SAFETY: a name that ends, and a descriptor that is nobody else's.
        let mut file = unsafe { File::from_raw_fd(libc::memfd_create(c"a window".as_ptr(), libc::MFD_CLOEXEC)) };
        file.write_all(&vec![1; 256 << 20]).unwrap();
        assert!(memory(me).unwrap() >= 256 << 20);
    }

    #[test]
    fn what_is_used_is_counted() {
        let before = used(std::process::id()).unwrap();
        let block = std::hint::black_box(vec![1_u8; 64 << 20]);
        let sum: u64 = block.iter().map(|&byte| u64::from(byte)).sum();
        let after = used(std::process::id()).unwrap();
        assert!(after.memory >= sum && after.processor > before.processor, "{before:?} {after:?}");
        assert_eq!(used(u32::MAX >> 1), None);
    }
}
