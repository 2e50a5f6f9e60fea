//! Atomic operations of a program whose memory nobody shares become plain ones.
//!
//! All objects are compiled with atomics, so that those of programs with threads and of programs without can be linked together.
//! Wasmtime's interpreter knows no atomics; where it runs a program without threads, this comes before.
//!
//! A load or store is one of another number. What reads and writes at once becomes a call of a function that does so, behind all
//! others. Every instruction of a function keeps its place in it. The one difference: an
//! operation on an address that isn't a multiple of its size does not end in a trap.

use std::collections::BTreeMap;

use anyhow::{Result, bail, ensure};
use wasm_encoder::{Encode, Module, RawSection};
use wasmparser::{BinaryReader, Parser, Payload, TypeRef};

use crate::sections::{grown, write_number};
use crate::{Changed, Moved};

/// The first byte of every atomic instruction.
const ATOMIC: u8 = 0xfe;

/// The numbers of instructions, as the specification has them.
mod code {
    pub(super) const UNREACHABLE: u8 = 0x00;
    pub(super) const NOP: u8 = 0x01;
    pub(super) const IF: u8 = 0x04;
    pub(super) const END: u8 = 0x0b;
    pub(super) const CALL: u8 = 0x10;
    pub(super) const DROP: u8 = 0x1a;
    pub(super) const LOCAL_GET: u8 = 0x20;
    pub(super) const LOCAL_TEE: u8 = 0x22;
    pub(super) const I32_CONST: u8 = 0x41;
    pub(super) const I64_CONST: u8 = 0x42;
    pub(super) const NO_RESULT: u8 = 0x40;
}

const I32: u8 = 0x7f;
const I64: u8 = 0x7e;

/// An access that there are atomic operations for, in the order in which these are numbered.
struct Width {
    value: u8,
    /// How many bits of the value are in memory.
    bits: u32,
    load: u8,
    store: u8,
}

const WIDTHS: [Width; 7] = [
    Width { value: I32, bits: 32, load: 0x28, store: 0x36 },
    Width { value: I64, bits: 64, load: 0x29, store: 0x37 },
    Width { value: I32, bits: 8, load: 0x2d, store: 0x3a },
    Width { value: I32, bits: 16, load: 0x2f, store: 0x3b },
    Width { value: I64, bits: 8, load: 0x31, store: 0x3c },
    Width { value: I64, bits: 16, load: 0x33, store: 0x3d },
    Width { value: I64, bits: 32, load: 0x35, store: 0x3e },
];

