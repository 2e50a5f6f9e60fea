//! Serving what other nodes want of windows: on the thread that carries letters.
//!
//! Nothing that came over the wire is taken on trust. A window's number, ranks of it, offsets and lengths are looked at
//! here, against what this node knows; a call that makes no sense is the end of the job, and names its node.

use rankine_abi::{Datatype, Op};
use rankine_guest::copy;

use super::super::accumulate::Accumulation;
use super::super::common::{Common, Member};
use super::super::elements::{Update, WIDEST, compare_and_swap, update_split};
use super::super::lock::Taken;
use super::wire::{Answered, Call, DONE, Head, REFUSED, Runs, Told};
use super::{Hold, Spread, lock};
use crate::span::Span;
use crate::world::World;

/// What comes of a call: an answer, if there is one already. An error says what is wrong with it.
type Served = Result<Option<Vec<u8>>, String>;

/// Some of a target's bytes.
type Place = (*mut u8, usize);

impl World {
    /// A node calls, and wants to hear of it by this number, or not at all by 0.
    pub(crate) fn serve_window(&self, from: u32, number: u64, bytes: &[u8]) -> Served {
        let (head, call) = Call::read(bytes).ok_or("a call that no window knows")?;
        let is_answered = match call.is_answered() {
            Answered::Never => number == 0,
            Answered::IfWanted => true,
            Answered::Always => number != 0,
        };
        if !is_answered {
            return Err(format!("a call of a window by the number {number}"));
        }
        match (self.over_nodes.get(head.window), &call) {
            (Some(common), _) => common.serve(self, from, number, &head, &call),
            // Those who could not make their parts here have not waited for the others.
            (None, Call::Arrive { .. }) => Ok(None),
            (None, _) => Err(format!("a call of window {}, which is not here", head.window)),
        }
    }
}

impl Common {
    fn serve(&self, world: &World, from: u32, number: u64, head: &Head, call: &Call<'_>) -> Served {
        let (target, origin) = (head.target as usize, head.origin as usize);
        let spread = self.spread().ok_or("a call of a window that has no ranks elsewhere")?;
        let (mine, theirs) = match call {
            Call::Arrive { last, parts } => return self.hear_arrival(world, spread, from, *last, parts),
            Call::Post => (origin, target),
            _ => (target, origin),
        };
        if !self.is_at(mine, None) || !self.is_at(theirs, Some(from)) {
            return Err(format!("a call for rank {mine} of a window from rank {theirs}, which are not there"));
        }
        let member = self.member(target);
        match *call {
            Call::Put { runs, bytes } => put(spread, member, number, runs, bytes),
            Call::Get { runs } => get(spread, member, runs),
            Call::Update { op, datatype, fetches, runs, operands } => {
                update(spread, member, number, (op, datatype, fetches), runs, operands)
            }
            Call::Swap { datatype, offset, bytes } => swap(spread, member, datatype, offset, bytes),
            Call::Flush => Ok(Some(vec![DONE])),
            Call::Lock { exclusive } => self.lock_for(world, spread, number, head, exclusive),
            Call::Unlock { exclusive } => {
                let held = lock(&spread.locks).remove(&(head.target, head.origin));
                if !held.is_some_and(|held| held.waits.is_none() && held.exclusive == exclusive) {
                    return Err(format!(
                        "a lock of rank {target} of a window given back by rank {origin}, who lacks it"
                    ));
                }
                member.lock.release(exclusive, |rank| self.tell_rank(world, rank));
                Ok(None)
            }
            Call::Post if self.member(origin).is_posted(target as i32) => {
                Err(format!("rank {target} of a window posts it to rank {origin} twice"))
            }
            Call::Post => {
                self.member(origin).post(world, target as i32);
                Ok(None)
            }
            Call::Complete => {
                member.complete(world);
                Ok(None)
            }
            Call::Arrive { .. } => Ok(None),
        }
    }

    fn hear_arrival(&self, world: &World, spread: &Spread, from: u32, last: bool, parts: &[[u8; 24]]) -> Served {
        let known = parts.iter().all(|part| Told::read(part).is_some_and(|told| self.hear_part(from, told)));
        // Before its first meeting each node has told of all its ranks.
        let has_told = |rank| !self.is_at(rank, Some(from)) || self.member(rank).known_part().is_some();
        if last {
            self.count_fences(from);
        }
        if !known || last && !((0..self.size()).all(has_told) && self.has_arrived(world, spread, from)) {
            return Err(format!("its ranks have come to where a window's meet, with {} parts", parts.len()));
        }
        Ok(None)
    }

    /// Takes the lock of a part for a rank elsewhere, which hears of it when it has it.
    fn lock_for(&self, world: &World, spread: &Spread, number: u64, head: &Head, exclusive: bool) -> Served {
        let (member, place) = (self.member(head.target as usize), (head.target, head.origin));
        if lock(&spread.locks).contains_key(&place) {
            return Err(format!("rank {} of a window locks rank {} twice", head.origin, head.target));
        }
        // Whoever gives a lock back has its queue, and then looks at these: never the other way round.
        let waits = match member.lock.take(self.member(head.origin as usize).rank, exclusive) {
            Taken::Yes => None,
            Taken::Later(ticket) => Some((ticket, number)),
            Taken::Refused => return Ok(Some(vec![REFUSED])),
        };
        let has_it = waits.is_none();
        lock(&spread.locks).insert(place, Hold { exclusive, waits });
        if has_it {
            return Ok(Some(vec![DONE]));
        }
        // It may have been given back before it stood there.
        self.tell(world, head.origin as usize);
        Ok(None)
    }

