//! Which line of Python an interpreter is in, found in its memory.
//!
//! CPython keeps a table for debuggers that look from outside: at the beginning of `_PyRuntime`, whose address the interpreter
//! of `rankine python` exports, stands where in its structures what lies. Nothing there is trusted: every read is bounded, and
//! so is every list.

use wasmtime::{AsContextMut, Instance, Module, Val};

use crate::guest::Reach;
use rankine_system::shown;

/// What the interpreter exports.
const RUNTIME: &str = "_PyRuntime";

/// What the table begins with, and the release that its numbers are of: others have other tables.
const COOKIE: &[u8; 8] = b"xdebugpy";
const RELEASE: u64 = 0x030d;

/// The folder of the standard library, whose frames nobody looks for.
const LIBRARY: &str = "/python/lib/";

/// Frames that are walked, and bytes of a text that are read.
const MOST_FRAMES: usize = 1000;
const LONGEST: u32 = 4096;
/// Bytes of a table of lines: that of a function of some ten thousand lines.
const LARGEST: u32 = 1 << 20;

/// Where numbers of the table stand, counted in numbers of eight bytes.
mod at {
    pub(super) const VERSION: u32 = 1;
    pub(super) const INTERPRETERS: u32 = 5;
    pub(super) const THREADS: u32 = 9;
    pub(super) const CURRENT_FRAME: u32 = 23;
    pub(super) const PREVIOUS: u32 = 29;
    pub(super) const EXECUTABLE: u32 = 30;
    pub(super) const INSTRUCTION: u32 = 31;
    pub(super) const OWNER: u32 = 33;
    pub(super) const FILE_NAME: u32 = 35;
    pub(super) const QUALIFIED_NAME: u32 = 37;
    pub(super) const LINE_TABLE: u32 = 38;
    pub(super) const FIRST_LINE: u32 = 39;
    pub(super) const CODE: u32 = 43;
    pub(super) const BYTES_SIZE: u32 = 65;
    pub(super) const BYTES: u32 = 66;
    pub(super) const TEXT_STATE: u32 = 68;
    pub(super) const TEXT_LENGTH: u32 = 69;
    pub(super) const TEXT: u32 = 70;
}

/// A frame of this owner is a place where C has called Python, and runs no line.
const OF_C: u8 = 3;

/// An interpreter in a guest's memory.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Interpreter(u32);

impl Interpreter {
    /// The one that an instance is, if it is one.
    pub(crate) fn of(store: impl AsContextMut, instance: &Instance) -> Option<Interpreter> {
        let mut store = store;
        let global = instance.get_global(&mut store, RUNTIME)?;
        match global.get(&mut store) {
            Val::I32(address) => Some(Interpreter(address as u32)),
            _ => None,
        }
    }

    /// Whether a module is one.
    pub(crate) fn is(module: &Module) -> bool {
        module.get_export(RUNTIME).is_some()
    }

    /// Its innermost line that is not one of the library's, as reports name places.
    pub(crate) fn place(self, memory: Reach) -> Option<String> {
        let look = Look { memory, runtime: self.0 };
        if look.bytes(self.0, 8)? != COOKIE || look.table(at::VERSION)? >> 16 != RELEASE {
            return None;
        }
        let interpreter = look.field(self.0, at::INTERPRETERS)?;
        let thread = look.field(interpreter, at::THREADS)?;
        let mut frame = look.field(thread, at::CURRENT_FRAME)?;
        for _ in 0..MOST_FRAMES {
            if frame == 0 {
                break;
            }
            let owner = look.bytes(look.place_of(frame, at::OWNER)?, 1)?[0];
            if owner != OF_C
                && let Some(place) = look.line_of(frame)
            {
                return Some(place);
            }
            frame = look.field(frame, at::PREVIOUS)?;
        }
        None
    }
}

/// Reads of an interpreter's memory.
struct Look {
    memory: Reach,
    runtime: u32,
}

impl Look {
    fn bytes(&self, address: u32, count: u32) -> Option<Vec<u8>> {
        self.memory.at(address, u64::from(count))?;
        let mut bytes = vec![0; count as usize];
        self.memory.read(address, &mut bytes);
        Some(bytes)
    }

    fn word(&self, address: u32) -> Option<u32> {
        Some(u32::from_le_bytes(self.bytes(address, 4)?.try_into().ok()?))
    }

    /// A number of the table.
    fn table(&self, number: u32) -> Option<u64> {
        let bytes = self.bytes(self.runtime.checked_add(8 * number)?, 8)?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    }

    /// Where a field of a structure is.
    fn place_of(&self, structure: u32, field: u32) -> Option<u32> {
        structure.checked_add(u32::try_from(self.table(field)?).ok()?)
    }

    fn field(&self, structure: u32, field: u32) -> Option<u32> {
        self.word(self.place_of(structure, field)?)
    }

