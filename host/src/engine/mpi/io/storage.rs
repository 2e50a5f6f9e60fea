//! Room on the file system: reserved before the library is asked to write, or at least looked for.
//!
//! What is reserved can't be refused any more, to whatever process writes it. ROMIO has to be spared that: it forgets some
//! writes that the system refuses, and waits for others for ever (`writing`).

use std::fs::File;
use std::io;

use rustix::io::Errno;

/// What became of a reservation that the file system has not refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reserved {
    Yes,
    /// The file system can't reserve anything. As far as one can see there is room.
    NotHere,
}

/// Has the file be as long as that, or longer, with storage behind all of these bytes.
pub(super) fn reserve(file: &File, bytes: u64) -> io::Result<Reserved> {
    match bytes {
        0 => Ok(Reserved::Yes),
        _ => fallocated(file, true, 0, bytes),
    }
}

/// Has storage be behind bytes of a file, whose length stays the same.
pub(super) fn reserve_range(file: &File, at: u64, bytes: u64) -> io::Result<Reserved> {
    match bytes {
        0 => Ok(Reserved::Yes),
        // Nobody writes beyond the limit, and where the length stays the same the system does not look at it.
        _ => within_limit(at, bytes).and_then(|()| fallocated(file, false, at, bytes)),
    }
}

/// Refuses bytes of a file, up to `end`, for which there is no room: those that are there already need none.
pub(super) fn look_for_room(file: &File, end: u64, bytes: u64) -> io::Result<()> {
    within_limit(end, 0)?;
    let metadata = file.metadata()?;
    let room = rustix::fs::fstatvfs(file)?;
    let (missing, free) = (end.saturating_sub(metadata.len()).min(bytes), room.f_bavail.saturating_mul(room.f_frsize));
    if missing > free { Err(io::Error::from(Errno::NOSPC)) } else { Ok(()) }
}

/// Refuses bytes beyond the process' limit for the length of files.
fn within_limit(at: u64, bytes: u64) -> io::Result<()> {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: room for the limit, on the stack.
    let _ = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) };
    let is_within = limit.rlim_cur == libc::RLIM_INFINITY || at.saturating_add(bytes) <= limit.rlim_cur;
    if is_within { Ok(()) } else { Err(io::Error::from(Errno::FBIG)) }
}

#[cfg(target_os = "linux")]
fn fallocated(file: &File, longer: bool, at: u64, bytes: u64) -> io::Result<Reserved> {
    use rustix::fs::{FallocateFlags, fallocate};
    let flags = if longer { FallocateFlags::empty() } else { FallocateFlags::KEEP_SIZE };
    loop {
        match fallocate(file, flags, at, bytes) {
            Ok(()) => return Ok(Reserved::Yes),
            Err(Errno::INTR) => {}
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => return not_here(file, at, bytes),
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn fallocated(file: &File, _longer: bool, at: u64, bytes: u64) -> io::Result<Reserved> {
    not_here(file, at, bytes)
}

fn not_here(file: &File, at: u64, bytes: u64) -> io::Result<Reserved> {
    look_for_room(file, at.saturating_add(bytes), bytes).map(|()| Reserved::NotHere)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn a_file_grows_by_what_is_reserved_and_not_by_a_range() {
        let file = tempfile::tempfile().unwrap();
        reserve_range(&file, 4096, 100).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 0);
        if reserve(&file, 5000).unwrap() == Reserved::Yes {
            assert_eq!(file.metadata().unwrap().len(), 5000);
            assert!(file.metadata().unwrap().blocks() * 512 >= 5000);
        }
        reserve(&file, 0).unwrap();
    }

    #[test]
    fn what_no_file_system_has_room_for_is_refused() {
        let file = tempfile::tempfile().unwrap();
        reserve(&file, 1 << 60).unwrap_err();
        reserve_range(&file, 5, 1 << 60).unwrap_err();
        look_for_room(&file, 1 << 60, 1 << 60).unwrap_err();
        assert_eq!(file.metadata().unwrap().len(), 0);
        look_for_room(&file, 1 << 40, 1).unwrap();
    }
}
