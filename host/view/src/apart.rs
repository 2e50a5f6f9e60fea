//! A view of ranks that are in processes of their own. The first one has the page, and the others write to it: letters that
//! somebody else carries, and nobody waits for.
//!
//! The first process says which publication of a figure it wants next. Each rank counts its own, so that all mean the same one,
//! and sends its part when it comes to it. Who hears of that too late says so, and is asked earlier from then on. What is small
//! (texts, curves, controls, what is wrong) is sent as a browser would be told it.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use rankine_abi::MPI_ERR_ARG;
use rankine_guest::{Account, Charge, Cost, Error, Result};
use rankine_view_wire::{Between, Said, Wanted};

use crate::control::Control;
use crate::frames::When;
use crate::viewer::Seen;
use crate::{SIZE, View, activity, lock};

/// Between letters of what is small.
const NEWS: Duration = Duration::from_millis(30);
/// Bytes of letters that wait for being carried: what would be more is not taken.
const MOST_BYTES: usize = 64 << 20;
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
    /// Which rank this process is, and how many there are.
    me: usize,
    ranks: usize,
    letters: Mutex<Letters>,
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

#[derive(Default)]
struct Letters {
    waiting: VecDeque<Letter>,
    bytes: usize,
}

/// A letter to another process.
#[derive(Debug)]
pub struct Letter {
    /// The rank that is to have it.
    pub to: usize,
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
}

/// Publications of one figure, as the ranks count them.
struct Turns {
    /// The next one of this rank.
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
        self.wanted.retain(|wanted| wanted.turn >= next);
        self.wanted.is_empty() && self.asked.is_none_or(|asked| asked.elapsed() >= interval)
    }

    /// Asks for one that no rank has come to yet.
    fn ask(&mut self, name: &str, size: u32, cut: Option<[u32; 2]>) -> Wanted {
        let turn = self.own.max(self.heard).saturating_add(self.ahead);
        let wanted = Wanted { name: name.to_owned(), turn, cut, size };
        self.asked = Some(Instant::now());
        // What always comes in time need not be asked for so long before.
        self.ahead = (self.ahead - self.ahead / 16).max(*AHEAD.start());
        self.wanted.push_back(wanted.clone());
        if self.awaited.len() == MOST_AWAITED {
            self.awaited.pop_front();
        }
        self.awaited.push_back(turn);
        wanted
    }
}

