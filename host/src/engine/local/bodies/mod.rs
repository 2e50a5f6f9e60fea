//! Bodies of shims that follow no rule, `by = "local"` in the table: a function of MPI's name in snake case, or of the
//! row's `worker`, which takes the rank, `large: bool` if it serves two variants, and the guest's words, `i64` where either
//! variant has an `i64`.

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
