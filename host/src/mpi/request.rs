//! Requests: the library's, with what has to live until the operation is complete.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_void};

use rankine_abi::{Addr, Comm, MPI_ERR_REQUEST, MPI_SUCCESS, MPI_UNDEFINED, Request};
use rankine_local::Error;
use rankine_local::handle::Class;
use smallvec::SmallVec;

use super::Result;
use super::generated::symbols;
use super::handle::{Handles, Hosted};
use super::objects::Arrival;
use super::rank::Rank;
use super::words::{Status, Words};

/// The object whose error handler hears of an error.
#[derive(Copy, Clone, Debug)]
pub(in crate::mpi) enum Origin {
    Comm(u32),
    Win(u32),
    File(u32),
    Session(u32),
    /// `MPI_COMM_SELF`.
    Myself,
    /// Nobody: the code is returned.
    Nothing,
}

/// What is to be done when an operation is complete.
pub(in crate::mpi) enum Then {
    Nothing,
    /// A communicator has been made, whose handle the library has written to the cell.
    Comm {
        word: u32,
        cell: Box<usize>,
    },
    /// Objects have come, which are still to be built.
    Objects(Box<Arrival>),
    /// It is a generalised request, which the program completes: its handle serves for that even after it was freed.
    Generalised {
        completed: bool,
        freed: bool,
    },
}

/// An operation that goes on.
pub(in crate::mpi) struct Pending {
    host: usize,
    origin: Origin,
    persistent: bool,
    /// What a plain message has not, so that nothing is allocated for one.
    more: Option<Box<More>>,
}

/// What some operations need until they are complete.
struct More {
    then: Then,
    /// Arrays that the library may look into.
    kept: Box<dyn Any>,
}

impl Pending {
    #[inline]
    pub(in crate::mpi) fn new<Kept: Any>(origin: Origin, persistent: bool, kept: Kept) -> Pending {
        let more = (size_of::<Kept>() > 0).then(|| Box::new(More { then: Then::Nothing, kept: Box::new(kept) }));
        Pending { host: 0, origin, persistent, more }
    }

    pub(in crate::mpi) fn then(self, then: Then) -> Pending {
        let kept = self.more.map_or_else(|| Box::new(()) as Box<dyn Any>, |more| more.kept);
        Pending { more: Some(Box::new(More { then, kept })), ..self }
    }

    /// What is to be done when it is complete.
    fn then_mut(&mut self) -> Option<&mut Then> {
        self.more.as_mut().map(|more| &mut more.then)
    }
}

/// The requests of a call on several of them. Few need no memory.
struct Several {
    /// The guest's words.
    words: SmallVec<[u32; 64]>,
    /// What the library is given, and makes of them.
    hosts: SmallVec<[usize; 64]>,
}

impl Hosted for Pending {
    fn host(&self) -> usize {
        self.host
    }
}

impl Several {
    /// The word at an index that the library gave, or all if it is none.
    fn one_or_all(&self, index: c_int) -> &[u32] {
        let one = usize::try_from(index).ok().and_then(|index| self.words.get(index));
        one.map_or(&self.words[..], std::slice::from_ref)
    }
}

/// The requests of this rank.
pub(super) struct State {
    made: Handles<Pending>,
    /// What the error that is about to be raised is about, where that is not the object of the call.
    blame: Cell<Option<Origin>>,
    /// What operations need whose requests the program has given up: they may still be under way.
    given_up: RefCell<Vec<More>>,
}

impl Default for State {
    fn default() -> State {
        let made = Handles::new(Class::Request, MPI_ERR_REQUEST, "request", |word| Request(word).name());
        State { made, blame: Cell::default(), given_up: RefCell::default() }
    }
}

impl State {
    /// Whose error it is, if a request said so.
    pub(super) fn take_blame(&self) -> Option<Origin> {
        self.blame.take()
    }
}

const NULL: usize = Request::NULL.0 as usize;

