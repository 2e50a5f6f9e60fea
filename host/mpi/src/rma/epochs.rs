//! Epochs (MPI-5.0 §12.5): which accesses a rank may make now, by the rules of the embedded engine.
//!
//! A library takes on trust that a target was locked which is unlocked, flushed or accessed: it looks up what it knows of
//! the target, and asserts that it has found it. So each rank knows of its own epochs, target by target.
//!
//! What begins or ends an epoch is a [`Change`], which is made once the library has returned without an error. In the
//! meantime the library may call the program back, and other threads may call: what is being changed can't be changed by
//! them as well, and other targets stay accessible.

use std::cell::{Cell, RefCell};
use std::ffi::c_int;

use rankine_abi::{
    MPI_ERR_ASSERT, MPI_ERR_LOCKTYPE, MPI_ERR_RMA_CONFLICT, MPI_ERR_RMA_SYNC, MPI_LOCK_EXCLUSIVE, MPI_LOCK_SHARED,
    MPI_MODE_NOCHECK, MPI_MODE_NOPRECEDE, MPI_MODE_NOPUT, MPI_MODE_NOSTORE, MPI_MODE_NOSUCCEED, MPI_PROC_NULL,
};
use rankine_guest::Error;

use super::Window;
use crate::Result;
use crate::rank::Rank;

/// The access epoch of this rank in a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Access {
    /// It may access nothing.
    #[default]
    Nothing,
    /// After a fence. As long as it has accessed nothing, another epoch may begin.
    Fence { used: bool },
    /// The targets that it started with.
    Started,
    /// The targets that it has locked.
    Locked,
    /// All of them.
    All,
    /// A call that begins or ends an epoch for several targets is under way.
    Changing,
}

/// Whether this rank's own part is exposed to those whom a post has named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Exposure {
    #[default]
    Concealed,
    Exposed,
    Changing,
}

/// The epochs of this rank in a window. Targets are numbers in the window's group.
#[derive(Debug, Default)]
pub(super) struct Epochs {
    access: Cell<Access>,
    /// The targets that it has locked, in order.
    held: RefCell<Vec<c_int>>,
    /// The targets that calls under way lock and unlock.
    turning: RefCell<Vec<c_int>>,
    /// The targets of [`Access::Started`], in order.
    started: RefCell<Vec<c_int>>,
    exposure: Cell<Exposure>,
}

#[cold]
fn out_of_order(text: impl Into<String>) -> Error {
    Error::new(MPI_ERR_RMA_SYNC, text.into())
}

/// Refuses what is no assertion of a call.
fn check_assert(assert: c_int, allowed: c_int) -> Result<()> {
    match assert & !allowed {
        0 => Ok(()),
        _ => Err(Error::new(MPI_ERR_ASSERT, format!("{assert:#x} is not an assertion of this function"))),
    }
}

impl Epochs {
    fn holds(&self, target: c_int) -> bool {
        self.held.borrow().binary_search(&target).is_ok()
    }

    /// Refuses an access of a target outside of an epoch.
    fn allow(&self, target: c_int) -> Result<()> {
        match self.access.get() {
            Access::All | Access::Fence { used: true } => Ok(()),
            Access::Locked if self.holds(target) => Ok(()),
            Access::Fence { used: false } => {
                self.access.set(Access::Fence { used: true });
                Ok(())
            }
            Access::Started if self.started.borrow().binary_search(&target).is_ok() => Ok(()),
            access => Err(not_allowed(access, target)),
        }
    }

    /// Refuses what belongs to passive targets alone.
    fn check_passive(&self) -> Result<()> {
        match self.access.get() {
            Access::Locked | Access::All => Ok(()),
            _ => Err(out_of_order("the window is not locked")),
        }
    }

    /// Refuses to begin an access epoch inside of another.
    fn check_begin(&self) -> Result<()> {
        match self.access.get() {
            Access::Nothing | Access::Fence { used: false } if self.turning.borrow().is_empty() => Ok(()),
            access => Err(not_over(access)),
        }
    }

