//! Choice buffers: every byte that an operation can touch is proved to lie in the guest's memory.
//!
//! The hull of the first and the last element is computed in 128 bits from the datatype's extent and true bounds, which
//! the library was asked for when the type was made. A negative count is refused here as well.

use std::ffi::{CStr, c_void};
use std::ops::Range;
use std::rc::Rc;

use rankine_abi::{Addr, MPI_ERR_ARG, MPI_ERR_BUFFER, MPI_ERR_COUNT, MPI_ERR_TRUNCATE, MPI_ERR_TYPE, MPI_IN_PLACE, Op};
use rankine_guest::{Charge, Cost, Error, Proved};

use super::shim::Number;
use crate::Result;
use crate::datatype::Type;
use crate::rank::Rank;

/// A buffer that was proved.
pub(crate) struct Buffer {
    /// What the library is given.
    pub(crate) at: *mut c_void,
    /// Bytes of the guest's memory that are all used; none if there are holes between them, or `at` is a sentinel.
    dense: Range<u64>,
    /// More of them, that don't follow on those.
    others: Vec<Range<u64>>,
    /// Bytes of data, and of what they lie in.
    size: u64,
    hull: u64,
}

impl Buffer {
    /// Bytes at an address that were proved, and are all used.
    #[inline]
    fn block(at: Addr, proved: Proved) -> Buffer {
        let bytes = proved.len() as u64;
        let dense = at.0..at.0 + bytes;
        Buffer { at: proved.first().cast(), dense, others: Vec::new(), size: bytes, hull: bytes }
    }

    /// An address at which a library looks at nothing, or what is proved piece by piece.
    fn of_nothing(at: *mut c_void) -> Buffer {
        Buffer { at, dense: NOTHING, others: Vec::new(), size: 0, hull: 0 }
    }

    /// Bytes that are all used, if they are one piece.
    pub(crate) fn dense(&self) -> Range<u64> {
        self.dense.clone()
    }
}

/// No bytes.
const NOTHING: Range<u64> = 0..0;

/// Whether two ranges have bytes in common.
#[inline]
pub(crate) fn overlap(one: &Range<u64>, other: &Range<u64>) -> bool {
    one.start.max(other.start) < one.end.min(other.end)
}

/// The bytes of `count` elements at an address that was proved, if there are no holes between them.
pub(crate) fn dense(at: i128, count: i64, datatype: &Type) -> Range<u64> {
    let Some((low, high)) = datatype.hull(count).filter(|_| datatype.is_dense(count)) else { return NOTHING };
    (at + low) as u64..(at + high) as u64
}

/// Bytes of data of so many elements.
fn data(count: i64, datatype: &Type) -> u64 {
    u64::try_from(i128::from(count) * i128::from(datatype.size())).unwrap_or(u64::MAX)
}

/// Refuses `MPI_IN_PLACE` as the address that it is: where it is allowed, its caller has seen to it ([`Rank::absent`]).
#[inline]
fn not_in_place(at: Addr, what: &str) -> Result<()> {
    if at == MPI_IN_PLACE {
        return Err(Error::new(MPI_ERR_BUFFER, format!("{what} is MPI_IN_PLACE, which is not allowed there")));
    }
    Ok(())
}

impl Rank {
    /// Proves `count` elements of a datatype.
    #[inline]
    pub(crate) fn buffer(&self, at: Addr, count: i64, datatype: &Type, what: &str) -> Result<Buffer> {
        if let (Some(size), true) = (datatype.block(), count >= 0 && at != MPI_IN_PLACE) {
            let bytes = (count as u64).saturating_mul(size);
            if let Some(proved) = self.memory().buffer(at, bytes) {
                return Ok(Buffer::block(at, proved));
            }
        }
        self.scattered(at, count, datatype, what)
    }

    /// Proves the operands of an operation that gives back what was in a window. `MPI_NO_OP` has none.
    pub(crate) fn operands(&self, op: u32, at: Addr, count: i64, datatype: &Type, what: &str) -> Result<Buffer> {
        if op == Op::NO_OP.0 { Ok(self.nowhere()) } else { self.buffer(at, count, datatype, what) }
    }

    /// How many operands a library is told of.
    pub(crate) fn operands_told<N: Default>(&self, op: u32, count: N) -> N {
        if op == Op::NO_OP.0 { N::default() } else { count }
    }

