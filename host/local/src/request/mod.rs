//! Requests (MPI-5.0 §3.7 to §3.9): the handles of what was started and may still go on.
//!
//! A request is, whatever started it, an entry in its rank's table with a state of [`Activity`]. Chapters add requests
//! by three functions: [`Rank::new_request`] for what can be said at once, [`Rank::begin`] for a future that goes on in
//! the background (a nonblocking collective, a message in two directions), and [`Rank::persistent`] for what
//! `MPI_Start` starts again and again. Blocking sends and receives never come here.
//!
//! Background futures are polled by every wait and test of their rank, whatever it is for ([`Rank::advance`]).

mod background;
mod complete;
mod grequest;
mod start;
mod status;
#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;

use rankine_abi::{Comm, MPI_ERR_REQUEST, Request, Status};
use rankine_guest::Parcel;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::handle::{Class, Table};
use crate::layout::Layout;
use crate::mailbox::operation::{Kind, OpRef, Outcome};
use crate::pt2pt::Parts;
use crate::quota::{Account, Charge, Cost};
use crate::rank::Rank;
use crate::transport::Started;

pub use complete::*;
pub use grequest::*;
pub use start::*;
pub use status::*;

use background::Future;
use grequest::General;

/// How an operation ended: what its status says, and its error if it failed.
#[derive(Debug, Clone)]
pub(crate) struct Completion {
    pub status: Status,
    pub error: Option<Error>,
}

impl Completion {
    /// Success with this status.
    pub(crate) fn of(status: Status) -> Self {
        Completion { status, error: None }
    }

    /// The end of a future that failed.
    fn failed(error: Error) -> Self {
        Completion { status: Status::EMPTY, error: Some(error) }
    }

    /// How a send or receive ended.
    #[inline(always)]
    fn from_outcome(kind: Kind, outcome: Outcome) -> Self {
        match kind {
            Kind::Send | Kind::Ssend => {
                let mut status = Status::EMPTY;
                status.set_cancelled(outcome.is_cancelled());
                Completion::of(status)
            }
            Kind::Recv | Kind::Probe => Completion { status: outcome.status(), error: outcome.check().err() },
        }
    }
}

/// What goes on behind a request: a word and a pointer, which are made and dropped where they are.
pub(crate) enum Activity {
    /// Nothing: a persistent request that is not started.
    Inactive,
    /// It was complete when it was started, and its status is the empty one.
    Done,
    /// It is complete and waits to be collected.
    Complete(Box<Completion>),
    /// A send or a receive.
    Operation(OpRef),
    /// A receive into the host.
    Received(Box<Received>),
    /// Steps of the engine's own; taken out while they are polled.
    Future(Box<Option<Future>>),
    /// What the program itself completes.
    General(Rc<General>),
}

/// A receive into the host, and what is done with its bytes when the request is completed.
pub(crate) struct Received {
    operation: OpRef,
    then: Then,
}

/// What is done with a message that came into the host, on the rank's own stack, when its request is completed: the
/// guest may be asked. It gives the status that the program sees.
pub type Then = Box<
    dyn for<'r> FnOnce(&'r Rank, Parcel, Status) -> Pin<Box<dyn std::future::Future<Output = Result<Status>> + 'r>>,
>;

/// How to start a persistent request.
pub(crate) type Starter = Rc<dyn Fn(&Rank) -> Result<Activity>>;

impl Activity {
    /// A send or receive that was started, or nothing.
    #[inline(always)]
    pub(crate) fn of(started: Started<'_, 'static>) -> Activity {
        started.hand_over().map_or(Activity::Done, Activity::Operation)
    }

    /// What was complete when it was started.
    #[inline]
    pub(crate) fn complete(status: Status) -> Activity {
        if status == Status::EMPTY { Activity::Done } else { Activity::Complete(Box::new(Completion::of(status))) }
    }

    /// The send or receive behind it.
    #[inline]
    fn operation(&self) -> Option<OpRef> {
        match self {
            Activity::Operation(operation) => Some(*operation),
            Activity::Received(received) => Some(received.operation),
            _ => None,
        }
    }
}

