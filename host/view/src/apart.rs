//! A view of ranks that are in processes of their own. The first one has the page, and the others write to it: letters that
//! somebody else carries, and nobody waits for.
//!
//! The first process says which publication of a figure it wants next. Each rank counts its own, so that all mean the same one,
//! and sends its part when it comes to it. Who hears of that too late says so, and is asked earlier from then on. What is small
//! (texts, curves, controls, what is wrong) is sent as a browser would be told it.
//!
//! A process has one rank, or all ranks of a node. Those of a node write for themselves, and their process for all of them.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use rankine_abi::MPI_ERR_ARG;
use rankine_guest::{Account, Charge, Cost, Error, Result};
use rankine_view_wire::{Between, Said, Wanted};

use crate::activity::{self, afar};
use crate::control::Control;
use crate::figure::Figure;
use crate::frames::When;
use crate::viewer::Seen;
use crate::{Publisher, SIZE, View, lock};

/// Between letters of what is small.
const NEWS: Duration = Duration::from_millis(30);
/// Bytes of letters that wait for being carried: what would be more is not taken.
const MOST_BYTES: usize = 64 << 20;
/// How often a node looks for what is to be written, at most.
const LOOK: Duration = Duration::from_millis(2);
/// Publications that are wanted of a figure at a time.
const MOST_WANTED: usize = 8;
/// Publications of a figure of which parts are awaited at a time.
const MOST_AWAITED: usize = 2;
/// How long the first process may take to publish a figure: then it is one of others alone.
const TO_BEGIN: Duration = Duration::from_secs(2);
/// How many publications ahead one is wanted, at first and at most.
const AHEAD: std::ops::RangeInclusive<u64> = 1..=1 << 20;

/// The part of a view that is one process's of several.
pub struct Apart {
    /// Which process this is, and how many there are.
    me: usize,
    processes: usize,
    /// A process has all ranks of a node, ...
    is_by_node: bool,
    /// ... which are known once they start.
    node: OnceLock<AtNode>,
    /// When it looked last what is to be written, in microseconds since the beginning.
    looked: AtomicU64,
    letters: Mutex<Letters>,
    /// How many there are.
    waiting: AtomicUsize,
    figures: Mutex<HashMap<String, Turns>>,
    /// What the first process was told.
    told: Mutex<Told>,
    /// What letters are charged to.
    account: OnceLock<Arc<Account>>,
    /// By the numbers that the program has: those of the same name have the same one in all processes.
    controls: Mutex<HashMap<u32, (String, Arc<Control>)>>,
    /// Curves that have come, and of which rank.
    curves: Mutex<HashSet<(usize, String)>>,
    /// Ranks of which nothing more comes.
    left: AtomicUsize,
}

/// The ranks of this process, and who carries their letters.
struct AtNode {
    ranks: Arc<[usize]>,
    carry: Box<dyn Fn() + Send + Sync>,
}

/// Who a letter is of.
#[derive(Clone, Debug)]
pub struct Sender {
    /// The process.
    pub process: usize,
    /// Its ranks, in order.
    pub ranks: Arc<[usize]>,
    /// The one of them that has written it, or the first for all of them.
    pub rank: usize,
}

#[derive(Default)]
struct Letters {
    waiting: VecDeque<Letter>,
    bytes: usize,
}

/// A letter to another process.
#[derive(Debug)]
pub struct Letter {
    /// The process that is to have it.
    pub to: usize,
    /// The rank that has written it, or the first of this process for all of them.
    pub rank: usize,
    /// What it says.
    pub bytes: Vec<u8>,
    /// As long as it is there.
    _charge: Charge,
}

#[derive(Default)]
struct Told {
    seen: Seen,
    news: Option<Instant>,
    memory: Option<Instant>,
    doing: afar::Told,
}

/// Publications of one figure, as the ranks count them.
struct Turns {
    /// The next one of this process: of the rank that is furthest.
    own: u64,
    /// The next one of any rank that was heard of.
    heard: u64,
    /// Since when a figure is known here that this rank has not published.
    since: Instant,
    wanted: VecDeque<Wanted>,
    /// Those of which parts may come.
    awaited: VecDeque<u64>,
    ahead: u64,
    asked: Option<Instant>,
}

