//! Completing requests (MPI-5.0 §3.7.3 and §3.7.5): waiting, testing, looking.
//!
//! A failed operation is no `Err` of these functions: the request is complete, and its handle and status have to
//! be stored before anybody hears of the error. So they return what is complete as [`Completed`], and `Err` only for
//! arguments that are wrong. Functions of one request then raise [`Completed::error`]; those that give an array of
//! statuses raise [`in_status`], after storing each error in its status.

use std::future::{Future, poll_fn};
use std::ops::ControlFlow::{self, Break, Continue};
use std::task::Poll;

use rankine_abi::{Comm, MPI_ERR_IN_STATUS, MPI_ERR_REQUEST, MPI_SUCCESS, Request, Status};
use smallvec::SmallVec;

use super::{Activity, Completion};
use crate::drive::yield_now;
use crate::error::{Error, Result};
use crate::quota::room;
use crate::rank::Rank;

/// What errors call the statuses.
const STATUSES: &str = "the statuses of so many requests";
/// What comes of up to so many bytes of requests is not worth a look at the account.
const SMALL: usize = 64 << 10;

/// A request that is complete.
#[derive(Clone, Debug)]
pub struct Completed {
    /// Its position in the array of requests.
    pub index: usize,
    /// Its handle from now on: null, or the same if it is persistent.
    pub request: Request,
    /// Its status. `MPI_ERROR` is success here; it belongs in a guest's status only next to `MPI_ERR_IN_STATUS`.
    pub status: Status,
    /// Whether it was null or inactive: its status is the empty one, `MPI_ERROR` included.
    pub is_nothing: bool,
    /// Why it failed, if it did. It names the communicator of the request, whose error handler hears of it.
    pub error: Option<Error>,
}

impl Completed {
    /// The value of `MPI_ERROR` in its status.
    pub fn class(&self) -> i32 {
        self.error.as_ref().map_or(MPI_SUCCESS, |error| error.class)
    }

    /// A request of which nothing is known yet but that its status begins as the empty one.
    #[inline(always)]
    pub(super) fn begun(index: usize, request: Request) -> Self {
        Completed { index, request, status: Status::EMPTY, is_nothing: false, error: None }
    }
}

/// The error of a call that completed several requests, if any of them failed: its class is `MPI_ERR_IN_STATUS`. The
/// error handler is that of the first failed request's communicator.
pub fn in_status(completed: &[Completed]) -> Option<Error> {
    let mut failed = completed.iter().filter_map(|one| Some((one, one.error.as_ref()?)));
    let (first, error) = failed.next()?;
    let failed = 1 + failed.count();
    let text = format!("{failed} of {} requests failed; first request {}: {error}", completed.len(), first.index);
    let all = Error::new(MPI_ERR_IN_STATUS, text);
    Some(if let Some(comm) = error.on { all.on(comm) } else { all })
}

impl Rank {
    /// Waits until a request has nothing left to wait for.
    pub(super) async fn settled(&self, request: Request) {
        self.advance();
        poll_fn(|_| if self.poll_request(request) { Poll::Ready(()) } else { Poll::Pending }).await;
    }

    /// Waits until everything that was started over a communicator is complete; the requests stay.
    pub(crate) async fn settle(&self, comm: Comm) {
        let requests: Vec<Request> = {
            let table = self.requests.table.borrow();
            table.iter().filter(|(_, entry)| entry.comm == comm).map(|(handle, _)| Request(handle)).collect()
        };
        for request in requests {
            self.settled(request).await;
        }
    }

    /// Does what can be done for these requests; whether all are complete.
    fn poll_all(&self, requests: &[Request]) -> bool {
        self.advance();
        let mut all = true;
        for &request in requests {
            all &= self.poll_request(request);
        }
        all
    }

    /// Does what can be done for these requests; the first active one that is complete.
    fn poll_any(&self, requests: &[Request]) -> Option<usize> {
        self.advance();
        requests.iter().position(|&request| self.is_active(request) && self.poll_request(request))
    }

    /// Refuses to complete more requests than there is room for what comes of them.
    #[inline]
    fn check_room(&self, requests: &[Request]) -> Result<()> {
        let bytes = requests.len() * (size_of::<Request>() + size_of::<Completed>());
        if bytes > SMALL { self.account.check(bytes, STATUSES) } else { Ok(()) }
    }

    fn check_requests(&self, requests: &[Request]) -> Result<()> {
        for (index, &request) in requests.iter().enumerate() {
            self.check_request(request)
                .map_err(|error| Error::new(error.class, format!("request {index} of the array: {error}")))?;
        }
        Ok(())
    }

    fn any_is_active(&self, requests: &[Request]) -> bool {
        requests.iter().any(|&request| self.is_active(request))
    }

    /// Ends those of the requests that are active and complete.
    async fn collect_some(&self, requests: &[Request]) -> Vec<Completed> {
        let mut completed = Vec::new();
        for (index, &request) in requests.iter().enumerate() {
            if self.is_active(request) && self.poll_request(request) {
                completed.push(self.collect(index, request).await);
            }
        }
        completed
    }

