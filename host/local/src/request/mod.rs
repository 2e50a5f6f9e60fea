//! Requests (MPI-5.0 §3.7 to §3.9): the handles of what was started and may still go on.
//!
//! A request is, whatever started it, an entry in its rank's table with a state of [`Activity`]. Chapters add requests by
//! three functions: [`Rank::new_request`] for what can be said at once, [`Rank::begin`] for a future that goes on in the
//! background (a nonblocking collective, a message in two directions), and [`Rank::persistent`] for what `MPI_Start`
//! starts again and again. Blocking sends and receives never come here.
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

use rankine_abi::{Comm, MPI_ERR_NO_MEM, MPI_ERR_REQUEST, Request, Status};

use crate::error::{Error, Result};
use crate::handle::{Class, Table};
use crate::mailbox::operation::{Kind, OpRef, Outcome};
use crate::pt2pt::Parts;
use crate::rank::Rank;

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

    /// How a future ended.
    fn from_result(result: Result<Status>) -> Self {
        match result {
            Ok(status) => Completion::of(status),
            Err(error) => Completion { status: Status::EMPTY, error: Some(error) },
        }
    }

    /// How a send or receive ended.
    #[inline(always)]
    fn from_outcome(kind: Kind, outcome: Outcome) -> Self {
        match kind {
            Kind::Send | Kind::Ssend => {
                let mut status = Status::EMPTY;
                status.set_cancelled(outcome.cancelled);
                Completion::of(status)
            }
            Kind::Recv | Kind::Probe => Completion { status: outcome.status(), error: outcome.check().err() },
        }
    }
}

/// What goes on behind a request.
pub(crate) enum Activity {
    /// Nothing: a persistent request that is not started.
    Inactive,
    /// It is complete and waits to be collected.
    Complete(Completion),
    /// A send or a receive.
    Operation(OpRef),
    /// A receive into the host, and what is done with its bytes when the request is completed.
    Received(OpRef, Then),
    /// Steps of the engine's own; taken out while they are polled.
    Future(Option<Future>),
    /// What the program itself completes.
    General(Rc<General>),
}

/// What is done with a message that came into the host, on the rank's own stack, when its request is completed: the guest may be asked. It gives
/// the status that the program sees.
pub type Then = Box<
    dyn for<'r> FnOnce(&'r Rank, Vec<u8>, Status) -> Pin<Box<dyn std::future::Future<Output = Result<Status>> + 'r>>,
>;

/// How to start a persistent request.
pub(crate) type Starter = Rc<dyn Fn(&Rank) -> Result<Activity>>;