impl Rank {
    #[inline]
    pub(in crate::mpi) fn request(&self, word: u32, what: &str) -> Result<usize> {
        self.requests.made.host(word, what)
    }

    /// Whose error handler a request's errors go to.
    pub(super) fn origin_of(&self, word: u32) -> Origin {
        self.requests.made.with(word, |pending| pending.origin).unwrap_or(Origin::Myself)
    }

    /// Stores a new request.
    #[inline(always)]
    pub(in crate::mpi) fn put_request(&self, at: Addr, host: usize, pending: Pending, what: &str) -> Result<()> {
        let Pending { origin, persistent, more, .. } = pending;
        let word = match host {
            NULL => Request::NULL.0,
            _ => self.requests.made.insert_with(|| Pending { host, origin, persistent, more })?,
        };
        self.put_word(at, word, what)
    }

    /// Drops a request that the library has made null.
    pub(in crate::mpi) fn after_request(&self, at: Addr, word: u32, host: usize, what: &str) -> Result<()> {
        if host == NULL {
            self.put_word(at, Request::NULL.0, what)?;
            return self.complete(word);
        }
        Ok(())
    }

    /// A new request that no address is known for yet.
    pub(super) fn new_request(&self, host: usize, pending: Pending) -> Result<u32> {
        if host == NULL { Ok(Request::NULL.0) } else { self.requests.made.insert(Pending { host, ..pending }) }
    }

    /// An operation is complete, and its request gone.
    #[inline]
    fn complete(&self, word: u32) -> Result<()> {
        match self.requests.made.remove(word) {
            Some(pending) if pending.more.is_some() => self.conclude(pending),
            _ => Ok(()),
        }
    }

    /// What is left to do for an operation that is complete.
    fn conclude(&self, Pending { more, origin, .. }: Pending) -> Result<()> {
        match more.map_or(Then::Nothing, |more| more.then) {
            Then::Nothing | Then::Generalised { .. } => Ok(()),
            Then::Comm { word, cell } => {
                self.complete_comm(word, *cell);
                Ok(())
            }
            Then::Objects(arrival) => arrival.complete(self).inspect_err(|_| self.requests.blame.set(Some(origin))),
        }
    }

    /// A call on these requests failed: the first that may be the cause says whose error it is.
    fn blame(&self, words: &[u32]) {
        let first = words.iter().find_map(|&word| self.requests.made.with(word, |pending| pending.origin));
        self.requests.blame.set(first);
    }

    /// Reads the requests of a call, and finds the library's.
    fn requests_of(&self, at: Addr, count: c_int) -> Result<Several> {
        let words = self.short_words(at, i64::from(count), "array_of_requests")?;
        let hosts = self.requests.made.hosts(&words, "array_of_requests")?;
        Ok(Several { words, hosts })
    }

    /// Drops the requests that the library has made null, and tells the guest.
    fn settle(&self, at: Addr, several: &Several) -> Result<()> {
        let requests = || several.words.iter().copied().zip(&several.hosts).enumerate();
        let is_gone = |word: u32, host: usize| host == NULL && word != Request::NULL.0;
        let gone = || requests().filter_map(|(index, (word, &host))| is_gone(word, host).then_some((index, word)));
        for (index, _) in gone() {
            self.put_word(Addr(at.0 + 4 * index as u32), Request::NULL.0, "array_of_requests")?;
        }
        let unfinished = self.requests.made.remove_all(gone().map(|(_, word)| word), |pending| pending.more.is_some());
        let mut outcome = Ok(());
        for pending in unfinished {
            // All of them, whatever becomes of one.
            outcome = outcome.and(self.conclude(pending));
        }
        outcome
    }
}

/// Ends a call on one request: what the library made of the request, and of the status.
fn settle_one(r: &Rank, w: &Words<'_>, word: u32, host: usize, code: c_int) -> Result<()> {
    if code != MPI_SUCCESS {
        r.blame(&[word]);
    }
    let mut done = Ok(());
    if host == NULL && word != Request::NULL.0 {
        r.put_word(w.addr(0), Request::NULL.0, "request")?;
        done = r.complete(word);
    }
    r.check(code).and(done)
}

