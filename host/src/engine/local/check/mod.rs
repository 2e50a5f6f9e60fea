//! `rankine run --check`: what a program does wrong with MPI that a run does not show by itself.
//!
//! Programs are changed before they are compiled (`profile::sites`): each call of MPI tells its words before it is made
//! and its result after. So a program that is not checked runs no line of this. What the words mean says the table of
//! the ABI, and what handles stand for the embedded engine, which has the ranks of this node in this process.
//!
//! | file | subject |
//! |---|---|
//! | `checked_call` | a call: its words, what they mean, how they are shown |
//! | `types` | type signatures, and where two of them differ |
//! | `messages` | which send a receive has got, and what was never received |
//! | `requests` | which requests a call has completed, and their statuses |
//! | `buffers` | the buffers of what is under way |
//! | `collectives` | what the ranks of a communicator call together |
//! | `handles` | what was made and never freed |
//! | `elsewhere` | what nodes tell each other of all this |
//! | `findings`, `report` | what was found, by the places in the source; in words and as JSON |
//!
//! Everything is kept in one place behind one lock: a checked run is for finding mistakes, not for speed.

mod buffers;
mod checked_call;
mod collectives;
mod elsewhere;
mod findings;
mod handles;
mod messages;
mod report;
mod requests;
mod types;

#[cfg(unix)]
pub(in crate::engine) use report::merged;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rankine_abi::{Addr, Function, Status};
use rankine_guest::Who;
use rankine_local::{Rank, World};
use wasmtime::{Caller, Func, FuncType, Instance, Ref, Store, Val, ValType};

use super::Guest;
use crate::engine::Observes;
use crate::guest::callback;
use crate::guest::told::Ear;
use crate::module::symbols::Symbols;
use crate::report::mistakes::Report;
use rankine_rewrite::sites::{self, MOST_WORDS, Sites};

use buffers::Buffers;
use checked_call::{Call, Made, Program};
use collectives::{Arrival, Collectives};
use elsewhere::{Elsewhere, Told, What};
use findings::Findings;
use handles::Handles;
use messages::{Messages, Sent, Started};

/// What is known of a job that is checked, of its ranks on this node.
pub(in crate::engine) struct Check {
    state: Mutex<State>,
    elsewhere: Option<Arc<Elsewhere>>,
}

#[derive(Default)]
struct State {
    /// By what they are known by on all nodes.
    programs: HashMap<u64, Program>,
    /// By the engine's numbers.
    ranks: BTreeMap<u32, Life>,
    /// Ranks of other nodes of which something is known here.
    others: BTreeMap<u32, Who>,
    findings: Findings,
    handles: Handles,
    buffers: Buffers,
    messages: Messages,
    collectives: Collectives,
}

/// How far a rank has come.
struct Life {
    who: Who,
    /// Where MPI was initialised.
    began: Option<Made>,
    has_finalized: bool,
}

impl Check {
    /// Of a world's job. Call it before any of its ranks runs.
    pub(in crate::engine) fn new(world: &Arc<World>) -> Arc<Check> {
        let elsewhere = Elsewhere::new(world);
        let mut state = State::default();
        state.messages.elsewhere.clone_from(&elsewhere);
        state.collectives.elsewhere.clone_from(&elsewhere);
        Arc::new(Check { state: Mutex::new(state), elsewhere })
    }

    /// What is known by now, here and from elsewhere.
    fn state(&self) -> MutexGuard<'_, State> {
        let mut state = lock(&self.state);
        self.elsewhere.iter().flat_map(|elsewhere| elsewhere.heard()).for_each(|told| state.hear(told));
        state
    }

    /// Tells other nodes what is theirs to look at of a call.
    fn tell(&self, state: &mut State, rank: u32, symbols: &Symbols) {
        let Some(elsewhere) = &self.elsewhere else { return };
        let who = state.ranks.get(&rank).map_or(Who::from(rank as usize), |life| life.who);
        let told = std::mem::take(&mut state.messages.told).into_iter();
        for (node, what) in told.chain(std::mem::take(&mut state.collectives.told)) {
            elsewhere.tell(node, Told::new(rank, who, |site| symbols.line(site), what));
        }
    }

    /// What listens to a rank.
    pub(in crate::engine) fn observe(
        self: &Arc<Self>,
        who: Who,
        sites: &Arc<Sites>,
        symbols: &Arc<Symbols>,
    ) -> Arc<Observer> {
        // Before anything is heard of its places. A program that was loaded twice has one list of lines.
        let mut state = lock(&self.state);
        let program = sites.program;
        let make = || Program { sites: sites.clone(), symbols: symbols.clone() };
        let symbols = state.programs.entry(program).or_insert_with(make).symbols.clone();
        Arc::new(Observer {
            check: self.clone(),
            who,
            program,
            sites: sites.clone(),
            symbols,
            open: Mutex::default(),
            room: Mutex::new(Room::NONE),
        })
    }

    /// What was found. A job that has `finished` has nothing under way any more.
    pub(in crate::engine) fn report(&self, finished: bool) -> Report {
        let state = &mut *self.state();
        state.collectives.conclude(finished, &mut state.findings);
        if finished {
            let has_ended = |rank: u32| state.ranks.get(&rank).is_some_and(|life| life.has_finalized);
            state.messages.conclude(has_ended, &mut state.findings);
            for life in state.ranks.values().filter(|life| !life.has_finalized) {
                if let Some(began) = life.began {
                    state.findings.add(findings::Class::Finalize, &[("begun by", began)], String::new());
                }
            }
            state.handles.conclude(has_ended, &mut state.findings);
        }
        report::report(&state.findings, &state.programs, |rank| {
            let who = state.ranks.get(&rank).map(|life| life.who).or_else(|| state.others.get(&rank).copied());
            who.map_or_else(|| rank.to_string(), Who::label)
        })
    }
}

