//! Requests: the library's, with what has to live until the operation is complete.

pub(crate) mod complete;
pub(crate) mod generalised;
pub(crate) mod kind;
mod listing;

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ffi::c_int;

use rankine_abi::{Addr, MPI_ERR_REQUEST, MPI_SUCCESS, Request};
use rankine_guest::handle::Class;
use rankine_guest::{Error, Whose};
use smallvec::SmallVec;

use super::Result;
use super::call::handle::{Handles, Hosted};
use super::call::keeping::Keeping;
use super::generated::symbols;
use super::pt2pt::own::Own;
use super::pt2pt::part::Ready;
use super::rank::Rank;
use generalised::Registry;
pub(crate) use kind::Kind;
use listing::{Calls, Listing};

/// What is to be done when an operation is complete.
pub(crate) enum Then {
    Nothing,
    /// A communicator has been made, whose handle the library has written to the cell.
    Comm {
        word: u32,
        cell: Box<usize>,
    },
    /// Objects have come, which are still to be built.
    Objects(Box<dyn Arrives>),
    /// The program hears of this error: the rank has taken part in a collective without what it came with.
    Refused(Error),
    /// It is a generalised request, which the program completes: its handle serves for that even after it was freed.
    Generalised {
        completed: bool,
        freed: bool,
    },
}

/// A message of objects that a nonblocking receive waits for.
pub trait Arrives {
    /// `MPI_Cancel` is asked to.
    fn cancel(&mut self);

    /// The receive is complete: builds what has come.
    fn complete(self: Box<Self>, r: &Rank) -> Result<()>;
}

/// An operation that goes on.
pub struct Pending {
    host: usize,
    whose: Whose,
    pub(crate) kind: Kind,
    /// The last call that it was an argument of (see [`Listing`]).
    listed: Cell<u64>,
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
    /// A message in a communicator, with what it needs until it is complete.
    pub fn message(comm: u32, kept: impl Any) -> Pending {
        Pending::new(rankine_abi::Comm(comm).into(), Kind::Message, kept)
    }

    /// A message of objects, which are built when it has come.
    pub fn arrival(comm: u32, arrival: Box<dyn Arrives>) -> Pending {
        Pending::message(comm, ()).then(Then::Objects(arrival))
    }

    #[inline]
    pub(crate) fn new<Kept: Any>(whose: Whose, kind: Kind, kept: Kept) -> Pending {
        let more = (size_of::<Kept>() > 0).then(|| Box::new(More { then: Then::Nothing, kept: Box::new(kept) }));
        Pending { host: 0, whose, kind, listed: Cell::new(0), more }
    }

    pub(crate) fn then(self, then: Then) -> Pending {
        let kept = self.more.map_or_else(|| Box::new(()) as Box<dyn Any>, |more| more.kept);
        Pending { more: Some(Box::new(More { then, kept })), ..self }
    }

    /// With the buffers of a message to the rank itself, if it is one.
    #[inline]
    pub(crate) fn own(self, own: Option<Own>) -> Pending {
        match own {
            None => self,
            Some(own) => Pending { more: Some(Box::new(More { then: Then::Nothing, kept: Box::new(own) })), ..self },
        }
    }

    /// The buffers of a message to the rank itself.
    #[inline]
    fn as_own(&self) -> Option<&Own> {
        self.kept()
    }

    /// What it was made with, if it is of this type.
    #[inline]
    pub(crate) fn kept<Kept: Any>(&self) -> Option<&Kept> {
        self.more.as_ref()?.kept.downcast_ref()
    }

    /// Nothing but `MPI_Grequest_complete` may name a generalised request that was freed.
    #[inline]
    fn is_freed(&self) -> bool {
        self.more.as_ref().is_some_and(|more| matches!(more.then, Then::Generalised { freed: true, .. }))
    }

    /// It is a generalised request, which the program has yet to complete.
    fn awaits_program(&self) -> bool {
        self.more.as_ref().is_some_and(|more| matches!(more.then, Then::Generalised { completed: false, .. }))
    }

    /// What is to be done when it is complete.
    pub(crate) fn then_mut(&mut self) -> Option<&mut Then> {
        self.more.as_mut().map(|more| &mut more.then)
    }
}

/// The requests of a call on several of them. Few need no memory.
struct Several<'a> {
    _listing: Listing<'a>,
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

impl Several<'_> {
    /// The word at an index that the library gave, or all if it is none.
    fn one_or_all(&self, index: c_int) -> &[u32] {
        let one = usize::try_from(index).ok().and_then(|index| self.words.get(index));
        one.map_or(&self.words[..], std::slice::from_ref)
    }
}