    fn tell_rank(&self, world: &World, rank: u32) {
        if let Some(index) = (0..self.size()).find(|&index| self.member(index).rank == rank) {
            self.tell(world, index);
        }
    }
}

/// Where the bytes of a call lie; nothing if the target has not all of them.
fn places(spread: &Spread, member: &Member, runs: Runs<'_>) -> Option<Vec<Place>> {
    let part = member.known_part()?;
    let attached = spread.is_dynamic.then(|| member.attached());
    let has = |offset: u64, length: u64| match &attached {
        Some(attached) => attached.covers(offset.into(), i128::from(offset) + i128::from(length)),
        None => offset.checked_add(length).is_some_and(|end| end <= part.size),
    };
    let mut places = Vec::new();
    let all = runs.each(|offset, length| {
        let has = has(offset, length);
        if has {
            places.push((part.base.wrapping_add(offset as usize), length as usize));
        }
        has
    });
    all.then_some(places)
}

/// The answer to a call whose bytes the target has not. Only what is attached is not known to its origin.
fn beyond(spread: &Spread, number: u64) -> Served {
    if spread.is_dynamic && number != 0 {
        return Ok(Some(vec![REFUSED]));
    }
    Err("an access of bytes that are not in the window".into())
}

fn done(number: u64, answer: Vec<u8>) -> Served {
    Ok((number != 0).then_some(answer))
}

fn put(spread: &Spread, member: &Member, number: u64, runs: Runs<'_>, bytes: &[u8]) -> Served {
    let Some(places) = places(spread, member, runs) else { return beyond(spread, number) };
    let mut rest = bytes;
    for (at, length) in places {
        let Some(some) = rest.split_off(..length) else { break };
        // SAFETY: the bytes are in the target's part, whose memory stays until the job has ended.
        unsafe { copy::copy(at, some.as_ptr(), length) };
    }
    done(number, vec![DONE])
}

fn get(spread: &Spread, member: &Member, runs: Runs<'_>) -> Served {
    let Some(places) = places(spread, member, runs) else { return beyond(spread, 1) };
    let mut answer = vec![DONE; 1 + runs.total()];
    let mut rest = &mut answer[1..];
    for (at, length) in places {
        let Some(some) = rest.split_off_mut(..length) else { break };
        // SAFETY: the bytes are in the target's part, whose memory stays until the job has ended.
        unsafe { copy::copy(some.as_mut_ptr(), at, length) };
    }
    Ok(Some(answer))
}

fn update(
    spread: &Spread,
    member: &Member,
    number: u64,
    (op, datatype, fetches): (Op, Datatype, bool),
    runs: Runs<'_>,
    operands: Option<&[u8]>,
) -> Served {
    let total = runs.total();
    let odd = || format!("an operation {:#x} on {total} bytes of datatype {:#x}", op.0, datatype.0);
    let how = Accumulation::of_element(op, datatype).ok_or_else(odd)?;
    if operands.is_none() != (op == Op::NO_OP) || !total.is_multiple_of(how.size) {
        return Err(odd());
    }
    let Some(places) = places(spread, member, runs) else { return beyond(spread, number) };
    let mut answer = vec![DONE; 1 + if fetches || how.is_split { total } else { 0 }];
    if how.is_split {
        // SAFETY: the places are in the target's part, whose memory stays until the job has ended.
        unsafe { update_split(&how, &member.stripes, &places, operands, &mut answer[1..]) };
        answer.truncate(if fetches { 1 + total } else { 1 });
        return done(number, answer);
    }
    if places.iter().any(|(_, length)| !length.is_multiple_of(how.size)) {
        return Err(odd());
    }
    let mut from = 0;
    for (at, length) in places {
        // SAFETY: the bytes are in the target's part, whose memory stays until the job has ended.
        let target = unsafe { Span::raw(at, length) };
        let mine = operands.map(|operands| &operands[from..from + length]);
        // SAFETY: the bytes are read as long as they are borrowed, and never written.
        let mine = mine.map(|mine| unsafe { Span::raw(mine.as_ptr().cast_mut(), length) });
        let before = fetches.then(|| Span::over(&mut answer[1 + from..1 + from + length]));
        Update { target: &target, stripes: &member.stripes, how: &how, alone: false }
            .run(mine.as_ref(), before.as_ref());
        from += length;
    }
    done(number, answer)
}

fn swap(spread: &Spread, member: &Member, datatype: Datatype, offset: u64, bytes: &[u8]) -> Served {
    let odd = || format!("a comparison with {} bytes of datatype {:#x}", bytes.len(), datatype.0);
    let how = Accumulation::of_element(Op::REPLACE, datatype).filter(|how| !how.is_split && how.size <= WIDEST);
    let how = how.filter(|how| bytes.len() == 2 * how.size).ok_or_else(odd)?;
    let mut run = super::wire::List::default();
    run.push(offset, how.size as u64);
    let Some(places) = places(spread, member, Runs::of(&run.packed())) else { return beyond(spread, 1) };
    let (expected, new) = bytes.split_at(how.size);
    let mut answer = vec![DONE; 1 + how.size];
    for (at, _) in places {
        compare_and_swap(&member.stripes, at, expected, new, &mut answer[1..]);
    }
    Ok(Some(answer))
}
