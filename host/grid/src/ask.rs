//! Runs `rankine` on nodes and waits for what it says: many nodes at a time, each within its time.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use rankine_system::os;
use serde::de::DeserializeOwned;

use crate::node::Node;
use rankine_system::places::find_program;
use rankine_system::trust;
use rankine_system::trust::Notes;

/// So many nodes are asked at a time.
const AT_ONCE: usize = 32;

/// Bytes of an answer. Nodes say little; one that goes on and on is not believed.
const LONGEST: u64 = 64 << 20;

/// Seconds within which ssh must have reached a node.
const CONNECT: u32 = 10;

/// How nodes are reached and what is run there.
pub struct Asker {
    /// The program that takes ssh's place for all nodes, if one was named.
    pub ssh: Option<PathBuf>,
    /// Where `rankine` is on nodes of which nothing else is known.
    pub rankine: PathBuf,
    /// How long a node may take for an answer.
    pub limit: Duration,
}

/// What a node has said.
pub struct Answer {
    /// How the command ended: 255 is ssh's own.
    pub status: ExitStatus,
    /// All of its standard output.
    pub output: Vec<u8>,
    /// Its standard error stream.
    pub words: String,
}

/// Why a node has not done what it was asked for.
#[derive(Debug, PartialEq, Eq)]
pub enum Refusal {
    /// ssh did not get there, and says so.
    Unreached(String),
    /// There is no `rankine` at this path.
    NoRankine(PathBuf),
    /// The one that is there does not know the command: it is older.
    Older(PathBuf),
    /// It did not end in time.
    TooLate(Duration),
    /// It said this.
    Failed(String),
}

impl Refusal {
    /// Whether it may be otherwise in a moment.
    pub fn may_pass(&self) -> bool {
        matches!(self, Refusal::Unreached(_) | Refusal::TooLate(_) | Refusal::Failed(_))
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::Unreached(words) => write!(f, "it can't be reached: {words}"),
            Refusal::NoRankine(path) => write!(f, "there is no {} on it", path.display()),
            Refusal::Older(path) => write!(f, "{} is of an older version there", path.display()),
            Refusal::TooLate(limit) => write!(f, "it has not answered within {} s", limit.as_secs_f64()),
            Refusal::Failed(words) => f.write_str(words),
        }
    }
}

impl Asker {
    /// An asker that gives so much time for an answer.
    pub fn within(&self, limit: Duration) -> Asker {
        Asker { ssh: self.ssh.clone(), rankine: self.rankine.clone(), limit }
    }

    /// The program that reaches a node: named for all, for it, or `ssh`.
    pub fn ssh(&self, node: &Node) -> Result<PathBuf> {
        let named = self.ssh.as_deref().or(node.ssh.first().map(Path::new));
        if let Some(named) = named {
            let path = find_program(named).with_context(|| format!("there is no program {}", named.display()))?;
            return match Notes::of_user().doubt(&path) {
                Some(why) => bail!("{} is not run, since {why}", path.display()),
                None => Ok(path),
            };
        }
        let path = find_program("ssh").context("no `ssh` was found in the folders of PATH; name one with --ssh")?;
        match trust::distrust_code(&path) {
            Some(why) => bail!("{} is not run, since {why}; name the program with --ssh", path.display()),
            None => Ok(path),
        }
    }

    /// Where `rankine` is on a node.
    pub fn rankine<'a>(&'a self, node: &'a Node) -> &'a Path {
        node.rankine.as_deref().unwrap_or(&self.rankine)
    }

    /// The command that runs `rankine` with these arguments on a node.
    pub fn command(&self, node: &Node, arguments: &[OsString]) -> Result<Command> {
        let rankine = self.rankine(node);
        if node.is_here() {
            let mut command = Command::new(rankine);
            command.args(arguments);
            return Ok(command);
        }
        let words = std::iter::once(rankine.as_os_str()).chain(arguments.iter().map(OsString::as_os_str));
        self.remote(node, &words.map(single).collect::<Vec<_>>().join(OsStr::new(" ")))
    }

    /// The command that has a node's shell run this.
    fn remote(&self, node: &Node, text: &OsStr) -> Result<Command> {
        let ssh = self.ssh(node)?;
        let mut command = match ssh.file_name() == Some("ssh".as_ref()) {
            false => node.reach(&ssh),
            // Nobody is there to answer a question.
            true => {
                let mut polite = Command::new(&ssh);
                polite.args(["-o", "BatchMode=yes", "-o", &format!("ConnectTimeout={CONNECT}")]);
                polite.args(["-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=4"]);
                polite.args(node.reach(&ssh).get_args());
                polite
            }
        };
        command.arg(text);
        Ok(command)
    }

