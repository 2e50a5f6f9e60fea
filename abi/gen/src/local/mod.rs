//! Writes `host/src/engine/local/generated/`: the import shims of the embedded engine, a file of rows per chapter.
//!
//! What a row becomes is said by the macro `shims!` in `host/src/engine/local/row.rs`. Here stands what differs between the
//! functions: how a function waits, the words that its guest passes, whose errors they are, and how the words become the
//! arguments of the engine's function ([`body`]).

mod body;

use std::fmt::Write;

use anyhow::{Context, Result};

use crate::functions::{Function, Table};
use crate::hand::{self, Word};
use crate::layout;
use crate::parameters::Parameter;

pub use body::on;
use body::{Body, is_async};

/// The files, path and text.
pub fn emit(table: &Table) -> Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    let mut modules = Vec::new();
    for chapter in &table.chapters {
        let mut rows = String::new();
        for function in table.functions.iter().filter(|f| f.chapter == chapter.key && f.engines.local) {
            rows += &hand::advised(row(table, function), function, "local", function.by.local)?;
        }
        if !rows.is_empty() {
            files.push((path(&chapter.key), emit_chapter(&chapter.title, &rows)?));
            modules.push(chapter.key.as_str());
        }
    }
    files.push((path("mod"), emit_mod(&modules)?));
    Ok(files)
}

fn path(module: &str) -> String {
    format!("host/src/engine/local/generated/{module}.rs")
}

/// The row of a function; none for the further forms of a collective, which its own row has.
fn row(table: &Table, function: &Function) -> Result<String> {
    if let Some(constructor) = &function.collective {
        return collective(table, function, constructor);
    }
    if table.functions.iter().any(|f| is_form_of(function, f)) {
        return Ok(String::new());
    }
    let (how, names) = (how(function), variant_names(function));
    let row = Row { function, how, names, variant: None, bound: &["r"], large: false };
    if function.returns.is_some() {
        let bound: &[&str] = if function.by.local { &["r"] } else { &[] };
        let large = function.by.local && function.marks.large;
        return Ok(Row { how: "value", bound, large, ..row }.text(&[value(function)?]) + ";\n");
    }
    if function.by.local {
        let of = |(names, variant): (String, Option<bool>)| {
            let large = function.marks.large && variant.is_none();
            let text = Row { names, variant, large, ..row }.text(&[by_hand(function, variant)]);
            let then = if function.marks.at_once { "\n        then |done| { done }" } else { "" };
            text + then + ";\n"
        };
        let rows = hand::rows(function).into_iter().map(|(plain, variant)| match variant {
            Some(large) => (name(function, plain, large), variant),
            None => (variant_names(function), variant),
        });
        return Ok(rows.map(of).collect());
    }
    let body = Body::new(function)?;
    let row = Row { large: body.asks_large && !function.marks.at_once, ..row };
    if function.marks.at_once {
        let [call, then] = body.at_once()?;
        let then = layout::row(&["then |done|".to_owned()], &then);
        return Ok(layout::joined(&row.text(&call), &then) + ";\n");
    }
    Ok(row.text(&body.statements()) + ";\n")
}

/// The names of a function's variants, each with that of its import for programs with 64-bit addresses where they have one.
fn variant_names(function: &Function) -> String {
    let names = function.variants().map(|(plain, large)| name(function, plain, large));
    names.collect::<Vec<_>>().join(" / ")
}

fn name(function: &Function, plain: String, large: bool) -> String {
    let is_wider =
        |p: &Parameter| p.is_long_in_lp64(large) || matches!(Word::of(function, p, Some(large)), Word::Address);
    let has_another = function.returns.is_none() && function.of_variant(large).any(is_wider);
    if has_another { format!("{plain} & {plain}_64") } else { plain }
}

/// What the nonblocking and the persistent form of a collective add to its parameters.
const FORMS: [&[&str]; 2] = [&["request"], &["info", "request"]];

/// A row for all forms of a collective: its body makes the operation of its arguments.
fn collective(table: &Table, function: &Function, constructor: &str) -> Result<String> {
    let mut forms = vec![function];
    for added in FORMS {
        let form = |f: &&Function| is_form_of(f, function) && adds(f, function, added);
        forms.push(table.functions.iter().find(form).context("it has no form that adds a request")?);
    }
    let names: Vec<String> = forms.into_iter().map(variant_names).collect();
    let (names, body) = (names.join(", "), Body::new(function)?);
    let (bound, large): (&[&str], _) = (&["r", "c"], body.asks_large);
    let row = Row { function, how: "collective", names, variant: None, bound, large };
    Ok(row.text(&body.constructing(constructor)) + ";\n")
}

