//! The types of parameters and results as WebAssembly sees them.

use crate::functions::{Function, Returned};
use crate::parameters::{Kind, Parameter};

/// The wasm type of a parameter.
pub fn parameter(p: &Parameter, large: bool) -> &'static str {
    match p.kind {
        _ if p.by_pointer() => "i32",
        Kind::Count | Kind::Extent if large => "i64",
        Kind::Offset | Kind::BigCount => "i64",
        _ => "i32",
    }
}

/// The wider of the types that a parameter has in a function's variants.
pub fn widest(p: &Parameter, has_large: bool) -> &'static str {
    parameter(p, has_large)
}

/// The wasm type of a function's result.
pub fn result(function: &Function) -> &'static str {
    match function.returns {
        Some(Returned::Double) => "f64",
        _ => "i32",
    }
}
