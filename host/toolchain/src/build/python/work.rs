//! The folder that a Python is built in. It stays until the part is whole: a build that is started again goes on where the
//! last one was stopped, by steps that note that they are done, and within a step as `make` does.

use crate::process::check;
use crate::terminal::bar;
use anyhow::{Context as _, Result, bail};
use rankine_system::tell;
use std::fs::{self, File, TryLockError};
use std::io::{BufRead as _, BufReader, Write as _, pipe};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

/// How much of what a program said is shown when it failed.
const LAST_LINES: usize = 15;

/// How much of each of these lines.
const LONGEST_LINE: usize = 200;

/// What of this process's environment would change what is built.
const NOT_THESE: [&str; 14] = [
    "CC",
    "CXX",
    "CPP",
    "AR",
    "CFLAGS",
    "CXXFLAGS",
    "CPPFLAGS",
    "LDFLAGS",
    "LIBS",
    "CONFIG_SITE",
    "PYTHONHOME",
    "PYTHONPATH",
    "MAKEFLAGS",
    "MFLAGS",
];

/// A folder, and that nobody else builds in it.
pub(super) struct Work {
    root: PathBuf,
    /// Who says what is done.
    who: &'static str,
    _lock: File,
}

impl Work {
    /// The folder for a part, in the cache.
    pub(super) fn begin(root: PathBuf) -> Result<Work> {
        Work::begin_for(root, "rankine sdk")
    }

    /// A folder for the work of a command.
    pub(super) fn begin_for(root: PathBuf, who: &'static str) -> Result<Work> {
        let cannot = || format!("cannot write to {}", root.display());
        fs::create_dir_all(&root).with_context(cannot)?;
        let lock = File::create(root.join("lock")).with_context(cannot)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                bail!("another `{who} build` is at work in {}", root.display())
            }
            Err(TryLockError::Error(error)) => return Err(error).with_context(cannot),
        }
        Ok(Work { root, who, _lock: lock })
    }

    /// Something in it.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Does a step, unless it is done.
    pub(super) fn once(&self, step: &str, words: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
        let done = self.path(&format!("{step}.done"));
        if done.is_file() {
            return Ok(());
        }
        tell!("{}: {words}", self.who);
        work()?;
        fs::write(&done, "").with_context(|| format!("cannot write {}", done.display()))
    }

    /// Runs `make` for what is named, with a bar of the files that are compiled.
    pub(super) fn make(&self, folder: &Path, goals: &[&str], doing: &'static str) -> Result<()> {
        let make = |words: &[&str]| {
            let mut make = command("make");
            make.args(words).args(goals).current_dir(folder);
            make
        };
        // What it would do; where it doesn't know, there is no bar.
        let planned = make(&["-n"]).output().map(|output| compilations(&output)).unwrap_or_default();
        let jobs = format!("-j{}", thread::available_parallelism().map_or(1, usize::from));
        self.logged(&mut make(&[&jobs]), doing, planned)
    }

    /// Runs a program whose words go to a file: the last of them are the error.
    pub(super) fn logged(&self, command: &mut Command, doing: &'static str, compilations: u64) -> Result<()> {
        let place = self.path("log");
        let mut log = File::options().create(true).append(true).open(&place)?;
        writeln!(log, "# {doing}: {command:?}")?;
        // Both by one pipe, so that errors stand behind what was said before.
        let (said, says) = pipe()?;
        let command = command.env("LC_ALL", "C").stdin(Stdio::null()).stdout(says.try_clone()?).stderr(says);
        let mut child = command.spawn().with_context(|| format!("{doing}: cannot start {command:?}"))?;
        // The pipe ends when all have closed it who may write.
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let bar = bar(compilations, doing);
        for line in BufReader::new(said).split(b'\n') {
            let line = line?;
            log.write_all(&[&line[..], b"\n"].concat())?;
            bar.inc(u64::from(compiles(&String::from_utf8_lossy(&line))));
        }
        let status = child.wait()?;
        bar.finish_and_clear();
        if status.success() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&fs::read(&place)?).into_owned();
        // The line of a linker may name hundreds of files.
        let lines: Vec<String> = text.lines().map(|line| line.chars().take(LONGEST_LINE).collect()).collect();
        let last = lines[lines.len().saturating_sub(LAST_LINES)..].join("\n");
        bail!("{doing} failed ({status}); all that was said is in {}, the end of it:\n{last}", place.display())
    }

    /// Removes it: the part is whole.
    pub(super) fn end(self) -> Result<()> {
        fs::remove_dir_all(&self.root).with_context(|| format!("cannot remove {}", self.root.display()))
    }
}

fn compilations(output: &Output) -> u64 {
    String::from_utf8_lossy(&output.stdout).lines().filter(|line| compiles(line)).count() as u64
}

fn compiles(line: &str) -> bool {
    line.contains(" -c ") && line.contains(".c")
}

/// A program that sees nothing of what would change what it builds.
pub(super) fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    for name in NOT_THESE {
        command.env_remove(name);
    }
    // Only training is counted.
    command.env(super::cpython::COUNTS, "/dev/null");
    command
}

/// Runs a program that is only heard if it fails.
pub(super) fn quiet(command: &mut Command, doing: &str) -> Result<()> {
    check(command.stdin(Stdio::null()), doing).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_failed_is_done_again_and_one_that_is_done_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let work = Work::begin(folder.path().join("work")).unwrap();
        assert!(work.once("step", "", || bail!("no")).is_err());
        let mut times = 0;
        for _ in 0..2 {
            work.once("step", "", || {
                times += 1;
                Ok(())
            })
            .unwrap();
        }
        assert_eq!(times, 1);
        let other = Work::begin(folder.path().join("work")).err().unwrap();
        assert!(other.to_string().contains("another"), "{other}");
        work.end().unwrap();
        assert!(!folder.path().join("work").exists());
    }

    #[test]
    fn what_a_program_said_last_is_the_error() {
        let folder = tempfile::tempdir().unwrap();
        let work = Work::begin(folder.path().join("work")).unwrap();
        let mut program = command("sh");
        program.args(["-c", "seq 100; echo because >&2; exit 3"]);
        let error = work.logged(&mut program, "counting", 0).unwrap_err().to_string();
        assert!(error.contains("counting failed") && error.contains("\n100") && error.contains("because"), "{error}");
        assert!(!error.contains("\n50\n"), "{error}");
    }

    #[test]
    fn lines_that_compile_are_counted() {
        assert!(compiles("cc -O3 -c ./Modules/main.c -o Modules/main.o"));
        assert!(!compiles("python -c 'import x'") && !compiles("ar rcs libpython3.13.a a.o"));
    }
}