struct Entry {
    /// Whose error handler hears of its failure.
    comm: Comm,
    activity: Activity,
    persistent: Option<Box<Persistent>>,
    /// `MPI_Request_free` was called while it was active: it goes when it is complete.
    freed: bool,
}

/// What makes a request one that can be started again.
struct Persistent {
    /// What `MPI_Start` does.
    starter: Starter,
    /// For a message in parts.
    parts: Option<Parts>,
    _charge: Charge,
}

/// The requests of a rank.
pub(crate) struct State {
    table: RefCell<Table<Entry>>,
    /// Active requests with a future, in the order in which they were started.
    background: RefCell<Vec<Request>>,
    /// Requests that were freed while active.
    orphans: RefCell<VecDeque<Request>>,
    /// `MPI_Finalize` ends those.
    ends_orphans: Cell<bool>,
    /// Where the rank lay when its first future was made; futures refer to it.
    home: Cell<*const Rank>,
}

/// What a request has beside its handle, whatever stands behind it: how it ended, or what is done with its message.
const BESIDE: usize = 128;
/// What errors call them.
const WHAT: Cost = Cost::Requests;

impl State {
    pub(crate) fn new(account: &Arc<Account>) -> Self {
        State {
            table: RefCell::new(Table::new(Class::Request, account, BESIDE)),
            background: RefCell::default(),
            orphans: RefCell::default(),
            ends_orphans: Cell::new(false),
            home: Cell::new(std::ptr::null()),
        }
    }
}

impl Rank {
    /// A request for something that was started.
    #[inline(always)]
    pub(crate) fn new_request(&self, comm: Comm, activity: Activity) -> Result<Request> {
        self.insert(comm, activity, None)
    }

    /// Refuses what could have no request. Whoever posts something for which a request is made afterwards asks first: a
    /// message that has left can't be taken back.
    #[inline(always)]
    pub(crate) fn check_request_room(&self) -> Result<()> {
        if self.requests.table.borrow_mut().has_room() { Ok(()) } else { self.make_request_room() }
    }

    #[cold]
    fn make_request_room(&self) -> Result<()> {
        self.bury(2);
        let mut table = self.requests.table.borrow_mut();
        if table.has_room() { Ok(()) } else { Err(table.full(WHAT)) }
    }

    /// A request for a send or receive, or for what needed none and ended with `otherwise`. If there is no room for it,
    /// an operation that is not complete is taken back.
    #[inline(always)]
    pub(crate) fn operation_request(
        &self,
        comm: Comm,
        started: Started<'_, 'static>,
        otherwise: Status,
    ) -> Result<Request> {
        // Insertions of their own: an activity that came from either would be written to the stack and read again.
        let request = match started.operation() {
            Some(operation) => self.insert_operation(comm, operation),
            None if otherwise == Status::EMPTY => self.insert_done(comm),
            None => self.new_request(comm, Activity::complete(otherwise)),
        }?;
        started.hand_over();
        Ok(request)
    }

    #[inline(never)]
    fn insert_done(&self, comm: Comm) -> Result<Request> {
        self.new_request(comm, Activity::Done)
    }

    #[inline(never)]
    fn insert_operation(&self, comm: Comm, operation: OpRef) -> Result<Request> {
        self.new_request(comm, Activity::Operation(operation))
    }

    /// A request for a receive into the host.
    pub(crate) fn received_request(&self, comm: Comm, started: Started<'_, 'static>, then: Then) -> Result<Request> {
        let Some(operation) = started.operation() else { return self.new_request(comm, Activity::Done) };
        let request = self.new_request(comm, Activity::Received(Box::new(Received { operation, then })))?;
        started.hand_over();
        Ok(request)
    }

