//! Ranks that share a thread take turns.

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