    /// A frame's function, file and line.
    fn line_of(&self, frame: u32) -> Option<String> {
        let code = self.field(frame, at::EXECUTABLE)?;
        let file = self.text(self.field(code, at::FILE_NAME)?)?;
        if file.starts_with(LIBRARY) || file.starts_with('<') && file != "<string>" && file != "<stdin>" {
            return None;
        }
        let name = self.text(self.field(code, at::QUALIFIED_NAME)?)?;
        let instruction = self.field(frame, at::INSTRUCTION)?.checked_sub(self.place_of(code, at::CODE)?)?;
        let table = self.field(code, at::LINE_TABLE)?;
        let size = self.field(table, at::BYTES_SIZE)?.min(LARGEST);
        let lines = self.bytes(self.place_of(table, at::BYTES)?, size)?;
        let first = self.field(code, at::FIRST_LINE)? as i32;
        // What lies in the working folder, which is the root of a guest's files.
        let file = file.strip_prefix("//").unwrap_or(&file);
        let (name, file) = (shown::line(&name), shown::line(file));
        Some(match line(&lines, first, instruction) {
            Some(line) => format!("{name} ({file}:{line})"),
            None => format!("{name} ({file})"),
        })
    }

    /// A text, whose characters have one, two or four bytes each.
    fn text(&self, object: u32) -> Option<String> {
        /// Behind the head of a text that is not only ASCII stand two words more.
        const MORE: u32 = 8;
        let state = self.field(object, at::TEXT_STATE)?;
        let (kind, is_compact, is_ascii) = (state >> 2 & 7, state >> 5 & 1 == 1, state >> 6 & 1 == 1);
        let count = self.field(object, at::TEXT_LENGTH)?.min(LONGEST);
        if !is_compact || !matches!(kind, 1 | 2 | 4) {
            return None;
        }
        let begin = self.place_of(object, at::TEXT)?.checked_add(if is_ascii { 0 } else { MORE })?;
        let bytes = self.bytes(begin, count * kind)?;
        let characters = bytes.chunks_exact(kind as usize).map(|bytes| {
            let number = bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte));
            char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER)
        });
        Some(characters.collect())
    }
}

/// The line of an instruction, so many bytes behind the first, by a function's table of locations: entries of a byte that says
/// what kind they are and how many instructions they cover, and of others, which have no highest bit.
fn line(table: &[u8], first: i32, instruction: u32) -> Option<i32> {
    const NO_LINE: u8 = 15;
    const LONG: u8 = 14;
    const WITHOUT_COLUMNS: u8 = 13;
    let (mut line, mut covered) = (first, 0u32);
    let mut rest = table;
    while let Some((&head, after)) = rest.split_first() {
        let end = after.iter().position(|byte| byte & 0x80 != 0).unwrap_or(after.len());
        let (own, next) = after.split_at(end);
        let kind = head >> 3 & 15;
        line = line.checked_add(match kind {
            LONG | WITHOUT_COLUMNS => signed(own)?,
            10..=12 => i32::from(kind) - 10,
            _ => 0,
        })?;
        // Two bytes each.
        covered = covered.checked_add(2 * (u32::from(head & 7) + 1))?;
        if instruction < covered {
            return (kind != NO_LINE).then_some(line);
        }
        rest = next;
    }
    None
}

/// A number of six bits a byte, the lowest first, whose lowest bit is its sign.
fn signed(bytes: &[u8]) -> Option<i32> {
    let mut number = 0u32;
    for (at, byte) in bytes.iter().take(6).enumerate() {
        number |= u32::from(byte & 0x3f).checked_shl(6 * at as u32)?;
        if byte & 0x40 == 0 {
            let size = (number >> 1) as i32;
            return Some(if number & 1 == 1 { -size } else { size });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_as_cpython_has_them() {
        // def f(x):            # line 10
        //     y = x + 1
        //     return y         # written by CPython 3.13: f.__code__.co_linetable
        let table = b"\x80\x00\xd8\x08\x09\x88\x41\x89\x05\x80\x41\xd8\x0b\x0c\x80\x48";
        let found: Vec<_> = [0, 2, 4, 6, 8, 10, 12, 14].map(|at| line(table, 10, at)).to_vec();
        assert_eq!(found, [10, 11, 11, 11, 11, 11, 12, 12].map(Some));
        assert_eq!(line(table, 10, 1000), None);
        assert_eq!(line(&[], 10, 0), None);
    }

    #[test]
    fn numbers_of_a_table_have_signs() {
        assert_eq!(signed(&[0x05]), Some(-2));
        assert_eq!(signed(&[0x44, 0x01]), Some(34));
        assert_eq!(signed(&[]), None);
        assert_eq!(signed(&[0x7f; 10]), None);
    }

    #[test]
    fn a_memory_without_an_interpreter_has_no_lines() {
        let mut memory = vec![0u8; 1024];
        for address in [0, 900, 1020, u32::MAX] {
            let reach = Reach { base: memory.as_mut_ptr(), size: 1024, lowest: 0 };
            assert_eq!(Interpreter(address).place(reach), None);
        }
        memory[..8].copy_from_slice(COOKIE);
        memory[8..16].copy_from_slice(&0x030d_05f0_u64.to_le_bytes());
        let reach = Reach { base: memory.as_mut_ptr(), size: 1024, lowest: 0 };
        assert_eq!(Interpreter(0).place(reach), None);
    }
}