/// `MPI_Wait`
pub(in crate::mpi) fn wait(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let word = r.get_word(w.addr(0), "request")?;
    let mut host = r.request(word, "request")?;
    let mut status = r.status_out(w.addr(1), "status")?;
    let call = r.symbol::<symbols::MPI_Wait>()?;
    // SAFETY: see `mpi::shim`.
    let code = unsafe { call(&mut host, status.pointer()) };
    r.put_status(&status);
    settle_one(r, w, word, host, code)
}

/// `MPI_Test`
pub(in crate::mpi) fn test(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let word = r.get_word(w.addr(0), "request")?;
    let mut host = r.request(word, "request")?;
    r.room(w.addr(1), 4, "flag")?;
    let mut status = r.status_out(w.addr(2), "status")?;
    let (call, mut flag) = (r.symbol::<symbols::MPI_Test>()?, 0);
    // SAFETY: see `mpi::shim`.
    let code = unsafe { call(&mut host, &mut flag, status.pointer()) };
    r.put_int(w.addr(1), flag, "flag")?;
    if flag != 0 || code != MPI_SUCCESS {
        r.put_status(&status);
    }
    settle_one(r, w, word, host, code)
}

/// `MPI_Waitany`
pub(in crate::mpi) fn waitany(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let mut requests = r.requests_of(w.addr(1), w.int(0))?;
    r.room(w.addr(2), 4, "indx")?;
    let mut status = r.status_out(w.addr(3), "status")?;
    let (call, mut index) = (r.symbol::<symbols::MPI_Waitany>()?, MPI_UNDEFINED);
    // SAFETY: see `mpi::shim`.
    let code = unsafe { call(w.int(0), requests.hosts.as_mut_ptr(), &mut index, status.pointer()) };
    if code != MPI_SUCCESS {
        r.blame(requests.one_or_all(index));
    }
    r.put_int(w.addr(2), index, "indx")?;
    r.put_status(&status);
    r.settle(w.addr(1), &requests)?;
    r.check(code)
}

/// `MPI_Testany`
pub(in crate::mpi) fn testany(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let mut requests = r.requests_of(w.addr(1), w.int(0))?;
    r.room(w.addr(2), 4, "indx")?;
    r.room(w.addr(3), 4, "flag")?;
    let mut status = r.status_out(w.addr(4), "status")?;
    let (call, mut index, mut flag) = (r.symbol::<symbols::MPI_Testany>()?, MPI_UNDEFINED, 0);
    // SAFETY: see `mpi::shim`.
    let code = unsafe { call(w.int(0), requests.hosts.as_mut_ptr(), &mut index, &mut flag, status.pointer()) };
    if code != MPI_SUCCESS {
        r.blame(requests.one_or_all(index));
    }
    r.put_int(w.addr(2), index, "indx")?;
    r.put_int(w.addr(3), flag, "flag")?;
    if flag != 0 || code != MPI_SUCCESS {
        r.put_status(&status);
    }
    r.settle(w.addr(1), &requests)?;
    r.check(code)
}

/// `MPI_Waitall`
pub(in crate::mpi) fn waitall(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let mut requests = r.requests_of(w.addr(1), w.int(0))?;
    let statuses = r.statuses_out(w.addr(2), i64::from(w.int(0)), "array_of_statuses")?;
    let call = r.symbol::<symbols::MPI_Waitall>()?;
    // SAFETY: see `mpi::shim`.
    let code = unsafe { call(w.int(0), requests.hosts.as_mut_ptr(), statuses) };
    finish_all(r, w, code, &requests, 2)
}

