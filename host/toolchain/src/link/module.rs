//! Puts adapters into a linked module.
//!
//! Where types differ, wasm-ld lets a call lead to a function `signature_mismatch:NAME` of the caller's type, which traps.
//! Adapters come behind all other functions, and calls are led to them: every instruction stays where it is, and so
//! what debug information says of it stays true. Where such a function's address is taken, wasm-ld leaves a null pointer:
//! the table of functions gets the adapter, and the relocations say where its number belongs.

use super::agreement::{Signature, is_adaptable};
use super::encoding::{CALL, END, I32_CONST, I64_CONST, adapted, body, leb, longer, named, padded, signed_leb};
use anyhow::{Context as _, Result, bail, ensure};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::Path;
use wasmparser::{
    BinaryReader, CompositeInnerType, ExternalKind, FuncType, FunctionBody, KnownCustom, Linking, Name,
    NameSectionReader, Operator, Parser, Payload, RelocationType, SymbolInfo, TypeRef, ValType, Validator,
    WasmFeatures,
};

/// How wasm-ld names the functions that take the place of those of another type.
const STUB: &str = "signature_mismatch:";

/// Whether a linked module is one that can run.
pub(super) fn is_valid(module: &Path) -> Result<bool> {
    let bytes = fs::read(module).with_context(|| format!("cannot read {}", module.display()))?;
    Ok(Validator::new_with_features(WasmFeatures::all()).validate_all(&bytes).is_ok())
}

/// The names of a module's functions.
pub(super) fn functions(module: &[u8]) -> Result<HashSet<String>> {
    let mut found = HashSet::new();
    for payload in Parser::new(0).parse_all(module) {
        let Payload::CustomSection(section) = payload? else { continue };
        let KnownCustom::Name(parts) = section.as_known() else { continue };
        each_function(parts, |_, name| found.extend([name.to_owned()]))?;
    }
    Ok(found)
}

/// Goes through the functions that a section of names tells of: their numbers and names.
fn each_function<'m>(parts: NameSectionReader<'m>, mut function: impl FnMut(u32, &'m str)) -> Result<()> {
    for part in parts {
        let Name::Function(names) = part? else { continue };
        for naming in names {
            let naming = naming?;
            function(naming.index, naming.name);
        }
    }
    Ok(())
}

/// The names of a module's exports.
pub(super) fn exports(module: &[u8]) -> Result<HashSet<String>> {
    let mut names = HashSet::new();
    for payload in Parser::new(0).parse_all(module) {
        if let Payload::ExportSection(exports) = payload? {
            for export in exports {
                names.insert(export?.name.to_owned());
            }
        }
    }
    Ok(names)
}

/// Whether functions have names.
pub(super) fn has_names(module: &[u8]) -> bool {
    let payloads = Parser::new(0).parse_all(module).map_while(Result::ok);
    payloads.into_iter().any(|payload| matches!(payload, Payload::CustomSection(section) if section.name() == "name"))
}

/// What has to be known of a module.
#[derive(Default)]
pub(super) struct Facts {
    pub(super) types: Vec<FuncType>,
    /// The types of all functions, those that are imported first.
    pub(super) functions: Vec<u32>,
    exported: HashMap<String, u32>,
    /// Functions that take the place of others, with the names of those.
    stubs: Vec<(u32, String)>,
    /// Where sections begin, by their numbers.
    sections: Vec<usize>,
    /// Whether places in the first table have 64 bits.
    pub(super) is_table_wide: bool,
    /// The elements of the table: the first place, and the functions from there on.
    pub(super) elements: Option<(u32, Vec<u32>)>,
    /// The functions among the linker's symbols.
    symbols: Vec<Option<u32>>,
    /// Addresses of functions: the section, the place in it, the kind and the symbol.
    pointers: Vec<(u32, usize, RelocationType, u32)>,
}

/// A function to be added.
struct Adapter {
    /// The function whose calls it takes, and its number.
    stub: u32,
    number: u32,
    callee: u32,
    name: String,
}

