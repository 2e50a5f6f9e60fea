//! One-sided communication (MPI-5.0 chapter 12): ranks that reach into each other's memory.
//!
//! All memories are in one address space, so the origin does an access by itself, at once, in the target's memory, while
//! the target computes or sleeps. No message carries data, nobody makes progress for others, and what remains of the
//! chapter is to prove accesses and to know who may access what, when. By the time a call returns its access is done;
//! what ends an epoch or flushes is a fence of the processor, and perhaps a meeting of ranks.
//!
//! | file | subject |
//! |---|---|
//! | `common` | what the ranks of a window share |
//! | `lock`, `stripes` | the locks of a part, and of elements |
//! | `window` | making and freeing windows, names, groups, hints, attributes |
//! | `shared` | memory that all ranks have in theirs |
//! | `dynamic` | memory that is attached later |
//! | `access` | proofs: which bytes of the target an access may touch |
//! | `put_get` | moving |
//! | `accumulate`, `elements` | combining: the calls, and how elements are updated |
//! | `epochs` | which accesses a rank may make now: fences, and passive targets |
//! | `active` | post, start, complete, wait |
//! | `far` | windows of ranks on several nodes |
//! | `waits` | waiting for others, also in words |

mod access;
mod accumulate;
mod active;
mod common;
mod dynamic;
mod elements;
mod epochs;
mod far;
mod lock;
#[cfg(all(test, loom))]
mod models;
mod put_get;
mod shared;
mod stripes;
#[cfg(all(test, not(loom)))]
mod tests;
mod waits;
mod window;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use rankine_abi::{Addr, MPI_ERR_WIN, Win};
use rankine_guest::{Blocks, Callback};

use crate::error::{Error, Result};
use crate::handle::{Class, Table};
use crate::quota::Account;
use crate::rank::Rank;

pub use accumulate::*;
pub use active::*;
pub use dynamic::*;
pub use epochs::*;
pub use far::LONGEST as LONGEST_CALL;
pub(crate) use far::OverNodes;
pub use put_get::*;
pub use shared::{Pages, SharePages};
pub use window::*;

pub(crate) use waits::Wait;

/// Windows on their way to the other ranks that make them.
pub(crate) type Shelf = crate::shelf::Shelf<Arc<common::Common>>;

/// The windows of a rank. `None`: one that is being made.
pub(crate) struct State {
    table: RefCell<Table<Option<Rc<Window>>>>,
    /// Calls that a program may poll with.
    calls: Cell<u32>,
    known: accumulate::Known,
    /// What the guest's allocator gave for them.
    blocks: Blocks,
}

impl State {
    pub(crate) fn new(account: &Arc<Account>) -> Self {
        State {
            table: RefCell::new(Table::new(Class::Win, account, 0)),
            calls: Cell::new(0),
            known: Default::default(),
            blocks: Blocks::default(),
        }
    }
}

impl Rank {
    /// What a window's handle stands for.
    #[inline]
    pub(crate) fn window(&self, win: Win) -> Result<Rc<Window>> {
        match self.windows.table.borrow().get(win.0) {
            Some(Some(window)) => Ok(window.clone()),
            _ => Err(no_window(win)),
        }
    }

    /// Does something with a window, for which nothing is awaited and nobody else is asked.
    #[inline(always)]
    fn with_window<R>(&self, win: Win, act: impl FnOnce(&Window) -> Result<R>) -> Result<R> {
        match self.windows.table.borrow().get(win.0) {
            Some(Some(window)) => act(window),
            _ => Err(no_window(win)),
        }
    }
}

impl Rank {
    /// Gives the guest's allocator back what a window had.
    async fn free_block(&self, block: Addr) {
        self.windows.blocks.release(block);
        self.ask(Callback::Free { address: block }).await;
    }
}

#[cold]
fn no_window(win: Win) -> Error {
    let text = match win {
        Win::NULL => "the window is MPI_WIN_NULL".into(),
        Win(handle) => format!("{handle:#x} is not a window of this rank (freed, or never made)"),
    };
    Error::new(MPI_ERR_WIN, text)
}
