//! A guest for every function: what an engine has and no guest calls fails the suite, by name. For the mpi engine,
//! `uncalled.txt` excuses a few, with the reason.

use super::compile::Compiler;
use super::guest::{Guest, Variant};
use super::process::{Ended, run_within};
use super::{Mode, Places};
use libtest_mimic::Failed;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use wasmparser::{Parser, Payload};

/// Compares the functions of an engine with those that the guests import which run on it.
pub fn check(places: &Places, compiler: &Compiler, guests: &[Arc<Guest>], mode: Mode) -> Result<(), Failed> {
    let engine = if mode == Mode::Mpi { "mpi" } else { "local" };
    let mut called = BTreeSet::new();
    for guest in guests.iter().filter(|guest| !guest.ranks(Variant::Plain, mode, true).is_empty()) {
        for variant in guest.variants() {
            // A guest that does not compile fails its own trials.
            if let Ok(module) = compiler.module(guest, variant) {
                called.extend(imports(&module)?);
            }
        }
    }
    let excused = if mode == Mode::Mpi { excused(places)? } else { BTreeSet::new() };
    let mut complaints = Vec::new();
    for name in functions_of(places, engine)? {
        match (called.contains(&name), excused.contains(&name)) {
            (false, false) => complaints.push(format!("no guest calls {name}")),
            (true, true) => complaints.push(format!("uncalled.txt excuses {name}, which a guest calls")),
            _ => {}
        }
    }
    if complaints.is_empty() { Ok(()) } else { Err(format!("engine {engine}:\n{}", complaints.join("\n")).into()) }
}

/// The functions that `uncalled.txt` names: a line for each, name and reason.
fn excused(places: &Places) -> Result<BTreeSet<String>, String> {
    let path = places.root.join("tests/uncalled.txt");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut names = BTreeSet::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let Some((name, reason)) = line.split_once(' ') else {
            return Err(format!("{}: {line} is excused without a reason", path.display()));
        };
        if reason.trim().is_empty() || !names.insert(name.to_owned()) {
            return Err(format!("{}: {name} has no reason, or two", path.display()));
        }
    }
    Ok(names)
}

/// The names that a module imports from `mpi`.
pub fn imports(module: &Path) -> Result<BTreeSet<String>, String> {
    let bytes = std::fs::read(module).map_err(|e| format!("{}: {e}", module.display()))?;
    let mut names = BTreeSet::new();
    for payload in Parser::new(0).parse_all(&bytes) {
        if let Payload::ImportSection(section) = payload.map_err(|e| e.to_string())? {
            for import in section.into_imports() {
                let import = import.map_err(|e| e.to_string())?;
                if import.module == "mpi" {
                    names.insert(import.name.to_string());
                }
            }
        }
    }
    Ok(names)
}

/// The functions that `rankine info --functions --json` marks as an engine's.
pub fn functions_of(places: &Places, engine: &str) -> Result<BTreeSet<String>, String> {
    let mut command = Command::new(&places.rankine);
    command.args(["info", "--functions", "--json"]);
    let run = run_within(command, None, Duration::from_secs(300))?;
    if run.ended != Ended::Status(0) {
        return Err(run.to_string());
    }
    let listing: Value = serde_json::from_str(&run.stdout).map_err(|e| format!("{e}\n{run}"))?;
    let rows = listing
        .as_array()
        .or_else(|| listing["functions"].as_array())
        .ok_or("the coverage is not a list of functions")?;
    let of_engine =
        |row: &&Value| row["engines"].as_array().is_some_and(|engines| engines.iter().any(|name| name == engine));
    Ok(rows.iter().filter(of_engine).filter_map(|row| row["name"].as_str().map(String::from)).collect())
}
