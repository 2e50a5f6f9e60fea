//! Processes of our own beside this one: what stands outside of its wall, or has less than it.

use std::io::{self, Read, Write};

use anyhow::{Result, ensure};

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::{has_hung_up, start};
#[cfg(windows)]
pub use windows::{has_hung_up, start};

/// Sends bytes to such a process, or to the one that started it.
pub fn send(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(&(bytes.len() as u64).to_ne_bytes())?;
    to.write_all(bytes)
}

/// What the other side sends; nothing if it has ended.
pub fn receive(from: &mut impl Read, longest: u64) -> Result<Option<Vec<u8>>> {
    let mut length = [0; 8];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let length = u64::from_ne_bytes(length);
    ensure!(length <= longest, "{length} bytes are too many");
    let mut bytes = Vec::new();
    ensure!(from.take(length).read_to_end(&mut bytes)? as u64 == length, "it has ended");
    Ok(Some(bytes))
}
