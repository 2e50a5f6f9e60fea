//! Which modules leave the null page alone, and what is changed in those.
//!
//! A load or store of compiled code that faults is a trap. Instructions for whole blocks are not: Wasmtime sees that the
//! block lies in the memory, and then copies it by itself, without expecting a fault. So is a wait for an atomic number.
//! Each of them gets a look at its addresses before it, in compiled code, that ends in an ordinary load of the null page.
//!
//! Memory that no program has there can't be asked for: a block of no bytes may begin anywhere, as in C++ those of empty
//! vectors do.

use anyhow::{Result, bail, ensure};
use wasm_encoder::{BlockType, Encode, ExportKind, Instruction, MemArg, Module, RawSection, ValType};
use wasmparser::{
    BinaryReader, CompositeInnerType, DataKind, FunctionBody, GlobalType, KnownCustom, Operator, Parser, Payload,
    ProducersSectionReader, TypeRef, Validator, WasmFeatures,
};

use crate::sections::grown;
use crate::{Changed, Moved};

/// The section by which a module says that it uses nothing below [`LOWEST`].
pub const MARK: &str = rankine_abi::NULL_PAGE;

/// The lowest address that programs use.
pub const LOWEST: u64 = 1 << 16;

/// The stack pointer, as a guarded module exports it.
pub const STACK_POINTER: &str = "rankine stack pointer";

/// Locals that a function may have.
const MOST_LOCALS: u64 = 50_000;

/// From where on, in a function's new body, offsets are those of which old ones.
type Steps = Vec<(usize, usize)>;

/// The address range of a module, as far as it says so.
#[derive(Default)]
struct Layout {
    is_marked: bool,
    memories: Vec<wasmparser::MemoryType>,
    /// Data is put below, or nobody can say where.
    has_low_data: bool,
    /// Some of it was written in Rust.
    is_rust: bool,
    /// Where the stack begins, if the first global is its pointer.
    stack: Option<u64>,
}

impl Layout {
    fn of(binary: &[u8]) -> wasmparser::Result<Layout> {
        let mut layout = Layout::default();
        for payload in Parser::new(0).parse_all(binary) {
            match payload? {
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        if let TypeRef::Memory(memory) = import?.ty {
                            layout.memories.push(memory);
                        }
                    }
                }
                Payload::MemorySection(memories) => {
                    for memory in memories {
                        layout.memories.push(memory?);
                    }
                }
                Payload::DataSection(parts) => {
                    for part in parts {
                        if let DataKind::Active { offset_expr, .. } = part?.kind {
                            layout.has_low_data |= constant(&offset_expr)?.is_none_or(|at| at < LOWEST);
                        }
                    }
                }
                Payload::GlobalSection(globals) => {
                    if let Some(global) = globals.into_iter().next().transpose()? {
                        layout.stack = constant(&global.init_expr)?.filter(|_| global.ty.mutable);
                    }
                }
                Payload::CustomSection(section) => {
                    layout.is_marked |= section.name() == MARK;
                    if let KnownCustom::Producers(producers) = section.as_known() {
                        layout.is_rust |= is_rust(producers)?;
                    }
                }
                _ => {}
            }
        }
        Ok(layout)
    }
}

/// The address that an expression is, if it is a plain one.
fn constant(expression: &wasmparser::ConstExpr<'_>) -> wasmparser::Result<Option<u64>> {
    let mut reader = expression.get_operators_reader();
    let Operator::I32Const { value } = reader.read()? else { return Ok(None) };
    Ok(matches!(reader.read()?, Operator::End).then_some(u64::from(value as u32)))
}

/// Whether one of a module's languages is Rust.
fn is_rust(producers: ProducersSectionReader<'_>) -> wasmparser::Result<bool> {
    let mut is_rust = false;
    for field in producers {
        let field = field?;
        for value in field.values {
            is_rust |= field.name == "language" && value?.name == "Rust";
        }
    }
    Ok(is_rust)
}

