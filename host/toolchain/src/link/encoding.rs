//! How what is added to a module is written: numbers, instructions, sections.

use anyhow::Result;
use wasmparser::{BinaryReader, FuncType, ValType};

pub(super) const I32_CONST: u8 = 0x41;
pub(super) const I64_CONST: u8 = 0x42;
pub(super) const END: u8 = 0x0b;
pub(super) const CALL: u8 = 0x10;
pub(super) const LOCAL_GET: u8 = 0x20;
const DROP: u8 = 0x1a;
const I32_WRAP_I64: u8 = 0xa7;
const I64_EXTEND_I32_S: u8 = 0xac;

/// A call with a function's own parameters, of what takes and gives others: `called` is the instructions that call it.
/// Parameters that it has and the function has not are zero.
pub(super) fn adapted(own: &FuncType, callee: &FuncType, called: &[u8]) -> Vec<u8> {
    let mut code = Vec::new();
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
    code.extend(called);
    match (callee.results(), own.results()) {
        ([have], [wanted]) => code.extend(converted(*have, *wanted)),
        ([], [wanted]) => code.extend(zero(*wanted)),
        ([_], []) => code.push(DROP),
        _ => {}
    }
    code
}

/// The body of a function without variables, as the section of code has it.
pub(super) fn body(code: &[u8]) -> Vec<u8> {
    [&leb(code.len() as u32 + 2)[..], &[0], code, &[END]].concat()
}

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

/// A section that is a list, with more items.
pub(super) fn longer(bytes: &[u8], more: impl ExactSizeIterator<Item = Vec<u8>>) -> Result<Vec<u8>> {
    let mut reader = BinaryReader::new(bytes, 0);
    let count = reader.read_var_u32()? + more.len() as u32;
    let mut content = leb(count);
    content.extend(&bytes[reader.original_position() as usize..]);
    content.extend(more.flatten());
    Ok(content)
}

/// The section of names, with those of more functions.
pub(super) fn named(bytes: &[u8], functions: &[(u32, String)]) -> Result<Vec<u8>> {
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
            let entry =
                |(number, name): &(u32, String)| [&leb(*number)[..], &leb(name.len() as u32), name.as_bytes()].concat();
            part = longer(&part, functions.iter().map(entry))?;
        }
        content.push(id);
        content.extend(leb(u32::try_from(part.len())?));
        content.extend(part);
    }
    Ok(content)
}

pub(crate) fn leb(mut number: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// A number that is not negative, where one with a sign is expected: its highest bit must be free.
pub(super) fn signed_leb(number: u32) -> Vec<u8> {
    let mut bytes = leb(number);
    if let Some(last) = bytes.last_mut().filter(|last| **last & 0x40 != 0) {
        *last |= 0x80;
        bytes.push(0);
    }
    bytes
}

/// A number in so many bytes, if it fits.
pub(super) fn padded(number: u32, length: usize) -> Option<Vec<u8>> {
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
