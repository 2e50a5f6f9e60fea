//! Writes Fortran's bindings: `mpif.h`, the modules `mpi` and `mpi_f08`, and the C functions behind them.
//!
//! A function that follows the table is one C function with the arguments that Fortran passes ([`glue`]) and an
//! interface in each module ([`interfaces`]). What follows no rule is written by hand: interfaces in
//! `irregular_mpi.f90` and `irregular_f08/` here, C in `guest-sdk/fortran/glue`.

use std::path::PathBuf;

use anyhow::Result;

use crate::constants::Constants;
use crate::functions::{Function, Table};
use crate::parameters::{Kind, Parameter};

mod glue;
mod interfaces;
mod named_constants;
mod names;

/// All files: path from the root, text.
pub fn emit(constants: &Constants, table: &Table) -> Result<Vec<(PathBuf, String)>> {
    let modules = "guest-sdk/fortran/modules";
    let mut files: Vec<(PathBuf, String)> = vec![
        ("guest-sdk/fortran/include/mpif.h".into(), named_constants::mpif(constants)?),
        (format!("{modules}/mpi.f90").into(), interfaces::mpi(constants, table)?),
        (format!("{modules}/mpi_f08_types.f90").into(), named_constants::f08(constants)?),
        (format!("{modules}/mpi_f08.f90").into(), interfaces::f08(table)?),
        ("docs/fortran-names.md".into(), names::page(constants, table)?),
        ("tests/fortran/mpi/every_name.f".into(), names::program(table)?),
    ];
    for chapter in &table.chapters {
        let functions: Vec<&Function> = regular(table).filter(|f| f.chapter == chapter.key).collect();
        if !functions.is_empty() {
            let path = format!("guest-sdk/fortran/glue/generated/{}.c", chapter.key);
            files.push((path.into(), glue::emit(&chapter.title, &functions)?));
        }
    }
    Ok(files)
}

/// Functions whose bindings are written by hand, because Fortran's differ from C's: values come back as function
/// results, callbacks have another form, attributes are integers, strings come in arrays.
const IRREGULAR: &[&str] = &[
    "MPI_Init",
    "MPI_Init_thread",
    "MPI_Pcontrol",
    "MPI_Wtime",
    "MPI_Wtick",
    "MPI_Aint_add",
    "MPI_Aint_diff",
    "MPI_Comm_create_keyval",
    "MPI_Comm_set_attr",
    "MPI_Comm_get_attr",
    "MPI_Type_create_keyval",
    "MPI_Type_set_attr",
    "MPI_Type_get_attr",
    "MPI_Win_create_keyval",
    "MPI_Win_set_attr",
    "MPI_Win_get_attr",
    "MPI_Keyval_create",
    "MPI_Attr_put",
    "MPI_Attr_get",
    "MPI_Grequest_start",
    "MPI_Register_datarep",
    "MPI_Comm_spawn",
    "MPI_Comm_spawn_multiple",
    "MPI_Info_create_env",
    "MPI_Abi_get_fortran_booleans",
    "MPI_Abi_set_fortran_booleans",
];

/// Chapters of which Fortran has nothing: the tools interface, and handles as integers, which Fortran's are.
const C_ONLY: [&str; 2] = ["mpit", "convert"];

/// The functions whose bindings follow from the table.
fn regular(table: &Table) -> impl Iterator<Item = &Function> {
    table.functions.iter().filter(|f| {
        let name = f.name.as_str();
        !C_ONLY.contains(&f.chapter.as_str()) && !IRREGULAR.contains(&name)
    })
}

/// Whether both variants of a function have the same types in Fortran, so that the large one keeps a name of its own:
/// counts and extents grow to another kind, displacements to that of addresses, which is the default integer's on
/// wasm32.
fn is_ambiguous(function: &Function) -> bool {
    !function.parameters.iter().any(|p| p.large_only || matches!(p.kind, Kind::Count | Kind::Extent))
}

/// Whether the same holds where addresses have 64 bits, the kind of counts, and for that reason: one of the two is all then.
fn is_alike_in_lp64(function: &Function) -> bool {
    let differs = |p: &Parameter| p.large_only || matches!(p.kind, Kind::Count | Kind::Displ);
    !is_ambiguous(function) && !function.parameters.iter().any(differs)
}

/// A choice buffer: what mpi_f08 passes with its shape.
fn is_choice(function: &Function, p: &Parameter) -> bool {
    match p.kind {
        Kind::Buffer(..) => true,
        Kind::Address { .. } => p.lengths.is_empty() && !returns_address(p) && !function.name.contains("errhandler"),
        _ => false,
    }
}

/// A pointer that MPI returns.
fn returns_address(p: &Parameter) -> bool {
    matches!(p.kind, Kind::Address { .. }) && p.by_pointer()
}

/// What mpi_f08 does with a section that is not contiguous.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Scattered {
    /// The call works on a copy.
    Copied,
    /// The operation works on a copy until it is complete.
    Lasting,
    /// Its first element stands for it.
    Address,
    /// It is refused: MPI keeps that memory.
    Refused,
}

fn scattered(function: &Function) -> Scattered {
    let chapter = function.chapter.as_str();
    let name = function.name.as_str();
    let kept = ["MPI_Win_create", "MPI_Win_attach", "MPI_Win_detach", "MPI_Free_mem"].contains(&name);
    if kept || name.ends_with("ttach") || name.ends_with("ttach_buffer") {
        Scattered::Refused
    } else if name == "MPI_Get_address" || name.ends_with("_end") {
        // The end of a split collective access finds the buffer that it began with.
        Scattered::Address
    } else if chapter == "rma" || name.ends_with("_begin") || function.parameter("request").is_some() {
        Scattered::Lasting
    } else {
        Scattered::Copied
    }
}

/// Breaks a free-form Fortran statement at commas.
fn continued(statement: &str, indent: usize) -> String {
    const WIDTH: usize = 110;
    let pad = " ".repeat(indent);
    let (mut out, mut column) = (pad.clone(), indent);
    for piece in statement.split_inclusive(", ") {
        if column + piece.len() > WIDTH {
            out.push_str(&format!("&\n{pad}    "));
            column = indent + 4;
        }
        out.push_str(piece);
        column += piece.len();
    }
    out.push('\n');
    out
}
