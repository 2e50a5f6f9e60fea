//! Generalised requests (MPI-5.0 §13.2): operations of the program's own, which it completes.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

use rankine_abi::{Addr, Comm, Kept, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_ERR_REQUEST, Request};
use rankine_guest::{Error, copy};

use super::{Kind, Pending, Several, Then};
use crate::Result;
use crate::call::words::{ERROR, Status};
use crate::generated::symbols;
use crate::rank::Rank;

/// The functions of a generalised request, and their state, all of them the guest's.
struct Generalised {
    query: u32,
    free: u32,
    cancel: u32,
    extra_state: Kept,
}

/// The generalised requests that the library knows, by the number that it is given as their state.
#[derive(Default)]
pub(crate) struct Registry {
    last: Cell<usize>,
    known: RefCell<HashMap<usize, Rc<Generalised>>>,
}

impl Registry {
    fn add(&self, functions: Generalised) -> *mut c_void {
        self.last.set(self.last.get() + 1);
        self.known.borrow_mut().insert(self.last.get(), Rc::new(functions));
        std::ptr::without_provenance_mut(self.last.get())
    }

    /// Whether the library may ask for the status of one.
    #[inline]
    pub(crate) fn has_any(&self) -> bool {
        !self.known.borrow().is_empty()
    }

    fn get(&self, state: *mut c_void) -> Option<Rc<Generalised>> {
        self.known.borrow().get(&state.addr()).cloned()
    }

    fn remove(&self, state: *mut c_void) -> Option<Rc<Generalised>> {
        self.known.borrow_mut().remove(&state.addr())
    }
}

/// `MPI_Grequest_start`
pub(crate) fn grequest_start(
    r: &Rank,
    query_fn: u32,
    free_fn: u32,
    cancel_fn: u32,
    extra_state: Kept,
    request_at: Addr,
) -> Result<()> {
    r.room(request_at, r.word_bytes(), "request")?;
    let functions = Generalised { query: query_fn, free: free_fn, cancel: cancel_fn, extra_state };
    let call = r.symbol::<symbols::MPI_Grequest_start>()?;
    let (state, mut request) = (r.requests.generalised.add(functions), 0);
    let code = {
        let (query, free, cancel) = (query as *const c_void, free as *const c_void, cancel as *const c_void);
        // SAFETY: the functions have the types that the standard asks for; the state is a number.
        unsafe { call(query, free, cancel, state, &mut request) }
    };
    r.check(code).inspect_err(|_| drop(r.requests.generalised.remove(state)))?;
    let pending = Pending::new(Comm::SELF.into(), Kind::Message, ());
    let pending = pending.then(Then::Generalised { completed: false, freed: false });
    r.put_request(request_at, request, pending, "request")
}

/// `MPI_Grequest_complete`
pub(crate) fn grequest_complete(r: &Rank, request: u32) -> Result<()> {
    let call = r.symbol::<symbols::MPI_Grequest_complete>()?;
    let host = r.requests.made.host(request, "request")?;
    let is_first = r.requests.made.change(request, |pending| match pending.then_mut() {
        Some(Then::Generalised { completed, freed }) if !*completed => {
            *completed = true;
            Some(*freed)
        }
        _ => None,
    });
    let Some(Some(freed)) = is_first else {
        let text = format!("{request:#x} is not a generalised request, or the program has completed it before");
        return Err(Error::new(MPI_ERR_REQUEST, text));
    };
    // SAFETY: a generalised request of this rank's, which is not complete yet.
    r.check(unsafe { call(host) })?;
    if freed {
        r.requests.made.remove(request);
    }
    Ok(())
}

impl Rank {
    /// MPICH 5 ends the process in `MPI_Waitall` if a generalised request that is not complete stands beside a null one.
    /// So such requests are completed first, by what the library calls meanwhile: the program itself waits.
    pub(super) fn await_generalised(&self, requests: &Several<'_>) -> Result<()> {
        if !requests.words.contains(&Request::NULL.0) {
            return Ok(());
        }
        let goes_on = |&word: &u32| self.requests.made.with(word, Pending::awaits_program).unwrap_or(false);
        while requests.words.iter().any(goes_on) {
            self.progress()?;
        }
        Ok(())
    }

    /// Lets the library do what it can do now.
    fn progress(&self) -> Result<()> {
        let (call, comm, mut flag) = (self.symbol::<symbols::MPI_Iprobe>()?, Comm::SELF.0 as usize, 0);
        let status = std::ptr::null_mut();
        // SAFETY: a constant of the ABI, a flag on the stack, and no status (`MPI_STATUS_IGNORE` is null).
        self.check(unsafe { call(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &mut flag, status) })?;
        std::thread::yield_now();
        Ok(())
    }
}

/// The code that a callback hands to the library when the guest can't answer: it is on its way out.
const CANNOT: c_int = rankine_abi::MPI_ERR_OTHER;

/// The library asks for the status of a generalised request.
unsafe extern "C" fn query(state: *mut c_void, status: *mut Status) -> c_int {
    // SAFETY: the library calls it within a call of this thread's rank, if there is one.
    let Some(r) = (unsafe { Rank::current() }) else { return CANNOT };
    let Some(functions) = r.requests.generalised.get(state) else { return CANNOT };
    let mut value: Status = [0; 8];
    // SAFETY: the library has room for a status there, whoever's that is: perhaps that of the call's caller, which lies in
    // the guest's memory, and which the guest may write while the bytes are copied.
    unsafe { copy::copy_small(value.as_mut_ptr().cast(), status.cast(), size_of::<Status>()) };
    let answer = r.with_scratch(32, |at| {
        r.put_whole_status(at, &value, "status").ok()?;
        let answer = r.call_guest(functions.query, r.arguments().kept(functions.extra_state).address(at))?;
        value = r.status_in(at, "status").ok()?;
        // A code that the guest leaves there is an answer too.
        value[ERROR] = r.answered_code(value[ERROR]);
        Some(answer)
    });
    if answer.is_some() {
        // SAFETY: the library gave room for a status, until this returns; nothing was borrowed from there while the guest ran.
        unsafe { copy::copy_small(status.cast(), value.as_ptr().cast(), size_of::<Status>()) };
    }
    answer.map_or(CANNOT, |code| r.answered_code(code))
}

/// The library has no more use for a generalised request.
unsafe extern "C" fn free(state: *mut c_void) -> c_int {
    // SAFETY: the library calls it within a call of this thread's rank, if there is one.
    let Some(r) = (unsafe { Rank::current() }) else { return CANNOT };
    let Some(functions) = r.requests.generalised.remove(state) else { return CANNOT };
    r.call_guest(functions.free, r.arguments().kept(functions.extra_state)).map_or(CANNOT, |code| r.answered_code(code))
}

/// The program cancels a generalised request.
unsafe extern "C" fn cancel(state: *mut c_void, complete: c_int) -> c_int {
    // SAFETY: the library calls it within a call of this thread's rank, if there is one.
    let Some(r) = (unsafe { Rank::current() }) else { return CANNOT };
    let Some(functions) = r.requests.generalised.get(state) else { return CANNOT };
    r.call_guest(functions.cancel, r.arguments().kept(functions.extra_state).int(complete))
        .map_or(CANNOT, |code| r.answered_code(code))
}