/// `MPI_Testall`
pub(in crate::mpi) fn testall(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let mut requests = r.requests_of(w.addr(1), w.int(0))?;
    r.room(w.addr(2), 4, "flag")?;
    let statuses = r.statuses_out(w.addr(3), i64::from(w.int(0)), "array_of_statuses")?;
    let (call, mut flag) = (r.symbol::<symbols::MPI_Testall>()?, 0);
    // SAFETY: see `mpi::shim`.
    let code = unsafe { call(w.int(0), requests.hosts.as_mut_ptr(), &mut flag, statuses) };
    r.put_int(w.addr(2), flag, "flag")?;
    finish_all(r, w, code, &requests, 3)
}

/// The end of a call that completes all of its requests.
fn finish_all(r: &Rank, w: &Words<'_>, code: c_int, requests: &Several, statuses: usize) -> Result<()> {
    if code != MPI_SUCCESS {
        let statuses = w.addr(statuses);
        let failed = |&index: &usize| !statuses.is_null() && r.error_of(statuses, index) != MPI_SUCCESS;
        let cause = (0..requests.words.len()).find(failed);
        r.blame(requests.one_or_all(cause.map_or(MPI_UNDEFINED, |index| index as c_int)));
    }
    r.settle(w.addr(1), requests)?;
    r.check(code)
}

/// `MPI_Waitsome`
pub(in crate::mpi) fn waitsome(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    some(r, w, r.symbol::<symbols::MPI_Waitsome>()?)
}

/// `MPI_Testsome`
pub(in crate::mpi) fn testsome(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    some(r, w, r.symbol::<symbols::MPI_Testsome>()?)
}

/// The type of `MPI_Waitsome` and `MPI_Testsome`.
type Some = unsafe extern "C" fn(c_int, *mut usize, *mut c_int, *mut c_int, *mut Status) -> c_int;

fn some(r: &Rank, w: &Words<'_>, call: Some) -> Result<()> {
    let mut requests = r.requests_of(w.addr(1), w.int(0))?;
    let mut indices = r.short_words(w.addr(3), i64::from(w.int(0)), "array_of_indices")?;
    let statuses = r.statuses_out(w.addr(4), i64::from(w.int(0)), "array_of_statuses")?;
    r.room(w.addr(2), 4, "outcount")?;
    let mut done = MPI_UNDEFINED;
    // SAFETY: see `mpi::shim`.
    let code = unsafe { call(w.int(0), requests.hosts.as_mut_ptr(), &mut done, indices.as_mut_ptr().cast(), statuses) };
    if code != MPI_SUCCESS {
        r.blame(requests.one_or_all(indices.first().map_or(MPI_UNDEFINED, |&index| index as c_int)));
    }
    r.put_int(w.addr(2), done, "outcount")?;
    let count = usize::try_from(done).unwrap_or(0).min(indices.len());
    r.put_words(w.addr(3), &indices[..count], "array_of_indices")?;
    r.settle(w.addr(1), &requests)?;
    r.check(code)
}

/// `MPI_Request_get_status`
pub(in crate::mpi) fn request_get_status(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let host = r.request(w.word(0), "request")?;
    r.room(w.addr(1), 4, "flag")?;
    let mut status = r.status_out(w.addr(2), "status")?;
    let (call, mut flag) = (r.symbol::<symbols::MPI_Request_get_status>()?, 0);
    // SAFETY: see `mpi::shim`.
    let code = unsafe { call(host, &mut flag, status.pointer()) };
    r.put_int(w.addr(1), flag, "flag")?;
    if flag != 0 || code != MPI_SUCCESS {
        r.put_status(&status);
    }
    r.check(code)
}

/// `MPI_Request_get_status_any`
pub(in crate::mpi) fn request_get_status_any(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let requests = r.requests_of(w.addr(1), w.int(0))?;
    r.room(w.addr(2), 4, "indx")?;
    r.room(w.addr(3), 4, "flag")?;
    let mut status = r.status_out(w.addr(4), "status")?;
    let (call, mut index, mut flag) = (r.symbol::<symbols::MPI_Request_get_status_any>()?, MPI_UNDEFINED, 0);
    // SAFETY: see `mpi::shim`.
    let code = unsafe { call(w.int(0), requests.hosts.as_ptr(), &mut index, &mut flag, status.pointer()) };
    r.check(code)?;
    r.put_int(w.addr(2), index, "indx")?;
    r.put_int(w.addr(3), flag, "flag")?;
    if flag != 0 {
        r.put_status(&status);
    }
    Ok(())
}

