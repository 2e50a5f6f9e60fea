//! A module whose calls of MPI are measured: each import of MPI gets a function of the module's own around it, which
//! tells the host of the call's beginning and end, and each place that calls one says first which it is.
//!
//! So a place is known by its number, and no stack has to be walked. Fortran's bindings are functions of the module that
//! call MPI's: a place of theirs would say nothing, and who calls them counts instead.
//!
//! All that is new comes behind what is there (types, functions, a table in which the host puts what it is told by, a
//! global with the place), so that no number changes. Only calls of what is measured do.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use anyhow::{Result, ensure};
use rankine_abi::{Direction, Function, Meaning, Parameter, Payload};
use wasm_encoder::{Encode, Instruction, Module, RawSection, SectionId, ValType};
use wasmparser::{BinaryReader, FunctionBody, Operator, Parser, Payload as Part, TypeRef};

use crate::Moved;
use crate::sections::{comes_before, function_names, grown, led_elements, section};

/// The table by which a program tells of its calls, as it is exported.
pub const TABLE: &str = "rankine profile";
/// What is told of a beginning: function, place, buffer, count, datatype, communicator.
const BEGINNING: [ValType; 6] = [ValType::I32, ValType::I32, ValType::I64, ValType::I64, ValType::I32, ValType::I32];

/// The words of a call that are told, where all are: as many as a function of MPI has.
pub const MOST_WORDS: usize = 14;

/// What a program tells of its calls.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Tell {
    /// How much data they move.
    Payloads,
    /// All their words, and their results. It is answered with where a status is to go that the program ignores.
    Words,
}

/// The places of a program that call MPI.
pub struct Sites {
    /// What the program is known by, which is said by who changes it.
    pub program: u64,
    /// The functions that are measured.
    pub functions: Vec<Measured>,
    /// Each place.
    pub places: Vec<Site>,
}

impl Sites {
    /// Has each place be where it was before these earlier changes, which are given in their order. One that these have made is
    /// nowhere.
    pub fn before(&mut self, changes: &[Moved]) {
        for site in &mut self.places {
            site.offset = changes.iter().rev().try_fold(site.offset, |at, moved| moved.before(at)).unwrap_or(u32::MAX);
        }
    }
}

/// A function that is measured.
pub struct Measured {
    /// As it is imported.
    pub name: String,
    /// How much data its calls move.
    pub payload: Option<Payload>,
    /// Whether arrays of counts have numbers of 64 bits.
    pub is_large: bool,
    /// What is known of it, if it is MPI's.
    pub function: Option<&'static Function>,
    index: u32,
    ty: u32,
}

/// A place that calls MPI.
pub struct Site {
    /// Where in the module that it was before.
    pub offset: u32,
    /// The function that it lies in, if that has a name.
    pub function: Option<Arc<str>>,
}

/// Imports that are measured: some times as many as MPI has functions.
const MOST_IMPORTS: usize = 4096;

/// What says that a call has no place: it is made through a pointer.
pub const NO_SITE: u32 = u32::MAX;

/// A module that tells of its calls.
pub struct Telling {
    /// The module.
    pub binary: Vec<u8>,
    /// Where it calls.
    pub sites: Sites,
    /// Where its instructions were before.
    pub moved: Moved,
}

/// What has to be known of a module before it is changed.
#[derive(Default)]
struct Known {
    functions: Vec<Measured>,
    /// Functions, those that are imported first; so with tables and globals.
    imported_functions: u32,
    all_functions: u32,
    tables: u32,
    globals: u32,
    types: u32,
    /// The types of parameters and results, by the number of the type.
    signatures: Vec<(Vec<wasmparser::ValType>, Vec<wasmparser::ValType>)>,
    names: HashMap<u32, Arc<str>>,
}

