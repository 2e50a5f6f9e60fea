//! Words of a guest's memory that have the width of its addresses: handles, pointers, `MPI_Aint`s, values that are kept.
//!
//! They have 4 bytes, or 8 in the memory of a program with 64-bit addresses, which is lowered: no address of it is above 4 GiB.
//! What 32 bits can't hold is read as all ones, where nothing lies and which is no handle.

use rankine_abi::{Addr, Datatype, Kept, MPI_UNDEFINED};

use super::Memory;
use crate::arguments::length;
use crate::error::Result;

impl Memory {
    /// From now on it is that of a program with 64-bit addresses.
    pub fn widen(&self) {
        self.is_wide.set(true);
    }

    /// Whether it is that of a program with 64-bit addresses.
    #[inline]
    pub fn is_wide(&self) -> bool {
        self.is_wide.get()
    }

    /// The bytes of an address.
    #[inline]
    pub fn word(&self) -> u64 {
        if self.is_wide() { 8 } else { 4 }
    }

    /// Reads a handle.
    #[inline]
    pub fn read_handle(&self, at: Addr, what: &str) -> Result<u32> {
        match self.is_wide() {
            false => Ok(self.read_i32(at, what)? as u32),
            true => Ok(meant(cut(self.read_i64(at, what)?))),
        }
    }

    /// Writes a handle.
    #[inline]
    pub fn write_handle(&self, at: Addr, handle: u32, what: &str) -> Result<()> {
        match self.is_wide() {
            false => self.write_i32(at, handle as i32, what),
            true => self.write_i64(at, shown(handle).into(), what),
        }
    }

    /// Reads an array of handles.
    pub fn read_handles(&self, at: Addr, count: i64, what: &str) -> Result<Vec<u32>> {
        Ok(match self.is_wide() {
            false => self.ints(at, count, what)?.into_iter().map(|word| word as u32).collect(),
            true => self.longs(at, count, what)?.into_iter().map(|word| meant(cut(word))).collect(),
        })
    }

    /// Writes an array of handles.
    pub fn write_handles(&self, at: Addr, handles: impl Iterator<Item = u32>, what: &str) -> Result<()> {
        match self.is_wide() {
            false => self.write_i32s(at, &handles.map(|handle| handle as i32).collect::<Vec<_>>(), what),
            true => self.write_i64s(at, &handles.map(|handle| shown(handle).into()).collect::<Vec<_>>(), what),
        }
    }

    /// Reads an address, or what is as wide.
    #[inline]
    pub fn read_address(&self, at: Addr, what: &str) -> Result<Addr> {
        match self.is_wide() {
            false => Ok(Addr((self.read_i32(at, what)? as u32).into())),
            true => Ok(Addr(self.read_i64(at, what)? as u64)),
        }
    }

    /// Writes an address, or what is as wide.
    #[inline]
    pub fn write_address(&self, at: Addr, address: Addr, what: &str) -> Result<()> {
        match self.is_wide() {
            false => self.write_i32(at, address.0 as i32, what),
            true => self.write_i64(at, address.0 as i64, what),
        }
    }

    /// Reads an array of addresses.
    pub fn read_addresses(&self, at: Addr, count: i64, what: &str) -> Result<Vec<Addr>> {
        Ok(match self.is_wide() {
            false => self.ints(at, count, what)?.into_iter().map(|word| Addr((word as u32).into())).collect(),
            true => self.longs(at, count, what)?.into_iter().map(|word| Addr(word as u64)).collect(),
        })
    }

    /// Reads a value that is kept.
    pub fn read_kept(&self, at: Addr, what: &str) -> Result<Kept> {
        match self.is_wide() {
            false => Ok(self.read_i32(at, what)?.into()),
            true => Ok(self.read_i64(at, what)?.into()),
        }
    }

    /// Writes a value that was kept.
    pub fn write_kept(&self, at: Addr, kept: Kept, what: &str) -> Result<()> {
        match self.is_wide() {
            false => self.write_i32(at, kept.0 as i32, what),
            true => self.write_i64(at, kept.0 as i64, what),
        }
    }

    /// Reads an `MPI_Aint`.
    pub fn read_aint(&self, at: Addr, what: &str) -> Result<i64> {
        match self.is_wide() {
            false => Ok(self.read_i32(at, what)?.into()),
            true => self.read_i64(at, what),
        }
    }

    /// Writes an `MPI_Aint`: `MPI_UNDEFINED`, if it is too small.
    pub fn write_aint(&self, at: Addr, value: i64, what: &str) -> Result<()> {
        match self.is_wide() {
            false => self.write_i32(at, i32::try_from(value).unwrap_or(MPI_UNDEFINED), what),
            true => self.write_i64(at, value, what),
        }
    }

    /// Reads an array of `MPI_Aint`s.
    pub fn read_aints(&self, at: Addr, count: i64, what: &str) -> Result<Vec<i64>> {
        match self.is_wide() {
            false => Ok(self.read_i32s(at, length(count, what)?, what)?.into_iter().map(i64::from).collect()),
            true => self.longs(at, count, what),
        }
    }

