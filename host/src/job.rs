//! A job from start to end: its choices, its ranks, and the one reason why it ended.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::Result;
use wasmtime::Linker;

use crate::grants::Grants;
use crate::guest::Guest;
use crate::local::Carriers;
use crate::module::Program;
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
    pub grants: Grants,
    /// Bytes that a rank may have: its guest's memories and tables, and what the host holds for it.
    pub memory_limit: Option<usize>,
    /// How long the job may take, since it was started.
    pub timeout: Option<Duration>,
    /// When it was started.
    pub started: Instant,
    /// Prefix every line of output with its rank.
    pub label: bool,
    /// Report deadlocks.
    pub deadlock_check: bool,
    /// The process is confined to what the job needs.
    pub confine: bool,
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
    let mut tally = Tally { running: settings.ranks, ..Tally::default() };
    loop {
        let event = match settings.timeout {
            None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(limit) => events.recv_timeout(limit.saturating_sub(settings.started.elapsed())),
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
    pub fn new(program: &Program, path: &Path, settings: Settings) -> Result<Job> {
        let placement = settings.placement;
        Job::with(program, path, settings, |linker, module, name| local::define(linker, placement, module, name))
    }

    /// The same with functions of MPI that `define` registers.
    fn with(
        Program { code, symbols }: &Program,
        path: &Path,
        settings: Settings,
        define: impl Fn(&mut Linker<Guest>, &str, &str) -> wasmtime::Result<bool>,
    ) -> Result<Job> {
        let program = imports::resolve(code, path, settings.placement, define)?;
        let (sender, events) = channel();
        let remote = Remote(sender);
        let closed = remote.clone();
        let output = Output::inherit(0..settings.ranks, settings.label, move || {
            let _ = closed.0.send(Event::OutputClosed);
        });
        let (carriers, world) = Carriers::new(&settings);
        let (engine, symbols) = (code.engine().clone(), symbols.clone());
        let crew = Crew { settings, engine, program, symbols, world, output, remote, ended: Mutex::default() };
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::module;
    use crate::symbols::Symbols;
    use wasmtime::{Caller, Module};

    /// Rank 1 asks for the version; all others wait for it.
    const PROGRAM: &str = r#"(module
        (import "mpi" "MPI_Init" (func $init (param i32 i32) (result i32)))
        (import "mpi" "MPI_Comm_rank" (func $rank (param i32 i32) (result i32)))
        (import "mpi" "MPI_Barrier" (func $barrier (param i32) (result i32)))
        (import "mpi" "MPI_Get_version" (func $version (param i32 i32) (result i32)))
        (memory (export "memory") 1)
        (func (export "_start")
            (drop (call $init (i32.const 0) (i32.const 0)))
            (drop (call $rank (i32.const 0x101) (i32.const 64)))
            (if (i32.eq (i32.load (i32.const 64)) (i32.const 1))
                (then (drop (call $version (i32.const 64) (i32.const 68)))))
            (drop (call $barrier (i32.const 0x101)))))"#;

    #[test]
    fn a_panic_of_the_host_ends_the_job_in_words() {
        for placement in [Placement::Threads, Placement::Fibers] {
            let engine = module::engine(module::Settings { images: true }).unwrap();
            let code = Module::new(&engine, PROGRAM).unwrap();
            let program = Program { code, symbols: Arc::new(Symbols::default()) };
            let settings = Settings {
                ranks: 4,
                placement,
                arguments: vec!["program".into()],
                environment: Vec::new(),
                grants: Grants::default(),
                memory_limit: None,
                timeout: Some(Duration::from_secs(60)),
                started: Instant::now(),
                label: false,
                deadlock_check: true,
                confine: false,
            };
            let define = |linker: &mut Linker<Guest>, module: &str, name: &str| {
                if name != "MPI_Get_version" {
                    return local::define(linker, placement, module, name);
                }
                linker.func_wrap(module, name, |caller: Caller<'_, Guest>, _: i32, _: i32| -> i32 {
                    caller.data().set_call("MPI_Get_version");
                    panic!("this is what the test is about");
                })?;
                Ok(true)
            };
            let ending = Job::with(&program, Path::new("program"), settings, define).unwrap().run();
            assert_eq!(ending.status(), 1);
            let Ending::Failed(text) = ending else { panic!("{ending:?}") };
            assert!(text.starts_with("rank 1: this is a bug of Rankine in or after MPI_Get_version"), "{text}");
        }
    }
}
