//! Rankine: runs MPI programs that were compiled once, to WebAssembly.
//!
//! The library is what the `rankine` command is made of. `run/job.rs` is its heart, and the file to read first: a job is an
//! engine and the ranks that it carries here. `run/engine.rs` is the boundary that engines stand behind, `guest/store.rs`
//! what the store of a rank holds, and `cli/run.rs` where the command begins. Its folders are rooms, from the top to the
//! bottom: `cli`, `engine`, `run`, `imports`, `guest`, `report`, `module`. The head of each says what it may import.
//!
//! With [`extension`], whoever embeds the library gives guests functions of their own.
//!
//! A guest that computes can't be stopped (that would slow down every loop), so a job that ends early leaves such ranks
//! behind on their threads: the command ends its process, and so should every other user of this library.
#![cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "what only Linux has is asked for by nobody elsewhere")
)]

pub mod cli;
mod engine;
#[cfg(fuzzing)]
pub mod fuzzing;
mod guest;
mod imports;
pub mod module;
mod report;
mod run;
#[cfg(any(test, fuzzing))]
pub mod sent;

pub use imports::extension;
