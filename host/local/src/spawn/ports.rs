//! Ports and their published names (MPI-5.0 §11.9), by which groups meet that have no communicator in common.
//!
//! A port is a name and two lists: who connects and was not accepted yet, and who waits to accept. The two roots of a
//! meeting exchange their groups there; each then tells its own communicator.

use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::future::poll_fn;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;

use rankine_abi::{Comm, Info, MPI_ERR_COMM, MPI_ERR_NAME, MPI_ERR_PORT, MPI_ERR_SERVICE, MPI_MAX_PORT_NAME};

use super::check_root;
use crate::comm::{Party, Tag};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::group::Members;
use crate::quota::{Charge, Cost};
use crate::rank::Rank;
use crate::sync::{Mutex, MutexGuard, lock};
use crate::waiting::Waited;

/// The ports of a job, and the names that they are published under.
#[derive(Default)]
pub(crate) struct Shared(Mutex<Names>);

#[derive(Default)]
struct Names {
    /// Ports that were opened, ever.
    opened: u64,
    ports: HashMap<String, Port>,
    services: HashMap<String, (String, Charge)>,
}

struct Port {
    owner: u32,
    /// Who connects, the first first.
    callers: VecDeque<Arc<Meeting>>,
    /// Ranks that wait to accept.
    hosts: Vec<u32>,
    _charge: Charge,
}

/// Two groups that meet.
struct Meeting {
    /// The root of the group that connects.
    caller: u32,
    /// Its group.
    group: Members,
    /// What the other root answers.
    answer: Mutex<Option<Result<(Context, Members)>>>,
}

/// How many ports a rank has opened and not closed.
#[derive(Default)]
pub(crate) struct State {
    open: Cell<usize>,
}

/// What a rank waits for at a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Somebody to connect.
    Caller,
    /// Somebody to accept it.
    Host,
}

impl Wait {
    pub(crate) fn in_words(self, port: &str) -> String {
        match self {
            Wait::Caller => format!("somebody to connect to the port {port}"),
            Wait::Host => format!("somebody to accept connections at the port {port}"),
        }
    }
}

/// What a port takes of its owner's memory, and a published name.
const SIZE: usize = size_of::<Port>() + 2 * MPI_MAX_PORT_NAME as usize;

fn names(r: &Rank) -> MutexGuard<'_, Names> {
    lock(&r.world().spawned.ports.0)
}

#[cold]
fn no_port(name: &str) -> Error {
    Error::new(MPI_ERR_PORT, format!("port_name: no port {name:?} is open in this job"))
}

impl Port {
    /// Nobody will be accepted any more.
    fn close(self, r: &Rank, name: &str) {
        for meeting in self.callers {
            meeting.answer(r, Err(no_port(name)));
        }
        self.hosts.into_iter().for_each(|host| r.world().wake(host));
    }
}

impl Meeting {
    fn answer(&self, r: &Rank, answer: Result<(Context, Members)>) {
        *lock(&self.answer) = Some(answer);
        r.world().wake(self.caller);
    }
}

/// `MPI_Open_port`
pub fn open_port(r: &Rank, info: Info) -> Result<String> {
    r.hints(info)?;
    r.world().check_alone("ports at which groups of ranks meet")?;
    let charge = r.account.charge(SIZE, Cost::Ports)?;
    let mut names = names(r);
    names.opened += 1;
    let number = names.opened;
    // Nobody can guess it.
    let name = format!("rankine#{number}.{:016x}", r.world().fingerprint(number));
    let port = Port { owner: r.me(), callers: VecDeque::new(), hosts: Vec::new(), _charge: charge };
    names.ports.insert(name.clone(), port);
    r.spawn.ports.open.set(r.spawn.ports.open.get() + 1);
    Ok(name)
}

/// `MPI_Close_port`
pub fn close_port(r: &Rank, port_name: &str) -> Result<()> {
    let mut names = names(r);
    match names.ports.get(port_name) {
        None => return Err(no_port(port_name)),
        Some(port) if port.owner != r.me() => {
            return Err(Error::new(MPI_ERR_PORT, "port_name: another rank has opened it"));
        }
        Some(_) => {}
    }
    let port = names.ports.remove(port_name);
    r.spawn.ports.open.set(r.spawn.ports.open.get() - 1);
    drop(names);
    port.into_iter().for_each(|port| port.close(r, port_name));
    Ok(())
}

/// The rank's program has returned: nobody shall wait for it at its ports.
pub(crate) fn close_all(r: &Rank) {
    if r.spawn.ports.open.replace(0) > 0 {
        let mine: Vec<(String, Port)> = names(r).ports.extract_if(|_, port| port.owner == r.me()).collect();
        mine.into_iter().for_each(|(name, port)| port.close(r, &name));
    }
}

/// `MPI_Publish_name`
pub fn publish_name(r: &Rank, service_name: &str, info: Info, port_name: &str) -> Result<()> {
    r.hints(info)?;
    let charge = r.account.charge(SIZE + service_name.len(), Cost::Names)?;
    let mut names = names(r);
    if !names.ports.contains_key(port_name) {
        return Err(no_port(port_name));
    }
    if service_name.is_empty() || names.services.contains_key(service_name) {
        let text = format!("service_name: {service_name:?} is not a name, or has been published already");
        return Err(Error::new(MPI_ERR_SERVICE, text));
    }
    names.services.insert(service_name.to_owned(), (port_name.to_owned(), charge));
    Ok(())
}

