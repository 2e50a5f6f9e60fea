//! How much memory a rank may take: one account for all that its guest has and all that the host holds for it.
//!
//! The host's memory is charged before it is taken, and given back when the [`Charge`] is dropped, wherever that is: a
//! parcel may end in another rank. What a message needs is charged in chunks, when a table or a pool grows.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rankine_abi::MPI_ERR_NO_MEM;

pub use crate::cost::{Cost, Payer};
use crate::error::{Error, Result};

/// What a rank may have, and what the host may hold of it, where the user sets no limit: as much as 32 bits address,
/// and as much again.
const USUAL: (u64, u64) = (8 << 30, 4 << 30);

/// What the host may hold beyond the limit: a guest that has filled its memory can still do something.
const RESERVE: u64 = 1 << 20;
/// And beyond that for sends and receives alone: one that has filled this, too, can still communicate, and end.
const LAST: u64 = 512 << 10;

/// What a rank may take, and has taken.
#[derive(Debug)]
pub struct Account {
    /// Bytes of guest and host together.
    limit: AtomicU64,
    /// Bytes that the host may hold.
    share: u64,
    is_limited: bool,
    used: AtomicU64,
    held: AtomicU64,
    /// The most that was used at a time.
    most: AtomicU64,
}

/// Adds to a counter unless it would be more than `most`; what it has then.
fn add(counter: &AtomicU64, bytes: u64, most: u64) -> Option<u64> {
    // Not added and taken back: meanwhile another thread would be refused what there is room for.
    let sum = |held: u64| held.checked_add(bytes).filter(|&sum| sum <= most);
    counter.try_update(Ordering::Relaxed, Ordering::Relaxed, sum).ok().map(|held| held + bytes)
}

impl Account {
    /// The account of a rank that may have so many bytes, or what is usual.
    pub fn new(limit: Option<u64>) -> Arc<Account> {
        let is_limited = limit.is_some();
        let (limit, share) = match limit {
            // Only what watches over the process is left then.
            _ if cfg!(feature = "unvalidated") => (u64::MAX, u64::MAX),
            Some(limit) => (limit, limit.saturating_add(RESERVE)),
            None => USUAL,
        };
        Arc::new(Account {
            limit: AtomicU64::new(limit),
            share,
            is_limited,
            used: AtomicU64::new(0),
            held: AtomicU64::new(0),
            most: AtomicU64::new(0),
        })
    }

    /// Bytes that the rank may have, guest and host together.
    pub fn limit(&self) -> u64 {
        self.limit.load(Ordering::Relaxed)
    }

    /// Its program may have more than 32 bits address: where the user has set no limit, so many bytes, beside what the host holds.
    pub fn enlarge(&self, guest: u64) {
        if !self.is_limited {
            self.limit.fetch_max(guest.saturating_add(self.share), Ordering::Relaxed);
        }
    }

    /// Whether the user has set the limit.
    pub fn is_limited(&self) -> bool {
        self.is_limited
    }

    /// Bytes that the rank has by now.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Bytes that the host holds for the rank by now; the rest of what is used is its guest's.
    pub fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    /// The most bytes that the rank had at a time.
    pub fn most(&self) -> u64 {
        self.most.load(Ordering::Relaxed)
    }

    /// So much is used now.
    #[inline]
    fn note(&self, used: u64) {
        if used > self.most.load(Ordering::Relaxed) {
            self.most.fetch_max(used, Ordering::Relaxed);
        }
    }

    /// The guest grows by so many bytes, unless that is more than it may have. It never shrinks.
    pub fn grow_guest(&self, bytes: u64) -> bool {
        let used = add(&self.used, bytes, self.limit());
        used.inspect(|&used| self.note(used)).is_some()
    }

