//! Loops whose addresses move by a constant from turn to turn.
//!
//! In an innermost loop that is repeated from one place, its last instruction, what stands outside its inner blocks is done in
//! every turn that another one follows. If the first address that such an access has is narrow, then so is each later one, or the
//! access before it has trapped: with the distance that the address moves in a turn it is as near to the last one as `p + 8` is to
//! `p`. Such a loop gets a twin that looks at none of these (`twin.rs`).

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use wasmparser::{BlockType, FunctionBody, Operator};

use super::access::{self, Access, Operand};
use super::declared::Declared;
use super::narrow::{Assignments, FAR, Known};
use super::sum::{Sum, Unknown};

/// Bytes of a loop that is to have a twin.
const MOST_BYTES: u64 = 4096;

/// Bytes of a function that has loops with twins: there is a length that none may have.
const MOST_OF_FUNCTION: u64 = 1 << 20;

/// Accesses of a loop that are followed: each costs some instructions before it.
const MOST_WALKS: usize = 16;

/// What an access does in the turns of a loop: its address walks through the memory.
#[derive(Clone)]
pub(super) struct Walk {
    /// Where the instruction stands.
    pub at: u64,
    /// What it adds to the address.
    pub offset: u32,
    /// The address in the first turn, of locals, each so many times, and a constant.
    pub locals: Vec<(u32, i64)>,
    pub constant: i64,
    /// How far it moves in a turn.
    pub step: i64,
}

/// The loops that may have twins, by where they begin, with the first accesses of their walks.
pub(super) fn of(binary: &[u8], body: &FunctionBody<'_>, declared: &Declared) -> Result<HashMap<u64, Vec<Walk>>> {
    let mut loops = HashMap::new();
    let range = body.range();
    if !declared.is_memory_wide() || range.end - range.start > MOST_OF_FUNCTION {
        return Ok(loops);
    }
    let nothing = Assignments::default();
    let mut turn: Option<Turn<'_>> = None;
    for operator in body.get_operators_reader()?.into_iter_with_offsets() {
        let (operator, at) = operator?;
        if let Operator::Loop { blockty } = operator {
            // What is around is no innermost loop.
            turn = (!matches!(blockty, BlockType::FuncType(_))).then(|| Turn::new(at, &nothing));
            continue;
        }
        let Some(now) = turn.as_mut().filter(|_| is_plain(binary[at as usize])) else {
            turn = None;
            continue;
        };
        match now.step(&operator, at, declared)? {
            Go::On => {}
            Go::Away => turn = None,
            Go::Round => {
                let walks = now.walks();
                if !walks.is_empty() {
                    loops.insert(now.begin, walks);
                }
                turn = None;
            }
        }
    }
    Ok(loops)
}

/// Whether an instruction with this first byte can stand in a twin: the only labels that it may name are those of `br`, `br_if` and
/// `br_table`.
fn is_plain(first: u8) -> bool {
    matches!(first, 0x00..=0x05 | 0x0b..=0x13 | 0x1a..=0x1c | 0x20..=0xc4 | 0xd0..=0xd2 | 0xfc..=0xfe)
}

/// What follows from an instruction of a loop.
enum Go {
    On,
    /// It can have no twin.
    Away,
    /// It was the last one.
    Round,
}

/// One turn of a loop, as far as it was read.
struct Turn<'n> {
    begin: u64,
    known: Known<'n>,
    assigned: HashSet<u32>,
    /// Blocks that are open inside.
    depth: u32,
    /// The last instruction led back to the start.
    is_over: bool,
    /// The first accesses that are done in each turn.
    first: Vec<(u64, u32, Sum)>,
}

impl<'n> Turn<'n> {
    fn new(begin: u64, nothing: &'n Assignments) -> Turn<'n> {
        Turn {
            begin,
            known: Known::new(nothing),
            assigned: HashSet::new(),
            depth: 0,
            is_over: false,
            first: Vec::new(),
        }
    }

    fn step(&mut self, operator: &Operator<'_>, at: u64, declared: &Declared) -> Result<Go> {
        let is_last = self.depth == 0 && matches!(operator, Operator::End);
        if is_last || self.is_over || at - self.begin > MOST_BYTES {
            return Ok(if is_last && self.is_over { Go::Round } else { Go::Away });
        }
        match operator {
            Operator::Block { .. } | Operator::If { .. } => self.depth += 1,
            Operator::End => self.depth -= 1,
            Operator::BrIf { relative_depth: 0 } | Operator::Br { relative_depth: 0 } if self.depth == 0 => {
                self.is_over = true;
            }
            other if !self.stays(other)? => return Ok(Go::Away),
            _ => {}
        }
        if self.depth == 0
            && let Some(Access::Uses(operands, Some(argument))) = access::of(operator, declared)?
            && operands[0] == Operand::Address
            && let Ok(offset) = u32::try_from(argument.offset)
        {
            let address = self.known.below(operands.len() - 1);
            self.access(at, offset, address);
        }
        self.follow(operator, at);
        Ok(Go::On)
    }

    /// Whether an instruction does not lead back to the start.
    fn stays(&self, operator: &Operator<'_>) -> Result<bool> {
        Ok(match operator {
            Operator::Br { relative_depth } | Operator::BrIf { relative_depth } => *relative_depth != self.depth,
            Operator::BrTable { targets } => {
                let mut all = targets.targets().chain(std::iter::once(Ok(targets.default())));
                all.try_fold(true, |stays, target| anyhow::Ok(stays && target? != self.depth))?
            }
            _ => true,
        })
    }

    fn follow(&mut self, operator: &Operator<'_>, at: u64) {
        match operator {
            Operator::LocalGet { local_index } if !self.assigned.contains(local_index) => {
                self.known.keep(*local_index, Sum::of(Unknown::at_start(*local_index)));
            }
            Operator::LocalSet { local_index } | Operator::LocalTee { local_index } => {
                self.assigned.insert(*local_index);
            }
            _ => {}
        }
        self.known.step(operator, at);
    }

    /// An access that is done in each turn.
    fn access(&mut self, at: u64, offset: u32, address: Sum) {
        let is_of_start = address.terms.iter().all(|(unknown, _)| unknown.local().is_some());
        let is_first = self.first.iter().all(|(.., other)| other.terms != address.terms);
        if is_of_start && is_first && !address.terms.is_empty() && self.first.len() < MOST_WALKS {
            self.first.push((at, offset, address));
        }
    }

    /// The walks of the loop, now that it was read.
    fn walks(&mut self) -> Vec<Walk> {
        let first = std::mem::take(&mut self.first);
        first.into_iter().filter_map(|(at, offset, address)| self.walk(at, offset, address)).collect()
    }

    fn walk(&mut self, at: u64, offset: u32, address: Sum) -> Option<Walk> {
        let mut walk = Walk { at, offset, locals: Vec::new(), constant: address.constant, step: 0 };
        for (unknown, times) in address.terms.iter() {
            let local = unknown.local()?;
            walk.locals.push((local, times));
            if self.assigned.contains(&local) {
                let moved = self.known.local(local).plus(Sum::of(unknown), -1)?.number()?;
                walk.step = walk.step.wrapping_add(moved.wrapping_mul(times));
            }
        }
        (-FAR..=FAR).contains(&walk.step).then_some(walk)
    }
}
