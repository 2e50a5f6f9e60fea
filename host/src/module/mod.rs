//! Room of the program: from a file to code that is ready to run, and what can be known of it before.
//!
//! It may import crates alone: it knows no rank, no engine and no job.

pub mod cache;
pub(crate) mod demangle;
pub mod image;
pub mod inspect;
mod instance;
pub(crate) mod metered;
pub(crate) mod needs;
mod program;
pub mod signature;
pub mod symbols;
pub(crate) mod threaded;
mod vectors;
pub mod width;

pub use program::*;

/// Modules of imports, as programs name them.
pub(crate) const WASI: &str = "wasi_snapshot_preview1";
pub(crate) const VIEW: &str = "rankine_view";
pub(crate) const THREADS: &str = "wasi";
