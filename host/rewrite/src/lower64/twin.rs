//! Loops that are there twice: once without looks at the addresses that walk through the memory, for when the first ones are narrow,
//! and once as any other.
//!
//! Where an address is moved by `step` in a turn, that of the last turn was accessed, or it is the first one. So it less `step` is
//! narrow, and the instruction adds `step` again, in a sum of 33 bits. Of a walk downwards nothing is taken: below 0 it comes to
//! the last page of 4 GiB, which no memory has. In either case an access traps in the turn in which it would have trapped.

use std::collections::HashMap;

use anyhow::Result;
use wasm_encoder::{Encode, Instruction};
use wasmparser::{BinaryReader, Operator, OperatorsReader};

use super::body::Change;
use super::declared::Declared;
use super::imports::Imports;
use super::sum::Sum;
use super::turns::Walk;

/// The opcode of `if`, behind which its type stands as it does behind that of `loop`.
const IF: u8 = 0x04;

/// The twin that is being written.
#[derive(Default)]
pub(super) struct Twin {
    /// How far addresses move that are not looked at, by where their instructions stand.
    pub steps: HashMap<u32, i64>,
    /// How many of its blocks are open, and how many there were.
    open: u32,
    begun: u32,
}

impl Twin {
    /// Whether the last of it was written.
    pub(super) fn is_over(&self) -> bool {
        self.begun > 0 && self.open == 0
    }

    /// What takes the place of a branch out of it: there is a block more around it.
    pub(super) fn led(&mut self, operator: &Operator<'_>) -> Option<Instruction<'static>> {
        let open = self.open;
        let label = |depth: u32| if depth >= open { depth + 1 } else { depth };
        match operator {
            Operator::Loop { .. } | Operator::Block { .. } | Operator::If { .. } => {
                self.open += 1;
                self.begun += 1;
                None
            }
            Operator::End => {
                self.open -= 1;
                None
            }
            Operator::Br { relative_depth } => Some(Instruction::Br(label(*relative_depth))),
            Operator::BrIf { relative_depth } => Some(Instruction::BrIf(label(*relative_depth))),
            Operator::BrTable { targets } => {
                let labels = targets.targets().map_while(Result::ok).map(label).collect::<Vec<_>>();
                Some(Instruction::BrTable(labels.into(), label(targets.default())))
            }
            _ => None,
        }
    }
}

impl Change<'_> {
    /// The walks of a loop whose addresses are not known to be narrow without it.
    pub(super) fn walks(&mut self, at: u64) -> Vec<Walk> {
        let mut walks = self.loops.remove(&at).unwrap_or_default();
        walks.retain(|walk| {
            let is_known = walk.step == 0 && self.first(walk).is_some_and(|first| self.known.near(first) == Some(0));
            !is_known
        });
        walks
    }

    /// Writes both twins of a loop, whose first instruction this is; where the loop ends.
    pub(super) fn twins(
        &mut self,
        walks: &[Walk],
        (raw, at): (&[u8], u64),
        declared: &Declared,
        imports: &Imports,
    ) -> Result<u64> {
        self.step(at as u32);
        self.looks.walks += walks.len();
        for (number, walk) in walks.iter().enumerate() {
            self.look_at_first(walk);
            if number > 0 {
                Instruction::I32And.encode(&mut self.now);
            }
        }
        self.now.push(IF);
        self.now.extend(&raw[1..]);
        let first: Vec<Sum> = walks.iter().filter_map(|walk| self.first(walk)).collect();
        self.known.begin_block();
        first.into_iter().for_each(|first| self.known.shown(first));
        let steps = walks.iter().map(|walk| (walk.at as u32, walk.step)).collect();
        self.write_twin(steps, at, declared, imports)?;
        Instruction::Else.encode(&mut self.now);
        self.known.other_branch();
        let end = self.write_twin(HashMap::new(), at, declared, imports)?;
        Instruction::End.encode(&mut self.now);
        self.known.end();
        Ok(end)
    }

    /// Writes one of them, without looks at these.
    fn write_twin(&mut self, steps: HashMap<u32, i64>, at: u64, declared: &Declared, imports: &Imports) -> Result<u64> {
        // A reader of its own: a copy of the other one would have all blocks around.
        let mut operators = OperatorsReader::new(BinaryReader::new(&self.binary[at as usize..], at));
        self.twin = Some(Twin { steps, ..Twin::default() });
        self.run(&mut operators, declared, imports)?;
        self.twin = None;
        Ok(operators.original_position())
    }

    /// The address of a walk in the first turn.
    fn first(&mut self, walk: &Walk) -> Option<Sum> {
        walk.locals
            .iter()
            .try_fold(Sum::constant(walk.constant), |sum, &(local, times)| sum.plus(self.known.local(local), times))
    }

    /// Pushes whether that is narrow, neither below what a step is taken from nor so high that the instruction's offset leads beyond
    /// 4 GiB.
    fn look_at_first(&mut self, walk: &Walk) {
        use Instruction::{I64Add, I64Const, I64LeU, I64Mul, LocalGet};
        let offset = i64::from(walk.offset);
        let [lowest, highest] = [(walk.step - offset).max(0), i64::from(u32::MAX) - offset];
        for (number, &(local, times)) in walk.locals.iter().enumerate() {
            self.add(&[LocalGet(local)]);
            if times != 1 {
                self.add(&[I64Const(times), I64Mul]);
            }
            if number > 0 {
                self.add(&[I64Add]);
            }
        }
        let constant = walk.constant.wrapping_sub(lowest);
        if constant != 0 {
            self.add(&[I64Const(constant), I64Add]);
        }
        self.add(&[I64Const(highest - lowest), I64LeU]);
    }
}