/// What failed here when an operation was complete for the library.
struct Failed {
    /// The request's, in the array of the call.
    index: usize,
    whose: Whose,
    error: Error,
}

/// The requests of this rank.
pub(crate) struct State {
    pub(crate) made: Handles<Pending>,
    /// What the error that is about to be raised is about, where that is not the object of the call.
    blame: Cell<Option<Whose>>,
    calls: Calls,
    /// Operations whose requests the program has given up, with what they need: they may still be under way.
    given_up: RefCell<VecDeque<Pending>>,
    pub(crate) generalised: Registry,
}

impl State {
    pub(crate) fn new(keeping: &Keeping) -> State {
        let null = Request::NULL.0;
        let made =
            Handles::new(keeping, (Class::Request, null), MPI_ERR_REQUEST, "request", |word| Request(word).name());
        State {
            made,
            blame: Cell::default(),
            calls: Calls::default(),
            given_up: RefCell::default(),
            generalised: Registry::default(),
        }
    }
}

impl State {
    /// Whose error it is, if a request said so.
    pub(crate) fn take_blame(&self) -> Option<Whose> {
        self.blame.take()
    }

    /// Puts back what was taken.
    pub(crate) fn put_blame(&self, blame: Option<Whose>) {
        self.blame.set(blame);
    }
}

const NULL: usize = Request::NULL.0 as usize;

/// Of the operations that the program has given up, how many are looked after when a request is made.
const SOME: usize = 4;

impl Rank {
    #[inline]
    pub(crate) fn request(&self, word: u32, what: &str) -> Result<usize> {
        self.request_if(word, what, |_| Ok(()))
    }

    /// A request that `look` has nothing against.
    #[inline]
    fn request_if(&self, word: u32, what: &str, look: impl FnOnce(&Pending) -> Result<()>) -> Result<usize> {
        let found = self.requests.made.with(word, |pending| match pending.is_freed() {
            true => Err(self.requests.made.unknown(word, what)),
            false => look(pending).map(|()| pending.host),
        });
        found.unwrap_or_else(|| self.requests.made.host(word, what))
    }

    /// Whose error handler a request's errors go to.
    pub(crate) fn whose_is(&self, word: u32) -> Whose {
        self.requests.made.with(word, |pending| pending.whose).unwrap_or(Whose::Myself)
    }

    /// A request that the call may complete, or none, and the call.
    #[inline]
    fn listed(&self, word: u32) -> Result<(usize, Listing<'_>)> {
        let listing = self.requests.calls.begin();
        if word == Request::NULL.0 {
            return Ok((NULL, listing));
        }
        let host = self.request_if(word, "request", |pending| listing.add(&pending.listed))?;
        Ok((host, listing))
    }

    /// A request that is about to be given up or started.
    #[inline]
    fn unlisted(&self, word: u32) -> Result<usize> {
        self.request_if(word, "request", |pending| self.requests.calls.may_end(&pending.listed))
    }

    /// Stores a new request.
    #[inline(always)]
    pub(crate) fn put_request(&self, at: Addr, host: usize, pending: Pending, what: &str) -> Result<()> {
        let Pending { whose, kind, more, .. } = pending;
        if more.is_some() {
            let word = self.new_request(host, Pending { more, ..Pending::new(whose, kind, ()) })?;
            return self.put_handle(at, word, what);
        }
        let word = match host {
            NULL => Request::NULL.0,
            _ => {
                let make = || Pending { host, whose, kind, listed: Cell::new(0), more: None };
                self.requests.made.insert_with(make)?
            }
        };
        self.put_handle(at, word, what)
    }

    /// A new request that needs more than a plain message, or that no address is known for yet. What the library may
    /// still use stays, even if there is no word for it.
    pub fn new_request(&self, host: usize, pending: Pending) -> Result<u32> {
        self.reclaim(SOME);
        let pending = Pending { host, ..pending };
        if host == NULL {
            return Ok(Request::NULL.0);
        }
        if let (Kind::PersistentMessage, Some(own)) = (pending.kind, pending.as_own()) {
            own.is_started_by(host);
        }
        self.requests.made.insert_or_give_back(pending).map_err(|(error, pending)| {
            self.requests.given_up.borrow_mut().push_back(pending);
            error
        })
    }

    /// Looks after the operations that the program has given up.
    pub(crate) fn look_after_all(&self) {
        self.reclaim(usize::MAX);
    }

    /// Looks after so many of the operations that the program has given up.
    fn reclaim(&self, most: usize) {
        let given_up = self.requests.given_up.borrow().len();
        for _ in 0..given_up.min(most) {
            let next = self.requests.given_up.borrow_mut().pop_front();
            if let Some(pending) = next
                && let Some(pending) = self.look_after(pending)
            {
                self.requests.given_up.borrow_mut().push_back(pending);
            }
        }
    }