/// Whether a module says that it uses nothing below [`LOWEST`], and nothing in it says otherwise.
pub fn is_wanted(binary: &[u8]) -> bool {
    let Ok(Layout { is_marked: true, memories, has_low_data: false, .. }) = Layout::of(binary) else { return false };
    matches!(&memories[..], [memory] if !memory.memory64 && memory.page_size_log2.is_none() && memory.initial >= 2)
}

/// Has a program in Rust say that it leaves the null page alone. Its compiler puts the stack first and gives it a MiB, of
/// which it then has a page less.
pub fn mark_rust(binary: &mut Vec<u8>) {
    const STACK: u64 = 1 << 20;
    if let Ok(Layout { is_rust: true, is_marked: false, stack: Some(STACK..), .. }) = Layout::of(binary) {
        mark(binary);
    }
}

/// Has a module say no more that it leaves the null page alone. All stays where it is.
pub fn unmark(binary: &mut [u8]) {
    let mut names = Vec::new();
    for payload in Parser::new(0).parse_all(binary) {
        match payload {
            Ok(Payload::CustomSection(section)) if section.name() == MARK => {
                names.push(section.data_offset() as usize - MARK.len());
            }
            Ok(_) => {}
            Err(_) => break,
        }
    }
    for at in names {
        binary[at] = b'-';
    }
}

/// Guards a module that wants it: it can't be made to touch the null page but by loads and stores. It is well-formed, or refused.
pub fn guard(binary: &[u8]) -> Result<Changed> {
    Validator::new_with_features(WasmFeatures::all()).validate_all(binary)?;
    let mut change = Change { binary, ..Change::default() };
    let mut module = Module::new();
    let mut code = 0;
    for payload in Parser::new(0).parse_all(binary) {
        let payload = payload?;
        change.note(&payload)?;
        let Some((id, range)) = payload.as_section() else { continue };
        let content = &binary[range.start as usize..range.end as usize];
        let changed = match &payload {
            Payload::ExportSection(_) => match change.stack_pointer() {
                Some(export) => grown(content, 1, &export)?,
                None => content.to_vec(),
            },
            Payload::CodeSectionStart { .. } => change.code(content, range.start)?,
            _ => content.to_vec(),
        };
        module.section(&RawSection { id, data: &changed });
        if matches!(payload, Payload::CodeSectionStart { .. }) {
            // Behind the section's number and length.
            code = module.len() - changed.len();
        }
    }
    let mut moved = Moved::default();
    change.steps.iter().for_each(|&(now, before)| moved.add(code as u32 + now, before));
    Ok(Changed { binary: module.finish(), moved })
}

/// The change of one module.
#[derive(Default)]
struct Change<'m> {
    binary: &'m [u8],
    /// How many parameters the functions of each type have.
    parameters: Vec<u32>,
    /// The types of the module's own functions.
    functions: Vec<u32>,
    imported_globals: u32,
    /// The first global of the module's own: the stack pointer, if it is one of a linker's.
    first_global: Option<GlobalType>,
    exports: Vec<String>,
    /// Positions in the section of code as it is now, and where that was in the module before.
    steps: Vec<(u32, u32)>,
}

