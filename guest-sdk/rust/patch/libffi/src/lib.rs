//! Stands in for the crate `libffi` of crates.io in WebAssembly, for programs that make C functions of closures, as
//! `mpi` (rsmpi) does for user-defined operations:
//!
//! ```toml
//! [patch.crates-io]
//! libffi = { path = "<the folder of this crate>" }
//! ```
//!
//! The original writes machine code for each closure. WebAssembly can't make code at run time, so here closures borrow
//! functions that were compiled ahead (`trampoline.rs`): up to [`CLOSURES`] at a time for each signature, with up to
//! [`PARAMETERS`] parameters that are pointers or integers of at most 32 bits. Anything else is an error that says so.
//!
//! What is here is what closures need, under the original's names: [`middle::Type`], [`middle::Cif`],
//! [`middle::Closure`], and [`low`] where their types mention it. Calling a function by its signature (`Cif::call`) is
//! not.

pub mod low;
pub mod middle;
pub mod raw;
mod trampoline;

pub use trampoline::{CLOSURES, PARAMETERS};

#[cfg(test)]
mod tests;
