//! Functions whose addresses lose their upper halves.

use std::collections::HashMap;

use anyhow::{Result, ensure};
use wasm_encoder::{BlockType, Encode, Instruction, ValType};
use wasmparser::{BinaryReader, CodeSectionReader, FunctionBody, Operator, OperatorsReader};

use super::Looks;
use super::access::{self, Access, Operand};
use super::declared::Declared;
use super::imports::Imports;
use super::narrow::{Assignments, Known};
use super::turns::{self, Walk};
use super::twin::Twin;

/// Locals that a function may have.
const MOST_LOCALS: u64 = 50_000;

/// The code of a module.
#[derive(Default)]
pub(super) struct Code {
    /// The section's content.
    pub content: Vec<u8>,
    /// From which places on, instructions lie as they did from which ones in the module.
    pub steps: Vec<(u32, u32)>,
    /// Where the functions begin that it did not have.
    pub end: u32,
    /// Where a look ends in a trap.
    pub traps: Vec<u32>,
    pub looks: Looks,
}

/// The section of code.
pub(super) fn section(
    binary: &[u8],
    content: &[u8],
    start: u64,
    declared: &Declared,
    imports: &Imports,
) -> Result<Code> {
    let bodies = CodeSectionReader::new(BinaryReader::new(content, start))?;
    let mut code = Code { content: Vec::with_capacity(content.len()), ..Code::default() };
    (bodies.count() + imports.len() as u32).encode(&mut code.content);
    for (number, body) in bodies.into_iter().enumerate() {
        let body = body?;
        let assignments = Assignments::of(&body)?;
        let mut change = Change::new(binary, &body, declared.parameters(number), &assignments)?;
        change.loops = turns::of(binary, &body, declared)?;
        change.run(&mut body.get_operators_reader()?, declared, imports)?;
        change.finish(&body, &mut code)?;
    }
    code.end = code.content.len() as u32;
    code.content.extend(imports.bodies());
    Ok(code)
}

/// The change of one function.
pub(super) struct Change<'m> {
    pub binary: &'m [u8],
    pub known: Known<'m>,
    /// Loops that may have twins.
    pub loops: HashMap<u64, Vec<Walk>>,
    /// The twin that is being written.
    pub twin: Option<Twin>,
    /// Its instructions.
    pub now: Vec<u8>,
    steps: Vec<(u32, u32)>,
    traps: Vec<u32>,
    pub looks: Looks,
    /// How many locals it has.
    locals: u32,
    /// Those that it gets.
    ours: Vec<ValType>,
    /// Where the last instruction begins, if that does nothing but push a value.
    push: Option<usize>,
}

