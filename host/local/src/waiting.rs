//! Describes what a rank waits for: the lines of a deadlock report.

use std::rc::Rc;

use rankine_abi::{MPI_ANY_SOURCE, MPI_ANY_TAG};
use rankine_guest::{Awaits, Together, Whom};
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
    /// The program itself, to mark parts of a message ready.
    Marks(Unmarked),
    /// Other ranks of a window.
    Window(Rc<Window>, Wait),
    /// Somebody to come to a port.
    Port(Box<str>, spawn::Wait),
    /// A node to make ranks ready that are to start there.
    Starting(u32),
}

/// Parts of a message that is to go out which its program has not marked ready.
pub(crate) struct Unmarked {
    pub(crate) first: usize,
    pub(crate) more: usize,
    /// The message.
    pub(crate) what: What,
}

impl Unmarked {
    /// What the program has still to do: `partition 3 and 2 more of its message to rank 1 with tag 5 to be marked ready`.
    fn in_words(&self) -> String {
        let more = if self.more > 0 { format!(" and {} more", self.more) } else { String::new() };
        let What { peer, tag, .. } = self.what;
        format!(
            "partition {}{more} of its message to rank {peer} with tag {tag} to be marked ready (MPI_Pready)",
            self.first
        )
    }
}

/// A call that waits while other threads of its program use the rank: what the rank knows of the call that is under way.
pub(crate) struct Aside {
    thread: u32,
    call: &'static str,
    waits: Vec<Waited>,
    /// What it has asked the guest, who has not answered yet.
    asked: SmallVec<[u32; 2]>,
}