    fn check_concealed(&self) -> Result<()> {
        match self.exposure.get() {
            Exposure::Concealed => Ok(()),
            _ => Err(out_of_order("the epoch that MPI_Win_post began in the window has not ended")),
        }
    }

    /// Refuses to end what was not begun by `by`.
    fn check_end(&self, access: Access, by: &str) -> Result<()> {
        if self.access.get() == access {
            return Ok(());
        }
        Err(out_of_order(format!("no {by} began an epoch in the window")))
    }

    fn insert(&self, target: c_int) {
        let mut held = self.held.borrow_mut();
        if let Err(position) = held.binary_search(&target) {
            held.insert(position, target);
        }
    }

    /// After a lock or an unlock: whether any target is locked.
    fn settle(&self) {
        if self.access.get() == Access::Locked && self.held.borrow().is_empty() && self.turning.borrow().is_empty() {
            self.access.set(Access::Nothing);
        }
    }
}

#[cold]
fn not_allowed(access: Access, target: c_int) -> Error {
    out_of_order(match access {
        Access::Locked => format!("rank {target} of the window is accessed, but was not locked"),
        Access::Started => format!("rank {target} of the window is accessed, but MPI_Win_start did not name it"),
        _ => format!("rank {target} of the window is accessed outside of an epoch"),
    })
}

#[cold]
fn not_over(access: Access) -> Error {
    out_of_order(match access {
        Access::Nothing | Access::Fence { used: false } => "a lock of the window is being taken",
        Access::Fence { used: true } => "the window was accessed since the last fence, and no fence has followed",
        Access::Started => "the epoch that MPI_Win_start began in the window has not ended",
        Access::Locked | Access::All => "the window is locked",
        Access::Changing => "another call begins or ends an epoch in the window",
    })
}

/// What becomes of the epochs of a window when the library has done its part. Nothing, if this is dropped before.
pub(crate) struct Change<'r> {
    rank: &'r Rank,
    win: u32,
    what: What,
}

/// See [`Change`].
enum What {
    /// Nothing: the target is nobody.
    Nothing,
    /// This becomes the epoch for all targets, or that one again.
    Access {
        next: Access,
        back: Access,
        started: Vec<c_int>,
    },
    Lock(c_int),
    Unlock(c_int),
    Exposure {
        next: Exposure,
        back: Exposure,
    },
}

impl Change<'_> {
    /// The library has done it.
    pub(crate) fn made(mut self) -> Result<()> {
        let what = std::mem::replace(&mut self.what, What::Nothing);
        self.rank.windows.0.with(self.win, |window| window.epochs.settle_change(what, true));
        Ok(())
    }

    /// The library says whether it is done.
    pub(crate) fn made_if(self, is_done: bool) -> Result<()> {
        if is_done { self.made() } else { Ok(()) }
    }
}

impl Drop for Change<'_> {
    fn drop(&mut self) {
        let what = std::mem::replace(&mut self.what, What::Nothing);
        self.rank.windows.0.with(self.win, |window| window.epochs.settle_change(what, false));
    }
}

impl Epochs {
    fn settle_change(&self, what: What, is_made: bool) {
        match what {
            What::Nothing => {}
            What::Access { next, back, started } => {
                self.access.set(if is_made { next } else { back });
                if is_made {
                    *self.started.borrow_mut() = started;
                }
            }
            What::Lock(target) | What::Unlock(target) => {
                self.turning.borrow_mut().retain(|&other| other != target);
                if matches!(what, What::Lock(_)) == is_made {
                    self.insert(target);
                    self.access.set(Access::Locked);
                }
                self.settle();
            }
            What::Exposure { next, back } => self.exposure.set(if is_made { next } else { back }),
        }
    }

    /// An epoch for several targets begins or ends: meanwhile there is none.
    fn change(&self, next: Access, started: Vec<c_int>) -> What {
        What::Access { next, back: self.access.replace(Access::Changing), started }
    }

    fn expose(&self, next: Exposure) -> What {
        What::Exposure { next, back: self.exposure.replace(Exposure::Changing) }
    }

