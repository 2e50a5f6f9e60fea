//! How ranks end, and the one reason why their job ended.

use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use rankine_guest::{Phase, Together, Who};
use wasmtime::ThrownException;

use crate::guest::stage::Seen;
use crate::guest::team::Left;
use crate::guest::{Abort, Exit, Stopped};
use crate::module::symbols::Symbols;
use crate::report::apart;
use crate::report::trap::{Report, is_the_programs};
use crate::run::job::Settings;

/// How one rank ended.
#[derive(Debug)]
pub(crate) enum End {
    /// Its program returned or called `exit`.
    Exited {
        status: i32,
        /// Where it left MPI.
        phase: Phase,
    },
    /// It trapped.
    Trapped(Report),
    /// It called `MPI_Abort`, or an error was fatal.
    Aborted { code: i32, error: Option<Report> },
    /// The job ended while it waited.
    Stopped {
        /// The call and what it waited for.
        waiting: String,
        /// The innermost line of the guest's stack.
        place: Option<String>,
        /// The blocking collective that it waited in.
        together: Option<Together>,
        /// The job ended because all ranks waited.
        in_deadlock: bool,
    },
    /// The host could not start or carry it.
    Failed(String),
}

impl End {
    /// Whether the program has not done what it is for.
    pub(crate) fn has_failed(&self) -> bool {
        !matches!(self, End::Exited { status: 0, .. } | End::Stopped { .. })
    }

    /// Whether the job ends with it.
    pub(crate) fn ends_job(&self) -> bool {
        match self {
            End::Exited { status, phase } => *status > 0 && *phase == Phase::Running,
            End::Stopped { .. } => false,
            End::Trapped(_) | End::Aborted { .. } | End::Failed(_) => true,
        }
    }
}

/// How a rank ended in this phase, by what came of its program. `refused` is a memory growth that was refused before.
pub(crate) fn classify(outcome: wasmtime::Result<()>, phase: Phase, refused: Option<usize>, symbols: &Symbols) -> End {
    let exited = |status| End::Exited { status, phase };
    let error = match outcome {
        Ok(()) => return exited(0),
        Err(error) => error,
    };
    let report = || Report::new(&error, refused, symbols);
    if let Some(Exit(status)) = error.downcast_ref() {
        return exited(*status);
    }
    if let Some(Stopped { waiting, together, in_deadlock }) = error.downcast_ref() {
        let place = report().frames.into_iter().find(|frame| is_the_programs(frame));
        let (waiting, together) = (waiting.clone(), together.clone());
        return End::Stopped { waiting, place, together, in_deadlock: *in_deadlock };
    }
    if let Some(Abort { code, error }) = error.downcast_ref() {
        return End::Aborted { code: *code, error: error.is_some().then(report) };
    }
    if is_start_failure(&error) {
        return End::Failed(start_failure(&error, refused));
    }
    End::Trapped(report())
}

/// Whether an error is a trap, and not another end of a program that runs.
pub(crate) fn is_trap(error: &wasmtime::Error) -> bool {
    let is_end = error.is::<Exit>() || error.is::<Stopped>() || error.is::<Abort>() || error.is::<Left>();
    !is_end && !is_start_failure(error)
}

/// An error that no guest code raised: the instance could not be made.
fn is_start_failure(error: &wasmtime::Error) -> bool {
    !error.is::<wasmtime::WasmBacktrace>() && !error.is::<wasmtime::Trap>() && !error.is::<ThrownException>()
}

/// Why the instance could not be made.
fn start_failure(error: &wasmtime::Error, refused: Option<usize>) -> String {
    let text = format!("{error:#}");
    match refused {
        // Wasmtime counts in pages.
        Some(bytes) if text.contains("memory minimum size") => format!(
            "the program begins with {} of memory: the memory limit refused a growth to {} KiB (--memory-limit gives it more)",
            rankine_system::shown::bytes(bytes as u64),
            bytes >> 10
        ),
        Some(bytes) => format!("{text} (the memory limit refused a growth to {} KiB)", bytes >> 10),
        None => match rankine_system::allocation::step(error.chain()) {
            Some(step) => format!("{text}. {step}"),
            None => text,
        },
    }
}

/// What the ranks and the surroundings tell the job.
#[derive(Debug)]
pub(crate) enum Event {
    /// A program is about to start so many ranks, without which the job does not end.
    Expected(usize),
    /// It starts these of them. Said before any of them can end.
    Started(Vec<Who>),
    /// So many of them it does not.
    Forgone(usize),
    /// A rank ended.
    Ended { who: Who, end: End },
    /// The process was sent a signal.
    Signal(i32),
    /// Somebody wants to be shown where the ranks are, by this.
    Asked(fn(&[String])),
    /// A rank that was asked waits in this call for this, and in this place of its source.
    Waits { who: Who, waiting: String, place: Option<String> },
    /// Nobody reads the output any more.
    OutputClosed,
    /// The job has ended so, for a reason that is no rank's of this process.
    #[cfg_attr(not(unix), expect(dead_code, reason = "no job there has several processes"))]
    Over(Ending),
}

