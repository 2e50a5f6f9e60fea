//! `rankine run --profile`: how often each place calls MPI, for how long, and how much it moves.
//!
//! Programs are changed before they are compiled ([`sites`]): their calls say where they are made, and tell functions of
//! ours ([`install`]) of beginning and end. So a program that is not profiled runs no line of this, and both engines are
//! profiled by the same ones.
//!
//! Each instance of a program (a rank, or one of its threads) counts for itself, in a [`Recorder`]; a [`Profile`] has all
//! of a job, and [`report`] puts them in words.

mod ledger;
pub(crate) mod report;

use std::cell::Cell;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use rankine_abi::{Addr, MPI_IN_PLACE, Payload, Times};
use rankine_guest::Who;
use smallvec::SmallVec;
use wasmtime::{Caller, Func, Instance, Ref, Store};

use crate::guest::told::Ear;
use crate::guest::{Guest, Rank};
use crate::module::symbols::Symbols;
use ledger::Ledger;
use rankine_rewrite::sites::{self, Measured, NO_SITE, Sites};

/// Calls of one function from one place.
#[derive(Copy, Clone, Default)]
struct Entry {
    calls: u64,
    bytes: u64,
    time: Duration,
    waiting: Duration,
}

/// A place and a function.
type Key = u64;

/// Places that a rank is counted at; what is called elsewhere then is counted without its place.
const MOST_PLACES: usize = 1 << 16;

fn key(site: u32, function: u32) -> Key {
    u64::from(site) << 32 | u64::from(function)
}

/// Keys are numbers that this program has given itself: a multiplication spreads them.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, number: u64) {
        // Knuth's multiplicative hashing, by the golden ratio.
        self.0 = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
    }
}

/// A call under way.
struct Open {
    key: Key,
    since: Instant,
    /// Time of calls that were made within it.
    inner: Duration,
    /// How deep it lies in callbacks.
    depth: u32,
}

#[derive(Default)]
struct Counted {
    entries: HashMap<Key, Entry, BuildHasherDefault<Spread>>,
    open: SmallVec<[Open; 2]>,
    ended: Option<Instant>,
}

impl Counted {
    /// The innermost call has ended.
    fn close(&mut self, now: Instant, found: Option<Instant>) {
        let Some(Open { key, since, inner, .. }) = self.open.pop() else { return };
        let whole = now.saturating_duration_since(since);
        let own = whole.saturating_sub(inner);
        let entry = self.entries.entry(key).or_default();
        entry.time += own;
        entry.waiting += found.map_or(Duration::ZERO, |found| found.saturating_duration_since(since)).min(own);
        if let Some(outer) = self.open.last_mut() {
            outer.inner += whole;
        }
    }
}

/// What one instance of a program has counted.
pub(crate) struct Recorder {
    profile: Weak<Profile>,
    who: Who,
    /// Its rank's number in the job.
    index: usize,
    sites: Arc<Sites>,
    symbols: Arc<Symbols>,
    began: Instant,
    counted: Mutex<Counted>,
}

thread_local! {
    /// When a rank that waited on this thread found last what it waited for, and which.
    static FOUND: Cell<Option<(usize, Instant)>> = const { Cell::new(None) };
}

impl Recorder {
    /// What another thread of the same rank counts.
    pub(crate) fn of_another_thread(self: &Arc<Self>) -> Arc<Recorder> {
        let Some(profile) = self.profile.upgrade() else { return self.clone() };
        profile.record(self.who, self.index, &self.sites, &self.symbols)
    }

    fn counted(&self) -> MutexGuard<'_, Counted> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, site: u32, function: u32, bytes: u64, depth: u32) {
        let now = Instant::now();
        let mut counted = self.counted();
        // Calls that were unwound have not told of their end.
        while counted.open.last().is_some_and(|open| open.depth >= depth && !counted.open.is_empty()) {
            counted.close(now, None);
        }
        let exact = key(site, function);
        let has_room = counted.entries.len() < MOST_PLACES || counted.entries.contains_key(&exact);
        let key = if has_room { exact } else { key(NO_SITE, function) };
        let entry = counted.entries.entry(key).or_default();
        entry.calls += 1;
        entry.bytes = entry.bytes.saturating_add(bytes);
        counted.open.push(Open { key, since: now, inner: Duration::ZERO, depth });
    }

    fn end(&self) {
        let found = FOUND.get().filter(|(index, _)| *index == self.index).map(|(_, found)| found);
        let mut counted = self.counted();
        let since = counted.open.last().map(|open| open.since);
        counted.close(Instant::now(), found.filter(|found| since.is_some_and(|since| *found > since)));
    }

    /// The program has ended. Where it was in a call, that ends too.
    pub(crate) fn finish(&self) {
        let now = Instant::now();
        let mut counted = self.counted();
        if counted.ended.is_none() {
            while !counted.open.is_empty() {
                counted.close(now, None);
            }
            counted.ended = Some(now);
        }
    }
}

/// The profile of a job, as far as its ranks are in this process.
#[derive(Default)]
pub(crate) struct Profile {
    recorders: Mutex<Vec<Arc<Recorder>>>,
    /// What all processes of the job have told, on the first of them; nothing if this one has told another.
    gathered: Mutex<Option<Vec<Ledger>>>,
    /// All ranks of the job are in this process, and their engine says when they wait.
    has_all_ranks: bool,
}

