//! Ranks of other nodes: what this process has of them, which is a way to them.
//!
//! Matching stays where the receiver lives. A send to a rank that is away becomes a [`Request`], which a thread that carries
//! letters between nodes takes ([`World::take_requests`]); a message from away is put into its receiver's mailbox by that
//! thread, like any other. A long message waits here as a *stand-in* among the messages that have come: an operation that
//! belongs to no rank, whose bytes are asked for when a receive has found it. A send that waits for that is known by a
//! number; nobody away hears of an address.
//!
//! Who may touch what is as for any operation (`mailbox/operation.rs`): the carrying thread is the matcher of a send to a rank
//! that is away, and of a receive that has found a stand-in.

mod arrivals;
mod calls;
mod groups;
mod hear;
mod nodes;
mod offers;

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::Thread;
use std::time::Duration;

use smallvec::SmallVec;

use crate::context::Context;
use crate::group::Members;
use crate::helping::Helpers;
use crate::mailbox::operation::What;
use crate::world::World;
use arrivals::Arrivals;
use calls::Calls;
use groups::Fetches;
pub(crate) use hear::KIND;
pub use hear::{About, Hear, LONGEST_TOLD};
pub use nodes::{Nodes, Numbering};
use offers::Offers;

/// The owner of operations that stand for others of other nodes, and who does what no rank does.
pub(crate) const NOBODY: u32 = u32::MAX;

/// Requests that may wait for the carrying thread, and bytes of messages; beyond, who sends waits for it.
const MOST: usize = 1 << 14;
const MOST_BYTES: usize = 16 << 20;

impl World {
    /// How many ranks of a group share a node, if they follow one another, are as many on each, the last one perhaps fewer, and no
    /// node comes twice. Otherwise all of them: how they are spread says nothing.
    pub(crate) fn in_a_row(&self, group: &Members) -> usize {
        let Some(nodes) = self.nodes() else { return group.len() };
        let places: Vec<u32> = group.iter().map(|rank| nodes.node_of(rank).unwrap_or(u32::MAX)).collect();
        runs(&places).unwrap_or(group.len())
    }
}

/// The length of the runs of equal numbers that numbers are made of, if all but a shorter last one have the same and no number comes
/// in two runs.
fn runs(numbers: &[u32]) -> Option<usize> {
    let mut runs = numbers.chunk_by(|one, next| one == next);
    let first = runs.next()?;
    let mut seen = HashSet::from([first[0]]);
    let (length, mut is_last) = (first.len(), false);
    let is_regular = runs.all(|run| {
        let is_next = !is_last && run.len() <= length && seen.insert(run[0]);
        is_last = run.len() < length;
        is_next
    });
    is_regular.then_some(length)
}

/// Where a message goes and what its receiver goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// The rank of the job that it is for.
    pub to: u32,
    /// The communicator's context, with its plane.
    pub context: u32,
    /// The sender's rank in the communicator.
    pub source: i32,
    /// The tag.
    pub tag: i32,
}

impl Address {
    fn of(what: &What, source: i32) -> Address {
        Address { to: what.destination, context: what.context.number(), source, tag: what.tag }
    }

    fn context(&self) -> Context {
        Context::from_number(self.context)
    }
}

/// What ranks want of those that are away.
#[derive(Debug)]
pub enum Request {
    /// A message, with all its bytes.
    Message(Address, SmallVec<[u8; 96]>),
    /// A message whose bytes stay here until they are asked for.
    Offer {
        /// Where it goes.
        address: Address,
        /// How long it is.
        length: u64,
        /// By what it is to be asked for.
        number: u64,
    },
    /// An arrival has found its receive.
    Matched {
        /// The number that it came with.
        arrival: u64,
        /// Bytes that the receive has room for.
        room: u64,
    },
    /// An offer is wanted back.
    TakeBack(u64),
    /// An offer's bytes are gone.
    Abandon(u64),
    /// A rank wants a group that another node keeps.
    Fetch {
        /// The node.
        node: u32,
        /// Its ticket for the group.
        ticket: u32,
        /// This node's number for the answer.
        number: u64,
    },
    /// A rank wants something of a window on another node.
    Call {
        /// The node.
        node: u32,
        /// This node's number for the answer; 0 if there is none.
        number: u64,
        /// What it wants.
        bytes: Vec<u8>,
    },
    /// What another node wanted is done.
    Answer {
        /// The node.
        node: u32,
        /// Its number for the answer.
        number: u64,
        /// The answer.
        bytes: Vec<u8>,
    },
}

