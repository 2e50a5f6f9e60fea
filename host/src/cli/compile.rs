//! `rankine compile`: a program's code, made before it is run, on the machine that runs it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;

use crate::module::cache::Cache;
use crate::module::{self, Changes, Codegen, Source};
use rankine_system::limits;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The programs, modules compiled for wasm32-wasip1
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    codegen: Codegen,
}

/// Compiles each, or finds that its code is there. What is wrong with one is said as `rankine run` would.
pub(super) fn run(arguments: Arguments) -> Result<ExitCode> {
    super::log(0);
    arguments.files.iter().try_for_each(|file| ahead(file, &module::read(file)?, arguments.codegen))?;
    Ok(ExitCode::SUCCESS)
}

/// Sees to it that a program's code is in the cache.
pub(super) fn ahead(file: &Path, binary: &[u8], codegen: Codegen) -> Result<()> {
    let engines = module::Engines::new(module::Settings {
        images: limits::check_mappings(1)?,
        codegen,
        ..module::Settings::default()
    })?;
    // As programs are run unless --null-page is given.
    let source = Source::new(&engines, file, binary.to_vec(), Changes::default())?;
    let engine = engines.of(&source.binary)?;
    let key = Cache::key(engine, &source.binary);
    module::check_program(&module::compile(engine, file, &source.binary, &key)?, file)
}