/// The functions for which there is no adapter, as they are defined twice, with two types: of those wasm-ld keeps neither.
pub(super) fn without_adapter<'f>(module: &[u8], functions: &[&'f str]) -> Result<Vec<&'f str>> {
    let facts = Facts::read(module)?;
    let adapters = facts.adapters(functions);
    let is_left = |name: &str| {
        facts.stubs.iter().any(|(stub, of)| of == name && !adapters.iter().any(|adapter| adapter.stub == *stub))
    };
    Ok(functions.iter().copied().filter(|name| is_left(name)).collect())
}

/// The module with adapters for these functions, and without the exports that it need not have.
pub(super) fn adapt(
    module: &[u8],
    functions: &[&str],
    keeps: impl Fn(&str) -> bool,
    keeps_names: bool,
) -> Result<Vec<u8>> {
    let facts = Facts::read(module)?;
    let adapters = facts.adapters(functions);
    let is_dropped = |export: &str| functions.contains(&export) && !keeps(export);
    let moved: BTreeMap<u32, u32> = adapters.iter().map(|adapter| (adapter.stub, adapter.number)).collect();
    let mut module = module.to_vec();
    let pointed = facts.move_pointers(&mut module, &moved)?;
    let module = module.as_slice();
    let mut output = module[..8].to_vec();
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload?;
        let Some((id, range)) = payload.as_section() else { continue };
        let bytes = &module[range.start as usize..range.end as usize];
        let base = range.start as usize;
        let content = match payload {
            Payload::FunctionSection(_) => longer(bytes, adapters.iter().map(|adapter| leb(facts.kind(adapter.stub))))?,
            Payload::ExportSection(exports) => {
                let mut kept = Vec::new();
                let starts: Vec<usize> =
                    exports.clone().into_iter_with_offsets().map(|item| Ok(item?.0 as usize)).collect::<Result<_>>()?;
                let ends = starts.iter().skip(1).copied().chain([base + bytes.len()]);
                for (export, (start, end)) in exports.into_iter().zip(starts.iter().zip(ends)) {
                    if !is_dropped(export?.name) {
                        kept.push(&module[*start..end]);
                    }
                }
                [leb(kept.len() as u32), kept.concat()].concat()
            }
            Payload::TableSection(_) => larger_table(bytes, pointed.len() as u32)?,
            Payload::ElementSection(_) => more_elements(bytes, &pointed)?,
            // What only a linker wants.
            Payload::CustomSection(section) if section.name() == "linking" || section.name().starts_with("reloc.") => {
                continue;
            }
            Payload::CodeSectionStart { .. } => {
                let mut code = bytes.to_vec();
                move_calls(module, base, &mut code, &moved)?;
                longer(&code, adapters.iter().map(|adapter| facts.body(adapter)))?
            }
            Payload::CustomSection(section) if section.name() == "name" => {
                if !keeps_names {
                    continue;
                }
                let name = |adapter: &Adapter| format!("{}, called with other arguments", adapter.name);
                let names = adapters.iter().map(|adapter| (adapter.number, name(adapter)));
                named(bytes, &names.collect::<Vec<_>>())?
            }
            _ => bytes.to_vec(),
        };
        output.push(id);
        output.extend(leb(u32::try_from(content.len())?));
        output.extend(content);
    }
    Ok(output)
}

