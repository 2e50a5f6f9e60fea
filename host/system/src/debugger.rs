//! `--debug` and `--break-rank`: what a native debugger finds, and ranks that wait for one before their program begins.
//!
//! Whether a thread is traced stands in `/proc`, where nobody looks behind the wall. So a process of our own, started
//! before, looks there and answers.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use rankine_guest::Who;

use crate::helper::{self, receive, send};
use crate::tell;
use crate::thread_number::thread_number;

/// How often a rank that waits looks for a debugger.
const EVERY: Duration = Duration::from_millis(50);

/// Ranks as a user names them: `0`, `0,2`, `4-7`, `all`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranks(Vec<RangeInclusive<usize>>);

impl FromStr for Ranks {
    type Err = String;

    fn from_str(text: &str) -> Result<Ranks, String> {
        let wrong = || format!("`{text}` names no ranks: give a rank, several as 0,2 or 4-7, or all");
        let number = |text: &str| text.parse::<usize>().map_err(|_| wrong());
        let range = |part: &str| match part.split_once('-') {
            _ if part == "all" => Ok(0..=usize::MAX),
            None => number(part).map(|rank| rank..=rank),
            Some((first, last)) => Ok(number(first)?..=number(last)?),
        };
        let ranges = text.split(',').map(range).collect::<Result<Vec<_>, _>>()?;
        if ranges.iter().any(RangeInclusive::is_empty) { Err(wrong()) } else { Ok(Ranks(ranges)) }
    }
}

impl fmt::Display for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, range) in self.0.iter().enumerate() {
            f.write_str(if place == 0 { "" } else { "," })?;
            match (range.start(), range.end()) {
                (_, &usize::MAX) => f.write_str("all")?,
                (first, last) if first == last => write!(f, "{first}")?,
                (first, last) => write!(f, "{first}-{last}")?,
            }
        }
        Ok(())
    }
}

impl Ranks {
    /// A rank that is named although a job with so many has none of that number.
    pub fn beyond(&self, ranks: usize) -> Option<usize> {
        let last = |range: &RangeInclusive<usize>| Some(*range.end()).filter(|&end| end != usize::MAX);
        self.0.iter().filter_map(last).find(|&rank| rank >= ranks)
    }

    fn have(&self, rank: usize) -> bool {
        self.0.iter().any(|range| range.contains(&rank))
    }
}

/// The ranks of this process that wait for a debugger.
pub struct Breaks {
    ranks: Ranks,
    /// The command that attaches a debugger, and the host where it is typed.
    command: String,
    host: Option<String>,
    /// The process that knows which threads are traced.
    observer: Mutex<File>,
}

impl fmt::Debug for Breaks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Breaks")
    }
}

impl Breaks {
    /// Starts the process that looks for debuggers. Call it while this one has one thread. A rank's line names the host
    /// if others may be elsewhere.
    pub fn begin(ranks: Ranks, script: Option<PathBuf>, is_alone: bool) -> Result<Breaks> {
        ensure!(cfg!(target_os = "linux"), "--break-rank finds debuggers by /proc, which only Linux has");
        let process = std::process::id();
        let script = script.map_or(String::new(), |script| format!(" -x {}", script.display()));
        let host = (!is_alone).then(|| fs::read_to_string("/proc/sys/kernel/hostname").ok()).flatten();
        let observer = helper::start("that looks for debuggers", &[], |mut other| {
            while let Some(thread) = receive(&mut other, 8)? {
                let thread = u64::from_ne_bytes(thread.try_into().ok().context("a thread has a number")?);
                send(&mut other, &[u8::from(is_traced(process, thread)?)])?;
            }
            Ok(())
        })?;
        Ok(Breaks {
            ranks,
            command: format!("gdb -p {process}{script}"),
            host: host.map(|host| host.trim().to_owned()),
            observer: Mutex::new(observer),
        })
    }

    /// Has a rank, whose thread this is, wait for a debugger if it is to.
    pub fn wait(&self, who: Who) -> Result<()> {
        if who.world != 0 || !self.ranks.have(who.rank) {
            return Ok(());
        }
        let thread = thread_number();
        let host = self.host.as_ref().map_or(String::new(), |host| format!(" on {host}"));
        let process = std::process::id();
        tell!("rankine: {who} waits{host} for a debugger (process {process}, thread {thread}): {}", self.command);
        while !self.sees_one(thread as u64).context("--break-rank")? {
            sleep(EVERY);
        }
        Ok(())
    }

    fn sees_one(&self, thread: u64) -> Result<bool> {
        let mut observer = self.observer.lock().unwrap_or_else(PoisonError::into_inner);
        send(&mut *observer, &thread.to_ne_bytes())?;
        let answer = receive(&mut *observer, 1)?.context("the process that looks for debuggers has ended")?;
        Ok(answer == [1])
    }
}

/// Whether somebody traces a thread of a process.
fn is_traced(process: u32, thread: u64) -> io::Result<bool> {
    let status = fs::read_to_string(format!("/proc/{process}/task/{thread}/status"))?;
    let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:"));
    Ok(tracer.is_some_and(|tracer| tracer.trim() != "0"))
}

/// Lets every process of the same user trace this one: without it, kernels with Yama allow that to its parents alone.
pub fn allow() {
    #[cfg(target_os = "linux")]
    // SAFETY: the call takes numbers alone. A kernel without Yama refuses it, and then there is nothing to allow.
    unsafe {
        libc::prctl(libc::PR_SET_PTRACER, libc::PR_SET_PTRACER_ANY, 0, 0, 0)
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_named_one_by_one_or_together() {
        let named = |text: &str| text.parse::<Ranks>().map(|ranks| (0..9).filter(|&rank| ranks.have(rank)).collect());
        assert_eq!(named("3"), Ok(vec![3]));
        assert_eq!(named("0,2,5-7"), Ok(vec![0, 2, 5, 6, 7]));
        assert_eq!(named("all").map(|ranks: Vec<_>| ranks.len()), Ok(9));
        for text in ["3", "0,2,5-7", "all"] {
            assert_eq!(text.parse::<Ranks>().unwrap().to_string(), text);
        }
        for wrong in ["", "0,", "-1", "7-5", "one", "1-", "18446744073709551616"] {
            assert!(named(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ranks_that_no_job_has_are_found() {
        let beyond = |text: &str| text.parse::<Ranks>().unwrap().beyond(4);
        assert_eq!((beyond("3"), beyond("all"), beyond("0-3")), (None, None, None));
        assert_eq!((beyond("4"), beyond("0,2-5")), (Some(4), Some(5)));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_thread_is_not_traced() {
        // Under a debugger of one's own it is, and the question is answered all the same.
        let tracer = fs::read_to_string("/proc/thread-self/status").unwrap().contains("TracerPid:\t0");
        let thread = thread_number() as u64;
        assert_eq!(is_traced(std::process::id(), thread).unwrap(), !tracer);
        assert!(is_traced(std::process::id(), u64::MAX).is_err());
    }
}
