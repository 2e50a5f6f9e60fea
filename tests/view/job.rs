//! A job with `--view`, and programs that talk to its page's server as a browser does, or as one should not.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use rankine_view_wire::{Asked, Field, Kind, Said};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Error, Message, WebSocket};

use crate::LIMIT;

/// A job that runs.
pub struct Job {
    child: Child,
    /// The address of its page.
    pub url: String,
    errors: Option<JoinHandle<String>>,
}

impl Job {
    /// Starts a job and reads where its page is.
    pub fn start(rankine: &Path, options: &[&str], guest: &Path, arguments: &[&str]) -> Result<Job, Failed> {
        let mut command = Command::new(rankine);
        command.args(["run", "--view"]).args(options).arg(guest).args(arguments);
        Job::begin(command)
    }

    /// Starts a job of processes over an MPI library, and reads where its page is.
    pub fn launch(mut mpiexec: Command, rankine: &Path, options: &[&str], guest: &Path) -> Result<Job, Failed> {
        mpiexec.arg(rankine).args(["run", "--view"]).args(options).arg(guest);
        Job::begin(mpiexec)
    }

    /// Shows a recording.
    pub fn replay(rankine: &Path, recording: &Path) -> Result<Job, Failed> {
        let mut command = Command::new(rankine);
        command.arg("view").arg(recording);
        Job::begin(command)
    }

    fn begin(mut command: Command) -> Result<Job, Failed> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let mut errors = BufReader::new(child.stderr.take().expect("it is piped"));
        let mut said = String::new();
        while !said.contains("view: http://") {
            if errors.read_line(&mut said)? == 0 {
                let _ = child.wait();
                return Err(format!("the job did not begin: {said}").into());
            }
        }
        let url = said[said.find("http://").unwrap_or(0)..].trim().to_owned();
        let rest = std::thread::spawn(move || {
            let mut rest = String::new();
            let _ = errors.read_to_string(&mut rest);
            rest
        });
        Ok(Job { child, url, errors: Some(rest) })
    }

    /// What stands between `http://` and the path; and the token.
    pub fn place(&self) -> (&str, &str) {
        let place = self.url.trim_start_matches("http://").trim_end_matches('/');
        place.split_once('/').expect("there is a token")
    }

    /// Whether it still runs.
    pub fn runs(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Kills it, as a batch system does.
    pub fn kill(mut self) -> Result<(), Failed> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Waits for its end: its status, what it printed, and what was said of it.
    pub fn end(mut self) -> Result<(i32, String, String), Failed> {
        let start = Instant::now();
        while self.runs() {
            if start.elapsed() > LIMIT {
                return Err("the job does not end".into());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let mut printed = String::new();
        self.child.stdout.take().expect("it is piped").read_to_string(&mut printed)?;
        let errors = self.errors.take().map(|errors| errors.join().unwrap_or_default()).unwrap_or_default();
        Ok((self.child.wait()?.code().unwrap_or(-1), printed, errors))
    }

    /// Waits for its end, which has to be a good one.
    pub fn succeed(self) -> Result<(), Failed> {
        let (status, printed, errors) = self.end()?;
        if status == 0 { Ok(()) } else { Err(format!("the job failed with status {status}\n{printed}{errors}").into()) }
    }

    /// The first line of what a request is answered with, and the whole.
    pub fn request(&self, head: &str) -> Result<(u16, String), Failed> {
        let mut stream = TcpStream::connect(self.place().0)?;
        stream.set_read_timeout(Some(LIMIT))?;
        stream.write_all(head.as_bytes())?;
        let mut answer = Vec::new();
        // A connection that is refused may be reset.
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Ok((status, answer))
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether a page is told that a frame had to make way, as parts of it did not come in time: on a busy machine ranks may begin
/// seconds after each other. Frames that are never whole are not waited for without end.
pub fn is_late(notice: &str) -> bool {
    notice.contains(" can't be shown: ")
}

/// Someone at the socket of the page.
pub struct Visitor {
    socket: WebSocket<TcpStream>,
    /// The controls by their names: number and value.
    pub controls: Vec<(String, u32, Kind, f64)>,
    /// The last x of the curve `level`.
    pub step: f64,
    /// Until when it listens: what is waited for may never come among all that does.
    until: Instant,
}

impl Visitor {
    /// Connects as the page of this origin does.
    pub fn connect(job: &Job, origin: Option<&str>) -> Result<Result<Visitor, u16>, Failed> {
        let (place, token) = job.place();
        let mut request =
            format!("ws://{place}/{token}/socket").into_client_request().map_err(|error| error.to_string())?;
        if let Some(origin) = origin {
            request.headers_mut().insert("Origin", origin.parse().expect("a header's value"));
        }
        let stream = TcpStream::connect(place)?;
        stream.set_read_timeout(Some(LIMIT))?;
        // As browsers do.
        stream.set_nodelay(true)?;
        match tungstenite::client(request, stream) {
            Ok((socket, _)) => {
                Ok(Ok(Visitor { socket, controls: Vec::new(), step: -1.0, until: Instant::now() + 2 * LIMIT }))
            }
            Err(tungstenite::HandshakeError::Failure(Error::Http(answer))) => Ok(Err(answer.status().as_u16())),
            Err(error) => Err(error.to_string().into()),
        }
    }

    /// The next message.
    pub fn hear(&mut self) -> Result<Said, Failed> {
        loop {
            if Instant::now() > self.until {
                return Err(format!("what was waited for has not come within {:?}", 2 * LIMIT).into());
            }
            let message = self.socket.read().map_err(|error| error.to_string())?;
            let Message::Binary(bytes) = message else { continue };
            let said = Said::read(&bytes).ok_or("a message that is none")?;
            match &said {
                Said::Field(_) | Said::Points(_) => self.ask(Asked::Drawn)?,
                Said::Control { id, name, kind, value } => {
                    self.controls.retain(|(known, ..)| known != name);
                    self.controls.push((name.clone(), *id, kind.clone(), *value));
                }
                Said::Curve { points, .. } => self.step = points.last().map_or(self.step, |[x, _]| *x),
                _ => {}
            }
            return Ok(said);
        }
    }

    /// The next frame of a field.
    pub fn frame(&mut self) -> Result<Field, Failed> {
        loop {
            if let Said::Field(field) = self.hear()? {
                return Ok(field);
            }
        }
    }

    pub fn ask(&mut self, asked: Asked) -> Result<(), Failed> {
        self.socket.send(Message::binary(asked.to_bytes())).map_err(|error| error.to_string().into())
    }

    /// Sets a control, once it is known.
    pub fn set(&mut self, name: &str, value: f64) -> Result<(), Failed> {
        loop {
            if let Some(&(_, id, ..)) = self.controls.iter().find(|(known, ..)| known == name) {
                return self.ask(Asked::Set { id, value });
            }
            self.hear()?;
        }
    }

    /// Sends bytes that are no message of ours.
    pub fn babble(&mut self, bytes: &[u8]) -> Result<(), Failed> {
        self.socket.send(Message::binary(bytes.to_vec())).map_err(|error| error.to_string().into())
    }
}
