//! The engine `mpi`: one rank per process, under any launcher, over the MPI library that the node has.
//!
//! It knows nothing of WebAssembly: it has a guest's memory and the words of a call, and asks a [`Host`](rank::Host) for the
//! rest. The host's `engine/mpi` registers the functions, starts the rank and ends the process.
//!
//! | room | subject |
//! |---|---|
//! | [`rank`], [`init`], [`post`] | what a rank has; its start and end; letters to the page |
//! | [`call`] | one call of the guest: words, handles, proofs of buffers; what shims may rely on ([`call::shim`]) |
//! | [`library`] | the MPI library: where it is, its functions, the hints that it is given |
//! | [`launcher`], [`leftovers`] | what a confined process may say to its launcher; what a library leaves behind |
//! | the others | a chapter of the standard each |
//!
//! The shims of most functions are generated from the table. Those that follow no rule stand with their chapter, and
//! [`bodies`] gathers them.
//!
//! The library validates ranks, tags, counts and whatever else it is a matter of MPI to validate. This engine checks what
//! the library cannot know or takes on trust: see [`call::shim`].
#![cfg(unix)]

#[macro_use]
pub mod call;
#[macro_use]
pub mod library;

mod attr;
mod bcast;
mod bodies;
mod comm;
mod datatype;
mod errhan;
mod generated;
mod info;
mod init;
mod io;
pub mod launcher;
pub mod leftovers;
mod misc;
mod mpit;
mod op;
mod post;
mod pt2pt;
pub mod rank;
mod request;
mod rma;
mod spawn;

pub use generated::symbols;
pub use io::opening::folder_of_names;
pub use rank::Rank;
pub use rankine_guest::Result;
pub use request::{Arrives, Pending};
pub use rma::shared::granted;

/// Architectures on which this engine has been shown right.
const SHOWN_ON: [&str; 2] = ["x86_64", "aarch64"];

/// Why this engine is not for an architecture, as Rust calls it, if it isn't. A program's words are bytes in the order of
/// WebAssembly, and a library there may take them in another.
pub fn unshown(architecture: &str) -> Option<String> {
    let text = || {
        let architecture = rankine_system::shown::line(architecture);
        format!("the engine mpi has not been shown right on {architecture} (it has on {})", SHOWN_ON.join(" and "))
    };
    (!SHOWN_ON.contains(&architecture)).then(text)
}

/// Whether this engine has a function of MPI.
pub fn has(name: &str) -> bool {
    generated::find(name).is_some()
}

/// Ends this process: a launcher may overlook that one has left its job, but never a signal that has ended one.
pub fn end_by_signal() -> ! {
    // SAFETY: the call takes numbers alone.
    unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
    std::process::abort()
}
