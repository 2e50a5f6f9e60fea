//! `-runnable`: a program that the system can start, because it begins with a line that names what runs it. The rest of
//! the file is the module as ever; `rankine run` takes it either way. It is sealed by its user's key, so that the program may
//! use the folder that it is started in, as natively: whoever has compiled it trusts it.

use crate::process;
use anyhow::{Context as _, Result};
use rankine_system::{made_here, tell};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};
use std::{env, fs};

/// Runs clang and then writes the line in front of what it linked.
pub fn compile(clang: &Path, line: Vec<OsString>) -> Result<ExitCode> {
    let output = output(&line);
    let status = process::status(Command::new(clang).args(line))?;
    finish(status, &output)
}

/// Writes the line in front of what clang has linked.
pub fn finish(status: ExitStatus, output: &Path) -> Result<ExitCode> {
    if !status.success() {
        return Ok(process::exit_code(status));
    }
    // clang may have been asked to do less than to link; then there is nothing to start.
    let Ok(mut module) = fs::read(output) else { return Ok(ExitCode::SUCCESS) };
    if module.starts_with(b"\0asm") {
        made_here::seal(&mut module);
        let mut program = first_line().unwrap_or_default().into_bytes();
        program.extend(module);
        fs::write(output, program).with_context(|| format!("cannot write {}", output.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The file that clang writes.
pub fn output(line: &[OsString]) -> PathBuf {
    let mut named = None;
    let mut words = line.iter();
    while let Some(word) = words.next() {
        if word == "-o" {
            named = words.next().map(PathBuf::from);
        } else if let Some(name) =
            word.to_str().and_then(|word| word.strip_prefix("-o")).filter(|name| !name.is_empty())
        {
            named = Some(PathBuf::from(name));
        }
    }
    named.unwrap_or_else(|| PathBuf::from(OsStr::new("a.out")))
}

/// The longest first line that Linux reads.
const LONGEST: usize = 255;

/// The system passes what stands behind a program's name as one word, so `env` takes it apart. Nothing where the line can't
/// name this executable: then the program is none that can be started.
fn first_line() -> Option<String> {
    let exe = env::current_exe().ok()?;
    let line = format!("#!/usr/bin/env -S {} start\n", exe.display());
    let is_odd = |c: char| !c.is_alphanumeric() && !"/._+-".contains(c);
    if line.len() > LONGEST || exe.to_string_lossy().contains(is_odd) {
        tell!(
            "rankine: note: a program's first line cannot hold the name {}, so the program is started by `rankine run`",
            exe.display()
        );
        return None;
    }
    Some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_is_found() {
        let file = |line: &str| output(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert_eq!(file("-O2 a.c"), Path::new("a.out"));
        assert_eq!(file("-o x a.c"), Path::new("x"));
        assert_eq!(file("a.c -ox"), Path::new("x"));
    }
}
