//! Runs one guest with one rank count, and compares what it did with what its head says.

use super::compile::Compiler;
use super::directive::Exit;
use super::guest::{Guest, Variant};
use super::{Mode, Places};
use libtest_mimic::Failed;
use std::fmt;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A run that takes longer hangs: it is killed, and what it printed is shown.
const LIMIT: Duration = Duration::from_secs(60);
/// Native processes poll, and may have to share a core.
const NATIVE_LIMIT: Duration = Duration::from_secs(180);

/// One trial: compile if need be, run, compare.
pub fn trial(
    places: &Places,
    compiler: &Compiler,
    guest: &Guest,
    variant: Variant,
    mode: Mode,
    ranks: u32,
) -> Result<(), Failed> {
    let program =
        if mode == Mode::Native { compiler.native(guest, variant)? } else { compiler.module(guest, variant)? };
    let mut command = match mode {
        Mode::Threads | Mode::Fibers => {
            let mut command = Command::new(&places.rankine);
            command.args([
                "run",
                if mode == Mode::Threads { "--threads" } else { "--fibers" },
                "-n",
                &ranks.to_string(),
            ]);
            command.args(&guest.head.run);
            command
        }
        Mode::Mpi => {
            let mut command = Command::new(places.mpi_bin.join("mpiexec"));
            command.args(["-n", &ranks.to_string()]).arg(&places.rankine).arg("run");
            command
        }
        Mode::Native => {
            let mut command = Command::new(places.mpi_bin.join("mpiexec"));
            command.args(["-n", &ranks.to_string()]);
            command
        }
    };
    command.arg(program).args(&guest.head.args).env_remove("RUST_BACKTRACE");
    let limit = if mode == Mode::Native { NATIVE_LIMIT } else { LIMIT };
    let limit = guest.head.seconds.map_or(limit, Duration::from_secs);
    let run = run_within(command, guest.head.stdin.clone(), limit)?;
    let mut complaints = complaints(guest, mode, ranks, &run);
    if guest.head.reference {
        let reference = run_within(Command::new(compiler.reference(guest)?), guest.head.stdin.clone(), limit)?;
        if reference.stdout != run.stdout {
            complaints.push(format!("standard output: flang's native program prints\n{}", reference.stdout));
        }
    }
    if complaints.is_empty() { Ok(()) } else { Err(format!("{}\n{run}", complaints.join("\n")).into()) }
}

/// What is wrong with a run, in words.
fn complaints(guest: &Guest, mode: Mode, ranks: u32, run: &Run) -> Vec<String> {
    let mut found = Vec::new();
    match (run.ended, guest.head.exit) {
        (Ended::Killed(limit), _) => found.push(format!("it was still running after {} s", limit.as_secs())),
        (Ended::Status(status), Exit::Status(expected)) if status != expected => {
            found.push(format!("exit status: expected {expected}, got {status}"));
        }
        (Ended::Status(0), Exit::NonZero) => found.push("exit status: expected another than 0".into()),
        _ => {}
    }
    match guest.expected(ranks) {
        Some(expected) if sorted(expected) != sorted(&run.stdout) => {
            found.push(format!("standard output: expected\n{expected}"))
        }
        None if guest.head.reference => {}
        None if guest.head.exit == Exit::Status(0) && run.stdout.lines().filter(|line| *line == "OK").count() != 1 => {
            found.push("standard output: expected one line OK".into());
        }
        _ => {}
    }
    let has = |text: &str, wanted: &str| wanted.split('|').any(|alternative| text.contains(alternative.trim()));
    found.extend(
        guest
            .head
            .stdout
            .iter()
            .filter(|part| !has(&run.stdout, part))
            .map(|part| format!("standard output lacks: {part}")),
    );
    if mode != Mode::Native {
        found.extend(
            guest
                .head
                .stderr
                .iter()
                .filter(|part| !has(&run.stderr, part))
                .map(|part| format!("standard error lacks: {part}")),
        );
        found.extend(
            guest
                .head
                .stderr_not
                .iter()
                .filter(|part| has(&run.stderr, part))
                .map(|part| format!("standard error has: {part}")),
        );
    }
    found
}

/// The lines of a text in the alphabet's order: which rank prints first is nobody's promise.
fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

/// What a process did.
pub struct Run {
    command: String,
    /// How it ended.
    pub ended: Ended,
    /// All it wrote to its standard output.
    pub stdout: String,
    stderr: String,
    time: Duration,
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
    // SAFETY: a plain system call; the child leads its own group and has not been waited for, so its id is not another's.
    unsafe {
        libc::kill(-(child.id() as libc::pid_t), libc::SIGKILL);
    }
}
