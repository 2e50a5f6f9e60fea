//! The compilers' side of Rankine: what makes a guest from C, C++ and Fortran.
//!
//! Compilers are wrapped, not shipped. `rankine cc`, `c++` and `fc` become the clang and flang of this machine, with
//! Rankine's target, headers and libraries; `rankine sdk` puts together what these need. The command line itself, with
//! its help, is the host's (`host/src/cli`): here are functions that take arguments and return an exit status. Nothing
//! in this crate runs a guest or knows of Wasmtime, so it builds in seconds.
//!
//! | module | subject |
//! |---|---|
//! | [`find`] | where clang, the WASI sysroot and the data folder are |
//! | [`cc`], [`cxx`], [`fc`] | the wrappers: which argument goes where |
//! | [`threads`] | the sysroot of guests with threads |
//! | [`wide`] | that of guests with 64-bit addresses |
//! | [`link`] | the linker, and adapters where caller and callee disagree |
//! | [`sdk`] | what a guest is compiled against: the sysroot, our headers, the SDK library; files for Rust |
//! | [`build`] | what is compiled from LLVM's source, once per machine: libc++, flang and its runtime |
//! | [`python`] | the interpreter that was built, for who runs it |
//! | [`apt`] | downloads from Debian's archive, without root rights |
//! | [`process`], [`terminal`] | programs that are run to their end; what the user sees |
//!
//! Read `cc/mod.rs` first: a compilation is [`find`], then [`sdk`], then the judgement of `cc/flags.rs`, then clang.
//! The C, Fortran and Rust that travel in the binary (`embedded.rs`) lie in `guest-sdk/`. How results get their place
//! in the data folder, whole or not at all, is `folder.rs`.

/// How the names of the functions begin that `-fforgiving-calls` puts between a call through a pointer and what it calls.
pub const FORGIVING_CALL: &str = "forgiving_call:";

pub mod apt;
pub mod build;
mod casts;
pub mod cc;
pub mod cxx;
mod embedded;
pub mod fc;
pub mod find;
mod folder;
mod key;
pub mod link;
mod object_files;
pub mod process;
pub mod python;
pub mod sdk;
pub mod terminal;
pub mod threads;
pub mod wide;
