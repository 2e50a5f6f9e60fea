//! Writes `host/src/mpi/generated/`: the shims of the `mpi` engine, a file per chapter, and the library's functions as
//! typed symbols.
//!
//! Both variants of a function have a shim of their own, since the library's two functions take different types. A shim
//! is written for every function that follows from the table; where a function of its name stands in a file of
//! `host/src/mpi` ([`hand`]), that one is registered instead.

pub mod hand;
mod shim;
mod symbols;

use std::collections::BTreeSet;
use std::fmt::Write;

use anyhow::Result;

use crate::functions::{Class, Errors, Function, Table};
use crate::local::Shims;
use crate::local::body;
use crate::parameters::{Direction, Kind, Parameter};
use hand::Hand;

/// Whether the engine has a variant of a function.
pub fn has(function: &Function, name: &str, large: bool, hand: &Hand) -> bool {
    hand.function(function).is_some() || function.chapter == "convert" || shim::emit(function, name, large).is_ok()
}

/// Writes the shims of all functions.
pub fn emit(table: &Table, hand: &Hand) -> Result<Shims> {
    let mut shims = Shims { files: Vec::new(), complaints: Vec::new() };
    for chapter in &table.chapters {
        let functions: Vec<&Function> = table.functions.iter().filter(|f| f.chapter == chapter.key).collect();
        let mut code = String::new();
        let mut found = Vec::new();
        for function in functions {
            for (name, large) in function.variants() {
                if hand.function(function).is_none() && chapter.key != "convert" {
                    match shim::emit(function, &name, large) {
                        Ok(text) => code += &text,
                        Err(error) => {
                            shims.complaints.push(format!("{name} on the engine mpi: {error:#}"));
                            continue;
                        }
                    }
                }
                found.push((function, name, large));
            }
        }
        emit_find(&mut code, &found, hand)?;
        shims.files.push((path(&chapter.key), with_head(&chapter.title, &code)?));
    }
    shims.files.push((path("mod"), emit_mod(table)?));
    shims.files.push((path("symbols"), symbols::emit(table)?));
    Ok(shims)
}

fn path(module: &str) -> String {
    format!("host/src/mpi/generated/{module}.rs")
}

/// Writes the function that finds a shim by the name of its import.
fn emit_find(out: &mut String, functions: &[(&Function, String, bool)], hand: &Hand) -> Result<()> {
    writeln!(out, "/// The shim of an import, if it is one of this file's.")?;
    writeln!(out, "pub(super) fn find(name: &str) -> Option<Entry> {{\nSome(match name {{")?;
    for (function, name, large) in functions {
        let on = on(function, *large);
        let shim = match hand.function(function) {
            Some(found) if found.takes_large => format!("|r, w| {}(r, w, {large})", found.path),
            Some(found) => found.path.clone(),
            None if function.chapter == "convert" => "identity".to_owned(),
            None => shim_name(function, *large),
        };
        let nulls = nulls(function, *large);
        writeln!(out, "{name:?} => Entry {{ shim: {shim}, on: {on}, nulls: &[{nulls}] }},")?;
    }
    writeln!(out, "_ => return None,\n}})\n}}\n")?;
    Ok(())
}

/// Which words point to where a new handle goes, and the null handle of its class.
fn nulls(function: &Function, large: bool) -> String {
    let null = |(at, p): (usize, &Parameter)| match p.kind {
        Kind::Handle(class) if p.direction == Direction::Out && p.lengths.is_empty() => {
            Some(format!("({at}, {}::NULL.0)", class.rust()))
        }
        _ => None,
    };
    let found: Vec<String> = function.of_variant(large).enumerate().filter_map(null).collect();
    found.join(", ")
}