/// `MPI_Unpublish_name`
pub fn unpublish_name(r: &Rank, service_name: &str, info: Info, port_name: &str) -> Result<()> {
    r.hints(info)?;
    let mut names = names(r);
    match names.services.get(service_name) {
        Some((port, _)) if port == port_name => {
            names.services.remove(service_name);
            Ok(())
        }
        Some(_) => Err(Error::new(MPI_ERR_PORT, format!("port_name: {service_name:?} was published for another port"))),
        None => Err(Error::new(MPI_ERR_SERVICE, format!("service_name: {service_name:?} has not been published"))),
    }
}

/// `MPI_Lookup_name`
pub fn lookup_name(r: &Rank, service_name: &str, info: Info) -> Result<String> {
    r.hints(info)?;
    match names(r).services.get(service_name) {
        Some((port, _)) => Ok(port.clone()),
        None => Err(Error::new(MPI_ERR_NAME, format!("service_name: nobody has published {service_name:?}"))),
    }
}

/// `MPI_Comm_accept`. Name and info are the root's.
pub async fn comm_accept(
    r: &Rank,
    port_name: impl FnOnce() -> Result<String>,
    info: Info,
    root: i32,
    comm: Comm,
) -> Result<Comm> {
    connect(r, (root, comm), async |group| {
        r.hints(info)?;
        let port = port_name()?;
        let meeting = r.at_port(&port, Wait::Caller, || r.next_caller(&port)).await?;
        let context = match group.intersection(&meeting.group).is_empty() {
            true => r.world().new_context(),
            false => Err(Error::new(MPI_ERR_COMM, "the groups that connect and accept have a rank in common")),
        };
        meeting.answer(r, context.clone().map(|context| (context, group)));
        Ok((context?, meeting.group.clone()))
    })
    .await
}

/// `MPI_Comm_connect`. Name and info are the root's.
pub async fn comm_connect(
    r: &Rank,
    port_name: impl FnOnce() -> Result<String>,
    info: Info,
    root: i32,
    comm: Comm,
) -> Result<Comm> {
    connect(r, (root, comm), async |group| {
        r.hints(info)?;
        let port = port_name()?;
        let meeting = Arc::new(Meeting { caller: r.me(), group, answer: Mutex::new(None) });
        let hosts = match names(r).ports.get_mut(&port) {
            Some(found) => {
                found.callers.push_back(meeting.clone());
                std::mem::take(&mut found.hosts)
            }
            None => return Err(no_port(&port)),
        };
        hosts.into_iter().for_each(|host| r.world().wake(host));
        r.at_port(&port, Wait::Host, || lock(&meeting.answer).take()).await
    })
    .await
}

/// The root meets another group's root; all ranks get the communicator to that group.
async fn connect(
    r: &Rank,
    (root, comm): (i32, Comm),
    meet: impl AsyncFnOnce(Members) -> Result<(Context, Members)>,
) -> Result<Comm> {
    let comm = r.intracommunicator(comm)?;
    check_root(&comm, root)?;
    let shelf = &r.world().shelf;
    let (mut words, mut failed) = ([0; 2], None);
    if comm.rank == root {
        match meet(Members::clone(&comm.group)).await {
            Ok((context, remote)) => {
                words = [Context::word(&Ok(context)), shelf.leave(remote, comm.group.len()) as i32];
            }
            // The others wait for it, and shall hear of the mistake.
            Err(error) => failed = Some(error),
        }
    }
    let [context, ticket] = Party::led_by(r, &comm, root, Tag::CONNECT).broadcast(words).await?;
    if let Some(error) = failed {
        return Err(error);
    }
    if ticket == 0 {
        return Err(Error::new(MPI_ERR_PORT, format!("the root, rank {root}, found nobody at its port")));
    }
    let (context, remote) = (Context::from_word(context)?, shelf.fetch(ticket as u32)?);
    r.add_comm(comm.child(context, comm.group.clone(), comm.rank).to(Rc::new(remote)))
}

impl Rank {
    /// Who connects to a port first; nobody yet, but this rank will be told.
    fn next_caller(&self, port: &str) -> Option<Result<Arc<Meeting>>> {
        let mut names = names(self);
        let Some(port) = names.ports.get_mut(port) else { return Some(Err(no_port(port))) };
        if let Some(meeting) = port.callers.pop_front() {
            return Some(Ok(meeting));
        }
        if !port.hosts.contains(&self.me()) {
            port.hosts.push(self.me());
        }
        None
    }

    /// Waits at a port until `ready`, of which the other side tells this rank.
    async fn at_port<T>(&self, port: &str, wait: Wait, mut ready: impl FnMut() -> Option<Result<T>>) -> Result<T> {
        poll_fn(|_| {
            if let Some(result) = ready() {
                return Poll::Ready(result);
            }
            self.progress();
            if self.parking.get() {
                self.waits.borrow_mut().push(Waited::Port(port.into(), wait));
            } else {
                self.restless.set(true);
            }
            Poll::Pending
        })
        .await
    }
}
