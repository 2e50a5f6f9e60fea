//! What a process has used, as another one sees it.

#[cfg(target_os = "linux")]
mod linux;

/// What a process has used.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub(super) struct Used {
    /// Seconds of processors, those of all its threads together.
    pub(super) processor: f64,
    /// The most memory that it had at a time, in bytes, with what it shares.
    pub(super) memory: u64,
}

impl Used {
    pub(super) const BYTES: usize = 16;

    /// By this process so far, as it sees itself.
    pub(super) fn by_now() -> Used {
        // SAFETY: numbers may be zero.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: the result is on the stack, and of the type that the call fills.
        if unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) } != 0 {
            return Used::default();
        }
        let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
        // In KiB, on macOS in bytes.
        let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
        let memory = u64::try_from(usage.ru_maxrss).unwrap_or(0).saturating_mul(unit);
        Used { processor: seconds(usage.ru_utime) + seconds(usage.ru_stime), memory }
    }

    pub(super) fn max(self, other: Used) -> Used {
        Used { processor: self.processor.max(other.processor), memory: self.memory.max(other.memory) }
    }

    /// This use, or the other where nothing was seen.
    pub(super) fn or(self, other: Used) -> Used {
        if self == Used::default() { other } else { self }
    }

    pub(super) fn to_bytes(self) -> Vec<u8> {
        [self.processor.to_ne_bytes(), self.memory.to_ne_bytes()].concat()
    }

    pub(super) fn of_bytes(bytes: &[u8]) -> Option<Used> {
        let (processor, memory) = bytes.split_first_chunk()?;
        // A number of seconds, whatever was sent.
        let processor = Some(f64::from_ne_bytes(*processor)).filter(|seconds| *seconds >= 0.0 && seconds.is_finite());
        Some(Used { processor: processor?, memory: u64::from_ne_bytes(memory.try_into().ok()?) })
    }
}

/// The process that has started this one, or is about to.
#[derive(Copy, Clone, Debug)]
pub(super) struct Process(u32);

impl Process {
    /// This one, which is to be seen by its children.
    pub(super) fn this() -> Process {
        Process(std::process::id())
    }

    /// Its children belong to another.
    pub(super) fn is_over(self) -> bool {
        std::os::unix::process::parent_id() != self.0
    }

    /// What it has used until now, where the system tells.
    pub(super) fn used(self) -> Option<Used> {
        #[cfg(target_os = "linux")]
        return linux::used(self.0);
        #[cfg(not(target_os = "linux"))]
        None
    }
}
