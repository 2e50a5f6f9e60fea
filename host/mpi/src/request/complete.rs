//! Calls that complete requests, or ask whether they are complete.

use std::collections::HashMap;
use std::ffi::c_int;

use rankine_abi::{Addr, MPI_ERR_IN_STATUS, MPI_SUCCESS, MPI_UNDEFINED, Request};
use rankine_guest::Error;
use smallvec::SmallVec;

use super::{Failed, NULL, Several};
use crate::Result;
use crate::call::words::{Status, StatusesOut};
use crate::generated::symbols;
use crate::rank::Rank;

/// Ends a call on one request: what the library made of the request, and of the status.
fn settle_one(r: &Rank, request: Addr, word: u32, host: usize, code: c_int) -> Result<()> {
    if code != MPI_SUCCESS {
        r.blame(&[word]);
    }
    let mut done = Ok(());
    if host == NULL && word != Request::NULL.0 {
        r.put_handle(request, Request::NULL.0, "request")?;
        done = r.complete(word);
    }
    r.check(code).and(done)
}

/// The outcome of a call that has completed one request of several at most.
fn outcome_of_one(r: &Rank, code: c_int, failed: Option<Failed>) -> Result<()> {
    failed.map_or(Ok(()), |failed| Err(r.blamed(failed))).and(r.check(code))
}

/// The outcome of a call that has completed several requests, of which the guest has the statuses: those of what failed say
/// so, and if there are any, those of the others that they did not (MPI-5.0 §3.7.5).
fn outcome_of_several(
    r: &Rank,
    code: c_int,
    failed: Vec<Failed>,
    statuses: &StatusesOut,
    // The index of each status' request.
    indices: &[u32],
) -> Result<()> {
    if failed.is_empty() || !r.has_statuses(code) {
        return r.check(code);
    }
    let errors: HashMap<usize, c_int> = failed.iter().map(|failed| (failed.index, failed.error.class)).collect();
    for (position, &index) in indices.iter().enumerate() {
        let error = errors.get(&(index as usize)).copied();
        error.into_iter().for_each(|error| r.give_out_code(error));
        match (code, error) {
            (MPI_SUCCESS, error) => statuses.put_error(r, position, error.unwrap_or(MPI_SUCCESS)),
            // What the library says comes first.
            (_, Some(error)) if statuses.error(r, position) == MPI_SUCCESS => statuses.put_error(r, position, error),
            _ => {}
        }
    }
    r.check(code)?;
    let count = failed.len();
    let first = failed.into_iter().min_by_key(|failed| failed.index).expect("it is not empty");
    let text = format!("{count} of {} requests failed; first request {}: {}", indices.len(), first.index, first.error);
    Err(r.blamed(Failed { error: Error::new(MPI_ERR_IN_STATUS, text), ..first }))
}

/// `MPI_Wait`
pub(crate) fn wait(r: &Rank, request: Addr, status: Addr) -> Result<()> {
    let word = r.get_handle(request, "request")?;
    let (mut host, _listing) = r.listed(word)?;
    let mut status = r.completion_out(status, "status")?;
    let call = r.symbol::<symbols::MPI_Wait>()?;
    // SAFETY: a request that no other call has listed, and room for a status.
    let code = unsafe { call(&mut host, status.pointer()) };
    r.put_completion(&status);
    settle_one(r, request, word, host, code)
}

/// `MPI_Test`
pub(crate) fn test(r: &Rank, request: Addr, flag_at: Addr, status: Addr) -> Result<()> {
    let word = r.get_handle(request, "request")?;
    let (mut host, _listing) = r.listed(word)?;
    r.room(flag_at, 4, "flag")?;
    let mut status = r.completion_out(status, "status")?;
    let (call, mut flag) = (r.symbol::<symbols::MPI_Test>()?, 0);
    // SAFETY: a request that no other call has listed, a flag on the stack, and room for a status.
    let code = unsafe { call(&mut host, &mut flag, status.pointer()) };
    r.put_int(flag_at, flag, "flag")?;
    if flag != 0 || code != MPI_SUCCESS {
        r.put_completion(&status);
    }
    settle_one(r, request, word, host, code)
}

/// `MPI_Waitany`
pub(crate) fn waitany(r: &Rank, count: i32, list: Addr, index_at: Addr, status: Addr) -> Result<()> {
    let mut requests = r.requests_of(list, count)?;
    r.room(index_at, 4, "index")?;
    let mut status = r.completion_out(status, "status")?;
    let (call, mut index) = (r.symbol::<symbols::MPI_Waitany>()?, MPI_UNDEFINED);
    // SAFETY: as many different requests as the count says, an index on the stack, and room for a status.
    let code = unsafe { call(count, requests.hosts.as_mut_ptr(), &mut index, status.pointer()) };
    if code != MPI_SUCCESS {
        r.blame(requests.one_or_all(index));
    }
    r.put_int(index_at, index, "index")?;
    r.put_completion(&status);
    let failed = r.settle(list, &requests)?;
    outcome_of_one(r, code, failed.into_iter().next())
}

