//! A program for 64-bit addresses, with a memory and tables of 32 bits.
//!
//! Compiled for `wasm64`, a program has a `long` and pointers of 8 bytes, as on every cluster. Its memory has 64-bit addresses too,
//! and there compiled code has to compare each of them with the memory's size, which guard pages do for nothing where addresses
//! have 32 bits. So the memory becomes such a one: what computes with addresses stays as it is, functions keep their types, and an
//! address loses its upper half where it is used, after a look that this half is 0 (`body.rs`). Often it is known to be
//! (`narrow.rs`).
//!
//! A program that may have more than 4 GiB, as its memory's type says, is *large*: it keeps that memory, and what is changed is
//! its tables and its calls.
//!
//! What a lowered program does stays the same, with two exceptions. It has 4 GiB at most, less a page: growth beyond fails, as growth always may.
//! And an address above is met by `unreachable`, not by a load out of bounds; [`Lowered::traps`] says where that is so.
//!
//! Functions of MPI get such of the module's own before them (`imports.rs`). What is not understood is refused by name. Were an
//! instruction overlooked, then the changed module would not be well-formed, as it would give a 64-bit address to a memory of 32
//! bits.

mod access;
mod body;
mod declared;
mod imports;
mod narrow;
mod sum;
mod turns;
mod twin;

use anyhow::{Context as _, Result};
use wasm_encoder::{Module, RawSection, SectionId};
use wasmparser::{MemoryType, Parser, Payload, TypeRef, Validator, WasmFeatures};

use crate::Moved;
use crate::sections::{grown, named, section};
use declared::Declared;
use imports::Imports;

/// A module whose addresses have 32 bits where they are used, or a large one.
pub struct Lowered {
    /// The module.
    pub binary: Vec<u8>,
    /// It has kept its memory of 64 bits.
    pub is_large: bool,
    /// How that changed it.
    pub moved: Moved,
    /// How many addresses are looked at, and how many there are.
    pub looks: Looks,
    /// Where an `unreachable` is the end of a program that used an address above 4 GiB, ascending.
    pub traps: Vec<u32>,
}

/// How many addresses are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Looks {
    /// Instructions with an address, for each address.
    pub addresses: usize,
    /// Those of which it is not known that they have 32 bits.
    pub needed: usize,
    /// What is looked at before loops instead.
    pub walks: usize,
}

/// How wide the addresses of a module are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Width {
    /// They have 32 bits.
    Narrow,
    /// A memory or a table has such of 64, and there are at most 4 GiB.
    Wide,
    /// Its memory may have more.
    Large,
}

/// Whether a module has a memory or a table with 64-bit addresses. One that is no module has none.
pub fn is_wide(binary: &[u8]) -> bool {
    width(binary) != Width::Narrow
}

/// How wide a module's addresses are. One that is no module has none.
pub fn width(binary: &[u8]) -> Width {
    let mut width = Width::Narrow;
    // What was found before an error is what there is.
    let _ = find_width(binary, &mut width);
    width
}

fn find_width(binary: &[u8], width: &mut Width) -> wasmparser::Result<()> {
    let mut found = |own: Width| *width = own.max(*width);
    for payload in Parser::new(0).parse_all(binary) {
        match payload? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    match import?.ty {
                        TypeRef::Memory(memory) => found(of_memory(&memory)),
                        TypeRef::Table(table) if table.table64 => found(Width::Wide),
                        _ => {}
                    }
                }
            }
            Payload::TableSection(tables) => {
                for table in tables {
                    if table?.ty.table64 {
                        found(Width::Wide);
                    }
                }
            }
            Payload::MemorySection(memories) => {
                for memory in memories {
                    found(of_memory(&memory?));
                }
            }
            // What follows is code and data, which may be long.
            Payload::CodeSectionStart { .. } => break,
            _ => {}
        }
    }
    Ok(())
}

/// A memory that says how large it may become, and says more than 4 GiB, is meant to become so.
fn of_memory(memory: &MemoryType) -> Width {
    match memory {
        MemoryType { memory64: false, .. } => Width::Narrow,
        MemoryType { initial, .. } if *initial > declared::MOST_PAGES => Width::Large,
        MemoryType { maximum: Some(most), .. } if *most > declared::MOST_PAGES + 1 => Width::Large,
        _ => Width::Wide,
    }
}

/// Gives a module a memory and tables of 32 bits, or, if it is large, tables alone. It is well-formed, or refused.
pub fn lower(binary: &[u8]) -> Result<Lowered> {
    Validator::new_with_features(WasmFeatures::all()).validate_all(binary)?;
    let is_large = width(binary) == Width::Large;
    let imports = Imports::of(binary, is_large)?;
    let mut declared = Declared::new(is_large);
    let mut module = Module::new();
    let (mut moved, mut looks, mut traps) = (Moved::default(), Looks::default(), Vec::new());
    for payload in Parser::new(0).parse_all(binary) {
        let payload = payload?;
        let Some((id, range)) = payload.as_section() else { continue };
        let content = &binary[range.start as usize..range.end as usize];
        declared.note(&payload)?;
        match payload {
            Payload::TypeSection(_) => {
                section(&mut module, SectionId::Type, &grown(content, imports.len(), &imports.types())?);
            }
            Payload::ImportSection(_) => section(&mut module, SectionId::Import, &declared.imports(content, &imports)?),
            Payload::FunctionSection(_) => {
                section(&mut module, SectionId::Function, &grown(content, imports.len(), &imports.functions())?);
            }
            Payload::TableSection(_) => section(&mut module, SectionId::Table, &declared::tables(content)?),
            Payload::MemorySection(_) => {
                section(&mut module, SectionId::Memory, &declared::memories(content, is_large)?)
            }

            Payload::ElementSection(_) => {
                section(&mut module, SectionId::Element, &declared.elements(content, &imports)?);
            }
            Payload::DataSection(parts) => {
                let changed = declared.data(&parts, content, range.start as usize)?;
                section(&mut module, SectionId::Data, &changed);
            }
            Payload::CodeSectionStart { .. } => {
                let code = body::section(binary, content, range.start, &declared, &imports)?;
                section(&mut module, SectionId::Code, &code.content);
                // Behind the section's number and length.
                let start = (module.len() - code.content.len()) as u32;
                code.steps.iter().for_each(|&(now, before)| moved.add(start + now, before));
                moved.end(start + code.end);
                traps = code.traps.iter().map(|at| start + at).collect();
                looks = code.looks;
            }
            // It says where instructions were: whoever reads it has it from the module as it was.
            Payload::CustomSection(custom) if custom.name().starts_with(".debug_") => {}
            Payload::CustomSection(custom) if custom.name() == "name" => {
                module.section(&RawSection { id, data: &named(content, &imports.names())? });
            }
            _ => {
                module.section(&RawSection { id, data: content });
            }
        }
    }
    let binary = module.finish();
    let valid = Validator::new_with_features(WasmFeatures::all()).validate_all(&binary);
    valid.context("its 64-bit addresses can't be lowered to 32 bits")?;
    Ok(Lowered { binary, is_large, moved, looks, traps })
}
