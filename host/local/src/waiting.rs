//! What a rank waits for, in words: the lines of a deadlock report.

use std::rc::Rc;

use rankine_abi::{MPI_ANY_SOURCE, MPI_ANY_TAG};

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

/// Operations named of a rank that waits for many.
const NAMED: usize = 3;

impl Rank {
    /// What the rank waited for when it parked last: `MPI_Recv: a message from rank 1 with tag 7 in MPI_COMM_WORLD`.
    pub fn waiting(&self) -> String {
        let mut named: Vec<String> = Vec::new();
        let waits = self.waits.borrow();
        for waited in waits.iter() {
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
        let mut text = format!("{}: {}", self.call(), named.join("; "));
        if named.is_empty() {
            text.truncate(self.call().len());
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
