//! What all ranks of a file read and write together (MPI-5.0 §14.4.2 to §14.4.5).
//!
//! Each rank brings what it wants to move, and the first makes a plan of all of it. Where that does not interleave, every
//! rank moves its own. Where it does, each rank takes a stretch of the file, a *domain*, and moves what lies there in large
//! accesses, for everybody: all memories are in one address space. Then they meet again, and all bytes have arrived. This
//! is the two-phase method of del Rosario, Bordawekar and Choudhary, without its second phase: nothing has to be sent.

use std::ops::Range;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rankine_abi::{
    Addr, Comm, Datatype, File, MPI_ERR_NOT_SAME, MPI_ERR_OTHER, MPI_ERR_PENDING, MPI_SUCCESS, Request, Status,
};

use super::Opened;
use super::access::{Access, Place, Placed, Ready};
use super::agree::elsewhere;
use super::carry::{Direction, WINDOW, carry};
use super::common::Common;
use super::region::Part;
use crate::comm::{Party, Tag};
use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::request;

/// How a collective access is made.
#[derive(Debug)]
pub(super) struct Plan {
    parts: Vec<Part>,
    /// From the first byte of the file to behind the last, if the ranks move each other's bytes.
    merged: Option<Range<u64>>,
    /// How many domains that is cut into.
    domains: u64,
    /// Where a rank has met the end of the file.
    end: AtomicU64,
    /// Why a rank could not move what it had to.
    failed: Mutex<Option<Error>>,
}

impl Plan {
    fn new(parts: Vec<Part>, ranks: usize, apart: bool) -> Plan {
        let merged = if apart { None } else { interleaving(&parts) };
        let length = merged.as_ref().map_or(0, |range| range.end - range.start);
        let domains = length.div_ceil(WINDOW).clamp(1, ranks as u64);
        Plan { parts, merged, domains, end: AtomicU64::new(u64::MAX), failed: Mutex::default() }
    }

    /// The stretch of the file that is a rank's to move.
    fn domain(&self, range: &Range<u64>, rank: u64) -> Option<Range<u64>> {
        let each = (range.end - range.start).div_ceil(self.domains).next_multiple_of(WINDOW);
        let start = range.start.checked_add(each.checked_mul(rank)?)?;
        (rank < self.domains && start < range.end).then(|| start..start.saturating_add(each).min(range.end))
    }

    /// Moves what lies in a domain, and tells the others how it went.
    fn carry(&self, common: &Common, range: Range<u64>, direction: Direction) {
        let parts: Vec<&Part> = self.parts.iter().collect();
        match carry(&*common.stored, &parts, range, direction) {
            Ok(end) => drop(self.end.fetch_min(end, Ordering::SeqCst)),
            Err(error) => drop(self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error)),
        }
    }

    /// How much of a part was moved.
    fn moved(&self, part: &Part) -> Result<u64> {
        match &*self.failed.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error.clone()),
            None => Ok(part.region.moved(self.end.load(Ordering::SeqCst))),
        }
    }
}

/// Where parts lie that interleave.
fn interleaving(parts: &[Part]) -> Option<Range<u64>> {
    if parts.len() < 2 || !parts.iter().all(|part| part.region.ascends()) {
        return None;
    }
    let mut extents: Vec<Range<u64>> = parts.iter().map(|part| part.region.extent()).collect();
    extents.sort_unstable_by_key(|extent| extent.start);
    let interleave = extents.windows(2).any(|pair| pair[1].start < pair[0].end);
    let end = extents.iter().map(|extent| extent.end).max()?;
    interleave.then(|| extents[0].start..end)
}

/// One rank's share of a collective access.
struct Turn {
    file: Rc<Opened>,
    direction: Direction,
    /// Keeps the messages of this access apart.
    number: u32,
    background: bool,
}

impl Turn {
    fn new(file: &Rc<Opened>, direction: Direction, background: bool) -> Turn {
        Turn { file: file.clone(), direction, number: file.comm.next_sequence(), background }
    }

    fn party<'a>(&'a self, r: &'a Rank) -> Party<'a> {
        Party::all(r, &self.file.comm, Tag::nonblocking(self.number))
    }