/// The name of a generated shim: `send`, `send_c`.
fn shim_name(function: &Function, large: bool) -> String {
    format!("{}{}", function.snake(), if large { "_c" } else { "" })
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
fn on(function: &Function, large: bool) -> String {
    // An object that is freed hears of it too; its handle lies in the guest's memory.
    let is_freed = |p: &Parameter| p.direction == Direction::InOut && errors_of(p).is_some();
    if let (Errors::Of(name), Some(at)) = (&function.errors, function.of_variant(large).position(is_freed)) {
        let class = function.parameter(name).and_then(errors_of);
        return class.map_or("On::Myself".to_owned(), |class| format!("On::At(Origin::{}, {at})", class.rust()));
    }
    let text = body::on(function);
    let Some((class, rest)) = text.split_once("(handle(") else {
        return if text == "On::File(File::NULL)" { "On::FileNull".to_owned() } else { text };
    };
    if class == "On::Message" {
        // Nothing goes wrong with a message that is only passed in by value.
        return "On::Myself".to_owned();
    }
    let name = rest.trim_end_matches(')');
    let at = function.of_variant(large).position(|p| p.variable() == name).expect("it is a parameter");
    format!("{class}({at})")
}

/// Puts what a file needs before its functions.
fn with_head(title: &str, code: &str) -> Result<String> {
    let mut out = String::new();
    writeln!(out, "{}", crate::NOTICE)?;
    writeln!(out, "//! Shims of the engine `mpi`: {}.", title[..1].to_lowercase() + &title[1..])?;
    let words: BTreeSet<&str> = code.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let ffi: Vec<&str> = ["c_int", "c_void"].into_iter().filter(|word| words.contains(word)).collect();
    match ffi.as_slice() {
        [] => {}
        words => writeln!(out, "use std::ffi::{{{}}};", words.join(", "))?,
    }
    if code.contains("slice::") {
        writeln!(out, "use std::slice;\n")?;
    }
    let is_constant = |word: &str| word.starts_with("MPI_MAX_") || word == "MPI_IN_PLACE";
    let constants: Vec<&str> =
        words.iter().copied().filter(|word| is_constant(word) || code.contains(&format!(" {word}::NULL.0"))).collect();
    if !constants.is_empty() {
        writeln!(out, "use rankine_abi::{{{}}};", constants.join(", "))?;
    }
    writeln!(out, "\nuse crate::mpi::call::{{Entry, On}};")?;
    let uses = |word: &str| words.contains(word);
    let shim: Vec<&str> = ["times", "sum", "last", "identity"].into_iter().filter(|word| uses(word)).collect();
    if !shim.is_empty() {
        writeln!(out, "use crate::mpi::shim::{{{}}};", shim.join(", "))?;
    }
    let reach: Vec<&str> =
        ["area", "dealt", "farthest", "total", "volume"].into_iter().filter(|word| uses(word)).collect();
    if uses("within_reach") {
        writeln!(out, "use crate::mpi::reach::{{{}}};", reach.join(", "))?;
    }
    if uses("Rank") {
        writeln!(out, "use crate::mpi::rank::Rank;\nuse crate::mpi::words::Words;\nuse crate::mpi::Result;")?;
    }
    if uses("hints") {
        writeln!(out, "use crate::mpi::hints::Of;")?;
    }
    match (uses("Origin"), uses("Pending")) {
        (true, true) => writeln!(out, "use crate::mpi::request::{{Kind, Origin, Pending}};")?,
        (true, false) => writeln!(out, "use crate::mpi::request::Origin;")?,
        (false, _) => {}
    }
    if code.contains("symbols::") {
        writeln!(out, "use super::symbols;")?;
    }
    out.push('\n');
    out.push_str(code);
    Ok(out)
}

fn emit_mod(table: &Table) -> Result<String> {
    let mut out = String::new();
    writeln!(out, "{}", crate::NOTICE)?;
    writeln!(out, "//! Shims of the engine `mpi` that follow from the table, a file per chapter of the standard.")?;
    writeln!(out, "use super::call::Entry;\n")?;
    for chapter in &table.chapters {
        writeln!(out, "mod {};", chapter.key)?;
    }
    writeln!(out, "pub(super) mod symbols;\n")?;
    writeln!(out, "/// The shim of an import.\npub(super) fn find(name: &str) -> Option<Entry> {{")?;
    let calls: Vec<String> = table.chapters.iter().map(|chapter| format!("{}::find(name)", chapter.key)).collect();
    let (first, others) = calls.split_first().expect("there are chapters");
    write!(out, "{first}")?;
    for call in others {
        write!(out, ".or_else(|| {call})")?;
    }
    writeln!(out, "\n}}")?;
    Ok(out)
}