/// Operations named of a rank that waits for many, and messages that it does not wait for.
const NAMED: usize = 3;
/// So many waits are told apart, which a rank may have a hundred thousand of; what is beyond is counted.
const TOLD_APART: usize = 1000;
/// So many messages are looked at for that.
const SEEN: usize = 4096;

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
        for waited in waits.iter().take(TOLD_APART) {
            let words = match waited {
                Waited::Operation(operation) => self.in_words(&operation.what()),
                Waited::Marks(unmarked) => unmarked.in_words(),
                Waited::Window(window, wait) => window.in_words(*wait),
                Waited::Port(port, wait) => wait.in_words(port),
                Waited::Starting(node) => format!("ranks to stand ready on node {node}"),
            };
            if !named.contains(&words) {
                named.push(words);
            }
        }
        let more = named.len().saturating_sub(NAMED) + waits.len().saturating_sub(TOLD_APART);
        named.truncate(NAMED);
        let mut text = format!("{call}: {}", named.join("; "));
        if named.is_empty() {
            text.truncate(call.len());
        }
        if more > 0 {
            text += &format!("; and {more} more");
        }
        text + &self.unreceived_in_words(waits)
    }

    /// What has come over the same communicators and is not what the rank waits for: `; rank 0 has sent tag 7, not received`.
    fn unreceived_in_words(&self, waits: &[Waited]) -> String {
        let awaited = waits.iter().filter_map(|waited| match waited {
            Waited::Operation(operation) => Some(operation.what()),
            _ => None,
        });
        let mut receives: SmallVec<[What; 4]> = awaited.filter(|what| what.kind.receives()).collect();
        receives.retain(|what| what.context == what.context.of_communicator());
        let is_one = receives.iter().all(|what| what.context == receives[0].context);
        let mut seen: SmallVec<[Context; 4]> = SmallVec::new();
        let mut text = String::new();
        for what in receives {
            if seen.len() == NAMED || seen.contains(&what.context) || self.files.with_context(what.context).is_some() {
                continue;
            }
            seen.push(what.context);
            let mut come = self.inside(|inside| inside.matching(|matching| matching.unreceived(what.context, SEEN)));
            come.sort_unstable_by_key(|&(source, tag)| (source != what.peer, source, tag));
            come.dedup();
            let named: Vec<_> =
                come.iter().take(NAMED).map(|(rank, tag)| format!("rank {rank} has sent tag {tag}")).collect();
            if !named.is_empty() {
                let place = self.behind(what.context).filter(|_| !is_one).map(|comm| format!(" in {}", name(&comm)));
                let more = if come.len() > NAMED { ", and there is more" } else { "" };
                text += &format!("; {}{}, not received{more}", named.join(", "), place.unwrap_or_default());
            }
        }
        text
    }

    /// What the rank waits for in few words and without the messages that have come: of several things the first, for listeners.
    pub(crate) fn awaits(&self) -> Awaits {
        let (waits, aside) = (self.waits.borrow(), self.aside.borrow());
        // The threads of a program that wait have put aside what they wait for.
        let (call, waits) = match aside.first().filter(|_| waits.is_empty()) {
            Some(aside) => (aside.call, &aside.waits),
            None => (self.call(), &*waits),
        };
        let whom = match waits.first() {
            Some(Waited::Operation(operation)) => self.whom(&operation.what()),
            Some(Waited::Window(window, wait)) => window.whom(*wait).map_or(Whom::Nobody, Whom::Rank),
            Some(Waited::Marks(_) | Waited::Port(..) | Waited::Starting(_)) | None => Whom::Nobody,
        };
        Awaits { call, whom, more: waits.len().saturating_sub(1) as u32 }
    }

    /// Whose message or part an operation waits for.
    fn whom(&self, what: &What) -> Whom {
        let what = &self.whole(what);
        if let Kind::Send | Kind::Ssend = what.kind
            && !what.context.is_collective()
        {
            return Whom::Receiver { to: what.destination as usize, tag: what.tag };
        }
        let own = what.context.of_communicator();
        let peer = match self.behind(own) {
            Some(comm) => comm.peers().get(what.peer).map(|rank| rank as usize),
            None => self.files.with_context(own).and_then(|file| file.member(what.peer)),
        };
        if what.context.is_collective() {
            return peer.map_or(Whom::Nobody, Whom::Rank);
        }
        Whom::Message { from: peer, tag: (what.tag != MPI_ANY_TAG).then_some(what.tag) }
    }

    /// The blocking collective that the rank waits in. Nothing where others of its threads wait too.
    pub fn waits_together(&self) -> Option<Together> {
        if !self.aside.borrow().is_empty() || self.left.borrow().len() > 1 {
            return None;
        }
        let waits = self.waits.borrow();
        let awaited = waits.iter().find_map(|waited| match waited {
            Waited::Operation(operation) => Some(operation.what()),
            _ => None,
        })?;
        let communicator = self.behind(awaited.context).filter(|_| awaited.is_of_blocking_collective())?;
        let (number, root) = communicator.blocking.get();
        let call = self.call();
        let call = call.strip_suffix("_c").unwrap_or(call);
        Some(Together { communicator: communicator.context.number(), name: name(&communicator), number, call, root })
    }

    fn in_words(&self, what: &What) -> String {
        if let Some(file) = self.files.with_context(what.context.of_communicator()) {
            return file.in_words(what.peer);
        }
        let whole = self.whole(what);
        let name =
            self.behind(whole.context).map_or_else(|| "a communicator that was freed".into(), |found| name(&found));
        let peer = match what.peer {
            MPI_ANY_SOURCE => "any rank".into(),
            peer => format!("rank {peer}"),
        };
        if what.context.is_collective() {
            return format!("{peer} in a collective of {name}");
        }
        let tag = match whole.tag {
            MPI_ANY_TAG => "any tag".into(),
            tag => format!("tag {tag}"),
        };
        let part = if what.context.is_of_parts() { format!("partition {} of ", what.tag) } else { String::new() };
        match what.kind {
            Kind::Send | Kind::Ssend => format!("{peer} to receive {part}its message with {tag} in {name}"),
            Kind::Recv | Kind::Probe => format!("{part}a message from {peer} with {tag} in {name}"),
        }
    }

    /// The message that something is of, as its program knows it: another one if that travels in parts.
    fn whole(&self, what: &What) -> What {
        let message = if what.context.is_of_parts() { self.message_in_parts(what.context) } else { None };
        message.map_or(*what, |(context, tag)| What { context, tag, ..*what })
    }

    /// The communicator that a context belongs to.
    pub(crate) fn behind(&self, context: Context) -> Option<Rc<Communicator>> {
        let own = context.of_communicator();
        let found = [&self.world_comm, &self.self_comm].into_iter().find(|comm| comm.context == own).cloned();
        found.or_else(|| self.comms.with_context(own))
    }
}

