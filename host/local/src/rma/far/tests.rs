//! What a node makes of calls that no honest one has written.

use std::sync::Arc;

use proptest::prelude::*;
use rankine_abi::{Datatype, Op};

use super::super::common::{Common, Part};
use super::wire::{Call, DONE, Head, List, REFUSED, Runs, Told};
use crate::away::{Nodes, Request};
use crate::members::Members;
use crate::world::{Options, Wake, World};

struct Nobody;

impl Wake for Nobody {
    fn wake(&self, _: usize) {}
}

/// Bytes of the part of rank 0, which is here, and around it.
const PART: usize = 4096;
const AROUND: usize = 4096;

/// Node 0 of two with a rank each, and a window of both.
struct Site {
    world: Arc<World>,
    common: Arc<Common>,
    memory: Vec<u64>,
}

impl Site {
    fn new(is_dynamic: bool) -> Site {
        let options = Options { nodes: Some(Nodes::even(0, 2, 1)), ..Options::default() };
        let world = World::new(1, Arc::new(Nobody), None, options);
        let common = world.window_over_nodes(0, &Members::range(0, 2), is_dynamic).unwrap();
        let mut memory = vec![0x1111_1111_1111_1111; (PART + 2 * AROUND) / 8];
        let base = memory.as_mut_ptr().cast::<u8>().wrapping_add(AROUND);
        common.set_part(0, Part { base, size: if is_dynamic { 0 } else { PART as u64 }, unit: 1 });
        let told = [Told { rank: 1, failed: false, size: 100, unit: 4 }.write()];
        let site = Site { world, common, memory };
        assert_eq!(site.call(0, &Call::Arrive { last: true, parts: &told }), Ok(None));
        site
    }

    /// What comes of a call of rank 1 about the part of rank 0.
    fn call(&self, number: u64, call: &Call<'_>) -> Result<Option<Vec<u8>>, String> {
        self.world.serve_call(1, number, &call.write(&Head { window: 0, target: 0, origin: 1 }))
    }

    fn is_whole_around(&self) -> bool {
        let outside = [&self.memory[..AROUND / 8], &self.memory[(AROUND + PART) / 8..]].concat();
        outside.iter().all(|&word| word == 0x1111_1111_1111_1111)
    }
}

fn packed(blocks: &[(u64, u64)]) -> Vec<[u8; 32]> {
    let mut list = List::default();
    blocks.iter().for_each(|&(offset, length)| list.push(offset, length));
    list.packed()
}

#[test]
fn what_is_put_is_got() {
    let site = Site::new(false);
    let runs = packed(&[(8, 4), (100, 4), (PART as u64 - 4, 4)]);
    let runs = Runs::of(&runs);
    assert_eq!(site.call(0, &Call::Put { runs, bytes: b"abcdefghijkl" }), Ok(None));
    let answer = site.call(7, &Call::Get { runs }).unwrap().unwrap();
    assert_eq!((answer[0], &answer[1..]), (DONE, &b"abcdefghijkl"[..]));
    let one = packed(&[(16, 8)]);
    let add = |op, operand: Option<u64>| {
        let (datatype, runs, bytes) = (Datatype::INT64_T, Runs::of(&one), operand.map(u64::to_le_bytes));
        let operands = bytes.as_ref().map(|bytes| &bytes[..]);
        site.call(1, &Call::Update { op, datatype, fetches: true, runs, operands }).unwrap().unwrap()
    };
    add(Op::REPLACE, Some(40));
    assert_eq!(add(Op::SUM, Some(2))[1..], 40u64.to_le_bytes());
    assert_eq!(add(Op::NO_OP, None)[1..], 42u64.to_le_bytes());
    let both = [42u64.to_le_bytes(), 7u64.to_le_bytes()].concat();
    let swap = Call::Swap { datatype: Datatype::INT64_T, offset: 16, bytes: &both };
    assert_eq!(site.call(1, &swap).unwrap().unwrap()[1..], 42u64.to_le_bytes());
    assert_eq!(add(Op::NO_OP, None)[1..], 7u64.to_le_bytes());
    assert!(site.is_whole_around());
}

