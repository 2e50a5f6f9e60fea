//! What a process of the engine knows of itself: the library, its guest's memory, and what stands behind each handle.
//!
//! A rank runs on one thread, inside its own MPI calls, so its state sits in cells. Nothing is borrowed while the
//! library runs: it may call back into the guest, which may call MPI again.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ffi::{OsString, c_int, c_void};
use std::sync::Arc;

use rankine_abi::{Addr, Function, MPI_SUCCESS};
use rankine_guest::errhan::Handlers;
use rankine_guest::{Account, Answer, Arguments, Callback, Error, Memory, Parks};
use rankine_system::grants::Grants;
use rankine_view::View;

use crate::Result;
use crate::call::deferred;
use crate::call::handle::Plain;
use crate::call::keeping::Keeping;
use crate::call::threads::{self, Visit};
use crate::comm::group;
use crate::datatype::quads;
use crate::errhan::codes;
use crate::library::{Library, Symbol};
use crate::pt2pt::{buffered, own};
use crate::spawn::ports;
use crate::{attr, comm, datatype, init, io, misc, mpit, op, post, request, rma, spawn};

/// What a rank asks of the host that runs its program. The pointer is what [`carry`](crate::call::carry) was given.
pub struct Host {
    /// Answers a request of the call that runs on this thread.
    ///
    /// # Safety
    /// The pointer is that of the innermost call, of which nobody uses it meanwhile.
    pub answer: unsafe fn(*mut c_void, Callback) -> std::result::Result<Answer, Stop>,
    /// The thread that calls, if its program can have several.
    ///
    /// # Safety
    /// As for `answer`.
    pub lender: unsafe fn(*mut c_void) -> Option<Lender>,
}

/// The threads of a rank, which take turns at it.
pub trait Turns {
    /// Lets others have the turn in the midst of a call of this thread, if so many of its calls are inside one another.
    fn lend(&self, thread: u32, depth: u32) -> bool;
    /// Takes the turn that was lent.
    fn take_again(&self, thread: u32, depth: u32);
}

/// A thread that may lend its turn.
pub struct Lender {
    /// It and the others.
    pub team: Arc<dyn Turns>,
    /// Which of them it is.
    pub thread: u32,
}

impl Lender {
    pub(crate) fn lend(&self, depth: u32) -> bool {
        self.team.lend(self.thread, depth)
    }

    pub(crate) fn take_again(&self, depth: u32) {
        self.team.take_again(self.thread, depth);
    }
}

/// Why a guest must not go on.
pub enum Stop {
    /// The job ends: the program wants it, or an error was fatal.
    Aborted {
        /// The exit status asked for.
        code: i32,
        /// The function, the rank, and what was wrong, unless the program itself called `MPI_Abort`.
        error: Option<String>,
    },
    /// The rank can't go on, in words.
    Failed(String),
    /// The host's own reason: a callback trapped.
    Host(Box<dyn Any>),
}

/// Gives the first process what all have counted: it is called with what sends this process's own and returns all.
pub type Tells = dyn Fn(&mut dyn FnMut(Vec<u8>) -> Result<Vec<Vec<u8>>>) -> Result<()>;

/// What a rank is made with.
pub struct Choices {
    /// See [`Host`].
    pub host: &'static Host,
    /// Bytes of memory that it may take.
    pub memory_limit: Option<u64>,
    /// Folders that it may use.
    pub grants: Grants,
    /// What is shown of its job.
    pub view: Option<Arc<View>>,
    /// Where its calls of MPI are counted.
    pub tells: Option<Box<Tells>>,
    /// The command line of processes that it starts, up to their module's digest.
    pub words: Vec<OsString>,
}

