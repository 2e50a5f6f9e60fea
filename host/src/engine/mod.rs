//! Room of engines, which stand behind one boundary, which is with the run of a job. It may import `run` and what is
//! below; engines know nothing of each other.
//!
//! An engine carries the ranks of a job and their messages. It defines the imports of a module, starts ranks and ends a
//! job; that is [`Engine`]. What the rest of the host asks of one of its ranks is [`Rank`], and what object graphs ask is
//! [`Carrier`](crate::imports::objects::Carrier). An engine's shims and bodies are its own: plain functions, named after
//! MPI's.
//!
//! | engine | ranks |
//! |---|---|
//! | [`local`] | all of them in this process, as threads or fibers |
//! | [`mpi`] | the one that this process is, over an MPI library |
//! | [`nodes`] | those of a node in this process, others over an MPI library |

mod choice;
pub(crate) mod local;
#[cfg(unix)]
pub(crate) mod mpi;
#[cfg(windows)]
#[path = "no_mpi.rs"]
pub(crate) mod mpi;
#[cfg(unix)]
pub(crate) mod nodes;

pub(crate) use crate::guest::{Observes, Rank};
pub(crate) use crate::run::engine::{Asked, Engine};
pub(crate) use choice::{Name, Unsuited, launcher, suited};
