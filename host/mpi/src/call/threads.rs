//! Calls of several threads of a rank at once: `MPI_THREAD_MULTIPLE`.
//!
//! Threads take turns at the rank, so everything on this side of the library is made for one thread. Where a
//! program may have several in MPI, the one that calls the library lends its turn to others meanwhile ([`without_turn`]):
//!
//! - **Calls** are set aside with what the rank knows of them ([`Aside`]), so that each thread finds its own. Nothing is
//!   borrowed while the library runs, which may call the guest back: so nothing is in the way of other threads either.
//! - **Callbacks** from the library take the turn for as long as they last ([`Visit`]). No call that one of them makes lends
//!   it, so what is nested stays nested.
//! - **Objects** that a call was given stay as they are until it has returned ([`Uses`]). One that another thread frees has no
//!   handle any more, and is freed after that; the end of a window, a file or a session waits for it ([`end`]).
//! - **Windows** are accessed by several at once, but no other thread begins or ends an epoch there meanwhile ([`Access`]).
//! - **Requests** belong to the call that lists them (`request/listing.rs`), matched messages to the first that receives them.
//!
//! None of this exists for a rank with one thread: the library's functions are replaced (`library/shared.rs`) when MPI is
//! initialised with this level in a program that can have threads.

use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_void};
use std::ops::Deref;

use rankine_abi::{
    Chapter, Class, Direction, Function, Length, MPI_ERR_OTHER, MPI_ERR_REQUEST, MPI_ERR_RMA_SYNC, MPI_SUCCESS, Mark,
    Meaning,
};
use rankine_guest::{Error, Whose};

use super::handle::{Hosted, is_constant};
use super::words::Words;
use crate::Result;
use crate::rank::Rank;
use crate::rank::{Lender, Stop};

/// What the rank knows of its threads.
#[derive(Default)]
pub(crate) struct State {
    /// Several threads call at once.
    are_several: Cell<bool>,
    /// The call that has the turn.
    current: Cell<Option<Id>>,
    /// The number of the call that began last.
    last: Cell<u64>,
    /// Objects that calls under way were given.
    uses: RefCell<Vec<Use>>,
    /// Matched messages that calls under way are to receive, by the program's words: the library may give a handle out again
    /// before the call that ends it has its turn back.
    received: RefCell<Vec<(Id, u32)>>,
    /// Objects that calls under way are about to end, by the program's words.
    ending: RefCell<Vec<u32>>,
    /// Objects that have no handle any more, and what ends them.
    put_off: RefCell<Vec<PutOff>>,
    /// Calls that have lent their turn.
    lent: Cell<usize>,
    /// What runs lends nothing.
    keeps_turn: Cell<bool>,
}

/// A call, and the thread that makes it.
#[derive(Clone, Copy)]
struct Id {
    call: u64,
    thread: u32,
}

/// An object that a call was given: the library's handle, or none if it may be any.
struct Use {
    by: Id,
    host: Option<usize>,
    /// The call goes through its attributes.
    walks: bool,
    /// What it does in a window.
    access: Option<Access>,
}

/// What a call does in a window: a library that is at two of these at once loses what it counts by.
#[derive(Clone, Copy)]
struct Access {
    function: &'static Function,
    /// It begins or ends an epoch of accesses.
    turns: bool,
    /// The rank that is accessed, if it is a single one.
    target: Option<c_int>,
}

impl Access {
    fn of(function: &'static Function, w: &Words<'_>) -> Option<Access> {
        let turns = EPOCHS.contains(&function.name);
        // Exposing a window goes side by side with accesses to others.
        if function.chapter != Chapter::Rma || !turns && function.is(Mark::Syncs) && !function.name.contains("flush") {
            return None;
        }
        let target = function.described().iter().position(|parameter| parameter.meaning == Meaning::Rank);
        Some(Access { function, turns, target: target.map(|at| w.int(at)) })
    }

    /// Whether a correct program does not do both at once: one of them has to come after the other.
    fn excludes(&self, other: &Access) -> bool {
        let may_meet = self.target.is_none() || other.target.is_none() || self.target == other.target;
        (self.turns || other.turns) && may_meet
    }
}

/// Functions that begin or end an epoch of accesses.
const EPOCHS: [&str; 7] = [
    "MPI_Win_complete",
    "MPI_Win_fence",
    "MPI_Win_lock",
    "MPI_Win_lock_all",
    "MPI_Win_start",
    "MPI_Win_unlock",
    "MPI_Win_unlock_all",
];

/// An object that has no handle any more, the function that ends it, and the library's own.
type PutOff = (&'static Function, Ends, usize);

/// The type of functions that end an object.
type Ends = unsafe extern "C" fn(*mut usize) -> c_int;

/// What becomes of the end of an object that another thread's call was given.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum InUse {
    /// It is ended when that call has returned.
    IsPutOff,
    /// The end waits for that.
    IsAwaited,
}

