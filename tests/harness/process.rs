//! Runs a command to its end, or to the end of its time, and keeps what it printed.

use std::fmt;
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// What a process did.
pub struct Run {
    command: String,
    /// How it ended.
    pub ended: Ended,
    /// All it wrote to its standard output.
    pub stdout: String,
    /// All it wrote to its standard error stream.
    pub stderr: String,
    /// How long it took.
    pub time: Duration,
    /// The most memory, in bytes, that it or a process that it started had at a time.
    pub peak: u64,
}

/// How a process ended.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Ended {
    /// With this status; 128 and the signal's number after a signal.
    Status(i32),
    /// Killed by the harness after this time.
    Killed(Duration),
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, peak) = (self.time.as_secs_f64(), self.peak >> 20);
        writeln!(f, "$ {}\n{:?} after {seconds:.2} s, with up to {peak} MiB", self.command, self.ended)?;
        writeln!(f, "--- standard output\n{}\n--- standard error\n{}", tail(&self.stdout), tail(&self.stderr))
    }
}

/// The end of a long text: nobody reads more of it.
fn tail(text: &str) -> &str {
    let start = text.len().saturating_sub(6000);
    let start = (start..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
    text[start..].trim_end()
}

/// Runs a command to its end, or kills it and its children after `limit`.
pub fn run_within(mut command: Command, stdin: Option<String>, limit: Duration) -> Result<Run, String> {
    let shown = format!("{command:?}").replace('"', "");
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    command.stdin(if stdin.is_some() { Stdio::piped() } else { Stdio::null() });
    let start = Instant::now();
    let mut child = command.spawn().map_err(|e| format!("{shown}: {e}"))?;
    if let (Some(text), Some(mut pipe)) = (stdin, child.stdin.take()) {
        writeln!(pipe, "{text}").map_err(|e| format!("{shown}: {e}"))?;
    }
    let stdout = collect(child.stdout.take());
    let stderr = collect(child.stderr.take());
    let (ended, peak) = match wait_until(&child, start + limit)? {
        Some((status, peak)) => {
            (Ended::Status(status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))), peak)
        }
        None => {
            kill_group(&child);
            (Ended::Killed(limit), wait(&child, 0)?.map_or(0, |(_, peak)| peak))
        }
    };
    let time = start.elapsed();
    Ok(Run {
        command: shown,
        ended,
        stdout: stdout.join().unwrap_or_default(),
        stderr: stderr.join().unwrap_or_default(),
        time,
        peak,
    })
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read before an error is still worth showing.
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Waits for the child; asks ever less often, so that a short run is not made long.
fn wait_until(child: &Child, end: Instant) -> Result<Option<(ExitStatus, u64)>, String> {
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(ended) = wait(child, libc::WNOHANG)? {
            return Ok(Some(ended));
        }
        if Instant::now() >= end {
            return Ok(None);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// How the child ended, if it has, and its peak of memory.
fn wait(child: &Child, options: libc::c_int) -> Result<Option<(ExitStatus, u64)>, String> {
    let mut status = 0;
    // SAFETY: numbers may be zero.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: results on the stack, and a child that has not been waited for.
    match unsafe { libc::wait4(child.id() as libc::pid_t, &mut status, options, &mut usage) } {
        0 => Ok(None),
        -1 => Err(io::Error::last_os_error().to_string()),
        // In KiB.
        _ => Ok(Some((ExitStatus::from_raw(status), usage.ru_maxrss as u64 * 1024))),
    }
}

fn kill_group(child: &Child) {
    // SAFETY: a plain system call; the child leads its own group and has not been waited for, so its id is not
    // another's.
    unsafe {
        libc::kill(-(child.id() as libc::pid_t), libc::SIGKILL);
    }
}
