//! Sections of a module as bytes: where one stands, one that has more entries, and one that points to other functions.

use std::collections::HashMap;
use std::ops::Range;

use anyhow::Result;
use wasm_encoder::{Encode, Instruction, Module, RawSection, SectionId};
use wasmparser::{BinaryReader, CustomSectionReader, ElementItems, ElementSectionReader, KnownCustom, Name, Operator};

/// Whether a section stands before this one. Custom ones stand anywhere.
pub(crate) fn comes_before(id: u8, than: SectionId) -> bool {
    // Tags and the count of data stand between others.
    const ORDER: [u8; 14] = [0, 1, 2, 3, 4, 5, 13, 6, 7, 8, 9, 12, 10, 11];
    let place = |id: u8| ORDER.iter().position(|&known| known == id);
    place(id) < place(than as u8)
}

/// Adds a section with this content.
pub(crate) fn section(module: &mut Module, id: SectionId, content: &[u8]) {
    module.section(&RawSection { id: id as u8, data: content });
}

/// A section with so many more entries.
pub(crate) fn grown(content: &[u8], more: usize, entries: &[u8]) -> Result<Vec<u8>> {
    let mut reader = BinaryReader::new(content, 0);
    let count = reader.read_var_u32()?;
    let mut changed = Vec::with_capacity(content.len() + entries.len());
    (count + more as u32).encode(&mut changed);
    changed.extend(&content[reader.original_position() as usize..]);
    changed.extend(entries);
    Ok(changed)
}

/// The names of functions in a section of names. Those that can't be read are none.
pub(crate) fn function_names<'m>(section: &CustomSectionReader<'m>) -> impl Iterator<Item = (u32, &'m str)> {
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

/// The section of elements that begins at `start` of the module, with pointers to functions replaced by those around them.
pub(crate) fn led_elements(
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

/// How many bytes a number takes that begins here.
fn length_of_number(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| byte & 0x80 == 0).map_or(bytes.len(), |last| last + 1)
}
