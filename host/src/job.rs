//! A job from start to end: its choices, its ranks, and the one reason why it ended.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::Result;
use wasmtime::Module;

use crate::local::Carriers;
use crate::output::Output;
use crate::rank::Crew;
use crate::trap::Report;
use crate::{imports, local};

/// How ranks run.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub enum Placement {
    /// An operating-system thread for each rank.
    Threads,
    /// Fibers on one worker per core.
    Fibers,
}

impl Placement {
    /// Threads while each rank has a core of its own, fibers beyond.
    pub fn suited(ranks: usize) -> Placement {
        if ranks <= cores() { Placement::Threads } else { Placement::Fibers }
    }
}

/// Cores that this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A folder of the host that guests may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// Where it is.
    pub host: PathBuf,
    /// What guests call it.
    pub guest: String,
}

/// The choices for a job.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How many ranks.
    pub ranks: usize,
    /// How they run.
    pub placement: Placement,
    /// The guest's arguments, its own name first.
    pub arguments: Vec<String>,
    /// The guest's environment.
    pub environment: Vec<(String, String)>,
    /// The folders it may use.
    pub folders: Vec<Folder>,
    /// Bytes that a rank may have: its guest's memories and tables, and what the host holds for it.
    pub memory_limit: Option<usize>,
    /// How long the job may take.
    pub timeout: Option<Duration>,
    /// Prefix every line of output with its rank.
    pub label: bool,
    /// Report deadlocks.
    pub deadlock_check: bool,
}

/// How one rank ended.
#[derive(Debug)]
pub(crate) enum End {
    /// Its program returned or called `exit`.
    Exited {
        status: i32,
        /// It left between `MPI_Init` and `MPI_Finalize`.
        unfinalized: bool,
    },
    /// It trapped.
    Trapped(Report),
    /// An MPI error was fatal.
    Fatal(Report),
    /// The job ended while it waited.
    Stopped {
        /// The call and what it waited for.
        waiting: String,
        /// The innermost line of the guest's stack.
        place: Option<String>,
    },
    /// The host could not start or carry it.
    Failed(String),
}

/// What the ranks and the surroundings tell the job.
#[derive(Debug)]
pub(crate) enum Event {
    /// A rank ended.
    Ended { rank: usize, end: End },
    /// The process was sent a signal.
    Signal(i32),
    /// Nobody reads the output any more.
    OutputClosed,
}

/// Tells a running job about its surroundings.
#[derive(Clone)]
pub struct Remote(pub(crate) Sender<Event>);

impl Remote {
    /// The process was sent a signal that should end the job.
    pub fn signal(&self, number: i32) {
        let _ = self.0.send(Event::Signal(number));
    }
}

/// Why a job ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every rank returned.
    Finished {
        /// The highest status of a rank.
        status: i32,
        /// Ranks that left without `MPI_Finalize`.
        unfinalized: Vec<usize>,
    },
    /// A rank called `MPI_Abort`, or an error was fatal.
    Aborted {
        /// The rank.
        rank: usize,
        /// The status it asked for.
        code: i32,
        /// The error, unless the program itself called `MPI_Abort`.
        error: Option<Report>,
    },
    /// A rank gave up: it left with a status above 0, and without `MPI_Finalize`.
    Quit {
        /// The rank.
        rank: usize,
        /// Its status.
        status: i32,
    },
    /// A rank trapped.
    Trapped {
        /// The rank.
        rank: usize,
        /// What happened.
        report: Report,
    },
    /// Every rank waited and nothing was in flight.
    Deadlocked {
        /// What each rank waited for.
        ranks: Vec<String>,
        /// Ranks that left without `MPI_Finalize`.
        unfinalized: Vec<usize>,
    },
    /// It took longer than it may.
    TimedOut(Duration),
    /// The process was sent this signal.
    Signalled(i32),
    /// The reader of its output has gone away.
    OutputClosed,
    /// The host could not carry it.
    Failed(String),
}

impl Ending {
    /// The exit status of the command.
    pub fn status(&self) -> i32 {
        match self {
            Ending::Finished { status, .. } | Ending::Quit { status, .. } => *status,
            Ending::Aborted { code, .. } => abort_status(*code),
            Ending::Trapped { .. } => 134,
            Ending::Deadlocked { .. } => 3,
            Ending::TimedOut(_) => 124,
            Ending::Signalled(number) => 128 + number,
            Ending::OutputClosed => 128 + libc::SIGPIPE,
            Ending::Failed(_) => 1,
        }
    }
}

/// A process keeps the low eight bits of its status; an abort never looks like success.
fn abort_status(code: i32) -> i32 {
    match code & 0xff {
        0 => 1,
        status => status,
    }
}

/// Waits for the job's end, whichever comes first.
pub(crate) fn await_end(settings: &Settings, world: &rankine_local::World, events: &Receiver<Event>) -> Ending {
    let started = Instant::now();
    let mut tally = Tally { running: settings.ranks, ..Tally::default() };
    loop {
        let event = match settings.timeout {
            None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(limit) => events.recv_timeout(limit.saturating_sub(started.elapsed())),
        };
        let ending = match event {
            Ok(event) => tally.note(event, world),
            Err(RecvTimeoutError::Timeout) => settings.timeout.map(Ending::TimedOut),
            Err(RecvTimeoutError::Disconnected) => Some(Ending::Failed("the ranks' threads have disappeared".into())),
        };
        if let Some(ending) = ending {
            world.end(rankine_local::End::Host);
            return if matches!(ending, Ending::Deadlocked { .. }) { tally.explain_deadlock(events) } else { ending };
        }
    }
}

