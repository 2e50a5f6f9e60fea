//! Writes `guest-sdk/c/include/mpi.h`: the whole standard ABI for a C or C++ guest.
//!
//! What follows no table (callback types, conversions of statuses, removed names of MPI-1) is in `c_header/*.h`.

use std::fmt::Write;

use anyhow::Result;

use crate::c_types;
use crate::constants::{Constants, Group, GroupKind};
use crate::functions::{Class, Function, Returned, Table};

/// The text of the file.
pub fn emit(constants: &Constants, table: &Table) -> Result<String> {
    let mut out = String::from(include_str!("c_header/head.h"));
    emit_handles(&mut out, constants)?;
    let before_types = |kind| matches!(kind, GroupKind::Int | GroupKind::Enum);
    emit_groups(&mut out, constants, before_types)?;
    out.push_str(include_str!("c_header/types.h"));
    emit_groups(&mut out, constants, |kind| !before_types(kind))?;
    for prefix in ["MPI_", "PMPI_"] {
        for chapter in &table.chapters {
            let under = if prefix == "PMPI_" { ", under the names for profiling" } else { "" };
            writeln!(out, "\n/* {}{under}. */", chapter.title)?;
            for function in table.functions.iter().filter(|f| f.chapter == chapter.key) {
                emit_prototypes(&mut out, function, prefix)?;
            }
        }
    }
    emit_fortran_conversions(&mut out, table)?;
    out.push_str(include_str!("c_header/tail.h"));
    Ok(out)
}

fn emit_handles(out: &mut String, constants: &Constants) -> Result<()> {
    for class in &constants.handles {
        let c = &class.c;
        writeln!(out, "\n/* {} */", class.about)?;
        writeln!(out, "typedef struct MPI_ABI_{} *{c};", class.rust)?;
        let width = class.values.iter().map(|h| h.name.len()).max().unwrap_or(0);
        for handle in &class.values {
            writeln!(out, "#define {:width$} (({c}){:#x})", handle.name, handle.value)?;
        }
        for (alias, name) in &class.aliases {
            writeln!(out, "#define {alias:width$} {name}")?;
        }
    }
    writeln!(
        out,
        "\n/* In C++ a type that is never completed is another one in each file for typeid and std::any. */"
    )?;
    writeln!(out, "#if defined(__cplusplus)")?;
    for class in &constants.handles {
        writeln!(out, "struct MPI_ABI_{} {{ char rankine; }};", class.rust)?;
    }
    writeln!(out, "#endif")?;
    Ok(())
}

fn emit_groups(out: &mut String, constants: &Constants, wanted: impl Fn(GroupKind) -> bool) -> Result<()> {
    for group in constants.groups.iter().filter(|group| wanted(group.kind)) {
        writeln!(out, "\n/* {}. */", group.title)?;
        emit_group(out, group)?;
    }
    Ok(())
}

fn emit_group(out: &mut String, group: &Group) -> Result<()> {
    let c = &group.c;
    let width = group.values.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    if group.kind == GroupKind::Enum {
        let list: Vec<String> =
            group.values.iter().map(|(name, value)| format!("    {name:width$} = {value}")).collect();
        writeln!(out, "typedef enum {c} {{\n{}\n}} {c};", list.join(",\n"))?;
        return Ok(());
    }
    for (name, value) in &group.values {
        let value = match group.kind {
            GroupKind::Int if *value < 0 => format!("({value})"),
            GroupKind::Int | GroupKind::Enum => value.to_string(),
            GroupKind::Offset => format!("((MPI_Offset){value})"),
            GroupKind::Address | GroupKind::Tool => format!("(({c}){value})"),
            GroupKind::Function => format!("(({c}*){value})"),
            GroupKind::Fortran => unreachable!("these are not among the groups that C has"),
        };
        writeln!(out, "#define {name:width$} {value}")?;
    }
    Ok(())
}

fn emit_prototypes(out: &mut String, function: &Function, prefix: &str) -> Result<()> {
    for (name, large) in function.variants() {
        let c_name = format!("{prefix}{}", name.trim_start_matches("MPI_"));
        let (result, parameters) = (c_types::result(function), c_types::parameters(function, large));
        writeln!(out, "{}", wrapped(&format!("RANKINE_IMPORT({name}) {result} {c_name}({parameters});")))?;
    }
    Ok(())
}

/// Breaks a prototype between parameters where its line grows too long.
fn wrapped(prototype: &str) -> String {
    const WIDTH: usize = 118;
    let mut out = String::new();
    let mut column = 0;
    for piece in prototype.split_inclusive(", ") {
        if column + piece.trim_end().len() > WIDTH {
            out.truncate(out.trim_end().len());
            out.push_str("\n    ");
            column = 4;
        }
        out.push_str(piece);
        column += piece.len();
    }
    out
}

/// `MPI_Comm_c2f` and its like, over the functions of the ABI that convert a handle to an integer.
fn emit_fortran_conversions(out: &mut String, table: &Table) -> Result<()> {
    writeln!(out, "\n/* Handles of Fortran, which are integers. */")?;
    let converted = |f: &&Function| f.returns == Some(Returned::Int) && f.parameters.len() == 1;
    for function in table.functions.iter().filter(converted) {
        let stem = function.name.trim_end_matches("_toint");
        let argument = &function.parameters[0];
        let class = Class::of(&argument.name).map_or("MPI_Datatype", c_types::handle);
        let name = &argument.name;
        writeln!(out, "RANKINE_INLINE MPI_Fint {stem}_c2f({class} {name}) {{ return {stem}_toint({name}); }}")?;
        writeln!(out, "RANKINE_INLINE {class} {stem}_f2c(MPI_Fint {name}) {{ return {stem}_fromint({name}); }}")?;
        writeln!(out, "#define P{stem}_c2f {stem}_c2f\n#define P{stem}_f2c {stem}_f2c")?;
    }
    Ok(())
}