/// Tells a running job about its surroundings.
#[derive(Clone)]
pub(crate) struct Remote(Sender<Event>);

impl Remote {
    /// A way to tell a job, and where the job hears of it.
    pub(crate) fn new() -> (Remote, Receiver<Event>) {
        let (sender, events) = channel();
        (Remote(sender), events)
    }

    pub(crate) fn tell(&self, event: Event) {
        // A job that has ended listens no more.
        let _ = self.0.send(event);
    }

    /// Somebody wants to be shown where the ranks are.
    pub(crate) fn ask(&self, show: fn(&[String])) {
        self.tell(Event::Asked(show));
    }

    /// The process was sent a signal that should end the job.
    pub(crate) fn signal(&self, number: i32) {
        self.tell(Event::Signal(number));
    }
}

/// How the ranks were that waited in vain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Deadlock {
    /// Who waited in which collective, where all should have been in the same.
    pub(crate) apart: Option<String>,
    /// What each rank waited for, in their order.
    pub(crate) ranks: Vec<(Who, String)>,
    /// Ranks that had ended after `MPI_Finalize`.
    pub(crate) finalized: Vec<Who>,
    /// Ranks that left without it.
    pub(crate) unfinalized: Vec<Who>,
    /// Ranks that left without `MPI_Init`.
    pub(crate) uninitialized: Vec<Who>,
    /// The collectives that ranks waited in.
    pub(crate) together: Vec<(Who, Together)>,
}

impl Deadlock {
    /// Adds what other processes of the job know of their ranks.
    #[cfg(unix)]
    pub(crate) fn add(&mut self, others: impl Iterator<Item = Deadlock>) {
        for other in others {
            self.ranks.extend(other.ranks);
            self.finalized.extend(other.finalized);
            self.unfinalized.extend(other.unfinalized);
            self.uninitialized.extend(other.uninitialized);
            self.together.extend(other.together);
        }
        self.ranks.sort();
        self.unfinalized.sort_unstable();
        self.apart = apart::collectives(&self.together);
    }
}

/// Why a job ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Every rank returned.
    Finished {
        /// The highest status of a rank.
        status: i32,
        /// Ranks that left without `MPI_Finalize`.
        unfinalized: Vec<Who>,
        /// Ranks that left without `MPI_Init`.
        uninitialized: Vec<Who>,
        /// Ranks to which messages came that they did not receive, and which these are.
        unreceived: Vec<String>,
    },
    /// A rank called `MPI_Abort`, or an error was fatal.
    Aborted {
        /// The rank.
        who: Who,
        /// The status it asked for, or the class of the error.
        code: i32,
        /// The error, unless the program itself called `MPI_Abort`.
        error: Option<Report>,
    },
    /// A rank gave up: it left with a status above 0, and without `MPI_Finalize`.
    Quit {
        /// The rank.
        who: Who,
        /// Its status.
        status: i32,
    },
    /// A rank trapped.
    Trapped {
        /// The rank.
        who: Who,
        /// What happened.
        report: Report,
    },
    /// Every rank waited and nothing was in flight.
    Deadlocked(Deadlock),
    /// It took longer than it may; where each rank was.
    TimedOut(Duration, Vec<String>),
    /// The process was sent this signal; where each rank was.
    Signalled(i32, Vec<String>),
    /// The reader of its output has gone away.
    OutputClosed,
    /// The host could not carry it.
    Failed(String),
    /// Another process of the job says why, whose status is this.
    #[cfg_attr(not(unix), expect(dead_code, reason = "no job there has several processes"))]
    Elsewhere(i32),
}

/// The signal of a program whose output nobody reads (`SIGPIPE`).
const NO_READER: i32 = 13;

impl Ending {
    /// The exit status of the command.
    pub(crate) fn status(&self) -> i32 {
        match self {
            Ending::Finished { status, .. } | Ending::Quit { status, .. } => *status,
            // Its class would be taken for what other endings say by small numbers.
            Ending::Aborted { error: Some(_), .. } => FATAL_ERROR,
            Ending::Aborted { code, error: None, .. } => abort_status(*code),
            Ending::Trapped { .. } => 134,
            Ending::Deadlocked(_) => 3,
            Ending::TimedOut(..) => 124,
            Ending::Signalled(number, _) => 128 + number,
            Ending::OutputClosed => 128 + NO_READER,
            Ending::Failed(_) => 1,
            Ending::Elsewhere(status) => *status,
        }
    }
}

