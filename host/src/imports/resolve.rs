//! Resolving what a module imports: only what it names, and all of it before anything runs.

use std::path::Path;

use anyhow::{Result, anyhow, bail};
use wasmtime::{ExternType, Linker, Module};

use crate::guest::{Guest, Placement, Rank};
use crate::imports::math::{self, Mathematics};
use crate::imports::threads::{self, Import, Linked};
use crate::imports::wasi::own;
use crate::imports::{extension, view, wasi};
use rankine_system::shown;

/// Registers every function that the module imports, those of MPI and of object graphs by `define`, which is an
/// engine's and gets the import's module and name; refuses the module with all missing ones named.
pub(crate) fn resolve<R: Rank>(
    module: &Module,
    path: &Path,
    placement: Placement,
    mathematics: &Mathematics,
    define: impl Fn(&mut Linker<Guest<R>>, &str, &str) -> wasmtime::Result<bool>,
) -> Result<Linked<R>> {
    let mut linker = Linker::new(module.engine());
    // The same function may be imported twice.
    linker.allow_shadowing(true);
    let memory = Import::of(module)?;
    let mut missing = Vec::new();
    for import in module.imports() {
        let is_known = match (import.module(), import.ty()) {
            (library @ (rankine_abi::MODULE | rankine_object::MODULE), ExternType::Func(_)) => {
                define(&mut linker, library, import.name())
            }
            (math::MODULE, ExternType::Func(ty)) => math::define(&mut linker, &ty, import.name(), mathematics),
            (view::MODULE, ExternType::Func(ty)) => view::define(&mut linker, &ty, import.name()),
            (wasi::MODULE, ExternType::Func(_)) => wasi::define(&mut linker, placement, import.name()),
            (own::MODULE, ExternType::Func(_)) => own::define(&mut linker, placement, import.name()),
            (threads::MODULE, ExternType::Func(_)) => threads::define_function(&mut linker, import.name()),
            (library, ExternType::Memory(_)) => {
                Ok(memory.as_ref().is_some_and(|memory| memory.is(library, import.name())))
            }
            (library, ExternType::Func(_)) => extension::define(&mut linker, library, import.name()),
            _ => Ok(false),
        };
        if !is_known.map_err(|error| anyhow!("{error:#}"))? {
            missing.push((import.module(), import.name()));
        }
    }
    if !missing.is_empty() {
        bail!(refusal(path, &missing));
    }
    let Some(memory) = memory else {
        return Ok(Linked::Alone(linker.instantiate_pre(module).map_err(|error| {
            anyhow!(
                "{}: {error:#}\nIt was compiled against another version of mpi.h; compile it again with `rankine cc`",
                path.display()
            )
        })?));
    };
    if placement == Placement::Fibers {
        bail!("{} uses threads, so it needs --threads: fibers can't have threads", path.display());
    }
    Ok(Linked::Team { linker, module: module.clone(), memory })
}

/// Missing functions that are named.
const SHOWN: usize = 100;

/// Names what is missing, and what to do about it.
fn refusal(path: &Path, missing: &[(&str, &str)]) -> String {
    let mut names: Vec<String> =
        missing.iter().take(SHOWN).map(|(module, name)| shown::line(&format!("  {module}.{name}"))).collect();
    if missing.len() > SHOWN {
        names.push(format!("  ... and {} more", missing.len() - SHOWN));
    }
    let mut text =
        format!("{} needs what this version of Rankine does not have:\n{}", path.display(), names.join("\n"));
    if missing.iter().any(|(module, _)| *module == rankine_abi::MODULE) {
        text += &format!(
            "\n`rankine info {}` lists the MPI functions it uses and which engines have them.",
            path.display()
        );
    }
    if missing.iter().any(|(module, name)| *module == "env" && name.trim_start_matches('P').starts_with("MPI_")) {
        text += "\nMPI functions of the module `env` were called without their declaration: include mpi.h there.";
    } else if missing.iter().any(|(module, _)| *module == "env") {
        text += "\nNames of the module `env` were left undefined when the program was linked: an object file or library is missing there.";
    }
    text
}