impl Facts {
    pub(super) fn read(module: &[u8]) -> Result<Facts> {
        let mut facts = Facts::default();
        for payload in Parser::new(0).parse_all(module) {
            let payload = payload?;
            facts.sections.extend(payload.as_section().map(|(_, range)| range.start as usize));
            match payload {
                Payload::TypeSection(groups) => {
                    for group in groups {
                        for kind in group?.into_types() {
                            let CompositeInnerType::Func(kind) = kind.composite_type.inner else {
                                bail!("the module has types that are not those of functions")
                            };
                            facts.types.push(kind);
                        }
                    }
                }
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        if let TypeRef::Func(kind) = import?.ty {
                            facts.functions.push(kind);
                        }
                    }
                }
                Payload::TableSection(tables) => {
                    let first = tables.into_iter().next().transpose()?;
                    facts.is_table_wide = first.is_some_and(|table| table.ty.table64);
                }
                Payload::FunctionSection(kinds) => {
                    for kind in kinds {
                        facts.functions.push(kind?);
                    }
                }
                Payload::ExportSection(exports) => {
                    for export in exports {
                        let export = export?;
                        if export.kind == ExternalKind::Func {
                            facts.exported.insert(export.name.to_owned(), export.index);
                        }
                    }
                }
                Payload::ElementSection(section) => {
                    let range = section.range();
                    let (first, count, start) = elements(&module[range.start as usize..range.end as usize])?;
                    let mut rest = BinaryReader::new(&module[range.start as usize + start..range.end as usize], 0);
                    let functions = (0..count).map(|_| rest.read_var_u32()).collect::<Result<_, _>>()?;
                    facts.elements = Some((first, functions));
                }
                Payload::CustomSection(section) => facts.read_custom(section.as_known())?,
                _ => {}
            }
        }
        Ok(facts)
    }

    fn read_custom(&mut self, section: KnownCustom<'_>) -> Result<()> {
        match section {
            KnownCustom::Name(parts) => each_function(parts, |index, name| {
                self.stubs.extend(name.strip_prefix(STUB).map(|name| (index, name.into())));
            })?,
            KnownCustom::Linking(linking) => {
                for part in linking.subsections() {
                    let Linking::SymbolTable(symbols) = part? else { continue };
                    for symbol in symbols {
                        let symbol = symbol?;
                        self.symbols.push(match symbol {
                            SymbolInfo::Func { index, .. } => Some(index),
                            _ => None,
                        });
                    }
                }
            }
            KnownCustom::Reloc(relocations) => {
                // wasm-ld counts the addresses of weak functions that are nowhere, and doesn't write them.
                let (mut entries, end) = (relocations.entries().into_iter(), relocations.range().end);
                while entries.original_position() < end
                    && let Some(entry) = entries.next()
                {
                    let entry = entry?;
                    if matches!(
                        entry.ty,
                        RelocationType::TableIndexI32
                            | RelocationType::TableIndexI64
                            | RelocationType::TableIndexSleb
                            | RelocationType::TableIndexSleb64
                    ) {
                        let place = (relocations.section_index(), entry.offset as usize, entry.ty, entry.index);
                        self.pointers.push(place);
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Gives adapters that are pointed to a place in the table, and their numbers to the pointers, which wasm-ld has left
    /// null; the functions that the table gets.
    fn move_pointers(&self, module: &mut [u8], moved: &BTreeMap<u32, u32>) -> Result<Vec<u32>> {
        let mut pointed: Vec<u32> = Vec::new();
        for (section, offset, kind, symbol) in &self.pointers {
            let function = self.symbols.get(*symbol as usize).copied().flatten();
            let Some(adapter) = function.and_then(|function| moved.get(&function)) else { continue };
            let place = pointed.iter().position(|known| known == adapter).unwrap_or_else(|| {
                pointed.push(*adapter);
                pointed.len() - 1
            });
            let (first, functions) = self.elements.as_ref().context("the module has no table of functions")?;
            let address = first + functions.len() as u32 + place as u32;
            let bytes = match kind {
                RelocationType::TableIndexI32 => address.to_le_bytes().to_vec(),
                RelocationType::TableIndexI64 => u64::from(address).to_le_bytes().to_vec(),
                // Its highest bit is free.
                RelocationType::TableIndexSleb64 => {
                    padded(address, 10).context("a number of 32 bits fits ten bytes")?
                }
                _ => padded(address, 5).context("a number of 32 bits fits five bytes")?,
            };
            let at = self.sections.get(*section as usize).context("a section is missing")? + offset;
            let place = module.get_mut(at..at + bytes.len()).context("an address lies outside of its section")?;
            place.copy_from_slice(&bytes);
        }
        Ok(pointed)
    }

    /// The number of a function's type.
    fn kind(&self, function: u32) -> u32 {
        self.functions[function as usize]
    }

    fn of(&self, function: u32) -> &FuncType {
        &self.types[self.kind(function) as usize]
    }

    /// The adapters that are needed, in the order of their numbers.
    fn adapters(&self, functions: &[&str]) -> Vec<Adapter> {
        let mut adapters = Vec::new();
        for (stub, name) in &self.stubs {
            let callee = self.exported.get(name).filter(|_| functions.contains(&name.as_str()));
            // A function of three types may have one that nothing adapts.
            if let Some(&callee) = callee
                && is_adaptable(&signature(self.of(*stub)), &signature(self.of(callee)))
            {
                let number = (self.functions.len() + adapters.len()) as u32;
                adapters.push(Adapter { stub: *stub, number, callee, name: name.clone() });
            }
        }
        adapters
    }

    /// An adapter's code: the callee's arguments from its own, then its result from the callee's.
    fn body(&self, adapter: &Adapter) -> Vec<u8> {
        let (own, callee) = (self.of(adapter.stub), self.of(adapter.callee));
        body(&adapted(own, callee, &[&[CALL][..], &leb(adapter.callee)].concat()))
    }
}

pub(super) fn signature(kind: &FuncType) -> Signature {
    let names = |types: &[ValType]| types.iter().map(ToString::to_string).collect();
    Signature { parameters: names(kind.params()), results: names(kind.results()) }
}

/// The section of tables, the first of which gets room for more functions.
fn larger_table(bytes: &[u8], more: u32) -> Result<Vec<u8>> {
    const HAS_MAXIMUM: u8 = 1;
    let mut reader = BinaryReader::new(bytes, 0);
    let mut content = leb(reader.read_var_u32()?);
    content.push(reader.read_u8()?);
    let flags = reader.read_u8()?;
    content.push(flags);
    content.extend(leb(reader.read_var_u32()? + more));
    if flags & HAS_MAXIMUM != 0 {
        content.extend(leb(reader.read_var_u32()? + more));
    }
    content.extend(&bytes[reader.original_position() as usize..]);
    Ok(content)
}

/// Where the elements of the first table begin, and how many there are; wasm-ld makes one list of them.
fn elements(bytes: &[u8]) -> Result<(u32, u32, usize)> {
    let mut reader = BinaryReader::new(bytes, 0);
    let head = [reader.read_var_u32()?, reader.read_var_u32()?];
    let first = match (head, reader.read_u8()?) {
        ([1, 0], I32_CONST) => reader.read_var_i32()? as u32,
        ([1, 0], I64_CONST) => {
            u32::try_from(reader.read_var_i64()?).context("a table of functions that begins so far up")?
        }
        _ => bail!("the table of functions is not as wasm-ld makes it"),
    };
    ensure!(reader.read_u8()? == END, "the table of functions is not as wasm-ld makes it");
    Ok((first, reader.read_var_u32()?, reader.original_position() as usize))
}

/// The elements with more functions at their end.
fn more_elements(bytes: &[u8], more: &[u32]) -> Result<Vec<u8>> {
    let (first, count, start) = elements(bytes)?;
    // The third byte says how wide the table's addresses are.
    let mut content = bytes[..3].to_vec();
    content.extend(signed_leb(first));
    content.push(END);
    content.extend(leb(count + more.len() as u32));
    content.extend(&bytes[start..]);
    content.extend(more.iter().flat_map(|function| leb(*function)));
    Ok(content)
}

/// Leads calls elsewhere. Numbers of functions take as much room as before: wasm-ld leaves enough for any.
fn move_calls(module: &[u8], base: usize, code: &mut [u8], moved: &BTreeMap<u32, u32>) -> Result<()> {
    for payload in Parser::new(0).parse_all(module) {
        let Payload::CodeSectionEntry(body) = payload? else { continue };
        for (at, length, function) in calls(&body)? {
            let Some(&to) = moved.get(&function) else { continue };
            let number =
                padded(to, length).context("a call has no room for the number of an adapter: link without -Wl,-O")?;
            code[at - base..at - base + length].copy_from_slice(&number);
        }
    }
    Ok(())
}

/// The calls in a function: where the number of what is called stands, how long it is, and the number.
fn calls(body: &FunctionBody<'_>) -> Result<Vec<(usize, usize, u32)>> {
    let mut calls = Vec::new();
    let mut operators = body.get_operators_reader()?;
    while !operators.eof() {
        let (operator, start) = operators.read_with_offset()?;
        if let Operator::Call { function_index } | Operator::ReturnCall { function_index } = operator {
            let at = start as usize + 1;
            calls.push((at, operators.original_position() as usize - at, function_index));
        }
    }
    Ok(calls)
}
