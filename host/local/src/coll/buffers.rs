//! The buffers of collectives: elements, blocks for each rank, and who is the root.
//!
//! Everything a guest says is resolved and proved when the collective is made: types are held, arrays are owned, every
//! block lies in the guest's memory, which never shrinks. What runs later can't fail for a bad argument.

use std::ops::Range;
use std::rc::Rc;

use rankine_abi::{
    Addr, Datatype, MPI_ERR_ARG, MPI_ERR_BUFFER, MPI_ERR_COUNT, MPI_ERR_ROOT, MPI_IN_PLACE, MPI_PROC_NULL, MPI_ROOT,
};

use crate::comm::Communicator;
use crate::datatype::Type;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::quota::{Charge, Cost};
use crate::rank::Rank;
use crate::span::Span;

/// A datatype as buffers need it.
#[derive(Clone)]
pub(crate) struct Elements {
    /// Packed bytes of one.
    pub(crate) size: u64,
    /// From one to the next.
    pub(crate) extent: i64,
    /// `None` for blocks without gaps.
    ty: Option<Rc<Type>>,
}

impl Elements {
    pub(crate) fn new(r: &Rank, datatype: Datatype) -> Result<Self> {
        if let Some(element) = datatype.element().filter(|element| element.size == element.extent) {
            return Ok(Elements { size: element.size.into(), extent: element.extent.into(), ty: None });
        }
        let ty = r.datatype(datatype)?;
        Ok(Elements { size: ty.size(), extent: ty.extent(), ty: Some(ty) })
    }

    /// Where the bytes of `count` elements lie that begin `at` this address.
    fn layout(&self, at: i128, count: i64) -> Result<Layout> {
        let at = i64::try_from(at).map_err(|_| no_address())?;
        let count = u64::try_from(count).map_err(|_| negative(count))?;
        match &self.ty {
            None => Layout::block(at, count.checked_mul(self.size).ok_or_else(no_address)?),
            Some(ty) => ty.message(count)?.moved(at),
        }
    }

    /// The span of `count` elements that begin `displacement` bytes after `address`.
    pub(crate) fn span(&self, r: &Rank, address: Addr, displacement: i128, count: i64) -> Result<Span<'static>> {
        if count < 0 {
            return Err(negative(count));
        }
        let bytes = i128::from(count) * i128::from(self.size);
        if bytes == 0 {
            return Ok(Span::EMPTY);
        }
        let at = i128::from(address.0) + displacement;
        let outside = || r.memory().outside(MPI_ERR_BUFFER, at, bytes, "the buffer");
        match &self.ty {
            None => {
                let (place, length) = (u64::try_from(at), u64::try_from(bytes));
                let (Ok(place), Ok(length)) = (place, length) else { return Err(outside()) };
                r.memory().prove(address, (at, at + bytes), "the buffer")?;
                r.block_span(Addr(place), length).ok_or_else(outside)
            }
            Some(_) => r.typed_span(Addr::NULL, self.layout(at, count)?),
        }
    }
}

#[cold]
fn negative(count: i64) -> Error {
    Error::new(MPI_ERR_COUNT, format!("count is {count}, which is negative"))
}

#[cold]
fn no_address() -> Error {
    Error::new(MPI_ERR_BUFFER, "a block lies outside the 32-bit address space")
}

/// The blocks of a buffer, one for each peer.
pub(crate) struct Blocks {
    address: Addr,
    shape: Shape,
    /// What the arrays take, as long as the collective has them.
    _charge: Charge,
}

/// Bytes that a block's count, displacement and type take.
const BLOCK: usize = 2 * size_of::<i64>() + size_of::<Elements>();

enum Shape {
    /// As many elements for each, one block after another.
    Even { count: i64, elements: Elements },
    /// Counts and displacements in extents of one type.
    Varied { counts: Box<[i64]>, displacements: Box<[i64]>, elements: Elements },
    /// Counts, displacements in bytes, and a type for each.
    Typed { counts: Box<[i64]>, displacements: Box<[i64]>, elements: Box<[Elements]> },
}

impl Blocks {
    /// `peers` blocks of `count` elements.
    pub(crate) fn even(r: &Rank, address: Addr, count: i64, datatype: Datatype, peers: usize) -> Result<Self> {
        let elements = Elements::new(r, datatype)?;
        let all = count.checked_mul(peers as i64).ok_or_else(|| {
            Error::new(MPI_ERR_COUNT, format!("{peers} blocks of {count} elements are more than 64 bits can count"))
        })?;
        elements.span(r, address, 0, all)?;
        Ok(Blocks { address, shape: Shape::Even { count, elements }, _charge: Charge::default() })
    }

    /// A block for each of `peers` peers.
    pub(crate) fn varied(
        r: &Rank,
        address: Addr,
        counts: &[i64],
        displacements: &[i64],
        datatype: Datatype,
        peers: usize,
    ) -> Result<Self> {
        let elements = Elements::new(r, datatype)?;
        let shape = Shape::Varied { counts: counts.into(), displacements: displacements.into(), elements };
        let _charge = r.account.charge(counts.len() * BLOCK, Cost::Blocks)?;
        Blocks { address, shape, _charge }.proved(r, [counts.len(), displacements.len()], peers)
    }

    /// A block with a type of its own for each of `peers` peers.
    pub(crate) fn typed(
        r: &Rank,
        address: Addr,
        counts: &[i64],
        displacements: &[i64],
        datatypes: &[Datatype],
        peers: usize,
    ) -> Result<Self> {
        let _charge = r.account.charge(counts.len() * BLOCK, Cost::Blocks)?;
        let elements = datatypes.iter().map(|&datatype| Elements::new(r, datatype)).collect::<Result<Box<[_]>>>()?;
        let lengths = [counts.len(), displacements.len(), elements.len()];
        let shape = Shape::Typed { counts: counts.into(), displacements: displacements.into(), elements };
        Blocks { address, shape, _charge }.proved(r, lengths, peers)
    }

