//! Bodies of shims that follow no rule of the table; their registrations are generated like all others.

mod info;
mod inquiry;
mod request;
mod session;

pub(crate) use info::*;
pub(crate) use inquiry::*;
pub(crate) use request::*;
pub(crate) use session::*;
