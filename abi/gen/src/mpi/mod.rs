//! Writes `host/src/engine/mpi/generated/`: the shims of the `mpi` engine, a file of rows per chapter, and the library's
//! functions as typed symbols.
//!
//! What a row becomes is said by the macro `shims!` in `host/src/engine/mpi/call/shim.rs`. Here stands what differs between the
//! functions: whose errors they are, which handles they make, and the statements that prove and translate arguments
//! ([`shim`]), or the call of a body that is written by hand ([`hand`]). Both variants share them; the macro says what
//! a `Count` is in each, and whether it is `LARGE`.

mod shim;
mod symbols;

use std::fmt::Write;

use anyhow::Result;

use crate::functions::{Class, Errors, Function, Returned, Table};
use crate::hand::{self, Word};
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
            rows += &hand::advised(row(function), function, "mpi", function.by.mpi)?;
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
    if function.by.mpi {
        let row = |(names, variant): (String, _)| text(function, &names, &[by_hand(function, variant)]);
        return Ok(hand::rows(function).into_iter().map(row).collect());
    }
    let statements = match function.chapter.as_str() {
        // A handle and its integer are the same word.
        "convert" => vec!["w.returns_int(w.int(0))".to_owned()],
        _ => shim::statements(function)?,
    };
    Ok(text(function, &hand::names(function), &statements))
}

/// A row for these variants.
fn text(function: &Function, names: &str, statements: &[String]) -> String {
    let bound = ["r", "w"].map(|name| format!("{}{name}", if layout::names(statements, name) { "" } else { "_" }));
    let front = format!("{names}: {}, [{}], |{}|", on(function), nulls(function), bound.join(", "));
    layout::row(&[front], statements) + ";\n"
}

/// The statement that calls a body: where the words lie is another matter in each variant that has a row of its own.
fn by_hand(function: &Function, variant: Option<bool>) -> String {
    let word = |p: &Parameter, word: Word| {
        let mut words = function.of_variant(variant.unwrap_or(true));
        let at = words.position(|other| other.name == p.name).expect("it is a parameter of this variant");
        match word {
            Word::Int => format!("w.int({at})"),
            Word::Long => format!("w.long({at})"),
            Word::Wide => format!("w.count(LARGE, {at})"),
            Word::Narrow => format!("i64::from(w.int({at}))"),
            Word::Address => format!("w.addr({at})"),
            Word::Handle => format!("w.word({at})"),
        }
    };
    let call = hand::call((function, "mpi"), variant, "LARGE", word);
    match function.returns {
        None => call,
        Some(Returned::Double) => format!("w.returns_double({call})"),
        Some(_) => format!("w.returns_int({call}?)"),
    }
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
    if let Errors::Given { handler, class } = &function.errors {
        let at = function.parameters.iter().position(|p| p.name == *handler).expect("it is a parameter");
        return format!("On::Given(Serves::{}, {at})", class.rust());
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