    /// So much of what the guest had is gone: that of a thread that has ended.
    pub fn shrink_guest(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// The host takes so much, which may be `beyond` what it may have.
    fn take(&self, bytes: u64, beyond: u64) -> bool {
        // What is held is used, too. So where the user has set the limit, what fits here fits below as well, and nothing that
        // other threads may see is taken back.
        let Some(used) = add(&self.used, bytes, self.limit().saturating_add(RESERVE + beyond)) else { return false };
        let fits = add(&self.held, bytes, self.share.saturating_add(beyond)).is_some();
        if fits {
            self.note(used);
        } else {
            self.used.fetch_sub(bytes, Ordering::Relaxed);
        }
        fits
    }

    fn give_back(&self, bytes: u64) {
        self.held.fetch_sub(bytes, Ordering::Relaxed);
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Bytes that the host may still take.
    pub fn free(&self) -> u64 {
        let held = self.share.saturating_sub(self.held.load(Ordering::Relaxed));
        held.min(self.limit().saturating_add(RESERVE).saturating_sub(self.used()))
    }

    /// The host takes so many bytes for this.
    pub fn charge(self: &Arc<Self>, bytes: usize, what: Cost) -> Result<Charge> {
        let mut charge = Charge::none(self);
        charge.grow(bytes, what)?;
        Ok(charge)
    }

    /// As [`Account::charge`], for what a rank needs to communicate at all.
    pub fn charge_last(self: &Arc<Self>, bytes: usize, what: Cost) -> Result<Charge> {
        match self.take(bytes as u64, LAST) {
            true => Ok(Charge { account: Some(self.clone()), bytes: bytes as u64 }),
            false => Err(self.refused(bytes, what)),
        }
    }

    /// Refuses what a call wants to have for as long as it runs, and that is not there; how the words go on: "… need 10
    /// more bytes".
    pub fn check(&self, bytes: usize, what: impl Display) -> Result<()> {
        if bytes as u64 <= self.free() { Ok(()) } else { Err(self.refused(bytes, what)) }
    }

    /// The error for memory that the rank may not have.
    #[cold]
    pub fn refused(&self, bytes: usize, what: impl Display) -> Error {
        let (free, limit) = (self.free(), self.limit() >> 20);
        let text = format!(
            "{what} need {bytes} more bytes of the host's memory, and the {limit} MiB that this rank may have leave it {free}"
        );
        Error::new(MPI_ERR_NO_MEM, text)
    }
}

/// Memory of the host that is charged to a rank until this is dropped.
#[derive(Debug, Default)]
pub struct Charge {
    account: Option<Arc<Account>>,
    bytes: u64,
}

impl Charge {
    /// Nothing yet.
    pub fn none(account: &Arc<Account>) -> Charge {
        Charge { account: Some(account.clone()), bytes: 0 }
    }

    /// How much it is.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Takes more, if there is.
    pub fn try_grow(&mut self, bytes: usize) -> bool {
        let fits = self.account.as_ref().is_none_or(|account| account.take(bytes as u64, 0));
        if fits {
            self.bytes += bytes as u64;
        }
        fits
    }

    /// Takes more, for this.
    pub fn grow(&mut self, bytes: usize, what: Cost) -> Result<()> {
        if self.try_grow(bytes) { Ok(()) } else { Err(self.refused(bytes, what)) }
    }

    /// As [`Charge::grow`], for what a rank needs to communicate at all.
    pub fn grow_last(&mut self, bytes: usize, what: Cost) -> Result<()> {
        if self.account.as_ref().is_some_and(|account| !account.take(bytes as u64, LAST)) {
            return Err(self.refused(bytes, what));
        }
        self.bytes += bytes as u64;
        Ok(())
    }

    /// Gives some of it back.
    pub fn shrink(&mut self, bytes: usize) {
        let bytes = self.bytes.min(bytes as u64);
        self.bytes -= bytes;
        if let Some(account) = &self.account {
            account.give_back(bytes);
        }
    }

    /// It is never given back.
    pub fn stay(mut self) {
        self.bytes = 0;
    }

    /// The error for more than there is.
    #[cold]
    pub fn refused(&self, bytes: usize, what: impl Display) -> Error {
        match &self.account {
            Some(account) => account.refused(bytes, what),
            None => exhausted(bytes, what),
        }
    }
}

impl Drop for Charge {
    #[inline]
    fn drop(&mut self) {
        if self.bytes > 0 {
            self.shrink(self.bytes as usize);
        }
    }
}

/// The error for memory that the system does not have.
#[cold]
pub fn exhausted(bytes: usize, what: impl Display) -> Error {
    Error::new(MPI_ERR_NO_MEM, format!("{what} need {bytes} more bytes, and this machine has no memory left for them"))
}

/// Zeroes, or an error where the system has no memory for them.
pub fn zeroed(bytes: usize, what: impl Display) -> Result<Vec<u8>> {
    let mut zeroes = room(bytes, what)?;
    zeroes.resize(bytes, 0);
    Ok(zeroes)
}

/// An empty vector with room for so many elements, or an error where the system has no memory for them.
pub fn room<T>(elements: usize, what: impl Display) -> Result<Vec<T>> {
    let mut room = Vec::new();
    match room.try_reserve_exact(elements) {
        Ok(()) => Ok(room),
        Err(_) => Err(exhausted(elements.saturating_mul(size_of::<T>()), what)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const R: usize = RESERVE as usize;

    #[test]
    fn guest_and_host_share_one_limit() {
        let account = Account::new(Some(100));
        assert!(account.grow_guest(60) && !account.grow_guest(41));
        let charge = account.charge(40, Cost::Datatypes).unwrap();
        assert!(!account.grow_guest(1) && account.charge(R + 1, Cost::Datatypes).is_err());
        drop(charge);
        assert_eq!((account.used(), account.free()), (60, 40 + RESERVE));
        assert!(account.grow_guest(40));
        assert!(account.check(R, Cost::Datatypes).is_ok() && account.check(R + 1, Cost::Datatypes).is_err());
    }

    #[test]
    fn a_full_guest_leaves_the_host_its_reserve() {
        let account = Account::new(Some(100));
        assert!(account.grow_guest(100));
        let _charge = account.charge(R, Cost::Datatypes).unwrap();
        assert!(account.charge(1, Cost::Datatypes).is_err());
        let _last = account.charge_last(LAST as usize, Cost::Datatypes).unwrap();
        assert!(account.charge_last(1, Cost::Datatypes).is_err() && account.free() == 0);
    }

    #[test]
    fn without_a_limit_the_host_has_a_share() {
        let account = Account::new(None);
        let charge = account.charge(4 << 30, Cost::Datatypes).unwrap();
        assert!(account.charge(1, Cost::Datatypes).is_err());
        assert!(account.grow_guest(4 << 30) && !account.grow_guest(1));
        account.enlarge(6 << 30);
        assert!(account.grow_guest(2 << 30) && !account.grow_guest(1));
        account.shrink_guest(2 << 30);
        drop(charge);
        assert!(account.grow_guest(6 << 30) && account.charge(R + 1, Cost::Datatypes).is_err());
    }

    #[test]
    fn numbers_that_overflow_are_refused() {
        let account = Account::new(Some(u64::MAX));
        assert!(account.grow_guest(u64::MAX) && !account.grow_guest(1));
        let account = Account::new(Some(10));
        account.enlarge(u64::MAX);
        assert!(!account.grow_guest(u64::MAX) && account.charge(usize::MAX, Cost::Datatypes).is_err());
        assert_eq!(account.used(), 0);
    }

    #[test]
    fn a_charge_grows_and_shrinks() {
        let account = Account::new(Some(10));
        let mut charge = account.charge(4, Cost::Datatypes).unwrap();
        charge.grow(6 + R, Cost::Datatypes).unwrap();
        assert!(!charge.try_grow(1));
        charge.shrink(3 + R);
        assert_eq!((charge.bytes(), account.used()), (7, 7));
        charge.shrink(100);
        assert_eq!((charge.bytes(), account.used()), (0, 0));
    }

    #[test]
    fn the_words_name_the_limit_and_what_it_was_for() {
        let account = Account::new(Some(3 << 20));
        assert!(account.grow_guest(1));
        let error = account.charge(4 << 20, Cost::Datatypes).unwrap_err();
        assert_eq!(error.class, MPI_ERR_NO_MEM);
        assert_eq!(
            error.text,
            "datatypes need 4194304 more bytes of the host's memory, and the 3 MiB that this rank may have leave it 4194303"
        );
        assert_eq!(room::<u64>(usize::MAX, Cost::Datatypes).unwrap_err().class, MPI_ERR_NO_MEM);
    }

    #[test]
    fn the_most_is_remembered() {
        let account = Account::new(Some(100));
        assert!(account.grow_guest(60));
        let charge = account.charge(30, Cost::Datatypes).unwrap();
        assert_eq!((account.used(), account.held(), account.most()), (90, 30, 90));
        drop(charge);
        // What was refused was never there.
        assert!(!account.grow_guest(50));
        assert_eq!((account.used(), account.held(), account.most()), (60, 0, 90));
        assert!(account.grow_guest(40));
        account.shrink_guest(40);
        assert_eq!((account.used(), account.most()), (60, 100));
    }

    #[test]
    fn charges_end_on_any_thread() {
        let account = Account::new(None);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..1000).for_each(|_| drop(account.charge(10, Cost::Datatypes).unwrap())));
            }
        });
        assert_eq!(account.used(), 0);
    }
}
