//! Ports of other nodes, and names that are published, which node 0 keeps for all.
//!
//! A port is at the node of the rank that has opened it, which its name says. Who connects or accepts from elsewhere leaves its
//! group on the shelf of its own node, calls the port's, and is answered when somebody of the other side has come. Names are
//! looked up at once: only those who carry letters are waited for.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use rankine_abi::{MPI_ERR_NAME, MPI_ERR_OTHER, MPI_ERR_PORT, MPI_ERR_SERVICE, MPI_MAX_PORT_NAME};

use super::ports::{Acceptor, Called, Caller, Group, Meeting, Published, Wait, no_port};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::group::Members;
use crate::rank::Rank;
use crate::waiting::Waited;
use crate::world::World;

/// What a call of a port begins with.
pub(crate) const KIND: u8 = 65;
/// The node that keeps published names.
const OF_NAMES: u32 = 0;
/// Bytes of the longest name, of a port or of a service.
const LONGEST: usize = MPI_MAX_PORT_NAME as usize;

const DONE: u8 = 0;
/// There is no such port or name, or there is one already.
const REFUSED: u8 = 1;
/// The name is another port's.
const ANOTHER: u8 = 2;

/// What is asked of the node of a port, or of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask<'a> {
    /// A rank connects whose group has this ticket. The answer is a context, and a ticket for the other group.
    Connect {
        ticket: u32,
        port: &'a str,
    },
    /// One accepts whose group has this ticket, with this context between the two. The answer is a ticket for the other group.
    Accept {
        ticket: u32,
        context: i32,
        port: &'a str,
    },
    Publish {
        service: &'a str,
        port: &'a str,
    },
    Unpublish {
        service: &'a str,
        port: &'a str,
    },
    /// The answer is the name of a port, behind its length.
    Lookup {
        service: &'a str,
    },
}

/// Bytes of what is answered to who connects.
const MET: usize = 9;
/// Bytes of what is answered to who accepts.
const CALLED: usize = 5;
/// Bytes of what is answered to who looks a name up.
const FOUND: usize = 3 + LONGEST;

impl<'a> Ask<'a> {
    fn write(self) -> Vec<u8> {
        let (kind, ticket, context, first, second) = match self {
            Ask::Connect { ticket, port } => (0, ticket, 0, port, ""),
            Ask::Publish { service, port } => (1, 0, 0, service, port),
            Ask::Unpublish { service, port } => (2, 0, 0, service, port),
            Ask::Lookup { service } => (3, 0, 0, service, ""),
            Ask::Accept { ticket, context, port } => (4, ticket, context, port, ""),
        };
        let length = first.len() as u32;
        let [ticket, context, length] = [ticket, context.cast_unsigned(), length].map(u32::to_le_bytes);
        [&[KIND, kind, 0, 0][..], &ticket, &context, &length, first.as_bytes(), second.as_bytes()].concat()
    }

    fn read(bytes: &'a [u8]) -> Option<Ask<'a>> {
        let (&[KIND, kind, 0, 0], rest) = bytes.split_first_chunk()? else { return None };
        let (ticket, rest) = rest.split_first_chunk()?;
        let (context, rest) = rest.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (first, second) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let text = |bytes: &'a [u8]| std::str::from_utf8(bytes).ok().filter(|text| text.len() <= LONGEST);
        let (first, second) = (text(first)?, text(second)?);
        Some(match (kind, u32::from_le_bytes(*ticket), i32::from_le_bytes(*context)) {
            (0, ticket @ 1.., 0) if second.is_empty() => Ask::Connect { ticket, port: first },
            (1, 0, 0) => Ask::Publish { service: first, port: second },
            (2, 0, 0) => Ask::Unpublish { service: first, port: second },
            (3, 0, 0) if second.is_empty() => Ask::Lookup { service: first },
            (4, ticket @ 1.., context) if second.is_empty() => Ask::Accept { ticket, context, port: first },
            _ => return None,
        })
    }
}

/// The port of this number, on a job of so many nodes.
pub(super) fn node_of_port(world: &World, name: &str) -> Option<u32> {
    let nodes = world.nodes()?;
    let (number, _) = name.strip_prefix(super::ports::PREFIX)?.split_once('.')?;
    let node = (number.parse::<u64>().ok()? % u64::from(nodes.count())) as u32;
    (node != nodes.node).then_some(node)
}

/// The node that keeps names, if that is another one.
pub(super) fn node_of_names(world: &World) -> Option<u32> {
    world.nodes().filter(|nodes| nodes.node != OF_NAMES).map(|_| OF_NAMES)
}

impl Rank {
    /// Connects to a port of another node: the context and the group that the other root answers.
    pub(super) async fn connect_far(&self, node: u32, port: &str, group: Members) -> Result<(Context, Group)> {
        let ticket = self.world().shelf.leave(group, 1);
        let answer = self.ask_port(node, Ask::Connect { ticket, port }, (port, Wait::Host), MET).await;
        match (answer.first(), word(&answer, 1), word(&answer, 5)) {
            (Some(&DONE), Some(context), Some(ticket)) => {
                Ok((Context::from_word(context.cast_signed())?, Group::Ticket(ticket)))
            }
            _ => {
                // Nobody has fetched it.
                let _ = self.world().shelf.fetch(ticket);
                Err(no_port(port))
            }
        }
    }

