//! Moving data between the origin's memory and the target's (MPI-5.0 §12.3.1, §12.3.2, §12.3.5).

use rankine_abi::{Addr, Comm, Datatype, Request, Win};

use super::access::{Here, There, block, check_fit};
use crate::copy;
use crate::error::Result;
use crate::events::Event;
use crate::rank::Rank;
use crate::request::Activity;

/// `MPI_Put`
pub fn put(
    r: &Rank,
    origin_addr: Addr,
    origin_count: i64,
    origin_datatype: Datatype,
    target_rank: i32,
    target_disp: i64,
    target_count: i64,
    target_datatype: Datatype,
    win: Win,
) -> Result<()> {
    let there = There { disp: target_disp, count: target_count, datatype: target_datatype };
    r.move_bytes((origin_addr, origin_count, origin_datatype), (target_rank, there), win, true)
}

/// `MPI_Get`
pub fn get(
    r: &Rank,
    origin_addr: Addr,
    origin_count: i64,
    origin_datatype: Datatype,
    target_rank: i32,
    target_disp: i64,
    target_count: i64,
    target_datatype: Datatype,
    win: Win,
) -> Result<()> {
    let there = There { disp: target_disp, count: target_count, datatype: target_datatype };
    r.move_bytes((origin_addr, origin_count, origin_datatype), (target_rank, there), win, false)
}

impl Rank {
    /// Puts bytes into a target's part, or gets them.
    #[inline(always)]
    fn move_bytes(&self, here: Here, there: (i32, There), win: Win, puts: bool) -> Result<()> {
        match self.move_block(here, there, win, puts) {
            Some(()) => Ok(()),
            None => self.move_any(here, there, win, puts),
        }
    }

    /// What programs move: as many bytes in one piece on both sides. Where it is something else, or anything is wrong, nothing
    /// is done and `None` is the answer: what is for all accesses comes next, and finds it.
    #[inline(always)]
    fn move_block(
        &self,
        (address, count, datatype): Here,
        (target, there): (i32, There),
        win: Win,
        puts: bool,
    ) -> Option<()> {
        // The own end first: an access that is refused opens no epoch.
        let bytes = block(count, datatype)?;
        let here = self.memory().buffer(address, bytes)?.first();
        if self.world().is_observed() {
            return None;
        }
        let windows = self.windows.table.borrow();
        let (at, length) = windows.get(win.0)?.as_ref()?.reach(target, there)?;
        if length != bytes {
            return None;
        }
        let (to, from) = if puts { (at, here) } else { (here, at) };
        // SAFETY: so many bytes lie in this rank's memory and in the target's part; both memories stay until the job has ended.
        unsafe { copy::copy(to, from, bytes as usize) };
        Some(())
    }

    /// Proves both ends of an access and that it may be made now, and makes it.
    #[inline(never)]
    fn move_any(
        &self,
        (address, count, datatype): Here,
        (target, there): (i32, There),
        win: Win,
        puts: bool,
    ) -> Result<()> {
        let window = self.window(win)?;
        let origin = self.span(address, count, datatype)?;
        let Some(target) = window.target(target)? else { return Ok(()) };
        let bytes = if window.common.member(target).elsewhere.is_some() {
            self.move_elsewhere(&window, &origin, (target, there), puts)?
        } else {
            let span = window.span(self, target, there)?;
            window.allow(target)?;
            let (to, from) = if puts { (&span, &origin) } else { (&origin, &span) };
            check_fit(from.bytes(), to.bytes())?;
            to.copy_from(from, from.bytes());
            from.bytes()
        };
        let to = window.common.member(target).rank as usize;
        self.tell(|| Event::Accessed { by: self.id(), to, bytes });
        Ok(())
    }

    /// Makes an access whose request is complete from the start; what it fetches from elsewhere comes before that.
    pub(super) async fn access_request(
        &self,
        win: Win,
        target: i32,
        make: impl FnOnce() -> Result<()>,
    ) -> Result<Request> {
        self.take_turns().await;
        let window = self.window(win)?;
        // What is wrong with the target is said behind what is wrong with the origin.
        if let Ok(Some(_)) = window.target(target) {
            window.check_passive()?;
        }
        let request = self.new_request(Comm::SELF, Activity::Done)?;
        let made = match make() {
            Ok(()) if window.far.fetches() => self.complete_far(&window).await,
            made => made,
        };
        match made {
            Ok(()) => Ok(request),
            Err(error) => {
                self.discard(request);
                Err(error)
            }
        }
    }
}

/// `MPI_Rput`
pub async fn rput(
    r: &Rank,
    origin_addr: Addr,
    origin_count: i64,
    origin_datatype: Datatype,
    target_rank: i32,
    target_disp: i64,
    target_count: i64,
    target_datatype: Datatype,
    win: Win,
) -> Result<Request> {
    r.access_request(win, target_rank, || {
        let (from, to) = ((origin_addr, origin_count, origin_datatype), (target_disp, target_count, target_datatype));
        put(r, from.0, from.1, from.2, target_rank, to.0, to.1, to.2, win)
    })
    .await
}

/// `MPI_Rget`
pub async fn rget(
    r: &Rank,
    origin_addr: Addr,
    origin_count: i64,
    origin_datatype: Datatype,
    target_rank: i32,
    target_disp: i64,
    target_count: i64,
    target_datatype: Datatype,
    win: Win,
) -> Result<Request> {
    r.access_request(win, target_rank, || {
        let (to, from) = ((origin_addr, origin_count, origin_datatype), (target_disp, target_count, target_datatype));
        get(r, to.0, to.1, to.2, target_rank, from.0, from.1, from.2, win)
    })
    .await
}