    /// Ends all of the requests, for which there is room in `completed`: they were complete, inactive or null when it was
    /// called. What ends one of them may run
    /// the guest, who may start a later one again: that one is waited for, if it is said so, and otherwise stays as it is.
    async fn collect_all(&self, requests: &[Request], wait: bool, mut completed: Vec<Completed>) -> Vec<Completed> {
        for (index, &request) in requests.iter().enumerate() {
            completed.push(Completed::begun(index, request));
            let here = &mut completed[index];
            if self.collect_at_once(here) {
                continue;
            }
            if request == Request::NULL {
                here.is_nothing = true;
                continue;
            }
            match self.check_request(request) {
                Ok(()) => {
                    if !self.poll_request(request) {
                        if !wait {
                            continue;
                        }
                        self.settled(request).await;
                    }
                    *here = self.collect(index, request).await;
                }
                // It was good when we began.
                Err(_) => {
                    here.request = Request::NULL;
                    let text = format!("request {index} is listed twice in the array, or was freed by a callback");
                    here.error = Some(Error::new(MPI_ERR_REQUEST, text));
                }
            }
        }
        completed
    }

    /// The status of a complete request, which stays as it is. No guest has run since it was seen to be complete.
    async fn look(&self, index: usize, request: Request) -> Completed {
        let comm = self.request_comm(request);
        let is_nothing = !self.is_active(request);
        let general = match self.requests.table.borrow().get(request.0).map(|entry| &entry.activity) {
            Some(Activity::General(general)) => Ok(general.clone()),
            Some(Activity::Complete(completion)) => Err(Completion::clone(completion)),
            Some(activity) => Err(match activity.operation() {
                Some(operation) => {
                    let outcome = operation.finish().expect("only complete requests are looked at");
                    Completion::from_outcome(operation.what().kind, outcome)
                }
                None => Completion::of(Status::EMPTY),
            }),
            None => Err(Completion::of(Status::EMPTY)),
        };
        let Completion { status, error } = match general {
            Ok(general) => general.query(self).await,
            Err(completion) => completion,
        };
        Completed { index, request, status, is_nothing, error: error.map(|error| error.or_on(comm)) }
    }
}

/// `MPI_Wait`
pub async fn wait(r: &Rank, request: Request) -> Result<Completed> {
    match wait_at_once(r, request)? {
        Break(completed) => Ok(completed),
        Continue(rest) => Ok(rest.await),
    }
}

/// `MPI_Wait` as far as it comes without waiting: to its end where the request is complete, or becomes so within moments. Else
/// the rest of it.
#[inline(always)]
pub fn wait_at_once(r: &Rank, request: Request) -> Result<ControlFlow<Completed, impl Future<Output = Completed>>> {
    r.check_request(request)?;
    let mut completed = Completed::begun(0, request);
    r.advance();
    if r.collect_at_once(&mut completed) || (r.is_soon_complete(request) && r.collect_at_once(&mut completed)) {
        return Ok(Break(completed));
    }
    Ok(Continue(async move {
        poll_fn(|_| if r.poll_request(request) { Poll::Ready(()) } else { Poll::Pending }).await;
        r.collect(0, request).await
    }))
}

/// `MPI_Test`: nothing if the request is not complete.
pub async fn test(r: &Rank, request: Request) -> Result<Option<Completed>> {
    r.check_request(request)?;
    if !r.poll_all(&[request]) {
        yield_now(r).await;
        return Ok(None);
    }
    Ok(Some(r.collect(0, request).await))
}

/// `MPI_Waitany`: nothing (index `MPI_UNDEFINED`, the empty status) if no request is active.
pub async fn waitany(r: &Rank, requests: &[Request]) -> Result<Option<Completed>> {
    r.check_requests(requests)?;
    if !r.any_is_active(requests) {
        return Ok(None);
    }
    let index = poll_fn(|_| match r.poll_any(requests) {
        Some(index) => Poll::Ready(index),
        None => Poll::Pending,
    })
    .await;
    Ok(Some(r.collect(index, requests[index]).await))
}

/// What a test of several requests found.
#[derive(Clone, Debug)]
pub enum Found<T> {
    /// No request is complete (or, where all are wanted, not all are): the flag is false.
    Pending,
    /// No request is active: the flag is true, index or count are `MPI_UNDEFINED`, the status is empty.
    Nothing,
    /// The flag is true.
    Complete(T),
}

/// `MPI_Testany`
pub async fn testany(r: &Rank, requests: &[Request]) -> Result<Found<Completed>> {
    r.check_requests(requests)?;
    match r.poll_any(requests) {
        Some(index) => Ok(Found::Complete(r.collect(index, requests[index]).await)),
        None if r.any_is_active(requests) => {
            yield_now(r).await;
            Ok(Found::Pending)
        }
        None => Ok(Found::Nothing),
    }
}