/// What a process of the engine knows of itself.
pub struct Rank {
    library: Library,
    /// See [`Host`].
    pub(crate) host: &'static Host,
    /// What it may take of memory.
    account: Arc<Account>,
    memory: Memory,
    /// How what the library keeps is charged.
    pub(crate) keeping: Keeping,
    /// The MPI function that runs, for reports.
    pub(crate) call: Cell<&'static Function>,
    /// The caller of the function that runs, through which callbacks reach the guest.
    pub(crate) caller: Cell<*mut c_void>,
    /// A shim runs, and the library perhaps within it: not so while an error handler of the guest's does.
    pub(crate) inside: Cell<bool>,
    /// Why the guest must not go on: a callback trapped, the program aborted, an error was fatal.
    stop: RefCell<Option<Stop>>,
    pub(crate) stopped: Cell<bool>,
    /// How often the guest was called back.
    pub(crate) called_back: Cell<u64>,
    /// Bytes of the guest's scratch memory that callbacks under way use.
    scratch: Cell<u64>,
    pub(crate) init: init::State,
    pub(crate) comms: comm::State,
    pub(crate) types: datatype::State,
    pub(crate) session_members: group::State,
    pub(crate) ops: op::State,
    pub(crate) requests: request::State,
    pub(crate) own: own::State,
    pub(crate) errhandlers: Handlers,
    pub(crate) codes: codes::State,
    pub(crate) attrs: attr::State,
    pub(crate) memories: misc::State,
    pub(crate) buffers: buffered::State,
    pub(crate) deferred: deferred::State,
    pub(crate) threads: threads::State,
    pub(crate) windows: rma::State,
    pub(crate) files: io::State,
    pub(crate) quads: quads::State,
    pub(crate) spawn: spawn::State,
    pub(crate) ports: ports::State,
    pub(crate) tools: mpit::State,
    pub(crate) post: post::State,
    pub(crate) plain: Plain,
    /// See [`Choices`].
    pub(crate) tells: Option<Box<Tells>>,
}

thread_local! {
    /// The rank that this thread runs, for callbacks from the library.
    static CURRENT: Cell<*const Rank> = const { Cell::new(std::ptr::null()) };
}

impl Rank {
    /// The rank that this process is, before its program starts.
    pub fn new(library: Library, choices: Choices) -> Rank {
        let account = Account::new(choices.memory_limit);
        let memory = Memory::of(&account);
        let keeping = Keeping::new(&account, &memory);
        Rank {
            library,
            host: choices.host,
            account,
            memory,
            call: Cell::new(&const { Function::foreign("") }),
            caller: Cell::new(std::ptr::null_mut()),
            inside: Cell::new(false),
            stop: RefCell::default(),
            stopped: Cell::new(false),
            called_back: Cell::new(0),
            scratch: Cell::new(0),
            init: init::State::default(),
            comms: comm::State::new(&keeping),
            types: datatype::State::new(&keeping),
            session_members: group::State::default(),
            ops: op::State::new(&keeping),
            requests: request::State::new(&keeping),
            own: own::State::default(),
            errhandlers: Handlers::new(&keeping.account),
            codes: codes::State::default(),
            attrs: attr::State::default(),
            memories: misc::State::default(),
            buffers: buffered::State::default(),
            deferred: deferred::State::default(),
            threads: threads::State::default(),
            windows: rma::State::new(&keeping),
            files: io::State::new(choices.grants, &keeping),
            quads: quads::State::default(),
            spawn: spawn::State(choices.words),
            ports: ports::State::default(),
            tools: mpit::State::default(),
            post: post::State::new(choices.view.as_ref()),
            plain: Plain::new(&keeping),
            tells: choices.tells,
            keeping,
        }
    }

    /// What it may take of memory.
    pub fn account(&self) -> &Arc<Account> {
        &self.account
    }

    /// The guest's memory.
    #[inline]
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// A function of the library.
    #[inline]
    pub fn symbol<S: Symbol>(&self) -> Result<S::Function> {
        self.library.symbol::<S>()
    }

    /// What the library returned. The text of an error is looked for when somebody wants to read it.
    #[inline]
    pub fn check(&self, code: c_int) -> Result<()> {
        if code == MPI_SUCCESS { Ok(()) } else { Err(Error::new(code, "")) }
    }

    /// The guest must not go on once the call has returned.
    pub(crate) fn stop(&self, reason: Stop) {
        self.stopped.set(true);
        // The first reason is the cause of all others.
        self.stop.borrow_mut().get_or_insert(reason);
    }

    /// Why the guest must not go on.
    pub(crate) fn take_stop(&self) -> Option<Stop> {
        self.stop.borrow_mut().take()
    }

    /// This rank is the one that the thread's callbacks are for, as long as it exists.
    pub fn make_current(&self) {
        CURRENT.set(self);
    }

