//! The embedded MPI engine: the ranks of a job in one process, messages moved straight from memory to memory.
//!
//! The engine sees a rank as an identity, a memory and somebody to wake; it knows nothing of WebAssembly. What a guest
//! is to any engine, such as its memory, errors and handles, is in [`rankine_guest`]. A file per chapter of the standard
//! holds one function per MPI function; below them lie [`transport`](crate::Rank) (sends and receives), mailboxes,
//! datatypes and the world that ranks share. The host's shims validate nothing but addresses of arrays and strings:
//! every argument is checked here, every buffer in [`Span`]. Read `pt2pt/mod.rs` first, then `transport.rs` and
//! `mailbox/mod.rs`: that is the way of a message.

// Guards take back what they started when they are dropped: they are not to be forgotten.
#![warn(clippy::mem_forget)]

mod cell;
mod context;
mod drawn;
mod drive;
mod ear;
mod events;
mod facts;
mod fibers;
pub mod helping;
mod joint;
pub mod layout;
mod mailbox;
mod members;
#[cfg(all(test, loom))]
mod models;
mod patience;
mod questions;
mod rank;
mod shelf;
mod span;
mod sync;
#[cfg(test)]
mod testing;
mod transport;
mod unreceived;
mod waiting;
mod world;

pub mod abi_query;
pub mod attr;
pub mod away;
pub mod coll;
pub mod comm;
pub mod datatype;
pub mod errhan;
pub mod group;
pub mod info;
pub mod init;
pub mod io;
pub mod op;
pub mod pack;
pub mod pt2pt;
pub mod request;
pub mod rma;
pub mod spawn;
pub mod tool;
pub mod topo;
pub mod turns;

use rankine_guest::{copy, error, handle, quota};

pub use context::Context;
pub use drive::{Ended, Step, Turns, block_on, wait, wait_in_turns};
pub use fibers::{Fibers, Task};
pub use mailbox::operation::{Kind, What};
pub use rank::Rank;
pub use rankine_abi as abi;
// What functions take and return.
pub use events::{Event, Listen};
pub use facts::{Place, Runs};
pub use rankine_guest::{Account, Callback, Charge, Error, Memory, Parcel, Result, Who};
pub use span::Span;
#[doc(hidden)]
pub use transport::receive_into;
pub use world::{End, Options, Wake, World};
