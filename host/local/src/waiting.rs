//! What a rank waits for, in words: the lines of a deadlock report.

use std::rc::Rc;

use rankine_abi::{MPI_ANY_SOURCE, MPI_ANY_TAG};
use smallvec::SmallVec;

use crate::comm::Communicator;
use crate::context::Context;
use crate::mailbox::operation::{Kind, OpRef, What};
use crate::rank::Rank;
use crate::rma::{Wait, Window};
use crate::spawn;

/// What a rank waits for.
pub(crate) enum Waited {
    /// A send or a receive.
    Operation(OpRef),
    /// Other ranks of a window.
    Window(Rc<Window>, Wait),
    /// Somebody to come to a port.
    Port(Box<str>, spawn::Wait),
}

/// A call that waits while other threads of its program use the rank: what the rank knows of the call that is under way.
pub(crate) struct Aside {
    thread: u32,
    call: &'static str,
    waits: Vec<Waited>,
    /// What it has asked the guest, who has not answered yet.
    asked: SmallVec<[u32; 2]>,
}

/// Operations named of a rank that waits for many.
const NAMED: usize = 3;

impl Rank {
    /// A thread leaves the rank to others in the midst of a call.
    pub(crate) fn put_aside(&self, thread: u32) {
        let aside = Aside {
            thread,
            call: self.call(),
            waits: std::mem::take(&mut *self.waits.borrow_mut()),
            asked: std::mem::take(&mut *self.questions.running.borrow_mut()),
        };
        self.aside.borrow_mut().push(aside);
    }

    /// The thread goes on with its call.
    pub(crate) fn take_up(&self, thread: u32) {
        let mut aside = self.aside.borrow_mut();
        if let Some(index) = aside.iter().rposition(|aside| aside.thread == thread) {
            let Aside { call, waits, asked, .. } = aside.remove(index);
            self.enter(call);
            *self.waits.borrow_mut() = waits;
            *self.questions.running.borrow_mut() = asked;
        }
    }

    /// A thread leaves a call for good since the job has ended. Others, which leave after it, say what it waited for.
    pub(crate) fn leave_call(&self, thread: u32) {
        let words = self.waits_in_words(self.call(), &self.waits.borrow());
        let mut left = self.left.borrow_mut();
        left.retain(|(other, _)| *other != thread);
        left.push((thread, words));
    }

    /// What the rank waited for when it parked last: `MPI_Recv: a message from rank 1 with tag 7 in MPI_COMM_WORLD`.
    pub fn waiting(&self) -> String {
        let mut text = self.waits_in_words(self.call(), &self.waits.borrow());
        let aside = self.aside.borrow();
        let others = aside.iter().map(|aside| (aside.thread, self.waits_in_words(aside.call, &aside.waits)));
        // The last to have left is the one that asks.
        let left = self.left.borrow();
        let left = left.split_last().map_or(&[][..], |(_, before)| before).iter().cloned();
        for (thread, words) in others.chain(left) {
            text += &format!("; its thread {thread} in {words}");
        }
        text
    }

    fn waits_in_words(&self, call: &str, waits: &[Waited]) -> String {
        let mut named: Vec<String> = Vec::new();
        for waited in waits {
            let words = match waited {
                Waited::Operation(operation) => self.in_words(&operation.what()),
                Waited::Window(window, wait) => window.in_words(*wait),
                Waited::Port(port, wait) => wait.in_words(port),
            };
            if !named.contains(&words) {
                named.push(words);
            }
        }
        let more = named.len().saturating_sub(NAMED);
        named.truncate(NAMED);
        let mut text = format!("{call}: {}", named.join("; "));
        if named.is_empty() {
            text.truncate(call.len());
        }
        if more > 0 {
            text += &format!("; and {more} more");
        }
        text
    }

    fn in_words(&self, what: &What) -> String {
        if let Some(file) = self.files.with_context(what.context.of_communicator()) {
            return file.in_words(what.peer);
        }
        let name =
            self.behind(what.context).map_or_else(|| "a communicator that was freed".into(), |found| name(&found));
        let peer = match what.peer {
            MPI_ANY_SOURCE => "any rank".into(),
            peer => format!("rank {peer}"),
        };
        if what.context.is_collective() {
            return format!("{peer} in a collective of {name}");
        }
        let tag = match what.tag {
            MPI_ANY_TAG => "any tag".into(),
            tag => format!("tag {tag}"),
        };
        match what.kind {
            Kind::Send | Kind::Ssend => format!("{peer} to receive its message with {tag} in {name}"),
            Kind::Recv | Kind::Probe => format!("a message from {peer} with {tag} in {name}"),
        }
    }

    /// The communicator that a context belongs to.
    fn behind(&self, context: Context) -> Option<Rc<Communicator>> {
        let own = context.of_communicator();
        let found = [&self.world_comm, &self.self_comm].into_iter().find(|comm| comm.context == own).cloned();
        found.or_else(|| self.comms.with_context(own))
    }
}

fn name(communicator: &Communicator) -> String {
    match communicator.name.borrow().as_str() {
        "" => format!("an unnamed communicator of {} ranks", communicator.size()),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::future::{Future, poll_fn};
    use std::pin::pin;
    use std::task::Poll;

    use rankine_abi::{Addr, Comm, Datatype};

    use crate::pt2pt;
    use crate::testing::threads;
    use crate::world::Options;

    #[test]
    fn a_deadlock_is_told_in_words() {
        let (told, _) = threads(2, Options::default(), None, async |r| {
            r.enter("MPI_Recv");
            let mut received = pin!(pt2pt::recv(r, Addr(64), 1, Datatype::BYTE, 1 - r.id() as i32, 7, Comm::WORLD));
            poll_fn(|cx| match (received.as_mut().poll(cx), r.world().ended()) {
                (Poll::Pending, Some(_)) => Poll::Ready(r.waiting()),
                (polled, _) => polled.map(|_| "received".into()),
            })
            .await
        });
        let told: Vec<_> = told.into_iter().flatten().collect();
        assert_eq!(
            told,
            [
                "MPI_Recv: a message from rank 1 with tag 7 in MPI_COMM_WORLD",
                "MPI_Recv: a message from rank 0 with tag 7 in MPI_COMM_WORLD"
            ]
        );
    }
}