/// What an atomic instruction does.
enum Does {
    Notify,
    Wait {
        value: u8,
    },
    Fence,
    Load(&'static Width),
    Store(&'static Width),
    /// Reads, and writes what this instruction makes of it: the one for 32 bits, and the one for 64.
    Change(&'static Width, [u8; 2]),
    Exchange(&'static Width),
    CompareExchange(&'static Width),
}

impl Does {
    fn of(number: u32) -> Result<Does> {
        let width = &WIDTHS[(number as usize).wrapping_sub(0x10) % WIDTHS.len()];
        Ok(match number {
            0x00 => Does::Notify,
            0x01 => Does::Wait { value: I32 },
            0x02 => Does::Wait { value: I64 },
            0x03 => Does::Fence,
            0x10..=0x16 => Does::Load(width),
            0x17..=0x1d => Does::Store(width),
            0x1e..=0x24 => Does::Change(width, [0x6a, 0x7c]),
            0x25..=0x2b => Does::Change(width, [0x6b, 0x7d]),
            0x2c..=0x32 => Does::Change(width, [0x71, 0x83]),
            0x33..=0x39 => Does::Change(width, [0x72, 0x84]),
            0x3a..=0x40 => Does::Change(width, [0x73, 0x85]),
            0x41..=0x47 => Does::Exchange(width),
            0x48..=0x4e => Does::CompareExchange(width),
            _ => bail!("it has an atomic instruction that is not known: {number:#x}"),
        })
    }
}

/// The module with plain operations for atomic ones.
pub fn alone(binary: &[u8]) -> Result<Changed> {
    let mut change = Change::of(binary)?;
    let mut code = change.code(binary)?;
    let (mut module, mut moved) = (Module::new(), Moved::default());
    for payload in Parser::new(0).parse_all(binary) {
        let payload = payload?;
        let Some((id, range)) = payload.as_section() else { continue };
        let content = &binary[range.start as usize..range.end as usize];
        let changed = match &payload {
            Payload::TypeSection(_) => grown(content, change.kinds.len(), &change.types())?,
            Payload::FunctionSection(_) => grown(content, change.helpers.len(), &change.functions())?,
            Payload::CodeSectionStart { .. } => {
                grown(&std::mem::take(&mut code), change.helpers.len(), &change.bodies())?
            }
            _ => content.to_vec(),
        };
        module.section(&RawSection { id, data: &changed });
        if matches!(payload, Payload::CodeSectionStart { .. }) {
            moved.add_code((module.len() - changed.len(), &changed), (range.start as usize, content));
            moved.end((module.len() - change.bodies().len()) as u32);
        }
    }
    Ok(Changed { binary: module.finish(), moved })
}

/// A function that does what an instruction did.
struct Helper {
    number: u32,
    kind: usize,
    body: Vec<u8>,
}

/// The change of one module.
#[derive(Default)]
struct Change {
    types: u32,
    functions: u32,
    /// The type of addresses.
    address: u8,
    /// Types of the new functions, as they are written.
    kinds: Vec<Vec<u8>>,
    /// By the instructions for which they stand.
    helpers: BTreeMap<Vec<u8>, Helper>,
}

impl Change {
    fn of(binary: &[u8]) -> Result<Change> {
        let mut change = Change { address: I32, ..Change::default() };
        for payload in Parser::new(0).parse_all(binary) {
            match payload? {
                Payload::TypeSection(groups) => {
                    for group in groups {
                        change.types += group?.types().len() as u32;
                    }
                }
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        match import?.ty {
                            TypeRef::Func(_) | TypeRef::FuncExact(_) => change.functions += 1,
                            TypeRef::Memory(memory) if memory.memory64 => change.address = I64,
                            _ => {}
                        }
                    }
                }
                Payload::FunctionSection(kinds) => change.functions += kinds.count(),
                Payload::MemorySection(memories) => {
                    for memory in memories {
                        if memory?.memory64 {
                            change.address = I64;
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(change)
    }

    /// The content of the section of code, with what replaces its atomic instructions.
    fn code(&mut self, binary: &[u8]) -> Result<Vec<u8>> {
        let (mut changed, mut first) = (Vec::new(), 0);
        for payload in Parser::new(0).parse_all(binary) {
            match payload? {
                Payload::CodeSectionStart { range, .. } => {
                    first = range.start as usize;
                    changed = binary[first..range.end as usize].to_vec();
                }
                Payload::CodeSectionEntry(body) => {
                    let mut operators = body.get_operators_reader()?;
                    while !operators.eof() {
                        let start = operators.original_position() as usize;
                        operators.read()?;
                        let end = operators.original_position() as usize;
                        if binary[start] == ATOMIC {
                            self.replace(&binary[start..end], &mut changed[start - first..end - first])?;
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(changed)
    }

    /// Writes what does the same into an instruction's place.
    fn replace(&mut self, instruction: &[u8], place: &mut [u8]) -> Result<()> {
        let mut reader = BinaryReader::new(&instruction[1..], 0);
        let does = Does::of(reader.read_var_u32()?)?;
        let access = &instruction[1 + reader.original_position() as usize..];
        place.fill(code::NOP);
        match does {
            Does::Fence => {}
            Does::Load(&Width { load: plain, .. }) | Does::Store(&Width { store: plain, .. }) => {
                place[0] = plain;
                place[1..=access.len()].copy_from_slice(access);
            }
            _ => {
                let helper = self.helper(instruction, &does, access);
                place[0] = code::CALL;
                // A number has five bytes at most.
                let end = place.len().min(6);
                ensure!(write_number(&mut place[1..end], helper), "it has too many functions to do without atomics");
            }
        }
        Ok(())
    }

    /// The number of the function that stands for an instruction.
    fn helper(&mut self, instruction: &[u8], does: &Does, access: &[u8]) -> u32 {
        if let Some(known) = self.helpers.get(instruction) {
            return known.number;
        }
        let (parameters, result, body) = self.function(does, access);
        let mut kind = vec![0x60];
        parameters.as_slice().encode(&mut kind);
        [result].as_slice().encode(&mut kind);
        let kind = self.kinds.iter().position(|known| *known == kind).unwrap_or_else(|| {
            self.kinds.push(kind);
            self.kinds.len() - 1
        });
        let number = self.functions + self.helpers.len() as u32;
        self.helpers.insert(instruction.to_vec(), Helper { number, kind, body });
        number
    }

    /// The parameters, the result and the body of a function that does what an instruction with this access does.
    fn function(&self, does: &Does, access: &[u8]) -> (Vec<u8>, u8, Vec<u8>) {
        use code::{DROP, END, I32_CONST, LOCAL_GET, LOCAL_TEE, UNREACHABLE};
        let is_long = |width: &Width| usize::from(width.value == I64);
        let (parameters, result, locals, body): (_, _, Vec<u8>, Vec<u8>) = match does {
            // Nobody waits.
            Does::Notify => {
                let read = [&[LOCAL_GET, 0, WIDTHS[0].load], access].concat();
                (vec![self.address, I32], I32, vec![], [&read[..], &[DROP, I32_CONST, 0]].concat())
            }
            // A trap, as in a memory that is not shared it always was.
            Does::Wait { value } => (vec![self.address, *value, I64], I32, vec![], vec![UNREACHABLE]),
            Does::Change(width, operation) => {
                let load = [&[LOCAL_GET, 0, LOCAL_GET, 0, width.load], access].concat();
                let change = [LOCAL_TEE, 2, LOCAL_GET, 1, operation[is_long(width)], width.store];
                let body = [&load[..], &change, access, &[LOCAL_GET, 2]].concat();
                (vec![self.address, width.value], width.value, vec![width.value], body)
            }
            Does::Exchange(width) => {
                let load = [&[LOCAL_GET, 0, width.load], access].concat();
                let body = [&load[..], &[LOCAL_GET, 0, LOCAL_GET, 1, width.store], access].concat();
                (vec![self.address, width.value], width.value, vec![], body)
            }
            Does::CompareExchange(width) => {
                let load = [&[LOCAL_GET, 0, width.load], access].concat();
                let equal = [[0x46], [0x51]][is_long(width)];
                let body = [
                    &load[..],
                    &[LOCAL_TEE, 3, LOCAL_GET, 1],
                    &narrowed(width),
                    &equal,
                    &[code::IF, code::NO_RESULT, LOCAL_GET, 0, LOCAL_GET, 2, width.store],
                    access,
                    &[END, LOCAL_GET, 3],
                ];
                (vec![self.address, width.value, width.value], width.value, vec![width.value], body.concat())
            }
            Does::Fence | Does::Load(_) | Does::Store(_) => unreachable!("these are replaced where they stand"),
        };
        let mut function = vec![locals.len() as u8];
        locals.iter().for_each(|&local| function.extend([1, local]));
        function.extend(body);
        function.push(END);
        (parameters, result, function)
    }

    fn types(&self) -> Vec<u8> {
        self.kinds.concat()
    }

    /// The new functions, in the order of their numbers.
    fn in_order(&self) -> Vec<&Helper> {
        let mut helpers: Vec<&Helper> = self.helpers.values().collect();
        helpers.sort_by_key(|helper| helper.number);
        helpers
    }

    fn functions(&self) -> Vec<u8> {
        let mut kinds = Vec::new();
        self.in_order().iter().for_each(|helper| (self.types + helper.kind as u32).encode(&mut kinds));
        kinds
    }

    fn bodies(&self) -> Vec<u8> {
        let mut bodies = Vec::new();
        self.in_order().iter().for_each(|helper| helper.body.as_slice().encode(&mut bodies));
        bodies
    }
}

/// Takes the bits off a value that are not in memory.
fn narrowed(width: &Width) -> Vec<u8> {
    let mut mask = Vec::new();
    match (width.value, width.bits) {
        (I32, 32) | (I64, 64) => return mask,
        (I32, bits) => {
            mask.push(code::I32_CONST);
            ((1i32 << bits) - 1).encode(&mut mask);
            mask.push(0x71);
        }
        (_, bits) => {
            mask.push(code::I64_CONST);
            ((1i64 << bits) - 1).encode(&mut mask);
            mask.push(0x83);
        }
    }
    mask
}