    /// Writes an array of `MPI_Aint`s that a program has given: they fit.
    pub fn write_aints(&self, at: Addr, values: &[i64], what: &str) -> Result<()> {
        match self.is_wide() {
            false => self.write_i32s(at, &values.iter().map(|&value| value as i32).collect::<Vec<_>>(), what),
            true => self.write_i64s(at, values, what),
        }
    }
}

/// A word of 64 bits as one of 32.
fn cut(word: i64) -> u32 {
    u32::try_from(word).unwrap_or(u32::MAX)
}

/// What a program with 64-bit addresses means by a handle.
fn meant(handle: u32) -> u32 {
    Datatype(handle).in_lp64().0
}

/// What such a program knows a handle as.
fn shown(handle: u32) -> u32 {
    Datatype(handle).shown().0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memories() -> [Memory; 2] {
        let memories = [Memory::new(), Memory::new()];
        for memory in &memories {
            let bytes: &'static mut [u8] = Box::leak(Box::new([0xaa; 64]));
            // SAFETY: the bytes are this memory's for good.
            unsafe { memory.set(bytes.as_mut_ptr(), 64) };
        }
        memories[1].widen();
        memories
    }

    #[test]
    fn words_are_as_wide_as_addresses() {
        for memory in memories() {
            let width = memory.word();
            let rest = || memory.read_bytes(Addr(8 + width), 8, "rest").unwrap();
            memory.write_handle(Addr(8), 0x101, "handle").unwrap();
            assert_eq!((memory.read_handle(Addr(8), "handle").unwrap(), rest()), (0x101, vec![0xaa; 8]));
            memory.write_address(Addr(8), Addr(0xffff_fff0), "address").unwrap();
            assert_eq!((memory.read_address(Addr(8), "address").unwrap(), rest()), (Addr(0xffff_fff0), vec![0xaa; 8]));
            memory.write_aint(Addr(8), -3, "aint").unwrap();
            assert_eq!((memory.read_aint(Addr(8), "aint").unwrap(), rest()), (-3, vec![0xaa; 8]));
            memory.write_aints(Addr(8), &[-1, 7], "aints").unwrap();
            assert_eq!(memory.read_aints(Addr(8), 2, "aints").unwrap(), [-1, 7]);
            memory.write_handles(Addr(8), [3, 4].into_iter(), "handles").unwrap();
            assert_eq!(memory.read_handles(Addr(8), 2, "handles").unwrap(), [3, 4]);
            assert_eq!(memory.read_addresses(Addr(8), 2, "addresses").unwrap(), [Addr(3), Addr(4)]);
            // The last word ends where the memory does.
            assert!(memory.write_handle(Addr(64 - memory.word()), 1, "handle").is_ok());
            assert!(memory.write_handle(Addr(65 - memory.word()), 1, "handle").is_err());
        }
    }

    #[test]
    fn what_is_kept_comes_back() {
        let [narrow, wide] = memories();
        narrow.write_kept(Addr(8), Kept::from(-1_i32), "kept").unwrap();
        assert_eq!(
            (narrow.read_kept(Addr(8), "kept").unwrap(), narrow.read_i32(Addr(12), "").unwrap()),
            (Kept(0xffff_ffff), 0xaaaa_aaaa_u32 as i32)
        );
        wide.write_kept(Addr(8), Kept::from(-1_i64), "kept").unwrap();
        assert_eq!(wide.read_kept(Addr(8), "kept").unwrap(), Kept(u64::MAX));
    }

    #[test]
    fn what_is_too_large_is_nothing() {
        let [narrow, wide] = memories();
        wide.write_i64(Addr(8), 1 << 32, "word").unwrap();
        assert_eq!(
            (wide.read_handle(Addr(8), "").unwrap(), wide.read_address(Addr(8), "").unwrap()),
            (u32::MAX, Addr(1 << 32))
        );
        wide.write_i64(Addr(8), -1, "word").unwrap();
        assert_eq!(wide.read_handles(Addr(8), 1, "").unwrap(), [u32::MAX]);
        narrow.write_aint(Addr(8), 1 << 31, "aint").unwrap();
        assert_eq!(narrow.read_aint(Addr(8), "").unwrap(), i64::from(MPI_UNDEFINED));
        wide.write_aint(Addr(8), 1 << 31, "aint").unwrap();
        assert_eq!(wide.read_aint(Addr(8), "").unwrap(), 1 << 31);
    }

    #[test]
    fn a_long_is_another_datatype_in_a_wide_memory() {
        let [narrow, wide] = memories();
        let long = Datatype::LONG;
        for (memory, meant) in [(narrow, long), (wide, long.in_lp64())] {
            memory.write_handle(Addr(8), meant.0, "").unwrap();
            assert_eq!(memory.read_i32(Addr(8), "").unwrap() as u32, long.0);
            assert_eq!(memory.read_handle(Addr(8), "").unwrap(), meant.0);
        }
    }
}
