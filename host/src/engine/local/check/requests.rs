//! Which requests a call has completed, and with which statuses.

use rankine_abi::{Addr, Direction, MPI_UNDEFINED, Mark, Meaning, Request, Status};

use super::checked_call::{Call, REQUEST};

/// A request that a call has completed.
pub(super) struct Completed {
    pub(super) request: u32,
    /// Its status, where the program gets one.
    pub(super) status: Option<Status>,
}

/// The requests that a call was passed by their addresses.
pub(super) fn requests(call: &Call<'_>, before: &[(u8, Vec<u32>)]) -> Vec<u32> {
    let ours = before.iter().filter(|(word, _)| call.words[usize::from(*word)].meaning == REQUEST);
    ours.flat_map(|(_, handles)| handles).copied().collect()
}

/// The requests that a call has completed that waits for requests or tests them, of those that it was passed.
pub(super) fn completed(call: &Call<'_>, result: i32, before: &[(u8, Vec<u32>)], statuses: Addr) -> Vec<Completed> {
    let Some((word, given)) = before.first().filter(|_| call.function.is(Mark::Completes)) else { return Vec::new() };
    let after = call.handles((*word).into()).unwrap_or_default();
    let is_gone = |at: usize| after.get(at) == Some(&Request::NULL.0);
    let status = |at: usize| {
        let address = statuses.0.checked_add(u64::from(Status::SIZE).checked_mul(at as u64)?)?;
        (!statuses.is_null()).then(|| call.rank.memory().read_status(Addr(address), "").ok())?
    };
    let one = |at: usize, place: usize| {
        let request = given.get(at).copied().filter(|request| *request != Request::NULL.0)?;
        Some(Completed { request, status: status(place) })
    };
    if result != 0 {
        // Some have failed: what is no more is complete.
        return (0..given.len()).filter(|&at| is_gone(at)).filter_map(|at| one(at, at)).collect();
    }
    found(call, given.len()).into_iter().filter_map(|(at, place)| one(at, place)).collect()
}

/// The requests that a call has seen to be complete, which stay.
pub(super) fn inquired(call: &Call<'_>) -> Vec<u32> {
    let given = match call.meaning(REQUEST) {
        Some(word) if call.name() == "MPI_Request_get_status" => vec![call.int(word) as u32],
        Some(word) if call.name().starts_with("MPI_Request_get_status_") => call.handles(word).unwrap_or_default(),
        _ => return Vec::new(),
    };
    found(call, given.len()).into_iter().filter_map(|(at, _)| given.get(at).copied()).collect()
}

/// Which of so many requests a call that did not fail has found complete: their places among those that it was passed,
/// and among its statuses.
fn found(call: &Call<'_>, given: usize) -> Vec<(usize, usize)> {
    let out = |meaning: Meaning| {
        let word = call.find(|word| word.meaning == meaning && word.direction == Direction::Out)?;
        Some(call.address(word))
    };
    let flag = out(Meaning::Flag).map(|at| call.read(at).unwrap_or(0) != 0);
    if flag == Some(false) {
        return Vec::new();
    }
    let Some(index) = out(Meaning::Index) else { return (0..given).map(|at| (at, at)).collect() };
    let number = |at: i32| usize::try_from(at).ok();
    // Some of them, or any one.
    let count = out(Meaning::Int).map_or(Some(1), |at| call.read(at));
    let count = count.filter(|&count| count != MPI_UNDEFINED).and_then(number).unwrap_or(0).min(given);
    let indices = call.rank.memory().read_i32s(index, count, "").unwrap_or_default();
    let found = indices.into_iter().enumerate().filter(|(_, at)| *at != MPI_UNDEFINED);
    found.filter_map(|(place, at)| Some((number(at)?, place))).collect()
}
