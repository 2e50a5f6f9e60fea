//! Epochs (MPI-5.0 §12.5): which accesses a rank may make now. Fences and passive targets here, the rest in `active`.
//!
//! Accesses on this node are done when their calls return, so completing them is no more than a fence of the processor: what
//! the rank does next is not seen before what it has done. Those of parts on other nodes are waited for (`far`).

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow::{self, Break, Continue};
use std::rc::Rc;

use rankine_abi::{
    MPI_ERR_ASSERT, MPI_ERR_LOCKTYPE, MPI_ERR_RMA_CONFLICT, MPI_ERR_RMA_SYNC, MPI_LOCK_EXCLUSIVE, MPI_LOCK_SHARED,
    MPI_MODE_NOCHECK, MPI_MODE_NOPRECEDE, MPI_MODE_NOPUT, MPI_MODE_NOSTORE, MPI_MODE_NOSUCCEED, Win,
};
use smallvec::SmallVec;

use super::Window;
use super::access::Near;
use super::lock::{Lock, Taken, Ticket};
use super::waits::Wait;
use crate::drive::yield_now;
use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::sync::{Ordering, fence};
use crate::world::World;

/// The access epoch of a rank in a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Access {
    /// It may access nothing.
    #[default]
    Nothing,
    /// After a fence. As long as it has accessed nothing, another epoch may begin.
    Fence { used: bool },
    /// It waits for the targets that it starts with.
    Starting,
    /// The targets that it started with.
    Started,
    /// The targets that it has locked.
    Locked,
    /// All of them, with locks that are shared, unless it was promised that nobody holds another.
    All { checked: bool },
}

/// A target that this rank has locked.
#[derive(Clone, Copy, Debug)]
struct Held {
    target: usize,
    exclusive: bool,
    /// It was not promised that nobody holds a lock that conflicts.
    checked: bool,
}

/// The epochs of a rank in a window.
#[derive(Debug, Default)]
pub(super) struct Epochs {
    access: Cell<Access>,
    /// The target that was accessed last, as long as it may be accessed.
    pub(super) near: Cell<Near>,
    /// In order of targets.
    held: RefCell<SmallVec<[Held; 4]>>,
    /// A call waits for a lock.
    locking: Cell<bool>,
    /// The targets of [`Access::Started`] and [`Access::Starting`], in order.
    pub(super) started: RefCell<Vec<i32>>,
    /// The origins that its own part is exposed to; nothing outside of an exposure epoch.
    pub(super) exposed: Cell<Option<u32>>,
}

impl Epochs {
    #[inline]
    pub(super) fn access(&self) -> Access {
        self.access.get()
    }

    /// Another epoch begins, in which other targets may be accessed.
    pub(super) fn enter(&self, access: Access) {
        self.access.set(access);
        self.near.set(Near::default());
    }
}

#[cold]
pub(super) fn out_of_order(text: impl Into<String>) -> Error {
    Error::new(MPI_ERR_RMA_SYNC, text.into())
}

/// Refuses what is no assertion of a call.
pub(super) fn check_assert(assert: i32, allowed: i32) -> Result<()> {
    match assert & !allowed {
        0 => Ok(()),
        _ => Err(Error::new(MPI_ERR_ASSERT, format!("{assert:#x} is not an assertion of this function"))),
    }
}

/// All that was done before is seen before what is done after.
#[inline]
pub(super) fn complete_accesses() {
    fence(Ordering::SeqCst);
}

impl Window {
    /// Refuses an access of a target outside of an epoch.
    #[inline]
    pub(super) fn allow(&self, target: usize) -> Result<()> {
        match self.epochs.access() {
            Access::All { .. } | Access::Fence { used: true } => Ok(()),
            Access::Locked if self.held(target).is_some() => Ok(()),
            Access::Fence { used: false } => {
                self.epochs.access.set(Access::Fence { used: true });
                Ok(())
            }
            Access::Started if self.epochs.started.borrow().binary_search(&(target as i32)).is_ok() => Ok(()),
            access => Err(self.not_allowed(access, target)),
        }
    }

    #[cold]
    fn not_allowed(&self, access: Access, target: usize) -> Error {
        let (target, title) = (self.common.member(target).rank, self.title());
        out_of_order(match access {
            Access::Locked => format!("{title} of rank {target} is accessed, but was not locked"),
            Access::Started => format!("{title} of rank {target} is accessed, but MPI_Win_start did not name the rank"),
            _ => format!("{title} of rank {target} is accessed outside of an epoch"),
        })
    }

