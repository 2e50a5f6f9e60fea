//! Programs whose ranks can have several threads: those that import the memory which their threads share.
//!
//! Each rank of such a program gets a memory, and each of its threads an instance that imports it (`wasi-threads`). What
//! runs there is a [`Team`](crate::guest::team::Team).

use std::sync::Arc;

use anyhow::{Result, bail};
use rankine_guest::Account;
use wasmtime::{Caller, ExternType, InstancePre, Linker, Module, SharedMemory, Store};

use crate::guest::{Guest, Rank};
use crate::module::metered::{self, PAGE};
use crate::module::{self, THREADS};

/// The import module of functions about threads, and the only one of these.
pub(crate) const MODULE: &str = THREADS;
const SPAWN: &str = "thread-spawn";
/// That of programs whose addresses have 64 bits, and so what a thread starts with.
const SPAWN_64: &str = "thread-spawn_64";

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
    /// Its least pages.
    least: u64,
    /// What memories of its type are made from.
    maker: Module,
}

impl Import {
    /// The shared memory among the imports of a module.
    pub(crate) fn of(module: &Module) -> Result<Option<Import>> {
        let shared = module.imports().find_map(|import| match import.ty() {
            ExternType::Memory(ty) if ty.is_shared() => Some((import.module().into(), import.name().into(), ty)),
            _ => None,
        });
        let Some((module_name, name, ty)) = shared else { return Ok(None) };
        let (least, most) = (ty.minimum(), ty.maximum().unwrap_or(1 << 16));
        let maker = module::on_threads_that_end(|| metered::module(module.engine(), &ty, least, most))?;
        let maker = maker.map_err(|error| anyhow::anyhow!("{error:#}"))?;
        Ok(Some(Import { module: module_name, name, least, maker }))
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
    pub(crate) fn memory(&self, account: &Arc<Account>) -> Result<Option<SharedMemory>> {
        match self {
            Linked::Alone(_) => Ok(None),
            Linked::Team { memory: import, .. } => memory(import, account).map(Some),
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

/// A rank's memory, which becomes no larger than the rank's limit allows.
fn memory(import: &Import, account: &Arc<Account>) -> Result<SharedMemory> {
    if import.least > account.limit() / PAGE {
        bail!(
            "the program begins with {} MiB of memory, more than the memory limit allows",
            (import.least * PAGE).div_ceil(1 << 20)
        );
    }
    metered::memory(&import.maker, account).map_err(|error| anyhow::anyhow!("{error:#}"))
}

/// Registers a function about threads; says whether it is one.
pub(crate) fn define_function<R: Rank>(linker: &mut Linker<Guest<R>>, name: &str) -> wasmtime::Result<bool> {
    match name {
        SPAWN => {
            linker.func_wrap(MODULE, name, |caller: Caller<'_, Guest<R>>, start: u32| spawn(&caller, start.into()))?
        }
        SPAWN_64 => linker.func_wrap(MODULE, name, |caller: Caller<'_, Guest<R>>, start: u64| spawn(&caller, start))?,
        _ => return Ok(false),
    };
    Ok(true)
}

fn spawn<R: Rank>(caller: &Caller<'_, Guest<R>>, start: u64) -> wasmtime::Result<i32> {
    let Some(member) = caller.data().member() else { return Ok(NO_MORE) };
    Ok(member.team.spawn(start)?.map_or(NO_MORE, |number| number as i32))
}

/// What `thread-spawn` says when there can't be another thread: `pthread_create` then returns `EAGAIN`.
const NO_MORE: i32 = -1;

#[cfg(test)]
mod tests {
    use super::*;

    fn binary(text: &str) -> Vec<u8> {
        wat::parse_str(text).unwrap()
    }

    /// The memory of a rank with this limit whose program imports one.
    fn made(text: &str, limit: u64) -> (Result<SharedMemory>, Arc<Account>) {
        let binary = binary(text);
        let engines = module::Engines::new(module::Settings::default()).unwrap();
        let module = Module::new(engines.of(&binary).unwrap(), &binary).unwrap();
        let account = Account::new(Some(limit));
        let import = Import::of(&module).unwrap().unwrap();
        (memory(&import, &account), account)
    }

    const IMPORTS: &str = r#"(module (import "env" "memory" (memory 16 65536 shared)))"#;

    #[test]
    fn no_memory_grows_beyond_the_limit() {
        let (memory, account) = made(IMPORTS, 4 << 20);
        let memory = memory.unwrap();
        assert_eq!(account.used(), 1 << 20);
        assert!(memory.grow(48).is_ok() && memory.grow(1).is_err());
        assert_eq!((account.used(), memory.size()), (4 << 20, 64));
        drop(memory);
        assert_eq!(account.used(), 0);
        let (memory, account) = made(r#"(module (import "env" "memory" (memory 65 65536 shared)))"#, 4 << 20);
        assert!(memory.is_err() && account.used() == 0);
    }

    #[test]
    fn what_the_host_holds_leaves_a_memory_less() {
        let (memory, account) = made(IMPORTS, 4 << 20);
        let memory = memory.unwrap();
        let held = account.charge(2 << 20, rankine_guest::Cost::Datatypes).unwrap();
        assert!(memory.grow(17).is_err() && memory.grow(16).is_ok());
        drop(held);
        assert!(memory.grow(33).is_err() && memory.grow(32).is_ok());
    }

    #[test]
    fn only_an_engine_that_asks_makes_them() {
        let binary = binary(IMPORTS);
        let engine = module::engine(module::Settings::default()).unwrap();
        let module = Module::new(&engine, &binary).unwrap();
        let import = Import::of(&module).unwrap().unwrap();
        let error = memory(&import, &Account::new(None)).unwrap_err();
        assert!(error.to_string().contains("none for programs with threads"), "{error}");
    }
}
