//! Handle tables: what a guest's 32-bit handle means to its rank.
//!
//! A handle that a program made carries its class, a generation and an index, so that a stale, foreign or
//! made-up value is told from a good one. Predefined handles of the ABI lie below [`FIRST_DYNAMIC`] and never collide.

use std::fmt::Display;
use std::sync::Arc;

use rankine_abi::MPI_ERR_NO_MEM;

use crate::error::{Error, Result};
use crate::quota::{Account, Charge};

/// The smallest value a handle of this engine can have; the ABI's predefined ones are all smaller.
pub const FIRST_DYNAMIC: u32 = 1 << 28;

const INDEX_BITS: u32 = 20;
const GENERATION_BITS: u32 = 8;
const INDEX_MASK: u32 = (1 << INDEX_BITS) - 1;
/// Objects of a class that a rank can have. Miri has no time for more.
pub const MOST: usize = if cfg!(miri) { 64 } else { 1 << INDEX_BITS };
const GENERATION_MASK: u32 = (1 << GENERATION_BITS) - 1;

/// The class tag in the top four bits of a dynamic handle. Never zero: zero is the ABI's own range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[allow(missing_docs)]
pub enum Class {
    Comm = 1,
    Group,
    Datatype,
    Op,
    Request,
    Errhandler,
    Info,
    Message,
    Session,
    Keyval,
    Win,
    File,
    Tool,
}

struct Slot<T> {
    generation: u32,
    value: Option<T>,
}

/// The live objects of one class in one rank.
pub struct Table<T> {
    class: Class,
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
    /// What an object has elsewhere, as far as all of the class have the same.
    beside: usize,
    charge: Charge,
}

impl<T> Table<T> {
    /// An empty table for handles of `class`, charged to an account as it grows. Each object has `beside` bytes
    /// elsewhere.
    pub fn new(class: Class, account: &Arc<Account>, beside: usize) -> Self {
        Table { class, slots: Vec::new(), free: Vec::new(), beside, charge: Charge::none(account) }
    }

    /// Stores `value` and returns its handle, or gives it back when the rank's quota for this class is used up.
    #[inline(always)]
    pub fn insert(&mut self, value: T) -> std::result::Result<u32, T> {
        match self.vacant() {
            Some(index) => Ok(self.fill(index, || value)),
            None => Err(value),
        }
    }

    /// As [`Table::insert`], for a value that is made where it is to lie, without ever being moved; nothing when the
    /// quota is used up.
    #[inline(always)]
    pub fn insert_with(&mut self, make: impl FnOnce() -> T) -> Option<u32> {
        let index = self.vacant()?;
        Some(self.fill(index, make))
    }

    /// Makes sure that there is room for one more; false when the quota is used up.
    #[inline(always)]
    pub fn has_room(&mut self) -> bool {
        !self.free.is_empty() || self.slots.len() < self.slots.capacity() || self.grow()
    }

    #[inline(always)]
    fn vacant(&mut self) -> Option<u32> {
        match self.free.pop() {
            Some(index) => Some(index),
            None if self.slots.len() < self.slots.capacity() || self.grow() => {
                self.slots.push(Slot { generation: 0, value: None });
                Some((self.slots.len() - 1) as u32)
            }
            None => None,
        }
    }

    /// Makes room for more objects; false when the rank may have no more.
    #[cold]
    fn grow(&mut self) -> bool {
        let more = self.slots.len().max(16).min(MOST - self.slots.len());
        more > 0 && self.charge.try_grow(self.bytes(more)) && self.slots.try_reserve_exact(more).is_ok()
    }

    /// What so many objects take.
    fn bytes(&self, objects: usize) -> usize {
        objects * (size_of::<Slot<T>>() + size_of::<u32>() + self.beside)
    }

    /// Whether it has as many objects as handles can tell apart.
    pub fn has_all(&self) -> bool {
        self.slots.len() >= MOST
    }

    /// The error for an object that could not be stored; `what` is what all of them are (`"groups"`).
    #[cold]
    pub fn full(&self, what: impl Display) -> Error {
        if self.has_all() {
            return Error::new(MPI_ERR_NO_MEM, format!("too many {what} are alive in this rank"));
        }
        self.charge.refused(self.bytes(self.slots.len().max(16)), what)
    }

    #[inline(always)]
    fn fill(&mut self, index: u32, make: impl FnOnce() -> T) -> u32 {
        let slot = &mut self.slots[index as usize];
        // There was nothing, so nothing is to be dropped, for which the compiler would have to keep the value elsewhere
        // meanwhile.
        #[expect(clippy::mem_forget, reason = "it is nothing")]
        std::mem::forget(slot.value.replace(make()));
        ((self.class as u32) << (INDEX_BITS + GENERATION_BITS)) | (slot.generation << INDEX_BITS) | index
    }

