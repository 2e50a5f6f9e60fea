//! Scripts that stand in for programs, in tests of the command and of its library.

use std::path::Path;
use std::process::Command;

/// Writes a script that can be run at once. Another process does: what is open for writing here is so, for a moment, in every
/// process that another test starts meanwhile, and then can't be run.
pub fn script(path: &Path, text: &str) {
    let write = r#"printf '#!/bin/sh\n%s\n' "$1" > "$0" && chmod 755 "$0""#;
    assert!(Command::new("sh").args(["-c", write]).arg(path).arg(text).status().unwrap().success());
}