    fn lock(&self, target: c_int, me: c_int) -> Result<What> {
        match self.access.get() {
            Access::Nothing | Access::Fence { used: false } | Access::Locked => {}
            access => return Err(not_over(access)),
        }
        if self.holds(target) || self.turning.borrow().contains(&target) {
            return Err(out_of_order(format!("rank {target} of the window is locked by this rank already")));
        }
        if target == me {
            self.check_lockable()?;
        }
        self.turning.borrow_mut().push(target);
        Ok(What::Lock(target))
    }

    /// Refuses to lock this rank's own part while it is exposed.
    fn check_lockable(&self) -> Result<()> {
        match self.exposure.get() {
            Exposure::Concealed => Ok(()),
            _ => {
                let text = "this rank's part of the window is in an exposure epoch, in which it must not be locked";
                Err(Error::new(MPI_ERR_RMA_CONFLICT, text))
            }
        }
    }

    fn unlock(&self, target: c_int) -> Result<What> {
        if self.access.get() != Access::Locked || !self.holds(target) {
            return Err(out_of_order(format!("rank {target} of the window is not locked by MPI_Win_lock")));
        }
        self.held.borrow_mut().retain(|&other| other != target);
        self.turning.borrow_mut().push(target);
        Ok(What::Unlock(target))
    }

    fn post(&self, me: c_int) -> Result<What> {
        if let Access::Fence { used: true } = self.access.get() {
            self.check_begin()?;
        }
        if self.exposure.get() != Exposure::Concealed {
            return Err(out_of_order("the window is posted by this rank already"));
        }
        if self.access.get() == Access::All || self.holds(me) || self.turning.borrow().contains(&me) {
            let text = "this rank's part of the window is locked, and must not be exposed meanwhile";
            return Err(Error::new(MPI_ERR_RMA_CONFLICT, text));
        }
        Ok(self.expose(Exposure::Exposed))
    }
}

impl Rank {
    /// Asks the epochs of a window.
    fn epochs<T>(&self, win: u32, ask: impl FnOnce(&Epochs, &Window) -> Result<T>) -> Result<T> {
        let answer = self.windows.0.with(win, |window| ask(&window.epochs, window));
        answer.unwrap_or_else(|| Err(self.windows.0.unknown(win, "win")))
    }

