//! Rankine: runs MPI programs that were compiled once, to WebAssembly.
//!
//! The library is what the `rankine` command is made of. `job.rs` is its heart, and the file to read first: a job is an
//! engine and the ranks that it carries here. `engine/mod.rs` is the boundary that engines stand behind, `guest.rs` what
//! the store of a rank holds, and `cli/run.rs` where the command begins.
//!
//! With [`extension`], whoever embeds the library gives guests functions of their own.
//!
//! A guest that computes can't be stopped (that would slow down every loop), so a job that ends early leaves such ranks
//! behind on their threads: the command ends its process, and so should every other user of this library.
#![cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, reason = "what only Linux has is asked for by nobody elsewhere")
)]

pub use rankine_toolchain::{places, trust};

pub mod allocation;
mod apart;
pub mod cache;
mod call_words;
mod callback;
pub mod cli;
pub mod confine;
mod coredump;
mod crew;
mod debugger;
mod demangle;
mod elf;
mod ending;
mod engine;
pub mod extension;
mod files;
mod footprint;
mod function_table;
#[cfg(fuzzing)]
pub mod fuzzing;
pub mod grants;
mod grid;
mod guest;
mod heap;
mod helper;
mod imports;
pub mod inspect;
mod job;
pub mod limits;
mod math;
mod mistakes;
pub mod module;
mod null_page;
mod objects;
pub mod output;
mod placing;
mod policy;
mod profile;
mod secret;
mod shown;
pub mod signals;
pub mod signature;
mod stage;
pub mod symbols;
mod team;
mod text;
mod thread_number;
mod threads;
mod thrown;
mod told;
pub mod trap;
mod vectors;
mod view;
mod wasi;
