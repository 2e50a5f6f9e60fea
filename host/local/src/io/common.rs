//! What the ranks that have opened a file together share: the open file itself, the shared pointer, and what they bring to
//! a collective access.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rankine_abi::MPI_ERR_ARG;

use super::collective::Plan;
use super::home::{Held, Home};
use super::region::Part;
use super::storage::Stored;
use crate::error::{Error, Result};
use crate::shelf::Shelf;

/// What the ranks that opened a file together share.
#[derive(Debug)]
pub(crate) struct Common {
    pub(super) stored: Arc<dyn Stored>,
    /// Ranks of several nodes have opened the file: those of its first rank's share it, and the others have opened it where
    /// they are.
    home: Option<Home>,
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
    pub(super) fn new(stored: Arc<dyn Stored>, pointer: i64, home: Option<Home>) -> Common {
        Common {
            stored,
            home,
            pointer: Mutex::new(pointer),
            atomic: AtomicBool::new(false),
            turn: Mutex::default(),
            plans: Shelf::default(),
            brought: Mutex::default(),
        }
    }

    /// Whether ranks of several nodes have opened it.
    pub(super) fn is_spread(&self) -> bool {
        self.home.is_some()
    }

    pub(super) fn home(&self) -> Option<&Home> {
        self.home.as_ref()
    }

    /// The file's home, if it is another node.
    fn away(&self) -> Option<(&Home, u32)> {
        let home = self.home.as_ref()?;
        Some((home, home.elsewhere?))
    }

    /// Where the shared pointer stands.
    pub(super) fn pointer(&self) -> Result<i64> {
        self.away().map_or_else(|| Ok(self.pointer_here()), |(home, node)| home.pointer(node))
    }

    /// Where it stands if it is here.
    pub(super) fn pointer_here(&self) -> i64 {
        *lock(&self.pointer)
    }

    pub(super) fn set_pointer(&self, position: i64) {
        *lock(&self.pointer) = position;
    }

    /// Moves the shared pointer on; where it stood.
    pub(super) fn advance(&self, by: i64) -> Result<i64> {
        self.away().map_or_else(|| self.advance_here(by), |(home, node)| home.advance(node, by))
    }

    pub(super) fn advance_here(&self, by: i64) -> Result<i64> {
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
    pub(super) fn turn(&self) -> Option<Turn<'_>> {
        self.is_atomic().then(|| match &self.home {
            None => Turn::Here(lock(&self.turn)),
            Some(home) => Turn::OverNodes(home.take()),
        })
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

/// The right to access a file, until it is dropped.
#[expect(dead_code, reason = "they are held")]
pub(super) enum Turn<'a> {
    Here(MutexGuard<'a, ()>),
    OverNodes(Held<'a>),
}

/// A position so many elementary types further on.
pub(super) fn beyond(position: i64, by: i64) -> Result<i64> {
    position.checked_add(by).ok_or_else(too_far)
}

#[cold]
pub(super) fn too_far() -> Error {
    Error::new(MPI_ERR_ARG, "the file pointer would exceed 63 bits")
}
