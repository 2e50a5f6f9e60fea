//! Files of guests, which both engines open by the names that a guest gives.

#[cfg(unix)]
mod beneath;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use self::{beneath::Place, unix::*};
#[cfg(windows)]
pub use windows::*;
