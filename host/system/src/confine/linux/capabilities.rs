//! What is left of an administrator's rights, for jobs that one runs, in a container for instance.

use std::io;

/// By their numbers in `linux/capability.h`: those that let files of others be used (`CHOWN` to `FSETID`), which Landlock
/// limits to what is granted, and `IPC_LOCK`, by which networks keep buffers in memory.
const KEPT: [u32; 6] = [0, 1, 2, 3, 4, 14];

/// The version of the two structures below.
const VERSION: u32 = 0x2008_0522;

#[repr(C)]
struct Header {
    version: u32,
    /// 0: the thread that calls.
    thread: i32,
}

#[repr(C)]
#[derive(Copy, Clone, Default)]
struct Sets {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

/// Gives up all others, for this thread and those that it starts.
pub(super) fn drop_most() -> io::Result<()> {
    let header = Header { version: VERSION, thread: 0 };
    // The low and the high half of each set.
    let mut sets = [Sets::default(); 2];
    // SAFETY: the structures of this version, of which there are two.
    check(unsafe { libc::syscall(libc::SYS_capget, &raw const header, sets.as_mut_ptr()) })?;
    let low = KEPT.iter().fold(0, |kept, number| kept | 1 << number);
    for (half, kept) in sets.iter_mut().zip([low, 0]) {
        *half = Sets { effective: half.effective & kept, permitted: half.permitted & kept, inheritable: 0 };
    }
    // SAFETY: the structures of this version, of which there are two.
    check(unsafe { libc::syscall(libc::SYS_capset, &raw const header, sets.as_ptr()) })
}

fn check(result: libc::c_long) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
