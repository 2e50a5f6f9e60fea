//! The `mpi` engine: one rank per process, under any launcher, over the MPI library that the node has.
//!
//! The engine itself is the crate `rankine-mpi`. Here stands what it needs of the rest of the host:
//!
//! | module | subject |
//! |---|---|
//! | [`process`] | the rank that this process is: its start, its end, what it may do |
//! | [`call`] | registration of imports, and one call between Wasmtime and the engine |
//! | [`images`] | object graphs over the library |

pub(crate) mod call;
mod images;
pub(crate) mod process;

pub(crate) use process::Mpi;
pub(crate) use rankine_mpi::{Rank, has, library, unshown};

/// What the store of the rank holds.
pub(crate) type Guest = crate::guest::Guest<Rank>;
