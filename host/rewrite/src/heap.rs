//! A module whose heap is watched: calls of its allocator go to functions of its own around it, which ask the host how much
//! room a block gets and tell it where the block is; calls of MPI have it look at all blocks.
//!
//! The new functions come behind all others, and calls are led to them where they stand: every instruction of a function keeps its
//! place in it. Wasm-ld leaves room in a call for any number.

mod around;

use std::collections::HashMap;

use anyhow::{Result, bail, ensure};
use wasm_encoder::{Encode, ExportKind, Function, Module, RawSection};
use wasmparser::{
    CompositeInnerType, FuncType, MemoryType, Operator, Parser, Payload, TypeRef, Validator, WasmFeatures,
};

use crate::sections::{function_names, grown, led_elements, named, write_number};
use crate::{Changed, Moved};
use around::{Around, Hooks, Word};

/// The table by which a program asks the host, as it is exported, and the places in it.
pub const TABLE: &str = "rankine heap";
/// How many places it has.
const HOOKS: u32 = 5;
/// How many bytes to ask the allocator for.
const ASK: u32 = 0;
/// Where the allocator has put them: where the block is.
const GOT: u32 = 1;
/// A block is freed: which one the allocator may have back.
const FREED: u32 = 2;
/// How long a block is.
const LENGTH: u32 = 3;
/// Whether all is well.
const LOOK: u32 = 4;

/// How the names of functions begin that stand around others. A call of theirs is their caller's, as with Fortran's bindings.
pub const WRAPPER: &str = "pmpi_watched_heap:";

/// The allocator's functions that get others around them.
const ALLOCATOR: [&str; 6] = ["malloc", "free", "calloc", "realloc", "aligned_alloc", "posix_memalign"];
/// How the names begin of what the allocator is made of.
const ITS_OWN: [&str; 9] = [
    "__wrap_",
    "dlmalloc",
    "dlfree",
    "dlcalloc",
    "dlrealloc",
    "internal_memalign",
    "prepend_alloc",
    "dispose_chunk",
    "try_realloc_chunk",
];

/// What has to be known of a module.
#[derive(Default)]
struct Known {
    types: Vec<FuncType>,
    /// The types of all functions, those that are imported first.
    functions: Vec<u32>,
    imported_functions: u32,
    /// Imported functions of MPI: their numbers and names.
    mpi: Vec<(u32, String)>,
    tables: u32,
    has_table_section: bool,
    memory: Option<MemoryType>,
    names: HashMap<u32, String>,
}

/// Changes a module so that its heap is watched.
pub fn instrument(binary: &[u8]) -> Result<Changed> {
    Validator::new_with_features(WasmFeatures::all()).validate_all(binary)?;
    let known = Known::of(binary)?;
    let change = Change::new(known)?;
    let (mut module, mut moved) = (Module::new(), Moved::default());
    for payload in Parser::new(0).parse_all(binary) {
        let payload = payload?;
        let Some((id, range)) = payload.as_section() else { continue };
        let content = &binary[range.start as usize..range.end as usize];
        let changed = match &payload {
            Payload::TypeSection(_) => grown(content, 2, &hook_types())?,
            Payload::FunctionSection(_) => grown(content, change.wrapped.len(), &change.types())?,
            Payload::TableSection(_) => grown(content, 1, &[0x70, 1, HOOKS as u8, HOOKS as u8])?,
            Payload::ExportSection(_) => grown(content, 1, &change.export())?,
            Payload::ElementSection(elements) => {
                led_elements(elements.clone(), content, range.start as usize, &change.around)?
            }
            Payload::CodeSectionStart { .. } => change.code(binary, content, range.start as usize)?,
            Payload::CustomSection(section) if section.name() == "name" => change.names(content)?,
            _ => content.to_vec(),
        };
        module.section(&RawSection { id, data: &changed });
        if matches!(payload, Payload::CodeSectionStart { .. }) {
            moved.add_code((module.len() - changed.len(), &changed), (range.start as usize, content));
        }
    }
    Ok(Changed { binary: module.finish(), moved })
}

