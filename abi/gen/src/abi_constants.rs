//! Writes `abi/src/constants.rs`: the numbers of the ABI that are no handles.

use std::fmt::Write;

use crate::constants::{Constants, Group, GroupKind};

/// The text of the file.
pub fn emit(constants: &Constants) -> anyhow::Result<String> {
    let mut out = String::new();
    writeln!(out, "{}", crate::NOTICE)?;
    writeln!(out, "//! The constants of the MPI-5.0 standard ABI, under their standard names.")?;
    writeln!(out, "use crate::{{Addr, FnPtr}};")?;
    for group in &constants.groups {
        emit_group(&mut out, group)?;
    }
    emit_error_names(&mut out, constants)?;
    Ok(out)
}

fn emit_group(out: &mut String, group: &Group) -> anyhow::Result<()> {
    writeln!(out, "\n// {}.", group.title)?;
    for (name, value) in &group.values {
        writeln!(out, "/// `{name}`")?;
        match group.kind {
            GroupKind::Int | GroupKind::Enum => writeln!(out, "pub const {name}: i32 = {value};")?,
            GroupKind::Offset => writeln!(out, "pub const {name}: i64 = {value};")?,
            GroupKind::Address => writeln!(out, "pub const {name}: Addr = Addr({value});")?,
            GroupKind::Function => writeln!(out, "pub const {name}: FnPtr = FnPtr({value});")?,
            GroupKind::Tool => writeln!(out, "pub const {name}: u32 = {value};")?,
            GroupKind::Fortran => unreachable!("these are not among the groups that C has"),
        }
    }
    Ok(())
}

fn emit_error_names(out: &mut String, constants: &Constants) -> anyhow::Result<()> {
    writeln!(out, "\n/// The standard name of an error class, `MPI_ERR_RANK` for 6.")?;
    writeln!(out, "pub const fn error_class_name(class: i32) -> Option<&'static str> {{")?;
    writeln!(out, "Some(match class {{")?;
    for (name, value) in constants.groups.iter().flat_map(|g| &g.values) {
        let is_class = name.starts_with("MPI_ERR_") || name.starts_with("MPI_T_ERR_") || name == "MPI_SUCCESS";
        if is_class && name != "MPI_ERR_LASTCODE" {
            writeln!(out, "{value} => \"{name}\",")?;
        }
    }
    writeln!(out, "_ => return None,\n}})\n}}")?;
    Ok(())
}