/// What the ranks of this node do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// One of them runs, or has something for others that was not taken.
    Runs,
    /// Those that have not left wait.
    Waits,
    /// All have left.
    Left,
}

/// What a world has of other nodes.
pub(crate) struct Away {
    pub(crate) nodes: Nodes,
    /// Every rank of every node has a core of its own.
    pub(crate) has_cores: AtomicBool,
    /// What all nodes have in common and no guest knows.
    secret: OnceLock<[u64; 2]>,
    /// What the hosts of nodes are called.
    hosts: OnceLock<Vec<String>>,
    queue: Mutex<VecDeque<Request>>,
    /// There is something in it, perhaps.
    has_requests: AtomicBool,
    /// Bytes of the messages in it.
    queued: AtomicUsize,
    /// Bytes of the longest message that goes whole.
    whole: AtomicUsize,
    offers: Mutex<Offers>,
    arrivals: Mutex<Arrivals>,
    fetches: Mutex<Fetches>,
    calls: Mutex<Calls>,
    /// Who hears what other nodes tell the host, by what it is about.
    hears: [OnceLock<Arc<dyn Hear>>; About::ALL.len()],
    /// Ranks away to which messages are offered, and how many these are.
    full: Mutex<HashSet<u32>>,
    fulls: AtomicUsize,
    /// Nodes for which much waits.
    crowded: Box<[AtomicBool]>,
    /// The carrying thread, and whether it sleeps, or is about to look at the queue a last time.
    carrier: OnceLock<Thread>,
    sleeps: AtomicBool,
    /// Who carries beside it.
    pub(crate) helpers: Arc<Helpers>,
    /// Nothing is carried any more.
    is_closed: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Away {
    pub(crate) fn new(nodes: Nodes) -> Away {
        let crowded = (0..nodes.count()).map(|_| AtomicBool::new(false)).collect();
        Away {
            nodes,
            has_cores: AtomicBool::new(false),
            secret: OnceLock::new(),
            hosts: OnceLock::new(),
            queue: Mutex::default(),
            has_requests: AtomicBool::new(false),
            queued: AtomicUsize::new(0),
            whole: AtomicUsize::new(0),
            offers: Mutex::default(),
            arrivals: Mutex::default(),
            fetches: Mutex::default(),
            calls: Mutex::default(),
            hears: Default::default(),
            full: Mutex::default(),
            fulls: AtomicUsize::new(0),
            crowded,
            carrier: OnceLock::new(),
            sleeps: AtomicBool::new(false),
            helpers: Arc::default(),
            is_closed: AtomicBool::new(false),
        }
    }

    /// What fingerprints are made with.
    pub(crate) fn secret(&self) -> [u64; 2] {
        self.secret.get().copied().unwrap_or_default()
    }

    /// Leaves something to the carrying thread.
    fn ask(&self, request: Request) {
        if let Request::Message(_, bytes) = &request {
            self.queued.fetch_add(bytes.len(), Ordering::Relaxed);
        }
        lock(&self.queue).push_back(request);
        self.has_requests.store(true, Ordering::Relaxed);
        self.wake();
    }

    /// Has the carrying thread look, if it sleeps. Whatever it is to see was done before: it says that it sleeps first and
    /// looks then, and both are in one order with this.
    pub(crate) fn wake(&self) {
        if self.sleeps.load(Ordering::SeqCst)
            && self.sleeps.swap(false, Ordering::SeqCst)
            && let Some(thread) = self.carrier.get()
        {
            thread.unpark();
        }
    }

    /// Whether so much lies unreceived at a rank that it should ask for what else there is.
    fn is_full(&self, to: u32) -> bool {
        self.fulls.load(Ordering::Relaxed) > 0 && lock(&self.full).contains(&to)
    }

    /// Whether so much waits to be carried to a rank's node that a sender should let some of it leave first.
    fn is_crowded(&self, to: u32) -> bool {
        let node = self.nodes.node_of(to);
        node.is_some_and(|node| self.crowded[node as usize].load(Ordering::Relaxed))
            || lock(&self.queue).len() >= MOST
            || self.queued.load(Ordering::Relaxed) > MOST_BYTES
    }
}

impl World {
    /// How the job's ranks are spread, if some are away.
    pub fn nodes(&self) -> Option<&Nodes> {
        self.away.as_ref().map(|away| &away.nodes)
    }

