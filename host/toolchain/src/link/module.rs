//! Puts adapters into a linked module.
//!
//! Where types differ, wasm-ld lets a call lead to a function `signature_mismatch:NAME` of the caller's type, which traps.
//! Adapters come behind all other functions, and calls are led to them: every instruction stays where it is, and so
//! what debug information says of it stays true.

use super::agreement::{Signature, is_adaptable};
use anyhow::{Context as _, Result, bail, ensure};
use std::collections::{BTreeMap, HashMap, HashSet};
use wasmparser::{
    BinaryReader, CompositeInnerType, ElementItems, ElementKind, ElementSectionReader, ExternalKind, FuncType,
    FunctionBody, KnownCustom, Name, Operator, Parser, Payload, TypeRef, ValType,
};

/// How wasm-ld names the functions that take the place of those of another type.
const STUB: &str = "signature_mismatch:";

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
struct Facts {
    types: Vec<FuncType>,
    /// The types of all functions, those that are imported first.
    functions: Vec<u32>,
    exported: HashMap<String, u32>,
    /// Functions that take the place of others, with the names of those.
    stubs: Vec<(u32, String)>,
}

/// A function to be added.
struct Adapter {
    /// The function whose calls it takes, and its number.
    stub: u32,
    number: u32,
    callee: u32,
    name: String,
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
            Payload::ElementSection(elements) => moved_elements(module, elements, &moved, base + bytes.len())?,
            Payload::CodeSectionStart { .. } => {
                let mut code = bytes.to_vec();
                move_calls(module, base, &mut code, &moved)?;
                longer(&code, adapters.iter().map(|adapter| facts.body(adapter)))?
            }
            Payload::CustomSection(section) if section.name() == "name" => {
                if !keeps_names {
                    continue;
                }
                named(bytes, &section.as_known(), &adapters)?
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
    fn read(module: &[u8]) -> Result<Facts> {
        let mut facts = Facts::default();
        for payload in Parser::new(0).parse_all(module) {
            match payload? {
                Payload::TypeSection(groups) => {
                    for group in groups {
                        for kind in group?.into_types() {
                            let CompositeInnerType::Func(kind) = kind.composite_type.inner else {
                                bail!("the module has types that are no functions")
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
                Payload::CustomSection(section) => {
                    let KnownCustom::Name(parts) = section.as_known() else { continue };
                    for part in parts {
                        let Name::Function(names) = part? else { continue };
                        for naming in names {
                            let naming = naming?;
                            facts.stubs.extend(naming.name.strip_prefix(STUB).map(|name| (naming.index, name.into())));
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(facts)
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
        // No variables.
        let mut code = vec![0];
        for (index, wanted) in callee.params().iter().enumerate() {
            match own.params().get(index) {
                Some(have) => {
                    code.push(LOCAL_GET);
                    code.extend(leb(index as u32));
                    code.extend(converted(*have, *wanted));
                }
                None => code.extend(zero(*wanted)),
            }
        }
        code.push(CALL);
        code.extend(leb(adapter.callee));
        match (callee.results(), own.results()) {
            ([have], [wanted]) => code.extend(converted(*have, *wanted)),
            ([], [wanted]) => code.extend(zero(*wanted)),
            ([_], []) => code.push(DROP),
            _ => {}
        }
        code.push(END);
        [leb(code.len() as u32), code].concat()
    }
}

const END: u8 = 0x0b;
const CALL: u8 = 0x10;
const DROP: u8 = 0x1a;
const LOCAL_GET: u8 = 0x20;
const I32_WRAP_I64: u8 = 0xa7;
const I64_EXTEND_I32_S: u8 = 0xac;

/// The instruction that makes a value one of another type; integers keep their values where they can.
fn converted(have: ValType, wanted: ValType) -> Option<u8> {
    match (have, wanted) {
        (ValType::I64, ValType::I32) => Some(I32_WRAP_I64),
        (ValType::I32, ValType::I64) => Some(I64_EXTEND_I32_S),
        _ => None,
    }
}

/// The instruction that pushes a zero.
fn zero(kind: ValType) -> Vec<u8> {
    match kind {
        ValType::I64 => vec![0x42, 0],
        ValType::F32 => [&[0x43][..], &[0; 4]].concat(),
        ValType::F64 => [&[0x44][..], &[0; 8]].concat(),
        ValType::V128 => [&[0xfd, 0x0c][..], &[0; 16]].concat(),
        _ => vec![0x41, 0],
    }
}

fn signature(kind: &FuncType) -> Signature {
    let names = |types: &[ValType]| types.iter().map(ToString::to_string).collect();
    Signature { parameters: names(kind.params()), results: names(kind.results()) }
}

/// A section that is a list, with more items.
fn longer(bytes: &[u8], more: impl ExactSizeIterator<Item = Vec<u8>>) -> Result<Vec<u8>> {
    let mut reader = BinaryReader::new(bytes, 0);
    let count = reader.read_var_u32()? + more.len() as u32;
    let mut content = leb(count);
    content.extend(&bytes[reader.original_position() as usize..]);
    content.extend(more.flatten());
    Ok(content)
}

/// The elements of tables, with functions moved.
fn moved_elements(
    module: &[u8],
    elements: ElementSectionReader<'_>,
    moved: &BTreeMap<u32, u32>,
    end: usize,
) -> Result<Vec<u8>> {
    let mut content = leb(elements.count());
    let mut items = elements.into_iter_with_offsets().peekable();
    while let Some(item) = items.next() {
        let (start, element) = item?;
        let next = items.peek().and_then(|next| next.as_ref().ok()).map_or(end, |(next, _)| *next as usize);
        match (&element.kind, element.items) {
            (ElementKind::Active { .. }, ElementItems::Functions(functions)) => {
                content.extend(&module[start as usize..functions.range().start as usize]);
                content.extend(leb(functions.count()));
                for function in functions {
                    let function = function?;
                    content.extend(leb(*moved.get(&function).unwrap_or(&function)));
                }
            }
            _ => content.extend(&module[start as usize..next]),
        }
    }
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

/// The section of names, with those of adapters.
fn named(bytes: &[u8], known: &KnownCustom<'_>, adapters: &[Adapter]) -> Result<Vec<u8>> {
    ensure!(matches!(known, KnownCustom::Name(_)), "the names of the module can't be read");
    const FUNCTIONS: u8 = 1;
    let mut reader = BinaryReader::new(bytes, 0);
    // The section's own name.
    reader.read_string()?;
    let mut content = bytes[..reader.original_position() as usize].to_vec();
    while !reader.eof() {
        let id = reader.read_u8()?;
        let size = reader.read_var_u32()? as usize;
        let mut part = reader.read_bytes(size)?.to_vec();
        if id == FUNCTIONS {
            part = longer(
                &part,
                adapters.iter().map(|adapter| {
                    let name = format!("{}, called with other arguments", adapter.name);
                    [leb(adapter.number), leb(name.len() as u32), name.into_bytes()].concat()
                }),
            )?;
        }
        content.push(id);
        content.extend(leb(u32::try_from(part.len())?));
        content.extend(part);
    }
    Ok(content)
}

fn leb(mut number: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// A number in so many bytes, if it fits.
fn padded(number: u32, length: usize) -> Option<Vec<u8>> {
    let mut bytes = leb(number);
    if bytes.len() > length {
        return None;
    }
    if bytes.len() < length {
        *bytes.last_mut()? |= 0x80;
        bytes.resize(length - 1, 0x80);
        bytes.push(0);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_the_room_there_is() {
        assert_eq!(leb(300), [0xac, 2]);
        assert_eq!(padded(300, 5).unwrap(), [0xac, 0x82, 0x80, 0x80, 0]);
        assert_eq!(padded(300, 2).unwrap(), [0xac, 2]);
        assert_eq!(padded(5, 2).unwrap(), [0x85, 0]);
        assert_eq!(padded(300, 1), None);
        let mut reader = BinaryReader::new(&[0xac, 0x82, 0x80, 0x80, 0], 0);
        assert_eq!(reader.read_var_u32().unwrap(), 300);
    }
}