    /// Takes part, also with nothing to move: then it helps the others before it fails.
    async fn take(&self, r: &Rank, mine: Result<Placed>) -> Result<Status> {
        let ready = match mine {
            Ok(placed) => placed.ready(r).await,
            Err(error) => Err(error),
        };
        if self.file.comm.size() == 1 {
            let ready = ready?;
            let moved = ready.carry(r, self.background).await;
            return ready.end(r, moved).await;
        }
        let rank = self.file.comm.rank as usize;
        if let Ok(Ready { part, .. }) = &ready
            && part.region.bytes() > 0
            && !self.file.common.is_spread()
        {
            self.file.common.bring(self.number, rank, part.clone());
        }
        let plan = self.plan(r).await?;
        let merged = plan.as_ref().and_then(|plan| Some((plan, plan.merged.as_ref()?)));
        let moved = match (merged, &ready) {
            (Some((plan, range)), _) => {
                self.help(r, plan, range, rank).await?;
                self.meet(r).await?;
                ready.as_ref().map_or(Ok(0), |ready| plan.moved(&ready.part))
            }
            (None, Ok(ready)) => ready.carry(r, self.background).await,
            (None, Err(_)) => Ok(0),
        };
        ready?.end(r, moved).await
    }

    /// What the first rank makes of all that they have brought; nothing where they are on several nodes, whose memories are apart.
    async fn plan(&self, r: &Rank) -> Result<Option<Arc<Plan>>> {
        let (party, common) = (self.party(r), &self.file.common);
        let directions = party.gather([self.direction as i32]).await?;
        let mut words = [MPI_SUCCESS, 0];
        if party.is_first() {
            let ranks = self.file.comm.group.len();
            let parts = common.collect(self.number).into_iter().map(|(_, part)| part).collect();
            words = match directions.iter().position(|direction| *direction != directions[0]) {
                // One rank's bytes would be moved to where another's are to come from.
                Some(rank) => [MPI_ERR_NOT_SAME, rank as i32],
                None if common.is_spread() => [MPI_SUCCESS, 0],
                None => {
                    let plan = Plan::new(parts, ranks, common.is_atomic());
                    [MPI_SUCCESS, common.plans.leave(Arc::new(plan), ranks) as i32]
                }
            };
        }
        match party.broadcast(words).await? {
            [MPI_SUCCESS, 0] => Ok(None),
            [MPI_SUCCESS, ticket] => common.plans.fetch(ticket as u32).map(Some),
            [class, rank] => Err(elsewhere(&self.file.comm, class, rank)),
        }
    }

    /// Moves what lies in this rank's domain.
    async fn help(&self, r: &Rank, plan: &Arc<Plan>, range: &Range<u64>, rank: usize) -> Result<()> {
        let Some(domain) = plan.domain(range, rank as u64) else { return Ok(()) };
        if !self.background {
            plan.carry(&self.file.common, domain, self.direction);
            return Ok(());
        }
        let (plan, common, direction) = (plan.clone(), self.file.common.clone(), self.direction);
        r.beside(r.storage()?, move || plan.carry(&common, domain, direction)).await;
        Ok(())
    }

    /// Waits for all to come here.
    async fn meet(&self, r: &Rank) -> Result<()> {
        let party = self.party(r);
        party.gather([MPI_SUCCESS]).await?;
        party.broadcast([MPI_SUCCESS]).await?;
        Ok(())
    }

    /// Where each rank begins at the shared pointer, in the order of ranks.
    async fn in_order(&self, r: &Rank, etypes: i64) -> Result<i64> {
        let (party, common) = (self.party(r), &self.file.common);
        let words = |number: i64| [number as i32, (number >> 32) as i32];
        let number = |[low, high]: [i32; 2]| i64::from(low as u32) | i64::from(high) << 32;
        let mut places = party.gather(words(etypes)).await?;
        if party.is_first() {
            let mut position = common.pointer_here();
            for place in &mut places {
                let length = number(*place);
                *place = words(position);
                // What lies too far is refused when it is looked at.
                position = position.saturating_add(length);
            }
            common.set_pointer(position);
        }
        Ok(number(party.scatter(places).await?))
    }
}

/// `MPI_File_read_all`, `MPI_File_write_at_all`, … : a collective access that is done when this returns.
pub async fn access_all(
    r: &Rank,
    place: Place,
    direction: Direction,
    fh: File,
    buf: Addr,
    count: i64,
    datatype: Datatype,
) -> Result<Status> {
    let file = r.file(fh)?;
    let mine = Access::new(r, &file, direction, (buf, count, datatype)).and_then(|access| access.at(place));
    Turn::new(&file, direction, false).take(r, mine).await
}