    /// As [`Rank::buffer`], for elements that are not one block, and for what is wrong.
    fn scattered(&self, at: Addr, count: i64, datatype: &Type, what: &str) -> Result<Buffer> {
        if count < 0 {
            return Err(Error::new(MPI_ERR_COUNT, format!("{what}: the count is {count}, which is negative")));
        }
        not_in_place(at, what)?;
        let Some((low, high)) = datatype.hull(count) else { return Ok(Buffer::of_nothing(self.pointer(at))) };
        // With 32 bits, addresses in the upper half of the memory are negative displacements from MPI_BOTTOM.
        let is_above = at.is_null() && high <= 0 && !self.memory().is_wide();
        let first = if is_above { 1 << 32 } else { i128::from(at.0) };
        let proved = self.memory().hull(at, (first + low, first + high), what)?;
        Ok(Buffer {
            at: proved.origin(low).cast(),
            dense: dense(first, count, datatype),
            others: Vec::new(),
            size: data(count, datatype),
            hull: proved.len() as u64,
        })
    }

    /// Proves so many bytes.
    pub(crate) fn bytes(&self, at: Addr, count: i64, what: &str) -> Result<Buffer> {
        // MPI_BUFFER_AUTOMATIC is the only sentinel that may stand for bytes.
        if at == rankine_abi::MPI_BUFFER_AUTOMATIC && what == "buffer" {
            return Ok(Buffer::of_nothing(std::ptr::without_provenance_mut(at.0 as usize)));
        }
        let bytes = u64::try_from(count)
            .map_err(|_| Error::new(MPI_ERR_ARG, format!("{what}: the size is {count}, which is negative")))?;
        match self.memory().buffer(at, bytes) {
            Some(proved) => Ok(Buffer::block(at, proved)),
            None if bytes == 0 => Ok(Buffer::of_nothing(self.pointer(at))),
            None => Err(self.memory().outside(MPI_ERR_BUFFER, i128::from(at.0), i128::from(bytes), what)),
        }
    }

    /// A buffer that doesn't count: in place, or not the caller's to give. Libraries look at the address, though at
    /// nothing there.
    pub(crate) fn absent(&self, at: Addr) -> Buffer {
        let at = if at == MPI_IN_PLACE { std::ptr::without_provenance_mut(at.0 as usize) } else { self.pointer(at) };
        Buffer::of_nothing(at)
    }

    /// A buffer that says nothing, wherever it is: libraries refuse the null pointer all the same, and one that looked at an
    /// element there would find some of the guest's memory.
    pub(crate) fn nowhere(&self) -> Buffer {
        self.absent(Addr(self.memory().lowest().max(16)))
    }

    /// Proves a block for each process, at displacements counted in extents.
    pub(crate) fn blocks<N: Number, D: Number>(
        &self,
        at: Addr,
        counts: &[N],
        displs: &[D],
        datatype: &Type,
        what: &str,
    ) -> Result<Buffer> {
        not_in_place(at, what)?;
        let mut proved = Buffer::of_nothing(self.pointer(at));
        for (count, displ) in counts.iter().zip(displs) {
            let offset = i128::from(displ.wide()) * i128::from(datatype.extent());
            self.block(at, offset, count.wide(), datatype, what, &mut proved)?;
        }
        Ok(proved)
    }

    /// Proves a block for each process, each of its own datatype, at displacements in bytes.
    pub(crate) fn blocks_of_types<N: Number, D: Number>(
        &self,
        at: Addr,
        counts: &[N],
        displs: &[D],
        datatypes: &[Rc<Type>],
        what: &str,
    ) -> Result<Buffer> {
        not_in_place(at, what)?;
        let mut proved = Buffer::of_nothing(self.pointer(at));
        for ((count, displ), datatype) in counts.iter().zip(displs).zip(datatypes) {
            if count.wide() != 0 && self.is_null_type(datatype) {
                return Err(Error::new(MPI_ERR_TYPE, format!("{what}: the datatype of a block is MPI_DATATYPE_NULL")));
            }
            self.block(at, i128::from(displ.wide()), count.wide(), datatype, what, &mut proved)?;
        }
        Ok(proved)
    }

    /// Proves one block of a buffer, and adds its bytes to the others'.
    fn block(
        &self,
        buffer: Addr,
        offset: i128,
        count: i64,
        datatype: &Type,
        what: &str,
        proved: &mut Buffer,
    ) -> Result<()> {
        if count < 0 {
            return Err(Error::new(MPI_ERR_COUNT, format!("{what}: a count is {count}, which is negative")));
        }
        let at = i128::from(buffer.0) + offset;
        if let Some((low, high)) = datatype.hull(count) {
            let hull = self.memory().hull(buffer, (at + low, at + high), what)?;
            proved.hull = proved.hull.saturating_add(hull.len() as u64);
        }
        proved.size = proved.size.saturating_add(data(count, datatype));
        let block = dense(at, count, datatype);
        if block.start == proved.dense.end {
            proved.dense.end = block.end;
        } else if !block.is_empty() {
            let before = std::mem::replace(&mut proved.dense, block);
            proved.others.extend((!before.is_empty()).then_some(before));
        }
        Ok(())
    }