    /// Accepts at a port of another node, by a context: the group of who has connected.
    pub(super) async fn accept_far(&self, node: u32, port: &str, group: Members, context: Context) -> Result<Group> {
        let ticket = self.world().shelf.leave(group, 1);
        let ask = Ask::Accept { ticket, context: Context::word(&Ok(context)), port };
        let answer = self.ask_port(node, ask, (port, Wait::Caller), CALLED).await;
        match (answer.first(), word(&answer, 1)) {
            (Some(&DONE), Some(ticket)) => Ok(Group::Ticket(ticket)),
            _ => {
                let _ = self.world().shelf.fetch(ticket);
                Err(no_port(port))
            }
        }
    }

    /// Asks the node of a port, and waits until somebody comes there.
    async fn ask_port(&self, node: u32, ask: Ask<'_>, (port, wait): (&str, Wait), length: usize) -> Vec<u8> {
        let world = self.world();
        let number = world.expect_answer(self.me(), node, length);
        world.call_node(node, number, ask.write());
        self.answer_to(number, || Waited::Port(port.into(), wait)).await
    }

    /// Waits for an answer, which is this.
    pub(super) async fn answer_to(&self, number: u64, waited: impl Fn() -> Waited) -> Vec<u8> {
        poll_fn(|_| {
            if let Some(answer) = self.world().take_answer(number) {
                return Poll::Ready(answer);
            }
            self.progress();
            if self.parking.get() {
                self.waits.borrow_mut().push(waited());
            } else {
                self.restless.set(true);
            }
            Poll::Pending
        })
        .await
    }

    /// Asks a node what those who carry letters answer, who alone are waited for.
    pub(super) fn ask_at_once(&self, node: u32, ask: Vec<u8>, length: usize) -> Result<Vec<u8>> {
        let world = self.world();
        let number = world.expect_answer(self.me(), node, length);
        world.call_node(node, number, ask);
        let mut answer = None;
        world.wait_for_carriers(|| {
            answer = answer.take().or_else(|| world.take_answer(number));
            if answer.is_none()
                && let Some(helpers) = world.helpers()
            {
                self.outside(|| helpers.look());
            }
            answer.is_some()
        });
        answer.ok_or_else(|| Error::new(MPI_ERR_OTHER, "the job has ended"))
    }

    pub(super) fn publish_far(&self, node: u32, service: &str, port: &str) -> Result<()> {
        check_length(service)?;
        match self.ask_at_once(node, Ask::Publish { service, port }.write(), 1)?[..] {
            [DONE] => Ok(()),
            _ => Err(no_service(service)),
        }
    }

    pub(super) fn unpublish_far(&self, node: u32, service: &str, port: &str) -> Result<()> {
        check_length(service)?;
        match self.ask_at_once(node, Ask::Unpublish { service, port }.write(), 1)?[..] {
            [DONE] => Ok(()),
            [ANOTHER] => Err(of_another(service)),
            _ => Err(not_published(service)),
        }
    }

    pub(super) fn lookup_far(&self, node: u32, service: &str) -> Result<String> {
        check_length(service)?;
        let answer = self.ask_at_once(node, Ask::Lookup { service }.write(), FOUND)?;
        let found = answer.split_first_chunk::<3>().and_then(|(&[code, low, high], rest)| {
            let name = rest.get(..usize::from(u16::from_le_bytes([low, high])))?;
            if code == DONE { std::str::from_utf8(name).ok() } else { None }
        });
        found.map(str::to_owned).ok_or_else(|| nobodys(service))
    }
}

impl World {
    /// A node calls a port of this one, or the names that this one keeps.
    pub(crate) fn serve_port(
        &self,
        from: u32,
        number: u64,
        bytes: &[u8],
    ) -> std::result::Result<Option<Vec<u8>>, String> {
        let ask = Ask::read(bytes).filter(|_| number != 0).ok_or("a call that no port knows")?;
        let ports = &self.spawned.ports;
        Ok(match ask {
            Ask::Connect { ticket, port } => {
                if self.shelf.elsewhere(ticket) != Some(from) {
                    return Err(format!("it connects to a port with ticket {ticket}, which is not its own"));
                }
                let meeting = Arc::new(Meeting::of(Caller::There { node: from, number }, Group::Ticket(ticket)));
                let called = ports.call(port, &meeting);
                called.is_none().then(|| vec![REFUSED]).or_else(|| {
                    called.into_iter().for_each(|called| self.answer_call(called, &meeting));
                    None
                })
            }
            Ask::Accept { ticket, context, port } => {
                let context = Context::from_word(context).map_err(|_| "a context that is none")?;
                if self.shelf.elsewhere(ticket) != Some(from) {
                    return Err(format!("it accepts at a port with ticket {ticket}, which is not its own"));
                }
                let acceptor = Acceptor { node: from, number, context, ticket };
                match ports.accept(port, acceptor) {
                    Some(Some(meeting)) => {
                        self.meet(acceptor, &meeting);
                        None
                    }
                    Some(None) => None,
                    None => Some(vec![REFUSED]),
                }
            }
            Ask::Publish { service, port } => Some(vec![match ports.publish(service, port) {
                Published::Yes => DONE,
                _ => REFUSED,
            }]),
            Ask::Unpublish { service, port } => Some(vec![match ports.unpublish(service, port) {
                Published::Yes => DONE,
                Published::Otherwise => ANOTHER,
                Published::No => REFUSED,
            }]),
            Ask::Lookup { service } => {
                let Some(port) = ports.lookup(service) else { return Ok(Some(vec![REFUSED])) };
                let mut answer = [&[DONE][..], &(port.len() as u16).to_le_bytes(), port.as_bytes()].concat();
                answer.resize(FOUND, 0);
                Some(answer)
            }
        })
    }

