//! Which 64-bit values are known to have an upper half of 0.
//!
//! And which are near such a one: a known distance from it. Neither needs a look (see `Change::address`).
//!
//! Every value is followed as a sum. What a program has shown of one holds until the block ends in which it was shown: inside,
//! every path to an instruction has passed all that stands before it in the same block. So does which value a local has, and a
//! loop begins anew with what it assigns.

use std::collections::HashMap;

use anyhow::Result;
use wasmparser::{BlockType, ContType, FrameKind, FuncType, FunctionBody, ModuleArity, Operator, RefType, SubType};

use super::sum::{Sum, Terms, Unknown};

/// Locals, and sums, of which something is known at a time: a look at each local is what a loop costs here.
const MOST: usize = 256;

/// Values that are known at the top of the stack.
const DEEP: usize = 64;

/// How far a value may be from a narrow one, on both sides: less than the page that no memory has at its end.
pub(super) const FAR: i64 = 1 << 15;

/// Where the locals of a function are assigned, and where its loops end.
#[derive(Default)]
pub(super) struct Assignments {
    /// Positions, ascending.
    of: HashMap<u32, Vec<u64>>,
    /// The ends of loops, by where they begin.
    loops: HashMap<u64, u64>,
}

impl Assignments {
    pub(super) fn of(body: &FunctionBody<'_>) -> Result<Assignments> {
        let mut all = Assignments::default();
        // For each block where it begins, if it is a loop.
        let mut open: Vec<Option<u64>> = Vec::new();
        for operator in body.get_operators_reader()?.into_iter_with_offsets() {
            let (operator, at) = operator?;
            match operator {
                Operator::LocalSet { local_index } | Operator::LocalTee { local_index } => {
                    all.of.entry(local_index).or_default().push(at);
                }
                Operator::Loop { .. } => open.push(Some(at)),
                Operator::Block { .. } | Operator::If { .. } | Operator::TryTable { .. } | Operator::Try { .. } => {
                    open.push(None);
                }
                // A `delegate` ends its block.
                Operator::End | Operator::Delegate { .. } => {
                    if let Some(Some(begin)) = open.pop() {
                        all.loops.insert(begin, at);
                    }
                }
                _ => {}
            }
        }
        Ok(all)
    }

    fn is_assigned(&self, local: u32, from: u64, to: u64) -> bool {
        let Some(at) = self.of.get(&local) else { return false };
        at[at.partition_point(|&at| at < from)..].first().is_some_and(|&at| at < to)
    }
}

/// From one constant to another.
type Interval = (i64, i64);

/// Something that became known.
enum Learnt {
    /// Which value a local has.
    Local(u32),
    /// Between which constants such a sum is narrow, and what had been known of it.
    Narrow(Box<(Terms, Option<(Interval, u64)>)>),
}

/// What is known at an instruction.
pub(super) struct Known<'b> {
    assignments: &'b Assignments,
    /// How many values were given numbers.
    unknowns: u32,
    /// The top of the stack, as far down as it is known.
    stack: Vec<Sum>,
    /// Each with the number of what was noted of it last.
    locals: HashMap<u32, (Sum, u64)>,
    /// Terms whose sums with these constants, and all between, have an upper half of 0; and such a number.
    narrow: HashMap<Terms, (Interval, u64)>,
    /// What became known in this order, each with its number, and what number came next when each open block began. One note in a
    /// block is enough, as at its end all that was known before is known again.
    learnt: Vec<(u64, Learnt)>,
    next: u64,
    blocks: Vec<u64>,
}

