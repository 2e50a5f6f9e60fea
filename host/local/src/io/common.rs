//! What the ranks that have opened a file together share: the open file itself, the shared pointer, and what they bring to
//! a collective access.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rankine_abi::MPI_ERR_ARG;

use super::collective::Plan;
use super::region::Part;
use super::storage::Stored;
use crate::error::{Error, Result};
use crate::group::Shelf;

/// See the module.
#[derive(Debug)]
pub(crate) struct Common {
    pub(super) stored: Arc<dyn Stored>,
    /// The shared file pointer, in elementary types of the view.
    pointer: Mutex<i64>,
    /// Accesses don't overlap in time.
    atomic: AtomicBool,
    /// Held by whoever accesses a file in atomic mode.
    turn: Mutex<()>,
    /// Plans on their way to the ranks that take part.
    pub(super) plans: Shelf<Arc<Plan>>,
    /// What ranks bring to collective accesses, by the access and by rank.
    brought: Mutex<HashMap<u32, Vec<(usize, Part)>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Common {
    pub(super) fn new(stored: Arc<dyn Stored>, pointer: i64) -> Common {
        Common {
            stored,
            pointer: Mutex::new(pointer),
            atomic: AtomicBool::new(false),
            turn: Mutex::default(),
            plans: Shelf::default(),
            brought: Mutex::default(),
        }
    }

    /// Where the shared pointer stands.
    pub(super) fn pointer(&self) -> i64 {
        *lock(&self.pointer)
    }

    pub(super) fn set_pointer(&self, position: i64) {
        *lock(&self.pointer) = position;
    }

    /// Moves the shared pointer on; where it stood.
    pub(super) fn advance(&self, by: i64) -> Result<i64> {
        let mut pointer = lock(&self.pointer);
        let before = *pointer;
        *pointer = beyond(before, by)?;
        Ok(before)
    }

    pub(super) fn is_atomic(&self) -> bool {
        self.atomic.load(Ordering::SeqCst)
    }

    pub(super) fn set_atomic(&self, atomic: bool) {
        self.atomic.store(atomic, Ordering::SeqCst);
    }

    /// Keeps others from the file, in atomic mode. Nobody waits for anything else meanwhile.
    pub(super) fn turn(&self) -> Option<MutexGuard<'_, ()>> {
        self.is_atomic().then(|| lock(&self.turn))
    }

    /// A rank says what it takes to a collective access.
    pub(super) fn bring(&self, access: u32, rank: usize, part: Part) {
        lock(&self.brought).entry(access).or_default().push((rank, part));
    }

    /// What all ranks have brought, in the order of ranks.
    pub(super) fn collect(&self, access: u32) -> Vec<(usize, Part)> {
        let mut parts = lock(&self.brought).remove(&access).unwrap_or_default();
        parts.sort_unstable_by_key(|(rank, _)| *rank);
        parts
    }
}

/// A position so many elementary types further on.
pub(super) fn beyond(position: i64, by: i64) -> Result<i64> {
    position.checked_add(by).ok_or_else(|| Error::new(MPI_ERR_ARG, "the file pointer would exceed 63 bits"))
}
