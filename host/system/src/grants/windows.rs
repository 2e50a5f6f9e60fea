//! A file is known by its volume and its number there. A folder that is open keeps its name: nobody renames or removes it, or
//! one above it, meanwhile.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt as _;
use std::os::windows::io::AsRawHandle as _;
use std::path::{Path, PathBuf};

use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT, FILE_SHARE_DELETE,
    FILE_SHARE_READ, FILE_SHARE_WRITE, GetFileInformationByHandle,
};

use super::{Grant, Kept};
use crate::trust::{Step, Trail};

/// What a file is known by, whatever its name.
pub(super) type Identity = (u32, u64);

/// That of a file that is open.
pub(super) fn identity(file: &File) -> io::Result<Identity> {
    // SAFETY: numbers may be zero.
    let mut found: BY_HANDLE_FILE_INFORMATION = unsafe { std::mem::zeroed() };
    // SAFETY: the handle is open as long as the file is borrowed, and the result is on the stack.
    if unsafe { GetFileInformationByHandle(file.as_raw_handle(), &mut found) } == 0 {
        return Err(io::Error::last_os_error());
    }
    let number = u64::from(found.nFileIndexHigh) << 32 | u64::from(found.nFileIndexLow);
    Ok((found.dwVolumeSerialNumber, number))
}

/// Opens what lies there, a folder too, for no use of its bytes.
fn look_at(path: &Path, flags: u32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.access_mode(0).share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE);
    options.custom_flags(FILE_FLAG_BACKUP_SEMANTICS | flags).open(path)
}

/// That of what lies there, links followed.
pub(super) fn identity_at(path: &Path) -> io::Result<Identity> {
    identity(&look_at(path, 0)?)
}

/// That of a step on a way.
pub(super) fn identity_of(step: &Step) -> Option<Identity> {
    identity(&look_at(&step.path, FILE_FLAG_OPEN_REPARSE_POINT).ok()?).ok()
}

/// Opens a folder, which keeps its name as long as it is open.
pub(super) fn open(folder: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE);
    options.custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(folder)
}

/// Where a folder lies that is open: nobody opens one here that could be asked of.
pub(super) fn path_of(_folder: &File) -> io::Result<PathBuf> {
    Err(io::ErrorKind::Unsupported.into())
}

impl Grant {
    /// A path by which this process opens the folder that was granted, which keeps its name.
    pub fn path(&self) -> PathBuf {
        self.real.clone()
    }
}

/// Why a guest could write to a file from there by another of its names. Those that this is asked of are libraries, and none is
/// loaded here.
pub(super) fn other_name(_: &Grant, _: &Kept, _: &Trail) -> Option<String> {
    None
}