    /// Somebody connects at a port, where others wait to accept.
    pub(super) fn answer_call(&self, called: Called, meeting: &Meeting) {
        match called {
            Called::Wakes(hosts) => hosts.into_iter().for_each(|host| self.wake(host)),
            Called::Meets(acceptor) => self.meet(acceptor, meeting),
        }
    }

    /// Somebody of another node accepts who connects.
    fn meet(&self, acceptor: Acceptor, meeting: &Meeting) {
        let Acceptor { node, number, context, ticket } = acceptor;
        let callers = self.ticket(&meeting.group);
        self.answer_node(node, number, [&[DONE][..], &callers.to_le_bytes()].concat());
        meeting.answer(self, Ok((context, Group::Ticket(ticket))));
    }

    /// Nobody comes to a port any more at which somebody of another node accepts.
    pub(super) fn refuse(&self, acceptor: Acceptor) {
        self.answer_node(acceptor.node, acceptor.number, vec![REFUSED]);
    }

    /// A ticket for a group, for one reader.
    fn ticket(&self, group: &Group) -> u32 {
        match group {
            Group::Known(group) => self.shelf.leave(group.clone(), 1),
            Group::Ticket(ticket) => *ticket,
        }
    }

    /// Answers who has called a port from another node: with a context and a group, or that it can't be.
    pub(super) fn answer_caller(&self, node: u32, number: u64, answer: Result<(Context, Group)>) {
        let bytes = answer.map_or_else(
            |_| vec![REFUSED],
            |(context, group)| {
                let context = Context::word(&Ok(context)).to_le_bytes();
                [&[DONE][..], &context, &self.ticket(&group).to_le_bytes()].concat()
            },
        );
        self.answer_node(node, number, bytes);
    }
}

/// The word of an answer that begins at this byte.
fn word(answer: &[u8], at: usize) -> Option<u32> {
    answer.get(at..)?.split_first_chunk().map(|(word, _)| u32::from_le_bytes(*word))
}

fn check_length(service: &str) -> Result<()> {
    if service.len() <= LONGEST {
        return Ok(());
    }
    let text = format!("service_name has {} bytes, and may have {LONGEST}", service.len());
    Err(Error::new(MPI_ERR_SERVICE, text))
}

#[cold]
pub(super) fn no_service(service: &str) -> Error {
    Error::new(MPI_ERR_SERVICE, format!("service_name: {service:?} is not a name, or has been published already"))
}

#[cold]
pub(super) fn of_another(service: &str) -> Error {
    Error::new(MPI_ERR_PORT, format!("port_name: {service:?} was published for another port"))
}

#[cold]
pub(super) fn not_published(service: &str) -> Error {
    Error::new(MPI_ERR_SERVICE, format!("service_name: {service:?} has not been published"))
}

#[cold]
pub(super) fn nobodys(service: &str) -> Error {
    Error::new(MPI_ERR_NAME, format!("service_name: nobody has published {service:?}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_asked_is_read(kind in 0..5_u8, ticket in 1_u32.., context in any::<i32>(), names in any::<[String; 2]>(), at in any::<usize>(), byte in any::<u8>()) {
            let [service, port] = &names;
            let ask = match kind {
                0 => Ask::Connect { ticket, port },
                1 => Ask::Publish { service, port },
                2 => Ask::Unpublish { service, port },
                3 => Ask::Accept { ticket, context, port },
                _ => Ask::Lookup { service },
            };
            let mut written = ask.write();
            prop_assert_eq!(Ask::read(&written), Some(ask));
            let at = at % written.len();
            written[at] = byte;
            if let Some(other) = Ask::read(&written) {
                prop_assert_eq!(other.write(), written);
            }
        }
    }
}
