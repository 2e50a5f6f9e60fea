//! Room on the file system: reserved before the library is asked to write, or at least looked for.
//!
//! What is reserved can't be refused any more, to whatever process writes it, unless somebody cuts the file meanwhile. A file
//! system that copies what it overwrites (Btrfs, ZFS) promises that for bytes alone that were never written. ROMIO has to be
//! spared a refusal: it forgets some writes that the system refuses, and waits for others for ever (`writing`).
//!
//! A reservation that is refused in its midst keeps what it had got so far, on ext4 all that was free. So none that is long is
//! asked for where one can see that there is no room.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;

use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;

/// What became of a reservation that the file system has not refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reserved {
    Yes,
    /// The file system can't reserve anything. As far as one can see there is room.
    NotHere,
}

/// What a refused reservation may keep: to look for room first is a question to a server on some file systems.
#[cfg(target_os = "linux")]
const LITTLE: u64 = 1 << 20;

/// Has the file be as long as that, or longer, with storage behind all of these bytes. If they are refused it is as long as
/// before: nobody else may write to it meanwhile.
pub(super) fn reserve(file: &File, bytes: u64) -> io::Result<Reserved> {
    if bytes == 0 {
        return Ok(Reserved::Yes);
    }
    let before = file.metadata()?.len();
    let reserved = fallocated(file, true, 0, bytes);
    if reserved.as_ref().is_err_and(is_full) {
        // With what lies beyond its end.
        file.set_len(before)?;
    }
    reserved
}

/// Has storage be behind bytes of a file, whose length stays the same. What a refused one has got stays with the file: to cut it
/// would cut what other ranks are writing.
pub(super) fn reserve_range(file: &File, at: u64, bytes: u64) -> io::Result<Reserved> {
    match bytes {
        0 => Ok(Reserved::Yes),
        // Nobody writes beyond the limit, and where the length stays the same the system does not look at it.
        _ => fallocated(file, false, at, bytes),
    }
}

/// Refuses bytes of a file for which there is no room: those that are there already need none.
pub(super) fn look_for_room(file: &File, at: u64, bytes: u64) -> io::Result<()> {
    within_limit(at, bytes)?;
    let room = rustix::fs::fstatvfs(file)?;
    let free = room.f_bavail.saturating_mul(room.f_frsize);
    // Some file systems don't tell.
    let is_told = room.f_blocks > 0;
    if !is_told || bytes <= free || missing(file, at, bytes)? <= free {
        Ok(())
    } else {
        Err(io::Error::from(Errno::NOSPC))
    }
}

/// For how many bytes of a range storage is missing, as far as one can see. A system tells where the holes of a file are, and
/// takes what is only reserved for one; it tells as well how much storage the file has in all, which begins where it begins
/// as a rule.
fn missing(file: &File, at: u64, bytes: u64) -> io::Result<u64> {
    let (metadata, end) = (file.metadata()?, at.saturating_add(bytes));
    let unstored = end.saturating_sub(metadata.blocks().saturating_mul(BLOCK));
    Ok(unstored.min(holes(file, at, end.min(metadata.len())) + (end - metadata.len().clamp(at, end))))
}

/// What `st_blocks` counts.
const BLOCK: u64 = 512;

/// How many bytes of a file's range lie in holes.
fn holes(file: &File, mut at: u64, end: u64) -> u64 {
    let mut sum = 0;
    while at < end {
        // No data up to the end, or holes that are not told.
        let data = match seek(file, SeekFrom::Data(at)) {
            Ok(data) => data.clamp(at, end),
            Err(Errno::NXIO) => end,
            Err(_) => return sum,
        };
        sum += data - at;
        let Ok(hole) = seek(file, SeekFrom::Hole(data)) else { return sum };
        at = hole.max(data + 1);
    }
    sum
}

fn is_full(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::NOSPC | Errno::DQUOT))
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
    within_limit(at, bytes)?;
    if bytes > LITTLE {
        look_for_room(file, at, bytes)?;
    }
    let flags = if longer { FallocateFlags::empty() } else { FallocateFlags::KEEP_SIZE };
    loop {
        match fallocate(file, flags, at, bytes) {
            Ok(()) => return Ok(Reserved::Yes),
            Err(Errno::INTR) => {}
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => return look_for_room(file, at, bytes).map(|()| Reserved::NotHere),
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn fallocated(file: &File, _longer: bool, at: u64, bytes: u64) -> io::Result<Reserved> {
    look_for_room(file, at, bytes).map(|()| Reserved::NotHere)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    #[test]
    fn a_file_grows_by_what_is_reserved_and_not_by_a_range() {
        let file = tempfile::tempfile().unwrap();
        reserve_range(&file, 4096, 100).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 0);
        let reserved = reserve(&file, 5000).unwrap();
        assert_eq!(file.metadata().unwrap().len(), if reserved == Reserved::Yes { 5000 } else { 0 });
        reserve(&file, 0).unwrap();
    }

    #[test]
    fn what_no_file_system_has_room_for_is_refused() {
        let file = tempfile::tempfile().unwrap();
        reserve(&file, 1 << 60).unwrap_err();
        reserve_range(&file, 5, 1 << 60).unwrap_err();
        look_for_room(&file, 5, 1 << 60).unwrap_err();
        assert_eq!(file.metadata().unwrap().len(), 0);
        look_for_room(&file, 1 << 20, 1).unwrap();
    }

    /// What a file system could count, and has no room for, is not asked for: it would keep what there is of it.
    #[test]
    fn a_refused_reservation_keeps_nothing() {
        let file = tempfile::tempfile().unwrap();
        let room = rustix::fs::fstatvfs(&file).unwrap();
        let more = room.f_bavail.saturating_mul(room.f_frsize).saturating_mul(2).saturating_add(1 << 30);
        look_for_room(&file, 0, more).unwrap_err();
        // Under a limit for files, or beyond what there is at all, it is refused for that.
        reserve(&file, more).unwrap_err();
        reserve_range(&file, 0, more).unwrap_err();
        let after = file.metadata().unwrap();
        assert_eq!((after.len(), after.blocks()), (0, 0));
    }

    #[test]
    fn holes_need_room_and_data_do_not() {
        let file = tempfile::tempfile().unwrap();
        file.write_all_at(&[1; 1 << 16], 0).unwrap();
        file.sync_all().unwrap();
        assert_eq!(missing(&file, 1 << 10, 1 << 12).unwrap(), 0);
        assert!(missing(&file, 1 << 10, 1 << 30).unwrap() >= (1 << 30) - (1 << 20));
        file.set_len(1 << 22).unwrap();
        let has_holes = seek(&file, SeekFrom::Hole(0)).unwrap() < 1 << 22;
        assert_eq!(missing(&file, 1 << 10, 1 << 12).unwrap(), 0);
        // A system may tell of no holes.
        assert!(!has_holes || missing(&file, 1 << 20, 1 << 21).unwrap() == 1 << 21);
        if reserve(&file, 1 << 20).unwrap() == Reserved::Yes {
            assert!(missing(&file, 0, 1 << 19).unwrap() <= 1 << 19);
        }
    }
}
