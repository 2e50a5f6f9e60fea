//! Functions of MPI as a program with 64-bit addresses calls them, before those that the host has.
//!
//! The host's take addresses and handles of 32 bits. So an import gets the type that the host gives it, and a function of the
//! module's own, behind all others, stands before it with the type that the program knows. What 32 bits can't hold is passed as
//! all ones, where nothing lies and which is no handle: an error of the call, as any wrong address is. Words of which 64 bits
//! count, an `MPI_Aint` or an attribute, go to an import of another name ([`rankine_abi::LP64`]), and addresses with them; all
//! addresses of a large program do.

use std::collections::HashMap;

use anyhow::{Result, ensure};
use rankine_abi::{Chapter, Class, Datatype, Function, LP64, Parameter, ValueType};
use wasm_encoder::{Encode, Instruction, ValType};
use wasmparser::{CompositeInnerType, FuncType, Parser, Payload, TypeRef};

use crate::sections::roomy_call;

/// How the names of the functions begin that stand before MPI's. A call of theirs is their caller's.
const BEFORE: &str = "pmpi_with_narrow_words:";

/// A function of object graphs whose numbers have 64 bits in all programs. Those of others are addresses and handles.
const TAKES_NUMBERS: &str = "Rankine_Set_limits";

/// Datatypes that are larger where a `long` has 64 bits: a bit for each, from the first one on, and where that of the host begins.
const LARGER: (u64, Datatype) = {
    let (mut bits, mut at) = (0, 0);
    let first = Datatype::AINT;
    while at < u64::BITS {
        let datatype = Datatype(first.0 + at);
        if datatype.in_lp64().0 != datatype.0 {
            bits |= 1 << at;
        }
        at += 1;
    }
    (bits, first)
};
/// The bit of a number that such a datatype has for the host, and is not in the number that the program knows.
const LARGER_BIT: i32 = (Datatype::AINT.in_lp64().0 ^ Datatype::AINT.0).trailing_zeros() as i32;

/// How a word gets from the program to the host.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Passed {
    AsItIs,
    /// A handle, a function or an address, cut to 32 bits.
    Cut,
    /// A handle of a datatype: the larger ones have other numbers for the host.
    Datatype,
    /// Whole, to an import whose word has 64 bits where others have 32.
    Whole,
}

/// A function before one of MPI's.
struct Before {
    import: u32,
    name: String,
    /// What the module does itself.
    itself: Option<Instruction<'static>>,
    /// The program is given a word of 64 bits.
    gives_address: bool,
    /// The number of the type that the program knows.
    wide: u32,
    /// The host's.
    narrow: (Vec<ValType>, ValType),
    words: Vec<Passed>,
}

/// The functions before MPI's.
#[derive(Default)]
pub(super) struct Imports {
    all: Vec<Before>,
    /// How many types and functions there are without them.
    types: u32,
    functions: u32,
    /// The numbers of those that have one, and of that one.
    around: HashMap<u32, u32>,
}

