//! The compilers' side of Rankine: what makes a guest from C, C++ and Fortran.
//!
//! Compilers are wrapped, not shipped. `rankine cc`, `c++` and `fc` become the clang and flang of this machine, with
//! Rankine's target, headers and libraries; `rankine sdk` puts together what these need. The command line itself, with
//! its help, is the host's (`host/src/cli`): here are functions that take arguments and return an exit status. Nothing
//! in this crate runs a guest or knows of Wasmtime, so it builds in seconds.
//!
//! | module | subject |
//! |---|---|
//! | [`places`] | where this user's environment says that things are |
//! | [`find`] | where clang, the WASI sysroot and the data folder are |
//! | [`cc`], [`cxx`], [`fc`] | the wrappers: which argument goes where |
//! | [`threads`] | the sysroot of guests with threads |
//! | [`link`] | the linker, and adapters where caller and callee disagree |
//! | [`sdk`] | what a guest is compiled against: the sysroot, our headers, the SDK library; files for Rust |
//! | [`build`] | what is compiled from LLVM's source, once per machine: libc++, flang and its runtime |
//! | [`apt`] | downloads from Debian's archive, without root rights |
//! | [`process`], [`terminal`] | programs that are run to their end; what the user sees |
//! | [`system`], [`trust`] | what Unix and Windows do in different ways; who could have written a file |
//!
//! Read `cc/mod.rs` first: a compilation is [`find`], then [`sdk`], then the judgement of `cc/flags.rs`, then clang.
//! The C, Fortran and Rust that travel in the binary (`embedded.rs`) lie in `guest-sdk/`. How results get their place
//! in the data folder, whole or not at all, is `folder.rs`.

/// The section by which a module says that it leaves the lowest 64 KiB of its memory alone.
pub const NULL_PAGE: &str = "rankine.null-page";

/// How the names of the functions begin that `-fforgiving-calls` puts between a call through a pointer and what it calls.
pub const FORGIVING_CALL: &str = "forgiving_call:";

pub mod apt;
pub mod build;
pub mod cc;
pub mod cxx;
mod embedded;
pub mod fc;
pub mod find;
mod folder;
pub mod link;
mod object_files;
pub mod places;
pub mod process;
pub mod sdk;
pub mod system;
pub mod terminal;
pub mod threads;
pub mod trust;
