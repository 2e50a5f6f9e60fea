//! The WebAssembly types of the functions that object files define, and the sizes of their weak data.

use anyhow::{Context as _, Result};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use wasmparser::{
    CompositeInnerType, FuncType, KnownCustom, Linking, LinkingSectionReader, Parser, Payload, SymbolFlags, SymbolInfo,
    TypeRef, ValType,
};

/// Lines `name parameters result`, a letter per value and `-` for nothing: what `compiler/adapt.cpp` reads.
pub fn of_objects(objects: &[PathBuf]) -> Result<String> {
    let mut functions = BTreeMap::new();
    for object in objects {
        let binary = fs::read(object).with_context(|| format!("cannot read {}", object.display()))?;
        functions.append(&mut defined(&binary).with_context(|| object.display().to_string())?);
    }
    let mut text = String::new();
    for (name, ty) in functions {
        writeln!(text, "{name} {} {}", letters(ty.params()), letters(ty.results()))?;
    }
    Ok(text)
}

fn letters(types: &[ValType]) -> String {
    match types {
        [] => "-".into(),
        types => types.iter().map(letter).collect(),
    }
}

fn letter(ty: &ValType) -> char {
    match ty {
        ValType::I64 => 'l',
        ValType::F32 => 'f',
        ValType::F64 => 'd',
        ValType::V128 => 'v',
        ValType::I32 | ValType::Ref(_) => 'i',
    }
}

/// The functions that an object file defines for others.
fn defined(binary: &[u8]) -> Result<BTreeMap<String, FuncType>> {
    let (mut types, mut indices, mut names) = (Vec::new(), Vec::new(), Vec::new());
    for payload in Parser::new(0).parse_all(binary) {
        match payload? {
            Payload::TypeSection(section) => {
                for group in section {
                    types.extend(group?.into_types().map(|ty| match ty.composite_type.inner {
                        CompositeInnerType::Func(function) => Some(function),
                        _ => None,
                    }));
                }
            }
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    if let TypeRef::Func(index) = import?.ty {
                        indices.push(index);
                    }
                }
            }
            Payload::FunctionSection(section) => {
                for index in section {
                    indices.push(index?);
                }
            }
            Payload::CustomSection(section) => {
                if let KnownCustom::Linking(linking) = section.as_known() {
                    names.extend(function_symbols(linking)?);
                }
            }
            _ => {}
        }
    }
    let ty = |index: u32| types.get(*indices.get(index as usize)? as usize)?.clone();
    Ok(names.into_iter().filter_map(|(name, index)| Some((name, ty(index)?))).collect())
}

fn function_symbols(linking: LinkingSectionReader) -> Result<Vec<(String, u32)>> {
    let hidden = SymbolFlags::UNDEFINED | SymbolFlags::BINDING_LOCAL;
    let mut names = Vec::new();
    for part in linking.subsections() {
        let Linking::SymbolTable(symbols) = part? else { continue };
        for symbol in symbols {
            if let SymbolInfo::Func { flags, index, name: Some(name) } = symbol?
                && !flags.intersects(hidden)
            {
                names.push((name.to_owned(), index));
            }
        }
    }
    Ok(names)
}