    fn held(&self, target: usize) -> Option<Held> {
        let held = self.epochs.held.borrow();
        held.binary_search_by_key(&target, |held| held.target).ok().map(|position| held[position])
    }

    /// Whether nobody else may access a target's part now.
    pub(super) fn is_alone(&self, target: usize) -> bool {
        self.epochs.access() == Access::Locked && self.held(target).is_some_and(|held| held.exclusive && held.checked)
    }

    /// Refuses what belongs to passive targets alone.
    #[inline]
    pub(super) fn check_passive(&self) -> Result<()> {
        match self.epochs.access() {
            Access::Locked | Access::All { .. } => Ok(()),
            _ => Err(self.not_locked()),
        }
    }

    #[cold]
    fn not_locked(&self) -> Error {
        out_of_order(format!("{} is not locked", self.title()))
    }

    /// Refuses to begin an access epoch inside of another.
    pub(super) fn check_begin(&self) -> Result<()> {
        match self.epochs.access() {
            Access::Nothing | Access::Fence { used: false } if !self.epochs.locking.get() => Ok(()),
            access => Err(self.not_over(access)),
        }
    }

    #[cold]
    fn not_over(&self, access: Access) -> Error {
        let title = self.title();
        out_of_order(match access {
            Access::Nothing | Access::Fence { used: false } => format!("the rank waits for a lock of {title}"),
            Access::Fence { used: true } => {
                format!("{title} was accessed since the last fence, and no fence has followed")
            }
            Access::Starting | Access::Started => {
                format!("the epoch that MPI_Win_start began in {title} has not ended")
            }
            Access::Locked | Access::All { .. } => format!("{title} is locked"),
        })
    }

    /// Refuses to free a window in which an epoch has not ended.
    pub(super) fn check_idle(&self) -> Result<()> {
        self.check_begin()?;
        self.check_concealed()
    }

    fn check_concealed(&self) -> Result<()> {
        match self.epochs.exposed.get() {
            None => Ok(()),
            Some(_) => {
                Err(out_of_order(format!("the epoch that MPI_Win_post began in {} has not ended", self.title())))
            }
        }
    }
}

/// `MPI_Win_fence`
pub async fn win_fence(r: &Rank, assert: i32, win: Win) -> Result<()> {
    let window = r.window(win)?;
    check_assert(assert, MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED)?;
    if !matches!(window.epochs.access(), Access::Fence { .. }) {
        window.check_begin()?;
    }
    window.check_concealed()?;
    complete_accesses();
    // The others wait for this rank whatever has become of its accesses.
    let settled = r.complete_far(&window).await;
    r.meet(&window).await?;
    window.epochs.enter(if assert & MPI_MODE_NOSUCCEED != 0 { Access::Nothing } else { Access::Fence { used: false } });
    settled
}

/// A place in the queue of a lock, which is given up when this is dropped.
struct Queued<'a> {
    world: &'a World,
    lock: &'a Lock,
    ticket: Option<std::sync::Arc<Ticket>>,
    window: &'a Window,
}

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        self.window.epochs.locking.set(false);
        if let Some(ticket) = &self.ticket {
            self.lock.withdraw(ticket, |rank| self.window.tell(self.world, rank));
        }
    }
}

impl Window {
    /// Tells a world rank of the window that it has a lock.
    fn tell(&self, world: &World, rank: u32) {
        if let Some(member) = self.group.find(rank) {
            self.common.tell(world, member as usize);
        }
    }
}

impl Rank {
    fn release_lock(&self, window: &Window, target: usize, exclusive: bool) {
        let member = window.common.member(target);
        if member.elsewhere.is_some() {
            return self.unlock_elsewhere(window, target, exclusive);
        }
        member.lock.release(exclusive, |rank| window.tell(self.world(), rank));
    }