/// The types of what the host is asked: how much room, by alignment and size; and whatever takes and gives a word.
fn hook_types() -> Vec<u8> {
    const FUNCTION: u8 = 0x60;
    let (word, wide) = (0x7f, 0x7e);
    vec![FUNCTION, 2, word, wide, 1, word, FUNCTION, 1, word, 1, word]
}

impl Known {
    fn of(binary: &[u8]) -> Result<Known> {
        let mut known = Known::default();
        for payload in Parser::new(0).parse_all(binary) {
            match payload? {
                Payload::TypeSection(groups) => {
                    for group in groups {
                        for kind in group?.into_types() {
                            let CompositeInnerType::Func(kind) = kind.composite_type.inner else {
                                bail!("it has types that are not those of functions")
                            };
                            known.types.push(kind);
                        }
                    }
                }
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        known.note_import(import?);
                    }
                }
                Payload::FunctionSection(kinds) => {
                    for kind in kinds {
                        known.functions.push(kind?);
                    }
                }
                Payload::TableSection(tables) => {
                    known.tables += tables.count();
                    known.has_table_section = true;
                }
                Payload::MemorySection(memories) => {
                    for memory in memories {
                        known.memory = Some(memory?);
                    }
                }
                Payload::CustomSection(section) => {
                    known.names.extend(function_names(&section).map(|(index, name)| (index, name.into())));
                }
                _ => {}
            }
        }
        Ok(known)
    }

    fn note_import(&mut self, import: wasmparser::Import<'_>) {
        match import.ty {
            TypeRef::Func(kind) | TypeRef::FuncExact(kind) => {
                if import.module == rankine_abi::MODULE {
                    self.mpi.push((self.imported_functions, import.name.into()));
                }
                self.functions.push(kind);
                self.imported_functions += 1;
            }
            TypeRef::Table(_) => self.tables += 1,
            TypeRef::Memory(memory) => self.memory = Some(memory),
            _ => {}
        }
    }

    fn kind(&self, function: u32) -> &FuncType {
        &self.types[self.functions[function as usize] as usize]
    }

    /// The number of a function of the allocator: of the one that the linker has put before it, if there is one.
    fn named(&self, name: &str) -> Option<u32> {
        let find = |name: &str| self.names.iter().find(|(_, known)| *known == name).map(|(number, _)| *number);
        find(&format!("__wrap_{name}")).or_else(|| find(name))
    }

    /// Whether a function is one of the allocator's.
    fn is_its_own(&self, function: u32) -> bool {
        self.names.get(&function).is_some_and(|name| {
            ALLOCATOR.contains(&name.as_str()) || ITS_OWN.iter().any(|beginning| name.starts_with(beginning))
        })
    }
}

/// The change of one module.
struct Change {
    known: Known,
    /// Functions that get one around them, with the names of those.
    wrapped: Vec<(u32, String)>,
    /// The numbers of the functions around them.
    around: HashMap<u32, u32>,
    /// What the allocator's functions take.
    word: Word,
}

impl Change {
    fn new(known: Known) -> Result<Change> {
        let of_allocator = ALLOCATOR.iter().filter_map(|name| Some((known.named(name)?, (*name).to_owned())));
        let wrapped: Vec<(u32, String)> = of_allocator.chain(known.mpi.iter().cloned()).collect();
        let has = |name: &str| wrapped.iter().any(|(_, known)| known == name);
        ensure!(
            has("malloc") && has("free") && known.has_table_section,
            "--check-heap has to know the functions of the allocator by their names, and the program has none: link it with \
             `rankine cc`, `c++` or `fc`, and without -s"
        );
        ensure!(known.memory.is_some_and(|memory| !memory.shared), "--check-heap is for programs without threads");
        ensure!(
            known.memory.is_some_and(|memory| !memory.memory64),
            "its memory may have more than 4 GiB (-m64=large), and --check-heap watches heaps of less: link it with -m64 for that"
        );
        let first = known.functions.len() as u32;
        let around = wrapped.iter().zip(first..).map(|((function, _), around)| (*function, around)).collect();
        let word = known.named("malloc").map_or(Word::Narrow, |malloc| Word::of(known.kind(malloc)));
        Ok(Change { known, wrapped, around, word })
    }