/// What a communicator is called.
pub(crate) fn name(communicator: &Communicator) -> String {
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

    use rankine_abi::{Addr, Comm, Datatype, Info};

    use crate::pt2pt;
    use crate::request::{start, wait};
    use crate::testing::threads;
    use crate::world::Options;

    /// What each of two ranks waited for, who receive a message of this tag from each other after they have sent others.
    fn told(tag: i32, sent: [&[i32]; 2]) -> Vec<String> {
        let (told, _) = threads(2, Options::default(), None, async |r| {
            r.enter("MPI_Recv");
            let (buffer, other) = (Addr(64), 1 - r.id() as i32);
            for &tag in sent[r.id()] {
                pt2pt::send(r, buffer, 1, Datatype::BYTE, other, tag, Comm::WORLD).await.unwrap();
            }
            let mut received = pin!(pt2pt::recv(r, buffer, 1, Datatype::BYTE, other, tag, Comm::WORLD));
            poll_fn(|cx| match (received.as_mut().poll(cx), r.world().ended()) {
                (Poll::Pending, Some(_)) => Poll::Ready(r.waiting()),
                (polled, _) => polled.map(|_| "received".into()),
            })
            .await
        });
        told.into_iter().flatten().collect()
    }

    #[test]
    fn a_deadlock_is_told_in_words() {
        assert_eq!(
            told(7, [&[], &[]]),
            [
                "MPI_Recv: a message from rank 1 with tag 7 in MPI_COMM_WORLD",
                "MPI_Recv: a message from rank 0 with tag 7 in MPI_COMM_WORLD"
            ]
        );
    }

    #[test]
    fn messages_in_parts_are_told_as_their_program_knows_them() {
        let (told, _) = threads(2, Options::default(), None, async |r| {
            r.enter("MPI_Wait");
            let other = 1 - r.id() as i32;
            let (comm, info) = (Comm::WORLD, Info::NULL);
            let request = if r.id() == 0 {
                pt2pt::precv_init(r, Addr(64), 4, 1, Datatype::BYTE, other, 5, comm, info).unwrap()
            } else {
                pt2pt::psend_init(r, Addr(64), 4, 1, Datatype::BYTE, other, 5, comm, info).unwrap()
            };
            start(r, request).unwrap();
            if r.id() == 1 {
                pt2pt::pready(r, 1, request).unwrap();
            }
            let mut waited = pin!(wait(r, request));
            poll_fn(|cx| match (waited.as_mut().poll(cx), r.world().ended()) {
                (Poll::Pending, Some(_)) => Poll::Ready(r.waiting()),
                (polled, _) => polled.map(|_| "done".into()),
            })
            .await
        });
        let told: Vec<_> = told.into_iter().flatten().collect();
        let mut awaited: Vec<_> = told[0].strip_prefix("MPI_Wait: ").unwrap().split("; ").collect();
        awaited.sort_unstable();
        let of = |part| format!("partition {part} of a message from rank 1 with tag 5 in MPI_COMM_WORLD");
        assert_eq!(awaited, [of(0), of(2), of(3)]);
        assert_eq!(
            told[1],
            "MPI_Wait: partition 0 and 2 more of its message to rank 0 with tag 5 to be marked ready (MPI_Pready)"
        );
    }

    #[test]
    fn what_has_come_and_is_not_waited_for_is_told() {
        assert_eq!(
            told(6, [&[1, 2, 3, 4, 5], &[7]]),
            [
                "MPI_Recv: a message from rank 1 with tag 6 in MPI_COMM_WORLD; rank 1 has sent tag 7, not received",
                "MPI_Recv: a message from rank 0 with tag 6 in MPI_COMM_WORLD; rank 0 has sent tag 1, rank 0 has sent tag 2, \
                 rank 0 has sent tag 3, not received, and there is more"
            ]
        );
    }
}
