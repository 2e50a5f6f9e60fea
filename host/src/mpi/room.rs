//! Memory of the host's for what comes, as much as may come.

use std::ffi::c_void;

use rankine_abi::MPI_ERR_NO_MEM;
use rankine_local::Error;

use super::Result;

/// Addresses for so many bytes; memory stands behind them only where something was written.
pub(super) struct Room {
    pub(super) at: *mut c_void,
    pub(super) length: usize,
}

impl Room {
    /// At least one byte.
    pub(super) fn new(length: u64) -> Result<Room> {
        let none = || Error::new(MPI_ERR_NO_MEM, format!("no addresses in the host for {length} bytes"));
        let length = usize::try_from(length.max(1)).map_err(|_| none())?;
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: new pages, at no address in particular.
        let at = unsafe { libc::mmap(std::ptr::null_mut(), length, rights, kind, -1, 0) };
        if at == libc::MAP_FAILED { Err(none()) } else { Ok(Room { at, length }) }
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // SAFETY: the pages are this room's, and nobody uses them any more.
        unsafe { libc::munmap(self.at, self.length) };
    }
}
