//! A guest for every function: what the embedded engine has and no guest calls fails the suite, by name.

use super::compile::Compiler;
use super::guest::Guest;
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

/// Compares the functions of the embedded engine with those that the guests import.
pub fn check(places: &Places, compiler: &Compiler, guests: &[Arc<Guest>]) -> Result<(), Failed> {
    let mut called = BTreeSet::new();
    for guest in guests.iter().filter(|guest| !guest.ranks(Mode::Threads).is_empty()) {
        for variant in guest.variants() {
            // A guest that does not compile fails its own trials.
            if let Ok(module) = compiler.module(guest, variant) {
                called.extend(imports(&module)?);
            }
        }
    }
    let missing: Vec<String> = functions_of_local(places)?.into_iter().filter(|name| !called.contains(name)).collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(format!("no guest calls these {} functions of the embedded engine:\n{}", missing.len(), missing.join("\n"))
            .into())
    }
}

/// The names that a module imports from `mpi`.
fn imports(module: &Path) -> Result<BTreeSet<String>, String> {
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

/// The functions that `rankine info --functions --json` marks as the embedded engine's.
fn functions_of_local(places: &Places) -> Result<Vec<String>, String> {
    let mut command = Command::new(&places.rankine);
    command.args(["info", "--functions", "--json"]);
    let run = run_within(command, None, Duration::from_secs(20))?;
    if run.ended != Ended::Status(0) {
        return Err(run.to_string());
    }
    let listing: Value = serde_json::from_str(&run.stdout).map_err(|e| format!("{e}\n{run}"))?;
    let rows = listing
        .as_array()
        .or_else(|| listing["functions"].as_array())
        .ok_or("the coverage is not a list of functions")?;
    let of_local =
        |row: &&Value| row["engines"].as_array().is_some_and(|engines| engines.iter().any(|name| name == "local"));
    Ok(rows.iter().filter(of_local).filter_map(|row| row["name"].as_str().map(String::from)).collect())
}
