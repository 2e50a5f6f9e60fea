//! Programs whose ranks can have several threads, as their modules show: they import the memory which their threads share.

use std::path::Path;

use anyhow::{Result, ensure};
use wasmparser::{Parser, Payload, TypeRef};
use wasmtime::Engine;

use crate::module;

/// Whether a file has a program with threads. Whatever else it has, others will say.
pub(crate) fn are_in(path: &Path) -> bool {
    module::read(path).is_ok_and(|binary| imports_shared_memory(&binary))
}

pub(crate) fn imports_shared_memory(binary: &[u8]) -> bool {
    for payload in Parser::new(0).parse_all(binary) {
        match payload {
            Ok(Payload::ImportSection(imports)) => {
                let is_shared = |ty: TypeRef| matches!(ty, TypeRef::Memory(memory) if memory.shared);
                return imports.into_imports().any(|import| import.is_ok_and(|import| is_shared(import.ty)));
            }
            Ok(Payload::FunctionSection(_) | Payload::CodeSectionStart { .. }) | Err(_) => break,
            _ => {}
        }
    }
    false
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
}
