//! Moving data between the origin's memory and the target's (MPI-5.0 §12.3.1, §12.3.2, §12.3.5).

use rankine_abi::{Addr, Comm, Datatype, Request, Win};

use super::access::{There, check_fit};
use crate::error::Result;
use crate::events::Event;
use crate::rank::Rank;
use crate::request::Activity;
use crate::span::Span;

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
    r.access(origin_addr, origin_count, origin_datatype, target_rank, there, win, true, |origin, target| {
        check_fit(origin.bytes(), target.bytes())?;
        target.copy_from(origin, origin.bytes());
        Ok(origin.bytes())
    })
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
    r.access(origin_addr, origin_count, origin_datatype, target_rank, there, win, false, |origin, target| {
        check_fit(target.bytes(), origin.bytes())?;
        origin.copy_from(target, target.bytes());
        Ok(target.bytes())
    })
}

impl Rank {
    /// Proves both ends of an access and that it may be made now, and makes it.
    #[inline(always)]
    fn access(
        &self,
        address: Addr,
        count: i64,
        datatype: Datatype,
        target: i32,
        there: There,
        win: Win,
        puts: bool,
        make: impl FnOnce(&Span<'_>, &Span<'_>) -> Result<usize>,
    ) -> Result<()> {
        let window = self.window(win)?;
        let origin = self.span(address, count, datatype)?;
        let Some(target) = window.target(target)? else { return Ok(()) };
        let bytes = if window.common.member(target).elsewhere.is_some() {
            self.move_elsewhere(&window, &origin, (target, there), puts)?
        } else {
            let span = window.span(self, target, there)?;
            window.allow(target)?;
            make(&origin, &span)?
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
