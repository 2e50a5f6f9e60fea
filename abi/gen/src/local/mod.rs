//! Writes `host/src/local/generated/`: the import shims of the embedded engine, a file per chapter.
//!
//! A shim is written for every function that the engine has, unless it is `by = "hand"`. What the engine has is read
//! from its source ([`engine`]), so a new function there needs a run of the generator and nothing else; one whose
//! parameters don't follow from the table is refused with both signatures. Where a body of that name stands in
//! `host/src/local/bodies`, only the registrations are generated, and call it. An engine's function `NAME_at_once`
//! beside `NAME`, which does the usual case without waiting or does nothing, is tried first.

pub mod body;
pub mod engine;
mod register;

use std::collections::BTreeSet;
use std::fmt::Write;

use anyhow::Result;

use crate::functions::{Function, Table};
use engine::Engine;

/// The files, path and text, and what is wrong with functions of the engine.
pub struct Shims {
    pub files: Vec<(String, String)>,
    pub complaints: Vec<String>,
}

/// Writes the shims of all functions that the engine has.
pub fn emit(table: &Table, engine: &Engine) -> Result<Shims> {
    let mut shims = Shims { files: Vec::new(), complaints: Vec::new() };
    let mut modules = Vec::new();
    for chapter in &table.chapters {
        let mut bodies = Vec::new();
        for function in table.functions.iter().filter(|f| f.chapter == chapter.key) {
            match shim(function, engine) {
                Ok(Some(shim)) => bodies.push(shim),
                Ok(None) => {}
                Err(error) => shims.complaints.push(format!("{}: {error:#}", function.name)),
            }
        }
        if !bodies.is_empty() {
            let text = emit_chapter(&chapter.title, &bodies)?;
            shims.files.push((path(&chapter.key), text));
            modules.push(chapter.key.as_str());
        }
    }
    shims.files.push((path("mod"), emit_mod(&modules)?));
    Ok(shims)
}

fn path(module: &str) -> String {
    format!("host/src/local/generated/{module}.rs")
}

/// A function with its shim's body, if it has one.
struct Shim<'a> {
    function: &'a Function,
    body: Option<body::Body>,
}

fn shim<'a>(function: &'a Function, engine: &Engine) -> Result<Option<Shim<'a>>> {
    if function.chapter == "convert" {
        return Ok(Some(Shim { function, body: None }));
    }
    let body = match (engine.body(&function.worker()), engine.function(function)) {
        (Some(declared), _) => body::Body::written(function, declared)?,
        (None, Some(declared)) if !function.by_hand => body::Body::new(function, declared)?,
        _ => return Ok(None),
    };
    Ok(Some(Shim { function, body: Some(body) }))
}

fn emit_chapter(title: &str, shims: &[Shim]) -> Result<String> {
    let mut code = String::new();
    for body in shims.iter().filter_map(|shim| shim.body.as_ref()) {
        body.emit(&mut code)?;
    }
    register::emit(&mut code, shims)?;

    let mut out = String::new();
    writeln!(out, "{}", crate::NOTICE)?;
    writeln!(out, "//! Shims of the embedded engine: {}.", lower_first(title))?;
    writeln!(out, "use wasmtime::{{Caller, Linker}};\n")?;
    let uses = |forms: &[&str]| forms.iter().any(|form| code.contains(form));
    let mut abi = Vec::new();
    for class in
        ["Comm", "Datatype", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Session", "Win"]
    {
        if uses(&[&format!("<{class}>"), &format!("({class}::NULL"), &format!(" {class}::NULL")]) {
            abi.push(class);
        }
    }
    if uses(&["FnPtr("]) {
        abi.push("FnPtr");
    }
    let words: BTreeSet<&str> = code.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    abi.extend(words.iter().filter(|word| word.starts_with("MPI_MAX_") || **word == "MPI_IN_PLACE"));
    if !abi.is_empty() {
        writeln!(out, "use rankine_abi::{{{}}};", abi.join(", "))?;
    }
    if uses(&["&Rank"]) {
        writeln!(out, "use rankine_local::{{Rank, Result}};\n")?;
    }
    if uses(&["bodies::"]) {
        writeln!(out, "use crate::local::bodies;")?;
    }
    if uses(&["call::"]) {
        writeln!(out, "use crate::local::call::{{self, On}};")?;
    }
    let forms = [("self", "shim::"), ("addr", "addr("), ("handle", "handle(")];
    let calls = |form: &str| {
        let starts = code.match_indices(form).map(|(at, _)| code[..at].chars().next_back());
        starts.flatten().any(|before| !before.is_alphanumeric() && before != '_')
    };
    let helpers: Vec<&str> = forms.iter().filter(|(_, form)| calls(form)).map(|(name, _)| *name).collect();
    if !helpers.is_empty() {
        writeln!(out, "use crate::local::shim::{{{}}};", helpers.join(", "))?;
    }
    writeln!(out, "use crate::guest::Guest;\n")?;
    out.push_str(&code);
    Ok(out)
}

fn lower_first(title: &str) -> String {
    title[..1].to_lowercase() + &title[1..]
}

fn emit_mod(modules: &[&str]) -> Result<String> {
    let mut out = String::new();
    writeln!(out, "{}", crate::NOTICE)?;
    writeln!(out, "//! Shims of the embedded engine that follow from the table, a file per chapter of the standard.")?;
    writeln!(out, "use wasmtime::Linker;\n\nuse crate::guest::Guest;\n")?;
    for module in modules {
        writeln!(out, "mod {module};")?;
    }
    for kind in ["threads", "fibers"] {
        let what = if kind == "threads" { "has a thread of its own" } else { "is a fiber" };
        writeln!(out, "\n/// Links one import for a rank that {what}; false if no shim here has its name.")?;
        writeln!(out, "pub(crate) fn {kind}(linker: &mut Linker<Guest>, name: &str) -> wasmtime::Result<bool> {{")?;
        let calls: Vec<String> = modules.iter().map(|module| format!("{module}::{kind}(linker, name)?")).collect();
        writeln!(out, "Ok({})\n}}", calls.join(" || "))?;
    }
    Ok(out)
}