    /// Has `sh` run a script on a node, with this file as its input. What it prints.
    pub fn shell(&self, node: &Node, script: &str, input: Option<File>) -> Result<String, Refusal> {
        let failed = |error: anyhow::Error| Refusal::Failed(format!("{error:#}"));
        let mut command = if node.is_here() {
            let mut command = Command::new("sh");
            command.arg("-c").arg(script);
            command
        } else {
            // Whatever shell the user has there.
            let mut text = OsString::from("exec sh -c ");
            text.push(single(script.as_ref()));
            self.remote(node, &text).map_err(failed)?
        };
        command.stdin(input.map_or_else(Stdio::null, Stdio::from)).stdout(Stdio::piped());
        let answer = run(command, self.limit).map_err(|error| failed(error.into()))?;
        let answer = answer.ok_or(Refusal::TooLate(self.limit))?;
        match answer.status.code() {
            Some(0) => Ok(String::from_utf8_lossy(&answer.output).into_owned()),
            Some(255) if !node.is_here() => Err(Refusal::Unreached(last_words(&answer))),
            _ => Err(Refusal::Failed(last_words(&answer))),
        }
    }

    /// Runs `rankine` with these arguments on a node; its input is the file, or empty. What it prints.
    pub fn ask(&self, node: &Node, arguments: &[OsString], input: Option<File>) -> Result<Vec<u8>, Refusal> {
        self.run(node, arguments, input.map_or_else(Stdio::null, Stdio::from), Stdio::piped())
    }

    /// Asks a node for an answer in JSON. A shell that greets those who log in writes other lines before it.
    pub fn ask_for<T: DeserializeOwned>(&self, node: &Node, arguments: &[OsString]) -> Result<T, Refusal> {
        let output = self.ask(node, arguments, None)?;
        let text = String::from_utf8_lossy(&output);
        let answer = text.lines().rev().find_map(|line| serde_json::from_str(line).ok());
        answer.ok_or_else(|| {
            Refusal::Failed(format!("this is not an answer: {}", rankine_system::shown::line(text.trim())))
        })
    }

    /// Asks a node; what it prints goes to a file.
    pub fn ask_into(&self, node: &Node, arguments: &[OsString], output: File) -> Result<(), Refusal> {
        self.run(node, arguments, Stdio::null(), output.into()).map(drop)
    }

    fn run(&self, node: &Node, arguments: &[OsString], input: Stdio, output: Stdio) -> Result<Vec<u8>, Refusal> {
        let failed = |error: anyhow::Error| Refusal::Failed(format!("{error:#}"));
        let mut command = self.command(node, arguments).map_err(failed)?;
        tracing::debug!("{command:?}");
        command.stdin(input).stdout(output);
        let answer = match run(command, self.limit) {
            Ok(answer) => answer.ok_or(Refusal::TooLate(self.limit))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && node.is_here() => {
                return Err(Refusal::NoRankine(self.rankine(node).into()));
            }
            Err(error) => return Err(failed(error.into())),
        };
        let path = || self.rankine(node).to_path_buf();
        let words = last_words(&answer);
        match answer.status.code() {
            Some(0) => Ok(answer.output),
            Some(255) if !node.is_here() => Err(Refusal::Unreached(words)),
            // What a shell says of a program that it can't find or start.
            Some(126 | 127) => Err(Refusal::NoRankine(path())),
            // What clap says of a subcommand that it does not know.
            Some(2) => Err(Refusal::Older(path())),
            _ => Err(Refusal::Failed(words)),
        }
    }
}

/// What a command that has failed has to say: the end of it, where the reason stands.
fn last_words(answer: &Answer) -> String {
    const SHOWN: usize = 4;
    let lines: Vec<&str> = answer.words.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines[lines.len().saturating_sub(SHOWN)..].join("; ");
    let last = last.strip_prefix("rankine: ").unwrap_or(&last);
    match (last.is_empty(), os::signal(answer.status)) {
        (false, _) => rankine_system::shown::line(last),
        (true, Some(signal)) => format!("it was ended by signal {signal}"),
        (true, None) => format!("it ended with status {}", answer.status.code().unwrap_or_default()),
    }
}

