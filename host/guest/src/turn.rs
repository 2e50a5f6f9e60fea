//! Ranks that share a thread take turns, and so do threads of a rank.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Lets every other runnable rank of this worker go first.
#[derive(Default)]
pub struct YieldOnce(bool);

impl Future for YieldOnce {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

/// A rank, as its threads put it to sleep. All of it may be asked without the turn, but for parking and resuming.
pub trait Parks {
    /// Puts the rank to sleep; false if there is something to look at first.
    fn park(&self) -> bool {
        false
    }

    /// Whether it has been woken since.
    fn is_woken(&self) -> bool {
        true
    }

    /// It runs again; whether somebody has woken it.
    fn resume(&self) -> bool {
        true
    }

    /// Whether one thread has ended what another may wait for, without a message.
    fn take_news(&self) -> bool {
        true
    }

    /// Counts as a rank that runs, although it sleeps: one of its threads may still call.
    fn begin_errand(&self) {}

    /// No longer so.
    fn end_errand(&self) {}
}
