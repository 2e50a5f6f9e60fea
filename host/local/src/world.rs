//! What the ranks of one job share: their mailboxes, who sleeps, and how the job ended.

use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher, RandomState};
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use rankine_abi::{MPI_ERR_NO_MEM, MPI_ERR_SPAWN};
use rankine_guest::{Awaits, Growing};

use crate::away::{self, Away, NOBODY, Nodes};
use crate::context::{Context, Contexts, Names};
use crate::ear::{Count, Ear};
use crate::error::{Error, Result};
use crate::events::{Event, Listen};
use crate::layout::Layout;
use crate::mailbox::matching::{Arrived, Pair, Work};
use crate::mailbox::operation::{Fate, OpRef, Operation, Outcome};
use crate::mailbox::ring::Header;
use crate::mailbox::{Mailbox, NOTIFIED, PARKED, RUNNING};
use crate::members::Members;
use crate::quota::{Account, Charge, Cost};
use crate::shelf::Shelf;
use crate::sync::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use crate::{io, joint, rma, spawn};

/// How a host wakes a rank that parked.
pub trait Wake: Send + Sync {
    /// The rank, counted from the first that is here, has something to look at. May be called while it runs; it then looks
    /// again before it parks.
    fn wake(&self, rank: usize);
}

/// How a job ended before its ranks returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// A rank called `MPI_Abort`, or an error handler did.
    Abort {
        /// The rank.
        rank: usize,
        /// The exit status asked for.
        code: i32,
    },
    /// Every rank waits and nothing is in flight.
    Deadlock,
    /// The host ended it: a trap, a signal, a time limit.
    Host,
}

/// Choices for a job.
#[derive(Clone, Debug)]
pub struct Options {
    /// Spin before parking: sensible only while ranks have a core each.
    pub spin: bool,
    /// Report a deadlock at once; otherwise ranks wait for ever.
    pub deadlock_check: bool,
    /// The largest standard send that is buffered when nobody receives it and its rank would park.
    pub buffer_limit: usize,
    /// Bytes of memory that a rank may have, if the user says so (see [`Account`]).
    pub memory_limit: Option<u64>,
    /// How ranks get memory that they share, where the host can give it.
    pub share_pages: Option<Arc<dyn rma::SharePages>>,
    /// Who keeps the files that ranks may open.
    pub storage: Option<Arc<dyn io::Storage>>,
    /// Ranks that the job may have, those that its programs start included; none of them leaves its room to another.
    pub most_ranks: usize,
    /// How many ranks the machine suits (`MPI_UNIVERSE_SIZE`).
    pub universe: usize,
    /// The job has ranks in other processes.
    pub nodes: Option<Nodes>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            spin: true,
            deadlock_check: true,
            buffer_limit: 64 << 10,
            memory_limit: None,
            share_pages: None,
            storage: None,
            most_ranks: 0,
            universe: 0,
            nodes: None,
        }
    }
}

/// Operations are pooled in chunks of this many.
const CHUNK: usize = 64;
/// Bytes that an operation takes, with the layout of its buffer, and in the queue of its destination.
const OPERATION: usize = size_of::<Operation>() + size_of::<Layout>() + size_of::<Arrived>() + 64;
/// Operations that one rank can have pending.
const MAX_OPERATIONS: usize = 1 << 20;