    /// An inactive request that `MPI_Start` starts with `starter`.
    pub(crate) fn persistent(
        &self,
        comm: Comm,
        starter: impl Fn(&Rank) -> Result<Activity> + 'static,
    ) -> Result<Request> {
        let bytes = size_of_val(&starter) + size_of::<Persistent>() + size_of::<Layout>();
        let _charge = self.account.charge(bytes, WHAT)?;
        let persistent = Some(Box::new(Persistent { starter: Rc::new(starter), parts: None, _charge }));
        self.insert(comm, Activity::Inactive, persistent)
    }

    #[inline(always)]
    fn insert(&self, comm: Comm, activity: Activity, persistent: Option<Box<Persistent>>) -> Result<Request> {
        self.bury(2);
        let entry = || Entry { comm, activity, persistent, freed: false };
        let mut table = self.requests.table.borrow_mut();
        match table.insert_with(entry) {
            Some(handle) => Ok(Request(handle)),
            None => Err(table.full(WHAT)),
        }
    }

    /// The communicator whose error handler hears of a request's failure.
    pub fn request_comm(&self, request: Request) -> Comm {
        self.requests.table.borrow().get(request.0).map_or(Comm::SELF, |entry| entry.comm)
    }

    /// The send or receive that a request is for, while it goes on.
    pub(crate) fn operation_of(&self, request: Request) -> Option<OpRef> {
        self.requests.table.borrow().get(request.0)?.activity.operation()
    }

    /// Makes a persistent request one for a message in parts.
    pub(crate) fn set_parts(&self, request: Request, parts: Parts) -> Result<()> {
        self.entry(request, |entry| entry.persistent.as_mut().expect("it was made persistent").parts = Some(parts))
    }

    /// What a request has to do with messages in parts, and whether it is active.
    pub(crate) fn parts(&self, request: Request) -> Result<(Option<Parts>, bool)> {
        let parts = |entry: &Entry| entry.persistent.as_ref().and_then(|persistent| persistent.parts.clone());
        self.entry(request, |entry| (parts(entry), !matches!(entry.activity, Activity::Inactive)))
    }

    /// Of which message, by its communicator's context and its tag, parts travel in this context.
    pub(crate) fn message_in_parts(&self, context: Context) -> Option<(Context, i32)> {
        let table = self.requests.table.borrow();
        table.iter().find_map(|(_, entry)| entry.persistent.as_ref()?.parts.as_ref()?.message_in(context))
    }

    /// Leaves a request to itself: it goes on, and is forgotten when it is complete.
    pub(crate) fn abandon(&self, request: Request) {
        if let Some(entry) = self.requests.table.borrow_mut().get_mut(request.0) {
            entry.freed = true;
            entry.persistent = None;
        }
        self.requests.orphans.borrow_mut().push_back(request);
        self.bury(2);
    }

    /// Runs `f` on a request's entry. `f` must not come back to the table.
    fn entry<T>(&self, request: Request, f: impl FnOnce(&mut Entry) -> T) -> Result<T> {
        match self.requests.table.borrow_mut().get_mut(request.0) {
            Some(entry) if !entry.freed => Ok(f(entry)),
            _ => Err(no_request(request)),
        }
    }

    /// Refuses what is neither a request of this rank nor `MPI_REQUEST_NULL`.
    fn check_request(&self, request: Request) -> Result<()> {
        if request == Request::NULL { Ok(()) } else { self.entry(request, |_| ()) }
    }

    /// Whether there is anything to wait for: not so for null and inactive requests.
    fn is_active(&self, request: Request) -> bool {
        let table = self.requests.table.borrow();
        table.get(request.0).is_some_and(|entry| !matches!(entry.activity, Activity::Inactive))
    }

    /// Whether a request has nothing left to wait for, after doing what can be done for it. In the last poll before
    /// parking it announces the wait.
    fn poll_request(&self, request: Request) -> bool {
        let operation = match self.requests.table.borrow().get(request.0).map(|entry| &entry.activity) {
            Some(Activity::Operation(operation)) => *operation,
            Some(Activity::Received(received)) => received.operation,
            Some(Activity::Future(_)) => return false,
            Some(Activity::General(general)) => return general.is_complete(),
            Some(Activity::Inactive | Activity::Done | Activity::Complete(_)) | None => return true,
        };
        self.poll_operation(operation)
    }

