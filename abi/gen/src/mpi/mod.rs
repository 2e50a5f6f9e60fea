//! Writes `host/mpi/src/generated/`: the shims of the `mpi` engine, a file of rows per chapter, and the library's
//! functions as typed symbols.
//!
//! What a row becomes is said by the macro `shims!` in `host/mpi/src/call/shim.rs`. Here stands what differs between the
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
    format!("host/mpi/src/generated/{module}.rs")
}

/// `MPI_Isend / MPI_Isend_c: On::Comm(5), [6: Request], |r, w| { … };`
fn row(function: &Function) -> Result<String> {
    if function.by.mpi {
        let row = |(names, variant): (String, _)| text(function, &names, &[by_hand(function, variant)]);
        return Ok(hand::rows(function).into_iter().map(row).collect());
    }
    let statements = match function.returns {
        // A handle and its integer are the same word.
        Some(_) => hand::converted(function).map(|_| vec!["w.returns_int(w.int(0))".to_owned()])?,
        None => shim::statements(function)?,
    };
    Ok(text(function, &hand::names(function), &statements))
}

/// A row for these variants.
fn text(function: &Function, names: &str, statements: &[String]) -> String {
    let has_rank = function.by.mpi || function.returns.is_none();
    let has_words = function.returns.is_some() || !function.parameters.is_empty();
    let [r, w] = [(has_rank, "r"), (has_words, "w")].map(|(has, name)| format!("{}{name}", if has { "" } else { "_" }));
    let front = format!("{names}: {}, [{}], |{r}, {w}|", on(function), nulls(function));
    layout::row(&[front], statements) + ";\n"
}

/// The statement that calls a body: where the words lie is another matter in each variant that has a row of its own.
fn by_hand(function: &Function, variant: Option<bool>) -> String {
    let word = |p: &Parameter, word: Word| {
        let mut words = function.of_variant(variant.unwrap_or(true));
        let at = words.position(|other| other.name == p.name).expect("it is a parameter of this variant");
        match p.long().filter(|_| function.returns.is_none()) {
            Some("kept") => return format!("w.kept({at})"),
            Some("displ") => return format!("w.number::<Displ>({at}).wide()"),
            Some("extent") => return format!("w.number::<Extent>({at}).wide()"),
            Some(_) => return format!("w.aint({at}).wide()"),
            None => {}
        }
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
    let at = |name: &str| function.parameters.iter().position(|p| p.name == name).expect("it is a parameter");
    match &function.errors {
        Errors::None => "On::Nothing".to_owned(),
        Errors::Myself => "On::Myself".to_owned(),
        Errors::File => "On::FileNull".to_owned(),
        Errors::Given { handler, class } => format!("On::Given(Serves::{}, {})", class.rust(), at(handler)),
        Errors::Of(name) => {
            let class = errors_of(&function.parameters[at(name)]);
            let is_freed = |p: &Parameter| p.direction == Direction::InOut && errors_of(p).is_some();
            match (class, function.parameters.iter().position(is_freed)) {
                // An object that is freed hears of it too; its handle lies in the guest's memory.
                (Some(class), Some(freed)) => format!("On::At(Serves::{}, {freed})", class.rust()),
                (Some(class), None) => format!("On::{}({})", class.rust(), at(name)),
                (None, None) if function.parameters[at(name)].is_passed_by_value(Class::Request) => {
                    format!("On::Request({})", at(name))
                }
                // Nothing goes wrong with a message that is only passed in by value.
                (None, _) => "On::Myself".to_owned(),
            }
        }
    }
}

fn emit_chapter(title: &str, rows: &str) -> Result<String> {
    let mut out = String::new();
    writeln!(out, "{}", crate::NOTICE)?;
    writeln!(out, "//! Shims of the engine `mpi`: {}.", title[..1].to_lowercase() + &title[1..])?;
    writeln!(out, "use crate::call::shim::prelude::*;\n")?;
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
    writeln!(out, "pub mod symbols;\n")?;
    writeln!(out, "/// The shim of an import.\npub(super) fn find(name: &str) -> Option<Entry> {{")?;
    let finds: Vec<String> = modules.iter().map(|module| format!("{module}::find")).collect();
    writeln!(out, "[{}].iter().find_map(|find| find(name))\n}}", finds.join(", "))?;
    Ok(out)
}