impl State {
    /// Whether several threads may be in functions of MPI.
    #[inline]
    pub(crate) fn are_several(&self) -> bool {
        self.are_several.get()
    }

    /// Whether a call has lent its turn.
    pub(crate) fn has_lent(&self) -> bool {
        self.lent.get() > 0
    }

    /// Whether a call of another thread goes through the attributes of an object.
    fn is_walked_elsewhere(&self, host: usize) -> bool {
        let me = self.current.get().map(|id| id.thread);
        let is_it = |other: &Use| other.walks && other.host == Some(host) && Some(other.by.thread) != me;
        self.uses.borrow().iter().any(is_it)
    }

    /// What another thread does in a window that can't be done at the same time as this.
    fn excluded(&self, win: Option<usize>, thread: u32, access: &Access) -> Option<&'static Function> {
        let uses = self.uses.borrow();
        let others = uses.iter().filter(|other| other.host == win && other.by.thread != thread);
        let mut accesses = others.filter_map(|other| other.access.as_ref());
        accesses.find(|other| access.excludes(other)).map(|other| other.function)
    }

    /// Whether a call of another thread was given an object.
    fn is_used_elsewhere(&self, host: usize) -> bool {
        let me = self.current.get().map(|id| id.thread);
        let is_it = |other: &Use| other.host.is_none_or(|used| used == host) && Some(other.by.thread) != me;
        self.uses.borrow().iter().any(is_it)
    }
}

/// The objects of a call, until it has returned.
pub(crate) struct Uses<'r> {
    state: &'r State,
    outer: Option<Id>,
    id: Id,
}

impl Drop for Uses<'_> {
    fn drop(&mut self) {
        self.state.uses.borrow_mut().retain(|other| other.by.call != self.id.call);
        self.state.received.borrow_mut().retain(|(by, _)| by.call != self.id.call);
        self.state.current.set(self.outer);
    }
}

impl Rank {
    /// Several threads call from now on.
    pub(crate) fn begin_several(&self) {
        self.threads.are_several.set(true);
        self.library().share();
    }