    /// What a library takes of memory for a collective that goes on after its call, which only the library knows: charged
    /// is as much as the longest of its buffers, and with a reduction the holes in it, for as long as the request is there.
    pub(crate) fn working_memory(&self, buffers: &[&Buffer], reduces: bool) -> Result<Charge> {
        let bytes = |buffer: &&Buffer| if reduces { buffer.hull } else { buffer.size };
        let longest = buffers.iter().map(bytes).max().unwrap_or(0);
        self.account().charge(longest as usize, Cost::Collectives)
    }

    /// Refuses buffers that overlap: MPI forbids it, and a library may end the process for it.
    #[inline]
    pub(crate) fn disjoint(&self, one: &Buffer, other: &Buffer) -> Result<()> {
        let in_pieces = !one.others.is_empty() || !other.others.is_empty();
        if overlap(&one.dense, &other.dense) || (in_pieces && pieces_overlap(one, other)) {
            return Err(Error::new(MPI_ERR_BUFFER, "the send buffer and the receive buffer overlap"));
        }
        Ok(())
    }

    /// Refuses a message to this rank itself that is longer than what it is received in, or ends within an element: a library
    /// may end the process for it.
    pub(crate) fn fits(&self, (sent, ty): (i64, &Type), (room, into): (i64, &Type)) -> Result<()> {
        let bytes = i128::from(sent.max(0)) * i128::from(ty.size());
        let most = i128::from(room.max(0)) * i128::from(into.size());
        if bytes > most {
            let text = format!("{bytes} bytes are sent, but there is room for {most}");
            return Err(Error::new(MPI_ERR_TRUNCATE, text));
        }
        let element = i128::from(into.element_size());
        if element > 0 && bytes % element != 0 {
            let text = format!("{bytes} bytes are sent, which are not a whole number of elements of {element} bytes");
            return Err(Error::new(MPI_ERR_TYPE, text));
        }
        Ok(())
    }

    /// Refuses an accumulation whose origin has not as many bytes as its target: MPICH's target goes by its own count, and
    /// combines what lies behind the operands in the library's memory. With `MPI_NO_OP` there are none.
    pub(crate) fn combines(&self, op: u32, origin: (i64, &Type), target: (i64, &Type)) -> Result<()> {
        if op == Op::NO_OP.0 { Ok(()) } else { self.as_much(origin, target) }
    }

    /// Refuses sides of an access that have not as many bytes.
    pub(crate) fn as_much(&self, (one, ty): (i64, &Type), (other, of): (i64, &Type)) -> Result<()> {
        let [here, there] =
            [(one, ty), (other, of)].map(|(count, ty)| i128::from(count.max(0)) * i128::from(ty.size()));
        if here == there {
            return Ok(());
        }
        let text = format!(
            "origin, result and target of an accumulation have to match, and one has {here} bytes, another {there}"
        );
        Err(Error::new(MPI_ERR_TRUNCATE, text))
    }

    /// The only external representation that there is.
    pub(crate) fn external32(&self, datarep: &CStr) -> Result<()> {
        if datarep == c"external32" {
            return Ok(());
        }
        Err(Error::new(MPI_ERR_ARG, format!("datarep is {datarep:?}, but data are packed in \"external32\" alone")))
    }

    /// Refuses to pack or unpack beyond the end of the packed bytes.
    pub(crate) fn room_to_pack(&self, position: i64, room: i64, count: i64, datatype: &Type) -> Result<()> {
        if position < 0 || position > room {
            let text = format!("position {position} is outside of a buffer of {room} bytes");
            return Err(Error::new(MPI_ERR_ARG, text));
        }
        let bytes = i128::from(count) * i128::from(datatype.size());
        if bytes > i128::from(room - position) {
            let text = format!("{bytes} bytes do not fit between position {position} and the end at {room}");
            return Err(Error::new(MPI_ERR_TRUNCATE, text));
        }
        Ok(())
    }
}

/// Whether any two pieces of two buffers overlap.
fn pieces_overlap(one: &Buffer, other: &Buffer) -> bool {
    let pieces = |buffer: &Buffer| {
        let mut pieces: Vec<Range<u64>> = buffer.others.iter().chain([&buffer.dense]).cloned().collect();
        pieces.sort_unstable_by_key(|piece| piece.start);
        pieces
    };
    let (one, other) = (pieces(one), pieces(other));
    let (mut i, mut k) = (0, 0);
    while let (Some(a), Some(b)) = (one.get(i), other.get(k)) {
        if overlap(a, b) {
            return true;
        }
        // Pieces of one buffer may overlap, so the one that begins first is done with.
        if a.start <= b.start { i += 1 } else { k += 1 }
    }
    false
}
