//! Requests that are steps of the engine's own: nonblocking and persistent collectives, messages in two directions.
//!
//! A future is polled once when it is made, so that its first messages leave at once, and then by every wait and test
//! of its rank.

use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use rankine_abi::{Comm, Request, Status};
use smallvec::SmallVec;

use super::{Activity, Completion, Entry, WHAT};
use crate::error::Result;
use crate::quota::Charge;
use crate::rank::Rank;
use crate::transport::MOMENTS;

/// How often a call looks for what comes for a future before it begins to wait.
const ROUNDS: u32 = 4;

/// What a background request does; how it ends is its status, or its error.
pub(crate) struct Future {
    steps: Pin<Box<dyn std::future::Future<Output = Result<Status>>>>,
    _charge: Charge,
}

impl Future {
    fn new(r: &Rank, steps: impl std::future::Future<Output = Result<Status>> + 'static) -> Result<Future> {
        let charge = r.account.charge(size_of_val(&steps) + size_of::<Future>(), WHAT)?;
        Ok(Future { steps: Box::pin(steps), _charge: charge })
    }
}

impl Rank {
    /// Starts `steps` in the background of this rank: what a nonblocking collective returns.
    pub(crate) fn begin(
        &self,
        comm: Comm,
        steps: impl AsyncFnOnce(&Rank) -> Result<Status> + 'static,
    ) -> Result<Request> {
        let rank = self.long_lived();
        let future = Future::new(self, async move { steps(rank).await })?;
        let request = self.new_request(comm, Activity::Future(Box::new(Some(future))))?;
        self.go_on(request);
        Ok(request)
    }

    /// An inactive request whose every start runs `steps` in the background: a persistent collective.
    pub(crate) fn begin_on_start(
        &self,
        comm: Comm,
        steps: impl AsyncFn(&Rank) -> Result<Status> + 'static,
    ) -> Result<Request> {
        let steps = Rc::new(steps);
        self.persistent(comm, move |rank| {
            let (steps, rank) = (steps.clone(), rank.long_lived());
            Ok(Activity::Future(Box::new(Some(Future::new(rank, async move { steps(rank).await })?))))
        })
    }

    /// This rank as its own futures see it.
    fn long_lived(&self) -> &'static Rank {
        let home = &self.requests.home;
        if home.get().is_null() {
            home.set(self);
        }
        assert!(std::ptr::eq(home.get(), self), "a rank does not move while its requests refer to it");
        // SAFETY: only this rank's own futures keep the reference. They are polled and dropped only while the rank is
        // where it was (`Rank::advance` and `Rank::drop_futures` look) and is not being dropped itself.
        unsafe { &*std::ptr::from_ref(self) }
    }

    /// Enters a request that has just become a future among those that [`Rank::advance`] polls, and polls it once.
    /// It cannot ask the guest yet: nobody is waiting for what it asks.
    pub(super) fn go_on(&self, request: Request) {
        self.requests.background.borrow_mut().push(request);
        self.deaf.set(true);
        if self.advance_one(request) {
            let mut background = self.requests.background.borrow_mut();
            if let Some(last) = background.iter().rposition(|&other| other == request) {
                background.remove(last);
            }
        }
        self.deaf.set(false);
    }

    /// Polls every future of this rank once.
    #[inline]
    pub(crate) fn advance(&self) {
        if !self.requests.background.borrow().is_empty() {
            self.advance_all();
        }
    }

    fn advance_all(&self) {
        assert!(std::ptr::eq(self.requests.home.get(), self), "a rank does not move while its requests refer to it");
        // A future may start or end others while it is polled. Those that it starts have been polled then.
        let requests: SmallVec<[Request; 8]> = self.requests.background.borrow().as_slice().into();
        let mut ended = false;
        for request in requests {
            ended |= self.advance_one(request);
        }
        if ended {
            self.note_news();
            let table = self.requests.table.borrow();
            let goes_on = |request: &Request| {
                matches!(table.get(request.0).map(|entry| &entry.activity), Some(Activity::Future(_)))
            };
            self.requests.background.borrow_mut().retain(goes_on);
        }
    }

    /// Whether a future ends within moments, and well and with the empty status: as long as something comes, for a few rounds.
    pub(super) fn is_soon_over(&self, request: Request) -> bool {
        let is_future = |entry: &Entry| matches!(entry.activity, Activity::Future(_));
        let is_over = || !self.requests.table.borrow().get(request.0).is_some_and(is_future);
        let asks = || self.questions.next.borrow().is_some();
        let Some(_attending) = self.attend_for_moments() else { return false };
        for _ in 0..ROUNDS {
            let has_come = self.look_out(MOMENTS, self.watched.get());
            self.advance();
            if !has_come || is_over() || asks() {
                break;
            }
        }
        matches!(self.requests.table.borrow().get(request.0), Some(Entry { activity: Activity::Done, .. }))
    }

    /// Polls one future; whether it has ended.
    fn advance_one(&self, request: Request) -> bool {
        let future = match self.requests.table.borrow_mut().get_mut(request.0).map(|entry| &mut entry.activity) {
            Some(Activity::Future(future)) => future.take(),
            _ => None,
        };
        // It is being polled further up on this stack: a callback of the guest has come back to us.
        let Some(mut future) = future else { return false };
        let polled = future.steps.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        let ended = polled.is_ready();
        if let Some(entry) = self.requests.table.borrow_mut().get_mut(request.0) {
            match (polled, &mut entry.activity) {
                (Poll::Pending, Activity::Future(place)) => **place = Some(future),
                (Poll::Pending, activity) => *activity = Activity::Future(Box::new(Some(future))),
                (Poll::Ready(Ok(status)), activity) => *activity = Activity::complete(status),
                (Poll::Ready(Err(error)), activity) => {
                    *activity = Activity::Complete(Box::new(Completion::failed(error)))
                }
            }
        }
        ended
    }

    /// Drops the futures of a rank whose program has ended, which takes their messages back.
    pub(crate) fn drop_futures(&self) {
        if self.requests.background.borrow().is_empty() {
            return;
        }
        assert!(std::ptr::eq(self.requests.home.get(), self), "a rank does not move while its requests refer to it");
        while let Some(activity) = self.take_future() {
            drop(activity);
        }
    }

    /// Forgets the futures of a rank that is dropped as it is.
    pub(crate) fn leak_futures(&self) {
        while let Some(activity) = self.take_future() {
            #[expect(clippy::mem_forget, reason = "with all that its operations use")]
            std::mem::forget(activity);
        }
    }

    fn take_future(&self) -> Option<Activity> {
        let request = self.requests.background.borrow_mut().pop()?;
        let mut table = self.requests.table.borrow_mut();
        let activity = &mut table.get_mut(request.0)?.activity;
        Some(std::mem::replace(activity, Activity::Inactive))
    }
}