    /// A thread's call begins with these words.
    pub(crate) fn begin_uses(&self, thread: u32, function: &'static Function, w: &Words<'_>) -> Result<Uses<'_>> {
        let state = &self.threads;
        let id = Id { call: state.last.get() + 1, thread };
        state.last.set(id.call);
        let uses = Uses { state, outer: state.current.replace(Some(id)), id };
        let walks = function.is(Mark::Dups);
        for (at, parameter) in function.described().iter().enumerate() {
            let Meaning::Handle(class) = parameter.meaning else { continue };
            let host = match (parameter.direction, parameter.length) {
                (Direction::In, Length::One) => {
                    let predefined = walks.then(|| w.word(at) as usize);
                    let Some(host) = self.made_host(class, w.word(at)).or(predefined) else { continue };
                    Some(host)
                }
                // Requests are looked after by themselves.
                (Direction::In, _) if class != Class::Request => None,
                _ => continue,
            };
            if host.is_some() && state.ending.borrow().contains(&w.word(at)) {
                let text = format!("{}: another thread is about to end it", parameter.name);
                return Err(Error::new(MPI_ERR_OTHER, text));
            }
            let access = Access::of(function, w).filter(|_| class == Class::Win);
            if let Some(other) = access.and_then(|access| state.excluded(host, thread, &access)) {
                let text = format!("another thread is in {} on this window", other.name);
                return Err(Error::new(MPI_ERR_RMA_SYNC, text));
            }
            state.uses.borrow_mut().push(Use { by: id, host, walks, access });
        }
        Ok(uses)
    }

    /// The library's handle for what the program has made.
    fn made_host(&self, class: Class, word: u32) -> Option<usize> {
        match class {
            Class::Comm => self.comms.made.with(word, Hosted::host),
            Class::Datatype => self.types.made.with(word, Hosted::host),
            Class::File => self.files.made_host(word),
            Class::Group => self.plain.groups.with(word, Hosted::host),
            Class::Info => self.plain.infos.with(word, Hosted::host),
            Class::Message => self.plain.messages.with(word, Hosted::host),
            Class::Op => self.ops.made_host(word),
            Class::Request => self.requests.made.with(word, Hosted::host),
            Class::Session => self.plain.sessions.with(word, Hosted::host),
            Class::Win => self.windows.0.with(word, Hosted::host),
            _ => None,
        }
    }

    /// A matched message that the call under way is to receive: no other may.
    pub(crate) fn claim_message(&self, word: u32) -> Result<()> {
        let state = &self.threads;
        let Some(by) = state.current.get().filter(|_| !is_constant(word as usize)) else { return Ok(()) };
        let mut received = state.received.borrow_mut();
        if received.iter().any(|(other, claimed)| *claimed == word && other.thread != by.thread) {
            return Err(Error::new(MPI_ERR_REQUEST, "message: another thread is receiving it"));
        }
        received.push((by, word));
        Ok(())
    }

    /// Whether another thread's call is ending an object of the library's.
    fn is_being_ended(&self, class: Class, host: usize) -> bool {
        let ending = self.threads.ending.borrow();
        !ending.is_empty() && self.word_of_host(class, host, |word| ending.contains(&word)).is_some()
    }

    /// A word, of those that are wanted, of an object whose end is awaited.
    fn word_of_host(&self, class: Class, host: usize, is_wanted: impl Fn(u32) -> bool) -> Option<u32> {
        match class {
            Class::Comm => self.comms.made.word_where(host, is_wanted),
            Class::File => self.files.word_where(host, is_wanted),
            Class::Session => self.plain.sessions.word_where(host, is_wanted),
            Class::Win => self.windows.0.word_where(host, is_wanted),
            _ => None,
        }
    }

    /// Waits until no other thread's call goes through the attributes of an object, which are about to be changed.
    pub(crate) fn await_walks(&self, host: usize) -> Result<()> {
        while self.threads.is_walked_elsewhere(host) {
            if !lending(std::thread::yield_now).1 {
                return Err(Error::new(MPI_ERR_OTHER, "another thread is making a duplicate of the object"));
            }
        }
        Ok(())
    }

    /// Ends what was put off, as far as no call under way was given it.
    pub(crate) fn run_put_off(&self) {
        let state = &self.threads;
        if state.put_off.borrow().is_empty() {
            return;
        }
        let kept = state.keeps_turn.replace(true);
        loop {
            let is_free = |&(_, _, host): &PutOff| {
                !state.uses.borrow().iter().any(|other| other.host.is_none_or(|used| used == host))
            };
            let next = state.put_off.borrow().iter().position(is_free);
            let Some((function, ends, mut host)) = next.map(|next| state.put_off.borrow_mut().swap_remove(next)) else {
                break;
            };
            if self.is_running() {
                let outer = self.call.replace(function);
                // SAFETY: an object of the library's that has no handle any more, and that no call was given. Its error is
                // nobody's: the program was told that it has been freed.
                unsafe { ends(&mut host) };
                self.call.set(outer);
            }
        }
        state.keeps_turn.set(kept);
    }

    /// Runs `run`, in which no call lends its turn.
    pub(crate) fn keeping_turn<T>(&self, run: impl FnOnce() -> T) -> T {
        let kept = self.threads.keeps_turn.replace(true);
        let result = run();
        self.threads.keeps_turn.set(kept);
        result
    }

    /// The thread that calls, if it may lend its turn.
    fn lender(&self) -> Option<Lender> {
        let caller = self.caller.get();
        if caller.is_null() || self.threads.keeps_turn.get() {
            return None;
        }
        // SAFETY: `carry` set it to the caller of the call that runs on this thread, which has the turn, and doesn't use it
        // until that call has ended.
        unsafe { (self.host.lender)(caller) }
    }

    /// Sets aside what the rank knows of the call that has the turn.
    fn set_aside(&self) -> Aside {
        Aside {
            function: self.call.replace(&const { Function::foreign("") }),
            caller: self.caller.replace(std::ptr::null_mut()),
            inside: self.inside.replace(false),
            copied: self.keeping.begin(),
            stop: self.take_stop(),
            stopped: self.stopped.replace(false),
            is_main: self.init.is_main.get(),
            blame: self.requests.take_blame(),
            current: self.threads.current.take(),
        }
    }

    /// The call goes on.
    fn put_back(&self, aside: Aside) {
        self.call.set(aside.function);
        self.caller.set(aside.caller);
        self.inside.set(aside.inside);
        self.keeping.end(aside.copied);
        if let Some(reason) = aside.stop {
            self.stop(reason);
        }
        self.stopped.set(aside.stopped);
        self.init.is_main.set(aside.is_main);
        self.requests.put_blame(aside.blame);
        self.threads.current.set(aside.current);
    }
}

/// What a rank knows of a call, while others have the turn.
struct Aside {
    function: &'static Function,
    caller: *mut c_void,
    inside: bool,
    copied: u64,
    stop: Option<Stop>,
    stopped: bool,
    is_main: Option<bool>,
    blame: Option<Whose>,
    current: Option<Id>,
}

/// A call that has lent its turn.
struct Lent {
    lender: Lender,
    /// What it takes back with the turn.
    aside: Cell<Option<Aside>>,
}