impl<'b> Known<'b> {
    pub(super) fn new(assignments: &'b Assignments) -> Known<'b> {
        Known {
            assignments,
            unknowns: 0,
            stack: Vec::new(),
            locals: HashMap::new(),
            narrow: HashMap::new(),
            learnt: Vec::new(),
            next: 0,
            blocks: Vec::new(),
        }
    }

    /// The value that lies so far below the top of the stack.
    pub(super) fn below(&mut self, depth: usize) -> Sum {
        match self.stack.len().checked_sub(depth + 1) {
            Some(at) => self.stack[at],
            None => self.unknown(false),
        }
    }

    /// How far a value is from one whose upper half is 0, if that is known.
    pub(super) fn near(&self, value: Sum) -> Option<i64> {
        if let Some(number) = value.number() {
            return u32::try_from(number).is_ok().then_some(0);
        }
        let of_itself = value.terms.are_narrow().then_some(value.constant);
        let shown = self.narrow.get(&value.terms).and_then(|&((low, high), _)| match value.constant {
            below if below < low => below.checked_sub(low),
            above if above > high => above.checked_sub(high),
            _ => Some(0),
        });
        let nearest = of_itself.into_iter().chain(shown).min_by_key(|far| far.unsigned_abs());
        nearest.filter(|far| (-FAR..=FAR).contains(far))
    }

    /// Whether the upper half of a value is 0.
    fn is_narrow(&self, value: Sum) -> bool {
        self.near(value) == Some(0)
    }

    /// A program that gets here has shown that the upper half of a value is 0.
    pub(super) fn shown(&mut self, value: Sum) {
        let Sum { terms, constant } = value;
        let before = self.narrow.get(&terms).copied();
        let now = match before {
            // So far apart they could be narrow with something between them that is not.
            Some(((low, high), _)) if constant.abs_diff(low).max(constant.abs_diff(high)) <= u64::from(u32::MAX) => {
                (low.min(constant), high.max(constant))
            }
            _ => (constant, constant),
        };
        if terms.is_empty() || before.is_some_and(|(before, _)| before == now) {
            return;
        }
        if before.is_none() && self.narrow.len() == MOST {
            self.forget_all();
        }
        let noted = before.map(|(_, noted)| noted).filter(|noted| self.is_of_block(*noted));
        let noted = noted.unwrap_or_else(|| self.learn(Learnt::Narrow(Box::new((terms, before)))));
        self.narrow.insert(terms, (now, noted));
    }

    /// The value of a local.
    pub(super) fn local(&mut self, local: u32) -> Sum {
        match self.locals.get(&local) {
            Some((value, _)) => *value,
            None => {
                let value = self.unknown(false);
                self.keep(local, value);
                value
            }
        }
    }

    /// A local has this value.
    pub(super) fn keep(&mut self, local: u32, value: Sum) {
        let before = self.locals.get(&local).map(|(_, noted)| *noted);
        if before.is_none() && self.locals.len() == MOST {
            self.forget_all();
        }
        let noted = before.filter(|noted| self.is_of_block(*noted));
        let noted = noted.unwrap_or_else(|| self.learn(Learnt::Local(local)));
        self.locals.insert(local, (value, noted));
    }

    /// Whether what was noted with this number is forgotten when the innermost block ends.
    fn is_of_block(&self, noted: u64) -> bool {
        self.blocks.last().is_none_or(|first| noted >= *first)
    }

    fn learn(&mut self, learnt: Learnt) -> u64 {
        let number = self.next;
        self.learnt.push((number, learnt));
        self.next += 1;
        number
    }

    fn unknown(&mut self, is_narrow: bool) -> Sum {
        self.unknowns += 1;
        Sum::of(Unknown::numbered(self.unknowns, is_narrow))
    }

    /// Follows one instruction, which stands there.
    pub(super) fn step(&mut self, operator: &Operator<'_>, at: u64) {
        self.follow(operator, at);
        if self.stack.len() > DEEP {
            self.stack.drain(..DEEP / 2);
        }
    }

    fn follow(&mut self, operator: &Operator<'_>, at: u64) {
        match operator {
            Operator::LocalGet { local_index } => {
                let value = self.local(*local_index);
                self.stack.push(value);
            }
            Operator::LocalSet { local_index } => {
                let value = self.pop();
                self.keep(*local_index, value);
            }
            Operator::LocalTee { local_index } => {
                let value = self.pop();
                self.keep(*local_index, value);
                self.stack.push(value);
            }
            Operator::I64Const { value } => self.stack.push(Sum::constant(*value)),
            // What comes behind it may take from the stack what nobody has put there.
            Operator::Unreachable => self.stack.clear(),
            Operator::I64Add => self.combined(|first, second| first.plus(second, 1)),
            Operator::I64Sub => self.combined(|first, second| first.plus(second, -1)),
            Operator::I64Mul => self.combined(|first, second| match (first.number(), second.number()) {
                (_, Some(times)) => Sum::constant(0).plus(first, times),
                (Some(times), _) => Sum::constant(0).plus(second, times),
                _ => None,
            }),
            Operator::I64Shl => self.combined(|first, second| {
                let times = 1_i64.wrapping_shl(second.number()? as u32);
                Sum::constant(0).plus(first, times)
            }),
            Operator::I64ExtendI32U
            | Operator::I64Load8U { .. }
            | Operator::I64Load16U { .. }
            | Operator::I64Load32U { .. }
            | Operator::I64Clz
            | Operator::I64Ctz
            | Operator::I64Popcnt => {
                self.pop();
                self.push(true);
            }
            Operator::I64And | Operator::I64RemU => self.binary(|first, second| first || second),
            Operator::I64Or | Operator::I64Xor => self.binary(|first, second| first && second),
            Operator::I64DivU | Operator::I64ShrU => self.binary(|first, _| first),
            Operator::Select | Operator::TypedSelect { .. } => {
                self.pop();
                self.binary(|first, second| first && second);
            }
            Operator::Block { .. }
            | Operator::If { .. }
            | Operator::Loop { .. }
            | Operator::TryTable { .. }
            | Operator::Try { .. } => self.begin(operator, at),
            Operator::Else | Operator::Catch { .. } | Operator::CatchAll => self.other_branch(),
            Operator::End | Operator::Delegate { .. } => self.end(),
            other => self.other(other),
        }
    }

    fn begin(&mut self, operator: &Operator<'_>, at: u64) {
        self.begin_block();
        if matches!(operator, Operator::Loop { .. }) {
            let end = self.assignments.loops.get(&at).copied().unwrap_or(u64::MAX);
            self.locals.retain(|&local, _| !self.assignments.is_assigned(local, at, end));
        }
    }

    /// A block begins.
    pub(super) fn begin_block(&mut self) {
        self.stack.clear();
        self.blocks.push(self.next);
    }

    /// What comes is reached from where the block began.
    pub(super) fn other_branch(&mut self) {
        self.stack.clear();
        self.forget(self.blocks.last().copied().unwrap_or(0));
    }

    /// The block ends.
    pub(super) fn end(&mut self) {
        self.stack.clear();
        let first = self.blocks.pop().unwrap_or(0);
        self.forget(first);
    }

    /// Forgets what became known from this number on. A local that was assigned may have either value.
    fn forget(&mut self, first: u64) {
        while let Some((_, learnt)) = self.learnt.pop_if(|(number, _)| *number >= first) {
            match learnt {
                Learnt::Local(local) => drop(self.locals.remove(&local)),
                Learnt::Narrow(of) => match *of {
                    (terms, Some(before)) => drop(self.narrow.insert(terms, before)),
                    (terms, None) => drop(self.narrow.remove(&terms)),
                },
            }
        }
    }

    fn forget_all(&mut self) {
        self.learnt.clear();
        self.locals.clear();
        self.narrow.clear();
    }

    /// An instruction of whose results nothing is known.
    fn other(&mut self, operator: &Operator<'_>) {
        match operator.operator_arity(&Nothing) {
            Some((operands, results)) => {
                let left = self.stack.len().saturating_sub(operands as usize);
                self.stack.truncate(left);
                (0..results).for_each(|_| self.push(false));
            }
            None => self.stack.clear(),
        }
    }

    fn binary(&mut self, is_narrow: impl FnOnce(bool, bool) -> bool) {
        let second = self.pop();
        let first = self.pop();
        self.push(is_narrow(self.is_narrow(first), self.is_narrow(second)));
    }

    fn combined(&mut self, value: impl FnOnce(Sum, Sum) -> Option<Sum>) {
        let second = self.pop();
        let first = self.pop();
        let value = value(first, second).unwrap_or_else(|| self.unknown(false));
        self.stack.push(value);
    }

    fn push(&mut self, is_narrow: bool) {
        let value = self.unknown(is_narrow);
        self.stack.push(value);
    }

    fn pop(&mut self) -> Sum {
        self.stack.pop().unwrap_or_else(|| self.unknown(false))
    }
}

/// A module of which nothing is known: operands of calls and of blocks can't be counted.
pub(super) struct Nothing;

impl ModuleArity for Nothing {
    fn sub_type_at(&self, _: u32) -> Option<&SubType> {
        None
    }

    fn tag_type_arity(&self, _: u32) -> Option<(u32, u32)> {
        None
    }

    fn type_index_of_function(&self, _: u32) -> Option<u32> {
        None
    }

    fn func_type_of_cont_type(&self, _: &ContType) -> Option<&FuncType> {
        None
    }

    fn sub_type_of_ref_type(&self, _: &RefType) -> Option<&SubType> {
        None
    }

    fn control_stack_height(&self) -> u32 {
        0
    }

    fn label_block(&self, _: u32) -> Option<(BlockType, FrameKind)> {
        None
    }
}