    /// Ends an operation that the program has given up, if it is complete; otherwise it comes back.
    fn look_after(&self, mut pending: Pending) -> Option<Pending> {
        let (Ok(test), Ok(free)) = (self.symbol::<symbols::MPI_Test>(), self.symbol::<symbols::MPI_Request_free>())
        else {
            return Some(pending);
        };
        let mut flag = 0;
        // SAFETY: a request of the library's, and a result on the stack.
        let code = unsafe { test(&mut pending.host, &mut flag, std::ptr::null_mut()) };
        if code == MPI_SUCCESS && flag == 0 {
            return Some(pending);
        }
        if pending.host != NULL {
            // SAFETY: a request of the library's: a persistent one, which is inactive now.
            unsafe { free(&mut pending.host) };
        }
        if let Some(Then::Comm { word, cell }) = pending.more.map(|more| more.then) {
            self.complete_comm(word, *cell);
        }
        None
    }

    /// Leaves to the library what the program has given up: MPI is about to end.
    pub(crate) fn leave_requests(&self) {
        for pending in self.requests.given_up.take() {
            // What is not complete yet may use its memory until the process ends.
            std::mem::forget(self.look_after(pending));
        }
    }

    /// An operation is complete, and its request gone.
    #[inline]
    fn complete(&self, word: u32) -> Result<()> {
        match self.requests.made.remove(word) {
            Some(pending) if pending.more.is_some() => {
                self.conclude(0, pending).map_or(Ok(()), |failed| Err(self.blamed(failed)))
            }
            _ => Ok(()),
        }
    }

    /// What is left to do for an operation that is complete, and what fails of it.
    fn conclude(&self, index: usize, Pending { more, whose, .. }: Pending) -> Option<Failed> {
        let error = match more.map_or(Then::Nothing, |more| more.then) {
            Then::Nothing | Then::Generalised { .. } => return None,
            Then::Comm { word, cell } => {
                self.complete_comm(word, *cell);
                return None;
            }
            Then::Refused(error) => error,
            Then::Objects(arrival) => arrival.complete(self).err()?,
        };
        Some(Failed { index, whose, error })
    }

    /// The error of a call on one request, which says whose it is.
    fn blamed(&self, Failed { whose, error, .. }: Failed) -> Error {
        self.requests.blame.set(Some(whose));
        error
    }

    /// A call on these requests failed: the first that may be the cause says whose error it is.
    fn blame(&self, words: &[u32]) {
        let first = words.iter().find_map(|&word| self.requests.made.with(word, |pending| pending.whose));
        self.requests.blame.set(first);
    }

    /// Reads the requests of a call, and finds the library's.
    fn requests_of(&self, at: Addr, count: c_int) -> Result<Several<'_>> {
        let words = self.short_handles(at, i64::from(count), "array_of_requests")?;
        let listing = self.requests.calls.begin();
        let look = |pending: &Pending, word| match pending.is_freed() {
            true => Err(self.requests.made.unknown(word, "array_of_requests")),
            false => listing.add(&pending.listed),
        };
        let hosts = self.requests.made.hosts(&words, "array_of_requests", look)?;
        Ok(Several { words, hosts, _listing: listing })
    }

    /// Drops the requests that the library has made null, and tells the guest. What fails of them, by their indices.
    fn settle(&self, at: Addr, several: &Several<'_>) -> Result<Vec<Failed>> {
        let requests = || several.words.iter().copied().zip(&several.hosts).enumerate();
        let is_gone = |word: u32, host: usize| host == NULL && word != Request::NULL.0;
        let gone = || requests().filter_map(|(index, (word, &host))| is_gone(word, host).then_some((index, word)));
        for (index, _) in gone() {
            self.put_handle(at.plus(self.word_bytes() * index as u64), Request::NULL.0, "array_of_requests")?;
        }
        let unfinished = self.requests.made.remove_all(gone(), |pending| pending.more.is_some());
        // All of them, whatever becomes of one.
        Ok(unfinished.into_iter().filter_map(|(index, pending)| self.conclude(index, pending)).collect())
    }
}

