//! The live view of a job: what its ranks publish, a page that shows it in a browser, and what the page changes.
//!
//! | module | what |
//! |---|---|
//! | `publisher`, `place` | what one rank publishes: the way in; at which step it is |
//! | `figure`, `frames` | what ranks publish together: frames of one step each |
//! | `field`, `local` | fields; a rank's part, read out of its memory |
//! | `points` | particles, of which no rank knows how many there are in all |
//! | `apart`, `letters` | ranks of other processes, which write to the one that has the page |
//! | `activity` | what the engine tells of the ranks, whatever the program |
//! | `curve`, `control` | curves; what the page may change |
//! | `described` | what the program says of what it shows: units, colours, axes |
//! | `named` | things that are found by the name that a guest gave them |
//! | `viewer` | one browser: what it has seen, and what it still has to see |
//! | `png` | a field as a picture |
//! | `recording` | what a job has shown, in a file, and that file in a page |
//! | `server`, `http` | the page's server, and who may open the page |
//!
//! A job never waits for a browser. A rank that publishes decides whether anybody has time for another frame; if so, it
//! copies its part, reduced to what is shown, and goes on. Whoever completes a frame wakes the viewers, which run on a
//! thread of their own and skip what they have no time for. Without a browser a frame is kept now and then, so that one
//! that comes sees something at once.
//!
//! Nothing here knows of WebAssembly. What a rank says is proved in its [`Memory`](rankine_guest::Memory); what a browser
//! says is checked in `control`. Read `frames.rs` first, then `viewer.rs`; `rankine_view_wire` is what the two ends of the
//! socket say.

mod activity;
mod apart;
mod control;
mod curve;
mod described;
mod field;
mod figure;
mod frames;
mod http;
mod letters;
mod local;
mod named;
mod place;
mod png;
mod points;
mod publisher;
mod recording;
mod server;
mod viewer;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rankine_guest::Awaits;

pub use apart::{Apart, Letter, Sender};
pub use control::MOST_CHOICES;
pub use local::{Block, Element, Local, MOST_DIMENSIONS};
pub use png::png;
pub use points::{Layout, LocalPoints};
pub use publisher::Publisher;
pub use rankine_view_wire::{Description, Field, Frame, Kind, LONGEST_LABEL, Points, colours, file};
pub use recording::{Contents, Outcome, Recorder, Recording, Tape};
pub use server::{Address, Server, Source};

use activity::Activity;
use control::Control;
use curve::Curve;
use described::Described;
use figure::Figure;
use named::Named;
use viewer::Viewer;

/// Between frames while somebody watches.
const WATCHED: Duration = Duration::from_millis(33);
/// While nobody does, or all who do are busy, and the job is recorded.
const RECORDED: Duration = Duration::from_millis(100);
/// And while it is not.
const UNWATCHED: Duration = Duration::from_millis(500);

/// Rows and columns of a frame while nobody has said how many are shown, and at least and at most.
const SIZE: u32 = 1024;
const SIZES: std::ops::RangeInclusive<u32> = 16..=2048;

/// How many things of a kind a job may show.
const MOST_FIGURES: usize = 32;
const MOST_CURVES: usize = 64;
const MOST_TEXTS: usize = 64;
const MOST_CONTROLS: usize = 64;
const MOST_DESCRIPTIONS: usize = MOST_FIGURES + MOST_CURVES;

/// Wrong uses that are told to the page.
const MOST_NOTICES: usize = 50;

/// What a job shows.
pub struct View {
    program: String,
    ranks: u32,
    is_served: bool,
    /// The ranks are in processes of their own.
    apart: Option<Apart>,
    activity: Activity,
    /// Fields and points.
    figures: Named<Figure>,
    curves: Named<Curve>,
    /// Of any of these, published or not.
    descriptions: Named<Described>,
    texts: Named<Text>,
    controls: Named<Control>,
    notices: Mutex<Vec<String>>,
    viewers: Mutex<Vec<Arc<Viewer>>>,
    /// A recorder wants frames.
    is_recorded: AtomicBool,
    paused: AtomicBool,
    /// Points at which the program may go on although it is paused.
    steps: AtomicU32,
    ended: OnceLock<String>,
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View").field("program", &self.program).finish_non_exhaustive()
    }
}

/// A text and how often it was changed.
#[derive(Default)]
struct Text(Mutex<(u64, String)>);

