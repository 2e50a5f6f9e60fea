//! Completing requests: handles and statuses are stored whether or not an operation failed, the error is raised after
//! that.

use std::ops::ControlFlow::{self, Break, Continue};

use rankine_abi::{Addr, MPI_UNDEFINED, Request, Status};
use rankine_guest::Result;
use rankine_local::Rank;
use rankine_local::request::{self, Completed, FEW, Found, in_status};
use smallvec::SmallVec;

use crate::engine::local::shim;

const REQUESTS: &str = "array_of_requests";
const STATUSES: &str = "array_of_statuses";

/// Stores a status: of a request that was null or inactive all of the empty one, of others not `MPI_ERROR`.
#[inline]
fn put_status(r: &Rank, at: Addr, completed: &Completed, what: &str) -> Result<()> {
    if completed.is_nothing {
        return put_empty(r, at, what);
    }
    shim::put_status(r, at, &completed.status, what)
}

/// Stores the empty status, unless it is ignored.
#[cold]
fn put_empty(r: &Rank, at: Addr, what: &str) -> Result<()> {
    if at.is_null() { Ok(()) } else { shim::put_whole_status(r, at, &Status::EMPTY, what) }
}

/// Stores the handle and status of one complete request, then raises its error.
fn put_one(r: &Rank, handle: Addr, status: Addr, completed: &Completed) -> Result<()> {
    shim::put_handle(r, handle, completed.request, "request")?;
    put_status(r, status, completed, "status")?;
    completed.error.clone().map_or(Ok(()), Err)
}

/// Stores what completing several requests gave: handles at their index, statuses one after the other. Raises
/// `MPI_ERR_IN_STATUS` if any failed.
fn put_several(r: &Rank, requests: Addr, statuses: Addr, completed: &[Completed]) -> Result<()> {
    let error = in_status(completed);
    for (position, one) in completed.iter().enumerate() {
        shim::put_handle(r, element(requests, one.index, r.memory().word()), one.request, REQUESTS)?;
        if !statuses.is_null() {
            let at = element(statuses, position, Status::SIZE.into());
            match error {
                Some(_) => shim::put_whole_status(r, at, &Status { error: one.class(), ..one.status }, STATUSES)?,
                None => put_status(r, at, one, STATUSES)?,
            }
        }
    }
    error.map_or(Ok(()), Err)
}

/// The address of an element of an array.
fn element(array: Addr, index: usize, size: u64) -> Addr {
    array.plus(index as u64 * size)
}

fn put_indices(r: &Rank, outcount: Addr, indices: Addr, completed: &[Completed]) -> Result<()> {
    let values: Vec<i32> = completed.iter().map(|one| one.index as i32).collect();
    shim::put_ints(r, indices, &values, "array_of_indices")?;
    shim::put_int(r, outcount, values.len() as i32, "outcount")
}

/// `MPI_Wait` as far as it comes without waiting; else the rest of it.
#[inline(always)]
pub(crate) fn wait_at_once(
    r: &Rank,
    request: Addr,
    status: Addr,
) -> Result<ControlFlow<(), impl Future<Output = Result<()>>>> {
    match request::wait_at_once(r, shim::get_handle(r, request, "request")?)? {
        Break(completed) => put_one(r, request, status, &completed).map(Break),
        Continue(rest) => Ok(Continue(async move { put_one(r, request, status, &rest.await) })),
    }
}

/// `MPI_Test`
pub(crate) async fn test(r: &Rank, request: Addr, flag: Addr, status: Addr) -> Result<()> {
    let completed = request::test(r, shim::get_handle(r, request, "request")?).await?;
    shim::put_flag(r, flag, completed.is_some(), "flag")?;
    completed.map_or(Ok(()), |completed| put_one(r, request, status, &completed))
}

/// Stores what completing any of several requests gave.
fn put_any(r: &Rank, requests: Addr, index: Addr, status: Addr, completed: Option<&Completed>) -> Result<()> {
    match completed {
        Some(one) => {
            shim::put_int(r, index, one.index as i32, "index")?;
            put_one(r, element(requests, one.index, r.memory().word()), status, one)
        }
        None => {
            shim::put_int(r, index, MPI_UNDEFINED, "index")?;
            put_empty(r, status, "status")
        }
    }
}

