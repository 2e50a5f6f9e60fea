//! The command that the tests run, and what came of it.

#![allow(dead_code, reason = "no test program needs all of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A guest of the tests, by its name.
pub fn guest(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/guests").join(name).with_extension("wat")
}

/// The command, with a cache and a state of the tests' own.
pub fn rankine() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rankine"));
    command.env("RANKINE_CACHE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"));
    command.env("RANKINE_STATE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/state")).stdin(Stdio::null());
    command
}

pub fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Checks the exit status; the message shows what was printed.
#[track_caller]
pub fn ended(output: &Output, status: i32) {
    assert_eq!(output.status.code(), Some(status), "{}{}", out(output), err(output));
}
