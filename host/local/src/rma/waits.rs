//! Waiting for others in a window, and describing it in reports.

use std::future::poll_fn;
use std::ops::ControlFlow::{self, Break, Continue};
use std::rc::Rc;
use std::task::Poll;

use rankine_abi::Win;

use super::Window;
use super::lock::Holder;
use crate::drive::{need_not_yield, yield_now};
use crate::error::Result;
use crate::rank::Rank;
use crate::waiting::Waited;

/// What a rank waits for in a window. Ranks are numbers in the window.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wait {
    /// All of them to come to a fence, or to what makes and frees a window.
    Meeting,
    /// The lock of this rank's part.
    Lock(usize),
    /// Targets to let it in.
    Posts,
    /// Origins to end their accesses.
    Completion,
    /// Its accesses on other nodes to be done.
    Accesses,
}

impl Rank {
    /// Waits until `ready`, of which the rank is told by the window's other ranks.
    pub(super) async fn wait_in(&self, window: &Rc<Window>, wait: Wait, mut ready: impl FnMut() -> bool) {
        // What was waited for is not kept: the window may be about to be freed.
        let over = || {
            self.waits.borrow_mut().clear();
            Poll::Ready(())
        };
        poll_fn(|_| {
            if ready() {
                return over();
            }
            self.progress();
            if !self.parking.get() {
                self.restless.set(true);
                return Poll::Pending;
            }
            window.mine().listen();
            if ready() {
                return over();
            }
            self.waits.borrow_mut().push(Waited::Window(window.clone(), wait));
            Poll::Pending
        })
        .await
    }
}

/// Calls after which others get a turn.
const TURN: u32 = 16;

impl Rank {
    /// Lets others run now and then, where ranks share cores: programs poll with calls that never wait, and what they wait
    /// for another rank has to do.
    pub(super) async fn take_turns(&self) {
        if self.is_others_turn() {
            yield_now(self).await;
        }
    }

    /// Completes accesses of a window, if there are `open` ones on other nodes, and takes turns.
    #[inline]
    pub(super) fn complete_at_once(&self, win: Win, open: bool) -> ControlFlow<(), impl Future<Output = Result<()>>> {
        if !open && self.goes_on() {
            return Break(());
        }
        Continue(async move {
            if open {
                let window = self.window(win)?;
                return self.complete_far(&window).await;
            }
            yield_now(self).await;
            Ok(())
        })
    }

    /// Counts a call that a program may poll with; whether nobody else gets a turn after it.
    #[inline]
    pub(super) fn goes_on(&self) -> bool {
        !self.is_others_turn() || need_not_yield(self)
    }

    #[inline]
    fn is_others_turn(&self) -> bool {
        let calls = &self.windows.calls;
        calls.set(calls.get().wrapping_add(1));
        calls.get().is_multiple_of(TURN)
    }
}

/// Ranks that are named of many.
const NAMED: usize = 3;

/// `rank 1`, `ranks 1, 2 and 5`, `ranks 1, 2, 5 and 7 more`.
fn ranks(all: &[u32]) -> String {
    let names: Vec<String> = all.iter().take(NAMED).map(u32::to_string).collect();
    match (names.as_slice(), all.len().saturating_sub(NAMED)) {
        ([one], 0) => format!("rank {one}"),
        ([first @ .., last], 0) => format!("ranks {} and {last}", first.join(", ")),
        (first, more) => format!("ranks {} and {more} more", first.join(", ")),
    }
}

impl Window {
    /// The rank for which another one waits, if that can be said of one: the first of those that are missing.
    pub(crate) fn whom(&self, wait: Wait) -> Option<usize> {
        let rank = match wait {
            Wait::Meeting => self.common.missing(self.rank).next(),
            Wait::Posts => self.missing_posts().first().copied(),
            Wait::Lock(target) => match self.common.member(target).lock.holder() {
                Holder::One(holder) => Some(holder),
                Holder::Several(_) | Holder::Nobody => None,
            },
            Wait::Completion | Wait::Accesses => None,
        };
        rank.map(|rank| rank as usize)
    }

    /// `window 'field'`
    pub(super) fn title(&self) -> String {
        match self.name.borrow().as_str() {
            "" => "an unnamed window".into(),
            name => format!("window '{name}'"),
        }
    }

    /// What a rank waits for that is about to be told why it waits in vain.
    pub(crate) fn in_words(&self, wait: Wait) -> String {
        let title = self.title();
        match wait {
            Wait::Meeting => {
                let missing: Vec<u32> = self.common.missing(self.rank).collect();
                format!("{} to do the same with {title}", ranks(&missing))
            }
            Wait::Lock(target) => {
                let target = self.common.member(target);
                let of = format!("{title} of rank {}", target.rank);
                match target.lock.holder() {
                    Holder::One(holder) => format!("rank {holder} holds {of} exclusively"),
                    Holder::Several(1) => format!("a rank shares the lock of {of}"),
                    Holder::Several(shares) => format!("{shares} ranks share the lock of {of}"),
                    Holder::Nobody => format!("the lock of {of}"),
                }
            }
            Wait::Posts => {
                let missing = self.missing_posts();
                format!("{} to post {title}", ranks(&missing))
            }
            Wait::Accesses => format!("its accesses of {title} on other nodes to be done"),
            Wait::Completion => {
                let (of, done) = (self.exposed(), self.mine().completed());
                format!("{} of {of} origins to complete their accesses of {title}", of.saturating_sub(done))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn ranks_are_listed() {
        let list = |all: &[u32]| super::ranks(all);
        assert_eq!(list(&[4]), "rank 4");
        assert_eq!(list(&[4, 5]), "ranks 4 and 5");
        assert_eq!(list(&[4, 5, 6]), "ranks 4, 5 and 6");
        assert_eq!(list(&[4, 5, 6, 7, 8]), "ranks 4, 5, 6 and 2 more");
    }
}