impl Known {
    fn of(module: &[u8]) -> Result<Known> {
        let mut known = Known::default();
        for payload in Parser::new(0).parse_all(module) {
            match payload? {
                Part::TypeSection(types) => {
                    for group in types {
                        known.types_of(group?);
                    }
                }
                Part::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        known.note_import(import?);
                    }
                }
                Part::FunctionSection(functions) => known.all_functions += functions.count(),
                Part::TableSection(tables) => known.tables += tables.count(),
                Part::GlobalSection(globals) => known.globals += globals.count(),
                Part::CustomSection(section) => {
                    known.names.extend(function_names(&section).map(|(index, name)| (index, name.into())));
                }
                _ => {}
            }
        }
        Ok(known)
    }

    fn types_of(&mut self, group: wasmparser::RecGroup) {
        for ty in group.into_types() {
            self.types += 1;
            self.signatures.push(match ty.composite_type.inner {
                wasmparser::CompositeInnerType::Func(ty) => (ty.params().to_vec(), ty.results().to_vec()),
                _ => Default::default(),
            });
        }
    }

    fn note_import(&mut self, import: wasmparser::Import<'_>) {
        match import.ty {
            TypeRef::Func(ty) | TypeRef::FuncExact(ty) => {
                if matches!(import.module, rankine_abi::MODULE | rankine_object::MODULE) {
                    let function = Function::of_import(import.name).filter(|_| import.module == rankine_abi::MODULE);
                    self.functions.push(Measured {
                        name: function.map_or(import.name, |function| function.name).into(),
                        payload: function.and_then(|function| function.payload),
                        is_large: function.is_some_and(Function::is_large),
                        function,
                        index: self.imported_functions,
                        ty,
                    });
                }
                self.imported_functions += 1;
                self.all_functions += 1;
            }
            TypeRef::Table(_) => self.tables += 1,
            TypeRef::Global(_) => self.globals += 1,
            _ => {}
        }
    }
}

/// How the names of Fortran's bindings begin.
const BINDING: &str = "pmpi_";

/// Changes a module that is well-formed so that it tells this of its calls.
pub fn tell(binary: &[u8], what: Tell) -> Result<Telling> {
    let known = Known::of(binary)?;
    let imports = known.functions.len();
    ensure!(imports <= MOST_IMPORTS, "{imports} imports of MPI are more than a profile has lines for");
    let bindings = known.names.iter().filter(|(_, name)| name.starts_with(BINDING)).map(|(index, _)| *index).collect();
    let around = known.all_functions..;
    let wrapped = known.functions.iter().zip(around).map(|(function, around)| (function.index, around)).collect();
    let mut change = Change { binary, what, known, wrapped, bindings, places: Vec::new(), steps: Vec::new(), end: 0 };
    let mut module = Module::new();
    let (mut has_table, mut has_global, mut code) = (false, false, 0);
    for payload in Parser::new(0).parse_all(binary) {
        let payload = payload?;
        let Some((id, range)) = payload.as_section() else { continue };
        if !has_table && !comes_before(id, SectionId::Table) {
            has_table = true;
            if id != SectionId::Table as u8 {
                section(&mut module, SectionId::Table, &[&[1], &TWO_FUNCTIONS[..]].concat());
            }
        }
        if !has_global && !comes_before(id, SectionId::Global) {
            has_global = true;
            if id != SectionId::Global as u8 {
                section(&mut module, SectionId::Global, &[&[1], &global()[..]].concat());
            }
        }
        let content = &binary[range.start as usize..range.end as usize];
        let changed = match &payload {
            Part::TypeSection(_) => grown(content, 2, &types(what))?,
            Part::FunctionSection(_) => grown(content, change.known.functions.len(), &change.types_of_wrappers())?,
            Part::TableSection(_) => grown(content, 1, &TWO_FUNCTIONS)?,
            Part::GlobalSection(_) => grown(content, 1, &global())?,
            Part::ExportSection(_) => grown(content, 1, &change.export())?,
            Part::ElementSection(elements) => {
                led_elements(elements.clone(), content, range.start as usize, &change.wrapped)?
            }
            Part::CodeSectionStart { .. } => change.code(content, range.start)?,
            _ => content.to_vec(),
        };
        module.section(&RawSection { id, data: &changed });
        if matches!(payload, Part::CodeSectionStart { .. }) {
            // Behind the section's number and length.
            code = module.len() - changed.len();
        }
    }
    let mut moved = Moved::default();
    change.steps.iter().for_each(|&(now, before)| moved.add(code as u32 + now, before));
    moved.end(code as u32 + change.end);
    let sites = Sites { program: 0, functions: change.known.functions, places: change.places };
    Ok(Telling { binary: module.finish(), sites, moved })
}

