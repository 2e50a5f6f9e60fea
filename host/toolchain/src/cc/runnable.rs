//! `-runnable`: a program that the system can start, because it begins with a line that names what runs it. The rest of
//! the file is the module as ever; `rankine run` takes it either way.

use crate::process;
use anyhow::{Context as _, Result, bail};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

/// Runs clang and then writes the line in front of what it linked.
pub fn compile(clang: &Path, line: Vec<OsString>) -> Result<ExitCode> {
    let output = output(&line);
    let status = process::status(Command::new(clang).args(line))?;
    if !status.success() {
        return Ok(process::exit_code(status));
    }
    let module = fs::read(&output).with_context(|| format!("cannot read {}", output.display()))?;
    // clang may have been asked to do less than to link; then there is nothing to start.
    if module.starts_with(b"\0asm") {
        let mut program = first_line()?.into_bytes();
        program.extend(module);
        fs::write(&output, program).with_context(|| format!("cannot write {}", output.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The file that clang writes.
fn output(line: &[OsString]) -> PathBuf {
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

/// The system passes what stands behind a program's name as one word, so `env` takes it apart.
fn first_line() -> Result<String> {
    let exe = env::current_exe().context("where is this executable?")?;
    let run = format!("exec {} run --dir=. -n ${{RANKINE_RANKS:-1}} \"$0\" \"$@\"", exe.display());
    let line = format!("#!/usr/bin/env -S sh -c '{run}'\n");
    if line.len() > LONGEST || exe.to_string_lossy().contains(|c: char| !c.is_alphanumeric() && !"/._+-".contains(c)) {
        bail!("-runnable: the first line of a program cannot hold the name {}", exe.display());
    }
    Ok(line)
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
