//! Linux, macOS and others of their kind.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus};
use std::time::Duration;

pub use std::os::unix::fs::symlink as link_folder;

/// Makes a folder that others can't look into, and those above it if need be.
pub fn make_private(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Makes one folder that others can't look into.
pub fn make_one_private(folder: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(folder)
}

/// Opens what lies there to be read: no link is followed, and a pipe that nobody writes to is not waited for.
pub fn open_itself(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)
}

/// Options by which files are made that only this user may read.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(0o600)
}

/// Options by which files are made that everybody may read.
pub fn public(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(0o644)
}

/// Lets everybody read a folder, or a script, and run it.
pub fn make_public(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(0o755))
}

/// The rights of this mode, for a new file.
pub fn rights(mode: u32) -> Option<Permissions> {
    Some(Permissions::from_mode(mode))
}

/// The time that this process has computed, or this thread.
pub fn processor_time(of_thread: bool) -> Option<Duration> {
    let clock = if of_thread { libc::CLOCK_THREAD_CPUTIME_ID } else { libc::CLOCK_PROCESS_CPUTIME_ID };
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a result on the stack.
    let is_told = unsafe { libc::clock_gettime(clock, &raw mut time) } == 0;
    is_told.then(|| Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
}

/// Becomes another program; returns only why it could not.
pub fn replace_process(command: &mut Command) -> io::Result<ExitCode> {
    Err(command.exec())
}

/// The signal that has ended a process.
pub fn signal(status: ExitStatus) -> Option<i32> {
    status.signal()
}
