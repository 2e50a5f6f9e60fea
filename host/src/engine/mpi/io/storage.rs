//! Room on the file system: reserved, or at least looked for before the library is asked to write.

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
        _ => fallocated(file, bytes),
    }
}

/// Refuses a length for which there is no room: bytes that are there already need none.
fn look_for_room(file: &File, bytes: u64) -> io::Result<()> {
    within_limit(bytes)?;
    let metadata = file.metadata()?;
    let room = rustix::fs::fstatvfs(file)?;
    let (missing, free) = (bytes.saturating_sub(metadata.len()), room.f_bavail.saturating_mul(room.f_frsize));
    if missing > free { Err(io::Error::from(Errno::NOSPC)) } else { Ok(()) }
}

/// Refuses bytes beyond the process' limit for the length of files.
fn within_limit(bytes: u64) -> io::Result<()> {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: room for the limit, on the stack.
    let _ = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) };
    let is_within = limit.rlim_cur == libc::RLIM_INFINITY || bytes <= limit.rlim_cur;
    if is_within { Ok(()) } else { Err(io::Error::from(Errno::FBIG)) }
}

#[cfg(target_os = "linux")]
fn fallocated(file: &File, bytes: u64) -> io::Result<Reserved> {
    use rustix::fs::{FallocateFlags, fallocate};
    loop {
        match fallocate(file, FallocateFlags::empty(), 0, bytes) {
            Ok(()) => return Ok(Reserved::Yes),
            Err(Errno::INTR) => {}
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => return not_here(file, bytes),
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn fallocated(file: &File, bytes: u64) -> io::Result<Reserved> {
    not_here(file, bytes)
}

fn not_here(file: &File, bytes: u64) -> io::Result<Reserved> {
    look_for_room(file, bytes).map(|()| Reserved::NotHere)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn a_file_grows_by_what_is_reserved() {
        let file = tempfile::tempfile().unwrap();
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
        look_for_room(&file, 1 << 60).unwrap_err();
        assert_eq!(file.metadata().unwrap().len(), 0);
        look_for_room(&file, 1).unwrap();
    }
}