/// The publications of one rank, counted.
#[derive(Default)]
pub(crate) struct Turn {
    last: Option<When>,
    count: u64,
}

impl Letters {
    fn push(&mut self, letter: Letter) {
        self.bytes += letter.bytes.len();
        self.waiting.push_back(letter);
    }
}

impl Turn {
    /// Which publication it is: those of several threads for one step are one.
    pub fn at(&mut self, when: When) -> u64 {
        self.count += u64::from(self.last.replace(when) != Some(when));
        self.count - 1
    }
}

impl Turns {
    /// The first publication is wanted by all, and nobody has to be asked for it.
    fn new(name: &str) -> Turns {
        let first = Wanted { name: name.to_owned(), turn: 0, cut: None, size: SIZE };
        Turns {
            own: 0,
            heard: 0,
            since: Instant::now(),
            wanted: VecDeque::from([first]),
            awaited: VecDeque::from([0]),
            ahead: *AHEAD.start(),
            asked: None,
        }
    }
}

impl Turns {
    /// Whether another publication may be asked for: none is awaited, and there is time for it.
    fn is_due(&mut self, interval: Duration) -> bool {
        let is_others = self.own == 0 && self.since.elapsed() > TO_BEGIN;
        let next = if is_others { self.heard } else { self.own };
        self.wanted.iter().all(|wanted| wanted.turn < next)
            && self.asked.is_none_or(|asked| asked.elapsed() >= interval)
    }

    /// One is wanted, by which ranks find it that come to it.
    fn want(&mut self, wanted: Wanted) {
        if self.wanted.len() == MOST_WANTED {
            self.wanted.pop_front();
        }
        self.wanted.push_back(wanted);
    }

    /// Asks for one that no rank has come to yet.
    fn ask(&mut self, name: &str, size: u32, cut: Option<[u32; 2]>) -> Wanted {
        let turn = self.own.max(self.heard).saturating_add(self.ahead);
        let wanted = Wanted { name: name.to_owned(), turn, cut, size };
        self.asked = Some(Instant::now());
        // What always comes in time need not be asked for so long before.
        self.ahead = (self.ahead - self.ahead / 16).max(*AHEAD.start());
        self.want(wanted.clone());
        if self.awaited.len() == MOST_AWAITED {
            self.awaited.pop_front();
        }
        self.awaited.push_back(turn);
        wanted
    }
}

impl Apart {
    pub(crate) fn new(me: usize, processes: usize, is_by_node: bool) -> Apart {
        Apart {
            me,
            processes,
            is_by_node,
            node: OnceLock::new(),
            looked: AtomicU64::new(0),
            letters: Mutex::default(),
            waiting: AtomicUsize::new(0),
            figures: Mutex::default(),
            told: Mutex::default(),
            account: OnceLock::new(),
            controls: Mutex::default(),
            curves: Mutex::default(),
            left: AtomicUsize::new(0),
        }
    }

    /// Whether this process is the one that has the page.
    pub fn is_first(&self) -> bool {
        self.me == 0
    }

    /// What letters are charged to.
    pub(crate) fn account(&self) -> Option<&Arc<Account>> {
        self.account.get()
    }

    /// Whether a process has all ranks of a node.
    pub fn is_by_node(&self) -> bool {
        self.is_by_node
    }

    /// This process has these ranks, in order, which are about to start, and has its letters carried so.
    pub fn carry_by(&self, ranks: Arc<[usize]>, carry: impl Fn() + Send + Sync + 'static) {
        let _ = self.node.set(AtNode { ranks, carry: Box::new(carry) });
    }

    /// Who answers for what is of no rank in particular.
    fn own_rank(&self) -> usize {
        self.node.get().and_then(|node| node.ranks.first()).map_or(self.me, |&first| first)
    }

    /// Memory for a letter that is coming, if there is some.
    pub fn room(&self, bytes: usize) -> Option<Charge> {
        self.account().map_or_else(|| Some(Charge::default()), |account| account.charge(bytes, Cost::Post).ok())
    }

