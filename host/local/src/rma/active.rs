//! Active targets by name (MPI-5.0 §12.5.2): a target posts its part to some origins, who start, and complete.

use rankine_abi::{
    Group, MPI_ERR_GROUP, MPI_ERR_RMA_CONFLICT, MPI_MODE_NOCHECK, MPI_MODE_NOPUT, MPI_MODE_NOSTORE, Win,
};

use super::Window;
use super::epochs::{Access, check_assert, complete_accesses, out_of_order};
use super::waits::Wait;
use crate::drive::yield_now;
use crate::error::{Error, Result};
use crate::rank::Rank;

impl Window {
    /// The ranks of a group by their numbers in the window, in order.
    fn members(&self, r: &Rank, group: Group) -> Result<Vec<i32>> {
        let (group, index) = (r.group(group)?, self.group.index());
        let find = |world| {
            let text = || format!("rank {world} of the group is not in {}", self.title());
            index.find(world).ok_or_else(|| Error::new(MPI_ERR_GROUP, text()))
        };
        let mut members: Vec<i32> = group.iter().map(find).collect::<Result<_>>()?;
        members.sort_unstable();
        Ok(members)
    }

    /// The world ranks that this one waits for to post their parts.
    pub(super) fn missing_posts(&self) -> Vec<u32> {
        let started = self.epochs.started.borrow();
        let missing = started.iter().filter(|&&target| !self.mine().is_posted(target));
        missing.filter_map(|&target| self.group.get(target)).collect()
    }

    /// How many origins its own part is exposed to.
    pub(super) fn exposed(&self) -> u32 {
        self.epochs.exposed.get().unwrap_or(0)
    }

    /// The origins that an exposure epoch is for.
    fn exposure(&self) -> Result<u32> {
        self.epochs.exposed.get().ok_or_else(|| out_of_order(format!("{} was not posted by this rank", self.title())))
    }

    /// Ends the exposure epoch.
    fn conceal(&self) {
        self.epochs.exposed.set(None);
        self.mine().lock.conceal();
        complete_accesses();
    }
}

/// `MPI_Win_post`
pub fn win_post(r: &Rank, group: Group, assert: i32, win: Win) -> Result<()> {
    let window = r.window(win)?;
    let origins = window.members(r, group)?;
    check_assert(assert, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT)?;
    if let Access::Fence { used: true } = window.epochs.access() {
        window.check_begin()?;
    }
    if window.epochs.exposed.get().is_some() {
        return Err(out_of_order(format!("{} is posted by this rank already", window.title())));
    }
    if !window.mine().lock.expose() {
        let text = format!("{} of this rank is locked, and must not be exposed meanwhile", window.title());
        return Err(Error::new(MPI_ERR_RMA_CONFLICT, text));
    }
    window.mine().reset_completed();
    window.epochs.exposed.set(Some(origins.len() as u32));
    complete_accesses();
    for origin in origins {
        let member = window.common.member(origin as usize);
        if member.elsewhere.is_some() {
            r.post_elsewhere(&window, origin as usize);
        } else {
            member.post(r.world(), window.rank as i32);
        }
    }
    Ok(())
}

/// `MPI_Win_start`: waits for the targets to post their parts.
pub async fn win_start(r: &Rank, group: Group, assert: i32, win: Win) -> Result<()> {
    let window = r.window(win)?;
    let targets = window.members(r, group)?;
    check_assert(assert, MPI_MODE_NOCHECK)?;
    window.check_begin()?;
    let epochs = &window.epochs;
    epochs.enter(Access::Starting);
    *epochs.started.borrow_mut() = targets.clone();
    r.wait_in(&window, Wait::Posts, || window.mine().take_posts(&targets)).await;
    epochs.enter(Access::Started);
    Ok(())
}

/// `MPI_Win_complete`
pub async fn win_complete(r: &Rank, win: Win) -> Result<()> {
    let window = r.window(win)?;
    let epochs = &window.epochs;
    let is_started = || epochs.access() == Access::Started;
    let settled = if is_started() { r.complete_far(&window).await } else { Ok(()) };
    if !is_started() {
        return Err(out_of_order(format!("no MPI_Win_start began an epoch in {}", window.title())));
    }
    complete_accesses();
    epochs.enter(Access::Nothing);
    for target in epochs.started.take() {
        let member = window.common.member(target as usize);
        if member.elsewhere.is_some() {
            r.complete_elsewhere(&window, target as usize);
        } else {
            member.complete(r.world());
        }
    }
    settled
}

/// `MPI_Win_wait`
pub async fn win_wait(r: &Rank, win: Win) -> Result<()> {
    let window = r.window(win)?;
    let origins = window.exposure()?;
    r.wait_in(&window, Wait::Completion, || window.mine().completed() == origins).await;
    window.conceal();
    Ok(())
}

/// `MPI_Win_test`
pub async fn win_test(r: &Rank, win: Win) -> Result<bool> {
    let window = r.window(win)?;
    let origins = window.exposure()?;
    let is_over = window.mine().completed() == origins;
    if is_over {
        window.conceal();
    } else {
        r.progress();
        yield_now(r).await;
    }
    Ok(is_over)
}