/// The types of what is told.
fn types(what: Tell) -> Vec<u8> {
    let mut types = vec![FUNCTION];
    match what {
        Tell::Payloads => {
            types.push(BEGINNING.len() as u8);
            BEGINNING.iter().for_each(|ty| ty.encode(&mut types));
            types.extend([0, FUNCTION, 0, 0]);
        }
        Tell::Words => {
            types.push(2 + MOST_WORDS as u8);
            [ValType::I32; 2].iter().chain(&[ValType::I64; MOST_WORDS]).for_each(|ty| ty.encode(&mut types));
            types.push(1);
            ValType::I64.encode(&mut types);
            types.extend([FUNCTION, 1]);
            ValType::I32.encode(&mut types);
            types.push(0);
        }
    }
    types
}

/// How the type of a function begins.
const FUNCTION: u8 = 0x60;
/// A table of two functions, no more and no less.
const TWO_FUNCTIONS: [u8; 4] = [0x70, 1, 2, 2];

/// The global that says which place calls.
fn global() -> Vec<u8> {
    let mut global = Vec::new();
    ValType::I32.encode(&mut global);
    global.push(1);
    Instruction::I32Const(NO_SITE as i32).encode(&mut global);
    Instruction::End.encode(&mut global);
    global
}

/// The change of one module.
struct Change<'m> {
    binary: &'m [u8],
    what: Tell,
    known: Known,
    /// The functions that are measured, and those around them.
    wrapped: HashMap<u32, u32>,
    /// Fortran's bindings.
    bindings: HashSet<u32>,
    places: Vec<Site>,
    /// Positions in the section of code as it is now, and where that was in the module before.
    steps: Vec<(u32, u32)>,
    /// Where the functions begin there that are new.
    end: u32,
}

