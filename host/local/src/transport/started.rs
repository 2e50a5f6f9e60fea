//! The guard of an operation.

use std::future::{Future, poll_fn};
use std::marker::PhantomData;
use std::task::Poll;

use rankine_guest::Parcel;

use crate::mailbox::operation::{OpRef, Outcome};
use crate::rank::Rank;

/// A send or receive under way, or none, with the borrow `'b` of its bytes. Dropping it takes it back, so that nobody
/// reads or writes what its waiter owned.
pub(crate) struct Started<'r, 'b> {
    rank: &'r Rank,
    operation: Option<OpRef>,
    bytes: PhantomData<&'b mut [u8]>,
}

impl<'r, 'b> Started<'r, 'b> {
    /// Nothing is under way.
    #[inline(always)]
    pub(crate) fn nothing(rank: &'r Rank) -> Self {
        Started { rank, operation: None, bytes: PhantomData }
    }

    /// Guards an operation that has just been started. Only those who start one know its borrow.
    #[inline(always)]
    pub(super) fn guarding(rank: &'r Rank, operation: OpRef) -> Self {
        Started { rank, operation: Some(operation), bytes: PhantomData }
    }

    /// Guards an operation from now on, where there was nothing.
    #[inline(always)]
    pub(super) fn guard(&mut self, operation: OpRef) {
        self.operation = Some(operation);
    }

    /// Whether there was nothing to start, or all was done at once.
    #[inline(always)]
    pub(crate) fn is_nothing(&self) -> bool {
        self.operation.is_none()
    }

    /// What it guards.
    #[inline(always)]
    pub(crate) fn operation(&self) -> Option<OpRef> {
        self.operation
    }

    /// Whether it is complete (see [`Rank::poll_operation`]).
    #[inline]
    pub(crate) fn poll(&self) -> bool {
        self.operation.is_none_or(|operation| self.rank.poll_operation(operation))
    }

    /// Waits until it is complete.
    #[inline]
    pub(crate) fn done(&self) -> impl Future<Output = ()> {
        poll_fn(|_| if self.poll() { Poll::Ready(()) } else { Poll::Pending })
    }

    /// The message of a complete receive into the host.
    pub(crate) fn unload(&self) -> Parcel {
        self.operation.map_or_else(Parcel::default, |operation| operation.unload())
    }

    /// How it ended. It is complete.
    #[inline]
    pub(crate) fn end(mut self) -> Outcome {
        self.operation.take().map_or(Outcome::default(), |operation| self.rank.release(operation))
    }

    /// Waits, and says how it ended.
    #[inline]
    pub(crate) async fn finish(self) -> Outcome {
        self.done().await;
        self.end()
    }
}

impl Started<'_, 'static> {
    /// Leaves the operation to the caller, who gives it back to the pool when it is complete. Its bytes stay whatever
    /// comes of it.
    #[inline(always)]
    pub(crate) fn hand_over(mut self) -> Option<OpRef> {
        self.operation.take()
    }
}

impl Drop for Started<'_, '_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(operation) = self.operation {
            self.rank.withdraw(operation);
            self.rank.release(operation);
        }
    }
}