/// `MPI_Request_free`: the operation may go on, so what it needs is kept, and with it the library's request, which tells
/// when it is complete. A generalised request is the program's to complete.
pub(crate) fn request_free(r: &Rank, request: Addr) -> Result<()> {
    let word = r.get_handle(request, "request")?;
    let mut host = r.unlisted(word)?;
    let is_kept = |pending: &mut Pending| match pending.then_mut() {
        Some(Then::Generalised { .. }) | None => false,
        Some(_) => true,
    };
    if r.requests.made.change(word, is_kept) == Some(true) {
        let kept = r.requests.made.remove(word);
        r.requests.given_up.borrow_mut().extend(kept);
        return r.put_handle(request, Request::NULL.0, "request");
    }
    let call = r.symbol::<symbols::MPI_Request_free>()?;
    // SAFETY: a request that no call has listed; what the operation still needs stays in its slot.
    let code = unsafe { call(&mut host) };
    r.check(code)?;
    let awaited = r.requests.made.change(word, |pending| match pending.then_mut() {
        Some(Then::Generalised { completed: false, freed }) => {
            *freed = true;
            true
        }
        _ => false,
    });
    if awaited != Some(true) {
        r.requests.made.remove(word);
    }
    r.put_handle(request, Request::NULL.0, "request")
}

/// `MPI_Cancel`
pub(crate) fn cancel(r: &Rank, request: Addr) -> Result<()> {
    let word = r.get_handle(request, "request")?;
    let mut host = r.request(word, "request")?;
    r.kind_of(word, "request")?.can_be_cancelled()?;
    if r.threads.are_several() {
        // The library may free it while it is cancelled.
        r.requests.made.with(word, |pending| r.requests.calls.may_end(&pending.listed)).unwrap_or(Ok(()))?;
    }
    r.requests.made.change(word, |pending| {
        if let Some(Then::Objects(arrival)) = pending.then_mut() {
            arrival.cancel();
        }
    });
    let call = r.symbol::<symbols::MPI_Cancel>()?;
    // SAFETY: a request of a kind that can be cancelled, which no other thread's call ends or frees meanwhile.
    r.check(r.keeping_turn(|| unsafe { call(&mut host) }))
}

/// `MPI_Start`
pub(crate) fn start(r: &Rank, request: Addr) -> Result<()> {
    let word = r.get_handle(request, "request")?;
    let persistent = persistent(r, word)?;
    // Nothing that another thread may free is given to the library without the turn.
    r.keeping_turn(|| start_one(r, word, &persistent))
}

/// `MPI_Startall`
pub(crate) fn startall(r: &Rank, count: i32, array_of_requests: Addr) -> Result<()> {
    let words = r.handles(array_of_requests, i64::from(count), "array_of_requests")?;
    let all: Vec<Persistent> = words.iter().map(|&word| persistent(r, word)).collect::<Result<_>>()?;
    let listing = r.requests.calls.begin();
    for &word in &words {
        r.requests.made.with(word, |pending| listing.add(&pending.listed)).unwrap_or(Ok(()))?;
    }
    if all.iter().any(|request| request.own.is_some()) {
        // What is started first is in the way of the others.
        return words.iter().zip(&all).try_for_each(|(&word, request)| start_one(r, word, request));
    }
    let mut hosts: Vec<usize> = all.iter().map(|request| request.host).collect();
    let call = r.symbol::<symbols::MPI_Startall>()?;
    // SAFETY: as many different persistent requests as the count says, which no call has listed.
    let code = unsafe { call(count, hosts.as_mut_ptr()) };
    if code != MPI_SUCCESS {
        r.blame(&words);
    }
    r.check(code)?;
    words.iter().zip(&all).for_each(|(&word, request)| started(r, word, request));
    Ok(())
}

/// A request that can be started.
struct Persistent {
    host: usize,
    kind: Kind,
    own: Option<Own>,
}

fn persistent(r: &Rank, word: u32) -> Result<Persistent> {
    let (mut own, mut kind) = (None, Kind::Message);
    let host = r.request_if(word, "request", |pending| {
        r.requests.calls.may_end(&pending.listed)?;
        (own, kind) = (pending.as_own().cloned(), pending.kind);
        if pending.kind.is_persistent() {
            return Ok(());
        }
        Err(Error::new(MPI_ERR_REQUEST, format!("{word:#x} is not a persistent request")))
    })?;
    Ok(Persistent { host, kind, own })
}

fn start_one(r: &Rank, word: u32, request: &Persistent) -> Result<()> {
    if let Some(own) = &request.own {
        r.may_begin(own)?;
    }
    let (call, mut host) = (r.symbol::<symbols::MPI_Start>()?, request.host);
    // SAFETY: a persistent request that no call has listed.
    let code = unsafe { call(&mut host) };
    if code != MPI_SUCCESS {
        r.blame(&[word]);
    }
    r.check(code)?;
    started(r, word, request);
    Ok(())
}

/// A request has been started: of a partitioned send no partition is ready.
fn started(r: &Rank, word: u32, request: &Persistent) {
    if let Kind::Psend(parts) = request.kind {
        r.requests.made.with(word, |pending| pending.kept::<Ready>().map(|ready| ready.begin(parts)));
    }
}