impl Activity {
    /// The send or receive behind it.
    fn operation(&self) -> Option<OpRef> {
        match self {
            Activity::Operation(operation) | Activity::Received(operation, _) => Some(*operation),
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
}

/// The requests of a rank.
pub(crate) struct State {
    table: RefCell<Table<Entry>>,
    /// Active requests with a future, in the order in which they were started.
    background: RefCell<Vec<Request>>,
    /// Requests that were freed while active.
    orphans: RefCell<VecDeque<Request>>,
    /// Where the rank lay when its first future was made; futures refer to it.
    home: Cell<*const Rank>,
}

impl Default for State {
    fn default() -> Self {
        State {
            table: RefCell::new(Table::new(Class::Request)),
            background: RefCell::default(),
            orphans: RefCell::default(),
            home: Cell::new(std::ptr::null()),
        }
    }
}

impl Rank {
    /// A request for something that was started.
    #[inline(always)]
    pub(crate) fn new_request(&self, comm: Comm, activity: Activity) -> Result<Request> {
        self.insert(Entry { comm, activity, persistent: None, freed: false })
    }

    /// A request for a send or receive, or for what needed none and ended with `otherwise`.
    #[inline(always)]
    pub(crate) fn operation_request(&self, comm: Comm, operation: Option<OpRef>, otherwise: Status) -> Result<Request> {
        match operation {
            Some(operation) => self.new_request(comm, Activity::Operation(operation)).inspect_err(|_| {
                self.withdraw(operation);
                self.release(operation);
            }),
            None => self.new_request(comm, Activity::Complete(Completion::of(otherwise))),
        }
    }

    /// An inactive request that `MPI_Start` starts with `starter`.
    pub(crate) fn persistent(
        &self,
        comm: Comm,
        starter: impl Fn(&Rank) -> Result<Activity> + 'static,
    ) -> Result<Request> {
        let persistent = Some(Box::new(Persistent { starter: Rc::new(starter), parts: None }));
        self.insert(Entry { comm, activity: Activity::Inactive, persistent, freed: false })
    }

    #[inline(always)]
    fn insert(&self, entry: Entry) -> Result<Request> {
        self.bury(2);
        match self.requests.table.borrow_mut().insert(entry) {
            Ok(handle) => Ok(Request(handle)),
            Err(_) => Err(Error::new(MPI_ERR_NO_MEM, "this rank has as many requests as it may have")),
        }
    }

    /// The communicator whose error handler hears of a request's failure.
    pub fn request_comm(&self, request: Request) -> Comm {
        self.requests.table.borrow().get(request.0).map_or(Comm::SELF, |entry| entry.comm)
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
            Some(Activity::Operation(operation) | Activity::Received(operation, _)) => *operation,
            Some(Activity::Future(_)) => return false,
            Some(Activity::General(general)) => return general.is_complete(),
            Some(Activity::Inactive | Activity::Complete(_)) | None => return true,
        };
        self.poll_operation(operation)
    }

    /// Ends a request that has nothing left to wait for. Its handle is null from now on, or inactive if it is persistent.
    #[inline(always)]
    async fn collect(&self, index: usize, request: Request) -> Completed {
        match self.collect_at_once(index, request) {
            Some(completed) => completed,
            None => self.collect_slowly(index, request).await,
        }
    }

    /// The same for a send or receive, or for what was complete from the start: nobody has to be asked. `None`: nothing was done.
    #[inline(always)]
    pub(crate) fn collect_at_once(&self, index: usize, request: Request) -> Option<Completed> {
        let mut table = self.requests.table.borrow_mut();
        let entry = table.get_mut(request.0)?;
        let (comm, completion) = match &entry.activity {
            Activity::Operation(operation) => (entry.comm, self.end_operation(*operation)),
            Activity::Complete(completion) => (entry.comm, completion.clone()),
            _ => return None,
        };
        let handle = if entry.persistent.is_some() {
            entry.activity = Activity::Inactive;
            request
        } else {
            table.remove(request.0);
            Request::NULL
        };
        let error = completion.error.map(|error| error.on(comm));
        Some(Completed { index, request: handle, status: completion.status, error })
    }

    async fn collect_slowly(&self, index: usize, request: Request) -> Completed {
        let comm = self.request_comm(request);
        let (request, activity) = self.detach(request);
        let completion = match activity {
            Activity::Received(operation, then) => self.end_received(operation, then).await,
            Activity::General(general) => general.end(self).await,
            Activity::Operation(_) | Activity::Complete(_) => unreachable!("it was collected at once"),
            Activity::Inactive | Activity::Future(_) => Completion::of(Status::EMPTY),
        };
        let error = completion.error.map(|error| error.on(comm));
        Completed { index, request, status: completion.status, error }
    }

    #[inline(always)]
    fn end_operation(&self, operation: OpRef) -> Completion {
        let kind = operation.what().kind;
        Completion::from_outcome(kind, self.release(operation))
    }

    /// Hands a message that came into the host to whoever posted its receive.
    async fn end_received(&self, operation: OpRef, then: Then) -> Completion {
        let bytes = operation.take_room();
        let completion = self.end_operation(operation);
        if completion.error.is_some() || completion.status.cancelled() {
            return completion;
        }
        match then(self, bytes, completion.status).await {
            Ok(status) => Completion::of(status),
            Err(error) => Completion { error: Some(error), ..completion },
        }
    }

    /// Forgets a request without a word to anybody.
    fn discard(&self, request: Request) {
        let (request, activity) = self.detach(request);
        self.requests.table.borrow_mut().remove(request.0);
        if let Some(operation) = activity.operation() {
            self.release(operation);
        }
    }

    /// Whether nothing goes on behind a request.
    fn is_settled(&self, request: Request) -> bool {
        match self.requests.table.borrow().get(request.0).map(|entry| &entry.activity) {
            Some(Activity::Operation(operation) | Activity::Received(operation, _)) => operation.is_done(),
            Some(Activity::Future(_) | Activity::General(_)) => false,
            Some(Activity::Inactive | Activity::Complete(_)) | None => true,
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
            if self.is_settled(request) {
                self.discard(request);
            } else {
                self.requests.orphans.borrow_mut().push_back(request);
            }
        }
    }

    /// Waits for the sends and futures whose requests were freed while active, and takes back such receives:
    /// what `MPI_Finalize` owes them.
    pub(crate) async fn end_orphans(&self) {
        loop {
            let Some(request) = self.requests.orphans.borrow_mut().pop_front() else { return };
            let receive = match self.requests.table.borrow().get(request.0).map(|entry| &entry.activity) {
                Some(Activity::Operation(operation)) if operation.what().kind == Kind::Recv => Some(*operation),
                Some(Activity::Received(operation, _)) => Some(*operation),
                Some(Activity::General(_)) | None => continue,
                _ => None,
            };
            match receive {
                Some(operation) => self.withdraw(operation),
                None => self.settled(request).await,
            }
            self.collect(0, request).await;
        }
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