    fn proved<const N: usize>(self, r: &Rank, lengths: [usize; N], peers: usize) -> Result<Self> {
        if lengths.iter().any(|&length| length != peers) {
            let text = format!("counts, displacements or types are given for {lengths:?} ranks, but there are {peers}");
            return Err(Error::new(MPI_ERR_ARG, text));
        }
        for peer in 0..peers {
            self.get(r, peer).map_err(|error| Error::new(error.class, format!("block {peer}: {}", error.text)))?;
        }
        Ok(self)
    }

    /// The block of a peer.
    pub(crate) fn get(&self, r: &Rank, peer: usize) -> Result<Span<'static>> {
        let (elements, displacement, count) = self.place(peer)?;
        elements.span(r, self.address, displacement, count)
    }

    /// Refuses blocks for results that share bytes with an operand.
    pub(crate) fn apart_from(&self, r: &Rank, operand: &Span<'_>, peers: usize) -> Result<()> {
        if let Shape::Even { .. } = &self.shape {
            return self.run(r, 0..peers)?.apart_from(operand);
        }
        (0..peers).try_for_each(|peer| self.get(r, peer)?.apart_from(operand))
    }

    /// The blocks of consecutive peers, as one span.
    pub(crate) fn run(&self, r: &Rank, peers: Range<usize>) -> Result<Span<'static>> {
        if let Shape::Even { count, elements } = &self.shape {
            let (_, displacement, _) = self.place(peers.start)?;
            let all = count.checked_mul(peers.len() as i64).ok_or_else(no_address)?;
            return elements.span(r, self.address, displacement, all);
        }
        let layouts = peers.map(|peer| {
            let (elements, displacement, count) = self.place(peer)?;
            elements.layout(i128::from(self.address.0) + displacement, count)
        });
        r.typed_span(Addr::NULL, Layout::sequence(layouts)?)
    }

    /// What a peer's block consists of: elements, where they begin after the address, and how many.
    fn place(&self, peer: usize) -> Result<(&Elements, i128, i64)> {
        Ok(match &self.shape {
            Shape::Even { count, elements } => {
                let before = i128::from(*count) * peer as i128;
                let displacement = before.checked_mul(elements.extent.into()).ok_or_else(no_address)?;
                (elements, displacement, *count)
            }
            Shape::Varied { counts, displacements, elements } => {
                (elements, i128::from(displacements[peer]) * i128::from(elements.extent), counts[peer])
            }
            Shape::Typed { counts, displacements, elements } => {
                (&elements[peer], displacements[peer].into(), counts[peer])
            }
        })
    }

    /// The packed bytes of each block, if they all have as many by their very shape.
    pub(crate) fn even_bytes(&self) -> Option<usize> {
        match &self.shape {
            Shape::Even { count, elements } => usize::try_from(*count).ok()?.checked_mul(elements.size as usize),
            _ => None,
        }
    }
}

/// What this rank is in a collective with a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The root.
    Root,
    /// A member, whose root is this peer.
    Member(usize),
    /// In the root's group of an intercommunicator, with nothing to do.
    Idle,
}

impl Role {
    /// The root, to a rank that has this role.
    pub(super) fn root(self, rank: usize) -> Option<usize> {
        match self {
            Role::Root => Some(rank),
            Role::Member(root) => Some(root),
            Role::Idle => None,
        }
    }

    pub(crate) fn new(comm: &Communicator, root: i32) -> Result<Self> {
        match (root, &comm.remote) {
            (_, None) if root == comm.rank => return Ok(Role::Root),
            (MPI_ROOT, Some(_)) => return Ok(Role::Root),
            (MPI_PROC_NULL, Some(_)) => return Ok(Role::Idle),
            _ => {}
        }
        let peers = comm.peers().len();
        match usize::try_from(root) {
            Ok(peer) if peer < peers => Ok(Role::Member(peer)),
            _ => {
                let group = if comm.remote.is_some() { "the remote group" } else { "the communicator" };
                let text = format!("the root is {root}, but {group} has ranks 0 to {}", peers as i64 - 1);
                Err(Error::new(MPI_ERR_ROOT, text))
            }
        }
    }
}

/// Whether a buffer is `MPI_IN_PLACE`, which an intercommunicator has no place for.
pub(crate) fn is_in_place(comm: &Communicator, buffer: Addr) -> Result<bool> {
    if buffer == MPI_IN_PLACE && comm.remote.is_some() {
        return Err(Error::new(MPI_ERR_BUFFER, "MPI_IN_PLACE has no meaning on an intercommunicator"));
    }
    Ok(buffer == MPI_IN_PLACE)
}

/// Refuses `MPI_IN_PLACE` where it is not allowed.
pub(crate) fn not_in_place(buffer: Addr, what: &str) -> Result<()> {
    match buffer {
        MPI_IN_PLACE => Err(Error::new(MPI_ERR_BUFFER, format!("MPI_IN_PLACE cannot be {what} here"))),
        _ => Ok(()),
    }
}

/// Moves this rank's own block to its place.
pub(crate) fn copy_own(to: &Span<'_>, from: &Span<'_>) -> Result<()> {
    if to.bytes() != from.bytes() {
        let class = if from.bytes() > to.bytes() { rankine_abi::MPI_ERR_TRUNCATE } else { MPI_ERR_COUNT };
        let text = format!(
            "this rank sends {} bytes to itself, but receives {}: counts or datatypes differ",
            from.bytes(),
            to.bytes()
        );
        return Err(Error::new(class, text));
    }
    to.copy_from(from, to.bytes());
    Ok(())
}