/// `MPI_Waitall`: every request in order, null and inactive ones with the empty status.
pub async fn waitall(r: &Rank, requests: &[Request]) -> Result<Vec<Completed>> {
    r.check_requests(requests)?;
    r.check_room(requests)?;
    let room = room(requests.len(), STATUSES)?;
    r.advance();
    let mut left: SmallVec<[Request; 16]> = requests.into();
    poll_fn(|_| {
        left.retain(|request| !r.poll_request(*request));
        if left.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    Ok(r.collect_all(requests, true, room).await)
}

/// So many requests are looked through without a list of what came of them.
pub const FEW: usize = 16;

/// `MPI_Waitall` of a few sends and receives that are complete, or become so within moments: each is given away when it is
/// collected. False where it is not so; nothing was done then.
pub fn waitall_at_once(r: &Rank, requests: &[Request], mut each: impl FnMut(&Completed)) -> bool {
    r.advance();
    let is_new = |index: usize| !requests[..index].contains(&requests[index]);
    if requests.len() > FEW || !(0..requests.len()).all(|index| is_new(index) && r.is_soon_complete(requests[index])) {
        return false;
    }
    // All of them at one time: what was looked for may have ended others.
    if !requests.iter().all(|&request| r.is_well_done(request)) {
        return false;
    }
    for (index, &request) in requests.iter().enumerate() {
        let mut completed = Completed::begun(index, request);
        assert!(r.collect_at_once(&mut completed), "nothing has run since it was seen to be done");
        each(&completed);
    }
    true
}

/// `MPI_Testall`: nothing while a request is not complete.
pub async fn testall(r: &Rank, requests: &[Request]) -> Result<Option<Vec<Completed>>> {
    r.check_requests(requests)?;
    r.check_room(requests)?;
    if !r.poll_all(requests) {
        yield_now(r).await;
        return Ok(None);
    }
    Ok(Some(r.collect_all(requests, false, room(requests.len(), STATUSES)?).await))
}

/// `MPI_Waitsome`: nothing (count `MPI_UNDEFINED`) if no request is active.
pub async fn waitsome(r: &Rank, requests: &[Request]) -> Result<Option<Vec<Completed>>> {
    r.check_requests(requests)?;
    if !r.any_is_active(requests) {
        return Ok(None);
    }
    r.check_room(requests)?;
    poll_fn(|_| if r.poll_any(requests).is_some() { Poll::Ready(()) } else { Poll::Pending }).await;
    Ok(Some(r.collect_some(requests).await))
}

/// `MPI_Testsome`: nothing (count `MPI_UNDEFINED`) if no request is active; an empty list (count 0) if none is
/// complete.
pub async fn testsome(r: &Rank, requests: &[Request]) -> Result<Option<Vec<Completed>>> {
    r.check_requests(requests)?;
    if !r.any_is_active(requests) {
        return Ok(None);
    }
    r.check_room(requests)?;
    r.advance();
    let completed = r.collect_some(requests).await;
    if completed.is_empty() {
        yield_now(r).await;
    }
    Ok(Some(completed))
}

/// `MPI_Request_get_status`: as [`test()`], but the request stays.
pub async fn request_get_status(r: &Rank, request: Request) -> Result<Option<Completed>> {
    r.check_request(request)?;
    if !r.poll_all(&[request]) {
        yield_now(r).await;
        return Ok(None);
    }
    Ok(Some(r.look(0, request).await))
}

/// `MPI_Request_get_status_any`: as [`testany`], but the request stays.
pub async fn request_get_status_any(r: &Rank, requests: &[Request]) -> Result<Found<Completed>> {
    r.check_requests(requests)?;
    match r.poll_any(requests) {
        Some(index) => Ok(Found::Complete(r.look(index, requests[index]).await)),
        None if r.any_is_active(requests) => {
            yield_now(r).await;
            Ok(Found::Pending)
        }
        None => Ok(Found::Nothing),
    }
}

/// `MPI_Request_get_status_all`: as [`testall`], but the requests stay.
pub async fn request_get_status_all(r: &Rank, requests: &[Request]) -> Result<Option<Vec<Completed>>> {
    r.check_requests(requests)?;
    if !r.poll_all(requests) {
        yield_now(r).await;
        return Ok(None);
    }
    r.check_room(requests)?;
    let mut completed = room(requests.len(), STATUSES)?;
    for (index, &request) in requests.iter().enumerate() {
        // A query function of an earlier one may have started it again.
        if !r.poll_request(request) {
            return Ok(None);
        }
        completed.push(r.look(index, request).await);
    }
    Ok(Some(completed))
}

/// `MPI_Request_get_status_some`: as [`testsome`], but the requests stay.
pub async fn request_get_status_some(r: &Rank, requests: &[Request]) -> Result<Option<Vec<Completed>>> {
    r.check_requests(requests)?;
    if !r.any_is_active(requests) {
        return Ok(None);
    }
    r.check_room(requests)?;
    r.advance();
    let mut completed = Vec::new();
    for (index, &request) in requests.iter().enumerate() {
        if r.is_active(request) && r.poll_request(request) {
            completed.push(r.look(index, request).await);
        }
    }
    if completed.is_empty() {
        yield_now(r).await;
    }
    Ok(Some(completed))
}
