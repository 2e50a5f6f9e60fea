//! `rankine info`: what a module uses, and what the engines have.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use serde::Serialize;

use super::info_tools;
use crate::engine::{local, mpi};
use crate::module::inspect::{Facts, inspect};
use crate::module::signature::Signed;
use crate::module::{self, signature};
use rankine_system::shown;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The module to inspect
    #[arg(required_unless_present_any = ["functions", "tools"], conflicts_with_all = ["functions", "tools"])]
    file: Option<PathBuf>,

    /// List the functions of MPI, and which engines have them
    #[arg(long)]
    functions: bool,

    /// List what the engine `local` shows through MPI's tools interface: settings, counters, events
    #[arg(long, conflicts_with = "functions")]
    tools: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One function of MPI that a module uses.
#[derive(Serialize)]
struct Used {
    name: String,
    engines: Vec<&'static str>,
}

/// What tools do that have made a module. Another word might pass for one of ours.
const KNOWN_ROLES: [&str; 3] = ["language", "processed-by", "sdk"];

/// What `info FILE` prints. Names that come from a module are one line, each.
#[derive(Serialize)]
struct Page {
    file: PathBuf,
    mpi_functions: Vec<Used>,
    /// Every import is known to some engine.
    runs: bool,
    #[serde(flatten)]
    facts: Facts,
    /// Who has signed it.
    signatures: Vec<Signed>,
}

fn engines(name: &str) -> Vec<&'static str> {
    let engines = [("local", local::has(name)), ("mpi", mpi::has(name))];
    engines.into_iter().filter(|(_, has)| *has).map(|(engine, _)| engine).collect()
}

/// Prints. A module that would not run is no failure of this command.
pub(super) fn run(arguments: Arguments) -> Result<ExitCode> {
    super::log(0);
    super::print_page(&match arguments.file {
        Some(file) => module_page(file, arguments.json)?,
        None if arguments.tools => info_tools::page(arguments.json)?,
        None => functions_page(arguments.json)?,
    })?;
    Ok(ExitCode::SUCCESS)
}

fn module_page(file: PathBuf, json: bool) -> Result<String> {
    let binary = module::read(&file)?;
    let mut facts = inspect(&binary).with_context(|| file.display().to_string())?;
    let used = std::mem::take(&mut facts.mpi_functions);
    let mpi_functions: Vec<Used> = used.into_iter().map(|name| Used { engines: engines(&name), name }).collect();
    let runs = facts.other_imports.is_empty() && mpi_functions.iter().all(|function| !function.engines.is_empty());
    let signatures = signature::signatures(&std::fs::read(&file)?);
    let is_text = file.extension().is_some_and(|ending| ending == "wat");
    let signatures = signatures.or_else(|wrong| if is_text { Ok(Vec::new()) } else { Err(wrong) });
    let signatures = signatures.with_context(|| file.display().to_string())?;
    let page = Page { file, mpi_functions, runs, facts, signatures };
    if json { Ok(serde_json::to_string_pretty(&page)? + "\n") } else { Ok(page.as_text()) }
}

impl Page {
    fn as_text(&self) -> String {
        let mut text = String::new();
        let mut line = |name: &str, value: String| text += &format!("{name:<14}{value}\n");
        let Facts { address_bits, memory, features, producers, debug_info, functions, size, .. } = &self.facts;
        line("file", shown::line(&self.file.to_string_lossy()));
        line("size", format!("{size} bytes, {functions} functions"));
        if *address_bits == Some(64) {
            let kind = match self.facts.large {
                true => "64 bits (-m64=large), and its memory may have more than 4 GiB",
                false => "64 bits (-m64), in a memory of at most 4 GiB",
            };
            line("addresses", kind.into());
        }
        if let Some(memory) = memory {
            let most =
                memory.maximum.map_or("no limit of its own".into(), |most| format!("at most {} KiB", most >> 10));
            line("memory", format!("{} KiB at the start, {most}", memory.initial >> 10));
        }
        let list = |items: Vec<&str>| match items.is_empty() {
            true => "none".to_owned(),
            false => items.into_iter().map(shown::line).collect::<Vec<_>>().join(", "),
        };
        line("features", list(features.iter().copied().collect()));
        line("source lines", if *debug_info { "yes" } else { "no (compile with -g)" }.into());
        let (own, of_libraries) = (&self.facts.compilers, &self.facts.library_compilers);
        for compiler in own {
            line("compiled by", compiler.clone());
        }
        for producer in producers {
            let said = shown::line(format!("{} {}", producer.name, producer.version).trim_end());
            // The linker keeps one version of each tool, that of what it reads first: the C library's.
            let is = |compilers: &BTreeSet<String>| compilers.iter().any(|one| one.replace(" version ", " ") == said);
            match is(own) {
                true => {}
                false if is(of_libraries) => line("C library by", said),
                false if KNOWN_ROLES.contains(&producer.role.as_str()) => line(&producer.role, said),
                false => line("made by", format!("{said} ({})", shown::line(&producer.role))),
            }
        }
        match &self.signatures[..] {
            [] => line("signed", "no".into()),
            list => list.iter().for_each(|Signed { key, holds }| {
                let note = if *holds { "" } else { ", but it was changed since" };
                line("signed by", format!("{key}{note}"));
            }),
        }
        line("WASI", list(self.facts.wasi_functions.iter().map(String::as_str).collect()));
        if !self.facts.object_functions.is_empty() {
            line("objects", list(self.facts.object_functions.iter().map(String::as_str).collect()));
        }
        if !self.facts.view_functions.is_empty() {
            line("view", list(self.facts.view_functions.iter().map(String::as_str).collect()));
        }
        if self.facts.threads {
            line("threads", "a rank can have several".into());
        }
        if !self.facts.other_imports.is_empty() {
            line("undefined", list(self.facts.other_imports.iter().map(String::as_str).collect()));
        }
        let missing = self.mpi_functions.iter().filter(|function| function.engines.is_empty()).count();
        line("MPI", format!("{} functions, {missing} of them in no engine", self.mpi_functions.len()));
        for Used { name, engines } in &self.mpi_functions {
            let name = shown::line(name);
            text += &format!("  {name:<34}{}\n", if engines.is_empty() { "-".into() } else { engines.join(" ") });
        }
        text
    }
}

/// A function of MPI, as `info --functions` lists it.
#[derive(Serialize)]
struct Covered {
    name: &'static str,
    chapter: &'static str,
    engines: Vec<&'static str>,
}

fn functions_page(json: bool) -> Result<String> {
    let covered = |function: &rankine_abi::Function| Covered {
        name: function.name,
        chapter: function.chapter.title(),
        engines: engines(function.name),
    };
    let functions: Vec<Covered> = rankine_abi::FUNCTIONS.iter().map(covered).collect();
    if json {
        return Ok(serde_json::to_string_pretty(&functions)? + "\n");
    }
    let mut page = String::new();
    for Covered { name, chapter, engines } in &functions {
        let engines = if engines.is_empty() { "-".to_owned() } else { engines.join(" ") };
        writeln!(page, "{name:<42}{engines:<11}{chapter}")?;
    }
    writeln!(page)?;
    for engine in ["local", "mpi"] {
        let had = functions.iter().filter(|function| function.engines.contains(&engine)).count();
        writeln!(page, "{had} of {} functions are in the engine `{engine}`", functions.len())?;
    }
    Ok(page)
}
