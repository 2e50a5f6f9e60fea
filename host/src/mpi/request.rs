//! Requests: the library's, with what has to live until the operation is complete.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_void};

use rankine_abi::{Addr, Comm, MPI_ERR_REQUEST, MPI_SUCCESS, MPI_UNDEFINED, Request};
use rankine_local::Error;
use rankine_local::handle::Class;

use super::Result;
use super::generated::symbols;
use super::handle::{Handles, Hosted};
use super::objects::Arrival;
use super::rank::Rank;
use super::words::{Status, Words, statuses_pointer};

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
    then: Then,
    /// Arrays that the library may look into.
    kept: Box<dyn Any>,
}

impl Pending {
    pub(in crate::mpi) fn new(origin: Origin, persistent: bool, kept: impl Any) -> Pending {
        Pending { host: 0, origin, persistent, then: Then::Nothing, kept: Box::new(kept) }
    }

    pub(in crate::mpi) fn then(self, then: Then) -> Pending {
        Pending { then, ..self }
    }
}

impl Hosted for Pending {
    fn host(&self) -> usize {
        self.host
    }
}

/// The requests of this rank.
pub(super) struct State {
    made: Handles<Pending>,
    /// What the error that is about to be raised is about, where that is not the object of the call.
    blame: Cell<Option<Origin>>,
    /// What operations need whose requests the program has given up: they may still be under way.
    given_up: RefCell<Vec<Box<dyn Any>>>,
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
    pub(in crate::mpi) fn request(&self, word: u32, what: &str) -> Result<usize> {
        self.requests.made.host(word, what)
    }

    /// Whose error handler a request's errors go to.
    pub(super) fn origin_of(&self, word: u32) -> Origin {
        self.requests.made.with(word, |pending| pending.origin).unwrap_or(Origin::Myself)
    }

