//! The `mpi` engine: one rank per process, under any launcher, over the MPI library that the node has.
//!
//! [`library`] finds the library and its functions, [`call`] carries one call of the guest, [`rank`] is what the
//! process knows. The shims of most functions are generated from the table; [`shim`] says what they may rely on. Those
//! that follow no rule stand in a file per chapter, and [`bodies`] gathers them.
//!
//! The library validates ranks, tags, counts and whatever else it is a matter of MPI to validate. Here is validated
//! what it can't know: that buffers lie in the guest's memory, and that a handle is one.

#[macro_use]
mod shim;
#[macro_use]
mod symbol;

mod attr;
pub(crate) mod bodies;
mod buffer;
mod buffered;
mod call;
mod codes;
mod comm;
pub(crate) mod confined;
mod contents;
mod datatype;
mod deferred;
mod dynamic;
mod errhan;
mod generalised;
pub(crate) mod generated;
mod group;
mod handle;
mod hints;
mod images;
mod info;
mod init;
mod io;
mod keeping;
mod kind;
mod launcher;
mod leftovers;
pub(crate) mod library;
mod listing;
mod misc;
mod mpit;
mod op;
mod opening;
mod part;
mod ports;
pub(crate) mod process;
mod quads;
pub(crate) mod rank;
mod reach;
mod request;
mod rma;
mod room;
mod session;
mod shared;
mod spawn;
mod topo;
mod words;

use rankine_guest::Error;

pub(crate) use process::Mpi;

/// What the store of the rank holds.
pub(crate) type Guest = crate::guest::Guest<rank::Rank>;

/// The result of a shim; the error still has to find its handler.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// Whether this engine has a function of MPI.
pub(crate) fn has(name: &str) -> bool {
    generated::find(name).is_some()
}
