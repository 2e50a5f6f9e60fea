//! Runs a command to its end, or to the end of its time, and keeps what it printed.

use std::fmt;
use std::io::{Read, Write};
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
        writeln!(f, "$ {}\n{:?} after {:.2} s", self.command, self.ended, self.time.as_secs_f64())?;
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
    let ended = match wait_until(&mut child, start + limit)? {
        Some(status) => Ended::Status(status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))),
        None => {
            kill_group(&child);
            child.wait().map_err(|e| e.to_string())?;
            Ended::Killed(limit)
        }
    };
    let time = start.elapsed();
    Ok(Run {
        command: shown,
        ended,
        stdout: stdout.join().unwrap_or_default(),
        stderr: stderr.join().unwrap_or_default(),
        time,
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
fn wait_until(child: &mut Child, end: Instant) -> Result<Option<ExitStatus>, String> {
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            return Ok(Some(status));
        }
        if Instant::now() >= end {
            return Ok(None);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

fn kill_group(child: &Child) {
    // SAFETY: a plain system call; the child leads its own group and has not been waited for, so its id is not
    // another's.
    unsafe {
        libc::kill(-(child.id() as libc::pid_t), libc::SIGKILL);
    }
}