    /// Takes the lock of a target's part.
    async fn take_lock(&self, window: &Rc<Window>, target: usize, exclusive: bool) -> Result<()> {
        let member = window.common.member(target);
        if member.elsewhere.is_some() {
            window.epochs.locking.set(true);
            let _place = Queued { world: self.world(), lock: &member.lock, ticket: None, window };
            return self.lock_elsewhere(window, target, exclusive).await;
        }
        match member.lock.take(self.me(), exclusive) {
            Taken::Yes => Ok(()),
            Taken::Later(ticket) => {
                window.epochs.locking.set(true);
                let queued = Some(ticket.clone());
                let mut place = Queued { world: self.world(), lock: &member.lock, ticket: queued, window };
                self.wait_in(window, Wait::Lock(target), || ticket.is_granted()).await;
                place.ticket = None;
                Ok(())
            }
            Taken::Refused => {
                let (rank, title) = (member.rank, window.title());
                let text = format!("{title} of rank {rank} is in an exposure epoch, in which it must not be locked");
                Err(Error::new(MPI_ERR_RMA_CONFLICT, text))
            }
        }
    }
}

impl Window {
    /// Takes the lock of a target's part, if nothing is wrong and nobody has it.
    #[inline]
    fn lock_free(&self, r: &Rank, lock_type: i32, rank: i32, assert: i32) -> Option<()> {
        let target = usize::try_from(rank).ok().filter(|&target| target < self.common.size())?;
        let (member, exclusive) = (self.common.member(target), lock_type == MPI_LOCK_EXCLUSIVE);
        let begins = match self.epochs.access() {
            Access::Nothing | Access::Fence { used: false } => true,
            Access::Locked => self.held(target).is_none(),
            _ => false,
        };
        let is_right = (exclusive || lock_type == MPI_LOCK_SHARED) && assert & !MPI_MODE_NOCHECK == 0;
        if !begins || !is_right || self.epochs.locking.get() || member.elsewhere.is_some() {
            return None;
        }
        let checked = assert & MPI_MODE_NOCHECK == 0;
        if checked && !member.lock.take_free(r.me(), exclusive) {
            return None;
        }
        self.hold(Held { target, exclusive, checked });
        Some(())
    }

    /// Another target is locked.
    fn hold(&self, more: Held) {
        let mut held = self.epochs.held.borrow_mut();
        let position = held.partition_point(|held| held.target < more.target);
        held.insert(position, more);
        self.epochs.enter(Access::Locked);
    }

    /// Gives a lock back, if this rank has it and nothing is to be waited for.
    #[inline]
    fn unlock_done(&self, r: &Rank, rank: i32) -> Option<()> {
        let target = usize::try_from(rank).ok()?;
        let held = self.held(target).filter(|_| self.epochs.access() == Access::Locked && !self.far.is_open())?;
        self.release(r, held);
        Some(())
    }

    /// A target is no longer locked: all accesses are done.
    fn release(&self, r: &Rank, Held { target, exclusive, checked }: Held) {
        let mut held = self.epochs.held.borrow_mut();
        held.retain(|other| other.target != target);
        self.epochs.enter(if held.is_empty() { Access::Nothing } else { Access::Locked });
        drop(held);
        complete_accesses();
        if checked {
            r.release_lock(self, target, exclusive);
        }
    }
}

/// `MPI_Win_lock`
pub fn win_lock_at_once(
    r: &Rank,
    lock_type: i32,
    rank: i32,
    assert: i32,
    win: Win,
) -> Result<ControlFlow<(), impl Future<Output = Result<()>>>> {
    Ok(match r.with_window(win, |window| Ok(window.lock_free(r, lock_type, rank, assert)))? {
        Some(()) => Break(()),
        // What is rarely awaited has a box of its own, so that the rest is small.
        None => Continue(async move { Box::pin(win_lock(r, lock_type, rank, assert, win)).await }),
    })
}

/// `MPI_Win_unlock`
pub fn win_unlock_at_once(r: &Rank, rank: i32, win: Win) -> Result<ControlFlow<(), impl Future<Output = Result<()>>>> {
    let is_done = r.with_window(win, |window| Ok(window.unlock_done(r, rank).is_some()))?;
    if is_done && r.goes_on() {
        return Ok(Break(()));
    }
    Ok(Continue(async move {
        if is_done {
            yield_now(r).await;
            return Ok(());
        }
        Box::pin(win_unlock(r, rank, win)).await
    }))
}

