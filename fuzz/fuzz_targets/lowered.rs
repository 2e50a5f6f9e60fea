//! Modules with 64-bit addresses, most of them well-formed, to what lowers those to 32 bits: what was well-formed stays so, and what is
//! not is refused.

#![no_main]

use libfuzzer_sys::{arbitrary, fuzz_target};
use rankine_rewrite::lower64::{is_wide, lower};
use wasm_encoder::{
    BlockType, CodeSection, ConstExpr, DataSection, Function, FunctionSection, Instruction, MemArg, MemorySection,
    MemoryType, Module, TypeSection, ValType,
};

/// Parameters of the function, and its local, which is an `i32`.
const PARAMETERS: u32 = 2;

/// What pushes an address.
#[derive(Debug, arbitrary::Arbitrary)]
enum Address {
    Local(bool),
    Constant(i64),
    Sum(bool, i64),
    /// One local and the other, so many times.
    Element(bool, i8),
    Masked(bool, i64),
    Kept(bool, i64),
    Loaded(u64),
    Extended,
}

#[derive(Debug, arbitrary::Arbitrary)]
enum Step {
    Load(Address, u64),
    Store(Address, u64, Address),
    Vector(Address, u64, u8),
    Exchange(Address, u64),
    Copy(Address, Address, Address),
    Fill(Address, Address),
    Set(bool, Address),
    Grow(Address),
    /// An address that is left, and a load of what nobody has put there.
    Unreachable(Address),
    Block(Vec<Step>),
    Loop(Vec<Step>),
    /// With a local that moves in each turn.
    Walk(Vec<Step>, bool, i16),
    If(Vec<Step>, Vec<Step>),
}

#[derive(Debug, arbitrary::Arbitrary)]
struct Case {
    steps: Vec<Step>,
    pages: u8,
    data: u16,
    /// Bytes that are changed afterwards.
    changes: Vec<(u16, u8)>,
}

fn argument(offset: u64, align: u32) -> MemArg {
    MemArg { offset, align, memory_index: 0 }
}

impl Address {
    fn push(&self, to: &mut Function) {
        let local = |second: &bool| Instruction::LocalGet(u32::from(*second));
        match self {
            Address::Local(second) => drop(to.instruction(&local(second))),
            Address::Constant(number) => drop(to.instruction(&Instruction::I64Const(*number))),
            Address::Sum(second, number) => {
                to.instruction(&local(second))
                    .instruction(&Instruction::I64Const(*number))
                    .instruction(&Instruction::I64Add);
            }
            Address::Element(second, times) => {
                to.instruction(&local(&!second)).instruction(&local(second));
                to.instruction(&Instruction::I64Const((*times).into())).instruction(&Instruction::I64Mul);
                to.instruction(&Instruction::I64Add);
            }
            Address::Masked(second, number) => {
                to.instruction(&local(second))
                    .instruction(&Instruction::I64Const(*number))
                    .instruction(&Instruction::I64And);
            }
            Address::Kept(second, number) => {
                to.instruction(&Instruction::I64Const(*number)).instruction(&Instruction::LocalTee(u32::from(*second)));
            }
            Address::Loaded(offset) => {
                to.instruction(&Instruction::I64Const(0)).instruction(&Instruction::I64Load(argument(*offset, 3)));
            }
            Address::Extended => {
                to.instruction(&Instruction::LocalGet(PARAMETERS)).instruction(&Instruction::I64ExtendI32U);
            }
        }
    }
}

