//! Room of imports: the functions that a program may have beside MPI's, and the resolving of all that it asks for.
//!
//! It may import `guest` and what is below. They are the same on all engines, and know nothing of a job.

pub mod extension;
pub(crate) mod math;
pub(crate) mod objects;
mod resolve;
pub(crate) mod threads;
pub(crate) mod view;
pub(crate) mod wasi;

pub(crate) use resolve::resolve;