    /// A rank begins. What comes from elsewhere is charged to the one that has the page.
    pub(crate) fn begins(&self, rank: usize, account: &Arc<Account>) {
        if rank == 0 || !self.is_first() {
            let _ = self.account.set(account.clone());
        }
    }

    /// A rank has come to a publication of a figure: how it is wanted, if it is.
    pub(crate) fn wants(&self, name: &str, turn: u64) -> Option<Wanted> {
        let mut figures = lock(&self.figures);
        let turns = figures.entry(name.to_owned()).or_insert_with(|| Turns::new(name));
        turns.own = turns.own.max(turn + 1);
        turns.wanted.iter().find(|wanted| wanted.turn == turn).cloned()
    }

    /// A part of a publication has come: whether such ones are awaited.
    fn awaits(&self, name: &str, turn: u64) -> bool {
        let mut figures = lock(&self.figures);
        let turns = figures.entry(name.to_owned()).or_insert_with(|| Turns::new(name));
        turns.heard = turns.heard.max(turn.saturating_add(1));
        turns.awaited.contains(&turn)
    }

    /// Writes a letter for all ranks of this process, unless too many wait already: then the other side does without it.
    pub(crate) fn write(&self, to: usize, letter: &Between) -> bool {
        self.account().is_some_and(|account| self.post(account, (self.own_rank(), to), letter))
    }

    /// Writes one of a rank's.
    pub(crate) fn write_of(&self, publisher: &Publisher, letter: &Between) -> bool {
        // Ranks that programs have started have no number among all.
        let rank = if publisher.who.world == 0 && self.is_by_node { publisher.who.rank } else { self.own_rank() };
        self.post(&publisher.account, (rank, 0), letter)
    }

    fn post(&self, account: &Arc<Account>, (rank, to): (usize, usize), letter: &Between) -> bool {
        let bytes = letter.to_bytes();
        let Ok(charge) = account.charge(bytes.len(), Cost::Letters) else { return false };
        let letters = &mut *lock(&self.letters);
        let has_room = letters.bytes + bytes.len() <= MOST_BYTES;
        if has_room {
            self.waiting.fetch_add(1, Ordering::Relaxed);
            letters.push(Letter { to, rank, bytes, _charge: charge });
        }
        has_room
    }

    /// Writes that nothing more comes of a rank: that is waited for, so there is room for it.
    fn write_last(&self, rank: usize) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        lock(&self.letters).push(Letter { to: 0, rank, bytes: Between::Left.to_bytes(), _charge: Charge::default() });
    }

    /// The next letter that is to be carried.
    pub fn next_letter(&self) -> Option<Letter> {
        let letters = &mut *lock(&self.letters);
        let letter = letters.waiting.pop_front()?;
        letters.bytes -= letter.bytes.len();
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        Some(letter)
    }

    /// Whether letters wait for being carried.
    pub fn has_letters(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    /// Whether nothing more comes of any other rank.
    pub fn all_have_left(&self) -> bool {
        self.left.load(Ordering::Relaxed) + 1 >= self.processes
    }

    /// The number of a control for the program: as its name says, since all processes know it by that.
    pub(crate) fn control(&self, name: &str, control: &Arc<Control>) -> Result<u32> {
        // FNV-1a, without the sign.
        let hash = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        let number = name.bytes().fold(0x811c_9dc5, hash) & 0x7fff_ffff;
        let mut controls = lock(&self.controls);
        let (known, _) = controls.entry(number).or_insert_with(|| (name.to_owned(), control.clone()));
        if known.as_str() != name {
            let text = format!("its name can't be told from that of the control `{known}`: give it another one");
            return Err(Error::new(MPI_ERR_ARG, text));
        }
        Ok(number)
    }

    /// The value of a control, by that number.
    pub(crate) fn take(&self, number: u32) -> Option<f64> {
        lock(&self.controls).get(&number).map(|(_, control)| control.take())
    }
}

