//! A guest's linear memory as its rank sees it.
//!
//! Everything that the host decides on is read through here, once, into host memory; every access proves its bounds, and what
//! a proof is about goes with it ([`Proved`]).
//! Accesses are single-copy volatile or go through [`copy::copy`]: another rank may be writing the same bytes, which is
//! the guest's mistake and must not be ours.

mod proved;
mod words;

use std::cell::Cell;
use std::hint::cold_path;
use std::rc::Rc;
use std::sync::Arc;

use rankine_abi::{Addr, MPI_ERR_ARG, MPI_ERR_BUFFER};
use smallvec::SmallVec;

use crate::copy;
use crate::error::{Error, Result};
use crate::quota::{Account, exhausted, room};

pub use proved::Proved;

/// Base and current size of a linear memory. The base never moves; the size only grows.
#[derive(Debug)]
pub struct Memory {
    base: Cell<*mut u8>,
    size: Cell<u64>,
    /// Below here nobody may touch anything: the page of the null pointer, if it is protected (else 0).
    lowest: Cell<u64>,
    /// Bytes from there to the end.
    room: Cell<u64>,
    /// What copies of its bytes are charged to.
    account: Option<Arc<Account>>,
    /// Bytes of arrays and strings that were copied out since somebody set it to 0.
    copied: Rc<Cell<u64>>,
    /// Callbacks that are under way inside one another.
    depth: Cell<u32>,
    /// Its program has 64-bit addresses.
    is_wide: Cell<bool>,
}

/// Address 0 is inside the memory, but up to here no object of a program lies.
const LOW: i128 = 64;
/// Arrays of up to this many bytes are copied without a look at the account.
const SMALL: u64 = 64 << 10;
/// Bytes that a call may need for each byte of an array that it is given: its copy, in the form that it needs, and what
/// it makes of it.
const SHARE: u64 = 4;

impl Default for Memory {
    fn default() -> Self {
        Memory::new()
    }
}

impl Memory {
    /// A memory of no bytes, until [`Memory::set`] says where it is.
    pub fn new() -> Self {
        Memory {
            base: Cell::new(std::ptr::null_mut()),
            size: Cell::new(0),
            lowest: Cell::new(0),
            room: Cell::new(0),
            account: None,
            copied: Rc::default(),
            depth: Cell::new(0),
            is_wide: Cell::new(false),
        }
    }

    /// As [`Memory::new`], of a guest whose calls may copy no more than the rest of this account.
    pub fn of(account: &Arc<Account>) -> Self {
        Memory { account: Some(account.clone()), ..Memory::new() }
    }

    /// Bytes of arrays and strings that were copied out since somebody set it to 0.
    pub fn copied(&self) -> &Rc<Cell<u64>> {
        &self.copied
    }

    /// Says how many callbacks are under way inside one another.
    pub fn set_depth(&self, depth: u32) {
        self.depth.set(depth);
    }

    /// Refuses arguments that the rank has no memory for.
    #[inline]
    fn lend(&self, length: u64, what: &str) -> Result<()> {
        self.copied.set(self.copied.get().saturating_add(length));
        match &self.account {
            // A call within a callback may have half of what the one around it could.
            Some(account) if length > SMALL => {
                account.check(length.saturating_mul(SHARE << self.depth.get().min(32)) as usize, what)
            }
            _ => Ok(()),
        }
    }

    /// Says where the memory is and how large it has become.
    ///
    /// # Safety
    /// `base` points to `size` bytes that stay readable and writable until the job has ended.
    #[inline]
    pub unsafe fn set(&self, base: *mut u8, size: u64) {
        self.base.set(base);
        self.size.set(size);
        self.room.set(size.saturating_sub(self.lowest.get()));
    }

    /// From now on nothing below this address is part of the memory: the host could not read it either.
    pub fn set_lowest(&self, lowest: u64) {
        self.lowest.set(lowest);
        self.room.set(self.size.get().saturating_sub(lowest));
    }