/// `MPI_Testany`
pub(crate) fn testany(r: &Rank, count: i32, list: Addr, index_at: Addr, flag_at: Addr, status: Addr) -> Result<()> {
    let mut requests = r.requests_of(list, count)?;
    r.room(index_at, 4, "index")?;
    r.room(flag_at, 4, "flag")?;
    let mut status = r.completion_out(status, "status")?;
    let (call, mut index, mut flag) = (r.symbol::<symbols::MPI_Testany>()?, MPI_UNDEFINED, 0);
    // SAFETY: as many different requests as the count says, results on the stack, and room for a status.
    let code = unsafe { call(count, requests.hosts.as_mut_ptr(), &mut index, &mut flag, status.pointer()) };
    if code != MPI_SUCCESS {
        r.blame(requests.one_or_all(index));
    }
    r.put_int(index_at, index, "index")?;
    r.put_int(flag_at, flag, "flag")?;
    if flag != 0 || code != MPI_SUCCESS {
        r.put_completion(&status);
    }
    let failed = r.settle(list, &requests)?;
    outcome_of_one(r, code, failed.into_iter().next())
}

/// `MPI_Waitall`
pub(crate) fn waitall(r: &Rank, count: i32, list: Addr, statuses_at: Addr) -> Result<()> {
    let mut requests = r.requests_of(list, count)?;
    let mut statuses = r.statuses_out(statuses_at, i64::from(count), "array_of_statuses")?;
    let call = r.symbol::<symbols::MPI_Waitall>()?;
    r.await_generalised(&requests)?;
    // SAFETY: as many different requests as the count says, and room for as many statuses.
    let code = unsafe { call(count, requests.hosts.as_mut_ptr(), statuses.pointer()) };
    finish_all(r, code, &requests, list, &statuses)
}

/// `MPI_Testall`
pub(crate) fn testall(r: &Rank, count: i32, list: Addr, flag_at: Addr, statuses_at: Addr) -> Result<()> {
    let mut requests = r.requests_of(list, count)?;
    r.room(flag_at, 4, "flag")?;
    let mut statuses = r.statuses_out(statuses_at, i64::from(count), "array_of_statuses")?;
    let (call, mut flag) = (r.symbol::<symbols::MPI_Testall>()?, 0);
    // SAFETY: as many different requests as the count says, a flag on the stack, and room for as many statuses.
    let code = unsafe { call(count, requests.hosts.as_mut_ptr(), &mut flag, statuses.pointer()) };
    r.put_int(flag_at, flag, "flag")?;
    if flag == 0 && code == MPI_SUCCESS {
        // The library has written no statuses.
        let failed = r.settle(list, &requests)?;
        return outcome_of_one(r, code, failed.into_iter().next());
    }
    finish_all(r, code, &requests, list, &statuses)
}

/// The end of a call that completes all of its requests.
fn finish_all(r: &Rank, code: c_int, requests: &Several<'_>, list: Addr, statuses: &StatusesOut) -> Result<()> {
    let count = requests.words.len();
    if r.has_statuses(code) {
        statuses.put(r, count);
    }
    if code != MPI_SUCCESS {
        r.give_out_codes(code, statuses, count);
        let cause = (0..count).find(|&index| statuses.error(r, index) != MPI_SUCCESS);
        r.blame(requests.one_or_all(cause.map_or(MPI_UNDEFINED, |index| index as c_int)));
    }
    let failed = r.settle(list, requests)?;
    let indices: Vec<u32> = if failed.is_empty() { Vec::new() } else { (0..count as u32).collect() };
    outcome_of_several(r, code, failed, statuses, &indices)
}

/// `MPI_Waitsome`
pub(crate) fn waitsome(r: &Rank, count: i32, list: Addr, outcount: Addr, indices: Addr, statuses: Addr) -> Result<()> {
    let call = r.symbol::<symbols::MPI_Waitsome>()?;
    complete_some(r, count, list, outcount, indices, statuses, call)
}

/// `MPI_Testsome`
pub(crate) fn testsome(r: &Rank, count: i32, list: Addr, outcount: Addr, indices: Addr, statuses: Addr) -> Result<()> {
    let call = r.symbol::<symbols::MPI_Testsome>()?;
    complete_some(r, count, list, outcount, indices, statuses, call)
}

/// The type of `MPI_Waitsome` and `MPI_Testsome`.
type CompletesSome = unsafe extern "C" fn(c_int, *mut usize, *mut c_int, *mut c_int, *mut Status) -> c_int;

