//! Files as the engine sees them: bytes stored by the host, which decides which files exist, opens them and deletes them.

use std::fmt::Debug;
use std::sync::Arc;

use rankine_guest::file::Opening;

use crate::error::Result;

/// How files are opened. Errors are those that a program sees: they name the file and the reason.
pub trait Storage: Debug + Send + Sync {
    /// Opens the file that a program calls so.
    fn open(&self, name: &str, opening: Opening) -> Result<Arc<dyn Stored>>;

    /// Deletes the file that a program calls so.
    fn delete(&self, name: &str) -> Result<()>;

    /// Has work done by another thread, soon.
    fn run(&self, work: Box<dyn FnOnce() + Send>);
}

/// Bytes somewhere in memory.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// Where the first byte lies.
    pub base: *mut u8,
    /// How many.
    pub bytes: usize,
}

/// An open file, which goes when nobody has it any more. Offsets and sizes are below 2⁶³.
pub trait Stored: Debug + Send + Sync {
    /// Reads what lies from an offset on into the pieces, one after another; how many bytes there were, which are fewer
    /// than wanted only at the end of the file.
    ///
    /// # Safety
    /// The pieces are writable. Others may access them meanwhile.
    unsafe fn read(&self, offset: u64, pieces: &[Piece]) -> Result<u64>;

    /// Writes the pieces one after another: how many bytes of them have arrived, which are all of them unless it fails.
    ///
    /// # Safety
    /// The pieces are readable. Others may access them meanwhile.
    unsafe fn write(&self, offset: u64, pieces: &[Piece]) -> (u64, Result<()>);

    /// How many bytes it has.
    fn size(&self) -> Result<u64>;

    /// Cuts it, or makes it longer.
    fn resize(&self, bytes: u64) -> Result<()>;

    /// Makes sure that there is room for so many bytes; a file that is shorter becomes as long.
    fn reserve(&self, bytes: u64) -> Result<()>;

    /// What was written is safe when this returns.
    fn sync(&self) -> Result<()>;

    /// The program closes it: what was written is handed to whoever keeps it, who may refuse it as late as now. Accesses
    /// that are still going on stay possible.
    fn close(&self) -> Result<()>;

    /// Deletes the name that it was opened by.
    fn delete(&self) -> Result<()>;

    /// What it is known by, whatever its name.
    fn identity(&self) -> Result<(u64, u64)>;
}
