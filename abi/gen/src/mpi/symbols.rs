//! Writes the functions of an MPI library as rows, sorted by name: what `symbols!` in `host/mpi/src/library/symbol.rs` makes
//! types of.

use std::fmt::Write;

use anyhow::Result;

use crate::functions::{Function, Returned, Table};
use crate::layout::wrapped;
use crate::parameters::{Direction, Kind, Parameter};

/// The text of the file.
pub fn emit(table: &Table) -> Result<String> {
    let mut rows: Vec<(String, bool, &Function)> = Vec::new();
    for function in &table.functions {
        rows.extend(function.variants().map(|(name, large)| (name, large, function)));
    }
    rows.sort_by(|a, b| a.0.cmp(&b.0));

    let mut out = String::new();
    writeln!(out, "{}", crate::NOTICE)?;
    writeln!(out, "//! The functions of an MPI library with the standard ABI, as a 64-bit host calls them.")?;
    writeln!(out, "//!\n//! Handles are pointers that nobody looks through here, so they are numbers.\n")?;
    writeln!(out, "use std::ffi::{{c_char, c_double, c_int, c_void}};\n")?;
    writeln!(out, "use crate::call::words::Status;\n")?;
    writeln!(out, "symbols! {{")?;
    for (name, large, function) in &rows {
        let typed = |p: &Parameter| Some(format!("{}: {}", p.variable(), parameter(p, *large)?));
        let parameters: Vec<String> = function.of_variant(*large).filter_map(typed).collect();
        let line = format!("    {name}({}) -> {};", parameters.join(", "), result(function));
        out += &wrapped(&line);
    }
    writeln!(out, "}}")?;
    Ok(out)
}

/// The type of a parameter; none for variable arguments.
fn parameter(p: &Parameter, large: bool) -> Option<String> {
    let pointer = if p.direction == Direction::In { "*const" } else { "*mut" };
    Some(match &p.kind {
        Kind::Raw(c) if c == "..." => return None,
        Kind::Raw(_) | Kind::Address { .. } => "*mut c_void".to_owned(),
        Kind::Function(..) => "*const c_void".to_owned(),
        Kind::Buffer(..) => format!("{pointer} c_void"),
        Kind::String(_) => format!("{pointer} c_char"),
        Kind::Status => format!("{pointer} Status"),
        kind if p.by_pointer() => format!("{pointer} {}", element(kind, large)),
        kind => element(kind, large).to_owned(),
    })
}

/// The type of one element on a 64-bit host.
pub fn element(kind: &Kind, large: bool) -> &'static str {
    match kind {
        Kind::Count if large => "i64",
        Kind::Displ if large => "isize",
        Kind::Extent if large => "i64",
        Kind::Extent | Kind::Aint => "isize",
        Kind::Offset | Kind::BigCount => "i64",
        Kind::Handle(_) | Kind::Tool(_) => "usize",
        _ => "c_int",
    }
}

fn result(function: &Function) -> &'static str {
    match function.returns {
        None | Some(Returned::Int) => "c_int",
        Some(Returned::Double) => "c_double",
        Some(Returned::Aint) => "isize",
        Some(Returned::Handle(_)) => "usize",
    }
}
