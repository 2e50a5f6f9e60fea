//! What an instance of a program takes of the host's memory, beside its memories and tables, which are charged as they grow.
//!
//! Wasmtime keeps a record of each instance: its globals, and addresses of what it imports, of its types and of functions that
//! may be referred to. A program may have millions of these, and a rank has an instance for each of its threads. How large a
//! record is Wasmtime doesn't say, so it is reckoned from what the module has, rather too much than too little.

use wasmparser::{ElementItems, ElementKind, Parser, Payload, Result};

/// A global: sixteen bytes, as a vector has.
const GLOBAL: usize = 16;
/// Something imported: how it is called and with what, while it is looked up, for the store, and for the instance.
const IMPORT: usize = 256;
/// The record of a function that may be referred to.
const FUNCTION: usize = 32;
const TYPE: usize = 8;
/// A table or a memory, and what is known of it.
const LARGE: usize = 256;
const EXPORT: usize = 64;
const TAG: usize = 16;
/// A segment, and each element of one that waits to be copied into a table.
const SEGMENT: usize = 64;
const ELEMENT: usize = 16;

/// What an instance of a module that is well-formed takes.
pub(crate) fn bytes(binary: &[u8]) -> Result<usize> {
    let (mut bytes, mut functions, mut referred) = (0usize, 0usize, 0usize);
    let mut add = |count: usize, each: usize| bytes = bytes.saturating_add(count.saturating_mul(each));
    for payload in Parser::new(0).parse_all(binary) {
        match payload? {
            Payload::TypeSection(types) => {
                for group in types {
                    add(group?.types().len(), TYPE);
                }
            }
            Payload::ImportSection(imports) => {
                let imports = imports.into_imports().collect::<Result<Vec<_>>>()?.len();
                functions = functions.saturating_add(imports);
                add(imports, IMPORT);
            }
            Payload::FunctionSection(own) => functions = functions.saturating_add(own.count() as usize),
            Payload::TableSection(tables) => add(tables.count() as usize, LARGE),
            Payload::MemorySection(memories) => add(memories.count() as usize, LARGE),
            Payload::TagSection(tags) => add(tags.count() as usize, TAG),
            Payload::GlobalSection(globals) => {
                referred = referred.saturating_add(globals.count() as usize);
                add(globals.count() as usize, GLOBAL);
            }
            Payload::ExportSection(exports) => {
                referred = referred.saturating_add(exports.count() as usize);
                add(exports.count() as usize, EXPORT);
            }
            Payload::ElementSection(segments) => {
                add(segments.count() as usize, SEGMENT);
                for segment in segments {
                    let segment = segment?;
                    let elements = match segment.items {
                        ElementItems::Functions(functions) => functions.count(),
                        ElementItems::Expressions(_, expressions) => expressions.count(),
                    } as usize;
                    referred = referred.saturating_add(elements);
                    if matches!(segment.kind, ElementKind::Passive) {
                        add(elements, ELEMENT);
                    }
                }
            }
            Payload::DataCountSection { count, .. } => add(count as usize, SEGMENT),
            Payload::CodeSectionStart { .. } => break,
            _ => {}
        }
    }
    add(referred.min(functions), FUNCTION);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> usize {
        bytes(&wat::parse_str(text).unwrap()).unwrap()
    }

    #[test]
    fn what_a_module_has_is_added_up() {
        assert_eq!(of("(module)"), 0);
        assert_eq!(of("(module (global i32 (i32.const 0)) (global i64 (i64.const 0)))"), 2 * GLOBAL);
        let import = of(r#"(module (import "a" "b" (func)))"#);
        assert_eq!(import, IMPORT + TYPE);
        assert_eq!(of(r#"(module (import "a" "b" (func)) (export "c" (func 0)))"#), import + EXPORT + FUNCTION);
        // A function that nothing refers to has no record.
        assert_eq!(of("(module (func) (func))"), TYPE);
        let segment = |kind: &str| of(&format!("(module (table 2 funcref) (func) (func) (elem {kind} func 0 1 1))"));
        assert_eq!(segment("declare"), TYPE + LARGE + SEGMENT + 2 * FUNCTION);
        assert_eq!(segment(""), segment("declare") + 3 * ELEMENT);
    }

    #[test]
    fn a_broken_module_is_an_error() {
        assert!(bytes(b"\0asm\x01\0\0\0\x06\xff\xff\xff\xff\xff").is_err());
    }
}
