//! Collective operations (MPI-5.0 chapter 6), each written once over the few primitives of [`Coll`].
//!
//! A constructor checks the arguments of a function and makes them into a [`Collective`], which owns all it needs and has
//! one way to run: blocking functions await it ([`run`]), nonblocking ones leave it in a request ([`start`]), persistent
//! ones start it again and again ([`prepare`]). So `MPI_Igatherv` is `start(r, comm, |comm| Gather::varied(r, comm, …))`.
//! Algorithms are chosen for ranks of one node: every rank's memory is directly readable, so long data is copied once, from
//! where it is to where it goes. Short data costs messages and wake-ups, of which trees need the fewest; only when
//! every rank has a core of its own does it pay to trade messages for fewer rounds ([`Coll::has_cores`]). Where ranks are on
//! several nodes, trees send one message to each ([`Coll::near`]), and blocks of a node's ranks travel together ([`bundle`]).
//!
//! | file | subject |
//! |---|---|
//! | `buffers` | what the arguments say: elements, blocks for each rank, roots |
//! | `bundle` | blocks that travel together from node to node |
//! | `flight` | operations under way, and the host memory they use |
//! | `between` | all-to-alls between nodes |
//! | `tree` | who passes data on to whom |
//! | `fold` | combining operands in one order, whatever the algorithm |
//! | `barrier`, `bcast`, `gather`, … | the operations |

use std::rc::Rc;

use rankine_abi::{Comm, Info, MPI_ERR_COUNT, MPI_ERR_TRUNCATE, Request, Status};

use crate::comm::Communicator;
use crate::context::disagreement;
use crate::error::{Error, Result};
use crate::group::Members;
use crate::mailbox::matching::Pattern;
use crate::mailbox::operation::{Kind, What};
use crate::mailbox::ring::EAGER;
use crate::rank::Rank;
use crate::span::Span;
use crate::transport::Started;
use crate::world::World;
use flight::{Buffer, Flight};

mod allgather;
mod alltoall;
mod barrier;
mod bcast;
mod between;
mod buffers;
mod bundle;
mod bytes;
mod flight;
mod fold;
mod gather;
mod neighbor;
mod reduce;
mod reduce_scatter;
mod rooted;
mod scan;
mod scatter;
mod slices;
mod tree;

pub use allgather::Allgather;
pub use alltoall::Alltoall;
pub use barrier::Barrier;
pub use bcast::Bcast;
pub use bytes::{allgather_bytes, alltoall_bytes, bcast_bytes, gather_bytes, scatter_bytes};
pub use gather::Gather;
pub use neighbor::Neighbor;
pub use reduce::{Allreduce, Reduce};
pub use reduce_scatter::ReduceScatter;
pub use scan::Scan;
pub use scatter::Scatter;

/// What the collectives of a rank keep between calls.
#[derive(Default)]
pub(crate) struct State {
    /// Host memory to use again.
    pool: std::cell::RefCell<Vec<Buffer>>,
}

/// A collective operation whose arguments are checked: ready to run, now or later, once or again and again.
pub trait Collective {
    /// Takes part in it.
    fn run(&self, g: &Coll<'_>) -> impl Future<Output = Result<()>>;

    /// Its root, if it has one, as this rank was told.
    fn root(&self, _rank: usize) -> Option<usize> {
        None
    }
}

/// Makes a collective on `comm` and takes part in it.
pub async fn run<C: Collective>(r: &Rank, comm: Comm, make: impl FnOnce(&Communicator) -> Result<C>) -> Result<()> {
    let comm = r.communicator(comm)?;
    let collective = make(&comm)?;
    let root = collective.root(comm.rank as usize).filter(|_| comm.remote.is_none());
    collective.run(&comm.coll(r, root.map(|root| root as u32))).await
}

/// Starts a collective in the background of this rank, behind a request.
pub fn start<C: Collective + 'static>(
    r: &Rank,
    comm: Comm,
    make: impl FnOnce(&Communicator) -> Result<C>,
) -> Result<Request> {
    let communicator = r.communicator(comm)?;
    let collective = make(&communicator)?;
    communicator.clone().begin_numbered(|| r.begin(comm, beside_others(communicator, collective)))
}

/// Prepares a collective that runs each time its request is started. By the standard this may wait for other ranks; here it
/// never does. No hint is known for it.
pub fn prepare<C: Collective + 'static>(
    r: &Rank,
    comm: Comm,
    info: Info,
    make: impl FnOnce(&Communicator) -> Result<C>,
) -> Result<Request> {
    let communicator = r.communicator(comm)?;
    let collective = make(&communicator)?;
    r.hints(info)?;
    communicator.clone().begin_numbered(|| r.begin_on_start(comm, beside_others(communicator, collective)))
}