impl View {
    /// A rank of a node, or who tells of its ranks, has letters written if it is time for that, and carried.
    pub fn carry(&self) {
        let Some((apart, node)) = self.apart.as_ref().and_then(|apart| Some((apart, apart.node.get()?))) else {
            return;
        };
        let now = self.activity.elapsed().as_micros() as u64;
        let looked = apart.looked.load(Ordering::Relaxed);
        let is_due = now.saturating_sub(looked) >= LOOK.as_micros() as u64;
        if is_due && apart.looked.compare_exchange(looked, now, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            self.write_letters();
        }
        if apart.has_letters() {
            (node.carry)();
        }
    }

    /// A rank of a node has ended: its last letters leave before it is missed.
    pub(crate) fn ends(&self, rank: usize) {
        let Some((apart, node)) = self.apart.as_ref().and_then(|apart| Some((apart, apart.node.get()?))) else {
            return;
        };
        if !apart.is_first() {
            self.tell_first(apart, true);
            apart.write_last(rank);
            (node.carry)();
        }
    }

    /// Writes what is to be carried from here: once in a while, what the other side does not know.
    pub fn write_letters(&self) {
        let Some(apart) = &self.apart else { return };
        if apart.is_first() {
            self.ask_ranks(apart);
        } else {
            self.tell_first(apart, false);
        }
    }

    /// Nothing more will be published here.
    pub fn write_last_letters(&self) {
        let Some(apart) = self.apart.as_ref().filter(|apart| !apart.is_first()) else { return };
        self.tell_first(apart, true);
        apart.write_last(apart.me);
    }

    /// Asks for the next publication of each figure of which none is awaited, if anybody has time for it.
    fn ask_ranks(&self, apart: &Apart) {
        let interval = self.interval();
        let asked: Vec<Wanted> = {
            let mut figures = lock(&apart.figures);
            let ask = |(name, turns): (&String, &mut Turns)| {
                let is_due = turns.is_due(interval) && self.figure(name).is_none_or(|figure| !figure.is_full());
                is_due.then(|| turns.ask(name, self.size(), self.cut_of(name)))
            };
            figures.iter_mut().filter_map(ask).collect()
        };
        for wanted in asked {
            let letter = Between::Wanted(wanted);
            for process in 1..apart.processes {
                apart.write(process, &letter);
            }
        }
    }

    /// The figure of this name.
    fn figure(&self, name: &str) -> Option<Arc<Figure>> {
        self.figures.all().into_iter().find(|(known, _)| known == name).map(|(_, figure)| figure)
    }

    /// The plane of a field that a page has chosen.
    fn cut_of(&self, name: &str) -> Option<[u32; 2]> {
        let figure = self.figure(name)?;
        let (across, index) = figure.field().ok()?.chosen()?;
        Some([u32::try_from(across).ok()?, index])
    }

    /// Tells the first process what a browser would be told, and what memory there is.
    fn tell_first(&self, apart: &Apart, is_last: bool) {
        let is_due = |since: &mut Option<Instant>, interval: Duration| {
            let is_due = is_last || since.is_none_or(|since| since.elapsed() >= interval);
            if is_due {
                *since = Some(Instant::now());
            }
            is_due
        };
        let Told { seen, news, memory, doing } = &mut *lock(&apart.told);
        if is_due(news, NEWS) {
            let news = self.news(seen);
            let known = |said: &Said| !matches!(said, Said::Hello { .. } | Said::Paused(_) | Said::Untold(_));
            for said in news.iter().filter_map(|bytes| Said::read(bytes)).filter(known) {
                apart.write(0, &Between::Said(said));
            }
        }
        // The first process hears of so many at a time.
        let interval = activity::INTERVAL * View::rounds(apart);
        if !is_due(memory, interval) {
        } else if let Some(node) = apart.node.get() {
            self.activity.tell(&node.ranks, doing, |between| apart.write(0, between));
        } else if let Some(account) = apart.account() {
            apart.write(0, &Between::Memory(activity::memory_of(account)));
        }
    }