    /// Stores a new request.
    pub(in crate::mpi) fn put_request(&self, at: Addr, host: usize, pending: Pending, what: &str) -> Result<()> {
        let word = match host {
            NULL => Request::NULL.0,
            _ => self.requests.made.insert(Pending { host, ..pending })?,
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
    fn complete(&self, word: u32) -> Result<()> {
        let Some(Pending { then, origin, .. }) = self.requests.made.remove(word) else { return Ok(()) };
        match then {
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
    fn requests_of(&self, at: Addr, count: c_int) -> Result<(Vec<u32>, Vec<usize>)> {
        let words = self.words(at, i64::from(count), "array_of_requests")?;
        let hosts = words.iter().map(|&word| self.request(word, "array_of_requests")).collect::<Result<_>>()?;
        Ok((words, hosts))
    }

    /// Drops the requests that the library has made null, and tells the guest.
    fn settle(&self, at: Addr, words: &mut [u32], hosts: &[usize]) -> Result<()> {
        let mut outcome = Ok(());
        for (index, (word, &host)) in words.iter_mut().zip(hosts).enumerate() {
            if host == NULL && *word != Request::NULL.0 {
                let done = self.complete(std::mem::replace(word, Request::NULL.0));
                outcome = outcome.and(done);
                self.put_word(Addr(at.0 + 4 * index as u32), *word, "array_of_requests")?;
            }
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
    let (mut words, mut hosts) = r.requests_of(w.addr(1), w.int(0))?;
    r.room(w.addr(2), 4, "indx")?;
    let mut status = r.status_out(w.addr(3), "status")?;
    let (call, mut index) = (r.symbol::<symbols::MPI_Waitany>()?, MPI_UNDEFINED);
    // SAFETY: see `mpi::shim`.
    let code = unsafe { call(w.int(0), hosts.as_mut_ptr(), &mut index, status.pointer()) };
    if code != MPI_SUCCESS {
        r.blame(words.get(index as usize).map_or(&words[..], std::slice::from_ref));
    }
    r.put_int(w.addr(2), index, "indx")?;
    r.put_status(&status);
    r.settle(w.addr(1), &mut words, &hosts)?;
    r.check(code)
}

/// `MPI_Testany`
pub(in crate::mpi) fn testany(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let (mut words, mut hosts) = r.requests_of(w.addr(1), w.int(0))?;
    r.room(w.addr(2), 4, "indx")?;
    r.room(w.addr(3), 4, "flag")?;
    let mut status = r.status_out(w.addr(4), "status")?;
    let (call, mut index, mut flag) = (r.symbol::<symbols::MPI_Testany>()?, MPI_UNDEFINED, 0);
    // SAFETY: see `mpi::shim`.
    let code = unsafe { call(w.int(0), hosts.as_mut_ptr(), &mut index, &mut flag, status.pointer()) };
    if code != MPI_SUCCESS {
        r.blame(words.get(index as usize).map_or(&words[..], std::slice::from_ref));
    }
    r.put_int(w.addr(2), index, "indx")?;
    r.put_int(w.addr(3), flag, "flag")?;
    if flag != 0 || code != MPI_SUCCESS {
        r.put_status(&status);
    }
    r.settle(w.addr(1), &mut words, &hosts)?;
    r.check(code)
}

/// `MPI_Waitall`
pub(in crate::mpi) fn waitall(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let (mut words, mut hosts) = r.requests_of(w.addr(1), w.int(0))?;
    let mut statuses = r.statuses(w.addr(2), i64::from(w.int(0)), "array_of_statuses")?;
    let call = r.symbol::<symbols::MPI_Waitall>()?;
    // SAFETY: see `mpi::shim`.
    let code = unsafe { call(w.int(0), hosts.as_mut_ptr(), statuses_pointer(&mut statuses)) };
    finish_all(r, w, code, (&mut words, &hosts), &statuses, 2)
}

/// `MPI_Testall`
pub(in crate::mpi) fn testall(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let (mut words, mut hosts) = r.requests_of(w.addr(1), w.int(0))?;
    r.room(w.addr(2), 4, "flag")?;
    let mut statuses = r.statuses(w.addr(3), i64::from(w.int(0)), "array_of_statuses")?;
    let (call, mut flag) = (r.symbol::<symbols::MPI_Testall>()?, 0);
    // SAFETY: see `mpi::shim`.
    let code = unsafe { call(w.int(0), hosts.as_mut_ptr(), &mut flag, statuses_pointer(&mut statuses)) };
    r.put_int(w.addr(2), flag, "flag")?;
    finish_all(r, w, code, (&mut words, &hosts), &statuses, 3)
}

/// The end of a call that completes all of its requests.
fn finish_all(
    r: &Rank,
    w: &Words<'_>,
    code: c_int,
    (words, hosts): (&mut [u32], &[usize]),
    statuses: &Option<Vec<Status>>,
    at: usize,
) -> Result<()> {
    if code != MPI_SUCCESS {
        let failed = |(word, status): (&u32, &Status)| (status[2] != MPI_SUCCESS).then_some(*word);
        let cause = statuses.as_ref().and_then(|statuses| words.iter().zip(statuses).find_map(failed));
        r.blame(cause.as_ref().map_or(words, std::slice::from_ref));
    }
    r.put_statuses(w.addr(at), statuses, "array_of_statuses")?;
    r.settle(w.addr(1), words, hosts)?;
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
    let (mut words, mut hosts) = r.requests_of(w.addr(1), w.int(0))?;
    let mut indices = r.ints(w.addr(3), i64::from(w.int(0)), "array_of_indices")?;
    let mut statuses = r.statuses(w.addr(4), i64::from(w.int(0)), "array_of_statuses")?;
    r.room(w.addr(2), 4, "outcount")?;
    let mut done = MPI_UNDEFINED;
    // SAFETY: see `mpi::shim`.
    let code =
        unsafe { call(w.int(0), hosts.as_mut_ptr(), &mut done, indices.as_mut_ptr(), statuses_pointer(&mut statuses)) };
    if code != MPI_SUCCESS {
        let first = indices.first().and_then(|&index| words.get(index as usize));
        r.blame(first.map_or(&words[..], std::slice::from_ref));
    }
    r.put_int(w.addr(2), done, "outcount")?;
    let count = usize::try_from(done).unwrap_or(0).min(indices.len());
    r.put_ints(w.addr(3), &indices[..count], "array_of_indices")?;
    if let Some(statuses) = &mut statuses {
        statuses.truncate(count);
    }
    r.put_statuses(w.addr(4), &statuses, "array_of_statuses")?;
    r.settle(w.addr(1), &mut words, &hosts)?;
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
    let (_, hosts) = r.requests_of(w.addr(1), w.int(0))?;
    r.room(w.addr(2), 4, "indx")?;
    r.room(w.addr(3), 4, "flag")?;
    let mut status = r.status_out(w.addr(4), "status")?;
    let (call, mut index, mut flag) = (r.symbol::<symbols::MPI_Request_get_status_any>()?, MPI_UNDEFINED, 0);
    // SAFETY: see `mpi::shim`.
    let code = unsafe { call(w.int(0), hosts.as_ptr(), &mut index, &mut flag, status.pointer()) };
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
    let (_, hosts) = r.requests_of(w.addr(1), w.int(0))?;
    r.room(w.addr(2), 4, "flag")?;
    let mut statuses = r.statuses(w.addr(3), i64::from(w.int(0)), "array_of_statuses")?;
    let (call, mut flag) = (r.symbol::<symbols::MPI_Request_get_status_all>()?, 0);
    // SAFETY: see `mpi::shim`.
    let code = unsafe { call(w.int(0), hosts.as_ptr(), &mut flag, statuses_pointer(&mut statuses)) };
    r.check(code)?;
    r.put_int(w.addr(2), flag, "flag")?;
    r.put_statuses(w.addr(3), &statuses, "array_of_statuses")
}

/// `MPI_Request_get_status_some`
pub(in crate::mpi) fn request_get_status_some(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let (_, hosts) = r.requests_of(w.addr(1), w.int(0))?;
    let mut indices = r.ints(w.addr(3), i64::from(w.int(0)), "array_of_indices")?;
    let mut statuses = r.statuses(w.addr(4), i64::from(w.int(0)), "array_of_statuses")?;
    r.room(w.addr(2), 4, "outcount")?;
    let (call, mut done) = (r.symbol::<symbols::MPI_Request_get_status_some>()?, MPI_UNDEFINED);
    let statuses_at = statuses_pointer(&mut statuses);
    // SAFETY: see `mpi::shim`.
    let code = unsafe { call(w.int(0), hosts.as_ptr(), &mut done, indices.as_mut_ptr(), statuses_at) };
    r.check(code)?;
    r.put_int(w.addr(2), done, "outcount")?;
    let count = usize::try_from(done).unwrap_or(0).min(indices.len());
    r.put_ints(w.addr(3), &indices[..count], "array_of_indices")?;
    if let Some(statuses) = &mut statuses {
        statuses.truncate(count);
    }
    r.put_statuses(w.addr(4), &statuses, "array_of_statuses")
}

/// `MPI_Request_free`: the operation may go on, so what it needs is kept.
pub(in crate::mpi) fn request_free(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let word = r.get_word(w.addr(0), "request")?;
    let mut host = r.request(word, "request")?;
    let call = r.symbol::<symbols::MPI_Request_free>()?;
    // SAFETY: see `mpi::shim`.
    let code = unsafe { call(&mut host) };
    r.check(code)?;
    let awaited = r.requests.made.change(word, |pending| match &mut pending.then {
        Then::Generalised { completed: false, freed } => {
            *freed = true;
            true
        }
        _ => false,
    });
    if awaited == Some(true) {
        return r.put_word(w.addr(0), Request::NULL.0, "request");
    }
    if let Some(pending) = r.requests.made.remove(word)
        && size_of_val(&*pending.kept) > 0
    {
        r.requests.given_up.borrow_mut().push(pending.kept);
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
    let freed = r.requests.made.change(word, |pending| match &mut pending.then {
        Then::Generalised { completed, freed } => {
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
