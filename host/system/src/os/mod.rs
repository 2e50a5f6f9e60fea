//! What systems do in different ways: files that are this user's alone, and processes.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;

use anyhow::{Result, ensure};

/// Refuses, by its name, what only Unix has.
pub fn only_on_unix(what: &str, instead: &str) -> Result<()> {
    ensure!(cfg!(unix), "{what}: only on Linux and macOS; {instead}");
    Ok(())
}