/// Operations that references point to: a plain `Box` would claim to be the only way to them each time it is moved.
pub(crate) struct Chunk(NonNull<[Operation]>, #[expect(dead_code, reason = "it is given back with the chunk")] Charge);

// SAFETY: an operation may be shared between threads, and the chunk is freed together with the job.
unsafe impl Send for Chunk {}

impl Chunk {
    pub(crate) fn new(owner: u32, charge: Charge) -> Self {
        let operations: Box<[Operation]> = (0..CHUNK).map(|_| Operation::new(owner)).collect();
        Chunk(NonNull::from(Box::leak(operations)), charge)
    }

    pub(crate) fn references(&self) -> Vec<OpRef> {
        // SAFETY: the chunk lives as long as the job, and its operations change only inside of cells.
        unsafe { self.0.as_ref() }.iter().rev().map(OpRef::new).collect()
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // SAFETY: it came from a box, and nobody has a reference any more (see `OpRef`).
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

struct Post {
    account: Arc<Account>,
    mailbox: Mailbox,
    /// Every operation the rank ever made: alive until the job is dropped, because peers may still look at one.
    operations: Mutex<Vec<Chunk>>,
    /// Returned from its program, with or without `MPI_Finalize`.
    exited: AtomicU32,
    /// Once it has wanted to hear of events.
    ear: OnceLock<Box<Ear>>,
}

impl Post {
    /// The post of a rank, of so many in the job.
    fn new(ranks: usize, options: &Options) -> Post {
        // Ten thousand rings have to stay affordable; a few can be long.
        let slots = match ranks {
            _ if cfg!(loom) => 4,
            0..=64 => 256,
            _ => 32,
        };
        let account = Account::new(options.memory_limit);
        Post {
            mailbox: Mailbox::new(slots, &account),
            account,
            operations: Mutex::new(Vec::new()),
            exited: AtomicU32::new(0),
            ear: OnceLock::new(),
        }
    }
}

/// What the ranks of a job share.
pub struct World {
    /// Those of the ranks that are here.
    posts: Growing<Post>,
    /// The ranks of the job that are here from the start.
    here: Members,
    /// The first of them, and how many there are if they follow one another; else none.
    first: u32,
    in_a_row: usize,
    /// The way to the others.
    pub(crate) away: Option<Box<Away>>,
    /// Ranks that neither sleep nor have exited. A waker counts for the one it wakes.
    active: AtomicUsize,
    contexts: Contexts,
    /// Keys of fingerprints, which no guest knows.
    hasher: RandomState,
    ended: AtomicU32,
    end: OnceLock<End>,
    /// How often it was asked where the ranks are.
    inquiries: AtomicU32,
    /// Groups on their way between ranks.
    pub(crate) shelf: Shelf,
    /// Windows on their way between ranks.
    pub(crate) windows: rma::Shelf,
    /// Windows that have ranks on other nodes too.
    pub(crate) over_nodes: rma::OverNodes,
    /// Files on their way between ranks.
    pub(crate) files: io::Shelf,
    /// Files that ranks of other nodes have opened, too.
    pub(crate) files_over_nodes: io::OverNodes,
    /// What communicators are called whose messages were not received.
    pub(crate) names: Names,
    /// Ranks that programs start, and how strangers among them meet.
    pub(crate) spawned: spawn::Shared,
    /// Ranks spin before they park.
    spin: AtomicBool,
    // What tools set is nobody's to synchronise on: no model looks at it.
    /// A job whose ranks all wait is ended.
    deadlock_check: atomic::AtomicBool,
    /// Bytes from which on a sender helps to copy.
    joint_copy: atomic::AtomicUsize,
    /// How many want to hear of events: the listener, sessions of performance variables, and registrations.
    observers: atomic::AtomicUsize,
    wake: Arc<dyn Wake>,
    listener: Option<Arc<dyn Listen>>,
    /// When the job began.
    origin: Instant,
    /// The job's choices.
    pub(crate) options: Options,
}

impl World {
    /// A job of `ranks` ranks.
    pub fn new(ranks: usize, wake: Arc<dyn Wake>, listener: Option<Arc<dyn Listen>>, options: Options) -> Arc<World> {
        let mut options = options;
        let nodes = options.nodes.take();
        let (node, count) = nodes.as_ref().map_or((0, 1), |nodes| (nodes.node, nodes.count()));
        let all = nodes.as_ref().map_or(ranks, |nodes| nodes.ranks() as usize);
        options.universe = options.universe.max(all);
        let here = match &nodes {
            None => Members::range(0, ranks as u32),
            Some(nodes) => Members::list(nodes.ranks_of(node).collect()),
        };
        let (first, in_a_row) = match here {
            Members::Range { first, length, stride: 1 } => (first, length as usize),
            _ => (0, 0),
        };
        Arc::new(World {
            here,
            first,
            in_a_row,
            away: nodes.map(|nodes| Box::new(Away::new(nodes))),
            posts: Growing::new((0..ranks).map(|_| Post::new(ranks, &options))),
            active: AtomicUsize::new(ranks),
            contexts: Contexts::new(node, count),
            hasher: RandomState::new(),
            ended: AtomicU32::new(0),
            end: OnceLock::new(),
            inquiries: AtomicU32::new(0),
            shelf: Shelf::of_node(node, count),
            windows: rma::Shelf::of_node(node, count),
            over_nodes: rma::OverNodes::default(),
            files: io::Shelf::of_node(node, count),
            files_over_nodes: io::OverNodes::default(),
            names: Names::default(),
            spawned: spawn::Shared::default(),
            spin: AtomicBool::new(options.spin),
            deadlock_check: atomic::AtomicBool::new(options.deadlock_check),
            joint_copy: atomic::AtomicUsize::new(joint::WORTHWHILE),
            observers: atomic::AtomicUsize::new(usize::from(listener.is_some())),
            wake,
            listener,
            origin: Instant::now(),
            options,
        })
    }

    /// How many ranks the job began with, on all of its nodes.
    pub(crate) fn first_size(&self) -> usize {
        self.nodes().map_or_else(|| self.posts.first_len(), |nodes| nodes.ranks() as usize)
    }

    /// How many ranks have been here by now.
    pub fn size(&self) -> usize {
        self.posts.len()
    }

    /// The ranks of the job that have been here by now.
    pub fn ranks(&self) -> impl Iterator<Item = usize> {
        (0..self.size()).map(|index| self.number(index) as usize)
    }

    /// The number in the job of a rank that is here, counted from the first.
    pub fn number(&self, index: usize) -> u32 {
        let started = || {
            let first = self.nodes().and_then(Nodes::started).map_or(self.here.len(), |(first, _)| first as usize);
            (first + index - self.here.len()) as u32
        };
        self.here.get(index as i32).unwrap_or_else(started)
    }

    /// Which of those that are here a rank of the job is, counted from the first. Of a rank that is not here, one that nobody is.
    #[inline]
    fn index(&self, rank: u32) -> usize {
        let index = rank.wrapping_sub(self.first) as usize;
        if index < self.in_a_row { index } else { self.index_apart(rank) }
    }

    /// It, of a rank that is not among those that follow one another here.
    #[cold]
    fn index_apart(&self, rank: u32) -> usize {
        let Some(nodes) = self.nodes() else { return rank as usize };
        let here = nodes.place(rank).filter(|(node, _)| *node == nodes.node);
        here.map_or(u32::MAX as usize, |(_, index)| index as usize)
    }

    /// The number of this node.
    pub(crate) fn node(&self) -> i32 {
        self.nodes().map_or(0, |nodes| nodes.node as i32)
    }

    #[inline]
    fn post(&self, rank: usize) -> &Post {
        &self.posts[self.index(rank as u32)]
    }

    /// How many ranks of a group are on this node.
    pub(crate) fn near_of(&self, group: &Members) -> usize {
        match self.away {
            None => group.len(),
            Some(_) => group.iter().filter(|&rank| self.is_here(rank)).count(),
        }
    }

    /// Whether all ranks of a group are on this node.
    pub(crate) fn are_here(&self, group: &Members) -> bool {
        self.near_of(group) == group.len()
    }

    /// How many ranks may be here in all.
    pub(crate) fn most_ranks(&self) -> usize {
        let numbers = |nodes: &Nodes| nodes.started().map_or(0, |(_, most)| most as usize);
        let most = self.nodes().map_or(usize::MAX, |nodes| self.posts.first_len().saturating_add(numbers(nodes)));
        self.options.most_ranks.min(most)
    }

    /// A node calls a window, a file, a port or the host, or has ranks start here, and wants to hear of it by this number, or not at all by 0;
    /// the answer, if there is one already. An error says why the call makes no sense.
    pub fn serve_call(
        self: &Arc<Self>,
        from: u32,
        number: u64,
        bytes: &[u8],
    ) -> std::result::Result<Option<Vec<u8>>, String> {
        match bytes.first() {
            Some(&io::KIND) => self.serve_file(from, number, bytes),
            Some(&spawn::KIND) => self.serve_port(from, number, bytes),
            Some(&spawn::KIND_OF_STARTS) => self.serve_start(from, number, bytes),
            Some(&spawn::KIND_OF_PLACES) => self.serve_places(number, bytes),
            Some(&away::KIND) => self.serve_host(from, number, bytes),
            _ => self.serve_window(from, number, bytes),
        }
    }

    /// Room for more ranks, as they are counted from the first that is here. They count as running from now on, so they are to be
    /// started, or to be given up.
    pub(crate) fn grow(&self, ranks: usize) -> Result<Range<usize>> {
        let (most, size) = (self.most_ranks(), self.size());
        self.active.fetch_add(ranks, Ordering::SeqCst);
        let room = self.posts.add(ranks, most, |_| Post::new(size.saturating_add(ranks), &self.options));
        let Some(room) = room else {
            self.active.fetch_sub(ranks, Ordering::SeqCst);
            return Err(spawn::no_room(size, most, ranks));
        };
        // Whoever ends the job wakes the ranks that it sees; the others have to see that it has ended.
        if self.ended.load(Ordering::SeqCst) != 0 {
            self.give_up(room);
            return Err(Error::new(MPI_ERR_SPAWN, "the job has ended"));
        }
        Ok(room)
    }

    /// Ranks that got room and were not started.
    pub(crate) fn give_up(&self, ranks: Range<usize>) {
        for index in ranks {
            self.post(self.number(index) as usize).exited.store(1, Ordering::Release);
            self.active.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// Whether ranks of this process spin before they park.
    pub fn has_spin(&self) -> bool {
        self.spins()
    }

    /// Whether ranks spin before they park.
    #[inline]
    pub(crate) fn spins(&self) -> bool {
        self.spin.load(Ordering::Relaxed)
    }

    /// Whether every rank of the job has a core of its own: what algorithms go by, and so the same for all of them.
    pub(crate) fn has_cores(&self) -> bool {
        self.away.as_ref().map_or_else(|| self.spins(), |away| away.has_cores.load(atomic::Ordering::Relaxed))
    }

    /// Says whether ranks shall spin before they park.
    pub fn set_spin(&self, spin: bool) {
        self.spin.store(spin, Ordering::Relaxed);
    }

    /// Says how more ranks are started. Without that, no program can start any.
    pub fn start_by(&self, start: Arc<dyn spawn::Start>) {
        self.spawned.start_by(start);
    }

    /// Seconds since the job began.
    pub(crate) fn seconds(&self) -> f64 {
        self.origin.elapsed().as_secs_f64()
    }

    /// Nanoseconds since the job began.
    pub(crate) fn nanoseconds(&self) -> i64 {
        self.origin.elapsed().as_nanos() as i64
    }

    /// What a rank may take of memory.
    pub fn account(&self, rank: usize) -> &Arc<Account> {
        &self.post(rank).account
    }

    /// The mailbox of a rank that is here.
    #[inline]
    pub(crate) fn mailbox(&self, rank: u32) -> &Mailbox {
        &self.posts[self.index(rank)].mailbox
    }

    /// The mailbox of any rank of the job, if it is here.
    #[inline]
    pub(crate) fn near(&self, rank: u32) -> Option<&Mailbox> {
        self.posts.get(self.index(rank)).map(|post| &post.mailbox)
    }

    /// Whether a rank of the job is here.
    pub fn is_here(&self, rank: u32) -> bool {
        self.near(rank).is_some()
    }

    /// Whether a rank runs, or does something beside it.
    pub(crate) fn is_active(&self) -> bool {
        self.active.load(Ordering::SeqCst) > 0
    }

    /// Whether the rank that asks is the only one that runs.
    pub(crate) fn is_last_to_run(&self) -> bool {
        self.active.load(Ordering::SeqCst) == 1
    }

    /// A context for a new communicator.
    pub(crate) fn new_context(&self) -> Result<Context> {
        self.contexts.fresh()
    }

    /// Leaves `count` contexts to be made.
    #[cfg(test)]
    pub(crate) fn leave_contexts(&self, count: u32) {
        self.contexts.leave(count);
    }

    /// Stands for a value that ranks have to agree on. No guest can make two values with the same one.
    pub(crate) fn fingerprint(&self, value: impl Hash) -> u64 {
        match &self.away {
            None => self.hasher.hash_one(value),
            // The same on all nodes.
            Some(away) => {
                let mut hasher = DefaultHasher::new();
                (away.secret(), value).hash(&mut hasher);
                hasher.finish()
            }
        }
    }

    /// Tells those who listen, if anybody does.
    #[inline]
    pub(crate) fn tell(&self, event: impl FnOnce() -> Event) {
        if self.is_observed() {
            self.observe(event());
        }
    }

    #[cold]
    fn observe(&self, event: Event) {
        if let Some(listener) = &self.listener {
            listener.event(event);
        }
        for rank in event.ranks() {
            let post = self.posts.get(self.index(rank as u32));
            if let Some(ear) = post.and_then(|post| post.ear.get()) {
                ear.hear(rank, event, || self.nanoseconds());
            }
        }
    }

    /// Whether anybody wants to hear of events.
    #[inline]
    pub(crate) fn is_observed(&self) -> bool {
        self.observers.load(Ordering::Relaxed) > 0
    }

    /// A rank wants to hear of what concerns it from now on.
    pub(crate) fn observe_more(&self, rank: u32) {
        self.post(rank as usize).ear.get_or_init(Box::default);
        self.observers.fetch_add(1, Ordering::Relaxed);
    }

    /// So many of those who listened do so no longer.
    pub(crate) fn observe_less(&self, listening: usize) {
        self.observers.fetch_sub(listening, Ordering::Relaxed);
    }

    /// What is heard of a rank, if it has ever wanted to.
    pub(crate) fn ear(&self, rank: u32) -> Option<&Ear> {
        self.post(rank as usize).ear.get().map(|ear| &**ear)
    }

    /// What has been counted of a rank.
    pub(crate) fn counted(&self, rank: u32, count: Count) -> u64 {
        self.ear(rank).map_or(0, |ear| ear.count(count))
    }

    /// Whether a job is ended whose ranks all wait.
    pub fn checks_deadlock(&self) -> bool {
        self.deadlock_check.load(Ordering::Relaxed)
    }

    /// Says whether it shall be.
    pub(crate) fn check_deadlock(&self, check: bool) {
        self.deadlock_check.store(check, Ordering::Relaxed);
    }

    /// Bytes from which on a sender that waits helps to copy its message.
    pub(crate) fn joint_copy(&self) -> usize {
        self.joint_copy.load(Ordering::Relaxed)
    }

    /// Says from which length on it shall help.
    pub(crate) fn set_joint_copy(&self, bytes: usize) {
        self.joint_copy.store(bytes, Ordering::Relaxed);
    }

    /// How many operations a rank has made.
    pub(crate) fn operations(&self, rank: u32) -> usize {
        self.post(rank as usize).operations.lock().unwrap_or_else(PoisonError::into_inner).len() * CHUNK
    }

    /// More operations for a rank's pool, unless it has all it may have.
    pub(crate) fn more_operations(&self, rank: u32) -> Result<Vec<OpRef>> {
        let Post { account, operations, .. } = self.post(rank as usize);
        let mut pool = operations.lock().unwrap_or_else(PoisonError::into_inner);
        if pool.len() * CHUNK >= MAX_OPERATIONS {
            return Err(Error::new(MPI_ERR_NO_MEM, "too many operations are pending in this rank"));
        }
        let chunk = Chunk::new(rank, account.charge_last(CHUNK * OPERATION, Cost::Operations)?);
        let references = chunk.references();
        pool.push(chunk);
        Ok(references)
    }

    /// Ends the job: the first to say so is heard. Every waiting rank wakes and unwinds.
    pub fn end(&self, end: End) {
        let _ = self.end.set(end);
        self.ended.store(1, Ordering::SeqCst);
        for rank in self.ranks() {
            self.wake(rank as u32);
        }
        if let Some(away) = &self.away {
            away.wake();
        }
    }

    /// Has every rank that waits, or is about to, say where ([`Callback::Whereabouts`](rankine_guest::Callback)) and wait on.
    pub fn inquire(&self) {
        self.inquiries.fetch_add(1, Ordering::SeqCst);
        for rank in self.ranks() {
            self.wake(rank as u32);
        }
    }

    /// How often it was asked where the ranks are.
    pub(crate) fn inquiries(&self) -> u32 {
        self.inquiries.load(Ordering::Relaxed)
    }

    /// How the job ended, if it was ended.
    #[inline]
    pub fn ended(&self) -> Option<&End> {
        if self.ended.load(Ordering::Relaxed) == 0 { None } else { self.end.get() }
    }

    /// Whether a rank's program has returned.
    pub fn has_exited(&self, rank: usize) -> bool {
        self.post(rank).exited.load(Ordering::Acquire) != 0
    }

    /// The rank's program has returned: nobody will deliver on its behalf any more.
    pub(crate) fn exit(&self, rank: u32) {
        self.post(rank as usize).exited.store(1, Ordering::Release);
        self.one_less();
    }

    /// Wakes a rank if it sleeps, and keeps it from falling asleep if it is about to.
    pub(crate) fn wake(&self, rank: u32) {
        let park = self.mailbox(rank).ring.park();
        loop {
            match park.load(Ordering::Acquire) {
                PARKED => {
                    // It counts before it can run, for it may run and exit before we go on here.
                    self.active.fetch_add(1, Ordering::SeqCst);
                    if park.compare_exchange(PARKED, NOTIFIED, Ordering::SeqCst, Ordering::Relaxed).is_ok() {
                        return self.wake.wake(self.index(rank));
                    }
                    self.active.fetch_sub(1, Ordering::SeqCst);
                }
                // Written even if it stays the same: the owner has to see what we did before.
                state => {
                    if park.compare_exchange(state, NOTIFIED, Ordering::SeqCst, Ordering::Relaxed).is_ok() {
                        return;
                    }
                }
            }
        }
    }

    /// Puts a rank to sleep; false when there is something to look at first. On true the host stops the rank
    /// until it is woken, then calls [`World::resume`]. Listeners are told what for.
    pub(crate) fn try_park(&self, rank: u32, awaits: impl FnOnce() -> Awaits) -> bool {
        let ring = &self.mailbox(rank).ring;
        if ring.park().compare_exchange(RUNNING, PARKED, Ordering::SeqCst, Ordering::SeqCst).is_err() {
            ring.park().swap(RUNNING, Ordering::SeqCst);
            return false;
        }
        // A producer that claimed a slot before we announced ourselves may not have seen the announcement.
        if ring.is_claimed()
            && ring.park().compare_exchange(PARKED, RUNNING, Ordering::SeqCst, Ordering::SeqCst).is_ok()
        {
            return false;
        }
        self.tell(|| Event::Parked { rank: rank as usize, awaits: awaits() });
        self.one_less();
        true
    }

    /// Whether a rank that parked has been woken.
    pub fn is_woken(&self, rank: usize) -> bool {
        self.mailbox(rank as u32).ring.park().load(Ordering::Acquire) != PARKED
    }

    /// Whether a rank that is awake has been told to look before it sleeps.
    pub(crate) fn is_notified(&self, rank: u32) -> bool {
        self.mailbox(rank).ring.park().load(Ordering::Acquire) == NOTIFIED
    }

    /// The rank runs again: after it was woken, or because what it waited in was dropped. Whether it was woken.
    pub(crate) fn resume(&self, rank: u32) -> bool {
        self.tell(|| Event::Woken { rank: rank as usize });
        let park = self.mailbox(rank).ring.park();
        if park.load(Ordering::Acquire) == PARKED {
            // Whoever wakes it counts for it (see `wake`); here nobody has.
            self.active.fetch_add(1, Ordering::SeqCst);
            if park.compare_exchange(PARKED, RUNNING, Ordering::SeqCst, Ordering::Relaxed).is_ok() {
                return false;
            }
            self.active.fetch_sub(1, Ordering::SeqCst);
        }
        park.swap(RUNNING, Ordering::SeqCst) == NOTIFIED
    }

    /// Work for a rank begins beside it: it counts like a rank that runs.
    pub fn begin_errand(&self) {
        self.active.fetch_add(1, Ordering::SeqCst);
    }

    /// Such work has ended, and whoever waited for it is awake.
    pub fn end_errand(&self) {
        self.one_less();
    }

    /// One rank fewer runs. Deliveries are made by running ranks only, so when none is left nothing can ever happen
    /// again.
    ///
    /// In a job of several nodes something may be under way between them, and who carries it looks on ([`World::rest`]).
    #[inline]
    fn one_less(&self) {
        if self.active.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.nobody_runs();
        }
    }

    /// The last rank that ran does so no longer.
    #[cold]
    fn nobody_runs(&self) {
        if let Some(away) = &self.away {
            return away.wake();
        }
        if self.checks_deadlock() && self.ranks().any(|rank| !self.has_exited(rank)) {
            self.end(End::Deadlock);
        }
    }

    /// Does what draining a mailbox left to do: copies, and wakes.
    #[inline]
    pub(crate) fn run(&self, work: &mut Work) {
        if let Some(arrived) = work.arrived.take() {
            self.tell_arrived(work.at, &arrived);
        }
        for rank in work.wake.drain(..) {
            self.wake(rank);
        }
        for pair in work.pairs.drain(..) {
            self.transfer(pair, work.by);
        }
    }

    #[cold]
    fn tell_arrived(&self, at: u32, arrived: &[(Header, bool)]) {
        for &(header @ Header { source, tag, .. }, expected) in arrived {
            self.tell(|| Event::Arrived { at: at as usize, source, tag, bytes: header.bytes(), expected });
        }
    }

    /// Copies a message from the sender's memory to the receiver's and completes both operations.
    pub(crate) fn transfer(&self, pair: Pair, by: u32) {
        let (send, receive, header) = (pair.send.operation(), pair.receive.operation(), pair.header);
        if send.get().owner == NOBODY {
            return self.matched_away(pair);
        }
        let length = send.span().bytes();
        let (from, to) = (send.get().owner, receive.get().owner);
        let bytes = if receive.take_over(send) { length } else { self.copy_bytes(send, receive, by) };
        self.tell(|| Event::Copied { from: from as usize, to: to as usize, bytes, by: by as usize });
        let outcome = Outcome {
            source: header.source,
            tag: header.tag,
            bytes: bytes as u64,
            length: length as u64,
            fate: Fate::Done,
        };
        if pair.receive.take().complete(outcome) {
            self.wake(to);
        }
        if pair.send.take().complete(Outcome::moved(length)) {
            self.wake(from);
        }
    }

    /// Copies as much of a message as fits into the receiver's memory; how much that is.
    fn copy_bytes(&self, send: OpRef, receive: OpRef, by: u32) -> usize {
        receive.make_room(send.span().bytes() as u64);
        let bytes = send.span().bytes().min(receive.span().bytes());
        match (send.span().contiguous(), receive.span().contiguous()) {
            (Some(source), Some(target)) if bytes >= self.joint_copy() && by != send.get().owner => {
                joint::copy(&send.get().joint, target, source, bytes);
            }
            _ => receive.span().copy_from(send.span(), bytes),
        }
        bytes
    }
}
