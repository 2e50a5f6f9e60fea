//! Statuses in a guest's memory.

use rankine_abi::{Addr, Status};

use crate::error::Result;
use crate::memory::Memory;

/// Where the words of a status lie that follow its `MPI_ERROR`.
const AFTER_ERROR: u64 = 12;

impl Memory {
    /// Reads a status.
    pub fn read_status(&self, address: Addr, what: &str) -> Result<Status> {
        let words = self.read_i32s(address, 8, what)?;
        Ok(Status::from_words(words.try_into().expect("eight were read")))
    }

    /// Writes a status but for its `MPI_ERROR`, unless the guest ignores it.
    #[inline]
    pub fn write_status(&self, address: Addr, status: &Status, what: &str) -> Result<()> {
        if address.is_null() {
            return Ok(());
        }
        self.write_words(address, [status.source, status.tag], what)?;
        self.write_words(address.plus(AFTER_ERROR), status.internal, what)
    }

    /// Writes a status with its `MPI_ERROR`.
    pub fn write_whole_status(&self, address: Addr, status: &Status, what: &str) -> Result<()> {
        self.write_words(address, status.words(), what)
    }

    /// Writes the status of a message, which a call that failed may have all the same.
    #[inline]
    pub fn write_received(&self, address: Addr, received: Result<Status>, what: &str) -> Result<()> {
        match received {
            Ok(status) => self.write_status(address, &status, what),
            Err(error) => {
                if let Some(status) = &error.status {
                    self.write_status(address, status, what)?;
                }
                Err(error)
            }
        }
    }
}