impl Change<'_> {
    fn note(&mut self, payload: &Payload<'_>) -> Result<()> {
        match payload {
            Payload::TypeSection(types) => {
                for group in types.clone() {
                    self.parameters.extend(group?.into_types().map(|ty| match ty.composite_type.inner {
                        CompositeInnerType::Func(ty) => ty.params().len() as u32,
                        _ => 0,
                    }));
                }
            }
            Payload::ImportSection(imports) => {
                for import in imports.clone().into_imports() {
                    self.imported_globals += u32::from(matches!(import?.ty, TypeRef::Global(_)));
                }
            }
            Payload::FunctionSection(functions) => {
                for ty in functions.clone() {
                    self.functions.push(ty?);
                }
            }
            Payload::GlobalSection(globals) => {
                self.first_global = globals.clone().into_iter().next().transpose()?.map(|global| global.ty);
            }
            Payload::ExportSection(exports) => {
                for export in exports.clone() {
                    self.exports.push(export?.name.into());
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// An export of the stack pointer, by which an exhausted stack is told from a null pointer.
    fn stack_pointer(&self) -> Option<Vec<u8>> {
        let global = self.first_global?;
        let is_free = self.exports.iter().all(|name| name != STACK_POINTER);
        if !is_free || !global.mutable || global.shared || global.content_type != wasmparser::ValType::I32 {
            return None;
        }
        let mut export = Vec::new();
        STACK_POINTER.encode(&mut export);
        ExportKind::Global.encode(&mut export);
        self.imported_globals.encode(&mut export);
        Some(export)
    }

    /// The section of code.
    fn code(&mut self, content: &[u8], start: u64) -> Result<Vec<u8>> {
        let bodies = wasmparser::CodeSectionReader::new(BinaryReader::new(content, start))?;
        let mut changed = Vec::with_capacity(content.len() * 9 / 8);
        bodies.count().encode(&mut changed);
        for (body, number) in bodies.into_iter().zip(0..) {
            let body = body?;
            let (now, mut steps) = self.body(number, &body)?;
            now.len().encode(&mut changed);
            let base = changed.len();
            self.steps.extend(steps.drain(..).map(|(now, before)| ((base + now) as u32, before as u32)));
            changed.extend(now);
        }
        Ok(changed)
    }

    /// A function, and where its instructions were.
    fn body(&self, number: usize, body: &FunctionBody<'_>) -> Result<(Vec<u8>, Steps)> {
        let (start, end) = (body.range().start as usize, body.range().end as usize);
        let guards = guards(body)?;
        if guards.is_empty() {
            return Ok((self.binary[start..end].to_vec(), vec![(0, start)]));
        }
        let parameters = self.functions.get(number).and_then(|&ty| self.parameters.get(ty as usize));
        let mut locals = Vec::new();
        let mut count = u64::from(*parameters.unwrap_or(&0));
        for group in body.get_locals_reader()? {
            count += u64::from(group?.0);
        }
        let rest = body.get_operators_reader()?.original_position() as usize;
        let mut reader = BinaryReader::new(&self.binary[start..rest], 0);
        let groups = reader.read_var_u32()?;
        let ours = Locals::behind(count)?;
        (groups + 2).encode(&mut locals);
        locals.extend(&self.binary[start + reader.original_position() as usize..rest]);
        3_u32.encode(&mut locals);
        ValType::I32.encode(&mut locals);
        2_u32.encode(&mut locals);
        ValType::I64.encode(&mut locals);
        let (mut changed, mut steps, mut done) = (locals, vec![(0, start)], rest);
        steps.push((changed.len(), rest));
        for Guard { at, end: behind, what } in guards {
            changed.extend(&self.binary[done..at]);
            what.encode(ours, &mut changed, |now| steps.push((now, at)));
            steps.push((changed.len(), at));
            changed.extend(&self.binary[at..behind]);
            steps.push((changed.len(), behind));
            done = behind;
        }
        changed.extend(&self.binary[done..end]);
        Ok((changed, steps))
    }
}

/// The locals that guards keep operands in: three of 32 bits, two of 64.
#[derive(Copy, Clone)]
struct Locals(u32);

impl Locals {
    fn behind(count: u64) -> Result<Locals> {
        ensure!(count + 5 <= MOST_LOCALS, "a function has {count} locals, and no room for those that guard it");
        Ok(Locals(count as u32))
    }

    fn narrow(self, number: u32) -> u32 {
        self.0 + number
    }

    fn wide(self, number: u32) -> u32 {
        self.0 + 3 + number
    }
}

/// An instruction that is guarded.
struct Guard {
    at: usize,
    end: usize,
    what: What,
}

/// What it does.
#[derive(Copy, Clone)]
enum What {
    /// Copies between two places of the memory.
    Copy,
    /// Writes a block of it.
    Write,
    /// Waits for a number to change, which has 32 bits or 64.
    Wait { is_wide: bool, offset: u64 },
}

/// The instructions of a function that are guarded.
fn guards(body: &FunctionBody<'_>) -> Result<Vec<Guard>> {
    let mut guards = Vec::new();
    let mut reader = body.get_operators_reader()?;
    while !reader.eof() {
        let at = reader.original_position() as usize;
        let what = match reader.read()? {
            Operator::MemoryCopy { .. } => What::Copy,
            Operator::MemoryFill { .. } | Operator::MemoryInit { .. } => What::Write,
            Operator::MemoryAtomicWait32 { memarg } => What::Wait { is_wide: false, offset: memarg.offset },
            Operator::MemoryAtomicWait64 { memarg } => What::Wait { is_wide: true, offset: memarg.offset },
            Operator::MemoryDiscard { .. } => bail!("memory.discard is not known"),
            _ => continue,
        };
        // Such an address lies behind the page, whatever is added to the offset.
        if !matches!(what, What::Wait { offset, .. } if offset >= LOWEST) {
            guards.push(Guard { at, end: reader.original_position() as usize, what });
        }
    }
    Ok(guards)
}

impl What {
    /// Takes the operands from the stack, traps if they lead to the null page, and puts them there again. `traps` hears
    /// where instructions stand that can trap.
    fn encode(self, locals: Locals, into: &mut Vec<u8>, mut traps: impl FnMut(usize)) {
        let [first, second, third] = [0, 1, 2].map(|number| locals.narrow(number));
        let add = |instructions: &[Instruction<'_>], into: &mut Vec<u8>| {
            instructions.iter().for_each(|instruction| instruction.encode(into));
        };
        use Instruction::{End, I32Const, I32LtU, I32Or, If, LocalGet, LocalSet, Select};
        let operands = match self {
            What::Copy | What::Write => vec![first, second, third],
            What::Wait { is_wide: false, .. } => vec![first, second, locals.wide(0)],
            What::Wait { is_wide: true, .. } => vec![first, locals.wide(0), locals.wide(1)],
        };
        operands.iter().rev().for_each(|&local| LocalSet(local).encode(into));
        let below = |address, lowest| [LocalGet(address), I32Const(lowest), I32LtU];
        let lowest = LOWEST as i32;
        let offset = match self {
            What::Wait { offset, .. } => offset,
            _ => 0,
        };
        add(&below(first, lowest - offset as i32), into);
        if matches!(self, What::Copy) {
            add(&below(second, lowest), into);
            I32Or.encode(into);
        }
        If(BlockType::Empty).encode(into);
        let is_block = matches!(self, What::Copy | What::Write);
        if is_block {
            add(&[LocalGet(third), If(BlockType::Empty)], into);
        }
        LocalGet(first).encode(into);
        if matches!(self, What::Copy) {
            // The lower one.
            add(&[LocalGet(second), LocalGet(first), LocalGet(second), I32LtU, Select], into);
        }
        traps(into.len());
        Instruction::I32Load8U(MemArg { offset, align: 0, memory_index: 0 }).encode(into);
        Instruction::Drop.encode(into);
        // Where the page could not be taken, as on Windows, this is no place for a block either.
        traps(into.len());
        Instruction::Unreachable.encode(into);
        if is_block {
            End.encode(into);
        }
        End.encode(into);
        operands.iter().for_each(|&local| LocalGet(local).encode(into));
    }
}

/// The section that a linker adds to a module that leaves the null page alone.
pub fn mark(binary: &mut Vec<u8>) {
    let section = wasm_encoder::CustomSection { name: MARK.into(), data: (&[]).into() };
    binary.push(wasm_encoder::SectionId::Custom as u8);
    section.encode(binary);
}
