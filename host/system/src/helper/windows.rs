//! Windows has no process that goes on from where another one is: what needs one is refused.

use std::convert::Infallible;
use std::fs::File;

use anyhow::{Result, bail};

/// Refuses to start a process that runs `work`; `what` names it.
pub fn start(what: &str, _kept: &[Infallible], _work: impl FnOnce(File) -> Result<()>) -> Result<File> {
    bail!("a process {what} is started on Linux and macOS only")
}

/// Whether the process at the other end has ended: there is none.
pub fn has_hung_up(_other: &File) -> bool {
    true
}
