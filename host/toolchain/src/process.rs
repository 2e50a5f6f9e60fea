//! Programs that are run to their end.

use anyhow::{Context as _, Result, bail};
use std::process::{Command, ExitCode, ExitStatus, Output};

/// Runs a program; what it said is the error.
pub fn check(command: &mut Command, doing: &str) -> Result<Output> {
    let output = command.env("LC_ALL", "C").output().with_context(|| format!("{doing}: cannot start {command:?}"))?;
    if !output.status.success() {
        bail!("{doing} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(output)
}

/// Runs a program that speaks to the user itself.
pub(crate) fn status(command: &mut Command) -> Result<ExitStatus> {
    command.status().with_context(|| format!("cannot start {}", command.get_program().display()))
}

/// The status of ours that says how a compiler ended.
pub(crate) fn exit_code(status: ExitStatus) -> ExitCode {
    ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}
