//! The line of a job in the machine's audit (`audit` of its policy), written by a process of our own.
//!
//! A job's process must not be able to change what is noted of it, taken over or not. So it has no file: a process that was
//! started before the wall, and stands outside of it, has. Before any guest runs it is told what the job is. All that it
//! hears after that is a status, once. What the job has used it sees for itself, in the system's account of that process, and
//! where the process ends without a word that is noted too.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use serde_json::{Map, Value, json};

use crate::module::Origin;
use rankine_system::helper::{self, receive, send};
use rankine_system::trust;
use usage::{Process, Used};

mod usage;

/// The longest description of a job: the names of its programs.
const LONGEST: u64 = 1 << 24;

/// How often is looked what the process has.
const EVERY: Duration = Duration::from_millis(250);

/// A process that goes on for longer after it has said its end has another line, with what it has used until then.
const GRACE: Duration = Duration::from_secs(5);

/// What a job says at its end.
const END: usize = 4 + Used::BYTES;

/// The way to the process that writes the line.
pub(crate) struct Audit(File);

/// What is noted of a job before it begins.
pub(crate) struct Note<'a> {
    /// Its programs: their files, the digests of these, who has signed them.
    pub(crate) programs: &'a [(String, Origin)],
    /// The engine.
    pub(crate) engine: &'a str,
    /// How many ranks.
    pub(crate) ranks: usize,
}

impl Audit {
    /// Starts the process that adds a line to this file. Call it while this one has one thread.
    pub(crate) fn begin(log: &File) -> Result<Audit> {
        let job = Process::this();
        let keep = |connection| {
            stand_apart();
            Keeper { log, job, begun: Instant::now(), most: Used::default() }.keep(connection)
        };
        helper::start("that writes the audit", &[log.as_fd()], keep).map(Audit)
    }

    /// Says what the job is. From then on it has a line, however it ends.
    pub(crate) fn describe(&mut self, note: &Note<'_>) -> Result<()> {
        let program = |(file, Origin { digest, signer }): &(String, Origin)| json!({ "file": file, "digest": digest, "signer": signer });
        let programs: Vec<Value> = note.programs.iter().map(program).collect();
        let text = json!({ "programs": programs, "engine": note.engine, "ranks": note.ranks }).to_string();
        send(&mut self.0, text.as_bytes()).context("the process that writes the audit has ended")
    }

    /// Says how the job ended, and waits until that is written.
    pub(crate) fn write(mut self, status: i32) -> io::Result<()> {
        let mut end = status.to_ne_bytes().to_vec();
        end.extend(Used::by_now().to_bytes());
        self.0.write_all(&end)?;
        let mut code = [0; 4];
        self.0.read_exact(&mut code)?;
        match i32::from_ne_bytes(code) {
            0 => Ok(()),
            code => Err(io::Error::from_raw_os_error(code)),
        }
    }
}

/// Is not ended with the job's processes by whoever ends them all, nor looked into by them: another process of the same user
/// could, where the wall has no Landlock.
fn stand_apart() {
    // SAFETY: the calls take numbers alone.
    unsafe { libc::setsid() };
    #[cfg(target_os = "linux")]
    // SAFETY: the request takes numbers alone.
    unsafe {
        libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0)
    };
}

/// The process that writes the line.
struct Keeper<'a> {
    log: &'a File,
    job: Process,
    begun: Instant,
    /// What the job was last seen to have used.
    most: Used,
}

impl Keeper<'_> {
    fn keep(mut self, mut connection: File) -> Result<()> {
        // A job that was refused has no line.
        let Some(text) = receive(&mut connection, LONGEST)? else { return Ok(()) };
        let about: Map<String, Value> = serde_json::from_slice(&text)?;
        let end = self.await_end(&mut connection);
        if let Some((_, said)) = end {
            self.look();
            // Where the system keeps no account of other processes, there is no wall either.
            self.most = self.most.or(said);
        }
        let status = end.map(|(status, _)| status);
        let written = self.write(about.clone(), status, false);
        let code = written.as_ref().err().map_or(0, |error| error.raw_os_error().unwrap_or(libc::EIO));
        // Nobody may be there to hear it.
        let _ = connection.write_all(&code.to_ne_bytes());
        let noted = Instant::now();
        while !self.job.is_over() {
            // It ends within moments, if it is as it should be.
            std::thread::sleep(noted.elapsed().clamp(Duration::from_millis(1), EVERY));
            self.look();
        }
        if status.is_some() && noted.elapsed() > GRACE {
            self.write(about, status, true)?;
        }
        Ok(written?)
    }

    /// Waits until the job has said how it ended, or has ended. What it says is of one length: no more is read, and a part of it
    /// is no word.
    fn await_end(&mut self, connection: &mut File) -> Option<(i32, Used)> {
        let mut said = Vec::new();
        while said.len() < END {
            if !is_readable(connection, EVERY) {
                self.look();
                continue;
            }
            let mut bytes = [0; END];
            match connection.read(&mut bytes[said.len()..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => {
                    self.await_death();
                    return None;
                }
                Ok(count) => said.extend_from_slice(&bytes[said.len()..][..count]),
            }
        }
        let (status, used) = said.split_first_chunk()?;
        Some((i32::from_ne_bytes(*status), Used::of_bytes(used)?))
    }

    /// The connection has ended. So has the process, or it goes on without a word.
    fn await_death(&mut self) {
        let mut pause = Duration::from_millis(1);
        while !self.job.is_over() {
            self.look();
            std::thread::sleep(pause);
            pause = (pause * 2).min(EVERY);
        }
    }

    fn look(&mut self) {
        if let Some(used) = self.job.used() {
            self.most = self.most.max(used);
        }
    }

    /// Adds the line, in one piece: others write there too.
    fn write(&self, mut line: Map<String, Value>, status: Option<i32>, again: bool) -> io::Result<()> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        line.insert("time".into(), now.as_secs().into());
        line.insert("user".into(), trust::effective_user().into());
        line.insert("status".into(), status.into());
        line.insert("seconds".into(), rounded(self.begun.elapsed().as_secs_f64()).into());
        let resources = json!({ "cpu-seconds": rounded(self.most.processor), "peak-memory": self.most.memory });
        line.insert("resources".into(), resources);
        if again {
            line.insert("again".into(), true.into());
        }
        let mut log = self.log;
        log.write_all(format!("{}\n", Value::Object(line)).as_bytes())
    }
}

/// Whether there is something to read, or the other end has gone, within so long.
fn is_readable(connection: &File, patience: Duration) -> bool {
    let mut waits = libc::pollfd { fd: connection.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let patience = libc::c_int::try_from(patience.as_millis()).unwrap_or(libc::c_int::MAX);
    // SAFETY: one descriptor, which is open as long as the file is borrowed.
    unsafe { libc::poll(&mut waits, 1, patience) == 1 }
}

/// As the audit shows a time.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}
