//! Writes `host/src/engine/mpi/generated/`: the shims of the `mpi` engine, a file of rows per chapter, and the library's
//! functions as typed symbols.
//!
//! What a row becomes is said by the macro `shims!` in `host/src/engine/mpi/call/shim.rs`. Here stands what differs between the
//! functions: whose errors they are, which handles they make, and the statements that prove and translate arguments
//! ([`shim`]). Both variants share them; the macro says what a `Count` is in each.

mod shim;
mod symbols;

use std::fmt::Write;

use anyhow::{Context, Result, ensure};

use crate::functions::{Class, Errors, Function, Table};
use crate::layout;
use crate::local;
use crate::parameters::{Direction, Kind, Parameter};

/// The files, path and text.
pub fn emit(table: &Table) -> Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    let mut modules = Vec::new();
    for chapter in &table.chapters {
        let mut rows = String::new();
        for function in table.functions.iter().filter(|f| f.chapter == chapter.key && f.engines.mpi) {
            rows += &row(function).with_context(|| format!("{} on the engine mpi", function.name))?;
        }
        if !rows.is_empty() {
            files.push((path(&chapter.key), emit_chapter(&chapter.title, &rows)?));
            modules.push(chapter.key.as_str());
        }
    }
    files.push((path("mod"), emit_mod(&modules)?));
    files.push((path("symbols"), symbols::emit(table)?));
    Ok(files)
}

fn path(module: &str) -> String {
    format!("host/src/engine/mpi/generated/{module}.rs")
}

/// `MPI_Isend / MPI_Isend_c: On::Comm(5), [6: Request], |r, w| { … };`
fn row(function: &Function) -> Result<String> {
    let names: Vec<String> = function.variants().map(|(name, _)| name).collect();
    let front = format!("{}: {}, [{}],", names.join(" / "), on(function), nulls(function));
    if function.by.mpi {
        ensure!(function.given().is_none(), "its worker may have types, but no arguments");
        let large = if function.marks.large { ", large" } else { "" };
        return Ok(format!("    {front} by bodies::{}{large};\n", function.worker()));
    }
    if function.chapter == "convert" {
        return Ok(format!("    {front} by bodies::identity;\n"));
    }
    let statements = shim::statements(function)?;
    let w = if statements.iter().any(|statement| statement.contains("w.")) { "w" } else { "_w" };
    Ok(layout::row(&[format!("{front} |r, {w}|")], &statements) + ";\n")
}

/// Which words point to where a new handle goes, and the null handle of its class.
fn nulls(function: &Function) -> String {
    let null = |(at, p): (usize, &Parameter)| match p.kind {
        Kind::Handle(class) if p.direction == Direction::Out && p.lengths.is_empty() => {
            Some(format!("{at}: {}", class.rust()))
        }
        _ => None,
    };
    let found: Vec<String> = function.parameters.iter().enumerate().filter_map(null).collect();
    found.join(", ")
}

/// The class of a handle, if such objects have error handlers.
fn errors_of(p: &Parameter) -> Option<Class> {
    match p.kind {
        Kind::Handle(class @ (Class::Comm | Class::Win | Class::File | Class::Session)) if p.lengths.is_empty() => {
            Some(class)
        }
        _ => None,
    }
}

/// Whose error handler catches the errors of a call: which word of the call is its handle.
fn on(function: &Function) -> String {
    // An object that is freed hears of it too; its handle lies in the guest's memory.
    let is_freed = |p: &Parameter| p.direction == Direction::InOut && errors_of(p).is_some();
    if let (Errors::Of(name), Some(at)) = (&function.errors, function.parameters.iter().position(is_freed)) {
        let class = function.parameter(name).and_then(errors_of);
        return class.map_or("On::Myself".to_owned(), |class| format!("On::At(Serves::{}, {at})", class.rust()));
    }
    let text = local::on(function);
    let Some((class, rest)) = text.split_once("(handle(") else {
        return if text == "On::File(File::NULL)" { "On::FileNull".to_owned() } else { text };
    };
    if class == "On::Message" {
        // Nothing goes wrong with a message that is only passed in by value.
        return "On::Myself".to_owned();
    }
    let name = rest.trim_end_matches(')');
    let at = function.parameters.iter().position(|p| p.variable() == name).expect("it is a parameter");
    format!("{class}({at})")
}

fn emit_chapter(title: &str, rows: &str) -> Result<String> {
    let mut out = String::new();
    writeln!(out, "{}", crate::NOTICE)?;
    writeln!(out, "//! Shims of the engine `mpi`: {}.", title[..1].to_lowercase() + &title[1..])?;
    writeln!(out, "use crate::engine::mpi::call::shim::prelude::*;\n")?;
    writeln!(out, "shims! {{\n{}\n}}", rows.trim_end())?;
    Ok(out)
}

fn emit_mod(modules: &[&str]) -> Result<String> {
    let mut out = String::new();
    writeln!(out, "{}", crate::NOTICE)?;
    writeln!(out, "//! Shims of the engine `mpi`, a file of rows per chapter of the standard.\n")?;
    writeln!(out, "use super::call::Entry;\n")?;
    for module in modules {
        writeln!(out, "mod {module};")?;
    }
    writeln!(out, "pub(crate) mod symbols;\n")?;
    writeln!(out, "/// The shim of an import.\npub(super) fn find(name: &str) -> Option<Entry> {{")?;
    let finds: Vec<String> = modules.iter().map(|module| format!("{module}::find")).collect();
    writeln!(out, "[{}].iter().find_map(|find| find(name))\n}}", finds.join(", "))?;
    Ok(out)
}