/// What a collective does each time it runs, with a tag of its own.
fn beside_others<C: Collective>(
    communicator: Rc<Communicator>,
    collective: C,
) -> impl AsyncFn(&Rank) -> Result<Status> {
    let tag = communicator.collective_tag();
    async move |r: &Rank| {
        collective.run(&Coll::tagged(r, &communicator, tag)).await?;
        Ok(Status::EMPTY)
    }
}

impl Communicator {
    /// The communicator as its next blocking collective uses it, with this root.
    pub(crate) fn coll<'a>(&'a self, rank: &'a Rank, root: Option<u32>) -> Coll<'a> {
        self.blocking.set((self.blocking.get().0.wrapping_add(1), root));
        Coll::new(rank, self)
    }

    /// A tag of its own for a collective that goes on beside others. Every rank makes its collectives in the same
    /// order.
    fn collective_tag(&self) -> i32 {
        1 + (self.next_sequence() % (LOCAL as u32 - 1)) as i32
    }
}

/// One collective operation on one communicator: sends and receives that meet no others.
///
/// Its peers are the ranks of the communicator, or of the remote group of an intercommunicator. Blocking collectives on
/// a communicator are ordered, and so are the messages between two ranks: they need no more than the collective
/// context. Nonblocking ones differ in their tags.
pub struct Coll<'a> {
    r: &'a Rank,
    comm: &'a Communicator,
    peers: &'a Members,
    /// This rank's rank in the communicator.
    pub(crate) rank: usize,
    /// How many peers there are.
    pub(crate) size: usize,
    tag: i32,
}

/// The tag's bit for messages inside the local group of an intercommunicator.
const LOCAL: i32 = 1 << 30;

impl What {
    /// Whether a blocking collective has begun it: one of another kind has a tag of its own.
    pub(crate) fn is_of_blocking_collective(&self) -> bool {
        let plane = self.context.of_communicator().collectives();
        (self.context == plane || self.context == plane.local()) && self.tag & !LOCAL == 0
    }
}

/// A send or receive under way.
pub(crate) struct Pending<'a> {
    started: Started<'a, 'a>,
    /// Bytes that have to come, for receives.
    expected: Option<usize>,
    peer: usize,
}

impl Pending<'_> {
    /// Waits; for a receive, how many bytes came. A message that does not fit is an error.
    async fn wait(self) -> Result<usize> {
        if self.started.is_nothing() {
            return Ok(0);
        }
        let outcome = self.started.finish().await;
        if outcome.length > outcome.bytes {
            return Err(differs(MPI_ERR_TRUNCATE, outcome.length, outcome.source, outcome.bytes));
        }
        Ok(outcome.bytes as usize)
    }

    /// Waits; a receive of fewer bytes than its buffer has is an error too.
    async fn finish(self) -> Result<()> {
        let (expected, peer) = (self.expected, self.peer);
        let bytes = self.wait().await?;
        expected.map_or(Ok(()), |expected| whole(bytes, peer, expected))
    }
}

/// Whether all has come.
#[inline]
fn whole(bytes: usize, peer: usize, expected: usize) -> Result<()> {
    if bytes == expected { Ok(()) } else { Err(differs(MPI_ERR_COUNT, bytes as u64, peer as i32, expected as u64)) }
}

/// The error of a rank that has got more or less than it has to.
#[cold]
fn differs(class: i32, bytes: u64, peer: i32, expected: u64) -> Error {
    let text = format!(
        "{bytes} bytes came from rank {peer} where {expected} were expected: counts or datatypes differ between the ranks, \
         or the collectives themselves (--check tells each call and its place)"
    );
    Error::new(class, text)
}

impl<'a> Coll<'a> {
    pub(crate) fn new(r: &'a Rank, comm: &'a Communicator) -> Self {
        Coll::tagged(r, comm, 0)
    }

    /// A collective that others on the same communicator may run beside.
    fn tagged(r: &'a Rank, comm: &'a Communicator, tag: i32) -> Self {
        let peers = comm.peers();
        Coll { r, comm, peers, rank: comm.rank as usize, size: peers.len(), tag }
    }