    /// The first address that may be used.
    pub fn lowest(&self) -> u64 {
        self.lowest.get()
    }

    /// Bytes that the guest can address now.
    #[inline]
    pub fn size(&self) -> u64 {
        self.size.get()
    }

    /// The first byte: what `MPI_BOTTOM` means.
    #[inline]
    pub fn base(&self) -> *mut u8 {
        self.base.get()
    }

    /// `length` bytes at `address`, if all of them are inside the memory.
    #[inline]
    pub fn at(&self, address: Addr, length: u64) -> Option<Proved> {
        // What lies below the lowest address becomes something far beyond any size.
        let (above, room) = (address.0.wrapping_sub(self.lowest.get()), self.room.get());
        if length <= room && above <= room - length {
            return Some(Proved::new(self.base.get().wrapping_add(address.0 as usize), length as usize));
        }
        self.nothing_at(address, length)
    }

    /// Where no bytes lie: nobody touches them, so they may lie at the null pointer as well, or wherever a pointer leads that
    /// the guest never set.
    #[cold]
    fn nothing_at(&self, address: Addr, length: u64) -> Option<Proved> {
        (length == 0).then(|| Proved::new(self.base.get().wrapping_add(address.0 as usize), 0))
    }

    /// Proves the bytes of a message, which don't lie at the null pointer.
    #[inline(always)]
    pub fn buffer(&self, address: Addr, length: u64) -> Option<Proved> {
        if address.is_null() {
            // Out of the way, so that all others pay for one comparison.
            cold_path();
            if length > 0 {
                return None;
            }
        }
        self.at(address, length)
    }

    #[inline(always)]
    fn argument(&self, address: Addr, length: u64, what: &str) -> Result<Proved> {
        // Address 0 is inside the memory, but no object of a program lies there.
        match self.at(address, length) {
            Some(at) if address != Addr::NULL || length == 0 => Ok(at),
            _ => Err(self.refused(address, length, what)),
        }
    }

    /// Refuses bytes that are not all there.
    pub fn check(&self, address: Addr, length: u64, what: &str) -> Result<()> {
        self.argument(address, length, what).map(|_| ())
    }

    #[cold]
    fn refused(&self, address: Addr, length: u64, what: &str) -> Error {
        if address == Addr::NULL {
            return Error::new(MPI_ERR_ARG, format!("{what} is the null pointer"));
        }
        self.outside(MPI_ERR_ARG, i128::from(address.0), i128::from(length), what)
    }

    /// Up to here an address is the null pointer or close to it.
    fn low(&self) -> i128 {
        LOW.max(self.lowest.get().into())
    }

    /// The error for bytes that are not in the memory, or at the null pointer.
    #[cold]
    pub fn outside(&self, class: i32, address: i128, length: i128, what: &str) -> Error {
        if (0..self.low()).contains(&address) && address + length <= i128::from(self.size()) {
            let text =
                format!("{what}: {length} bytes at address {address:#x}, which is the null pointer or just behind it");
            return Error::new(class, text);
        }
        Error::new(
            class,
            format!(
                "{what}: {length} bytes at address {address:#x} are not inside the memory of {} bytes",
                self.size()
            ),
        )
    }

    /// Copies bytes out of the guest.
    pub fn read_bytes(&self, address: Addr, length: u64, what: &str) -> Result<Vec<u8>> {
        let from = self.argument(address, length, what)?;
        self.lend(length, what)?;
        let mut bytes = room(length as usize, what)?;
        from.append_to(&mut bytes);
        Ok(bytes)
    }

    /// Copies bytes out of the guest behind those of a vector.
    #[inline(always)]
    pub fn append(&self, address: Addr, length: u64, bytes: &mut Vec<u8>, what: &str) -> Result<()> {
        let from = self.argument(address, length, what)?;
        bytes.try_reserve(from.len()).map_err(|_| exhausted(from.len(), what))?;
        from.append_to(bytes);
        Ok(())
    }