/// `MPI_Request_get_status_all`
pub(in crate::mpi) fn request_get_status_all(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let requests = r.requests_of(w.addr(1), w.int(0))?;
    r.room(w.addr(2), 4, "flag")?;
    let statuses = r.statuses_out(w.addr(3), i64::from(w.int(0)), "array_of_statuses")?;
    let (call, mut flag) = (r.symbol::<symbols::MPI_Request_get_status_all>()?, 0);
    // SAFETY: see `mpi::shim`.
    let code = unsafe { call(w.int(0), requests.hosts.as_ptr(), &mut flag, statuses) };
    r.check(code)?;
    r.put_int(w.addr(2), flag, "flag")
}

/// `MPI_Request_get_status_some`
pub(in crate::mpi) fn request_get_status_some(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let requests = r.requests_of(w.addr(1), w.int(0))?;
    let mut indices = r.short_words(w.addr(3), i64::from(w.int(0)), "array_of_indices")?;
    let statuses = r.statuses_out(w.addr(4), i64::from(w.int(0)), "array_of_statuses")?;
    r.room(w.addr(2), 4, "outcount")?;
    let (call, mut done) = (r.symbol::<symbols::MPI_Request_get_status_some>()?, MPI_UNDEFINED);
    // SAFETY: see `mpi::shim`.
    let code = unsafe { call(w.int(0), requests.hosts.as_ptr(), &mut done, indices.as_mut_ptr().cast(), statuses) };
    r.check(code)?;
    r.put_int(w.addr(2), done, "outcount")?;
    let count = usize::try_from(done).unwrap_or(0).min(indices.len());
    r.put_words(w.addr(3), &indices[..count], "array_of_indices")
}

/// `MPI_Request_free`: the operation may go on, so what it needs is kept.
pub(in crate::mpi) fn request_free(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let word = r.get_word(w.addr(0), "request")?;
    let mut host = r.request(word, "request")?;
    let call = r.symbol::<symbols::MPI_Request_free>()?;
    // SAFETY: see `mpi::shim`.
    let code = unsafe { call(&mut host) };
    r.check(code)?;
    let awaited = r.requests.made.change(word, |pending| match pending.then_mut() {
        Some(Then::Generalised { completed: false, freed }) => {
            *freed = true;
            true
        }
        _ => false,
    });
    if awaited == Some(true) {
        return r.put_word(w.addr(0), Request::NULL.0, "request");
    }
    if let Some(Pending { more: Some(more), .. }) = r.requests.made.remove(word) {
        r.requests.given_up.borrow_mut().push(*more);
    }
    r.put_word(w.addr(0), Request::NULL.0, "request")
}

/// `MPI_Start`
pub(in crate::mpi) fn start(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let word = r.get_word(w.addr(0), "request")?;
    let mut host = persistent(r, word)?;
    let call = r.symbol::<symbols::MPI_Start>()?;
    // SAFETY: see `mpi::shim`.
    let code = unsafe { call(&mut host) };
    if code != MPI_SUCCESS {
        r.blame(&[word]);
    }
    r.check(code)
}

/// `MPI_Startall`
pub(in crate::mpi) fn startall(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let words = r.words(w.addr(1), i64::from(w.int(0)), "array_of_requests")?;
    let mut hosts: Vec<usize> = words.iter().map(|&word| persistent(r, word)).collect::<Result<_>>()?;
    let call = r.symbol::<symbols::MPI_Startall>()?;
    // SAFETY: see `mpi::shim`.
    let code = unsafe { call(w.int(0), hosts.as_mut_ptr()) };
    if code != MPI_SUCCESS {
        r.blame(&words);
    }
    r.check(code)
}

