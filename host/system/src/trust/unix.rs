//! Owners, groups and modes.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;

/// Bits of a mode, which systems keep in numbers of different widths.
const STICKY: u32 = 0o1000;
const WRITTEN_BY_GROUP: u32 = 0o020;
const WRITTEN_BY_ALL: u32 = 0o002;

/// Who else could change a file, or what lies in a folder.
pub(super) fn doubt(metadata: &Metadata) -> Option<String> {
    let (me, owner, group, mode) = (effective_user(), metadata.uid(), metadata.gid(), metadata.mode());
    if owner != me && owner != 0 {
        return Some(format!("belongs to user {owner}"));
    }
    // What lies in a sticky folder can be exchanged only by its owner, who is looked at next. Links have no mode.
    if metadata.is_symlink() || (metadata.is_dir() && mode & STICKY != 0) {
        return None;
    }
    if mode & WRITTEN_BY_ALL != 0 {
        return Some("can be written by everybody".into());
    }
    if mode & WRITTEN_BY_GROUP != 0 && !is_private(group, me) && !(owner == 0 && group < FIRST_OPEN_GROUP) {
        return Some(format!("can be written by group {group}"));
    }
    None
}

/// Groups below are the distribution's own, as `staff`, which may install into /usr/local.
const FIRST_OPEN_GROUP: u32 = 100;

/// Whether a group has no member but this user: the one that is made with a user has the user's number.
fn is_private(group: u32, me: u32) -> bool {
    // SAFETY: `getegid` has no preconditions.
    group == me && group == unsafe { libc::getegid() }
}

/// The user that this process acts for.
pub fn effective_user() -> u32 {
    // SAFETY: `geteuid` has no preconditions.
    unsafe { libc::geteuid() }
}

/// Whether a file belongs to this user, and nobody else may write to it.
pub fn is_written_by_us_alone(metadata: &Metadata) -> bool {
    metadata.uid() == effective_user() && metadata.mode() & 0o022 == 0
}

/// Whether a file belongs to this user, and nobody else may do anything with it.
pub fn is_ours_alone(metadata: &Metadata) -> bool {
    metadata.uid() == effective_user() && metadata.mode() & 0o077 == 0
}

/// Whether it belongs to the machine's administrator.
pub fn is_administrators(metadata: &Metadata) -> bool {
    metadata.uid() == 0
}