fn complete_some(
    r: &Rank,
    incount: i32,
    list: Addr,
    outcount: Addr,
    indices_at: Addr,
    statuses_at: Addr,
    call: CompletesSome,
) -> Result<()> {
    let mut requests = r.requests_of(list, incount)?;
    let mut indices = r.short_ints(indices_at, i64::from(incount), "array_of_indices")?;
    let mut statuses = r.statuses_out(statuses_at, i64::from(incount), "array_of_statuses")?;
    r.room(outcount, 4, "outcount")?;
    let mut done = MPI_UNDEFINED;
    let hosts = requests.hosts.as_mut_ptr();
    // SAFETY: as many different requests as the count says, and room for as many indices and statuses.
    let code = unsafe { call(incount, hosts, &mut done, indices.as_mut_ptr().cast(), statuses.pointer()) };
    if code != MPI_SUCCESS {
        r.blame(requests.one_or_all(indices.first().map_or(MPI_UNDEFINED, |&index| index as c_int)));
    }
    r.put_int(outcount, done, "outcount")?;
    let count = usize::try_from(done).unwrap_or(0).min(indices.len());
    if r.has_statuses(code) {
        statuses.put(r, count);
    }
    r.give_out_codes(code, &statuses, count);
    put_indices(r, indices_at, &indices[..count])?;
    let failed = r.settle(list, &requests)?;
    outcome_of_several(r, code, failed, &statuses, &indices[..count])
}

/// `MPI_Request_get_status`
pub(crate) fn request_get_status(r: &Rank, request: u32, flag_at: Addr, status: Addr) -> Result<()> {
    let (host, _listing) = r.listed(request)?;
    r.room(flag_at, 4, "flag")?;
    let mut status = r.completion_out(status, "status")?;
    let (call, mut flag) = (r.symbol::<symbols::MPI_Request_get_status>()?, 0);
    // SAFETY: a request that no other call has listed, a flag on the stack, and room for a status.
    let code = unsafe { call(host, &mut flag, status.pointer()) };
    r.put_int(flag_at, flag, "flag")?;
    if flag != 0 || code != MPI_SUCCESS {
        r.put_completion(&status);
    }
    r.check(code)
}

/// `MPI_Request_get_status_any`
pub(crate) fn request_get_status_any(
    r: &Rank,
    count: i32,
    list: Addr,
    index_at: Addr,
    flag_at: Addr,
    status: Addr,
) -> Result<()> {
    let requests = r.requests_of(list, count)?;
    r.room(index_at, 4, "index")?;
    r.room(flag_at, 4, "flag")?;
    let mut status = r.completion_out(status, "status")?;
    let (call, mut index, mut flag) = (r.symbol::<symbols::MPI_Request_get_status_any>()?, MPI_UNDEFINED, 0);
    // SAFETY: as many different requests as the count says, results on the stack, and room for a status.
    let code = unsafe { call(count, requests.hosts.as_ptr(), &mut index, &mut flag, status.pointer()) };
    r.check(code)?;
    r.put_int(index_at, index, "index")?;
    r.put_int(flag_at, flag, "flag")?;
    if flag != 0 {
        r.put_completion(&status);
    }
    Ok(())
}

/// `MPI_Request_get_status_all`
pub(crate) fn request_get_status_all(r: &Rank, count: i32, list: Addr, flag_at: Addr, statuses_at: Addr) -> Result<()> {
    let requests = r.requests_of(list, count)?;
    r.room(flag_at, 4, "flag")?;
    let mut statuses = r.statuses_out(statuses_at, i64::from(count), "array_of_statuses")?;
    let (call, mut flag) = (r.symbol::<symbols::MPI_Request_get_status_all>()?, 0);
    // SAFETY: as many different requests as the count says, a flag on the stack, and room for as many statuses.
    let code = unsafe { call(count, requests.hosts.as_ptr(), &mut flag, statuses.pointer()) };
    r.check(code)?;
    if flag != 0 {
        statuses.put(r, requests.words.len());
    }
    r.put_int(flag_at, flag, "flag")
}

/// `MPI_Request_get_status_some`
pub(crate) fn request_get_status_some(
    r: &Rank,
    incount: i32,
    list: Addr,
    outcount: Addr,
    indices_at: Addr,
    statuses_at: Addr,
) -> Result<()> {
    let requests = r.requests_of(list, incount)?;
    let mut indices = r.short_ints(indices_at, i64::from(incount), "array_of_indices")?;
    let mut statuses = r.statuses_out(statuses_at, i64::from(incount), "array_of_statuses")?;
    r.room(outcount, 4, "outcount")?;
    let (call, mut done) = (r.symbol::<symbols::MPI_Request_get_status_some>()?, MPI_UNDEFINED);
    let hosts = requests.hosts.as_ptr();
    // SAFETY: as many different requests as the count says, and room for as many indices and statuses.
    let code = unsafe { call(incount, hosts, &mut done, indices.as_mut_ptr().cast(), statuses.pointer()) };
    r.check(code)?;
    r.put_int(outcount, done, "outcount")?;
    let count = usize::try_from(done).unwrap_or(0).min(indices.len());
    statuses.put(r, count);
    put_indices(r, indices_at, &indices[..count])
}

/// Stores indices as the library has written them.
fn put_indices(r: &Rank, at: Addr, indices: &[u32]) -> Result<()> {
    let indices: SmallVec<[c_int; 64]> = indices.iter().map(|&index| index as c_int).collect();
    r.put_ints(at, &indices, "array_of_indices")
}