    /// Whether a request is one that [`Rank::collect_at_once`] collects, now or within moments.
    #[inline(always)]
    fn is_soon_complete(&self, request: Request) -> bool {
        let operation = match self.requests.table.borrow().get(request.0) {
            Some(Entry { activity: Activity::Done, freed: false, .. }) => return true,
            Some(Entry { activity: Activity::Operation(operation), freed: false, .. }) => Some(*operation),
            Some(Entry { activity: Activity::Future(_), freed: false, .. }) => None,
            _ => return false,
        };
        operation.map_or_else(|| self.is_soon_over(request), |operation| self.is_soon_done(operation))
    }

    /// Whether a request is one that [`Rank::collect_at_once`] collects now, and that did not fail.
    fn is_well_done(&self, request: Request) -> bool {
        match self.requests.table.borrow().get(request.0) {
            Some(Entry { activity: Activity::Done, freed: false, .. }) => true,
            Some(Entry { activity: Activity::Operation(operation), freed: false, .. }) => operation.is_whole(),
            _ => false,
        }
    }

    /// Ends a request that has nothing left to wait for. Its handle is null from now on, or inactive if it is
    /// persistent.
    #[inline(always)]
    async fn collect(&self, index: usize, request: Request) -> Completed {
        let mut completed = Completed::begun(index, request);
        if !self.collect_at_once(&mut completed) {
            completed = self.collect_slowly(index, request).await;
        }
        completed
    }

    /// Collects a send or receive that is complete, or what was so from the start: nobody has to be asked.
    /// False: nothing was done. What comes of it is written where it stays, number by number.
    #[inline(always)]
    fn collect_at_once(&self, completed: &mut Completed) -> bool {
        let request = completed.request;
        let mut table = self.requests.table.borrow_mut();
        let Some(entry) = table.get_mut(request.0) else { return false };
        match &entry.activity {
            Activity::Done => {}
            Activity::Operation(operation) if self.end_at_once(*operation, entry.comm, completed) => {}
            _ => return false,
        }
        if entry.persistent.is_some() {
            entry.activity = Activity::Inactive;
        } else {
            table.discard(request.0);
            completed.request = Request::NULL;
        }
        true
    }

    /// False: the operation is not complete, and nothing was done.
    #[inline(always)]
    fn end_at_once(&self, operation: OpRef, comm: Comm, completed: &mut Completed) -> bool {
        let kind = operation.what().kind;
        let Some(outcome) = self.release_if_done(operation) else { return false };
        let status = &mut completed.status;
        status.set_cancelled(outcome.is_cancelled());
        if matches!(kind, Kind::Recv | Kind::Probe) && !outcome.is_cancelled() {
            status.source = outcome.source;
            status.tag = outcome.tag;
            status.set_bytes(outcome.bytes);
            if outcome.length > outcome.bytes {
                completed.error = outcome.check().err().map(|error| error.on(comm));
            }
        }
        true
    }

    /// Collects any request. It has nothing left to wait for, and no guest has run since that was seen.
    async fn collect_slowly(&self, index: usize, request: Request) -> Completed {
        let comm = self.request_comm(request);
        let (request, activity) = self.detach(request);
        let is_nothing = matches!(activity, Activity::Inactive);
        let completion = match activity {
            Activity::Received(received) => self.end_received(*received).await,
            Activity::General(general) => general.end(self).await,
            Activity::Complete(completion) => *completion,
            Activity::Operation(_) | Activity::Done => unreachable!("it was collected at once"),
            Activity::Inactive | Activity::Future(_) => Completion::of(Status::EMPTY),
        };
        let error = completion.error.map(|error| error.or_on(comm));
        Completed { index, request, status: completion.status, is_nothing, error }
    }

    #[inline(always)]
    fn end_operation(&self, operation: OpRef) -> Completion {
        let kind = operation.what().kind;
        Completion::from_outcome(kind, self.release(operation))
    }

