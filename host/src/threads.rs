//! Programs whose ranks can have several threads: those that import the memory which their threads share.
//!
//! Each rank of such a program gets a memory, and each of its threads an instance that imports it (`wasi-threads`). What
//! runs there is a [`Team`](crate::team::Team).

use std::path::Path;

use anyhow::{Result, bail, ensure};
use rankine_guest::Account;
use wasmparser::{Parser, Payload, TypeRef};
use wasmtime::{Caller, Engine, ExternType, InstancePre, Linker, MemoryType, Module, SharedMemory, Store};

use crate::engine::Rank;
use crate::guest::Guest;
use crate::module;

/// The import module of functions about threads, and the only one of these.
pub(crate) const MODULE: &str = "wasi";
const SPAWN: &str = "thread-spawn";

/// A page of linear memory.
const PAGE: u64 = 1 << 16;

/// Whether a file has a program with threads. Whatever else it has, others will say.
pub(crate) fn are_in(path: &Path) -> bool {
    module::read(path).is_ok_and(|binary| imports_shared_memory(&binary))
}

fn imports_shared_memory(binary: &[u8]) -> bool {
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

/// A program whose imports are known.
pub(crate) enum Linked<R: Rank + 'static> {
    /// Every instance has a memory of its own, and is a rank.
    Alone(InstancePre<Guest<R>>),
    /// Instances import the memory of their rank.
    Team { linker: Linker<Guest<R>>, module: Module, memory: Import },
}

/// The memory that a program imports.
#[derive(Clone)]
pub(crate) struct Import {
    module: String,
    name: String,
    ty: MemoryType,
}

impl Import {
    /// The shared memory among the imports of a module.
    pub(crate) fn of(module: &Module) -> Option<Import> {
        module.imports().find_map(|import| match import.ty() {
            ExternType::Memory(ty) if ty.is_shared() => {
                Some(Import { module: import.module().into(), name: import.name().into(), ty })
            }
            _ => None,
        })
    }

    /// Whether it is this import of the module.
    pub(crate) fn is(&self, module: &str, name: &str) -> bool {
        self.module == module && self.name == name
    }
}

impl<R: Rank> Linked<R> {
    /// The compiled code.
    pub(crate) fn module(&self) -> &Module {
        match self {
            Linked::Alone(program) => program.module(),
            Linked::Team { module, .. } => module,
        }
    }

    /// A memory for a rank whose threads share it.
    pub(crate) fn memory(&self, account: &Account) -> Result<Option<SharedMemory>> {
        match self {
            Linked::Alone(_) => Ok(None),
            Linked::Team { module, memory: import, .. } => memory(module.engine(), &import.ty, account).map(Some),
        }
    }

    /// What the instances of one rank are made from; of a rank with threads, with its memory.
    pub(crate) fn for_rank(
        &self,
        store: &mut Store<Guest<R>>,
        memory: Option<&SharedMemory>,
    ) -> wasmtime::Result<InstancePre<Guest<R>>> {
        match (self, memory) {
            (Linked::Alone(program), _) => Ok(program.clone()),
            (Linked::Team { .. }, None) => Err(wasmtime::format_err!("a rank with threads has a memory")),
            (Linked::Team { linker, module, memory: import }, Some(memory)) => {
                let mut linker = linker.clone();
                linker.define(store, &import.module, &import.name, memory.clone())?.instantiate_pre(module)
            }
        }
    }
}

impl<R: Rank> Clone for Linked<R> {
    fn clone(&self) -> Linked<R> {
        match self {
            Linked::Alone(program) => Linked::Alone(program.clone()),
            Linked::Team { linker, module, memory } => {
                Linked::Team { linker: linker.clone(), module: module.clone(), memory: memory.clone() }
            }
        }
    }
}

/// A rank's memory. It may become no larger than the rank's limit: as it grows nobody is asked.
fn memory(engine: &Engine, ty: &MemoryType, account: &Account) -> Result<SharedMemory> {
    let (least, most) = (ty.minimum(), ty.maximum().unwrap_or(1 << 16));
    let allowed = (account.limit() / PAGE).min(most);
    if least > allowed {
        bail!(
            "the program begins with {} MiB of memory, more than the memory limit allows",
            (least * PAGE).div_ceil(1 << 20)
        );
    }
    let ty = MemoryType::shared(least as u32, allowed as u32);
    SharedMemory::new(engine, ty).map_err(|error| anyhow::anyhow!("{error:#}"))
}

/// Registers a function about threads; says whether it is one.
pub(crate) fn define_function<R: Rank>(linker: &mut Linker<Guest<R>>, name: &str) -> wasmtime::Result<bool> {
    if name != SPAWN {
        return Ok(false);
    }
    linker.func_wrap(MODULE, SPAWN, |caller: Caller<'_, Guest<R>>, argument: i32| -> wasmtime::Result<i32> {
        let Some(member) = caller.data().member() else { return Ok(NO_MORE) };
        Ok(member.team.spawn(argument)?.map_or(NO_MORE, |number| number as i32))
    })?;
    Ok(true)
}

/// What `thread-spawn` says when there can't be another thread: `pthread_create` then returns `EAGAIN`.
const NO_MORE: i32 = -1;

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
    fn no_memory_grows_beyond_the_limit() {
        let engine = module::engine(module::Settings::default()).unwrap();
        let account = Account::new(Some(4 << 20));
        let memory = memory(&engine, &MemoryType::shared(16, 1 << 16), &account).unwrap();
        assert!(memory.grow(48).is_ok() && memory.grow(1).is_err());
        assert!(super::memory(&engine, &MemoryType::shared(65, 1 << 16), &account).is_err());
    }
}
