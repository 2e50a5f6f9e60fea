//! More processes (MPI-5.0 chapter 11): programs start ranks, which have a world of their own.
//!
//! They belong to the same job: the engine makes room for them, agrees with all ranks of the communicator on who they
//! are, and has the host start them ([`Start`]), here or on other nodes ([`elsewhere`]). From then on they are ranks like any
//! others, whose `MPI_COMM_WORLD` is another. Strangers meet over ports ([`ports`]).

mod elsewhere;
mod far;
mod muster;
mod node;
mod orders;
mod place;
mod places;
mod ports;
mod soft;
#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::collections::BTreeMap;
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
use crate::sync::{AtomicU32, Ordering};

use elsewhere::Elsewhere;
pub(crate) use elsewhere::KIND as KIND_OF_STARTS;
pub(crate) use far::KIND;
pub use muster::Room;
use muster::Wanted;
use place::Beginning;
pub use place::Order;
pub(crate) use places::{KIND as KIND_OF_PLACES, no_room};
pub(crate) use ports::{Wait, close_all};
pub use ports::{close_port, comm_accept, comm_connect, lookup_name, open_port, publish_name, unpublish_name};
use soft::Soft;

/// How a host starts ranks.
pub trait Start: Send + Sync {
    /// Makes ready what is ordered, so that nothing but the system can keep their ranks from starting. An error
    /// is that of the call. What it takes of the host's memory, and keeps, is charged to this account.
    fn prepare(&self, orders: &[&Order], account: &Arc<Account>) -> Result<Box<dyn Ready>>;
}

/// What a host has made ready.
pub trait Ready: Send {
    /// Has ranks of the job stand ready: for each order so many, where `room` has them. From before it asks for that on, the job
    /// does not end here without them. Either all wait to begin, or none, and it is an error.
    fn muster(self: Box<Self>, counts: &[usize], room: &mut dyn FnMut() -> Result<Room>) -> Result<Box<dyn Set>>;
}

