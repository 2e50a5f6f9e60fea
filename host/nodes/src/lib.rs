//! What nodes of a job tell each other.
//!
//! A node is a process that carries some of a job's ranks. Between nodes there is a *wire*, which carries letters: bytes, in
//! order from each node to each other, and nothing else. All that MPI wants beyond that is here, and knows neither the wire
//! nor who the ranks are. So the same code runs over an MPI library, and in a simulation that shows what thousands of
//! schedules do to it.
//!
//! | file | subject |
//! |---|---|
//! | `frame` | letters and frames, byte by byte |
//! | `node` | one node: what it says, and what it does on what it hears |
//! | `peer` | what a node keeps of another: letters not yet sent, and how many may be |
//! | `wave` | counting what is under way, to know when nothing is |
//! | `carry` | the thread that carries letters, for the ranks of `rankine-local` |
//! | [`library`] | the wire over an MPI library |
//!
//! Three rules keep memory bounded, whatever ranks do. A node sends another no more letters than that one has read, and a
//! *window* of them beyond. A message whose letter would wait too long in a queue is offered instead: its bytes stay where
//! they are. And so are those to a rank at which too much lies unreceived.

mod carry;
mod frame;
pub mod library;
mod node;
mod peer;
mod wave;

pub use carry::{Carrier, Left, Wire};
#[doc(hidden)]
pub use frame::reads_as_written;
pub use frame::{BEFORE_BYTES, End, Envelope, Frame, Frames, HEAD, Head, Malformed, Tally, VERSION};
pub use node::{Limits, Node, Site, State};
