//! Ports and their published names (MPI-5.0 §11.9), by which groups meet that have no communicator in common.
//!
//! A port is a name and two lists: who connects and was not accepted yet, and who waits to accept. The two roots of a
//! meeting exchange their groups there; each then tells its own communicator. What is on other nodes is `far`'s.

use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::future::poll_fn;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;

use rankine_abi::{Comm, Info, MPI_ERR_COMM, MPI_ERR_PORT, MPI_MAX_PORT_NAME};

use super::check_root;
use super::far::{no_service, nobodys, node_of_names, node_of_port, not_published, of_another};
use crate::comm::{Party, Tag};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::group::Members;
use crate::quota::{Charge, Cost};
use crate::rank::Rank;
use crate::sync::{Mutex, MutexGuard, lock};
use crate::waiting::Waited;
use crate::world::World;

/// The ports of a job, and the names that they are published under.
#[derive(Default)]
pub(crate) struct Shared(Mutex<Names>);

#[derive(Default)]
struct Names {
    /// Ports that were opened, ever.
    opened: u64,
    ports: HashMap<String, Port>,
    services: HashMap<String, String>,
    /// What ranks of this node are charged for names that they have published.
    charges: HashMap<String, Charge>,
}

/// What came of publishing a name, or of taking it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Published {
    Yes,
    /// It is, or is not, published already.
    No,
    /// For another port.
    Otherwise,
}

impl Shared {
    /// Somebody connects to a port; who waits to accept at it, if there is such a port.
    pub(super) fn call(&self, port: &str, meeting: &Arc<Meeting>) -> Option<Called> {
        let mut names = lock(&self.0);
        let port = names.ports.get_mut(port)?;
        if let Some(acceptor) = port.far.pop_front() {
            return Some(Called::Meets(acceptor));
        }
        port.callers.push_back(meeting.clone());
        Some(Called::Wakes(std::mem::take(&mut port.hosts)))
    }

    /// Somebody of another node accepts at a port: who has connected, or nobody yet, if there is such a port.
    pub(super) fn accept(&self, port: &str, acceptor: Acceptor) -> Option<Option<Arc<Meeting>>> {
        let mut names = lock(&self.0);
        let port = names.ports.get_mut(port)?;
        let meeting = port.callers.pop_front();
        if meeting.is_none() {
            port.far.push_back(acceptor);
        }
        Some(meeting)
    }

    pub(super) fn publish(&self, service: &str, port: &str) -> Published {
        let mut names = lock(&self.0);
        if service.is_empty() || names.services.contains_key(service) {
            return Published::No;
        }
        names.services.insert(service.to_owned(), port.to_owned());
        Published::Yes
    }

    pub(super) fn unpublish(&self, service: &str, port: &str) -> Published {
        let mut names = lock(&self.0);
        match names.services.get(service) {
            Some(published) if published == port => {
                names.services.remove(service);
                Published::Yes
            }
            Some(_) => Published::Otherwise,
            None => Published::No,
        }
    }

    pub(super) fn lookup(&self, service: &str) -> Option<String> {
        lock(&self.0).services.get(service).cloned()
    }
}

struct Port {
    owner: u32,
    /// Who connects, the first first.
    callers: VecDeque<Arc<Meeting>>,
    /// Ranks that wait to accept, here and on other nodes.
    hosts: Vec<u32>,
    far: VecDeque<Acceptor>,
    _charge: Charge,
}

/// Two groups that meet.
pub(super) struct Meeting {
    /// The root of the group that connects.
    caller: Caller,
    /// Its group.
    pub(super) group: Group,
    /// What the other root answers to one that is here.
    answer: Mutex<Option<Result<(Context, Group)>>>,
}

/// Who accepts, on another node, where an answer is expected by a number.
#[derive(Clone, Copy)]
pub(super) struct Acceptor {
    pub(super) node: u32,
    pub(super) number: u64,
    /// Between the two groups.
    pub(super) context: Context,
    /// For its group.
    pub(super) ticket: u32,
}

/// What comes of a call.
pub(super) enum Called {
    /// These ranks wait to accept, and shall look.
    Wakes(Vec<u32>),
    /// Somebody of another node accepts it.
    Meets(Acceptor),
}

/// Who connects.
pub(super) enum Caller {
    /// This rank, which is here.
    Here(u32),
    /// A rank of another node, which expects an answer by a number.
    There { node: u32, number: u64 },
}

/// The group of who connects or accepts.
#[derive(Clone)]
pub(super) enum Group {
    Known(Members),
    /// It lies on the shelf of its node.
    Ticket(u32),
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

/// What a port's name begins with.
pub(super) const PREFIX: &str = "rankine#";

#[cold]
pub(super) fn no_port(name: &str) -> Error {
    Error::new(MPI_ERR_PORT, format!("port_name: no port {name:?} is open in this job"))
}

impl Port {
    /// Nobody will be accepted any more.
    fn close(self, r: &Rank, name: &str) {
        for meeting in self.callers {
            meeting.answer(r.world(), Err(no_port(name)));
        }
        self.far.into_iter().for_each(|acceptor| r.world().refuse(acceptor));
        self.hosts.into_iter().for_each(|host| r.world().wake(host));
    }
}

impl Meeting {
    pub(super) fn of(caller: Caller, group: Group) -> Meeting {
        Meeting { caller, group, answer: Mutex::new(None) }
    }