    fn kind(&self, function: u32) -> &FuncType {
        self.known.kind(function)
    }

    fn types(&self) -> Vec<u8> {
        let mut types = Vec::new();
        self.wrapped.iter().for_each(|(function, _)| self.known.functions[*function as usize].encode(&mut types));
        types
    }

    fn export(&self) -> Vec<u8> {
        let mut export = Vec::new();
        TABLE.encode(&mut export);
        ExportKind::Table.encode(&mut export);
        self.known.tables.encode(&mut export);
        export
    }

    /// The section of code, with calls led to the functions around, and with those.
    fn code(&self, binary: &[u8], content: &[u8], start: usize) -> Result<Vec<u8>> {
        let mut led = content.to_vec();
        let mut number = self.known.imported_functions;
        for payload in Parser::new(0).parse_all(binary) {
            let Payload::CodeSectionEntry(body) = payload? else { continue };
            let is_its_own = self.known.is_its_own(number);
            number += 1;
            if is_its_own {
                continue;
            }
            let mut operators = body.get_operators_reader()?;
            while !operators.eof() {
                let (operator, at) = operators.read_with_offset()?;
                let (Operator::Call { function_index } | Operator::ReturnCall { function_index }) = operator else {
                    continue;
                };
                let Some(around) = self.around.get(&function_index) else { continue };
                // Behind the byte that says what the instruction is.
                let place = at as usize + 1 - start..operators.original_position() as usize - start;
                ensure!(
                    write_number(&mut led[place], *around),
                    "--check-heap can't change its calls: link it with `rankine cc`, without -Wl,-O"
                );
            }
        }
        let mut bodies = Vec::new();
        for (function, name) in &self.wrapped {
            self.body(*function, name).encode(&mut bodies);
        }
        grown(&led, self.wrapped.len(), &bodies)
    }

    /// The section of names, with those of the new functions.
    fn names(&self, content: &[u8]) -> Result<Vec<u8>> {
        let names = self.wrapped.iter().map(|(function, name)| (self.around[function], format!("{WRAPPER}{name}")));
        named(content, &names.collect::<Vec<_>>())
    }

    /// The function around one.
    fn body(&self, function: u32, name: &str) -> Function {
        let kind = self.kind(function);
        let hooks = Hooks { kind: self.known.types.len() as u32, table: self.known.tables };
        let around = |numbers: u32| Around::new(function, self.word, hooks, numbers);
        let is = |parameters: usize| self.word.is_all_of(kind, parameters);
        let of = |name: &str| self.around[&self.known.named(name).expect("there are malloc and free")];
        match name {
            "malloc" if is(1) => around(0).malloc(),
            "free" if is(1) => around(1).free(),
            "calloc" if is(2) => around(0).calloc(),
            "realloc" if is(2) => around(2).realloc(of("malloc"), of("free")),
            "aligned_alloc" if is(2) => around(0).aligned_alloc(),
            "posix_memalign" if is(3) => around(1).posix_memalign(),
            _ => around(0).looking(kind.params().len() as u32),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = r#"(module
        (import "mpi" "MPI_Barrier" (func $MPI_Barrier (param i32) (result i32)))
        (table 2 funcref)
        (memory (export "memory") 1)
        (elem (i32.const 1) $free)
        (func $dlmalloc (param i32) (result i32) (call $malloc (local.get 0)))
        (func $malloc (param i32) (result i32) (i32.const 64))
        (func $free (param i32))
        (func $calloc (param i32 i32) (result i32) (i32.const 64))
        (func $realloc (param i32 i32) (result i32) (i32.const 64))
        (func $aligned_alloc (param i32 i32) (result i32) (i32.const 64))
        (func $posix_memalign (param i32 i32 i32) (result i32) (i32.const 0))
        (func $main (export "_start")
            (call $free (call $realloc (call $malloc (i32.const 8)) (i32.const 9)))
            (drop (call $MPI_Barrier (i32.const 257)))))"#;

    /// What is called in each function of a module, by the numbers of the functions.
    fn calls(binary: &[u8]) -> Vec<Vec<u32>> {
        let bodies = Parser::new(0).parse_all(binary).filter_map(|payload| match payload.unwrap() {
            Payload::CodeSectionEntry(body) => Some(body),
            _ => None,
        });
        let calls = |body: wasmparser::FunctionBody<'_>| {
            let operators = body.get_operators_reader().unwrap().into_iter();
            let called = operators.filter_map(|operator| match operator.unwrap() {
                Operator::Call { function_index } => Some(function_index),
                _ => None,
            });
            called.collect()
        };
        bodies.map(calls).collect()
    }