impl Imports {
    /// What a module needs that is well-formed.
    pub(super) fn of(binary: &[u8], is_large: bool) -> Result<Imports> {
        let mut types: Vec<Option<FuncType>> = Vec::new();
        let (mut imports, mut has_own) = (Imports::default(), false);
        for payload in Parser::new(0).parse_all(binary) {
            match payload? {
                Payload::TypeSection(groups) => {
                    for group in groups {
                        types.extend(group?.into_types().map(|kind| match kind.composite_type.inner {
                            CompositeInnerType::Func(kind) => Some(kind),
                            _ => None,
                        }));
                    }
                }
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        let import = import?;
                        let (TypeRef::Func(wide) | TypeRef::FuncExact(wide)) = import.ty else { continue };
                        let number = imports.functions;
                        imports.functions += 1;
                        let kind = types.get(wide as usize).and_then(Option::as_ref);
                        match (import.module, kind) {
                            (rankine_abi::MODULE, Some(kind)) => {
                                imports.note((number, import.name), wide, kind, is_large)
                            }
                            (rankine_object::MODULE, Some(kind)) => {
                                ensure!(
                                    !is_large,
                                    "it calls {}, which a program with -m64=large can't call: objects of -m64 can be linked without",
                                    import.name
                                );
                                imports.note_of_objects((number, import.name), wide, kind);
                            }
                            _ => {}
                        }
                    }
                }
                Payload::FunctionSection(functions) => {
                    has_own = true;
                    imports.functions += functions.count();
                }
                _ => {}
            }
        }
        imports.types = types.len() as u32;
        if !has_own {
            // Nobody calls them.
            imports.all.clear();
        }
        let first = imports.functions;
        imports.around = imports.all.iter().zip(first..).map(|(before, around)| (before.import, around)).collect();
        Ok(imports)
    }

    fn note(&mut self, (import, name): (u32, &str), wide: u32, kind: &FuncType, is_large: bool) {
        let Some(function) = Function::named(name.strip_prefix('P').unwrap_or(name)) else { return };
        let words: Option<Vec<Passed>> = match kind.params().len() == function.parameters.len() {
            true => {
                let words = kind.params().iter().zip(function.parameters).zip(function.described());
                words.map(|word| passed(word, function)).collect()
            }
            false => None,
        };
        // A function of another type is refused when it is linked, with a reason.
        let Some(mut words) = words else { return };
        let itself = match function.name {
            "MPI_Aint_add" => Some(Instruction::I64Add),
            "MPI_Aint_diff" => Some(Instruction::I64Sub),
            _ => None,
        };
        // One that takes such words takes all addresses whole.
        if is_large || words.contains(&Passed::Whole) {
            words.iter_mut().zip(function.described()).for_each(|(word, described)| {
                if *word == Passed::Cut && described.is_address() {
                    *word = Passed::Whole;
                }
            });
        }
        let results = kind.results();
        let gives_address = results == [wasmparser::ValType::I64] && function.result == ValueType::I32;
        if words.iter().any(|word| *word != Passed::AsItIs) || gives_address {
            let narrow = words.iter().zip(function.parameters).map(|(word, &narrow)| match word {
                Passed::Whole if itself.is_none() => ValType::I64,
                _ => encoded(narrow),
            });
            let narrow = (narrow.collect(), encoded(function.result));
            self.all.push(Before { import, name: name.into(), itself, gives_address, wide, narrow, words });
        }
    }

    /// Notes a function of object graphs, whose words are cut if they have 64 bits.
    fn note_of_objects(&mut self, (import, name): (u32, &str), wide: u32, kind: &FuncType) {
        let cut = |word: &wasmparser::ValType| *word == wasmparser::ValType::I64;
        let is_of_ints =
            |words: &[wasmparser::ValType]| words.iter().all(|word| cut(word) || *word == wasmparser::ValType::I32);
        // A function of another type is refused when it is linked, with a reason.
        if name == TAKES_NUMBERS || !is_of_ints(kind.params()) || kind.results() != [wasmparser::ValType::I32] {
            return;
        }
        let words = kind.params().iter().map(|word| if cut(word) { Passed::Cut } else { Passed::AsItIs });
        self.all.push(Before {
            import,
            name: name.into(),
            itself: None,
            gives_address: false,
            wide,
            narrow: (vec![ValType::I32; kind.params().len()], ValType::I32),
            words: words.collect(),
        });
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The functions before imports, by those.
    pub(super) fn around(&self) -> &HashMap<u32, u32> {
        &self.around
    }

    /// Types for the end of their section: one for each.
    pub(super) fn types(&self) -> Vec<u8> {
        const FUNCTION: u8 = 0x60;
        let mut types = Vec::new();
        for Before { narrow: (parameters, result), .. } in &self.all {
            types.push(FUNCTION);
            parameters.encode(&mut types);
            [*result].encode(&mut types);
        }
        types
    }

    /// The type that an import gets.
    pub(super) fn narrow_type(&self, import: u32) -> Option<u32> {
        let around = self.around.get(&import)?;
        Some(self.types + (around - self.functions))
    }

    /// The name that an import gets, if another than it has.
    pub(super) fn name(&self, import: u32) -> Option<String> {
        let around = self.around.get(&import)?;
        let before = self.all.get((around - self.functions) as usize)?;
        let is_another = before.itself.is_none() && before.words.contains(&Passed::Whole);
        is_another.then(|| format!("{}{LP64}", before.name))
    }

    /// For the end of the section of functions.
    pub(super) fn functions(&self) -> Vec<u8> {
        let mut functions = Vec::new();
        self.all.iter().for_each(|before| before.wide.encode(&mut functions));
        functions
    }

    /// For the end of the section of code.
    pub(super) fn bodies(&self) -> Vec<u8> {
        let mut bodies = Vec::new();
        self.all.iter().for_each(|before| before.body().encode(&mut bodies));
        bodies
    }

    /// The names of the new functions.
    pub(super) fn names(&self) -> Vec<(u32, String)> {
        self.all.iter().map(|before| (self.around[&before.import], format!("{BEFORE}{}", before.name))).collect()
    }
}

