//! Writes `guest-sdk/rust/mpi-sys/src/{constants,functions}.rs`: the raw bindings of a Rust guest.

use std::fmt::Write;

use anyhow::Result;

use crate::c_types;
use crate::constants::{Constants, Group, GroupKind};
use crate::functions::{Function, Returned, Table};
use crate::parameters::{Direction, Kind, Length, Parameter};

/// Handles, numbers and sentinels.
pub fn emit_constants(constants: &Constants) -> Result<String> {
    let mut out = String::new();
    writeln!(out, "{}", crate::NOTICE)?;
    writeln!(out, "//! Handle types and constants of the MPI-5.0 standard ABI, under their C names.")?;
    writeln!(out, "use core::ffi::{{c_char, c_int, c_void}};\n")?;
    writeln!(out, "use crate::types::*;\n")?;
    for class in &constants.handles {
        let (c, opaque) = (&class.c, format!("MPI_ABI_{}", class.rust));
        writeln!(out, "/// What a handle points to; nobody sees inside.\n#[repr(C)]")?;
        writeln!(out, "pub struct {opaque} {{\n_private: [u8; 0],\n}}\n")?;
        writeln!(out, "/// {}\npub type {c} = *mut {opaque};", class.about)?;
        for handle in &class.values {
            writeln!(out, "/// `{}`", handle.name)?;
            writeln!(out, "pub const {}: {c} = {:#x} as {c};", handle.name, handle.value)?;
        }
        for (alias, name) in &class.aliases {
            writeln!(out, "/// `{alias}`, the same as [`{name}`].\npub const {alias}: {c} = {name};")?;
        }
        writeln!(out)?;
    }
    for group in &constants.groups {
        emit_group(&mut out, group)?;
    }
    Ok(out)
}

fn emit_group(out: &mut String, group: &Group) -> Result<()> {
    writeln!(out, "// {}.", group.title)?;
    for (name, value) in &group.values {
        let line = match group.kind {
            GroupKind::Int | GroupKind::Enum => format!("c_int = {value}"),
            GroupKind::Offset => format!("MPI_Offset = {value}"),
            GroupKind::Address => {
                let c = pointer(&group.c, "*mut");
                format!("{c} = {value} as {c}")
            }
            // A Rust function pointer is never a mere number: the callbacks that duplicate are real functions.
            GroupKind::Function if *value != 0 => continue,
            GroupKind::Function => format!("Option<{}> = None", group.c),
            GroupKind::Tool => format!("{0} = {value} as {0}", group.c),
            GroupKind::Fortran => unreachable!("these are not among the groups that C has"),
        };
        writeln!(out, "/// `{name}`\npub const {name}: {line};")?;
    }
    writeln!(out)?;
    Ok(())
}

/// The functions.
pub fn emit_functions(table: &Table) -> Result<String> {
    let mut out = String::new();
    writeln!(out, "{}", crate::NOTICE)?;
    writeln!(out, "//! The functions of the MPI-5.0 standard ABI, imported from the host.")?;
    writeln!(out, "use core::ffi::{{c_char, c_double, c_int, c_void}};\n")?;
    writeln!(out, "use crate::constants::*;\nuse crate::types::*;\n")?;
    writeln!(out, "#[cfg_attr(target_family = \"wasm\", link(wasm_import_module = \"mpi\"))]")?;
    writeln!(out, "#[cfg_attr(not(target_family = \"wasm\"), link(name = \"mpi_abi\"))]")?;
    writeln!(out, "unsafe extern \"C\" {{")?;
    for chapter in &table.chapters {
        writeln!(out, "\n// {}.\n", chapter.title)?;
        for function in table.functions.iter().filter(|f| f.chapter == chapter.key) {
            for (name, large) in function.variants() {
                let parameters: Vec<String> = function.of_variant(large).map(|p| parameter(p, large)).collect();
                writeln!(out, "/// `{name}`")?;
                let visible = match takes_copy_function(function) {
                    true => format!("#[link_name = \"{name}\"]\npub(crate) fn imported_{name}"),
                    false => format!("pub fn {name}"),
                };
                writeln!(out, "{visible}({}) -> {};", parameters.join(", "), result(function))?;
            }
        }
    }
    writeln!(out, "}}")?;
    Ok(out)
}

/// Whether `callbacks.rs` stands before a function, because the copy function that it is given may be the predefined
/// callback 1: that of a key.
fn takes_copy_function(function: &Function) -> bool {
    function.keeps == Some("Keyval")
}

fn result(function: &Function) -> &'static str {
    match function.returns {
        None | Some(Returned::Int) => "c_int",
        Some(Returned::Double) => "c_double",
        Some(Returned::Aint) => "MPI_Aint",
        Some(Returned::Handle(class)) => c_types::handle(class),
    }
}

fn parameter(p: &Parameter, large: bool) -> String {
    if p.name == "..." {
        return "...".to_owned();
    }
    let to = if p.direction == Direction::In { "*const" } else { "*mut" };
    let c = match &p.kind {
        Kind::Raw(c) if c.contains('*') => pointer(c, "*mut"),
        Kind::Raw(c) => format!("Option<{c}>"),
        Kind::Buffer(..) => format!("{to} c_void"),
        Kind::Address { constant } => format!("{} c_void", if *constant { "*const" } else { "*mut" }),
        Kind::String(_) => format!("{to} c_char"),
        Kind::Function(c, c_large) => format!("Option<{}>", if large { c_large } else { c }),
        Kind::Status => format!("{to} MPI_Status"),
        kind => {
            let element = match c_types::element(kind, large) {
                "int" => "c_int",
                c => c,
            };
            match p.lengths.as_slice() {
                [] if p.direction == Direction::In => element.to_owned(),
                [_, Length::Number(inner)] => format!("{to} [{element}; {inner}]"),
                _ => format!("{to} {element}"),
            }
        }
    };
    format!("{}: {c}", p.name)
}

/// A C pointer type in Rust: `char**` is `*mut *mut c_char`.
fn pointer(c: &str, outer: &str) -> String {
    let stars = c.matches('*').count();
    let constant = c.starts_with("const ");
    let base = match c.trim_start_matches("const ").trim_end_matches(['*', ' ']) {
        "void" => "c_void",
        "char" => "c_char",
        "int" => "c_int",
        base => base,
    };
    let outer = if constant { "*const" } else { outer };
    format!("{} {base}", vec![outer; stars].join(" "))
}
