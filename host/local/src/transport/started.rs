//! The guard of an operation.

use std::future::{Future, poll_fn};
use std::marker::PhantomData;
use std::task::Poll;

use rankine_abi::{Comm, MPI_ANY_SOURCE, MPI_ANY_TAG};
use rankine_guest::Parcel;

use crate::error::Result;
use crate::mailbox::matching::Pattern;
use crate::mailbox::operation::{OpRef, Outcome};
use crate::rank::Rank;
use crate::span::Span;

/// A send or receive under way, or none, with the borrow `'b` of its bytes. Dropping it takes it back, so that nobody
/// reads or writes what its waiter owned. While it is there, the bytes can be given to an allocator as little as looked at:
///
/// ```
/// use rankine_local::{Rank, receive_into};
///
/// async fn waits(rank: &Rank) -> Vec<u8> {
///     let mut bytes = vec![0; 8];
///     receive_into(rank, &mut bytes).unwrap().await;
///     bytes
/// }
/// ```
/// ```compile_fail,E0505
/// use rankine_local::{Rank, receive_into};
///
/// async fn frees_them(rank: &Rank) {
///     let mut bytes = vec![0; 8];
///     let receiving = receive_into(rank, &mut bytes).unwrap();
///     drop(bytes);
///     receiving.await;
/// }
/// ```
/// ```compile_fail,E0502
/// use rankine_local::{Rank, receive_into};
///
/// async fn looks_at_them(rank: &Rank) -> u8 {
///     let mut bytes = vec![0; 8];
///     let receiving = receive_into(rank, &mut bytes).unwrap();
///     let early = bytes[0];
///     receiving.await;
///     early
/// }
/// ```
/// ```compile_fail,E0515
/// use rankine_local::{Rank, receive_into};
///
/// fn outlives_them(rank: &Rank) -> impl Future<Output = ()> {
///     let mut bytes = vec![0; 8];
///     receive_into(rank, &mut bytes).unwrap()
/// }
/// ```
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
    pub(crate) fn guarding(rank: &'r Rank, operation: OpRef) -> Self {
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

/// Receives whatever comes next over `MPI_COMM_SELF`. It shows what a guard borrows to those who have no other way to one.
#[doc(hidden)]
pub fn receive_into<'r, 'b>(rank: &'r Rank, bytes: &'b mut [u8]) -> Result<impl Future<Output = ()> + use<'r, 'b>> {
    let context = rank.communicator(Comm::SELF)?.context;
    let pattern = Pattern { context, source: MPI_ANY_SOURCE, tag: MPI_ANY_TAG };
    let started = rank.post_recv(pattern, Span::over(bytes))?;
    Ok(async move {
        started.finish().await;
    })
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