    /// Processes that tell what their ranks do, by those of which the first one hears in a moment.
    fn rounds(apart: &Apart) -> u32 {
        const AT_A_TIME: usize = 64;
        if apart.is_by_node { apart.processes.div_ceil(AT_A_TIME) as u32 } else { 1 }
    }

    /// A letter has come from a rank that is alone in its process.
    pub fn receive(self: &Arc<View>, from: usize, bytes: &[u8]) {
        self.receive_of(&Sender { process: from, ranks: [from].into(), rank: from }, bytes);
    }

    /// A letter has come. What makes no sense is told the page.
    pub fn receive_of(self: &Arc<View>, from: &Sender, bytes: &[u8]) {
        let Some(apart) = &self.apart else { return };
        let is_another = (1..apart.processes).contains(&from.process) && from.ranks.binary_search(&from.rank).is_ok();
        let heard = match Between::read(bytes) {
            Some(Between::Wanted(wanted)) if from.process == 0 => self.is_asked(apart, wanted),
            Some(letter) if apart.is_first() && is_another => self.hear(apart, from, letter),
            _ => Err(Error::new(MPI_ERR_ARG, "a letter that is none")),
        };
        if let Err(error) = heard {
            self.notice(&format!("rank {}: {error}", from.rank));
        }
    }

    /// The first process wants a publication.
    fn is_asked(&self, apart: &Apart, wanted: Wanted) -> Result<()> {
        let late = {
            let mut figures = lock(&apart.figures);
            let turns = figures.entry(wanted.name.clone()).or_insert_with(|| Turns::new(&wanted.name));
            if wanted.turn >= turns.own {
                turns.want(wanted);
                return Ok(());
            }
            Between::Late { next: turns.own, turn: wanted.turn, name: wanted.name }
        };
        apart.write(0, &late);
        Ok(())
    }

    /// The first process hears of ranks of another one.
    fn hear(self: &Arc<View>, apart: &Apart, from: &Sender, letter: Between) -> Result<()> {
        let Sender { ranks, rank: from, .. } = from;
        let (from, untrue) = (*from, || Error::new(MPI_ERR_ARG, "a letter about other ranks than its own"));
        match letter {
            // A curve that was thinned begins again: all of it is here already.
            Between::Said(Said::Curve { name, from: 0, .. }) if !lock(&apart.curves).insert((from, name.clone())) => {
                Ok(())
            }
            Between::Said(said) => self.published_by(from).say(said),
            Between::Part(part) if apart.awaits(&part.field.name, part.turn) => self.published_by(from).part_of(part),
            Between::Cloud(cloud) if apart.awaits(&cloud.points.name, cloud.turn) => {
                self.published_by(from).points_of(cloud)
            }
            // One that was given up.
            Between::Part(_) | Between::Cloud(_) => Ok(()),
            Between::Memory(memory) => {
                self.activity.tells(from, memory);
                Ok(())
            }
            Between::Doing(doing) => self.activity.hear_doing(ranks, doing).then_some(()).ok_or_else(untrue),
            Between::Moved { row, bytes } => {
                self.activity.hear_moved(ranks, row, &bytes).then_some(()).ok_or_else(untrue)
            }
            Between::Late { name, turn, next } => {
                self.is_late(apart, &name, turn, next);
                Ok(())
            }
            Between::Left => {
                self.activity.left(from);
                apart.left.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
            Between::Wanted(_) => {
                Err(Error::new(MPI_ERR_ARG, "a letter with a wish, which the first rank alone may have"))
            }
        }
    }

    /// A rank had published already what was wanted: that frame will never be whole, and the next one is asked for earlier.
    fn is_late(&self, apart: &Apart, name: &str, turn: u64, next: u64) {
        if let Some(turns) = lock(&apart.figures).get_mut(name) {
            let more = next.saturating_sub(turn).max(1);
            turns.ahead = turns.ahead.saturating_add(more).min(*AHEAD.end());
            turns.heard = turns.heard.max(next);
            turns.wanted.retain(|wanted| wanted.turn != turn);
            turns.awaited.retain(|awaited| *awaited != turn);
            turns.asked = None;
        }
        if let Some(figure) = self.figure(name) {
            figure.give_up();
        }
    }
}
