//! What engines share, whatever carries their messages: what a guest is to the host.
//!
//! | file | subject |
//! |---|---|
//! | `memory`, `copy` | a guest's linear memory: proofs of bounds, and copies that may race |
//! | `quota`, `cost` | what a rank may take of memory, and what is charged for it |
//! | `handle` | tables of objects: class, generation, index |
//! | `error`, `errhan` | what goes wrong in a call, and the handlers that hear of it |
//! | `file` | what files are opened for |
//! | `blocks` | memory of windows that came from the guest's allocator |
//! | `callback` | what an engine asks of the guest |
//! | `parcel` | messages of the host's own |
//! | `life` | a rank between its start and its end |
//! | `who` | which rank it is, as its user knows it |
//! | `together`, `awaits` | what ranks do together, to be compared; for whom one waits |
//! | `growing` | a list that grows while others look into it |
//! | `turn` | ranks that share a thread let others go first; how a rank is put to sleep |
//! | `op` | the predefined operations of reductions |
//! | `arguments` | arrays and strings that a call is given |
//! | `status`, `tag`, `partitions`, `dims`, `array`, `ranks` | rules of MPI that an engine applies to a guest's words |
//!
//! An engine builds on this crate: `rankine-local`, the embedded one, and the one over an MPI library, in the host.
//! Object graphs (`rankine-object`) do too, so they travel on both. Nothing here knows of WebAssembly. Read `memory.rs`
//! first: what is proved there is what everything else relies on; then `handle.rs` and `errhan/mod.rs`.

// Guards take back what they started when they are dropped: they are not to be forgotten.
#![warn(clippy::mem_forget)]

pub mod arguments;
pub mod array;
mod awaits;
mod blocks;
mod callback;
pub mod copy;
mod cost;
pub mod dims;
pub mod errhan;
pub mod error;
pub mod file;
mod growing;
pub mod handle;
mod life;
mod memory;
pub mod op;
mod parcel;
pub mod partitions;
pub mod quota;
pub mod ranks;
mod status;
pub mod tag;
mod together;
mod turn;
mod who;

pub use awaits::{Awaits, Whom};
pub use blocks::Blocks;
pub use callback::{Answer, Arguments, Callback};
pub use error::{Error, Result, Whose};
pub use growing::Growing;
pub use life::{Life, Phase};
pub use memory::{Memory, Proved};
pub use parcel::Parcel;
pub use quota::{Account, Charge, Cost};
pub use together::Together;
pub use turn::{Parks, YieldOnce};
pub use who::Who;
