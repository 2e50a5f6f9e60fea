//! Which 64-bit values are known to have an upper half of 0.
//!
//! And which are near such a one: a known distance from it. Neither needs a look (see `Change::address`).
//!
//! What is known of a local holds until the local is assigned, or the block ends in which it became known: inside, every path to
//! an instruction has passed all that stands before it in the same block. A loop begins anew with what it assigns.

use std::collections::HashMap;

use anyhow::Result;
use wasmparser::{BlockType, ContType, FrameKind, FuncType, FunctionBody, ModuleArity, Operator, RefType, SubType};

/// Locals of which something is known at a time: a look at each of them is what a loop costs here.
const MOST: usize = 256;

/// Values that are known at the top of the stack: a look at each of them is what an assignment costs here.
const DEEP: usize = 64;

/// How far a value may be from a narrow one, on both sides: less than the page that no memory has at its end.
const FAR: i64 = 1 << 15;

/// What is known of a value.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Value {
    Anything,
    Constant(i64),
    /// It is that far from a value whose upper half is 0.
    Near(i64),
    /// It was that of a local, when that had been assigned so many times.
    Local(u32, u32),
}

use Value::{Anything, Constant, Local, Near};

/// Where the locals of a function are assigned, and where its loops end.
#[derive(Default)]
pub(super) struct Assignments {
    /// Positions, ascending.
    of: HashMap<u32, Vec<u64>>,
    /// The ends of loops, in the order in which they begin.
    loops: Vec<u64>,
}