impl State {
    /// Another node has told this.
    fn hear(&mut self, told: Told) {
        let (rank, who) = told.caller();
        self.others.insert(rank, who);
        let Told { line, mut what, .. } = told;
        if let What::Sent { sent: Sent { made, .. }, .. } | What::Called { arrival: Arrival { made, .. }, .. } =
            &mut what
            && let Some(number) = line.and_then(|line| self.programs.get(&made.program)?.symbols.number_of_line(line))
        {
            made.site = number;
        }
        let findings = &mut self.findings;
        match what {
            What::Sent { at, source, tag, sent } => self.messages.arrive(at, (source, tag), sent, findings),
            What::TakenBack { at, source, tag, number } => self.messages.call_back(at, (source, tag), (rank, number)),
            What::Called { comm, ranks, arrival } => {
                self.collectives.arrive(comm, ranks, arrival);
                self.collectives.look(comm, findings);
            }
            What::Failed { comm } => self.collectives.lose(comm),
        }
    }
}

/// What listens to one instance of a program: a rank, or one of its threads.
pub(crate) struct Observer {
    check: Arc<Check>,
    who: Who,
    /// What its program is known by.
    program: u64,
    sites: Arc<Sites>,
    symbols: Arc<Symbols>,
    /// Its calls that have not come back.
    open: Mutex<Vec<Open>>,
    /// For statuses that the program ignores.
    room: Mutex<Room>,
}

/// Memory of the program that no allocator of its own knows.
struct Room {
    at: Addr,
    bytes: u32,
}

impl Room {
    const NONE: Room = Room { at: Addr::NULL, bytes: 0 };
}

/// A call under way.
struct Open {
    /// What is called, if it is MPI's.
    made: Option<Made>,
    /// How deep it lies in callbacks.
    depth: u32,
    /// Handles that it may free, or requests that it may complete, as they were before.
    before: Vec<(u8, Vec<u32>)>,
    /// Where its status goes.
    status: Addr,
    /// What it has started.
    started: Started,
    /// Buffers that it leaves in use.
    regions: Vec<buffers::Region>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Observes for Observer {
    fn of_another_thread(&self) -> Arc<Observer> {
        Arc::new(Observer {
            check: self.check.clone(),
            who: self.who,
            program: self.program,
            sites: self.sites.clone(),
            symbols: self.symbols.clone(),
            open: Mutex::default(),
            room: Mutex::new(Room::NONE),
        })
    }
}

impl Observer {
    /// A call begins; how many bytes of statuses it would tell that the program ignores, if they are wanted.
    fn begin(&self, rank: &Rank, made: Option<Made>, depth: u32) -> u32 {
        let mut open = lock(&self.open);
        // Calls that were unwound have not come back.
        while open.last().is_some_and(|open| open.depth >= depth) {
            open.pop();
        }
        open.push(Open {
            made,
            depth,
            before: Vec::new(),
            status: Addr::NULL,
            started: Started::default(),
            regions: Vec::new(),
        });
        let Some(open) = open.last_mut() else { return 0 };
        let state = &mut *self.check.state();
        let number = rank.id() as u32;
        state.ranks.entry(number).or_insert_with(|| Life { who: self.who, began: None, has_finalized: false });
        let Some(call) = made.and_then(|made| Call::new(rank, made)) else {
            state.messages.hear_of_objects();
            return 0;
        };
        let before = call.passed_handles();
        let started = state.messages.begin(&call, &before, &mut state.findings);
        state.messages.receive_aside(&call, &before, &mut state.findings);
        state.collectives.begin(&call);
        let regions = state.buffers.begin(&call, &before, &mut state.findings);
        let status = call.status().map_or(Addr::NULL, |(word, _)| call.address(word));
        let wanted = match call.status() {
            Some((_, count)) if status.is_null() && state.messages.wants_status(&call, &before, &started) => {
                count.saturating_mul(Status::SIZE)
            }
            _ => 0,
        };
        (open.before, open.status, open.started, open.regions) = (before, status, started, regions);
        self.check.tell(state, number, &self.symbols);
        wanted
    }