/// `MPI_Waitany`
pub(crate) async fn waitany(r: &Rank, count: i32, requests: Addr, index: Addr, status: Addr) -> Result<()> {
    let list: Vec<Request> = shim::handles(r, requests, count.into(), REQUESTS)?;
    let completed = request::waitany(r, &list).await?;
    put_any(r, requests, index, status, completed.as_ref())
}

/// `MPI_Testany`
pub(crate) async fn testany(r: &Rank, count: i32, requests: Addr, index: Addr, flag: Addr, status: Addr) -> Result<()> {
    let list: Vec<Request> = shim::handles(r, requests, count.into(), REQUESTS)?;
    let found = request::testany(r, &list).await?;
    shim::put_flag(r, flag, !matches!(found, Found::Pending), "flag")?;
    match found {
        Found::Pending => shim::put_int(r, index, MPI_UNDEFINED, "index"),
        Found::Nothing => put_any(r, requests, index, status, None),
        Found::Complete(one) => put_any(r, requests, index, status, Some(&one)),
    }
}

/// `MPI_Waitall` as far as it comes without waiting, where there are few requests; else all of it.
pub(crate) fn waitall_at_once(
    r: &Rank,
    count: i32,
    requests: Addr,
    statuses: Addr,
) -> Result<ControlFlow<(), impl Future<Output = Result<()>>>> {
    let list = few_handles(r, requests, count)?;
    let mut put = Ok(());
    let each = |one: &Completed| {
        let earlier = std::mem::replace(&mut put, Ok(()));
        put = earlier.and(put_element(r, requests, statuses, one));
    };
    if request::waitall_at_once(r, &list, each) {
        return put.map(Break);
    }
    Ok(Continue(async move {
        let completed = request::waitall(r, &list).await?;
        put_several(r, requests, statuses, &completed)
    }))
}

/// The requests of an array, which take no memory of their own where they are few.
fn few_handles(r: &Rank, requests: Addr, count: i32) -> Result<SmallVec<[Request; FEW]>> {
    if !usize::try_from(count).is_ok_and(|count| count <= FEW) {
        return Ok(shim::handles(r, requests, count.into(), REQUESTS)?.into());
    }
    let word = r.memory().word();
    (0..count as usize).map(|index| shim::get_handle(r, element(requests, index, word), REQUESTS)).collect()
}

/// Stores the handle and status of a request that did not fail at its place in the arrays.
fn put_element(r: &Rank, requests: Addr, statuses: Addr, one: &Completed) -> Result<()> {
    shim::put_handle(r, element(requests, one.index, r.memory().word()), one.request, REQUESTS)?;
    if statuses.is_null() {
        return Ok(());
    }
    put_status(r, element(statuses, one.index, Status::SIZE.into()), one, STATUSES)
}

/// `MPI_Testall`
pub(crate) async fn testall(r: &Rank, count: i32, requests: Addr, flag: Addr, statuses: Addr) -> Result<()> {
    let list: Vec<Request> = shim::handles(r, requests, count.into(), REQUESTS)?;
    let completed = request::testall(r, &list).await?;
    shim::put_flag(r, flag, completed.is_some(), "flag")?;
    completed.map_or(Ok(()), |completed| put_several(r, requests, statuses, &completed))
}

/// Stores what completing some requests gave; nothing if none was active.
fn put_some(
    r: &Rank,
    requests: Addr,
    outcount: Addr,
    indices: Addr,
    statuses: Addr,
    completed: Option<&[Completed]>,
) -> Result<()> {
    match completed {
        None => shim::put_int(r, outcount, MPI_UNDEFINED, "outcount"),
        Some(completed) => {
            put_indices(r, outcount, indices, completed)?;
            put_several(r, requests, statuses, completed)
        }
    }
}

/// `MPI_Waitsome`
pub(crate) async fn waitsome(
    r: &Rank,
    incount: i32,
    requests: Addr,
    outcount: Addr,
    indices: Addr,
    statuses: Addr,
) -> Result<()> {
    let list: Vec<Request> = shim::handles(r, requests, incount.into(), REQUESTS)?;
    let completed = request::waitsome(r, &list).await?;
    put_some(r, requests, outcount, indices, statuses, completed.as_deref())
}