    pub(super) fn answer(&self, world: &World, answer: Result<(Context, Group)>) {
        match self.caller {
            Caller::Here(rank) => {
                *lock(&self.answer) = Some(answer);
                world.wake(rank);
            }
            Caller::There { node, number } => world.answer_caller(node, number, answer),
        }
    }
}

impl Group {
    /// Its ranks, none of which is one of these.
    async fn apart_from(&self, r: &Rank, own: &Members) -> Result<Members> {
        let group = match self {
            Group::Known(group) => group.clone(),
            Group::Ticket(ticket) => r.fetch_group(*ticket).await?,
        };
        if own.intersection(&group).is_empty() {
            return Ok(group);
        }
        Err(Error::new(MPI_ERR_COMM, "the groups that connect and accept have a rank in common"))
    }
}

/// `MPI_Open_port`
pub fn open_port(r: &Rank, info: Info) -> Result<String> {
    r.hints(info)?;
    let charge = r.account.charge(SIZE, Cost::Ports)?;
    let mut names = names(r);
    names.opened += 1;
    // It says which node has it.
    let (node, nodes) = r.world().nodes().map_or((0, 1), |nodes| (nodes.node, nodes.count()));
    let number = names.opened * u64::from(nodes) + u64::from(node);
    // Nobody can guess it.
    let name = format!("{PREFIX}{number}.{:016x}", r.world().fingerprint(number));
    let port =
        Port { owner: r.me(), callers: VecDeque::new(), hosts: Vec::new(), far: VecDeque::new(), _charge: charge };
    names.ports.insert(name.clone(), port);
    r.spawn.ports.open.set(r.spawn.ports.open.get() + 1);
    Ok(name)
}

/// `MPI_Close_port`
pub fn close_port(r: &Rank, port_name: &str) -> Result<()> {
    if node_of_port(r.world(), port_name).is_some() {
        return Err(Error::new(MPI_ERR_PORT, "port_name: another rank has opened it, or nobody"));
    }
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
    // Whether there is one of another node, who connects to it will hear.
    if node_of_port(r.world(), port_name).is_none() && !names(r).ports.contains_key(port_name) {
        return Err(no_port(port_name));
    }
    match node_of_names(r.world()) {
        Some(node) => r.publish_far(node, service_name, port_name)?,
        None if r.world().spawned.ports.publish(service_name, port_name) == Published::Yes => {}
        None => return Err(no_service(service_name)),
    }
    names(r).charges.insert(service_name.to_owned(), charge);
    Ok(())
}

/// `MPI_Unpublish_name`
pub fn unpublish_name(r: &Rank, service_name: &str, info: Info, port_name: &str) -> Result<()> {
    r.hints(info)?;
    // Before anybody else can publish it, who pays for it then.
    let charge = names(r).charges.remove(service_name);
    let taken = match node_of_names(r.world()) {
        Some(node) => r.unpublish_far(node, service_name, port_name),
        None => match r.world().spawned.ports.unpublish(service_name, port_name) {
            Published::Yes => Ok(()),
            Published::Otherwise => Err(of_another(service_name)),
            Published::No => Err(not_published(service_name)),
        },
    };
    if let (Err(_), Some(charge)) = (&taken, charge) {
        names(r).charges.insert(service_name.to_owned(), charge);
    }
    taken
}

/// `MPI_Lookup_name`
pub fn lookup_name(r: &Rank, service_name: &str, info: Info) -> Result<String> {
    r.hints(info)?;
    match node_of_names(r.world()) {
        Some(node) => r.lookup_far(node, service_name),
        None => r.world().spawned.ports.lookup(service_name).ok_or_else(|| nobodys(service_name)),
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
        if let Some(node) = node_of_port(r.world(), &port) {
            let context = r.world().new_context()?;
            let callers = r.accept_far(node, &port, group.clone(), context).await?;
            return Ok((context, callers.apart_from(r, &group).await?));
        }
        let meeting = r.at_port(&port, Wait::Caller, || r.next_caller(&port)).await?;
        let context = r.world().new_context();
        meeting.answer(r.world(), context.clone().map(|context| (context, Group::Known(group.clone()))));
        Ok((context?, meeting.group.apart_from(r, &group).await?))
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
        if let Some(node) = node_of_port(r.world(), &port) {
            let (context, hosts) = r.connect_far(node, &port, group.clone()).await?;
            return Ok((context, hosts.apart_from(r, &group).await?));
        }
        let meeting = Arc::new(Meeting::of(Caller::Here(r.me()), Group::Known(group.clone())));
        let called = r.world().spawned.ports.call(&port, &meeting).ok_or_else(|| no_port(&port))?;
        r.world().answer_call(called, &meeting);
        let (context, hosts) = r.at_port(&port, Wait::Host, || lock(&meeting.answer).take()).await?;
        Ok((context, hosts.apart_from(r, &group).await?))
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
    let (context, remote) = (Context::from_word(context)?, r.fetch_group(ticket as u32).await?);
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
