//! Raw bindings to MPI 5.0 for a WebAssembly guest: the standard ABI under its C names.
//!
//! Compiled for `wasm32-wasip1`, the functions are imports from the host's module `mpi`; compiled for anything else,
//! they are those of `libmpi_abi`, which has the same ABI. Everything is as in C: nothing is checked here, and every
//! function is unsafe to call.
//!
//! ```no_run
//! use core::ptr::null_mut;
//! use mpi_sys::*;
//!
//! let mut rank = 0;
//! // SAFETY: MPI accepts null pointers here, and `rank` outlives the call.
//! unsafe {
//!     MPI_Init(null_mut(), null_mut());
//!     MPI_Comm_rank(MPI_COMM_WORLD, &mut rank);
//!     MPI_Finalize();
//! }
//! ```
#![no_std]
#![allow(non_camel_case_types, non_snake_case)]

mod callbacks;
mod constants;
mod functions;
mod types;

pub use callbacks::*;
pub use constants::*;
pub use functions::*;
pub use types::*;
