//! The `mpi` engine: one rank per process, under any launcher, over the MPI library that the node has.
//!
//! | room | subject |
//! |---|---|
//! | [`process`] | the rank that this process is: its start, its end, its launcher, what it may do |
//! | [`call`] | one call of the guest: words, handles, proofs of buffers; what shims may rely on ([`call::shim`]) |
//! | [`library`] | the MPI library: where it is, its functions, the hints that it is given |
//! | the others | a chapter of the standard each |
//!
//! The shims of most functions are generated from the table. Those that follow no rule stand with their chapter, and
//! [`bodies`] gathers them.
//!
//! The library validates ranks, tags, counts and whatever else it is a matter of MPI to validate. This engine checks what
//! the library cannot know or takes on trust: see [`call::shim`].

#[macro_use]
pub(crate) mod call;
#[macro_use]
pub(crate) mod library;

mod attr;
pub(crate) mod bodies;
mod comm;
mod datatype;
mod errhan;
pub(crate) mod generated;
mod images;
mod info;
mod io;
mod misc;
mod mpit;
mod op;
pub(crate) mod process;
mod pt2pt;
mod request;
mod rma;
mod spawn;

use rankine_guest::Error;

pub(crate) use process::Mpi;

/// What the store of the rank holds.
pub(crate) type Guest = crate::guest::Guest<process::rank::Rank>;

/// The result of a shim; the error still has to find its handler.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// Architectures on which this engine has been shown right.
const SHOWN_ON: [&str; 2] = ["x86_64", "aarch64"];

/// Why this engine is not for an architecture, as Rust calls it, if it isn't. A program's words are bytes in the order of
/// WebAssembly, and a library there may take them in another.
pub(crate) fn unshown(architecture: &str) -> Option<String> {
    let text = || {
        let architecture = crate::shown::line(architecture);
        format!("the engine mpi has not been shown right on {architecture} (it has on {})", SHOWN_ON.join(" and "))
    };
    (!SHOWN_ON.contains(&architecture)).then(text)
}

/// Whether this engine has a function of MPI.
pub(crate) fn has(name: &str) -> bool {
    generated::find(name).is_some()
}