    fn away(&self) -> &Away {
        self.away.as_deref().expect("only jobs of several nodes have letters")
    }

    /// Before ranks run: what all nodes have agreed on. No guest may know the secret.
    pub fn settle_nodes(&self, secret: [u64; 2], has_cores: bool) {
        let _ = self.away().secret.set(secret);
        self.away().has_cores.store(has_cores, Ordering::Relaxed);
    }

    /// Before ranks run: what the host of each node is called.
    pub fn name_hosts(&self, hosts: Vec<String>) {
        let _ = self.away().hosts.set(hosts);
    }

    /// What the host of each node is called, once that is known.
    pub(crate) fn hosts_of_nodes(&self) -> Option<&[String]> {
        self.away.as_ref()?.hosts.get().map(Vec::as_slice)
    }

    /// Before ranks run: messages up to this length go whole, and all others are offered.
    pub fn send_whole(&self, whole: usize) {
        self.away().whole.store(whole.min(World::whole()), Ordering::Relaxed);
    }

    /// The thread that calls carries letters from now on.
    pub fn carry(&self) {
        let _ = self.away().carrier.set(std::thread::current());
    }

    /// Takes what ranks want of others, in order.
    pub fn take_requests(&self, taken: &mut VecDeque<Request>) {
        debug_assert!(taken.is_empty());
        self.away().has_requests.store(false, Ordering::Relaxed);
        let mut queue = lock(&self.away().queue);
        self.away().queued.store(0, Ordering::Relaxed);
        std::mem::swap(taken, &mut *queue);
    }

    /// Whether ranks have asked for something that was not taken yet: a hint, of which a rank can rely on its own.
    #[inline]
    pub(crate) fn has_requests(&self) -> bool {
        self.away.as_ref().is_some_and(|away| away.has_requests.load(Ordering::Relaxed))
    }

    /// The carrying thread sleeps until it is woken, but not so long; not at all if something waits for it.
    pub fn rest_of_carrier(&self, longest: Duration) {
        let away = self.away();
        away.sleeps.store(true, Ordering::SeqCst);
        if lock(&away.queue).is_empty() {
            std::thread::park_timeout(longest);
        }
        away.sleeps.store(false, Ordering::SeqCst);
    }

    /// What the ranks do. The carrying thread asks, which is the only one that could wake a rank if none runs.
    pub fn rest(&self) -> Rest {
        if self.is_active() || !lock(&self.away().queue).is_empty() {
            return Rest::Runs;
        }
        if self.ranks().all(|rank| self.has_exited(rank)) { Rest::Left } else { Rest::Waits }
    }

    /// Messages to a rank that is away are to be offered, or need not be any longer.
    pub fn set_full_away(&self, rank: u32, full: bool) {
        let away = self.away();
        let mut ranks = lock(&away.full);
        if full {
            ranks.insert(rank)
        } else {
            ranks.remove(&rank)
        };
        away.fulls.store(ranks.len(), Ordering::Relaxed);
    }

    /// Messages to a node are to be offered, or need not be any longer.
    pub fn set_crowded(&self, node: u32, crowded: bool) {
        self.away().crowded[node as usize].store(crowded, Ordering::Relaxed);
    }

    /// Nothing is carried any more, and ranks that are unwound need not wait for it.
    pub fn close_nodes(&self) {
        self.away().is_closed.store(true, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::runs;

    #[test]
    fn ranks_of_nodes_in_a_row() {
        assert_eq!(runs(&[0, 0, 1, 1, 2, 2]), Some(2));
        assert_eq!(runs(&[2, 2, 2, 0, 0, 0, 1]), Some(3));
        assert_eq!(runs(&[5]), Some(1));
        assert_eq!(runs(&[0, 1, 2]), Some(1));
        assert_eq!(runs(&[0, 1, 0, 1]), None);
        assert_eq!(runs(&[0, 1, 1]), None);
        assert_eq!(runs(&[0, 0, 1, 2]), None);
        assert_eq!(runs(&[]), None);
    }
}