impl<'m> Change<'m> {
    fn new(
        binary: &'m [u8],
        body: &FunctionBody<'_>,
        parameters: u32,
        assignments: &'m Assignments,
    ) -> Result<Change<'m>> {
        let mut locals = u64::from(parameters);
        for group in body.get_locals_reader()? {
            locals += u64::from(group?.0);
        }
        ensure!(locals < MOST_LOCALS, "a function has {locals} locals, and no room for an address");
        Ok(Change {
            binary,
            known: Known::new(assignments),
            loops: HashMap::new(),
            twin: None,
            now: Vec::new(),
            steps: Vec::new(),
            traps: Vec::new(),
            looks: Looks::default(),
            locals: locals as u32,
            ours: Vec::new(),
            push: None,
        })
    }

    /// Changes instructions up to the end of the function, or of the loop of which a twin is being written.
    pub(super) fn run(
        &mut self,
        operators: &mut OperatorsReader<'_>,
        declared: &Declared,
        imports: &Imports,
    ) -> Result<()> {
        while !operators.eof() && self.twin.as_ref().is_none_or(|twin| !twin.is_over()) {
            let (operator, at) = operators.read_with_offset()?;
            let raw = &self.binary[at as usize..operators.original_position() as usize];
            let is_loop = matches!(operator, Operator::Loop { .. });
            let walks = if is_loop { self.walks(at) } else { Vec::new() };
            if !walks.is_empty() {
                let end = self.twins(&walks, (raw, at), declared, imports)?;
                while operators.original_position() < end {
                    operators.read()?;
                }
                self.push = None;
                continue;
            }
            let before = at as u32;
            match access::of(&operator, declared)? {
                None => {
                    self.step(before);
                    let start = self.now.len();
                    match led(&operator, imports).or_else(|| self.twin.as_mut()?.led(&operator)) {
                        Some(led) => led.encode(&mut self.now),
                        None => self.now.extend(raw),
                    }
                    self.push = is_push(&operator).then_some(start);
                }
                Some(access) => {
                    self.access(&access, raw, before);
                    self.push = None;
                }
            }
            self.known.step(&operator, at);
        }
        Ok(())
    }

    /// What comes next was there before.
    pub(super) fn step(&mut self, before: u32) {
        let now = self.now.len() as u32;
        match self.steps.last() {
            Some(&(last, then)) if now.wrapping_sub(last) == before.wrapping_sub(then) => {}
            _ => self.steps.push((now, before)),
        }
    }

    pub(super) fn add(&mut self, instructions: &[Instruction<'_>]) {
        instructions.iter().for_each(|instruction| instruction.encode(&mut self.now));
    }

    fn access(&mut self, access: &Access, raw: &[u8], before: u32) {
        match access {
            Access::Size => {
                self.step(before);
                self.now.extend(raw);
                self.add(&[Instruction::I64ExtendI32U]);
            }
            Access::Grow => self.grow(raw, before),
            Access::Uses(operands, argument) => {
                let offset = self.narrow(operands, argument.map(|argument| argument.offset), before);
                self.step(before);
                match (argument, offset) {
                    (Some(argument), Some(offset)) => {
                        // With one of 4 GiB and more, it ends beyond any memory wherever it begins; so it does with the largest.
                        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
                        with_argument(raw, u32::from(argument.align), offset, &mut self.now);
                    }
                    _ => self.now.extend(raw),
                }
            }
        }
    }

    /// More than 32 bits can say is more than there can be.
    fn grow(&mut self, raw: &[u8], before: u32) {
        use Instruction::{I32Const, I32Ne, I32WrapI64, I64Const, I64ExtendI32U, I64LeU, LocalGet, LocalTee, Select};
        let [wide, narrow] = [self.local(ValType::I64, 0), self.local(ValType::I32, 0)];
        self.add(&[
            LocalTee(wide),
            I32WrapI64,
            I32Const(-1),
            LocalGet(wide),
            I64Const(i64::from(u32::MAX)),
            I64LeU,
            Select,
        ]);
        self.step(before);
        self.now.extend(raw);
        // What there was, or all ones.
        self.add(&[LocalTee(narrow), I64ExtendI32U, I64Const(-1), LocalGet(narrow), I32Const(-1), I32Ne, Select]);
    }

    /// Makes addresses on the stack narrow. The offset of a load or store, whose only address that is, may change.
    fn narrow(&mut self, operands: &[Operand], offset: Option<u64>, before: u32) -> Option<u64> {
        // Below the last address nothing has to be moved.
        let lowest = operands.iter().position(|operand| *operand == Operand::Address).unwrap_or(operands.len());
        let operands = &operands[lowest..];
        if let ([Operand::Address, Operand::Other(_)], Some(start)) = (operands, self.push) {
            let value = self.now.split_off(start);
            while self.steps.pop_if(|&mut (now, _)| now as usize >= start).is_some() {}
            let offset = self.address(1, offset, before);
            self.now.extend(value);
            return offset;
        }
        let mut kept = Vec::new();
        for (depth, operand) in operands.iter().skip(1).rev().enumerate() {
            let kind = match operand {
                Operand::Address => {
                    self.address(depth, None, before);
                    ValType::I32
                }
                Operand::Other(kind) => *kind,
            };
            // The first one of 64 bits is that of the address that is looked at.
            let first = usize::from(kind == ValType::I64);
            let number = first + kept.iter().filter(|(other, _)| *other == kind).count();
            let local = self.local(kind, number);
            self.add(&[Instruction::LocalSet(local)]);
            kept.push((kind, local));
        }
        let offset = match operands.first() {
            Some(Operand::Address) => self.address(operands.len() - 1, offset, before),
            _ => offset,
        };
        kept.iter().rev().for_each(|&(_, local)| self.add(&[Instruction::LocalGet(local)]));
        offset
    }

    /// Makes the address on top of the stack narrow, which lay so far below the top; what is added to it then.
    ///
    /// An address that is a little above a narrow one becomes that one, and the difference is added by the instruction, whose
    /// sum has 33 bits and so is right. One that is a little below is narrow, or below 0, and cut to 32 bits it then lies in the last
    /// page of 4 GiB, which no memory has.
    fn address(&mut self, depth: usize, offset: Option<u64>, before: u32) -> Option<u64> {
        use Instruction::{
            End, I32Const, I32Sub, I32WrapI64, I64Add, I64Const, I64ExtendI32U, I64Ne, If, LocalGet, LocalTee,
        };
        self.looks.addresses += 1;
        let value = self.known.below(depth);
        let near = self.known.near(value).filter(|far| *far == 0 || offset.is_some());
        let step = self.twin.as_ref().and_then(|twin| twin.steps.get(&before).copied());
        let offset = match near {
            None if step.is_some_and(|step| step > 0) => {
                let (step, offset) = (step.unwrap_or(0), offset.unwrap_or(0) as i64);
                if offset != step {
                    self.add(&[I64Const(offset - step), I64Add]);
                }
                self.add(&[I32WrapI64]);
                Some(step as u64)
            }
            None if step.is_some() => {
                self.add(&[I32WrapI64]);
                offset
            }
            Some(far) if far > 0 => {
                self.add(&[I32WrapI64, I32Const(far as i32), I32Sub]);
                offset.map(|offset| offset.saturating_add(far as u64))
            }
            Some(_) => {
                self.add(&[I32WrapI64]);
                offset
            }
            None => {
                self.looks.needed += 1;
                let wide = self.local(ValType::I64, 0);
                // Compared with its own lower half, which the access then has as well, it needs no constant.
                self.add(&[LocalTee(wide), I32WrapI64, I64ExtendI32U, LocalGet(wide), I64Ne]);
                // A compiler makes one instruction of both, which has the place of the first.
                self.traps_here(before);
                self.add(&[If(BlockType::Empty)]);
                self.trap(before);
                self.add(&[End, LocalGet(wide), I32WrapI64]);
                offset
            }
        };
        self.known.shown(value);
        offset
    }

    fn trap(&mut self, before: u32) {
        self.traps_here(before);
        self.add(&[Instruction::Unreachable]);
    }

    fn traps_here(&mut self, before: u32) {
        self.step(before);
        self.traps.push(self.now.len() as u32);
    }

    /// A local of ours: of this type, the one with this number.
    fn local(&mut self, kind: ValType, number: usize) -> u32 {
        let place =
            |ours: &[ValType]| ours.iter().enumerate().filter(|(_, ours)| **ours == kind).nth(number).map(|(at, _)| at);
        loop {
            match place(&self.ours) {
                Some(at) => return self.locals + at as u32,
                None => self.ours.push(kind),
            }
        }
    }

    /// Adds the function to the section.
    fn finish(self, body: &FunctionBody<'_>, code: &mut Code) -> Result<()> {
        let total = u64::from(self.locals) + self.ours.len() as u64;
        ensure!(total <= MOST_LOCALS, "a function has {} locals, and no room for addresses", self.locals);
        let start = body.range().start as usize;
        let rest = body.get_operators_reader()?.original_position() as usize;
        let mut reader = BinaryReader::new(&self.binary[start..rest], 0);
        let groups = reader.read_var_u32()?;
        let mut head = Vec::new();
        (groups + self.ours.len() as u32).encode(&mut head);
        head.extend(&self.binary[start + reader.original_position() as usize..rest]);
        for kind in &self.ours {
            1_u32.encode(&mut head);
            kind.encode(&mut head);
        }
        (head.len() + self.now.len()).encode(&mut code.content);
        code.steps.push((code.content.len() as u32, start as u32));
        code.content.extend(head);
        let base = code.content.len() as u32;
        code.steps.extend(self.steps.iter().map(|&(now, before)| (base + now, before)));
        code.traps.extend(self.traps.iter().map(|at| base + at));
        code.content.extend(self.now);
        code.looks.addresses += self.looks.addresses;
        code.looks.needed += self.looks.needed;
        code.looks.walks += self.looks.walks;
        Ok(())
    }
}

