//! The files of a job, which its ranks open beneath the folders that they may use; and the threads that read and write
//! them while ranks compute.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(super) use unix::Files;
#[cfg(windows)]
pub(super) use windows::Files;