    /// The status of the innermost call goes there.
    fn redirect(&self, status: Addr) {
        if let Some(open) = lock(&self.open).last_mut() {
            open.status = status;
        }
    }

    /// The innermost call has come back.
    fn end(&self, rank: &Rank, result: i32) {
        let Some(Open { made, before, status, started, regions, .. }) = lock(&self.open).pop() else { return };
        let Some((made, call)) = made.and_then(|made| Some((made, Call::new(rank, made)?))) else { return };
        let state = &mut *self.check.state();
        let done = requests::completed(&call, result, &before, status);
        state.buffers.end(&call, result, &before, regions, &done, &mut state.findings);
        state.messages.end(&call, result, &before, &done, status, started, &mut state.findings);
        state.collectives.end(&call, result, &mut state.findings);
        state.handles.end(&call, result, &before);
        self.check.tell(state, made.rank, &self.symbols);
        let Some(life) = state.ranks.get_mut(&made.rank).filter(|_| result == 0) else { return };
        match call.name() {
            "MPI_Init" | "MPI_Init_thread" => life.began = Some(made),
            "MPI_Finalize" => life.has_finalized = true,
            _ => {}
        }
    }

    /// So many bytes of the program's memory for statuses, or null if it can't have them.
    fn room(&self, caller: &mut Caller<'_, Guest>, bytes: u32) -> Addr {
        let mut room = lock(&self.room);
        if room.bytes < bytes {
            let grown = callback::grow(caller, bytes.into()).ok().flatten();
            let Some(at) = grown else { return Addr::NULL };
            *room = Room { at, bytes: bytes.next_multiple_of(1 << 16) };
        }
        room.at
    }
}

/// Puts into a program what it tells of its calls. To be called before any of its code runs.
pub(super) fn install(store: &mut Store<Guest>, instance: &Instance) -> wasmtime::Result<()> {
    let Some(table) = instance.get_table(&mut *store, sites::TABLE) else { return Ok(()) };
    let words = [ValType::I32, ValType::I32].into_iter().chain(std::iter::repeat_n(ValType::I64, MOST_WORDS));
    let ty = FuncType::new(store.engine(), words, [ValType::I64]);
    let before = Func::new(&mut *store, ty, |mut caller: Caller<'_, Guest>, words, results| {
        results[0] = Val::I64(before(&mut caller, words).unwrap_or(Addr::NULL).0 as i64);
        Ok(())
    });
    let after = Func::wrap(&mut *store, |mut caller: Caller<'_, Guest>, result: i32| {
        let Some(observer) = caller.data().ear().and_then(Ear::observer).cloned() else { return };
        let Ok(_turn) = Guest::begin(&mut caller, "", true) else { return };
        observer.end(caller.data().rank(), result);
    });
    table.set(&mut *store, 0, Ref::Func(Some(before)))?;
    table.set(&mut *store, 1, Ref::Func(Some(after)))
}

/// A call begins: where its status shall go.
fn before(caller: &mut Caller<'_, Guest>, told: &[Val]) -> Option<Addr> {
    let observer = caller.data().ear().and_then(Ear::observer).cloned()?;
    let [function, site, words @ ..] = told else { return None };
    let index = function.i32()? as u32;
    let function = observer.sites.functions.get(index as usize)?.function;
    let site = Guest::place_of_call(caller, &observer.symbols, site.i32()? as u32);
    let mut made = function.map(|function| {
        let mut made = Made { rank: 0, program: observer.program, function, site, words: [0; MOST_WORDS] };
        made.words.iter_mut().zip(words).for_each(|(to, word)| *to = word.i64().unwrap_or(0));
        made
    });
    let passed = made.and_then(|made| Some(made.address(status_word(made.function)?))).unwrap_or(Addr::NULL);
    let Ok(_turn) = Guest::begin(caller, "", true) else { return Some(passed) };
    let (rank, depth) = (caller.data().rank(), caller.data().callbacks);
    if let Some(made) = &mut made {
        made.rank = rank.id() as u32;
    }
    let wanted = observer.begin(rank, made, depth);
    if wanted == 0 {
        return Some(passed);
    }
    let room = observer.room(caller, wanted);
    observer.redirect(room);
    Some(room)
}

/// The word that says where a function's statuses go.
fn status_word(function: &Function) -> Option<usize> {
    function.described().iter().position(checked_call::is_status)
}