    fn change(&self, win: u32, begin: impl FnOnce(&Epochs, &Window) -> Result<What>) -> Result<Change<'_>> {
        Ok(Change { rank: self, win, what: self.epochs(win, begin)? })
    }

    /// Refuses an access of a target, a rank of the window, outside of an epoch.
    pub(super) fn allow(&self, win: u32, target: c_int) -> Result<()> {
        self.epochs(win, |epochs, _| epochs.allow(target))
    }

    /// Refuses an access with a request outside of an epoch of passive targets. What is wrong with the window or the target is
    /// said behind what is wrong with the origin.
    pub(crate) fn passive(&self, win: u32, target: c_int) -> Result<()> {
        let check = |window: &Window| match usize::try_from(target) {
            Ok(target) if target < window.parts.len() => window.epochs.check_passive(),
            _ => Ok(()),
        };
        self.windows.0.with(win, check).unwrap_or(Ok(()))
    }

    /// `MPI_Win_free`: no epoch has begun and not ended.
    pub(crate) fn without_epochs(&self, win: u32) -> Result<()> {
        self.epochs(win, |epochs, _| epochs.check_begin().and_then(|()| epochs.check_concealed()))
    }

    /// `MPI_Win_fence`
    pub(crate) fn epoch_fence(&self, win: u32, assert: c_int) -> Result<Change<'_>> {
        check_assert(assert, MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED)?;
        let next = if assert & MPI_MODE_NOSUCCEED != 0 { Access::Nothing } else { Access::Fence { used: false } };
        self.change(win, |epochs, _| {
            if !matches!(epochs.access.get(), Access::Fence { .. }) {
                epochs.check_begin()?;
            }
            epochs.check_concealed()?;
            Ok(epochs.change(next, Vec::new()))
        })
    }

    /// `MPI_Win_start`, with these ranks of the window.
    pub(crate) fn epoch_start(&self, win: u32, targets: Vec<c_int>, assert: c_int) -> Result<Change<'_>> {
        check_assert(assert, MPI_MODE_NOCHECK)?;
        self.change(win, |epochs, _| {
            epochs.check_begin()?;
            Ok(epochs.change(Access::Started, targets))
        })
    }

    /// `MPI_Win_complete`
    pub(crate) fn epoch_complete(&self, win: u32) -> Result<Change<'_>> {
        self.change(win, |epochs, _| {
            epochs.check_end(Access::Started, "MPI_Win_start")?;
            Ok(epochs.change(Access::Nothing, Vec::new()))
        })
    }

    /// `MPI_Win_post`
    pub(crate) fn epoch_post(&self, win: u32, assert: c_int) -> Result<Change<'_>> {
        check_assert(assert, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT)?;
        self.change(win, |epochs, window| epochs.post(window.rank))
    }

    /// `MPI_Win_wait`, `MPI_Win_test`
    pub(crate) fn epoch_wait(&self, win: u32) -> Result<Change<'_>> {
        self.change(win, |epochs, _| match epochs.exposure.get() {
            Exposure::Exposed => Ok(epochs.expose(Exposure::Concealed)),
            _ => Err(out_of_order("the window was not posted by this rank")),
        })
    }

    /// `MPI_Win_lock`
    pub(crate) fn epoch_lock(&self, win: u32, lock: c_int, target: c_int, assert: c_int) -> Result<Change<'_>> {
        if ![MPI_LOCK_EXCLUSIVE, MPI_LOCK_SHARED].contains(&lock) {
            let text = format!("lock_type is {lock}, neither MPI_LOCK_EXCLUSIVE nor MPI_LOCK_SHARED");
            return Err(Error::new(MPI_ERR_LOCKTYPE, text));
        }
        self.target_rank(win, target)?;
        self.change(win, |epochs, window| {
            if target == MPI_PROC_NULL {
                return Ok(What::Nothing);
            }
            check_assert(assert, MPI_MODE_NOCHECK)?;
            epochs.lock(target, window.rank)
        })
    }

    /// `MPI_Win_unlock`
    pub(crate) fn epoch_unlock(&self, win: u32, target: c_int) -> Result<Change<'_>> {
        self.target_rank(win, target)?;
        self.change(win, |epochs, _| if target == MPI_PROC_NULL { Ok(What::Nothing) } else { epochs.unlock(target) })
    }

    /// `MPI_Win_lock_all`
    pub(crate) fn epoch_lock_all(&self, win: u32, assert: c_int) -> Result<Change<'_>> {
        check_assert(assert, MPI_MODE_NOCHECK)?;
        self.change(win, |epochs, _| {
            epochs.check_begin()?;
            epochs.check_lockable()?;
            Ok(epochs.change(Access::All, Vec::new()))
        })
    }

    /// `MPI_Win_unlock_all`
    pub(crate) fn epoch_unlock_all(&self, win: u32) -> Result<Change<'_>> {
        self.change(win, |epochs, _| {
            epochs.check_end(Access::All, "MPI_Win_lock_all")?;
            Ok(epochs.change(Access::Nothing, Vec::new()))
        })
    }

    /// `MPI_Win_flush`, `MPI_Win_flush_local`
    pub(crate) fn epoch_flush(&self, win: u32, target: c_int) -> Result<()> {
        self.target_rank(win, target)?;
        if target == MPI_PROC_NULL {
            return Ok(());
        }
        self.epochs(win, |epochs, _| epochs.check_passive().and_then(|()| epochs.allow(target)))
    }

    /// `MPI_Win_flush_all`, `MPI_Win_flush_local_all`
    pub(crate) fn epoch_flush_all(&self, win: u32) -> Result<()> {
        self.epochs(win, |epochs, _| epochs.check_passive())
    }
}