/// The status of an error of MPI that no handler of the program took.
const FATAL_ERROR: i32 = 5;

/// A process keeps the low eight bits of its status; an abort never looks like success.
pub(crate) fn abort_status(code: i32) -> i32 {
    match code & 0xff {
        0 => 1,
        status => status,
    }
}

/// Ranks, for whoever waits for their end.
pub(crate) trait Watched {
    /// Has them stop; those that wait then say for what, if this is true.
    fn stop(&self) -> bool;

    /// Has those that wait say for what ([`Event::Waits`]), and wait on.
    fn inquire(&self);

    /// Where a rank is that does not say it itself, if that can be seen.
    fn seen(&self, who: Who) -> Option<Seen>;
}

/// Waits for the end of a job with these ranks here, whichever comes first, and has its ranks stop once it is known.
pub(crate) fn await_end(
    settings: &Settings,
    ranks: impl Iterator<Item = Who>,
    events: &Receiver<Event>,
    watched: &impl Watched,
) -> Ending {
    let mut tally = Tally { running: ranks.collect(), ..Tally::default() };
    loop {
        let event = match settings.timeout {
            None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(limit) => events.recv_timeout(limit.saturating_sub(settings.started.elapsed())),
        };
        let ending = match event {
            Ok(Event::Asked(show)) => tally.tell_where(events, watched, show),
            Ok(event) => tally.note(event),
            Err(RecvTimeoutError::Timeout) => settings.timeout.map(|limit| Ending::TimedOut(limit, Vec::new())),
            Err(RecvTimeoutError::Disconnected) => Some(Ending::Failed("the ranks' threads have disappeared".into())),
        };
        if let Some(ending) = ending {
            let tell = watched.stop();
            return match ending {
                Ending::Deadlocked(_) => tally.explain_deadlock(events),
                Ending::TimedOut(limit, _) => Ending::TimedOut(limit, tally.places(events, watched, tell)),
                Ending::Signalled(number, _) => Ending::Signalled(number, tally.places(events, watched, tell)),
                ending => ending,
            };
        }
    }
}

/// How long nothing is heard of ranks that wait, on a busy machine, before the others are taken to compute.
const TO_ANSWER: Duration = Duration::from_millis(500);

/// What a rank waited for, and where in its source.
fn in_words(waiting: String, place: Option<String>) -> String {
    match place {
        Some(place) => format!("{waiting}, called by {place}"),
        None => waiting,
    }
}

/// Where ranks are that wait.
fn waits(ranks: Vec<(Who, String)>) -> impl Iterator<Item = (Who, String)> {
    ranks.into_iter().map(|(who, waiting)| (who, format!("{who} waits in {waiting}")))
}

/// Where the others are.
fn computes<'r>(ranks: impl Iterator<Item = &'r Who>, watched: &impl Watched) -> impl Iterator<Item = (Who, String)> {
    ranks.map(|&who| match watched.seen(who) {
        Some(Seen::Sleeps(place)) => (who, format!("{who} sleeps in {place}")),
        Some(Seen::Computes(place)) => (who, format!("{who} computes in {place}")),
        Some(Seen::Calls(call, place)) => (who, format!("{who} is in {}", in_words(call, place))),
        None => (who, format!("{who} computes")),
    })
}

/// In the order of the ranks.
fn in_order(places: impl Iterator<Item = (Who, String)>) -> Vec<(Who, String)> {
    let mut places: Vec<(Who, String)> = places.collect();
    places.sort_unstable();
    places
}

/// Their lines.
fn lines(places: Vec<(Who, String)>) -> Vec<String> {
    places.into_iter().map(|(_, line)| line).collect()
}

/// How the ranks have ended so far.
#[derive(Default)]
struct Tally {
    running: BTreeSet<Who>,
    /// How many are about to be started.
    expected: usize,
    status: i32,
    finalized: Vec<Who>,
    unfinalized: Vec<Who>,
    uninitialized: Vec<Who>,
    waiting: Vec<(Who, String)>,
    together: Vec<(Who, Together)>,
}