#[test]
fn a_pair_in_two_places_is_updated_whole() {
    let site = Site::new(false);
    let (datatype, places) = (Datatype::SHORT_INT, packed(&[(0, 2), (4, 4), (8, 2), (12, 4)]));
    let runs = Runs::of(&places);
    let pair = |value: i16, index: i32| [&value.to_le_bytes()[..], &index.to_le_bytes()].concat();
    let update = |op, operands: &[u8]| {
        let call = Call::Update { op, datatype, fetches: true, runs, operands: Some(operands) };
        site.call(1, &call).unwrap().unwrap().split_off(1)
    };
    update(Op::REPLACE, &[pair(5, 1), pair(9, 2)].concat());
    let before = update(Op::MAXLOC, &[pair(7, 3), pair(8, 4)].concat());
    assert_eq!(before, [pair(5, 1), pair(9, 2)].concat());
    let now = site.call(1, &Call::Get { runs }).unwrap().unwrap();
    assert_eq!(now[1..], [pair(7, 3), pair(9, 2)].concat());
}

#[test]
fn what_makes_no_sense_is_refused() {
    let site = Site::new(false);
    let beyond = packed(&[(PART as u64 - 3, 4)]);
    assert!(site.call(0, &Call::Put { runs: Runs::of(&beyond), bytes: b"abcd" }).is_err());
    assert!(site.call(1, &Call::Get { runs: Runs::of(&packed(&[(u64::MAX - 3, 4)])) }).is_err());
    let head = |target, origin| Head { window: 0, target, origin };
    let flush = |from, number, head: Head| site.world.serve_call(from, number, &Call::Flush.write(&head));
    assert_eq!(flush(1, 1, head(0, 1)), Ok(Some(vec![DONE])));
    // Without an answer, of another window, for ranks that are not there, of who is not its origin.
    assert!(flush(1, 0, head(0, 1)).is_err() && flush(1, 1, Head { window: 5, ..head(0, 1) }).is_err());
    assert!(flush(1, 1, head(1, 0)).is_err() && flush(1, 1, head(0, 2)).is_err() && flush(0, 1, head(0, 1)).is_err());
    // Pieces of elements, and operations on what they are not defined on.
    let update = |op, datatype, blocks: &[(u64, u64)]| {
        let (runs, bytes) = (packed(blocks), vec![1; blocks.iter().map(|block| block.1 as usize).sum()]);
        let (runs, operands) = (Runs::of(&runs), Some(&bytes[..]));
        site.call(1, &Call::Update { op, datatype, fetches: false, runs, operands })
    };
    assert!(update(Op::SUM, Datatype::DOUBLE, &[(0, 8)]).is_ok());
    assert!(update(Op::SUM, Datatype::DOUBLE, &[(0, 4), (8, 4)]).is_err());
    assert!(update(Op::SUM, Datatype::DOUBLE, &[(0, 7)]).is_err());
    assert!(update(Op::BAND, Datatype::DOUBLE, &[(0, 8)]).is_err());
    assert!(update(Op::SUM, Datatype(7), &[(0, 8)]).is_err() && update(Op(4000), Datatype::INT, &[(0, 4)]).is_err());
    let odd = Call::Swap { datatype: Datatype::INT, offset: 0, bytes: &[0; 7] };
    assert!(site.call(1, &odd).is_err());
    // Parts that were told already, meetings that nobody can have come to.
    let told = [Told { rank: 1, failed: false, size: 100, unit: 4 }.write()];
    assert!(site.call(0, &Call::Arrive { last: false, parts: &told }).is_err());
    assert_eq!(site.call(0, &Call::Arrive { last: true, parts: &[] }), Ok(None));
    assert!(site.call(0, &Call::Arrive { last: true, parts: &[] }).is_err());
    assert!(site.is_whole_around());
}