impl std::fmt::Debug for Profile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Profile")
    }
}

impl Profile {
    /// A profile of nothing yet, of an engine that has all ranks in this process or of one that has not.
    pub(crate) fn new(has_all_ranks: bool) -> Arc<Profile> {
        Arc::new(Profile { has_all_ranks, ..Profile::default() })
    }

    /// What an instance of a program counts from now on.
    pub(crate) fn record(
        self: &Arc<Self>,
        who: Who,
        index: usize,
        sites: &Arc<Sites>,
        symbols: &Arc<Symbols>,
    ) -> Arc<Recorder> {
        let recorder = Arc::new(Recorder {
            profile: Arc::downgrade(self),
            who,
            index,
            sites: sites.clone(),
            symbols: symbols.clone(),
            began: Instant::now(),
            counted: Mutex::default(),
        });
        self.recorders.lock().unwrap_or_else(PoisonError::into_inner).push(recorder.clone());
        recorder
    }

    /// A rank, on this thread, has found what it waited for.
    pub(crate) fn found(rank: usize) {
        FOUND.set(Some((rank, Instant::now())));
    }

    /// What this process has counted.
    fn here(&self) -> Vec<Ledger> {
        let recorders = self.recorders.lock().unwrap_or_else(PoisonError::into_inner);
        ledger::of(&recorders, self.has_all_ranks)
    }

    /// Tells what this process has counted to the first one of the job: `gather` gives that one what all have told.
    pub(crate) fn gather<E>(&self, gather: impl FnOnce(Vec<u8>) -> Result<Vec<Vec<u8>>, E>) -> Result<(), E> {
        let told = serde_json::to_vec(&self.here()).unwrap_or_default();
        let all = gather(told)?;
        let ledgers = all.iter().filter_map(|bytes| serde_json::from_slice::<Vec<Ledger>>(bytes).ok()).flatten();
        *self.gathered.lock().unwrap_or_else(PoisonError::into_inner) = Some(ledgers.collect());
        Ok(())
    }
}

/// Puts into a program what it tells of its calls. To be called before any of its code runs.
pub(crate) fn install<R: Rank>(store: &mut Store<Guest<R>>, instance: &Instance) -> wasmtime::Result<()> {
    let Some(table) = instance.get_table(&mut *store, sites::TABLE) else { return Ok(()) };
    let before = Func::wrap(
        &mut *store,
        |mut caller: Caller<'_, Guest<R>>,
         function: i32,
         site: i32,
         buffer: i64,
         count: i64,
         datatype: i32,
         comm: i32| {
            let Some(recorder) = caller.data().ear().and_then(Ear::recorder).cloned() else { return };
            let Some(measured) = recorder.sites.functions.get(function as usize) else { return };
            let site = Guest::place_of_call(&caller, &recorder.symbols, site as u32);
            let words = Words { buffer, count, datatype, comm };
            let bytes = measured.payload.and_then(|payload| words.bytes(&mut caller, measured, &payload));
            recorder.begin(site, function as u32, bytes.unwrap_or(0), caller.data().callbacks);
        },
    );
    let after = Func::wrap(&mut *store, |caller: Caller<'_, Guest<R>>| {
        if let Some(recorder) = caller.data().ear().and_then(Ear::recorder) {
            recorder.end();
        }
    });
    table.set(&mut *store, 0, Ref::Func(Some(before)))?;
    table.set(&mut *store, 1, Ref::Func(Some(after)))
}

/// What a call says of its data.
struct Words {
    buffer: i64,
    count: i64,
    datatype: i32,
    comm: i32,
}

impl Words {
    /// How much a call moves; nothing if its words are wrong, which the call itself will say.
    fn bytes<R: Rank>(&self, caller: &mut Caller<'_, Guest<R>>, measured: &Measured, payload: &Payload) -> Option<u64> {
        if payload.buffer.is_some() && Addr(self.buffer as u64) == MPI_IN_PLACE {
            return None;
        }
        let _turn = Guest::begin(caller, &measured.name, true).ok()?;
        let rank = caller.data().rank();
        let of_neighbors = matches!(payload.times, Times::Destinations | Times::BlockForDestinations);
        let peers = || rank.receivers(self.comm as u32, of_neighbors);
        let elements = match payload.times {
            Times::Once => u64::try_from(self.count).ok()?,
            Times::Peers | Times::Destinations => u64::try_from(self.count).ok()?.checked_mul(peers()?)?,
            Times::BlockForPeers | Times::BlockForDestinations => {
                let (at, length) = (Addr(self.count as u64), usize::try_from(peers()?).ok()?);
                let counts = match measured.is_large {
                    true => rank.memory().read_i64s(at, length, "counts").ok()?,
                    false => rank.memory().read_i32s(at, length, "counts").ok()?.into_iter().map(i64::from).collect(),
                };
                counts.into_iter().try_fold(0_u64, |sum, count| sum.checked_add(u64::try_from(count).ok()?))?
            }
        };
        elements.checked_mul(rank.type_size(self.datatype as u32)?)
    }
}