impl Apart {
    pub(crate) fn new(me: usize, ranks: usize) -> Apart {
        Apart {
            me,
            ranks,
            letters: Mutex::default(),
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

    pub(crate) fn begins(&self, account: &Arc<Account>) {
        let _ = self.account.set(account.clone());
    }

    /// This rank has come to a publication of a figure: how it is wanted, if it is.
    pub(crate) fn wants(&self, name: &str, turn: u64) -> Option<Wanted> {
        let mut figures = lock(&self.figures);
        let turns = figures.entry(name.to_owned()).or_insert_with(|| Turns::new(name));
        turns.own = turn + 1;
        let found = turns.wanted.iter().find(|wanted| wanted.turn == turn).cloned();
        turns.wanted.retain(|wanted| wanted.turn > turn || found.as_ref() == Some(wanted));
        found
    }

    /// A part of a publication has come: whether such ones are awaited.
    fn awaits(&self, name: &str, turn: u64) -> bool {
        let mut figures = lock(&self.figures);
        let turns = figures.entry(name.to_owned()).or_insert_with(|| Turns::new(name));
        turns.heard = turns.heard.max(turn.saturating_add(1));
        turns.awaited.contains(&turn)
    }

    /// Writes a letter, unless too many wait already: then the other side does without it.
    pub(crate) fn write(&self, to: usize, letter: &Between) {
        let bytes = letter.to_bytes();
        let Some(charge) = self.account().and_then(|account| account.charge(bytes.len(), Cost::Letters).ok()) else {
            return;
        };
        let letters = &mut *lock(&self.letters);
        if letters.bytes + bytes.len() <= MOST_BYTES {
            letters.push(Letter { to, bytes, _charge: charge });
        }
    }

    /// Writes that nothing more comes of this rank: that is waited for, so there is room for it.
    fn write_last(&self) {
        lock(&self.letters).push(Letter { to: 0, bytes: Between::Left.to_bytes(), _charge: Charge::default() });
    }

    /// The next letter that is to be carried.
    pub fn next_letter(&self) -> Option<Letter> {
        let letters = &mut *lock(&self.letters);
        let letter = letters.waiting.pop_front()?;
        letters.bytes -= letter.bytes.len();
        Some(letter)
    }

    /// Whether letters wait for being carried.
    pub fn has_letters(&self) -> bool {
        !lock(&self.letters).waiting.is_empty()
    }

    /// Whether nothing more comes of any other rank.
    pub fn all_have_left(&self) -> bool {
        self.left.load(Ordering::Relaxed) + 1 >= self.ranks
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
        apart.write_last();
    }

    /// Asks for the next publication of each figure of which none is awaited, if anybody has time for it.
    fn ask_ranks(&self, apart: &Apart) {
        let interval = self.interval();
        let asked: Vec<Wanted> = {
            let mut figures = lock(&apart.figures);
            let ask = |(name, turns): (&String, &mut Turns)| {
                turns.is_due(interval).then(|| turns.ask(name, self.size(), self.cut_of(name)))
            };
            figures.iter_mut().filter_map(ask).collect()
        };
        for wanted in asked {
            let letter = Between::Wanted(wanted);
            (1..apart.ranks).for_each(|rank| apart.write(rank, &letter));
        }
    }

    /// The plane of a field that a page has chosen.
    fn cut_of(&self, name: &str) -> Option<[u32; 2]> {
        let (_, figure) = self.figures.all().into_iter().find(|(known, _)| known == name)?;
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
        let Told { seen, news, memory } = &mut *lock(&apart.told);
        if is_due(news, NEWS) {
            let news = self.news(seen);
            let known = |said: &Said| !matches!(said, Said::Hello { .. } | Said::Paused(_) | Said::Untold(_));
            for said in news.iter().filter_map(|bytes| Said::read(bytes)).filter(known) {
                apart.write(0, &Between::Said(said));
            }
        }
        if let Some(account) = apart.account().filter(|_| is_due(memory, activity::INTERVAL)) {
            apart.write(0, &Between::Memory(activity::memory_of(account)));
        }
    }

    /// A letter has come from a rank. What makes no sense is told the page.
    pub fn receive(self: &Arc<View>, from: usize, bytes: &[u8]) {
        let Some(apart) = &self.apart else { return };
        let heard = match Between::read(bytes) {
            Some(Between::Wanted(wanted)) if from == 0 => self.is_asked(apart, wanted),
            Some(letter) if apart.is_first() && (1..apart.ranks).contains(&from) => self.hear(apart, from, letter),
            _ => Err(Error::new(MPI_ERR_ARG, "a letter that is none")),
        };
        if let Err(error) = heard {
            self.notice(&format!("rank {from}: {error}"));
        }
    }

    /// The first process wants a publication.
    fn is_asked(&self, apart: &Apart, wanted: Wanted) -> Result<()> {
        let late = {
            let mut figures = lock(&apart.figures);
            let turns = figures.entry(wanted.name.clone()).or_insert_with(|| Turns::new(&wanted.name));
            if wanted.turn >= turns.own {
                if turns.wanted.len() == MOST_WANTED {
                    turns.wanted.pop_front();
                }
                turns.wanted.push_back(wanted);
                return Ok(());
            }
            Between::Late { next: turns.own, turn: wanted.turn, name: wanted.name }
        };
        apart.write(0, &late);
        Ok(())
    }

    /// The first process hears of another rank.
    fn hear(self: &Arc<View>, apart: &Apart, from: usize, letter: Between) -> Result<()> {
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
        if let Some((_, figure)) = self.figures.all().into_iter().find(|(known, _)| known == name) {
            figure.give_up();
        }
    }
}