    /// As [`Table::insert`]; a used-up quota is the error that `what` (`"groups"`) names.
    pub fn add(&mut self, value: T, what: impl Display) -> Result<u32> {
        self.insert(value).map_err(|_| self.full(what))
    }

    #[inline]
    fn index(&self, handle: u32) -> Option<usize> {
        let index = (handle & INDEX_MASK) as usize;
        let generation = (handle >> INDEX_BITS) & GENERATION_MASK;
        let class = handle >> (INDEX_BITS + GENERATION_BITS);
        (class == self.class as u32 && self.slots.get(index)?.generation == generation).then_some(index)
    }

    /// The object behind `handle`, unless it is stale, foreign or made up.
    #[inline]
    pub fn get(&self, handle: u32) -> Option<&T> {
        self.slots[self.index(handle)?].value.as_ref()
    }

    /// As [`Table::get`], to change it.
    #[inline]
    pub fn get_mut(&mut self, handle: u32) -> Option<&mut T> {
        let index = self.index(handle)?;
        self.slots[index].value.as_mut()
    }

    /// Takes the object out; the handle is stale from now on.
    #[inline]
    pub fn remove(&mut self, handle: u32) -> Option<T> {
        let index = self.index(handle)?;
        let value = self.slots[index].value.take()?;
        self.recycle(index);
        Some(value)
    }

    /// As [`Table::remove`], where nobody wants the object; says whether there was one.
    #[inline]
    pub fn discard(&mut self, handle: u32) -> bool {
        let Some(index) = self.index(handle) else { return false };
        if self.slots[index].value.is_none() {
            return false;
        }
        self.slots[index].value = None;
        self.recycle(index);
        true
    }

    #[inline(always)]
    fn recycle(&mut self, index: usize) {
        let slot = &mut self.slots[index];
        slot.generation = (slot.generation + 1) & GENERATION_MASK;
        self.free.push(index as u32);
    }

    /// The live objects with their handles.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let class = (self.class as u32) << (INDEX_BITS + GENERATION_BITS);
        self.slots.iter().enumerate().filter_map(move |(index, slot)| {
            slot.value.as_ref().map(|value| (class | (slot.generation << INDEX_BITS) | index as u32, value))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stale_foreign_and_made_up_handles_are_told_apart() {
        let account = Account::new(None);
        let mut comms = Table::new(Class::Comm, &account, 0);
        let mut groups = Table::new(Class::Group, &account, 0);
        let comm = comms.insert("a").unwrap();
        let group = groups.insert("g").unwrap();
        assert!(comm >= FIRST_DYNAMIC && group >= FIRST_DYNAMIC);
        assert_eq!(comms.get(comm), Some(&"a"));
        assert_eq!(comms.get(group), None);
        assert_eq!(comms.get(comm + 1), None);
        assert_eq!(comms.get(0x101), None);
        assert_eq!(comms.remove(comm), Some("a"));
        assert_eq!(comms.get(comm), None);
        let again = comms.insert("b").unwrap();
        assert_ne!(again, comm);
        assert_eq!(comms.iter().map(|(handle, value)| (handle, *value)).collect::<Vec<_>>(), [(again, "b")]);
    }

    #[test]
    fn a_full_table_gives_the_value_back() {
        let account = Account::new(None);
        let mut table = Table::new(Class::Info, &account, 0);
        for i in 0..MOST {
            assert!(table.has_room() && table.insert(i).is_ok());
        }
        assert!(!table.has_room());
        assert_eq!(table.insert(7), Err(7));
        assert_eq!(table.full("infos").text, "too many infos are alive in this rank");
        drop(table);
        assert_eq!(account.used(), 0);
    }

    #[test]
    #[cfg_attr(miri, ignore = "a table has few places there, and ends before the account does")]
    fn a_table_grows_as_far_as_the_account_allows() {
        let account = Account::new(Some(1 << 20));
        let mut table = Table::new(Class::Info, &account, 1000);
        let objects = (0..).take_while(|&i| table.insert(i).is_ok()).count();
        assert!((1024..=2048).contains(&objects), "{objects}");
        let error = table.full("infos");
        assert!(error.text.starts_with("infos need ") && error.text.contains("the 1 MiB"), "{error}");
        assert!(account.used() > objects as u64 * 1000);
    }
}
