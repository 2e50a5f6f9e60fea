//! The wall on Linux: Landlock for files, seccomp for everything else, and limits.

#[cfg_attr(target_arch = "s390x", path = "no_calls.rs")]
mod calls;
mod capabilities;
mod descriptors;
mod files;
mod library;
#[cfg(not(target_arch = "s390x"))]
mod requests;

use std::time::Duration;
use std::{fs, io, thread};

use anyhow::{Context as _, Result};

use super::{Needs, Standing};

/// How often it is asked whether a thread is still there that was joined: the system ends it when it gets to it.
const PATIENCE: usize = 100;

/// Files first: their rules are made by opening folders, which the filter of calls ends.
pub(super) fn up(needs: &Needs) -> Result<Standing> {
    descriptors::only_known(needs)?;
    limit().context("the limits of resources")?;
    let before = other_threads();
    let (landlock, whole_process) = files::restrict(needs)?;
    let outside = if landlock.is_some() && !whole_process { before } else { Vec::new() };
    capabilities::drop_most().context("capabilities")?;
    let calls = calls::filter(needs)?;
    Ok(Standing { landlock, calls, outside })
}

pub(super) fn available() -> Standing {
    Standing { landlock: files::version(), calls: calls::is_available(), outside: Vec::new() }
}

/// Limits that no job misses: nothing of these is left. A core file holds the host's memory and that of all ranks, and
/// lies where the job was started; threads that go before all others keep the machine from everybody, and queues of
/// messages stay when the job has ended.
fn limit() -> io::Result<()> {
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    for resource in [libc::RLIMIT_CORE, libc::RLIMIT_RTPRIO, libc::RLIMIT_NICE, libc::RLIMIT_MSGQUEUE] {
        // SAFETY: a valid `rlimit`.
        if unsafe { libc::setrlimit(resource, &none) } != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// The names of this process's threads, but for the one that calls.
pub(super) fn other_threads() -> Vec<String> {
    let me = crate::thread_number::thread_number().to_string();
    let others = || {
        let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
        let others = threads.filter(|thread| thread.file_name() != me.as_str());
        let name = |thread: fs::DirEntry| fs::read_to_string(thread.path().join("comm")).unwrap_or_default();
        others.map(|thread| name(thread).trim().to_owned()).collect::<Vec<_>>()
    };
    // One that has just been joined is still to be seen for a moment.
    for _ in 0..PATIENCE {
        if others().is_empty() {
            break;
        }
        thread::sleep(Duration::from_millis(1));
    }
    others()
}
