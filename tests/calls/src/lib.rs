//! Programs that call MPI with arguments no program would pass.
//!
//! The function table knows what kind each parameter is; [`mod@draw`] picks a value for each by its kind: a handle that an
//! earlier call made, one of another class, a made-up one; counts around 0, 2^31 and 2^62; addresses around the ends of
//! the memory; sentinels, overlapping arrays, strings with newlines. The calls of a case build on each other and on
//! objects that it begins with ([`beginning`]), and callbacks make calls of their own.
//!
//! There is one guest for all cases ([`guest`]): an interpreter that gets its program as arguments. So a case costs no
//! compiling, and runs on every engine. It has a native twin ([`native`]).
//!
//! It can start ranks: there is a small program for them beside it ([`guest::child`]). Once in a while a second thread of
//! each rank calls at the same time, by a guest whose memory is shared.
//!
//! `rankine-calls` starts `rankine run`, or `mpiexec`, with case after case and looks how it ends. What once ended badly lies in
//! `cases/`, and is run again before others are drawn. Read `draw` first, then `guest`; `main.rs` judges how a case ended.

pub mod beginning;
pub mod catalogue;
pub mod draw;
mod extensions;
pub mod growth;
pub mod guest;
pub mod insignificant;
mod interpreter;
mod memory;
pub mod native;
pub mod program;
mod setting;
pub mod telling;

pub use catalogue::Catalogue;
pub use draw::draw;
pub use program::{Argument, Call, Case, Program};