/// A request that can be started.
fn persistent(r: &Rank, word: u32) -> Result<usize> {
    let host = r.request(word, "request")?;
    match r.requests.made.with(word, |pending| pending.persistent) {
        Some(false) => Err(Error::new(MPI_ERR_REQUEST, format!("{word:#x} is not a persistent request"))),
        _ => Ok(host),
    }
}

/// The functions of a generalised request, and their state, all of them the guest's.
struct Generalised {
    query: u32,
    free: u32,
    cancel: u32,
    extra_state: i32,
}

/// `MPI_Grequest_start`
pub(in crate::mpi) fn grequest_start(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    r.room(w.addr(4), 4, "request")?;
    let functions =
        Box::new(Generalised { query: w.word(0), free: w.word(1), cancel: w.word(2), extra_state: w.int(3) });
    let call = r.symbol::<symbols::MPI_Grequest_start>()?;
    let (state, mut request) = (Box::into_raw(functions), 0);
    let code = {
        let (query, free, cancel) = (query as *const c_void, free as *const c_void, cancel as *const c_void);
        // SAFETY: the functions have the types that the standard asks for, and the state lives until `free` is called.
        unsafe { call(query, free, cancel, state.cast(), &mut request) }
    };
    if code != MPI_SUCCESS {
        // SAFETY: the library has not taken it.
        drop(unsafe { Box::from_raw(state) });
    }
    r.check(code)?;
    let pending = Pending::new(Origin::Comm(Comm::SELF.0), false, ());
    let pending = pending.then(Then::Generalised { completed: false, freed: false });
    r.put_request(w.addr(4), request, pending, "request")
}

/// `MPI_Grequest_complete`
pub(in crate::mpi) fn grequest_complete(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let (word, call) = (w.word(0), r.symbol::<symbols::MPI_Grequest_complete>()?);
    let host = r.request(word, "request")?;
    let freed = r.requests.made.change(word, |pending| match pending.then_mut() {
        Some(Then::Generalised { completed, freed }) => {
            *completed = true;
            Some(*freed)
        }
        _ => None,
    });
    let Some(Some(freed)) = freed else {
        return Err(Error::new(MPI_ERR_REQUEST, format!("{word:#x} is not a generalised request")));
    };
    // SAFETY: see `mpi::shim`.
    r.check(unsafe { call(host) })?;
    if freed {
        r.requests.made.remove(word);
    }
    Ok(())
}

/// The code that a callback hands to the library when the guest can't answer: it is on its way out.
const CANNOT: c_int = rankine_abi::MPI_ERR_OTHER;

/// The library asks for the status of a generalised request.
unsafe extern "C" fn query(state: *mut c_void, status: *mut Status) -> c_int {
    // SAFETY: the library calls it within a call of this thread's rank, with the state and a status of its own.
    let (r, functions, status) = unsafe { (Rank::current(), &*state.cast::<Generalised>(), &mut *status) };
    let answer = r.with_scratch(32, |at| {
        r.put_whole_status(at, status, "status").ok()?;
        let answer = r.call_guest(functions.query, &[functions.extra_state, at.0 as i32])?;
        *status = r.status_in(at, "status").ok()?;
        Some(answer)
    });
    answer.unwrap_or(CANNOT)
}

/// The library has no more use for a generalised request.
unsafe extern "C" fn free(state: *mut c_void) -> c_int {
    // SAFETY: as in `query`; this is the last call with the state.
    let (r, functions) = unsafe { (Rank::current(), Box::from_raw(state.cast::<Generalised>())) };
    r.call_guest(functions.free, &[functions.extra_state]).unwrap_or(CANNOT)
}

/// The program cancels a generalised request.
unsafe extern "C" fn cancel(state: *mut c_void, complete: c_int) -> c_int {
    // SAFETY: as in `query`.
    let (r, functions) = unsafe { (Rank::current(), &*state.cast::<Generalised>()) };
    r.call_guest(functions.cancel, &[functions.extra_state, complete]).unwrap_or(CANNOT)
}
