//! What a rank asks its guest, and what it is told; `drive` does the asking.

use std::cell::{Cell, RefCell};

use rankine_guest::{Answer, Callback};
use smallvec::SmallVec;

/// Questions to the guest that are under way. Several futures of a rank may ask, and a callback may lead to another
/// one, so every question has a number.
#[derive(Default)]
pub(crate) struct Questions {
    /// The number of the last one.
    pub(crate) last: Cell<u32>,
    /// What the driver shall run next.
    pub(crate) next: RefCell<Option<(u32, Callback)>>,
    /// What the guest is running: the innermost one last.
    pub(crate) running: RefCell<SmallVec<[u32; 2]>>,
    /// What the guest has said, and to which question.
    pub(crate) answers: RefCell<SmallVec<[(u32, Answer); 2]>>,
    /// How often the rank has said where it waits.
    pub(crate) told: Cell<u32>,
    /// A future found another's question in the way, or has made way for another: poll again.
    pub(crate) refused: Cell<bool>,
}