impl Change<'_> {
    fn types_of_wrappers(&self) -> Vec<u8> {
        let mut types = Vec::new();
        self.known.functions.iter().for_each(|function| function.ty.encode(&mut types));
        types
    }

    fn export(&self) -> Vec<u8> {
        let mut export = Vec::new();
        TABLE.encode(&mut export);
        wasm_encoder::ExportKind::Table.encode(&mut export);
        self.known.tables.encode(&mut export);
        export
    }

    /// The section of code.
    fn code(&mut self, content: &[u8], start: u64) -> Result<Vec<u8>> {
        let bodies = wasmparser::CodeSectionReader::new(BinaryReader::new(content, start))?;
        let mut changed = Vec::with_capacity(content.len() * 5 / 4);
        (bodies.count() + self.known.functions.len() as u32).encode(&mut changed);
        for (body, number) in bodies.into_iter().zip(self.known.imported_functions..) {
            self.body(number, &body?, &mut changed)?;
        }
        self.end = changed.len() as u32;
        self.known.functions.iter().enumerate().for_each(|(number, _)| self.wrapper(number).encode(&mut changed));
        Ok(changed)
    }

    fn body(&mut self, from: u32, body: &FunctionBody<'_>, into: &mut Vec<u8>) -> Result<()> {
        let (start, end) = (body.range().start as usize, body.range().end as usize);
        let mut changed = Vec::with_capacity(end - start);
        let mut steps = vec![(0, start)];
        let mut done = start;
        let mut reader = body.get_operators_reader()?;
        while !reader.eof() {
            let at = reader.original_position() as usize;
            let operator = reader.read()?;
            let is_told = self.is_told(&operator, from);
            let around = |function: u32| self.wrapped.get(&function).copied().unwrap_or(function);
            let instruction = match operator {
                Operator::Call { function_index } => Instruction::Call(around(function_index)),
                Operator::ReturnCall { function_index } => Instruction::ReturnCall(around(function_index)),
                Operator::RefFunc { function_index } => Instruction::RefFunc(around(function_index)),
                _ => continue,
            };
            if !is_told && !matches!(instruction, Instruction::RefFunc(_)) && !self.calls_measured(&operator) {
                continue;
            }
            changed.extend(&self.binary[done..at]);
            if is_told {
                Instruction::I32Const(self.places.len() as i32).encode(&mut changed);
                Instruction::GlobalSet(self.known.globals).encode(&mut changed);
                self.places.push(Site { offset: at as u32, function: self.known.names.get(&from).cloned() });
            }
            steps.push((changed.len(), at));
            instruction.encode(&mut changed);
            if is_told && matches!(instruction, Instruction::Call(_)) {
                Instruction::I32Const(NO_SITE as i32).encode(&mut changed);
                Instruction::GlobalSet(self.known.globals).encode(&mut changed);
            }
            done = reader.original_position() as usize;
            steps.push((changed.len(), done));
        }
        changed.extend(&self.binary[done..end]);
        changed.len().encode(into);
        let base = into.len();
        self.steps.extend(steps.into_iter().map(|(now, before)| ((base + now) as u32, before as u32)));
        into.extend(changed);
        Ok(())
    }

    /// Whether an instruction calls a function that is measured.
    fn calls_measured(&self, operator: &Operator<'_>) -> bool {
        matches!(operator, Operator::Call { function_index } | Operator::ReturnCall { function_index }
            if self.wrapped.contains_key(function_index))
    }

    /// Whether it says first where it stands: in the function `from`.
    fn is_told(&self, operator: &Operator<'_>, from: u32) -> bool {
        let calls_binding = matches!(operator, Operator::Call { function_index } | Operator::ReturnCall { function_index }
            if self.bindings.contains(function_index));
        !self.bindings.contains(&from) && (calls_binding || self.calls_measured(operator))
    }

    /// The function around one that is measured.
    fn wrapper(&self, number: usize) -> wasm_encoder::Function {
        let function = &self.known.functions[number];
        let signature = self.known.signatures.get(function.ty as usize);
        let (parameters, results) = signature.map_or((&[][..], &[][..]), |(from, to)| (&from[..], &to[..]));
        if self.what == Tell::Words {
            return self.wrapper_of_words(number, parameters, results);
        }
        let mut body = wasm_encoder::Function::new([]);
        let words = function.payload;
        let known = (parameters, function.function.map_or(&[][..], Function::described));
        body.instruction(&Instruction::I32Const(number as i32))
            .instruction(&Instruction::GlobalGet(self.known.globals));
        self.word(&mut body, known, words.and_then(|words| words.buffer), true);
        self.word(&mut body, known, words.map(|words| words.count), true);
        self.word(&mut body, known, words.map(|words| words.datatype), false);
        self.word(&mut body, known, words.map(|words| words.comm), false);
        self.tell(&mut body, 0);
        for word in 0..parameters.len() {
            body.instruction(&Instruction::LocalGet(word as u32));
        }
        body.instruction(&Instruction::Call(function.index));
        self.tell(&mut body, 1);
        body.instruction(&Instruction::End);
        body
    }

    /// The function around one whose words are told.
    fn wrapper_of_words(
        &self,
        number: usize,
        parameters: &[wasmparser::ValType],
        results: &[wasmparser::ValType],
    ) -> wasm_encoder::Function {
        let function = &self.known.functions[number];
        let described = function.function.map_or(&[][..], Function::described);
        let result = matches!(results, [wasmparser::ValType::I32]).then_some(parameters.len() as u32);
        let mut body = wasm_encoder::Function::new(result.map(|_| (1, ValType::I32)));
        body.instruction(&Instruction::I32Const(number as i32))
            .instruction(&Instruction::GlobalGet(self.known.globals));
        for word in 0..MOST_WORDS as u8 {
            self.word(&mut body, (parameters, described), Some(word), true);
        }
        self.tell(&mut body, 0);
        let is_status = |word: &Parameter| word.meaning == Meaning::Status && word.direction == Direction::Out;
        let status = described.iter().position(is_status);
        match status.and_then(|word| Some((word as u32, parameters.get(word)?))) {
            Some((word, wasmparser::ValType::I64)) => body.instruction(&Instruction::LocalSet(word)),
            Some((word, wasmparser::ValType::I32)) => {
                body.instruction(&Instruction::I32WrapI64).instruction(&Instruction::LocalSet(word))
            }
            _ => body.instruction(&Instruction::Drop),
        };
        for word in 0..parameters.len() {
            body.instruction(&Instruction::LocalGet(word as u32));
        }
        body.instruction(&Instruction::Call(function.index));
        match result {
            Some(local) => {
                body.instruction(&Instruction::LocalTee(local)).instruction(&Instruction::LocalGet(local));
            }
            None => {
                body.instruction(&Instruction::I32Const(0));
            }
        }
        self.tell(&mut body, 1);
        body.instruction(&Instruction::End);
        body
    }

    /// A word of the call, or 0, with 32 or 64 bits.
    fn word(
        &self,
        body: &mut wasm_encoder::Function,
        (parameters, described): (&[wasmparser::ValType], &[Parameter]),
        number: Option<u8>,
        is_wide: bool,
    ) {
        let known = number.and_then(|number| Some((number, parameters.get(usize::from(number))?)));
        let Some((number, ty)) = known else {
            body.instruction(&if is_wide { Instruction::I64Const(0) } else { Instruction::I32Const(0) });
            return;
        };
        body.instruction(&Instruction::LocalGet(number.into()));
        let is_address = described.get(usize::from(number)).is_some_and(Parameter::is_address);
        match (ty, is_wide) {
            (wasmparser::ValType::I32, true) if is_address => body.instruction(&Instruction::I64ExtendI32U),
            (wasmparser::ValType::I32, true) => body.instruction(&Instruction::I64ExtendI32S),
            (wasmparser::ValType::F64, true) => body.instruction(&Instruction::I64ReinterpretF64),
            (wasmparser::ValType::F32, true) => {
                body.instruction(&Instruction::I32ReinterpretF32).instruction(&Instruction::I64ExtendI32S)
            }
            (wasmparser::ValType::I64, false) => body.instruction(&Instruction::I32WrapI64),
            _ => body,
        };
    }

    /// Calls what the host has put into the table: 0 hears of a beginning, 1 of an end.
    fn tell(&self, body: &mut wasm_encoder::Function, which: u32) {
        body.instruction(&Instruction::I32Const(which as i32)).instruction(&Instruction::CallIndirect {
            type_index: self.known.types + which,
            table_index: self.known.tables,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasmparser::{Validator, WasmFeatures};

    const PROGRAM: &str = r#"(module
        (type $call (func (param i32) (result i32)))
        (import "mpi" "MPI_Barrier" (func $barrier (type $call)))
        (import "env" "other" (func $other))
        (import "mpi" "MPI_Send_c" (func $send (param i32 i64 i32 i32 i32 i32) (result i32)))
        (table 2 funcref)
        (memory (export "memory") 1)
        (elem (i32.const 0) $barrier $bind)
        (func $bind (type $call) (drop (call $barrier (local.get 0))) (i32.const 0))
        (func $pmpi_barrier_ (type $call) (call $barrier (local.get 0)))
        (func (export "_start") (local f64)
            (drop (call $barrier (i32.const 257)))
            (call $other)
            (drop (call $send (i32.const 0) (i64.const 3) (i32.const 512) (i32.const 0) (i32.const 0) (i32.const 257)))
            (drop (call $pmpi_barrier_ (i32.const 257)))
            (drop (call_indirect (type $call) (i32.const 257) (i32.const 0)))))"#;

    /// The instructions of a module's own functions, and where they are.
    fn instructions(binary: &[u8], functions: usize) -> Vec<(u32, String)> {
        let bodies = Parser::new(0).parse_all(binary).filter_map(|payload| match payload.unwrap() {
            Part::CodeSectionEntry(body) => Some(body),
            _ => None,
        });
        let read = |body: FunctionBody<'_>| {
            let mut reader = body.get_operators_reader().unwrap();
            let mut all = Vec::new();
            while !reader.eof() {
                let at = reader.original_position() as u32;
                all.push((at, format!("{:?}", reader.read().unwrap())));
            }
            all
        };
        bodies.take(functions).flat_map(read).collect()
    }

    #[test]
    fn a_module_tells_of_its_calls() {
        let before = wat::parse_str(PROGRAM).unwrap();
        let Telling { binary, sites, moved } = tell(&before, Tell::Payloads).unwrap();
        Validator::new_with_features(WasmFeatures::all()).validate_all(&binary).unwrap();
        let names: Vec<&str> = sites.functions.iter().map(|function| function.name.as_str()).collect();
        assert_eq!(names, ["MPI_Barrier", "MPI_Send_c"]);
        assert!(sites.functions[1].is_large && sites.functions[1].payload.is_some());
        let functions: Vec<&str> = sites.places.iter().map(|site| site.function.as_deref().unwrap_or("")).collect();
        // The binding's own call is none, and its caller's is one.
        assert_eq!(functions, ["bind", "", "", ""]);

        // Each instruction lies where it is said to lie: all but those that are new, and the calls that have changed.
        let known = instructions(&before, 3);

        let mut calls = 0;
        for (at, text) in instructions(&binary, 3) {
            let old = moved.before(at).unwrap();
            let is_new = text.contains("GlobalSet") || text.contains("I32Const");
            match known.iter().find(|(offset, _)| *offset == old) {
                Some((_, old)) if text.starts_with("Call {") => {
                    assert!(old.starts_with("Call {"), "{text} was {old}");
                    calls += 1;
                }
                Some((_, old)) => assert!(is_new || *old == text, "{text} was {old}"),
                None => assert!(is_new, "{text} is new"),
            }
        }
        assert_eq!(calls, 6);
        let after = instructions(&binary, 5).last().unwrap().0;
        assert_eq!(moved.before(after), None);
    }

    #[test]
    fn a_module_without_globals_and_tables_gets_them() {
        let text = r#"(module (import "mpi" "MPI_Buffer_flush" (func $flush (result i32)))
            (func (export "_start") (drop (call $flush))))"#;
        for what in [Tell::Payloads, Tell::Words] {
            let telling = tell(&wat::parse_str(text).unwrap(), what).unwrap();
            Validator::new_with_features(WasmFeatures::all()).validate_all(&telling.binary).unwrap();
        }
    }

    #[test]
    fn words_of_all_kinds_are_told() {
        let text = r#"(module (import "mpi" "MPI_Wtime" (func $time (result f64)))
            (import "mpi" "MPI_Recv_c" (func $receive (param i32 i64 i32 i32 i32 i32 i32) (result i32)))
            (import "rankine" "strange" (func $strange (param f64 f32)))
            (func (export "_start") (drop (call $time)) (call $strange (f64.const 1) (f32.const 2))
                (drop (call $receive (i32.const 0) (i64.const 1) (i32.const 0) (i32.const 0) (i32.const 0)
                    (i32.const 0) (i32.const 0)))))"#;
        let before = [wat::parse_str(PROGRAM).unwrap(), wat::parse_str(text).unwrap()];
        for telling in before.map(|before| tell(&before, Tell::Words).unwrap()) {
            Validator::new_with_features(WasmFeatures::all()).validate_all(&telling.binary).unwrap();
        }
    }

    #[test]
    fn addresses_of_large_programs_are_told_whole() {
        let text = r#"(module
            (import "mpi" "MPI_Recv" (func $receive (param i64 i32 i64 i32 i32 i64 i64) (result i32)))
            (memory (export "memory") i64 1 200000)
            (func (export "_start") (drop (call $receive (i64.const 0) (i32.const 1) (i64.const 0) (i32.const 0)
                (i32.const 0) (i64.const 0) (i64.const 0)))))"#;
        let large = crate::lower64::lower(&wat::parse_str(text).unwrap()).unwrap();
        assert!(large.is_large);
        for what in [Tell::Payloads, Tell::Words] {
            let telling = tell(&large.binary, what).unwrap();
            Validator::new_with_features(WasmFeatures::all()).validate_all(&telling.binary).unwrap();
            let [measured] = &telling.sites.functions[..] else { panic!("there is one import") };
            assert_eq!(measured.name, "MPI_Recv");
            // The program's own function, the one before the import, and the one that tells.
            let own = instructions(&telling.binary, 2).len();
            let all = instructions(&telling.binary, 3);
            let telling = || all[own..].iter().map(|(_, text)| text.as_str());
            // Neither the buffer nor the place of a status is cut.
            assert_eq!(telling().filter(|text| *text == "I32WrapI64").count(), 0, "{what:?}");
            let status = "LocalSet { local_index: 6 }";
            assert_eq!(telling().any(|text| text == status), what == Tell::Words);
        }
    }
}