    #[test]
    fn calls_of_the_allocator_and_of_mpi_are_led_to_functions_around() {
        let changed = instrument(&wat::parse_str(PROGRAM).unwrap()).unwrap().binary;
        Validator::new_with_features(WasmFeatures::all()).validate_all(&changed).unwrap();
        let calls = calls(&changed);
        // The allocator's own stay; those of `main` go behind the nine functions that there are.
        assert_eq!(calls[0], [2]);
        assert_eq!(calls[7], [9, 12, 10, 15]);
        assert_eq!(calls.len(), 8 + 7);
        let known = Known::of(&changed).unwrap();
        assert_eq!(known.names[&15], format!("{WRAPPER}MPI_Barrier"));
    }

    #[test]
    fn instructions_are_found_where_they_were() {
        let starts = |binary: &[u8]| -> Vec<u32> {
            let bodies = Parser::new(0).parse_all(binary).filter_map(|payload| match payload.unwrap() {
                Payload::CodeSectionEntry(body) => Some(body.range().start as u32),
                _ => None,
            });
            bodies.collect()
        };
        // Calls that the text format writes have no room for greater numbers, so there are none here.
        let quiet = PROGRAM
            .replace("(call $free (call $realloc (call $malloc (i32.const 8)) (i32.const 9)))", "")
            .replace("(drop (call $MPI_Barrier (i32.const 257)))", "");
        // With those around, the number of functions takes one byte, and then two.
        for functions in [8, 120, 127, 130] {
            let text = quiet.replace("(func $dlmalloc", &format!("{}(func $dlmalloc", "(func) ".repeat(functions - 8)));
            let binary = wat::parse_str(text).unwrap();
            let changed = instrument(&binary).unwrap();
            let found = starts(&changed.binary).into_iter().take(functions).map(|at| changed.moved.before(at));
            assert_eq!(found.collect::<Vec<_>>(), starts(&binary).into_iter().map(Some).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_lowered_program_is_led_too() {
        // Where a function stands before MPI's, it is that one's call that is led, and there are too many functions for one byte.
        let wide = PROGRAM
            .replace("(call $free (call $realloc (call $malloc (i32.const 8)) (i32.const 9)))", "")
            .replace("(param i32) (result i32))", "(param i64) (result i32))")
            .replace("(func $dlmalloc (param i32) (result i32) (call $malloc (local.get 0)))", &"(func) ".repeat(140))
            .replace("(i32.const 257)", "(i64.const 257)")
            .replace("(export \"memory\")", "(export \"memory\") i64");
        let lowered = crate::lower64::lower(&wat::parse_str(wide).unwrap()).unwrap().binary;
        let changed = instrument(&lowered).unwrap().binary;
        let calls = calls(&changed);
        let (before, barrier) = (148, 148 + 7);
        assert_eq!((&calls[146][..], &calls[before - 1][..]), (&[before as u32][..], &[barrier][..]));
    }

    #[test]
    fn what_can_t_be_watched_is_refused() {
        let refused = |text: &str| instrument(&wat::parse_str(text).unwrap()).err().unwrap().to_string();
        let nameless = PROGRAM.replace("$malloc", "$own");
        assert!(refused(&nameless).contains("by their names"));
        let shared = PROGRAM.replace("(memory (export \"memory\") 1)", "(memory (export \"memory\") 1 2 shared)");
        assert!(refused(&shared).contains("without threads"));
        let large = PROGRAM.replace("(export \"memory\")", "(export \"memory\") i64");
        assert!(refused(&large).contains("-m64=large"));
    }
}