/// Does something for each node, several at a time. Answers stand in the order of the nodes.
pub fn each<T: Send>(nodes: &[&Node], work: impl Fn(&Node) -> T + Sync) -> Vec<T> {
    let left = Mutex::new(nodes.iter().enumerate());
    let (sender, answers) = channel();
    thread::scope(|scope| {
        for _ in 0..AT_ONCE.min(nodes.len()) {
            let (sender, left, work) = (sender.clone(), &left, &work);
            scope.spawn(move || {
                let next = || left.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
                while let Some((at, node)) = next() {
                    let _ = sender.send((at, work(node)));
                }
            });
        }
    });
    drop(sender);
    let mut answers: Vec<(usize, T)> = answers.iter().collect();
    answers.sort_by_key(|(at, _)| *at);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

/// Runs a command to its end, or to the end of its time: then it is killed, and there is no answer.
fn run(mut command: Command, limit: Duration) -> std::io::Result<Option<Answer>> {
    let end = Instant::now() + limit;
    let mut child = command.stderr(Stdio::piped()).spawn()?;
    let (sender, pieces) = channel();
    collect(child.stdout.take(), true, sender.clone());
    collect(child.stderr.take(), false, sender);
    let (mut output, mut words) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        match pieces.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok((true, bytes)) => output = bytes,
            Ok((false, bytes)) => words = bytes,
            Err(_) => {
                child.kill()?;
                child.wait()?;
                return Ok(None);
            }
        }
    }
    let status = child.wait()?;
    Ok(Some(Answer { status, output, words: String::from_utf8_lossy(&words).into_owned() }))
}

/// Reads a stream of a child to its end, on a thread: it may never come.
fn collect(stream: Option<impl Read + Send + 'static>, is_output: bool, sender: Sender<(bool, Vec<u8>)>) {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(stream) = stream {
            // What was read before an error is still worth showing.
            let _ = stream.take(LONGEST).read_to_end(&mut bytes);
        }
        let _ = sender.send((is_output, bytes));
    });
}

/// A text as one word of a shell.
#[cfg(unix)]
fn single(word: &OsStr) -> OsString {
    use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
    let mut quoted = vec![b'\''];
    for &byte in word.as_bytes() {
        match byte {
            b'\'' => quoted.extend_from_slice(br"'\''"),
            byte => quoted.push(byte),
        }
    }
    quoted.push(b'\'');
    OsString::from_vec(quoted)
}

/// A word in quotation marks; bytes that are no text are replaced.
#[cfg(windows)]
fn single(word: &OsStr) -> OsString {
    format!("'{}'", word.to_string_lossy().replace('\'', r"'\''")).into()
}

#[cfg(test)]
#[path = "../../tests/command/script.rs"]
mod script;

#[cfg(test)]
mod tests {
    use super::script::script;
    use super::*;

    /// A shell that forgets the node's name stands in for ssh: words arrive as they were sent, and each failure is
    /// known for what it is. No name server knows these nodes.
    #[test]
    fn answers_and_refusals() {
        let folder = tempfile::tempdir().unwrap();
        let (ssh, rankine) = (folder.path().join("reach"), folder.path().join("rankine"));
        script(
            &ssh,
            "case $1 in away.invalid) echo 'ssh: no route to host' >&2; exit 255 ;; slow.invalid) exec sleep 60 ;; esac\nexec sh -c \"$2\"",
        );
        script(
            &rankine,
            "case $1 in old) exit 2 ;; bad) echo 'rankine: disk full' >&2; exit 1 ;; esac\nprintf '%s|' \"$@\"; cat",
        );
        let asker = |rankine, limit| Asker { ssh: Some(ssh.clone()), rankine, limit: Duration::from_secs(limit) };
        let ask = |asker: &Asker, node: &str, words: &[&str]| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            asker.ask(&Node::plain(node, None), &words, None)
        };
        let usual = asker(rankine, 600);
        assert_eq!(ask(&usual, "there.invalid", &["it's", "a b", ""]).unwrap(), b"it's|a b||");
        let unreached = Refusal::Unreached("ssh: no route to host".into());
        assert_eq!(ask(&usual, "away.invalid", &["x"]), Err(unreached));
        assert_eq!(ask(&usual, "there.invalid", &["bad"]), Err(Refusal::Failed("disk full".into())));
        assert!(matches!(ask(&usual, "there.invalid", &["old"]), Err(Refusal::Older(_))));
        let none = asker("/no/rankine".into(), 600);
        for node in ["there.invalid", "127.0.0.1"] {
            assert_eq!(ask(&none, node, &["x"]), Err(Refusal::NoRankine("/no/rankine".into())));
        }
        let hasty = Asker { limit: Duration::from_millis(50), ..asker("rankine".into(), 1) };
        assert_eq!(ask(&hasty, "slow.invalid", &["x"]), Err(Refusal::TooLate(Duration::from_millis(50))));
    }

    #[test]
    fn answers_stand_in_the_order_of_nodes() {
        let nodes: Vec<Node> = (0..100).map(|n| Node::plain(&format!("n{n}"), None)).collect();
        let answers = each(&nodes.iter().collect::<Vec<_>>(), |node| node.name.clone());
        assert!(answers.iter().zip(&nodes).all(|(answer, node)| *answer == node.name) && answers.len() == 100);
    }
}