impl Tally {
    /// Takes note of an event; the job's ending, if this is it.
    fn note(&mut self, event: Event) -> Option<Ending> {
        match event {
            Event::Signal(number) => return Some(Ending::Signalled(number, Vec::new())),
            Event::OutputClosed => return Some(Ending::OutputClosed),
            Event::Over(ending) => return Some(ending),
            // It has answered late, and nobody listens any more.
            Event::Asked(_) | Event::Waits { .. } => {}
            Event::Expected(ranks) => self.expected += ranks,
            Event::Forgone(ranks) => self.expected -= ranks,
            Event::Started(ranks) => {
                self.expected -= ranks.len();
                self.running.extend(ranks);
            }
            Event::Ended { who, end } => {
                self.running.remove(&who);
                match end {
                    End::Exited { status: status @ 1.., phase: Phase::Running } => {
                        return Some(Ending::Quit { who, status });
                    }
                    End::Exited { status, phase } => {
                        self.status = self.status.max(status);
                        self.has_left(who, phase);
                    }
                    End::Trapped(report) => return Some(Ending::Trapped { who, report }),
                    End::Failed(text) => return Some(Ending::Failed(format!("{who}: {text}"))),
                    End::Aborted { code, error } => return Some(Ending::Aborted { who, code, error }),
                    End::Stopped { waiting, place, together, in_deadlock } => {
                        self.has_waited(who, in_words(waiting, place), together);
                        // Whoever stopped it for another reason is heard yet.
                        return in_deadlock.then(|| Ending::Deadlocked(Deadlock::default()));
                    }
                }
            }
        }
        (self.running.is_empty() && self.expected == 0).then(|| Ending::Finished {
            status: self.status,
            unfinalized: std::mem::take(&mut self.unfinalized),
            uninitialized: std::mem::take(&mut self.uninitialized),
            unreceived: Vec::new(),
        })
    }

    fn has_left(&mut self, who: Who, phase: Phase) {
        match phase {
            Phase::Fresh => self.uninitialized.push(who),
            Phase::Running => self.unfinalized.push(who),
            Phase::Finalized => self.finalized.push(who),
        }
    }

    fn has_waited(&mut self, who: Who, waiting: String, together: Option<Together>) {
        self.waiting.push((who, waiting));
        self.together.extend(together.map(|together| (who, together)));
    }

    /// Every rank that has not returned waits and is now being unwound: hear what each of them waited for.
    fn explain_deadlock(mut self, events: &Receiver<Event>) -> Ending {
        // Nobody runs guest code any more, so this is as long as a busy machine may need.
        self.hear(events, Duration::from_secs(10));
        self.unfinalized.sort_unstable();
        Ending::Deadlocked(Deadlock {
            apart: apart::collectives(&self.together),
            ranks: in_order(waits(self.waiting)),
            finalized: self.finalized,
            unfinalized: self.unfinalized,
            uninitialized: self.uninitialized,
            together: self.together,
        })
    }

    /// Where each rank is: those that wait are being unwound if they `tell`, the others are not heard of.
    fn places(mut self, events: &Receiver<Event>, watched: &impl Watched, tell: bool) -> Vec<String> {
        if tell {
            self.hear(events, TO_ANSWER);
        }
        lines(in_order(waits(self.waiting).chain(computes(self.running.iter(), watched))))
    }

    /// Tells whoever has asked where each rank is; the job's ending, if it comes meanwhile.
    fn tell_where(&mut self, events: &Receiver<Event>, watched: &impl Watched, show: fn(&[String])) -> Option<Ending> {
        let (mut answers, mut silent) = (Vec::new(), self.running.clone());
        let mut until = Instant::now() + TO_ANSWER;
        watched.inquire();
        while !silent.is_empty() {
            match events.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(Event::Waits { who, waiting, place }) if silent.remove(&who) => {
                    answers.push((who, in_words(waiting, place)));
                    until = Instant::now() + TO_ANSWER;
                }
                Ok(event) => {
                    let ending = self.note(event);
                    if ending.is_some() {
                        return ending;
                    }
                    silent.retain(|who| self.running.contains(who));
                }
                Err(_) => break,
            }
        }
        show(&lines(in_order(waits(answers).chain(computes(silent.iter(), watched)))));
        None
    }

    /// Hears what ranks waited for that are being unwound.
    fn hear(&mut self, events: &Receiver<Event>, time: Duration) {
        let mut until = Instant::now() + time;
        while !self.running.is_empty() {
            match events.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(Event::Ended { who, end: End::Stopped { waiting, place, together, .. } }) => {
                    self.running.remove(&who);
                    self.has_waited(who, in_words(waiting, place), together);
                    until = until.max(Instant::now() + TO_ANSWER);
                }
                Ok(Event::Ended { who, end }) => {
                    self.running.remove(&who);
                    // It left just before the others missed it, and is heard only now.
                    if let End::Exited { phase, .. } = end {
                        self.has_left(who, phase);
                    }
                }
                Ok(_) => {}
                Err(_) => break,
            }
        }
    }
}