/// `MPI_Testsome`
pub(crate) async fn testsome(
    r: &Rank,
    incount: i32,
    requests: Addr,
    outcount: Addr,
    indices: Addr,
    statuses: Addr,
) -> Result<()> {
    let list: Vec<Request> = shim::handles(r, requests, incount.into(), REQUESTS)?;
    let completed = request::testsome(r, &list).await?;
    put_some(r, requests, outcount, indices, statuses, completed.as_deref())
}

/// `MPI_Request_get_status`
pub(crate) async fn request_get_status(r: &Rank, request: u32, flag: Addr, status: Addr) -> Result<()> {
    let found = request::request_get_status(r, Request(request)).await?;
    shim::put_flag(r, flag, found.is_some(), "flag")?;
    found.map_or(Ok(()), |one| put_status(r, status, &one, "status"))
}

/// `MPI_Request_get_status_any`
pub(crate) async fn request_get_status_any(
    r: &Rank,
    count: i32,
    requests: Addr,
    index: Addr,
    flag: Addr,
    status: Addr,
) -> Result<()> {
    let list: Vec<Request> = shim::handles(r, requests, count.into(), REQUESTS)?;
    let found = request::request_get_status_any(r, &list).await?;
    shim::put_flag(r, flag, !matches!(found, Found::Pending), "flag")?;
    match &found {
        Found::Pending => shim::put_int(r, index, MPI_UNDEFINED, "index"),
        Found::Nothing => {
            shim::put_int(r, index, MPI_UNDEFINED, "index")?;
            put_empty(r, status, "status")
        }
        Found::Complete(one) => {
            shim::put_int(r, index, one.index as i32, "index")?;
            put_status(r, status, one, "status")
        }
    }
}

/// Stores the statuses of requests that stay as they are.
fn put_looks(r: &Rank, statuses: Addr, completed: &[Completed]) -> Result<()> {
    if statuses.is_null() {
        return Ok(());
    }
    for (position, one) in completed.iter().enumerate() {
        put_status(r, element(statuses, position, Status::SIZE.into()), one, STATUSES)?;
    }
    Ok(())
}

/// `MPI_Request_get_status_all`
pub(crate) async fn request_get_status_all(
    r: &Rank,
    count: i32,
    requests: Addr,
    flag: Addr,
    statuses: Addr,
) -> Result<()> {
    let list: Vec<Request> = shim::handles(r, requests, count.into(), REQUESTS)?;
    let found = request::request_get_status_all(r, &list).await?;
    shim::put_flag(r, flag, found.is_some(), "flag")?;
    found.map_or(Ok(()), |found| put_looks(r, statuses, &found))
}

/// `MPI_Request_get_status_some`
pub(crate) async fn request_get_status_some(
    r: &Rank,
    incount: i32,
    requests: Addr,
    outcount: Addr,
    indices: Addr,
    statuses: Addr,
) -> Result<()> {
    let list: Vec<Request> = shim::handles(r, requests, incount.into(), REQUESTS)?;
    match request::request_get_status_some(r, &list).await? {
        None => shim::put_int(r, outcount, MPI_UNDEFINED, "outcount"),
        Some(found) => {
            put_indices(r, outcount, indices, &found)?;
            put_looks(r, statuses, &found)
        }
    }
}

/// `MPI_Startall`
pub(crate) fn startall(r: &Rank, count: i32, requests: Addr) -> Result<()> {
    let list: Vec<Request> = shim::handles(r, requests, count.into(), REQUESTS)?;
    let after = rankine_local::request::startall(r, &list)?;
    shim::put_handles(r, requests, &after, REQUESTS)
}

/// `MPI_Pready_list`
pub(crate) fn pready_list(r: &Rank, length: i32, partitions: Addr, request: u32) -> Result<()> {
    let list = shim::ints(r, partitions, length.into(), "array_of_partitions")?;
    rankine_local::pt2pt::pready_list(r, &list, Request(request))
}
