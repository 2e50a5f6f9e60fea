//! Windows: a file belongs to whom the folder above it says, and a process becomes no other.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::windows::fs::OpenOptionsExt as _;
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus};
use std::time::Duration;

pub use std::os::windows::fs::symlink_dir as link_folder;

/// Makes a folder, and those above it if need be. It has the rights of the one that it lies in.
pub fn make_private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

/// Makes one folder, with the rights of the one that it lies in.
pub fn make_one_private(folder: &Path) -> io::Result<()> {
    fs::create_dir(folder)
}

/// Opens what lies there to be read: of a link itself, which has no bytes.
pub fn open_itself(path: &Path) -> io::Result<File> {
    const OPEN_REPARSE_POINT: u32 = 0x0020_0000;
    OpenOptions::new().read(true).custom_flags(OPEN_REPARSE_POINT).open(path)
}

/// Options by which files are made: they have the rights of their folder.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Options by which files are made: they have the rights of their folder.
pub fn public(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Everybody may run what they may read.
pub fn make_public(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// The rights for a new file: it has those of its folder.
pub fn rights(_mode: u32) -> Option<Permissions> {
    None
}

/// The time that this process has computed, or this thread: nobody is asked here.
pub fn processor_time(_of_thread: bool) -> Option<Duration> {
    None
}

/// Runs another program in the place of this one, and ends as that does.
pub fn replace_process(command: &mut Command) -> io::Result<ExitCode> {
    let status = command.status()?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}

/// The signal that has ended a process: there are none.
pub fn signal(_status: ExitStatus) -> Option<i32> {
    None
}
