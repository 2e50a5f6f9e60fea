//! Buffers of operations under way: a send's is not to be changed, a receive's not to be touched, until the operation
//! is complete (MPI-5.0 §3.7.2).
//!
//! A send's buffer has the same digest when it is complete as when it was started, or somebody has written there. A
//! receive's has it as long as no message has come for it: so it is looked at by the next call after the one that
//! posted it, and by those that wait for it or test it, if the engine still has it among those without a message. And
//! no two buffers may overlap of which one is written.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher as _};
use std::ops::Range;

use rankine_abi::{Addr, Area, Chapter, Datatype, Direction, MPI_IN_PLACE, Mark, Meaning, Repeats, Request};
use rankine_local::Rank;

use super::checked_call::{Call, Form, Made, REQUEST};
use super::findings::{self, Findings};
use super::requests::{Completed, inquired, requests};

/// Pieces of a buffer that are told apart: beyond that it is not looked at.
const MOST_PIECES: usize = 4096;
/// Bytes that are read at a time.
const READ: usize = 1 << 16;

/// Buffers of operations under way.
#[derive(Default)]
pub(super) struct Buffers {
    ranks: HashMap<u32, OfRank>,
}

#[derive(Default)]
struct OfRank {
    /// By the request that completes the operation.
    pending: HashMap<u32, Vec<Region>>,
    /// Requests whose buffers were not looked at yet.
    fresh: Vec<u32>,
    /// What each start of a persistent request uses.
    persistent: HashMap<u32, Vec<Region>>,
}

/// A buffer.
#[derive(Clone)]
pub(super) struct Region {
    made: Made,
    is_written: bool,
    /// What is looked at of it: it is a send's, or that of a receive.
    has_digest: bool,
    digest: u64,
    /// Addresses, in order.
    pieces: Vec<Range<u64>>,
}

impl Region {
    fn overlaps(&self, other: &Region) -> bool {
        let (mut ours, mut others) = (self.pieces.iter().peekable(), other.pieces.iter().peekable());
        while let (Some(one), Some(another)) = (ours.peek(), others.peek()) {
            if one.start < another.end && another.start < one.end {
                return true;
            }
            if one.end <= another.end {
                ours.next();
            } else {
                others.next();
            }
        }
        false
    }

    fn digest(&self, rank: &Rank) -> u64 {
        let (mut hasher, mut bytes) = (DefaultHasher::new(), Vec::new());
        for Range { start, end } in self.pieces.iter().cloned() {
            for at in (start..end).step_by(READ) {
                bytes.clear();
                // What is no longer inside the memory can't be: memories only grow.
                let _ = rank.memory().append(Addr(at), (end - at).min(READ as u64), &mut bytes, "");
                hasher.write(&bytes);
            }
        }
        hasher.finish()
    }
}

/// The buffers that a call uses.
fn regions(call: &Call<'_>) -> Vec<Region> {
    if !matches!(call.chapter(), Chapter::Pt2pt | Chapter::Coll) {
        return Vec::new();
    }
    let Some(place) = call.comm() else { return Vec::new() };
    let is_root = call.meaning(Meaning::Root).is_none_or(|root| place.rank() == call.int(root));
    let one = |(at, word): (usize, &rankine_abi::Parameter)| {
        let Meaning::Buffer(Area::Elements { count, times, datatype }) = word.meaning else { return None };
        let address = call.address(at);
        let says_nothing = word.behind && place.rank() == 0 && !(0..at).any(|operand| call.is_in_place(operand));
        if address == MPI_IN_PLACE || word.at_root && !is_root || says_nothing {
            return None;
        }
        let times = match times {
            Repeats::Once => 1,
            Repeats::Peers => place.peers() as i64,
            _ => return None,
        };
        let count = call.made.words[usize::from(count)].checked_mul(times)?;
        let datatype = Datatype(call.made.words[usize::from(datatype)] as u32);
        let pieces = call.rank.pieces(address, count, datatype, MOST_PIECES)?;
        let is_pt2pt = call.chapter() == Chapter::Pt2pt;
        let is_written = word.direction != Direction::In;
        let has_digest = !is_written || is_pt2pt && word.direction == Direction::Out;
        (!pieces.is_empty()).then_some(Region { made: call.made, is_written, has_digest, digest: 0, pieces })
    };
    let has_peer = |meaning| call.meaning(meaning).is_none_or(|word| call.int(word) != rankine_abi::MPI_PROC_NULL);
    if call.chapter() == Chapter::Pt2pt && !(has_peer(Meaning::Dest) && has_peer(Meaning::Source)) {
        return Vec::new();
    }
    call.words.iter().enumerate().filter_map(one).collect()
}

