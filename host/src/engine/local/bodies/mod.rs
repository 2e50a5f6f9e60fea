//! Bodies of shims that follow no rule, `by = "local"` in the table: the head of `abi/gen/src/hand.rs` says what they take
//! and return.

mod info;
mod inquiry;
mod io;
mod misc;
mod request;
mod session;
mod spawn;
mod tool;

pub(crate) use info::*;
pub(crate) use inquiry::*;
pub(crate) use io::*;
pub(crate) use misc::*;
pub(crate) use request::*;
pub(crate) use session::*;
pub(crate) use spawn::*;
pub(crate) use tool::*;
