//! `rankine sdk build`: compiles from source what no package brings for WebAssembly, once per machine.
//!
//! A part is a file here: it names the folders of LLVM's source it needs (`llvm_source.rs`), or fetches a source of its own,
//! and compiles them into the data folder, where it is whole or absent (`folder.rs`).

mod cxx;
mod flang;
mod jobs;
mod lapack;
mod llvm_source;
mod m64;
mod openmp;
mod python;
mod signatures;

pub use cxx::build as cxx;
pub use flang::{Flang, build as fortran};
pub(crate) use lapack::Lapack;
pub use lapack::{Part, build as lapack};
pub use m64::build as m64;
pub use openmp::build as openmp;
pub use python::{Start, build as python, packages as python_packages};
