//! Limits of the machine that a large job meets, checked before it starts.

use anyhow::{Result, bail};

/// Mappings of one rank: its stack and its memory each with what guards them, the image that its memory starts from,
/// which lies behind the guest's stack, and a share of the host's heap. Measured: 7.0.
const MAPPINGS_WITH_IMAGE: usize = 8;
/// Without an image to start from. Measured: 4.7.
const MAPPINGS: usize = 5;
/// Mappings of the process itself, generously.
const MAPPINGS_OF_PROCESS: usize = 2000;

/// Whether a job's memories can start from copy-on-write images; an error if the job can't start at all.
pub fn check_mappings(ranks: usize) -> Result<bool> {
    mappings(ranks, mappings_allowed())
}

/// How many ranks a process may have by the time that no more are started.
pub fn most_ranks(images: bool) -> usize {
    let each = if images { MAPPINGS_WITH_IMAGE } else { MAPPINGS };
    mappings_allowed().saturating_sub(MAPPINGS_OF_PROCESS) / each
}

/// Systems without this limit have no such file.
fn mappings_allowed() -> usize {
    let text = std::fs::read_to_string("/proc/sys/vm/max_map_count");
    text.ok().and_then(|text| text.trim().parse().ok()).unwrap_or(usize::MAX)
}

fn mappings(ranks: usize, limit: usize) -> Result<bool> {
    let needed = |each: usize| ranks.saturating_mul(each).saturating_add(MAPPINGS_OF_PROCESS);
    if needed(MAPPINGS_WITH_IMAGE) <= limit {
        return Ok(true);
    }
    if needed(MAPPINGS) <= limit {
        return Ok(false);
    }
    bail!(
        "{ranks} ranks need about {} memory mappings, and vm.max_map_count allows {limit} (about {} ranks).\n\
         Raise it with: sudo sysctl vm.max_map_count={}",
        needed(MAPPINGS),
        limit.saturating_sub(MAPPINGS_OF_PROCESS) / MAPPINGS,
        needed(MAPPINGS_WITH_IMAGE)
    )
}

/// Raises the number of files that this process may open as far as it may: each rank opens its folders for itself.
#[cfg(unix)]
pub fn raise_open_files() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: both calls get a valid `rlimit`.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) == 0 {
            limit.rlim_cur = limit.rlim_max;
            libc::setrlimit(libc::RLIMIT_NOFILE, &limit);
        }
    }
}

/// Windows sets no such limit.
#[cfg(windows)]
pub fn raise_open_files() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_while_there_is_room() {
        assert!(mappings(1000, 65_530).unwrap());
        assert!(!mappings(12_000, 65_530).unwrap());
        assert!(mappings(usize::MAX / 2, usize::MAX).is_ok());
    }

    #[test]
    fn names_the_limit_and_how_to_raise_it() {
        let text = mappings(20_000, 65_530).unwrap_err().to_string();
        assert!(text.contains("sysctl vm.max_map_count=162000"), "{text}");
        assert!(text.contains("about 12706 ranks"), "{text}");
    }
}