    /// Bytes before the next zero byte.
    pub fn text_length(&self, address: Addr, what: &str) -> Result<u32> {
        // A longer one is not counted further.
        Ok(self.text_length_within(address, 1 << 32, what)?.unwrap_or(u32::MAX))
    }

    /// Bytes before the next zero byte, if it is one of the first `most`.
    pub fn text_length_within(&self, address: Addr, most: u64, what: &str) -> Result<Option<u32>> {
        let mut piece = [0; 64];
        let mut length = 0;
        while length < most {
            let rest = self.size().saturating_sub(address.plus(length).0);
            let bytes = rest.min(piece.len() as u64).min(most - length);
            if bytes == 0 {
                let text = format!("{what} at address {:#x} does not end within the memory", address.0);
                return Err(Error::new(MPI_ERR_ARG, text));
            }
            let from = self.argument(address.plus(length), bytes, what)?;
            from.read(&mut piece[..bytes as usize]);
            match piece[..bytes as usize].iter().position(|&byte| byte == 0) {
                Some(end) => return Ok(Some((length + end as u64) as u32)),
                None => length += bytes,
            }
        }
        Ok(None)
    }

    /// Copies bytes into the guest.
    #[inline(always)]
    pub fn write_bytes(&self, address: Addr, bytes: &[u8], what: &str) -> Result<()> {
        self.argument(address, bytes.len() as u64, what)?.write(bytes);
        Ok(())
    }

    /// Copies bytes into the guest from where somebody may be writing.
    ///
    /// # Safety
    /// There are so many bytes at `from`, and they can be read.
    pub unsafe fn write_from(&self, address: Addr, from: *const u8, length: u64, what: &str) -> Result<()> {
        let to = self.argument(address, length, what)?;
        // SAFETY: the caller's promise, which is about as many bytes as were proved.
        unsafe { to.write_from(from) };
        Ok(())
    }

    /// Reads a little-endian word.
    #[inline]
    pub fn read_i32(&self, address: Addr, what: &str) -> Result<i32> {
        Ok(i32::from_le_bytes(self.argument(address, 4, what)?.read_array()))
    }

    /// Reads a little-endian double word.
    #[inline]
    pub fn read_i64(&self, address: Addr, what: &str) -> Result<i64> {
        Ok(i64::from_le_bytes(self.argument(address, 8, what)?.read_array()))
    }

    /// Writes a little-endian word.
    #[inline]
    pub fn write_i32(&self, address: Addr, value: i32, what: &str) -> Result<()> {
        self.argument(address, 4, what)?.write_array(value.to_le_bytes());
        Ok(())
    }

    /// Writes a little-endian double word.
    #[inline]
    pub fn write_i64(&self, address: Addr, value: i64, what: &str) -> Result<()> {
        self.argument(address, 8, what)?.write_array(value.to_le_bytes());
        Ok(())
    }

    /// Writes a few words that lie one after another.
    #[inline]
    pub fn write_words<const N: usize>(&self, address: Addr, values: [i32; N], what: &str) -> Result<()> {
        let to = self.argument(address, 4 * N as u64, what)?;
        to.write(values.map(i32::to_le_bytes).as_flattened());
        Ok(())
    }

    /// Reads an array of words that is short, as a rule.
    #[inline]
    pub fn read_words<const N: usize>(&self, address: Addr, length: usize, what: &str) -> Result<SmallVec<[u32; N]>>
    where
        [u32; N]: smallvec::Array<Item = u32>,
    {
        let from = self.argument(address, length as u64 * 4, what)?;
        self.lend(length as u64 * 4, what)?;
        let mut words = SmallVec::<[u32; N]>::new();
        words.try_reserve_exact(length).map_err(|_| exhausted(length * 4, what))?;
        // SAFETY: `from` has as many bytes inside the memory, and the vector has room for them; they are written before
        // they count.
        unsafe {
            copy::copy(words.as_mut_ptr().cast(), from.first(), from.len());
            words.set_len(length);
        }
        if cfg!(target_endian = "big") {
            words.iter_mut().for_each(|word| *word = u32::from_le(*word));
        }
        Ok(words)
    }

