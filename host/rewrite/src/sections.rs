//! Sections of a module as bytes: where one stands, one that has more entries, and one that points to other functions.

use std::collections::HashMap;
use std::ops::Range;

use anyhow::Result;
use wasm_encoder::{Encode, Instruction, Module, RawSection, SectionId};
use wasmparser::{BinaryReader, CustomSectionReader, ElementItems, ElementSectionReader, KnownCustom, Name, Operator};

/// Whether a section stands before this one. Custom ones stand anywhere.
pub fn comes_before(id: u8, than: SectionId) -> bool {
    // Tags and the count of data stand between others.
    const ORDER: [u8; 14] = [0, 1, 2, 3, 4, 5, 13, 6, 7, 8, 9, 12, 10, 11];
    let place = |id: u8| ORDER.iter().position(|&known| known == id);
    place(id) < place(than as u8)
}

/// Adds a section with this content.
pub fn section(module: &mut Module, id: SectionId, content: &[u8]) {
    module.section(&RawSection { id: id as u8, data: content });
}

/// A section with so many more entries.
pub fn grown(content: &[u8], more: usize, entries: &[u8]) -> Result<Vec<u8>> {
    let mut reader = BinaryReader::new(content, 0);
    let count = reader.read_var_u32()?;
    let mut changed = Vec::with_capacity(content.len() + entries.len());
    (count + more as u32).encode(&mut changed);
    changed.extend(&content[reader.original_position() as usize..]);
    changed.extend(entries);
    Ok(changed)
}

/// The names of functions in a section of names. Those that can't be read are none.
pub fn function_names<'m>(section: &CustomSectionReader<'m>) -> impl Iterator<Item = (u32, &'m str)> {
    let names = match section.as_known() {
        KnownCustom::Name(names) => Some(names),
        _ => None,
    };
    let functions = names.into_iter().flatten().flatten().filter_map(|name| match name {
        Name::Function(functions) => Some(functions),
        _ => None,
    });
    functions.flatten().flatten().map(|name| (name.index, name.name))
}

/// A section of names with those of more functions.
pub fn named(content: &[u8], more: &[(u32, String)]) -> Result<Vec<u8>> {
    const FUNCTIONS: u8 = 1;
    let mut reader = BinaryReader::new(content, 0);
    // The section's own name.
    reader.read_string()?;
    let mut changed = content[..reader.original_position() as usize].to_vec();
    while !reader.eof() {
        let id = reader.read_u8()?;
        let size = reader.read_var_u32()? as usize;
        let part = reader.read_bytes(size)?;
        let mut entries = Vec::new();
        for (function, name) in more {
            function.encode(&mut entries);
            name.encode(&mut entries);
        }
        changed.push(id);
        match id {
            FUNCTIONS => grown(part, more.len(), &entries)?.as_slice().encode(&mut changed),
            _ => part.encode(&mut changed),
        }
    }
    Ok(changed)
}

/// The section of elements that begins at `start` of the module, with pointers to functions replaced by those around them.
pub fn led_elements(
    elements: ElementSectionReader<'_>,
    content: &[u8],
    start: usize,
    around: &HashMap<u32, u32>,
) -> Result<Vec<u8>> {
    let (mut changed, mut done) = (Vec::with_capacity(content.len()), 0);
    let mut replace = |range: Range<usize>, by: &[u8]| {
        changed.extend(&content[done..range.start - start]);
        changed.extend(by);
        done = range.end - start;
    };
    for element in elements {
        match element?.items {
            ElementItems::Functions(functions) => {
                for item in functions.into_iter_with_offsets() {
                    let (at, function) = item?;
                    if let Some(around) = around.get(&function) {
                        let mut number = Vec::new();
                        around.encode(&mut number);
                        let at = at as usize;
                        replace(at..at + length_of_number(&content[at - start..]), &number);
                    }
                }
            }
            ElementItems::Expressions(_, expressions) => {
                for expression in expressions {
                    let mut reader = expression?.get_operators_reader();
                    while !reader.eof() {
                        let at = reader.original_position() as usize;
                        if let Operator::RefFunc { function_index } = reader.read()?
                            && let Some(around) = around.get(&function_index)
                        {
                            let mut new = Vec::new();
                            Instruction::RefFunc(*around).encode(&mut new);
                            replace(at..reader.original_position() as usize, &new);
                        }
                    }
                }
            }
        }
    }
    changed.extend(&content[done..]);
    Ok(changed)
}

/// Fills a place with a number, which is written as long as the place is; false if it has no room.
pub fn write_number(place: &mut [u8], mut number: u32) -> bool {
    let Some(last) = place.len().checked_sub(1) else { return false };
    for (at, byte) in place.iter_mut().enumerate() {
        *byte = number as u8 & 0x7f | if at < last { 0x80 } else { 0 };
        number >>= 7;
    }
    number == 0
}

/// A call that has room for the number of any function, as wasm-ld leaves it: a later change may lead it elsewhere.
pub fn roomy_call(function: u32) -> [u8; 6] {
    const CALL: u8 = 0x10;
    let mut call = [CALL; 6];
    write_number(&mut call[1..], function);
    call
}

/// How many bytes a number takes that begins here.
pub fn length_of_number(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| byte & 0x80 == 0).map_or(bytes.len(), |last| last + 1)
}
