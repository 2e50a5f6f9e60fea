//! How a parameter is spelled in C. The header and the cross-check with another library's header share this.

use crate::functions::{Class, Function, Returned};
use crate::parameters::{Direction, Kind, Length, Parameter};

/// A parameter's declaration: `const int dims[]`.
pub fn declaration(p: &Parameter, large: bool) -> String {
    let name = &p.name;
    let constant = if p.direction == Direction::In { "const " } else { "" };
    match &p.kind {
        Kind::Raw(c) if c == "..." => "...".to_owned(),
        Kind::Raw(c) => spaced(c, name),
        Kind::Buffer(..) => format!("{constant}void *{name}"),
        Kind::Address { constant } => {
            format!("{}void *{name}", if *constant { "const " } else { "" })
        }
        Kind::String(_) => format!("{constant}char *{name}"),
        Kind::Function(c, c_large) => format!("{} *{name}", if large { c_large } else { c }),
        Kind::Status if p.lengths.is_empty() => format!("{constant}MPI_Status *{name}"),
        kind => {
            let c = element(kind, large);
            match p.lengths.as_slice() {
                [] if p.direction == Direction::In => format!("{c} {name}"),
                [] => format!("{c} *{name}"),
                // C would not take an array of arrays for an array of constant arrays.
                [_, Length::Number(inner)] => format!("{c} {name}[][{inner}]"),
                _ => format!("{constant}{c} {name}[]"),
            }
        }
    }
}

/// `char **` and `argv` as `char **argv`.
fn spaced(c: &str, name: &str) -> String {
    if c.ends_with('*') { format!("{c}{name}") } else { format!("{c} {name}") }
}

/// The type of one element.
pub fn element(kind: &Kind, large: bool) -> &str {
    match kind {
        Kind::Count if large => "MPI_Count",
        Kind::Displ if large => "MPI_Aint",
        Kind::Extent if large => "MPI_Count",
        Kind::Extent | Kind::Aint => "MPI_Aint",
        Kind::Offset => "MPI_Offset",
        Kind::BigCount => "MPI_Count",
        Kind::Handle(class) => handle(*class),
        Kind::Enum(c) | Kind::Tool(c) => c,
        Kind::Status => "MPI_Status",
        _ => "int",
    }
}

/// The C type of a class of handles.
pub fn handle(class: Class) -> &'static str {
    match class {
        Class::Comm => "MPI_Comm",
        Class::Group => "MPI_Group",
        Class::Datatype => "MPI_Datatype",
        Class::Op => "MPI_Op",
        Class::Request => "MPI_Request",
        Class::Errhandler => "MPI_Errhandler",
        Class::Info => "MPI_Info",
        Class::Message => "MPI_Message",
        Class::Win => "MPI_Win",
        Class::File => "MPI_File",
        Class::Session => "MPI_Session",
    }
}

/// What a function returns in C.
pub fn result(function: &Function) -> &'static str {
    match function.returns {
        None | Some(Returned::Int) => "int",
        Some(Returned::Double) => "double",
        Some(Returned::Aint) => "MPI_Aint",
        Some(Returned::Handle(class)) => handle(class),
    }
}

/// The parameters of one variant between the parentheses of a prototype.
pub fn parameters(function: &Function, large: bool) -> String {
    let list: Vec<String> = function.of_variant(large).map(|p| declaration(p, large)).collect();
    if list.is_empty() { "void".to_owned() } else { list.join(", ") }
}