    /// The rank that runs it.
    pub(crate) fn r(&self) -> &'a Rank {
        self.r
    }

    /// Whether it is on an intercommunicator.
    fn is_inter(&self) -> bool {
        self.comm.remote.is_some() && self.tag & LOCAL == 0
    }

    /// The same collective inside this rank's own group.
    fn local(&self) -> Coll<'a> {
        let peers = &self.comm.group;
        let tag = if self.comm.remote.is_some() { self.tag | LOCAL } else { self.tag };
        Coll { r: self.r, comm: self.comm, peers, rank: self.rank, size: peers.len(), tag }
    }

    /// Whether every rank has a core of its own, so that rounds cost time and messages hardly any.
    fn has_cores(&self) -> bool {
        self.r.world().has_cores()
    }

    /// How many ranks that follow one another share a node, as many on each; all of them where they are spread in another way.
    fn near(&self) -> usize {
        if self.is_inter() {
            return self.size;
        }
        *self.comm.near.get_or_init(|| self.r.world().in_a_row(&self.comm.group))
    }

    /// How many ranks have one of them speak for all: those of a node, or each for itself where every rank has a core. Of two
    /// each has to wait only once if both speak.
    fn unit(&self) -> usize {
        let near = self.near();
        if near == self.size && (self.has_cores() || self.size == 2) { 1 } else { near }
    }

    /// Starts a send to a peer.
    pub(crate) fn isend(&self, peer: usize, span: &Span<'a>) -> Result<Pending<'a>> {
        let destination = self.peers.get(peer as i32).ok_or_else(disagreement)?;
        // The receiver will come, so nothing is won by copying a long message away while its sender waits.
        let whole = if self.r.world().is_here(destination) { EAGER } else { World::whole() };
        let kind = if span.bytes() > whole { Kind::Ssend } else { Kind::Send };
        let context = self.comm.context.collectives();
        let what = What { kind, context, peer: peer as i32, tag: self.tag, destination };
        let started = self.r.post_send(what, self.comm.rank, span.again())?;
        Ok(Pending { started, expected: None, peer })
    }

    /// Starts a receive from a peer.
    pub(crate) fn irecv(&self, peer: usize, span: &Span<'a>) -> Result<Pending<'a>> {
        let started = self.r.post_recv(self.pattern(peer), span.again())?;
        Ok(Pending { started, expected: Some(span.bytes()), peer })
    }

    fn pattern(&self, peer: usize) -> Pattern {
        Pattern { context: self.comm.context.collectives(), source: peer as i32, tag: self.tag }
    }

    /// Sends and waits.
    pub(crate) async fn send(&self, peer: usize, span: &Span<'_>) -> Result<()> {
        self.isend(peer, span)?.finish().await
    }

    /// Takes a short message straight off the ring, if it is there or comes within moments: a receive that is posted costs as much
    /// as the message. What goes on beside others must not look for one.
    #[inline]
    fn take_next(&self, peer: usize, span: &Span<'_>) -> Option<usize> {
        let is_blocking = self.tag & !LOCAL == 0;
        if !is_blocking || span.bytes() > EAGER {
            return None;
        }
        Some(self.r.receive_next(&self.pattern(peer), span)?.bytes())
    }

    /// Receives and waits; how many bytes came.
    pub(crate) async fn recv(&self, peer: usize, span: &Span<'_>) -> Result<usize> {
        match self.take_next(peer, span) {
            Some(bytes) => Ok(bytes),
            None => self.irecv(peer, span)?.wait().await,
        }
    }

    /// Receives as many bytes as the span has, and waits.
    pub(crate) async fn recv_whole(&self, peer: usize, span: &Span<'_>) -> Result<()> {
        match self.take_next(peer, span) {
            Some(bytes) => whole(bytes, peer, span.bytes()),
            None => self.irecv(peer, span)?.finish().await,
        }
    }

    /// Starts the receive of a message that goes on while this rank sends: a short one is only taken when that is done, if it can be.
    fn irecv_long(&self, peer: usize, span: &Span<'a>) -> Result<Option<Pending<'a>>> {
        (span.bytes() > EAGER || !self.r.has_operation()).then(|| self.irecv(peer, span)).transpose()
    }

    /// Sends to one rank while receiving from another.
    pub(crate) async fn sendrecv(&self, to: usize, send: &Span<'_>, from: usize, receive: &Span<'_>) -> Result<usize> {
        let receiving = self.irecv_long(from, receive)?;
        let sending = self.isend(to, send)?;
        let bytes = match receiving {
            Some(receiving) => receiving.wait().await?,
            None => self.recv(from, receive).await?,
        };
        sending.wait().await?;
        Ok(bytes)
    }

    /// Sends to a peer while receiving from it; where one of the messages has no bytes, it is none.
    async fn swap(&self, peer: usize, send: &Span<'_>, receive: &Span<'_>) -> Result<()> {
        let receiving = self.irecv_long(peer, receive)?;
        let sending = (send.bytes() > 0).then(|| self.isend(peer, send)).transpose()?;
        match receiving {
            Some(receiving) => receiving.finish().await?,
            None => self.recv_some(peer, receive).await?,
        }
        match sending {
            Some(sending) => sending.finish().await,
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