/// How many calls are inside one another where a turn is lent, and where a callback has it.
const OUTERMOST: u32 = 1;
const IN_CALLBACK: u32 = 2;

thread_local! {
    /// The call of this thread that has lent its turn.
    static LENT: Cell<*const Lent> = const { Cell::new(std::ptr::null()) };
}

/// Runs a function of the library without the turn, so that other threads of the rank can call meanwhile.
pub(crate) fn without_turn<T>(call: impl FnOnce() -> T) -> T {
    lending(call).0
}

/// As [`without_turn`], and whether others could have the turn. They can't in the midst of a callback.
fn lending<T>(call: impl FnOnce() -> T) -> (T, bool) {
    if !LENT.get().is_null() {
        return (call(), true);
    }
    let Some(rank) = Rank::of_this_thread() else { return (call(), false) };
    let Some(lender) = rank.lender() else { return (call(), false) };
    let lent = Lent { lender, aside: Cell::new(Some(rank.set_aside())) };
    rank.threads.lent.update(|lent| lent + 1);
    let has_lent = lent.lender.lend(OUTERMOST);
    let result = if has_lent {
        LENT.set(&lent);
        let result = call();
        LENT.set(std::ptr::null());
        lent.lender.take_again(OUTERMOST);
        result
    } else {
        // The call itself, from the inside of a callback, has the turn.
        rank.put_back(lent.aside.take().expect("it was set aside"));
        rank.threads.lent.update(|lent| lent - 1);
        return (call(), false);
    };
    rank.threads.lent.update(|lent| lent - 1);
    rank.put_back(lent.aside.take().expect("it was set aside"));
    (result, true)
}

/// The rank, for a callback from the library: with the turn, if the call had lent it.
pub(crate) struct Visit<'r> {
    rank: &'r Rank,
    lent: *const Lent,
}

impl<'r> Visit<'r> {
    /// Begins one, at the rank of this thread.
    pub(crate) fn begin(rank: &'r Rank) -> Visit<'r> {
        let lent = LENT.replace(std::ptr::null());
        // SAFETY: it is on the stack of the call that this thread is in.
        if let Some(lent) = unsafe { lent.as_ref() } {
            lent.lender.take_again(IN_CALLBACK);
            rank.put_back(lent.aside.take().expect("it was set aside"));
        }
        Visit { rank, lent }
    }
}

impl Deref for Visit<'_> {
    type Target = Rank;

    fn deref(&self) -> &Rank {
        self.rank
    }
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        // SAFETY: the call that lent the turn is still under way on this thread, and what it lent lies on its stack.
        if let Some(lent) = unsafe { self.lent.as_ref() } {
            lent.aside.set(Some(self.rank.set_aside()));
            lent.lender.lend(IN_CALLBACK);
            LENT.set(self.lent);
        }
    }
}

/// Ends an object through the library's own function, which makes the handle null; not while calls of other threads were
/// given it.
///
/// # Safety
/// The handle is what the library's function takes.
pub(crate) unsafe fn end(
    function: &'static Function,
    own: Ends,
    handle: *mut usize,
    null: usize,
    in_use: InUse,
) -> c_int {
    // SAFETY: promised for this function too.
    let call = || unsafe { own(handle) };
    let Some(rank) = Rank::of_this_thread() else { return call() };
    // SAFETY: promised.
    let host = unsafe { *handle };
    let state = &rank.threads;
    let class = match function.described()[0].meaning {
        Meaning::Handle(class) => Some(class),
        _ => None,
    };
    // Another thread is about to end it.
    if class.is_some_and(|class| rank.is_being_ended(class, host)) {
        return MPI_ERR_OTHER;
    }
    if in_use == InUse::IsPutOff {
        if !state.is_used_elsewhere(host) {
            // With the turn: it waits for nobody.
            return call();
        }
        state.put_off.borrow_mut().push((function, own, host));
        // SAFETY: promised.
        unsafe { *handle = null };
        return MPI_SUCCESS;
    }
    // Or has freed it. What is only put off may have several handles, of which each is freed: not so what is awaited.
    let is_put_off = state.put_off.borrow().iter().any(|(_, _, other)| *other == host);
    let word = class.filter(|_| !is_put_off).and_then(|class| rank.word_of_host(class, host, |_| true));
    let Some(word) = word else { return MPI_ERR_OTHER };
    state.ending.borrow_mut().push(word);
    let mut is_unused = true;
    while is_unused && state.is_used_elsewhere(host) {
        is_unused = lending(std::thread::yield_now).1;
    }
    // A callback, in the midst of which nobody else can have the turn, can't wait for others.
    let code = if is_unused { without_turn(call) } else { MPI_ERR_OTHER };
    state.ending.borrow_mut().retain(|&other| other != word);
    code
}
