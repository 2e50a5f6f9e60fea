//! More processes (MPI-5.0 chapter 11): programs start ranks, which have a world of their own.
//!
//! They belong to the same job: the engine makes room for them, agrees with all ranks of the communicator on who they
//! are, and has the host start them ([`Start`]). From then on they are ranks like any others, whose `MPI_COMM_WORLD` is
//! another. Strangers meet over ports ([`ports`]).

mod far;
mod place;
mod ports;
mod soft;
#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use rankine_abi::{Comm, Info, MPI_ERR_ARG, MPI_ERR_ROOT, MPI_ERR_SPAWN, MPI_ERR_UNSUPPORTED_OPERATION, MPI_SUCCESS};
use rankine_guest::Who;

use crate::comm::{Communicator, Party, Tag, comm_free};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::group::Members;
use crate::quota::{Account, Charge, Cost};
use crate::rank::Rank;
use crate::shelf::Shelf;
use crate::sync::{Mutex, lock};

pub(crate) use far::KIND;
use place::Beginning;
pub use place::Order;
pub(crate) use ports::{Wait, close_all};
pub use ports::{close_port, comm_accept, comm_connect, lookup_name, open_port, publish_name, unpublish_name};
use soft::Soft;

/// How a host starts ranks.
pub trait Start: Send + Sync {
    /// Makes ready what is ordered, so that nothing but the system can keep their ranks from starting. An error
    /// is that of the call. What it takes of the host's memory, and keeps, is charged to whoever starts them.
    fn prepare(&self, orders: &[Order<'_>], account: &Arc<Account>) -> Result<Box<dyn Ready>>;
}

/// What a host has made ready.
pub trait Ready {
    /// Starts ranks of the job: for each command these of those that are here, as far as there are any. Either all run, or
    /// none, and it is an error. It is never called twice at a time, and numbers only grow; those that could not be started
    /// are left out.
    fn start(self: Box<Self>, ranks: &[Range<usize>], birth: &Arc<Birth>) -> Result<()>;
}

/// Ranks to start from one module.
#[derive(Clone, Debug)]
pub struct Command {
    /// The module, by the name that the program has for it.
    pub name: String,
    /// The arguments, without that name.
    pub arguments: Vec<String>,
    /// How many ranks, at most.
    pub most: i32,
    /// Hints.
    pub info: Info,
}

/// What ranks know from their start that a program has started.
#[derive(Debug)]
pub struct Birth {
    /// The number of their world.
    number: u32,
    /// The context of its `MPI_COMM_WORLD`.
    world: Context,
    /// Its ranks.
    members: Members,
    /// The context between them and their parents, and who these are.
    parent: (Context, Members),
}

impl Birth {
    /// What a rank of the job is among all of them.
    pub fn who(&self, rank: usize) -> Who {
        let rank = self.members.find(rank as u32).unwrap_or_default() as usize;
        Who { world: self.number, rank }
    }

    /// How many ranks there are in their world.
    pub fn size(&self) -> usize {
        self.members.len()
    }
}

/// What the ranks of a job share for this.
#[derive(Default)]
pub(crate) struct Shared {
    start: OnceLock<Arc<dyn Start>>,
    /// Worlds that were started. Held while one is, so that hosts see ranks in their order.
    worlds: Mutex<u32>,
    /// What came of a call that starts ranks, on its way to the ranks that have not made it.
    outcomes: Shelf<Arc<Outcome>>,
    pub(crate) ports: ports::Shared,
}

impl Shared {
    pub(crate) fn start_by(&self, start: Arc<dyn Start>) {
        let _ = self.start.set(start);
    }
}

/// Ranks that were started.
struct Started {
    /// The context between them and their parents.
    context: Context,
    members: Members,
    /// For each command, how many ranks, and how many were asked for.
    counts: Vec<[i32; 2]>,
    _charge: Charge,
}

/// For each rank that was asked for, whether it was started.
fn codes(counts: &[[i32; 2]]) -> Vec<i32> {
    let each = counts.iter().flat_map(|&[started, wanted]| {
        let (started, wanted) = (started.max(0) as usize, wanted.max(0) as usize);
        let missing = wanted.saturating_sub(started);
        std::iter::repeat_n(MPI_SUCCESS, started).chain(std::iter::repeat_n(MPI_ERR_SPAWN, missing))
    });
    each.collect()
}

/// What came of a call that starts ranks, for those that call later than its root. What is kept is charged to the root.
struct Outcome {
    started: Result<Started>,
    _charge: Charge,
}

impl Outcome {
    /// Names are the root's, which need not be short.
    const LONGEST: usize = 300;

    fn new(r: &Rank, started: Result<Started>) -> Outcome {
        let shortened = started.map_err(|error| {
            let text: String = error.text.chars().take(Self::LONGEST).collect();
            Error::new(error.class, text)
        });
        match r.account().charge(size_of::<Outcome>() + Self::LONGEST, WHAT) {
            Ok(charge) => Outcome { started: shortened, _charge: charge },
            // Those who were started need to be known all the same.
            Err(error) => Outcome { started: shortened.map_err(|_| error), _charge: Charge::default() },
        }
    }
}

/// What a rank knows of its own start.
pub(crate) struct State {
    /// What it is among all ranks.
    who: Who,
    /// Which command it was started by.
    pub(crate) command: i32,
    /// The communicator to who has started it.
    parent: Comm,
    /// Where it has begun, if not where the first ranks have.
    beginning: OnceCell<Beginning>,
    pub(crate) ports: ports::State,
}

impl State {
    /// Of a rank that the user has started.
    pub(crate) fn first(rank: usize) -> State {
        State {
            who: rank.into(),
            command: 0,
            parent: Comm::NULL,
            beginning: OnceCell::new(),
            ports: ports::State::default(),
        }
    }
}

impl Rank {
    /// A rank that a program has started, counted from the first that is here, by this one of its commands.
    ///
    /// # Errors
    /// If its memory limit has no room for a communicator.
    pub fn spawned(world: Arc<crate::World>, index: usize, birth: &Birth, command: usize) -> Result<Rank> {
        let id = world.number(index) as usize;
        let who = birth.who(id);
        let group = Rc::new(birth.members.clone());
        let communicator = Communicator::world(birth.world, group.clone(), who.rank as i32);
        let mut rank = Rank::with(world, id, communicator);
        let (context, parents) = &birth.parent;
        let parent = Communicator::new(*context, group, who.rank as i32).to(Rc::new(parents.clone()));
        *parent.name.borrow_mut() = "MPI_COMM_PARENT".into();
        let parent = rank.add_comm(parent)?;
        rank.spawn = State { who, command: command as i32, parent, ..State::first(id) };
        Ok(rank)
    }

    /// Which rank it is among all of the job.
    pub fn who(&self) -> Who {
        self.spawn.who
    }
}

/// `MPI_Comm_get_parent`: always the same handle, until it is freed.
pub fn comm_get_parent(r: &Rank) -> Result<Comm> {
    let parent = r.spawn.parent;
    Ok(if r.communicator(parent).is_ok() { parent } else { Comm::NULL })
}

/// `MPI_Comm_disconnect`: `MPI_Comm_free`, after everything that goes on over the communicator has ended (§11.10.4).
pub async fn comm_disconnect(r: &Rank, comm: Comm) -> Result<Comm> {
    r.communicator(comm)?;
    r.settle(comm).await;
    comm_free(r, comm).await
}

/// An error unless it is a rank of the communicator.
fn check_root(comm: &Communicator, root: i32) -> Result<()> {
    if comm.group.get(root).is_some() {
        return Ok(());
    }
    let text = format!("root is {root}, but the communicator has ranks 0 to {}", comm.size() - 1);
    Err(Error::new(MPI_ERR_ROOT, text))
}

/// `MPI_Comm_spawn` and `MPI_Comm_spawn_multiple`: the root's commands count. A communicator to the ranks that were
/// started, and a code for each that was asked for.
pub async fn comm_spawn(
    r: &Rank,
    commands: impl FnOnce() -> Result<Vec<Command>>,
    root: i32,
    comm: Comm,
) -> Result<(Comm, Vec<i32>)> {
    let comm = r.intracommunicator(comm)?;
    check_root(&comm, root)?;
    if !r.world().are_here(&comm.group) {
        return spawn_over_nodes(r, commands, root, &comm).await;
    }
    let outcomes = &r.world().spawned.outcomes;
    let mut ticket = 0;
    let mut failed = None;
    if comm.rank == root {
        let outcome = commands().and_then(|commands| start(r, &comm, &commands));
        failed = outcome.as_ref().err().cloned();
        ticket = outcomes.leave(Arc::new(Outcome::new(r, outcome)), comm.group.len()) as i32;
    }
    let [ticket] = Party::led_by(r, &comm, root, Tag::SPAWN).broadcast([ticket]).await?;
    let outcome = outcomes.fetch(ticket as u32)?;
    if let Some(error) = failed {
        return Err(error);
    }
    let Started { context, members, counts, .. } = outcome.started.as_ref().map_err(|error| {
        Error::new(error.class, format!("the root, rank {root}, could start nothing: {}", error.text))
    })?;
    let remote = Rc::new(members.clone());
    let children = r.add_comm(comm.child(*context, comm.group.clone(), comm.rank).to(remote))?;
    Ok((children, codes(counts)))
}

/// It for ranks of several nodes: those who are started are on the root's, whose ranks are told of in messages.
async fn spawn_over_nodes(
    r: &Rank,
    commands: impl FnOnce() -> Result<Vec<Command>>,
    root: i32,
    comm: &Rc<Communicator>,
) -> Result<(Comm, Vec<i32>)> {
    let (mut words, mut counts, mut failed) = ([0; 4], Vec::new(), None);
    if comm.rank == root {
        match commands().and_then(|commands| start(r, comm, &commands)) {
            Ok(started) => {
                let ticket = r.world().shelf.leave(started.members, comm.group.len());
                words = [0, Context::word(&Ok(started.context)), ticket as i32, started.counts.len() as i32];
                counts = started.counts;
            }
            Err(error) => {
                words[0] = error.class;
                failed = Some(error);
            }
        }
    }
    let party = Party::led_by(r, comm, root, Tag::SPAWN);
    let [class, context, ticket, commands] = party.broadcast(words).await?;
    if let Some(error) = failed {
        return Err(error);
    }
    if class != 0 {
        return Err(Error::new(class, format!("the root, rank {root}, could start nothing")));
    }
    let mut all = Vec::new();
    for command in 0..commands.max(0) as usize {
        all.push(party.broadcast(counts.get(command).copied().unwrap_or_default()).await?);
    }
    let remote = Rc::new(r.fetch_group(ticket as u32).await?);
    let context = Context::from_word(context)?;
    let children = r.add_comm(comm.child(context, comm.group.clone(), comm.rank).to(remote))?;
    Ok((children, codes(&all)))
}

/// What errors call what came of calls.
const WHAT: Cost = Cost::Outcomes;
/// Ranks that a call may ask for: it tells what came of each.
const MOST_WANTED: usize = 1 << 20;

/// How many ranks each command asks for, and which numbers of ranks would do.
fn wanted(r: &Rank, commands: &[Command]) -> Result<Vec<Soft>> {
    let soft = |command: &Command| {
        let Ok(most @ 1..) = usize::try_from(command.most) else {
            return Err(Error::new(MPI_ERR_ARG, format!("maxprocs is {}, but has to be 1 or more", command.most)));
        };
        let hints = r.hints(command.info)?;
        match hints.as_ref().and_then(|hints| hints.get("soft")) {
            Some(text) => Soft::parse(text, most),
            None => Ok(Soft::exactly(most)),
        }
    };
    if commands.is_empty() {
        return Err(Error::new(MPI_ERR_ARG, "count is 0: there is no command"));
    }
    let wanted: Vec<Soft> = commands.iter().map(soft).collect::<Result<_>>()?;
    let most: usize = wanted.iter().map(|soft| soft.most).sum();
    if most > MOST_WANTED {
        let text = format!("maxprocs: {most} ranks are asked for, but a call can start at most {MOST_WANTED}");
        return Err(Error::new(MPI_ERR_SPAWN, text));
    }
    Ok(wanted)
}

/// Starts what the root asks for.
fn start(r: &Rank, comm: &Communicator, commands: &[Command]) -> Result<Started> {
    let world = r.world();
    let soft = wanted(r, commands)?;
    let mut free = world.most_ranks().saturating_sub(world.size());
    let mut counts = Vec::with_capacity(soft.len());
    for soft in &soft {
        // What does not fit at all is refused by `grow`, in words.
        let count = soft.largest(free).unwrap_or(soft.most);
        free = free.saturating_sub(count);
        counts.push(count);
    }
    let total: usize = counts.iter().sum();
    if total == 0 {
        return Err(Error::new(MPI_ERR_SPAWN, "no rank can be started, and soft allows none"));
    }
    let Some(host) = world.spawned.start.get() else {
        return Err(Error::new(MPI_ERR_SPAWN, "this job can't start ranks"));
    };
    if total > world.most_ranks().saturating_sub(world.size()) {
        // Without looking for a module that would be of no use.
        world.grow(total).map(|room| world.give_up(room))?;
    }
    let wanted: usize = soft.iter().map(|soft| soft.most).sum();
    let charge = r.account().charge(wanted * size_of::<i32>(), WHAT)?;
    let orders: Vec<Order<'_>> = commands.iter().map(|command| Order::of(r, command)).collect::<Result<_>>()?;
    let ready = host.prepare(&orders, r.account())?;
    let (inside, between) = (world.new_context()?, world.new_context()?);
    let mut worlds = lock(&world.spawned.worlds);
    let room = world.grow(total)?;
    let members = Members::range(world.number(room.start), total as u32);
    let parent = (between, Members::clone(&comm.group));
    // Each node numbers its own.
    let (node, nodes) = world.nodes().map_or((0, 1), |nodes| (nodes.node, nodes.count()));
    let birth = Arc::new(Birth { number: *worlds * nodes + node + 1, world: inside, members: members.clone(), parent });
    let mut first = room.start;
    let ranges: Vec<Range<usize>> = counts
        .iter()
        .map(|count| {
            first += count;
            first - count..first
        })
        .collect();
    ready.start(&ranges, &birth).inspect_err(|_| world.give_up(room))?;
    *worlds += 1;
    drop(worlds);
    let counts = soft.iter().zip(&counts).map(|(soft, &count)| [count as i32, soft.most as i32]).collect();
    Ok(Started { context: between, members, counts, _charge: charge })
}

/// `MPI_Comm_join`: its descriptor is WASI's.
pub async fn comm_join(_: &Rank, fd: i32) -> Result<Comm> {
    let text = format!(
        "fd {fd} can't be a socket: guests have none, and the job's ranks meet over ports (MPI_Comm_accept, MPI_Comm_connect)"
    );
    Err(Error::new(MPI_ERR_UNSUPPORTED_OPERATION, text))
}