impl Before {
    fn body(&self) -> wasm_encoder::Function {
        use Instruction::{
            End, I32And, I32Const, I32LtU, I32Or, I32Shl, I32Sub, I32WrapI64, I64Const, I64ExtendI32U, I64LeU, I64ShrU,
            LocalGet, LocalTee, Select,
        };
        let mut body = wasm_encoder::Function::new([(1, ValType::I32), (1, ValType::I32)]);
        let word = self.words.len() as u32;
        let place = word + 1;
        let mut add = |instructions: &[Instruction<'_>]| {
            instructions.iter().for_each(|instruction| {
                body.instruction(instruction);
            });
        };
        if let Some(itself) = &self.itself {
            add(&[LocalGet(0), LocalGet(1), itself.clone(), End]);
            return body;
        }
        for (local, passed) in (0..).zip(&self.words) {
            add(&[LocalGet(local)]);
            if matches!(passed, Passed::AsItIs | Passed::Whole) {
                continue;
            }
            add(&[I32WrapI64, I32Const(-1), LocalGet(local), I64Const(i64::from(u32::MAX)), I64LeU, Select]);
            if *passed == Passed::Datatype {
                // Its place among those of which some are larger; the bit there, unless it is none of them.
                let (larger, first) = LARGER;
                add(&[LocalTee(word), LocalGet(word), I32Const(first.0 as i32), I32Sub, LocalTee(place)]);
                add(&[I32Const(64), I32LtU, I64Const(larger as i64), LocalGet(place), I64ExtendI32U, I64ShrU]);
                add(&[I32WrapI64, I32And, I32Const(LARGER_BIT), I32Shl, I32Or]);
            }
        }
        body.raw(roomy_call(self.import));
        if self.gives_address {
            body.instruction(&I64ExtendI32U);
        }
        body.instruction(&End);
        body
    }
}

fn encoded(kind: ValueType) -> ValType {
    match kind {
        ValueType::I32 => ValType::I32,
        ValueType::I64 => ValType::I64,
        ValueType::F64 => ValType::F64,
    }
}

/// How a word is passed; nothing if the two sides have types that don't go together.
fn passed(
    ((wide, narrow), described): ((&wasmparser::ValType, &ValueType), &Parameter),
    function: &Function,
) -> Option<Passed> {
    // What gives a handle's integer gives what the program knows.
    let is_datatype = described.is_passed(Class::Datatype) && function.chapter != Chapter::Convert;
    match (wide, narrow) {
        (wasmparser::ValType::I64, ValueType::I32) if described.is_long_in_lp64(function.is_large()) => {
            Some(Passed::Whole)
        }
        (wasmparser::ValType::I64, ValueType::I32) if is_datatype => Some(Passed::Datatype),
        (wasmparser::ValType::I64, ValueType::I32) => Some(Passed::Cut),
        (wasmparser::ValType::I32, ValueType::I32)
        | (wasmparser::ValType::I64, ValueType::I64)
        | (wasmparser::ValType::F64, ValueType::F64) => Some(Passed::AsItIs),
        _ => None,
    }
}
