//! What a process of ours keeps of what it was started with. The list is short, and everything else is given up before
//! anything is done:
//!
//! | of | is kept |
//! |---|---|
//! | descriptors | 0 to 2, those that the launcher names (`PMI_FD`, …), the user (`RANKINE_DESCRIPTORS`) or the command line (`/dev/fd/3`) |
//! | signals | what is ignored, but for the end of a child; none stays blocked |
//! | environment | all of it, but for what `PATH` says of the working folder; a guest has none of it |
//! | working folder | as it is: names on the command line begin there |
//!
//! A launcher leaves its processes far more than they need: MPICH's its own control socket, its listening one, and the pipes
//! of other ranks. Whoever has one of them has programs started outside of every wall. So a job's process is rid of them
//! before it loads anything, a helper of its own keeps what it was given alone ([`keep_only`]), and before the wall goes up
//! it is checked that nothing else is open (`confine`).
//!
//! A descriptor that an `exec` would close was not inherited: this process has opened it, or who embeds this library. All of
//! ours are of that kind; what an MPI library opens while it is loaded need not be, so that is noted ([`opened_by_library`]).

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
pub use unix::{descriptors, forget_read, is_closed_by_exec, is_of_library, is_open};
#[cfg(unix)]
pub use unix::{is_kept, keep_only, opened_by_library};
#[cfg(windows)]
pub use windows::opened_by_library;

use anyhow::Result;

/// Gives up what is not on the list. Call it first, while the process has one thread.
pub fn renounce() -> Result<()> {
    crate::places::leave_working_folder();
    #[cfg(unix)]
    unix::renounce()?;
    Ok(())
}