impl Step {
    fn add(&self, to: &mut Function) {
        let all = |steps: &[Step], to: &mut Function| steps.iter().for_each(|step| step.add(to));
        match self {
            Step::Load(at, offset) => {
                at.push(to);
                to.instruction(&Instruction::I32Load(argument(*offset, 0))).instruction(&Instruction::Drop);
            }
            Step::Store(at, offset, value) => {
                at.push(to);
                value.push(to);
                to.instruction(&Instruction::I64Store(argument(*offset, 3)));
            }
            Step::Vector(at, offset, lane) => {
                at.push(to);
                to.instruction(&Instruction::V128Const(7));
                let lane = lane % 4;
                to.instruction(&Instruction::V128Load32Lane { memarg: argument(*offset, 2), lane });
                to.instruction(&Instruction::Drop);
            }
            Step::Exchange(at, offset) => {
                at.push(to);
                to.instruction(&Instruction::I64Const(1)).instruction(&Instruction::LocalGet(0));
                to.instruction(&Instruction::I64AtomicRmwCmpxchg(argument(*offset, 3))).instruction(&Instruction::Drop);
            }
            Step::Copy(to_at, from, length) => {
                [to_at, from, length].into_iter().for_each(|address| address.push(to));
                to.instruction(&Instruction::MemoryCopy { src_mem: 0, dst_mem: 0 });
            }
            Step::Fill(at, length) => {
                at.push(to);
                to.instruction(&Instruction::I32Const(1));
                length.push(to);
                to.instruction(&Instruction::MemoryFill(0));
            }
            Step::Set(second, value) => {
                value.push(to);
                to.instruction(&Instruction::LocalSet(u32::from(*second)));
            }
            Step::Grow(by) => {
                by.push(to);
                to.instruction(&Instruction::MemoryGrow(0)).instruction(&Instruction::Drop);
            }
            Step::Unreachable(left) => {
                to.instruction(&Instruction::Block(BlockType::Empty));
                left.push(to);
                to.instruction(&Instruction::Unreachable).instruction(&Instruction::I32Load(argument(0, 0)));
                to.instruction(&Instruction::Drop).instruction(&Instruction::End);
            }
            Step::Block(steps) => {
                to.instruction(&Instruction::Block(BlockType::Empty));
                all(steps, to);
                to.instruction(&Instruction::End);
            }
            Step::Loop(steps) => {
                to.instruction(&Instruction::Loop(BlockType::Empty));
                all(steps, to);
                to.instruction(&Instruction::LocalGet(PARAMETERS)).instruction(&Instruction::BrIf(0));
                to.instruction(&Instruction::End);
            }
            Step::Walk(steps, second, by) => {
                to.instruction(&Instruction::Loop(BlockType::Empty));
                all(steps, to);
                Step::Set(*second, Address::Sum(*second, (*by).into())).add(to);
                to.instruction(&Instruction::LocalGet(PARAMETERS)).instruction(&Instruction::BrIf(0));
                to.instruction(&Instruction::End);
            }
            Step::If(then, otherwise) => {
                to.instruction(&Instruction::LocalGet(PARAMETERS)).instruction(&Instruction::If(BlockType::Empty));
                all(then, to);
                to.instruction(&Instruction::Else);
                all(otherwise, to);
                to.instruction(&Instruction::End);
            }
        }
    }
}

fn module(case: &Case) -> Vec<u8> {
    let mut types = TypeSection::new();
    types.ty().function([ValType::I64; PARAMETERS as usize], []);
    let mut functions = FunctionSection::new();
    functions.function(0);
    let mut memories = MemorySection::new();
    let pages = u64::from(case.pages);
    memories.memory(MemoryType { minimum: pages, maximum: None, memory64: true, shared: false, page_size_log2: None });
    let mut function = Function::new([(1, ValType::I32)]);
    case.steps.iter().for_each(|step| step.add(&mut function));
    function.instruction(&Instruction::End);
    let mut code = CodeSection::new();
    code.function(&function);
    let mut data = DataSection::new();
    data.active(0, &ConstExpr::i64_const(case.data.into()), *b"data");
    let mut module = Module::new();
    module.section(&types).section(&functions).section(&memories).section(&code).section(&data);
    module.finish()
}

fuzz_target!(|case: Case| {
    let mut bytes = module(&case);
    assert!(is_wide(&bytes));
    // What is made is checked there.
    let lowered = lower(&bytes).unwrap_or_else(|error| panic!("{error:#}"));
    assert!(!is_wide(&lowered.binary) && lowered.traps.is_sorted());
    for trap in &lowered.traps {
        assert!(lowered.moved.before(*trap).is_some_and(|before| (before as usize) < bytes.len()));
    }
    for (at, to) in &case.changes {
        let at = usize::from(*at) % bytes.len();
        bytes[at] = *to;
    }
    if !case.changes.is_empty() {
        is_wide(&bytes);
        drop(lower(&bytes));
    }
});