/// What takes the place of an instruction that has to do with an import before which a function stands.
fn led(operator: &Operator<'_>, imports: &Imports) -> Option<Instruction<'static>> {
    let around = |function: u32| imports.around().get(&function).copied();
    match *operator {
        Operator::Call { function_index } => around(function_index).map(Instruction::Call),
        Operator::ReturnCall { function_index } => around(function_index).map(Instruction::ReturnCall),
        Operator::RefFunc { function_index } => around(function_index).map(Instruction::RefFunc),
        _ => None,
    }
}

/// Whether an instruction does nothing but push a value.
fn is_push(operator: &Operator<'_>) -> bool {
    matches!(
        operator,
        Operator::LocalGet { .. }
            | Operator::GlobalGet { .. }
            | Operator::I32Const { .. }
            | Operator::I64Const { .. }
            | Operator::F32Const { .. }
            | Operator::F64Const { .. }
            | Operator::V128Const { .. }
            | Operator::RefNull { .. }
            | Operator::RefFunc { .. }
    )
}

/// An instruction with this alignment and offset, as short as they can be.
fn with_argument(raw: &[u8], align: u32, offset: u32, into: &mut Vec<u8>) {
    const PREFIXES: std::ops::RangeInclusive<u8> = 0xfb..=0xfe;
    let length = |at: usize| raw[at..].iter().position(|byte| byte & 0x80 == 0).map_or(0, |last| last + 1);
    let mut at = 1;
    if PREFIXES.contains(&raw[0]) {
        at += length(at);
    }
    into.extend(&raw[..at]);
    align.encode(into);
    offset.encode(into);
    // The memory is the only one. It may be named nevertheless.
    const NAMES_MEMORY: u8 = 1 << 6;
    let names_memory = raw[at] & NAMES_MEMORY != 0;
    for _ in 0..2 + usize::from(names_memory) {
        at += length(at);
    }
    // The number of a lane.
    into.extend(&raw[at..]);
}
