//! Sections of a module as bytes: where one stands, and one that has more entries.

use anyhow::Result;
use wasm_encoder::{Encode, Module, RawSection, SectionId};
use wasmparser::BinaryReader;

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

/// How many bytes a number takes that begins here.
pub(crate) fn length_of_number(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| byte & 0x80 == 0).map_or(bytes.len(), |last| last + 1)
}