/// Whether a function is the nonblocking or persistent form of a collective.
fn is_form_of(function: &Function, collective: &Function) -> bool {
    collective.collective.is_some()
        && function.collective.is_none()
        && function.like.as_ref() == Some(&collective.name)
        && FORMS.iter().any(|added| adds(function, collective, added))
}

/// Whether these are the parameters that a form has beyond those of its collective.
fn adds(form: &Function, collective: &Function, added: &[&str]) -> bool {
    let names = form.parameters.iter().skip(collective.parameters.len()).map(|p| p.name.as_str());
    names.eq(added.iter().copied())
}

/// What a row begins with.
struct Row<'a> {
    function: &'a Function,
    how: &'static str,
    names: String,
    /// The one variant that it is for, unless it is for all.
    variant: Option<bool>,
    /// What the body is given.
    bound: &'static [&'static str],
    /// The body asks which variant was called.
    large: bool,
}

impl Row<'_> {
    /// `wait MPI_Ssend / MPI_Ssend_c(buf: at, count: wide, …) On::Comm(handle(comm)), |r| { body }`
    fn text(&self, body: &[String]) -> String {
        let function = self.function;
        let word = |p: &Parameter| {
            let kind = match (p.long(), Word::of(function, p, self.variant)) {
                (Some(kind), _) if function.returns.is_none() => kind,
                (_, Word::Long) => "long",
                (_, Word::Wide) => "wide",
                (_, Word::Address) => "at",
                _ => return p.variable().to_owned(),
            };
            format!("{}: {kind}", p.variable())
        };
        let words: Vec<String> = function.of_variant(self.variant.unwrap_or(true)).map(word).collect();
        let on = if self.how == "collective" { "comm".to_owned() } else { on(function) };
        let large = self.large.then_some("large");
        let bound: Vec<&str> = self.bound.iter().copied().chain(large).collect();
        let bound = if bound.is_empty() { String::new() } else { format!(" |{}|", bound.join(", ")) };
        let front = [format!("{} {}", self.how, self.names), format!("({}) {on},{bound}", words.join(", "))];
        layout::row(&front, body)
    }
}

/// How the function waits: the name of what carries it in `host/src/engine/local/call.rs`.
fn how(function: &Function) -> &'static str {
    match (is_async(function), function.marks.anytime) {
        _ if function.marks.at_once => "wait_unless",
        (true, false) => "wait",
        (true, true) => "wait_anytime",
        _ if function.marks.asked_for.contains(&"any_thread") => "now_any_thread",
        (false, false) => "now",
        (false, true) => "now_anytime",
    }
}

/// What a function gives that returns no error code.
fn value(function: &Function) -> Result<String> {
    if function.by.local {
        return Ok(by_hand(function, None) + "?");
    }
    Ok(hand::converted(function)?.variable().to_owned())
}

/// The call of a body that is written by hand.
fn by_hand(function: &Function, variant: Option<bool>) -> String {
    let call = hand::call((function, "local"), variant, "large", |p, word| match word {
        Word::Narrow => format!("i64::from({})", p.variable()),
        Word::Handle => format!("{} as u32", p.variable()),
        _ => p.variable().to_owned(),
    });
    match (function.marks.at_once, is_async(function)) {
        (true, _) => call.replacen('(', "_at_once(", 1),
        (false, true) => call + ".await",
        (false, false) => call,
    }
}

fn emit_chapter(title: &str, rows: &str) -> Result<String> {
    let mut out = String::new();
    writeln!(out, "{}", crate::NOTICE)?;
    writeln!(out, "//! Shims of the embedded engine: {}.", lower_first(title))?;
    writeln!(out, "use crate::engine::local::row::prelude::*;\n")?;
    writeln!(out, "shims! {{\n{}\n}}", rows.trim_end())?;
    Ok(out)
}

fn lower_first(title: &str) -> String {
    title[..1].to_lowercase() + &title[1..]
}

fn emit_mod(modules: &[&str]) -> Result<String> {
    let mut out = String::new();
    writeln!(out, "{}", crate::NOTICE)?;
    writeln!(out, "//! Shims of the embedded engine, a file of rows per chapter of the standard.\n")?;
    writeln!(out, "use super::row::Chapter;\n")?;
    for module in modules {
        writeln!(out, "mod {module};")?;
    }
    writeln!(
        out,
        "\n/// All chapters that the engine has.\npub(super) static CHAPTERS: [Chapter; {}] = [",
        modules.len()
    )?;
    for module in modules {
        writeln!(out, "{module}::CHAPTER,")?;
    }
    writeln!(out, "];")?;
    Ok(out)
}