    /// The call that the rank of this thread is in, or nothing. A signal's handler may ask.
    pub(crate) fn call_on_this_thread() -> &'static str {
        // SAFETY: a rank is current on threads that it outlives.
        let Some(rank) = CURRENT.try_with(Cell::get).ok().and_then(|rank| unsafe { rank.as_ref() }) else { return "" };
        // Another thread of the rank may be in a call, and this one not.
        if rank.init.has_threads() { "a function of MPI" } else { rank.call.get().name }
    }

    /// The rank whose call the library is in. None on a thread of the library's own: what such a thread calls back can't
    /// reach the guest.
    ///
    /// # Safety
    /// If a rank runs on this thread, the thread is inside a call of it, which outlives what is done with the reference.
    pub(crate) unsafe fn current<'r>() -> Option<Visit<'r>> {
        Rank::of_this_thread().map(Visit::begin)
    }

    /// The rank that this thread runs. If its program has several threads, it may be looked into with the turn only.
    pub(crate) fn of_this_thread<'r>() -> Option<&'r Rank> {
        // SAFETY: a rank is made current before its first call, on threads that it outlives.
        unsafe { CURRENT.get().as_ref() }
    }

    /// The MPI library.
    pub(crate) fn library(&self) -> &Library {
        &self.library
    }

    /// Asks something of the guest, in the midst of a call. Nothing if a callback has trapped, now or before: then the
    /// call comes to its end without the guest.
    pub fn ask(&self, request: Callback) -> Option<Answer> {
        let caller = self.caller.get();
        if self.stopped.get() || caller.is_null() {
            return None;
        }
        self.called_back.update(|times| times.wrapping_add(1));
        // SAFETY: `carry` set it to the caller of the call that runs on this thread, and uses it no more until that
        // call has ended.
        let outcome = unsafe { (self.host.answer)(caller, request) };
        match outcome {
            Ok(answer) => Some(answer),
            Err(reason) => {
                self.stop(reason);
                None
            }
        }
    }

    /// Calls a function of the guest.
    pub(crate) fn call_guest(&self, function: u32, arguments: Arguments) -> Option<i32> {
        self.ask(arguments.call(rankine_abi::FnPtr(function))).map(|answer| answer as i32)
    }

    /// Arguments of a function of the guest: none yet.
    pub(crate) fn arguments(&self) -> Arguments {
        Arguments::of(self.memory().is_wide())
    }

    /// Runs `with` on the address of so many bytes of guest memory, which belong to no allocator. Nothing if there are
    /// none.
    pub(crate) fn with_scratch<R>(&self, bytes: u64, with: impl FnOnce(Addr) -> Option<R>) -> Option<R> {
        let used = self.scratch.get();
        let bytes = bytes.checked_next_multiple_of(16)?;
        // A block that is too small is left for a larger one; what callbacks under way have in it stays where it is.
        let block = self.ask(Callback::Scratch { bytes: used.checked_add(bytes)? })?;
        if block == 0 {
            return None;
        }
        self.scratch.set(used + bytes);
        let result = with(Addr(block as u64).plus(used));
        self.scratch.set(used);
        result
    }

    /// Memory of the guest's allocator; nothing if it has none left. The allocator may be the program's own, and lie.
    pub(crate) fn allocate(&self, bytes: u64) -> Option<Addr> {
        let at = Addr(self.ask(Callback::Allocate { bytes: bytes.max(1), align: 16 })? as u64);
        (!at.is_null() && self.memory().at(at, bytes.max(1)).is_some()).then_some(at)
    }

    /// Bytes of an element of a datatype; nothing if it is none.
    pub fn type_size(&self, datatype: u32) -> Option<u64> {
        // Before MPI_Init the library is asked nothing.
        let datatype = self.is_running().then(|| self.datatype(datatype, "datatype"))?.ok()?;
        u64::try_from(datatype.size()).ok()
    }

    /// How many ranks a collective of a communicator sends to: all, or this rank's neighbours.
    pub fn receivers(&self, comm: u32, neighbors: bool) -> Option<u64> {
        let count = || if neighbors { Ok(self.degrees(comm)?.1) } else { self.peers(comm) };
        u64::try_from(self.is_running().then(count)?.ok()?).ok()
    }

    /// The function of MPI that runs, or ran last.
    pub fn call(&self) -> &'static str {
        self.call.get().name
    }

    /// The level of thread support that the program was given.
    pub fn thread_level(&self) -> i32 {
        self.init.thread_level.get()
    }

    /// Says whether the thread that calls is the one that initialised MPI.
    pub fn set_thread(&self, is_main: bool) {
        self.init.is_main.set(Some(is_main));
        // The library may call back on this thread.
        self.make_current();
    }
}

/// Threads take turns at a rank here too, but it is the library that waits: no rank is put to sleep. A thread that may wait
/// lends its turn (`call/threads.rs`).
impl Parks for Rank {}