    /// Hands a message that came into the host to whoever posted its receive.
    async fn end_received(&self, Received { operation, then }: Received) -> Completion {
        let parcel = operation.unload();
        let completion = self.end_operation(operation);
        if completion.error.is_some() || completion.status.cancelled() {
            return completion;
        }
        match then(self, parcel, completion.status).await {
            Ok(status) => Completion::of(status),
            Err(error) => Completion { error: Some(error), ..completion },
        }
    }

    /// Forgets a request without a word to anybody.
    pub(crate) fn discard(&self, request: Request) {
        let (request, activity) = self.detach(request);
        self.requests.table.borrow_mut().remove(request.0);
        if let Some(operation) = activity.operation() {
            self.release(operation);
        }
    }

    /// Whether nothing goes on behind a request.
    fn is_settled(&self, request: Request) -> bool {
        match self.requests.table.borrow().get(request.0).map(|entry| &entry.activity) {
            Some(Activity::Operation(operation)) => operation.is_done(),
            Some(Activity::Received(received)) => received.operation.is_done(),
            Some(Activity::Future(_) | Activity::General(_)) => false,
            Some(Activity::Inactive | Activity::Done | Activity::Complete(_)) | None => true,
        }
    }

    fn detach(&self, request: Request) -> (Request, Activity) {
        let mut table = self.requests.table.borrow_mut();
        match table.get_mut(request.0) {
            Some(entry) if entry.persistent.is_some() => {
                (request, std::mem::replace(&mut entry.activity, Activity::Inactive))
            }
            Some(_) => {
                let entry = table.remove(request.0).expect("it was just found");
                (Request::NULL, entry.activity)
            }
            None => (Request::NULL, Activity::Inactive),
        }
    }

    /// Forgets up to `count` of the requests that were freed while active and are complete by now.
    #[inline]
    fn bury(&self, count: usize) {
        if self.requests.orphans.borrow().is_empty() {
            return;
        }
        for _ in 0..count {
            let Some(request) = self.requests.orphans.borrow_mut().pop_front() else { return };
            if !self.is_orphan(request) {
                continue;
            }
            if self.is_settled(request) {
                self.discard(request);
            } else {
                self.requests.orphans.borrow_mut().push_back(request);
            }
        }
    }

    /// Whether a request was freed while active and is not yet forgotten. Its handle may be another's by now: whoever
    /// waited for it when it was freed has collected it.
    fn is_orphan(&self, request: Request) -> bool {
        self.requests.table.borrow().get(request.0).is_some_and(|entry| entry.freed)
    }

    /// Whether what nobody will send any more is not waited for.
    pub(crate) fn ends_orphans(&self) -> bool {
        self.requests.ends_orphans.get()
    }

    /// Waits for the sends and futures whose requests were freed while active, and takes back such receives:
    /// what `MPI_Finalize` owes them.
    pub(crate) async fn end_orphans(&self) {
        self.requests.ends_orphans.set(true);
        loop {
            let Some(request) = self.requests.orphans.borrow_mut().pop_front() else { break };
            if !self.is_orphan(request) {
                continue;
            }
            let receive = match self.requests.table.borrow().get(request.0).map(|entry| &entry.activity) {
                Some(Activity::Operation(operation)) if operation.what().kind == Kind::Recv => Some(*operation),
                Some(Activity::Received(received)) => Some(received.operation),
                Some(Activity::General(_)) => continue,
                _ => None,
            };
            match receive {
                Some(operation) => self.withdraw(operation),
                None => self.settled(request).await,
            }
            self.collect(0, request).await;
        }
        self.requests.ends_orphans.set(false);
    }
}

#[cold]
fn no_request(request: Request) -> Error {
    let text = match request {
        Request::NULL => "the request is MPI_REQUEST_NULL".into(),
        Request(handle) => format!("{handle:#x} is not a request of this rank (complete, freed, or never made)"),
    };
    Error::new(MPI_ERR_REQUEST, text)
}