impl Assignments {
    pub(super) fn of(body: &FunctionBody<'_>) -> Result<Assignments> {
        let mut all = Assignments::default();
        // For each block whether it is a loop, and which.
        let mut open: Vec<Option<usize>> = Vec::new();
        for operator in body.get_operators_reader()?.into_iter_with_offsets() {
            let (operator, at) = operator?;
            match operator {
                Operator::LocalSet { local_index } | Operator::LocalTee { local_index } => {
                    all.of.entry(local_index).or_default().push(at);
                }
                Operator::Loop { .. } => {
                    open.push(Some(all.loops.len()));
                    all.loops.push(at);
                }
                Operator::Block { .. } | Operator::If { .. } | Operator::TryTable { .. } | Operator::Try { .. } => {
                    open.push(None);
                }
                // A `delegate` ends its block.
                Operator::End | Operator::Delegate { .. } => {
                    if let Some(Some(number)) = open.pop() {
                        all.loops[number] = at;
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

/// A local that became known.
struct Learnt {
    local: u32,
    /// How often it had been assigned.
    version: u32,
    /// What was known of it before.
    before: Option<i64>,
}

/// What is known at an instruction.
pub(super) struct Known<'b> {
    assignments: &'b Assignments,
    /// How many loops have begun.
    loops: usize,
    /// The top of the stack, as far down as it is known.
    stack: Vec<Value>,
    /// Locals that are narrow, or how far they are from a narrow value.
    near: HashMap<u32, i64>,
    /// How often locals were assigned.
    versions: HashMap<u32, u32>,
    /// What became known in this order, and how much there was when each open block began.
    learnt: Vec<Learnt>,
    blocks: Vec<usize>,
}

impl<'b> Known<'b> {
    pub(super) fn new(assignments: &'b Assignments) -> Known<'b> {
        Known {
            assignments,
            loops: 0,
            stack: Vec::new(),
            near: HashMap::new(),
            versions: HashMap::new(),
            learnt: Vec::new(),
            blocks: Vec::new(),
        }
    }

    /// The value that lies so far below the top of the stack.
    pub(super) fn below(&self, depth: usize) -> Value {
        let at = self.stack.len().checked_sub(depth + 1);
        at.map_or(Anything, |at| self.stack[at])
    }

    /// How far a value is from one whose upper half is 0, if that is known.
    pub(super) fn near(&self, value: Value) -> Option<i64> {
        match value {
            Anything => None,
            Constant(number) => u32::try_from(number).is_ok().then_some(0),
            Near(far) => Some(far),
            Local(local, version) if version == self.version(local) => self.near.get(&local).copied(),
            Local(..) => None,
        }
    }

    /// Whether the upper half of a value is 0.
    fn is_narrow(&self, value: Value) -> bool {
        self.near(value) == Some(0)
    }

    /// A program that gets here has shown that the upper half of a value is 0.
    pub(super) fn shown(&mut self, value: Value) {
        if let Local(local, version) = value
            && version == self.version(local)
        {
            self.learn(local, 0);
        }
    }

    fn version(&self, local: u32) -> u32 {
        self.versions.get(&local).copied().unwrap_or(0)
    }

    fn learn(&mut self, local: u32, far: i64) {
        let before = self.near.get(&local).copied();
        if before == Some(far) || (before.is_none() && self.near.len() == MOST) {
            return;
        }
        self.near.insert(local, far);
        self.learnt.push(Learnt { local, version: self.version(local), before });
    }

    fn assign(&mut self, local: u32, value: Value) {
        let near = self.near(value);
        // What the stack has of it stays what it was.
        let before = self.of_local(local);
        let known = self.near(before).map_or(Anything, Near);
        self.stack.iter_mut().filter(|value| **value == before).for_each(|value| *value = known);
        self.near.remove(&local);
        *self.versions.entry(local).or_default() += 1;
        if let Some(far) = near {
            self.learn(local, far);
        }
    }

    fn of_local(&self, local: u32) -> Value {
        Local(local, self.version(local))
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
            Operator::LocalGet { local_index } => self.stack.push(self.of_local(*local_index)),
            Operator::LocalSet { local_index } => {
                let value = self.pop();
                self.assign(*local_index, value);
            }
            Operator::LocalTee { local_index } => {
                let value = self.pop();
                self.assign(*local_index, value);
                self.stack.push(self.of_local(*local_index));
            }
            Operator::I64Const { value } => self.stack.push(Constant(*value)),
            Operator::I64Add => self.sum(1),
            Operator::I64Sub => self.sum(-1),
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
            Operator::Else | Operator::Catch { .. } | Operator::CatchAll => {
                self.stack.clear();
                self.forget(self.blocks.last().copied().unwrap_or(0));
            }
            Operator::End | Operator::Delegate { .. } => {
                self.stack.clear();
                let learnt = self.blocks.pop().unwrap_or(0);
                self.forget(learnt);
            }
            other => self.other(other),
        }
    }

    fn begin(&mut self, operator: &Operator<'_>, at: u64) {
        self.stack.clear();
        self.blocks.push(self.learnt.len());
        if matches!(operator, Operator::Loop { .. }) {
            let end = self.assignments.loops.get(self.loops).copied().unwrap_or(u64::MAX);
            self.loops += 1;
            self.near.retain(|&local, _| !self.assignments.is_assigned(local, at, end));
        }
    }

    /// Forgets what became known since there was so much.
    fn forget(&mut self, learnt: usize) {
        while self.learnt.len() > learnt {
            let Some(Learnt { local, version, before }) = self.learnt.pop() else { return };
            match before {
                Some(far) if version == self.version(local) => self.near.insert(local, far),
                _ => self.near.remove(&local),
            };
        }
    }

    /// An instruction of whose results nothing is known.
    fn other(&mut self, operator: &Operator<'_>) {
        match operator.operator_arity(&Nothing) {
            Some((operands, results)) => {
                let left = self.stack.len().saturating_sub(operands as usize);
                self.stack.truncate(left);
                self.stack.extend((0..results).map(|_| Anything));
            }
            None => self.stack.clear(),
        }
    }

    fn binary(&mut self, is_narrow: impl FnOnce(bool, bool) -> bool) {
        let second = self.pop();
        let first = self.pop();
        self.push(is_narrow(self.is_narrow(first), self.is_narrow(second)));
    }

    /// A sum, or a difference, with a constant that is not far.
    fn sum(&mut self, sign: i64) {
        let second = self.pop();
        let first = self.pop();
        let (value, constant) = match (first, second) {
            (value, Constant(constant)) => (value, Some(constant)),
            (Constant(constant), value) if sign > 0 => (value, Some(constant)),
            _ => (Anything, None),
        };
        let far =
            self.near(value).zip(constant).and_then(|(far, constant)| far.checked_add(constant.checked_mul(sign)?));
        self.stack.push(far.filter(|far| (-FAR..=FAR).contains(far)).map_or(Anything, Near));
    }

    fn push(&mut self, is_narrow: bool) {
        self.stack.push(if is_narrow { Near(0) } else { Anything });
    }

    fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or(Anything)
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
