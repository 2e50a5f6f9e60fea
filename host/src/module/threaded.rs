//! Programs whose ranks can have several threads, as their modules show: they import the memory which their threads share.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use anyhow::{Result, ensure};
use wasmparser::{Parser, Payload, TypeRef};
use wasmtime::Engine;

use crate::module;

/// Bytes of a file that are looked at first.
const HEAD: u64 = 64 << 10;

/// Whether a file has a program with threads, of which no more is read than says so. Whatever else it has, others will say.
pub(crate) fn are_in(path: &Path) -> bool {
    // A pipe would give its bytes to whoever reads first.
    let Some(mut file) = path.is_file().then(|| File::open(path).ok()).flatten() else { return false };
    let (mut head, mut more) = (Vec::new(), HEAD);
    loop {
        let Ok(read) = file.by_ref().take(more).read_to_end(&mut head) else { return false };
        if !head.starts_with(b"\0asm") {
            return module::read(path).is_ok_and(|binary| imports_shared_memory(&binary));
        }
        match tell_shared_memory(&head) {
            Some(answer) => return answer,
            None if (read as u64) < more => return false,
            None => more *= 2,
        }
    }
}

pub(crate) fn imports_shared_memory(binary: &[u8]) -> bool {
    tell_shared_memory(binary).unwrap_or(false)
}

/// Whether a module imports shared memory, if its beginning tells.
fn tell_shared_memory(binary: &[u8]) -> Option<bool> {
    for payload in Parser::new(0).parse_all(binary) {
        match payload.ok()? {
            Payload::ImportSection(imports) => {
                let is_shared = |ty: TypeRef| matches!(ty, TypeRef::Memory(memory) if memory.shared);
                return Some(imports.into_imports().any(|import| import.is_ok_and(|import| is_shared(import.ty))));
            }
            Payload::FunctionSection(_) | Payload::CodeSectionStart { .. } => return Some(false),
            _ => {}
        }
    }
    Some(false)
}

/// Refuses a program with threads where it would be interpreted: Wasmtime's interpreter has none.
pub(crate) fn check_interpreter(engine: &Engine, binary: &[u8], path: &Path) -> Result<()> {
    ensure!(
        !engine.is_pulley() || !imports_shared_memory(binary),
        "{} has threads, and Wasmtime's interpreter has none: run it without --interpret where there is a compiler, or link it \
         without -pthread and -fopenmp",
        path.display()
    );
    Ok(())
}

/// Refuses a module with a memory of its own that is shared: nobody could share it, and it would grow without being asked.
pub(crate) fn check(binary: &[u8], path: &Path) -> Result<()> {
    let mut imported = 0;
    for payload in Parser::new(0).parse_all(binary) {
        match payload? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    imported += u32::from(matches!(import?.ty, TypeRef::Memory(memory) if memory.shared));
                }
            }
            Payload::MemorySection(memories) => {
                for memory in memories {
                    ensure!(
                        !memory?.shared,
                        "{} has a shared memory of its own, which its threads can't share; link it with -pthread, or with \
                         -Wl,--import-memory,--export-memory",
                        path.display()
                    );
                }
            }
            Payload::CodeSectionStart { .. } => break,
            _ => {}
        }
    }
    ensure!(imported <= 1, "{} imports several shared memories; a program has one", path.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binary(text: &str) -> Vec<u8> {
        wat::parse_str(text).unwrap()
    }

    #[test]
    fn a_shared_memory_is_imported() {
        let path = Path::new("a.wasm");
        let imported = binary(r#"(module (import "env" "memory" (memory 1 2 shared)))"#);
        assert!(imports_shared_memory(&imported) && check(&imported, path).is_ok());
        let alone = binary(r#"(module (memory (export "memory") 1))"#);
        assert!(!imports_shared_memory(&alone) && check(&alone, path).is_ok());
        let own = binary("(module (memory 1 2 shared))");
        assert!(check(&own, path).unwrap_err().to_string().contains("--import-memory"));
        let two = r#"(module (import "a" "b" (memory 1 2 shared)) (import "a" "c" (memory 1 2 shared)))"#;
        assert!(check(&binary(two), path).is_err());
    }

    #[test]
    fn no_more_of_a_file_is_read_than_tells() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.wasm");
        let tells = |bytes: &[u8]| {
            std::fs::write(&file, bytes).unwrap();
            are_in(&file)
        };
        // Types that take more than what is looked at first.
        let types = "(type (func (param i64 i64 i64 i64 i64 i64 i64 i64 i64 i64)))".repeat(20_000);
        for rights in ["1 2 shared", "1 2"] {
            let import = format!(r#"(import "env" "memory" (memory {rights}))"#);
            for text in [format!("(module {types} {import} (func))"), format!("(module {import})")] {
                let module = binary(&text);
                assert_eq!(tells(&module), rights.ends_with("shared"));
                assert_eq!(
                    tells(&[b"#!/usr/bin/env -S rankine run\n", &module[..]].concat()),
                    rights.ends_with("shared")
                );
                assert!(!tells(&module[..module.len() / 2]));
            }
        }
        // What comes behind may be anything.
        let module = binary(r#"(module (import "env" "memory" (memory 1 2 shared)) (func))"#);
        assert!(tells(&[&module[..module.len() - 8], &[0xff; 100][..]].concat()));
        assert!(!tells(b"") && !tells(b"\0asm") && !are_in(folder.path()));
    }
}