/// A lock whose holders never leave anything half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl View {
    /// The view of a job that runs this program. `is_served` says that there will be a page.
    pub fn new(program: String, ranks: usize, is_served: bool) -> Arc<View> {
        View::with(program, ranks, is_served, None)
    }

    /// The view of a job, in the process of the rank `me`, where each has one of its own.
    pub fn in_processes(program: String, ranks: usize, is_served: bool, me: usize) -> Arc<View> {
        View::with(program, ranks, is_served, Some(Apart::new(me, ranks, false)))
    }

    /// The view of a job, in the process of the node `me` of so many, each of which has several ranks.
    pub fn of_node(program: String, ranks: usize, is_served: bool, (me, nodes): (usize, usize)) -> Arc<View> {
        View::with(program, ranks, is_served, Some(Apart::new(me, nodes, true)))
    }

    fn with(program: String, ranks: usize, is_served: bool, apart: Option<Apart>) -> Arc<View> {
        Arc::new(View {
            program,
            is_served,
            ranks: u32::try_from(ranks).unwrap_or(u32::MAX),
            activity: Activity::new(ranks, apart.as_ref().is_none_or(Apart::is_by_node)),
            apart,
            figures: Named::new("fields and points", MOST_FIGURES),
            curves: Named::new("curves", MOST_CURVES),
            descriptions: Named::new("descriptions of fields, points and curves", MOST_DESCRIPTIONS),
            texts: Named::new("texts", MOST_TEXTS),
            controls: Named::new("controls", MOST_CONTROLS),
            notices: Mutex::default(),
            viewers: Mutex::default(),
            is_recorded: AtomicBool::new(false),
            paused: AtomicBool::new(false),
            steps: AtomicU32::new(0),
            ended: OnceLock::new(),
        })
    }

    /// What there is to carry, if the ranks are in processes of their own.
    pub fn apart(&self) -> Option<&Apart> {
        self.apart.as_ref()
    }

    /// Whether there is a page, for which a socket listens.
    pub fn is_served(&self) -> bool {
        self.is_served
    }

    /// The job has ended, as these words say: pages are told, and none of them waits for more.
    pub fn end(&self, how: String) {
        let _ = self.ended.set(how);
        self.wake();
    }

    /// Waits until the job has ended and all pages have been told, or have had time enough.
    async fn told(&self) {
        const LOOK: Duration = Duration::from_millis(20);
        while self.ended.get().is_none() {
            tokio::time::sleep(LOOK).await;
        }
        for _ in 0..150 {
            if lock(&self.viewers).is_empty() {
                return;
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// A rank of the job waits from now on: it has nothing to do in the engine.
    pub fn parked(&self, rank: usize, awaits: Awaits) {
        self.activity.parked(rank, awaits);
    }

    /// It computes again.
    pub fn woken(&self, rank: usize) {
        self.activity.woken(rank);
    }

    /// Its program has ended.
    pub fn left(&self, rank: usize) {
        self.activity.left(rank);
    }

    /// A message moved from rank to rank.
    pub fn moved(&self, from: usize, to: usize, bytes: usize) {
        self.activity.moved(from, to, bytes);
    }

    /// Samples what the ranks do, for as long as it is polled.
    async fn sample(&self) {
        loop {
            tokio::time::sleep(activity::INTERVAL).await;
            self.activity.sample();
            self.wake();
        }
    }

    /// Tells pages of a wrong use; gives whether there was room for it.
    pub fn notice(&self, text: &str) -> bool {
        let mut notices = lock(&self.notices);
        let is_new = notices.len() < MOST_NOTICES && !notices.iter().any(|notice| notice == text);
        if is_new {
            notices.push(text.to_owned());
            drop(notices);
            self.wake();
        }
        is_new
    }

    /// Whether the program shall wait where it can. Asked by one rank for all.
    pub fn shall_wait(&self) -> bool {
        let goes_on = |steps: u32| steps.checked_sub(1);
        self.ended.get().is_none()
            && self.paused.load(Ordering::Relaxed)
            && self.steps.try_update(Ordering::Relaxed, Ordering::Relaxed, goes_on).is_err()
    }

    fn pause(&self, pause: bool) {
        self.paused.store(pause, Ordering::Relaxed);
        self.steps.store(0, Ordering::Relaxed);
        self.wake();
    }

    fn step(&self) {
        self.steps.fetch_add(1, Ordering::Relaxed);
    }

    /// Something has changed that viewers want to know.
    fn wake(&self) {
        lock(&self.viewers).iter().for_each(|viewer| viewer.wake());
    }

    /// Of each figure its name, how many frames there are of it, and how many steps there were. Where ranks are in processes of
    /// their own, these are not counted.
    pub(crate) fn steps_of_figures(&self) -> Vec<(String, u64, u64)> {
        let figures = if self.apart.is_some() { Vec::new() } else { self.figures.all() };
        let counted = figures.into_iter().map(|(name, figure)| (name, figure.counts()));
        counted.map(|(name, (frames, steps))| (name, frames, steps)).collect()
    }

    /// Between frames of a figure.
    fn interval(&self) -> Duration {
        if lock(&self.viewers).iter().any(|viewer| viewer.has_time()) {
            WATCHED
        } else if self.is_recorded.load(Ordering::Relaxed) {
            RECORDED
        } else {
            UNWATCHED
        }
    }

    /// Rows and columns that suffice for all who watch; those who look at a recording may have a larger screen than they.
    fn size(&self) -> u32 {
        let watched = lock(&self.viewers).iter().map(|viewer| viewer.size()).max();
        let recorded = self.is_recorded.load(Ordering::Relaxed).then_some(SIZE);
        watched.max(recorded).unwrap_or(SIZE).clamp(*SIZES.start(), *SIZES.end())
    }
}