#[test]
fn locks_are_kept_for_ranks_elsewhere() {
    let site = Site::new(false);
    let lock = |number, exclusive| site.call(number, &Call::Lock { exclusive });
    let unlock = |exclusive| site.call(0, &Call::Unlock { exclusive });
    assert!(unlock(true).is_err());
    assert_eq!(lock(1, true), Ok(Some(vec![DONE])));
    assert!(lock(2, true).is_err());
    assert!(unlock(true).is_ok() && lock(3, false).is_ok());
    // It is not the lock that it has.
    assert!(unlock(true).is_err());
    let mine = site.common.member(0);
    assert!(matches!(mine.lock.take(0, true), crate::rma::lock::Taken::Refused | crate::rma::lock::Taken::Later(_)));
    // Where it is exposed nobody gets it; where another has it, it comes later, as an answer.
    let site = Site::new(false);
    let mine = &site.common.member(0).lock;
    assert!(mine.expose());
    assert_eq!(site.call(1, &Call::Lock { exclusive: false }), Ok(Some(vec![REFUSED])));
    mine.conceal();
    assert!(matches!(mine.take(0, true), crate::rma::lock::Taken::Yes));
    assert_eq!(site.call(9, &Call::Lock { exclusive: true }), Ok(None));
    assert!(site.call(0, &Call::Unlock { exclusive: true }).is_err(), "it only waits for it");
    let site = Site::new(false);
    let mine = &site.common.member(0).lock;
    assert!(matches!(mine.take(0, true), crate::rma::lock::Taken::Yes));
    assert_eq!(site.call(9, &Call::Lock { exclusive: true }), Ok(None));
    mine.release(true, |rank| site.common.tell(&site.world, rank as usize));
    let mut requests = std::collections::VecDeque::new();
    site.world.take_requests(&mut requests);
    let granted =
        |request: &Request| matches!(request, Request::Answer { node: 1, number: 9, bytes } if bytes == &[DONE]);
    assert_eq!(requests.iter().filter(|request| granted(request)).count(), 1, "{requests:?}");
    assert_eq!(site.call(0, &Call::Unlock { exclusive: true }), Ok(None));
    assert!(matches!(mine.take(0, true), crate::rma::lock::Taken::Yes));
}

#[test]
fn what_is_not_attached_is_told() {
    let site = Site::new(true);
    let runs = packed(&[(0, 4)]);
    let get = Call::Get { runs: Runs::of(&runs) };
    assert_eq!(site.call(1, &get), Ok(Some(vec![REFUSED])));
    site.common.member(0).attached().insert(0, 8);
    assert_eq!(site.call(1, &get).unwrap().unwrap().len(), 5);
    assert!(site.call(0, &Call::Put { runs: Runs::of(&packed(&[(6, 4)])), bytes: &[0; 4] }).is_err());
}

#[test]
fn answers_are_those_that_were_asked_for() {
    let site = Site::new(false);
    let number = site.world.expect_answer(0, 1, 5);
    assert!(site.world.take_call_answer(0, number, &[0; 5]).is_err(), "of another node");
    assert!(site.world.take_call_answer(1, number + 1, &[0; 5]).is_err(), "by another number");
    assert!(site.world.take_call_answer(1, number, &[0; 4]).is_err(), "of another length");
    assert_eq!(site.world.take_answer(number), None);
    assert!(site.world.take_call_answer(1, number, &[0; 5]).is_ok());
    assert!(site.world.take_call_answer(1, number, &[0; 5]).is_err(), "twice");
    assert_eq!(site.world.take_answer(number), Some(vec![0; 5]));
}

proptest! {
    /// Whatever comes, nothing outside of the part changes, and nothing panics.
    #[test]
    fn changed_calls_stay_inside(
        kind in 0..10_u8,
        blocks in prop::collection::vec((0..PART as u64 + 64, 1..64_u64), 1..6),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        flag in any::<bool>(),
        is_dynamic in any::<bool>(),
        op in 0..16_u32,
    ) {
        let site = Site::new(is_dynamic);
        site.common.member(0).attached().insert(64, 2048);
        let places = packed(&blocks);
        let runs = Runs::of(&places);
        let bytes = vec![0xab; runs.total()];
        let (op, datatype) = (Op(Op::SUM.0 + op - 1), Datatype::PREDEFINED[blocks[0].0 as usize % Datatype::PREDEFINED.len()]);
        let call = match kind {
            0 => Call::Put { runs, bytes: &bytes },
            1 => Call::Get { runs },
            2 | 3 => Call::Update { op, datatype, fetches: flag, runs, operands: Some(&bytes) },
            4 => Call::Swap { datatype, offset: blocks[0].0, bytes: &[7; 16] },
            5 => Call::Lock { exclusive: flag },
            6 => Call::Unlock { exclusive: flag },
            7 => Call::Post,
            8 => Call::Complete,
            _ => Call::Arrive { last: flag, parts: &[] },
        };
        let mut written = call.write(&Head { window: 0, target: 0, origin: 1 });
        for (at, byte) in changes {
            let at = at.index(written.len());
            written[at] = byte;
        }
        let _ = site.world.serve_call(1, u64::from(flag), &written);
        prop_assert!(site.is_whole_around());
    }
}