/// `MPI_Win_lock`, for which others may have to be waited.
pub async fn win_lock(r: &Rank, lock_type: i32, rank: i32, assert: i32, win: Win) -> Result<()> {
    let window = r.window(win)?;
    let exclusive = match lock_type {
        MPI_LOCK_EXCLUSIVE => true,
        MPI_LOCK_SHARED => false,
        _ => {
            let text = format!("lock_type is {lock_type}, neither MPI_LOCK_EXCLUSIVE nor MPI_LOCK_SHARED");
            return Err(Error::new(MPI_ERR_LOCKTYPE, text));
        }
    };
    let Some(target) = window.target(rank)? else { return Ok(()) };
    check_assert(assert, MPI_MODE_NOCHECK)?;
    let epochs = &window.epochs;
    if epochs.access() != Access::Locked || epochs.locking.get() {
        window.check_begin()?;
    } else if window.held(target).is_some() {
        let rank = window.common.member(target).rank;
        return Err(out_of_order(format!("{} of rank {rank} is locked by this rank already", window.title())));
    }
    let checked = assert & MPI_MODE_NOCHECK == 0;
    if checked {
        r.take_lock(&window, target, exclusive).await?;
    }
    window.hold(Held { target, exclusive, checked });
    Ok(())
}

/// `MPI_Win_unlock`, for which others may have to be waited.
pub async fn win_unlock(r: &Rank, rank: i32, win: Win) -> Result<()> {
    let window = r.window(win)?;
    let Some(target) = window.target(rank)? else { return Ok(()) };
    let epochs = &window.epochs;
    let held = || match epochs.access() {
        Access::Locked => window.held(target),
        _ => None,
    };
    let settled = if held().is_some() { r.complete_far(&window).await } else { Ok(()) };
    let Some(held) = held() else {
        let rank = window.common.member(target).rank;
        return Err(out_of_order(format!("{} of rank {rank} is not locked by MPI_Win_lock", window.title())));
    };
    window.release(r, held);
    r.take_turns().await;
    settled
}

/// `MPI_Win_lock_all`: the locks of all parts, one after another.
pub async fn win_lock_all(r: &Rank, assert: i32, win: Win) -> Result<()> {
    let window = r.window(win)?;
    check_assert(assert, MPI_MODE_NOCHECK)?;
    window.check_begin()?;
    let checked = assert & MPI_MODE_NOCHECK == 0;
    let targets = if checked { window.common.size() } else { 0 };
    for target in 0..targets {
        if let Err(error) = r.take_lock(&window, target, false).await {
            (0..target).for_each(|target| r.release_lock(&window, target, false));
            return Err(error);
        }
    }
    window.epochs.enter(Access::All { checked });
    Ok(())
}

/// `MPI_Win_unlock_all`
pub async fn win_unlock_all(r: &Rank, win: Win) -> Result<()> {
    let window = r.window(win)?;
    let all = || match window.epochs.access() {
        Access::All { checked } => Some(checked),
        _ => None,
    };
    let settled = if all().is_some() { r.complete_far(&window).await } else { Ok(()) };
    let Some(checked) = all() else {
        return Err(out_of_order(format!("{} is not locked by MPI_Win_lock_all", window.title())));
    };
    window.epochs.enter(Access::Nothing);
    complete_accesses();
    let targets = if checked { window.common.size() } else { 0 };
    (0..targets).for_each(|target| r.release_lock(&window, target, false));
    r.take_turns().await;
    settled
}

/// `MPI_Win_flush`, `MPI_Win_flush_local`
pub fn win_flush_at_once(r: &Rank, rank: i32, win: Win) -> Result<ControlFlow<(), impl Future<Output = Result<()>>>> {
    let is_open = r.with_window(win, |window| {
        if window.is_near(rank) {
            window.check_passive()?;
        } else if let Some(target) = window.target(rank)? {
            window.check_passive()?;
            window.allow(target)?;
        }
        complete_accesses();
        Ok(window.far.is_open())
    })?;
    Ok(r.complete_at_once(win, is_open))
}

/// `MPI_Win_flush_all`, `MPI_Win_flush_local_all`
pub fn win_flush_all_at_once(r: &Rank, win: Win) -> Result<ControlFlow<(), impl Future<Output = Result<()>>>> {
    let is_open = r.with_window(win, |window| window.check_passive().map(|()| window.far.is_open()))?;
    complete_accesses();
    Ok(r.complete_at_once(win, is_open))
}

/// `MPI_Win_sync`: stores and loads of this rank are seen in their order.
pub fn win_sync_at_once(r: &Rank, win: Win) -> Result<ControlFlow<(), impl Future<Output = Result<()>>>> {
    r.with_window(win, |_| Ok(()))?;
    complete_accesses();
    Ok(r.complete_at_once(win, false))
}