impl Buffers {
    /// A call begins, which was passed these handles by their addresses: the buffers that it will leave in use.
    pub(super) fn begin(&mut self, call: &Call<'_>, before: &[(u8, Vec<u32>)], findings: &mut Findings) -> Vec<Region> {
        let requests = &requests(call, before)[..];
        let of = self.ranks.entry(call.made.rank).or_default();
        let mut looked_at = std::mem::take(&mut of.fresh);
        looked_at.extend(requests);
        for request in looked_at {
            for region in of.pending.get_mut(&request).into_iter().flatten() {
                look(region, request, call, findings);
            }
        }
        if call.function.is(Mark::Starts) {
            for request in requests {
                let mut regions = of.persistent.get(request).cloned().unwrap_or_default();
                let is_active = of.pending.contains_key(request);
                if regions.is_empty() || is_active {
                    continue;
                }
                regions.iter().for_each(|region| of.compare(region, findings));
                regions.iter_mut().filter(|it| it.has_digest).for_each(|it| it.digest = it.digest(call.rank));
                of.add(*request, regions);
            }
            return Vec::new();
        }
        let form = call.form();
        if of.pending.is_empty() && form == Form::Blocking {
            return Vec::new();
        }
        let mut regions = regions(call);
        if form != Form::Persistent {
            regions.iter().for_each(|region| of.compare(region, findings));
        }
        match form {
            Form::Blocking => return Vec::new(),
            Form::Persistent => {}
            Form::Nonblocking => {
                regions.iter_mut().filter(|it| it.has_digest).for_each(|it| it.digest = it.digest(call.rank));
            }
        }
        regions
    }

    /// A call has come back, which was passed these handles, has started operations with these buffers, and completed
    /// these requests.
    pub(super) fn end(
        &mut self,
        call: &Call<'_>,
        result: i32,
        before: &[(u8, Vec<u32>)],
        regions: Vec<Region>,
        done: &[Completed],
        findings: &mut Findings,
    ) {
        let Some(of) = self.ranks.get_mut(&call.made.rank) else { return };
        for done in done {
            let regions = of.pending.remove(&done.request).unwrap_or_default();
            for region in regions.iter().filter(|region| region.has_digest && !region.is_written) {
                if region.digest(call.rank) != region.digest {
                    let calls = [("started by", region.made), ("completed by", call.made)];
                    findings.add(findings::Class::Changed, &calls, String::new());
                }
            }
        }
        if result != 0 {
            return;
        }
        if call.function.is(Mark::Frees) {
            for request in requests(call, before) {
                of.pending.remove(&request);
                of.persistent.remove(&request);
            }
        }
        // Who has seen that all is done may use the buffers.
        for request in inquired(call) {
            of.pending.remove(&request);
        }
        if !regions.is_empty()
            && let Some(word) = call.find(|word| word.meaning == REQUEST && word.direction == Direction::Out)
            && let Some(request) = call.read(call.address(word)).map(|request| request as u32)
            && request != Request::NULL.0
        {
            match call.form() {
                Form::Persistent => drop(of.persistent.insert(request, regions)),
                _ => of.add(request, regions),
            }
        }
    }
}

impl OfRank {
    fn add(&mut self, request: u32, regions: Vec<Region>) {
        self.pending.insert(request, regions);
        self.fresh.push(request);
    }

    /// Looks for a buffer under way that a new one overlaps.
    fn compare(&self, region: &Region, findings: &mut Findings) {
        let mut others = self.pending.values().flatten();
        let overlaps = |other: &&Region| (region.is_written || other.is_written) && region.overlaps(other);
        if let Some(other) = others.find(overlaps) {
            let calls = [("under way of", other.made), ("used by", region.made)];
            findings.add(findings::Class::Overlap, &calls, String::new());
        }
    }
}

/// Whether the program has written to the buffer of a receive for which no message has come.
fn look(region: &mut Region, request: u32, call: &Call<'_>, findings: &mut Findings) {
    if !region.has_digest || !region.is_written {
        return;
    }
    let now = region.digest(call.rank);
    // First the digest: what is still without a message now was so then.
    if now != region.digest && call.rank.has_no_message(Request(request)) {
        let calls = [("posted by", region.made), ("noticed by", call.made)];
        findings.add(findings::Class::Written, &calls, String::new());
        region.digest = now;
    }
}