    /// Reads an array of words.
    pub fn read_i32s(&self, address: Addr, length: usize, what: &str) -> Result<Vec<i32>> {
        let bytes = self.read_bytes(address, length as u64 * 4, what)?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|word| i32::from_le_bytes(*word)).collect())
    }

    /// Reads an array of double words.
    pub fn read_i64s(&self, address: Addr, length: usize, what: &str) -> Result<Vec<i64>> {
        let bytes = self.read_bytes(address, length as u64 * 8, what)?;
        Ok(bytes.as_chunks::<8>().0.iter().map(|word| i64::from_le_bytes(*word)).collect())
    }

    /// Writes an array of words.
    pub fn write_i32s(&self, address: Addr, values: &[i32], what: &str) -> Result<()> {
        let words: Vec<[u8; 4]> = values.iter().map(|value| value.to_le_bytes()).collect();
        self.write_bytes(address, words.as_flattened(), what)
    }

    /// Writes an array of double words.
    pub fn write_i64s(&self, address: Addr, values: &[i64], what: &str) -> Result<()> {
        let words: Vec<[u8; 8]> = values.iter().map(|value| value.to_le_bytes()).collect();
        self.write_bytes(address, words.as_flattened(), what)
    }

    /// Reads a NUL-terminated string of at most `limit` bytes.
    pub fn read_string(&self, address: Addr, limit: usize, what: &str) -> Result<String> {
        let available = self.size().saturating_sub(address.0).min(limit as u64);
        let (mut text, mut piece) = (Vec::new(), [0; 256]);
        loop {
            let read = text.len() as u64;
            let length = (available - read).min(piece.len() as u64);
            let from = self.argument(address.plus(read), length, what)?;
            if length == 0 {
                return Err(Error::new(
                    MPI_ERR_ARG,
                    format!("{what}: no end of string within {available} bytes at address {:#x}", address.0),
                ));
            }
            let piece = &mut piece[..length as usize];
            from.read(piece);
            let end = piece.iter().position(|&byte| byte == 0);
            text.extend_from_slice(&piece[..end.unwrap_or(piece.len())]);
            if end.is_some() {
                break;
            }
        }
        self.copied.set(self.copied.get().saturating_add(text.len() as u64));
        Ok(String::from_utf8(text).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }

    /// Writes a NUL-terminated string, cut to `capacity` bytes with the NUL; returns its length without the NUL.
    pub fn write_string(&self, address: Addr, text: &str, capacity: usize, what: &str) -> Result<usize> {
        let length = text.len().min(capacity.saturating_sub(1));
        let mut bytes = text.as_bytes()[..length].to_vec();
        bytes.push(0);
        self.write_bytes(address, &bytes, what)?;
        Ok(length)
    }

    /// Proves that the bytes from `low` up to `high`, which a datatype can reach from an address, are all in the memory.
    /// From `MPI_BOTTOM`, which is the null pointer too, it has to reach to where objects can be.
    pub fn prove(&self, address: Addr, (low, high): (i128, i128), what: &str) -> Result<()> {
        self.hull(address, (low, high), what).map(drop)
    }

    /// The same bytes, once they are proved.
    pub fn hull(&self, address: Addr, (low, high): (i128, i128), what: &str) -> Result<Proved> {
        let lowest = if address.is_null() { self.low() } else { self.lowest.get().into() };
        if low < lowest || high > i128::from(self.size()) {
            return Err(self.outside(MPI_ERR_BUFFER, low, high - low, what));
        }
        Ok(Proved::new(self.base().wrapping_add(low as usize), (high - low).max(0) as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A memory of 256 bytes of which the first 64 may not be touched.
    fn protected() -> Memory {
        let memory = Memory::new();
        let bytes: &'static mut [u8] = Box::leak(Box::new([7; 256]));
        // SAFETY: the bytes are this memory's for good.
        unsafe { memory.set(bytes.as_mut_ptr(), 256) };
        memory.set_lowest(64);
        memory
    }

    #[test]
    fn what_is_protected_is_no_part_of_the_memory() {
        let memory = protected();
        for (address, length) in [(0, 1), (0, 256), (1, 64), (63, 1), (63, 2), (0, u64::MAX), (64, 193), (256, 1)] {
            assert!(memory.at(Addr(address), length).is_none(), "{length} at {address}");
            assert!(memory.buffer(Addr(address), length).is_none(), "{length} at {address}");
            assert!(memory.check(Addr(address), length, "it").is_err(), "{length} at {address}");
        }
        for (address, length) in
            [(64, 0), (64, 1), (64, 192), (255, 1), (256, 0), (0, 0), (63, 0), (257, 0), (u32::MAX, 0)]
        {
            assert_eq!(
                memory.at(Addr(address.into()), length).map(|there| there.first()),
                Some(memory.base().wrapping_add(address as usize))
            );
        }
        assert!(memory.at(Addr(257), 1).is_none() && memory.at(Addr(u32::MAX.into()), 1).is_none());
        assert!(memory.read_i32(Addr(61), "it").is_err() && memory.read_i32(Addr(64), "it").is_ok());
        assert!(memory.text_length(Addr(60), "it").is_err() && memory.read_string(Addr(60), 9, "it").is_err());
        // SAFETY: it is the same memory, as large as it was.
        unsafe { memory.set(memory.base(), 256) };
        assert!(memory.at(Addr(63), 1).is_none() && memory.at(Addr(64), 192).is_some());
    }

    #[test]
    fn a_hull_reaches_to_the_protected_bytes_and_no_further() {
        let memory = protected();
        assert!(memory.prove(Addr(100), (64, 256), "it").is_ok());
        assert!(memory.prove(Addr(100), (63, 256), "it").is_err());
        assert!(memory.prove(Addr::NULL, (64, 256), "it").is_ok());
        assert!(memory.prove(Addr::NULL, (63, 256), "it").unwrap_err().to_string().contains("null pointer"));
    }

    #[test]
    fn a_memory_can_be_smaller_than_what_is_protected() {
        let memory = protected();
        memory.set_lowest(1 << 16);
        for address in [0, 1, 255, 256] {
            assert!(memory.at(Addr(address), 1).is_none() && memory.at(Addr(address), 0).is_some());
        }
    }

    #[test]
    fn a_proof_goes_with_what_it_is_about() {
        let (memory, mut words) = (Memory::new(), [0_u64; 16]);
        // SAFETY: the words outlive the memory's last use, and nobody else touches them.
        unsafe { memory.set(words.as_mut_ptr().cast(), 128) };
        let word = memory.at(Addr(124), 4).unwrap();
        word.write_array([1, 2, 3, 4]);
        assert_eq!((word.len(), word.read_array()), (4, [1, 2, 3, 4]));
        assert!(memory.at(Addr(125), 4).is_none() && memory.at(Addr(0), u64::MAX).is_none());
        assert!(memory.at(Addr(128), 0).unwrap().is_empty() && memory.buffer(Addr::NULL, 1).is_none());
        // Bytes 100 to 120 of what begins at 96: the first of them is the fifth.
        let hull = memory.hull(Addr(96), (100, 120), "the buffer").unwrap();
        assert_eq!((hull.len(), hull.first()), (20, memory.base().wrapping_add(100)));
        assert_eq!(hull.origin(4), memory.base().wrapping_add(96));
        assert!(memory.hull(Addr(96), (-1, 4), "the buffer").is_err());
        assert!(memory.hull(Addr(96), (100, 129), "the buffer").is_err());
    }

    #[test]
    #[should_panic(expected = "bytes that were proved")]
    fn nothing_is_written_beyond_a_proof() {
        let (memory, mut words) = (Memory::new(), [0_u64; 4]);
        // SAFETY: the words outlive the memory's last use, and nobody else touches them.
        unsafe { memory.set(words.as_mut_ptr().cast(), 32) };
        memory.at(Addr(0), 4).unwrap().write(&[0; 8]);
    }
}
