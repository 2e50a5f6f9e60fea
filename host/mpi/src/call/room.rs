//! Host memory for messages of unknown length: addresses are reserved for the longest that may arrive.

use std::ffi::c_void;
use std::sync::Arc;

use rankine_abi::MPI_ERR_NO_MEM;
use rankine_guest::{Account, Charge, Cost, Error};

use crate::Result;

/// What errors call them.
const WHAT: Cost = Cost::MessageBuffers;

/// Addresses for so many bytes; memory stands behind them only where something was written.
pub struct Room {
    /// Where they begin.
    pub at: *mut c_void,
    /// How many.
    pub length: usize,
    _charge: Charge,
}

/// What a reservation is charged that nobody can be expected to fill.
const RESERVATION: usize = 1 << 20;

impl Room {
    /// Room for the longest message that may come. Where the user has set a limit, no more of it than may be there when
    /// it comes: a quarter of what is left.
    pub fn for_message(account: &Arc<Account>, longest: u64) -> Result<Room> {
        if !account.is_limited() {
            return Room::with(longest, account.charge(RESERVATION, WHAT)?);
        }
        let length = longest.min(account.free() / 4);
        Room::with(length, account.charge(length as usize, WHAT)?)
    }

    /// At least one byte, all of it charged.
    pub(crate) fn new(account: &Arc<Account>, length: u64) -> Result<Room> {
        Room::with(length, account.charge(length as usize, WHAT)?)
    }

    fn with(length: u64, charge: Charge) -> Result<Room> {
        let none = || Error::new(MPI_ERR_NO_MEM, format!("the host's address space has no room for {length} bytes"));
        let length = usize::try_from(length.max(1)).map_err(|_| none())?;
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: new pages, at no address in particular.
        let at = unsafe { libc::mmap(std::ptr::null_mut(), length, rights, kind, -1, 0) };
        if at == libc::MAP_FAILED { Err(none()) } else { Ok(Room { at, length, _charge: charge }) }
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // SAFETY: the pages are this room's, and nobody uses them any more.
        unsafe { libc::munmap(self.at, self.length) };
    }
}