/// The job's ending if it was `rank` that aborted it. Others may be stopped before the rank itself is heard.
fn aborted(world: &rankine_local::World, rank: usize, error: Option<Report>) -> Option<Ending> {
    match world.ended() {
        Some(rankine_local::End::Abort { rank: by, code }) if *by == rank => {
            Some(Ending::Aborted { rank, code: *code, error })
        }
        _ => None,
    }
}

/// What a rank waited for, and where in its source.
fn in_words(waiting: String, place: Option<String>) -> String {
    match place {
        Some(place) => format!("{waiting}, called by {place}"),
        None => waiting,
    }
}

/// How the ranks have ended so far.
#[derive(Default)]
struct Tally {
    running: usize,
    status: i32,
    unfinalized: Vec<usize>,
    waiting: Vec<(usize, String)>,
}

impl Tally {
    /// Takes note of an event; the job's ending, if this is it.
    fn note(&mut self, event: Event, world: &rankine_local::World) -> Option<Ending> {
        match event {
            Event::Signal(number) => return Some(Ending::Signalled(number)),
            Event::OutputClosed => return Some(Ending::OutputClosed),
            Event::Ended { rank, end } => {
                self.running -= 1;
                match end {
                    End::Exited { status: status @ 1.., unfinalized: true } => {
                        return Some(Ending::Quit { rank, status });
                    }
                    End::Exited { status, unfinalized } => {
                        self.status = self.status.max(status);
                        if unfinalized {
                            self.unfinalized.push(rank);
                        }
                    }
                    End::Trapped(report) => return Some(Ending::Trapped { rank, report }),
                    End::Failed(text) => return Some(Ending::Failed(format!("rank {rank}: {text}"))),
                    End::Fatal(report) => return aborted(world, rank, Some(report)),
                    End::Stopped { waiting, place } => {
                        self.waiting.push((rank, in_words(waiting, place)));
                        if world.ended() == Some(&rankine_local::End::Deadlock) {
                            return Some(Ending::Deadlocked { ranks: Vec::new(), unfinalized: Vec::new() });
                        }
                        return aborted(world, rank, None);
                    }
                }
            }
        }
        (self.running == 0)
            .then(|| Ending::Finished { status: self.status, unfinalized: std::mem::take(&mut self.unfinalized) })
    }

    /// Every rank that has not returned waits and is now being unwound: hear what each of them waited for.
    fn explain_deadlock(mut self, events: &Receiver<Event>) -> Ending {
        // Nobody runs guest code any more, so this is as long as a busy machine may need.
        let until = Instant::now() + Duration::from_secs(10);
        while self.running > 0 {
            match events.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(Event::Ended { rank, end: End::Stopped { waiting, place } }) => {
                    self.running -= 1;
                    self.waiting.push((rank, in_words(waiting, place)));
                }
                Ok(Event::Ended { rank, end }) => {
                    self.running -= 1;
                    // It left just before the others missed it, and is heard only now.
                    if matches!(end, End::Exited { unfinalized: true, .. }) {
                        self.unfinalized.push(rank);
                    }
                }
                Ok(_) => {}
                Err(_) => break,
            }
        }
        self.waiting.sort_unstable();
        self.unfinalized.sort_unstable();
        let ranks = self.waiting.into_iter().map(|(rank, waiting)| format!("rank {rank} waits in {waiting}")).collect();
        Ending::Deadlocked { ranks, unfinalized: self.unfinalized }
    }
}

/// A job that is ready to start.
pub struct Job {
    crew: Arc<Crew>,
    carriers: Carriers,
    events: Receiver<Event>,
}

impl Job {
    /// Makes a job of a program: refuses what could not work, and starts nothing yet.
    pub fn new(module: &Module, path: &Path, settings: Settings) -> Result<Job> {
        let placement = settings.placement;
        let define = |linker: &mut _, module: &str, name: &str| local::define(linker, placement, module, name);
        let program = imports::resolve(module, path, placement, define)?;
        let (sender, events) = channel();
        let remote = Remote(sender);
        let closed = remote.clone();
        let output = Output::inherit(0..settings.ranks, settings.label, move || {
            let _ = closed.0.send(Event::OutputClosed);
        });
        let (carriers, world) = Carriers::new(&settings);
        let engine = module.engine().clone();
        let crew = Crew { settings, engine, program, world, output, remote, ended: Mutex::default() };
        Ok(Job { crew: Arc::new(crew), carriers, events })
    }

    /// A way to tell the job about its surroundings while it runs.
    pub fn remote(&self) -> Remote {
        self.crew.remote.clone()
    }

    /// The output of its ranks.
    pub fn output(&self) -> &Arc<Output> {
        &self.crew.output
    }

    /// Runs it to its end. Ranks that compute when the job ends early stay behind on their threads (see the crate's
    /// head).
    pub fn run(&self) -> Ending {
        if let Err(error) = self.carriers.start(&self.crew) {
            return Ending::Failed(format!("{error:#}"));
        }
        await_end(&self.crew.settings, &self.crew.world, &self.events)
    }
}