/// `MPI_File_iread_all`, `MPI_File_iwrite_at_all`, … : a collective access that goes on while the rank does.
pub fn iaccess_all(
    r: &Rank,
    place: Place,
    direction: Direction,
    fh: File,
    buf: Addr,
    count: i64,
    datatype: Datatype,
) -> Result<Request> {
    let file = r.file(fh)?;
    let mine = Access::new(r, &file, direction, (buf, count, datatype)).and_then(|access| access.at(place));
    if file.comm.size() == 1 && mine.is_err() {
        return Err(mine.err().expect("it was just seen"));
    }
    file.comm.begin_numbered(|| {
        let turn = Turn::new(&file, direction, true);
        r.begin(Comm::SELF, async move |r: &Rank| turn.take(r, mine).await.map_err(|error| error.or_on(fh)))
    })
}

/// At the shared pointer, in the order of ranks.
async fn ordered(r: &Rank, turns: [Turn; 2], mine: Result<Access>) -> Result<Status> {
    let [order, access] = turns;
    let position = order.in_order(r, mine.as_ref().map_or(0, |mine| mine.etypes)).await?;
    access.take(r, mine.and_then(|mine| mine.at_position(position))).await
}

fn turns(file: &Rc<Opened>, direction: Direction, background: bool) -> [Turn; 2] {
    [(); 2].map(|()| Turn::new(file, direction, background))
}

/// `MPI_File_read_ordered`, `MPI_File_write_ordered`.
pub async fn access_ordered(
    r: &Rank,
    direction: Direction,
    fh: File,
    buf: Addr,
    count: i64,
    datatype: Datatype,
) -> Result<Status> {
    let file = r.file(fh)?;
    ordered(r, turns(&file, direction, false), Access::new(r, &file, direction, (buf, count, datatype))).await
}

/// The functions that begin an access and end it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// `MPI_File_read_at_all_begin`, …
    AtAll,
    /// `MPI_File_read_all_begin`, …
    All,
    /// `MPI_File_read_ordered_begin`, …
    Ordered,
}

/// An access that was begun: how, and what goes on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begun {
    kind: (Split, Direction),
    request: Request,
}

impl Opened {
    /// Refuses a second access of this kind, of which a file has one at a time (§14.4.5).
    pub(super) fn check_no_split(&self) -> Result<()> {
        match self.split.get() {
            None => Ok(()),
            Some(_) => {
                let text = format!("an access of {} that was begun has not been ended", self.title());
                Err(Error::new(MPI_ERR_PENDING, text))
            }
        }
    }
}

/// `MPI_File_read_all_begin`, `MPI_File_write_at_all_begin`, …
pub async fn begin_all(
    r: &Rank,
    place: Place,
    direction: Direction,
    fh: File,
    buf: Addr,
    count: i64,
    datatype: Datatype,
) -> Result<()> {
    let file = r.file(fh)?;
    file.check_no_split()?;
    let request = iaccess_all(r, place, direction, fh, buf, count, datatype)?;
    let split = if let Place::At(_) = place { Split::AtAll } else { Split::All };
    file.split.set(Some(Begun { kind: (split, direction), request }));
    Ok(())
}

/// `MPI_File_read_ordered_begin`, `MPI_File_write_ordered_begin`.
pub async fn begin_ordered(
    r: &Rank,
    direction: Direction,
    fh: File,
    buf: Addr,
    count: i64,
    datatype: Datatype,
) -> Result<()> {
    let file = r.file(fh)?;
    file.check_no_split()?;
    let mine = Access::new(r, &file, direction, (buf, count, datatype));
    let request = file.comm.begin_numbered(|| {
        let turns = turns(&file, direction, true);
        r.begin(Comm::SELF, async move |r: &Rank| ordered(r, turns, mine).await.map_err(|error| error.or_on(fh)))
    })?;
    file.split.set(Some(Begun { kind: (Split::Ordered, direction), request }));
    Ok(())
}

/// `MPI_File_read_all_end`, `MPI_File_write_ordered_end`, …
pub async fn end_split(r: &Rank, split: Split, direction: Direction, fh: File, _buf: Addr) -> Result<Status> {
    let file = r.file(fh)?;
    let begun = file.split.get().filter(|begun| begun.kind == (split, direction));
    let Some(Begun { request, .. }) = begun else {
        return Err(Error::new(MPI_ERR_OTHER, format!("no such access of {} was begun", file.title())));
    };
    file.split.set(None);
    let completed = request::wait(r, request).await?;
    match completed.error {
        None => Ok(completed.status),
        Some(error) => Err(error),
    }
}
