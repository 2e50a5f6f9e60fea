//! Choice buffers: every byte that an operation can touch is proved to lie in the guest's memory.
//!
//! The hull of the first and the last element is computed in 128 bits from the datatype's extent and true bounds, which the
//! library was asked for when the type was made. A negative count is refused here as well.

use std::ffi::c_void;

use rankine_abi::{Addr, MPI_ERR_ARG, MPI_ERR_BUFFER, MPI_ERR_COUNT, MPI_ERR_TRUNCATE, MPI_IN_PLACE};
use rankine_local::Error;

use super::Result;
use super::datatype::Type;
use super::rank::Rank;
use super::shim::Number;

/// A buffer that was proved.
pub(in crate::mpi) struct Buffer {
    /// What the library is given.
    pub(in crate::mpi) at: *mut c_void,
    /// How many bytes from there on are all used; 0 if there are gaps, or nothing is known.
    dense: usize,
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
    pub(in crate::mpi) fn buffer(&self, at: Addr, count: i64, datatype: &Type, what: &str) -> Result<Buffer> {
        if count < 0 {
            return Err(Error::new(MPI_ERR_COUNT, format!("{what}: the count is {count}, which is negative")));
        }
        not_in_place(at, what)?;
        if let Some(size) = datatype.block() {
            let bytes = (count as u64).saturating_mul(size);
            return match self.memory().at(at, bytes) {
                Some(pointer) => Ok(Buffer { at: pointer.cast(), dense: bytes as usize }),
                None if bytes == 0 => Ok(self.untouched(at)),
                None => Err(self.memory().outside(MPI_ERR_BUFFER, i128::from(at.0), i128::from(bytes), what)),
            };
        }
        self.prove(i128::from(at.0), count, datatype, what)?;
        Ok(self.untouched(at))
    }

    /// Proves so many bytes.
    pub(in crate::mpi) fn bytes(&self, at: Addr, count: i64, what: &str) -> Result<Buffer> {
        // MPI_BUFFER_AUTOMATIC is the only sentinel that may stand for bytes.
        if at == rankine_abi::MPI_BUFFER_AUTOMATIC && what == "buffer" {
            return Ok(Buffer { at: std::ptr::without_provenance_mut(at.0 as usize), dense: 0 });
        }
        let bytes = u64::try_from(count)
            .map_err(|_| Error::new(MPI_ERR_ARG, format!("{what}: the size is {count}, which is negative")))?;
        match self.memory().at(at, bytes) {
            Some(pointer) => Ok(Buffer { at: pointer.cast(), dense: bytes as usize }),
            None if bytes == 0 => Ok(self.untouched(at)),
            None => Err(self.memory().outside(MPI_ERR_BUFFER, i128::from(at.0), i128::from(bytes), what)),
        }
    }

    /// A buffer of which nothing is touched, or nothing is known beyond that it is proved.
    fn untouched(&self, at: Addr) -> Buffer {
        Buffer { at: self.pointer(at), dense: 0 }
    }

    /// A buffer that doesn't count: in place, or not the caller's to give. Libraries look at the address, though at nothing there.
    pub(in crate::mpi) fn absent(&self, at: Addr) -> Buffer {
        let at = if at == MPI_IN_PLACE { std::ptr::without_provenance_mut(at.0 as usize) } else { self.pointer(at) };
        Buffer { at, dense: 0 }
    }

    /// Proves the hull of `count` elements whose first is at `at`.
    fn prove(&self, at: i128, count: i64, datatype: &Type, what: &str) -> Result<()> {
        let Some((low, high)) = datatype.hull(count) else { return Ok(()) };
        let (low, high) = (at + low, at + high);
        if low < 0 || high > i128::from(self.memory().size()) {
            return Err(self.memory().outside(MPI_ERR_BUFFER, low, high - low, what));
        }
        Ok(())
    }

    /// Proves a block for each process, at displacements counted in extents.
    pub(in crate::mpi) fn blocks<N: Number, D: Number>(
        &self,
        at: Addr,
        counts: &[N],
        displs: &[D],
        datatype: &Type,
        what: &str,
    ) -> Result<Buffer> {
        not_in_place(at, what)?;
        for (count, displ) in counts.iter().zip(displs) {
            let offset = i128::from(displ.wide()) * i128::from(datatype.extent());
            self.block(i128::from(at.0) + offset, count.wide(), datatype, what)?;
        }
        Ok(self.untouched(at))
    }

    /// Proves a block for each process, each of its own datatype, at displacements in bytes.
    pub(in crate::mpi) fn blocks_of_types<N: Number, D: Number>(
        &self,
        at: Addr,
        counts: &[N],
        displs: &[D],
        datatypes: &[Type],
        what: &str,
    ) -> Result<Buffer> {
        not_in_place(at, what)?;
        for ((count, displ), datatype) in counts.iter().zip(displs).zip(datatypes) {
            self.block(i128::from(at.0) + i128::from(displ.wide()), count.wide(), datatype, what)?;
        }
        Ok(self.untouched(at))
    }

    fn block(&self, at: i128, count: i64, datatype: &Type, what: &str) -> Result<()> {
        if count < 0 {
            return Err(Error::new(MPI_ERR_COUNT, format!("{what}: a count is {count}, which is negative")));
        }
        self.prove(at, count, datatype, what)
    }

    /// Refuses buffers that overlap: MPI forbids it, and a library may end the process for it.
    #[inline]
    pub(in crate::mpi) fn disjoint(&self, one: &Buffer, other: &Buffer) -> Result<()> {
        let (a, b) = (one.at as usize, other.at as usize);
        if one.dense > 0 && other.dense > 0 && a < b + other.dense && b < a + one.dense {
            return Err(Error::new(MPI_ERR_BUFFER, "the send buffer and the receive buffer overlap"));
        }
        Ok(())
    }

    /// Refuses to pack or unpack beyond the end of the packed bytes.
    pub(in crate::mpi) fn room_to_pack(&self, position: i64, room: i64, count: i64, datatype: &Type) -> Result<()> {
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