/// Ranks that stand ready. Those that have not begun when this is dropped never do: first they have left their room, and then
/// the job here need not wait for them.
pub trait Set: Send {
    /// They begin.
    fn begin(self: Box<Self>, birth: &Arc<Birth>);
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
    /// Worlds that were started from here.
    worlds: AtomicU32,
    /// What came of a call that starts ranks, on its way to the ranks that have not made it.
    outcomes: Shelf<Arc<Outcome>>,
    serving: elsewhere::Serving,
    places: places::Places,
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
        let outcome = started(r, &comm, commands).await;
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

/// It for ranks of several nodes, which are told of in messages.
async fn spawn_over_nodes(
    r: &Rank,
    commands: impl FnOnce() -> Result<Vec<Command>>,
    root: i32,
    comm: &Rc<Communicator>,
) -> Result<(Comm, Vec<i32>)> {
    let (mut words, mut counts, mut failed) = ([0; 4], Vec::new(), None);
    if comm.rank == root {
        match started(r, comm, commands).await {
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

/// What each command wants, and on which node.
fn wanted(r: &Rank, commands: Vec<Command>) -> Result<Vec<(u32, Wanted)>> {
    let wanted = |(number, command): (usize, Command)| {
        let Ok(most @ 1..) = usize::try_from(command.most) else {
            return Err(Error::new(MPI_ERR_ARG, format!("maxprocs is {}, but has to be 1 or more", command.most)));
        };
        let hints = r.hints(command.info)?;
        let hint = |key: &str| hints.as_ref().and_then(|hints| hints.get(key));
        let soft = hint("soft").map_or_else(|| Ok(Soft::exactly(most)), |text| Soft::parse(text, most))?;
        let node = r.world().node_named(hint("host"))?;
        Ok((node, Wanted { order: Order::of(r, number, command)?, soft }))
    };
    if commands.is_empty() {
        return Err(Error::new(MPI_ERR_ARG, "count is 0: there is no command"));
    }
    let wanted: Vec<(u32, Wanted)> = commands.into_iter().enumerate().map(wanted).collect::<Result<_>>()?;
    let most: usize = wanted.iter().map(|(_, wanted)| wanted.soft.most).sum();
    if most > MOST_WANTED {
        let text = format!("maxprocs: {most} ranks are asked for, but a call can start at most {MOST_WANTED}");
        return Err(Error::new(MPI_ERR_SPAWN, text));
    }
    Ok(wanted)
}

/// Starts what the root asks for.
async fn started(r: &Rank, comm: &Communicator, commands: impl FnOnce() -> Result<Vec<Command>>) -> Result<Started> {
    let world = r.world();
    let mut wanted = wanted(r, commands()?)?;
    let plan: Vec<(u32, usize)> = wanted.iter().map(|(node, wanted)| (*node, wanted.soft.most)).collect();
    let charge = r.account().charge(plan.iter().map(|(_, most)| most * size_of::<i32>()).sum(), WHAT)?;
    let places = places::Taken::by(r, &mut wanted)?;
    let mut by_node: BTreeMap<u32, Vec<Wanted>> = BTreeMap::new();
    wanted.into_iter().for_each(|(node, wanted)| by_node.entry(node).or_default().push(wanted));
    let own = world.node() as u32;
    // What is wrong here need not travel, and no room is taken before the others have some.
    let here = world.prepare(&by_node.remove(&own).unwrap_or_default(), r.account())?;
    let there = Elsewhere::muster(r, &by_node).await?;
    let here = here.muster(world)?;
    let standing = there.standing().chain([(own, (here.first, here.counts.clone()))]);
    let (ranks, counts) = in_order(&plan, standing.collect());
    if ranks.is_empty() {
        return Err(Error::new(MPI_ERR_SPAWN, "no rank can be started, and soft allows none"));
    }
    let (inside, between) = (world.new_context()?, world.new_context()?);
    let members = Members::list(ranks);
    let parent = (between, Members::clone(&comm.group));
    // Each node numbers its own.
    let (node, nodes) = world.nodes().map_or((0, 1), |nodes| (nodes.node, nodes.count()));
    let number = world.spawned.worlds.fetch_add(1, Ordering::Relaxed) * nodes + node + 1;
    let birth = Arc::new(Birth { number, world: inside, members: members.clone(), parent });
    if let Some(places) = places {
        places.keep(members.len());
    }
    there.begin(&birth);
    here.begin(&birth);
    Ok(Started { context: between, members, counts, _charge: charge })
}

/// Ranks that stand ready, in the order of the commands, of each of which is known where its ranks are and how many it asks for. For
/// each node there are the first of its ranks, and how many there are for each command; the same for each command.
fn in_order(plan: &[(u32, usize)], standing: BTreeMap<u32, (u32, Vec<usize>)>) -> (Vec<u32>, Vec<[i32; 2]>) {
    let each = standing.into_iter().map(|(node, (first, counts))| (node, (first, counts.into_iter())));
    let mut each: BTreeMap<_, _> = each.collect();
    let mut ranks = Vec::new();
    let counts = plan.iter().map(|(node, most)| {
        let next = each.get_mut(node).and_then(|(next, counts)| Some((next, counts.next()? as u32)));
        let count = next.map_or(0, |(next, count)| {
            ranks.extend(*next..*next + count);
            *next += count;
            count
        });
        [count as i32, *most as i32]
    });
    let counts = counts.collect();
    (ranks, counts)
}

/// `MPI_Comm_join`: its descriptor is WASI's.
pub async fn comm_join(_: &Rank, fd: i32) -> Result<Comm> {
    let text = format!(
        "fd {fd} can't be a socket: guests have none, and the job's ranks meet over ports (MPI_Comm_accept, MPI_Comm_connect)"
    );
    Err(Error::new(MPI_ERR_UNSUPPORTED_OPERATION, text))
}
